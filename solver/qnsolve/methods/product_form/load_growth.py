"""Derivative of the residence time at a station of an open network by its load."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, weights


def stretch_slope(load: float, speeds: Array) -> float:
    """Derivative by the load of residence time over demand, dS/da.

    S = L/a with L the mean number at the station, and a·dL/da its variance: dS/da =
    (E[n²] − L² − L)/a². In E[n·(n − 1)] − L² for small loads, so that the digits stay.

    Parameters
    ----------
    load : float
        a = Σ λ·D, 0 or more, below the last speed.
    speeds : ndarray
        Relative speed with 1, 2, … jobs, the last one holding.

    Examples
    --------
    >>> stretch_slope(0.5, np.array([1.0]))
    4.0
    """
    last = float(speeds[-1])
    if len(speeds) == 1:
        return 1 / (last - load) ** 2
    if load == 0:
        return float(2 / (speeds[0] * speeds[1]) - 1 / speeds[0] ** 2)
    top, x = len(speeds), load / last
    w = weights(load / speeds)
    p = np.append(w[:-1], w[-1] / (1 - x))  # the last one is all states from `top` on
    p /= p.sum()
    ahead = x / (1 - x)  # the mean beyond `top` there; its variance is ahead·(1 + ahead)
    jobs = np.arange(top + 1.0)
    means = jobs.copy()
    means[-1] += ahead
    mean = float(p @ means)
    if mean < 1:
        pairs = jobs * (jobs - 1)
        pairs[-1] += 2 * ahead * (top + ahead)
        return (float(p @ pairs) - mean**2) / load**2
    variance = float(p @ (means - mean) ** 2 + p[-1] * ahead * (1 + ahead))
    return (variance - mean) / load**2
