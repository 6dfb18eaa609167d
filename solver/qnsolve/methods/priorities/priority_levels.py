"""Residence time per visit of each priority level at one station with state-dependent arrivals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from qnsolve.methods.markov.station_states import StationStates
from qnsolve.numerics.markov_chain import Index, explore, stationary
from qnsolve.numerics.series import Array

from .two_level_priority import Level, Phases, merged_level, nonpreemptive, preemptive

FAINT = 1e-9  # probability of states that are cut
FIRST = 64  # initial number of states of an open level
LAST = 4096
FULL = 1e-6  # share of the servers: an open level that is left less has no steady state
STATES = 2000  # most states of one chain of three levels and more without preemption


@dataclass(frozen=True)
class Group:
    """The jobs of one level at a station.

    Attributes
    ----------
    arrive : ndarray (N + 1,)
        Arrival rate with n jobs there; one number where it is constant [jobs/time].
    time : float
        Mean service time of one visit [time].
    pace : ndarray, optional
        Relative arrival rate with 0, 1, … jobs of the only other level there.
    """

    arrive: Array
    time: float
    pace: Array | None = None

    def level(self, most: int, servers: int) -> Level:
        """As a level of at most so many jobs."""
        if len(self.arrive) == 1:
            arrive = np.full(most + 1, self.arrive[0])
        else:
            arrive = self.arrive[np.minimum(np.arange(most + 1), len(self.arrive) - 1)]
        arrive[-1] = 0.0
        return Level(arrive, np.minimum(np.arange(len(arrive)), servers) / self.time)

    def most(self, servers: int) -> int:
        """Most jobs with a probability that counts, the level alone."""
        n = np.arange(1, LAST if self.endless else len(self.arrive))
        arrive = (
            np.full(len(n), self.arrive[0]) if len(self.arrive) == 1 else self.arrive[np.minimum(n - 1, len(self.arrive) - 1)]
        )
        with np.errstate(divide="ignore"):
            logs = np.concatenate(([0.0], np.cumsum(np.log(arrive * self.time / np.minimum(n, servers)))))
        p = np.exp(logs - logs.max())
        beyond = np.cumsum(p[::-1])[::-1] / p.sum()
        return max(1, int(np.flatnonzero(beyond > FAINT).max()))

    @property
    def endless(self) -> bool:
        """Whether the level has open jobs."""
        return bool(self.arrive[-1] > 0)


def stays(groups: list[Group], servers: int, preempts: bool) -> list[float]:
    """Time per visit at the station of each level, the highest first.

    Parameters
    ----------
    groups : list of Group
    servers : int
    preempts : bool
        Two levels at a time: the higher ones as a chain of phases that does not see the others.
        Without preemption three levels and more are one chain while it is short, beyond that
        merged by their number, without regard to which level is in service.

    Returns
    -------
    list of float
        [time]; 1/FULL service times for an open level that is saturated.

    References
    ----------
    [Marie1979] for a station with arrival rates that depend on the jobs there.
    """
    if len(groups) == 2 and groups[0].pace is not None and groups[1].pace is not None:
        return _coupled(groups[0], groups[1], groups[0].pace, groups[1].pace, servers, preempts)
    if preempts or len(groups) == 1:
        return _preemptive(groups, servers)
    return _nonpreemptive(groups, servers)


def _coupled(first: Group, second: Group, by_low: Array, by_high: Array, servers: int, preempts: bool) -> list[float]:
    """Two closed levels whose arrival rates depend on the number of the other level here."""
    quick = Group(first.arrive * by_low.max(), first.time)
    high, low = first.level(quick.most(servers), servers), second.level(len(second.arrive) - 1, servers)
    pace = by_low, by_high[: len(high.arrive)]
    both = preemptive(Phases.of(high), low, servers, pace) if preempts else nonpreemptive(high, low, servers, pace).sum(axis=0)
    h, n = np.indices(both.shape)
    flows = (both * high.arrive[h] * pace[0][n]).sum(), (both * low.arrive[n] * pace[1][h]).sum()
    return [float((both * jobs).sum() / flow) for jobs, flow in zip((h, n), flows, strict=True)]


def _preemptive(groups: list[Group], servers: int) -> list[float]:
    top = groups[0].level(groups[0].most(servers), servers)
    p = _alone(top)
    found = [float(p @ np.arange(len(p)) / (p @ top.complete))]
    high, used = Phases.of(top), float(p @ top.complete) * groups[0].time
    for i, group in enumerate(groups[1:], 1):
        if group.endless and group.arrive[-1] * group.time >= (servers - used) * (1 - FULL):
            return [*found, *(g.time / FULL for g in groups[i:])]  # saturated
        most = FIRST if group.endless else len(group.arrive) - 1
        while True:
            low = group.level(most, servers)
            both = preemptive(high, low, servers)
            if not group.endless or both[:, -1].sum() < FAINT or most >= LAST:
                break
            most *= 2
        n = both.sum(axis=0)
        flow = float(n @ low.arrive)
        used += flow * group.time
        found.append(float(n @ np.arange(len(n))) / flow)
        if i + 1 < len(groups):
            high = high.joined(low, both, servers)
    return found


def _nonpreemptive(groups: list[Group], servers: int) -> list[float]:
    if len(groups) > 2 and not any(g.endless for g in groups) and kept_apart([len(g.arrive) - 1 for g in groups], servers):
        return _whole(groups, servers)
    size = FIRST
    while True:
        waiting, flows, last, edge = _cuts(groups, servers, size)
        if edge < FAINT or size >= LAST // 4 or not any(g.endless for g in groups):
            break
        size *= 2
    each = np.diff([0.0, *waiting, waiting[-1] + last])
    through = [flows[0][0], *(b[0] - a[0] for a, b in pairwise(flows)), flows[-1][1]]
    return [g.time + max(float(w), 0.0) / x if x > 0 else g.time for g, w, x in zip(groups, each, through, strict=True)]


def _cuts(groups: list[Group], servers: int, size: int) -> tuple[list[float], list[tuple[float, float]], float, float]:
    """Between each two levels: jobs waiting above, flows above and below; jobs waiting in the last level; chance at the cut."""
    waiting, flows, last, edge = [], [], 0.0, 0.0
    for high, low in zip(_from_above(groups, servers, size), _from_below(groups, servers, size), strict=True):
        p = nonpreemptive(high, low, servers)
        h, n = p.sum(axis=(0, 2)), p.sum(axis=(0, 1))
        serving = np.minimum(np.arange(len(h)), servers - np.arange(servers + 1)[:, None])
        waiting.append(float(h @ np.arange(len(h)) - (p.sum(axis=2) * serving).sum()))
        last = float(n @ np.arange(len(n)) - p.sum(axis=(1, 2)) @ np.arange(servers + 1))
        flows.append((float(h @ high.arrive), float(n @ low.arrive)))
        edge = max(edge, float(n[-1]) if groups[-1].endless else 0.0, float(h[-1]) if groups[0].endless else 0.0)
    return waiting, flows, last, edge


def _from_above(groups: list[Group], servers: int, size: int) -> list[Level]:
    """The highest level, the two highest as one, and so on, without the lowest; open ones cut at a size."""
    wait = max(g.time for g in groups) / servers
    first = groups[0]
    reach = first.most(servers) + 3 + int(10 * first.arrive[0] * wait)
    found = [first.level(min(reach, size if first.endless else len(first.arrive) - 1), servers)]
    for group in groups[1:-1]:
        low = group.level(size if group.endless else len(group.arrive) - 1, servers)
        found.append(merged_level(nonpreemptive(found[-1], low, servers), found[-1], low, servers))
    return found


def _from_below(groups: list[Group], servers: int, size: int) -> list[Level]:
    """All levels below the highest as one, below the second, and so on to the lowest alone; open ones cut at a size."""
    last = groups[-1]
    found = [last.level(size if last.endless else len(last.arrive) - 1, servers)]
    for group in groups[-2:0:-1]:
        high = group.level(size if group.endless else len(group.arrive) - 1, servers)
        found.append(merged_level(nonpreemptive(high, found[-1], servers), high, found[-1], servers))
    return found[::-1]


def _whole(groups: list[Group], servers: int) -> list[float]:
    """All levels without preemption in one chain."""
    states, origin, target, group, count, share = _states(tuple(len(g.arrive) - 1 for g in groups), servers)
    rate = np.empty(len(origin))
    for i, g in enumerate(groups):
        comes, goes = (group == i) & (count >= 0), (group == i) & (count < 0)
        rate[comes] = g.arrive[count[comes]]
        rate[goes] = share[goes] / g.time
    p = stationary(len(states), origin, target, rate)
    found = []
    for i, g in enumerate(groups):
        jobs = states[:, i]
        found.append(float(p @ jobs / (p @ g.arrive[jobs])))
    return found


@lru_cache(64)
def _states(population: tuple[int, ...], servers: int) -> tuple[Index, Index, Index, Index, Index, Array]:
    """Jobs of each level by state; arcs: from, to, level, number there where one more comes or −1, servers that complete it."""
    levels = len(population)
    center = StationStates("nonpreemptive", tuple(range(1, servers + 1)), (1.0,) * levels, tuple(range(levels)))
    members: list[tuple[int, int]] = []

    def moves(state: tuple[int, ...]) -> Iterator[tuple[float, tuple[int, ...]]]:
        jobs = center.jobs(state)
        for i, n in enumerate(jobs):
            if n < population[i]:
                members.append((i, n))
                yield 1.0, center.arrive(state, i)
        for i, served, following in center.complete(state):
            members.append((i, -1))
            yield served, following

    states, origin, target, share = explore(center.empty(), moves, 10 * STATES)
    group, count = np.array(members, dtype=np.intp).T
    return np.array([center.jobs(s) for s in states], dtype=np.intp), origin, target, group, count, share


def kept_apart(populations: list[int], servers: int) -> bool:
    """Whether three levels and more without preemption fit one chain."""
    return math.prod(n + 1 for n in populations) * min(servers + 1, sum(populations)) ** (len(populations) - 1) <= STATES


def _alone(level: Level) -> Array:
    with np.errstate(divide="ignore"):
        logs = np.concatenate(([0.0], np.cumsum(np.log(level.arrive[:-1]) - np.log(level.complete[1:]))))
    p = np.exp(logs - logs.max())
    return p / p.sum()
