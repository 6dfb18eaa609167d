"""Regions that are equal but for their names: the limits of one are solved, and what is found holds for the others, too."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.alike_answers import near

from .limit_pools import LimitPools

SAME = 1e-7  # change of what a limit depends on up to which it is the same [ratio]
LEAST = 2  # regions of one kind from which on it counts


class EqualLimits:
    """Groups of equal regions, and those of them whose limits were solved in this pass.

    Regions are of one kind where their programs need the same, their limits and TRANCLASSes have as many places, and the
    same tasks call theirs. They are equal while their flows and times are the same; users follow each limit that is solved,
    so that no two of theirs ever are.
    """

    def __init__(self, limits: LimitPools) -> None:
        self.limits = limits
        kinds: dict[Any, list[int]] = {}
        for region in limits.order:
            tasks = limits.tasks[region]
            if (
                len(tasks)
                and not any(region in its for its in limits.alike)
                and (limits.work.form.users[limits.work.form.work[tasks]] == 0).all()
            ):
                kinds.setdefault(self._kind(region), []).append(region)
        self.kind = {r: kind for kind, regions in enumerate(kinds.values()) if len(regions) >= LEAST for r in regions}
        self.solved: dict[int, tuple[int, Array]] = {}  # by kind, the region and what it depended on

    def _kind(self, region: int) -> Any:
        """All that does not change of a region."""
        limits, need, form = self.limits, self.limits.work.need, self.limits.work.form
        tasks = limits.tasks[region]
        count = len(form.work)
        rows = [getattr(need, item.name) for item in fields(need)]
        needs = [its[tasks].tobytes() for its in rows if isinstance(its, np.ndarray) and its.shape[0] == count]
        classes = [(int(form.pool_size[p]), tuple(self._places(region, p))) for p in limits.classes_of(region)]
        return (
            limits.size(region), int(form.host[tasks[0]]), tuple(form.work[tasks]), tuple(form.visits[tasks]), tuple(classes),
            need.calls[:, tasks].tobytes(), *needs,
        )  # fmt: skip

    def _places(self, region: int, pool: int) -> Places:
        """Which tasks of a region have a place in a TRANCLASS."""
        return np.searchsorted(self.limits.tasks[region], self.limits.classes[pool])

    def begin(self) -> None:
        """A new pass over all limits."""
        self.solved.clear()

    def seen(self, region: int) -> Array:
        """What the limits of a region depend on."""
        limits, w = self.limits, self.limits.work
        tasks, form = limits.tasks[region], w.form
        pools = [limits.pool[region], *limits.classes_of(region)]
        asked = [getattr(w.ask, item.name)[tasks] for item in fields(w.ask)]
        found = [w.flow[tasks], w.on_cps[tasks], w.off_cps[tasks], w.holds()[tasks], w.line_time[tasks].ravel(), *asked]
        found.append(w.pool_wait[pools][:, tasks].ravel())
        tcb = limits.qr_pool.get(region, -1)
        if tcb in w.at_group:
            found += [w.at_group[tcb][tasks], np.array([w.service.get(tcb, 1.0)])]
        speeds = w.hosts[int(form.host[tasks[0]])].speeds.get(region) if w.hosts else None
        if speeds is not None:
            found.append(speeds)
        treated = [region in its for its in (limits.gates, limits.capped, limits.rates)]
        known = [its for pool in pools for its in (pool in limits.ratios, pool in limits.stale, pool in limits.closing)]
        return np.concatenate((*found, np.array(treated + known, dtype=float)))

    def before(self, region: int, seen: Array) -> int:
        """An equal region whose limits were solved before in this pass; -1 where there is none."""
        other, then = self.solved.get(self.kind[region], (-1, seen))
        return other if near(seen, then, SAME) else -1

    def pairs(self, region: int, other: int) -> list[tuple[int, int]]:
        """The limits of a region, and those of an equal one."""
        limits = self.limits
        pools, others = ([limits.pool[r], *limits.classes_of(r)] for r in (region, other))
        return list(zip(pools, others, strict=True))

    def copy(self, region: int, other: int) -> None:
        """Take for a region what was found for an equal one."""
        limits, w = self.limits, self.limits.work
        tasks, others = limits.tasks[region], limits.tasks[other]
        tables: tuple[dict[int, Any], ...] = limits.speeds, limits.parts, limits.nu, limits.found
        by_pool: tuple[dict[int, Any], ...] = w.crowds, limits.ratios, limits.made
        for table in tables:
            _take(table, region, other)
        for pool, its in self.pairs(region, other):
            w.pool_wait[pool, tasks] = w.pool_wait[its, others]
            _take(limits.speeds, ~pool, ~its)
            for table in by_pool:
                _take(table, pool, its)
            for pools in (limits.two_counts, limits.stale, limits.closing):
                (pools.add if its in pools else pools.discard)(pool)


def _take(table: dict[int, Any], key: int, other: int) -> None:
    if other in table:
        table[key] = table[other]
    else:
        table.pop(key, None)
