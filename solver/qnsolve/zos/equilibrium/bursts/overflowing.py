"""How much more of eligible work finds all zIIPs taken because it comes in bursts."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places

from ..limits.limits import Limits
from ..working import Working
from .groups_at_limits import beyond
from .groups_on_the_way import in_groups
from .let_in import let_in


def overflowing(work: Working, limits: Limits) -> Array:
    """Share of the eligible pieces of tasks that goes to CPs, over that of work that comes one by one (T,)."""
    form, need = work.form, work.need
    found, eligible = np.zeros(len(form.work)), need.ziip + need.thread_ziip
    hosts = [h for h, speeds in enumerate(form.ziip_speeds) if len(speeds) and form.ziip_overflow[h]]
    hosts = [h for h in hosts if (eligible[form.host == h] > 0).any()]
    bursts = np.flatnonzero(form.in_groups).tolist() if hosts else []
    steps = [(w, step) for w in bursts for step in in_groups(work, limits, w)]
    for host in hosts:
        here = (form.host == host) & (eligible > 0)
        pieces = work.flow * need.rounds * here
        service = float(work.flow @ (eligible * here)) / max(float(pieces.sum()), 1e-300) / form.ziip_speed[host]
        groups: list[tuple[float, Array, Places]] = []
        for w, step in steps:
            most = max((n for stop, n in step.at if stop.key == ~host), default=1.0)
            first, size = let_in(work, limits, step.share * here, most)
            if size > 1:
                tail = beyond(size, float(first.sum()))
                groups.append((float(work.flow[(first > 0) & (form.work == w)].sum()) / float(tail.sum()), tail, first > 0))
        if groups:
            one_by_one = float(pieces.sum()) - sum(rate * float(tail.sum()) for rate, tail, _ in groups)
            speeds = form.ziip_speeds[host] / service
            alone = lost(speeds, [], float(pieces.sum()))[-1]
            parts = lost(speeds, [(rate, tail) for rate, tail, _ in groups], max(one_by_one, 0.0))
            found[here] = parts[-1] - alone
            for share, (_, _, some) in zip(parts, groups, strict=False):
                found[some] += (share - parts[-1]) / need.rounds[some]  # later rounds come one by one
    return found


def lost(speeds: Array, groups: list[tuple[float, Array]], single: float) -> list[float]:
    """Share of each kind of group, last of single pieces, that finds all servers taken: a chain of those at work.

    A group has a rate, and P(more than k of it), k = 0, 1, …
    """
    servers = len(speeds)
    rates, sizes = [*(rate for rate, _ in groups), single], [*(tail for _, tail in groups), np.ones(1)]
    flows = np.zeros((servers + 1, servers + 1))
    for rate, tail in zip(rates, sizes, strict=True):
        chance = -np.diff(np.append(tail, 0.0))  # of 1, 2, … of a group
        for n in range(servers):
            room = servers - n
            flows[n, n + 1 : n + 1 + min(room, len(chance))] += rate * chance[:room]
            flows[n, servers] += rate * float(chance[room:].sum())
    flows[np.arange(1, servers + 1), np.arange(servers)] += speeds
    flows -= np.diag(flows.sum(axis=1))
    flows[:, 0] = 1.0
    there = np.linalg.solve(flows.T, np.append(1.0, np.zeros(servers)))
    rooms = servers - np.arange(servers + 1)
    return [float(sum(p * tail[room:].sum() for p, room in zip(there, rooms, strict=True)) / tail.sum()) for tail in sizes]
