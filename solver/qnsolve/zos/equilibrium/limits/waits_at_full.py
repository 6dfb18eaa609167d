"""First waits of users at limits that are full, one behind another: as many are inside as there are places.

A limit has a wait where it is full, and none where places are left: a complementarity problem, as the longer the waits the
fewer users come. All of them are found together: one behind another they would send each other from one end to the other.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places

from ..working import Working

ROUNDS, CLOSE = 40, 1e-6  # Newton steps, and what is left of the limits' places at the end of them
STEP = 1e-5  # change of a wait by which it is seen what it changes, over the longest time of a user
SHORTER, LEAST = 0.5, 1e-4  # step over the one before while it leads up, and the least one


class WaitsAtFull:
    """Limits by their pools, the tasks that take a place of each, and their places.

    Parameters
    ----------
    work : Working
        Its waits are left as they were.
    outer : dict of int
        Of a class, the pool of its region: its tasks wait for that inside.
    """

    def __init__(self, work: Working, limits: dict[int, tuple[Places, float]], outer: dict[int, int]) -> None:
        self.work, self.limits, self.outer = work, limits, outer

    def _room(self, waits: Array) -> Array:
        """Places of each limit that are left, over all of them, given the wait for each."""
        work = self.work
        for (pool, (tasks, _)), wait in zip(self.limits.items(), waits, strict=True):
            work.pool_wait[pool, tasks] = wait
        work.settle_rates()
        holds, flow, found = work.holds(), work.flow, []
        for pool, (tasks, size) in self.limits.items():
            own = holds[tasks] + (work.pool_wait[self.outer[pool], tasks] if pool in self.outer else 0.0)
            found.append(1 - float(flow[tasks] @ own) / size)
        return np.array(found)

    def solve(self) -> Array | None:
        """The wait for each limit [s]; None where no step leads on."""
        work = self.work
        waits, rate = work.pool_wait, work.rate
        work.pool_wait = waits.copy()
        try:
            return self._solved()
        finally:
            work.pool_wait, work.rate = waits, rate

    def _solved(self) -> Array | None:
        count, unit = len(self.limits), float(self.work.cycle.max())
        x, room = np.zeros(count), self._room(np.zeros(count))
        for _ in range(ROUNDS):
            left = _left(x, room)
            if float(np.abs(left).max()) < CLOSE:
                return x * unit
            slope = np.array([(self._room((x + STEP * each) * unit) - room) / STEP for each in np.eye(count)]).T
            root = np.hypot(x, room) + 1e-12
            matrix = np.diag(1 - x / root) + (1 - room / root)[:, None] * slope
            step, part = np.linalg.lstsq(matrix, -left, rcond=None)[0], 1.0
            while True:
                there = np.maximum(x + part * step, 0.0)
                its = self._room(there * unit)
                if float(np.square(_left(there, its)).sum()) < float(np.square(left).sum()):
                    break
                part *= SHORTER
                if part < LEAST:
                    return None
            x, room = there, its
        return None


def _left(x: Array, room: Array) -> Array:
    """0 where each of two numbers is 0 or more, and one of them 0 (A. Fischer 1992)."""
    return np.asarray(x + room - np.hypot(x, room))
