"""Exact stations with two-phase arrivals and two-phase service: what approximations are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from qnsolve.stations.distributions import poisson_window

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Phases:
    """A time of mean 1: start in the first phase with probability `first`, then perhaps the second.

    `rates` are those of leaving a phase; `onward` is the chance that the second follows the first.
    """

    first: float
    rates: tuple[float, float]
    onward: float

    @property
    def variation(self) -> float:
        """Squared coefficient of variation."""
        (a, b), p, q = self.rates, self.first, self.onward
        second = p * (2 / a**2 + q * (2 / b**2 + 2 / a / b)) + (1 - p) * 2 / b**2
        return second - 1


EXPONENTIAL = Phases(1.0, (1.0, 1.0), 0.0)
ERLANG = Phases(1.0, (2.0, 2.0), 1.0)


def hyperexponential(variation: float) -> Phases:
    """Two exponential branches with balanced means, squared variation above 1."""
    p = (1 + sqrt((variation - 1) / (variation + 1))) / 2
    return Phases(p, (2 * p, 2 * (1 - p)), 0.0)


class Exact:
    """PH/PH/c in steady state, arrivals at rate c·busy, service time 1.

    Attributes
    ----------
    waiting_time, probability_wait : float
        Of an arriving job.
    """

    def __init__(self, arrivals: Phases, service: Phases, servers: int, busy: float) -> None:
        self.arrivals, self.service, self.servers, self.rate = arrivals, service, servers, servers * busy
        down, local, up = zip(*(self._blocks(n) for n in range(servers + 2)), strict=True)
        ratio = _ratio(up[-1], local[-1], down[-1])
        starts = np.concatenate(([0], np.cumsum([len(b) for b in local[: servers + 1]])))
        q = np.zeros((starts[-1], starts[-1]))
        for n in range(servers + 1):
            here = slice(starts[n], starts[n + 1])
            q[here, here] = local[n]
            if n < servers:
                q[here, starts[n + 1] : starts[n + 2]] = up[n]
            if n:
                q[here, starts[n - 1] : starts[n]] = down[n]
        last = slice(starts[servers], starts[servers + 1])
        q[last, last] += ratio @ down[-1]
        beyond = np.linalg.inv(np.eye(len(ratio)) - ratio)
        q[:, 0] = 1.0
        q[last, 0] = beyond.sum(axis=1)
        p = np.linalg.solve(q.T, np.eye(1, len(q))[0])
        self.full, self.ratio = p[last], ratio
        self.waiting_time = float((self.full @ ratio @ beyond @ beyond).sum()) / self.rate
        self.found = np.repeat(np.array(arrivals.rates) * (1 - arrivals.onward * np.array([1, 0])), servers + 1)
        self.probability_wait = float(self.full @ beyond @ self.found)

    def _blocks(self, n: int) -> tuple[Array, Array, Array]:
        """Rates from n jobs to n − 1, n (with the diagonal) and n + 1; states are (arrival phase, servers in phase 1)."""
        a, s, m = self.arrivals, self.service, self.servers
        busy, fewer, more = min(n, m), min(max(n - 1, 0), m), min(n + 1, m)
        down, local, up = (np.zeros((2, busy + 1, 2, k + 1)) for k in (fewer, busy, more))
        starts = ((0, a.first), (1, 1 - a.first))
        for u in (0, 1):
            rate = self.rate * a.rates[u]
            for k in range(busy + 1):
                if u == 0:
                    local[0, k, 1, k] += rate * a.onward
                for v, share in starts:
                    arriving = rate * share * (1 - a.onward * (u == 0))
                    if n < m:
                        up[u, k, v, k + 1] += arriving * s.first
                        up[u, k, v, k] += arriving * (1 - s.first)
                    else:
                        up[u, k, v, k] += arriving
                ends = ((1, k * s.rates[0] * (1 - s.onward)), (0, (busy - k) * s.rates[1]))
                if k:
                    local[u, k, u, k - 1] += k * s.rates[0] * s.onward
                for one, speed in ends:
                    if speed and n > m:
                        down[u, k, u, k - one + 1] += speed * s.first if s.first else 0.0
                        if s.first < 1:
                            down[u, k, u, k - one] += speed * (1 - s.first)
                    elif speed:
                        down[u, k, u, k - one] += speed
        blocks = [b.reshape(2 * (busy + 1), -1) for b in (down, local, up)]
        blocks[1] -= np.diag(sum(b.sum(axis=1) for b in blocks))
        return blocks[0], blocks[1], blocks[2]

    def waiting_percentile(self, share: float) -> float:
        """The waiting time that `share` of the jobs do not exceed, to a relative 1e-6."""
        survival, speed = self._survival(share)

        def exceeds(time: float) -> float:
            first, p = poisson_window(speed * time)
            known = survival[first : first + len(p)]
            return float(p[: len(known)] @ known)

        low, high = 0.0, 1.0
        if exceeds(0.0) <= 1 - share:
            return 0.0
        while exceeds(high) > 1 - share:
            low, high = high, 2 * high
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(middle) > 1 - share else (low, middle)
        return high

    def _survival(self, share: float) -> tuple[Array, float]:
        """P(still waiting after n steps of the uniformized servers), and the steps' rate."""
        s, m = self.service, self.servers
        speed = 2 * m * max(s.rates)
        k = np.arange(m + 1.0)
        one, other = k * s.rates[0] / speed, (m - k) * s.rates[1] / speed
        stay = np.diag(1 - one - other) + np.diag(one[1:] * s.onward, -1)
        leave = np.diag(one * (1 - s.onward) * s.first + other * (1 - s.first))
        leave += np.diag((one * (1 - s.onward) * (1 - s.first))[1:], -1) + np.diag((other * s.first)[:-1], 1)
        ahead: list[Array] = []
        level = self.full
        while not ahead or ahead[-1].sum() > 1e-9 * (1 - share):
            ahead.append((level * self.found).reshape(2, -1).sum(axis=0))
            level = level @ self.ratio
        v = np.array(ahead)  # v[j, k]: j jobs ahead in the queue
        survival = [float(v.sum())]
        while survival[-1] > 1e-4 * (1 - share):
            v = v @ stay + np.vstack((v[1:] @ leave, np.zeros(m + 1)))
            survival.append(float(v.sum()))
        return np.array(survival), speed


def _ratio(up: Array, local: Array, down: Array) -> Array:
    """R of the levels beyond the servers, by logarithmic reduction."""
    scale = np.linalg.inv(-local)
    high, low = scale @ up, scale @ down
    g, product = low.copy(), high.copy()
    for _ in range(60):
        both = high @ low + low @ high
        inverse = np.linalg.inv(np.eye(len(g)) - both)
        high, low = inverse @ high @ high, inverse @ low @ low
        g += product @ low
        product = product @ high
        if np.abs(product).max() < 1e-15:
            break
    return up @ np.linalg.inv(-(local + up @ g))
