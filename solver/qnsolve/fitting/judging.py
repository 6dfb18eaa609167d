"""Rows that are left out of a fit, and how far the fit is off on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError
from qnsolve.measure.checked_series import Array

from .fitted_model import HeldOutError
from .measured_rows import MeasuredRows

JUDGED = ("rate", "response_time", "response_p50", "response_p90", "response_p95", "response_p99", "busy")


def left_out(given: Any, order: NDArray[np.intp], default: float) -> tuple[NDArray[np.bool_], bool]:
    """Marks of the rows that are left out (n,), and whether the model is then fitted to all rows.

    Parameters
    ----------
    given : float, marks or None
    order : ndarray (n,)
        Positions of the rows, those that are left out last.
    default : float
    """
    count = len(order)
    marks = np.zeros(count, dtype=bool)
    if given is None:
        given = default
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        if not 0 <= given <= 0.8:
            raise ModelError("held_out", "must be a share from 0 to 0.8, or a mark for each row", "write 0.25", given)
        number = int(given * count)
        marks[order[count - number :]] = True
        return marks, True
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.zeros(0)
    if found.dtype != np.bool_ or found.shape != (count,):
        raise ModelError("held_out", f"must be a share, or True or False for each of {count} rows", "write 0.25", given)
    return found, False


def judged(predict: Any, rows: MeasuredRows) -> tuple[HeldOutError, ...]:
    """Errors of a prediction, by class or resource."""
    there = predict(rows.intervals)
    found = []
    for title, values in there.items():
        name, _, quantity = title.rpartition(".")
        if quantity not in JUDGED or not rows.has(name, quantity) or title in predict.given:
            continue
        error = _error(name, quantity, rows.in_seconds(name, quantity), values, there)
        if error is not None:
            found.append(error)
    return tuple(found)


def _error(name: str, quantity: str, measured: Array, values: Array, there: dict[str, Array]) -> HeldOutError | None:
    ok = (measured > 0) & ~np.isnan(values)
    if not ok.any():
        return None
    off = np.minimum(np.abs(values[ok] / measured[ok] - 1), 1e6)
    title = f"{name}.{quantity}" if name else quantity
    low, high = there.get(f"{title}.lowest"), there.get(f"{title}.highest")
    within = np.nan if low is None or high is None else float(np.mean((low[ok] <= measured[ok]) & (measured[ok] <= high[ok])))
    sizes = float(np.median(off)), float(np.mean(off)), float(np.quantile(off, 0.95))
    return HeldOutError(quantity, name, int(ok.sum()), *sizes, within)
