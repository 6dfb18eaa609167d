"""Throughputs near enough for a tilt: Bard-Schweitzer, with servers split as Seidmann does (`amva` is the method)."""

from __future__ import annotations

import numpy as np

from .series import Array


def schweitzer(population: Array, think_time: Array, demand: Array, first: Array, top: Array, tolerance: float = 1e-6) -> Array:
    """Approximate throughputs of a closed network [jobs/time], shape (R,).

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs] and Z [time].
    demand : ndarray (R, K)
        D [time].
    first, top : ndarray (K,)
        Relative speed of each station with one job, and with many. A station of m
        servers is split as Seidmann does: a queue of m-fold speed and a delay.

    References
    ----------
    [Schweitzer1979], [Seidmann1987].
    """
    queued = demand / top
    delayed = think_time + np.maximum(demand / first - queued, 0.0).sum(axis=1)
    size = population[:, None]
    length = size * queued / np.maximum(queued.sum(axis=1) + delayed, 1e-300)[:, None]
    throughput = population / (queued.sum(axis=1) + delayed)
    for _ in range(1000):
        met = length.sum(axis=0) - length / size
        residence = queued * (1 + met)
        throughput = population / (delayed + residence.sum(axis=1))
        new = throughput[:, None] * residence
        moved = np.abs(new - length).max(initial=0.0, where=size > 0)
        length = new
        if moved < tolerance * population.max():
            break
    return throughput
