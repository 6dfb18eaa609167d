"""Checks of measured values: series of intervals, and shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, Repair
from qnsolve.model import checks

Values = Sequence[float] | NDArray[np.float64]
Array = NDArray[np.float64]


def series(
    item: str, given: Values, *, positive: bool = False, most: float = checks.LARGEST, repair: str = "write 0.8 for 80 %"
) -> Array:
    """The values of the intervals as an array, each from 0 (above 0 with `positive`) to `most`; `repair` where one is above."""
    found = _numbers(item, given)
    wrong = ~((found >= (checks.SMALLEST if positive else 0.0)) & (found <= most))
    if wrong.any():
        i = int(np.argmax(wrong))
        value = checks.number(f"{item}, value {i + 1}", float(found[i]), positive=positive)
        raise ModelError(f"{item}, value {i + 1}", f"must lie within 0 and {most:g}", repair, value)
    return found


def matched(**given: Array) -> None:
    """Check that series of the same intervals have the same length."""
    if len({len(values) for values in given.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(values)}" for name, values in given.items())
        rule = f"must have one value for each interval, here {lengths}"
        raise ModelError(", ".join(given), rule, "give series of equal length", code=Repair.LENGTHS)


def share(item: str, value: float) -> float:
    """A number from 0 to 1."""
    found = checks.number(item, value)
    if found > 1:
        raise ModelError(item, "must lie within 0 and 1", "write 0.8 for 80 %", value)
    return found


def _numbers(item: str, given: Any) -> Array:
    try:
        found = np.atleast_1d(np.asarray(given))
    except ValueError:  # rows of different lengths
        found = np.empty((0, 0))
    if found.ndim != 1 or not found.size or found.dtype.kind not in "iuf":
        raise ModelError(
            item, "must be a list of numbers, one for each interval", "write [200, 400, 600]", given, code=Repair.LIST
        )
    return found.astype(np.float64)
