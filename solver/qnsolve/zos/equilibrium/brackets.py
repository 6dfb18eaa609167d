"""Numbers between those that are too low and too high: the more users come, the longer they wait, and the fewer come."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

BELIEVED = 2.0  # change over the width of a bracket beyond which it says no more
FAR = 0.7  # longest step in logs without a bracket
TINY = 1e-300


class Brackets:
    """Logs of some numbers, and of what each leads to over it: regula falsi of M. Dowell and P. Jarratt (1971).

    Each has a bracket of its own. Of times at limits all that wait in one line move together, so that of several works before a
    limit none is sent back by what another one does; of rates of users each work moves for itself, as beside work with a rate.

    Parameters
    ----------
    count : int
    least : float
        Part of a bracket by which the next point lies in it at least.
    stale : float
        Change over the width of a bracket beyond which its other end is not true any more: other numbers moved it.
    farther : float
        Longest step without a bracket over the one before, where that went the same way.

    Examples
    --------
    A line that takes 100 seconds where nobody waited, and the shorter the longer each did:

    >>> line, tried = Brackets(1), np.array([1.0])
    >>> for _ in range(12):
    ...     tried = line.next(tried, 100 / tried**5)
    >>> bool(abs(tried[0] - 100 ** (1 / 6)) < 1e-3)
    True
    """

    def __init__(self, count: int, least: float = 0.05, stale: float = 100.0, farther: float = 2.0) -> None:
        self.least, self.stale, self.farther = least, stale, farther
        self.low, self.high = np.full(count, -np.inf), np.full(count, np.inf)
        self.above, self.below = np.zeros(count), np.zeros(count)  # found over tried, at `low` and at `high`
        self.side, self.stride = np.zeros(count), np.full(count, FAR)

    def next(self, tried: Array, found: Array) -> Array:
        """The numbers to try next."""
        at = np.log(np.maximum(tried, TINY))
        change = np.log(np.maximum(found, TINY)) - at
        rising = change > 0
        outside = (at <= self.low) | (at >= self.high) | (np.abs(change) > self.stale * (self.high - self.low))
        self.low, self.high = np.where(outside, -np.inf, self.low), np.where(outside, np.inf, self.high)
        again = np.sign(change) == self.side
        self.above = np.where(rising, change, np.where(again, self.above / 2, self.above))
        self.below = np.where(rising, np.where(again, self.below / 2, self.below), change)
        self.low, self.high = np.where(rising, at, self.low), np.where(rising, self.high, at)
        self.side = np.sign(change)
        inside = np.isfinite(self.low) & np.isfinite(self.high)
        with np.errstate(invalid="ignore", divide="ignore"):
            most = BELIEVED * (self.high - self.low)
            above, below = np.minimum(self.above, most), np.maximum(self.below, -most)
            part = np.clip(above / (above - below), self.least, 1 - self.least)
            self.stride = np.where(again & ~inside, self.farther * self.stride, FAR)
            away = at + np.clip(change, -self.stride, self.stride)
            middle = np.where(inside, self.low + part * (self.high - self.low), away)
        return np.asarray(np.exp(middle))
