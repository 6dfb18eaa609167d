"""Distributions of times and batch sizes with a given mean and squared coefficient of variation."""

from __future__ import annotations

from math import ceil, floor

import numpy as np


def branch(variation: float) -> float:
    """Share of the faster of a hyperexponential distribution with balanced means, for a squared variation above 1."""
    return float((1 + np.sqrt((variation - 1) / (variation + 1))) / 2)


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
