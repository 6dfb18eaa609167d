"""Responses of intervals that grow with the utilization as those of an M/M/m queue, beside a time that does not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.measure.checked_series import Array, Values, matched, series
from qnsolve.numerics.least_squares import nonnegative
from qnsolve.stations import mmc_arrays

FULL = 0.999  # utilization beyond which a response has no bound
ROUNDS, ROUGH = 40, 1e-3  # of responses without outliers' weight; the error that counts as none [of the mean]


def stretch_of(busy: Array, servers: int) -> Array:
    """Response over service time of an M/M/m queue at a utilization."""
    load = np.maximum(busy, 1e-9)
    return np.asarray(mmc_arrays(load * servers, np.ones(len(load)), np.full(len(load), float(servers))).response_time)


def fitted_responses(
    given: Mapping[str, Values], table: Mapping[str, Array], busy: Array, servers: int
) -> dict[str, tuple[float, float]]:
    """Fixed and stretched time of each class, 0 or more, by the least sum of errors without sign."""
    if not isinstance(given, Mapping):
        raise ModelError(
            "response_times", "must give the responses of each class", "write {'read': [0.1, 0.2, ...], ...}", given
        )
    stretch = stretch_of(np.minimum(busy, FULL), servers)
    found = {}
    for name, values in given.items():
        if name not in table:
            raise ModelError("response_times", f"must be of the classes {', '.join(table)}", "name one of them", name)
        measured = series(f"response_times[{name!r}]", values)
        matched(**{f"response_times[{name!r}]": measured, "busy": busy})
        there = measured > 0  # 0 where no job ended
        if not there.any():
            raise ModelError(f"response_times[{name!r}]", "must not be 0 in every interval", "leave the class out", 0.0)
        fixed, stretched = _least_absolute(np.column_stack([np.ones(int(there.sum())), stretch[there]]), measured[there])
        found[name] = (float(fixed), float(stretched))
    return found


def _least_absolute(columns: Array, values: Array) -> Array:
    """Numbers of 0 or more with the least sum of errors without sign, by squares that are weighted anew."""
    least = ROUGH * float(values.mean())
    weights = np.ones(len(values))
    for _ in range(ROUNDS):
        found = nonnegative(columns * weights[:, None], values * weights)
        weights = 1 / np.sqrt(np.maximum(np.abs(values - columns @ found), least))
    return found
