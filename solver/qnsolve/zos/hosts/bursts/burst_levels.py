"""Bursts of unlike tasks at a TCB: as how many levels of its chain each counts, and how long each waits in its line."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, Load

from .mates import FULL, among, mates_of

RETURN = 0.1  # of the work of a TCB, of tasks that come back to it: those that do are not levels by how long they are


def levels_of(load: Load, k: int) -> Array:
    """Levels of the chain of a group that each of its tasks is (n,): as much work at the TCB, levels being alike.

    So a long task of a burst is there for as long as it takes. How long a level is follows from what is left to do in a line in
    order of arrival, else from how many unlike tasks share the TCB.
    """
    group = load.groups[k]
    flow, piece = load.flow[group.tasks], group.cpu + group.spin
    found, some = np.ones(len(flow)), (flow > 0) & (piece > 0)
    mates = mates_of(load, k)[np.ix_(some, some)]
    limited = group.region in load.gated or group.region in load.watched  # limits ask for tasks by number
    if limited or group.servers > 1 or not mates.any():
        return found
    rate, size, each = flow[some], piece[some], mates.sum(axis=1)
    if group.in_order:
        again = float((rate * size) @ (load.rounds[group.tasks][some] > 1)) / float(rate @ size)
        if load.coming.steady and again < RETURN:
            weight = rate * size * np.where(each > 0, 0.5, 1.0)
            found[some] = size * float(weight.sum()) / float(weight @ size)
        return found
    busy, none = min(float(rate @ size), FULL), np.zeros(len(rate))
    number = float(rate @ among(size, none, none, rate, mates)) * busy / float(rate @ size)
    work = rate * size * (each > 0)
    more = 2 * (number * (1 - busy) / busy - 1) * float(rate @ size)
    found[some] = size * (float(work.sum()) + max(more, 0.0)) / float(work @ ((1 + each) * size))
    return found


def times_in_order(load: Load, k: int, its: GroupPoint) -> tuple[Array, float]:
    """Time of each task at a TCB in order of arrival whose chain counts some as several levels (n,) [s], and of it each wait.

    All wait for what they find there, those of a burst for half of its others, too, as slow as the CPs are for all of these.
    """
    group = load.groups[k]
    assert its.unit is not None
    mates, unit, piece = mates_of(load, k), its.unit, group.alone
    flow, own = load.flow[group.tasks] * unit, mates.sum(axis=1)
    near = np.zeros(len(flow))
    for burst in load.bursts:
        near[burst.first[group.tasks] > 0] = burst.mates(float(burst.first.sum()))
    slow = np.maximum(its.service, near / np.maximum(own, 1e-300) / load.engines) * (own > 0)
    rounds = load.rounds[group.tasks]
    before = (mates @ piece) / 2 * slow * (1 + (rounds - 1) * HostView(load).meet[group.tasks]) / rounds  # each visit
    of_levels = before + (piece - piece / unit) / 2 * slow
    wait = max((its.waiting + its.outside - float(flow @ of_levels)) / float(flow.sum()), 0.0)
    found = (piece * its.service * its.uneven + wait + before) * rounds
    return np.asarray(found if its.before_limit is None else np.maximum(found - its.before_limit, piece)), wait


def slow_at_first(load: Load, k: int, grids: tuple[Array, Array], chance: Array, pace: Array) -> Array:
    """Time of a short piece of each task of a group that shares a TCB when it has just come, over that alone (n,).

    It has the TCB with all levels that it finds there, by chances (N, Y) on the grids of levels and others; the CPs make the
    work of the TCB longer at a `pace` (Y,). Others of its burst are not counted.
    """
    (levels, others), tasks = grids, load.groups[k].tasks
    total, found = levels[:, None] + others, np.zeros(len(tasks))
    for work in np.unique(load.work[tasks]).tolist():
        seen = chance * np.interp(total, load.coming.count, load.coming.rate[:, work])
        seen = seen if seen.any() else chance
        found[load.work[tasks] == work] = float(((1 + levels) @ seen) @ pace) / float(seen.sum())
    return found
