"""How much single responses vary, from their percentiles: the coefficient of variation of a gamma distribution."""

from __future__ import annotations

import numpy as np

from qnsolve.measure.checked_series import Array

LEAST, MOST = 0.01, 2.0  # coefficients of variation: beyond, more variation no longer raises a percentile
STEPS = 60


def variation_of(ratio: Array, share: float) -> Array:
    """Coefficient of variation (n,) where the percentile of a share, 0.9 or more, is so many times the mean.

    Parameters
    ----------
    ratio : ndarray (n,)
        Percentile over mean, above 1.
    share : float
        0.95 for the 95th percentile.

    Notes
    -----
    0.01 where the ratio is 1 or less, 2 where it is beyond that of a coefficient of 2.

    Examples
    --------
    >>> variation_of(np.array([np.log(20)]), 0.95).round(6)  # exponential
    array([1.])
    """
    low, high = np.full(np.shape(ratio), LEAST), np.full(np.shape(ratio), MOST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = _percentile(middle, share) > ratio
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray((low + high) / 2)


def _percentile(variation: Array, share: float) -> Array:
    """Of a gamma distribution of mean 1."""
    from scipy.special import gammaincinv  # imported here, because it is slow and fits of means do without

    shape = variation**-2.0
    return np.asarray(gammaincinv(shape, share) / shape)
