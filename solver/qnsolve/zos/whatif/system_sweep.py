"""One system, varied figures, many answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import nan, prod
from typing import Any

from qnsolve.analysis.runs.points import Executor, Outcome, Progress, long_run
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
    reasons : tuple of str
        Why a point has no answer, "" where it has one.
    shown : tuple of str
        Figures of the answers that each row shows besides those of its work: "AOR1.tasks".
    """

    chooses_units = True

    points: tuple[dict[str, Any], ...]
    reasons: tuple[str, ...]
    shown: tuple[str, ...]
    _figures: tuple[list[dict[str, Any]], ...] = field(repr=False)
    _made: dict[int, SystemResult] = field(repr=False, compare=False)
    _system: System = field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, point: int) -> SystemResult:
        """The answer of a point; raises its error where it has none."""
        i = range(len(self))[point]
        if i not in self._made:  # read from a journal
            self._made[i] = _at(self._system, self.points[i]).solve()
        return self._made[i]

    @property
    def results(self) -> tuple[SystemResult | None, ...]:
        """The answer of each point; None where a center is saturated."""
        return tuple(None if reason else self[i] for i, reason in enumerate(self.reasons))

    def given(self) -> frozenset[str]:
        """The figures that vary."""
        return frozenset(self.points[0]) if self.points else frozenset()

    def rows(self) -> list[dict[str, Any]]:
        """A row a point and work."""
        found: list[dict[str, Any]] = []
        for point, figures, reason in zip(self.points, self._figures, self.reasons, strict=True):
            if reason:
                gap = dict.fromkeys(("etr", "response_time", "response_error", "admission_wait", *self.shown), nan)
                found.append({**point, "work": "all", **gap, "fullest": reason, "used_percent": nan})
            found += [{**point, **row} for row in figures]
        return found


def sweep(
    system: System,
    vary: Mapping[str, Sequence[Any]],
    *,
    together: bool = False,
    figures: Sequence[str] = (),
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
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
    executor : object with a method map, optional
        Solves the points: a pool of `concurrent.futures`, or the like.
    journal : path, optional
        A file that keeps the points as they are solved: a sweep that was stopped goes on from there.
    progress : callable, optional
        Gets how many points are solved and how many there are, after each.

    Returns
    -------
    SystemSweep
        A point at which a center is saturated keeps its row, with the reason.

    Raises
    ------
    ModelError
        Where a value is not possible at all, or the journal is of another sweep.
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
    shown = tuple(figures)
    attempt = partial(_attempt, system, shown)
    with long_run((system, points, shown), executor, journal, progress) as run:
        done = run.points(attempt, points)
    reasons = tuple(each.figures["reason"] for each in done)
    made = {i: each.made for i, each in enumerate(done) if each.made is not None}
    heading = f"{system.name or 'system'}: {len(points)} points"
    return SystemSweep(heading, (), points, reasons, shown, tuple(each.figures["rows"] for each in done), made, system)


def _at(system: System, point: Mapping[str, Any]) -> System:
    for figure, value in point.items():
        system = changed(system, figure, value)
    return system


def _attempt(system: System, shown: Sequence[str], point: Mapping[str, Any]) -> Outcome[SystemResult]:
    """One point: the rows of its work, or the reason why it has none."""
    try:
        result = _at(system, point).solve()
    except SaturatedError as error:
        return Outcome({"reason": f"saturated: {error.station}", "rows": []})
    more = {name: _shown(result, name) for name in shown}
    name, used = max(centers(result), key=lambda item: item[1], default=("", 0.0))
    keys = ("etr", "response_time", "response_error", "admission_wait")
    rows = [
        {"work": work.name, **{key: getattr(work, key) for key in keys}, **more, "fullest": name, "used_percent": 100 * used}
        for work in result.work
    ]
    return Outcome({"reason": "", "rows": rows}, result)


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
