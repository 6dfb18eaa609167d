"""Times on the CPs, and waits, of tasks of limits that are servers there."""

from __future__ import annotations

from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.groups import ServerGroup
from qnsolve.zos.hosts.limited.limited_work import LimitPoint
from qnsolve.zos.hosts.load import GroupPoint

from .full_limits import by_places
from .limits import Limits


def limit_times(work: Working, limits: Limits, group: ServerGroup, its: GroupPoint) -> Array:
    """Time on the CPs of each task of a group [s]; notes the waits of the tasks for its limit, and for those inside it."""
    form, need, tasks = work.form, work.need, group.tasks
    flow, off, on_cps = work.flow[tasks], group.off, group.cpu + group.spin
    own = form.region[tasks] == group.region
    inside, away, each = np.zeros((3, len(form.work)))
    if isinstance(its, LimitPoint):
        time, slower = _apart(work, group, its, flow)
        limits.slower[group.pool] = sqrt(limits.slower.get(group.pool, 1.0) * slower)
        for region, number in its.before.items():
            mine = tasks[form.region[tasks] == region]
            wait = number / max(float(work.flow[mine].sum()), 1e-300)
            work.pool_wait[limits.pool[region], mine] = each[mine] = wait
    else:
        time = (on_cps + off) * its.service - off
    each[tasks] += time + off
    top = tasks[own]
    inside[top] = each[top] + need.calls[top] @ each
    away[tasks] = off
    alike = len(top) == 1 or not form.users[form.work[top]].any()
    if isinstance(its, LimitPoint) and alike:
        away = inside * its.apart
    mean = float(flow[own] @ inside[top]) / max(float(flow[own].sum()), 1e-300)
    speed = np.arange(group.servers + 1.0) / max(mean, 1e-300)
    plain = limits.plain(top, inside, speed, group.servers)
    ratio = limits.unlike(group.pool, top, inside, speed, group.servers, away, plain)
    waits = its.waiting / max(its.thinned, 1e-300) * ratio
    if (form.users[form.work[top]] == 0).any():
        full = float(its.full[its.levels >= group.servers].sum())
        waits = by_places(work, group.pool, top, inside, waits, full, its.busy)
    work.pool_wait[group.pool, top] = waits
    return time


def _apart(work: Working, group: ServerGroup, its: LimitPoint, flow: Array) -> tuple[Array, float]:
    """Time on the CPs of each task, at TCBs and beside them, by those that are there; the latter over that alone."""
    free = group.cpu - group.serial
    part = its.thinned / max(float(flow[work.form.region[group.tasks] == group.region].sum()), 1e-300)
    slower = max(its.there / max(part * float(flow @ free), 1e-300), 1.0)
    time = free * slower
    for region in np.unique(work.form.region[group.tasks]).tolist():
        mine = work.form.region[group.tasks] == region
        serial = np.where(mine, group.serial, 0.0)
        number = its.at_tcb.get(region, 0.0)
        time += serial * max(number / max(part * float(flow @ serial), 1e-300), 1.0)
    return np.asarray(time), slower
