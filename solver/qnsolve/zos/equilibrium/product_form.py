"""Weights of numbers of tasks in a product form, and the speed of all together."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

SMALL = 1e-290  # of the weights of numbers of tasks


def weights(ratios: Array) -> Array:
    """1, r1, r1·r2, …, the largest 1."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(ratios, 1e-300)))))
    return np.asarray(np.exp(np.maximum(logs - logs.max(), -700.0)))


def speed_of(whole: Array, tilt: float) -> Array:
    """Rate at which 0, 1, 2, … tasks leave; where the weights are too small to be told from 0, in proportion to them."""
    seen = whole > SMALL
    some = np.flatnonzero(seen[1:] & seen[:-1]) + 1
    found = np.zeros(len(whole))
    found[some] = tilt * whole[some - 1] / whole[some]
    if not len(some):
        return found
    first, last = int(some[0]), int(some[-1])
    found[:first] = found[first] * np.arange(first) / first
    found[last + 1 :] = found[last]
    return found


def folded(one: Array, other: Array, size: int) -> Array:
    """Weights of both together, the largest 1."""
    found = np.convolve(one, other)[: size + 1]
    return np.asarray(found / found.max())
