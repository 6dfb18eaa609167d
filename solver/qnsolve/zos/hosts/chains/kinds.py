"""A server that serves pieces of unlike kinds in order of arrival, beside all others on the processors: a Markov chain.

Its level is the tasks at the server, its phases are the kind of the piece in service (of the next one, where none is) and
the number of others. The kind is drawn when the piece before it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from qnsolve.numerics.series import Array, Places

from .banded import anchored, likely_state, stationary
from .endless import eliminated_blocks, endless_blocks
from .plane import LARGE, SPARE, STIFF, among, plane_moves, too_wide
from .windows import KeptWindows, windowed

LITTLE = 1e-12  # chance of a level over that of all below, from which on no more are looked at


@dataclass(frozen=True, eq=False)
class KindRates:
    """Rates while a piece of one kind is in service.

    Attributes
    ----------
    share : float
        Of the pieces that are of this kind.
    arrive, serve : ndarray (N, Y)
        Rates at which the level grows and falls by one task.
    follow : float or ndarray (N, Y)
        Share of those served that go on as one more of the others.
    up, down : ndarray (N, Y)
        Rates at which the others grow and fall by one task.
    """

    share: float
    arrive: Array
    serve: Array
    follow: Array | float
    up: Array
    down: Array

    def at(self, some: tuple[Array, ...]) -> KindRates:
        """The same on some points of the grids."""
        follow = among(self.follow, some)
        return KindRates(self.share, self.arrive[some], self.serve[some], follow, self.up[some], self.down[some])


def plane_of_kinds(
    levels: Array, phases: Array, kinds: list[KindRates], alike: bool, windows: KeptWindows | None = None
) -> tuple[Array, Array] | None:
    """Levels and stationary chances (N, K, Y); None where there are none.

    Parameters
    ----------
    levels, phases : ndarray (N,), (Y,)
    kinds : list of KindRates
    alike : bool
        All levels from the last but two on are alike, without end; what is found has one for all of these, at their mean.
    windows : KeptWindows, optional
        As for `windowed`.
    """
    means, seen = [0.0], list[tuple[Places, Places, Array]]()

    def solve(rows: Places, columns: Places, likely: tuple[int, ...] | None) -> Array | None:
        some, shape = np.ix_(rows, columns), (-1, len(kinds), len(columns))
        its = [kind.at(some) for kind in kinds]
        look = likely is None and len(rows) * len(columns) < len(levels) * len(phases)  # to see where the chances are
        size = len(levels), len(phases)
        known = windows is not None and likely is not None and windows.careful.get(size, False)
        for careful in (False, True)[(look and not alike) or known :]:
            moves = _moves(levels[rows], phases[columns], its, careful)
            large = seen and likely is not None and len(rows) * len(columns) > LARGE
            if large and not careful and too_wide(list(moves.values()), rows, columns, *seen[0]):
                continue
            chance: Array | None = None
            if alike:
                solved = endless_blocks(*_blocks(moves))
                if solved is not None:
                    chance, means[0] = solved
            elif look:
                chance = anchored(moves, likely_state(moves, 2))
            elif likely is not None:
                chance = stationary(moves, (likely[0] - int(rows[0]), likely[1], likely[2] - int(columns[0])))
            if chance is None and not alike:
                chance = eliminated_blocks(*_blocks(moves))
            if chance is not None and -float(chance[chance < 0].sum()) < SPARE * float(chance.sum()):  # False for nan
                if windows is not None and likely is not None:
                    windows.careful[size] = careful
                chance = np.maximum(chance, 0.0)
                found = (chance / chance.sum()).reshape(shape)
                seen[:] = [(rows, columns, found)] if look and not alike else seen
                return found
        return None

    whole = windowed(levels, phases, solve, alike, windows)
    return None if whole is None else (np.append(levels[:-2], means[0]) if alike else levels, whole)


_Moves = dict[tuple[int, ...], Array]


def _moves(levels: Array, phases: Array, kinds: list[KindRates], careful: bool) -> _Moves:
    """Rates (N, K, Y) in each state, by how many levels, kinds, and phases further a move leads."""
    shape = (len(levels), len(kinds), len(phases))
    found: _Moves = {}

    def put(step: tuple[int, int, int], k: int, rate: Array) -> None:
        found.setdefault(step, np.zeros(shape))[:, k] += rate

    for k, kind in enumerate(kinds):
        most = STIFF * max(float(kind.serve.max()), float(kind.down.max()))
        arrive, up = np.minimum(kind.arrive, most), np.minimum(kind.up, most)
        rise, fall, joint, ups, downs, _ = plane_moves(
            levels, phases, arrive, kind.serve, kind.follow, up, kind.down, careful, None
        )
        same = np.maximum(kind.serve - fall - joint, 0.0)  # steps of the levels wider than one task
        for step, rate in (((1, 0, 0), rise), ((0, 0, 1), ups), ((0, 0, -1), downs)):
            put(step, k, rate)
        for other, its in enumerate(kinds):
            put((-1, other - k, 0), k, its.share * fall)
            put((-1, other - k, 1), k, its.share * joint)
            if other != k:
                put((0, other - k, 0), k, its.share * same)
    return found


def _blocks(moves: _Moves) -> tuple[Array, Array, Array]:
    """Rates within each level, to the next one, and to the one before (N, K·Y, K·Y)."""
    count, kinds, width = moves[1, 0, 0].shape
    blocks = np.zeros((2, count, kinds, width, kinds, width))  # here, and down
    for (level, kind, phase), rate in moves.items():
        k, y = np.arange(max(-kind, 0), kinds - max(kind, 0)), np.arange(max(-phase, 0), width - max(phase, 0))
        if level < 1:
            some = np.ix_(k, y)
            blocks[-level, :, some[0], some[1], some[0] + kind, some[1] + phase] += rate[:, some[0], some[1]].transpose(1, 2, 0)
    size = kinds * width
    here, down = blocks.reshape(2, count, size, size)
    return here, moves[1, 0, 0].reshape(count, size), down


def passed_of_kinds(count: Array, away: float, share: Array, time: Array) -> Array:
    """Pieces a second that a server in order of arrival ends for `count` tasks that come back after a time `away` (N,).

    What crosses from one level to the next comes back: so each level follows from the one below.

    Parameters
    ----------
    count : ndarray (N,)
        Tasks, 1 or more.
    away : float
        [s].
    share, time : ndarray (K,)
        Of each kind its share of the pieces, and its mean time at the server, exponential [s].
    """
    ends, there = 1 / time, np.tile(share, (len(count), 1))  # of the piece in service, by the chances of its kind
    chance, whole, number = np.ones((3, len(count)))
    number[:] = 0.0
    for level in range(1, int(count.max()) + 1):
        came, more = (np.maximum(count - level + more, 0.0)[:, None] / away for more in (1, 0))
        left, again = came * there / (more + ends), more * share / (more + ends)
        ratio = left.sum(axis=1) / (1 - again.sum(axis=1))
        there = np.divide(left, ratio[:, None], out=np.zeros_like(left), where=ratio[:, None] > 0) + again
        chance = chance * ratio
        whole, number = whole + chance, number + level * chance
        if (chance <= LITTLE * whole).all() and (ratio < 1).all():
            break
        scale = np.maximum(whole, 1.0)
        chance, whole, number = chance / scale, whole / scale, number / scale
    return np.asarray((count - number / whole) / away)


def passed_of_two(count: int, share: Array, time: Array, away: Array) -> float:
    """Pieces a second that a server in order of arrival ends for tasks of two kinds, each back after a time of its own.

    Whatever ends is followed by another task of either kind, as where a limit is always full: the line is of both as they
    come. A state is how many of each kind are away, and which is in service.

    Parameters
    ----------
    count : int
    share, time, away : ndarray (2,)
        Of each kind its share of the pieces, its mean time at the server, and that until it is back, exponential [s].

    Examples
    --------
    Pieces of one length are those of a product form:

    >>> round(passed_of_two(1, np.array([0.3, 0.7]), np.ones(2), np.array([2.0, 2.0])), 6)
    0.333333
    """
    i, j, kind = np.ogrid[: count + 1, : count + 1, :2]
    here = count - i - j  # at the server, the one in service included
    some, idle = (here > 0) & (kind >= 0), (here == 0) & (kind == 0)
    moves: dict[tuple[int, ...], Array] = {
        (0, 0, -1): np.where((here == 0) & (kind == 1), 1.0, 0.0)
    }  # beyond: no state, and left at once

    def put(step: tuple[int, int, int], rate: Array) -> None:
        moves[step] = moves.get(step, np.zeros(some.shape)) + rate

    put((-1, 0, 0), np.where(here < 0, 1.0 * (i > 0), 0.0) + 0.0 * kind)
    for step, back in (((-1, 0), i / away[0]), ((0, -1), j / away[1])):
        put((*step, 0), some * back + idle * back * share[0])
        put((*step, 1), idle * back * share[1])
    for own, step in enumerate(((1, 0), (0, 1))):
        ends = some * (kind == own) / time[own]
        for other in (0, 1):
            put((*step, other - own), ends * np.where(here > 1, share[other], float(other == 0)))
    found = anchored(moves, (min(count // 2, count), 0, 0))
    if found is None:
        return nan
    chance = found * (some | idle)
    return float((chance * some / time[kind]).sum() / chance.sum())
