"""Groups on processors that users keep full: their numbers, together, are those of the users that are there.

Where the processors are full a chain of one group says little of how many tasks are there: the number is spread evenly
between none and all. The total is not: as many as leave users enough to come at the rate that the processors deliver.
"""

from __future__ import annotations

from dataclasses import replace
from math import erf, exp, pi, sqrt

import numpy as np

from qnsolve.numerics.series import Array

from .host import Host
from .load import GroupPoint, HostPoint
from .spread import crossing

SOME = 0.7  # of the processors in use, below which all together are not looked at
LEAST = 1e-9  # tasks, and tasks a second, below which a group is as good as empty
IDLE = 1e-4  # of the processors, below which they never idle
FAR = 5.0  # standard deviations below 0 from which on the mean of what is above it is an exponential one
LITTLE = 0.1  # of all tasks, that users are at least
NEARLY = 0.97  # of the processors in use, from which on they count as full


def together(host: Host) -> HostPoint:
    """A host solved, its numbers of tasks scaled so that they add up where users keep its processors full.

    Behind limits that the processors fill, what work with rates has there stays as it is.
    """
    load, point = host.load, host.solve()
    if load.few_users or load.coming.steady or len(point.groups) < 2 or point.used < SOME * load.engines:
        return point
    used = min(point.used, load.engines)
    inside = any(group.off.any() for group in load.groups)  # a limit, whose tasks are not all on the processors
    if not inside and host.of_pieces().used > (1 - IDLE) * load.engines:  # of all as one line; limits are not seen there
        used = load.engines
    part = (used / load.engines - NEARLY) / (1 - NEARLY) * (1 - point.lined)
    if part <= 0:
        return point
    here = min(_about(load.coming.count, host.asked(), used), load.coming.most)
    there = sum(its.number + its.outside for its in point.groups) + host.pieces * point.free
    if there <= here:
        return point
    shares = [host.of_users(group.tasks) if load.held else 1.0 for group in load.groups]
    theirs = sum((1 - share) * (its.number + its.outside) for share, its in zip(shares, point.groups, strict=True))
    scale = min(max(here - theirs, LITTLE * here) / max(there - theirs, LEAST), 1.0) ** part
    total = float(load.flow @ host.cpu()) + load.fixed
    groups = []
    for group, its, share in zip(load.groups, point.groups, shares, strict=True):
        rate = float(load.flow[group.tasks].sum()) * used / total
        thinned = its.thinned ** (1 - part) * rate**part
        held = load.held.get(group.region)
        groups.append(_scaled(its, scale * share + 1 - share, thinned, None if held is None else max(held[0] - held[1], 1.0)))
    return replace(point, groups=groups, free=max(1.0, point.free * scale))


def _about(count: Array, coming: Array, used: float) -> float:
    """The mean number at which users come at what the processors deliver: about where their lines cross, and never below 0.

    Near there it is a normal number, cut at 0: in the limit of many users who think long it spreads as their root, and is well
    above 0 where the lines cross at none.
    """
    middle, spread = crossing(count, coming, used)
    if spread == 0:
        return middle
    if middle < -FAR * spread:
        return spread**2 / -middle  # as many as with arrivals that do not depend on the number
    far = middle / spread
    return middle + spread * exp(-(far**2) / 2) / (sqrt(pi / 2) * (1 + erf(far / sqrt(2))))


def _scaled(its: GroupPoint, scale: float, thinned: float, places: float | None) -> GroupPoint:
    if min(its.number, its.thinned, thinned) < LEAST:  # next to nothing comes here
        return its
    number = scale * (its.number + its.outside)
    outside = 0.0
    if places is not None:
        chance = _tilted(its.levels, its.full, number)
        outside = float(chance @ np.maximum(its.levels - places, 0.0))
    alone = its.number / (its.thinned * its.stretch)
    inside, busy = max(number - outside, thinned * alone), min(its.busy, number - outside)
    return replace(
        its, stretch=inside / (thinned * alone), service=max(1.0, busy / (thinned * alone)), number=inside, busy=busy,
        waiting=max(inside - busy, 0.0), outside=outside, thinned=thinned,
    )  # fmt: skip


def _tilted(levels: Array, chance: Array, mean: float) -> Array:
    """Chances with a smaller mean: as those of one group are where the others share what it leaves."""
    left = np.maximum(1 - levels / (levels[-1] + 1), 0.0)
    low, high = 0.0, 200.0
    for _ in range(50):
        power = (low + high) / 2
        found: Array = chance * left**power
        found = found / found.sum()
        low, high = (power, high) if float(found @ levels) > mean else (low, power)
    return found
