"""cics-perf tables 8-18 to 8-23: SOAP requests, with and without SSL, and the CPU of TCP/IP beside CICS."""

from __future__ import annotations

from functools import partial

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.load_ladder import Ladder, climb, cpu_law
from ...published.published_tables import table

CPU, TCPIP, RATE = "cics_cpu_pct", "tcpip_cpu_pct", "request_rate_per_s"
RESPONSE = "response_ms"
COLUMNS = (("CICS CPU", CPU, "CPs"), ("TCP/IP CPU", TCPIP, "network"))
STACK = Missing(
    "CPU of TCP/IP that more requests share: its interrupts and timers take several at a time at higher rates",
    "1.7 µs of 11.5 µs a request without SSL between 417 and 999 a second; 5 to 7 µs of 39 µs with full handshakes",
    "TCP/IP CPU without load, and packets an interrupt at each rate",
)
HANDSHAKES = Missing(
    "CPU of a full handshake that grows with the rate: more tasks wait for the cryptographic hardware or for dispatch",
    "0.05 ms of 0.66 ms a request at 986 a second; response grows from 6 to 11 ms",
    "busy and queue of the cryptographic coprocessors at each rate",
)
TLS = Missing(
    "CPU of AT-TLS in TCP/IP, which grows with every request, where that of a connection without SSL is shared by more of them",
    "9 µs a request at every rate, where the law from lasting connections falls from 9 to 7.5 µs",
    "TCP/IP CPU with AT-TLS and without load",
)
WAITS = Missing(
    "the wait of a full handshake, longest at the lowest and at the highest rate: cryptographic hardware that others use",
    "2 ms less at 500 to 700 a second than at 417, and 3 ms more at 986",
    "busy and queue of the cryptographic coprocessors at each rate",
)
TOP = Missing(
    "a queue at the highest rate, printed in whole milliseconds",
    "0.5 to 1.5 ms of 3 ms",
    "response with another digit, and busy of the cryptographic coprocessors",
)


def _responses(file: str, of: str | None, missing: dict[int, Missing], study: Study) -> None:
    """CPU and wait of a request at the lowest rate give its response at the others."""
    published = table("cics-perf", file)
    low = published[1]
    _, cpu = cpu_law(study, Ladder(f"table-{of}" if of else file, rate=RATE), "CICS CPU", CPU)
    how = "row 1: response, printed in whole milliseconds, less CPU"
    wait = study.calibrate("wait of a request", low[RESPONSE] / 1000 - cpu, "s", [low], how)
    for row in published.rows[1:]:
        system = zos.System(
            lpars=[zos.Lpar("LPAR", processors=zos.Processors(4))],  # not printed; less than one is busy
            regions=[zos.CicsRegion("provider", lpar="LPAR")],
            work=[zos.Work("requests", rate=row[RATE], regions="provider", open_cpu=cpu, delay=wait)],
            name=f"{row.printed(RATE)} requests a second",
        )
        response = study.solve_system(system.name, system)["requests"].response_time
        study.predict(
            "response", "ms", row, RESPONSE, 1000 * response, station="network", kind="path", like=(low, None),
            missing=missing.get(row.number),
        )  # fmt: skip


LADDERS = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"SOAP requests, {title}, CICS TS V5.4 on z13",
        question="What CPU do CICS and TCP/IP take at 2.4 times the rate?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; TCP/IP CPU is printed to two or three digits",
        verdict_text=(
            (
                "CPU in CICS is that without SSL: nothing is fitted. "
                if of
                else "CPU in CICS is constant, from the lowest rate. "
            )
            + "That of TCP/IP falls"
            + (" as without SSL: the line of that run, times the ratio of row 1." if beside else ": a constant misses the top.")
        ),
        run=partial(
            climb,
            Ladder(
                f"table-{number}",
                of=Ladder(f"table-{of}", rate=RATE) if of else None,
                columns=COLUMNS,
                rate=RATE,
                missing=missing,
                beside=beside,
            ),
        ),
    )
    for number, title, of, beside, missing in (
        ("8-18", "lasting connections", None, None, {(TCPIP, 3): STACK, (TCPIP, 5): STACK}),
        ("8-19", "a connection each", None, None, {(TCPIP, 5): STACK}),
        ("8-20", "lasting connections with SSL in CICS", None, "table-8-18", {}),
        ("8-21", "partial handshakes with SSL in CICS", None, "table-8-19", {}),
        ("8-22", "full handshakes with SSL in CICS", None, "table-8-19", {(CPU, 5): HANDSHAKES, (TCPIP, 5): STACK}),
        ("8-23", "lasting connections with AT-TLS", "8-18", "table-8-18", {(TCPIP, 4): TLS, (TCPIP, 5): TLS}),
    )
)
RESPONSES = tuple(
    Case(
        name=f"cics-perf-{number}-response",
        source="cics-perf",
        file=f"table-{number}",
        title=f"Response of SOAP requests, {title}, CICS TS V5.4 on z13",
        question="What response has a request at 2.4 times the rate?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; responses are printed in whole milliseconds",
        verdict_text=text,
        run=partial(_responses, f"table-{number}", of, missing),
    )
    for number, title, of, text, missing in (
        (
            "8-21",
            "partial handshakes with SSL in CICS",
            None,
            "CPU is a quarter of the response, and no engine is busy: it is constant up to 700 a second.",
            {5: TOP},
        ),
        (
            "8-22",
            "full handshakes with SSL in CICS",
            None,
            "Nine tenths of the response are a wait outside CICS, which no figure of the table gives.",
            dict.fromkeys((2, 3, 4, 5), WAITS),
        ),
        ("8-23", "lasting connections with AT-TLS", "8-18", "Constant, in whole milliseconds.", {}),
    )
)
CASES = (*LADDERS, *RESPONSES)
