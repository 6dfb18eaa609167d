"""Work that comes in bursts: what its transactions wait longer, at each center that the bursts reach.

A group of b transactions is a group at the first line that it comes to, the limit of its region, and at the first server:
the QR TCB, which lets it out one by one, or the CPs. What comes after is taken as alone.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool

from .limits import Limits
from .working import Working

LONGEST = 20_000  # tasks in a line that are counted
TAIL = 1e-10


def waiting(groups: float, single: float, burst: float, speed: Array) -> float:
    """Tasks in the mean where groups of `burst` come at a rate and single tasks too; speed[n] with n = 1, 2, … of them.

    The last speed holds beyond. A group has the whole part of `burst` or one more, so that its mean is right.
    """
    small = int(burst)
    more = burst - small
    # P(group > k), k = 0, 1, …
    beyond = np.append(np.ones(small), more)
    fastest = float(speed[-1])
    if groups * burst + single >= fastest:
        return np.inf
    chance = [1.0]
    total, first = 1.0, 0.0
    for n in range(1, LONGEST):
        back = min(n, len(beyond))
        crossing = groups * float(np.dot(beyond[:back], chance[n - 1 :: -1][:back])) + single * chance[n - 1]
        new = crossing / float(speed[min(n, len(speed)) - 1])
        chance.append(new)
        total += new
        first += n * new
        if n > len(speed) + small and n * new < TAIL * first:
            break
        if new > 1e200:
            chance = [c / 1e200 for c in chance]
            total, first = total / 1e200, first / 1e200
    return first / total


def burst_waits(work: Working, limits: Limits) -> Array:
    """What a task waits longer because its work, or other work there, comes in bursts (T,) [s]."""
    form = work.form
    found = np.zeros(len(form.work))
    bursts = np.flatnonzero(form.burst > 1)
    if not len(bursts):
        return found
    flow = work.flow
    called = (work.need.calls > 0).any(axis=0)
    first = np.zeros(len(form.work))  # transactions of a group that are a group at this task
    for w in bursts:
        entry = np.flatnonzero((form.work == w) & ~called)
        group = form.first_group[form.first_start[w]]
        entry = np.intersect1d(entry, form.group_task[form.group_start[group] : form.group_start[group + 1]])
        share = form.visits[entry] / float(form.visits[entry].sum())
        size = min(float(form.burst[w]), float(form.users[w]) or np.inf)
        first[entry] = 1 + (size - 1) * share
    for region, tasks in limits.tasks.items():
        some = tasks[first[tasks] > 1]
        if len(some):
            _at_limit(work, limits, region, some, first, found)
    for pool, at in work.at_group.items():
        if form.pool_kind[pool] != Pool.QR:
            continue
        some = np.flatnonzero((at > 0) & (first > 1))
        if not len(some):
            continue
        # groups of b make the number at an M/M/1 (b + 1)/2 times as large at every load
        rest = np.flatnonzero(at > 0)
        extra = (first[some] - 1) / 2 * at[some]
        found[some] += extra
        more = float(flow[some] @ extra) * work.service.get(pool, 1.0)
        each = work.ask.qr[rest] / np.maximum(at[rest], 1e-300)
        found[rest] += np.where(first[rest] > 1, 0.0, more * work.ask.qr[rest]) * np.clip(each, 0.0, 1.0)
    for host in range(len(form.engines)):
        _at_cps(work, host, first, found)
    return found


def _groups(flow: Array, first: Array, tasks: Places) -> tuple[float, float, float]:
    """Groups a second, single tasks a second, and the size of a group among some tasks."""
    some = tasks[first[tasks] > 1]
    rest = tasks[first[tasks] <= 1]
    coming = float(flow[some].sum())
    size = float(flow[some] @ first[some]) / coming
    return coming / size, float(flow[rest].sum()), size


def _at_limit(work: Working, limits: Limits, region: int, some: Places, first: Array, found: Array) -> None:
    form, flow = work.form, work.flow
    tasks = limits.tasks[region]
    size = limits.size(region)
    if size >= UNLIMITED or (form.users[form.work[tasks]] > 0).any():
        return
    held = float(flow[tasks] @ work.holds()[tasks]) / max(float(flow[tasks].sum()), 1e-300)
    groups, single, burst = _groups(flow, first, tasks)
    speed = np.arange(1.0, size + 1) / max(held, 1e-300)
    if region in limits.speeds:
        speed = np.maximum(limits.speeds[region][0][1 : size + 1], 1e-300)
    together = waiting(groups, single, burst, speed)
    alone = waiting(0.0, groups * burst + single, 1.0, speed)
    if np.isfinite(together) and together > alone:
        # those of a group wait for each other, too: all that the groups add is theirs but for what others find
        others = (together - alone) / max(float(flow[tasks].sum()), 1e-300)
        found[tasks] += others


def _at_cps(work: Working, host: int, first: Array, found: Array) -> None:
    form, flow, ask = work.form, work.flow, work.ask
    here = np.flatnonzero((form.host == host) & (ask.cpu > 0))
    if not len(here) or not (first[here] > 1).any():
        return
    serial = ask.qr[here]
    # a QR TCB lets a group out one by one: it is one at the CPs as far as pieces last longer than that takes
    through = ask.cpu[here] / (ask.cpu[here] + np.maximum(first[here], 1.0) * serial)
    group = np.ones(len(first))
    group[here] = 1 + (np.maximum(first[here], 1.0) - 1) * through
    used = float(flow @ (ask.on_cps * (form.host == host)))
    used += float(form.fixed[form.fixed[:, 0] == host, 2].sum())
    some = here[group[here] > 1.001]
    if not len(some):
        return
    pieces = float(flow[some] @ ask.cpu[some]) / float(flow[some].sum())
    rate = float(flow[some].sum())
    size = float(flow[some] @ group[some]) / rate
    engines = float(form.engines[host])
    speed = np.minimum(np.arange(1.0, int(np.ceil(engines)) + 1), engines) / pieces
    single = max(used / pieces - rate, 0.0)
    together = waiting(rate / size, single, size, speed)
    alone = waiting(0.0, rate + single, 1.0, speed)
    if np.isfinite(together) and together > alone:
        others = (together - alone) * pieces / engines if single else 0.0
        others = min(others, (together - alone) / max(rate + single, 1e-300))
        found[some] += max(together - alone - single * others, 0.0) / rate * ask.cpu[some] / pieces
        rest = np.setdiff1d(here, some)
        found[rest] += others * ask.cpu[rest] / pieces
