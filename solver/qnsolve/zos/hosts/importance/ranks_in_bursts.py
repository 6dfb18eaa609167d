"""What comes in bursts to the chain of an importance and those above it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.jumps import Burst, Jump, jumps
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import Load

from .lines_above import LinesAbove

SEEN = 1e-12  # chance of a number of tasks from which on it is told what they do


def let_in_at_once(load: Load) -> tuple[Burst, ...]:
    """Bursts no larger than the places on the CPs that the limits of their regions have: more of them come."""
    found = list[Burst]()
    for burst in load.bursts:
        places = [max(load.held[r][0] - load.held[r][1], 1.0) for r in load.region[burst.first > 0].tolist() if r in load.held]
        found.append(replace(burst, size=min(burst.size, max(places)) if places else burst.size))
    return tuple(burst for burst in found if burst.size > 1)


def one_by_one(view: HostView, count: Array) -> Array:
    """Rate at which pieces come that do not come in bursts, by how many there are [1/s]."""
    found, load = view.flows(count, count, None), view.load
    for burst in load.bursts:
        found = found - view.pieces_at_once(None, burst.first) * _each(view, burst, count)
    return np.maximum(found, 0.0)


def several_at_once(higher: HostView, lower: HostView, levels: Array, phases: Array, slower: float) -> list[Jump]:
    """What comes in bursts: those of higher importance by a clock so much slower than that of the others."""
    found = list[Jump]()
    for view, count, clock in ((lower, levels[:, None], 1.0), (higher, phases, slower)):
        for burst in view.load.bursts:
            pieces = view.pieces_at_once(None, burst.first)
            many = min(float(burst.first.sum()), pieces)  # short tasks are fewer pieces
            if many > 0:
                each = np.broadcast_to(_each(view, burst, count), (len(levels), len(phases)))
                own = jumps(burst, each, 0.0, many, clock * many / pieces)
                found += own if view is higher else [Jump(jump.phases, 0.0, jump.rate) for jump in own]
    return found


def _each(view: HostView, burst: Burst, count: Array) -> Array:
    """Transactions of a work that comes in bursts, by how many pieces are there [1/s]."""
    return np.asarray(np.interp(count, view.load.coming.count, view.load.coming.rate[:, burst.work]))


def mates_beside(lower: HostView) -> Array:
    """Half of those that each task comes with in a burst (T,): the others that it finds of it."""
    found = np.zeros(len(lower.load.flow))
    for burst in lower.load.bursts:
        found[burst.first > 0] = burst.mates(float(burst.first.sum())) / 2
    return found


def bursts_at_tcbs(higher: HostView, phases: Array, usual: tuple[Array, Array], growth: float) -> tuple[Array, Array]:
    """Rates at which tasks of bursts end that come to TCBs, and engines that they take, by their number; or as `usual`."""
    chance, ends, taken = LinesAbove(higher, growth).taken(phases)
    seen = chance > SEEN
    seen[0] = False
    return np.where(seen, ends, usual[0]), np.where(seen[:, None], taken, usual[1])
