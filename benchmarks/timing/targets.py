"""What qnsolve must reach: right numbers, and times and memory within limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.peers import mixed_models
from benchmarks.timing import extremes, sheets, sweeps
from benchmarks.timing.clock import import_time, peak_memory
from benchmarks.timing.table import RATIO_FROM, Row, duration, error, table
from tests.oracles.raw_models import Answer

MOST_ERROR = 1e-9  # of any figure of qnsolve against the reference


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes
    ----------
    model, answer, wanted : str
        What was found, and what has to be.
    right : bool
        A wrong number fails the run.
    measured, limit : str
    within : bool
        A missed limit does not fail the run.
    """

    model: str
    answer: str
    wanted: str
    right: bool
    measured: str
    limit: str
    within: bool

    @property
    def verdict(self) -> str:
        """WRONG, missed or met."""
        return "WRONG" if not self.right else "met" if self.within else "missed"


KNOWN = {  # throughputs, how far off they may be, limit of solve() [s]
    "c_ms16_b": ((3.996098682941637,), 1e-12, 1e-3),
    "c_million_4": ((4.0,), 1e-12, 0.5),
    "c_million_3.9": ((1 / 0.249,), 1e-12, 0.5),
    "g_3x5_ms4": ((2.78817318, 1.80182057, 3.01280831), 2e-8, 0.02),
}
AGAINST_REFERENCE = {"d_3x5_50": (1e-10, 0.05), "d_4x5_20": (1e-10, 0.05)}  # most error, limit [s]
FIRST = "qn.solve(qn.Network([qn.Queue('cpu')], [qn.OpenClass('web', arrival_rate=1.0, demands={'cpu': 0.1})]))"


def collect(rows: list[Row], answers: Mapping[str, Answer], quick: bool) -> list[Target]:
    """All targets, from the rows already measured and from processes of their own."""
    own = {row.model: row for row in rows if row.solver == RATIO_FROM}
    targets = []
    for name, (wanted, tolerance, limit) in KNOWN.items():
        found = answers[name].throughput
        right = all(abs(x - w) <= tolerance for x, w in zip(found, wanted, strict=True))
        shown, known = (", ".join(f"{v:.16g}" for v in values) for values in (found, wanted))
        targets.append(_timed(own[name], f"X = {shown}", f"{known} within {tolerance:.0e}", right, limit))
    for name, (most, limit) in AGAINST_REFERENCE.items():
        off = max(own[name].error_x or 0.0, own[name].error_q or 0.0)
        targets.append(_timed(own[name], f"error {error(off)}", f"{most:.0e} or less", off <= most, limit))
    large, wanted_x = own["e_20x50"], mixed_models.CONVERGED["linearizer"][0]
    found_x = large.throughput or 0.0
    right = abs(found_x / wanted_x - 1) < 1e-6
    targets.append(_timed(large, f"X = {found_x:.8g}", f"{wanted_x} within 1e-6", right, 0.05))
    return [
        *targets,
        *(_rate(rate) for rate in sweeps.measure(quick)),
        _memory(),
        _import(),
        _extremes(quick),
        *map(_sheet, sheets.measure()),
    ]


def _rate(rate: sweeps.Rate) -> Target:
    name = f"{rate.models:,} models, {rate.name}"
    reached, wanted = f"{rate.per_second:,.0f}/s", f"{rate.wanted:,.0f}/s" if rate.wanted else "-"
    answer = f"{error(rate.error)} from solve()"
    return Target(name, answer, "1e-10 or less", rate.error <= 1e-10, reached, wanted, rate.per_second > rate.wanted)


def _sheet(sheet: sheets.Sheet) -> Target:
    name, limit = f"Calc, {sheet.cells} cells", duration(sheet.limit)
    if sheet.missing:
        return Target(name, f"not measured: {sheet.missing}", "-", True, "-", limit, True)
    a_cell, ratio = duration(sheet.seconds / sheet.cells), sheet.seconds / sheet.direct
    answer = f"{a_cell} a cell, {ratio:.1f} times a direct call; {error(sheet.error)} from it"
    within = sheet.seconds < sheet.limit
    return Target(name, answer, "1e-12 or less", sheet.error <= 1e-12, duration(sheet.seconds), limit, within)


def _timed(row: Row, answer: str, wanted: str, right: bool, limit: float) -> Target:
    seconds = row.seconds or 0.0
    return Target(row.model, answer, wanted, right, duration(seconds), duration(limit), seconds < limit)


def _memory() -> Target:
    before, after = peak_memory("c_million_4")
    return Target(
        "c_million_4, peak memory",
        f"{before:.0f} MB before the solve",
        "the whole process",
        True,
        f"{after:.0f} MB",
        "200 MB",
        after < 200,
    )


def _import() -> Target:
    alone, _ = import_time("numpy")
    seconds, _ = import_time("qnsolve")
    solved, heavy = import_time("qnsolve as qn", FIRST)
    loaded = "loads " + ", ".join(heavy) if heavy else "no heavy module"
    return Target(
        "import qnsolve",
        f"with a first solve {duration(solved)}, {duration(alone)} of it numpy; {loaded}",
        "no scipy, sympy, matplotlib, openpyxl",
        True,
        duration(seconds),
        duration(0.15),
        seconds < 0.15 and not heavy,
    )


def _extremes(quick: bool) -> Target:
    cases, bad = extremes.count(quick)
    most = 10 ** (3 if quick else 6)
    answer = f"{len(bad)} bad of {cases}" + (f", first: {bad[0]}" if bad else "")
    return Target(f"D 1e-9 to 1e6, N 1 to {most:,}", answer, "no bad number", not bad, "-", "-", True)


def report(targets: list[Target]) -> str:
    """The table of targets."""
    cells = [(t.model, t.answer, t.wanted, t.measured, t.limit, t.verdict) for t in targets]
    return table(("model", "answer", "target", "measured", "limit", "verdict"), cells, "lllrrl")


def wrong(rows: list[Row], targets: list[Target]) -> list[str]:
    """Every number of qnsolve that is wrong: an error above the bound, or a target not met in value."""
    faults = [f"{t.model}: {t.answer}, target {t.wanted}" for t in targets if not t.right]
    for row in rows:
        if row.solver.startswith("qnsolve"):
            off = [e for e in (row.error_x, row.error_q) if e is not None and not e <= MOST_ERROR]
            faults += [f"{row.model}, {row.solver}: relative error {error(e)}" for e in off]
    return faults
