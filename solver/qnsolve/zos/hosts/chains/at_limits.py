"""What the chain of a group says of a limit, and what a limit leaves to it: speeds, and places."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from qnsolve.numerics.series import Array

FEW = 12  # tasks of a region up to which the grid counts them one by one
NEVER = 1e-30  # chance of a number of tasks that is left out
QUICKER = 8  # columns that a product of matrices adds up in the time of one alone
NEARLY_ALL = 1 - 1e-6  # of the others are of one region: as good as all of them
MOST = 20_000  # tasks of a region that are counted one by one: more than any limit has places
SEEN = 1e-5  # chance of a number of tasks from which on speeds are read off a chain
REACH = 0.15  # of a number of tasks, how far from it what leaves counts where the grid is wide
SURE = 1e-3  # of few tasks, each of them counted: those of rarer numbers are no better known than by their times


def speeds(
    levels: Array, others: Array, mine: Array, chance: Array, come: Array, leave: Array,
    groups: Sequence[tuple[float, Array]] = (),
) -> Array | None:  # fmt: skip
    """Rate at which tasks of a region leave the CPs with 1, 2, … of them there, nan where that is not seen.

    There are its `levels` (N,), and of so many `others` (Y,) in the mean so many more (N, Y): each is with the same chance.
    They `come` one by one, and in `groups` of a size at a rate.
    For a few tasks, what crosses from below over the chance; for many, where the grid is wide, what leaves.
    """
    whole = levels[:, None] + mine
    size, there = int(min(whole.max(), MOST)) + 3, _seen(chance)
    near = np.minimum(whole[there], MOST)
    low = np.floor(near).astype(int)
    weight, crossed, ended = np.zeros((3, max(size, FEW + 3)))
    for place, part in ((low, 1 - (near - low)), (low + 1, near - low)):
        mass, at = (part * chance[there]).ravel(), place.ravel()
        weight += np.bincount(at, mass, len(weight))
        ended += np.bincount(at, mass * leave[there].ravel(), len(weight))
    weight[: FEW + 1], crossed[: FEW + 1] = _few(levels, others, mine, chance, come)
    for group, rate in groups:  # what comes crosses as many numbers
        from_here = _few(levels, others, mine, chance, rate)[1]
        for further in range(min(ceil(group), FEW + 1)):
            crossed[further : FEW + 1] += min(group - further, 1.0) * from_here[: FEW + 1 - further]
    found: Array = np.full(size - 1, np.nan)
    few = (weight[1:size] > SURE) & (weight[: size - 1] > SURE) & (np.arange(size - 1) < FEW)
    many = (weight[1:size] > SEEN) & (np.arange(size - 1) >= FEW)
    found[few] = crossed[: size - 1][few] / weight[1:size][few]
    found[many] = ended[1:size][many] / weight[1:size][many]
    _of_wide_grids(found, whole, (_beyond(levels), _beyond(others)), mine / np.maximum(others, 1e-300), chance, leave)
    return found if np.isfinite(found).any() and crossed.sum() > 0 else None


def _seen(chance: Array) -> tuple[slice, slice]:
    """The points of both grids from the first to the last with a chance."""
    found = [np.flatnonzero(chance.any(axis=axis)) for axis in (1, 0)]
    rows, columns = (slice(int(some[0]), int(some[-1]) + 1) if len(some) else slice(None) for some in found)
    return rows, columns


def _of_wide_grids(
    found: Array, near: Array, beyond: tuple[tuple[Array, Array], ...], share: Array, chance: Array, leave: Array
) -> None:  # fmt: skip
    """Put in the speeds of numbers where points of a grid stand for more than one; how far they go `beyond` them, of either.

    Each is that of all numbers near it: what is at one point of a wide grid does not go with one number.
    """
    low, high = (near + sign * (n[:, None] + share * y) for sign, n, y in zip((-1, 1), *beyond, strict=True))
    wide = high > near
    if not wide.any():
        return
    there = _seen(chance)
    ends, masses = (low[there], high[there]), (chance[there], chance[there] * leave[there])
    weight, ended = (_counted(*ends, mass, len(found) + 1) for mass in masses)
    last = int(np.flatnonzero(weight > SURE).max(initial=0))
    number = np.arange(max(int(near[wide].min()), FEW) + 1, last + 1)
    if len(number):
        among, left = (np.append(0.0, its.cumsum()) for its in (weight, ended))
        before, after = (number * (1 - REACH)).astype(int), np.minimum(number * (1 + REACH), last).astype(int) + 1
        there = among[after] - among[before]
        found[number - 1] = np.divide(left[after] - left[before], there, out=np.full(len(number), np.nan), where=there > NEVER)
        found[last:] = np.nan


def _beyond(points: Array) -> tuple[Array, Array]:
    """How far what a point of a grid stands for goes below and above it, beyond a half."""
    half = np.maximum(np.diff(points) - 1, 0.0) / 2
    return np.append(0.0, half), np.append(half, half[-1:])


def _counted(low: Array, high: Array, mass: Array, size: int) -> Array:
    """What there is of some masses at each of the numbers 0 … size - 1, each evenly from a half below one to a half above.

    Grids of whole numbers that are far apart would have what is between them nowhere.
    """
    edges, steep = np.arange(size + 1.0) - 0.5, (mass / (high - low + 1)).ravel()
    found = np.zeros(size + 1)
    for begin, sign in ((low.ravel() - 0.5, 1.0), (high.ravel() + 0.5, -1.0)):
        place = np.minimum(np.ceil(begin + 0.5), size + 1).astype(int)  # of the first edge that is no lower
        slopes, starts = (np.bincount(place, its, size + 2)[: size + 1].cumsum() for its in (steep, steep * begin))
        found += sign * (slopes * edges - starts)
    return np.diff(found)


def _few(levels: Array, others: Array, mine: Array, chance: Array, come: Array) -> Array:
    """Chances of 0 … FEW tasks of a region, and of these the rates at which more come (2, FEW + 1)."""
    first = (levels <= FEW) & chance.any(axis=1)
    mine, at = mine[first], levels[first].astype(int)
    most = np.maximum(others, mine)
    share = np.minimum(np.divide(mine, most, out=np.zeros_like(mine), where=most > 0), NEARLY_ALL)
    more = np.arange(FEW)[:, None, None]
    ratios = np.maximum(most - more, 0.0) / (more + 1) * (share / (1 - share))
    parts = np.cumprod(
        np.concatenate(((chance[first] * (1 - share) ** most)[None], ratios)), axis=0
    )  # so many more of the others
    whole = np.arange(FEW + 1)[:, None] + at
    some = whole <= FEW
    each = parts.sum(axis=2), np.einsum("mny,ny->mn", parts, np.broadcast_to(come, chance.shape)[first])
    return np.array([np.bincount(whole[some], its[some], FEW + 1) for its in each])


def slots(size: int, pieces: Array, share: float, away: float) -> Array:
    """P(s places of `size` are left), s = 0 … size, for each mean number of pieces on the CPs (Y, size + 1).

    Each of the pieces is the region's with chance `share`; its tasks off the CPs are Poisson with mean `away`.
    """
    low = np.floor(pieces).astype(int)
    whole, place = np.unique(np.concatenate((low, low + 1)), return_inverse=True)
    n, j = whole[:, None], np.arange(size + 1)
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, max(int(whole[-1]), size) + 1)))))  # their logs
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = factorial[n] - factorial[j] - factorial[np.maximum(n - j, 0)]
        logs = logs + np.where(j > 0, j * np.log(share), 0) + np.where(n > j, (n - j) * np.log(1 - share), 0)
    own = np.where(j <= n, np.exp(np.nan_to_num(logs, nan=-np.inf)), 0.0)  # those with more than `size` count as that many
    own[:, -1] += np.maximum(1 - own.sum(axis=1), 0.0)
    off = np.exp(np.maximum(j * np.log(max(away, 1e-12)) - away - factorial[j], -700.0))
    taken = _sums(own, off)
    taken[:, -1] += np.maximum(1 - taken.sum(axis=1), 0.0)
    below, above = taken[place[: len(low)]], taken[place[len(low) :]]
    found: Array = below + (pieces - low)[:, None] * (above - below)
    return found[:, ::-1]


def _sums(own: Array, off: Array) -> Array:
    """Chances of the sum of two numbers (P, size + 1), of what is up to size, given those of both."""
    size, last = own.shape[1] - 1, own[:, -1] * off[0]
    here, there = (np.flatnonzero(chance > NEVER) for chance in (own[:, :-1].max(axis=0), off))
    few, some = int(here.max(initial=0)) + 1, there.tolist()
    if QUICKER * len(some) < few:  # one after another
        found = np.zeros(own.shape)
        for n in some:
            found[:, n:size] += off[n] * own[:, : size - n]
            found[:, -1] += off[n] * own[:, size - n] * (n > 0)
    else:
        found = own[:, :few] @ sliding_window_view(np.concatenate((np.zeros(few - 1), off)), size + 1)[::-1]
    found[:, -1] += last
    return found
