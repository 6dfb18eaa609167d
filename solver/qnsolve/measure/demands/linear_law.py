"""Numbers of 0 or more by which columns add up to measured values, and the interval in which each lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.measure.checked_series import Array
from qnsolve.numerics.least_squares import nonnegative

from .block_bootstrap import studentized
from .block_sums import MANY, condensed, drawn_sums

POWERS = (1.0, 0.5, 0.0)  # the noise of a row grows with this power of its value
FLOOR = 0.02  # of the mean: fitted values below count as this where noise is relative
ROUNDS = 6  # of weights and numbers
RATE_NOISE = 0.03  # most that measured rates are assumed to be off [relative]
HELD = 0.3  # share of what tells columns apart that noise in them may explain at most
LEVEL = 0.95  # of the intervals, 19 of 20
FEW_ROWS = 4.0  # the weights are fitted, too: a small sample is less certain than its draws say
TINY = 1e-12
SINGULAR = 1e-9  # singular value over the largest below which the rows do not separate columns
ALMOST = 1e-6  # part of a column in such a sum that counts as none


@dataclass(frozen=True)
class LinearLaw:
    """Values ≈ columns·numbers; p numbers, n rows.

    Attributes
    ----------
    numbers, lowest, highest : ndarray (p,)
        0 or more; ends of the intervals, 19 of 20.
    draws : ndarray (B, p)
        Errors of the numbers, drawn.
    fitted, left : ndarray (n,)
        Columns·numbers, and values less them.
    weights : ndarray (n,)
        One over the deviation of a row that is expected, but for a constant.
    power : float
        The noise grows with this power of the value: 1 relative, 0 the same for all.
    serial : float
        Correlation of the noise of neighbours.
    attenuation : ndarray (p,)
        By how much the numbers would be higher if the columns had noise of the same size.
    """

    numbers: Array
    lowest: Array
    highest: Array
    draws: Array
    fitted: Array
    left: Array
    weights: Array
    power: float
    serial: float
    attenuation: Array


def linear_law(columns: Array, values: Array, measured: NDArray[np.bool_]) -> LinearLaw:
    """The numbers (p,) of columns (n, p) and values (n,); `measured` marks the columns that may have noise themselves (p,)."""
    units = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    scale = float(np.abs(values).max()) or 1.0
    x, y = columns / units, values / scale
    power, weights = _weights(x, y)
    wx, wy = x * weights[:, None], y * weights
    few = condensed(wx, wy)
    free = np.asarray(np.linalg.lstsq(*few, rcond=None)[0])  # without a bound: its intervals hold whatever the bound does
    numbers = nonnegative(*few)
    left = wy - wx @ free
    rough = TINY * float(np.abs(wy).max())
    if float(np.abs(left).max()) <= rough:  # exact rows
        draws, errors, deviations, serial = np.zeros((1, len(units))), np.zeros((1, len(units))), np.zeros(len(units)), 0.0
        moved = np.zeros(len(units))
    else:
        draws, errors, deviations, serial = (drawn_sums if len(y) > MANY else studentized)(wx, left)
        moved = _attenuation(wx, wy, free, left, weights * (x @ np.maximum(numbers, 0)), measured)
    low, high = _ends(draws, deviations * np.sqrt(1 + FEW_ROWS / max(len(y) - len(units), 1)), moved)
    lowest = np.minimum(np.maximum(free + np.minimum(moved, 0) - low, 0.0), numbers)
    highest = np.maximum(np.maximum(free + np.maximum(moved, 0) + high, 0.0), numbers)
    for i in np.flatnonzero(_unknown(*condensed(x, y))):  # others may do all of its part, or it theirs
        there = x[:, i] > 0
        room = float(np.min((np.abs(y) + 3 * np.std(y - x @ numbers))[there] / x[there, i])) if there.any() else 0.0
        lowest[i], highest[i] = 0.0, max(room, float(numbers[i]))
    back = scale / units
    fitted = columns @ (numbers * back)
    return LinearLaw(
        numbers * back,
        lowest * back,
        highest * back,
        errors * back,
        fitted,
        values - fitted,
        weights / scale,
        power,
        serial,
        moved * back,
    )


def _unknown(x: Array, _: Array) -> NDArray[np.bool_]:
    """Columns (p,) that others add up to."""
    _, sizes, sides = np.linalg.svd(x, full_matrices=False)
    return np.asarray((np.abs(sides[sizes < SINGULAR * sizes[0]]) > ALMOST).any(axis=0))


def _weights(x: Array, y: Array) -> tuple[float, Array]:
    """The power of the value with which the noise grows that makes the rows likeliest, and one over each row's deviation."""
    if not (y > 0).any():
        return 0.0, np.ones(len(y))
    best: tuple[float, float, Array] | None = None
    for power in POWERS:
        weights = np.ones(len(y))
        for _ in range(ROUNDS if power else 1):
            sizes = x @ nonnegative(*condensed(x * weights[:, None], y * weights))
            weights = np.maximum(sizes, FLOOR * max(float(sizes.mean()), 1e-300)) ** -power
        wx, wy = x * weights[:, None], y * weights
        left = wy - wx @ np.linalg.lstsq(*condensed(wx, wy), rcond=None)[0]
        likely = float(np.log(weights).sum()) - len(y) / 2 * np.log(max(float(left @ left), 1e-300))
        if best is None or likely > best[0] + 1e-9:
            best = (likely, power, weights)
    assert best is not None
    return best[1], best[2]


def _attenuation(wx: Array, wy: Array, numbers: Array, left: Array, sizes: Array, measured: NDArray[np.bool_]) -> Array:
    """What errors in the measured columns, of the same relative size as in the values, take from the numbers (p,)."""
    n, p = wx.shape
    own = (wx * numbers * measured) ** 2
    square = float(left @ left) * n / max(n - p, 1) / max(float((sizes**2 + own.sum(axis=1)).sum()), 1e-300)
    square = min(square, RATE_NOISE**2)
    whole = wx.T @ wx
    noise = square / (1 + square) * np.diag(np.where(measured, np.diag(whole), 0.0))
    inverse = np.linalg.pinv(np.linalg.cholesky(whole + 1e-14 * np.trace(whole) * np.eye(p)))
    share = float(np.linalg.eigvalsh(inverse @ noise @ inverse.T)[-1])
    noise *= min(1.0, HELD / max(share, 1e-300))
    return np.asarray(np.linalg.lstsq(whole - noise, wx.T @ wy, rcond=None)[0] - numbers)


def _ends(draws: Array, deviations: Array, moved: Array) -> tuple[Array, Array]:
    """How far the interval reaches below the lower and above the higher of two numbers, one of which is the true one's.

    An interval for a number that is known within a range but for noise [ImbensManski2004]: the chance that it holds the
    true one is as stated at both ends of the range.
    """
    low, high = np.empty(len(deviations)), np.empty(len(deviations))
    for i, (each, deviation) in enumerate(zip(np.sort(draws, axis=0).T, deviations, strict=True)):
        apart = abs(float(moved[i])) / max(float(deviation), 1e-300)
        tail = (1 - LEVEL) / 2  # on either side; a part of the misses lies beyond the other end of the range
        for _ in range(20 if apart else 0):
            below, above = np.quantile(each, tail), np.quantile(each, 1 - tail)
            far = float(np.mean(each > above + apart) + np.mean(each < below - apart)) / 2
            tail = (tail + 1 - LEVEL - far) / 2
        below, above = np.quantile(each, tail), np.quantile(each, 1 - tail)
        low[i], high[i] = above * deviation, -below * deviation
    return low, high
