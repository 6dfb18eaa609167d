"""Users' rates between those that are too low and too high: the more come, the longer the waits, and the fewer come."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places

LEAST, MOST = 0.02, 0.98  # of a bracket: where the next point lies in it
BELIEVED = 2.0  # change over the width of a bracket beyond which it says no more
STALE = 1e3  # the same, beyond which the other end is not true any more
FAR = 0.7  # longest step in logs without a bracket
TINY = 1e-300


class BracketedRates:
    """Logs of the rates of each work, and of what they lead to over them: regula falsi of M. Dowell and P. Jarratt (1971).

    Parameters
    ----------
    closed : ndarray (W,) of bool
        Works of users.
    """

    def __init__(self, closed: Places) -> None:
        shape = len(closed)
        self.closed = closed
        self.low, self.high = np.full(shape, -np.inf), np.full(shape, np.inf)
        self.above, self.below = np.zeros(shape), np.zeros(shape)  # found over tried, at `low` and at `high`
        self.side = np.zeros(shape)

    def farthest(self, tried: Array, found: Array) -> float:
        """Largest change of a rate [ratio]."""
        some = self.closed & (tried > 0)
        return float(np.abs(found[some] / tried[some] - 1).max(initial=0.0))

    def next(self, tried: Array, found: Array) -> Array:
        """The rates to try next."""
        at = np.log(np.maximum(tried, TINY))
        change = np.log(np.maximum(found, TINY)) - at
        rising = change > 0
        wide = self.high - self.low
        outside = (at <= self.low) | (at >= self.high) | (np.abs(change) > STALE * wide)  # the others moved it
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
            middle = np.where(inside, self.low + part * (self.high - self.low), at + np.clip(change, -FAR, FAR))
        return np.where(self.closed, np.exp(middle), tried)
