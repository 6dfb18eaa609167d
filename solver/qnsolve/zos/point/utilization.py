"""What each center is asked for at given rates, over what it can do: no operating point has a figure of 1 or more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, Pool
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.hosts.demands import Demands


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
    own = ask.on_cps + ask.thread_off + ask.ziip + ask.away + need.lines.sum(axis=1)
    holds = own
    for _ in range(int((need.calls > 0).sum(axis=1).any()) * len(own)):
        more = own + need.calls @ holds
        if np.array_equal(more, holds):
            break
        holds = more
    columns = {Pool.QR: ask.qr, Pool.RO: ask.ro, Pool.THREADS: ask.threads + ask.thread_off, Pool.LIMIT: holds}
    facility = 0
    for pool, (size, code) in enumerate(zip(form.pool_size, form.pool_kind, strict=True)):
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
