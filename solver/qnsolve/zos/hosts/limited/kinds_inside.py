"""A limit by how many tasks of each kind are inside: kinds that go to different places, and share the QR TCB of their region.

Who waits for the TCB keeps a place for long, and what goes elsewhere has the places that are left. How many of each kind are
inside says how fast tasks end: given that, they are where a product form has them. It is exact for a product form, but that
places are taken in order of arrival.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb

import numpy as np

from qnsolve.numerics.level_chain import StiffChainError, probabilities
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.birth_death import Crowd

from .inside_counts import crowd_of_levels

NONE = 1e-7  # of the time inside, of a kind that is none
ROUNDING = 1e-9  # of a chance


@dataclass(frozen=True, eq=False)
class KindsInside:
    """A limit of few places, and the K kinds of tasks that come to it.

    Attributes
    ----------
    size : int
    come : ndarray (K,)
        Rates [1/s].
    times : ndarray (S, K)
        What one of each kind needs at each station, alone [s].
    speeds : ndarray (S, size)
        Tasks that a station serves at once with 1, 2, … `size` there: 1 of a TCB, as many as there are CPs of these.
    slower : float
        Rate at which tasks end with all places taken, over that by the stations alone; 1 where these do not share anything.
    """

    size: int
    come: Array
    times: Array
    speeds: Array
    slower: float = 1.0

    @classmethod
    def of(cls, come: Array, times: Array, speeds: Array, kind: Places) -> KindsInside:
        """Of tasks (n,) that are of some kinds each, and what they need (S, n)."""
        rates: Array = np.bincount(kind, come).astype(float)
        each = np.array([np.bincount(kind, come * its) / rates for its in times])
        return cls(speeds.shape[1], rates, each, speeds)

    @property
    def numbers(self) -> list[Array]:
        """All that it depends on."""
        return [np.array([float(self.size), self.slower]), self.come, self.times.ravel(), self.speeds.ravel()]

    @cached_property
    def _weights(self) -> Array:
        """Of so many of each kind inside, as in a product form, (size + 1,) * K, times in units of `_unit`."""
        kinds, count = len(self.come), np.arange(self.size + 1.0)
        logs = np.append(0.0, np.cumsum(np.log(count[1:])))
        number = np.indices((self.size + 1,) * kinds)
        total = np.minimum(number.sum(axis=0), self.size)
        allowed = number.sum(axis=0) <= self.size
        whole = np.zeros(allowed.shape)
        whole[(0,) * kinds] = 1.0
        for times, speed in zip(self.times, self.speeds, strict=True):
            log = logs[total] - np.append(0.0, np.cumsum(np.log(speed)))[total] - logs[number].sum(axis=0)
            log = log + np.tensordot(np.log(np.where(times > 0, times / self._unit, 1.0)), number, axes=1)
            mine = np.where(allowed & (number[times <= 0] == 0).all(axis=0), np.exp(log), 0.0)
            whole = _folded(mine, whole, allowed)
        return whole

    @property
    def _unit(self) -> float:
        return float(self.times.sum(axis=0).max()) / self.size  # so that weights stay in range

    @cached_property
    def passed(self) -> float:
        """Tasks that end with all places taken, all of them of the mean kind, by the stations alone [1/s]."""
        mean = KindsInside(self.size, np.ones(1), (self.times @ self.come / self.come.sum())[:, None], self.speeds)
        weights = mean._weights
        return float(weights[-2] / weights[-1] / mean._unit)

    def use_of(self, stations: list[int]) -> float:
        """What all tasks together ask of some stations with all places taken, as if these shared nothing [count]."""
        return self.passed * float((self.times[stations] @ self.come).sum() / self.come.sum())

    def as_fast_as(self, passed: float) -> KindsInside:
        """The same where so many tasks end with all places taken [1/s]."""
        return KindsInside(self.size, self.come, self.times, self.speeds, passed / self.passed)

    def ends(self, number: Places) -> Array:
        """Rates at which tasks of each kind end with so many of each inside, (n, K) both [1/s]."""
        weights, found = self._weights, np.zeros(number.shape)
        whole = np.maximum(weights[tuple(number.T)], 1e-300)
        slow = 1 - (1 - self.slower) * number.sum(axis=1) / self.size
        for kind in range(len(self.come)):
            some = number[:, kind] > 0
            fewer = number[some].copy()
            fewer[:, kind] -= 1
            found[some, kind] = weights[tuple(fewer.T)] / whole[some] / self._unit * slow[some]
        return found


def nearest_as_one(come: Array, times: Array, size: int, states: int) -> Places:
    """The kind of each of some tasks, so few of them that so many places make no more states: the nearest ones as one.

    Parameters
    ----------
    come : ndarray (n,)
        Rates; those who are next to never there are no kind.
    times : ndarray (S, n)
        What they need at each station [s].
    size, states : int

    Examples
    --------
    >>> nearest_as_one(np.ones(4), np.array([[1.0, 9.0, 0.0, 1.1]]), 10, 20).tolist()
    [0, 1, 0, 0]
    """
    spent = (come * times).sum(axis=0)
    some, kind = spent > NONE * spent.sum(), np.zeros(len(come), dtype=int)
    kind[some] = np.arange(int(some.sum()))
    rates, spent = np.where(some, come, 0.0), np.where(some, spent, 0.0)
    while True:
        flow = np.bincount(kind, rates)
        whole = np.bincount(kind, spent) / flow
        order = np.argsort(whole)
        if comb(size + len(flow) - 1, len(flow) - 1) <= states or len(flow) <= 1:
            return np.asarray(np.argsort(order)[kind])  # the shortest ones first
        flow, whole = flow[order], whole[order]
        lost = flow[1:] * flow[:-1] / (flow[1:] + flow[:-1]) * np.diff(whole) ** 2  # of their variance (J. Ward 1963)
        near = int(np.argmin(lost))
        kind[kind == order[near + 1]] = order[near]
        kind = np.unique(kind, return_inverse=True)[1]


def _folded(mine: Array, others: Array, allowed: Places) -> Array:
    """Weights of two stations together."""
    found = np.zeros(mine.shape)
    for place in zip(*np.nonzero(mine), strict=True):
        size = tuple(n - at for n, at in zip(mine.shape, place, strict=True))
        found[tuple(slice(at, None) for at in place)] += mine[place] * others[tuple(slice(0, n) for n in size)]
    return np.where(allowed, found, 0.0)


def kinds_inside(asked: KindsInside) -> tuple[Crowd, Array] | None:
    """The tasks in and before a limit, and those of each kind inside (K,) [count]; None where they are not held.

    Places are taken in order of arrival.
    """
    kinds, size, stream = len(asked.come), asked.size, float(asked.come.sum())
    numbers = [np.array(list(_sums(kinds, n)), dtype=int).reshape(-1, kinds) for n in range(size + 1)]
    places = np.zeros((size + 1,) * kinds, dtype=int)
    for number in numbers:
        places[tuple(number.T)] = np.arange(len(number))
    up, down = list[Array](), list[Array]()
    again = np.zeros((len(numbers[size]),) * 2)
    for n, number in enumerate(numbers):
        ends, every = asked.ends(number), np.arange(len(number))
        above = np.zeros((len(number), len(numbers[n + 1]))) if n < size else np.zeros((0, 0))
        below = np.zeros((len(number), len(numbers[n - 1]))) if n else np.zeros((0, 0))
        for kind in range(kinds):
            step = np.eye(kinds, dtype=int)[kind]
            some = number[:, kind] > 0
            if n:
                below[every[some], places[tuple((number[some] - step).T)]] += ends[some, kind]
            if n < size:
                above[every, places[tuple((number + step).T)]] += asked.come[kind]
                continue
            for other in range(kinds):  # the next of the line takes the place
                to = number[some] - step + np.eye(kinds, dtype=int)[other]
                np.add.at(again, (every[some], places[tuple(to.T)]), ends[some, kind] * asked.come[other] / stream)
        up += [above] if n < size else [np.full(len(number), stream)]
        down += [below] if n else []
    local = [np.zeros((len(number),) * 2) for number in [*numbers, numbers[size]]]
    try:
        chances, tail = probabilities(up, [*down, again], local, endless=True)
    except StiffChainError:
        return None
    if tail is None or not 0 <= tail.mean < np.inf or float(tail.phases.min()) < -ROUNDING * float(tail.phases.sum()):
        return None
    crowd = crowd_of_levels(chances, tail, 0, size, stream)
    if crowd is None:
        return None
    levels = zip([*chances, tail.phases], [*numbers[: len(chances)], numbers[size]], strict=True)
    return crowd, np.asarray(sum(chance @ number for chance, number in levels))


def _sums(kinds: int, total: int) -> list[tuple[int, ...]]:
    """All numbers of so many kinds that make a total."""
    return [(*first, total - sum(first)) for first in product(range(total + 1), repeat=kinds - 1) if sum(first) <= total]
