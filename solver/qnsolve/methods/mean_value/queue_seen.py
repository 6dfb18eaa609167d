"""The queue seen by an arriving job, from its mean alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from qnsolve.numerics.series import Array, trim

SMALL = 1000  # up to so many jobs the states are cut at the population and depend on the classes
STEPS = 100
EXTREME = 1e-9  # least distance of a share from 0 and 1


class Closure:
    """Distribution of n jobs at a station closed on its mean: P(n) in proportion to w_n·θⁿ·c_n^g.

    w_n = Π 1/μ(i) is the station's own shape, so any speeds are taken, and a single server
    is exact. c_n is the shape that follows from the rest of the network: if that is all delays, n!
    times the chance of n jobs, each class being there with its own probability, and that to the
    power g = 1 is exact; if it is one queue, g = 0 is. A table over θ gives the queue seen.

    Parameters
    ----------
    speeds : ndarray
        As `trim` returns them.
    most : int
        Jobs that may be there, 1 or more.
    rest : ndarray, optional
        ln c_n^g for n = 0 … most − 1 others, as `rest_of_network` gives it; none by default.
    """

    def __init__(self, speeds: Array, most: int, rest: Array | None = None) -> None:
        self.speeds, self.most = speeds, most
        self.single = len(speeds) == 1
        if not self.single:
            self.means, self.stretches = self._table(rest) if most <= SMALL else self._open_table()

    def stretch(self, others: Array) -> Array:
        """Residence time over demand of a job that meets that mean number of others."""
        if self.single:
            return (1 + others) / self.speeds[0]
        beyond = np.maximum(others - self.means[-1], 0.0) / self.speeds[-1]
        return np.interp(others, self.means, self.stretches) + beyond

    def _table(self, rest: Array | None) -> tuple[Array, Array]:
        """Means and stretches over θ; an arriving job sees 0 … most − 1 others."""
        shape = _shape(self.speeds, self.most)
        if rest is not None:
            shape = shape + rest[: self.most]
        jobs = np.arange(self.most)
        meets = (jobs + 1) / self.speeds[np.minimum(jobs, len(self.speeds) - 1)]
        slopes = np.diff(shape)  # from the θ where the first state dominates to that where the last does
        low, high = (float(-slopes.max()), float(-slopes.min())) if self.most > 1 else (0.0, 0.0)
        near = np.geomspace(1e-3, 30.0, STEPS // 2)
        logs = np.concatenate((low - near[::-1], np.linspace(low, high, 2 * STEPS), high + near))
        p = shape + np.multiply.outer(logs, jobs)
        p = np.exp(p - p.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        ends = np.array([0.0, self.most - 1.0]), meets[[0, -1]]
        return _rising(np.concatenate((ends[0], p @ jobs)), np.concatenate((ends[1], p @ meets)))

    def _open_table(self) -> tuple[Array, Array]:
        """The same without a cut and without c_n: geometric beyond the last speed's level."""
        logs = -np.geomspace(1e-7, 30.0, 2 * STEPS)
        level = len(self.speeds)
        jobs, tail = np.arange(level - 1), -1 / np.expm1(logs)
        p = np.exp(_shape(self.speeds, level) + np.multiply.outer(logs, np.arange(level)))
        head, last = p[:, :-1], p[:, -1] * tail
        total = head.sum(axis=1) + last
        means = (head @ jobs + last * (level - 2 + tail)) / total
        stretches = (head @ ((jobs + 1) / self.speeds[:-1]) + last * (level - 1 + tail) / self.speeds[-1]) / total
        return _rising(np.append(means, 0.0), np.append(stretches, 1 / self.speeds[0]))


def rest_of_network(population: Array, share: Array, power: float) -> Array:
    """Ln (n!·P(n))^g of n = 0 … ΣN jobs that are each at a station with the share of their class, up to a factor θⁿ.

    Built by classes from binomial numbers in logs, each scaled to its largest.

    Parameters
    ----------
    population, share : ndarray (R,)
        N [jobs] and where they are [0..1].
    power : float
        g, 0 to 1.
    """
    chance = np.zeros(1)
    for n, q in zip(population.astype(int).tolist(), np.clip(share, EXTREME, 1 - EXTREME).tolist(), strict=True):
        if n:
            jobs = np.arange(1.0, n + 1)
            own = np.concatenate(([0.0], np.cumsum(np.log((n + 1 - jobs) / jobs) + np.log(q / (1 - q)))))
            chance = _sum_of_logs(chance, own) if len(chance) > 1 else own
    return power * (chance + np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, len(chance)))))))


def _sum_of_logs(a: Array, b: Array) -> Array:
    """Ln of the convolution of e^a and e^b, term by term: no term is lost however small."""
    if len(a) < len(b):
        a, b = b, a
    out = np.full(len(a) + len(b) - 1, -np.inf)
    for j, value in enumerate(b.tolist()):
        part = out[j : j + len(a)]
        np.logaddexp(part, a + value, out=part)
    return out


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
    low, high, log = -700.0, 700.0, float(np.log1p(-1 / (mean + 1))) if mean < count / 2 else 0.0
    wanted = mean / max(count - mean, 1e-300)
    for _ in range(80):  # Newton on ln(mean/(count − mean)), halving where it would leave the bracket
        terms = shape + log * n
        some = np.exp(terms - terms.max())
        some /= some.sum()
        found = float(some @ n)
        low, high = (log, high) if found < mean else (low, log)
        spread = float(some @ (n - found) ** 2)
        if abs(found - mean) <= 1e-14 * mean or high - low <= 1e-15 * abs(high):
            break
        if 0 < found < count and spread > 0 and mean < count:
            log += float(np.log(wanted * (count - found) / found)) * found * (count - found) / (count * spread)
        if not low < log < high:
            log = (low + high) / 2
    p[: count + 1] = some
    return p


def _shape(speeds: Array, count: int) -> Array:
    """Logs of w_0, w_1, … with the last speed as the unit."""
    own = speeds[np.minimum(np.arange(count - 1), len(speeds) - 1)]
    return np.concatenate(([0.0], np.cumsum(np.log(speeds[-1] / own))))


def _rising(x: Array, y: Array) -> tuple[Array, Array]:
    """Both in the order of x, equal x left out."""
    x, first = np.unique(x, return_index=True)
    return x, y[first]
