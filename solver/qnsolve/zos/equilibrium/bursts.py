"""Work that comes in bursts: what its transactions wait longer for the limit of a region, and what comes at once to the CPs.

A group of transactions is a group at the first line that it comes to: the limit of its region where that fills, or the CPs;
in later steps, as far as it was let through faster than these do. Transactions that begin at the ticks of a clock are a group
until the end of their first task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.hosts.chains.clocked import exactly_before, left_at_ticks, mates_before, still_at_work
from qnsolve.zos.hosts.chains.jumps import Burst

from .fewer_users import as_fewer_come
from .limits.limits import Limits
from .working import Working

LONGEST = 20_000  # tasks in a line that are counted
TAIL = 1e-10
ALONE = 0.05  # of its mates, in the mean, with whom a task comes alone
PASSES, POINTS = 5, 18  # of a search for speeds, each between two of so many points


def chances(groups: float, single: float, burst: float, speed: Array) -> Array | None:
    """P(n tasks) where groups of `burst` come at a rate and single tasks too; speed[n] with n = 1, 2, … of them.

    The last speed holds beyond. A group has the whole part of `burst` or one more, so that its mean is right. None where
    more come than go.
    """
    small = int(burst)
    beyond = np.append(np.ones(small), burst - small)  # P(group > k), k = 0, 1, …
    if groups * burst + single >= float(speed[-1]):
        return None
    coming = groups * beyond[::-1]
    coming[-1] += single
    chance = np.zeros(LONGEST)
    chance[0], total, first = 1.0, 1.0, 0.0
    for n in range(1, LONGEST):
        back = min(n, len(coming))
        new = float(coming[-back:] @ chance[n - back : n]) / float(speed[min(n, len(speed)) - 1])
        chance[n] = new
        total += new
        first += n * new
        if n * new < TAIL * first and n > first / total + small:
            break
        if new > 1e200:
            chance /= 1e200
            total, first = total / 1e200, first / 1e200
    found: Array = chance[: n + 1] / total
    return found


def speeds_by_little(groups: float, single: float, burst: float, speed: Array, inside: float) -> Array:
    """Speeds, all in the same ratio to those given, at which so many tasks are inside in the mean (J. Little 1961).

    Product-form speeds know nothing of what tasks wait inside for others of their group, or behind unlike ones; the times
    inside do.
    """
    limit, coming = len(speed), groups * burst + single
    if not 0 < inside < limit:
        return speed
    low, high = coming / float(speed[-1]), 2 * coming / float(speed[-1])
    while inside_limit(groups, single, burst, np.array([high]), speed)[0] > inside:
        low, high = high, 2 * high
    for _ in range(PASSES):
        tried = np.geomspace(low, high, POINTS)
        more = inside_limit(groups, single, burst, tried[1:-1], speed) > inside
        place = int(np.count_nonzero(more))  # the more the faster the fewer
        low, high = float(tried[place]), float(tried[place + 1])
    return speed * high


def inside_limit(groups: float, single: float, burst: float, ratio: Array, speed: Array) -> Array:
    """Tasks inside a limit in the mean, by the ratio of its speeds to those given (n,): no tail is summed.

    In equilibrium as many go as come, which tells the chance that no place is left from those of fewer tasks.
    """
    small, limit = int(burst), len(speed)
    coming = groups * np.append(np.ones(small), burst - small)[::-1]
    coming[-1] += single
    found = np.zeros((limit, len(ratio)))
    found[0] = 1.0
    for n in range(1, limit):
        back = min(n, len(coming))
        found[n] = coming[-back:] @ found[n - back : n] / (ratio * speed[n - 1])
        found[: n + 1] /= np.maximum(found[n], 1.0)
    rates = ratio * np.append(0.0, speed)[:, None]
    whole = groups * burst + single
    full = ((whole - rates[:limit]) * found).sum(axis=0) / np.maximum(rates[limit] - whole, 1e-12 * whole)
    number = np.arange(float(limit))
    return np.asarray((number @ found + limit * full) / (found.sum(axis=0) + full))


def wait(chance: Array, burst: float, speed: Array) -> float:
    """Wait for a place of a task that comes with `burst` in all, itself among them; as many places as there are speeds."""
    small = int(burst)
    number = np.arange(len(chance)) - len(speed)
    each = [float(chance @ np.maximum(number + j, 0.0)) for j in range(1, small + 2)]  # of the j-th of a group
    waits = sum(each[:small]) + (burst - small) * each[small]
    return waits / burst / float(speed[-1])


def bursts_at(work: Working, limits: Limits, here: Places) -> tuple[Burst, ...]:
    """Works that come in groups to some tasks that no full region lets out one by one."""
    form, found = work.form, []
    open_ = here & ~np.isin(form.region, list(limits.rates))
    for w in np.flatnonzero(form.in_groups).tolist():
        for share, size in _in_groups(work, limits, w):
            first = np.where(open_, share, 0.0)
            for region in np.unique(form.region[first > 0]).tolist():
                if region in limits.gates:  # who finds no place comes later, when another one goes
                    tasks = limits.tasks[region]
                    left = limits.size(region) - float(work.flow[tasks] @ work.holds()[tasks])
                    size = min(size, max((left + 1) / float(first[form.region == region].sum()), 1.0))
            if first.any():
                found.append(Burst(w, size, first))
    return tuple(found)


def _in_groups(work: Working, limits: Limits, w: int) -> Iterator[tuple[Array, float]]:
    """Step by step, the tasks of a work that come in groups, the chance that a transaction has each (T,), and their number.

    Later steps find as much of a group together as what was before lets it through faster than they do; what is elsewhere
    for long, and for unlike times, comes alone, and so does what a full region lets out.
    """
    form = work.form
    mates = min(float(form.burst[w]), float(form.users[w]) or np.inf) - 1
    steps, slowest, apart = list(_along(work, w)), 0.0, 0.0
    yield steps[0], mates + 1
    if len(steps) == 1:
        return
    each = [_for_one_more(work, share) for share in steps]
    for k, before in enumerate(steps[:-1]):
        if not limits.rates.keys().isdisjoint(form.region[before > 0].tolist()):
            return
        slowest = max(slowest, each[k])
        apart += float(before @ (work.need.delay + work.line_time.sum(axis=1))) / float(before.sum())
        near = mates * max(each[k + 1] - slowest, 0.0)
        together = near / each[k + 1] * near / (near + apart) if near > 0 else 0.0
        if together <= ALONE:
            return
        yield steps[k + 1], together + 1


def _for_one_more(work: Working, share: Array) -> float:
    """Time that one more of a group takes at the slowest center of a step, given the chance of each task of it (T,) [s]."""
    centers = _path(work, np.flatnonzero(share))
    return max((float(share @ its.time) / its.servers for its in centers), default=0.0)


def burst_waits(work: Working, limits: Limits) -> Array:
    """What tasks wait longer for a limit because their work, or other work there, comes in bursts (T,) [s].

    Where the limit is part of a chain of tasks on the CPs, the groups come to that.
    """
    form = work.form
    found = np.zeros(len(form.work))
    bursts = np.flatnonzero(form.in_groups)
    if not len(bursts):
        return found
    first = np.zeros(len(form.work))  # transactions of a group that are a group at this task
    for w in bursts.tolist():
        for share, size in _in_groups(work, limits, w):
            first += (share > 0) * (1 + (size - 1) * share)
    holds, inside = work.holds(), first.copy()
    for pool, tasks in limits.classes.items():
        region, size = limits.pool[int(form.pool_region[pool])], int(form.pool_size[pool])
        inside[tasks] = np.minimum(first[tasks], size)
        outside = np.maximum(first - size + 1, 1.0)  # those let in are in each other's way inside, as times there have it
        if work.flow[tasks[outside[tasks] > 1]].any():
            speed = limits.speeds.get(~pool)
            _at_limit(work, size, tasks, (holds + work.pool_wait[region])[tasks], speed, outside, found)
    for region, tasks in limits.tasks.items():
        some = tasks[inside[tasks] > 1]
        if work.flow[some].any() and region not in limits.kept and limits.pool[region] not in limits.grouped:
            _at_limit(work, limits.size(region), tasks, holds[tasks], limits.speeds.get(region), inside, found)
    return found


def _groups(flow: Array, holds: Array, first: Array) -> tuple[float, float, float]:
    """Groups a second, single tasks a second, and the size of a group among some tasks.

    Each counts as much as the places that it holds: so the number inside varies as it does where there is no limit.
    """
    in_groups, places = first > 1, flow * holds
    share = float(places[in_groups].sum()) / float(places.sum())
    size = float(places[in_groups] @ first[in_groups]) / float(places[in_groups].sum())
    coming = float(flow.sum())
    return coming * share / size, coming * (1 - share), size


def _at_limit(
    work: Working, size: int, tasks: Places, holds: Array, known: tuple[Array, int, float] | None, first: Array, found: Array
) -> None:  # fmt: skip
    """Add what tasks that hold places of a limit for so long wait longer for it; `known` are the speeds of its chain."""
    form = work.form
    if size >= UNLIMITED or (form.users[form.work[tasks]] > 0).any():
        return
    flow = work.flow[tasks]
    held = float(flow @ holds) / max(float(flow.sum()), 1e-300)
    groups, single, burst = _groups(flow, holds, first[tasks])
    speed = np.arange(1.0, size + 1) / max(held, 1e-300)
    if known is not None:
        speed = np.maximum(known[0][1 : size + 1], 1e-300)
        speed = speeds_by_little(groups, single, burst, speed, float(flow @ holds))
    together, alone = chances(groups, single, burst, speed), chances(0.0, groups * burst + single, 1.0, speed)
    if together is None or alone is None:
        return
    weight = flow * holds * np.maximum(first[tasks] - 1, 0.0)
    pace = float(weight @ holds) / float(weight.sum()) / held  # a burst leaves as its own tasks do
    for t in tasks:
        found[t] += pace * max(wait(together, max(float(first[t]), 1.0), speed) - wait(alone, 1.0, speed), 0.0)


@dataclass(frozen=True, eq=False)
class _Stop:
    """Where tasks that begin at a tick come one after another: the time of each there (T,), its wait, its servers.

    `shared` where those that are there share it, and none waits for its turn.
    """

    time: Array
    wait: Array
    servers: float
    shared: bool
    host: int = -1  # whose CPs it is


def tick_waits(work: Working) -> Array:
    """What tasks wait longer because transactions begin at ticks, the work's own or that of others (T,) [s].

    A task waits for those of its tick that are before it, at the center of its path that takes longest for all of them: what
    comes out of one center comes to a faster one as fast as that lets it. What earlier ticks left is less than what
    as many tasks leave that come one by one, as these come at regular times. Work that comes in between finds
    that much more to do.
    """
    form, rate = work.form, work.rate
    found = np.zeros(len(form.work))
    for w in np.flatnonzero(form.tick > 0).tolist():
        together = float(rate[w] * form.tick[w]) * (1 - 1 / float(form.users[w]) if form.users[w] else 1.0)
        if form.burst[w] > 1:
            together = min(float(form.burst[w]), float(form.users[w])) - 1
        longest, apart, done = 0.0, 0.0, dict[int, float]()
        for share in _along(work, w):
            waited = np.where(share > 0, longest, 0.0)
            for center in _path(work, np.flatnonzero(share)):
                before = done.get(center.host, 0.0)  # its CPU in earlier steps
                _at_center(work, center, share, together, waited, (apart, before), found)
                if center.host >= 0:
                    done[center.host] = before + float(share @ center.time)
            longest = float(share @ waited) / float(share.sum())
            apart += float(share @ (work.need.delay + work.line_time.sum(axis=1))) / float(share.sum())
    return np.maximum(found, 0.0)


def _along(work: Working, w: int) -> Iterator[Array]:
    """The tasks of a transaction of a work, step by step: the chance that it goes through each of them (T,)."""
    form = work.form
    for group in range(len(form.group_start) - 1):
        members = slice(form.group_start[group], form.group_start[group + 1])
        tasks = form.group_task[members]
        if form.work[tasks[0]] == w:
            share = np.zeros(len(form.work))
            share[tasks] = form.group_share[members] * min(float(form.visits[tasks].sum()), 1.0)
            yield share


def _path(work: Working, tasks: Places) -> Iterator[_Stop]:
    """The centers of some tasks in the order of their program, those of one kind in all regions and hosts one by one."""
    form, ask, need = work.form, work.ask, work.need
    beside = work.on_cps - sum(work.at_group.values(), np.zeros(len(form.work)))
    columns = ((Pool.RO, ask.ro), (Pool.QR, ask.qr), (None, ask.on_cps), (Pool.THREADS, ask.threads + ask.thread_off))
    for kind, column in columns:
        if kind is None:
            for host in np.unique(form.host[tasks]).tolist():
                here = form.host == host
                yield _Stop(column * here, np.maximum(beside - ask.cpu, 0.0) * here, float(form.engines[host]), True, host)
            continue
        for pool in np.flatnonzero(form.pool_kind == kind).tolist():
            time = np.where(form.region == form.pool_region[pool], column * work.service.get(pool, 1.0), 0.0)
            if pool in work.at_group and time[tasks].any():
                order = kind is not Pool.QR or bool(need.in_order[tasks].any())
                yield _Stop(time, np.maximum(work.at_group[pool] - time, 0.0), float(form.pool_size[pool]), not order)
    for pool in np.flatnonzero(need.lines[tasks].any(axis=0)).tolist():
        if form.pool_size[pool] < UNLIMITED:
            time = need.lines[:, pool]
            yield _Stop(time, work.line_time[:, pool] - time, float(form.pool_size[pool]), False)


def _at_center(
    work: Working, center: _Stop, share: Array, together: float, waited: Array, earlier: tuple[float, float], found: Array
) -> None:
    """Add what tasks wait longer at one center.

    Those of a tick have `waited` for each other before (T,), at most. Earlier they have been elsewhere for a time in which
    they go apart, and here for another [s].
    """
    form, flow, here = work.form, work.flow, center.time > 0
    own = share * here
    chance, used = float(own.sum()), float(flow @ center.time) / center.servers
    if chance <= 0 or together <= 0:
        return
    w = int(form.work[np.flatnonzero(own)[0]])
    mean, longest = float(own @ center.time) / chance, float(own @ waited) / chance
    mates, whole, in_step = together * chance, mean + earlier[1] / chance, form.burst[w] > 1
    if in_step:  # no more of them are through within a tick
        mates = min(mates, max(float(form.tick[w]) * center.servers / whole, 1.0) - 1)
    mates *= mates * whole / center.servers / max(mates * whole / center.servers + earlier[0], 1e-300)
    part = float(flow[form.work == w] @ center.time[form.work == w]) / float(flow @ center.time)
    at_work = 0.0 if in_step else still_at_work(float(form.tick[w]), mates, mean)
    free = (1 + center.servers) / 2 if longest > 0 else center.servers - at_work  # a TCB before them lets out one by one
    others = used * (1 - part) / 2 if center.shared else 0.0  # who comes later shares it, too
    before = mates_before(mates, free) if not in_step else exactly_before(mates, free)
    batch = before * whole / center.servers / (1 - others)
    batch *= float(own @ _turns(work, mates * whole / center.servers)) / chance
    left, waiting = left_at_ticks(used, mates, 1.0), float(flow @ center.wait) / float(flow @ here)
    if center.servers > 1 and waiting > 0 and used < 1:
        left = min(left * used / (1 - used) * mean / center.servers / waiting, 1.0)
    longer = max(batch - longest, 0.0)
    there, each = float(flow @ (own > 0)) * longer, center.time / center.servers  # mates in the mean
    pair = each * mean / (center.time + mean) / (1 - used / 2) if center.shared else mean / center.servers
    more = np.where(own > 0, longer, there * pair * here) - part * (1 - left) * center.wait * here
    np.maximum(waited, batch * (own > 0), out=waited)
    found += _of_users(work, flow * here, more, center, max(1 - used, 1e-9) * (1 + mates))


def _turns(work: Working, long: float) -> Array:
    """Waits for mates of a task in all its rounds, over one of a single round (T,); all mates take so `long` [s].

    In the first one it waits for half of them, later for all, if they have not gone apart in between. Where tasks
    share a TCB it makes no difference: they need not end a round first.
    """
    need = work.need
    away = (need.delay + work.line_time.sum(axis=1) + need.other.sum(axis=1)) / need.rounds
    near = long / np.maximum(long + away * need.rounds, 1e-300)
    found: Array = (1 + 2 * (need.rounds - 1) * near) / need.rounds
    return found


def _of_users(work: Working, flow: Array, more: Array, center: _Stop, idle: float) -> Array:
    """What is left of longer waits where users come less often for them: none where they keep the center full."""
    form = work.form
    longer = float(flow @ more)
    left = form.users - np.bincount(form.work, flow * (center.time + center.wait), len(form.users))
    each = np.bincount(form.work, flow, len(form.users))
    shares = each / max(float(each.sum()), 1e-300)
    fewer = float((shares**2 / np.maximum(left, 1e-3))[form.users > 0].sum())
    if longer <= 0 or fewer <= 0:
        return more
    return more / as_fewer_come(longer, float(flow @ (center.time + center.wait)), idle / fewer)
