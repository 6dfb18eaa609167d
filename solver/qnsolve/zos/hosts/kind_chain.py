"""The chain of a TCB whose pieces are of two unlike kinds, in order of arrival."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array, Places

from .chains.kinds import KindRates, plane_of_kinds
from .chains.plane import grid
from .group_chain import GroupChain, GroupRates
from .host_view import HostView
from .load import GroupPoint

KIND = 1  # of the windows of a group
APART = 2.0  # mean long piece over mean short one from which on they are told apart
NOTHING = 1e-12  # part of the load of a group that is none
FEWEST = 40  # levels one by one: a coarser grid loses the kind of the piece in service


def kinds_of(view: HostView, k: int) -> Places | None:
    """The kind of piece of each task of a group, short or long; None where all are about alike, or not in order."""
    group, load = view.load.groups[k], view.load
    if not group.in_order or group.servers > 1 or group.off.any() or load.bursts:
        return None
    loads = load.flow[group.tasks] * group.alone
    cut = _cut(group.alone, loads)
    return None if cut is None else (group.alone > cut).astype(int)


def _cut(sizes: Array, loads: Array) -> float | None:
    """The size between short and long pieces that parts them best."""
    some = loads > NOTHING * float(loads.sum())
    order = np.argsort(sizes[some])
    sizes, loads = sizes[some][order], loads[some][order]
    below, logs = np.cumsum(loads)[:-1], np.cumsum(loads * np.log(sizes))
    above = loads.sum() - below
    if not len(below):
        return None
    apart = (logs[-1] - logs[:-1]) / above - logs[:-1] / below
    best = int(np.argmax(below * above * apart**2))
    return float(sizes[best]) if apart[best] > np.log(APART) else None


class KindChain(GroupChain):
    """The chain of group `k` with the kind of the piece in service; the others are beside it as for all pieces alike."""

    def __init__(self, view: HostView, k: int, kind: Places) -> None:
        super().__init__(view, k)
        self.kind, group, flow = kind, view.load.groups[k], view.load.flow[view.load.groups[k].tasks]
        self.parts = [GroupChain(view, k) for _ in range(int(kind.max()) + 1)]
        for i, part in enumerate(self.parts):
            mine = flow * (kind == i)
            part.rate = float(mine.sum())
            part.piece = float(mine @ group.cpu) / part.rate
            part.going, part.mine = view.going_of(k, kind == i), kind == i

    def levels(self, top: float) -> Array:
        """As of all alike, more of them one by one."""
        found = super().levels(top)
        return grid(FEWEST, float(found[-1]), self.view.growth) if found[-1] > FEWEST else found

    def solved(self, levels: Array, alike: bool = False) -> tuple[GroupPoint, float]:
        """The chain on some levels, and the chance of the last one; 0 where the levels are `alike` and go on without end."""
        rates = [part.chain(levels) for part in self.parts]
        kinds = []
        for part, each in zip(self.parts, rates, strict=True):
            follow, up, down = part.clocked(each)
            kinds.append(KindRates(part.rate / self.rate, each.arrive, each.serve, follow, up, down))
        self.view.effort += len(self.parts)
        found = plane_of_kinds(levels, self.phases, kinds, alike, self.windows(KIND))
        if found is None:
            return super().solved(levels, alike)
        levels, chance = found
        if alike:
            for each in rates:
                each.cut(levels)
        point = self.point(_beside(rates), chance.reshape(len(levels), -1))
        at_work = np.array([float(c[levels > 0].sum()) for c in chance.transpose(1, 0, 2)])
        ended = np.array([float((c * r.serve).sum()) for c, r in zip(chance.transpose(1, 0, 2), rates, strict=True)])
        alone = np.array([part.piece for part in self.parts])
        service = at_work / np.maximum(ended * alone, 1e-300)
        uneven = service[self.kind] / point.service
        return replace(point, uneven=uneven, kind=self.kind), 0.0 if alike else float(chance[-1].sum())

    def speeds(self, rates: GroupRates, chance: Array) -> None:
        """None: limits see to works that hold their places for unlike times, by the speeds of pieces all alike."""


def _beside(rates: list[GroupRates]) -> GroupRates:
    """The rates of all kinds as those of one chain, its phases one kind after another."""
    left = None if rates[0].left is None else np.tile(rates[0].left, (len(rates), 1))
    always = None if rates[0].always is None else np.hstack([each.always for each in rates if each.always is not None])
    arrive, serve, down, pieces = (
        np.hstack([getattr(each, its) for each in rates]) for its in ("arrive", "serve", "down", "pieces")
    )
    return replace(rates[0], arrive=arrive, serve=serve, down=down, pieces=pieces, left=left, always=always)
