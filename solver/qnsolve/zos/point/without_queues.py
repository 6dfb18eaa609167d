"""The operating point that is left of a system when nothing in it queues: the utilization law, and full centers."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.around.surroundings import eligible_work, grown
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.chains.clocked import beyond_ticks
from qnsolve.zos.hosts.demands import Around, at_rest
from qnsolve.zos.hosts.load import LimitSeen
from qnsolve.zos.parts.system import SystemParts

from .solved import SolvedPoint, converted_at_rest
from .utilization import center_loads

ROUNDS = 60  # of CPU growth and zIIP overflow, at most: each changes the next by a fraction
AGREED = 1e-12  # change of the rates at which they end [relative]
FULL = 1 - 1e-9  # load from which on a limit counts as full


def point_without_queues(system: SystemParts) -> SolvedPoint:
    """Throughputs of users that only think and are served, cut to what each center can do.

    Parameters
    ----------
    system : SystemParts

    Raises
    ------
    FullPoolError
        Work with a rate demands more than a center can do.

    Notes
    -----
    X = min(N/(Z + R), what the fullest center lets through), with R the times of service alone. Requests past their threshold
    without any wait are asynchronous. Works of users that share a full center give way in proportion; what a user spends
    beyond Z + R is a wait before the region where the work begins.
    """
    form = compiled(system)
    if converted := converted_at_rest(form):
        form = compiled(system, converted=converted)
    need, around = needs(form), at_rest(form)
    rate = np.where(form.users > 0, 0.0, form.rate)
    for _ in range(ROUNDS):
        work = Working.unloaded(form, need, around, rate)
        work.rate = rate = _rates(work)
        before, around = around, _around(work)
        changes = np.abs(np.append(around.growth - before.growth, around.over - before.over))
        if changes.max(initial=0.0) <= AGREED:
            break
    _wait_outside(work)
    work.settled = True
    return SolvedPoint(work, converted, queues=False)


def _around(work: Working) -> Around:
    """CPU growth by the engines at work, and the eligible work that the zIIPs cannot do."""
    form, around = work.form, at_rest(work.form)
    around.growth = grown(work)
    for host, speeds in enumerate(form.ziip_speeds):
        if len(speeds) and form.ziip_overflow[host]:
            around.over[host] = max(0.0, 1 - float(speeds[-1]) / max(eligible_work(work, host).all, 1e-300))
    return around


def _rates(work: Working) -> Array:
    """Rates at which no center has more to do than it can: those of users give way (W,)."""
    form, need, ask = work.form, work.need, work.ask
    works = len(form.rate)
    closed = form.users > 0
    rate = np.where(closed, form.users / np.maximum(work.cycle, 1e-300), form.rate)
    idle = dict(center_loads(form, need, ask, np.zeros(works)))
    each = [dict(center_loads(form, need, ask, one)) for one in np.eye(works)]
    for name in dict(center_loads(form, need, ask, np.ones(works))):
        still = idle.get(name, 0.0)
        slope = np.array([loads.get(name, still) - still for loads in each])
        fixed, moves = still + float(slope @ (rate * ~closed)), float(slope @ (rate * closed))
        if fixed >= 1:
            raise FullPoolError(name, fixed)
        if fixed + moves > 1:
            rate = np.where(closed & (slope > 0), rate * (1 - fixed) / moves, rate)
    return rate


def _wait_outside(work: Working) -> None:
    """The time of users beyond think time and service, before the region where their work begins."""
    form = work.form
    away = form.users / np.maximum(work.rate, 1e-300) - form.think
    beyond = np.where(form.users > 0, beyond_ticks(away, form.tick) - work.response, 0.0)
    for w in np.flatnonzero(form.users > 0):
        first = int(np.flatnonzero(form.work == w)[0])
        pool = work.limit_pool(int(form.region[first]))
        work.pool_wait[pool, first] = max(float(beyond[w]), 0.0) / float(form.visits[first])
    loads = dict(center_loads(form, work.need, work.ask, work.rate))
    for pool in {pool for held in work.need.limits for pool in held}:
        full = float(loads.get(form.pool_name[pool], 0.0) >= FULL)
        work.seen[pool] = LimitSeen(full, full, 0.0)
