"""Limits side by side whose tasks come to the same regions below: those of one, and of all others, in one chain on a plane.

What is inside all of them meets below. In the product form it ends together at a speed of their number, and of each limit
as much of that as it has tasks there: a limit with few inside is slow while the others are full. Each with a chain of its own
would find the places below as they are in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane

UNIT, GROWTH = 14, 1.16  # tasks that are counted one by one, and growth of the steps beyond
LEFT_OUT = 1e-6  # chance of the last number of either up to which it is large enough
WIDER = 4  # attempts
SEEN = 1e-9  # chance of a number from which on its speed is known
NEAR = np.arange(-6.0, 6.1, 0.6)  # points about the middle of a long line, in roots of it
FAR = np.array([1e300])  # a number at which no users are left elsewhere


@dataclass(frozen=True, eq=False)
class Abreast:
    """One limit, or all others together.

    Attributes
    ----------
    size : int
        Places.
    hold, share : float
        Time inside of a task [s], and part of all tasks that come which come here.
    """

    size: int
    hold: float
    share: float


@dataclass(frozen=True, eq=False)
class OneOfAbreast:
    """A limit among others solved.

    Attributes
    ----------
    levels, chance, coming : ndarray (N,)
        Tasks in and before it, their chances, and the rates at which more come [1/s].
    inside : ndarray
        Chances of 0, 1, … tasks inside all limits.
    speeds : ndarray (size + 1,)
        Mean rates at which 0, 1, … tasks inside it end [1/s].
    load : float
        Work with a rate over what ends, however many are there; 0 where so many never are.
    """

    levels: Array
    chance: Array
    coming: Array
    inside: Array
    speeds: Array
    load: float


def one_of_abreast(
    own: Abreast, others: Abreast, speed: Array, come: Callable[[Array], Array], most: float, guess: tuple[float, float]
) -> OneOfAbreast:  # fmt: skip
    """The chain of a limit and all others.

    Exact where all tasks come alike to a product form below, and two limits are there.

    Parameters
    ----------
    own, others : Abreast
    speed : ndarray (own.size + others.size + 1,)
        Rate at which 0, 1, … tasks inside any of the limits end [1/s].
    come : callable
        Rate at which tasks come to all of them, by the number there.
    most : float
        Tasks that can be there.
    guess : (float, float)
        Tasks before each that are seldom exceeded.
    """
    tops = [min(most, its.size + more) for its, more in zip((own, others), guess, strict=True)]
    middles = [0.0, 0.0]
    for _ in range(WIDER):
        levels, phases = (_points(its.size, top, at) for its, top, at in zip((own, others), tops, middles, strict=True))
        total = levels[:, None] + phases[None, :]
        mine, rest = np.minimum(levels, own.size)[:, None], np.minimum(phases, others.size)[None, :]
        ended = np.interp(mine + rest, np.arange(len(speed)), speed)
        held = mine * others.hold + rest * own.hold
        part = np.divide(mine * others.hold, held, out=np.zeros_like(total), where=held > 0)
        arriving = np.where(total < most, come(total.ravel()).reshape(total.shape), 0.0)
        arrive, up = own.share * arriving, others.share * arriving
        arrive[-1], up[:, -1] = 0.0, 0.0
        serve = ended * part
        chance = plane(levels, phases, arrive, serve, 0.0, up, ended - serve).chance
        seen = chance.sum(axis=1), chance.sum(axis=0)
        at = [float(seen[0] @ levels), float(seen[1] @ phases)]
        enough = [ends[-1] < LEFT_OUT or top >= most for ends, top in zip(seen, tops, strict=True)]
        near = [middle > 0 or its <= UNIT for middle, its in zip(middles, at, strict=True)]
        if all(enough) and all(near):
            break
        tops = [top if done else min(most, 4 * top) for top, done in zip(tops, enough, strict=True)]
        middles = at
    places = np.minimum(levels, own.size).astype(int)
    there, left = (np.bincount(places, each, own.size + 1) for each in (seen[0], (chance * serve).sum(axis=1)))
    known = np.flatnonzero(there > SEEN)
    speeds = np.interp(np.arange(own.size + 1.0), known, left[known] / there[known])
    inside = np.bincount(np.rint(mine + rest).astype(int).ravel(), chance.ravel(), len(speed)).astype(float)
    stream, last = own.share * float(come(FAR)[0]), float(seen[0][-1])
    load = stream * last / max(float(chance[-1] @ serve[-1]), 1e-300) if last > LEFT_OUT else 0.0
    coming = (chance * own.share * arriving).sum(axis=1) / np.maximum(seen[0], 1e-300)
    return OneOfAbreast(levels, seen[0], coming, inside, speeds, load)


def _points(size: int, top: float, middle: float) -> Array:
    """A grid that has a limit on it, finer about the middle."""
    top = max(float(round(top)), 1.0)
    found = grid(UNIT, min(float(size), top), GROWTH)
    if size < top:
        found = np.concatenate((found, size + grid(UNIT, top - size, GROWTH)))
    near = np.rint(middle + np.sqrt(middle + 10) * NEAR)
    return np.unique(np.concatenate((found, near[(near > 0) & (near < top)] if middle > UNIT else near[:0])))
