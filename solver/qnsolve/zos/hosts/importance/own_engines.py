"""Engines of their own on which as many tasks of an importance are there as on those that higher ones leave."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.jumps import Jump, Spread, spread
from qnsolve.zos.hosts.chains.plane import moves, plane_moves
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.others.company import along

from .one_task import OneTask
from .ranks_in_bursts import found_with_mates

MOST = 1e200  # weight of a point, from which on all are scaled
LEAST = 1e-5  # engines over those of the host: a piece takes at most 100,000 times its CPU


class OwnEngines:
    """The chain of the tasks of a view alone, on some engines: `levels`, those that come one by one, and in `groups`."""

    def __init__(self, lower: HostView, levels: Array, arrive: Array, groups: list[Jump]) -> None:
        self.lower, self.levels, self.arrive, self.under = lower, levels, arrive, lower.company(None)
        self.groups: Spread | None = spread(levels, np.zeros(1), groups) if groups else None

    def engines(self, number: float) -> float:
        """Engines on which so many are there."""
        low, high = LEAST * self.under.processors, self.under.processors
        for _ in range(40):
            middle = (low + high) / 2
            chance = self._chance(middle)
            low, high = (middle, high) if float(chance @ self.levels) > number * float(chance.sum()) else (low, middle)
        return high

    def mates(self, engines: float) -> Array:
        """Time of a mean task of each burst over the same were none of the others there that it comes with (B,)."""
        levels, coming = self.levels, self.lower.load.coming
        none, rate = np.zeros(1), np.array([np.interp(levels, coming.count, its) for its in coming.rate.T])
        each, gone = (self._served(levels + more, engines) / np.maximum(levels + more, 1.0) for more in (1, 0))
        one = OneTask(levels, none, self.arrive, each[:, None], gone[:, None], none, none, 0.0, self.groups)
        met = (self._chance(engines) * np.maximum(rate, 1e-300))[:, :, None]
        met /= met.sum(axis=(1, 2), keepdims=True)
        time = one.time_left(1.0)
        with_all, alone = (
            np.einsum("ny,bny->b", time, found_with_mates(self.lower, None, (levels, none), met, own)) for own in (True, False)
        )
        return np.asarray(with_all / alone)

    def by_task(self, of_bursts: Array) -> Array:
        """What is of each burst, of the tasks that come with it; 1 of others (T,)."""
        found = np.ones(len(self.lower.load.flow))
        for burst, its in zip(self.lower.load.bursts, of_bursts.tolist(), strict=True):
            found[burst.first > 0] = its
        return found

    def _served(self, count: Array, engines: float) -> Array:
        """Rate at which so many end [1/s]."""
        slow = along(self.under.slow_on(engines), count)
        return np.asarray(along(self.under.leave, count) * self.lower.all_flow / slow)

    def _chance(self, engines: float) -> Array:
        """Weights of the levels."""
        serve = self._served(self.levels, engines)
        if self.groups is None:
            return weights(self.levels, self.arrive, serve)
        return weights_with_groups(self.levels, self.arrive, serve, self.groups)


def weights(points: Array, up: Array, down: Array) -> Array:
    """Weights of the points of a chain that goes up and down at these rates."""
    rise, fall = moves(points, (up - down)[None, :], (up + down)[None, :], True)
    logs = np.append(0.0, np.cumsum(np.log(np.maximum(rise[0, :-1], 1e-300)) - np.log(np.maximum(fall[0, 1:], 1e-300))))
    return np.asarray(np.exp(logs - logs.max()))


def weights_with_groups(points: Array, up: Array, down: Array, its: Spread) -> Array:
    """The same where some come in groups: as often as these lead past a point the chain comes back from beyond it."""
    none = np.zeros((len(points), 1))
    rise, fall, *_ = plane_moves(points, none[0], up[:, None], down[:, None], 0.0, none, none, True, its)
    past = its.between + np.diag(rise[:-1, 0], 1)
    past = past[:, ::-1].cumsum(axis=1)[:, ::-1]  # from each point to another one or beyond it
    found = np.ones(len(points))
    for n in range(1, len(points)):
        found[n] = found[:n] @ past[:n, n] / max(float(fall[n, 0]), 1e-300)
        if found[n] > MOST:
            found[: n + 1] /= found[n]
    return found
