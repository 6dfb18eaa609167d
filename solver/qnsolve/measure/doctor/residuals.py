"""What rates do not explain of a utilization: robust residuals, relative, in the order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .examined import Array, Examined, Mask, MeasuredOwner, spread

ROUNDS = 12
BISQUARE = 4.685  # deviations at which a row has no weight any more
LOW = 0.2  # of the median use: what is less is not judged relative to itself
RIDGE = 1e-10  # of columns of length 1: classes that are multiples of each other share their demand


@dataclass(frozen=True, eq=False)
class Explained:
    """A utilization held against the rates of the work that may cause it.

    Attributes
    ----------
    resource : MeasuredOwner
    works : tuple of MeasuredOwner
        Classes in the regression.
    rows : shape (n,) of bool
        Rows that have all figures.
    left : shape (rows,)
        Measured over fitted, less 1.
    deviation : float
        Robust standard deviation of `left`, for the degrees of freedom that there are.
    share : float
        Part of the variation that the rates explain.
    freedom : int
        Rows beyond the numbers fitted.
    rounding : shape (rows,)
        Part of `left` that the rounding of printed figures makes: half a step of the figure, half of the fit.
    """

    resource: MeasuredOwner
    works: tuple[MeasuredOwner, ...]
    rows: Mask
    left: Array
    deviation: float
    share: float
    freedom: int
    rounding: Array


def rates_beside(x: Examined, resource: MeasuredOwner) -> tuple[tuple[MeasuredOwner, ...], Array]:
    """Classes that may use a resource, and their rates, shape (n, R); those that do not vary left out."""
    own = []
    columns = []
    for work in x.works:
        rate = x.rate(work)
        if rate is None or not work.beside(resource) or np.isnan(rate).all():
            continue
        if float(np.nanmax(rate)) - float(np.nanmin(rate)) > 1e-9 * abs(float(np.nanmax(rate))):
            own.append(work)
            columns.append(rate)
    return tuple(own), np.column_stack(columns) if columns else np.empty((len(x.intervals), 0))


def explained(x: Examined, resource: MeasuredOwner) -> Explained | None:
    """The residuals of a resource; None where there are too few rows."""
    works, rates = rates_beside(x, resource)
    busy = resource.columns["busy"]
    rows = ~np.isnan(busy) & ~np.isnan(rates).any(axis=1)
    freedom = int(rows.sum()) - rates.shape[1] - 1
    if not works or freedom < 3:
        return None
    y = busy[rows]
    columns = np.column_stack([rates[rows], np.ones(len(y))])
    floor = LOW * float(np.median(np.abs(y)))
    if floor <= 0:
        return None
    fitted = columns @ robust(columns, y)
    scale = np.maximum(np.abs(fitted), floor)
    fitted = columns @ robust(columns / scale[:, None], y / scale)
    scale = np.maximum(np.abs(fitted), floor)
    left = (y - fitted) / scale
    varied = float(np.sum((y - y.mean()) ** 2))
    share = 1 - float(np.sum((y - fitted) ** 2)) / varied if varied else 0.0
    deviation = spread(left) * float(np.sqrt(len(y) / freedom))
    steps = np.diff(np.unique(y))
    rounding = (float(steps.min()) if len(steps) else 0.0) / scale
    return Explained(resource, works, rows, left, deviation, share, freedom, rounding)


def fitted(rates: Array, busy: Array, found: Explained) -> tuple[Array, Array]:
    """Demand of each class and its standard error, in the unit of `busy`."""
    columns = np.column_stack([rates, np.ones(len(busy))])
    demands = robust(columns, busy)
    scale = np.maximum(np.abs(columns @ demands), LOW * float(np.median(np.abs(busy))))
    units = np.linalg.norm(columns, axis=0)
    weighted = columns / units / scale[:, None]
    error = found.deviation * np.sqrt(np.maximum(np.diag(np.linalg.pinv(weighted.T @ weighted)), 0.0)) / units
    return demands[:-1], np.asarray(error[:-1])


def robust(columns: Array, values: Array) -> Array:
    """Numbers whose residuals are smallest where rows that lie far off count little: Tukey's bisquare, by weighted squares."""
    units = np.linalg.norm(columns, axis=0)
    units[units == 0] = 1.0
    scaled = columns / units
    weights = np.ones(len(values))
    found = _weighted(scaled, values, weights)
    for step in range(ROUNDS):
        left = values - scaled @ found
        size = spread(left)
        if size <= 1e-12 * float(np.abs(values).max(initial=0.0)):
            break
        u = np.abs(left) / size
        weights = np.minimum(1.0, 1.345 / np.maximum(u, 1e-9)) if step < 3 else np.maximum(1 - (u / BISQUARE) ** 2, 0.0) ** 2
        before, found = found, _weighted(scaled, values, weights)
        if np.abs(found - before).max() <= 1e-6 * np.abs(found).max():
            break
    return np.asarray(found / units)


def _weighted(columns: Array, values: Array, weights: Array) -> Array:
    weighted = columns * weights[:, None]
    gram = columns.T @ weighted
    gram.flat[:: len(gram) + 1] += RIDGE * max(float(np.trace(gram)), 1e-300)
    return np.asarray(np.linalg.solve(gram, weighted.T @ values))
