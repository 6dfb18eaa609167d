"""One host: its TCBs and other groups of servers on its CPs, each a queue among all the others (a random environment).

Each group is one plane chain: its tasks, and all other tasks on the processors. No fixed point joins the groups.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array

from .bursts.long_pieces import beside_bursts
from .group_chain import GroupChain
from .host_view import HostView
from .kind_chain import KindChain, kinds_of
from .limited.closed_region import closed_speeds
from .limited.full_processors import delivered
from .lines.corrected_points import FEW, far_apart, few_processors, with_lines
from .lines.crossed import adjusted, crossed
from .load import GroupPoint, HostPoint

BUSY = 0.6  # use of the processors from which on three counts are asked on any number of them, where pieces are far apart


class Host(HostView):
    """The chains of one host."""

    def solve(self) -> HostPoint:
        """All groups; alike ones once."""
        seen: dict[tuple[object, ...], tuple[GroupPoint, GroupPoint, GroupPoint | None]] = {}
        plain, found, of_three = [], [], []
        for k in range(len(self.load.groups)):
            key = self.kind(k)
            if key not in seen:
                seen[key] = self._both(k)
            plain.append(seen[key][0])
            found.append(seen[key][1])
            of_three.append(seen[key][2])
        weight = [max(load, 1e-300) for load in self.loads]
        if not found and self.pieces <= 0:
            return HostPoint([], 1.0, 0.0)
        if not found:
            alone = self.of_pieces()
            return HostPoint([], alone.free, alone.used)
        found, lined = with_lines(self, plain, found, of_three)
        free = float(np.average([g.free for g in found], weights=weight)) if self.pieces > 0 else 1.0
        found = delivered(self, found)
        speeds = {g.region: p.speeds for g, p in zip(self.load.groups, found, strict=True) if p.speeds is not None}
        speeds |= self._full_regions(speeds)
        return HostPoint(found, max(free, 1.0), float(np.median([g.used for g in found])), speeds, lined)

    def _full_regions(self, seen: dict[int, Array]) -> dict[int, Array]:
        """Speeds of full regions whose tasks are mostly on the CPs, so far those of as many there; alike ones once."""
        found, known = dict[int, Array](), dict[tuple[object, ...], Array | None]()
        for k, group in enumerate(self.load.groups):
            part = self.load.filled.get(group.region, 0.0)
            if part > 0 and group.region in self.load.gated and group.region in seen:
                key = self.kind(k)
                if key not in known:
                    known[key] = closed_speeds(self, k, len(self.load.gated[group.region]) - 1)
                if (its := known[key]) is not None:
                    read = np.full(len(its), np.nan)
                    read[: len(seen[group.region])] = seen[group.region][: len(its)]
                    found[group.region] = its if part == 1 else read ** (1 - part) * its**part
        return found

    def kind(self, k: int) -> tuple[object, ...]:
        """What the chain of a group depends on beside the host: the same of groups that are alike."""
        group = self.load.groups[k]
        mine = self.load.flow[group.tasks]
        share = mine.sum() / max(self.all_flow, 1e-300)
        found = (*np.round([share, self.loads[k], mine @ group.off, self.going(k)], 9),)
        found += (group.servers, group.kind, self.slower(k).round(6))
        return found + self._limited(group.region) + self._unlike(k) + self._bursts(k)

    def _limited(self, region: int) -> tuple[object, ...]:
        """What the chains of the groups of a region depend on beside their flows."""
        load = self.load
        if region not in load.gated and region not in load.watched and region not in load.held:
            return ()
        mine = load.region == region
        flows = np.round([load.flow[mine].sum(), load.flow[mine] @ load.free[mine], load.flow[mine] @ self.cpu()[mine]], 9)
        rates = load.gated[region].round(6).tobytes() if region in load.gated else b""
        return (*flows, region in load.watched, rates, load.held.get(region))

    def _unlike(self, k: int) -> tuple[object, ...]:
        """What the chain of a group depends on where it tells kinds of pieces apart."""
        group = self.load.groups[k]
        if not group.in_order:
            return ()
        flow = self.load.flow[group.tasks]
        return tuple(np.round([flow / max(float(flow.sum()), 1e-300), group.alone], 9).ravel().tolist())

    def _bursts(self, k: int) -> tuple[object, ...]:
        """What the chain of a group depends on beside bursts: which of its tasks come in them, and how long each is."""
        if not self.load.bursts:
            return ()
        group, tasks = self.load.groups[k], self.load.groups[k].tasks
        each = [burst.size * self.begins(k, burst) for burst in self.load.bursts]
        rows = np.round([self.load.flow[tasks], group.cpu, *each], 9)
        return (*self.load.work[tasks].tolist(), *rows.ravel().tolist())

    def of_pieces(self) -> GroupPoint:
        """The chain of all tasks as one number."""
        return GroupChain(self, None).solve()

    def of_group(self, k: int) -> GroupPoint:
        """The chain of a group, the kinds of its pieces told apart."""
        kind = kinds_of(self, k)
        return GroupChain(self, k).solve() if kind is None else KindChain(self, k, kind).solve()

    def _both(self, k: int) -> tuple[GroupPoint, GroupPoint, GroupPoint | None]:
        """The chain of a group with all its pieces alike, that with their kinds told apart, and what three counts make of it.

        On less than two processors the three counts are in the second.
        """
        chain, kind = GroupChain(self, k), kinds_of(self, k)
        if kind is None:
            plain = point = beside_bursts(self, k, chain.solve())
        else:
            point = KindChain(self, k, kind).solve()
            plain = chain.solve()
            point = replace(point, speeds=plain.speeds)
        few, bursts = self.load.engines < FEW, bool(self.load.bursts)
        some = few_processors(self) or (not bursts and self.total > BUSY * self.load.engines and far_apart(self, k) > 0)
        if not some or self.load.never_idle or not crossed(self, k):
            return plain, point, None
        direct = few or bursts
        three = replace(adjusted(self, k, plain, point), sure=bursts)
        return (plain, three, None) if direct else (plain, point, three)
