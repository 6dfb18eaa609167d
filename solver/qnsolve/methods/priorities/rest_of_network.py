"""Return rates to a station with priorities by the number of jobs of another level there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays
from qnsolve.numerics.series import Array

LEAST = 1e-9  # jobs that are elsewhere in the mean, at least


def pace_of(
    arrays: Arrays, k: int, own: list[int], others: list[int], lengths: Array, residence: Array, seen: NDArray[np.bool_]
) -> Array:
    """Rate at which some classes return to a station by the number of others there, over the mean rate.

    The wait for others at other stations with priorities is proportional to the number of these elsewhere.
    At ordinary stations the mean wait is kept: there the others' residence would have to change too.

    Parameters
    ----------
    own, others : list of int
        Closed classes of two levels.
    lengths, residence : ndarray (R, K)
    seen : ndarray (K,) of bool
        Stations with priorities where the own level waits for the other.

    Returns
    -------
    ndarray (N + 1,)
        For 0 … N jobs of the others at station k.
    """
    jobs = int(arrays.population[others].sum())
    away = np.arange(jobs, -1, -1) / max(jobs - float(lengths[others, k].sum()), LEAST)
    flow = lengths[own].sum(axis=1) / np.maximum(residence[own].sum(axis=1), 1e-300)
    ratio = np.zeros(jobs + 1)
    for r, share in zip(own, (flow / flow.sum() if flow.sum() > 0 else np.full(len(own), 1 / len(own))).tolist(), strict=True):
        there = np.flatnonzero((arrays.demand[r] > 0) & seen & (np.arange(len(seen)) != k))
        waits = float(sum(_for_others(arrays, r, int(j), own, others, lengths, residence) for j in there))
        total = float(arrays.think_time[r] + residence[r].sum() - residence[r, k])
        ratio += share * (total - waits + waits * away) / total if total > 0 else share
    found: Array = 1 / ratio
    return found


def _for_others(arrays: Arrays, r: int, k: int, own: list[int], others: list[int], lengths: Array, residence: Array) -> float:
    """Wait of class r for classes of the other level at a station."""
    wait = max(float(residence[r, k] - arrays.demand[r, k]), 0.0)
    ahead = float(lengths[others, k].sum())
    alike = float(lengths[own, k].sum() - lengths[r, k] / arrays.population[r])
    if not ahead > 0:
        return 0.0
    own_service = arrays.demand[r, k] / arrays.top[k] * alike
    return max(wait - float(own_service), 0.0)
