"""Noise that is alike from one interval to the next: how much alike, and what it does to fitted numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.measure.checked_series import Array

LAGS = 60  # intervals apart beyond which noise is not alike
LEAST, MOST = -0.5, 0.9  # correlation of neighbours
SINGULAR = 1e-12  # singular value over the largest, of columns of length 1, that counts as none


@dataclass(frozen=True)
class SerialNoise:
    """What linear least squares does to noise whose neighbours have correlation r: variances as polynomials in r.

    Attributes
    ----------
    influence : ndarray (p, n)
        Fitted numbers are influence·values.
    basis : ndarray (n, q)
        Of the columns, and of those that were fitted before, each of length 1 and square to the others: what is left of values
        has nothing of them.
    spread : ndarray (lags, p)
        Products of an influence with itself so many intervals later; the first is the square.
    hat : ndarray (lags,)
        The same of the matrix that makes fitted values of values.
    """

    influence: Array
    basis: Array
    spread: Array
    hat: Array

    @classmethod
    def of(cls, columns: Array, influence: Array, before: Array | None = None) -> SerialNoise:
        """From columns (n, p), influence (p, n), and columns of numbers that the same noise gave before (n, b)."""
        n = len(columns)
        every = columns if before is None else np.hstack([columns, before])
        sides, sizes, _ = np.linalg.svd(every / np.maximum(np.linalg.norm(every, axis=0), 1e-300), full_matrices=False)
        basis = sides[:, sizes > SINGULAR * sizes[0]]
        lags = range(min(LAGS, n))
        spread = np.array([(influence[:, : n - k] * influence[:, k:]).sum(axis=1) for k in lags])
        hat = np.array([np.einsum("ij,ij->", basis[: n - k], basis[k:]) for k in lags])
        return cls(influence, basis, spread, hat)

    def left(self, values: Array) -> tuple[Array, Array]:
        """Fitted numbers (B, p) and what is left (B, n) of values (B, n)."""
        return values @ self.influence.T, values - (values @ self.basis) @ self.basis.T

    def alike(self, left: Array) -> Array:
        """Correlation of neighbours (B,) of what is left, (B, n); the share that fitting takes from it is given back."""
        n, p = self.basis.shape
        squares = np.maximum((left**2).sum(axis=1), 1e-300)
        raw = (left[:, :-1] * left[:, 1:]).sum(axis=1) / squares
        lost = self.hat[1] / max(n - p, 1) if len(self.hat) > 1 else 0.0
        return np.clip(raw + lost + np.maximum(raw + lost, 0.0) * 2 / n, LEAST, MOST)

    def deviations(self, left: Array, alike: Array) -> Array:
        """Standard deviations of the fitted numbers (B, p)."""
        powers = alike[:, None] ** np.arange(len(self.hat))
        powers[:, 1:] *= 2
        free = np.maximum(len(self.basis) - powers @ self.hat, 0.5)
        square = (left**2).sum(axis=1) / free
        return np.sqrt(square[:, None] * np.maximum(powers @ self.spread, 0.05 * self.spread[0]))
