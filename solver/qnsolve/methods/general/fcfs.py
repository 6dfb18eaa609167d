"""Closed networks, first come first served with service times by class: approximate mean values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from qnsolve.methods.mean_value.highest_rates import within_capacity
from qnsolve.methods.mean_value.queue_seen import Closure, closed_on
from qnsolve.methods.measures import Measures
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.series import Array, trim

TOLERANCE = 1e-9
BENT = 1e-6  # the same of the corrections, which act at second order
ROUNDS = 30
STEPS = 2_000


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

        self.ends = np.divide(1.0, net.service, out=np.zeros_like(net.service), where=self.used)

    def measures(self) -> Measures:
        net = self.net
        notes: tuple[str, ...] = ()
        try:
            stay, steps = self._linearized()
        except NotConvergedError:
            notes = ("less accurate: the Linearizer's corrections did not converge and are left out",)
            _, all_stay, steps = self._fixed_point(
                net.population[None], np.zeros(self._bends), self._start(net.population[None])
            )
            stay = all_stay[0]
        top = np.array([np.inf if s is None else s.max() for s in net.speeds])
        residence = within_capacity(net.population, net.think_time, self.demand / top, stay)
        rate = net.population / (net.think_time + residence.sum(axis=1))
        jobs = rate[:, None] * residence
        most = net.population @ self.used
        distribution = partial(closed_on, jobs.sum(axis=0), most, net.speeds)
        return Measures(rate, jobs, residence, distribution, steps, notes)

    @property
    def _bends(self) -> tuple[int, int, int]:
        return self.classes, len(self.net.speeds), self.classes

    def _start(self, sizes: Array) -> Array:
        return sizes[:, :, None] * self.used / np.maximum(self.used.sum(axis=1), 1)[:, None]

    def _linearized(self) -> tuple[Array, int]:
        """Residence times of the whole population, shape (R, K), with shares that change as a job of each class leaves."""
        net, classes = self.net, self.classes
        sizes = np.maximum(np.vstack((net.population, net.population - np.eye(classes))), 0.0)
        length, bend, steps, moved = self._start(sizes), np.zeros(self._bends), 0, np.inf
        for i in range(2 * ROUNDS):
            length, stay, used = self._fixed_point(sizes, bend, length)
            steps += used
            share = length * _inverse(sizes)[:, :, None]
            new = np.transpose(share[1:] - share[0], (1, 2, 0)) * (sizes[1:].T > 0)[:, None, :]
            moved = float(np.abs(new - bend).max(initial=0.0))
            bend = bend + (1.0 if i < ROUNDS else 0.4) * (new - bend)
            if moved < BENT:
                return stay[0], steps
        raise NotConvergedError(moved)

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
            served, line = serving[:, :, :, k], np.maximum(met - serving, 0.0)[:, :, :, k]
            left = served @ self.excess[:, k]
            if m == 1:
                stay[:, :, k] += np.maximum(met[:, :, :, k] @ service[:, k] + left, 0.0)
                continue
            # all servers busy as in M/M/m (Sakasegawa); then the next end of a service comes 1/m of a service time later
            load = np.minimum(served.sum(axis=2) / m, 1.0)
            full = load ** (sqrt(2 * (m + 1)) - 1)
            next_end = _per(served.sum(axis=2), served @ self.ends[:, k])
            ahead = _per(line @ service[:, k], line.sum(axis=2), next_end)
            first = np.minimum(full / m, stretch - 1)
            stay[:, :, k] += np.maximum(
                first * (next_end + _per(left, served.sum(axis=2))) + (stretch - 1 - first) * ahead, 0.0
            )
        return stay


def _per(above: Array, below: Array, otherwise: Array | float = 0.0) -> Array:
    """above/below, `other` where below is 0."""
    return np.where(below > 1e-300, above / np.maximum(below, 1e-300), otherwise)


def _inverse(sizes: Array) -> Array:
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
