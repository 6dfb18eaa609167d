"""Times of tasks at the TCBs and CPs of each host, given how work comes: all levels of importance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.load import HostPoint, Load

from .conservation import WorkLeft, conserve
from .group_times import solved_times
from .host_load import load_of
from .importance.called_tasks import find_fewer, with_called
from .importance.lower_times import Above, Speeds, lower_times
from .limits.limits import Limits
from .waits_before_limits import with_all_work
from .working import Working

NOISE = 1e-4  # share of what CPs deliver that grids may lose
IDLE, LITTLE = 4.0, 2e-3  # most that CPs are idle over that of their chain, and what is as good as never
LEAST = 0.9  # part to which times are shortened at most, in a round, where some are limited
STEP, FOLLOW = 0.01, 0.03  # change of times, and of what users then ask, from which on this says how long times are [ratio]
FEW = 0.03  # of the CPs in use by higher importance, from which on its chain counts whole
NOTHING = 1e-3  # part of it that is none
MOSTLY = 0.8  # of the users' tasks on a host in lines at its TCBs, from which on it is these that are longer
MOST_LOST = 0.02  # most of what CPs deliver that grids lose
FULL = 0.03  # of the CPs that is idle, up to which they are as good as full
AT_WORK = 0.5  # part of the time that a group is at work at least that cannot hold what comes
LOST = 1e-3  # share of what comes to a group that its chain may lose by its grids; of a number, next to nothing


def host_times(work: Working, limits: Limits) -> None:
    """Times at the CPs of all hosts."""
    form, need = work.form, work.need
    on_cps = np.zeros(len(form.work))
    found, used = list[HostPoint](), list[tuple[int, float, float]]()
    before, work.at_group = work.at_group, {}
    work.seen.clear()
    work.called.clear()
    for host in range(len(form.engines)):
        here = form.host == host
        ranks = np.unique(np.concatenate((form.importance[here], form.fixed[form.fixed[:, 0] == host, 1])))
        point, times, speeds, above = HostPoint([], 1.0, 0.0), np.zeros(len(form.work)), dict[int, Array](), Above()
        for rank in ranks:
            load = load_of(work, limits, host, form.importance <= rank, form.fixed[:, 1] <= rank, rank, before)
            if load is None:
                continue
            load = with_called(work, limits, host, rank, load)
            if load.called is not None:
                work.called[host, float(rank)] = load.called
            of_higher = here & (form.importance < rank)
            waits = work.pool_wait[:, of_higher]  # higher ones do not wait for lower ones
            at_group, service = dict(work.at_group), {pool: work.service[pool] for pool in work.at_group}
            point, level = solved_times(work, limits, load)
            _note_overload(work, load, point)
            used.append((host, float(rank), point.used))
            free = not load.held and not limits.grouped and not load.gated
            left = conserve(work, load, point, level) if free else WorkLeft()
            with_all_work(work, limits, load, point, level)
            find_fewer(work, load, point, level)
            own = here & (form.importance == rank)
            speeds |= {r: its for r, its in point.speeds.items() if own[form.region == r].any()}
            if len(ranks) > 1:
                work.levels[host, float(rank)] = level.copy()
            level, left_to = _below(work, limits, host, rank, level, Above(left.less(above.left), above.called, load.calls))
            speeds |= {r: its for r, its in left_to.items() if r in speeds}
            times[own] = level[own]
            above = Above(left, load.called)
            work.at_group |= at_group
            work.service |= service
            work.pool_wait[:, of_higher] = waits
        longer = float(work.around.back[host])  # of what zIIPs send here
        if longer and not np.any(work.overflowing * here):  # its chain knows no groups
            slow = float(form.slower[host] * work.around.growth[host] * work.around.over[host])
            back = (need.ziip + need.thread_ziip) * form.overflowed
            times += here * back * slow * max(longer - point.free, 1 - point.free)
        on_cps += times
        found.append(replace(point, speeds=speeds))
    work.on_cps, work.hosts = np.maximum(on_cps, work.ask.on_cps), found
    limits.apply()
    work.on_cps = np.maximum(work.on_cps, work.ask.on_cps)  # far beyond the end what is left of a wait is none
    limited = bool(limits.gates or limits.kept or limits.grouped or limits.classes)
    for at, down_to, busy in used:
        _delivered(work, at, down_to, busy, limited)


def _below(work: Working, limits: Limits, host: int, rank: float, level: Array, above: Above) -> tuple[Array, Speeds]:
    """Times of the tasks of an importance below others, and speeds; `level` are times among all as equals.

    Where higher ones need few of the CPs it is nearly that, and what their chain makes of it counts as much less.
    """
    form = work.form
    higher = (form.host == host) & (form.importance < rank)
    fixed = float(form.fixed[(form.fixed[:, 0] == host) & (form.fixed[:, 1] < rank), 2].sum())
    part = min((float(work.flow[higher] @ work.ask.on_cps[higher]) + fixed) / (FEW * float(form.engines[host])), 1.0)
    if part < NOTHING:
        return level, {}
    before = dict(work.at_group)
    found, speeds = lower_times(work, limits, host, rank, level, above)
    if part == 1:
        return found, speeds
    for pool, at in before.items():
        if work.at_group[pool] is not at:  # of this importance
            work.at_group[pool] = _between(at, work.at_group[pool], part)
    return _between(level, found, part), {}


def _between(low: Array, high: Array, part: float) -> Array:
    """Times that are a part of the way from some to others."""
    found: Array = low ** (1 - part) * high**part
    return found


def _note_overload(work: Working, load: Load, point: HostPoint) -> None:
    """Groups whose chains deliver less than comes to them, where all comes at rates: they cannot hold it.

    Beside users those of work with rates that get less of the CPs than it asks for.
    """
    for pool, asked in point.overloads.items():
        work.overloaded(pool, asked)
    if (work.form.users > 0).any() or load.called is not None:
        return
    for group, its in zip(load.groups, point.groups, strict=True):
        coming = float(load.flow[group.tasks] @ (load.region[group.tasks] == group.region))  # a limit's own, not those it calls
        full = its.busy > AT_WORK * group.servers  # others lose some by their grids
        if full and group.region not in load.gated and group.region not in load.held and its.thinned > 0:
            work.overloaded(group.pool, coming * (1 - LOST) / its.thinned)


def _delivered(work: Working, host: int, rank: float, used: float, limited: bool) -> None:
    """Times stretched until the users ask a host for no more than its chains deliver: near saturation the better figure.

    `used` CPs are what tasks down to an importance have in the chains; the times of the lowest of them alone are stretched.
    They are shortened where CPs that are full in the chains would be idle often, as far as users come more often by that, if it
    is told whose times are too long: not lines at TCBs alone. Where some are `limited` this is all that is done, of users
    alone: who waits for a place may ask for less.
    Users who think long ask for nearly the same however long they wait: what grids lose says nothing of their times. Where
    users come to TCBs alone, only their lines are longer: a TCB that is never idle is one unit, however many wait there.
    """
    form, engines = work.form, float(work.form.engines[host])
    here = (form.host == host) & (form.importance <= rank)
    own = here & (form.importance == rank)
    closed = form.users > 0
    users = closed[form.work]
    time = np.bincount(form.work, form.visits * work.on_cps * here, len(form.rate))
    if not (users & own & (work.on_cps > 0)).any() or not work.hosts[host].groups:
        return
    cpu = np.bincount(form.work, form.visits * work.ask.on_cps * here, len(form.rate))
    away = np.maximum(work.cycle - time, 0.0)
    at_tcbs = [at for at in work.at_pools.values() if (at[here & users] > 0).any()]
    lines = np.sum(at_tcbs, axis=0) if at_tcbs else np.zeros(len(form.work))
    there, waiting = (float(work.flow @ (its * (here & users))) for its in (work.on_cps, lines))
    stretched = work.on_cps
    if (waiting > 0 and not (here & users & (work.on_cps > (1 + LOST) * lines)).any()) or waiting > MOSTLY * there:
        stretched = np.sum([at * _in_use(float(work.flow @ at)) ** 2 for at in at_tcbs], axis=0)
    longer = np.bincount(form.work, form.visits * stretched * here, len(form.rate))

    def asked(stretch: float) -> float:
        spent = np.maximum(away + time + (stretch - 1) * longer, 1e-300)
        return float(np.where(closed, form.users / spent, form.rate) @ cpu) / engines

    direct = asked(1.0)
    whole = 1 - float(form.fixed[(form.fixed[:, 0] == host) & (form.fixed[:, 1] <= rank), 2].sum()) / engines
    busy = (used / engines - (1 - whole)) * (1 + NOISE)
    spare = max(whole - busy, 0.0)
    least = whole - max(IDLE * spare, LITTLE)
    follow = (asked(1 - STEP) - direct) / STEP
    told = follow**2 / (follow**2 + FOLLOW**2)
    if direct > busy and not limited:
        full = FULL / (spare + FULL)
        lost = form.in_groups[form.work[here]].any() and direct < busy * (1 + MOST_LOST)  # by grids, of what comes at once
        goal, low, high = direct - (direct - busy) * full * (told if lost else 1.0), 1.0, 2.0
        while asked(high) > goal and high < 1e6:
            high *= 2
    elif direct < least and (closed.all() if limited else stretched is work.on_cps):
        goal, low, high = direct + (least - direct) * told, LEAST if limited else 0.0, 1.0
    else:
        return
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if asked(middle) > goal else (low, middle)
    work.on_cps = np.maximum(work.on_cps + (low - 1) * own * stretched, work.ask.on_cps)


def _in_use(number: float) -> float:
    """Share of the time in which a line that is so long has anyone."""
    return number / (1 + number)
