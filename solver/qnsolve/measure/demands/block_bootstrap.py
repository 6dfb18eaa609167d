"""How far off fitted numbers may be: residuals drawn again in blocks, in units of each draw's own deviation."""

from __future__ import annotations

import numpy as np

from qnsolve.measure.checked_series import Array

from .serial_noise import SerialNoise

DRAWS = 999
SEED = 20_260  # of the draws: one set of intervals has one answer


def studentized(columns: Array, left: Array, draws: int = DRAWS) -> tuple[Array, Array, Array, float]:
    """Draws of errors in units of their deviation (B, p), errors (B, p), deviations (p,) and the neighbours' correlation.

    Parameters
    ----------
    columns : ndarray (n, p)
        Weighted, so that the noise of each row is of one size.
    left : ndarray (n,)
        Weighted values less fitted ones.

    Notes
    -----
    The residuals are freed of the correlation of neighbours, what is left of it stays in moving blocks of n^(1/3) rows
    [Kunsch1989]; blocks are drawn, the correlation is put back, the numbers are fitted again. All draws at once.
    """
    n = len(columns)
    influence = np.asarray(np.linalg.pinv(columns))
    noise = SerialNoise.of(columns, influence)
    alike = noise.alike(left[None])
    deviations = noise.deviations(left[None], alike)[0]
    serial = float(alike[0])
    leverage = np.clip(np.einsum("ij,ji->i", columns, influence), 0.0, 0.95)
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
    if abs(serial) > 0.01:
        drawn[:, 0] /= np.sqrt(1 - serial**2)
        for t in range(1, n):
            drawn[:, t] += serial * drawn[:, t - 1]
    errors, again = noise.left(drawn)
    units = noise.deviations(again, noise.alike(again))
    return errors / np.maximum(units, 1e-300), errors, deviations, serial
