"""cics-perf table 9-16: data table requests on open TCBs, whose CPU grows while another engine is at work."""

from __future__ import annotations

from math import expm1

import qnsolve as qn
from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, Table, fact, table

RATE, CPU, RESPONSE = "etr_tran_per_s", "cics_cpu_pct", "response_ms"
WORK, REGION = "data table requests", "region"
MXT = 2000  # not printed: above the terminals
TICK = 0.01  # the driver's delays are whole hundredths of a second
CLOCK = Missing(
    "how many of a tick come to the QR TCB at once: the clock is a fit, and other runs of this driver show one twice as fast",
    "0.2 of 1.9 ms at 3079 a second, where the rates above and below are within 5 %",
    "start of single tasks from monitoring records, at each rate",
)


def _demand(row: Row) -> float:
    """CPU per transaction [s]."""
    return row[CPU] / 100 / row[RATE]


def alone_and_sharing(study: Study) -> tuple[float, float]:
    """CPU of a request while no other engine is at work [s], and its growth while one is [ratio]."""
    published, other = table("cics-perf", "table-9-16"), table("cics-perf", "table-9-15")
    how = "as printed for the lowest rate of the run whose requests take turns on the QR TCB"
    alone = study.calibrate(
        "CPU per transaction alone", other[1]["cpu_ms_per_tran"] / 1000, "s", [other[1]], how, kind="printed"
    )
    second = published[2]
    growth = (_demand(second) / alone - 1) / -expm1(-second[CPU] / 100)
    how = "row 2 of table 9-16: CPU above that alone, over the chance that another engine is at work, 1 - exp(-engines busy)"
    return alone, study.calibrate("increase while another engine is at work", growth, "ratio", [second], how)


def _run(study: Study) -> None:
    published, other = table("cics-perf", "table-9-16"), table("cics-perf", "table-9-15")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    second = published[2]
    alone, sharing = alone_and_sharing(study)
    tick, on_qr = _driver(study, second, terminals)
    on_qr *= alone / _demand(second)  # as of one engine alone
    lpar = zos.Lpar("LPAR", processors=zos.Processors(int(cps), sharing=sharing))
    for number in (1, 2, 3, 4, 5):
        row, driven = published[number], other[number]
        think = qn.measure.fit_think_time([terminals], [driven[RATE]], [driven[RESPONSE] / 1000])
        how = "terminals / ETR - response of the run on the QR TCB"
        study.calibrate(f"think time, drive level {number}", think, "s", [driven], how)
        work = zos.Work(
            WORK, users=int(terminals), think_time=think, tick=tick, regions=REGION, qr_cpu=on_qr, open_cpu=alone - on_qr
        )
        system = zos.System(
            lpars=[lpar],
            regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=MXT)],
            work=[work],
            name="data tables on open TCBs",
        )
        result = study.solve_system(f"drive level {number}", system)
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
            missing=CLOCK if row.number == 3 else None,
        )  # fmt: skip


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
            "tables. One number, from row 2, gives the others; its form is one of eight that were compared with these figures, "
            "and gives the CPU of containers on open TCBs (tables 9-11, 9-12) as well. "
            "Response grows with the rate, as that of transactions that begin together at the ticks of a clock and come to the "
            "QR TCB first: its CPU is from row 2, too. The clock is a fit: other runs of this driver show one twice as fast."
        ),
        run=_run,
    ),
)
