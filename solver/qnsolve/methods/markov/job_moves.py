"""The transitions of the Markov chain of a network, job by job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from .station_states import StationStates

Waiting = tuple[int, int, int]  # class, station it is bound for (or `OUTSIDE`), limits it holds meanwhile (bits)
State = tuple[tuple[tuple[int, ...], ...], tuple[Waiting, ...]]  # each station's jobs; the jobs outside limits
OUTSIDE = -1


class Move(NamedTuple):
    """A transition: its rate, the next state, the class of the job that moves.

    `finished`: it has had all its visits. `asks`, `delayed`: it requested admission, and had to wait.
    """

    rate: float
    state: State
    job_class: int
    finished: bool
    asks: bool = False
    delayed: bool = False


@dataclass(frozen=True)
class EntryLimit:
    """At most `capacity` jobs of some classes at some stations."""

    capacity: int
    classes: frozenset[int]
    stations: frozenset[int]


@dataclass(frozen=True)
class Jobs:
    """Classes of jobs that go from station to station, past limits.

    A job bound for a station waits, in order of arrival, until every limit that it
    needs and does not hold can admit it; it keeps those that it holds and still needs. A job
    that needs other limits than those ahead of it may pass them.

    Attributes
    ----------
    centers : tuple (K,) of StationStates
    routes : tuple (R,) of dict
        From a station (or `OUTSIDE`) to the pairs of next station (or `OUTSIDE`) and probability.
    population : tuple (R,) of int
        Of an open class the most jobs in the chain.
    outside_rate : tuple (R,) of float
        Rate of one thinking job; of an open class, of all arrivals; inf: it returns at once.
    is_open : tuple (R,) of bool
    limits : tuple of EntryLimit
    hosts : tuple of pairs of int
        Station and the one on whose servers its own run: jobs in service at the first share
        the servers of the second with the jobs that are there.
    """

    centers: tuple[StationStates, ...]
    routes: tuple[dict[int, list[tuple[int, float]]], ...]
    population: tuple[int, ...]
    outside_rate: tuple[float, ...]
    is_open: tuple[bool, ...]
    limits: tuple[EntryLimit, ...] = ()
    hosts: tuple[tuple[int, int], ...] = ()

    def _pace(self, state: State) -> dict[int, float]:
        """Speed of stations that share the servers of one of them, over their speed alone."""
        counts = [sum(c.jobs(s)) for c, s in zip(self.centers, state[0], strict=True)]
        pace: dict[int, float] = {}
        for host in {host for _, host in self.hosts}:
            guests = [k for k, h in self.hosts if h == host]
            jobs = counts[host] + sum(min(counts[k], len(self.centers[k].speeds)) for k in guests)
            speeds = self.centers[host].speeds
            each = speeds[min(jobs, len(speeds)) - 1] / jobs if jobs else 1.0
            pace |= dict.fromkeys(guests, each)
            if counts[host]:
                pace[host] = each * counts[host] / speeds[min(counts[host], len(speeds)) - 1]
        return pace

    def start(self) -> State:
        """All jobs outside, but those with zero think time, which are at their first stations."""
        state: State = (tuple(c.empty() for c in self.centers), ())
        for r, (jobs, rate) in enumerate(zip(self.population, self.outside_rate, strict=True)):
            for _ in range(jobs if rate == inf else 0):
                state = next(self._enter(0.0, state, r, finished=False)).state
        return state

    def present(self, state: State) -> list[tuple[int, ...]]:
        """Jobs of each class at each station."""
        return [c.jobs(s) for c, s in zip(self.centers, state[0], strict=True)]

    def inside(self, state: State) -> list[int]:
        """Jobs of each class that are not outside the network, those that wait at limits included."""
        jobs = [sum(n) for n in zip(*self.present(state), strict=True)]
        for r, _, _ in state[1]:
            jobs[r] += 1
        return jobs

    def moves(self, state: State) -> Iterator[Move]:
        """All transitions."""
        inside = self.inside(state)
        for r, most in enumerate(self.population):
            rate, left = self.outside_rate[r], most - inside[r]
            if left > 0 and 0 < rate < inf:
                yield from self._enter(rate * (1 if self.is_open[r] else left), state, r, finished=False)
        pace = self._pace(state) if self.hosts else {}
        for k, center in enumerate(self.centers):
            for r, rate, after in center.complete(state[0][k]):
                rate *= pace.get(k, 1.0)
                left_behind = _at(state, k, after)
                held = self.needed(r, k)
                for following, share in self.routes[r][k]:
                    if following != OUTSIDE:
                        yield from self._move(rate * share, left_behind, (r, following, held), finished=False)
                    elif self.outside_rate[r] == inf:
                        yield from self._enter(rate * share, left_behind, r, finished=True)
                    else:
                        for chance, then in self._admitted(left_behind):
                            yield Move(rate * share * chance, then, r, finished=True)

    def _enter(self, rate: float, state: State, r: int, finished: bool) -> Iterator[Move]:
        """A job arrives; where every first station has the same limits, its station is drawn after admission."""
        first = self.routes[r][OUTSIDE]
        if len(first) > 1 and self._needs[r][OUTSIDE]:
            first = [(OUTSIDE, 1.0)]
        for k, share in first:
            yield from self._move(rate * share, state, (r, k, 0), finished)

    def _move(self, rate: float, state: State, job: Waiting, finished: bool) -> Iterator[Move]:
        """A job joins the queue for a station with the limits that it holds; then all jobs that can are admitted."""
        r, k, held = job
        needed = self.needed(r, k)
        if needed == held:
            yield Move(rate, _at(state, k, self.centers[k].arrive(state[0][k], r)), r, finished)
            return
        job = (r, k, held & needed)
        asks = bool(needed & ~held)
        for chance, after in self._admitted((state[0], (*state[1], job))):
            yield Move(rate * chance, after, r, finished, asks, asks and after[1][-1:] == (job,))

    def needed(self, r: int, k: int) -> int:
        """The limits that a job of class r must hold at station k [bits]."""
        return self._needs[r][k]

    @cached_property
    def _needs(self) -> list[list[int]]:
        """Limits by class and station; the last entry is for the first station, where all have the same."""
        needs = []
        for r, routes in enumerate(self.routes):
            under = [
                sum(1 << i for i, x in enumerate(self.limits) if r in x.classes and k in x.stations)
                for k in range(len(self.centers))
            ]
            first = {under[k] for k, _ in routes[OUTSIDE]}
            needs.append([*under, first.pop() if len(first) == 1 else 0])
        return needs

    def _admitted(self, state: State) -> list[tuple[float, State]]:
        """Admit the jobs that can enter, first come first served; each outcome and its probability."""
        stations, waiting = state
        if not waiting:
            return [(1.0, state)]
        used = self.used(state)
        rest, outcomes = [], [(1.0, stations)]
        refused = set()  # limits only fill up here: who is like a job that was refused is refused too
        for job in waiting:
            if job in refused:
                rest.append(job)
                continue
            r, k, held = job
            missing = self.needed(r, k) & ~held
            needed = [i for i in range(len(used)) if missing >> i & 1]
            if all(used[i] < self.limits[i].capacity for i in needed):
                for i in needed:
                    used[i] += 1
                places = self.routes[r][OUTSIDE] if k == OUTSIDE else [(k, 1.0)]
                outcomes = [
                    (chance * share, (*at[:to], self.centers[to].arrive(at[to], r), *at[to + 1 :]))
                    for chance, at in outcomes
                    for to, share in places
                ]
            else:
                refused.add(job)
                rest.append(job)
        return [(chance, (at, tuple(rest))) for chance, at in outcomes]

    def used(self, state: State) -> list[int]:
        """Jobs that hold each limit."""
        used = []
        jobs = [c.jobs(s) for c, s in zip(self.centers, state[0], strict=True)]
        for i, limit in enumerate(self.limits):
            inside = sum(jobs[k][r] for k in limit.stations for r in limit.classes)
            used.append(inside + sum(held >> i & 1 for _, _, held in state[1]))
        return used


def _at(state: State, k: int, station: tuple[int, ...]) -> State:
    return (*state[0][:k], station, *state[0][k + 1 :]), state[1]
