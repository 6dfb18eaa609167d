"""Short pieces beside long ones on the CPs of a host: all of each kind in one chain, on their own scales of time.

A chain of one group sees all others as one number. Where some of them last much longer than its own pieces, queues of short
pieces build up while long ones are there: the chain of both numbers has that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool

from .chains.company import Company, along, company
from .chains.jumps import Jump, jumps
from .chains.plane import grid, plane
from .host_view import LONGEST, HostView

EDGE = 1e-6  # chance of the end of a grid
BOTH = 0.2  # share of the tasks at pieces of both kinds up to which these are of different work
APART = 2.0  # mean long piece over mean short one from which on they are told apart


@dataclass(frozen=True)
class TwoScales:
    """Short and long pieces, and how many tasks there are at each.

    Attributes
    ----------
    groups : ndarray (K,), bool
        Whether a group is of the kind that the free pieces are not of.
    without_free, with_free : float
        Tasks of each kind, waits for a TCB included [count].
    """

    groups: Places
    without_free: float
    with_free: float


class _Kind:
    """The short pieces of a host, or the long ones."""

    def __init__(self, host: HostView, groups: Places, free: Places) -> None:
        load = host.load
        chosen = [g for g, mine in zip(load.groups, groups, strict=True) if mine]
        pieces = np.where(free, host.rest, 0.0)
        self.there = pieces > 0
        for group in chosen:
            self.there[group.tasks] = True
            each, weight = group.cpu + group.spin, load.flow[group.tasks]
            mean = float(weight @ each) / max(float(weight.sum()), 1e-300)
            pieces[group.tasks] += mean if group.in_order else each  # unlike pieces in a line are seen to elsewhere
        queues = [(host.loads[i], g.servers) for i, g in enumerate(load.groups) if groups[i]]
        spin = float(load.flow[free] @ load.spin[free]) + sum(host.spins[i] for i in np.flatnonzero(groups))
        alone = float(load.flow @ np.where(free, host.rest, 0.0))
        self.load = alone + sum(q for q, _ in queues)
        self.spin = spin / max(self.load, 1e-300)
        self.flow = float(load.flow @ self.there)
        self.uneven = float(load.flow @ pieces**2) * self.flow / max(self.load, 1e-300) ** 2
        self.others: Company = company(queues, alone, load.engines, int(min(host.top, LONGEST)))


def two_scales(host: HostView) -> TwoScales | None:
    """The chain of both; None where all pieces are of like length, or work of users is there."""
    load = host.load
    on_tcbs = all(g.kind in (Pool.QR, Pool.RO) for g in load.groups)
    if not load.coming.steady or load.gated or load.held or load.fixed or not on_tcbs:
        return None
    sizes = [float(load.flow[g.tasks] @ (g.cpu + g.spin)) / max(float(load.flow[g.tasks].sum()), 1e-300) for g in load.groups]
    work = float(load.flow @ host.rest)
    alike = float(load.flow @ host.rest**2) / max(work, 1e-300)  # free pieces share the CPs alike, whatever their length
    cut = _cut(np.append(sizes, alike), np.append(host.loads, work))
    if cut is None:
        return None
    groups = np.array(sizes) <= cut
    if alike <= cut:  # those with the free pieces are the phases: what comes last
        groups = ~groups
    none, every = np.zeros(len(host.rest), dtype=bool), np.ones(len(host.rest), dtype=bool)
    first, last = _Kind(host, groups, none), _Kind(host, ~groups, every)
    both = float(load.flow @ (first.there & last.there))
    if first.load * last.load <= 0 or both > BOTH * first.flow:
        return None
    engines, most = load.engines, load.coming.most
    top = min(40 + 40 / (1 - min(host.total / engines, 0.99)), most)
    for _ in range(6):
        points = grid(engines + 12, max(top, 2.0), host.growth)
        chance = _chance(host, first, last, points, points)
        if max(float(chance[-1].sum()), float(chance[:, -1].sum())) < EDGE or top >= most:
            break
        top = min(4 * top, most)
    return TwoScales(groups, float(points @ chance.sum(axis=1)), float(points @ chance.sum(axis=0)))


def _cut(sizes: Array, loads: Array) -> float | None:
    """The size between short and long pieces that parts them best."""
    some = loads > 0
    order = np.argsort(sizes[some])
    sizes, loads = sizes[some][order], loads[some][order]
    below, logs = np.cumsum(loads)[:-1], np.cumsum(loads * np.log(sizes))
    above = loads.sum() - below
    if not len(below):
        return None
    apart = (logs[-1] - logs[:-1]) / above - logs[:-1] / below
    best = int(np.argmax(below * above * apart**2))
    return float(sizes[best]) if apart[best] > np.log(APART) else None


def _chance(host: HostView, short: _Kind, long: _Kind, levels: Array, phases: Array) -> Array:
    load = host.load
    ready_short, ready_long = along(short.others.ready, levels), along(long.others.ready, phases)
    slow_short = np.array([along(short.others.longer(r, short.spin), levels) for r in ready_long.tolist()]).T
    slow_long = np.array([along(long.others.longer(r, long.spin), phases) for r in ready_short.tolist()])
    serve = along(short.others.leave, levels)[:, None] * short.flow / slow_short
    down = along(long.others.leave, phases)[None, :] * long.flow / slow_long
    serve[0], down[:, 0] = 0.0, 0.0
    total = levels[:, None] + phases[None, :]
    works = load.coming.rate.shape[1]

    def coming(tasks: Places) -> Array:
        by_work = np.bincount(load.work, np.where(tasks, load.visits, 0.0), works)
        return np.asarray(np.interp(total, load.coming.count, load.coming.rate @ by_work))

    arrive, up = coming(short.there), coming(long.there & ~short.there)
    going = float(load.flow @ (short.there & long.there)) / max(short.flow, 1e-300)
    slower = float(np.clip(long.uneven / short.uneven, 0.5, 20.0))
    groups: list[Jump] = []
    for burst in load.bursts:
        each = np.interp(total, load.coming.count, load.coming.rate[:, burst.work])
        own, other = float(burst.first @ short.there), float(burst.first @ (long.there & ~short.there))
        arrive, up = np.maximum(arrive - own * each, 0.0), np.maximum(up - other * each, 0.0)
        groups += jumps(burst, each, own, other, slower)
    if np.isfinite(load.coming.most):
        room = total < load.coming.most
        arrive, up = arrive * room, up * room
    arrive[-1] = 0.0
    return plane(levels, phases, arrive, serve, going / slower, up / slower, down / slower, groups).chance
