"""The speed of a log by its stripes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.errors import ModelError

from .checked_series import Values, matched, series
from .regression import fit_line


@dataclass(frozen=True)
class StripeLaw:
    """Time to write one MiB by stripes: fixed + striped/stripes.

    Attributes
    ----------
    fixed, striped : float
        What `zos.Logger` takes as seconds_per_mib [s].
    """

    fixed: float
    striped: float


def fit_stripes(stripes: Values, mib_per_second: Values) -> StripeLaw:
    """The law of a log's speed: exact through two measurements, by least squares through more.

    Parameters
    ----------
    stripes : sequence of int, shape (n,)
        Stripes of two or more logs [count].
    mib_per_second : sequence of float, shape (n,)
        What each log wrote when it was full [MiB/s].

    Raises
    ------
    ModelError
        Where no law with fixed and striped of 0 or more fits.

    Examples
    --------
    >>> law = fit_stripes([1, 2], [154, 228])  # IMS 12, 74 KB a transaction
    >>> round(law.fixed, 6), round(law.striped, 6)
    (0.002278, 0.004215)
    """
    counts, speeds = series("stripes", stripes, positive=True), series("mib_per_second", mib_per_second, positive=True)
    matched(stripes=counts, mib_per_second=speeds)
    if np.any(counts != np.floor(counts)):
        raise ModelError("stripes", "must be whole numbers", "count the data sets of each log", counts.tolist())
    line = fit_line(1 / counts, 1 / speeds, "1/stripes")
    if line.slope < 0 or line.intercept < 0:
        what = "more stripes write less" if line.slope < 0 else "the speed grows more than in proportion to the stripes"
        rule = f"must fit fixed + striped/stripes with both 0 or more; {what}"
        raise ModelError("mib_per_second", rule, "take rows where the log alone is full", speeds.tolist())
    return StripeLaw(line.intercept, line.slope)
