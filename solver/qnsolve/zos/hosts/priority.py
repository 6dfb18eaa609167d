"""Work of lower importance on the CPs of a host: it has the engines that work of higher importance leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .company import Company, along
from .host import Host
from .plane import grid, moves, plane

STARVED = 1e-9  # least throughput over that asked for


@dataclass(frozen=True)
class LowerPoint:
    """Tasks of an importance on the CPs.

    Attributes
    ----------
    time : float
        Time of one visit in the mean [s].
    delay : float
        Of it, until the first engine is left by work of higher importance [s].
    """

    time: float
    delay: float


def lower_point(higher: Host, lower: Host, growth: float = 1.16) -> LowerPoint:
    """A chain of the tasks of one importance, the levels, and those of higher importance, the phases.

    Both are as in the product form of their own groups; those of higher importance do not see the others.
    """
    engines = higher.load.engines
    over, under = higher.company(None), lower.company(None)
    use = min((higher.total + lower.total) / engines, 0.999)
    phases = grid(engines + 10, higher.top, growth)
    most = lower.load.coming.most
    levels = grid(engines + 20, max(min(most, 60 + 40 / (1 - use)), 3.0), growth)
    busy = over.longer(0.0, higher.spin_share(None))
    slower = float(higher.slower(None) / lower.slower(None))
    down = along(over.leave, phases) * higher.all_flow / along(busy, phases)
    up = higher.flows(phases, phases, None)
    down[0] = 0.0
    chances = _taken(over, phases)
    for _ in range(6):
        alone = _speeds(under, levels, lower.spin_share(None), chances.shape[1])  # (N, j)
        serve = along(under.leave, levels)[:, None] * lower.all_flow * (alone @ chances.T)
        arrive = lower.flows(levels, levels, None)[:, None] * np.ones(len(phases))
        arrive[-1] = 0.0
        shape = np.ones((len(levels), 1))
        solved = plane(levels, phases, arrive, serve, 0.0, up / slower * shape, down / slower * shape)
        chance = solved.chance
        if chance[-1].sum() < 1e-7 or levels[-1] >= most:
            break
        levels = grid(engines + 20, min(4 * levels[-1], most), growth)
    ended = float((chance * serve).sum())
    number = solved.mean_level
    met = (chance * arrive).sum(axis=0)
    delay = float(met @ _blocked(phases, up, down, chances)) / max(float(met.sum()), 1e-300)
    return LowerPoint(number / max(ended, STARVED * lower.all_flow, 1e-300), delay)


def _taken(over: Company, phases: Array) -> Array:
    """P(j engines are taken), j = 0, 1, …, by the number of tasks of higher importance; the rest is all of them."""
    return np.array([along(over.few[:, j], phases).clip(0.0, 1.0) for j in range(over.few.shape[1])]).T


def _speeds(under: Company, levels: Array, spin: float, most: int) -> Array:
    """Speed of the tasks at each level over that alone, with 0, 1, … engines taken."""
    found = []
    for taken in range(most):
        left = under.processors - taken
        slow = spin + (1 - spin) * under.slow_on(left)
        found.append(1 / along(slow, levels))
    return np.array(found).T


def _blocked(phases: Array, up: Array, down: Array, chances: Array) -> Array:
    """Time until an engine is free, from each number of tasks of higher importance [s]."""
    taken = np.clip(1 - chances.sum(axis=1), 0.0, 1.0)  # P(all engines are)
    some = np.flatnonzero(taken > 1e-9)
    if not len(some):
        return np.zeros(len(phases))
    rise, fall = moves(phases, up - down, up + down, True)
    size = len(phases)
    rates = np.diag(rise[:-1], 1) + np.diag(fall[1:], -1)
    rates -= np.diag(rates.sum(axis=1) + 1e-12 * (rise + fall).max())
    first = max(int(np.argmax(taken > 0.5)), 1) if (taken > 0.5).any() else size
    inner = slice(first, size)
    time = np.zeros(size)
    if first < size:
        time[inner] = np.linalg.solve(-rates[inner, inner], np.ones(size - first))
    return time * taken
