"""The first load of a path that a system does not hold, by as few solutions as can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from qnsolve.numerics.series import Array

from .load_points import LoadPoint, LoadPoints
from .loads.load_path import DatedLoad

MOST = 200  # solutions of one search
STEEP = 1e-6  # change of a reciprocal below which a line through it says nothing


def first_failing(points: LoadPoints, loads: Sequence[DatedLoad], start: int = 0, needed: Sequence[int] = ()) -> int:
    """The place of the first load that does not hold; their number where all do.

    Parameters
    ----------
    points : LoadPoints
    loads : sequence of DatedLoad
        In the order of time.
    start : int, default 0
        The load that is solved first.
    needed : sequence of int, optional
        Loads that are solved anyway if they hold: taken in place of others near them.

    Notes
    -----
    A load that no earlier one falls short of in any work decides; the others hold if it does. Where each of these exceeds
    the one before in all work, the search brackets the first that fails and follows the reciprocal of the time spent
    waiting, which falls nearly in a line with the load; otherwise each of them is looked at in turn.
    """
    places = _records(loads)
    rising = all((loads[b].factors >= loads[a].factors).all() for a, b in pairwise(places))
    if not rising:
        return next((at for at in places if not _holds(points, loads[at])), len(loads))
    low, high = -1, len(places)  # held, and failed
    wanted = {places.index(at) for at in needed if at in places}
    sizes = [_size(points, loads[at].factors) for at in places]
    guess = max(sum(at <= start for at in places) - 1, 0)
    for _ in range(MOST):
        if high - low <= 1:
            break
        guess = min(max(guess, low + 1), high - 1)
        near = [place for place in wanted if low < place <= guess] or [place for place in wanted if low < place < high]
        if near:
            guess = max((place for place in near if place <= guess), default=min(near))
        load = loads[places[guess]]
        if _holds(points, load):
            low = guess
        else:
            high = guess
        tried = [(_size(points, each.factors), each) for each in points.solved()]
        guess = _ahead(points, tried, sizes, low, high)
    return places[high] if high < len(places) else len(loads)


def _holds(points: LoadPoints, load: DatedLoad) -> bool:
    known = points.holds(load.factors)
    return points.at(load.factors).holds if known is None else known


def _records(loads: Sequence[DatedLoad]) -> list[int]:
    """Places of the loads that none before them exceeds or equals in all work."""
    found: list[int] = []
    front = np.empty((0, len(loads[0].factors) if loads else 0))
    for at, load in enumerate(loads):
        if not len(front) or not (front >= load.factors * (1 - 1e-12)).all(axis=1).any():
            found.append(at)
            front = np.vstack([front[~(front <= load.factors).all(axis=1)], load.factors])
    return found


def _size(points: LoadPoints, factors: Array) -> float:
    """How large a load is: the mean factor of all work, each by the CPU that it needs."""
    return float(points.weights @ factors)


def _ahead(points: LoadPoints, tried: Sequence[tuple[float, LoadPoint]], sizes: Sequence[float], low: int, high: int) -> int:
    """The last place that should still hold."""
    if not tried:
        return (low + high) // 2
    most = np.inf
    by_size = sorted(tried, key=lambda item: item[0])
    size, last = by_size[-1]
    full = max(last.plain_loads, default=0.0)
    if full > 0:
        most = size / full
    if len(by_size) > 1:
        most = min(most, _crossing(points, by_size[-2], by_size[-1]))
    place = int(np.searchsorted(sizes, most))  # the first that is larger
    if place > high:  # it failed before: the lines say too much
        return (low + high) // 2
    return min(max(place - 1, low + 1), high - 1)


def _crossing(points: LoadPoints, first: tuple[float, LoadPoint], second: tuple[float, LoadPoint]) -> float:
    """The size at which a target is missed or a wait has no end, along lines through the reciprocals of waits."""
    (a, before), (b, after) = first, second
    found = np.inf
    for w, service in enumerate(points.service):
        waits = [max(float(each.response[w]) - service, 1e-12) for each in (before, after)]
        fall = 1 / waits[0] - 1 / waits[1]
        if fall * service < STEEP or b <= a:
            continue
        target = points.targets.get(w, np.inf)
        level = 1 / max(target - service, 1e-12) if np.isfinite(target) else 0.0
        found = min(found, b + (1 / waits[1] - level) * (b - a) / fall)
    return found
