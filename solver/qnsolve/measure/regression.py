"""A straight line through measured values, by least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.errors import ModelError

from .checked_series import Values, matched, series

SAME = 1e-24  # sum of squares over the squared mean below which values count as equal


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


def fit_line(x: Values, y: Values, item: str = "x") -> Line:
    """The line of least squares.

    Parameters
    ----------
    x, y : sequence of float, shape (n,)
        0 or more; of x at least two values differ.
    item : str, default "x"
        Name of x in an error.

    Raises
    ------
    ModelError
        Where all values of x are the same.

    Examples
    --------
    >>> fit_line([1, 2, 3], [1.5, 2.0, 2.5])
    Line(slope=0.5, intercept=1.0)
    """
    x, y = series(item, x), series("y", y)
    matched(**{item: x, "y": y})
    middle, height = float(np.mean(x)), float(np.mean(y))
    across = x - middle
    spread = float(across @ across)
    if not spread > SAME * max(1.0, middle * middle):
        raise ModelError(item, "must not all be the same: a line needs two values that differ", "add another interval", middle)
    slope = float(across @ (y - height)) / spread
    return Line(slope, height - slope * middle)
