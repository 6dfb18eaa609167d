"""Lines at TCBs that work with rates fills: beyond their equal share of the CPs beside users, who stay however long they are.

A TCB with a line without end gets what the others leave to one task that is always there. Lines that ask for more than that
while all of them are without end grow: which these are is found by leaving out, time and again, those that ask for less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.load import HostPoint

from .never_idle import coming_of, whereabouts_known, without

NEARLY, LOST = 0.9, 1e-3  # use of a line from which on it may be full, and what its chain loses where it is


def overloads(host: Host, point: HostPoint) -> dict[int, float]:
    """Loads of lines of a solved host that work with rates fills, by their pools."""
    if not whereabouts_known(host.load):
        return {}
    full = []
    for k in host.lines:
        its = point.groups[k]
        if its.busy > NEARLY or its.thinned < (1 - LOST) * float(host.load.flow[host.load.groups[k].tasks].sum()):
            full.append(k)
    return beyond_share(host, point.free, full)


def beyond_share(host: Host, free: float, lines: list[int]) -> dict[int, float]:
    """Loads of those of some lines that grow without end, over what they do, by their pools; `free` as in `HostPoint`."""
    load = host.load
    if load.spread is None or not (load.spread.users > 0).any():
        return {}
    asked = {k: _asked(host, k) for k in lines}
    full = [k for k in lines if asked[k] > 0]
    while full:
        speed = _speed_of_each(host, free, full)
        grow = [k for k in full if asked[k] > speed]
        if len(grow) == len(full):
            return {load.groups[k].pool: asked[k] / speed for k in full}
        full = grow
    return {}


def _asked(host: Host, k: int) -> float:
    """What work with rates asks of a line [tasks at work]."""
    load, group = host.load, host.load.groups[k]
    assert load.spread is not None
    streams = (load.spread.stream > 0)[load.work[group.tasks]]
    return float((load.flow[group.tasks] * streams) @ group.cpu)


def _speed_of_each(host: Host, free: float, full: list[int]) -> float:
    """Speed of each of several lines that are never idle, over that alone; users who come to them are all there."""
    load = host.load
    others, _ = without(host, free, full)
    spread = others.load.spread
    assert spread is not None
    tasks = np.concatenate([load.groups[k].tasks for k in full])
    pinned = np.bincount(load.work[tasks], load.visits[tasks], len(spread.users)) > 0
    spread = replace(spread, users=np.where(pinned, 0.0, spread.users))
    others = Host(replace(others.load, coming=coming_of(others.load, spread), spread=spread))
    if not others.load.groups and others.pieces <= 0:
        return min(load.engines / len(full), 1.0)
    seen = others.solve().groups or [others.of_pieces()]
    host.effort += others.effort
    return max(float(np.median([one.always for one in seen])), 1e-9)
