"""What the chain of a group says of a limit, and what a limit leaves to it: speeds, and places."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from qnsolve.numerics.series import Array

FEW = 12  # tasks of a region up to which the grid counts them one by one
NEVER = 1e-30  # chance of a number of tasks that is left out
QUICKER = 8  # columns that a product of matrices adds up in the time of one alone
NEARLY_ALL = 1 - 1e-6  # of the others are of one region: as good as all of them
SEEN = 1e-5  # chance of a number of tasks from which on speeds are read off a chain
SURE = 1e-3  # of few tasks, each of them counted: those of rarer numbers are no better known than by their times


def speeds(levels: Array, others: Array, mine: Array, chance: Array, come: Array, leave: Array) -> Array | None:
    """Rate at which tasks of a region leave the CPs with 1, 2, … of them there, nan where that is not seen.

    There are its `levels` (N,), and of so many `others` (Y,) in the mean so many more (N, Y): each is with the same chance.
    For a few tasks, what crosses from below over the chance; for many, where the grid is wide, what leaves.
    """
    near = levels[:, None] + mine
    low = np.floor(near).astype(int)
    size = int(low.max()) + 3
    weight, crossed, ended = np.zeros((3, max(size, FEW + 3)))
    for place, part in ((low, 1 - (near - low)), (low + 1, near - low)):
        mass, at = (part * chance).ravel(), place.ravel()
        weight += np.bincount(at, mass, len(weight))
        ended += np.bincount(at, mass * leave.ravel(), len(weight))
    weight[: FEW + 1], crossed[: FEW + 1] = _few(levels, others, mine, chance, come)
    found: Array = np.full(size - 1, np.nan)
    few = (weight[1:size] > SURE) & (weight[: size - 1] > SURE) & (np.arange(size - 1) < FEW)
    many = (weight[1:size] > SEEN) & (np.arange(size - 1) >= FEW)
    found[few] = crossed[: size - 1][few] / weight[1:size][few]
    found[many] = ended[1:size][many] / weight[1:size][many]
    return found if np.isfinite(found).any() and crossed.sum() > 0 else None


def _few(levels: Array, others: Array, mine: Array, chance: Array, come: Array) -> Array:
    """Chances of 0 … FEW tasks of a region, and of these the rates at which more come (2, FEW + 1)."""
    found, first = np.zeros((2, FEW + 1)), levels <= FEW
    mine, at = mine[first], levels[first].astype(int)
    most = np.maximum(others, mine)
    share = np.minimum(np.divide(mine, most, out=np.zeros_like(mine), where=most > 0), NEARLY_ALL)
    part, odds = chance[first] * (1 - share) ** most, share / (1 - share)
    for more in range(FEW + 1):
        some = at + more <= FEW
        for place, rate in enumerate((1.0, come[first])):
            found[place] += np.bincount((at + more)[some], (part * rate).sum(axis=1)[some], FEW + 1)
        part = part * np.maximum(most - more, 0.0) / (more + 1) * odds
    return found


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
