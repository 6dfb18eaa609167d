"""cics-perf tables 5-1 to 5-4 and 5-6: CPU and LPAR busy of three workloads at two to three times the load."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from qnsolve import zos

from ..case import Case, Study, straight_line
from ..published import Row, table

RATE, CPU, BUSY, CPS = "etr_tran_per_s", "cics_cpu_pct", "lpar_busy_pct", "lpar_cps"
WORK, LPAR = "transactions", "LPAR"
RTW_CPS = 3.0  # of tables 5-5 and 5-6: not printed


def _outside(row: Row) -> float:
    """CPU of the LPAR that is not in CICS [% of a CP]."""
    return row[BUSY] * float(row.cells[CPS] or RTW_CPS) - row[CPU]


def _line(study: Study, rows: Sequence[Row], what: str, y: str, *, free: bool = True) -> tuple[float, float]:
    """CPU without load [engines] and CPU per transaction [s] by the line through rows."""
    fixed, slope = straight_line(rows, RATE, lambda row: row[CPU] if y == CPU else _outside(row))
    how = f"line of {what} over ETR, rows {rows[0].number} to {rows[-1].number}"
    return (
        study.calibrate(f"{what} without load", fixed / 100, "engines", rows, how, free=free),
        study.calibrate(f"{what} per transaction", slope / 100, "s", rows, how, free=free),
    )


def _system(row: Row, cps: float, regions: list[str], cics: tuple[float, float], outside: tuple[float, float]) -> zos.System:
    each = max(cics[0], 0.0) / len(regions)
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps), fixed_cpu=outside[0])],
        regions=[zos.CicsRegion(name, lpar=LPAR, fixed_cpu=each) for name in regions],
        work=[zos.Work(WORK, rate=row[RATE], regions=regions, open_cpu=cics[1], system_cpu=outside[1])],
        name=f"{row.printed(RATE)} tran/s",
    )


def _run(file: str, cics_of: str | None, outside_of: str | None, regions: int, study: Study) -> None:
    published = table("cics-perf", file)
    low = [published[1], published[2]]
    cics = _line(study, table("cics-perf", cics_of).rows if cics_of else low, "CICS CPU", CPU, free=not cics_of)
    cps = study.given("CPs", published[1], CPS) if published[1].cells[CPS] else RTW_CPS
    rows = table("cics-perf", outside_of).rows if outside_of else low
    outside = _line(study, rows, "CPU outside CICS", BUSY, free=not outside_of)
    names = [f"AOR{i}" for i in range(1, regions + 1)]
    for row in published.rows:
        result = study.solve_system(f"row {row.number}", _system(row, cps, names, cics, outside))
        if cics_of or row.number > 2:
            used = sum(region.appl_percent for region in result.regions)
            study.predict("CICS CPU", "% of a CP", row, CPU, used, center="CPs", across=bool(cics_of))
        if outside_of or row.number > 2:
            busy = result[LPAR].cpu_percent
            study.predict("LPAR busy", "%", row, BUSY, busy, center="CPs", across=bool(outside_of))


STATIC = (
    "A line through the two lowest rows, 17 % apart in rate, is carried to 2.4 times the rate: what does not grow with "
    "the load is known that well and no better."
)
RELEASE = (
    "The line of V4.2 gives V5.1: a new release costs the same. Its own two lowest rows, 18 % apart in rate, would not do: "
    "the line through them is 8 % low at the highest load."
)
DYNAMIC = (
    "A constant demand alone over-predicts by up to 6 %: part of the CPU does not grow with the load. With that "
    "part from the two lowest rows, CICS CPU follows; with the CPU outside CICS from the 16-CP runs, so does LPAR busy."
)
AGAIN = (
    "The lines of V4.2, of CICS CPU and of the CPU beside it, give V5.1: a new release costs the same. Nothing is fitted. "
    "How many CPs the LPAR has is not printed: 3 are assumed in both runs, and no figure here depends on it."
)
RTW = "RTW, threadsafe, z196"
STATICS, DYNAMICS = "DSW with static routing on 16 CPs", "DSW with dynamic routing on 8 CPs"
# table, those that CICS CPU and the CPU outside CICS are from if not its own two lowest rows, AORs, title, release, text
LADDERS: tuple[tuple[str, str | None, str | None, int, str, str, str], ...] = (
    ("5-1", None, None, 2, STATICS, "V4.2", STATIC),
    ("5-2", "table-5-1", "table-5-1", 2, STATICS, "V5.1", RELEASE),
    ("5-3", None, "table-5-1", 30, DYNAMICS, "V4.2", DYNAMIC),
    ("5-4", None, "table-5-2", 30, DYNAMICS, "V5.1", DYNAMIC),
    ("5-6", "table-5-5", "table-5-5", 4, RTW, "V5.1", AGAIN),
)
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title}, CICS TS {release}",
        question="How busy are CICS and the LPAR at two to three times the load?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=text,
        run=partial(_run, f"table-{number}", cics_of, outside_of, regions),
    )
    for number, cics_of, outside_of, regions, title, release, text in LADDERS
)
