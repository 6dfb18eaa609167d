"""cics-perf tables 8-15, 8-16: what large payloads cost over EXCI."""

from __future__ import annotations

from functools import partial

from qnsolve import zos
from qnsolve.measure import PayloadLaw, fit_payload

from ...case import Case, Missing, Study
from ...published.published_tables import Row, table

SMALL, LARGE = "32", "32760"
CPU, RESPONSE = "total_cpu_ms", "response_ms"
UNIT = Missing(
    "a copy that costs nothing for the first kilobyte",
    "1.8 µs, two units of print",
    "response with another digit, and at 4 and 16 KB",
)
LABEL, BYTES, REQUESTS, KIND = "payload_label", "payload_bytes", "commareas_required", "configuration"
COPIES = Missing(
    "a byte that costs less in a large container than in a small one",
    "CPU of a byte 0.57 ns from 512 KB up in place of 0.67 ns, response 1.98 ns in place of 2.1 ns",
    "CPU and response of containers of 64, 128 and 256 KB",
)


def _law(study: Study, column: str, kind: str) -> PayloadLaw:
    """Time of a request by its bytes, from one of 32 and one of 32760 bytes."""
    published = table("cics-perf", "table-8-15" if column == CPU else "table-8-16")
    rows = [published.where(**{KIND: kind, LABEL: label}) for label in (SMALL, LARGE)]
    law = fit_payload([row[BYTES] for row in rows], [row[column] / 1000 for row in rows])
    what, how = column.split("_")[-2], f"{kind}: line through one request of {SMALL} and one of {LARGE} bytes"
    printed = f"{kind}: a request of {SMALL} bytes, as printed"
    study.calibrate(f"{what} of a request, {kind}", rows[0][column] / 1000, "s", rows[:1], printed, kind="printed")
    study.calibrate(f"{what} of a byte more, {kind}", law.per_unit, "s", rows, how)
    return law


def _system(requests: float, size: float, cpu: PayloadLaw, response: PayloadLaw) -> zos.System:
    used, spent = cpu.cost(size, requests) / requests, response.cost(size, requests) / requests
    step = zos.Step("server", visits=requests, open_cpu=used, delay=max(spent - used, 0.0))
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(4))],  # not printed; one request is under way at a time
        regions=[zos.CicsRegion("server", lpar="LPAR")],
        work=[zos.Work("payload", users=1, steps=[step])],
        name=f"{requests:g} requests, {size:g} bytes",
    )


def _run(column: str, study: Study) -> None:
    published = table("cics-perf", study.case.file)
    for kind in ("COMMAREA", "channel"):
        cpu, response = _law(study, CPU, kind), _law(study, RESPONSE, kind)
        for row in published.rows:
            if row.cells[KIND] != kind or row.cells[LABEL] in (SMALL, LARGE):
                continue
            requests = _requests(study, row) if kind == "COMMAREA" else 1.0
            done = study.solve_system(f"{kind}, {row.cells[LABEL]}", _system(requests, row[BYTES], cpu, response))["payload"]
            value = 1000 * (done.cpu if column == CPU else done.response_time)
            large = kind == "channel" and row.cells[LABEL] not in ("1024", "32 KB")
            first = kind == "COMMAREA" and row.cells[LABEL] == "1024" and column == RESPONSE
            study.predict(
                f"{column.split('_')[-2]}, {kind} of {row.cells[LABEL]}",
                "ms",
                row,
                column,
                value,
                station="EXCI",
                kind="path",
                like=(published.where(**{KIND: kind, LABEL: LARGE}), BYTES),
                missing=COPIES if large else UNIT if first else None,
            )


def _requests(study: Study, row: Row) -> float:
    sizes = table("cics-perf", "table-8-14")
    return study.given(f"requests for {row.cells[LABEL]}", sizes.where(**{LABEL: row.cells[LABEL]}), REQUESTS)


CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title} of EXCI calls with up to 2 MB",
        question="What do large payloads cost, by COMMAREA or by channel?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; the two rows that the law is from are printed to two or three digits",
        verdict_text=(
            "A COMMAREA holds 32 KB: larger payloads are so many requests, each at a fixed cost and a cost of a byte. "
            "A channel takes one; a byte in a large container costs less than in a small one, which two small rows cannot show."
        ),
        run=partial(_run, column),
    )
    for number, title, column in (("8-15", "CPU", CPU), ("8-16", "Response", RESPONSE))
)
