"""Servers that send work elsewhere when all are taken, and the servers that it goes to, as one Markov chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .series import Array

EDGE, LEVELS = 1e-6, 150  # share of the highest level, and how many there are at most beyond the servers
STEPS, CLOSE = 60, 1e-11  # to the rate of users
MANY = 50  # users for each of the first servers that are as good as a stream


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
    levels of the second are eliminated from the top, which adds positive terms only.
    """
    m, full = len(speeds), int(np.ceil(servers))
    if users > MANY * m:
        stream, closed = stream + closed, 0.0
    busy = min((stream + closed + other) / (servers + float(speeds[-1])), 0.99)
    top = full + min(LEVELS, int(np.log(EDGE) / np.log(max(busy, 0.1))) + 1)
    first, second = np.arange(m + 1.0), np.arange(top + 1.0)
    served = np.minimum(second, servers)
    rate, last = closed / max(users - closed, 0.05 * users) if closed else 0.0, (0.0, 0.0)
    part = over / (over + other) if over > 0 else 0.0
    low, high = -np.inf, np.inf
    for _ in range(STEPS):
        away = np.maximum(users - first - part * second[:, None], 0.0)
        coming = stream + rate * away
        found = _chain(coming, other, speeds, served)
        late = found[:, -1] * coming[:, -1]
        if not closed:
            break
        here = (np.log(rate), np.log(rate * float((found * away).sum()) / closed))
        if abs(here[1]) < CLOSE:
            break
        low, high = (here[0], high) if here[1] < 0 else (low, here[0])
        slope = (here[1] - last[1]) / (here[0] - last[0]) if last[0] and here[0] != last[0] else 1.0
        step = here[0] - here[1] / max(slope, 0.05)
        if not low < step < high:  # the secant leaves what is known to hold the rate
            step = (low + high) / 2 if np.isfinite(high - low) else here[0] - np.sign(here[1])
        rate, last = float(np.exp(step)), here
    longer = 1 + np.maximum(second + 1 - servers, 0.0) / servers
    seen = float(late @ longer / late.sum()) if late.sum() > 0 else 1.0
    usual = float(found.sum(axis=1) @ longer)
    base = usual
    if not closed:  # what Poisson arrivals of the same rate find
        birth = np.full((top + 1, 1), 0.0)
        base = float(_chain(birth, other + float(late.sum()), np.ones(0), served)[:, 0] @ longer)
    return Overflow(found.sum(axis=0), float(late.sum() / (found * coming).sum()), seen / base, usual / base)


def _chain(coming: Array, other: float, speeds: Array, served: Array) -> Array:
    """Stationary probabilities, second servers × first."""
    levels, phases = coming.shape
    down = np.zeros((phases, phases))
    down[np.arange(1, phases), np.arange(phases - 1)] = speeds
    ratio: list[Array] = []
    back = np.zeros((phases, phases))  # from a level to itself by way of those above
    for n in range(levels - 1, 0, -1):
        local = back + down
        local[np.arange(phases - 1), np.arange(1, phases)] += coming[n, :-1]
        leave = served[n] + down.sum(axis=1) + coming[n]
        if n < levels - 1:
            leave = leave + other
        else:
            leave[-1] -= coming[n, -1]
        up = np.full(phases, other)
        up[-1] += coming[n - 1, -1]
        inverse = np.linalg.inv(np.diag(leave) - local)
        ratio.append(up[:, None] * inverse)
        back = ratio[-1] * served[n]
    local = back + down
    local[np.arange(phases - 1), np.arange(1, phases)] += coming[0, :-1]
    leave = down.sum(axis=1) + coming[0] + other
    matrix = (local - np.diag(leave)).T
    matrix[0] = 1.0
    found = np.zeros((levels, phases))
    found[0] = np.linalg.solve(matrix, np.eye(phases)[0])
    for n in range(1, levels):
        found[n] = found[n - 1] @ ratio[levels - 1 - n]
    total: Array = found / found.sum()
    return total
