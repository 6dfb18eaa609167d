"""What comes in bursts to the chain of an importance and those above it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.jumps import Burst, Jump, Leaps, jumps, shared
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
    """What comes in bursts: those of higher importance by a clock so much slower than that of the others.

    Of a burst whose tasks come to both, those of both are there at once.
    """
    found, views = list[Jump](), (lower, higher)
    for work, size in sorted({(burst.work, burst.size) for view in views for burst in view.load.bursts}):
        its = [_burst(view, work, size) for view in views]
        pairs = [
            (0.0, 0.0) if burst is None else (float(burst.first.sum()), view.pieces_at_once(None, burst.first))
            for burst, view in zip(its, views, strict=True)
        ]
        own, other = (min(pair) for pair in pairs)  # short tasks are fewer pieces
        burst = its[0] or its[1]
        if own + other > 0 and burst is not None:
            view, count = (higher, phases) if its[0] is None else (lower, levels[:, None])
            often = [pieces / many if many > 0 else 1.0 for (_, pieces), many in zip(pairs, (own, other), strict=True)]
            each = np.broadcast_to(_each(view, burst, count), (len(levels), len(phases))) * often[0]
            found += jumps(burst, each, own, other, slower * often[0] / often[1], wide=True)
    return found


def _burst(view: HostView, work: int, size: float) -> Burst | None:
    """The bursts of a work that are so large."""
    return next((burst for burst in view.load.bursts if (burst.work, burst.size) == (work, size)), None)


def found_with_mates(lower: HostView, higher: HostView | None, grids: tuple[Array, Array], met: Array, own: bool) -> Array:
    """What a task of each burst finds (B, N, Y), given what any of its work does (W, N, Y): with the others that it comes with.

    Those are the ones that come to work of higher importance, and with `own` those of its own.
    """
    found = np.zeros((len(lower.load.bursts), *met.shape[1:]))
    for row, burst in zip(found, lower.load.bursts, strict=True):
        share, unit = _share_and_unit(lower, burst)
        above, other = _share_and_unit(higher, None if higher is None else _burst(higher, burst.work, burst.size))
        for size, part in burst.sizes():
            for n, chance in shared(size - 1, share):
                mates = n * unit * own, (size - 1 - n) * above / max(1 - share, 1e-12) * other
                ahead, across = (Leaps.of(grid, np.full((1, len(grid)), its)) for grid, its in zip(grids, mates, strict=True))
                (to, weight), (place, parts) = ahead.ends(), across.ends()
                seen = met[burst.work] * (part * size / burst.size * chance)
                for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    np.add.at(row, (to[0, i][:, None], place[0, j][None, :]), seen * weight[0, i][:, None] * parts[0, j])
    return found


def _share_and_unit(view: HostView | None, burst: Burst | None) -> tuple[float, float]:
    """Chance that one of a burst comes to a view, and the pieces that it is there, one at most."""
    if view is None or burst is None:
        return 0.0, 1.0
    share = float(burst.first.sum())
    return share, min(view.pieces_at_once(None, burst.first) / max(share, 1e-300), 1.0)


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
