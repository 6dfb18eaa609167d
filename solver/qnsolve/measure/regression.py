"""A straight line through measured values, by least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.errors import ModelError

from .checked_series import Values, matched, series

SAME = 1e-24  # sum of squares around the mean over that around 0, below which values count as equal


@dataclass(frozen=True)
class Line:
    """A straight line, y = intercept + slope·x.

    Attributes
    ----------
    slope : float
        [unit of y / unit of x]
    intercept : float
        [unit of y]
    """

    slope: float
    intercept: float


def fit_line(x: Values, y: Values, item: str = "x", *, relative: bool = False) -> Line:
    """The line of least squares.

    Parameters
    ----------
    x, y : sequence of float, shape (n,)
        0 or more; of x at least two values differ.
    item : str, default "x"
        Name of x in an error.
    relative : bool, default False
        Least squares of the errors over y, for values that are measured within so many percent; y is then above 0.

    Raises
    ------
    ModelError
        Where all values of x are the same.

    Examples
    --------
    >>> fit_line([1, 2, 3], [1.5, 2.0, 2.5])
    Line(slope=0.5, intercept=1.0)
    """
    x, y = series(item, x), series("y", y, positive=relative)
    matched(**{item: x, "y": y})
    weight = (y.min() / y) ** 2 if relative else np.ones(len(y))
    middle, height = float(weight @ x / weight.sum()), float(weight @ y / weight.sum())
    across = x - middle
    spread = float(weight @ across**2)
    if not spread > SAME * float(weight @ x**2):
        raise ModelError(item, "must not all be the same: a line needs two values that differ", "add another interval", middle)
    slope = float(weight @ (across * (y - height))) / spread
    return Line(slope, height - slope * middle)
