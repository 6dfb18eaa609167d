"""Times on the CPs, and waits, of tasks of limits that are servers there."""

from __future__ import annotations

from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.numerics.two_phases import two_phases
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.bursts.mates import limit_waits, mates_of, stretches
from qnsolve.zos.hosts.groups import ServerGroup
from qnsolve.zos.hosts.limited.inside_counts import ends_of_two_kinds, limit_of_two_kinds, speeds_beside
from qnsolve.zos.hosts.limited.kinds_inside import KindsInside, kinds_inside, nearest_as_one
from qnsolve.zos.hosts.limited.limited_work import LimitPoint
from qnsolve.zos.hosts.load import GroupPoint, Load

from .full_limits import as_full, by_places
from .limits import Limits

NOTHING = 1e-9  # share of the CPU beside TCBs that is none
STATES = 170  # of the kinds of work inside a limit, with all places taken
EFFORT = 3.0  # of their chain, over that of a chain of a TCB
SELDOM_THERE = 0.01, 0.02  # part of the time of users up to which they come as if at rates, and from which on they do not
OTHERS = 100  # on the CPs beside tasks of a limit that are told apart


def limit_times(work: Working, limits: Limits, load: Load, k: int, its: GroupPoint) -> Array:
    """Time on the CPs of each task of a group [s]; notes the waits of the tasks for its limit, and for those inside it."""
    group = load.groups[k]
    form, need, tasks = work.form, work.need, group.tasks
    flow, off, on_cps = work.flow[tasks], group.off, group.cpu + group.spin
    own = group.first(form.region)
    inside, away, each = np.zeros((3, len(form.work)))
    if isinstance(its, LimitPoint):
        time, slower = _apart(work, group, its, flow)
        limits.slower[group.pool] = sqrt(limits.slower.get(group.pool, 1.0) * slower)
        for region, number in its.before.items():
            mine = tasks[form.region[tasks] == region]
            wait = number / max(float(work.flow[mine].sum()), 1e-300)
            work.pool_wait[limits.pool[region], mine] = each[mine] = wait
    else:
        kept = float(flow @ off) / max(float(flow @ on_cps), 1e-300)  # time off the CPs, over that alone there
        time = on_cps * (stretches(load, k, its) + kept * (its.service - 1))
    each[tasks] += time + off
    top = tasks[own]
    inside[top] = each[top] + need.calls[top] @ each
    away[tasks] = off
    alike = len(top) == 1 or not form.users[form.work[top]].any()
    if isinstance(its, LimitPoint) and alike:
        away = inside * its.apart
    mean = float(flow[own] @ inside[top]) / max(float(flow[own].sum()), 1e-300)
    speed = np.arange(group.servers + 1.0) / max(mean, 1e-300)
    plain = limits.plain(top, inside, speed, group.servers)
    ratio = limits.unlike(group.pool, top, inside, speed, group.servers, away, plain)
    part = 1.0 if alike else _as_streams(work, form.work[top])
    kinds = _of_kinds(work, limits, group, its, inside[top]) if part > 0 and isinstance(its, LimitPoint) else None
    found = its.waiting / max(its.thinned, 1e-300)
    full, users = float(its.full[its.levels >= group.servers].sum()), form.users[form.work[top]] > 0
    if users.all():  # who keep it full wait as their number says, all together
        ratio = ratio / float(flow[own] @ (ratio * np.ones(len(top))) / flow[own].sum()) ** as_full(full)
    waits = np.asarray(found * ratio)
    if users.any() and not users.all() and not load.coming.steady:  # how many come is known of each kind
        waits = as_full(full) * waits + (1 - as_full(full)) * plain * ratio * its.even
    if kinds is not None:
        waits = waits ** (1 - part) * (found * kinds) ** part
    if mates_of(load, k).any():  # what bursts make is no more for unlike ones
        more = max(its.waiting / max(its.thinned, 1e-300) - plain, 0.0)
        waits = plain * ratio + more * limit_waits(load, k, its, inside[tasks])[own]
    if not users.all():
        waits = by_places(work, group.pool, top, inside, waits, as_full(full), its.busy)
    for region, part in (group.beside or {group.region: 1.0}).items():
        mine = form.region[top] == region
        work.pool_wait[limits.pool[region], top[mine]] = part * waits[mine]
        if its.limit is not None:
            work.seen[limits.pool[region]] = its.limit.seldom(min(part, 1.0))
    return time


def _as_streams(work: Working, works: Places) -> float:
    """How far works come as if at rates: their users are away for nearly all of their time [0..1]."""
    there = np.where(work.form.users > 0, work.response / np.maximum(work.cycle, 1e-300), 0.0)
    low, high = SELDOM_THERE
    return float(np.clip((high - there[works].max(initial=0.0)) / (high - low), 0.0, 1.0))


def _of_kinds(work: Working, limits: Limits, group: ServerGroup, its: LimitPoint, inside: Array) -> float | None:
    """Wait of open kinds of work for a limit over that of tasks all alike; None where they are no two kinds, or take long.

    By the chain of the kinds, or of two phases, each as fast as in a product form with so many of all inside, over that of the
    tasks inside alone; and by how much more evenly a full limit lets tasks through than at random, where those of each kind
    vary as much less as its time is of two parts, on the CPs and off them.
    """
    form, tasks, size = work.form, group.tasks, group.servers
    flow, cpu = work.flow[tasks], group.cpu + group.spin
    calls = work.need.calls[tasks].any() or work.need.calls[:, tasks].any()
    if len(tasks) < 2 or calls or group.below or not (flow > 0).all():
        return None
    stream = float(flow.sum())
    mix = flow / stream
    two = two_phases(mix, inside, inside**2, inside**3)
    if two.move or two.single:
        return None
    engines, others, every = float(form.engines[form.host[tasks[0]]]), _others(work, limits, group), np.ones(size + 1)
    kind = nearest_as_one(flow, needs := np.array([cpu, group.off]), size, STATES)
    if kind.max() > 1:
        speeds = np.array([speeds_beside(size, engines, *others), np.arange(1.0, size + 1)])
        work.effort += EFFORT
        told = [kinds_inside(KindsInside.of(flow, needs, speeds, its_)) for its_ in (kind, np.zeros_like(kind))]
        apart, plain = (its_ and its_[0] for its_ in told)
    else:
        weight, part = np.array([mix * two.shares, mix * (1 - two.shares)]), np.array([two.first, 1 - two.first])
        each = [_of_phases(weight, part, two.leave, mix, its_, inside) for its_ in (cpu, group.off)]
        alike = [np.full(2, float(mix @ its_)) for its_ in (cpu, group.off)]
        apart, plain = (
            limit_of_two_kinds(stream, two.first, *ends_of_two_kinds(cpus, off, engines, *others, size), every)
            for cpus, off in (each, alike)
        )
    if apart is None or plain is None or not plain.wait > 0:
        return None
    off, mean = np.minimum(group.off / inside, 1.0), float(mix @ group.off) / float(mix @ inside)
    uneven = float(mix @ (inside**2 * (off**2 + (1 - off) ** 2 + 1))) / float(mix @ inside**2) / (mean**2 + (1 - mean) ** 2 + 1)
    return apart.wait / plain.wait * (1 + min(its.variation, 1.0)) / 2 * uneven


def _others(work: Working, limits: Limits, group: ServerGroup) -> tuple[float, int]:
    """Load of all others on the CPs of a limit [engines], and how many of them are there at most."""
    form, host = work.form, int(work.form.host[group.tasks[0]])
    here, fixed = np.flatnonzero(form.host == host), float(form.fixed[form.fixed[:, 0] == host, 2].sum())
    load = float((work.flow * work.ask.on_cps)[here].sum()) + fixed - float(work.flow[group.tasks] @ (group.cpu + group.spin))
    limited = {pool: its.tasks for pool, its in limits.grouped.items() if np.isin(its.tasks, here).any()}
    most = sum(int(form.pool_size[pool]) for pool in limited if pool != group.pool)
    free = fixed > 0 or not np.isin(here, np.concatenate(list(limited.values()))).all()
    return max(load, 0.0), OTHERS if free else min(most, OTHERS)


def _of_phases(weight: Array, part: Array, leave: tuple[float, float], mix: Array, time: Array, inside: Array) -> Array:
    """Of a time of each kind that is part of that inside: as much of each of two phases, the mean as it is (2,)."""
    found = (weight @ time) / np.maximum(weight @ inside, 1e-300) / np.array(leave)
    whole = float(part @ found)
    return np.asarray(found * (float(mix @ time) / whole if whole > 0 else 1.0))


def _apart(work: Working, group: ServerGroup, its: LimitPoint, flow: Array) -> tuple[Array, float]:
    """Time on the CPs of each task, at TCBs and beside them, by those that are there; the latter over that alone."""
    free = group.cpu - group.serial
    part = its.thinned / max(float(flow[group.first(work.form.region)].sum()), 1e-300)
    pieces = part * float(flow @ free)
    slower = max(its.there / pieces, 1.0) if pieces > NOTHING * float(flow @ group.cpu) else 1.0
    time = free * slower
    for region in np.unique(work.form.region[group.tasks]).tolist():
        mine = work.form.region[group.tasks] == region
        serial = np.where(mine, group.serial, 0.0)
        number = its.at_tcb.get(region, 0.0)
        time += serial * max(number / max(part * float(flow @ serial), 1e-300), 1.0)
    return np.asarray(time), slower
