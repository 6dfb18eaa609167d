"""ims12 tables 22, 23, 26, 30, 31: a front end and a back end over RRS, XCF, or MSC links."""

from __future__ import annotations

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.ims_lpars import cpu_of, one_lpar, two_lpars
from ...published.published_tables import Row, fact, table

RATE, FE, BE, FE_ENGINES, BE_ENGINES = "etr_tran_per_s", "fe_cpu_busy_pct", "be_cpu_busy_pct", "fe_gp_engines", "be_gp_engines"
OCCUPIED = "ifp_region_occupancy_pct"
HOW = "busy times engines / ETR"
Pair = tuple[float, float]


def _engines(row: Row) -> Pair:
    return row[FE_ENGINES], row[BE_ENGINES]


def _demands(study: Study, name: str, row: Row) -> Pair:
    """CPU of a transaction at the front end and at the back end [s]."""
    return (
        study.calibrate(f"FE CPU, {name}", cpu_of(row, FE, FE_ENGINES), "s", [row], HOW),
        study.calibrate(f"BE CPU, {name}", cpu_of(row, BE, BE_ENGINES), "s", [row], HOW),
    )


def _same_front_end(row: Row, cpu: Pair) -> float:
    """Rate at which the CPU of the coupling before makes the FE as busy as printed."""
    return row[FE] / 100 * row[FE_ENGINES] / cpu[0]


def _back_end_busy(study: Study, base: Row, row: Row, cpu: Pair) -> None:
    """BE busy when the FE is as busy as printed: the coupling saves the same share of both."""
    rate = _same_front_end(row, cpu)
    result = study.solve_system("FE as busy as printed", two_lpars(_engines(row), cpu, rate=rate))
    busy = result["BE"].cpu_percent
    study.predict("BE busy at the printed FE busy", "%", row, BE, busy, station="CPs", kind="ladder", like=(base, RATE))


def _at_fixed_clients(study: Study, clients: float, base: Row, row: Row, cpu: Pair, missing: Missing) -> None:
    """ETR with the clients and the think time of another row."""
    response = study.solve_system("measured rate", two_lpars(_engines(base), cpu, rate=base[RATE]))[
        "transactions"
    ].response_time
    how = "clients / ETR - response at the CPs"
    think = study.calibrate("time of a client elsewhere", clients / base[RATE] - response, "s", [base], how)
    system = two_lpars(_engines(row), cpu, users=int(clients), think_time=think)
    rate = study.solve_system("same clients", system)["transactions"].etr
    study.predict(
        "ETR of the same clients",
        "tran/s",
        row,
        RATE,
        rate,
        station="links and RRS",
        kind="ladder",
        like=(base, None),
        missing=missing,
    )


def _full(study: Study, station: str, servers: int, clients: float, base: Row, row: Row, cpu: Pair) -> None:
    """The missing station as a device that is full at the lower rate: its time, and the rate that follows."""
    how = f"{servers} / ETR: full, the largest that it can be"
    time = study.calibrate(f"time of a transaction at {station}", servers / base[RATE], "s", [base], how, kind="identity")
    how = "clients / ETR of the faster run, where it is not full"
    think = study.calibrate("time of a client elsewhere, faster run", clients / row[RATE], "s", [row], how, kind="identity")
    device = zos.Device(station, servers=servers)
    waits: tuple[dict[str, float], dict[str, float]] = ({station: time}, {})
    system = two_lpars(_engines(base), cpu, users=int(clients), think_time=think, devices=(device,), waits=waits)
    rate = study.solve_system(f"full {station}", system)["transactions"].etr
    study.identity(f"ETR with full {station}", "tran/s", base, RATE, rate, station="links and RRS")


def _msc(study: Study) -> None:
    base, row = table("ims12", "table-31")[1], table("ims12", "table-30")[1]
    clients, links = study.given("clients", row, "clients"), int(study.given("MSC links", row, "msc_links"))
    cpu = _demands(study, "VTAM", base)
    _back_end_busy(study, base, row, cpu)
    missing = Missing(
        "the MSC links, which are in no CPU figure",
        "0.104 s of a client's 0.860 s at VTAM; 32 full links take at most 3.44 ms each a transaction, 3.02 ms over TCP/IP",
        "busy share of the links; it was in figures that are lost",
    )
    _at_fixed_clients(study, clients, base, row, cpu, missing)
    _full(study, "VTAM links", links, clients, base, row, cpu)


def _appc(study: Study) -> None:
    published, occupied = table("ims12", "table-26"), table("ims12", "text-appc-ifp-occupancy")
    base, row = published.where(coupling="RRS"), published.where(coupling="XCF")
    before, after = occupied.where(coupling="RRS"), occupied.where(coupling="XCF")
    clients, regions = (
        study.given("clients", fact("ims12", "ims12-f120")),
        int(study.given("IFP regions", after, "ifp_regions")),
    )
    cpu = _demands(study, "RRS", base)
    _back_end_busy(study, base, row, cpu)
    engines = base[BE_ENGINES]
    plain = study.solve_system("BE over RRS, CPU only", one_lpar(engines, cpu=cpu[1], rate=base[RATE]))["transactions"]
    held = regions * before[OCCUPIED] / 100 / base[RATE]
    how = "busy regions / ETR, less the time at the CPs"
    wait = study.calibrate("wait in a region", held - plain.response_time, "s", [before, base], how)
    device = zos.Device("waits of a region")
    parts = {"devices": [device]}
    rate = _same_front_end(row, cpu)
    system = one_lpar(engines, regions=regions, parts=parts, cpu=cpu[1], devices={device.name: wait}, rate=rate)
    result = study.solve_system("BE, FE as busy as printed, waits of RRS", system)
    missing = Missing(
        "waits of a region that XCF does not shorten: it saves 56 % of the CPU, and 42 % of the time in a region",
        "0.4 ms of the 1.7 ms that a transaction holds a region; with all waits of RRS it would be 1.3 ms too long",
        "service times of the RRS log streams, and waits of a region by cause",
    )
    busy = 100 * result["regions"].tasks / regions
    study.predict(
        "IFP regions busy at the printed FE busy",
        "%",
        after,
        OCCUPIED,
        busy,
        station="links and RRS",
        kind="contention",
        naive=before[OCCUPIED] * row[RATE] / base[RATE],
        missing=missing,
    )
    missing = Missing(
        "a wait before the region",
        "0.707 s of a client's 3.287 s; one full server there would take 0.657 ms a transaction: two log writes, for example",
        "think times of both runs, which are not printed",
    )
    _at_fixed_clients(study, clients, base, row, cpu, missing)
    _full(study, "RRS", 1, clients, base, row, cpu)


def _saved(study: Study, rrs: Row, xcf: Row) -> Pair:
    """CPU of a transaction that XCF saves at the front end and at the back end [s]."""
    how = "busy times engines / ETR over RRS, less that over XCF"
    fe, be = (cpu_of(rrs, *end) - cpu_of(xcf, *end) for end in ((FE, FE_ENGINES), (BE, BE_ENGINES)))
    return (
        study.calibrate("FE CPU that XCF saves with NONE", fe, "s", [rrs, xcf], how),
        study.calibrate("BE CPU that XCF saves with NONE", be, "s", [rrs, xcf], how),
    )


def _otma(study: Study) -> None:
    none, confirm = table("ims12", "table-22"), table("ims12", "table-23")
    row = confirm.where(coupling="XCF")
    own = _demands(study, "CONFIRM over RRS", confirm.where(coupling="RRS"))
    saved = _saved(study, none.where(coupling="RRS"), none.where(coupling="XCF"))
    cpu = (own[0] - saved[0], own[1] - saved[1])
    result = study.solve_system("CONFIRM over XCF", two_lpars(_engines(row), cpu, rate=row[RATE]))
    for lpar, column, more in (("FE", FE, "0.04"), ("BE", BE, "0.09")):
        missing = Missing(
            "the commit of RRS, which costs more with CONFIRM than with NONE",
            f"{more} ms of {lpar} CPU a transaction",
            "CPU of the RRS address space with both sync levels",
        )
        busy = result[lpar].cpu_percent
        like = confirm.where(coupling="RRS"), RATE
        name = f"{lpar} busy"
        study.predict(name, "%", row, column, busy, station="CPs", kind="path", like=like, across=True, missing=missing)


CASES = (
    Case(
        name="ims12-23",
        source="ims12",
        file="table-23",
        title="OTMA synchronous shared queues, sync level CONFIRM: XCF from RRS",
        question="What CPU does XCF in place of RRS save with CONFIRM, if the saving with NONE is known?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; the saving is taken in ms from another sync level",
        verdict_text=(
            "The CPU that XCF saves with NONE (0.57 ms FE, 0.61 ms BE) is a lower bound of what it saves with CONFIRM: "
            "busy is over-predicted by 7 to 10 %, on the safe side. Rates cannot be predicted: no clients, no think times."
        ),
        run=_otma,
    ),
    Case(
        name="ims12-26",
        source="ims12",
        file="table-26",
        title="APPC synchronous shared queues: XCF from RRS",
        question="What do XCF in place of RRS, and the same clients, bring?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "XCF saves the same share of CPU at both ends: BE busy follows from FE busy. The time in a region falls by less, "
            "and the rate is missed: a wait for RRS before the region determines it, and no CPU figure shows that."
        ),
        run=_appc,
    ),
    Case(
        name="ims12-30",
        source="ims12",
        file="table-30",
        title="MSC over TCP/IP links, from the run over VTAM links",
        question="What do TCP/IP links bring for the same clients?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "BE busy follows from FE busy. The rate is missed by 12 %: the 32 VTAM links limited it, which a model of CPU "
            "does not have. Full links of 3.44 ms a transaction give the VTAM rate, an identity."
        ),
        run=_msc,
    ),
)
