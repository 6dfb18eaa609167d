"""A station with two levels of priority: the chain of the jobs of each, in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.markov_chain import TooManyStatesError
from qnsolve.numerics.series import Array

FAINT = 1e-13  # numbers of jobs with a smaller probability are left out where levels are merged
HUGE = 1e100  # weights are scaled from there on
WORK = 6e9  # most products of one chain
PHASES = 300  # most phases that are kept separate


@dataclass(frozen=True)
class Level:
    """The jobs of one level at a station, or of several levels merged.

    Attributes
    ----------
    arrive : ndarray (n + 1,)
        Rate at which one more comes where 0, 1, … n are there, 0 at the last [jobs/time].
    complete : ndarray (n + 1,)
        Rate at which 0, 1, … n of them complete, each with a server of its own as long as
        there are servers [jobs/time].
    """

    arrive: Array
    complete: Array


@dataclass(frozen=True)
class Phases:
    """The higher levels, which do not depend on the lower ones, as a chain of phases.

    Attributes
    ----------
    moves : ndarray (P, P)
        Rates [1/time].
    jobs : ndarray (P,) of int
        Jobs of the higher levels in each phase.
    """

    moves: Array
    jobs: NDArray[np.intp]

    @classmethod
    def of(cls, level: Level) -> Phases:
        """One level alone."""
        return cls(np.diag(level.arrive[:-1], 1) + np.diag(level.complete[1:], -1), np.arange(len(level.arrive)))

    def joined(self, low: Level, p: Array, servers: int) -> Phases:
        """These and a lower level with joint probabilities P: each state a phase, or only the number of jobs."""
        size = p.shape[1]
        some = np.flatnonzero(p.ravel() > FAINT * 1e3)
        count = (self.jobs[:, None] + np.arange(size)).ravel()
        if len(some) > PHASES:
            return self._counted(low, p, servers)
        place = np.full(p.size, -1)
        place[some] = np.arange(len(some))
        phase, n = np.divmod(some, size)
        moves = np.zeros((len(some), len(some)))
        free = servers - np.minimum(self.jobs, servers)
        for i, (f, jobs) in enumerate(zip(phase.tolist(), n.tolist(), strict=True)):
            to = np.flatnonzero(self.moves[f])
            targets = [*(to * size + jobs).tolist(), f * size + jobs + 1, f * size + jobs - 1]
            rates = [*self.moves[f, to].tolist(), low.arrive[jobs], low.complete[min(jobs, int(free[f]))]]
            for target, rate in zip(targets, rates, strict=True):
                if rate > 0 and place[target] >= 0:
                    moves[i, place[target]] += rate
        return Phases(moves, count[some])

    def _counted(self, low: Level, p: Array, servers: int) -> Phases:
        """The phases merged by the number of jobs, with mean rates."""
        more = np.where(self.jobs[None, :] == self.jobs[:, None] + 1, self.moves, 0.0).sum(axis=1)
        less = np.where(self.jobs[None, :] == self.jobs[:, None] - 1, self.moves, 0.0).sum(axis=1)
        n = np.arange(p.shape[1])
        free = servers - np.minimum(self.jobs, servers)
        served = low.complete[np.minimum(n, free[:, None])]
        return Phases.of(_by_number(self.jobs[:, None] + n, p, (more[:, None] + low.arrive) * p, (less[:, None] + served) * p))


Pace = tuple[Array, Array]  # of the arrivals of both levels: by the jobs of the lower one, of the higher one


def preemptive(high: Phases, low: Level, servers: int, pace: Pace | None = None) -> Array:
    """P(phase of the higher levels, n jobs of the lower one), shape (P, N + 1); the higher ones are served as if alone."""
    free = servers - np.minimum(high.jobs, servers)
    by_low, by_high = pace or _even(len(low.arrive), len(high.jobs))
    comes, blocks = np.triu(high.moves, 1) if pace else np.zeros(high.moves.shape), []
    for n, rate in enumerate(low.arrive.tolist()):
        moves = high.moves + comes * (by_low[n] - 1)
        blocks.append((moves, np.diag(by_high * rate), np.diag(low.complete[np.minimum(n, free)])))
    return np.array(_stationary(blocks)).T


def _even(*sizes: int) -> Pace:
    first, second = (np.ones(size) for size in sizes)
    return first, second


def nonpreemptive(high: Level, low: Level, servers: int, pace: Pace | None = None) -> Array:
    """P(s jobs of the lower level in service, h of the higher level, n of the lower one), shape (m + 1, H + 1, N + 1)."""
    patterns = [_pattern(high, low, servers, n) for n in range(min(servers + 2, len(low.arrive)))]
    by_low, by_high = pace or _even(len(low.arrive), len(high.arrive))
    blocks = []
    for n in range(len(low.arrive)):
        between, comes, up, down = patterns[min(n, len(patterns) - 1)]
        up = up * np.tile(low.arrive[n] * by_high, servers + 1)[:, None]
        blocks.append((between + comes * by_low[n], up, down * low.complete[n]))
    p = np.array(_stationary(blocks))
    return np.moveaxis(p.reshape(len(p), servers + 1, len(high.arrive)), 0, 2)


def _pattern(high: Level, low: Level, m: int, n: int) -> tuple[Array, Array, Array, Array]:
    """Moves between the states (s, h) with n jobs of the lower level, arrivals of the higher one apart, to n + 1 and n − 1.

    To n + 1 per arrival, to n − 1 per completion.
    """
    last = len(high.arrive) - 1
    size = (m + 1) * (last + 1)
    between, comes, up, down = (np.zeros((size, size)) for _ in range(4))
    for s in range(m + 1):
        for h in range(last + 1):
            here = s * (last + 1) + h
            least, most = max(0, min(n, m - h)), min(n, m)
            if not least <= s <= most:  # cannot be: leads to what can
                between[here, (least if s < least else most) * (last + 1) + h] = 1.0
                continue
            up[here, here + (last + 1 if h + n < m else 0)] = 1.0
            if h < last:
                comes[here, here + 1] += high.arrive[h]
            if h:
                begins = h - 1 < m - s and n > s
                served = min(h, m - s)
                between[here, here - 1 + (last + 1 if begins else 0)] += high.complete[h] * served / min(h, m)
            if s:
                begins = h <= m - s and n > s
                down[here, here - (0 if begins else last + 1)] += s / min(n, m)
    return between, comes, up, down


def _stationary(blocks: list[tuple[Array, Array, Array]]) -> list[Array]:
    """Probabilities of a chain of levels: each block its moves within, up and down; the last goes up nowhere.

    The levels are taken out from the last one on; what is left of each is a chain again, whose
    diagonal is the sum of what leaves it.
    """
    if len(blocks) * float(len(blocks[0][0])) ** 3 > WORK:
        raise TooManyStatesError(f"{len(blocks):,} levels of {len(blocks[0][0]):,} states each")
    passes: list[Array] = []
    returns = np.zeros_like(blocks[-1][0])
    for n in range(len(blocks) - 1, 0, -1):
        between, _, down = blocks[n]
        inverse = np.linalg.inv(_leaving(between + returns, down.sum(axis=1)))
        passes.append(np.maximum(blocks[n - 1][1] @ inverse, 0.0))
        returns = passes[-1] @ down
    left = _leaving(blocks[0][0] + returns, np.zeros(len(returns)))
    left[:, 0] = 1.0
    p = [np.maximum(np.linalg.solve(left.T, np.eye(len(left))[0]), 0.0)]
    for onward in reversed(passes):
        p.append(p[-1] @ onward)
        if p[-1].max() > HUGE:
            p = [row / HUGE for row in p]
    total = float(sum(row.sum() for row in p))
    return [row / total for row in p]


def _leaving(moves: Array, down: Array) -> Array:
    """Rates at which each state of a block is left, on the diagonal, less its moves within, which are used up."""
    np.fill_diagonal(moves, 0.0)
    return np.diag(moves.sum(axis=1) + down) - moves


def merged_level(p: Array, high: Level, low: Level, servers: int) -> Level:
    """Both levels as one, by what happens in the mean where so many are there; P as `nonpreemptive` gives it."""
    h, n = np.indices(p.shape[1:])
    s = np.arange(servers + 1)[:, None, None]
    own = high.complete[h] / np.maximum(np.minimum(h, servers), 1) * np.minimum(h, servers - s)
    other = low.complete[n] / np.maximum(np.minimum(n, servers), 1) * np.minimum(s, n)
    chance = p.sum(axis=0)
    return _by_number(np.asarray(h + n), chance, (high.arrive[h] + low.arrive[n]) * chance, ((own + other) * p).sum(axis=0))


def _by_number(number: NDArray[np.intp], chance: Array, comes: Array, goes: Array) -> Level:
    """A level from states of known numbers: its rates are the means over the states of a number."""
    p, up, down = (np.asarray(np.bincount(number.ravel(), weights=a.ravel()), dtype=float) for a in (chance, comes, goes))
    last = int(np.flatnonzero(p > FAINT).max()) + 1
    arrive, complete = up[:last] / np.maximum(p[:last], FAINT), down[:last] / np.maximum(p[:last], FAINT)
    arrive[-1], complete[0] = 0.0, 0.0
    return Level(arrive, complete)
