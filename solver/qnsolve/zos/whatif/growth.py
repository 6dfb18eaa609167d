"""More of the same work: how response times grow with it, and how much of it a system holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan, sqrt
from typing import Any

import numpy as np

from qnsolve.analysis.runs.points import Progress
from qnsolve.errors import ModelError, SaturatedError, suggestion
from qnsolve.model import checks
from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Places
from qnsolve.results.answer import Report
from qnsolve.results.digits import short
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point.capacity import Capacity, capacity
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.report.reasons import centers
from qnsolve.zos.report.system_result import SystemResult, with_old_keys
from qnsolve.zos.solve_system import System, only_system, solve

from .changes import scale

FINE = 1e-3  # relative, of the factor that is looked for
MOST = 1e6
MOST_FACTORS = 1000  # each is a solution of the whole system


@dataclass(frozen=True)
class Growth(Report):
    """A system under more and more work.

    Attributes
    ----------
    heading, notes
        As for every report.
    factors : tuple of float
        Rates and users over those of the system [ratio].
    results : tuple of SystemResult or None
        None where a center is saturated.
    reasons : tuple of str
        Why there is none, "" where there is one.
    """

    chooses_units = True

    factors: tuple[float, ...]
    results: tuple[SystemResult | None, ...]
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        found = super().as_dict()
        return {**found, "rows": [with_old_keys(row) for row in found["rows"]]}

    def rows(self) -> list[dict[str, Any]]:
        """A row a factor and work."""
        found: list[dict[str, Any]] = []
        for factor, result, reason in zip(self.factors, self.results, self.reasons, strict=True):
            if result is None:
                gap = {"etr": nan, "response_time": nan, "admission_wait": nan, "fullest": reason, "used_percent": nan}
                found.append({"factor": factor, "work": "all", **gap})
                continue
            name, used = max(centers(result), key=lambda item: item[1])
            for work in result.work:
                figures = {"etr": work.etr, "response_time": work.response_time, "admission_wait": work.admission_wait}
                found.append({"factor": factor, "work": work.name, **figures, "fullest": name, "used_percent": 100 * used})
        return found


def growth(system: System, factors: Sequence[float], *, progress: Progress | None = None) -> Growth:
    """The system with its rates and users times each factor.

    Parameters
    ----------
    system : System
    factors : sequence of float
        [ratio]
    progress : callable, optional
        Gets how many factors are solved and how many there are, after each.

    Returns
    -------
    Growth
        A factor at which a center is saturated keeps its row, with the reason.
    """
    system = only_system(system)
    values = [checks.number("growth: factors", factor, positive=True) for factor in checks.listed("growth: factors", factors)]
    if not values:
        raise ModelError("growth: factors", "must give at least one", "write [1, 1.1, 1.2]", [])
    if len(values) > MOST_FACTORS:
        raise ModelError("growth: factors", f"must be {MOST_FACTORS:,} at most", "take a longer step", len(values))
    results: list[SystemResult | None] = []
    reasons: list[str] = []
    most: list[Capacity] = []  # of the system, sought once

    def held(factor: float) -> Capacity:
        if not most:
            most.append(capacity(system))
        return Capacity(most[0].factor / factor, most[0].center)

    if max(values) > 1:
        held(1.0)
    for done, factor in enumerate(values):
        if progress is not None and done:
            progress(done, len(values))
        if most and factor > most[0].factor * (1 + FINE):
            results.append(None)
            reasons.append(f"saturated: {most[0].center}")
            continue
        try:
            results.append(solve(scale(system, factor), partial(held, factor)))
            reasons.append("")
        except SaturatedError as error:
            results.append(None)
            reasons.append(f"saturated: {error.station}")
    return Growth(f"{system.name or 'system'} under more work", (), tuple(values), tuple(results), tuple(reasons))


@dataclass(frozen=True)
class Headroom(Report):
    """How many times its work a system holds.

    Attributes
    ----------
    heading, notes
        As for every report.
    factor : float
        Rates and users over those of the system, to 0.1 percent, or to 1 where rounds do not settle near there [ratio];
        infinite where users only wait longer.
    center : str
        The center that is full there, or the work whose response time is missed; "" where the factor is infinite.
    """

    chooses_units = True

    factor: float
    center: str

    def rows(self) -> list[dict[str, Any]]:
        """The one row."""
        return [{"factor": self.factor, "center": self.center}]

    def sentences(self) -> tuple[str, ...]:
        """The answer in words."""
        if not isfinite(self.factor):
            return ("no center sets an end to the growth: users only wait longer",)
        return (f"holds {short(self.factor)} times this work; then {self.center}",)


def headroom(
    system: System, *, response_times: Mapping[str, float] | None = None, work: Sequence[str] | None = None
) -> Headroom:
    """How many times its work a system holds.

    Parameters
    ----------
    system : System
    response_times : mapping of work to float, optional
        Response times that must be met [s]; without any, only saturation ends the growth.
    work : sequence of str, optional
        The work that grows; all where left out.

    Returns
    -------
    Headroom

    Raises
    ------
    ModelError
        Where a target is missed with next to no work.
    """
    system = only_system(system)
    names = [item.name for item in system.work]
    targets = checks.figures("headroom: response_times", response_times or {})
    for name in targets:
        if name not in names:
            raise ModelError("headroom: response_times", "names what the system does not have", suggestion(name, names), name)

    grows = np.array([work is None or name in work for name in names])
    most = capacity(system, grows)
    heading = f"{system.name or 'system'}: headroom"
    if not targets:
        return Headroom(heading, (), most.factor, most.center)
    places = {name: names.index(name) for name in targets}

    def holds(factor: float) -> bool:
        try:
            response = solved_point(system, np.where(grows, factor, 1.0)).work.response
        except FullPoolError:
            return False
        return all(response[places[name]] <= limit for name, limit in targets.items())

    if not holds(1 / MOST):
        rule = "cannot be met with next to no work"
        raise ModelError("headroom: response_times", rule, "raise the target", dict(targets))
    end = most.factor if isfinite(most.factor) else MOST
    if holds(end):
        return Headroom(heading, (), most.factor, most.center)
    low, _ = narrowed(holds, 1 / MOST, end, FINE, lambda low, high: sqrt(low * high))
    first = min(targets, key=lambda name: targets[name] / _response(system, grows, low)[places[name]])
    return Headroom(heading, (), low, f"response time of {first}")


def _response(system: System, grows: Places, factor: float) -> Array:
    return solved_point(system, np.where(grows, factor, 1.0)).work.response
