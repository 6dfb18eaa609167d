"""Think time of a ladder whose responses are known by their percentiles only: what of load/rate they leave over."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.measure.intervals.quantities import PERCENTILES
from qnsolve.numerics.least_squares import nonnegative

USUAL = ("response_p95", "response_p90", "response_p99")  # beside the median, the best one first
FEWEST = 4  # rows
LARGE = 0.2  # of the shortest cycle: less may be the shape of the responses, which changes with the load
BETTER = 0.5  # of the misfit without a think time
STEADY = 0.4  # range of the logarithms of the means below which a time that is added looks like a share
LEAST, MOST = 0.7, 1.4  # measured over estimated means


def think_from_percentiles(loads: Array, rates: Array, percentiles: Mapping[str, Array]) -> float | None:
    """Z of N/X = Z + c·R, R the means of log-normal responses with these percentiles; None where they do not show one.

    Parameters
    ----------
    loads, rates : ndarray (n,)
    percentiles : mapping of str to ndarray (n,)
        By quantity, nan where there is none; the median and a higher one are needed.

    Notes
    -----
    A log-normal mean is within 5 % for exponential and Erlang responses; c takes what is left of that. Rows count by their
    relative error. A think time is found where it is a good part of the shortest cycle, and explains the rows far better.
    """
    high = next((name for name in USUAL if name in percentiles), None)
    if high is None or "response_p50" not in percentiles:
        return None
    middle, upper = percentiles["response_p50"], percentiles[high]
    there = (middle > 0) & (upper >= middle)
    if there.sum() < FEWEST:
        return None
    width = np.log(upper[there] / middle[there]) / NormalDist().inv_cdf(PERCENTILES[high])
    means = middle[there] * np.exp(width**2 / 2)
    cycle = loads[there] / rates[there]
    columns = np.column_stack([1 / cycle, means / cycle])
    think, times = nonnegative(columns, np.ones(len(cycle)))
    left = float(np.linalg.norm(1 - columns @ np.array([think, times])))
    (alone,) = nonnegative(columns[:, 1:], np.ones(len(cycle)))
    plain = float(np.linalg.norm(1 - columns[:, 1] * alone))
    if alone > MOST and np.ptp(np.log(means)) < STEADY:  # responses that hardly change are no clock that is off
        return float(np.median(cycle - means))
    found = think > LARGE * float(cycle.min()) and LEAST <= times <= MOST and left < BETTER * plain
    return float(think) if found else None
