"""Where the time of a task goes: its response time by center, and what its limits do."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.working import Working

ON_CPS = "CPU beside QR"
ALWAYS = 1 - 1e-6  # share of the places in use from which on there is always a line
UPPER = 1.645  # of a normal distribution, not passed 95 % of the time


def center_times(work: Working, task: int) -> dict[str, float]:
    """Time of one task by center, waits for limits last [s]."""
    form = work.form
    region = form.system.regions[int(form.region[task])].name
    lpar = form.system.lpars[int(form.host[task])].name
    tcbs = dict(form.tcbs)
    at = {pool: float(times[task]) for pool, times in work.at_group.items() if pool in tcbs}
    on_cps, there = float(work.on_cps[task]), sum(at.values())
    part = min(on_cps / there, 1.0) if there > 0 else 1.0
    found = {form.pool_name[pool].removesuffix(" TCB"): part * time for pool, time in at.items() if time > 0}
    found[f"{lpar} {ON_CPS}"] = max(on_cps - part * there, 0.0)
    found[f"{lpar} zIIPs"] = float(work.ask.ziip[task])
    for pool, time in enumerate(work.line_time[task]):
        if time > 0:
            found[form.pool_name[pool]] = float(time)
    for key, longer in work.behind_groups.items():
        center = form.pool_name[key].removesuffix(" TCB") if key >= 0 else f"{form.system.lpars[~key].name} zIIPs"
        found[center] = found.get(center, 0.0) + float(longer[task])
    found[f"{region} delays"] = float(work.ask.away[task])
    found[f"{region} bursts"] = float(np.broadcast_to(work.at_ticks, work.on_cps.shape)[task])
    found[f"{region} limits"] = float(work.admission[task])
    return {center: time for center, time in found.items() if time > 0}


@dataclass(frozen=True)
class LimitFigures:
    """What a limit does to its tasks.

    Attributes
    ----------
    etr : float
        Tasks [1/s].
    tasks, waiting, waiting_95 : float
        Inside, before it, and before it not passed 95 % of the time [count].
    full, delayed : float
        Share of time without a place left, and of tasks that wait [0..1].
    wait : float
        Of a task, in the mean [s].
    """

    etr: float
    tasks: float
    waiting: float
    waiting_95: float
    full: float
    delayed: float
    wait: float


def limit_figures(work: Working, pool: int, tasks: Places) -> LimitFigures:
    """The figures of MXT, a TRANCLASS or dependent regions; `tasks` are those that it counts."""
    form, flow = work.form, work.flow[tasks]
    size = float(form.pool_size[pool])
    etr = float(flow.sum())
    inside: Array = work.holds()
    if form.pool_kind[pool] == Pool.TRANCLASS:  # held while its tasks wait for the region's own limit
        own = int(form.pool_region[pool])
        inside = inside + work.pool_wait[work.limit_pool(own)]
    held = min(float(flow @ inside[tasks]), size)
    waiting = float(flow @ (work.pool_wait[pool] + work.before_groups.get(pool, 0.0))[tasks])
    wait = waiting / etr if etr > 0 else 0.0
    seen = work.groups_seen.get(pool) or work.seen.get(pool)
    if seen is not None:
        return LimitFigures(etr, held, waiting, seen.waiting_95, seen.full, seen.delayed, wait)
    crowd = work.crowds.get(pool)
    if crowd is not None:
        longer = waiting / crowd.outside if crowd.outside > 0 else 1.0
        return LimitFigures(etr, held, waiting, longer * crowd.outside_at(0.95), crowd.full, crowd.delayed, wait)
    if waiting <= 0:
        return LimitFigures(etr, held, 0.0, 0.0, 0.0, 0.0, 0.0)
    used = held / size  # the line of an M/M/c with that many places in use; users can keep them full
    if used > ALWAYS:
        return LimitFigures(etr, held, waiting, waiting + UPPER * sqrt(waiting), 1.0, 1.0, wait)
    delayed = min(waiting * (1 - used) / used, 1.0) if used > 0 else 0.0
    most = max(log(0.05 / delayed) / log(used) - 1, 0.0) if delayed > 0.05 else 0.0
    return LimitFigures(etr, held, waiting, float(int(most)), delayed, delayed, wait)
