"""Waits for limits that tasks on the CPs fill: limits hold tasks back, and leave as much work to do as without them."""

from __future__ import annotations

from dataclasses import replace
from math import exp

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.load import HostPoint, Kept, Load

from .conservation import Center, as_open, centers_of, conserve, left_to_do, scale
from .group_times import solved_times
from .limits.limits import Limits
from .working import Working

LEAST, LITTLE = 1e-9, 1e-3  # of the work left to do, of tasks that wait at a center, and before limits: as good as none
OFTEN = 0.1  # chance of a full limit, from which on no center is as without limits
FARTHEST = 3.0  # times as long, or part of it, as which a wait is at most; longer as unlike pieces make it


def with_all_work(work: Working, limits: Limits, load: Load, point: HostPoint, times: Array) -> None:
    """Waits at a host and for its limits, scaled such that as much work is left to do as there is without these limits.

    Tasks at rates leave the same work behind, whoever is served first, as long as no CP idles that a task which waits for a
    limit would have. With few places beside those of tasks off the CPs there are such, and it is more: nothing is taken away
    as far as that may be. Limits that are hardly ever full leave each TCB and the CPs as they are without them.
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
    """The same as if all work came at rates, as far as it is known of each region: at TCBs and CPs, and before limits."""
    pools = {r: limits.pool[r] for r in load.held}
    flow, left = work.flow * (load.flow > 0), left_to_do(work, load)
    full = max((work.seen[pool].full for pool in pools.values() if pool in work.seen), default=0.0)
    free, part = _without_limits(work, limits, load), max(known.values())
    goal = _left(free)
    centers = centers_of(work, load, point, times, flow, left, pools)
    as_free = [
        _clipped(its.waiting / c.waiting) if min(its.waiting, c.waiting) > LEAST * goal else 1.0
        for c, its in zip(centers, free, strict=True)
    ]
    scale(work, centers, [each ** (part * max(1 - full / OFTEN, 0.0)) for each in as_free], times)
    waits = {r: float((work.flow * work.pool_wait[pool]) @ left[Pool.LIMIT]) for r, pool in pools.items()}
    there, waiting = _left(centers_of(work, load, point, times, flow, left)), sum(waits.values())
    if waiting <= LITTLE * there:
        return
    for r, pool in pools.items():
        size, away = load.held[r]
        tasks = limits.tasks[r]
        most = FARTHEST * unlike(work.flow[tasks], left[Pool.LIMIT][tasks])
        longer = min(max((goal - there) / waiting, 1 / FARTHEST), most)
        work.pool_wait[pool] *= longer ** (known[r] * (1.0 if longer > 1 else _busy(size - load.engines, away)))


def _clipped(longer: float) -> float:
    """No longer, and no shorter, than is believed."""
    return min(max(longer, 1 / FARTHEST), FARTHEST)


def _busy(places: float, away: float) -> float:
    """Chance that no more tasks than so many are off the CPs: then those of a full region keep all CPs at work."""
    found, each = 0.0, exp(-away)
    for n in range(int(places) + 1):
        found += each
        each *= away / (n + 1)
    return min(found, 1.0)


def _left(centers: list[Center]) -> float:
    """Work left to do of the tasks at the TCBs and CPs, and before limits [s]."""
    return sum(float(c.flow @ (c.spent * c.left)) + c.more[1] * c.more[2] for c in centers)


def _without_limits(work: Working, limits: Limits, load: Load) -> list[Center]:
    """What is at the TCBs and CPs of the host without its limits."""
    kept = work.kept.setdefault((-1 - int(work.form.host[load.flow > 0][0]), None), Kept())
    free = replace(load, held={}, watched=frozenset(), kept=kept)
    before, service, seen, waits = dict(work.at_group), dict(work.service), dict(work.seen), work.pool_wait.copy()
    gone, limits.kept = limits.kept, {}
    point, times = solved_times(work, limits, free)
    conserve(work, free, point, times)
    found = centers_of(work, free, point, times, work.flow * (free.flow > 0), left_to_do(work, free))
    limits.kept, work.pool_wait = gone, waits
    work.at_group, work.service, work.seen = before, service, seen
    return found
