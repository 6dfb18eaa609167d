"""Stationary chances of a Markov chain whose states can be numbered such that all moves go to near ones: one band matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import prod
from typing import Any

import numpy as np

from qnsolve.numerics.band_matrix import empty_band, solved
from qnsolve.numerics.series import Array, Places

Moves = Mapping[tuple[int, ...], Array]

GRIDS = 1000  # of which the numbers of their states are kept
NARROWER = 0.6  # band of some states over that of all, up to which it pays to leave the others out
UNSEEN = -2  # a state without a number so far
GUESSES, FAR = 3, 1e3  # states from which a chain is solved, and the chance of the likeliest over that of one that will do


def stationary(moves: Moves, likely: tuple[int, ...], last: Array | None = None) -> Array | None:
    """Chances, not normalized: that of one state is 1; None where the balance has no solution in floats.

    Parameters
    ----------
    moves : mapping of (int, …) to ndarray (N, …, Y)
        How many places further along each axis of a grid of states a move leads, and its rate in each state, 0 where that is
        beyond the grid.
    likely : (int, …)
        The state with about the largest chance: what is exact there is exact elsewhere.
    last : ndarray (Y, Y), optional
        Further rates between the states of the last of the N levels of a grid of two axes; the diagonal is not read.

    Notes
    -----
    The balance of all states but that, by LU decomposition with row exchanges.
    """
    shape = next(iter(moves.values())).shape
    grid = _Numbers.of(shape, tuple(moves)) if last is None else _Numbers(shape, (0, 1))
    steps, at = grid.flat(moves), grid.step(likely)
    size, band = grid.size, max(abs(step) for step, _ in steps)
    matrix, middle = empty_band(size, band), 2 * band
    for step, rate in steps:
        here = slice(None, size - step) if step > 0 else slice(-step, None)
        matrix[middle + step, here] += rate[here]
    matrix[middle] -= sum(rate for _, rate in steps)
    if last is not None:
        place, rate = np.arange(len(last)), last.copy()
        np.fill_diagonal(rate, 0.0)
        matrix[middle + place - place[:, None], size - len(last) + place[:, None]] += rate
        matrix[middle, size - len(last) :] -= rate.sum(axis=1)
    found = _with_one(matrix, band, at)
    return None if found is None else grid.shaped(found)


def stationary_among(moves: Moves, likely: tuple[int, ...], some: Places) -> Array | None:
    """The same of a chain on two axes that is in some of its states (N, Y) alone: 0 in the others, to which no move leads.

    None where the balance has no solution in floats, the likely state is left out, or the band is not much narrower for that.
    """
    if not some[likely]:
        return None
    number = _by_distance(some, tuple(moves))
    found, band, steps = np.zeros(some.shape), 0, list[tuple[Places, Places, Array]]()
    for (n, y), rate in moves.items():
        here, there = (
            tuple(slice(max(-way * by, 0), most - max(way * by, 0)) for by, most in zip((n, y), some.shape, strict=True))
            for way in (1, -1)
        )
        both = (number[here] >= 0) & (number[there] >= 0)
        begin, end = number[here][both], number[there][both]
        band = max(band, int(np.abs(end - begin).max(initial=0)))
        steps.append((begin, end, rate[here][both]))
    all_states = _Numbers.of(some.shape, tuple(moves))
    if band > NARROWER * max(abs(all_states.step(places)) for places in moves):
        return None
    size, at = int(number.max()) + 1, int(number[likely])
    matrix, middle = empty_band(size, band), 2 * band
    for begin, end, rates in steps:
        matrix[middle + end - begin, begin] += rates
        matrix[middle, begin] -= rates
    solution = _with_one(matrix, band, at)
    if solution is None:
        return None
    found[number >= 0] = solution[number[number >= 0]]
    return found


def _by_distance(some: Places, moves: tuple[tuple[int, ...], ...]) -> Places:
    """Numbers of some states (N, Y), bool, by how many moves lead to them from one that is far from another; -1 for others.

    So are those of a narrow strip near each other wherever it leads; what no moves lead to is left out.
    """
    wide = some.shape[1] + 2
    steps = np.unique([way * (n * wide + y) for n, y in moves for way in (1, -1)])
    inner = np.flatnonzero(np.pad(some, 1))
    first = inner[:1]
    for _ in range(2):
        number, new, count = np.full((len(some) + 2) * wide, -1), first, 0
        number[inner] = UNSEEN
        while len(new):
            number[new] = np.arange(count, count + len(new))
            count, first = count + len(new), new[:1]
            new = (new[:, None] + steps).ravel()
            new = np.unique(new[number[new] == UNSEEN])
    return np.asarray(np.maximum(number.reshape(-1, wide)[1:-1, 1:-1], -1))


def _with_one(matrix: Array, band: int, at: int) -> Array | None:
    """Chances given a band matrix of moves: that of one state is 1, instead of its balance."""
    size, middle = matrix.shape[1], 2 * band
    columns = np.arange(max(at - band, 0), min(at + band, size - 1) + 1)
    matrix[middle + at - columns, columns] = 0.0
    matrix[middle, at] = 1.0
    right = np.zeros(size)
    right[at] = 1.0
    return solved(matrix, band, right)


def anchored(moves: Moves, guess: tuple[int, ...], last: Array | None = None) -> Array | None:
    """The same given a guess of a likely state: solved again from the likeliest where the guess was far off."""
    found = stationary(moves, guess, last)
    for _ in range(GUESSES):
        if found is None or float(np.abs(found).max()) < FAR:
            return found
        found = stationary(moves, tuple(int(i) for i in np.unravel_index(int(np.abs(found).argmax()), found.shape)), last)
    return None


def likely_state(moves: Moves, sweeps: int = 1) -> tuple[int, ...]:
    """A state that is about the likeliest: of those beside it in turn, along each axis alone, all axes so many times."""
    shape = next(iter(moves.values())).shape
    found = [0] * len(shape)
    for axis in list(range(len(shape))) * sweeps:
        line: Any = (*found[:axis], slice(None), *found[axis + 1 :])
        up, down = (np.sum([rate[line] for to, rate in moves.items() if to[axis] == way], axis=0) for way in (1, -1))
        ratio = np.log(np.maximum(up[:-1], 1e-300)) - np.log(np.maximum(down[1:], 1e-300))
        found[axis] = int(np.argmax(np.concatenate(([0.0], np.cumsum(ratio)))))
    return tuple(found)


def times(moves: Moves, ends: Array) -> Array:
    """Time until an end that comes at a rate (N, …, Y) > 0, from each state; `moves` as for `stationary`."""
    return _until_ends(moves, ends, np.ones(ends.shape), backward=True)


def stays(moves: Moves, ends: Array, start: Array) -> Array:
    """Time in each state (N, …, Y) until an end that comes at a rate > 0; as likely as `start` says it begins in each.

    `moves` as for `stationary`.
    """
    return _until_ends(moves, ends, start, backward=False)


def _until_ends(moves: Moves, ends: Array, right: Array, backward: bool) -> Array:
    """What a chain that ends solves: each row is of a state and those that it leads to, `backward`, or that lead to it."""
    grid = _Numbers.of(ends.shape, tuple(moves))
    steps = grid.flat(moves)
    size, band = grid.size, max(abs(step) for step, _ in steps)
    matrix, middle = empty_band(size, band), 2 * band
    matrix[middle] = np.sum([ends.transpose(grid.order).ravel(), *(rate for _, rate in steps)], axis=0)
    for step, rate in steps:
        here = slice(None, size - step) if step > 0 else slice(-step, None)
        there = slice(step, None) if step > 0 else slice(None, size + step)
        column, away = (there, -step) if backward else (here, step)
        matrix[middle + away, column] -= rate[here]
    found = solved(matrix, band, right.transpose(grid.order).ravel())
    assert found is not None  # each state is left: its diagonal is more than the others that it leads to
    return grid.shaped(found)


@dataclass(frozen=True)
class _Numbers:
    """The numbers of the states of a grid, along its axes in the order in which the band is narrowest."""

    shape: tuple[int, ...]
    order: tuple[int, ...]

    @staticmethod
    @lru_cache(GRIDS)
    def of(shape: tuple[int, ...], moves: tuple[tuple[int, ...], ...]) -> _Numbers:
        """Those of a grid with some moves."""
        found = [_Numbers(shape, order) for order in permutations(range(len(shape)))]
        return min(found, key=lambda numbers: max(abs(numbers.step(places)) for places in moves))

    @property
    def size(self) -> int:
        """States."""
        return prod(self.shape)

    def step(self, places: tuple[int, ...]) -> int:
        """How many numbers further so many places along each axis are."""
        found = 0
        for axis in self.order:
            found = found * self.shape[axis] + places[axis]
        return found

    def flat(self, moves: Moves) -> list[tuple[int, Array]]:
        """Moves by their numbers."""
        return [(self.step(places), rate.transpose(self.order).ravel()) for places, rate in moves.items()]

    def shaped(self, found: Array) -> Array:
        """What is known of each state, on the grid."""
        there = found.reshape([self.shape[axis] for axis in self.order])
        return np.asarray(there.transpose(np.argsort(self.order)))
