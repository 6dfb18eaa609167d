"""How many of a group find places of limits and classes at once."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places

from ..limits.limits import Limits
from ..working import Working
from .groups_at_limits import beyond


def let_in(work: Working, limits: Limits, share: Array, size: float, inside: bool = False) -> tuple[Array, float]:
    """The tasks that a group comes to, with the chance of each (T,), but for those of full regions, and its size there.

    `inside` is whether limits that are part of chains of the CPs count, whose lines these have.
    """
    first = np.where(np.isin(work.form.region, list(limits.rates)), 0.0, share)  # full ones let out one by one
    return first, at_once(work, limits, first, size, inside) if first.any() else 1.0


def at_once(work: Working, limits: Limits, first: Array, size: float, inside: bool = False) -> float:
    """Size of a group, each of which has some tasks with these chances (T,), as far as it finds places of limits and classes.

    Who finds no place comes later, when another one goes.
    """
    form = work.form
    for region in np.unique(form.region[first > 0]).tolist():
        if region in limits.gates or (inside and (region in limits.kept or limits.pool.get(region) in limits.grouped)):
            tasks = limits.tasks[region]
            left = limits.size(region) - float(work.flow[tasks] @ work.holds()[tasks])
            own = np.where(form.region == region, first, 0.0)
            found = (left + 1) / float(own.sum())
            if limits.loose(region):
                found += max(size - found, 0.0) * _soon(work, tasks, own)
            size = min(size, max(found, 1.0))
    return min(size, max(_let_in(work, limits, first, size), 1.0))


def _soon(work: Working, tasks: Places, first: Array) -> float:
    """Share of those of a group for whom places get free before the others are served, given the tasks of the region."""
    each = np.maximum(work.ask.qr, work.ask.on_cps / work.form.engines[work.form.host])
    served = float(first @ each) / float(first.sum())
    return 1 - 1 / max(float(work.flow[tasks].sum()) * served, 1.0)


def _let_in(work: Working, limits: Limits, first: Array, size: float) -> float:
    """Size of a group, each of which has some tasks with these chances (T,), of which all but one find places of classes."""
    holds, places = work.holds() + work.wait, 0.0
    for t in np.flatnonzero(first).tolist():
        own, fewer = size * float(first[t]), 0.0
        for pool in work.need.limits[t]:
            if pool in limits.classes:
                tasks = limits.classes[pool]
                inside = float(work.flow[tasks] @ (holds[tasks] - work.pool_wait[pool, tasks]))
                left = max(float(work.form.pool_size[pool]) - inside, 0.0)
                fewer = max(fewer, elsewhere(work, limits, pool) * (own - _at_most(size, float(first[t]), left)))
        places += own - fewer
    return (places + 1) / max(float(first.sum()), 1e-300)


def _at_most(size: float, share: float, most: float) -> float:
    """E min(K, most) where K of a group have a chance each."""
    tail, whole = beyond(size, share), int(most)
    found = float(tail[:whole].sum())
    return found + (most - whole) * float(tail[whole]) if whole < len(tail) else found


def elsewhere(work: Working, limits: Limits, pool: int) -> float:
    """Share of the time inside a TRANCLASS that is not at its QR TCB, where those let in are in the way of each other.

    There it makes no difference whether a task waits for others of its group inside the class or before it.
    """
    tasks, region = limits.classes[pool], int(work.form.pool_region[pool])
    at = work.at_group.get(limits.qr_pool.get(region, -1), np.zeros(len(work.flow)))
    flow, inside = work.flow[tasks], work.holds() + work.pool_wait[limits.pool[region]]
    return 1 - min(float(flow @ at[tasks]) / max(float(flow @ inside[tasks]), 1e-300), 1.0)
