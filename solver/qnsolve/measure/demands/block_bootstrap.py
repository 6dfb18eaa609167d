"""How far off fitted numbers may be: residuals drawn again in blocks, in units of each draw's own deviation."""

from __future__ import annotations

import numpy as np

from qnsolve.measure.checked_series import Array

from .serial_noise import LEAST, MOST, SerialNoise

DRAWS = 999
SEED = 20_260  # of the draws: one set of intervals has one answer


def studentized(
    columns: Array, left: Array, draws: int = DRAWS, before: Array | None = None
) -> tuple[Array, Array, Array, float]:
    """Draws of errors in units of their deviation (B, p), errors (B, p), deviations (p,) and the neighbours' correlation.

    Parameters
    ----------
    columns : ndarray (n, p)
        Weighted, so that the noise of each row is of one size.
    left : ndarray (n,)
        Weighted values less fitted ones.
    draws : int
    before : ndarray (n, b), optional
        Columns of numbers that were fitted to the same noise before, and stay: they too have taken their part of it.

    Notes
    -----
    The residuals are freed of the correlation of neighbours, what is left of it stays in moving blocks of n^(1/3) rows
    [Kunsch1989]; blocks are drawn, a correlation is put back, the numbers are fitted again. All draws at once. Few rows do not
    know the correlation, so each draw has one of its own: that of the rows with an error of 1/sqrt(n) in its arc sine, which
    is [Bartlett1946] of a correlation of any size.
    """
    n = len(columns)
    influence = np.asarray(np.linalg.pinv(columns))
    noise = SerialNoise.of(columns, influence, before)
    alike = noise.alike(left[None])
    deviations = noise.deviations(left[None], alike)[0]
    serial = float(alike[0])
    leverage = np.clip((noise.basis**2).sum(axis=1), 0.0, 0.95)
    whole = left / np.sqrt(1 - leverage)
    fresh = whole.copy()
    fresh[1:] -= serial * whole[:-1]
    fresh[0] *= np.sqrt(1 - serial**2)
    fresh -= fresh.mean()
    length = max(round(n ** (1 / 3)), 1)
    count = -(-n // length)
    rng = np.random.default_rng(SEED)
    begins = rng.integers(0, n, (draws, count))  # blocks go on at the begin, so that each row counts the same
    at = (begins[:, :, None] + np.arange(length)).reshape(draws, -1)[:, :n] % n
    drawn = fresh[at]
    each = np.clip(np.sin(np.arcsin(serial) + rng.normal(size=draws) / np.sqrt(n)), LEAST, MOST)
    drawn[:, 0] /= np.sqrt(1 - each**2)
    for t in range(1, n):
        drawn[:, t] += each * drawn[:, t - 1]
    errors, again = noise.left(drawn)
    units = noise.deviations(again, noise.alike(again))
    return errors / np.maximum(units, 1e-300), errors, deviations, serial
