"""How far each response time may be off: the errors measured where the system is as full."""

from __future__ import annotations

import numpy as np

from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.point.solved import SolvedPoint

from .region_of_use import stated, uses
from .system_result import SystemResult


def stated_errors(point: SolvedPoint, result: SystemResult) -> list[float]:
    """Of each work: what 95 of 100 measured errors of its region of use are within [ratio]; 0 where it is exact."""
    work = point.work
    form = work.form
    if point.exact:
        return [0.0] * len(form.rate)
    busy = np.array([lpar.cpu_percent / 100 for lpar in result.lpars])
    return [stated(use) for use in uses(form, work.rate, busy, held_places(point))]


def held_places(point: SolvedPoint) -> np.ndarray:
    """Places in use of the pools, over their size (P,) [0..1]."""
    work = point.work
    form, ask, flow = work.form, work.ask, work.flow
    inside = work.holds()
    used = flow @ work.need.lines
    facilities = iter((work.need.qr_sync + work.need.open_sync + work.need.other).T)
    for pool, code in enumerate(form.pool_kind):
        mine = form.region == form.pool_region[pool]
        if code == Pool.LIMIT:
            used[pool] = flow @ (inside * mine)
        elif code == Pool.TRANCLASS:
            own = work.pool_wait[work.limit_pool(int(form.pool_region[pool]))]
            used[pool] = sum(flow[t] * (inside[t] + own[t]) for t, held in enumerate(work.need.limits) if pool in held)
        elif code == Pool.THREADS:
            used[pool] = flow @ ((ask.threads + ask.thread_off) * mine) * work.service.get(pool, 1.0)
        elif code == Pool.FACILITY:
            used[pool] = flow @ next(facilities)
    found: np.ndarray = np.where(form.pool_size < UNLIMITED, used / form.pool_size, 0.0)
    return found
