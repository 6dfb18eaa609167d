"""A solved system beside a simulation of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite, isnan, log, log1p, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from qnsolve.analysis.verify import MOST, RARE, WIDE, known_within
from qnsolve.errors import ModelError, QnsolveError
from qnsolve.model import checks
from qnsolve.numerics.series import Array
from qnsolve.results.answer import Report
from qnsolve.results.columns import column
from qnsolve.results.digits import percent
from qnsolve.results.rendering import Table
from qnsolve.simulation.precision import LEVEL, Estimate, Progress
from qnsolve.zos.compile.compiled import Compiled, Converted, Pool, compiled
from qnsolve.zos.report.system_result import SystemResult
from qnsolve.zos.solve_system import System, only_system, solve

if TYPE_CHECKING:
    from .simulated_system import SimulatedSystem

PILOT = 20_000  # transactions that show how many engines are at work where there is no solution
FIGURES = {"ETR": "etr", "response time": "response_time", "CPU % busy": "cpu_percent", "waiting": "waiting"}
ENDED = {
    "precise": "every response time of the simulation is known within {:.2g} %",
    "most transactions": "the simulation ended with the most transactions that it was allowed: its widest interval is {}",
    "stuck": "the simulation is stuck: every task waits for a place that another one holds",
    "too many": "the simulation ended with more transactions inside than it can hold",
}


@dataclass(frozen=True)
class SystemVerification(Report):
    """The figures of a system, solved and simulated.

    Attributes
    ----------
    heading, notes
        As for every report.
    result : SystemResult or None
        None where the system was not solved.
    figures : tuple of dict
        As `rows` gives them.
    error : QnsolveError or None
        Why it was not solved.
    stopped : {"precise", "most transactions", "stuck", "too many"}
        Why the simulation ended.
    transactions, seed : int
    said : tuple of str
        How the simulation ended, and work that it cannot keep up with.
    """

    chooses_units = True

    result: SystemResult | None
    figures: tuple[dict[str, Any], ...]
    error: QnsolveError | None
    stopped: str
    transactions: int
    seed: int
    said: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the system was solved and no figure differs."""
        return all(row["verdict"] not in ("differs", "not solved") for row in self.figures)

    def rows(self) -> list[dict[str, Any]]:
        """One row a figure: name, figure, verdict, solved, simulated, half width of its interval, difference in percent."""
        return [dict(row) for row in self.figures]

    def tables(self) -> list[Table]:
        """A row a figure, its times in the unit that suits them."""
        shown: list[list[str]] = []
        for row in self.figures:
            key = FIGURES.get(row["figure"], "")
            some = column(key, [row["solved"], row["simulated"], row["half_width"]], "s", chosen=True)
            unit = f" [{some.unit}]" if some.unit else ""
            off = percent(row["difference_percent"])
            shown.append([row["name"], row["figure"].removesuffix(" % busy") + unit, row["verdict"], *some.cells, off])
        if not shown:
            return []
        head = ["name", "figure", "verdict", "solved", "simulated", "half width", "difference %"]
        marks = {(i, 2): "full" for i, row in enumerate(shown) if row[2] == "differs"}
        return [Table([head], shown, 3, "", marks)]

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words."""
        if self.error is not None:
            return (f"not solved: {self.error}", *self.said)
        if self.stopped == "stuck":
            return ("no figure agrees", *self.said)
        count = {v: sum(row["verdict"] == v for row in self.figures) for v in ("agrees", "as stated", "differs", "too short")}
        found = f"{count['agrees']} of {len(self.figures)} figures agree"
        if count["as stated"]:
            found += f", {count['as stated']} are off by no more than the answer states"
        if count["differs"]:
            differ = [row for row in self.figures if row["verdict"] == "differs"]
            worst = max(differ, key=lambda row: abs(row["difference_percent"]) if row["simulated"] else inf)
            found += f", {len(differ)} differ: most the {worst['figure']} of {worst['name']}, "
            found += (
                f"{worst['difference_percent']:+.2g} %" if worst["simulated"] else f"{worst['solved']:.2g} where none was seen"
            )
        if count["too short"]:
            found += f"; for {count['too short']} the simulation is too short, allow more transactions"
        return (found, *self.said)

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line; undefined numbers are None."""
        own = {"agrees": self.agrees, "stopped": self.stopped, "transactions": self.transactions, "seed": self.seed}
        return {**super().as_dict(), **own}


def verify(
    system: System, *, precision: float = 0.01, jobs: int = MOST, seed: int = 1, progress: Progress | None = None
) -> SystemVerification:
    """Simulate a system and hold its solution beside it.

    Parameters
    ----------
    system : System
    precision : float, default 0.01
        The simulation goes on until every response time, and the rate of every work of users, has a half
        width of 95 % below this share of itself [ratio].
    jobs : int, default 2,000,000
        The most transactions that are simulated, a quarter of them before the first is counted [count].
    seed : int, default 1
        Of the random numbers.
    progress : callable, optional
        Is given transactions so far, the most, and the widest interval so far [ratio].

    Returns
    -------
    SystemVerification

    Notes
    -----
    CPU, service and think times are drawn exponentially. Units of work of one importance share the CPs; a TCB that waits
    for a synchronous request has a CP to itself until it ends; eligible work that finds all zIIP threads taken
    runs on CPs; the requests of a task to one structure are one that is as long. Users in bursts end their
    thinking together.

    A figure "differs" where the solution lies outside the interval that holds all figures together with 95 %, widened
    by the precision, and by more where the simulation is too short to know it well. Where the answer states an error
    for it, and it is off by less, it is "as stated". Inside the interval it "agrees", unless the half width is more than
    10 % of it: then the simulation is "too short". A system that is not solved is simulated all the same, its requests
    to coupling facilities as synchronous ones.
    """
    system = only_system(system)
    precision = known_within(precision)
    most = checks.whole("verify: jobs", jobs, least=1000)
    start = checks.whole("verify: seed", seed)
    result, error = None, None
    try:
        result = solve(system)
    except ModelError:
        raise
    except QnsolveError as found:
        error = found
    form = compiled(system, converted=_converted(system, result))
    stretch = _stretch(form, result, start)
    from .simulated_system import simulate_system

    run = simulate_system(form, stretch=stretch, precision=precision, most_transactions=most, seed=start, progress=progress)
    rows = _rows(list(_estimates(system, form, result, run)), precision, run.stopped == "stuck")
    heading = f"{system.name or 'system'} beside {run.transactions} transactions simulated"
    notes = (f"seed {start}", *(result.notes if result is not None else ()))
    said = tuple(_said(form, run, precision))
    return SystemVerification(heading, notes, result, rows, error, run.stopped, run.transactions, start, said)


def _converted(system: System, result: SystemResult | None) -> Converted:
    """The requests that the solution found to be asynchronous."""
    if result is None:
        return frozenset()
    facilities = {item.name: i for i, item in enumerate(system.coupling_facilities)}
    lpars = {item.name: i for i, item in enumerate(system.lpars)}
    return frozenset((facilities[s.facility], s.name, lpars[s.lpar]) for s in result.structures if s.kind == "async")


def _stretch(form: Compiled, result: SystemResult | None, seed: int) -> Array:
    """What multiplies CPU times on each LPAR: its speed, and the growth with the engines at work."""
    processors = [item.processors for item in form.system.lpars]
    slower = np.asarray(form.slower)
    if not any(item.grows for item in processors):
        return slower
    if result is not None:
        busy = [item.engines * item.cpu_percent / 100 for item in result.lpars]
    else:
        from .simulated_system import simulate_system

        pilot = simulate_system(form, most_transactions=PILOT, seed=seed)
        busy = [pilot.busy(h).value for h in range(len(slower))]
    return slower * np.array([item.stretch(at) for item, at in zip(processors, busy, strict=True)])


def _estimates(
    system: System, form: Compiled, result: SystemResult | None, run: SimulatedSystem
) -> Iterator[tuple[str, str, float, float, Estimate, float]]:
    """Name, figure, solved, the error that the answer states [ratio], simulated, and its factor."""
    for w, work in enumerate(system.work):
        solved = None if result is None else result.work[w]
        stated = 0.0 if solved is None or isnan(solved.response_error) else solved.response_error
        found = run.response(w).value  # users think for the rest of their cycle: their rate is wrong by less
        of_rate = stated * found / (found + form.think[w]) if form.users[w] and found > 0 else 0.0
        yield work.name, "ETR", nan if solved is None else solved.etr, of_rate, run.throughput(w), 1.0
        yield work.name, "response time", nan if solved is None else solved.response_time, stated, run.response(w), 1.0
    for h, lpar in enumerate(system.lpars):
        percent = nan if result is None else result.lpars[h].cpu_percent
        yield lpar.name, "CPU % busy", percent, 0.0, run.busy(h), 100 / lpar.processors.engines
    pools = {int(region): p for p, region in enumerate(form.pool_region) if form.pool_kind[p] == Pool.LIMIT}
    for g, region in enumerate(system.regions):
        held, waiting = run.held(pools[g]), run.waiting(pools[g])
        yield region.name, "tasks", nan if result is None else result.regions[g].tasks, 0.0, held, 1.0
        solved_wait = nan if result is None else result.regions[g].waiting
        seen = float(run.batches.delayed[:, pools[g]].sum())
        expected = 0.0 if result is None else result.regions[g].fraction_delayed * float(run.batches.asked[:, pools[g]].sum())
        if max(seen, expected) >= RARE:
            yield region.name, "waiting", solved_wait, 0.0, waiting, 1.0


def _rows(
    estimates: list[tuple[str, str, float, float, Estimate, float]], precision: float, stuck: bool
) -> tuple[dict[str, Any], ...]:
    together = 1 - (1 - LEVEL) / len(estimates)
    rows = []
    for name, figure, solved, stated, found, factor in estimates:
        simulated, half = factor * found.value, factor * found.half
        # where the interval is wide it is not well known itself, and a solution may be above it as far as below: logarithms
        off = _apart(solved, simulated)
        wide = found.half_at(together) / found.value * max(1.0, found.relative / WIDE) if found.value else 0.0
        if not isfinite(solved):
            verdict = "not solved"
        elif stuck or off > max(wide, log1p(stated)) + precision:
            verdict = "differs"
        elif off > wide + precision:
            verdict = "as stated"
        else:
            verdict = "agrees" if found.relative <= WIDE else "too short"
        difference = 100 * (solved / simulated - 1) if simulated else nan
        row = {"name": name, "figure": figure, "verdict": verdict, "solved": solved, "simulated": simulated}
        rows.append({**row, "half_width": half, "difference_percent": difference})
    return tuple(rows)


def _apart(solved: float, simulated: float) -> float:
    """How far two figures are apart, as a logarithm of their ratio."""
    if solved == simulated:
        return 0.0
    return abs(log(solved / simulated)) if solved > 0 and simulated > 0 else inf


def _said(form: Compiled, run: SimulatedSystem, precision: float) -> Iterator[str]:
    """How the simulation ended, and the works that it cannot keep up with."""
    widest = max((run.response(w).relative for w in range(run.works)), default=nan)
    if run.stopped == "precise":
        yield ENDED["precise"].format(100 * precision)
    else:
        yield ENDED[run.stopped].format(f"±{100 * widest:.2g} %" if isfinite(widest) else "not known")
    behind = False
    for w, work in enumerate(form.system.work):
        arrive, end = run.arrivals(w), run.throughput(w)
        if not form.users[w] and arrive.value - arrive.half > end.value + end.half:
            behind = True
            yield f"work {work.name!r} is more than the system can do: {arrive.value:.4g}/s arrive, {end.value:.4g}/s end"
    if form.rate.any() and not behind and run.stopped in ("precise", "most transactions"):
        yield "the simulation keeps up with all work"
