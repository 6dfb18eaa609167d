"""Waits at logs and devices with servers."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.hosts.chains.birth_death import UserSource, crowd_at_most

from .limits.limits import Limits
from .working import Working


def line_times(work: Working, limits: Limits) -> None:
    """Times of tasks at logs and devices: each a birth-death chain of the tasks there."""
    form, need = work.form, work.need
    limits.take_shares()
    for pool in np.flatnonzero(np.isin(form.pool_kind, [Pool.LOG, Pool.DEVICE])):
        tasks = np.flatnonzero(need.lines[:, pool] > 0)
        servers = int(form.pool_size[pool])
        if not len(tasks) or servers == UNLIMITED:
            continue
        visits = work.flow[tasks] * need.rounds[tasks]
        service = need.lines[tasks, pool] / need.rounds[tasks]
        mean = float(visits @ service) / float(visits.sum())
        sources, stream = [], 0.0
        held = work.line_time[tasks, pool] / need.rounds[tasks]
        total = float(visits @ held)
        for w in np.unique(form.work[tasks]):
            mine = form.work[tasks] == w
            each = float((form.visits[tasks] * need.rounds[tasks])[mine].sum())
            room = limits.room(tasks[mine], int(w)) if form.users[w] or not limits.own.shortens(int(pool)) else np.inf
            if form.users[w] == 0 and room == np.inf:
                stream += work.rate[w] * each
                continue
            time = float(visits[mine] @ held[mine]) / float(visits[mine].sum())
            users, away = float(form.users[w] or np.inf), work.cycle[w] / each - time
            if room < users:  # comes out of regions at their limits: no more than they hold
                users, away = room, max(room / max(work.rate[w] * each, 1e-300) - time, 1e-3 * time)
            share, hold = float(visits[mine] @ held[mine]) / total, float(visits[mine] @ service[mine])
            hold /= float(visits[mine].sum()) * mean
            sources.append(UserSource(users, share, max(away, 1e-9 * time), hold))
        top = min(servers, 100_000)
        speed = np.minimum(np.arange(top + 1.0), servers) / mean
        streams = form.users[form.work[tasks]] == 0
        hold = float(visits @ (service * streams)) / max(float(visits @ streams), 1e-300) / mean
        mixed = float(visits @ service**2) / float(visits.sum()) / mean**2
        steps = mixed
        if stream > 0 and sources:  # no more wait for one piece than come while it is served
            meanwhile = float(visits.sum()) * _met(visits, service)
            steps = min(mixed, max(meanwhile, 1.0))
        found, load = crowd_at_most(stream, sources, speed, top, steps, hold, alike=True)
        work.overloaded(int(pool), load)
        waits = mixed / steps * found.wait * _waits(work, tasks, int(pool), mixed)
        work.line_time[tasks, pool] = need.lines[tasks, pool] + waits
        work.crowds[int(pool)] = found
    limits.own.apply(hosts=False)
    work.in_lines = work.line_time.sum(axis=1)


def _waits(work: Working, tasks: Places, pool: int, mixed: float) -> Array:
    """How often a task waits at a line that it comes to in each of its rounds (n,).

    What unlike pieces make more wait is one long piece: a round that follows soon finds it still there, or gone.
    """
    need, rounds = work.need, work.need.rounds[tasks]
    mean = need.lines[tasks, pool] / rounds
    visits = work.flow[tasks] * rounds
    met = _met(visits, mean)
    gap = (work.on_cps[tasks] + work.off_cps[tasks] - work.line_time[tasks, pool]) / rounds
    others = 1 + (rounds - 1) * gap / (gap + met)
    more = max(1 - 1 / mixed, 0.0)
    return np.asarray(rounds * (1 - more) + others * more)


def _met(visits: Array, service: Array) -> float:
    """Service of a piece that one who comes finds at work [s]."""
    return float(visits @ service**2) / max(float(visits @ service), 1e-300)
