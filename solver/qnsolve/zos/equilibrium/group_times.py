"""Times of tasks at a solved host: at its groups of servers and as free pieces, unlike pieces and bursts included."""

from __future__ import annotations

from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, HostPoint, Load
from qnsolve.zos.hosts.mates import free_times, shared_times

from .limits.limit_times import limit_times
from .limits.limits import Limits
from .limits.product_form import line
from .working import Working


def times_at(work: Working, limits: Limits, load: Load, point: HostPoint) -> Array:
    """Time on TCBs and CPs of each task of a solved load; notes the time at each group."""
    need = work.need
    free = free_times(load, point)
    times: Array = need.rounds * (load.free * free + load.spin) * (load.flow > 0)
    for k, (group, its) in enumerate(zip(load.groups, point.groups, strict=True)):
        rounds = need.rounds[group.tasks]
        if group.kind is Pool.LIMIT:
            time = limit_times(work, limits, group, its)
        elif group.in_order:
            time = _times_in_order(work, limits, load, k, its, free)
        else:
            squares = _spin_squares(work)[group.tasks] / rounds**2
            time = shared_times(load, k, point, squares, work.form.users) * rounds
        times[group.tasks] += time
        at = np.zeros(len(times))
        at[group.tasks] = time
        work.at_group[group.pool] = at
        work.service[group.pool] = its.service
        if group.kind is Pool.QR and group.region in limits.kept:
            pool = limits.pool[group.region]
            work.pool_wait[pool, limits.tasks[group.region]] = its.outside / max(its.thinned, 1e-300)
    return times


def _times_in_order(work: Working, limits: Limits, load: Load, k: int, its: GroupPoint, free: Array | float) -> Array:
    """Time of each task at a group that serves in order of arrival, where unlike pieces make more wait."""
    group = load.groups[k]
    flow, rounds = load.flow[group.tasks], work.need.rounds[group.tasks]
    visits = max(float(flow.sum()), 1e-300)
    pieces = group.alone * its.uneven
    seen = _seen(flow, pieces, its)  # by the chain: how much longer its kinds of pieces make the line than alike ones
    mixed = float(flow @ pieces**2) * visits / max(float(flow @ pieces) ** 2 * seen, 1e-300)
    endless = line(its.busy, group.servers) * seen  # were there users without end
    plain = min(endless, its.waiting)  # of those waiting, what the pieces make
    more, room = (mixed - 1) * plain, _room(work, group.tasks, flow, its.number)
    if group.region in limits.kept or group.region in limits.gates:
        room = min(room, max(float(limits.size(group.region)) - its.number, 0.0))
    if more > 0 and np.isfinite(room):  # the more wait the fewer come, and at a full server none more wait
        idle = max(1 - its.busy / group.servers, 1e-9)
        kept = idle * max(room, 1e-9)
        half = (1 + its.number / kept) / 2  # those that wait more keep others away, too
        more /= half + sqrt(half**2 + more / kept)
        if group.region not in {*limits.kept, *limits.gates}:
            more *= its.waiting / max(endless, its.waiting, 1e-300)
    wait = (its.waiting + more) / max(its.thinned, 1e-300)
    mates = _among_mates(load, k, its, wait)
    waits = (wait - float(flow @ mates) / visits + mates) * rounds
    more += plain * (1 - 1 / seen)
    waits = waits - _behind_itself(load, k, its, more, free) * (rounds - 1)
    return np.asarray(pieces * rounds * its.service + np.maximum(waits, 0.0))


def _seen(flow: Array, pieces: Array, its: GroupPoint) -> float:
    """Line of the kinds of pieces that a chain tells apart over that of pieces all alike: (1 + C²)/2 of the kinds."""
    if its.kind is None:
        return 1.0
    visits, work = np.bincount(its.kind, flow), np.bincount(its.kind, flow * pieces)
    return float((work**2 / np.maximum(visits, 1e-300)).sum() * visits.sum() / work.sum() ** 2)


def _room(work: Working, tasks: Places, flow: Array, number: float) -> float:
    """Users who are left to come: one more that waits takes 1 over so many of the flow away [count]."""
    users = work.form.users[work.form.work[tasks]]
    each = np.bincount(work.form.work[tasks], flow, len(work.form.users))
    share = each / max(float(each.sum()), 1e-300)
    left = np.maximum(work.form.users - number * share, 1e-3)
    fewer = float((share**2 / left)[work.form.users > 0].sum()) if users.any() else 0.0
    return 1 / fewer if fewer > 0 else np.inf


def _behind_itself(load: Load, k: int, its: GroupPoint, more: float, free: Array | float) -> Array:
    """What a visit that follows another one of its task waits less at a line in order of arrival.

    The piece that made it wait before is gone; those that came meanwhile are before it. With unlike pieces this is less
    than what others find, as long as it comes back before the line is another one: `more` tasks wait for such pieces.
    """
    group, flow = load.groups[k], load.flow[load.groups[k].tasks]
    left = its.service * float(flow @ group.alone**2) / max(float(flow @ group.alone), 1e-300)  # of a piece that is met
    idle = max(1 - its.busy / group.servers, 0.0)
    gap = load.between[group.tasks] + np.broadcast_to(load.free * free + load.spin, len(load.free))[group.tasks]
    found: Array = more / max(its.thinned, 1e-300) * idle * left / (left + gap)
    return found


def _spin_squares(work: Working) -> Array:
    """Mean square of the time that a task spins on its QR TCB (T,): links take a fixed time, facilities an exponential one."""
    at = work.need.qr_sync * work.around.at_facility(work.form.region)
    found: Array = work.ask.qr_spin**2 + (at**2 / np.maximum(work.need.at_facility, 1.0)).sum(axis=1)
    return found


def _among_mates(load: Load, k: int, its: GroupPoint, wait: float) -> Array:
    """What tasks of a group of servers wait for others of their burst; with all other waits it makes `wait` in the mean."""
    group = load.groups[k]
    flow = load.flow[group.tasks]
    more = np.zeros(len(flow))
    if not load.bursts:
        return more
    first = HostView(load).comes_first(k)
    for burst in load.bursts:
        share = float(burst.first[first].sum())
        with_it = (burst.first[group.tasks] > 0) & np.isin(group.tasks, first)
        here, near = burst.mates(share) * its.service / group.servers, burst.mates(float(burst.first.sum())) / load.engines
        more += np.where(with_it, max(here, near) / 2 * group.alone, 0.0)
    mean = float(flow @ more) / max(float(flow.sum()), 1e-300)
    return more * min(1.0, wait / mean) if mean > 0 else more
