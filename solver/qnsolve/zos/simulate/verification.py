"""A solved system beside a simulation of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from qnsolve.analysis.verify import BATCHES, LEVEL, WIDE, student
from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.numerics.series import Array
from qnsolve.results.answer import Report
from qnsolve.zos.parts.system import System, only_system
from qnsolve.zos.point.exact_small_system import solved_point
from qnsolve.zos.report.reporting import answer
from qnsolve.zos.report.system_result import SystemResult

from .system_simulation import Simulated, Simulation


@dataclass(frozen=True)
class SystemVerification(Report):
    """The figures of a solved system, solved and simulated.

    Attributes
    ----------
    heading, notes
        As for every report.
    result : SystemResult
    figures : tuple of dict
        As `rows` gives them.
    """

    result: SystemResult
    figures: tuple[dict[str, Any], ...]

    @property
    def agrees(self) -> bool:
        """No figure differs."""
        return all(row["verdict"] != "differs" for row in self.figures)

    def rows(self) -> list[dict[str, Any]]:
        """One row a figure: name, figure, verdict, solved, simulated, half width of its interval, difference in percent."""
        return [dict(row) for row in self.figures]

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words."""
        differ = [row for row in self.figures if row["verdict"] == "differs"]
        said = f"{sum(row['verdict'] == 'agrees' for row in self.figures)} of {len(self.figures)} figures agree"
        if differ:
            worst = max(differ, key=lambda row: abs(row["difference_percent"]))
            said += (
                f", {len(differ)} differ: most the {worst['figure']} of {worst['name']}, {worst['difference_percent']:+.2g} %"
            )
        return (said,)


def verify(system: System, *, jobs: int = 100_000, seed: int = 1) -> SystemVerification:
    """Simulate a system and hold its solution beside it.

    Parameters
    ----------
    system : System
    jobs : int, default 100,000
        Transactions that end in the simulation; a tenth more is simulated before [count].
    seed : int, default 1

    Returns
    -------
    SystemVerification

    Raises
    ------
    ModelError
        Where regions have different importance, or users come in bursts: these are not simulated.

    Notes
    -----
    CPU, service and think times are drawn exponentially. Units of work share the CPs; a TCB that waits
    for a synchronous request stays on its CP; eligible work that finds all zIIP threads taken
    runs on CPs; the requests of a task to one structure are one that is as long.
    """
    system = only_system(system)
    count = checks.whole("verify: jobs", jobs, least=1000)
    if len({region.importance for region in system.regions}) > 1:
        raise ModelError("verify: importance", "is not simulated", "give all regions the same")
    for work in system.work:
        if work.users is not None and work.burst > 1:
            raise ModelError(f"verify: work {work.name!r}: burst", "of users is not simulated", "leave it out", work.burst)
    point = solved_point(system)
    result = answer(point)
    found = Simulation(point, checks.whole("verify: seed", seed)).run(count, BATCHES)
    rows = [_row(*estimate) for estimate in _estimates(result, found)]
    heading = f"{system.name or 'system'} beside {count} transactions simulated, times in s"
    return SystemVerification(heading, (f"seed {seed}", *result.notes), result, tuple(rows))


def _estimates(result: SystemResult, found: Simulated) -> Iterator[tuple[str, str, float, Array, Array]]:
    """Name, figure, solved, and numerators and denominators by stretch."""
    time = found.duration
    for w, work in enumerate(result.work):
        yield work.name, "ETR", work.etr, found.done[:, w], time
        yield work.name, "response time", work.response_time, found.response[:, w], found.done[:, w]
    for i, lpar in enumerate(result.lpars):
        yield lpar.name, "CPU % busy", lpar.cpu_percent, 100 * found.cpu[:, i] / lpar.engines, time
    for g, region in enumerate(result.regions):
        yield region.name, "tasks", region.tasks, found.tasks[:, g], time
        if found.waiting[:, g].sum() > 0 or region.waiting > 1e-3:
            yield region.name, "waiting", region.waiting, found.waiting[:, g], time


def _row(name: str, figure: str, solved: float, above: Array, below: Array) -> dict[str, Any]:
    simulated = float(above.sum() / below.sum()) if below.sum() > 0 else nan
    apart = above - simulated * below
    half = (
        student((1 + LEVEL) / 2, BATCHES - 1) * float(np.std(apart, ddof=1)) * sqrt(BATCHES) / float(below.sum())
        if below.sum() > 0
        else inf
    )
    difference = 100 * (solved / simulated - 1) if simulated else nan
    verdict = (
        "too short" if not half <= WIDE * abs(simulated) else "agrees" if abs(solved - simulated) <= 1.5 * half else "differs"
    )
    row = {"name": name, "figure": figure, "verdict": verdict, "solved": solved, "simulated": simulated}
    return {**row, "half_width": half, "difference_percent": difference}
