"""Random times and batch sizes with a given mean and squared coefficient of variation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import ceil, floor

import numpy as np

from .series import Array

BLOCK = 2048  # drawn at once


def times(rng: np.random.Generator, mean: float, variation: float) -> Iterator[float]:
    """An endless stream of times: constant, gamma, exponential, or hyperexponential with balanced means.

    Parameters
    ----------
    rng : Generator
    mean : float
        [time].
    variation : float
        Squared coefficient of variation [ratio]: 0, below 1, 1, above 1.
    """
    if variation == 0:
        return _endless(lambda: np.full(BLOCK, mean))
    if variation == 1:
        return _endless(lambda: rng.exponential(mean, BLOCK))
    if variation < 1:
        return _endless(lambda: rng.gamma(1 / variation, mean * variation, BLOCK))
    share = branch(variation)

    def two() -> Array:
        first = rng.random(BLOCK) < share
        return rng.exponential(mean / 2, BLOCK) / np.where(first, share, 1 - share)

    return _endless(two)


def branch(variation: float) -> float:
    """Share of the faster of a hyperexponential distribution with balanced means, for a squared variation above 1."""
    return float((1 + np.sqrt((variation - 1) / (variation + 1))) / 2)


def sizes(rng: np.random.Generator, mean: float, variation: float) -> Iterator[int]:
    """An endless stream of batch sizes: the whole numbers next to the mean, mixed with 1 and a large one.

    Parameters
    ----------
    rng : Generator
    mean : float
        1 or more [jobs].
    variation : float
        Squared coefficient of variation [ratio], at least that of the two numbers next to the mean.
    """
    values, shares = spread(mean, variation)
    return map(int, _endless(lambda: rng.choice(values, BLOCK, p=shares)))


def spread(mean: float, variation: float) -> tuple[list[int], list[float]]:
    """Batch sizes and their probabilities, with that mean and squared variation."""
    low, part = floor(mean), mean - floor(mean)
    values, shares = [low, low + 1], [1 - part, part]
    beyond = variation * mean**2 - part * (1 - part)  # variance beyond that of those two
    if mean == 1 or beyond <= 1e-12 * mean**2:
        return values, shares
    large = max(low + 1, ceil(mean + variation * mean**2 / (mean - 1)))
    wide = (mean - 1) * (large - mean)  # variance of 1 and the large one
    mix = beyond / (wide - part * (1 - part))
    often = (mean - 1) / (large - 1)
    return [*values, 1, large], [*((1 - mix) * p for p in shares), mix * (1 - often), mix * often]


def _endless(draw: Callable[[], Array]) -> Iterator[float]:
    return chain.from_iterable(iter(lambda: draw().tolist(), None))
