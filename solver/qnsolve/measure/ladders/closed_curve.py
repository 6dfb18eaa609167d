"""Throughput by load of a delay beside one station whose speed depends on the jobs there: the curve that is fitted.

The shape s says how sharply the curve bends where it saturates, at the same unloaded response r and highest rate C:

    s = 1      r·C parallel servers: min(N/r, C)
    0 < s < 1  m = 1 + s·(r·C − 1) servers beside a delay; regular times of service bend as more servers do
    s = 0      one server beside a delay
    s < 0      jobs also contend: speed C·n/(n + a) with n jobs, a = −s·(r·C − 1)
    s = −1     the universal scalability law with contention 1/(r·C) and no delay

With several nodes, each with its part of the servers, jobs go to any of them as likely: some wait while servers of another
node are free, so that the curve comes to C slowly whatever its bend. The nodes are one station with the rate at which jobs
leave all of them, exactly [Chandy1975].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .node_shares import node_shares

Array = NDArray[np.float64]

NO_DELAY = 1e-300
MANY, STRIDE = 2000, 64  # jobs from which on a sum is first looked at in strides
ALONE = 20_000  # jobs from which on curves are worked on one by one
NOTHING = 80.0  # logarithm of the largest term over one that does not count
CELLS = 2_000_000  # points times jobs that are worked on at once


@dataclass(frozen=True)
class Curves:
    """Parameters of many curves, each of shape (P,).

    Attributes
    ----------
    response : ndarray
        r, response of a job alone [time].
    knee : ndarray
        r·C, the jobs with which the station would be full without waiting, 1 or more [jobs].
    shape : ndarray
        s, -1 to 1.
    decline : ndarray
        Share of the speed lost for each job beyond the servers; with s < 0 the coherency over the contention.
    think_time : float
        Time outside [time].
    nodes : int
        Equal stations among which the servers and the jobs are divided; with 2 and more s is 0 or more, and nothing declines.
    """

    response: Array
    knee: Array
    shape: Array
    decline: Array
    think_time: float = 0.0
    nodes: int = 1

    @property
    def capacity(self) -> Array:
        """C [jobs/time]."""
        return self.knee / self.response

    @property
    def servers(self) -> Array:
        """Servers of the station, 1 with contention; of all nodes together, one each at least [count]."""
        return np.maximum(1 + np.maximum(self.shape, 0) * (self.knee - 1), self.nodes)

    @property
    def contention(self) -> Array:
        """A of the speed C·n/(n + a), 0 without contention [jobs]."""
        return np.maximum(-self.shape, 0) * (self.knee - 1)

    @property
    def delay(self) -> Array:
        """Time of a job outside the station and inside the response [time]."""
        left = self.response - (self.servers + self.contention) / self.capacity
        return np.where(left < 1e-12 * self.response, 0.0, left)

    def speeds(self, jobs: int) -> Array:
        """Rate of departure with 1, 2, ... jobs at the station (P, jobs) [jobs/time]."""
        return self.capacity[:, None] * self._shares(jobs)

    def _shares(self, jobs: int) -> Array:
        """The same over the capacity; of curves that are all of one kind nothing of the other is computed."""
        if self.nodes > 1:
            return node_shares(self.servers / self.nodes, self.nodes, jobs)
        contends = self.shape < 0
        if contends.all():
            return self._contending(jobs)
        if not contends.any():
            return self._queueing(jobs)
        return np.where(contends[:, None], self._contending(jobs), self._queueing(jobs))

    def _contending(self, jobs: int) -> Array:
        n, contention = _counts(jobs), self.contention[:, None]
        if not self.decline.any():
            return n / (n + contention)
        return n / (n + contention + self.decline[:, None] * n * (n - 1))

    def _queueing(self, jobs: int) -> Array:
        n, servers = _counts(jobs), self.servers[:, None]
        if not self.decline.any():
            return np.minimum(n, servers) / servers
        return np.minimum(n, servers) / servers / (1 + self.decline[:, None] * np.maximum(n - servers, 0))

    def throughput(self, loads: Array) -> Array:
        """Exact throughput at each load (P, L) [jobs/time]; between whole loads on the straight line."""
        low, high = np.floor(loads).astype(int), np.ceil(loads).astype(int)
        sizes = np.unique(np.concatenate([low, high]))
        step = max(1, CELLS // int(sizes[-1] + 1)) if sizes[-1] <= ALONE else 1  # so that what counts is narrow
        parts = [self._part(start, start + step)._at(sizes) for start in range(0, len(self.knee), step)]
        found = np.vstack(parts) if parts else np.empty((0, len(sizes)))
        at = dict(zip(sizes.tolist(), found.T, strict=True))
        share = loads - low
        lower, upper = (np.array([at[n] for n in side.tolist()]).T for side in (low, high))
        return lower + share * (upper - lower)

    def _part(self, start: int, end: int) -> Curves:
        pick = slice(start, end)
        response, knee, shape, decline = self.response[pick], self.knee[pick], self.shape[pick], self.decline[pick]
        return Curves(response, knee, shape, decline, self.think_time, self.nodes)

    def _at(self, sizes: NDArray[np.intp]) -> Array:
        """Weights of n jobs at the station and N - n outside, in logarithms; X(N) = G(N - 1)/G(N).

        In the unit of time of 1/C: logarithms stay small, and with them what rounding does to their sums.
        """
        most = int(sizes[-1])
        outside = np.log(np.maximum((self.delay + self.think_time) * self.capacity, NO_DELAY))[:, None]
        start = np.zeros((len(self.knee), 1))
        away = np.hstack([start, np.cumsum(outside - _logs(most), axis=1)])
        there = np.hstack([start, -np.cumsum(np.log(self._shares(most)), axis=1)])
        found = np.empty((len(self.knee), len(sizes)))
        for column, n in enumerate(sizes.tolist()):
            found[:, column] = np.exp(_log_growth(away, there, n)) if n else 0.0
        return found * self.capacity[:, None]


@lru_cache(maxsize=8)
def _counts(jobs: int) -> Array:
    return np.arange(1.0, jobs + 1)


@lru_cache(maxsize=8)
def _logs(jobs: int) -> Array:
    return np.log(_counts(jobs))


def _log_growth(away: Array, there: Array, jobs: int) -> Array:
    """Logarithm of G(jobs - 1)/G(jobs), sums over the jobs at the station; of very many those that count."""
    start, end = 0, jobs + 1
    if jobs > MANY:
        seen = np.append(np.arange(0, jobs, STRIDE), jobs)
        terms = away[:, jobs - seen] + there[:, seen]
        counts = np.flatnonzero((terms > terms.max(axis=1)[:, None] - NOTHING).any(axis=0))
        start, end = int(seen[max(counts[0] - 1, 0)]), int(seen[min(counts[-1] + 1, len(seen) - 1)]) + 1
    less = min(end, jobs)  # one job less moves what counts by one place at most
    one_less = away[:, jobs - less : jobs - start][:, ::-1] + there[:, start:less]
    return _log_sum(one_less) - _log_sum(away[:, jobs - end + 1 : jobs - start + 1][:, ::-1] + there[:, start:end])


def _log_sum(terms: Array) -> Array:
    largest = terms.max(axis=1)
    return np.asarray(largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1)))
