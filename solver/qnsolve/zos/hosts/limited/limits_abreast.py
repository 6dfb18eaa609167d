"""Limits side by side whose tasks come to the same regions below: those of one, and of all others, in one chain on a plane.

What is inside all of them meets below. In the product form it ends together at a speed of their number, and of each limit
as much of that as it has tasks there: a limit with few inside is slow while the others are full. Each with a chain of its own
would find the places below as they are in the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.chains.windows import KeptWindows, kept_windows

UNIT, GROWTH = 14, 1.16  # tasks that are counted one by one, and growth of the steps beyond
LEFT_OUT = 1e-6  # chance of the last number of either up to which it is large enough
WIDER = 4  # attempts
SEEN = 1e-9  # chance of a number from which on its speed is known
NEAR = np.arange(-6.0, 6.1, 0.6)  # points about the middle of a long line, in roots of it
FAR = np.array([1e300])  # a number at which no users are left elsewhere


@dataclass(frozen=True)
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


def limits_abreast(
    limits: Sequence[Abreast], speed: Array, come: Callable[[Array], Array], most: float, guess: float,
    known: dict[tuple[int, int], KeptWindows],
) -> list[OneOfAbreast]:  # fmt: skip
    """Each of several limits beside all others: two have one chain, and equal ones are solved once.

    `guess` is the number of tasks before each that is seldom exceeded, `known` where the chances of these chains were the last
    time; the others as for `one_of_abreast`.
    """
    if len(limits) == 2:
        return list(_two(limits[0], limits[1], speed, come, most, (guess, guess), known))
    size, inside = sum(its.size for its in limits), sum(its.share * its.hold for its in limits)
    found = dict[Abreast, OneOfAbreast]()
    for its in limits:
        if its not in found:
            others = Abreast(size - its.size, (inside - its.share * its.hold) / (1 - its.share), 1 - its.share)
            found[its] = one_of_abreast(its, others, speed, come, most, (guess, guess), known)
    return [found[its] for its in limits]


def one_of_abreast(
    own: Abreast, others: Abreast, speed: Array, come: Callable[[Array], Array], most: float, guess: tuple[float, float],
    known: dict[tuple[int, int], KeptWindows] | None = None,
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
    known : dict, optional
        Where the chances of such chains were the last time.
    """
    return _two(own, others, speed, come, most, guess, {} if known is None else known)[0]


def _two(
    own: Abreast, others: Abreast, speed: Array, come: Callable[[Array], Array], most: float, guess: tuple[float, float],
    known: dict[tuple[int, int], KeptWindows],
) -> tuple[OneOfAbreast, OneOfAbreast]:  # fmt: skip
    """The chain of two limits, and what it says of each."""
    loads = np.array([own.hold, own.share, others.hold, speed[-1], *come(speed.size * np.array([0.0, 0.5, 1.0])), most])
    windows = kept_windows(known, (own.size, others.size), loads)
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
        chance = plane(levels, phases, arrive, serve, 0.0, up, ended - serve, windows=windows).chance
        seen = chance.sum(axis=1), chance.sum(axis=0)
        at = [float(seen[0] @ levels), float(seen[1] @ phases)]
        enough = [ends[-1] < LEFT_OUT or top >= most for ends, top in zip(seen, tops, strict=True)]
        near = [middle > 0 or its <= UNIT for middle, its in zip(middles, at, strict=True)]
        if all(enough) and all(near):
            break
        tops = [top if done else min(most, 4 * top) for top, done in zip(tops, enough, strict=True)]
        middles = at
    inside = np.bincount(np.rint(mine + rest).astype(int).ravel(), chance.ravel(), len(speed)).astype(float)

    def of(its: Abreast, levels: Array, chance: Array, served: Array, arriving: Array) -> OneOfAbreast:
        seen, places = chance.sum(axis=1), np.minimum(levels, its.size).astype(int)
        there, left = (np.bincount(places, each, its.size + 1) for each in (seen, (chance * served).sum(axis=1)))
        known = np.flatnonzero(there > SEEN)
        speeds = np.interp(np.arange(its.size + 1.0), known, left[known] / there[known])
        stream, last = its.share * float(come(FAR)[0]), float(seen[-1])
        load = stream * last / max(float(chance[-1] @ served[-1]), 1e-300) if last > LEFT_OUT else 0.0
        coming = (chance * its.share * arriving).sum(axis=1) / np.maximum(seen, 1e-300)
        return OneOfAbreast(levels, seen, coming, inside, speeds, load)

    return of(own, levels, chance, serve, arriving), of(others, phases, chance.T, (ended - serve).T, arriving.T)


def _points(size: int, top: float, middle: float) -> Array:
    """A grid that has a limit on it, finer about the middle."""
    top = max(float(round(top)), 1.0)
    found = grid(UNIT, min(float(size), top), GROWTH)
    if size < top:
        found = np.concatenate((found, size + grid(UNIT, top - size, GROWTH)))
    near = np.rint(middle + np.sqrt(middle + 10) * NEAR)
    return np.unique(np.concatenate((found, near[(near > 0) & (near < top)] if middle > UNIT else near[:0])))
