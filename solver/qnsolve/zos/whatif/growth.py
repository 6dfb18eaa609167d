"""More of the same work: how response times grow with it, and how much of it a system holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

from qnsolve.errors import ConvergenceError, ModelError, SaturatedError, suggestion
from qnsolve.model import checks
from qnsolve.numerics.bisection import last_real
from qnsolve.results.answer import Report
from qnsolve.zos.parts.system import System
from qnsolve.zos.report.reasons import centers
from qnsolve.zos.report.system_result import SystemResult

from .changes import scale

FINE = 1e-3  # relative, of the factor that is looked for
MOST = 1e6


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

    factors: tuple[float, ...]
    results: tuple[SystemResult | None, ...]
    reasons: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row a factor and work."""
        found: list[dict[str, Any]] = []
        for factor, result, reason in zip(self.factors, self.results, self.reasons, strict=True):
            if result is None:
                gap = {"etr": nan, "response_time": nan, "limit_wait": nan, "fullest": reason, "used_percent": nan}
                found.append({"factor": factor, "work": "all", **gap})
                continue
            name, used = max(centers(result), key=lambda item: item[1])
            for work in result.work:
                figures = {"etr": work.etr, "response_time": work.response_time, "limit_wait": work.limit_wait}
                found.append({"factor": factor, "work": work.name, **figures, "fullest": name, "used_percent": 100 * used})
        return found


def grow(system: System, factors: Sequence[float]) -> Growth:
    """The system with its rates and users times each factor.

    Parameters
    ----------
    system : System
    factors : sequence of float
        [ratio]

    Returns
    -------
    Growth
        A factor at which a center is saturated keeps its row, with the reason.
    """
    values = [checks.number("grow: factors", factor, positive=True) for factor in checks.listed("grow: factors", factors)]
    if not values:
        raise ModelError("grow: factors", "must give at least one", "write [1, 1.1, 1.2]", [])
    results: list[SystemResult | None] = []
    reasons: list[str] = []
    for factor in values:
        try:
            results.append(scale(system, factor).solve())
            reasons.append("")
        except SaturatedError as error:
            results.append(None)
            reasons.append(f"saturated: {error.station}")
    return Growth(f"{system.name or 'system'} under more work", (), tuple(values), tuple(results), tuple(reasons))


def most_work(system: System, *, response_times: dict[str, float] | None = None, work: Sequence[str] | None = None) -> float:
    """How many times its work a system holds.

    Parameters
    ----------
    system : System
    response_times : dict of work to float, optional
        Response times that must be met [s]; without any, only saturation ends the growth.
    work : sequence of str, optional
        The work that grows; all where left out.

    Returns
    -------
    float
        The factor, to 0.1 percent; infinite where users only wait longer.

    Raises
    ------
    ModelError
        Where a target is missed even by hardly any work.
    """
    names = [item.name for item in system.work]
    targets = checks.figures("most_work: response_times", response_times or {})
    for name in targets:
        if name not in names:
            raise ModelError("most_work: response_times", "names what the system does not have", suggestion(name, names), name)

    def holds(factor: float) -> bool:
        try:
            result = scale(system, factor, work).solve()
        except (SaturatedError, ConvergenceError):  # the layers settle less and less as a center fills up
            return False
        return all(result[name].response_time <= limit for name, limit in targets.items())

    if not holds(1 / MOST):
        raise ModelError("most_work: response_times", "cannot be met by hardly any work", "raise the target", dict(targets))
    found = last_real(holds, 1 / MOST, 1.0, MOST, FINE)
    return float("inf") if found is None else found
