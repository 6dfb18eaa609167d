"""What each center is asked for at given rates, over what it can do: no operating point has a figure of 1 or more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, Pool
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.demands import Demands

ALIKE = 0.97  # share of the largest use from which on a center is as full


def center_loads(form: Compiled, need: Needs, ask: Demands, rate: Array) -> Iterator[tuple[str, float]]:
    """Each center and the share of it that the work needs at least [ratio], fixed CPU included.

    Parameters
    ----------
    form, need, ask
        The system, and the demands of its tasks.
    rate : ndarray (W,)
        Transactions a second of each work.
    """
    flow = rate[form.work] * form.visits
    busy = np.bincount(form.host, flow * ask.on_cps, len(form.engines))
    np.add.at(busy, form.fixed[:, 0].astype(int), form.fixed[:, 2])
    for host, item in enumerate(form.system.lpars):
        yield f"{item.name} CPs", float(busy[host] / form.engines[host])
    for host, speeds in enumerate(form.ziip_speeds):
        if len(speeds) and not form.ziip_overflow[host]:
            eligible = float(flow @ (ask.ziip_work * (form.host == host)))
            yield f"{form.system.lpars[host].name} zIIPs", eligible / float(speeds[-1])
    own = ask.on_cps + ask.thread_off + ask.ziip + ask.away + need.lines.sum(axis=1)
    holds = own
    for _ in range(int((need.calls > 0).sum(axis=1).any()) * len(own)):
        more = own + need.calls @ holds
        if np.array_equal(more, holds):
            break
        holds = more
    columns = {Pool.QR: ask.qr, Pool.RO: ask.ro, Pool.THREADS: ask.threads + ask.thread_off, Pool.LIMIT: holds}
    facility = 0
    for pool, (size, code) in enumerate(zip(form.pool_size.tolist(), form.pool_kind.tolist(), strict=True)):
        kind = Pool(code)
        if kind in columns:
            used = float((flow * columns[kind])[form.region == form.pool_region[pool]].sum())
        elif kind is Pool.TRANCLASS:
            used = sum(float(flow[t] * holds[t]) for t, held in enumerate(need.limits) if pool in held)
        elif kind is Pool.FACILITY:
            used = float(flow @ (need.qr_sync + need.open_sync + need.other)[:, facility])
            facility += 1
        else:
            used = float(flow @ need.lines[:, pool])
        if used > 0 and size < UNLIMITED:
            yield form.pool_name[pool], used / float(size)


def held_places(work: Working) -> Array:
    """Places in use of the pools, over their size (P,) [0..1]."""
    form, ask, flow = work.form, work.ask, work.flow
    inside = work.holds()
    used = flow @ work.need.lines
    facilities = iter((work.need.qr_sync + work.need.open_sync + work.need.other).T)
    for pool, code in enumerate(form.pool_kind.tolist()):
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
    found: Array = np.where(form.pool_size < UNLIMITED, used / form.pool_size, 0.0)
    return found


def fullest(work: Working) -> tuple[str, float]:
    """The center that is used most, and its load [ratio]; of those that are as full, the one that the others wait for.

    CPs, TCBs, logs and devices before limits, and limits of tasks that are called before those of their callers.
    """
    form = work.form
    loads = dict(center_loads(form, work.need, work.ask, work.rate))
    for pool, name in enumerate(form.pool_name):  # a TCB that waits for a CP is not free
        if name in loads:
            loads[name] *= work.service.get(pool, 1.0)
    level = np.zeros(len(form.work))
    for caller, called in zip(*np.nonzero(work.need.calls), strict=True):  # tasks stand behind those that call them
        level[called] = max(level[called], level[caller] + 1)
    deep = dict.fromkeys(loads, np.inf)
    for pool, held in enumerate(held_places(work)):
        if form.pool_kind[pool] in (Pool.LIMIT, Pool.TRANCLASS) and form.pool_name[pool] in loads:
            name = form.pool_name[pool]
            loads[name] = float(held)
            mine = [level[t] for t, limits in enumerate(work.need.limits) if pool in limits]
            deep[name] = max(mine) + 0.5 * float(form.pool_kind[pool] == Pool.TRANCLASS)
    most = max(loads.values())
    name = max((name for name, load in loads.items() if load > ALIKE * most), key=lambda name: (deep[name], loads[name]))
    return name, most
