"""Users who go round a few stations, event by event: rates, means and percentiles of responses of one load.

Written for the ladders here and for nothing else: it shares no line with the solver, its simulations or its methods.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

JOBS, EACH = 30_000, 25  # responses that are measured at least, in all and of each user
WARM = 5  # as many part of them are left out before
SEEN = (50, 95, 99)  # percentiles


@dataclass(frozen=True)
class Times:
    """Random times by their mean and squared coefficient of variation, as a distribution of one name."""

    mean: float
    variation: float = 1.0
    kind: str = "gamma"

    def drawn(self, rng: np.random.Generator, count: int) -> Iterator[float]:
        """So many times."""
        mean, square = self.mean, self.variation
        if square == 0:
            found = np.full(count, mean)
        elif self.kind == "lognormal":
            wide = np.log1p(square)
            found = mean * np.exp(rng.normal(-wide / 2, np.sqrt(wide), count))
        elif square > 1:  # two exponential times, each with half of the sum
            often = 0.5 * (1 + np.sqrt((square - 1) / (square + 1)))
            found = rng.exponential(np.where(rng.random(count) < often, 0.5 / often, 0.5 / (1 - often)) * mean)
        else:
            found = rng.gamma(1 / square, mean * square, count)
        return iter(found.tolist())


@dataclass(frozen=True)
class Line:
    """Equal nodes with servers each; a job goes to any node, waits for a server in order of arrival, and keeps it."""

    servers: int
    times: Times
    nodes: int = 1


@dataclass(frozen=True)
class Turns:
    """A processor whose jobs take turns: all n of them together get `speed(n)` of work a second."""

    times: Times
    speed: Callable[[int], float]


@dataclass(frozen=True)
class Round:
    """What a user does again and again: thinks, crosses a network, goes through the stations.

    Attributes
    ----------
    stations : tuple of Line or Turns
    network : Times
        Part of the response.
    think : float
        Mean, exponential [s].
    threads : int
        That a job holds one of while it is at the stations; 0 for no limit.
    """

    stations: tuple[Line | Turns, ...]
    network: Times
    think: float = 0.0
    threads: int = 0


class _LineState:
    def __init__(self, line: Line, rng: np.random.Generator, count: int) -> None:
        self.servers, self.busy = line.servers, [0] * line.nodes
        self.waiting: list[deque[int]] = [deque() for _ in range(line.nodes)]
        self.times, self.nodes = line.times.drawn(rng, count), iter(rng.integers(0, line.nodes, count).tolist())


class _TurnsState:
    def __init__(self, turns: Turns, rng: np.random.Generator, count: int, users: int) -> None:
        self.share = [turns.speed(max(n, 1)) / max(n, 1) for n in range(users + 1)]
        self.times, self.work, self.last, self.turn = turns.times.drawn(rng, count), 0.0, 0.0, 0
        self.jobs: list[tuple[float, int]] = []  # by the work at which each is done

    def advance(self, now: float) -> None:
        """Work that each has got until now."""
        self.work += (now - self.last) * self.share[len(self.jobs)]
        self.last = now


class _Run:
    """One load; events are (time, number, what, station, job or turn)."""

    ARRIVES, LEAVES_LINE, LEAVES_TURNS = range(3)

    def __init__(self, plan: Round, users: int, rng: np.random.Generator, count: int) -> None:
        self.plan, self.number, self.free = plan, 0, plan.threads
        self.stations = [
            _LineState(each, rng, count) if isinstance(each, Line) else _TurnsState(each, rng, count, users)
            for each in plan.stations
        ]
        self.network, self.thinks = plan.network.drawn(rng, count), Times(max(plan.think, 1e-12)).drawn(rng, count)
        self.outside: deque[int] = deque()
        self.began, self.node = [0.0] * users, [0] * users
        self.events: list[tuple[float, int, int, int, int]] = []
        self.responses: list[float] = []
        for job, first in enumerate(rng.exponential(plan.think + plan.network.mean, users).tolist()):
            self._plan(first, self.ARRIVES, 0, job)

    def _plan(self, when: float, what: int, station: int, job: int) -> None:
        self.number += 1
        heapq.heappush(self.events, (when, self.number, what, station, job))

    def until(self, count: int) -> float:
        """Run until so many responses have ended, and the time then."""
        now = 0.0
        while len(self.responses) < count:
            now, _, what, station, job = heapq.heappop(self.events)
            state = self.stations[station]
            if what == self.ARRIVES:
                self._arrive(now, job)
            elif isinstance(state, _LineState):
                self._next_in_line(now, station, state, self.node[job])
                self._leave(now, station, job)
            elif job == state.turn:
                state.advance(now)
                _, done = heapq.heappop(state.jobs)
                self._next_turn(now, station, state)
                self._leave(now, station, done)
        return now

    def _arrive(self, now: float, job: int) -> None:
        if self.plan.threads and not self.free:
            self.outside.append(job)
            return
        self.free -= 1
        self._enter(now, 0, job)

    def _enter(self, now: float, station: int, job: int) -> None:
        state = self.stations[station]
        if isinstance(state, _TurnsState):
            state.advance(now)
            heapq.heappush(state.jobs, (state.work + next(state.times), job))
            self._next_turn(now, station, state)
            return
        self.node[job] = node = next(state.nodes)
        if state.busy[node] < state.servers:
            state.busy[node] += 1
            self._plan(now + next(state.times), self.LEAVES_LINE, station, job)
        else:
            state.waiting[node].append(job)

    def _next_in_line(self, now: float, station: int, state: _LineState, node: int) -> None:
        if state.waiting[node]:
            self._plan(now + next(state.times), self.LEAVES_LINE, station, state.waiting[node].popleft())
        else:
            state.busy[node] -= 1

    def _next_turn(self, now: float, station: int, state: _TurnsState) -> None:
        state.turn += 1
        if state.jobs:
            left = max(state.jobs[0][0] - state.work, 0.0) / state.share[len(state.jobs)]
            self._plan(now + left, self.LEAVES_TURNS, station, state.turn)

    def _leave(self, now: float, station: int, job: int) -> None:
        if station + 1 < len(self.stations):
            self._enter(now, station + 1, job)
            return
        self.free += 1
        if self.outside:
            self._arrive(now, self.outside.popleft())
        self.responses.append(now - self.began[job])
        self.began[job] = now + (next(self.thinks) if self.plan.think else 0.0)
        self._plan(self.began[job] + next(self.network), self.ARRIVES, 0, job)


def simulated(plan: Round, users: int, seed: list[int]) -> Array:
    """Rate [1/s], mean response and its median, 95th and 99th percentile [s]."""
    count = max(JOBS, EACH * users)
    warm = count // WARM
    run = _Run(plan, users, np.random.default_rng(seed), count + warm + 3 * users + 9)
    begin = run.until(warm)
    end = run.until(warm + count)
    responses = np.array(run.responses[warm:])
    return np.array([count / (end - begin), responses.mean(), *np.percentile(responses, SEEN)])
