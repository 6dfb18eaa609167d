"""What a fitted model says of other intervals, and the range in which a measured interval is expected."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import ModelError
from qnsolve.measure.checked_series import Array, Values
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.measure.intervals.quantities import PERCENTILES

from .measured_rows import PER_SECOND, MeasuredRows
from .steps.estimates import FitState, given_rates

TAILS = (0.025, 0.975)  # 19 of 20
MOST_ROWS = 48  # of a model that is solved row by row
FEW = 8  # residuals below which a normal range is taken
NORMAL = 1.96


class Prediction:
    """Solves the fitted model at the loads of intervals; ranges by residuals of the fitted rows and errors of the figures."""

    def __init__(self, points: Any, rows: MeasuredRows, found: FitState) -> None:
        self.points, self.unit = points, rows.unit
        self.values = {name: each.value for name, each in found.estimates.items()}
        self.found = found
        self.given = given_rates(points.loads(rows))
        self.ratios = self._ratios(rows)
        self.percentiles = self._percentiles(rows)

    def on(self, run: LongRun) -> Prediction:
        """The same, whose points are points of a run; what is solved is shared."""
        found = copy(self)
        found.points = copy(self.points)
        found.points.run = run
        return found

    def _solved(self, rows: MeasuredRows, values: dict[str, float] | None = None) -> dict[str, Array]:
        """Columns (n,); nan where the loads are not known."""
        use = self.points.usable(rows)
        if not use.any():
            return {}
        there = self.points.solved({k: np.array([v]) for k, v in (values or self.values).items()}, rows.where(use))
        found = {}
        for title, each in there.items():
            found[title] = np.full(len(rows), np.nan)
            found[title][use] = each[0]
        return found

    def _some(self, rows: MeasuredRows) -> MeasuredRows:
        """Rows that are solved: all, or some of many where each is solved by itself."""
        if not getattr(self.points, "slow", False) or len(rows) <= MOST_ROWS:
            return rows
        keep = np.zeros(len(rows), dtype=bool)
        keep[np.linspace(0, len(rows) - 1, MOST_ROWS).round().astype(int)] = True
        return rows.where(keep)

    def _ratios(self, rows: MeasuredRows) -> dict[str, tuple[float, float]]:
        """Lowest and highest logarithm of measured over fitted that 19 of 20 rows have."""
        found = {}
        rows = self._some(rows)
        for title, values in self._solved(rows).items():
            name, _, quantity = title.rpartition(".")
            if title in self.given or not rows.has(name, quantity):
                continue
            measured = rows.column(name, quantity)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(measured) - np.log(values)
            logs = logs[np.isfinite(logs)]
            if len(logs) < 2:
                continue
            if len(logs) < FEW:
                half = NORMAL * float(np.sqrt(np.mean(logs**2))) * (1 + 2 / len(logs))
                found[title] = (-half, half)
            else:
                ends = np.quantile(logs, TAILS) * (1 + 2 / len(logs))
                found[title] = (float(min(ends[0], 0.0)), float(max(ends[1], 0.0)))
        return found

    def _percentiles(self, rows: MeasuredRows) -> dict[str, tuple[str, Array]]:
        """Logarithms of measured percentiles over fitted means: what most rows have, and the ends that 19 of 20 have."""
        found = {}
        for title, values in self._solved(self._some(rows)).items():
            name, _, quantity = title.rpartition(".")
            for percentile in PERCENTILES if quantity == "response_time" else ():
                if rows.has(name, percentile):
                    with np.errstate(divide="ignore", invalid="ignore"):
                        logs = np.log(self._some(rows).column(name, percentile) / values)
                    logs = logs[np.isfinite(logs)]
                    if len(logs) >= FEW:
                        found[f"{name}.{percentile}"] = (title, np.quantile(logs, (0.5, *TAILS)))
        return found

    def __call__(self, intervals: Intervals) -> dict[str, Array]:
        """Columns (n,) by NAME.quantity in seconds, with ranges where the fitted rows had the quantity."""
        rows = MeasuredRows(intervals, self.unit)
        middle = self._solved(rows)
        if not middle:
            raise ModelError("intervals", "must have the loads that the model takes as measured", "give rates or users")
        wide = self._wide(rows, middle)
        found: dict[str, Array] = {}
        times = PER_SECOND[self.unit]
        for title, values in middle.items():
            quantity = title.rpartition(".")[2]
            factor = {"rate": times, "response_time": 1 / times}.get(quantity, 1.0)
            found[title] = values * factor
            if title in self.ratios:
                low, high = self.ratios[title]
                found[f"{title}.lowest"] = values * np.exp(-np.hypot(low, wide[title])) * factor
                found[f"{title}.highest"] = values * np.exp(np.hypot(high, wide[title])) * factor
        for percentile, (title, (most, low, high)) in self.percentiles.items():
            values = middle[title] / times
            found[percentile] = values * np.exp(most)
            found[f"{percentile}.lowest"] = values * np.exp(most - np.hypot(most - low, wide[title]))
            found[f"{percentile}.highest"] = values * np.exp(most + np.hypot(high - most, wide[title]))
        return found

    def _wide(self, rows: MeasuredRows, middle: dict[str, Array]) -> dict[str, Array]:
        """How far the errors of the figures may move each column, in logarithms, to either side (n,)."""
        names = [name for name, each in self.found.estimates.items() if np.any(each.draws) and not each.figure.whole]
        errors = {title: np.zeros(len(rows)) for title in middle}
        if not names or getattr(self.points, "slow", False):
            return errors
        draws = np.column_stack([self.found.estimates[name].draws for name in names])
        spread = np.cov(draws, rowvar=False).reshape(len(names), len(names))
        sizes, sides = np.linalg.eigh(spread)
        for size, side in zip(sizes, sides.T, strict=True):
            if size <= 1e-12 * sizes[-1]:
                continue
            step = side * np.sqrt(size)
            moved = dict(self.values)
            for name, by in zip(names, step, strict=True):
                moved[name] = max(moved[name] + float(by), 0.0)
            there = self._solved(rows, moved)
            for title, values in there.items():
                with np.errstate(divide="ignore", invalid="ignore"):
                    change = np.log(values / middle[title])
                errors[title] += np.where(np.isfinite(change), change, 0.0) ** 2
        return {title: NORMAL * np.sqrt(each) for title, each in errors.items()}

    def at_loads(self, loads: Values) -> dict[str, Array]:
        """A sketch takes intervals, since it may have several classes."""
        raise ModelError(
            "predict", "must be given intervals with the loads of each class", "make them by qn.measure.table", loads
        )
