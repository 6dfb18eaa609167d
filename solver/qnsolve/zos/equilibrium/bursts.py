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
from .limits.groups_at_limits import LONGEST, beyond, chances, speeds_by_little, wait
from .limits.limits import Limits
from .working import Working

SELDOM = 0.01  # of the time that a class is full, up to which no tasks stand in line before it
ALONE = 0.05  # of its mates, in the mean, with whom a task comes alone


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
            size = min(size, max(_let_in(work, limits, first, size), 1.0))
            if first.any():
                found.append(Burst(w, size, first))
    return tuple(found)


def _let_in(work: Working, limits: Limits, first: Array, size: float) -> float:
    """Size of a group, each of which has some tasks with these chances (T,), of which all but one find places of classes."""
    holds, places = work.holds() + work.wait, 0.0
    for t in np.flatnonzero(first).tolist():
        own, fewer = size * float(first[t]), 0.0
        for pool in work.need.limits[t]:
            if pool in limits.classes:
                tasks = limits.classes[pool]
                inside = float(work.flow[tasks] @ (holds[tasks] - work.pool_wait[pool, tasks]))
                left = max(float(work.form.pool_size[pool]) - inside, 0.0)
                fewer = max(fewer, _elsewhere(work, limits, pool) * (own - _at_most(size, float(first[t]), left)))
        places += own - fewer
    return (places + 1) / max(float(first.sum()), 1e-300)


def _elsewhere(work: Working, limits: Limits, pool: int) -> float:
    """Share of the time inside a TRANCLASS that is not at its QR TCB, where those let in are in the way of each other.

    There it makes no difference whether a task waits for others of its group inside the class or before it.
    """
    tasks, region = limits.classes[pool], int(work.form.pool_region[pool])
    at = work.at_group.get(limits.qr_pool.get(region, -1), np.zeros(len(work.flow)))
    flow, inside = work.flow[tasks], work.holds() + work.pool_wait[limits.pool[region]]
    return 1 - min(float(flow @ at[tasks]) / max(float(flow @ inside[tasks]), 1e-300), 1.0)


def _at_most(size: float, share: float, most: float) -> float:
    """E min(K, most) where K of a group have a chance each."""
    tail, whole = beyond(size, share), int(most)
    found = float(tail[:whole].sum())
    return found + (most - whole) * float(tail[whole]) if whole < len(tail) else found


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
    sizes: dict[int, Array] = {}  # of groups at a task, as P(more than k)
    for w in bursts.tolist():
        for share, size in _in_groups(work, limits, w):
            sizes |= {t: beyond(size, float(share[t])) for t in np.flatnonzero(share).tolist() if size > 1}
    holds, longer = work.holds(), np.broadcast_to(work.in_groups, found.shape)
    for pool, tasks in limits.classes.items():
        region, size = limits.pool[int(form.pool_region[pool])], int(form.pool_size[pool])
        part, held = _elsewhere(work, limits, pool), holds + work.wait + longer
        at = _AtLimit(tasks, holds + work.pool_wait[region], held, work.pool_wait[pool], limits.speeds.get(~pool), size, part)
        _at_limit(work, limits, at, sizes, found)
        sizes |= {t: sizes[t][:size] for t in tasks.tolist() if t in sizes}  # no more of them come to the region
    for region, tasks in limits.tasks.items():
        if region not in limits.kept and limits.pool[region] not in limits.grouped:
            before = work.pool_wait[limits.pool[region]]
            at = _AtLimit(tasks, holds, holds + before + longer, before, limits.speeds.get(region), limits.size(region))
            _at_limit(work, limits, at, sizes, found)
    return found


@dataclass(frozen=True, eq=False)
class _AtLimit:
    """A limit and who comes there.

    Attributes
    ----------
    tasks : ndarray of int
    inside, held : ndarray (T,)
        Time that a task holds a place of it, and the same with all waits before it [s].
    before : ndarray (T,)
        Wait before it of single tasks [s].
    known : (ndarray, int, float) or None
        The speeds of its chain.
    size : int
        Places.
    part : float
        Share of the time inside in which tasks are not in the way of each other.
    """

    tasks: Places
    inside: Array
    held: Array
    before: Array
    known: tuple[Array, int, float] | None
    size: int
    part: float = 1.0


def _by_number(work: Working, limits: Limits, at: _AtLimit, in_groups: Places) -> tuple[Array, Array]:
    """Rates at which work in groups and single tasks come, by the number there, over those in the mean (LONGEST,)."""
    form, number = work.form, np.arange(float(LONGEST))
    works = np.unique(form.work[at.tasks[in_groups]])
    flow, grouped = work.flow[at.tasks], np.isin(form.work[at.tasks], works)
    streams = flow * (form.users[form.work[at.tasks]] == 0)
    rates = np.zeros((2, LONGEST)) + np.array([streams[grouped].sum(), streams[~grouped].sum()])[:, None]
    if not streams.all():
        for source in limits.sources(at.tasks, at.held, at.inside)[1]:
            come = np.maximum(source.users - number * source.share, 0.0) / source.away
            rates[0 if np.isin(works, source.works).any() else 1] += come
    of_groups, others = rates / np.maximum([[flow[grouped].sum()], [flow[~grouped].sum()]], 1e-300)
    return of_groups, others


def _at_limit(work: Working, limits: Limits, at: _AtLimit, sizes: dict[int, Array], found: Array) -> None:
    """Add what tasks wait longer for a limit, to which some come in groups of these sizes; of users, fewer come then.

    Groups and single tasks count as much as the places that they hold: so the number inside varies as it does without limit.
    """
    tasks = at.tasks
    some = np.array([t in sizes and len(sizes[t]) > 1 for t in tasks.tolist()], dtype=bool)
    flow, holds = work.flow[tasks], at.inside[tasks]
    if at.size >= UNLIMITED or not flow[some].any():
        return
    coming, places = float(flow.sum()), flow * holds
    held, grouped = float(places.sum()) / coming, [(t, float(p)) for t, p in zip(tasks[some], places[some], strict=True)]
    tail = np.zeros(max(len(sizes[t]) for t, _ in grouped))
    for t, its in grouped:
        tail[: len(sizes[t])] += its / held / float(sizes[t].sum()) * sizes[t]
    groups, single = float(tail[0]), float(places[~some].sum()) / held
    tail = tail / groups
    burst = float(tail.sum())
    rates = _by_number(work, limits, at, some)
    speed = known = np.arange(1.0, at.size + 1) / max(held, 1e-300)
    if at.known is not None:
        known = np.maximum(at.known[0][1 : at.size + 1], 1e-300)
        speed = speeds_by_little(groups, single, tail, known, float(places.sum()))
    one = np.ones(1)
    together = chances(groups * rates[0], single * rates[1], tail, speed)
    alone = chances(0.0 * rates[0], groups * burst * rates[0] + single * rates[1], one, speed)
    if together is None or alone is None:
        return
    mates = np.array([float(np.arange(len(sizes[t])) @ sizes[t]) / float(sizes[t].sum()) for t, _ in grouped])
    weight = places[some] * mates
    pace = float(weight @ holds[some]) / float(weight.sum()) / held  # a burst leaves as its own tasks do
    seen, plain = _found(together, rates[0]), _found(alone, rates[0])
    for t in tasks.tolist():
        found[t] += at.part * pace * max(wait(seen, sizes.get(t, one), speed) - wait(plain, one, speed), 0.0)
    serial = chances(groups * rates[0], single * rates[1], tail, known) if at.part < 1 else None
    if serial is not None and float(serial[at.size :].sum()) > SELDOM:  # served one by one: all its waits are of one line
        inside = np.minimum(np.arange(len(serial)), at.size)
        time = float(serial @ inside) / float(serial[1:] @ known[inside[1:] - 1]) - held
        for t in tasks.tolist():
            whole = time + wait(_found(serial, rates[0]), sizes.get(t, one), known) - float(at.before[t])
            found[t] += (1 - at.part) * max(whole, 0.0)


def _found(chance: Array, rate: Array) -> Array:
    """Chances of the number that tasks find which come at rates by that number; those of any time where none come."""
    found = chance * rate[: len(chance)]
    total = float(found.sum())
    return np.asarray(found / total if total > 0 else chance)


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
