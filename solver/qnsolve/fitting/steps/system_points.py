"""A sketched system solved at the loads of intervals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from qnsolve.analysis.runs.points import LongRun, Outcome
from qnsolve.errors import SaturatedError
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import Place, Sketch
from qnsolve.measure.checked_series import Array
from qnsolve.zos.solve_system import System

from .sketched_points import SketchedPoints

_Point = tuple[tuple[tuple[str, float], ...], tuple[tuple[tuple[str, str], float], ...]]  # figures, loads
TINY = 1e-9  # a rate that counts as none: work must have one [1/s]


class SystemPoints(SketchedPoints):
    """Solves the system of a sketch, row by row."""

    slow = True

    def __init__(self, sketch: Sketch, run: LongRun) -> None:
        super().__init__(sketch, run)
        self.places: dict[str, Place] = {each.name: each.place for each in sketch.figures}
        system = sketch.model({})
        assert isinstance(system, System)
        self.system = system
        self.made: dict[_Point, dict[str, float]] = {}

    def at(self, values: Mapping[str, float], loads: Mapping[tuple[str, str], float]) -> System:
        """The system with figures and loads."""
        return _system(self.sketch, (tuple(values.items()), tuple(loads.items())))

    def solved(self, values: Mapping[str, Array], rows: MeasuredRows) -> dict[str, Array]:
        """Columns (P, n) by "NAME.quantity", for P values of each figure; a row with a full center has no responses."""
        points = max((len(each) for each in values.values()), default=1)
        loads = self.loads(rows)
        figures = [
            tuple((name, float(np.broadcast_to(each, points)[p])) for name, each in values.items()) for p in range(points)
        ]
        places = [tuple((key, float(column[i])) for key, column in loads.items()) for i in range(len(rows))]
        every = [(each, place) for each in figures for place in places]
        new = list(dict.fromkeys(each for each in every if each not in self.made))
        outcomes = self.run.points(partial(_solved, self.sketch), new)
        self.made |= {each: outcome.figures for each, outcome in zip(new, outcomes, strict=True)}
        found: dict[str, Array] = {}
        for k, each in enumerate(every):
            for title, value in self.made[each].items():
                found.setdefault(title, np.full((points, len(rows)), np.nan))[divmod(k, len(rows))] = value
        return found


def _system(sketch: Sketch, point: _Point) -> System:
    values, loads = dict(point[0]), dict(point[1])
    given: dict[Place, float] = {}
    for figure in sketch.figures:
        if figure.name in values:
            value = values[figure.name]
            given[figure.place] = round(value) if figure.whole else float(value)
    for owner, key, place in sketch.loads:
        if (owner, key) in loads:
            value = float(loads[owner, key])
            given[place] = round(value) if key == "users" else max(value, TINY)
    found = sketch.model(given)
    assert isinstance(found, System)
    return found


def _solved(sketch: Sketch, point: _Point) -> Outcome[None]:
    """The figures of one point."""
    system = _system(sketch, point)
    try:
        answer = system.solve()
    except SaturatedError:
        return Outcome({f"{work.name}.response_time": np.inf for work in system.work})
    found: dict[str, float] = {}
    for work in answer.work:
        found[f"{work.name}.rate"] = float(work.etr)
        found[f"{work.name}.response_time"] = float(work.response_time)
    for lpar in answer.lpars:
        found[f"{lpar.name}.busy"] = float(lpar.cpu_percent) / 100
    for region in answer.regions:
        if np.isfinite(region.qr_cpu_percent):
            found[f"{region.name}.busy"] = float(region.qr_cpu_percent) / 100
    return Outcome(found)
