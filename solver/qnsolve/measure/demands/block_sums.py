"""How far off numbers fitted to very many rows may be: sums of blocks of rows are drawn again, not the rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from qnsolve.measure.checked_series import Array

from .block_bootstrap import DRAWS, SEED

MANY = 2000  # rows from which on blocks are summed
BLOCKS = 400


def drawn_sums(columns: Array, left: Array, draws: int = DRAWS) -> tuple[Array, Array, Array, float]:
    """As `studentized` of few rows: draws in units of their deviation, errors, deviations, correlation of neighbours.

    Parameters
    ----------
    columns : ndarray (n, p)
        Weighted.
    left : ndarray (n,)
        Weighted values less fitted ones.

    Notes
    -----
    Blocks of neighbours, 400 of them, are drawn with what they add to the normal equations: whatever is alike within a
    block stays so.
    """
    n, p = columns.shape
    edges = np.linspace(0, n, BLOCKS + 1).round().astype(int)
    squares, pulls = np.empty((BLOCKS, p, p)), np.empty((BLOCKS, p))
    for b, (begin, end) in enumerate(pairwise(edges.tolist())):
        part = columns[begin:end]
        squares[b], pulls[b] = part.T @ part, part.T @ left[begin:end]
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(BLOCKS, np.full(BLOCKS, 1 / BLOCKS), draws).astype(float)
    whole = (counts @ squares.reshape(BLOCKS, -1)).reshape(draws, p, p)
    whole += 1e-12 * np.trace(squares.sum(axis=0)) / p * np.eye(p)
    errors: Array = np.asarray(np.linalg.solve(whole, (counts @ pulls)[:, :, None]))[:, :, 0]
    deviations: Array = np.asarray(np.maximum(errors.std(axis=0), 1e-300) * np.sqrt(BLOCKS / (BLOCKS - p)))
    serial = float(left[1:] @ left[:-1] / max(float(left @ left), 1e-300))
    return errors / deviations, errors, deviations, serial


def condensed(columns: Array, values: Array) -> tuple[Array, Array]:
    """Few rows with the same least squares: the triangle of columns and values; few rows as they are."""
    n, p = columns.shape
    if n <= max(MANY, 4 * p):
        return columns, values
    triangle: Array = np.asarray(np.linalg.qr(np.column_stack([columns, values]), mode="r"))
    return triangle[:, :-1], triangle[:, -1]
