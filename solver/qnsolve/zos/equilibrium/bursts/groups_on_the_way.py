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

from ..limits.limits import Limits
from ..working import Working

ALONE = 0.05  # of its mates, in the mean, with whom a task comes alone


@dataclass(frozen=True, eq=False)
class Stop:
    """Where tasks that begin at a tick come one after another: the time of each there (T,), its wait, its servers.

    `shared` where those that are there share it, and none waits for its turn.
    """

    time: Array
    wait: Array
    servers: float
    shared: bool
    host: int = -1  # whose CPs it is


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
    beside = work.on_cps - sum(work.at_group.values(), np.zeros(len(form.work)))
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
                order = kind is not Pool.QR or bool(need.in_order[tasks].any())
                yield Stop(time, np.maximum(work.at_group[pool] - time, 0.0), float(form.pool_size[pool]), not order)
    for pool in np.flatnonzero(need.lines[tasks].any(axis=0)).tolist():
        if form.pool_size[pool] < UNLIMITED:
            time = need.lines[:, pool]
            yield Stop(time, work.line_time[:, pool] - time, float(form.pool_size[pool]), False)


def in_groups(work: Working, limits: Limits, w: int) -> Iterator[tuple[Array, float]]:
    """Step by step, the tasks of a work that come in groups, the chance that a transaction has each (T,), and their number.

    Later steps find as much of a group together as what was before lets it through faster than they do; what is elsewhere
    for long, and for unlike times, comes alone, and so does what a full region lets out.
    """
    form = work.form
    mates = min(float(form.burst[w]), float(form.users[w]) or np.inf) - 1
    steps, slowest, apart = list(tasks_by_step(work, w)), 0.0, 0.0
    yield steps[0], mates + 1
    if len(steps) == 1:
        return
    each = [for_one_more(work, share) for share in steps]
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


def for_one_more(work: Working, share: Array) -> float:
    """Time that one more of a group takes at the slowest center of a step, given the chance of each task of it (T,) [s]."""
    centers = stops_on_path(work, np.flatnonzero(share))
    return max((float(share @ its.time) / its.servers for its in centers), default=0.0)
