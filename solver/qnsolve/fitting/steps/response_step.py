"""The second step of a fit: what the laws leave open, from responses and rates, by solving the model itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import OpenFigure
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.block_bootstrap import DRAWS, studentized
from qnsolve.numerics.least_squares import least_squares_many, student

from .estimates import FigureEstimate, FitState, given_rates
from .start_points import spread_places
from .whole_counts import WholeCount

MOST_COUNTS = 7  # that are fitted beside the best one
MOST_ROWS = 240  # of which a fit takes every so many-th: each is solved at every step
SLOW_ROWS = 12  # of a model that is solved row by row
QUICK, SLOW = {"rounds": 30, "tolerance": 1e-8}, {"rounds": 4, "tolerance": 1e-2}  # of the search
WORST = 25.0  # logarithm of a response without bound
LEVEL = (0.025, 0.975)
NORMAL = 1.96
STILL = 1e-12  # slope of a series that does not depend on a figure
FEWEST_FREE = 2  # degrees of freedom that are assumed at least
REWEIGHTED, SETTLED = 8, 0.02  # times that the noise of the series is taken anew; its change that counts as none
GROWTH, STEPS = 4.0, 12  # of steps from a bound
SEARCHED = 2  # of the places that a search of other counts is begun from, beside the end of the nearest counts


class Points(Protocol):
    """Solves a sketched model at many values of its figures and many rows."""

    def solved(self, values: Mapping[str, Array], rows: MeasuredRows) -> dict[str, Array]:
        """Columns (P, n) by NAME.quantity."""

    def usable(self, rows: MeasuredRows) -> Any:
        """Rows whose loads are known."""

    def loads(self, rows: MeasuredRows) -> Mapping[tuple[str, str], Any]:
        """Loads by class and key."""


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
    problem = _Problem(left, points, some, found, quantities, slow)
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
        slow: bool,
    ) -> None:
        self.slow = slow
        self.made: dict[tuple[float, ...], tuple[Array, Array]] = {}  # by counts: the other figures, what they leave
        self.begins: dict[tuple[float, ...], Array] = {}
        self.left, self.points, self.rows, self.found = left, points, rows, found
        self.counts = [each for each in left if each.whole]
        self.free = [each for each in left if not each.whole]
        self.known = {name: each.value for name, each in found.estimates.items()}
        first = np.concatenate([np.zeros(len(self.free)), np.ones(len(self.counts))])
        there = points.solved(self._values(first[None]), rows)
        given = given_rates(points.loads(rows))  # not what it answers
        answered = [title.rpartition(".") for title in there if title not in given]
        self.measured = {
            f"{name}.{quantity}": rows.column(name, quantity)
            for name, _, quantity in answered
            if quantity in quantities and rows.has(name, quantity)
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

    def _values(self, x: Array, known: Mapping[str, float] | None = None) -> dict[str, Array]:
        """Values (P,) by name of points (P, free figures in their scales, then counts)."""
        scales = self._scales() if hasattr(self, "units") else np.full(len(self.free), 1e-6)
        values = {name: np.full(len(x), value) for name, value in (known or self.known).items()}
        values |= {each.name: x[:, i] * scales[i] for i, each in enumerate(self.free)}
        return values | {each.name: x[:, len(self.free) + i] for i, each in enumerate(self.counts)}

    def residuals(self, x: Array, known: Mapping[str, float] | None = None) -> Array:
        """Logarithms of measured over solved, in units of each series' noise (P, rows of all series)."""
        there = self.points.solved(self._values(x, known), self.rows)
        parts = []
        none = np.full((len(x), len(self.rows)), np.nan)  # where every row has a full center
        for title, measured in self.measured.items():
            ok = measured > 0
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(measured[ok]) - np.log(there.get(title, none)[:, ok])
            logs = np.where(np.isfinite(logs), logs, -WORST)
            parts.append(logs / self.noise[title])
        return np.hstack(parts)

    def _search(self, wanted: Sequence[tuple[float, ...]]) -> None:
        """Best figures beside each of some counts, all at once.

        Each is searched from where the nearest counts ended, and, the first time, from the best of places spread over all
        sizes: at a figure of 0 the sum of squares may have no slope, and a search that comes there ends.
        """
        new = [counts for counts in wanted if counts not in self.made]
        if not new:
            return
        beside = np.array(new).reshape(len(new), len(self.counts))
        ends = np.array([self._begin(counts) for counts in new]).reshape(len(new), len(self.free))
        if self.free:
            begins = ends[:, None]
            if not self.slow and any(counts not in self.begins for counts in new):
                begins = np.concatenate([begins, self._best_places(beside)], axis=1)
            ends, left = self._least(begins, beside)
        else:
            left = self.residuals(beside)
        self.made |= {counts: (x, each) for counts, x, each in zip(new, ends, left, strict=True)}
        self.begins |= dict(zip(new, ends, strict=True))

    def _begin(self, counts: tuple[float, ...]) -> Array:
        if not self.begins:
            return np.array([1.0 if each.start is not None else 0.5 for each in self.free])
        near = min(self.begins, key=lambda other: float(np.abs(np.log(np.divide(counts, other))).sum()))
        return self.begins[near]

    def _bounds(self) -> tuple[Array, Array]:
        """Of the free figures, in their scales."""
        scales = self._scales()
        lowest, highest = np.array([each.lowest for each in self.free]), np.array([each.highest for each in self.free])
        return lowest / scales, highest / scales

    def _best_places(self, beside: Array) -> Array:
        """Of places spread over all sizes those with the least sums of squares beside each of the counts (S, 2, free)."""
        places = np.clip(spread_places(len(self.free)), *self._bounds())
        every = np.hstack([np.tile(places, (len(beside), 1)), np.repeat(beside, len(places), axis=0)])
        squares = np.sum(self.residuals(every) ** 2, axis=1).reshape(len(beside), len(places))
        return places[np.argsort(squares, axis=1, kind="stable")[:, :SEARCHED]]

    def _least(self, begins: Array, beside: Array) -> tuple[Array, Array]:
        """The best end (S, free), and what it leaves, of searches from several begins (S, B, free) beside the same counts."""
        count, each = begins.shape[:2]
        lower, upper = (np.tile(bound, (count * each, 1)) for bound in self._bounds())
        starts, counts = begins.reshape(count * each, -1), np.repeat(beside, each, axis=0)
        search: Any = SLOW if self.slow else QUICK
        ends, left = least_squares_many(self.residuals, starts, lower, upper, beside=counts, **search)
        best = np.sum(left**2, axis=1).reshape(count, each).argmin(axis=1) + each * np.arange(count)
        return ends[best], left[best]

    def _count(self, i: int, counts: tuple[float, ...]) -> WholeCount:
        """One of the counts, beside the others."""

        def squares(numbers: Sequence[float]) -> list[float]:
            every = [(*counts[:i], n, *counts[i + 1 :]) for n in numbers]
            self._search(every)
            return [float(self.made[each][1] @ self.made[each][1]) for each in every]

        return WholeCount(squares, self.counts[i].lowest, self.counts[i].highest)

    def fit(self) -> None:
        """Best values, again and again until each series counts by what the fit itself leaves of it."""
        best = tuple(float(each.start or 1.0) for each in self.counts)
        searched: list[WholeCount] = []
        for again in range(REWEIGHTED, 0, -1):
            self.made.clear()
            searched.clear()
            for i in range(len(self.counts)):
                searched.append(self._count(i, best))
                best = (*best[:i], searched[i].best(), *best[i + 1 :])
            self._search([best])
            if again == 1 or self._weighed(self.made[best][1]):
                break
        alike = [best]
        for i, (each, count) in enumerate(zip(self.counts, searched, strict=True)):
            low, high = self._take_count(each, count, best, i)
            alike += [(*best[:i], n, *best[i + 1 :]) for n in self._between(low, best[i], high)]
        if self.free:
            self._take(alike)

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

    def _weighed(self, left: Array) -> bool:
        """Whether each series counts by what is left of it already; else it does from here on."""
        sizes = {title: float(np.sqrt(np.mean(part**2))) * self.noise[title] for title, part in self._parts(left).items()}
        least = max(max(sizes.values()) * 1e-3, 1e-9)
        noise = {title: max(size, least) for title, size in sizes.items()}
        if all(abs(noise[title] / self.noise[title] - 1) < SETTLED for title in noise):
            return True
        self.noise = noise
        return False

    def _take(self, alike: list[tuple[float, ...]]) -> None:
        """Estimates with intervals: those of the best counts, and of others that fit about as well."""
        self._search(alike)
        made = [self._estimates(self.made[counts][0], counts) for counts in alike]
        for best, *others in zip(*made, strict=True):
            lowest = min(best.lowest, *(each.lowest for each in others), best.value)
            highest = max(best.highest, *(each.highest for each in others), best.value)
            spread = float(np.std([best.value, *(each.value for each in others)]))
            draws = best.draws + (np.random.default_rng(2).normal(0.0, spread, DRAWS) if spread else 0.0)
            self.found.add(replace(best, lowest=lowest, highest=highest, draws=draws))

    def _uncertain(self, information: Array) -> float:
        """How many times the variance of a figure is what it would be if the noise of each series were known [Meier1953].

        Of a figure that has a share w of what is known of it from a series whose noise has f degrees of freedom:
        1 + 4·Σ w·(1 − w)/f. `information` is what each row adds to it (rows of all series,).
        """
        return 1 + 4 * sum(share * (1 - share) / free for share, free in self._shares(information))

    def _shares(self, information: Array) -> list[tuple[float, float]]:
        """The share of what is known of a figure that each series has, and the degrees of freedom of its noise."""
        squares = {title: float(part @ part) for title, part in self._parts(information).items()}
        total, rows = sum(squares.values()), sum(int(np.sum(each > 0)) for each in self.measured.values())
        free = 1 - min(len(self.left) / rows, 0.5)  # of a row
        sizes = {title: free * float(np.sum(self.measured[title] > 0)) for title in squares}
        return [(square / max(total, 1e-300), sizes[title]) for title, square in squares.items()]

    def _wider(self, information: Array, together: int) -> float:
        """Student's quantile for the noise of the series that inform a figure, over that for all rows `together`.

        Each series counts by what is left of its own rows; the variance of the figure has the degrees of freedom of a sum of
        such variances [Satterthwaite1946].
        """
        own = 1 / max(sum(share**2 / free for share, free in self._shares(information)), 1e-300)
        own = min(max(own, FEWEST_FREE), together)
        return student(LEVEL[1], own) / student(LEVEL[1], together)

    def _estimates(self, x: Array, counts: tuple[float, ...]) -> list[FigureEstimate]:
        """From residuals, and from what is not known of the figures of the first step."""
        p = len(x)
        left, slopes = self._slopes(x, counts)
        sizes = np.linalg.norm(slopes, axis=0)
        dead = sizes < 1e-9 * max(float(np.sqrt(len(left))), 1.0)
        if dead.any():
            name = self.free[int(np.argmax(dead))].name
            raise ModelError(name, "is not informed: nothing that was measured depends on it", "write a number into the sketch")
        scales, inverse = self._scales(), np.linalg.pinv(slopes)
        moves, drawn = self._earlier(x, counts, left)
        if float(np.abs(left).max()) <= 1e-9:
            draws, errors, deviations = np.zeros((DRAWS, p)), np.zeros((DRAWS, p)), np.zeros(p)
        else:
            informing = self._informing(slopes)
            draws, errors, deviations, _ = studentized(-slopes[informing], left[informing], before=moves[informing])
        deviations = deviations * np.sqrt([self._uncertain(row) for row in inverse])
        together = max(int(self._informing(slopes).sum()) - p - moves.shape[1], FEWEST_FREE)
        deviations = deviations * [self._wider(row, together) for row in inverse]
        earlier = -drawn @ (inverse @ moves).T
        own = errors + earlier
        wide = np.sqrt(deviations**2 + earlier.var(axis=0))
        around = draws * deviations + earlier
        parts = self._parts(np.arange(float(len(left))))
        source = ", ".join(title for title, at in parts.items() if np.abs(slopes[at.astype(int)]).max(initial=0.0) > STILL)
        made = []
        for i, each in enumerate(self.free):
            low, high = np.quantile(around[:, i], LEVEL) if wide[i] else (0.0, 0.0)
            ends = max(x[i] - high, 0.0) * scales[i], max(x[i] - low, 0.0) * scales[i]
            value = float(x[i] * scales[i])
            lowest, highest = min(float(ends[0]), value), max(float(ends[1]), value)
            made.append(FigureEstimate(each, value, lowest, highest, own[:, i] * scales[i], source, len(self.rows)))
        return made

    def _informing(self, slopes: Array) -> NDArray[np.bool_]:
        """Rows (n,) of the series that depend on a figure: the noise of others says nothing of how far off it is."""
        found = [np.full(len(part), bool(np.abs(part).max(initial=0.0) > STILL)) for part in self._parts(slopes).values()]
        return np.concatenate(found)

    def _slopes(self, x: Array, counts: tuple[float, ...]) -> tuple[Array, Array]:
        """What is left (n,), and how it changes with each figure (n, p).

        At a bound there may be no slope, as of a short delay before a station where jobs wait: of a figure that is nearer to
        its lower bound than its slope can tell, it is that over the first of growing steps that changes what is left by its
        noise.
        """

        def moved(steps: Array) -> Array:
            return self.residuals(np.hstack([x + steps, np.tile(counts, (len(steps), 1))]))

        every = np.eye(len(x))
        step = 1e-4 * np.maximum(np.abs(x), 1e-2)
        left, *there = moved(np.vstack([np.zeros(len(x)), np.diag(step)]))
        slopes = (np.array(there) - left) / step[:, None]
        for i in np.flatnonzero((x - self._bounds()[0]) * np.linalg.norm(slopes, axis=1) <= 1):
            steps = step[i] * GROWTH ** np.arange(STEPS)
            changes = moved(steps[:, None] * every[i]) - left
            first = int(np.argmax(np.linalg.norm(changes, axis=1) >= 1))  # the smallest step where none is enough
            slopes[i] = changes[first] / steps[first]
        return left, slopes.T

    def _earlier(self, x: Array, counts: tuple[float, ...], left: Array) -> tuple[Array, Array]:
        """What the figures of the first step move the residuals by (n, b), and drawn errors of theirs (B, b) in that unit."""
        moves, drawn = [], []
        for name, value in self.known.items():
            before = self.found.estimates[name]
            shift = max(float(np.std(before.draws)), 1e-6 * value)
            if before.draws.any():
                moves.append(self.residuals(np.append(x, counts)[None], {**self.known, name: value + shift})[0] - left)
                drawn.append(before.draws / shift)
        if not moves:
            return np.zeros((len(left), 0)), np.zeros((DRAWS, 0))
        return np.column_stack(moves), np.column_stack(drawn)

    def _take_count(self, each: OpenFigure, count: WholeCount, best: tuple[float, ...], i: int) -> tuple[float, float]:
        """The counts that fit about as well: sums of squares within what chance gives."""
        number = count.best()
        least = count.tried[number]
        free = max(len(self.made[best][1]) - len(self.left), 1)
        other = min((n for n in count.tried if n != number), key=lambda n: count.tried[n], default=number)
        apart = self.made[(*best[:i], other, *best[i + 1 :])][1] - self.made[best][1]
        student = NORMAL + (NORMAL**3 + NORMAL) / (4 * free)
        low, high = count.alike(least * (1 + student**2 * self._uncertain(apart) / free) + 1e-12)
        spread = (high - low) / 4
        draws = np.random.default_rng(1).normal(0.0, spread, DRAWS) if spread else np.zeros(DRAWS)
        source = ", ".join(self.measured)
        self.found.add(FigureEstimate(each, number, low, high, draws, source, len(self.rows)))
        return low, high
