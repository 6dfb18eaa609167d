"""Work that comes in bursts on its way: its steps, where it stops, and how many of a group come there together.

A group of transactions is a group at the first line that it comes to: the limit of its region where that fills, or the CPs;
later, as far as it was let through faster than it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.hosts.bursts.let_through import lost_together, met_at_servers

from ..limits.limits import Limits
from ..working import Working
from .let_in import at_once

ROOM = 0.02  # of a CP that is left, at least
ALONE = 0.05  # of its mates, in the mean, with whom a task comes alone


@dataclass(frozen=True, eq=False)
class Stop:
    """Where tasks that come together go one after another: the time of each there (T,), its wait, its servers.

    `shared` where those that are there share it, and none waits for its turn. `key` is its pool, that of zIIPs ~host.
    """

    time: Array
    wait: Array
    servers: float
    shared: bool
    host: int = -1  # whose CPs it is
    key: int | None = None  # of centers but for CPs and the TCBs to which tasks come first
    overflows: bool = False  # who finds it full does not wait
    after: Places | None = None  # of TCBs, the tasks that come from another one (T,)


def tasks_by_step(work: Working, w: int) -> Iterator[Array]:
    """The tasks of a transaction of a work, step by step: the chance that it goes through each of them (T,)."""
    form = work.form
    for group in range(len(form.group_start) - 1):
        members = slice(form.group_start[group], form.group_start[group + 1])
        tasks = form.group_task[members]
        if form.work[tasks[0]] == w:
            share = np.zeros(len(form.work))
            share[tasks] = form.group_share[members] * min(float(form.visits[tasks].sum()), 1.0)
            yield share


def stops_on_path(work: Working, tasks: Places) -> Iterator[Stop]:
    """The centers of some tasks in the order of their program, those of one kind in all regions and hosts one by one."""
    form, ask, need = work.form, work.ask, work.need
    beside = work.on_cps - sum(work.at_pools.values(), np.zeros(len(form.work)))
    columns = ((Pool.RO, ask.ro), (Pool.QR, ask.qr), (None, ask.on_cps), (Pool.THREADS, ask.threads + ask.thread_off))
    for kind, column in columns:
        if kind is None:
            for host in np.unique(form.host[tasks]).tolist():
                here = form.host == host
                yield Stop(column * here, np.maximum(beside - ask.cpu, 0.0) * here, float(form.engines[host]), True, host)
            continue
        for pool in np.flatnonzero(form.pool_kind == kind).tolist():
            time = np.where(form.region == form.pool_region[pool], column * work.service.get(pool, 1.0), 0.0)
            if pool in work.at_group and time[tasks].any():
                servers, after = float(form.pool_size[pool]), None if kind is Pool.RO else ask.ro > 0
                order = kind is not Pool.QR or bool(need.in_order[tasks].any())
                if kind is Pool.THREADS:
                    after = ask.qr + ask.ro > 0
                    servers, time = _of_threads(work, servers, time, int(form.host[np.flatnonzero(time)[0]]))
                waits = np.maximum(work.at_group[pool] - time, 0.0)
                yield Stop(time, waits, servers, not order, key=None if after is None else pool, after=after)
    yield from _beside_cps(work, tasks)
    for pool in np.flatnonzero(need.lines[tasks].any(axis=0)).tolist():
        if form.pool_size[pool] < UNLIMITED:
            time = need.lines[:, pool]
            yield Stop(time, work.line_time[:, pool] - time, float(form.pool_size[pool]), False, key=pool)


def _of_threads(work: Working, threads: float, time: Array, host: int) -> tuple[float, Array]:
    """Servers that a burst at JVM threads finds, and the time of each task there (T,): no more of them than CPs are left."""
    here, mine = work.form.host == host, time > 0
    others = work.flow @ (np.where(mine, work.ask.on_cps - work.ask.threads, work.ask.on_cps) * here)
    room = max(float(work.form.engines[host]) - float(others), ROOM)
    if threads <= room or work.ask.thread_off[mine].any():
        return threads, time
    servers = max(int(room), 1)
    return float(servers), np.where(mine, work.ask.threads * servers / room, 0.0)


def _beside_cps(work: Working, tasks: Places) -> Iterator[Stop]:
    """The coupling facilities that some tasks send requests to, and the zIIPs."""
    form, need = work.form, work.need
    longer = work.around.at_facility(form.region) - 1
    for place, pool in enumerate(np.flatnonzero(form.pool_kind == Pool.FACILITY).tolist()):
        time = (need.qr_sync + need.open_sync + need.other)[:, place]
        if time[tasks].any():
            yield Stop(time, time * longer[:, place], float(form.pool_size[pool]), False, key=pool)
    for host in np.unique(form.host[tasks]).tolist():
        speeds = form.ziip_speeds[host]
        alone = (need.ziip + need.thread_ziip) * (form.host == host) / form.ziip_speed[host]
        if len(speeds) and alone[tasks].any():
            time, over = alone * len(speeds) / speeds[-1], bool(form.ziip_overflow[host])  # with all threads at work
            yield Stop(time, alone * work.around.ziip[host] - time, float(len(speeds)), True, key=~host, overflows=over)


@dataclass(frozen=True, eq=False)
class Together:
    """A step of a work that comes in groups: the chance of each of its tasks (T,), and how many come together [count].

    `size` is of those who come to the step, `at` of those who come to each of its centers.
    """

    share: Array
    size: float
    at: list[tuple[Stop, float]]


def in_groups(work: Working, limits: Limits, w: int) -> Iterator[Together]:
    """The steps of a work to which its transactions come in groups.

    What comes later finds as much of a group together as what was before lets it through faster than it does itself; what is
    elsewhere for long, and for unlike times, comes alone, and so does what a full region lets out.
    """
    form, need = work.form, work.need
    mates = min(float(form.burst[w]), float(form.users[w]) or np.inf) - 1
    slowest, apart = 0.0, 0.0
    for k, share in enumerate(tasks_by_step(work, w)):
        stops = list(stops_on_path(work, np.flatnonzero(share)))
        each = [float(share @ its.time) / its.servers for its in stops]
        longest = max((time for time, its in zip(each, stops, strict=True) if not its.overflows), default=0.0)
        near = mates if k == 0 else _near(mates, longest, slowest, apart)
        if near <= ALONE:
            return
        found, before, spread = [], slowest, apart
        whole = max(float(share @ work.ask.on_cps), 1e-300)
        meanwhile = float(share @ (work.ask.threads + work.ask.open_spin)) / whole  # on CPs as well as in other centers
        for stop, one_more in zip(stops, each, strict=True):
            if stop.overflows:
                found.append((stop, max(lost_together(mates + 1, one_more, before, spread, stop.servers), 1.0)))
                continue
            found.append((stop, met_at_servers(mates, one_more, before, spread, stop.servers) + 1))
            before = max(before, one_more if stop.host < 0 else one_more * (1 - meanwhile))
            there = float(share[stop.time > 0].sum())  # the more servers are side by side, the less they let out one by one
            spread += float(share @ stop.time) / float(share.sum()) * max(1 - there / stop.servers, 0.0) * (stop.host < 0)
        yield Together(share, near + 1, found)
        if not limits.rates.keys().isdisjoint(form.region[share > 0].tolist()):
            return
        mates = min(mates, at_once(work, limits, share, mates + 1, True) - 1)
        slowest = max(slowest, longest)
        apart += float(share @ (need.delay + work.line_time.sum(axis=1))) / float(share.sum())


def _near(mates: float, one_more: float, slowest: float, apart: float) -> float:
    """Mates of a group who come to a center together: it takes a time for one more, what was before took another."""
    near = mates * max(one_more - slowest, 0.0)
    return near / one_more * near / (near + apart) if near > 0 else 0.0
