"""Groups at a TCB whose chain counts what waits for the limit of its region: how long each waits there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import Load

POSITIONS = 20  # in a group, up to which each is counted


def waits(load: Load, k: int, unit: Array, states: PlaceStates) -> tuple[Array, float]:
    """Wait of each task of a group for the limit of its region (n,) [s], and the share of them that wait.

    `unit` is the levels that each is. One who comes waits until as many have gone as are before the limit with it. Of a burst
    half of the others are before one.
    """
    tasks, flow = load.groups[k].tasks, load.flow[load.groups[k].tasks]
    view, others = HostView(load), np.zeros(len(tasks))
    for burst in load.bursts:
        first = view.begins(k, burst)
        others += (first > 0) * burst.mates(1.0) * float(first @ unit)
    found, known = np.zeros((2, len(tasks))), dict[tuple[int, float], Array]()
    for work in np.unique(load.work[tasks]).tolist():
        seen = states.seen_at(np.interp(states.total, load.coming.count, load.coming.rate[:, work]))
        for t in np.flatnonzero(load.work[tasks] == work).tolist():
            mates = float(others[t])
            if (work, mates) not in known:
                more = np.linspace(0.0, mates, 1 + min(int(np.ceil(mates)), POSITIONS))
                known[work, mates] = np.mean([states.of_one(seen, its) for its in more], axis=0)
            found[:, t] = known[work, mates]
    time, delayed = found
    return time * states.outside / max(float((flow * unit) @ time), 1e-300), float(flow @ delayed) / max(
        float(flow.sum()), 1e-300
    )


@dataclass(frozen=True, eq=False)
class PlaceStates:
    """States of the chain of a TCB that counts what waits for the limit of its region.

    Attributes
    ----------
    levels : ndarray (N,)
    total : ndarray (N, Y)
        Tasks on the CPs.
    chance, full, before, pace : ndarray (N, Y)
        Chances, those that no place is left, levels before the limit, and the rate at which they are let in [1/s].
    """

    levels: Array
    total: Array
    chance: Array
    full: Array
    before: Array
    pace: Array

    @property
    def outside(self) -> float:
        """Levels before the limit in the mean."""
        return float((self.chance * self.before).sum())

    def seen_at(self, rate: Array) -> Array:
        """Chances of the states that tasks find who come at rates (N, Y)."""
        found = self.chance * rate
        total = float(found.sum())
        return np.asarray(found / total if total > 0 else self.chance)

    def of_one(self, seen: Array, others: float) -> tuple[float, float]:
        """Time until one is let in who finds states with these chances behind so many others, and the chance that it waits."""
        levels = self.levels
        at = np.minimum(levels + others, levels[-1])
        low = np.minimum(np.searchsorted(levels, at, side="right") - 1, len(levels) - 2)
        part = ((at - levels[low]) / (levels[low + 1] - levels[low]))[:, None]
        full, before = (its[low] * (1 - part) + its[low + 1] * part for its in (self.full, self.before))
        before += (levels + others - at)[:, None] + full  # itself, too
        return float((seen * before / self.pace).sum()), float((seen * full).sum())
