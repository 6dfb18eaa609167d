"""Waits for limits that tasks on the CPs fill: limits hold tasks back, and leave as much work to do as without them."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.load import HostPoint, Kept, Load

from .conservation import as_open, centers_of, conserve, left_to_do
from .group_times import solved_times
from .limits.limits import Limits
from .working import Working

LEAST = 1e-3  # of the work left to do, of tasks before limits, up to which these are as good as none
FARTHEST = 3.0  # times as long, or part of it, as which a wait is at most; longer as unlike pieces make it


def with_all_work(work: Working, limits: Limits, load: Load, point: HostPoint, times: Array) -> None:
    """Waits for the limits of a host scaled such that as much work is left to do as there is without these limits.

    Tasks at rates leave the same work behind, whoever is served first, as long as no CP idles that a task which waits for a
    limit would have. With few places beside those of tasks off the CPs there are such, and it is more: nothing is taken away
    as far as that may be.
    """
    form, pools = work.form, {r: limits.pool[r] for r in load.held}
    others = {*limits.gates, *limits.capped} & {*form.region[load.flow > 0].tolist()}
    if not load.held or others or limits.grouped or load.gated or load.called is not None:
        return
    told = dict.fromkeys(pools, (1.0, 0.0))
    if not load.coming.steady:
        for r, pool in pools.items():
            tasks = limits.tasks[r]
            told[r] = limits.users_at_tcbs.longer(limits.qr_pool[r], tasks, load.held[r][0], work.pool_wait[pool, tasks])
    known = as_open(work, load, times)
    if known > 0:
        _as_open(work, limits, load, point, times, {r: known * (1 - sure) for r, (_, sure) in told.items()})
    for r, pool in pools.items():
        work.pool_wait[pool] *= told[r][0] ** told[r][1]


def _as_open(work: Working, limits: Limits, load: Load, point: HostPoint, times: Array, known: dict[int, float]) -> None:
    """The same as if all work came at rates, as far as it is known of each region."""
    pools = {r: limits.pool[r] for r in load.held}
    left = left_to_do(work, load)
    waits = {r: float((work.flow * work.pool_wait[pool]) @ left[Pool.LIMIT]) for r, pool in pools.items()}
    there, waiting = _left(work, load, point, times, left), sum(waits.values())
    if waiting <= LEAST * there:
        return
    goal = _without_limits(work, limits, load) - there
    for r, pool in pools.items():
        size, away = load.held[r]
        tasks = limits.tasks[r]
        most = FARTHEST * unlike(work.flow[tasks], left[Pool.LIMIT][tasks])
        longer = float(np.clip(goal / waiting, 1 / FARTHEST, most))
        part = 1.0 if longer > 1 else _busy(size - load.engines, away)
        work.pool_wait[pool] *= longer ** (known[r] * part)


def _busy(places: float, away: float) -> float:
    """Chance that no more tasks than so many are off the CPs: then those of a full region keep all CPs at work."""
    found, each = 0.0, exp(-away)
    for n in range(int(places) + 1):
        found += each
        each *= away / (n + 1)
    return min(found, 1.0)


def _left(work: Working, load: Load, point: HostPoint, times: Array, left: dict[Pool | None, Array]) -> float:
    """Work left to do of the tasks at the TCBs and CPs [s]."""
    centers = centers_of(work, load, point, times, work.flow * (load.flow > 0), left)
    return sum(float(c.flow @ (c.time * c.left)) + c.more[1] * c.more[2] for c in centers)


def _without_limits(work: Working, limits: Limits, load: Load) -> float:
    """The same on the host without its limits."""
    kept = work.kept.setdefault((-1 - int(work.form.host[load.flow > 0][0]), None), Kept())
    free = replace(load, held={}, watched=frozenset(), kept=kept)
    before, service, seen, waits = dict(work.at_group), dict(work.service), dict(work.seen), work.pool_wait.copy()
    gone, limits.kept = limits.kept, {}
    point, times = solved_times(work, limits, free)
    conserve(work, free, point, times)
    found = _left(work, free, point, times, left_to_do(work, free))
    limits.kept, work.pool_wait = gone, waits
    work.at_group, work.service, work.seen = before, service, seen
    return found
