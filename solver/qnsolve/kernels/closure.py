"""What an arriving job meets at a station, from the mean number it meets alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from .series import Array, trim

SMALL = 5000  # up to this many jobs the states are cut at the population
STEPS = 160


class Closure:
    """Distribution of n jobs at a station closed on its mean: P(n) in proportion to w_n·θⁿ.

    w_n = Π 1/μ(i) is the station's own shape, so any speeds are taken, and a single
    server and as many servers as jobs are exact. A table over θ gives what a job meets.

    Parameters
    ----------
    speeds : ndarray
        As `trim` returns them.
    most : int
        Jobs that may be there, 1 or more.
    """

    def __init__(self, speeds: Array, most: int) -> None:
        self.speeds, self.most = speeds, most
        self.single = len(speeds) == 1
        if not self.single:
            self.means, self.stretches = self._table() if most <= SMALL else self._open_table()

    def stretch(self, others: Array) -> Array:
        """Residence time over demand of a job that meets so many others in the mean."""
        if self.single:
            return (1 + others) / self.speeds[0]
        beyond = np.maximum(others - self.means[-1], 0.0) / self.speeds[-1]
        return np.interp(others, self.means, self.stretches) + beyond

    def _table(self) -> tuple[Array, Array]:
        """Means and stretches over θ; an arriving job sees 0 … most − 1 others."""
        near = np.geomspace(1e-7, 30.0, STEPS)
        logs = np.concatenate((-near[::-1], [0.0], near))
        jobs = np.arange(self.most)
        meets = (jobs + 1) / self.speeds[np.minimum(jobs, len(self.speeds) - 1)]
        p = _shape(self.speeds, self.most) + np.multiply.outer(logs, jobs)
        p = np.exp(p - p.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        ends = np.array([0.0, self.most - 1.0]), meets[[0, -1]]
        return _rising(np.concatenate((ends[0], p @ jobs)), np.concatenate((ends[1], p @ meets)))

    def _open_table(self) -> tuple[Array, Array]:
        """The same with no cut: geometric beyond the last speed's level."""
        logs = -np.geomspace(1e-7, 30.0, STEPS)
        level = len(self.speeds)
        jobs, tail = np.arange(level - 1), -1 / np.expm1(logs)
        p = np.exp(_shape(self.speeds, level) + np.multiply.outer(logs, np.arange(level)))
        head, last = p[:, :-1], p[:, -1] * tail
        total = head.sum(axis=1) + last
        means = (head @ jobs + last * (level - 2 + tail)) / total
        stretches = (head @ ((jobs + 1) / self.speeds[:-1]) + last * (level - 1 + tail) / self.speeds[-1]) / total
        return _rising(np.append(means, 0.0), np.append(stretches, 1 / self.speeds[0]))


@lru_cache(256)
def closure(speeds: bytes, most: int) -> Closure:
    """The closure of speeds given as the bytes of their array, made once."""
    return Closure(np.frombuffer(speeds), most)


def closed_on(lengths: Array, most: Array, speeds: Sequence[Array | None], k: int) -> Array:
    """P(n jobs at station k), n = 0 … most of all, in the shape of the station and with its mean.

    `lengths` and `most` are the mean numbers at the stations, and how many may be there.
    """
    total, mean = int(most.max(initial=0)), float(lengths[k])
    p = np.zeros(total + 1)
    if mean <= 0:
        p[0] = 1.0
        return p
    count, own = int(most[k]), speeds[k]
    n, shape = np.arange(count + 1), _shape(trim(np.arange(1.0, count + 1) if own is None else own, count), count + 1)
    low, high = -700.0, 700.0
    for _ in range(80):
        log = (low + high) / 2
        some = np.exp(shape + log * n - (shape + log * n).max())
        some /= some.sum()
        low, high = (log, high) if some @ n < mean else (low, log)
    p[: count + 1] = some
    return p


def _shape(speeds: Array, count: int) -> Array:
    """Logs of w_0, w_1, … with the last speed as the unit."""
    own = speeds[np.minimum(np.arange(count - 1), len(speeds) - 1)]
    return np.concatenate(([0.0], np.cumsum(np.log(speeds[-1] / own))))


def _rising(x: Array, y: Array) -> tuple[Array, Array]:
    """Both in the order of x, without x that do not differ."""
    x, first = np.unique(x, return_index=True)
    return x, y[first]
