"""What the CPs of a host do before work goes to its zIIPs, for the chain of zIIPs whose work goes to CPs when they are full."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import PIECE, Pool
from qnsolve.zos.hosts.chains.overflow_chain import Feed
from qnsolve.zos.hosts.groups import COLUMNS

from ..working import Working


def overflow_feed(work: Working, host: int) -> Feed:
    """The CPs of a host; the unit of time is the mean eligible piece at a zIIP of one thread."""
    form, need, ask = work.form, work.need, work.ask
    here, flow = form.host == host, work.flow
    slow = float(form.slower[host] * work.around.growth[host])
    fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum())
    queues: list[tuple[float, int]] = []
    for pool, kind in form.tcbs:
        mine = here & (form.region == form.pool_region[pool])
        load = float(flow[mine] @ (need.threads * slow if kind is Pool.THREADS else getattr(ask, COLUMNS[kind]))[mine])
        if load > 0:
            queues.append((load, int(form.pool_size[pool])))
    alone = need.cpu * slow + ask.open_spin
    least = ask.qr + ask.ro + alone + need.threads * slow  # on CPs, whatever comes back
    eligible = here & (need.ziip + need.thread_ziip > 0)
    first = least > 0
    late = float(work.around.late[host])  # a piece that follows another one asks by itself where that was late
    at_once, again = following(work, host)
    apart = _pieces(work) - again * (need.thread_ziip > 0)
    visits = flow * here * (apart + late * again)
    whole_ziip, straight = (float(flow[eligible] @ its[eligible]) for its in (need.ziip + need.thread_ziip, at_once))
    asked, sent = whole_ziip + late * straight, whole_ziip - (1 - late) * straight
    unit = asked / float(visits.sum()) / form.ziip_speed[host]
    back = slow * overflowed(work, host)
    closed = here & (first | eligible) & (form.users[form.work] > 0)
    coming = flow * need.rounds * here
    whole = float(coming[first | eligible].sum()) + fixed / PIECE
    users = np.zeros(0, dtype=int) if not closed.any() else np.unique(form.work[closed])
    limit = np.array([region.limit for region in form.system.regions], dtype=float)
    most = min(float(form.users[users].sum()), float(limit[np.unique(form.region[closed])].sum())) if len(users) else 0.0
    return Feed(
        queues=queues, pieces=float(flow[here] @ alone[here]) + fixed, last=_last(work, here, visits, slow),
        engines=float(form.engines[host]), back=form.ziip_speed[host] * back * sent / asked,
        flow=(float(coming[first].sum()) + fixed / PIECE) * unit, visits=float(visits[first].sum()) * unit,
        direct=float(visits[~first].sum()) * unit, users=most, closed=float(coming[closed].sum()) / whole,
        here=float(flow[closed] @ (work.on_cps + ask.ziip)[closed]),
    )  # fmt: skip


def _pieces(work: Working) -> Array:
    """Eligible pieces of each task (T,)."""
    need = work.need
    return np.asarray(need.rounds * ((need.ziip > 0) * 1.0 + (need.thread_ziip > 0)))


def following(work: Working, host: int) -> tuple[Array, Array]:
    """Work of eligible pieces that follow another one as if at once, and how many (T,).

    After other CPU the zIIP that the one before left is the longer as any other the more often pieces come and end meanwhile.
    """
    form, need = work.form, work.need
    if not need.soon_again.any():
        return need.straight, need.again
    pieces = work.flow * (form.host == host) * _pieces(work)
    asked = float(work.flow * (form.host == host) @ (need.ziip + need.thread_ziip)) / form.ziip_speed[host]
    often = float(pieces.sum()) * (1 + float(form.ziip_speeds[host][-1]) / max(asked, 1e-300))
    stretch = float(form.slower[host] * work.around.growth[host]) * max(float(work.around.back[host]), 1.0)
    gap = np.divide(need.gap, need.soon_again, out=np.zeros(len(need.gap)), where=need.soon_again > 0)
    part = 1 / (1 + often * stretch * gap)
    return need.straight + part * need.soon, need.again + part * need.soon_again


def overflowed(work: Working, host: int) -> float:
    """CPU of the eligible work of a host where it goes to CPs, the cost of overflow included, over that work."""
    whole = work.flow * (work.form.host == host) * (work.need.ziip + work.need.thread_ziip)
    return float(whole @ work.form.overflowed) / max(float(whole.sum()), 1e-300)


def late_work(work: Working, host: int, again: float) -> float:
    """Work that goes to CPs where all attempts find all zIIPs taken, over all eligible; `again` of the next do so, too."""
    need, flow = work.need, work.flow * (work.form.host == host)
    return 1 - (1 - again) * float(flow @ following(work, host)[0]) / float(flow @ (need.ziip + need.thread_ziip))


def _last(work: Working, here: Array, visits: Array, slow: float) -> float:
    """Load of the pieces right before the eligible ones, of two stages that are as even as those of the tasks in the mean."""
    need, ask = work.need, work.ask
    first = ask.qr + ask.ro
    open_, threads = need.cpu * slow + ask.open_spin, need.threads * slow
    last = np.where(need.ziip > 0, open_, threads)
    whole = np.maximum(first + last, 1e-100)
    each = np.where(need.ziip > 0, 1.0, need.thread_ziip > 0) * (visits > 0)  # of the second visit there is one stage only
    share = work.flow * need.rounds * each
    even = float(share @ (first * last / whole**2)) / max(float(visits.sum()), 1e-300)
    return (1 - np.sqrt(1 - 4 * min(even, 0.25))) / 2 * float(work.flow[here] @ whole[here])
