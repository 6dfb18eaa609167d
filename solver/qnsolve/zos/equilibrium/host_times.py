"""Times of tasks at the TCBs and CPs of each host, given how work comes."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.groups import groups_of
from qnsolve.zos.hosts.host import Coming, GroupPoint, Host, HostPoint, Load
from qnsolve.zos.hosts.priority import lower_point
from qnsolve.zos.hosts.spread import Whereabouts
from qnsolve.zos.hosts.together import together
from qnsolve.zos.hosts.two_scales import two_scales

from .bursts import bursts_at
from .limits import Limits
from .working import Working

COUNTS = np.unique(np.concatenate((np.arange(60.0), np.round(60 * 1.12 ** np.arange(120)))))  # tasks on the CPs
AWAY = 0.8  # most of the tasks in a region that CPU fills that are off the CPs
LOST = 1e-3  # share of what comes to a group that its chain may lose by its grids
PIECE = 0.002  # CPU of one piece of the CPU that does not grow with the work [s]


def host_times(work: Working, limits: Limits, longer: dict[int, float]) -> None:
    """Times at the CPs of all hosts; `longer` is that of work that zIIPs send there, over that of other work."""
    form, need = work.form, work.need
    on_cps = np.zeros(len(form.work))
    found: list[HostPoint] = []
    before, work.at_group = work.at_group, {}
    for host in range(len(form.engines)):
        here = form.host == host
        ranks = np.unique(np.concatenate((form.importance[here], form.fixed[form.fixed[:, 0] == host, 1])))
        point, times = HostPoint([], 1.0, 0.0), np.zeros(len(form.work))
        for rank in ranks:
            load = _load(work, limits, host, form.importance <= rank, form.fixed[:, 1] <= rank, rank, before)
            if load is None:
                continue
            chains = Host(load)
            point = together(chains)
            work.effort += chains.effort
            _note_overload(work, load, point)
            above_groups = {pool: at.copy() for pool, at in work.at_group.items()}
            level = _times(work, limits, load, point)
            if not limits.grouped and not work.full:
                _unlike_pieces(work, load, point, level)
            if load.coming.steady and not load.held and not limits.grouped:
                _conserve(work, load, point, level)
            own = here & (form.importance == rank)
            if len(ranks) > 1:
                work.levels[host, float(rank)] = level.copy()
            times[own] = level[own] if rank == ranks[0] else _lower(work, limits, host, rank, level, point)[own]
            for pool, at in work.at_group.items():
                at[own] *= np.divide(times[own], level[own], out=np.ones(int(own.sum())), where=level[own] > 0)
                if pool in above_groups:
                    at[~own] = above_groups[pool][~own]
        if host in longer:
            slow = float(form.slower[host] * work.around.growth[host] * work.around.over[host])
            times += here * (need.ziip + need.thread_ziip) * slow * max(point.free * (longer[host] - 1), 1 - point.free)
        on_cps += times
        found.append(point)
    work.on_cps, work.hosts = on_cps, found
    if not limits.gates and not limits.kept and not limits.grouped:
        for host in range(len(form.engines)):
            _delivered(work, host)


def _lower(work: Working, limits: Limits, host: int, rank: float, level: Array, point: HostPoint) -> Array:
    """Times of the tasks of an importance on the engines that higher ones leave: a delay, and times like those among equals."""
    form = work.form
    higher = _load(work, limits, host, form.importance < rank, form.fixed[:, 1] < rank)
    lower = _load(work, limits, host, form.importance == rank, form.fixed[:, 1] == rank)
    if higher is None or lower is None:
        return level
    above, below = Host(higher), Host(lower)
    found = lower_point(above, below)
    number = found.time * below.all_flow
    own = lower.flow > 0
    alike = float(work.flow[own] @ level[own]) + lower.fixed * point.free
    delayed = found.delay * below.all_flow
    share = max((number - delayed) / alike, 0.0)
    times = work.need.rounds * found.delay + share * level
    return np.asarray(np.maximum(times, work.ask.on_cps + work.ask.thread_off))


def _note_overload(work: Working, load: Load, point: HostPoint) -> None:
    """Groups whose chains deliver less than comes to them, where all comes at rates: they cannot hold it."""
    if not load.coming.steady:
        return
    for group, its in zip(load.groups, point.groups, strict=True):
        coming = float(load.flow[group.tasks].sum())
        if group.region not in load.gated and group.region not in load.held and its.thinned > 0:
            work.overloaded(group.pool, coming * (1 - LOST) / its.thinned)


def _times(work: Working, limits: Limits, load: Load, point: HostPoint) -> Array:
    """Time on TCBs and CPs of each task of a solved load; notes the time at each group."""
    need = work.need
    free = _with_mates(load, point)
    times: Array = need.rounds * (load.free * free + load.spin) * (load.flow > 0)
    for k, (group, its) in enumerate(zip(load.groups, point.groups, strict=True)):
        rounds = need.rounds[group.tasks]
        alone = group.alone * rounds
        if group.in_order:
            flow = load.flow[group.tasks]
            visits = max(float(flow.sum()), 1e-300)
            mean = float(flow @ group.alone) / visits
            mixed = float(flow @ group.alone**2) / visits / max(mean**2, 1e-300)
            plain = min(line(its.busy, group.servers), its.waiting)  # of those waiting, what exponential pieces make
            users = work.form.users[np.unique(work.form.work[group.tasks])]
            most = float(users.sum()) if users.all() else np.inf
            if group.region in limits.kept or group.region in limits.gates:
                most = min(most, float(limits.size(group.region)))
            more, room = (mixed - 1) * plain, max(most - its.number, 0.0)
            if more > 0 and np.isfinite(room):  # no more can wait than there are
                more *= room / most * room / (more + room)
            wait = (its.waiting + more) / max(its.thinned, 1e-300)
            time = alone * its.service
            if group.kind is Pool.LIMIT:
                count = np.arange(group.servers + 1.0)
                inside = np.zeros(len(times))
                inside[group.tasks] = time
                off = np.zeros(len(times))
                off[group.tasks] = group.off * rounds
                wait = its.waiting / max(its.thinned, 1e-300)
                speed = count / max(mean * its.service, 1e-300)
                plain = limits.plain(group.tasks, inside, speed, group.servers)
                ratio = limits.unlike(group.pool, group.tasks, inside, speed, group.servers, off, plain)
                work.pool_wait[group.pool, group.tasks] = wait * ratio
                time = time - group.off * rounds  # counted where it is spent
            else:
                mates = _among_mates(load, k, its, wait)
                time = time + (wait - float(flow @ mates) / visits + mates) * rounds
        else:
            flow = load.flow[group.tasks]
            visits = max(float(flow.sum()), 1e-300)
            mean = float(flow @ group.alone) / visits
            mates = _among_mates(load, k, its, (its.stretch - 1) * mean)
            time = alone * (its.stretch - float(flow @ mates) / visits / max(mean, 1e-300)) + mates * rounds
        times[group.tasks] += time
        at = np.zeros(len(times))
        at[group.tasks] = time
        work.at_group[group.pool] = at
        work.service[group.pool] = its.service
        if group.kind is Pool.QR and group.region in limits.kept:
            pool = limits.pool[group.region]
            work.pool_wait[pool, limits.tasks[group.region]] = its.outside / max(its.thinned, 1e-300)
    return times


def _among_mates(load: Load, k: int, its: GroupPoint, wait: float) -> Array:
    """What tasks of a group of servers wait for others of their burst; with all other waits it makes `wait` in the mean."""
    group = load.groups[k]
    flow = load.flow[group.tasks]
    more = np.zeros(len(flow))
    if not load.bursts:
        return more
    first = Host(load).comes_first(k)
    for burst in load.bursts:
        share = float(burst.first[first].sum())
        with_it = (burst.first[group.tasks] > 0) & np.isin(group.tasks, first)
        here, near = burst.mates(share) * its.service / group.servers, burst.mates(float(burst.first.sum())) / load.engines
        more += np.where(with_it, max(here, near) / 2 * group.alone, 0.0)
    mean = float(flow @ more) / max(float(flow.sum()), 1e-300)
    return more * min(1.0, wait / mean) if mean > 0 else more


def _with_mates(load: Load, point: HostPoint) -> Array | float:
    """Time of free pieces over the same alone by task: those of a burst are there together."""
    ready = load.fixed * point.free + float(load.flow @ (load.free * point.free + load.spin))
    for group, its in zip(load.groups, point.groups, strict=True):
        ready += float(load.flow[group.tasks] @ (group.alone - group.off)) * its.service
    slow = np.ones(len(load.flow))
    behind = np.unique(np.concatenate([g.tasks for g in load.groups if g.kind is not Pool.THREADS] or [np.zeros(0, int)]))
    for burst in load.bursts:
        first = burst.first.copy()
        first[behind] = 0.0
        more = np.where(first > 0, burst.mates(float(first.sum())) / 2, 0.0)
        slow *= np.maximum(1.0, (ready + 1 + more) / load.engines) / max(1.0, (ready + 1) / load.engines)
    weight = load.flow * load.free
    mean = (float(weight @ slow) + load.fixed) / max(float(weight.sum()) + load.fixed, 1e-300)
    return point.free * slow / mean if mean > 0 else point.free


def _unlike_pieces(work: Working, load: Load, point: HostPoint, times: Array) -> None:
    """Waits at short and at long pieces scaled so that as many tasks are there as their own chain has."""
    found = two_scales(Host(load))
    if found is None:
        return
    rounds, flow = work.need.rounds, work.flow * (load.flow > 0)
    alone = (load.free + load.spin) * rounds
    free = times.copy()
    for group in load.groups:
        free -= work.at_group[group.pool]
    factor = []
    for kind, number in ((True, found.without_free), (False, found.with_free)):
        least, there = (0.0, 0.0) if kind else (float(flow @ alone), float(flow @ free))
        for group, its, mine in zip(load.groups, point.groups, found.groups, strict=True):
            if mine == kind:
                least += float(load.flow[group.tasks] @ group.alone)
                there += its.number
        factor.append(float(np.clip((number - least) / max(there - least, 1e-12), 0.3, 3.0)))
    times[:] = np.where(load.flow > 0, alone + factor[1] * (free - alone), 0.0)
    for group, mine in zip(load.groups, found.groups, strict=True):
        at, least_ = work.at_group[group.pool], group.alone * rounds[group.tasks]
        at[group.tasks] = least_ + factor[not mine] * (at[group.tasks] - least_)
        times += at


def _conserve(work: Working, load: Load, point: HostPoint, times: Array) -> None:
    """Waits scaled so that the work left to do at the CPs is what open work of any order leaves there.

    One engine that is never idle while work is there: M/G/1. Several: at least what they leave where no TCB holds work back.
    """
    ask, need, flow = work.ask, work.need, work.flow * (load.flow > 0)
    used = float(flow @ ask.on_cps) + load.fixed
    engines = load.engines
    spins = float(flow @ (ask.qr_spin + ask.open_spin))  # a unit that spins takes CPs, and does no work
    if used >= engines or spins > 0 or (need.rounds[load.flow > 0] > 1).any() or engines < 1:
        return
    serial, at_serial = ask.qr + ask.ro, np.zeros(len(times))
    for group in load.groups:
        if group.kind in (Pool.QR, Pool.RO):
            at_serial += work.at_group[group.pool]
    rest = ask.cpu + ask.threads
    left = float(flow @ (at_serial * (serial + rest) + (times - at_serial) * rest)) + load.fixed * PIECE * point.free
    alone = float(flow @ (serial * (serial + rest) + rest * (rest + ask.thread_off))) + load.fixed * PIECE
    bare = alone - float(flow @ (rest * ask.thread_off))
    more = bare * line(used, engines) / used
    if engines == 1:  # of a group, each task finds half the others before it
        for burst in load.bursts:
            rate, share = float(load.coming.rate[0, burst.work]), float(burst.first.sum())
            each = float(burst.first @ ask.on_cps) / share
            more += rate * share * burst.mates(share) * each**2 / 2 / (1 - used)
    if left - alone <= 1e-9 * alone:
        return
    factor = more / (left - alone)
    if engines > 1:
        factor = max(factor, 1.0)
    factor = float(np.clip(factor, 0.5, 3.0))
    some = load.flow > 0
    least = (ask.on_cps + ask.thread_off)[some]
    scaled = least + factor * np.maximum(times[some] - least, 0.0)
    for group in load.groups:
        at = work.at_group[group.pool]
        at[some] *= scaled / np.maximum(times[some], 1e-300)
    times[some] = scaled


def line(busy: float, servers: float) -> float:
    """Tasks that wait in an M/M/c with so many servers busy in the mean, a part of one perhaps [count]."""
    if busy >= servers:
        return np.inf
    top = int(np.ceil(servers))  # from as many on all are busy, and the chances a geometric series
    if busy <= 0:
        return 0.0
    logs = np.cumsum(np.append(0.0, np.log(busy / np.minimum(np.arange(1.0, top + 1), servers))))
    chance = np.exp(np.maximum(logs - logs.max(), -700.0))
    share = busy / servers
    beyond = chance[-1] * ((top - servers) / (1 - share) + share / (1 - share) ** 2)
    return float(beyond / (chance[:-1].sum() + chance[-1] / (1 - share)))


def _delivered(work: Working, host: int) -> None:
    """Times stretched until the users ask a host for no more than its chains deliver: near saturation the better figure."""
    form, engines = work.form, float(work.form.engines[host])
    here = form.host == host
    closed = form.users > 0
    time = np.bincount(form.work, form.visits * work.on_cps * here, len(form.rate))
    if not (closed & (time > 0)).any() or not work.hosts[host].groups:
        return
    cpu = np.bincount(form.work, form.visits * work.ask.on_cps * here, len(form.rate))
    away = np.maximum(form.think + work.response - time, 0.0)

    def used(stretch: float) -> float:
        return float(np.where(closed, form.users / np.maximum(away + stretch * time, 1e-300), form.rate) @ cpu) / engines

    direct = used(1.0)
    fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum()) / engines
    busy = work.hosts[host].used / engines - fixed
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
    work.on_cps[here] *= low


def _load(
    work: Working,
    limits: Limits,
    host: int,
    some: Places,
    fixed_some: Places,
    rank: float | None = None,
    before: dict[int, Array] | None = None,
) -> Load | None:
    """What a host is asked by some of its tasks and fixed CPU, all down to an importance or others; None where nothing."""
    form, need, ask = work.form, work.need, work.ask
    here = (form.host == host) & some
    fixed = float(form.fixed[(form.fixed[:, 0] == host) & fixed_some, 2].sum())
    busy = here & (ask.on_cps > 0)
    if not busy.any() and fixed == 0:
        return None
    groups, (free, spin) = groups_of(form, need, ask, here, limits.grouped)
    visits = np.where(busy, form.visits * need.rounds, 0.0)
    flow = work.rate[form.work] * visits
    coming = _coming(work, limits, here, fixed, None if rank is None else work.levels.get((host, rank)))
    kept = {
        r: (limits.size(r), min(limits.kept[r] * float(work.flow[limits.tasks[r]].sum()), AWAY * limits.size(r)))
        for r in limits.kept
    }
    watched = frozenset({*limits.gates, *limits.capped})
    return Load(
        engines=float(form.engines[host]), groups=groups, free=free, spin=spin, flow=flow, visits=visits, work=form.work,
        region=form.region, coming=coming, spread=_spread(work, limits, here, before), gated=limits.rates,
        watched=watched, held=kept, fixed=fixed,
        fixed_flow=fixed / PIECE, bursts=bursts_at(work, limits, here),
    )  # fmt: skip


def _spread(work: Working, limits: Limits, here: Places, before: dict[int, Array] | None) -> Whereabouts | None:
    """Users by where they are on a host, by the times of the round before; None where there are none, or all alike."""
    form = work.form
    if not before or len(np.unique(form.importance[here])) > 1 or not (form.users > 0).any():
        return None
    counted, at = _counted(work, limits), {}
    for pool, times in before.items():
        if form.pool_kind[pool] != Pool.LIMIT and int(form.pool_region[pool]) not in limits.kept:
            at[pool] = form.visits * times * here
    spent = form.visits * counted * here
    whole = np.bincount(form.work, spent, len(form.rate))
    away = np.maximum(form.think + work.response - whole, 1e-9 * np.maximum(whole, 1e-12))
    return Whereabouts(form.users, away, np.where(form.users > 0, 0.0, work.rate), spent, at)


def _counted(work: Working, limits: Limits) -> Array:
    """Time for which a task counts on the CPs: with that in and before limits that are part of a chain there (T,)."""
    counted = work.on_cps.copy()
    for pool, off in limits.grouped.items():
        tasks = limits.tasks[int(work.form.pool_region[pool])]
        counted[tasks] += off[tasks] + work.pool_wait[pool, tasks]
    for region in limits.kept:
        tasks = limits.tasks[region]
        counted[tasks] += work.pool_wait[limits.pool[region], tasks]
    return counted


def _coming(work: Working, limits: Limits, here: Places, fixed: float, seen: Array | None) -> Coming:
    """Throughput of each work at so many tasks on the CPs of a host: users that are not there come at their own pace.

    Counted are the tasks `here` and those of the fixed CPU [engines]; `seen` has their times among others all alike where
    they differ.
    """
    form = work.form
    counted = _counted(work, limits)
    spent = np.bincount(form.work, form.visits * counted * here, len(form.rate))
    time = (
        spent if seen is None else np.bincount(form.work, form.visits * (counted - work.on_cps + seen) * here, len(form.rate))
    )
    closed = (form.users > 0) & (time > 0)
    if not (form.users > 0).any():
        return Coming(np.array([0.0, 1.0]), np.tile(work.rate, (2, 1)), True, np.inf)
    away = np.where(closed, np.maximum(form.think + work.response - spent, 1e-9 * time), 1.0)
    users = np.where(closed, form.users, 0.0)
    low, high = np.full((len(COUNTS), 1), -40.0), np.full((len(COUNTS), 1), 40.0)
    for _ in range(60):
        middle = (low + high) / 2
        f = np.exp(middle) * np.maximum(time, 1e-300)
        there = (f * (np.where(closed, 0.0, work.rate) + users / (away + f))).sum(axis=1, keepdims=True)
        more = there + fixed * np.exp(middle) > COUNTS[:, None]
        low, high = np.where(more, low, middle), np.where(more, middle, high)
    f = np.exp(low) * time
    rate = np.where(closed, users / (away + f), work.rate)
    streams = fixed > 0 or bool(((form.users == 0) & (time > 0)).any())
    most = np.inf if streams else float(form.users[time > 0].sum())
    if not streams:
        rate[most <= COUNTS] = 0.0
    entry = {int(form.region[t]) for t in np.flatnonzero(here) if not (work.need.calls[:, t] > 0).any()}
    if entry and all(r in limits.gates or r in limits.capped for r in entry):
        most = min(most, float(sum(limits.capped.get(r, limits.size(r)) for r in entry)))
    return Coming(COUNTS, rate, False, most)
