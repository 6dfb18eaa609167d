"""cics-perf table 9-16: data table requests that stay on open TCBs, and CPU that grows with the engines at work."""

from __future__ import annotations

from math import log

from qnsolve import zos

from ..case import Case, Study
from ..published import Row, fact, table

RATE, CPU, RESPONSE = "etr_tran_per_s", "cics_cpu_pct", "response_ms"
WORK, REGION = "data table requests", "region"
MXT = 2000  # not printed: above the terminals
BUNCHES = "terminals that send in bunches, and the wait for dispatch of open TCBs: no CPU queue is this long"


def _demand(row: Row) -> float:
    """CPU per transaction [s]."""
    return row[CPU] / 100 / row[RATE]


def _run(study: Study) -> None:
    published, other = table("cics-perf", "table-9-16"), table("cics-perf", "table-9-15")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    low = [published[1], published[2]]
    slope = (_demand(low[1]) - _demand(low[0])) / log(low[1][CPU] / low[0][CPU])
    how = "line of CPU per transaction over the logarithm of the engines busy, through rows 1 and 2"
    demand = study.calibrate(
        "CPU per transaction, one engine busy", _demand(low[1]) - slope * log(low[1][CPU] / 100), "s", low, how
    )
    growth = study.calibrate("growth with the engines busy", slope / demand, "ratio", low, how)
    for number in (3, 4, 5):
        row, driven = published[number], other[number]
        think = terminals / driven[RATE] - driven[RESPONSE] / 1000
        how = "terminals / ETR - response of the run on the QR TCB"
        study.calibrate(f"think time, drive level {number}", think, "s", [driven], how, free=False)
        system = zos.System(
            lpars=[zos.Lpar("LPAR", processors=zos.Processors(int(cps), growth=growth))],
            regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=MXT)],
            work=[zos.Work(WORK, users=int(terminals), think_time=think, regions=REGION, open_cpu=demand)],
            name="data tables on open TCBs",
        )
        result = study.solve_system(f"drive level {number}", system)
        done, region = result[WORK], result[REGION]
        study.predict("ETR", "tran/s", row, RATE, done.etr, center="open TCBs", across=True)
        study.predict("CICS CPU", "% of a CP", row, CPU, region.appl_percent, center="open TCBs", across=True)
        response = 1000 * done.response_time
        study.predict("response", "ms", row, RESPONSE, response, center="open TCBs", across=True, missing=BUNCHES)


CASES = (
    Case(
        name="cics-perf-9-16",
        source="cics-perf",
        file="table-9-16",
        title="Data table requests on open TCBs, CICS TS V5.5",
        question="The requests no longer need the QR TCB: how far does one region go, and at what CPU?",
        tolerance=0.10,
        reason=(
            "the law of CPU over engines is carried from 1 engine to 6; a constant CPU per transaction would be 19 to 27 % low"
        ),
        verdict_text=(
            "The rate follows from the think times of the run on the QR TCB: nothing in the region is full. CPU per "
            "transaction grows with the engines at work, fitted on the two lowest rows. Response is three to five times the "
            "model's: what the terminals wait for is no queue for CPU."
        ),
        run=_run,
    ),
)
