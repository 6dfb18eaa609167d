"""How long jobs of each level of priority stay at one station that sends them away and gets them back."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .ranked import Level, Phases, merged, nonpreemptive, preemptive
from .series import Array

FAINT = 1e-10  # chance of states that are cut
FIRST = 64  # states of a level without end, to begin with
LAST = 4096
LEAST = 0.02  # of the servers, taken as left by higher levels


@dataclass(frozen=True)
class Group:
    """The jobs of one level at a station.

    Attributes
    ----------
    arrive : ndarray (N + 1,)
        Rate at which one more comes where n are there; one number where it never changes [jobs/time].
    time : float
        Mean service time of one visit [time].
    flow : float
        Visits a time unit [jobs/time].
    """

    arrive: Array
    time: float
    flow: float

    def level(self, most: int, servers: int) -> Level:
        """As a level of at most so many jobs."""
        if len(self.arrive) == 1:
            arrive = np.full(most + 1, self.arrive[0])
        else:
            arrive = self.arrive[np.minimum(np.arange(most + 1), len(self.arrive) - 1)]
        arrive[-1] = 0.0
        return Level(arrive, np.minimum(np.arange(len(arrive)), servers) / self.time)

    def most(self, servers: int) -> int:
        """Most jobs with a chance that counts, alone."""
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
        """Open jobs are among them."""
        return bool(self.arrive[-1] > 0)


def stays(groups: list[Group], servers: int, preempts: bool) -> list[float]:
    """Time per visit at the station of each level, the highest first.

    Parameters
    ----------
    groups : list of Group
    servers : int
    preempts : bool

    Returns
    -------
    list of float
    """
    if preempts or len(groups) == 1:
        return _preemptive(groups, servers)
    return _nonpreemptive(groups, servers)


def _preemptive(groups: list[Group], servers: int) -> list[float]:
    top = groups[0].level(groups[0].most(servers), servers)
    p = _alone(top)
    found = [float(p @ np.arange(len(p)) / (p @ top.complete))]
    high = Phases.of(top)
    for i, group in enumerate(groups[1:], 1):
        most = FIRST if group.endless else len(group.arrive) - 1
        while True:
            low = group.level(most, servers)
            both = preemptive(high, low, servers)
            if not group.endless or both[:, -1].sum() < FAINT or most >= LAST:
                break
            most *= 2
        n = both.sum(axis=0)
        found.append(float(n @ np.arange(len(n)) / (n @ low.arrive)))
        if i + 1 < len(groups):
            high = high.joined(low, both, servers)
    return found


def _nonpreemptive(groups: list[Group], servers: int) -> list[float]:
    above, below = _from_above(groups, servers), _from_below(groups, servers)
    waiting, flows, lasts = [], [], 0.0
    for high, low in zip(above, below, strict=True):
        p = nonpreemptive(high, low, servers)
        h, n = p.sum(axis=(0, 2)), p.sum(axis=(0, 1))
        serving = np.minimum(np.arange(len(h)), servers - np.arange(servers + 1)[:, None])
        busy = float((p.sum(axis=2) * serving).sum()), float(p.sum(axis=(1, 2)) @ np.arange(servers + 1))
        waiting.append(float(h @ np.arange(len(h))) - busy[0])
        lasts = float(n @ np.arange(len(n))) - busy[1]
        flows.append((float(h @ high.arrive), float(n @ low.arrive)))
    each = np.diff([0.0, *waiting, waiting[-1] + lasts])
    through = [flows[0][0], *(b[0] - a[0] for a, b in pairwise(flows)), flows[-1][1]]
    return [g.time + max(float(w), 0.0) / x if x > 0 else g.time for g, w, x in zip(groups, each, through, strict=True)]


def _from_above(groups: list[Group], servers: int) -> list[Level]:
    """The highest level, the two highest as one, and so on, without the lowest."""
    wait = max(g.time for g in groups) / servers
    first = groups[0]
    reach = first.most(servers) + 3 + int(10 * first.arrive[0] * wait)
    found = [first.level(reach if first.endless else min(reach, len(first.arrive) - 1), servers)]
    for group in groups[1:-1]:
        low = group.level(FIRST if group.endless else len(group.arrive) - 1, servers)
        found.append(merged(nonpreemptive(found[-1], low, servers), found[-1], low, servers))
    return found


def _from_below(groups: list[Group], servers: int) -> list[Level]:
    """All levels below the highest as one, below the second, and so on to the lowest alone.

    Their mix is found where the servers are as much slower as the levels above leave of them.
    """
    last = groups[-1]
    found = [last.level(FIRST if last.endless else len(last.arrive) - 1, servers)]
    for i in range(len(groups) - 2, 0, -1):
        group, free = groups[i], max(LEAST, 1 - sum(g.flow * g.time for g in groups[:i]) / servers)
        high = group.level(FIRST if group.endless else len(group.arrive) - 1, servers)
        high, low = (Level(x.arrive, x.complete * free) for x in (high, found[-1]))
        both = merged(nonpreemptive(high, low, servers), high, low, servers)
        found.append(Level(both.arrive, both.complete / free))
    return found[::-1]


def _alone(level: Level) -> Array:
    with np.errstate(divide="ignore"):
        logs = np.concatenate(([0.0], np.cumsum(np.log(level.arrive[:-1]) - np.log(level.complete[1:]))))
    p = np.exp(logs - logs.max())
    return p / p.sum()
