"""Transactions that begin at the ticks of a clock: a group until the end of their first task, and what they wait longer."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.clocked import exactly_before, left_at_ticks, mates_before, still_at_work

from ..fewer_users import as_fewer_come
from ..working import Working
from .groups_on_the_way import Stop, stops_on_path, tasks_by_step


def tick_waits(work: Working) -> Array:
    """What tasks wait longer because transactions begin at ticks, the work's own or that of others (T,) [s].

    A task waits for those of its tick that are before it, at the center of its path that takes longest for all of them: what
    comes out of one center comes to a faster one as fast as that lets it. What earlier ticks left is less than what
    as many tasks leave that come one by one, as these come at regular times. Work that comes in between finds
    that much more to do.
    """
    form, rate = work.form, work.rate
    found = np.zeros(len(form.work))
    for w in np.flatnonzero(form.tick > 0).tolist():
        together = float(rate[w] * form.tick[w]) * (1 - 1 / float(form.users[w]) if form.users[w] else 1.0)
        if form.burst[w] > 1:
            together = min(float(form.burst[w]), float(form.users[w])) - 1
        longest, apart, done = 0.0, 0.0, dict[int, float]()
        for share in tasks_by_step(work, w):
            waited = np.where(share > 0, longest, 0.0)
            for center in stops_on_path(work, np.flatnonzero(share)):
                if center.overflows:
                    continue
                before = done.get(center.host, 0.0)  # its CPU in earlier steps
                _at_center(work, center, share, together, waited, (apart, before), found)
                if center.host >= 0:
                    done[center.host] = before + float(share @ center.time)
            longest = float(share @ waited) / float(share.sum())
            apart += float(share @ (work.need.delay + work.line_time.sum(axis=1))) / float(share.sum())
    return np.maximum(found, 0.0)


def _at_center(
    work: Working, center: Stop, share: Array, together: float, waited: Array, earlier: tuple[float, float], found: Array
) -> None:
    """Add what tasks wait longer at one center.

    Those of a tick have `waited` for each other before (T,), at most. Earlier they have been elsewhere for a time in which
    they go apart, and here for another [s].
    """
    form, flow, here = work.form, work.flow, center.time > 0
    own = share * here
    chance, used = float(own.sum()), float(flow @ center.time) / center.servers
    if chance <= 0 or together <= 0:
        return
    w = int(form.work[np.flatnonzero(own)[0]])
    mean, longest = float(own @ center.time) / chance, float(own @ waited) / chance
    mates, whole, in_step = together * chance, mean + earlier[1] / chance, form.burst[w] > 1
    if in_step:  # no more of them are through within a tick
        mates = min(mates, max(float(form.tick[w]) * center.servers / whole, 1.0) - 1)
    mates *= mates * whole / center.servers / max(mates * whole / center.servers + earlier[0], 1e-300)
    part = float(flow[form.work == w] @ center.time[form.work == w]) / float(flow @ center.time)
    at_work = 0.0 if in_step else still_at_work(float(form.tick[w]), mates, mean)
    free = (1 + center.servers) / 2 if longest > 0 else center.servers - at_work  # a TCB before them lets out one by one
    others = used * (1 - part) / 2 if center.shared else 0.0  # who comes later shares it, too
    before = mates_before(mates, free) if not in_step else exactly_before(mates, free)
    batch = before * whole / center.servers / (1 - others)
    batch *= float(own @ _turns(work, mates * whole / center.servers)) / chance
    left, waiting = left_at_ticks(used, mates, 1.0), float(flow @ center.wait) / float(flow @ here)
    if center.servers > 1 and waiting > 0 and used < 1:
        left = min(left * used / (1 - used) * mean / center.servers / waiting, 1.0)
    longer = max(batch - longest, 0.0)
    there, each = float(flow @ (own > 0)) * longer, center.time / center.servers  # mates in the mean
    pair = each * mean / (center.time + mean) / (1 - used / 2) if center.shared else mean / center.servers
    more = np.where(own > 0, longer, there * pair * here) - part * (1 - left) * center.wait * here
    np.maximum(waited, batch * (own > 0), out=waited)
    found += _of_users(work, flow * here, more, center, max(1 - used, 1e-9) * (1 + mates))


def _turns(work: Working, long: float) -> Array:
    """Waits for mates of a task in all its rounds, over one of a single round (T,); all mates take so `long` [s].

    In the first one it waits for half of them, later for all, if they have not gone apart in between. Where tasks
    share a TCB it makes no difference: they need not end a round first.
    """
    need = work.need
    away = (need.delay + work.line_time.sum(axis=1) + need.other.sum(axis=1)) / need.rounds
    near = long / np.maximum(long + away * need.rounds, 1e-300)
    found: Array = (1 + 2 * (need.rounds - 1) * near) / need.rounds
    return found


def _of_users(work: Working, flow: Array, more: Array, center: Stop, idle: float) -> Array:
    """What is left of longer waits where users come less often for them: none where they keep the center full."""
    form = work.form
    longer = float(flow @ more)
    left = form.users - np.bincount(form.work, flow * (center.time + center.wait), len(form.users))
    each = np.bincount(form.work, flow, len(form.users))
    shares = each / max(float(each.sum()), 1e-300)
    fewer = float((shares**2 / np.maximum(left, 1e-3))[form.users > 0].sum())
    if longer <= 0 or fewer <= 0:
        return more
    return more / as_fewer_come(longer, float(flow @ (center.time + center.wait)), idle / fewer)
