"""Stationary chances of a Markov chain whose states can be numbered such that all moves go to near ones: one band matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qnsolve.numerics.band_matrix import empty_band, solved
from qnsolve.numerics.series import Array

Moves = Sequence[tuple[int, Array]]


def stationary(moves: Moves, at: int) -> Array | None:
    """Chances, not normalized: that of one state is 1; None where the balance has no solution in floats.

    Parameters
    ----------
    moves : sequence of (int, ndarray (S,))
        How many states further a move leads, and its rate in each state, 0 where that is beyond the last one.
    at : int
        The state with about the largest chance: what is exact there is exact elsewhere.

    Notes
    -----
    The balance of all states but `at`, by LU decomposition with row exchanges.
    """
    size, band = len(moves[0][1]), max(abs(step) for step, _ in moves)
    matrix = empty_band(size, band)
    middle = 2 * band
    for step, rate in moves:
        here = slice(None, size - step) if step > 0 else slice(-step, None)
        matrix[middle + step, here] += rate[here]
        matrix[middle] -= rate
    first, last = max(at - band, 0), min(at + band, size - 1)
    columns = np.arange(first, last + 1)
    matrix[middle + at - columns, columns] = 0.0
    matrix[middle, at] = 1.0
    right = np.zeros(size)
    right[at] = 1.0
    return solved(matrix, band, right)


def times(moves: Moves, ends: Array) -> Array:
    """Time until an end that comes at a rate (S,) > 0, from each state."""
    size, band = len(ends), max(abs(step) for step, _ in moves)
    matrix = empty_band(size, band)
    middle = 2 * band
    matrix[middle] = ends
    for step, rate in moves:  # to the column of the state that it leads to
        here = slice(None, size - step) if step > 0 else slice(-step, None)
        there = slice(step, None) if step > 0 else slice(None, size + step)
        matrix[middle - step, there] -= rate[here]
        matrix[middle] += rate
    found = solved(matrix, band, np.ones(size))
    assert found is not None  # each state is left: its diagonal is more than the others of its row
    return found
