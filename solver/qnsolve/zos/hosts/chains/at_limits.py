"""What the chain of a group says of a limit, and what a limit leaves to it: speeds, and places."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from qnsolve.numerics.series import Array

FEW = 12  # tasks of a region up to which the grid counts them one by one
NEVER = 1e-30  # chance of a number of tasks that is left out
QUICKER = 8  # columns that a product of matrices adds up in the time of one alone
SEEN = 1e-5  # chance of a number of tasks from which on speeds are read off a chain


def speeds(near: Array, chance: Array, come: Array, leave: Array) -> Array | None:
    """Rate at which tasks of a region leave the CPs with 1, 2, … of them there, nan where that is not seen.

    For a few tasks, what crosses from below over the chance; for many, where the grid is wide, what leaves.
    """
    low = np.floor(near).astype(int).ravel()
    part = near.ravel() - low
    size = int(low.max()) + 3
    weight, crossed, ended = np.zeros((3, size))
    for place, share in ((low, 1 - part), (low + 1, part)):
        mass = share * chance.ravel()
        weight += np.bincount(place, mass, size)
        crossed += np.bincount(place, mass * come.ravel(), size)
        ended += np.bincount(place, mass * leave.ravel(), size)
    found: Array = np.full(size - 1, np.nan)
    few = (weight[1:] > SEEN) & (weight[:-1] > SEEN) & (np.arange(size - 1) < FEW)
    many = (weight[1:] > SEEN) & (np.arange(size - 1) >= FEW)
    found[few] = crossed[:-1][few] / weight[1:][few]
    found[many] = ended[1:][many] / weight[1:][many]
    return found if np.isfinite(found).any() and crossed.sum() > 0 else None


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
