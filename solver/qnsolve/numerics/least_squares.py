"""Least squares with bounds, by damped Gauss-Newton steps (Levenberg-Marquardt)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Residuals = Callable[[Array], Array]  # many points (P, p) at once to their residuals (P, n)
Weights = tuple[tuple[float, ...], tuple[float, ...]]
Differences = tuple[float, Weights, Weights]

STEP = 1e-7  # of the differences that give derivatives: numbers are of the order of one
DAMPING = 1e-3  # of the first step
WEAKEST, STRONGEST = 1e-12, 1e12  # damping
# step, and places and weights inside and beside a bound, of differences in which rounding counts far less than with STEP
SECOND = 1e-4, ((-1.0, 1.0), (-1 / 2, 1 / 2)), ((1.0, 2.0), (2.0, -1 / 2))
FOURTH = 2e-3, ((-2.0, -1.0, 1.0, 2.0), (1 / 12, -8 / 12, 8 / 12, -1 / 12)), ((1.0, 2.0, 3.0, 4.0), (4.0, -3.0, 4 / 3, -1 / 4))
SHARES = 1.0, 0.3, 0.1, 0.03, 0.01  # of a step of Newton, until the sum does not rise
ROUNDED = 1e-9  # relative rise of a sum of squares that may be rounding
SHORT = 1e-5  # a step below it that is not half of the one before is rounding


def derivatives(residuals: Residuals, x: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Residuals (n,) at a point and their derivatives (n, p), by differences to the side that has room."""
    step = np.where(x + STEP > upper, -STEP, STEP)
    values = residuals(np.vstack([x, x + np.diag(step)]))
    return values[0], ((values[1:] - values[0]) / step[:, None]).T


def fine_derivatives(residuals: Residuals, x: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Residuals (n,) and derivatives (n, p) at a point as `derivatives`, by four differences a number.

    Next to nothing of their error comes from rounding, so that they are the same on any processor.
    """
    found, slopes = _many_slopes(residuals, x[None], lower[None], upper[None], FOURTH, np.empty((1, 0)))
    return found[0], slopes[0].T


def _many_slopes(
    residuals: Residuals, x: Array, lower: Array, upper: Array, order: Differences, beside: Array
) -> tuple[Array, Array]:
    """Residuals (S, n) and derivatives (S, p, n) at many points (S, p), beside which numbers (S, q) stay as they are."""
    width, inside, aside = order
    reach = width * inside[0][-1]
    below, above = x - reach < lower, x + reach > upper
    step = np.where(above & ~below, -width, width)[:, :, None]
    places, weights = np.where(
        (below | above)[None, :, :, None], np.array(aside)[:, None, None], np.array(inside)[:, None, None]
    )
    points = x[:, None, None, :] + (places * step)[:, :, :, None] * np.eye(x.shape[1])[:, None, :]
    every = np.concatenate([x[:, None, :], points.reshape(len(x), -1, x.shape[1])], axis=1)
    fixed = np.repeat(beside, every.shape[1], axis=0)
    values = residuals(np.hstack([every.reshape(-1, x.shape[1]), fixed])).reshape(len(x), every.shape[1], -1)
    each = values[:, 1:].reshape(*places.shape, -1) - values[:, None, :1]
    return values[:, 0], np.einsum("spjn,spj->spn", each, weights / step)


def least_squares(
    residuals: Residuals, start: Array, lower: Array, upper: Array, *, rounds: int = 60, tolerance: float = 1e-11
) -> tuple[Array, Array]:
    """The point (p,) within the bounds where the sum of squares of the residuals is smallest near a start, and they (n,).

    Parameters
    ----------
    residuals : callable
        Takes many points, shape (P, p), and gives their residuals, (P, n).
    start, lower, upper : ndarray (p,)
    rounds : int
        Steps at most.
    tolerance : float
        Relative gain of a step below which the search ends.
    """
    x = np.clip(start, lower, upper)
    damping = DAMPING
    found, slopes = derivatives(residuals, x, lower, upper)
    for _ in range(rounds):
        downhill = -slopes.T @ found
        held = ((x <= lower) & (downhill < 0)) | ((x >= upper) & (downhill > 0))  # at a bound, and pressed against it
        free = np.flatnonzero(~held)
        if not len(free):
            break
        curvature = slopes[:, free].T @ slopes[:, free]
        scale = np.maximum(np.diag(curvature), 1e-300)
        gained = 0.0
        while damping <= STRONGEST:
            tried = x.copy()
            tried[free] += np.linalg.lstsq(curvature + damping * np.diag(scale), downhill[free], rcond=None)[0]
            tried = np.clip(tried, lower, upper)
            there = residuals(tried[None])[0]
            gained = float(found @ found - there @ there)
            if gained > 0:
                break
            damping *= 8
        if not gained > 0:
            break
        damping = max(damping / 10, WEAKEST)
        small = gained <= tolerance * float(found @ found)
        x = tried
        found, slopes = derivatives(residuals, x, lower, upper)
        if small or not found.any():
            break
    return x, found


def least_squares_many(
    residuals: Residuals,
    starts: Array,
    lower: Array,
    upper: Array,
    *,
    beside: Array | None = None,
    rounds: int = 60,
    tolerance: float = 1e-11,
) -> tuple[Array, Array]:
    """The points (S, p), each as that of `least_squares` from its own start and bounds (S, p), and their residuals (S, n).

    All are moved at once, each with its own damping, by derivatives that are the same on any processor. `beside` are numbers
    (S, q) that stay as they are: the residuals get them behind those that are searched.
    """
    x = np.clip(starts, lower, upper)
    many, count = x.shape
    fixed = np.empty((many, 0)) if beside is None else beside
    found, slopes = _many_slopes(residuals, x, lower, upper, SECOND, fixed)
    damping, going = np.full(many, DAMPING), np.arange(many)
    for _ in range(rounds):
        here, there, low, high = x[going], slopes[going], lower[going], upper[going]
        uphill = np.einsum("spn,sn->sp", there, found[going])
        curvature = np.einsum("spn,sqn->spq", there, there)
        curvature[:, np.arange(count), np.arange(count)] *= 1 + damping[going, None]
        step = _within(here, curvature, uphill, low, high)
        tried = np.clip(here + step, low, high)
        left, next_slopes = _many_slopes(residuals, tried, low, high, SECOND, fixed[going])
        before = np.sum(found[going] ** 2, axis=1)
        gained = before - np.sum(left**2, axis=1)
        better = gained > 0
        took = going[better]
        x[took], found[took], slopes[took] = tried[better], left[better], next_slopes[better]
        damping[going] = np.where(better, np.maximum(damping[going] / 10, WEAKEST), damping[going] * 8)
        ended = np.where(better, gained <= tolerance * before, damping[going] > STRONGEST)
        going = going[~(ended | (tried == here).all(axis=1))]
        if not len(going):
            break
    return x, found


def _within(x: Array, curvature: Array, uphill: Array, lower: Array, upper: Array) -> Array:
    """Steps (S, p) to where the slopes are 0, of those numbers that no bound holds; each ends at the first bound it meets."""
    free = ~(((x <= lower) & (uphill > 0)) | ((x >= upper) & (uphill < 0)))
    every = np.eye(x.shape[1])
    for _ in range(x.shape[1]):
        part = np.where(free[:, :, None] & free[:, None, :], curvature, every)
        part = part + every * (np.einsum("spp->sp", part) == 0)[:, :, None]
        step = -np.linalg.solve(part, (uphill * free)[:, :, None])[:, :, 0]
        out = ((x <= lower) & (step < 0)) | ((x >= upper) & (step > 0))
        if not out.any():
            break
        free &= ~out
    room = np.where(step > 0, upper - x, x - lower)
    share = np.min(np.where(np.abs(step) > room, room / np.maximum(np.abs(step), 1e-300), 1.0), axis=1)
    ends = x + share[:, None] * step
    met = np.abs(step) * share[:, None] >= room * (1 - 1e-12)
    return np.where(met & (step != 0), np.where(step > 0, upper, lower), ends) - x


def polished(residuals: Residuals, x: Array, lower: Array, upper: Array, *, rounds: int = 20) -> tuple[Array, Array]:
    """A point near the smallest sum of squares moved to where its derivatives are 0, by Newton's steps, and its residuals.

    A search that compares sums ends where they no longer differ, which is half of the digits of the point, the others by
    chance; derivatives differ from 0 down to the last ones.
    """

    def uphill(point: Array) -> tuple[Array, Array]:
        found, slopes = fine_derivatives(residuals, point, lower, upper)
        return found, slopes.T @ found

    def curved(point: Array) -> Array:
        ends = [np.clip(point + way * np.eye(len(point)), lower, upper) for way in (-FOURTH[0], FOURTH[0])]
        rows = [(uphill(high)[1] - uphill(low)[1]) / (high - low).sum() for low, high in zip(*ends, strict=True)]
        return (np.array(rows) + np.array(rows).T) / 2

    found, slope = uphill(x)
    curvature, last = curved(x), np.inf
    for _ in range(rounds):
        sizes, ways = np.linalg.eigh(curvature)
        sizes = np.maximum(np.abs(sizes), 1e-14 * np.abs(sizes).max(initial=1e-300))  # downhill where it curves down, too
        step = _within(x[None], (ways * sizes @ ways.T)[None], slope[None], lower[None], upper[None])[0]
        most = float(found @ found) * (1 + ROUNDED) + 1e-30
        for share in SHARES:
            tried = np.clip(x + share * step, lower, upper)
            there, next_slope = uphill(tried)
            if float(there @ there) <= most:
                break
        else:
            break
        moved = float(np.max(np.abs(tried - x) / np.maximum(np.abs(x), 1.0)))
        x, found, slope = tried, there, next_slope
        if moved < SHORT and moved > last / 2:
            break
        if moved > last / 10:
            curvature = curved(x)
        last = moved
    return x, found


def nonnegative(matrix: Array, values: Array) -> Array:
    """The numbers of 0 or more (p,) for which matrix (n, p) times them is nearest to the values (n,).

    Active sets: a number that would fall below 0 is held at 0, and let free where that brings the values nearer.
    """
    count = matrix.shape[1]
    scale = np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
    columns = matrix / scale
    found, free = np.zeros(count), np.zeros(count, dtype=bool)
    nothing = 1e-10 * float(np.linalg.norm(values))
    for _ in range(3 * count):
        gain = np.where(free, -np.inf, columns.T @ (values - columns @ found))
        if free.all() or gain.max() <= nothing:
            break
        free[int(np.argmax(gain))] = True
        while True:
            tried = np.zeros(count)
            tried[free] = np.linalg.lstsq(columns[:, free], values, rcond=None)[0]
            if tried[free].min() >= 0:
                break
            below = free & (tried < 0)
            share = float(np.min(found[below] / (found[below] - tried[below])))
            found = np.maximum(found + share * (tried - found), 0.0)
            free &= ~(below & (found <= 1e-14 * found.max(initial=1e-300)))
            if not free.any():
                break
        found = tried
    return np.asarray(found / scale)


def student(probability: float, freedom: float) -> float:
    """Quantile of Student's t distribution, within 1e-4 from 20 degrees of freedom on, 3 % from 2 on.

    Examples
    --------
    >>> round(student(0.975, 24), 3)
    2.064
    """
    z = NormalDist().inv_cdf(probability)
    v = 1 / freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + v * (first + v * (second + v * (third + v * fourth)))
