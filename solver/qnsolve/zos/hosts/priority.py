"""Work of lower importance on the CPs of a host: it has the engines that work of higher importance leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places

from .chains.banded import times
from .chains.company import Company, along
from .chains.plane import grid, moves, plane
from .host_view import HostView

SIZES = 3  # of visits, for which times are found
PIECE = 0.002  # CPU of one piece of the CPU that does not grow with the work [s]
STARVED = 1e-4  # least throughput over that asked for
ALONE = 1e-12  # tasks that a visit finds up to which it finds none
LEAST = 1e-5  # engines of its own over those of the host: a piece takes at most 100,000 times its CPU


@dataclass(frozen=True, eq=False)
class LowerPoint:
    """Tasks of an importance on the CPs.

    Attributes
    ----------
    engines : float
        As many of their own on which as many of them are there.
    found : ndarray (W,)
        Tasks that a visit of each work finds, over those that any one finds.
    sizes, times : ndarray (S,), (S, W)
        CPU of a visit, and the time of one of each work that takes so long, where all share the engines alike [s].
    """

    engines: float
    found: Array
    sizes: Array
    times: Array

    def time_of(self, cpu: Array, work: Places) -> Array:
        """Time of visits of so much CPU of some works [s]."""
        found = [np.interp(size, self.sizes, self.times[:, w]) for size, w in zip(cpu.tolist(), work.tolist(), strict=True)]
        return np.array(found)


def lower_point(higher: HostView, lower: HostView, growth: float = 1.16) -> LowerPoint:
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
    slower = _slower(higher, lower, use)
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
    levels = solved.levels
    piece = lower.total / lower.all_flow
    more = levels + 1
    alone = _speeds(under, more, lower.spin_share(None), chances.shape[1])
    each = along(under.leave, more)[:, None] * lower.all_flow * (alone @ chances.T) / more[:, None]  # of one among n + 1
    sizes = np.unique(np.geomspace(*_ends(lower), SIZES))
    coming = np.array([np.interp(levels, lower.load.coming.count, rate) for rate in lower.load.coming.rate.T])
    met = chance * np.maximum(coming, 1e-300)[:, :, None]  # by work: those of few users come when few of them are there
    met /= met.sum(axis=(1, 2), keepdims=True)
    clock = slower * float(lower.slower(None))  # one task is not as uneven as all of them
    inner = levels, phases, arrive[:, 0], each * levels[:, None], up / clock, down / clock
    left = np.array([time_left(*inner, each * piece / size) for size in sizes])  # (S, N, Y)
    seen = met.sum(axis=2) @ levels
    usual = float((chance * arrive).sum(axis=1) @ levels) / max(float((chance * arrive).sum()), 1e-300)
    own = _engines(lower, under, levels, arrive[:, 0], solved.mean_level)
    found = seen / usual if usual > ALONE else np.ones(len(seen))
    return LowerPoint(own, found, sizes, np.einsum("sny,wny->sw", left, met))


def _engines(lower: HostView, under: Company, levels: Array, arrive: Array, number: float) -> float:
    """Engines of their own on which as many tasks are there."""
    leave, spin = along(under.leave, levels) * lower.all_flow, lower.spin_share(None)

    def there(engines: float) -> float:
        serve = leave / along(spin + (1 - spin) * under.slow_on(engines), levels)
        rise, fall = moves(levels, (arrive - serve)[None, :], (arrive + serve)[None, :], True)
        logs = np.append(0.0, np.cumsum(np.log(np.maximum(rise[0, :-1], 1e-300)) - np.log(np.maximum(fall[0, 1:], 1e-300))))
        chance = np.exp(logs - logs.max())
        return float(chance @ levels) / float(chance.sum())

    low, high = LEAST * under.processors, under.processors
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if there(middle) > number else (low, middle)
    return high


def _slower(higher: HostView, lower: HostView, use: float) -> float:
    """Clock of the work of higher importance over that of the other: unlike pieces keep engines for unlike times.

    Those that last longer than the others' line takes to settle do not count for more than that.
    """
    settle = lower.total / lower.all_flow / (lower.load.engines * (1 - np.sqrt(use)) ** 2)
    cpu, flow, piece = higher.cpu(), higher.load.flow, PIECE * (higher.load.fixed > 0)
    load, mean = flow * cpu, higher.total / higher.all_flow
    some = load @ (settle * cpu / (settle + cpu)) + higher.load.fixed * settle * piece / (settle + piece)
    alike = higher.total * settle * mean / (settle + mean)
    return float(some / alike / lower.slower(None))


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


def _ends(lower: HostView) -> tuple[float, float]:
    """The shortest and the longest CPU of a visit."""
    cpu = lower.cpu()
    some = cpu[(lower.load.flow > 0) & (cpu > 0)]
    return (float(some.min()), float(some.max())) if len(some) else (PIECE, PIECE)


def time_left(levels: Array, phases: Array, arrive: Array, serve: Array, up: Array, down: Array, ends: Array) -> Array:
    """Time that one has left that ends at a rate, in each state (N, Y).

    Tasks come to the levels at rates (N,), and end there (N, Y); the phases go up and down at rates (Y,).
    """
    rise, fall = moves(phases, up - down, up + down, True)
    ups, downs = moves(levels, (arrive[:, None] - serve).T, (arrive[:, None] + serve).T, True)
    leave = rise + fall + ups.T + downs.T
    ends = np.maximum(ends, STARVED * float(leave.max()))
    across = np.broadcast_to(rise, serve.shape), np.broadcast_to(fall, serve.shape)
    return times({(1, 0): ups.T, (-1, 0): downs.T, (0, 1): across[0], (0, -1): across[1]}, ends)
