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
        The `seconds_per_mib` of `zos.Logger` [s].
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
        Write rate of each log at saturation [MiB/s].

    Raises
    ------
    ModelError
        Where the best fit has fixed or striped below 0.

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
        what = "the speed falls with more stripes" if line.slope < 0 else "the speed grows faster than the stripes"
        rule = f"must fit fixed + striped/stripes with both 0 or more; {what}"
        raise ModelError("mib_per_second", rule, "take rows in which only the log is saturated", speeds.tolist())
    return StripeLaw(line.intercept, line.slope)
