"""Groups of tasks that come to a limit at once: how many are there, and how long each waits for a place."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.band_matrix import NumberRates, from_below
from qnsolve.numerics.series import Array, Places, geometric

LONGEST = 20_000  # tasks in a line that are counted
TAIL = 1e-10
PASSES, POINTS = 3, 18  # of a search for speeds, each between two of so many points
LARGE, AT_ONCE = 1e200, 8  # weight from which on all are scaled, and numbers after which that is looked at
SURE = 1e-12  # chance of more of a group, below which there are none


def beyond(size: float, share: float = 1.0) -> Array:
    """P(more than k of a group), k = 0, 1, …: of `size` in the mean, its whole part or one more, each with a chance."""
    small = int(size)
    more = size - small
    if share >= 1:
        return np.append(np.ones(small), more) if more > 0 else np.ones(small)
    found = (1 - more) * np.append(_more_than(small, share), 0.0) + more * _more_than(small + 1, share)
    return np.asarray(found[: max(int(np.count_nonzero(found > SURE)), 1)])


def _more_than(number: int, share: float) -> Array:
    """P(more than k of so many), k = 0, 1, … number - 1, each of which comes with a chance."""
    k = np.arange(1.0, number + 1)
    logs = np.append(0.0, np.cumsum(np.log((number - k + 1) / k)))
    chance = np.exp(logs + np.arange(number + 1.0) * np.log(share) + (number - np.arange(number + 1.0)) * np.log1p(-share))
    return np.asarray(np.cumsum(chance[::-1])[::-1][1:])


def before_one(tail: Array) -> float:
    """Others of a group that stand before one of it, in the mean: half of its mates. `tail` is as `beyond` has it."""
    return float(np.arange(len(tail)) @ tail) / float(tail.sum())


def chances(groups: Array, single: Array, tail: Array, speed: Array) -> Array | None:
    """P(n tasks) where groups come and single tasks too; None where more come than go, however many are there.

    Parameters
    ----------
    groups, single : ndarray (LONGEST,)
        Rates at which they come, by the number there.
    tail : ndarray
        P(more than k of a group), k = 0, 1, …
    speed : ndarray
        Rates at which 1, 2, … tasks leave; the last holds beyond.
    """
    burst, last = float(tail.sum()), len(speed)
    if float(groups[-1] * burst + single[-1]) >= float(speed[-1]):
        return None

    def leave(number: Places) -> Array:
        return np.asarray(speed[np.minimum(number, last) - 1, None])

    def enough(found: Array) -> int:
        number = np.arange(len(found))
        each = number * found[:, 0]
        total, first = np.cumsum(found[:, 0]), np.cumsum(each)
        done = (each < TAIL * first) & ((number - burst) * total > first)
        return int(np.argmax(done)) + 1 if done.any() else 0

    rates = NumberRates(tail, groups.__getitem__, single.__getitem__, leave)
    found = from_below(rates, enough, LONGEST)
    return found[:, 0] / found.sum() if enough(found) else None


def speeds_by_little(groups: float, single: float, tail: Array, speed: Array, inside: float) -> Array:
    """Speeds, all in the same ratio to those given, at which so many tasks are inside in the mean (J. Little 1961).

    Product-form speeds know nothing of what tasks wait inside for others of their group, or behind unlike ones; the times
    inside do.
    """
    limit, coming = len(speed), groups * float(tail.sum()) + single
    if not 0 < inside < limit:
        return speed
    low, high = coming / float(speed[-1]), 2 * coming / float(speed[-1])
    while inside_limit(groups, single, tail, np.array([high]), speed)[0] > inside:
        low, high = high, 2 * high
    for _ in range(PASSES):
        tried = geometric(low, high, POINTS)
        found = inside_limit(groups, single, tail, tried, speed)
        place = min(max(int(np.count_nonzero(found > inside)), 1), POINTS - 1)  # the more the faster the fewer
        low, high = float(tried[place - 1]), float(tried[place])
    more, fewer = (1 / float(its) for its in found[place - 1 : place + 1])  # near the end of a line without end straight
    part = (1 / inside - more) / (fewer - more) if fewer > more else 1.0
    return speed * (low + min(max(part, 0.0), 1.0) * (high - low))


def inside_limit(groups: float, single: float, tail: Array, ratio: Array, speed: Array) -> Array:
    """Tasks inside a limit in the mean, by the ratio of its speeds to those given (n,): no line is summed.

    In equilibrium as many go as come, which tells the chance that no place is left from those of fewer tasks.
    """
    limit, coming = len(speed), groups * tail[::-1]
    coming[-1] += single
    found = np.zeros((limit, len(ratio)))
    leave = np.append(0.0, speed)[:, None] * ratio
    found[0] = 1.0
    for n in range(1, limit):
        back = min(n, len(coming))
        found[n] = coming[-back:] @ found[n - back : n] / leave[n]
        if n % AT_ONCE == 0 and found[n].max() > LARGE:
            found[: n + 1] /= np.maximum(found[n], 1.0)
    whole = float(coming.sum())
    full = ((whole - leave[:limit]) * found).sum(axis=0) / np.maximum(leave[limit] - whole, 1e-12 * whole)
    number = np.arange(float(limit))
    return np.asarray((number @ found + limit * full) / (found.sum(axis=0) + full))


def wait(chance: Array, tail: Array, speed: Array) -> float:
    """Wait for a place of one of a group, in the mean; as many places as there are speeds.

    `chance` is that of the number which the group finds, `tail` P(more than k of it), k = 0, 1, …
    """
    number = np.arange(len(chance)) - len(speed)
    each = [float(chance @ np.maximum(number + j, 0.0)) for j in range(1, len(tail) + 1)]  # of the j-th of a group
    return float(tail @ each) / float(tail.sum()) / float(speed[-1])
