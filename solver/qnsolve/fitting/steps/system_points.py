"""A sketched system solved at the loads of intervals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from qnsolve.errors import SaturatedError
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import Place, Sketch
from qnsolve.measure.checked_series import Array
from qnsolve.zos.solve_system import System

from .sketched_points import SketchedPoints

TINY = 1e-9  # a rate that counts as none: work must have one [1/s]


class SystemPoints(SketchedPoints):
    """Solves the system of a sketch, row by row."""

    slow = True

    def __init__(self, sketch: Sketch) -> None:
        super().__init__(sketch)
        self.places: dict[str, Place] = {each.name: each.place for each in sketch.figures}
        system = sketch.model({})
        assert isinstance(system, System)
        self.system = system
        self.made: dict[tuple[float, ...], dict[str, float]] = {}

    def at(self, values: Mapping[str, float], loads: Mapping[tuple[str, str], float]) -> System:
        """The system with figures and loads."""
        given: dict[Place, float] = {}
        for figure in self.sketch.figures:
            if figure.name in values:
                value = values[figure.name]
                given[figure.place] = round(value) if figure.whole else float(value)
        for owner, key, place in self.sketch.loads:
            if (owner, key) in loads:
                value = float(loads[owner, key])
                given[place] = round(value) if key == "users" else max(value, TINY)
        found = self.sketch.model(given)
        assert isinstance(found, System)
        return found

    def solved(self, values: Mapping[str, Array], rows: MeasuredRows) -> dict[str, Array]:
        """Columns (P, n) by "NAME.quantity", for P values of each figure; a row with a full center has no responses."""
        points = max((len(each) for each in values.values()), default=1)
        loads = self.loads(rows)
        found: dict[str, Array] = {}
        for p in range(points):
            for i in range(len(rows)):
                point = {name: float(np.broadcast_to(each, points)[p]) for name, each in values.items()}
                there = self._one(point, {key: float(column[i]) for key, column in loads.items()})
                for title, value in there.items():
                    found.setdefault(title, np.full((points, len(rows)), np.nan))[p, i] = value
        return found

    def _one(self, values: Mapping[str, float], loads: Mapping[tuple[str, str], float]) -> dict[str, float]:
        key = (*values.values(), *loads.values())
        if key not in self.made:
            self.made[key] = self._solved(self.at(values, loads))
        return self.made[key]

    def _solved(self, system: System) -> dict[str, float]:
        found: dict[str, float] = {}
        try:
            answer = system.solve()
        except SaturatedError:
            return {f"{work.name}.response_time": np.inf for work in system.work}
        for work in answer.work:
            found[f"{work.name}.rate"] = work.etr
            found[f"{work.name}.response_time"] = work.response_time
        for lpar in answer.lpars:
            found[f"{lpar.name}.busy"] = lpar.cpu_percent / 100
        for region in answer.regions:
            if np.isfinite(region.qr_cpu_percent):
                found[f"{region.name}.busy"] = region.qr_cpu_percent / 100
        return found
