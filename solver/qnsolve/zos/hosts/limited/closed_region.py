"""The tasks of a full region on the CPs, as many at any time, beside those of all others: how fast they leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array, geometric
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.chains.plane import STIFF, grid, plane
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.others.company import ReadPoints

KNOTS = 7  # numbers of tasks for which it is solved; speeds of those between are read off
FINE = 12  # tasks at the TCB up to which each number is a level


def closed_speeds(view: HostView, k: int, size: int) -> Array | None:
    """Visits a second of the region of a QR TCB that leave the CPs with 1, 2, … `size` of them there (size,).

    None where the region has other groups, or others come in groups, before limits or when some of lower importance end.

    Notes
    -----
    A task that leaves is followed by the next one at once, so that their number stays (the flow-equivalent server of
    K. Chandy, U. Herzog, L. Woo 1975): those that are not at the TCB are free pieces. All others come and go as they do.
    """
    load, region = view.load, view.load.groups[k].region
    alone = [group for group in load.groups if group.region == region]
    if len(alone) > 1 or alone[0].kind is not Pool.QR or load.called is not None or load.bursts or load.held:
        return None
    chain = _ClosedRegion(view, k)
    if chain.visits <= 0:
        return None
    knots = np.unique(np.rint(geometric(1.0, size, max(min(KNOTS, size), 2))))
    return np.asarray(np.interp(np.arange(1.0, size + 1), knots, [chain.passed(count) for count in knots.tolist()]))


class _ClosedRegion:
    """A region whose tasks on the CPs stay as many; visits to its TCB and to the CPs, and CPU of its free pieces, a second."""

    def __init__(self, view: HostView, k: int) -> None:
        load, group = view.load, view.load.groups[k]
        own = load.region == group.region
        flow = np.where(own, load.flow, 0.0)
        mine = load.flow[group.tasks]
        self.view, self.clock = view, float(view.slower(k))
        self.visits, self.total, self.free = float(mine.sum()), float(flow.sum()), float(flow @ view.rest)
        self.piece = float(mine @ group.cpu) / max(self.visits, 1e-300)
        rest = replace(
            load, flow=load.flow - flow, visits=np.where(own, 0.0, load.visits),
            groups=[its for its in load.groups if its.region != group.region],
            gated={region: its for region, its in load.gated.items() if region != group.region},
        )  # fmt: skip
        self.others = HostView(rest, view.growth)
        self.over = self.others.company(None)
        self.phases = grid(load.engines + 10, self.others.top, view.growth) if self.others.total > 0 else np.zeros(1)
        self.reading = ReadPoints.of(len(self.over.leave) - 1, self.phases)
        self.ended = self.reading.read(self.over.leave[self.reading.places]) * self.others.all_flow

    def passed(self, count: float) -> float:
        """Visits a second with so many tasks there."""
        levels = np.arange(count + 1.0) if count <= FINE else grid(FINE, count, self.view.growth)
        away = (count - levels)[:, None] * (1.0 if self.free > 0 else 0.0)
        slow = self.reading.read(self.over.slow_beside(np.minimum(levels, 1.0) + away[:, 0], self.reading.places))
        serve = np.minimum(levels, 1.0)[:, None] / (self.piece * slow)
        if self.free > 0:
            back = away * (self.visits / self.free) / slow
        else:  # nothing keeps them from the TCB
            back = np.where(levels < count, STIFF * float(serve.max()), 0.0)[:, None] * np.ones(slow.shape)
        up = down = np.zeros(slow.shape)
        if self.others.total > 0:
            up = np.broadcast_to(self.others.flows(self.phases + count, self.phases, None), slow.shape) / self.clock
            down = self.ended / slow / self.clock
        self.view.effort += 0.5
        chance = plane(levels, self.phases, back, serve, 0.0, up, down).chance
        return float((chance * serve).sum()) * self.total / self.visits
