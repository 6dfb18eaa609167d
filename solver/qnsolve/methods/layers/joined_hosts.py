"""Hosts that their guests fill as one queue: no layer is needed there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.mean_value.queue_seen import closed_on
from qnsolve.methods.measures import Measures
from qnsolve.numerics.series import Array


def joined(arrays: Arrays) -> Arrays:
    """The network with guests moved to their hosts, where guests and host have the speed of one queue.

    A guest with c servers that alone uses a host with m runs at speed min(n, c, m) with n jobs. Several guests of
    open classes with at least as many servers as the host keep it as busy as one queue of m servers would be, in any
    split of the jobs: min(m, Σ min(n_i, c_i)) = min(m, Σ n_i).
    """
    demand, host, speeds = arrays.demand.copy(), arrays.host.copy(), list(arrays.speeds)
    for h in {int(h) for k, h in enumerate(arrays.host) if h != k}:
        guests = [k for k in range(len(host)) if arrays.host[k] == h and k != h]
        used = [k for k in guests if arrays.demand[:, k].any()]
        alone = len(used) == 1 and not arrays.demand[:, h].any()
        if not alone and (not arrays.is_open or any(arrays.top[k] < max(arrays.top[h], 2) for k in used)):
            continue
        narrow = min([h, *used], key=lambda k: float(arrays.top[k]))
        speeds[h] = arrays.speeds[narrow]
        demand[:, h] += demand[:, guests].sum(axis=1)
        demand[:, guests] = 0.0
        host[guests] = guests
    top = np.array([np.nan if s is None else s.max() for s in speeds])
    last = np.array([np.nan if s is None else s[-1] for s in speeds])
    moved = host != arrays.host
    top, last = np.where(moved, arrays.top, top), np.where(moved, arrays.last, last)
    return replace(arrays, demand=demand, host=host, speeds=tuple(speeds), top=top, last=last)


def parted(arrays: Arrays, small: Arrays, found: Measures) -> Measures:
    """Measures of the network from those with guests moved to their hosts: each part has the stretch of the host."""
    if (small.host == arrays.host).all():
        return found
    q, residence = found.queue_length.copy(), found.residence_time.copy()
    for k in np.flatnonzero(small.host != arrays.host):
        h = int(arrays.host[k])
        share = np.divide(arrays.demand[:, k], small.demand[:, h], out=np.zeros(len(q)), where=small.demand[:, h] > 0)
        q[:, k], residence[:, k] = share * found.queue_length[:, h], share * found.residence_time[:, h]
    for h in {int(arrays.host[k]) for k in np.flatnonzero(small.host != arrays.host)}:
        share = np.divide(arrays.demand[:, h], small.demand[:, h], out=np.zeros(len(q)), where=small.demand[:, h] > 0)
        q[:, h], residence[:, h] = share * found.queue_length[:, h], share * found.residence_time[:, h]
    return replace(
        found, queue_length=q, residence_time=residence, distribution=partial(_distribution, arrays, small, found, q)
    )


def _distribution(arrays: Arrays, small: Arrays, found: Measures, q: Array, k: int) -> Array:
    h = int(arrays.host[k])
    guests = (arrays.host == h) & (small.host != arrays.host)
    if not guests.any():
        return found.distribution(k)
    total = found.queue_length[:, h].sum()
    if q[:, k].sum() >= total:  # all jobs of the host
        return found.distribution(h)
    lengths = q.sum(axis=0)
    most = np.nan_to_num(arrays.population) @ (arrays.demand > 0)
    most = np.where((arrays.demand[~arrays.closed] > 0).any(axis=0), np.ceil(40 * (1 + lengths)), most)
    return closed_on(lengths, most, arrays.speeds, k)
