"""In which range a measured rate is expected: the curves that fit the rows about as well, and the noise of a row."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.numerics.least_squares import fine_derivatives

from .closed_curve import Curves
from .curve_grid import grid, variance
from .fit_plans import LOWER, UPPER, FitPlan, residuals
from .ladder_rows import LadderRows

WIDTH = 1.645  # standard deviations to either side, nine of ten
ABOVE = 1.1  # of the servers' rate: no curve goes beyond
NUMBER = 2.0  # variances that a curve with one number more must explain to be as likely (Akaike's criterion)
DRIFT = 0.03  # standard deviation of log X for each doubling of load or servers beyond the rows: what is not in the model
STEEP = 0.25  # standard deviation in logarithms beyond which derivatives say nothing


@dataclass(frozen=True)
class LadderRange:
    """The rows, what was fitted to them, and what else fits."""

    measured: LadderRows
    plan: FitPlan
    point: Array
    left: Array
    known: float | None
    saturated: bool = False
    nodes: tuple[int, ...] = (1,)
    times: float = 1.0

    def scaled(self, times: float) -> LadderRange:
        """The same with so many times the capacity."""
        return dataclasses.replace(self, times=self.times * times)

    def of(self, curve: Curves, loads: Array) -> tuple[Array, Array]:
        """Lowest and highest rate at each load, around the fitted curve."""
        middle = np.log(curve.throughput(loads)[0])
        beyond = np.log2(np.maximum(loads / self.measured.loads[-1], 1.0)) + abs(float(np.log2(self.times)))
        noise = np.hypot(float(np.median(self.measured.noise)) * np.sqrt(variance(self.left, len(self.point))), DRIFT * beyond)
        near = WIDTH * np.hypot(self._slopes(loads), noise)
        alike = self._others()
        others = np.vstack([np.log(self._scale(each).throughput(loads)) - middle for each in alike])
        if self.plan.declines:  # which may end with the rows
            seen = curve.throughput(np.minimum(loads, self.measured.loads[-1]))
            others = np.vstack([others, np.log(seen) - middle])
        if self.times > 1:  # something else may be the limit, and more servers change nothing
            others = np.vstack([others, *(np.log(each.throughput(loads)) - middle for each in alike)])
        low = np.minimum(others.min(axis=0, initial=0.0) - WIDTH * noise, -near)
        high = np.maximum(others.max(axis=0, initial=0.0) + WIDTH * noise, near)
        return np.exp(middle + low), np.exp(middle + high)

    def _scale(self, curves: Curves) -> Curves:
        return dataclasses.replace(curves, knee=np.maximum(curves.knee * self.times, 1.0))

    def _slopes(self, loads: Array) -> Array:
        """Standard deviation of log X that the fitted parameters cause; 0 where the rows do not hold them."""
        pick = self.plan.free
        lower, upper = LOWER[pick], UPPER[pick]

        def left(points: Array) -> Array:
            return residuals(self.measured, self.plan.curves(points, self.measured.think_time))

        def logs(points: Array) -> Array:
            return np.log(self._scale(self.plan.curves(points, self.measured.think_time)).throughput(loads))

        _, of_rows = fine_derivatives(left, self.point, lower, upper)
        _, of_loads = fine_derivatives(logs, self.point, lower, upper)
        spread = of_loads @ np.linalg.pinv(of_rows.T @ of_rows, rcond=1e-10) @ of_loads.T
        found = np.sqrt(variance(self.left, len(self.point)) * np.maximum(np.diag(spread), 0.0))
        return np.where(found < STEEP, found, 0.0)

    def _others(self) -> list[Curves]:
        """The curves of a grid of parameters that fit about as well as the best, with as many nodes and with others."""
        best = self.plan.curves(self.point[None], self.measured.think_time)
        scale = variance(self.left, len(self.point))
        most = float(self.left @ self.left) + WIDTH**2 * scale
        found = []
        for nodes in self.nodes:
            curves, squares = grid(self.measured, dataclasses.replace(best, nodes=nodes), declining=self.saturated)
            if not self.plan.declines:
                squares = squares + NUMBER * scale * (curves.decline > 0)
            good = squares <= most
            if self.known is not None:
                good &= curves.capacity <= ABOVE * max(self.known, float(best.capacity[0]))
            response, knee, shape, decline = curves.response[good], curves.knee[good], curves.shape[good], curves.decline[good]
            found.append(Curves(response, knee, shape, decline, curves.think_time, nodes))
        return found
