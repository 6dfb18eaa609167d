"""cics-perf table 9-16: data table requests on open TCBs, whose CPU grows with the number of busy engines."""

from __future__ import annotations

from math import expm1

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, fact, table

RATE, CPU, RESPONSE = "etr_tran_per_s", "cics_cpu_pct", "response_ms"
WORK, REGION = "data table requests", "region"
MXT = 2000  # not printed: above the terminals
ROUNDS, SETTLED = 100, 1e-10  # iterations on the number of busy engines, and their tolerance
BUNCHES = Missing(
    "bursts of arrivals, and the wait of open TCBs for dispatch: the queue for CPU is shorter",
    "0.3 ms at 800 and 3.9 ms at 7900 a second, 0.4 to 0.5 ms for each 1000 transactions a second",
    "dispatch delay and CF request times of the tasks from monitoring records, or the times at which the terminals send",
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
    more = (_demand(second) / alone - 1) / _another_busy(second[CPU] / 100)
    how = "row 2: CPU above that, over the probability that another engine is busy, 1 - exp(-engines busy)"
    more = study.calibrate("increase while another engine is busy", more, "ratio", [second], how)
    for number in (1, 2, 3, 4, 5):
        row, driven = published[number], other[number]
        think = terminals / driven[RATE] - driven[RESPONSE] / 1000
        how = "terminals / ETR - response of the run on the QR TCB"
        study.calibrate(f"think time, drive level {number}", think, "s", [driven], how)
        work = zos.Work(WORK, users=int(terminals), think_time=think, regions=REGION, open_cpu=alone)
        result = study.solve_system(f"drive level {number}", _converged(int(cps), work, more))
        done, region = result[WORK], result[REGION]
        if row is not second:  # the calibration row
            study.predict("ETR", "tran/s", row, RATE, done.etr, station="open TCBs", across=True)
            study.predict("CICS CPU", "% of a CP", row, CPU, region.appl_percent, station="open TCBs", across=True)
        response = 1000 * done.response_time
        study.predict("response", "ms", row, RESPONSE, response, station="open TCBs", across=True, missing=BUNCHES)


def _converged(cps: int, work: zos.Work, more: float) -> zos.System:
    """The region on engines whose speed falls with the number of busy ones, by fixed-point iteration."""
    busy = 0.0
    for _ in range(ROUNDS):
        system = zos.System(
            lpars=[zos.Lpar("LPAR", processors=zos.Processors(cps, speed=1 / (1 + more * _another_busy(busy))))],
            regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=MXT)],
            work=[work],
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
            "Response is two to five times the model's: it is not a queue for CPU."
        ),
        run=_run,
    ),
)
