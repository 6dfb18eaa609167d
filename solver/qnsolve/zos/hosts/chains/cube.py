"""A Markov chain in three numbers: tasks at one server group, tasks at all others of its host, and free pieces.

Where free pieces come from elsewhere than from the groups, how many of the others are ready depends on more than their number:
while the pieces keep the processors the lines grow, and while the lines hold the tasks few pieces are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .endless import eliminated_levels, endless
from .jumps import Spread
from .plane import SPARE, joint_moves, moves

SELDOM = 0.1  # pieces that tasks of groups become, up to which moves to the nearest points only do


@dataclass(frozen=True)
class Others:
    """Tasks at the other groups: `count` of them, `busy` servers in the mean, and rates at which they come and end [1/s].

    `on` is how many of those that end go on as a free piece.
    """

    count: Array
    arrive: Array
    serve: Array
    on: float


@dataclass(frozen=True)
class Pieces:
    """Free pieces: rates at which they come from elsewhere than the groups, and end [1/s]."""

    count: Array
    arrive: Array
    serve: Array


def cube(
    levels: Array, arrive: Array, serve: Array, on: float, others: Others, pieces: Pieces, alike: bool,
    jumps: Spread | None = None,
) -> tuple[Array, Array] | None:  # fmt: skip
    """Levels and stationary chances (levels, others, pieces); None where the grid is too wide.

    Parameters
    ----------
    levels : ndarray (N,)
    arrive, serve : ndarray (N, Y, Z)
        Rates at which tasks come to the group and end there.
    on : float
        Free pieces that each of those that end becomes.
    alike : bool
        The last three levels are alike, and so are all beyond: they have no end, and what is found for the last level
        but one is that of all above the one before it, at their mean.
    jumps : Spread or None, optional
        What comes several at once to the others and the pieces, (J, Y, Z), whatever the level.
    """
    for careful in (False, True) if max(on, others.on) < SELDOM else (False,):
        here, rise, fall, mine = _rates(levels, arrive, serve, on, others, pieces, careful, jumps)
        shape = arrive.shape
        if alike:
            solved = endless(here, rise, fall, mine)
            if solved is None:
                continue
            chance, found = solved[0].reshape(-1, *shape[1:]), np.append(levels[:-2], solved[1])
        else:
            chance, found = eliminated_levels(here, rise, fall, downs_with=mine).reshape(shape), levels
        if -float(chance[chance < 0].sum()) < SPARE * float(chance.sum()):
            chance = np.maximum(chance, 0.0)
            return found, chance / chance.sum()
    return None


def _rates(
    levels: Array, arrive: Array, serve: Array, on: float, others: Others, pieces: Pieces, careful: bool, jumps: Spread | None
) -> tuple[Array, Array, Array, Array]:
    """Moves within each level (N, YZ, YZ), the diagonals 0, to the next, back, and back with one more piece (N, YZ)."""
    shape = arrive.shape
    wide_n, wide_y = _widths(levels)[:, None, None], _widths(others.count)[None, :, None]
    wide_z = np.append(np.diff(pieces.count), np.inf)[None, None, :]
    far = np.where(np.isfinite(wide_z), wide_z, 0.0)
    z_moves = pieces.arrive + pieces.serve
    mine = joint_moves(on * serve, on, arrive, z_moves, wide_n, wide_z)
    theirs = joint_moves(others.on * others.serve, others.on, others.arrive, z_moves, wide_y, wide_z)
    rise, fall = _moves(levels, arrive - serve + mine * wide_n, arrive + serve - mine * wide_n**2, 0, False)
    more, less = others.arrive + others.serve - theirs * wide_y**2, others.arrive - others.serve + theirs * wide_y
    if jumps is not None:
        less, more = less + jumps.levels[0], more + jumps.levels[1]
    y_rise, y_fall = _moves(others.count, less, more, 1, careful)
    comes = pieces.arrive + on * serve + others.on * others.serve
    both = mine + theirs
    less, more = comes - pieces.serve - both * far, comes + pieces.serve - both * far**2
    if jumps is not None:
        less, more = less + jumps.phases[0], more + jumps.phases[1]
    z_rise, z_fall = _moves(pieces.count, less, more, 2, careful)
    mine[0], theirs[:, 0] = 0.0, 0.0
    width = shape[1] * shape[2]
    here, place = np.zeros((shape[0], width, width)), np.arange(width).reshape(shape[1:])

    def put(rate: Array, start: Array, end: Array) -> None:
        here[:, start.ravel(), end.ravel()] += rate.reshape(shape[0], -1)

    put(y_rise[:, :-1], place[:-1], place[1:])
    put(y_fall[:, 1:], place[1:], place[:-1])
    put(z_rise[:, :, :-1], place[:, :-1], place[:, 1:])
    put(z_fall[:, :, 1:], place[:, 1:], place[:, :-1])
    put(theirs[:, 1:, :-1], place[1:, :-1], place[:-1, 1:])
    if jumps is not None:
        here += jumps.between
    rise, fall, mine = (rates.reshape(shape[0], width) for rates in (rise, fall, mine))
    return here, rise, fall, mine


def _widths(points: Array) -> Array:
    return np.concatenate(([1.0], np.diff(points)))


def _moves(points: Array, drift: Array, variance: Array, axis: int, careful: bool) -> tuple[Array, Array]:
    rise, fall = moves(points, np.moveaxis(drift, axis, -1), np.moveaxis(variance, axis, -1), careful)
    return np.moveaxis(rise, -1, axis).copy(), np.moveaxis(fall, -1, axis).copy()
