"""Hosts whose work comes through limits alone, or needs no TCB: their limits are solved together, with the CPs."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.groups import LimitOfCpu
from qnsolve.zos.hosts.limited.limited_work import PLACES

ON_CPS = 0.25  # share of the time in a region spent on the CPs from which on its limit depends on the others there
LITTLE, SELDOM = 0.25, 0.4  # part of the CPU at TCBs, and their use, up to which their waits are as in a product form
NOTHING = 0.002  # of the CPU of a host, of work of another importance
LIMITS = 4  # that are solved with all others of a host: its time grows with their square
SELDOM_BELOW = 0.6  # the same for regions that call others


class Regions(Protocol):
    """What is asked of all limits."""

    work: Working
    pool: dict[int, int]
    tasks: dict[int, Places]
    above: dict[int, int]
    slower: dict[int, float]

    def size(self, region: int) -> int:
        """Places of a region."""

    def classes_of(self, region: int) -> list[int]:
        """Pools of its TRANCLASSes."""

    def callers(self, tasks: Places) -> set[int]:
        """Regions whose tasks call some tasks."""

    def nearly_full(self, region: int) -> bool:
        """Whether so many places are taken that this shapes how its tasks call others."""


def seldom_on_tcbs(work: Working, tasks: Places) -> bool:
    """Whether tasks of a region hardly wait for its TCBs: these are seldom busy, and a small part of its CPU."""
    on_tcbs = float(work.flow[tasks] @ (work.ask.qr + work.ask.ro + work.ask.threads)[tasks])
    all_ = max(float(work.flow[tasks] @ work.ask.on_cps[tasks]), 1e-300)
    once = bool((work.need.rounds[tasks] == 1).all())
    return on_tcbs == 0 or (once and on_tcbs < SELDOM and on_tcbs / all_ < LITTLE)


def limit_of_cpu(limits: Regions, top: int, below: list[int]) -> LimitOfCpu:
    """A limit with those of the regions that its tasks call."""
    flow, holds = limits.work.flow, limits.work.holds()
    inner = {
        r: (limits.size(r), float(flow[its] @ holds[its]) / max(float(flow[its].sum()), 1e-300))
        for r, its in ((r, limits.tasks[r]) for r in below)
        if limits.size(r) < limits.size(top)
    }
    return LimitOfCpu(np.concatenate([limits.tasks[r] for r in (top, *below)]), inner, limits.slower.get(limits.pool[top], 1.0))


def solved_together(limits: Regions, filling: list[int]) -> dict[int, list[int]]:
    """Regions whose limits are solved with the CPs, as all work of their hosts goes through such; with those below each."""
    work, form = limits.work, limits.work.form
    found: dict[int, list[int]] = {}
    for host in {int(form.host[limits.tasks[r][0]]) for r in filling}:
        here = (form.host == host) & (work.ask.on_cps > 0) & (work.flow > 0)
        bursts = form.in_groups[form.work[here]].any() or (form.tick[form.work[here]] > 0).any()
        if bursts or (work.ask.qr_spin + work.ask.open_spin)[here].any() or several_importances(work, here):
            continue
        on_tcbs = here & (work.ask.qr + work.ask.ro + work.ask.threads > 0)
        regions = {r for r in filling if here[limits.tasks[r]].any()} | set(form.region[on_tcbs].tolist())
        tops = {_top(limits, r, host) for r in regions}
        if not tops or -1 in tops:
            continue
        below = {top: _below(limits, top, host) for top in tops}
        if not all(_may_share(limits, top, its) for top, its in below.items()):
            continue
        tasks = np.concatenate([limits.tasks[r] for top in tops for r in (top, *below[top])])
        flow = work.flow[tasks]
        own = (work.on_cps + work.off_cps)[tasks]
        share = float(flow @ work.on_cps[tasks]) / max(float(flow @ own), 1e-300)
        if share > ON_CPS and len(tops) <= LIMITS and sum(limits.size(r) for r in tops) <= PLACES:
            found |= below
    return found


def several_importances(work: Working, here: Places) -> bool:
    """Whether tasks of a host are of several importances, each with more than next to nothing of its CPU."""
    used = np.bincount(work.form.importance[here], (work.flow * work.ask.on_cps)[here])
    return int((used > NOTHING * used.sum()).sum()) > 1


def _top(limits: Regions, region: int, host: int) -> int:
    """The region on this host that alone calls this one, or itself; -1 where those that call it are nearly full, or called."""
    if region not in limits.tasks or (limits.work.form.host[limits.tasks[region]] != host).any():
        return -1
    callers, above = limits.callers(limits.tasks[region]), limits.above[region]
    if len(callers) < 2 and above in limits.tasks and (limits.work.form.host[limits.tasks[above]] == host).all():
        return -1 if limits.callers(limits.tasks[above]) else above
    return -1 if any(limits.nearly_full(caller) for caller in callers) else region


def _below(limits: Regions, top: int, host: int) -> list[int]:
    """Regions that the tasks of one call; one of -1 where they do not belong to it alone."""
    called = (limits.work.need.calls[limits.tasks[top]] > 0).any(axis=0)
    regions = np.unique(limits.work.form.region[called]).tolist()
    return regions if all(_top(limits, r, host) == top for r in regions) else [-1]


def _may_share(limits: Regions, top: int, below: list[int]) -> bool:
    """Whether the weights of a product form go for what is inside a limit."""
    if -1 in below or any(limits.classes_of(r) for r in (top, *below)):
        return False
    if not below:
        return seldom_on_tcbs(limits.work, limits.tasks[top])
    work = limits.work
    for r in (top, *below):
        tasks = limits.tasks[r]
        at = (work.ask.qr + work.ask.ro + work.ask.threads)[tasks]
        if float(work.flow[tasks] @ at) > SELDOM_BELOW or (work.need.rounds[tasks] > 1).any():
            return False
    return True
