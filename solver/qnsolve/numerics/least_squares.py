"""Least squares with bounds, by damped Gauss-Newton steps (Levenberg-Marquardt)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Residuals = Callable[[Array], Array]  # many points (P, p) at once to their residuals (P, n)

STEP = 1e-7  # of the differences that give derivatives: numbers are of the order of one
DAMPING = 1e-3  # of the first step
WEAKEST, STRONGEST = 1e-12, 1e12  # damping


def derivatives(residuals: Residuals, x: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Residuals (n,) at a point and their derivatives (n, p), by differences to the side that has room."""
    step = np.where(x + STEP > upper, -STEP, STEP)
    values = residuals(np.vstack([x, x + np.diag(step)]))
    return values[0], ((values[1:] - values[0]) / step[:, None]).T


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
