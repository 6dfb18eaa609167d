"""One system, varied figures, many answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan, prod
from typing import Any

from qnsolve.errors import ModelError, SaturatedError, suggestion
from qnsolve.results.answer import Report
from qnsolve.zos.report.reasons import centers
from qnsolve.zos.report.system_result import SystemResult
from qnsolve.zos.solve_system import System, only_system

from .system_inputs import changed, varied

MOST_POINTS = 10_000  # each is a solution of the whole system


@dataclass(frozen=True)
class SystemSweep(Report):
    """The answers of a system at many values of its figures, the last one varying fastest.

    Attributes
    ----------
    heading, notes
        As for every report.
    points : tuple of dict
        The values of each point, by figure.
    results : tuple of SystemResult or None
        None where a center is saturated.
    reasons : tuple of str
        Why there is none, "" where there is one.
    shown : tuple of str
        Figures of the answers that each row shows besides those of its work: "AOR1.tasks".
    """

    points: tuple[dict[str, Any], ...]
    results: tuple[SystemResult | None, ...]
    reasons: tuple[str, ...]
    shown: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row a point and work."""
        found: list[dict[str, Any]] = []
        for point, result, reason in zip(self.points, self.results, self.reasons, strict=True):
            if result is None:
                gap = dict.fromkeys(("etr", "response_time", "response_error", "admission_wait", *self.shown), nan)
                found.append({**point, "work": "all", **gap, "fullest": reason, "used_percent": nan})
                continue
            more = {name: _shown(result, name) for name in self.shown}
            name, used = max(centers(result), key=lambda item: item[1], default=("", 0.0))
            for work in result.work:
                keys = ("etr", "response_time", "response_error", "admission_wait")
                own = {key: getattr(work, key) for key in keys}
                found.append({**point, "work": work.name, **own, **more, "fullest": name, "used_percent": 100 * used})
        return found


def sweep(
    system: System, vary: Mapping[str, Sequence[Any]], *, together: bool = False, figures: Sequence[str] = ()
) -> SystemSweep:
    """Solve a system at many values of its figures.

    Parameters
    ----------
    system : System
    vary : mapping of str to sequence
        Values by figure: {"AOR1.mxt": [50, 100], "LOG.stripes": [2, 4], "orders.rate": ...}; see `changed`.
    together : bool, default False
        All figures move in step; otherwise each combination is a point.
    figures : sequence of str, optional
        What each row shows besides the figures of its work: "AOR1.tasks", "PROD.cpu_percent".

    Returns
    -------
    SystemSweep
        A point at which a center is saturated keeps its row, with the reason.

    Raises
    ------
    ModelError
        Where a value is not possible at all.
    """
    system = only_system(system)
    given = varied(vary)
    lengths = {len(values) for values in given.values()}
    if together and len(lengths) > 1:
        raise ModelError("sweep: together", "must have lists of equal length", "make them equal, or leave `together` out")
    count = max(lengths) if together else prod(len(values) for values in given.values())
    if count > MOST_POINTS:
        raise ModelError("sweep", f"must not have more than {MOST_POINTS:,} points", "vary fewer values at once", count)
    each = zip(*given.values(), strict=True) if together else product(*given.values())
    points = tuple(dict(zip(given, values, strict=True)) for values in each)
    results: list[SystemResult | None] = []
    reasons: list[str] = []
    for point in points:
        here = system
        for figure, value in point.items():
            here = changed(here, figure, value)
        try:
            results.append(here.solve())
            reasons.append("")
        except SaturatedError as error:
            results.append(None)
            reasons.append(f"saturated: {error.station}")
    solved = next((result for result in results if result is not None), None)
    if solved is not None:
        for name in figures:  # a wrong name is refused before rows are made
            _shown(solved, name)
    heading = f"{system.name or 'system'}: {len(points)} points"
    return SystemSweep(heading, (), points, tuple(results), tuple(reasons), tuple(figures))


def _shown(result: SystemResult, name: str) -> float:
    """A figure of an answer, by the name of its part and its own."""
    part, _, figure = name.rpartition(".")
    try:
        found = result[part]
    except KeyError as error:
        raise ModelError("sweep: figures", "must be NAME.FIGURE, with a name of the system", str(error.args[0]), name) from None
    known = [key for key, value in vars(found).items() if isinstance(value, (int, float))]
    if figure not in known:
        raise ModelError("sweep: figures", "names no figure of its part", suggestion(figure, known), name)
    return float(getattr(found, figure))
