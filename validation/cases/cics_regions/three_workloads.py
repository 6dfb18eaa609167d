"""cics-perf tables 5-1 to 5-6: CPU and LPAR busy of three workloads at two to three times the load."""

from __future__ import annotations

from functools import partial

from qnsolve import zos

from ...case import Case, Study, straight_line
from ...models.load_ladder import Ladder, Law, at_rate, cpu_law, predicted_rows, run_law
from ...published.published_tables import Row, table

RATE, CPU, BUSY, CPS = "etr_tran_per_s", "cics_cpu_pct", "lpar_busy_pct", "lpar_cps"
WORK, LPAR = "transactions", "LPAR"
RTW_CPS = 3.0  # of tables 5-5 and 5-6: not printed
OUTSIDE = "CPU outside CICS"
STATIC, DYNAMIC = Ladder("table-5-1", "line", regions=2), Ladder("table-5-3", "line", regions=30)
STATIC_NEXT = Ladder("table-5-2", regions=2).after("5-1")
DYNAMIC_NEXT = Ladder("table-5-4", regions=30).after("5-3")
RTW, RTW_NEXT = Ladder("table-5-5"), Ladder("table-5-6").after("5-5")


def _outside(row: Row) -> float:
    """CPU of the LPAR that is not in CICS [engines]."""
    return (row[BUSY] * float(row.cells[CPS] or RTW_CPS) - row[CPU]) / 100


def _outside_law(study: Study, ladder: Ladder) -> Law:
    """CPU outside CICS without load [engines] and of a transaction [s], by the law of the ladder's CICS CPU."""
    if ladder.first:
        return run_law(study, table("cics-perf", ladder.first), OUTSIDE, BUSY, RATE, _outside)
    rows = table("cics-perf", ladder.file).rows[: 1 if ladder.law == "constant" else 2]
    first = rows[0]
    if len(rows) == 1:
        value = _outside(first) / first[RATE]
        return 0.0, study.calibrate(f"{OUTSIDE} of a transaction", value, "s", rows, f"{OUTSIDE} over the rate, row 1")
    fixed, slope = straight_line(rows, RATE, _outside)
    how = f"line of {OUTSIDE} over the rate, rows 1 and 2"
    return (
        study.calibrate(f"{OUTSIDE} without load", fixed, "engines", rows, how),
        study.calibrate(f"{OUTSIDE} of a transaction", slope, "s", rows, how),
    )


def _system(row: Row, cps: float, regions: list[str], cics: Law, outside: Law) -> zos.System:
    cics, outside = at_rate(cics, row[RATE]), at_rate(outside, row[RATE])
    each = cics[0] / len(regions)
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps), fixed_cpu=outside[0])],
        regions=[zos.CicsRegion(name, lpar=LPAR, fixed_cpu=each) for name in regions],
        work=[zos.Work(WORK, rate=row[RATE], regions=regions, open_cpu=cics[1], system_cpu=outside[1])],
        name=f"{row.printed(RATE)} tran/s",
    )


def _naive_busy(ladder: Ladder, beside: Ladder, row: Row, cps: float) -> float:
    """LPAR busy in proportion to the rate; in row 1 that of CICS, by the ratio of the run that the rest is from."""
    base, _ = ladder.like(row, BUSY)
    if base is not row:
        return base[BUSY] * row[RATE] / base[RATE]
    other = table("cics-perf", beside.first)[1]
    return row[CPU] / cps * other[BUSY] * float(other.cells[CPS] or RTW_CPS) / other[CPU]


def _run(ladder: Ladder, beside: Ladder, study: Study) -> None:
    published = table("cics-perf", ladder.file)
    cics = cpu_law(study, ladder, "CICS CPU", CPU)
    cps = study.given("CPs", published[1], CPS) if published[1].cells[CPS] else RTW_CPS
    outside = _outside_law(study, beside)
    names = [f"AOR{i}" for i in range(1, ladder.regions + 1)]
    calibrating = {row.number for row in published.rows} - {row.number for row in predicted_rows(ladder)}
    for row in published.rows:
        result = study.solve_system(f"row {row.number}", _system(row, cps, names, cics, outside))
        if row.number not in calibrating:
            used = sum(region.appl_percent for region in result.regions)
            study.predict(
                "CICS CPU", "% of a CP", row, CPU, used, station="CPs", kind=ladder.kind, like=ladder.like(row, CPU),
                across=bool(ladder.first),
            )  # fmt: skip
        if row.number not in calibrating or beside is not ladder:
            busy = result[LPAR].cpu_percent
            study.predict(
                "LPAR busy", "%", row, BUSY, busy, station="CPs", kind=ladder.kind, naive=_naive_busy(ladder, beside, row, cps),
                across=beside is not ladder,
            )  # fmt: skip


FIRST = (
    "A line through the two lowest rows, 17 % apart in rate, is extrapolated to 2.4 times the rate. The errors show how well "
    "two rows so close give the CPU that does not grow with the load."
)
RELEASE = (
    "The line of V4.2 gives V5.1: a new release costs the same. Its own two lowest rows, 18 % apart in rate, would not do: "
    "the line through them is 8 % low at the highest load."
)
BOTH = (
    "A constant demand alone over-predicts by up to 6 %: part of the CPU does not grow with the load. With that "
    "part from the two lowest rows, CICS CPU follows; with the CPU outside CICS from the first 16-CP run, so does LPAR busy."
)
BOTH_AGAIN = (
    "The lines of V4.2, in CICS and beside it, give the CPU and the LPAR busy of V5.1: a new release costs the same. Nothing "
    "is fitted."
)
AGAIN = (
    "The CPU of a transaction of V4.2, in CICS and beside it, gives V5.1: a new release costs the same. Nothing is fitted. "
    "How many CPs the LPAR has is not printed: 3 are assumed in both runs, and no figure here depends on it."
)
RTW_TEXT = (
    "Constant CPU of a transaction, from the lowest row alone, in CICS and beside it, gives both at 2.9 times the load. How "
    "many CPs the LPAR has is not printed: 3 are assumed, and no figure here depends on it."
)
RTW_TITLE = "RTW, threadsafe, z196"
STATICS, DYNAMICS = "DSW with static routing on 16 CPs", "DSW with dynamic routing on 8 CPs"
# the law of CICS CPU, that of the CPU outside CICS, title, release, text
LADDERS: tuple[tuple[Ladder, Ladder, str, str, str], ...] = (
    (STATIC, STATIC, STATICS, "V4.2", FIRST),
    (STATIC_NEXT, STATIC_NEXT, STATICS, "V5.1", RELEASE),
    (DYNAMIC, STATIC_NEXT, DYNAMICS, "V4.2", BOTH),
    (DYNAMIC_NEXT, DYNAMIC_NEXT, DYNAMICS, "V5.1", BOTH_AGAIN),
    (RTW, RTW, RTW_TITLE, "V4.2", RTW_TEXT),
    (RTW_NEXT, RTW_NEXT, RTW_TITLE, "V5.1", AGAIN),
)
CASES = tuple(
    Case(
        name=ladder.file.replace("table", "cics-perf"),
        source="cics-perf",
        file=ladder.file,
        title=f"{title}, CICS TS {release}",
        question="How busy are CICS and the LPAR at two to three times the load?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=text,
        run=partial(_run, ladder, beside),
    )
    for ladder, beside, title, release, text in LADDERS
)
