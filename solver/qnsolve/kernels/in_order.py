"""Closed networks first come first served, each class with times of its own: approximate mean values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from .amva import NotConvergedError, within_capacity
from .closure import Closure
from .measures import Measures
from .series import Array, trim

TOLERANCE = 1e-9
ROUNDS = 200
STEPS = 20_000


@dataclass(frozen=True)
class Closed:
    """A closed network: R classes, K stations.

    Attributes
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    visits, service, variation : ndarray (R, K)
        Of one job; mean time of a visit [time] and its squared coefficient of variation.
    speeds : sequence (K,) of ndarray or None
    in_order : ndarray (K,) of bool
        First come first served; 1 … m are its speeds.
    """

    population: Array
    think_time: Array
    visits: Array
    service: Array
    variation: Array
    speeds: Sequence[Array | None]
    in_order: Array


def in_order(net: Closed) -> Measures:
    """Approximate mean values of a closed network.

    The Linearizer, but at a station in order a job waits for those that it meets: each
    for its own service time, those in service for what is left of theirs, after Reiser.

    Returns
    -------
    Measures

    Raises
    ------
    NotConvergedError
        With the residual.

    References
    ----------
    [Reiser1979], [Chandy1982].
    """
    return _Iteration(net).measures()


class _Iteration:
    def __init__(self, net: Closed) -> None:
        self.net = net
        self.classes = len(net.population)
        self.demand = net.visits * net.service
        self.used = self.demand > 0
        most = net.population @ self.used
        self.meetings = [
            None if s is None or not most[k] else Closure(trim(s, int(most[k])), int(most[k])) for k, s in enumerate(net.speeds)
        ]
        self.servers = np.array([1.0 if s is None else s[-1] for s in net.speeds])
        # what is left of a service in progress, beyond or below an exponential one
        self.excess = np.where(self.used, net.service * (net.variation - 1) / 2, 0.0)

    def measures(self) -> Measures:
        net, classes = self.net, self.classes
        sizes = np.maximum(np.vstack((net.population, net.population - np.eye(classes))), 0.0)
        length = sizes[:, :, None] * self.used / np.maximum(self.used.sum(axis=1), 1)[:, None]
        bend = np.zeros((classes, len(net.speeds), classes))
        steps = 0
        for damping in (1.0, 0.5, 0.2):
            for _ in range(ROUNDS):
                length, stay, used = self._fixed_point(sizes, bend, length)
                steps += used
                share = length * _inverse(sizes)[:, :, None]
                new = np.transpose(share[1:] - share[0], (1, 2, 0)) * (sizes[1:].T > 0)[:, None, :]
                moved = float(np.abs(new - bend).max(initial=0.0))
                bend = bend + damping * (new - bend)
                if moved < 10 * TOLERANCE:
                    break
            else:
                continue
            break
        else:
            raise NotConvergedError(moved)
        top = np.array([np.inf if s is None else s.max() for s in net.speeds])
        residence = within_capacity(net.population, net.think_time, self.demand / top, stay[0])
        rate = net.population / (net.think_time + residence.sum(axis=1))
        jobs = rate[:, None] * residence
        return Measures(rate, jobs, residence, partial(self._distribution, jobs.sum(axis=0)), steps)

    def _fixed_point(self, sizes: Array, bend: Array, start: Array) -> tuple[Array, Array, int]:
        """Queue lengths and residence times at all population vectors, shapes (P, R, K); steps taken."""
        inverse = _inverse(sizes)[:, :, None]
        others = sizes[:, None, :] - np.eye(self.classes)  # (P, s, r): met by one of class s
        others = np.maximum(others, 0.0)[:, :, :, None]
        turn = np.transpose(bend, (2, 0, 1))[None]  # (1, s, r, K)
        moved = np.inf
        busy = np.zeros_like(start)
        for damping in (1.0, 0.3, 0.05):
            length = start
            for step in range(1, STEPS + 1):
                share = length * inverse
                met = np.maximum(others * (share[:, None] + turn), 0.0)  # (P, s, r, K)
                part = np.minimum(busy * inverse, share)
                serving = others * part[:, None]  # jobs of class r in service as one of class s comes
                stay = self.net.visits * self._visit(met, serving)
                rate = sizes / np.maximum(self.net.think_time + stay.sum(axis=2), 1e-300)
                new = stay * rate[:, :, None]
                busy = self.demand * rate[:, :, None]
                moved = float(np.abs((new - length) * inverse).max(initial=0.0))
                if moved < TOLERANCE:
                    return new, stay, step
                length = new if damping == 1.0 else length + damping * (new - length)
        raise NotConvergedError(moved)

    def _visit(self, met: Array, serving: Array) -> Array:
        """Time of one visit, shape (P, s, K), from the jobs met."""
        service, total = self.net.service, met.sum(axis=2)
        stay = np.broadcast_to(service, total.shape).copy()
        for k, meeting in enumerate(self.meetings):
            if meeting is None:
                continue
            stretch = meeting.stretch(total[:, :, k])
            if not self.net.in_order[k]:
                stay[:, :, k] *= stretch
                continue
            m = self.servers[k]
            work = met[:, :, :, k] @ service[:, k]
            each = np.divide(work, total[:, :, k], out=np.zeros_like(work), where=total[:, :, k] > 0)
            left = serving[:, :, :, k] @ self.excess[:, k]
            if m > 1:
                load = np.minimum(serving[:, :, :, k].sum(axis=2) / m, 1.0)
                left = left / m * load ** (sqrt(2 * (m + 1)) - 1) / np.maximum(load, 1e-300)
            stay[:, :, k] += np.maximum(each * (stretch - 1) + left, 0.0)
        return stay

    def _distribution(self, length: Array, k: int) -> Array:
        """P(n jobs at station k), closed on its mean."""
        jobs = int(self.net.population.sum())
        meeting = self.meetings[k] or Closure(np.arange(1.0, jobs + 1), jobs)
        p = np.zeros(jobs + 1)
        some = meeting.distribution(float(length[k])) if length[k] > 0 else np.ones(1)
        p[: len(some)] = some
        return p


def _inverse(sizes: Array) -> Array:
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
