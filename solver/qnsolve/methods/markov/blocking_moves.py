"""Blocking after service: the transitions of its Markov chain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from .job_moves import OUTSIDE, Jobs, Move, State
from .station_states import StationStates

Places = tuple[tuple[int, ...], ...]
Held = tuple[tuple[int, int, int], ...]  # class, station it is bound for, station it holds a server of (or `OUTSIDE`)


class NoRoomError(ArithmeticError):
    """A class that never leaves its stations has more jobs than their capacities; `args` has its index."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


@dataclass(frozen=True)
class BlockingJobs(Jobs):
    """Classes of jobs that go from station to station, some of limited capacity.

    The second part of a state is the jobs that are served and wait for a place elsewhere,
    in order of arrival at each station that they are bound for. Each holds a
    server and a place where it is.

    Attributes
    ----------
    capacity : tuple (K,) of float
        Most jobs at each station, inf without limit.
    """

    capacity: tuple[float, ...] = ()

    def start(self) -> State:
        """All jobs outside; those that never are outside at the first stations on their way with free places."""
        places: Places = tuple(c.empty() for c in self.centers)
        forever = [r for r, rate in enumerate(self.outside_rate) if rate == inf]
        for r in sorted(forever, key=lambda r: len(self.routes[r])):
            for _ in range(self.population[r]):
                free = next((k for k in self._way(r) if self._room(places, (), k)), None)
                if free is None:
                    raise NoRoomError(r)
                places = self._added(places, r, free)
        return places, ()

    def _way(self, r: int) -> list[int]:
        """The stations of a class, in the order in which it reaches them."""
        way = [k for k, _ in self.routes[r][OUTSIDE]]
        for k in way:  # grows during the loop
            way += [following for following, _ in self.routes[r][k] if following not in (*way, OUTSIDE)]
        return way

    def present(self, state: State) -> list[tuple[int, ...]]:
        """Jobs of each class at each station, including those blocked there by another one."""
        jobs = [list(c.jobs(s)) for c, s in zip(self.centers, state[0], strict=True)]
        for r, _, origin in state[1]:
            if origin != OUTSIDE:
                jobs[origin][r] += 1
        return [tuple(n) for n in jobs]

    def inside(self, state: State) -> list[int]:
        """Jobs of each class that are not thinking, including those that wait outside for a place."""
        jobs = [sum(n) for n in zip(*(c.jobs(s) for c, s in zip(self.centers, state[0], strict=True)), strict=True)]
        for r, _, _ in state[1]:
            jobs[r] += 1
        return jobs

    def moves(self, state: State) -> Iterator[Move]:
        """All transitions."""
        places, held = state
        inside = self.inside(state)
        for r, most in enumerate(self.population):
            rate, left = self.outside_rate[r], most - inside[r]
            if left > 0 and rate < inf:
                rate *= 1 if self.is_open[r] else left
                for k, share in self.routes[r][OUTSIDE]:
                    asks, full = self.capacity[k] < inf, not self._room(places, held, k)
                    yield Move(rate * share, self._onward(places, held, (r, k, OUTSIDE)), r, False, asks, full)
        for k in range(len(self.centers)):
            busy = self._with_servers_held(k, sum(origin == k for _, _, origin in held))
            for r, rate, after in busy.complete(places[k]) if busy else ():
                left_behind = (*places[:k], after, *places[k + 1 :])
                for following, share, finished in self._next(r, k):
                    if following == OUTSIDE:
                        yield Move(rate * share, self._freed(left_behind, held, k), r, finished)
                    else:
                        yield Move(rate * share, self._onward(left_behind, held, (r, following, k)), r, finished)

    def _next(self, r: int, k: int) -> Iterator[tuple[int, float, bool]]:
        """The next stations of a job, their probabilities, and whether it is finished; outside only if it stays there."""
        for following, share in self.routes[r][k]:
            if following == OUTSIDE and self.outside_rate[r] == inf:
                yield from ((first, share * p, True) for first, p in self.routes[r][OUTSIDE])
            else:
                yield following, share, following == OUTSIDE

    @cached_property
    def _reduced(self) -> dict[tuple[int, int], StationStates | None]:
        return {}

    def _with_servers_held(self, k: int, servers: int) -> StationStates | None:
        """The station with the servers that are not blocked, None where all are."""
        if not servers or self.centers[k].kind == "delay":
            return self.centers[k]
        if (k, servers) not in self._reduced:
            left = self.centers[k].speeds[: len(self.centers[k].speeds) - servers]
            self._reduced[k, servers] = replace(self.centers[k], speeds=left) if left else None
        return self._reduced[k, servers]

    def _room(self, places: Places, held: Held, k: int) -> bool:
        most = self.capacity[k]
        return most == inf or sum(self.centers[k].jobs(places[k])) + sum(origin == k for _, _, origin in held) < most

    def _added(self, places: Places, r: int, k: int) -> Places:
        return (*places[:k], self.centers[k].arrive(places[k], r), *places[k + 1 :])

    def _onward(self, places: Places, held: Held, job: tuple[int, int, int]) -> State:
        """A served job enters the next station, or is blocked; `places` no longer has it."""
        r, k, origin = job
        if k == origin:
            return self._added(places, r, k), held
        if not self._room(places, held, k):
            return places, tuple(sorted((*held, job), key=lambda j: j[1]))
        return self._freed(self._added(places, r, k), held, origin)

    def _freed(self, places: Places, held: Held, k: int) -> State:
        """A free place: the job that was blocked first enters, and frees its own place."""
        while k != OUTSIDE and self._room(places, held, k):
            first = next((i for i, (_, bound, _) in enumerate(held) if bound == k), None)
            if first is None:
                break
            r, bound, origin = held[first]
            places, held, k = self._added(places, r, bound), (*held[:first], *held[first + 1 :]), origin
        return places, held
