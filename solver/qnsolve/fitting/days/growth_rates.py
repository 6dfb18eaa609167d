"""Growth a year of each class: as given, or from the measured intervals themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, suggestion
from qnsolve.model.yearly_growth import YEAR, a_year
from qnsolve.numerics.series import Array

from .day_loads import DayLoads

WEEK = 7 * 86400.0  # [s]
WEEKS = 4  # whole weeks that a trend needs
FULL = 0.9  # of a week, that must be measured
NORMAL = 1.96
MEASURED = "measured"


@dataclass(frozen=True)
class GrowthRate:
    """Growth of one class.

    Attributes
    ----------
    name : str
    value, lowest, highest : float
        A year [ratio less 1]; the range, 19 of 20, of one that was measured.
    source : str
        "given", "none", or how many weeks were measured.
    """

    name: str
    value: float
    lowest: float
    highest: float
    source: str


def growth_rates(given: Any, loads: DayLoads, *, implied: bool = False) -> tuple[tuple[GrowthRate, ...], tuple[str, ...]]:
    """Growth of each class, and notes.

    Parameters
    ----------
    given : None, float, str, or mapping of str to float or str
        0.08 a year, "8%/year", "2%/month", "measured"; by class, "" for those that are not named.
    loads : DayLoads
    implied : bool, default False
        "measured" was not asked for: without enough weeks it is no growth and a note, else an error.

    Raises
    ------
    ModelError
    """
    names = loads.names
    if not isinstance(given, Mapping):
        given = {"": given}
    for name in given:
        if name and name not in names:
            raise ModelError("growth", "must name classes that were measured", suggestion(str(name), names), name)
    found, notes = [], []
    trends: dict[str, GrowthRate] = {}
    for r, name in enumerate(names):
        wanted = given.get(name, given.get(""))
        if wanted is None:
            found.append(GrowthRate(name, 0.0, 0.0, 0.0, "none"))
        elif isinstance(wanted, str) and wanted.strip() == MEASURED:
            own = trends.setdefault(name, trend(name, loads, loads.values[:, r]))
            if own.source == "none" and not implied:
                rule = f"measured needs {WEEKS} whole weeks of intervals, each with work"
                raise ModelError(f"growth of {name}", rule, "give a rate as 8%/year", weeks_text(loads))
            if own.source == "none":
                notes.append(f"{name}: a trend needs {WEEKS} whole weeks of intervals: taken as no growth")
            found.append(own)
        else:
            value = a_year(f"growth of {name}", wanted)
            found.append(GrowthRate(name, value, value, value, "given"))
    return tuple(found), tuple(notes)


def weeks_text(loads: DayLoads) -> str:
    """How many whole weeks there are."""
    count = int((_weeks(loads)[1] >= FULL * WEEK).sum()) if loads.clock else 0
    return f"{count} whole week{'' if count == 1 else 's'}"


def _weeks(loads: DayLoads) -> tuple[NDArray[np.int64], Array]:
    """The week of each interval, and what is measured of each week [s]."""
    seconds = (loads.start - loads.start[0]).astype(np.int64) / 1000
    week = (seconds // WEEK).astype(np.int64)
    return week, np.asarray(np.bincount(week, loads.length), dtype=np.float64)


def trend(name: str, loads: DayLoads, values: Array) -> GrowthRate:
    """Growth from the means of whole weeks: a line through their logs, weeks taken as independent."""
    nothing = GrowthRate(name, 0.0, 0.0, 0.0, "none")
    if not loads.clock:
        return nothing
    week, measured = _weeks(loads)
    jobs = np.bincount(week, values * loads.length)
    whole = measured >= FULL * WEEK
    if whole.sum() < WEEKS or (jobs[whole] <= 0).any():
        return nothing
    at = np.flatnonzero(whole).astype(np.float64)
    logs = np.log(jobs[whole] / measured[whole])
    centered = at - at.mean()
    slope = float(centered @ logs / (centered @ centered))
    left = logs - logs.mean() - slope * centered
    freedom = len(at) - 2
    error = float(np.sqrt(left @ left / freedom / (centered @ centered)))
    wide = error * (NORMAL + (NORMAL**3 + NORMAL) / (4 * freedom))
    years = YEAR / 7
    low, value, high = (float(np.expm1(np.clip(each * years, -20, 13))) for each in (slope - wide, slope, slope + wide))
    return GrowthRate(name, value, low, high, f"{len(at)} weeks")
