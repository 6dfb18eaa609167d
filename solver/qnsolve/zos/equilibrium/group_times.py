"""Times of tasks at a solved host: at its groups of servers and as free pieces, unlike pieces and bursts included."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np

from qnsolve.methods.layers.shared_servers import FullError, shared
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.bursts.beside_bursts import BesideBursts
from qnsolve.zos.hosts.bursts.burst_levels import times_in_order
from qnsolve.zos.hosts.bursts.mates import mates_of, shared_times
from qnsolve.zos.hosts.groups import ServerGroup
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.kept_points import host_point
from qnsolve.zos.hosts.limited.product_form import line
from qnsolve.zos.hosts.load import GroupPoint, HostPoint, Load
from qnsolve.zos.hosts.spins import spins, waits_with_spins

from .bursts.in_lines import line_waits
from .fewer_users import as_fewer_come, left_to_come
from .limits.limit_times import limit_times
from .limits.limits import Limits
from .limits.limits_of_cpu import several_importances
from .rows_in_line import RowsInLine
from .working import Working

FULLEST = 0.98  # load of a line before a limit up to which it is as if there were none
UNLIKE = 1.02  # line of unlike pieces over that of pieces all alike, from which on rows of them are told apart
FARTHEST = 1.15  # what comes to a group over what its chain delivers, or the other way round, as far as that counts
MOST, SPARE = 600, 60  # tasks on the CPs that are counted at most, and over four times as many as there are in the mean
MOST_VISITS = 100  # of a task to a line that are told apart


def solved_times(work: Working, limits: Limits, load: Load) -> tuple[HostPoint, Array]:
    """A host solved for what it is asked, and the times of tasks there (T,); notes those at each group."""
    point = _solved(work, load)
    return point, times_at(work, limits, load, point)


def _solved(work: Working, load: Load) -> HostPoint:
    """A host solved; notes the effort."""
    point, effort = host_point(load)
    work.effort += effort
    return point


def _free_pieces(load: Load, free: Array | float) -> Array:
    """Times of free pieces of one visit (T,), given those over the same alone were all spins other CPU.

    What pieces wait for those of their own burst is as long beside spins of others.
    """
    if spins(load):
        free = free + (np.min(free) - 1) * (waits_with_spins(load)[0] - 1)
    return np.asarray((load.free + load.spin) * free)


def times_at(work: Working, limits: Limits, load: Load, point: HostPoint) -> Array:
    """Time on TCBs and CPs of each task of a solved load; notes the time at each group."""
    need = work.need
    if not load.coming.steady and not load.bursts:
        point = replace(point, groups=[_as_asked(load, k, its) for k, its in enumerate(point.groups)])
    beside = BesideBursts(load, point, partial(_solved, work))
    pieces = _as_users_find(work, load, _free_pieces(load, beside.free()))
    times = need.rounds * pieces * (load.flow > 0)
    for k, (group, its) in enumerate(zip(load.groups, point.groups, strict=True)):
        rounds = need.rounds[group.tasks]
        if group.kind is Pool.LIMIT:
            time = limit_times(work, limits, load, k, its)
        elif group.in_order:
            time = _while_full(work, limits, load, k, its, _times_in_order(work, limits, load, k, its, pieces))
        else:
            squares = load.spin_squares[0, group.tasks] / rounds if group.spin.any() else np.zeros(len(rounds))
            time = shared_times(load, k, point, squares, work.form.users, beside.last(k)) * rounds * beside.at_line(k)
        times[group.tasks] += time
        at = np.zeros(len(times))
        at[group.tasks] = time
        work.at_group[group.pool] = at
        work.service[group.pool] = its.service
        if group.kind is Pool.QR and group.region in limits.kept:
            pool, inside = limits.pool[group.region], limits.tasks[group.region]
            work.pool_wait[pool, inside] = (
                _lines_waited(work, inside, load.flow[group.tasks], its) * its.outside / max(its.thinned, 1e-300)
            )
            if its.before_limit is not None:
                work.pool_wait[pool, group.tasks] = its.before_limit
            if its.limit is not None:
                work.seen[pool] = its.limit
    later = {group.pool: group.tasks for group in load.groups if _after_others(work, group)}
    for pool, longer in line_waits(work, limits, later).items() if later else ():
        times[later[pool]] += longer[later[pool]]
        work.at_group[pool][later[pool]] += longer[later[pool]]
    return times


def _as_users_find(work: Working, load: Load, pieces: Array) -> Array:
    """Times of free pieces as users find the CPs: with one fewer of their own, where nothing else tells whose the tasks are.

    Their number counts where a work has few of them and uses much of the CPs. What they find less is noted: how many are
    there of each work goes by the times that all alike have.
    """
    host = int(work.form.host[np.argmax(load.flow > 0)])
    work.seen_less.pop(host, None)
    busy, users = (load.flow > 0) & (work.ask.on_cps > 0), work.form.users
    if load.coming.steady or load.bursts or load.few_users or load.limited or several_importances(work, busy):
        return pieces
    asked, spent = (
        np.bincount(work.form.work, its, len(users)).astype(float)
        for its in (load.flow * (load.free + load.spin), load.flow * pieces)
    )
    there = float(spent.sum()) + sum(float(load.flow[group.tasks] @ (group.cpu + group.spin)) for group in load.groups)
    some = np.flatnonzero(asked > 0)
    most = int(np.minimum(4 * (there + load.fixed) + SPARE, MOST + 1.0))
    if most > MOST or not (users[some] > 0).any():
        return pieces
    at_rates = there - float(spent.sum()) + load.fixed
    loads, jobs = np.append(asked[some], at_rates), np.append(np.where(users > 0, users, np.inf)[some], np.inf)
    times = np.append(spent[some] / asked[some], 1.0)
    try:
        seen = shared(loads.tolist(), jobs.tolist(), times.tolist(), _speeds(load.engines), most).stretch[:-1]
    except FullError:
        return pieces
    longer = np.ones(len(users))
    longer[some] = seen * float(asked[some].sum()) / float(asked[some] @ seen)
    found = pieces * longer[work.form.work]
    work.seen_less[host] = work.need.rounds * (pieces - found) * (load.flow > 0)
    return found


def _speeds(engines: float) -> Array:
    """Of so many engines, one of them a part of one perhaps, with 1, 2, … tasks, until all of them run."""
    return np.minimum(np.arange(1.0, ceil(engines) + 1), engines)


def _after_others(work: Working, group: ServerGroup) -> bool:
    """Whether some tasks come to a TCB from another one."""
    return group.kind is Pool.THREADS or (group.kind is Pool.QR and bool((work.ask.ro[group.tasks] > 0).any()))


def _as_asked(load: Load, k: int, its: GroupPoint) -> GroupPoint:
    """A group with as many tasks as its chain, which knows of users elsewhere by their times alone, has at what they ask for.

    Where it delivers more than that it has too many of them, and too few where less: the middle is taken.
    """
    group = load.groups[k]
    flow = float(load.flow[group.tasks].sum())
    if group.kind is Pool.LIMIT or group.region in load.held or group.region in load.gated or min(flow, its.thinned) <= 0:
        return its
    ratio = float(np.clip(flow / its.thinned, 1 / FARTHEST, FARTHEST)) ** 0.5
    alone = float(load.flow[group.tasks] @ group.alone) / flow
    return its.moved(alone, its.number * ratio, its.busy, its.thinned, its.free)


def _lines_waited(work: Working, inside: Places, visits: Array, its: GroupPoint) -> float:
    """What a task waits before the limit of a TCB, over the wait of a visit in its chain, which counts `visits` [1/s].

    A task waits once. While its region is full as many wait as users leave there, whatever they come for. As long as it is
    not the chain has too many before it: those that are inside come back to the TCB as often, and do not wait again.
    """
    flow = work.flow[inside]
    each = float(visits.sum()) / max(float(flow.sum()), 1e-300)
    users = float(flow @ (work.form.users[work.form.work[inside]] > 0)) / max(float(flow.sum()), 1e-300)
    return 1 + (each - 1) * users * (its.limit.full if its.limit is not None else 0.0)


def _times_in_order(work: Working, limits: Limits, load: Load, k: int, its: GroupPoint, free: Array) -> Array:
    """Time of each task at a group that serves in order of arrival, where unlike pieces make more wait.

    `free` are the times of free pieces of one visit (T,).
    """
    group = load.groups[k]
    if _in_grouped_rows(work, limits, load, k):
        return _times_in_grouped_rows(work, load, k, its, free)
    if its.unit is not None:
        times, wait = times_in_order(load, k, its)
        alike = line(its.busy, group.servers) / max(float(load.flow[group.tasks].sum()), 1e-300)
        less = _behind_itself(load, k, its, (wait, max(wait - alike, 0.0)), free)
        return np.maximum(times - less, group.alone * its.service * load.rounds[group.tasks])
    flow, rounds = load.flow[group.tasks], work.need.rounds[group.tasks]
    visits = max(float(flow.sum()), 1e-300)
    pieces = group.alone * its.uneven
    seen = _seen(flow, pieces, its)  # by the chain: how much longer its kinds of pieces make the line than alike ones
    mixed = float(flow @ pieces**2) * visits / max(float(flow @ pieces) ** 2 * seen, 1e-300)
    limit = group.region in limits.kept or group.region in limits.gates
    again = group.region not in limits.kept and bool((rounds > 1).any())
    if again and mixed * seen > UNLIKE and not HostView(load).bursts_begin(k):
        return _times_in_rows(work, limits, load, k, its, free)
    endless = line(its.busy, group.servers) * seen  # were there users without end
    plain = min(endless, its.waiting)  # of those waiting, what the pieces make
    more, room = (mixed - 1) * plain, left_to_come(work, group.tasks, flow, its.number)
    if limit:
        room = min(room, max(float(limits.size(group.region)) - its.number, 0.0))
    if more > 0 and np.isfinite(room):  # the more wait the fewer come, and at a full server none more wait
        more /= as_fewer_come(more, its.number, _idle(group, its) * max(room, 1e-9))
        if not limit:
            more *= its.waiting / max(endless, its.waiting, 1e-300)
    wait = (its.waiting + more) / max(its.thinned, 1e-300)
    mates = _among_mates(load, k, its, wait)
    waits = (wait - float(flow @ mates) / visits + mates) * rounds
    more += plain * (1 - 1 / seen)
    waits = waits - _behind_itself(load, k, its, (wait, more / max(its.thinned, 1e-300)), free)
    return np.asarray(pieces * rounds * its.service + np.maximum(waits, 0.0))


def _while_full(work: Working, limits: Limits, load: Load, k: int, its: GroupPoint, times: Array) -> Array:
    """Times of each task at a line in order of arrival, as far as its region is full those of a closed network."""
    group = load.groups[k]
    crowd = work.crowds.get(limits.pool[group.region]) if group.region in limits.gates else None
    bursts = work.form.in_groups[work.form.work[group.tasks]].any()
    if crowd is None or load.bursts or bursts:
        return times
    waits = limits.own.waits_at_tcb(group.pool)
    if waits is None:
        return times
    at = np.searchsorted(limits.tasks[group.region], group.tasks)
    full = min(crowd.full, 1.0)
    return np.asarray((1 - full) * times + full * (group.alone * its.service * work.need.rounds[group.tasks] + waits[at]))


def _in_grouped_rows(work: Working, limits: Limits, load: Load, k: int) -> bool:
    """Whether groups come to a line in order of arrival, at rates, and some of its tasks come back to it."""
    if not load.bursts:
        return False
    group, form = load.groups[k], work.form
    at_rates = not (form.users[form.work[group.tasks]] > 0).any()
    free = group.region not in limits.kept and group.region not in limits.gates and group.servers == 1
    return at_rates and free and bool((work.need.rounds[group.tasks] > 1).any()) and HostView(load).bursts_begin(k)


def _times_in_grouped_rows(work: Working, load: Load, k: int, its: GroupPoint, free: Array) -> Array:
    """Time of each task at a line in order of arrival to which groups come, and some tasks again and again (n,) [s].

    Mates stand before each other at each of their visits, as long as the line is the same.
    """
    group, rounds = load.groups[k], work.need.rounds[load.groups[k].tasks]
    flow, pieces = load.flow[group.tasks], its.service * group.alone * its.uneven
    some = np.flatnonzero((flow > 0) & (pieces > 0))
    times, mates = pieces * rounds, mates_of(load, k)[np.ix_(some, some)]
    gap = _gap(load, group, free)[some]
    times[some] += RowsInLine(flow[some] / rounds[some], pieces[some], rounds[some], gap, np.full(len(some), -1), mates).waits()
    return np.asarray(times)


def _times_in_rows(work: Working, limits: Limits, load: Load, k: int, its: GroupPoint, free: Array) -> Array:
    """Time of each task at a line in order of arrival to which unlike tasks come again and again.

    Tasks with short pieces stand behind a long one together, and once: when they come back it is gone, and they meet each
    other. What that adds to the line of pieces all alike, or to that of the chain, is less where users are left to come fewer.
    """
    group, rounds = load.groups[k], work.need.rounds[load.groups[k].tasks]
    flow, pieces = load.flow[group.tasks], its.service * group.alone * its.uneven
    some = (flow > 0) & (pieces > 0)
    gap = _gap(load, group, free)
    row = flow[some] / rounds[some], pieces[some], rounds[some], gap[some], np.full(int(some.sum()), -1)
    seen = _seen(flow, group.alone * its.uneven, its)
    limit, busy = group.region in limits.gates, its.busy
    if limit:  # its chain has no more tasks than are let in, which is few where each visit is of any kind
        busy = min(max(busy, float(flow @ pieces)), FULLEST * group.servers)
        alike = told = min(line(busy, group.servers), float(limits.size(group.region)))
    elif its.waiting < line(busy, group.servers) * seen:  # the chain knows that few are left to come to all lines together
        alike, told = its.waiting / seen, its.waiting
    else:
        alike = told = min(max(line(busy, group.servers), its.waiting / seen), its.waiting)
    waits = pieces * rounds * alike / max(busy, 1e-300)
    waits[some] *= RowsInLine(*row).waits_over_shared()
    whole, room = float((flow / rounds) @ waits), left_to_come(work, group.tasks, flow, its.number)
    more = whole - told
    if np.isfinite(room) and (more > 0 or told > alike):
        kept = (_idle(group, its) if not limit else 1 - busy / group.servers) * max(room, 1e-9)
        waits *= (told + more / as_fewer_come(abs(more), its.number, kept)) / whole
    return np.asarray(pieces * rounds + np.maximum(waits, 0.0))


def _seen(flow: Array, pieces: Array, its: GroupPoint) -> float:
    """Line of the kinds of pieces that a chain tells apart over that of pieces all alike: (1 + C²)/2 of the kinds."""
    if its.kind is None:
        return 1.0
    visits, work = np.bincount(its.kind, flow), np.bincount(its.kind, flow * pieces)
    if not work.any():  # next to nothing comes
        return 1.0
    return float((work**2 / np.maximum(visits, 1e-300)).sum() * visits.sum() / work.sum() ** 2)


def _idle(group: ServerGroup, its: GroupPoint) -> float:
    """Share of the servers of a group that is idle."""
    return max(1 - its.busy / group.servers, 1e-9)


def _gap(load: Load, group: ServerGroup, free: Array) -> Array:
    """From the end of a visit of each task of a group to its next one (n,) [s]."""
    found: Array = load.between[group.tasks] + free[group.tasks]
    return found


def _behind_itself(load: Load, k: int, its: GroupPoint, waits: tuple[float, float], free: Array) -> Array:
    """What the visits that follow others of their task wait less at a line in order of arrival, all of a task (n,).

    The piece that made it wait before is gone, unless it comes back as well. Before it are those that came while it waited and
    was served: few where its own piece is a short one, and fewer each time. With pieces all alike they are as many as any
    task finds. So it is as long as it comes back before the line is another one. `waits` are the wait of all visits, and
    what of it unlike pieces make.
    """
    group, flow = load.groups[k], load.flow[load.groups[k].tasks]
    squares, rounds = flow * group.alone**2, load.rounds[group.tasks]
    left = its.service * float(squares.sum()) / max(float(flow @ group.alone), 1e-300)  # of a piece that is met
    gap = _gap(load, group, free)
    pieces = its.service * group.alone * its.uneven
    mean = float(flow @ pieces) / max(float(flow.sum()), 1e-300)
    whole, unlike = waits
    part = max(whole - unlike, 0.0) / max(whole - unlike + mean, 1e-300)  # what is left behind, over the time there
    same = left / (left + gap)
    again = float(squares @ (same * (rounds - 1) / rounds)) / max(float(squares.sum()), 1e-300)
    less, wait = np.zeros(len(flow)), np.full(len(flow), whole)
    for visit in range(1, min(int(rounds.max(initial=1)), MOST_VISITS)):
        wait = whole + same * (part * (wait + pieces) + again**visit * (1 - part) * max(unlike, 0.0) - whole)
        less += np.where(rounds > visit, whole - wait, 0.0)
    return less


def _among_mates(load: Load, k: int, its: GroupPoint, wait: float) -> Array:
    """What tasks of a group of servers wait for others of their burst; with all other waits it makes `wait` in the mean."""
    group = load.groups[k]
    flow = load.flow[group.tasks]
    more = np.zeros(len(flow))
    if not load.bursts:
        return more
    view = HostView(load)
    for burst in load.bursts:
        first = view.begins(k, burst)
        share = float(first.sum())
        here, near = burst.mates(share) * its.service / group.servers, burst.mates(float(burst.first.sum())) / load.engines
        more += np.where(first > 0, max(here, near) / 2 * group.alone, 0.0)
    mean = float(flow @ more) / max(float(flow.sum()), 1e-300)
    return more * min(1.0, wait / mean) if mean > 0 else more
