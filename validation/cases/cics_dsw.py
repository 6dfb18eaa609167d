"""cics-perf tables 5-3, 5-4: CPU and LPAR busy of a routed workload on 8 CPs."""

from __future__ import annotations

from functools import partial

import qnsolve as qn

from ..case import Case, Study, straight_line
from ..published import Row, table

RATE, CPU, BUSY, CPS = "etr_tran_per_s", "cics_cpu_pct", "lpar_busy_pct", "lpar_cps"


def _outside(row: Row) -> float:
    """CPU of the LPAR that is not in CICS [% of a CP]."""
    return row[BUSY] * row[CPS] - row[CPU]


def _run(file: str, other: str, study: Study) -> None:
    published, static = table("cics-perf", file), table("cics-perf", other)
    cps = int(study.given("CPs", published[1], CPS))
    low = [published[1], published[2]]
    fixed, slope = straight_line(low, RATE, lambda row: row[CPU])
    how = "line of CICS CPU over ETR through rows 1 and 2"
    fixed = study.calibrate("CICS CPU without load", fixed / 100, "CPs", low, how)
    demand = study.calibrate("CICS demand", slope / 100, "s", low, how)
    base, share = straight_line(static.rows, RATE, _outside)
    how = "line of (busy times CPs, less CICS CPU) over ETR, all rows of the static runs on 16 CPs"
    base = study.calibrate("CPU outside CICS without load", base / 100, "CPs", static.rows, how, free=False)
    share = study.calibrate("demand outside CICS", share / 100, "s", static.rows, how, free=False)
    for row in published.rows:
        model = qn.Network(
            [qn.Queue("CPs", servers=cps)],
            [
                qn.OpenClass("CICS", arrival_rate=row[RATE], demands={"CPs": demand}),
                qn.OpenClass("outside CICS", arrival_rate=row[RATE], demands={"CPs": share}),
                qn.OpenClass("CICS, fixed", arrival_rate=1.0, demands={"CPs": fixed}),
                qn.OpenClass("outside, fixed", arrival_rate=1.0, demands={"CPs": base}),
            ],
            name=f"LPAR at {row.printed(RATE)} tran/s",
        )
        solution = study.solve(f"row {row.number}", model)
        if row.number > 2:
            cics = solution["CICS", "CPs"].utilization + solution["CICS, fixed", "CPs"].utilization
            study.predict("CICS CPU", "% of a CP", row, CPU, 100 * cps * cics, center="CPs")
        study.predict("LPAR busy", "%", row, BUSY, 100 * solution["CPs"].utilization, center="CPs", across=True)


CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"DSW with dynamic routing on 8 CPs, CICS TS {release}",
        question="How busy are CICS and the LPAR at three times the load?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "A constant demand alone over-predicts by up to 6 %: part of the CPU does not grow with the load. With that "
            "part from the two lowest rows, CICS CPU follows; with the CPU outside CICS from the 16-CP runs, so does LPAR busy."
        ),
        run=partial(_run, f"table-{number}", f"table-{other}"),
    )
    for number, other, release in (("5-3", "5-1", "V4.2"), ("5-4", "5-2", "V5.1"))
)
