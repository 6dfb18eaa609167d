"""Intervals that are longer than others within them: hours of statistics beside quarters of an hour of a report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import counted

from .interval_table import Array, Intervals

COVERED = 0.95  # share of an interval that others within it must have, so that their mean is its own
CLOCKS = 2.0  # seconds that two clocks may differ
LOADS = ("rate", "users")


def means_within(intervals: Intervals, values: Array, least: float = COVERED, several: bool = True) -> Array:
    """The mean over the time of each interval without a value, from those within it that have one (n,).

    nan where it has a value itself, where those within do not cover it, and without begins and lengths.

    Parameters
    ----------
    intervals : Intervals
    values : ndarray (n,)
    least : float
        Share of the time that those within must cover [0..1].
    several : bool
        One alone is not enough.
    """
    begin = np.where(np.isnat(intervals.start), np.nan, intervals.start.astype(np.float64) / 1000)
    length, found = intervals.length, np.full(len(intervals), np.nan)
    timed = ~np.isnan(begin + length)
    known, open_ = np.flatnonzero(timed & ~np.isnan(values)), np.flatnonzero(timed & np.isnan(values))
    if not (len(known) and len(open_)):
        return found
    known = known[np.argsort(begin[known], kind="stable")]
    times = np.concatenate([[0.0], np.cumsum(length[known])])
    sums = np.concatenate([[0.0], np.cumsum(length[known] * values[known])])
    ends = np.maximum.accumulate(begin[known] + length[known])
    first = np.searchsorted(begin[known], begin[open_] - CLOCKS)
    last = np.maximum(np.searchsorted(ends, begin[open_] + length[open_] + CLOCKS, side="right"), first)
    covered = times[last] - times[first]
    enough = (covered >= least * length[open_]) & (covered <= length[open_] + CLOCKS) & (last - first > several)
    found[open_[enough]] = (sums[last] - sums[first])[enough] / covered[enough]
    return found


def with_loads(intervals: Intervals) -> tuple[Intervals, list[str]]:
    """The table, where longer intervals without loads have the means of those within them, and what is said of it."""
    values, filled = intervals.values, np.zeros(len(intervals), dtype=bool)
    for j, each in enumerate(intervals.series):
        if each.quantity in LOADS:
            mean = means_within(intervals, intervals.values[:, j])
            there = ~np.isnan(mean)
            if there.any():
                values = values.copy() if values is intervals.values else values
                values[there, j] = mean[there]
                filled |= there
    if not filled.any():
        return intervals, []
    said = f"{counted(int(filled.sum()), 'interval')} longer than others: rates and users there are the means of those within"
    return replace(intervals, values=values), [said]


def contains_others(intervals: Intervals, loads: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Intervals without any load that have others within them which have one (n,), for loads (n, R)."""
    none = np.asarray(np.isnan(loads).all(axis=1))
    if not none.any():
        return none
    within = np.array([~np.isnan(means_within(intervals, column, 0.0, False)) for column in loads.T])
    return np.asarray(none & within.any(axis=0))
