"""The second step of a fit: what the laws leave open, from responses and rates, by solving the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import OpenFigure
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.block_bootstrap import DRAWS, studentized
from qnsolve.numerics.least_squares import least_squares

from .estimates import FigureEstimate, FitState

MOST_COUNT = 4096.0
MOST_COUNTS = 7  # that are fitted beside the best one
MOST_ROWS = 240  # of which a fit takes every so many-th: each is solved at every step
SLOW_ROWS = 12  # of a model that is solved row by row
QUICK, SLOW = {"rounds": 30, "tolerance": 1e-6}, {"rounds": 4, "tolerance": 1e-2}  # of the search
WORST = 25.0  # logarithm of a response without bound
LEVEL = (0.025, 0.975)


class Points(Protocol):
    """Solves a sketched model at many values of its figures and many rows."""

    def solved(self, values: Mapping[str, Array], rows: MeasuredRows) -> dict[str, Array]:
        """Columns (P, n) by NAME.quantity."""

    def usable(self, rows: MeasuredRows) -> Any:
        """Rows whose loads are known."""


def response_step(
    figures: tuple[OpenFigure, ...],
    points: Points,
    rows: MeasuredRows,
    found: FitState,
    quantities: tuple[str, ...],
    slow: bool,
) -> None:
    """The figures that are still open, by least squares of the logarithms of measured over solved figures.

    Raises
    ------
    ModelError
        Where nothing measured depends on a figure.
    """
    left = [each for each in figures if each.name not in found.estimates]
    if not left:
        return
    use = points.usable(rows)
    most = SLOW_ROWS if slow else MOST_ROWS
    chosen = np.flatnonzero(use)
    chosen = chosen[np.unique(np.linspace(0, len(chosen) - 1, min(most, len(chosen))).round().astype(int))]
    keep = np.zeros(len(rows), dtype=bool)
    keep[chosen] = True
    some = rows.where(keep)
    problem = _Problem(left, points, some, found, quantities, SLOW if slow else QUICK)
    problem.fit()


class _Problem:
    """The residuals of one fit."""

    def __init__(
        self,
        left: list[OpenFigure],
        points: Points,
        rows: MeasuredRows,
        found: FitState,
        quantities: tuple[str, ...],
        search: Any,
    ) -> None:
        self.search = search
        self.made: dict[tuple[float, ...], tuple[Array, Array]] = {}
        self.left, self.points, self.rows, self.found = left, points, rows, found
        self.counts = [each for each in left if each.whole]
        self.free = [each for each in left if not each.whole]
        self.known = {name: each.value for name, each in found.estimates.items()}
        there = points.solved(self._values(np.zeros((1, len(self.free))), {each.name: 1.0 for each in self.counts}), rows)
        self.measured = {
            title: rows.column(title.rpartition(".")[0], title.rpartition(".")[2])
            for title in there
            if title.rpartition(".")[2] in quantities and rows.has(title.rpartition(".")[0], title.rpartition(".")[2])
        }
        self.measured = {t: v for t, v in self.measured.items() if np.any(v > 0)}
        times = [v for t, v in self.measured.items() if t.endswith("response_time")]
        self.unit = float(np.nanmedian(np.concatenate(times))) if times else 1.0
        own = {t.rpartition(".")[0]: float(np.nanmedian(v)) for t, v in self.measured.items() if t.endswith("response_time")}
        self.units = [own.get(each.name.partition(".")[0], self.unit) for each in self.free]
        self.noise = dict.fromkeys(self.measured, 1.0)
        if not self.measured:
            names = ", ".join(each.name for each in left)
            raise ModelError("intervals", f"have nothing that informs {names}", "add responses, rates or utilizations")

    def _scales(self) -> Array:
        starts = [each.start for each in self.free]
        return np.array([u if start is None else max(start, 1e-12) for start, u in zip(starts, self.units, strict=True)])

    def _values(self, x: Array, counts: Mapping[str, float], known: Mapping[str, float] | None = None) -> dict[str, Array]:
        many = len(x)
        scales = self._scales() if hasattr(self, "units") else np.full(len(self.free), 1e-6)
        values = {name: np.full(many, value) for name, value in (known or self.known).items()}
        values |= {each.name: np.full(many, counts[each.name]) for each in self.counts}
        return values | {each.name: x[:, i] * scales[i] for i, each in enumerate(self.free)}

    def residuals(self, x: Array, counts: Mapping[str, float], known: Mapping[str, float] | None = None) -> Array:
        """Logarithms of measured over solved, in units of each series' noise (P, rows of all series)."""
        there = self.points.solved(self._values(x, counts, known), self.rows)
        parts = []
        none = np.full((len(x), len(self.rows)), np.nan)  # where every row has a full center
        for title, measured in self.measured.items():
            ok = measured > 0
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(measured[ok]) - np.log(there.get(title, none)[:, ok])
            logs = np.where(np.isfinite(logs), logs, -WORST)
            parts.append(logs / self.noise[title])
        return np.hstack(parts)

    def _best(self, counts: Mapping[str, float], start: Array) -> tuple[Array, Array]:
        """Best values beside some counts, and their residuals; the search begins at those of the nearest counts known."""
        key = tuple(counts[each.name] for each in self.counts)
        if key not in self.made:
            near = min(self.made, key=lambda other: float(np.abs(np.log(np.divide(key, other))).sum()), default=None)
            self.made[key] = self._searched(counts, start if near is None else self.made[near][0])
        return self.made[key]

    def _searched(self, counts: Mapping[str, float], start: Array) -> tuple[Array, Array]:
        if not self.free:
            return start, self.residuals(start[None], counts)[0]
        scales = self._scales()
        lower = np.array([each.lowest for each in self.free]) / scales
        upper = np.array([each.highest for each in self.free]) / scales
        return least_squares(lambda x: self.residuals(x, counts), start, lower, upper, **self.search)

    def fit(self) -> None:
        """Best values, twice: the second time each series counts by what the first leaves of it."""
        counts = {each.name: each.start or 1.0 for each in self.counts}
        start = np.array([1.0 if each.start is not None else 0.5 for each in self.free])
        for _ in range(2):
            for each in self.counts:
                counts[each.name] = self._count(each, counts, start)
            start, left = self._best(counts, start)
            self._weigh(left)
        alike = [counts]
        for each in self.counts:
            low, high = self._take_count(each, counts, start)
            alike += [{**counts, each.name: n} for n in self._between(low, counts[each.name], high)]
        if self.free:
            self._take(start, alike)

    @staticmethod
    def _between(low: float, best: float, high: float) -> list[float]:
        """Other counts that fit about as well: all of a few, the ends and some between of many."""
        found = np.unique(np.round(np.linspace(low, high, min(int(high - low) + 1, MOST_COUNTS))))
        return [float(n) for n in found if n != best]

    def _parts(self, left: Array) -> dict[str, Array]:
        found, begin = {}, 0
        for title, measured in self.measured.items():
            end = begin + int(np.sum(measured > 0))
            found[title] = left[begin:end]
            begin = end
        return found

    def _weigh(self, left: Array) -> None:
        sizes = {title: float(np.sqrt(np.mean(part**2))) * self.noise[title] for title, part in self._parts(left).items()}
        least = max(max(sizes.values()) * 1e-3, 1e-9)
        self.noise = {title: max(size, least) for title, size in sizes.items()}
        self.made.clear()

    def _take(self, x: Array, alike: list[dict[str, float]]) -> None:
        """Estimates with intervals: those of the best counts, and of others that fit about as well."""
        made = [self._estimates(x, alike[0])]
        made += [self._estimates(self._best(counts, x)[0], counts) for counts in alike[1:]]
        for best, *others in zip(*made, strict=True):
            lowest = min(best.lowest, *(each.lowest for each in others), best.value)
            highest = max(best.highest, *(each.highest for each in others), best.value)
            spread = float(np.std([best.value, *(each.value for each in others)]))
            draws = best.draws + (np.random.default_rng(2).normal(0.0, spread, DRAWS) if spread else 0.0)
            self.found.add(replace(best, lowest=lowest, highest=highest, draws=draws))

    def _estimates(self, x: Array, counts: Mapping[str, float]) -> list[FigureEstimate]:
        """From residuals, and from what is not known of the figures of the first step."""
        p = len(x)
        step = 1e-4 * np.maximum(np.abs(x), 1e-2)
        here = self.residuals(np.vstack([x, x + np.diag(step)]), counts)
        left, slopes = here[0], ((here[1:] - here[0]) / step[:, None]).T
        sizes = np.linalg.norm(slopes, axis=0)
        dead = sizes < 1e-9 * max(float(np.sqrt(len(left))), 1.0)
        if dead.any():
            name = self.free[int(np.argmax(dead))].name
            raise ModelError(name, "is not informed: nothing that was measured depends on it", "write a number into the sketch")
        scales = self._scales()
        if float(np.abs(left).max()) <= 1e-9:
            draws, errors, deviations = np.zeros((DRAWS, p)), np.zeros((DRAWS, p)), np.zeros(p)
        else:
            draws, errors, deviations, _ = studentized(-slopes, left)
        inverse = np.linalg.pinv(slopes)
        earlier = np.zeros((DRAWS, p))
        for name, value in self.known.items():
            before = self.found.estimates[name]
            shift = max(float(np.std(before.draws)), 1e-6 * value)
            if before.draws.any():
                moved = self.residuals(x[None], counts, {**self.known, name: value + shift})[0]
                earlier -= np.outer(before.draws / shift, inverse @ (moved - left))
        own = errors + earlier
        wide = np.sqrt(deviations**2 + earlier.var(axis=0))
        around = draws * deviations + earlier
        parts = self._parts(np.arange(float(len(left))))
        source = ", ".join(title for title, at in parts.items() if np.abs(slopes[at.astype(int)]).max(initial=0.0) > 1e-12)
        made = []
        for i, each in enumerate(self.free):
            low, high = np.quantile(around[:, i], LEVEL) if wide[i] else (0.0, 0.0)
            ends = max(x[i] - high, 0.0) * scales[i], max(x[i] - low, 0.0) * scales[i]
            value = float(x[i] * scales[i])
            lowest, highest = min(float(ends[0]), value), max(float(ends[1]), value)
            made.append(FigureEstimate(each, value, lowest, highest, own[:, i] * scales[i], source, len(self.rows)))
        return made

    def _squares(self, each: OpenFigure, count: float, counts: Mapping[str, float], start: Array) -> float:
        left = self._best({**counts, each.name: count}, start)[1]
        return float(left @ left)

    def _count(self, each: OpenFigure, counts: Mapping[str, float], start: Array) -> float:
        """The best whole number: first in doublings, then between."""
        low = max(1.0, each.lowest)
        high = min(each.highest, MOST_COUNT)
        tried: dict[float, float] = {}

        def squares(count: float) -> float:
            count = float(round(min(max(count, low), high)))
            if count not in tried:
                tried[count] = self._squares(each, count, counts, start)
            return tried[count]

        count, worse = low, 0
        while count <= high and worse < 3:
            worse = worse + 1 if squares(count) > min(tried.values()) * (1 + 1e-9) else 0
            count *= 2
        step = max(min(tried, key=lambda n: tried[n]) / 2, 1.0)
        while step >= 1:
            best = min(tried, key=lambda n: tried[n])
            for near in (best - step, best + step):
                squares(near)
            if min(tried, key=lambda n: tried[n]) == best:
                step = step // 2
        return min(tried, key=lambda n: tried[n])

    def _take_count(self, each: OpenFigure, counts: Mapping[str, float], start: Array) -> tuple[float, float]:
        """The counts that fit about as well: sums of squares within what chance gives."""
        best = counts[each.name]
        least = self._squares(each, best, counts, start)
        free = max(len(self.rows) * len(self.measured) - len(self.left), 1)
        most = least * (1 + 3.84 / free) + 1e-12

        def alike(count: float) -> bool:
            inside = max(1.0, each.lowest) <= count <= min(each.highest, MOST_COUNT)
            return inside and self._squares(each, count, counts, start) <= most

        ends = []
        for way in (-1.0, 1.0):
            near, step = best, 1.0
            while alike(near + way * step):
                near, step = near + way * step, 2 * step
            while step > 1:  # the last one that is, between this and the first that is not
                step /= 2
                near += way * step if alike(near + way * step) else 0.0
            ends.append(near)
        low, high = ends
        spread = (high - low) / 4
        draws = np.random.default_rng(1).normal(0.0, spread, DRAWS) if spread else np.zeros(DRAWS)
        source = ", ".join(self.measured)
        self.found.add(FigureEstimate(each, float(best), float(low), float(high), draws, source, len(self.rows)))
        return low, high
