"""Tasks of higher importance that come in bursts to TCBs: what they take of the engines, by how many of them there are.

A burst waits in line at its TCB, which takes one engine, and its tasks go on as free pieces one by one: a chain of those in
lines and of those that are free says how many of so many tasks are where.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.jumps import Jump, jumps
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.host_view import LONGEST, HostView
from qnsolve.zos.hosts.others.company import Company, ReadPoints


class LinesAbove:
    """The chain of the tasks at all QR and RO TCBs, the levels, and of the free pieces, the phases, of those of a view.

    Both counts are on the same grid. A task at lines is one visit, however many TCBs that comes to.
    """

    def __init__(self, view: HostView, growth: float) -> None:
        self.view, load = view, view.load
        at_tcbs = np.zeros(len(load.flow))
        for group in (load.groups[k] for k in view.lines):
            at_tcbs[group.tasks] += group.cpu + group.spin
        self.free = view.cpu() - at_tcbs > 0
        self.at_lines = at_tcbs > 0
        self.work = float(load.flow @ at_tcbs)
        self.tasks, self.pieces = float(load.flow @ self.at_lines), float(load.flow @ self.free) + load.fixed_flow
        self.onward = float(load.flow @ (self.at_lines & self.free)) / self.tasks
        self.points = grid(load.engines + 10, view.top, growth)

    def taken(self, count: Array) -> tuple[Array, Array, Array]:
        """Chance of so many tasks (Y,), rate at which they end (Y,) [1/s], and P(j engines are taken) then, j < all (Y, c)."""
        view, points = self.view, self.points
        top, rest = int(min(points[-1], LONGEST)), [k for k in range(len(view.loads)) if k not in view.lines]
        lines, free = view.company_of(view.lines, 0.0, top), view.company_of(rest, view.pieces, top)
        at = ReadPoints.of(top, points)
        ready = at.read(free.ready[at.places])
        slow = at.read(lines.slow_beside(ready, at.places)).T
        serve = at.read(lines.leave[at.places])[:, None] * self.tasks / slow
        down = ready * (self.pieces / max(view.total - self.work, 1e-300)) / slow
        arrive, up, groups = self._coming()
        chance = plane(points, points, arrive, serve, self.onward, up, down, groups).chance
        there = (points[:, None] + points).ravel()
        low = np.clip(np.searchsorted(count, there, side="right") - 1, 0, len(count) - 2)
        part = np.clip((there - count[low]) / np.diff(count)[low], 0.0, 1.0)

        def by_count(values: Array | float) -> Array:
            whole = (chance * values).ravel()
            return np.asarray(np.bincount(low, whole * (1 - part), len(count)) + np.bincount(low + 1, whole * part, len(count)))

        found = by_count(1.0)
        some = np.maximum(found, 1e-300)
        taken = np.array([by_count(each) for each in self._taken(lines, free, at)]).T
        return found, by_count(serve * (1 - self.onward) + down) / some, taken / some[:, None]

    def _taken(self, lines: Company, free: Company, at: ReadPoints) -> list[Array]:
        """P(j engines are taken), j below all of them, by tasks at lines and free pieces (A, Z)."""
        few = [[at.read(its.few[at.places, j]).clip(0.0, 1.0) for j in range(its.few.shape[1])] for its in (lines, free)]
        return [np.sum([few[0][i][:, None] * few[1][j - i] for i in range(j + 1)], axis=0) for j in range(len(few[0]))]

    def _coming(self) -> tuple[Array, Array, list[Jump]]:
        """Rates at which tasks come to lines and as free pieces, and what comes in bursts."""
        load, total, groups = self.view.load, self.points[:, None] + self.points, list[Jump]()
        first = [load.visits * self.at_lines, load.visits * (self.free & ~self.at_lines)]
        arrive, up = self.view.coming(first[0], total), self.view.coming(first[1], total) + load.fixed_flow
        for burst in load.bursts:
            each = np.interp(total, load.coming.count, load.coming.rate[:, burst.work])
            own, other = (float(burst.first @ (its > 0)) for its in first)
            arrive, up = np.maximum(arrive - own * each, 0.0), np.maximum(up - other * each, 0.0)
            groups += jumps(burst, each, own, other, 1.0)
        arrive[-1] = 0.0
        return arrive, up, groups
