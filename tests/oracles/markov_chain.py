"""An independent oracle: continuous-time Markov chains solved without a subtraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from qnsolve import ClosedClass, Delay, Network

from tests.support.zoo import held_speed

Array = NDArray[np.float64]
State = tuple[int, ...]


def stationary(rates: Array) -> Array:
    """Stationary distribution of a chain by Grassmann-Taksar-Heyman elimination.

    `rates[i, j]` is the rate from state i to state j; the diagonal is not used.
    """
    a, size = rates.copy(), len(rates)
    for k in range(size - 1, 0, -1):
        a[:k, k] /= a[k, :k].sum()
        into = np.flatnonzero(a[:k, k])
        a[into, :k] += np.multiply.outer(a[into, k], a[k, :k])
    p = np.zeros(size)
    p[0] = 1.0
    for k in range(1, size):
        p[k] = p[:k] @ a[:k, k]
    return p / p.sum()


def chain(start: State, moves: Callable[[State], Iterable[tuple[float, State]]]) -> dict[State, float]:
    """Probability of every state that can be reached from `start` by `moves`."""
    index, arcs, fresh = {start: 0}, [], [start]
    while fresh:
        state = fresh.pop()
        for rate, target in moves(state):
            if target not in index:
                index[target] = len(index)
                fresh.append(target)
            arcs.append((index[state], index[target], rate))
    rates = np.zeros((len(index), len(index)))
    for i, j, rate in arcs:
        rates[i, j] += rate
    return dict(zip(index, stationary(rates).tolist(), strict=True))


def birth_death(births: Iterable[float], deaths: Iterable[float]) -> Array:
    """Stationary distribution of a birth-death chain, by the same elimination."""
    births, deaths = list(births), list(deaths)
    return stationary(np.diag(births, 1) + np.diag(deaths, -1))


def compositions(jobs: int, places: int) -> Iterable[tuple[int, ...]]:
    """Every way to put that many jobs in that many places."""
    if places == 1:
        yield (jobs,)
        return
    for first in range(jobs + 1):
        for rest in compositions(jobs - first, places - 1):
            yield (first, *rest)


class ClosedChain:
    """The Markov chain of a closed network with processor sharing stations.

    A job goes round its places in order: thinking, then its stations as the model
    lists them. A state holds how many jobs of each class are at each of its places.

    Attributes
    ----------
    throughput : ndarray (R,)
    queue_length : ndarray (R, K)
    """

    def __init__(self, model: Network) -> None:
        self.model = model
        self.routes = [_route(model, c) for c in model.classes]
        ways = [compositions(c.population, len(route)) for c, route in zip(model.classes, self.routes, strict=True)]
        states = list(product(*ways))
        index = {state: i for i, state in enumerate(states)}
        rates = np.zeros((len(states), len(states)))
        finished = np.zeros((len(model.classes), len(states)))
        for i, state in enumerate(states):
            for r, place, rate in self._completions(state):
                following = (place + 1) % len(self.routes[r])
                moved = list(state[r])
                moved[place] -= 1
                moved[following] += 1
                rates[i, index[*state[:r], tuple(moved), *state[r + 1 :]]] += rate
                if place == 0:
                    finished[r, i] += rate
        p = stationary(rates)
        self.size = len(states)
        self.throughput = finished @ p
        self.queue_length = np.zeros((len(model.classes), len(model.stations)))
        for r, route in enumerate(self.routes):
            for place, (k, _) in enumerate(route):
                if k is not None:
                    self.queue_length[r, k] = sum(q * s[r][place] for q, s in zip(p.tolist(), states, strict=True))

    def _completions(self, state: tuple[tuple[int, ...], ...]) -> Iterable[tuple[int, int, float]]:
        """Class, place and rate of whatever can complete in a state."""
        present = [0] * len(self.model.stations)
        for route, counts in zip(self.routes, state, strict=True):
            for (k, _), count in zip(route, counts, strict=True):
                if k is not None:
                    present[k] += count
        for r, (route, counts) in enumerate(zip(self.routes, state, strict=True)):
            for place, ((k, time), count) in enumerate(zip(route, counts, strict=True)):
                if count:
                    alone = k is None or isinstance(self.model.stations[k], Delay)
                    speed = count if alone else held_speed(self.model.stations[k], present[k]) * count / present[k]
                    yield r, place, speed / time


def _route(model: Network, job_class: ClosedClass) -> list[tuple[int | None, float]]:
    thinking = [(None, job_class.think_time)] if job_class.think_time else []
    demands = [(k, job_class.demand(s.name)) for k, s in enumerate(model.stations)]
    return [*thinking, *((k, d) for k, d in demands if d > 0)]
