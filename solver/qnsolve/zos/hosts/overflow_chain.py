"""Servers that send work elsewhere when all are taken, and the servers that it goes to, as one Markov chain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.series import Array

EDGE, LEVELS = 1e-6, 150  # share of the highest level, and how many there are at most beyond the servers
STEPS, CLOSE = 60, 1e-11  # to the rate of users
FASTEST = 1e6  # most that the users away send, over what all servers do: they are never away then
MANY = 50  # users for each of the first servers that are as good as a stream
FULL, EMPTY = 0.99, 0.9  # load of the second servers from which on all work waits alike there, and up to which it does not
TINY = 1e-300


@dataclass(frozen=True)
class Overflow:
    """What the chain says.

    Attributes
    ----------
    chance : ndarray (m + 1,)
        P(n jobs at the first servers).
    share : float
        Share of the work that finds all of them taken [0..1].
    over, other : float
        Time at the second servers of that work, and of the work that is theirs, over what Poisson arrivals
        of the same rate would find; under users, over the second of the two.
    """

    chance: Array
    share: float
    over: float
    other: float


def overflow(stream: float, closed: float, users: float, over: float, other: float, speeds: Array, servers: float) -> Overflow:
    """First servers with speeds μ(1 … m), then `servers` second ones, shared with a stream of their own work.

    Parameters
    ----------
    stream, closed : float
        Work that comes first to the first servers, from outside and from users [servers].
    over, other : float
        Work of the second servers: what overflows, as far as known, and beside it [servers].
    users : float
        Users whose work `closed` is [jobs].

    Notes
    -----
    All demands are exponential with mean 1. A state is the jobs at the first servers and those at the second;
    levels of the second are eliminated from the top, which adds positive terms only. Users that are not at
    the servers send work at a rate that gives `closed`, or, where no rate does, are never away.
    Many users are a stream.
    """
    if users > MANY * len(speeds) or not closed:
        return _by_stream(stream + closed, other, speeds, servers)
    found = _by_users(stream, closed, users, over, other, speeds, servers)
    full = float(np.clip(((over + other) / servers - EMPTY) / (FULL - EMPTY), 0.0, 1.0))
    crowd = float(np.clip(users / (servers + float(speeds[-1])) - 1, 0.0, 1.0))  # more users than servers
    return replace(found, over=found.over ** (1 - full * crowd))  # in a crowd at full servers all wait alike


def _levels(work: float, speeds: Array, servers: float) -> Array:
    """Jobs at the second servers, from 0 to the most in the states."""
    busy = min(work / (servers + float(speeds[-1])), 0.99)
    return np.arange(int(np.ceil(servers)) + min(LEVELS, int(np.log(EDGE) / np.log(max(busy, 0.1))) + 1) + 1.0)


def _by_stream(stream: float, other: float, speeds: Array, servers: float) -> Overflow:
    second = _levels(stream + other, speeds, servers)
    served, longer = np.minimum(second, servers), 1 + np.maximum(second + 1 - servers, 0.0) / servers
    coming = np.full((len(second), len(speeds) + 1), stream)
    found = _chain(coming, other, speeds, served)
    late = found[:, -1] * stream
    lost = float(late.sum())
    alone = _chain(np.zeros((len(second), 1)), other + lost, np.ones(0), served)  # Poisson arrivals of the same rate
    base = float(alone[:, 0] @ longer)
    seen = float(late @ longer) / lost if lost > 0 else 1.0
    return Overflow(found.sum(axis=0), lost / stream, seen / base, float(found.sum(axis=1) @ longer) / base)


def _by_users(stream: float, closed: float, users: float, over: float, other: float, speeds: Array, servers: float) -> Overflow:
    second = _levels(stream + closed + other, speeds, servers)
    served, longer = np.minimum(second, servers), 1 + np.maximum(second + 1 - servers, 0.0) / servers
    users = min(users, float(int(np.ceil(servers)) + LEVELS))  # more of them wait at full servers and change nothing
    theirs = over / (over + other) if over > 0 else 0.0
    away = np.maximum(users - np.arange(len(speeds) + 1.0) - theirs * second[:, None], 0.0)
    least = 1 / (FASTEST * (servers + float(speeds[-1])))
    pause, low, high, last = max((users - closed) / closed, 0.05 * users / closed), 0.0, np.inf, (0.0, 0.0)
    for _ in range(STEPS):  # time away of a user: the time between two units of work grows with it, nearly by a straight line
        pause = max(pause, least)
        coming = stream + away / pause
        found = _chain(coming, other, speeds, served)
        more = closed * pause / max(float((found * away).sum()), TINY) - 1
        if abs(more) < CLOSE or (more > 0 and pause == least):
            break
        low, high = (low, pause) if more > 0 else (pause, high)
        here, slope = (pause, more), (more - last[1]) / (pause - last[0]) if last[0] else 0.0
        pause = pause - more / slope if slope > 0 else pause / (1 + more)
        if not low < pause < high and high < np.inf:
            pause = float(np.sqrt(max(low, least) * high)) if low else least
        last = here
    late = found[:, -1] * coming[:, -1]
    lost = float(late.sum())
    usual = float(found.sum(axis=1) @ longer)
    seen = float(late @ longer) / lost if lost > 0 else usual
    return Overflow(found.sum(axis=0), lost / float((found * coming).sum()), seen / usual, 1.0)


def _chain(coming: Array, other: float, speeds: Array, served: Array) -> Array:
    """Stationary probabilities, second servers × first: arrivals by state at the first, and at the second.

    A diagonal is what leaves: its row's other terms and the rate to the level below, added up.
    """
    levels, phases = coming.shape
    places = np.arange(phases)
    base = np.zeros((levels, phases, phases))  # moves within a level
    base[:, places[1:], places[:-1]] = speeds
    base[:, places[:-1], places[1:]] = coming[:, :-1]
    up = np.broadcast_to(other, coming.shape).copy()
    up[:, -1] += coming[:, -1]
    ratio: list[Array] = []
    local = base[-1]  # with those by way of the levels above
    for n in range(levels - 1, 0, -1):
        matrix = -local
        diagonal = matrix.reshape(-1)[:: phases + 1]
        diagonal[:] = 0.0
        diagonal[:] = served[n] - matrix.sum(axis=1)
        ratio.append(up[n - 1, :, None] * np.linalg.inv(matrix))
        local = base[n - 1] + ratio[-1] * served[n]
    found = np.zeros((levels, phases))
    found[0] = _stationary(local)
    for n in range(1, levels):
        found[n] = found[n - 1] @ ratio[levels - 1 - n]
        most = found[n].max()
        if most > 1:  # the lower ones count for less
            found[: n + 1] /= most
    total: Array = found / found.sum()
    return total


def _stationary(moves: Array) -> Array:
    """Stationary probabilities of a small chain from its rates, by elimination without a subtraction [Grassmann1985]."""
    rates, size = moves.copy(), len(moves)
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= rates[n, :n].sum()
        rates[:n, :n] += rates[:n, n, None] * rates[n, :n]
    found = np.ones(size)
    for n in range(1, size):
        found[n] = found[:n] @ rates[:n, n]
    total: Array = found / found.sum()
    return total
