"""Work that comes in bursts: what its transactions wait longer for the limit of a region, and what comes at once to the CPs.

A group of transactions is a group at the first line that it comes to: the limit of its region where that fills, or the CPs.
What comes after is taken as alone.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED
from qnsolve.zos.hosts.chains.jumps import Burst

from .limits.limits import Limits
from .working import Working

LONGEST = 20_000  # tasks in a line that are counted
TAIL = 1e-10


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
    for w in np.flatnonzero(form.burst > 1).tolist():
        first = np.where(open_, _first(work, w), 0.0)
        size = min(float(form.burst[w]), float(form.users[w]) or np.inf)
        if first.any():
            found.append(Burst(w, size, first))
    return tuple(found)


def _first(work: Working, w: int) -> Array:
    """Chance that the first task of a transaction of a work is this one (T,)."""
    form = work.form
    found = np.zeros(len(form.work))
    group = form.first_group[form.first_start[w]]
    members = slice(form.group_start[group], form.group_start[group + 1])
    found[form.group_task[members]] = form.group_share[members]
    return found


def burst_waits(work: Working, limits: Limits) -> Array:
    """What tasks wait longer for a limit because their work, or other work there, comes in bursts (T,) [s].

    Where the limit is part of a chain of tasks on the CPs, the groups come to that.
    """
    form = work.form
    found = np.zeros(len(form.work))
    bursts = np.flatnonzero(form.burst > 1)
    if not len(bursts):
        return found
    first = np.zeros(len(form.work))  # transactions of a group that are a group at this task
    for w in bursts.tolist():
        size = min(float(form.burst[w]), float(form.users[w]) or np.inf)
        share = _first(work, w)
        first += (share > 0) * (1 + (size - 1) * share)
    for region, tasks in limits.tasks.items():
        some = tasks[first[tasks] > 1]
        if work.flow[some].any() and region not in limits.kept and limits.pool[region] not in limits.grouped:
            _at_limit(work, limits, region, first, found)
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


def _at_limit(work: Working, limits: Limits, region: int, first: Array, found: Array) -> None:
    form, tasks = work.form, limits.tasks[region]
    size = limits.size(region)
    if size >= UNLIMITED or (form.users[form.work[tasks]] > 0).any():
        return
    flow, holds = work.flow[tasks], work.holds()[tasks]
    held = float(flow @ holds) / max(float(flow.sum()), 1e-300)
    groups, single, burst = _groups(flow, holds, first[tasks])
    speed = np.arange(1.0, size + 1) / max(held, 1e-300)
    if region in limits.speeds:
        speed = np.maximum(limits.speeds[region][0][1 : size + 1], 1e-300)
    together, alone = chances(groups, single, burst, speed), chances(0.0, groups * burst + single, 1.0, speed)
    if together is None or alone is None:
        return
    weight = flow * holds * np.maximum(first[tasks] - 1, 0.0)
    pace = float(weight @ holds) / float(weight.sum()) / held  # a burst leaves as its own tasks do
    for t in tasks:
        found[t] += pace * max(wait(together, max(float(first[t]), 1.0), speed) - wait(alone, 1.0, speed), 0.0)
