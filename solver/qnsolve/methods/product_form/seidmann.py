"""Approximate throughputs for a tilt: Bard-Schweitzer, with servers split as Seidmann does (`amva` is the method)."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array


def schweitzer(population: Array, think_time: Array, demand: Array, first: Array, top: Array, tolerance: float = 1e-6) -> Array:
    """Approximate throughputs of closed networks [jobs/time], shape (..., R), with any leading axes.

    Parameters
    ----------
    population, think_time : ndarray (..., R)
        N [jobs] and Z [time].
    demand : ndarray (..., R, K)
        D [time].
    first, top : ndarray (..., K)
        Relative speed of each station with one job, and with many. A station of m
        servers is split as Seidmann does: a queue of m-fold speed and a delay.

    References
    ----------
    [Schweitzer1979], [Seidmann1987].
    """
    queued = demand / top[..., None, :]
    delayed = think_time + np.maximum(demand / first[..., None, :] - queued, 0.0).sum(axis=-1)
    size = population[..., None]
    whole = np.maximum(size, 1.0)
    length = size * queued / np.maximum(queued.sum(axis=-1) + delayed, 1e-300)[..., None]
    throughput = population / np.maximum(queued.sum(axis=-1) + delayed, 1e-300)
    for _ in range(1000):
        met = length.sum(axis=-2, keepdims=True) - length / whole
        residence = queued * (1 + met)
        throughput = population / np.maximum(delayed + residence.sum(axis=-1), 1e-300)
        new = throughput[..., None] * residence
        moved = np.abs(new - length).max(initial=0.0, where=size > 0)
        length = new
        if moved < tolerance * population.max():
            break
    return throughput
