"""Times at limits between those that are too short and too long: the longer, the fewer users come, and the less they wait."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

LEAST, MOST = 0.05, 0.95  # of a bracket: where the next point lies in it
BELIEVED = 2.0  # change over the width of a bracket beyond which it says no more
STALE = 100.0  # the same, beyond which the other end is not true any more: other limits moved it
FAR, FARTHER = 0.7, 2.0  # longest step in logs without a bracket, and how many times the one before where it went the same way
TINY = 1e-300


class BracketedWaits:
    """Logs of the time at each limit, and of what it leads to over it: regula falsi of M. Dowell and P. Jarratt (1971).

    Each limit has a bracket of its own. All that wait in one line move together, so that of several works before a limit none
    is sent back by what another one does.

    Examples
    --------
    A line that takes 100 seconds where nobody waited, and the shorter the longer each did:

    >>> line, tried = BracketedWaits(1), np.array([1.0])
    >>> for _ in range(12):
    ...     tried = line.next(tried, 100 / tried**5)
    >>> bool(abs(tried[0] - 100 ** (1 / 6)) < 1e-3)
    True
    """

    def __init__(self, count: int) -> None:
        self.low, self.high = np.full(count, -np.inf), np.full(count, np.inf)
        self.above, self.below = np.zeros(count), np.zeros(count)  # found over tried, at `low` and at `high`
        self.side, self.stride = np.zeros(count), np.full(count, FAR)

    def next(self, tried: Array, found: Array) -> Array:
        """The times to try next [s]."""
        at = np.log(np.maximum(tried, TINY))
        change = np.log(np.maximum(found, TINY)) - at
        rising = change > 0
        outside = (at <= self.low) | (at >= self.high) | (np.abs(change) > STALE * (self.high - self.low))
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
            part = np.clip(above / (above - below), LEAST, MOST)
            self.stride = np.where(again & ~inside, FARTHER * self.stride, FAR)
            away = at + np.clip(change, -self.stride, self.stride)
            middle = np.where(inside, self.low + part * (self.high - self.low), away)
        return np.asarray(np.exp(middle))
