"""Hosts whose work comes through limits alone, or needs no TCB: their limits are solved together, with the CPs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.groups import LimitOfCpu
from qnsolve.zos.hosts.limited.limited_work import PLACES

ON_CPS = 0.25  # share of the time in a region spent on the CPs from which on its limit depends on the others there
LITTLE, SELDOM = 0.25, 0.4  # part of the CPU at TCBs, and their use, up to which their waits are as in a product form
HARDLY = 0.2  # their use as the CPs make them busy, up to which a limit is no better told by the chain of its QR TCB
IN_LINES = 0.05  # of the time in a region, waits in lines from which on its limit is that of these
NOTHING = 0.002  # of the CPU of a host, of work of another importance
LIMITS = 4  # that are solved with all others of a host: its time grows with their square
ROOM = 2.5  # places that a region has left, over the root of those taken, from which on it is hardly ever full
FIRST = 8  # power of how much earlier a limit is full than others beside it, as which its tasks wait longer
HALF = 0.5  # places of regions side by side that are taken, from which on these are one
NOISE = 1e-6  # of a place
TWO = 2  # regions side by side, at least
SELDOM_BELOW = 0.6  # the same for regions that call others


class Regions(Protocol):
    """What is asked of all limits."""

    work: Working
    pool: dict[int, int]
    tasks: dict[int, Places]
    above: dict[int, int]
    slower: dict[int, float]
    lined: set[int]

    def size(self, region: int) -> int:
        """Places of a region."""

    def classes_of(self, region: int) -> list[int]:
        """Pools of its TRANCLASSes."""

    def callers(self, tasks: Places) -> frozenset[int]:
        """Regions whose tasks call some tasks."""

    def nearly_full(self, region: int, part: float = ...) -> bool:
        """Whether a part of the places are taken, so many that this shapes how its tasks call others."""


def at_tcbs(work: Working) -> Array:
    """CPU of each task at TCBs (T,) [s]."""
    return np.asarray(work.ask.qr + work.ask.ro + work.ask.threads)


def seldom_on_tcbs(work: Working, tasks: Places) -> bool:
    """Whether tasks of a region hardly wait for its TCBs: these are seldom busy, and a small part of its CPU."""
    on_tcbs = float(work.flow[tasks] @ at_tcbs(work)[tasks])
    all_ = max(float(work.flow[tasks] @ work.ask.on_cps[tasks]), 1e-300)
    once = bool((work.need.rounds[tasks] == 1).all())
    return on_tcbs == 0 or (once and on_tcbs < SELDOM and on_tcbs / all_ < LITTLE)


def hardly_on_tcbs(work: Working, tasks: Places) -> bool:
    """Whether even with their pieces as long as the CPs make them the TCBs of a region are next to never busy."""
    on_tcbs, alone, there = (float(work.flow[tasks] @ its[tasks]) for its in (at_tcbs(work), work.ask.on_cps, work.on_cps))
    return seldom_on_tcbs(work, tasks) and on_tcbs * there / max(alone, 1e-300) < HARDLY


def limit_of_cpu(limits: Regions, top: int, below: list[int], beside: list[int]) -> LimitOfCpu:
    """A limit with those of the regions that its tasks call, and limits side by side that are one."""
    tops, flow, holds = beside or [top], limits.work.flow, limits.work.holds()
    called: Places = np.asarray((limits.work.need.calls[np.isin(limits.work.form.region, tops)] > 0).any(axis=0))
    mine = {r: limits.tasks[r][called[limits.tasks[r]]] for r in below}
    inner = {
        r: (limits.size(r), float(flow[its] @ holds[its]) / max(float(flow[its].sum()), 1e-300))
        for r, its in mine.items()
        if limits.size(r) < limits.size(top) and not beside
    }
    tasks = np.concatenate([*(limits.tasks[r] for r in tops), *mine.values()])
    slower = limits.slower.get(limits.pool[top], 1.0)
    if not beside:
        return LimitOfCpu(tasks, inner, slower)
    come = np.array([float(flow[limits.tasks[r]].sum()) for r in tops])
    share = np.maximum(come / max(float(come.sum()), 1e-300), 1e-12)
    room = np.array([limits.size(r) for r in tops]) / share  # places in all when this one is full
    part = (room.min() / room) ** FIRST
    part = part / float(share @ part)
    return LimitOfCpu(tasks, inner, slower, dict(zip(tops, part.tolist(), strict=True)), max(int(room.min() + NOISE), 1))


@dataclass(frozen=True)
class SolvedTogether:
    """Regions whose limits are solved with the CPs, with those that their tasks call; and those side by side that are one."""

    below: dict[int, list[int]] = field(default_factory=dict)
    beside: dict[int, list[int]] = field(default_factory=dict)

    def limits_of(self, limits: Regions) -> dict[int, LimitOfCpu]:
        """All of them, by their pools."""
        found = {}
        for top, below in self.below.items():
            found[limits.pool[top]] = limit_of_cpu(limits, top, below, self.beside.get(top, []))
        return found

    @property
    def inside(self) -> set[int]:
        """All regions."""
        return {*self.below}.union(*self.below.values(), *self.beside.values())


def solved_together(limits: Regions, filling: list[int]) -> SolvedTogether:
    """Regions whose limits are solved with the CPs, as all work of their hosts goes through such."""
    work, form, found = limits.work, limits.work.form, SolvedTogether()
    for host in {int(form.host[limits.tasks[r][0]]) for r in filling}:
        here = (form.host == host) & (work.ask.on_cps > 0) & (work.flow > 0)
        bursts = form.in_groups[form.work[here]].any() or (form.tick[form.work[here]] > 0).any()
        if bursts or several_importances(work, here):
            continue
        on_tcbs = here & (at_tcbs(work) > 0)
        regions = {r for r in filling if here[limits.tasks[r]].any()} | set(form.region[on_tcbs].tolist())
        picked = _OfHost(limits, host)
        regions -= {r for r in regions if picked.free[limits.tasks[r]].all()}
        tops = {picked.top(r) for r in regions}
        if not tops or -1 in tops:
            continue
        below, beside = {top: picked.below(top) for top in tops}, {top: picked.beside(top) for top in tops}
        if not all(_may_share(limits, [top, *beside[top]], its) for top, its in below.items()):
            continue
        tasks = np.concatenate([limits.tasks[r] for top in tops for r in {top, *beside[top], *below[top]}])
        tasks = tasks[~picked.free[tasks]]
        if not limits.lined.isdisjoint(form.region[tasks].tolist()):
            continue
        flow = work.flow[tasks]
        own = (work.on_cps + work.off_cps)[tasks]
        share = float(flow @ work.on_cps[tasks]) / max(float(flow @ own), 1e-300)
        size = sum(limits.size(r) for top in tops for r in (beside[top] or [top]))
        if share > ON_CPS and len(tops) <= LIMITS and size <= PLACES:
            found.below.update(below)
            found.beside.update({top: its for top, its in beside.items() if its})
    return found


def waits_in_lines(work: Working, tasks: Places) -> bool:
    """Whether tasks inside limits wait at logs and devices, where they are as many as there are places, more than for CPs."""
    flow, lines = work.flow[tasks], float(work.flow[tasks] @ (work.in_lines - work.need.lines.sum(axis=1))[tasks])
    cps = float(flow @ (work.on_cps - work.ask.on_cps)[tasks])
    return lines > max(cps, IN_LINES * float(flow @ work.holds()[tasks]))


def several_importances(work: Working, here: Places) -> bool:
    """Whether tasks of a host are of several importances, each with more than next to nothing of its CPU."""
    used = np.bincount(work.form.importance[here], (work.flow * work.ask.on_cps)[here])
    return int((used > NOTHING * used.sum()).sum()) > 1


class _OfHost:
    """How the regions of a host belong together."""

    def __init__(self, limits: Regions, host: int) -> None:
        self.limits, self.host = limits, host
        self.called: Places = np.asarray((limits.work.need.calls > 0).any(axis=0))
        self.seldom_full = {r for r, tasks in limits.tasks.items() if self._seldom_full(r, tasks)}
        self.free = self._free_tasks()
        self.leader = self._leaders()

    def _seldom_full(self, region: int, tasks: Places) -> bool:
        work = self.limits.work
        inside = float(work.flow[tasks] @ (work.holds() + work.pool_wait[self.limits.pool[region]])[tasks])
        return inside + ROOM * inside**0.5 < self.limits.size(region)

    def _free_tasks(self) -> Places:
        """Tasks that nobody calls and that need no TCB, in regions that others call and that are hardly ever full (T,)."""
        needed, found = at_tcbs(self.limits.work), np.zeros(len(self.called), dtype=bool)
        for region in self.seldom_full:
            tasks = self.limits.tasks[region]
            if self.called[tasks].any():
                found[tasks] = ~self.called[tasks] & (needed[tasks] == 0)
        return found

    def mine(self, region: int) -> Places:
        """The tasks of a region that are not free."""
        tasks = self.limits.tasks[region]
        return tasks[~self.free[tasks]]

    def _here(self, region: int) -> bool:
        tasks = self.limits.tasks.get(region)
        return tasks is not None and bool((self.limits.work.form.host[tasks] == self.host).all())

    def _leaders(self) -> dict[int, int]:
        """Regions side by side, full ones of users, that call the same regions, by the first of them: these are seldom full."""
        form, limits, found = self.limits.work.form, self.limits, dict[int, int]()
        for region in self.seldom_full:
            mine = self.mine(region)
            callers = limits.callers(mine)
            if len(callers) < TWO or not self._here(region) or not self.called[mine].all():
                continue
            alone = all(self._here(r) and not limits.callers(limits.tasks[r]) and not limits.classes_of(r) for r in callers)
            users = all((form.users[form.work[limits.tasks[r]]] > 0).all() for r in callers)
            if alone and users and any(limits.nearly_full(r, HALF) for r in callers):
                joined = callers | {r for r, first in found.items() if first in {found.get(c) for c in callers}}
                found |= dict.fromkeys(joined, min(joined))
        return found

    def beside(self, top: int) -> list[int]:
        """Regions that are one with this one, itself included; none where it is by itself."""
        return sorted(r for r, first in self.leader.items() if first == top)

    def top(self, region: int) -> int:
        """The region that alone calls this one, or itself; -1 where those that call it are nearly full, or called."""
        limits = self.limits
        if not self._here(region):
            return -1
        if region in self.leader:
            return self.leader[region]
        mine = self.mine(region)
        callers = limits.callers(mine)
        firsts = {self.leader.get(caller, -1) for caller in callers}
        if len(firsts) == 1 and firsts != {-1} and region in self.seldom_full and self.called[mine].all():
            return firsts.pop()
        above = limits.above[region] if len(mine) == len(limits.tasks[region]) else self._only_caller(mine)
        if len(callers) < TWO and self._here(above):
            return -1 if limits.callers(limits.tasks[above]) else above
        return -1 if any(limits.nearly_full(caller) for caller in callers) else region

    def _only_caller(self, tasks: Places) -> int:
        """The region that alone calls some tasks; -1 for none."""
        callers = [self.limits.callers(np.array([t])) or {-1} for t in tasks.tolist()]
        found = set[int]().union(*callers)
        return found.pop() if len(found) == 1 else -1

    def below(self, top: int) -> list[int]:
        """Regions that the tasks of one call; one of -1 where they do not belong to it alone."""
        tops = self.beside(top) or [top]
        called = (self.limits.work.need.calls[np.isin(self.limits.work.form.region, tops)] > 0).any(axis=0)
        regions = np.unique(self.limits.work.form.region[called]).tolist()
        return regions if all(self.top(r) == top for r in regions) else [-1]


def _may_share(limits: Regions, tops: list[int], below: list[int]) -> bool:
    """Whether the weights of a product form go for what is inside a limit."""
    if -1 in below or any(limits.classes_of(r) for r in (*tops, *below)):
        return False
    if not below:
        return seldom_on_tcbs(limits.work, limits.tasks[tops[0]])
    work = limits.work
    for r in (*tops, *below):
        tasks = limits.tasks[r]
        if float(work.flow[tasks] @ at_tcbs(work)[tasks]) > SELDOM_BELOW or (work.need.rounds[tasks] > 1).any():
            return False
    return True
