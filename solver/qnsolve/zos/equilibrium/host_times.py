"""Times of tasks at the TCBs and CPs of each host, given how work comes: all levels of importance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.kept_points import host_point
from qnsolve.zos.hosts.load import HostPoint, Load
from qnsolve.zos.hosts.priority import lower_point

from .conservation import WorkLeft, conserve, conserve_lower
from .group_times import times_at
from .host_load import load_of
from .limits.limits import Limits
from .working import Working

NOISE = 1e-4  # share of what CPs deliver that grids may lose
EFFORT_OF_LOWER = 5.0  # over that of a chain of a TCB
LOST = 1e-3  # share of what comes to a group that its chain may lose by its grids; of a number, next to nothing


def host_times(work: Working, limits: Limits, longer: dict[int, float]) -> None:
    """Times at the CPs of all hosts; `longer` is that of work that zIIPs send there, over that alone."""
    form, need = work.form, work.need
    on_cps = np.zeros(len(form.work))
    found: list[HostPoint] = []
    before, work.at_group = work.at_group, {}
    work.seen.clear()
    for host in range(len(form.engines)):
        here = form.host == host
        ranks = np.unique(np.concatenate((form.importance[here], form.fixed[form.fixed[:, 0] == host, 1])))
        point, times, higher = HostPoint([], 1.0, 0.0), np.zeros(len(form.work)), WorkLeft()
        for rank in ranks:
            load = load_of(work, limits, host, form.importance <= rank, form.fixed[:, 1] <= rank, rank, before)
            if load is None:
                continue
            above = here & (form.importance < rank)
            waits = work.pool_wait[:, above]  # higher ones do not wait for lower ones
            at_group, service = dict(work.at_group), {pool: work.service[pool] for pool in work.at_group}
            point, level = _solved(work, limits, load)
            _note_overload(work, load, point)
            free = not load.held and not limits.grouped and not load.gated
            left = conserve(work, load, point, level) if free else WorkLeft()
            own = here & (form.importance == rank)
            if len(ranks) > 1:
                work.levels[host, float(rank)] = level.copy()
            if rank != ranks[0]:
                level = _lower(work, limits, host, rank, level, left.less(higher))
            times[own] = level[own]
            higher = left
            work.at_group |= at_group
            work.service |= service
            work.pool_wait[:, above] = waits
        if host in longer:
            slow = float(form.slower[host] * work.around.growth[host] * work.around.over[host])
            back = (need.ziip + need.thread_ziip) * form.overflowed
            times += here * back * slow * max(longer[host] - point.free, 1 - point.free)
        on_cps += times
        found.append(point)
    work.on_cps, work.hosts = on_cps, found
    limits.own.apply(hosts=True)
    if not limits.gates and not limits.kept and not limits.grouped:
        for host in range(len(form.engines)):
            _delivered(work, host)


def _solved(work: Working, limits: Limits, load: Load) -> tuple[HostPoint, Array]:
    """A host solved for what it is asked, and the times of tasks there (T,); notes those at each group."""
    point, effort = host_point(load)
    work.effort += effort
    return point, times_at(work, limits, load, point)


def _lower(work: Working, limits: Limits, host: int, rank: float, level: Array, left: WorkLeft) -> Array:
    """Times of the tasks of an importance on the engines that higher ones leave; scales those at their groups.

    In the mean, each by its CPU, they are those on as many engines of their own as make the same number of tasks: the chain
    has tasks of one length whose work fluctuates as theirs. In lines in order of arrival each counts as one. A task waits
    until an engine is left, then among all those that came meanwhile: that counts more for a short one. In a line in order
    of arrival it waits as long as the others that are there when it comes.
    """
    form, ask = work.form, work.ask
    higher = load_of(work, limits, host, form.importance < rank, form.fixed[:, 1] < rank)
    lower = load_of(work, limits, host, form.importance == rank, form.fixed[:, 1] == rank)
    if higher is None or lower is None:
        return level
    found = lower_point(Host(higher), Host(lower))
    work.effort += EFFORT_OF_LOWER
    lower = replace(lower, engines=found.engines)
    point, level = _solved(work, limits, lower)
    cpu = np.maximum(ask.on_cps / work.need.rounds, 1e-300)
    in_order = any(group.in_order and group.kind is not Pool.THREADS for group in lower.groups)
    weight = lower.flow * (1.0 if in_order else cpu)
    by_size = found.time_of(cpu, form.work)
    alike = cpu * float(weight @ by_size) / max(float(weight @ cpu), 1e-300)
    apart = np.minimum(alike * work.need.rounds / np.maximum(level, 1e-300), 1.0)  # from a line in which all wait as long
    least, own = ask.on_cps + ask.thread_off, (form.host == host) & (form.importance == rank) & (level > 0)
    stretched = level + (by_size - alike) * work.need.rounds * apart
    if (stretched < least)[own].any():  # a long visit beside many short ones: those of one task do not all wait anew
        stretched = level + (by_size - alike) * np.minimum(work.need.rounds, level / np.maximum(alike, 1e-300)) * apart
    for group in lower.groups:
        if group.in_order and group.kind is not Pool.THREADS:
            alone = group.alone * work.need.rounds[group.tasks] * work.service[group.pool]
            wait = np.maximum(work.at_group[group.pool][group.tasks] - alone, 0.0)
            stretched[group.tasks] = level[group.tasks] + wait * (found.found[form.work[group.tasks]] - 1)
    weight = weight / work.need.rounds
    stretched *= float(weight @ level) / max(float(weight @ stretched), 1e-300)
    times: Array = np.maximum(stretched, least)
    for group in lower.groups:
        work.at_group[group.pool] *= np.divide(times, level, out=np.ones(len(level)), where=level > 0)
    conserve_lower(work, lower, point, times, left)
    return times


def _note_overload(work: Working, load: Load, point: HostPoint) -> None:
    """Groups whose chains deliver less than comes to them, where all comes at rates: they cannot hold it."""
    if not load.coming.steady:
        return
    for group, its in zip(load.groups, point.groups, strict=True):
        coming = float(load.flow[group.tasks] @ (load.region[group.tasks] == group.region))  # a limit's own, not those it calls
        if group.region not in load.gated and group.region not in load.held and its.thinned > 0:
            work.overloaded(group.pool, coming * (1 - LOST) / its.thinned)


def _delivered(work: Working, host: int) -> None:
    """Times stretched until the users ask a host for no more than its chains deliver: near saturation the better figure.

    Users who think long ask for nearly the same however long they wait: what grids lose says nothing of their times. Where
    users come to TCBs alone, only their lines are longer: a TCB that is never idle is one unit, however many wait there.
    """
    form, engines = work.form, float(work.form.engines[host])
    here = form.host == host
    closed = form.users > 0
    users = closed[form.work]
    time = np.bincount(form.work, form.visits * work.on_cps * here, len(form.rate))
    if not (closed & (time > 0)).any() or not work.hosts[host].groups:
        return
    cpu = np.bincount(form.work, form.visits * work.ask.on_cps * here, len(form.rate))
    away = np.maximum(work.cycle - time, 0.0)

    def used(stretch: float) -> float:
        return float(np.where(closed, form.users / np.maximum(away + stretch * time, 1e-300), form.rate) @ cpu) / engines

    direct = used(1.0)
    fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum()) / engines
    busy = (work.hosts[host].used / engines - fixed) * (1 + NOISE)
    if direct <= busy:
        return
    spare = max(1 - busy - fixed, 0.0)
    goal = busy + (direct - busy) * spare / (spare + 0.03)
    low, high = 1.0, 2.0
    while used(high) > goal and high < 1e6:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if used(middle) > goal else (low, middle)
    lines = [at for at in work.at_group.values() if (at[here & users] > 0).any()]
    elsewhere = here & users & (work.on_cps > (1 + LOST) * np.sum(list(work.at_group.values()), axis=0))
    if elsewhere.any() or not lines:
        work.on_cps[here] *= low
        return
    work.on_cps += (low - 1) * here * np.sum(lines, axis=0)
