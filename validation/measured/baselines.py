"""What a planner has without a network: the universal scalability law by least squares, and the naive line."""

from __future__ import annotations

import numpy as np
from qnsolve.numerics.least_squares import least_squares

from .measured_sets import Array

CONTENTION, COHERENCY = (0.001, 0.05, 0.5), (1e-6, 1e-3)  # where the search starts


def scalability_law(loads: Array, rates: Array) -> tuple[float, float, float]:
    """Rate of one, contention and coherency of X = X1·N/(1 + σ·(N − 1) + κ·N·(N − 1)), by least squares of X."""
    lower, upper = np.array([-np.inf, 0.0, 0.0]), np.array([np.inf, 1.0, 1.0])

    def left(points: Array) -> Array:
        return (law(loads, np.exp(points[:, :1]), points[:, 1:2], points[:, 2:3]) - rates) / rates.max()

    one = float(np.log(rates[0] / loads[0]))
    starts = [np.array([one, s, k]) for s in CONTENTION for k in COHERENCY]
    x, _ = min((least_squares(left, start, lower, upper) for start in starts), key=lambda end: float(end[1] @ end[1]))
    return float(np.exp(x[0])), float(x[1]), float(x[2])


def law(loads: Array, one: Array | float, contention: Array | float, coherency: Array | float) -> Array:
    """The universal scalability law."""
    return np.asarray(one * loads / (1 + (loads - 1) * (contention + coherency * loads)))


def naive_line(loads: Array, rates: Array, wanted: Array, times: float) -> Array:
    """In proportion to the load, as in the lowest row, up to the highest rate seen, times the servers."""
    return np.minimum(wanted * rates[0] / loads[0], times * rates.max())
