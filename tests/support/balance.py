"""Chances of the states of a chain by the balance of all of them: what approximate chains are held against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def stationary(shape: tuple[int, int], moves: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
    """Chances of all states in turn; each move has the two numbers that it leads to from each, and its rate there."""
    size = shape[0] * shape[1]
    here, matrix = np.arange(size), sparse.csc_matrix((size, size))
    for first, second, rate in moves:
        there = np.ravel_multi_index((first, second), shape)
        matrix += sparse.coo_matrix((rate, (there, here)), (size, size)) - sparse.coo_matrix((rate, (here, here)), (size, size))
    chance = np.append(1.0, spsolve(matrix[1:, 1:].tocsc(), -matrix[1:, 0].toarray().ravel()))
    return np.asarray(chance / chance.sum())
