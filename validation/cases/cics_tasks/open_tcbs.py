"""cics-perf table 9-16: data table requests on open TCBs, whose CPU grows with the number of busy engines."""

from __future__ import annotations

from math import expm1
from typing import Any

import qnsolve as qn
from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, Table, fact, table

RATE, CPU, RESPONSE = "etr_tran_per_s", "cics_cpu_pct", "response_ms"
WORK, REGION = "data table requests", "region"
MXT = 2000  # not printed: above the terminals
ROUNDS, SETTLED = 100, 1e-8  # iterations on the number of busy engines, and their tolerance
TICK = 0.01  # the driver's delays are whole hundredths of a second
GROWS = Missing(
    "requests of one tick that queue for the two engines of the coupling facility: their TCBs spin longer the more of them run",
    "0.4 of 4.6 ms at 7900 a second; simulated with 2.8 µs a request, and 0.05 ms on the QR TCB, CPU "
    "is 5 to 10 % low and response 5 to 16 %, with nothing said of growth",
    "synchronous service time of the CF structures (RMF) at each rate",
)


def _demand(row: Row) -> float:
    """CPU per transaction [s]."""
    return row[CPU] / 100 / row[RATE]


def _another_busy(busy: float) -> float:
    """Probability that another engine is busy, with Poisson starts [0..1]."""
    return -expm1(-busy)


def _run(study: Study) -> None:
    published, other = table("cics-perf", "table-9-16"), table("cics-perf", "table-9-15")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    how = "as printed for the lowest rate of the run whose requests take turns on the QR TCB"
    alone = study.calibrate(
        "CPU per transaction alone", other[1]["cpu_ms_per_tran"] / 1000, "s", [other[1]], how, kind="printed"
    )
    second = published[2]
    tick, on_qr = _driver(study, second, terminals)
    more = ((_demand(second) - on_qr) / (alone - on_qr) - 1) / _another_busy(second[CPU] / 100)
    how = "row 2: CPU off the QR TCB above that, over the probability that another engine is busy, 1 - exp(-engines busy)"
    more = study.calibrate("increase while another engine is busy", more, "ratio", [second], how)
    for number in (1, 2, 3, 4, 5):
        row, driven = published[number], other[number]
        think = qn.measure.fit_think_time([terminals], [driven[RATE]], [driven[RESPONSE] / 1000])
        how = "terminals / ETR - response of the run on the QR TCB"
        study.calibrate(f"think time, drive level {number}", think, "s", [driven], how)
        driver = {"users": int(terminals), "think_time": think, "tick": tick}
        result = study.solve_system(f"drive level {number}", _converged(int(cps), driver, on_qr, alone - on_qr, more))
        _compare(study, row, result, published, other)


def _driver(study: Study, row: Row, terminals: float) -> tuple[float, float]:
    """The tick of the driver [s] and the CPU of a transaction on the QR TCB [s], where all of a tick come one by one."""
    how = (
        "a hundredth of a second, the unit of the driver's delays; at the 5.0 ms of tables 9-9, 9-10 and 9-15 the QR TCB would "
    )
    tick = study.calibrate("tick of the driver", TICK, "s", [row], how + "be full at 6400 a second")
    mates = row[RATE] * tick * (1 - 1 / terminals)
    how = "row 2: response less CPU, over half of the others of a tick"
    return tick, study.calibrate("CPU on the QR TCB", 2 * (row[RESPONSE] / 1000 - _demand(row)) / mates, "s", [row], how)


def _compare(study: Study, row: Row, result: zos.SystemResult, published: Table, other: Table) -> None:
    done, region, low = result[WORK], result[REGION], published[1]
    if row.number > 2:  # below, the rate is that of the other run
        study.predict(
            "ETR",
            "tran/s",
            row,
            RATE,
            done.etr,
            station="terminals",
            across=True,
            kind="contention",
            like=(other[row.number], None),
        )
    else:
        study.identity("ETR", "tran/s", row, RATE, done.etr, station="terminals")
    if row.number != 2:  # it gives the increase of CPU
        naive = other[1]["cpu_ms_per_tran"] / 10 * row[RATE]
        study.predict(
            "CICS CPU", "% of a CP", row, CPU, region.appl_percent, station="open TCBs", across=True, kind="path", naive=naive
        )
    if row.number != 2:  # it gives the CPU on the QR TCB
        study.predict(
            "response", "ms", row, RESPONSE, 1000 * done.response_time, station="open TCBs", across=True, kind="contention",
            like=(low, None) if row is not low else None, naive=1000 * _demand(low),
            missing=GROWS if row.number == 5 else None,
        )  # fmt: skip


def _converged(cps: int, driver: dict[str, Any], on_qr: float, beside: float, more: float) -> zos.System:
    """The region, whose tasks take longer off the QR TCB the more engines are busy, by fixed-point iteration."""
    busy = 0.0
    for _ in range(ROUNDS):
        grown = beside * (1 + more * _another_busy(busy))
        system = zos.System(
            lpars=[zos.Lpar("LPAR", processors=zos.Processors(cps))],
            regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=MXT)],
            work=[zos.Work(WORK, regions=REGION, qr_cpu=on_qr, open_cpu=grown, **driver)],
            name="data tables on open TCBs",
        )
        before, busy = busy, system.solve()[REGION].appl_percent / 100
        if abs(busy - before) < SETTLED:
            return system
    raise ValueError(f"the number of busy engines did not converge: {before} and {busy}")


CASES = (
    Case(
        name="cics-perf-9-16",
        source="cics-perf",
        file="table-9-16",
        title="Data table requests on open TCBs, CICS TS V5.5",
        question="The requests no longer need the QR TCB: which rate does one region reach, and at what CPU?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; a constant CPU per transaction would be 12 to 27 % low",
        verdict_text=(
            "The rate follows from the think times of the run on the QR TCB: no station of the region is full. With one "
            "engine busy a transaction costs as much as on the QR TCB; it costs more while another engine uses the same "
            "tables. One number, from row 2, gives the others; its form is one of eight that were compared with these figures. "
            "Response grows with the rate, as that of transactions that begin together at the ticks of a clock and come to the "
            "QR TCB first: its CPU is from row 2, too. The clock is a fit: other runs of this driver show one twice as fast."
        ),
        run=_run,
    ),
)
