"""The busiest hour of measured intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .day_loads import DayLoads, minute

HOUR, DAY = 3600.0, 86400.0


@dataclass(frozen=True)
class PeakHour:
    """The hour with the most jobs.

    Attributes
    ----------
    first, last : int
        Intervals of it, from 1, in the order of time.
    start, end : str
        "" without a clock.
    jobs : float
    share : float
        Of the jobs of its day [0..1].
    over_mean : float
        Its rate over that of the whole table [ratio].
    """

    first: int
    last: int
    start: str
    end: str
    jobs: float
    share: float
    over_mean: float


def peak_hour(loads: DayLoads) -> PeakHour:
    """The hour, or the interval where that is longer, with the most jobs; of users where there are no rates."""
    rated = ~np.array(loads.users)
    rate = loads.values[:, rated if rated.any() else slice(None)].sum(axis=1)
    jobs = rate * loads.length
    width = max(1, round(HOUR / float(np.median(loads.length))))
    width = min(width, len(loads))
    sums = np.convolve(jobs, np.ones(width), "valid")
    seconds = np.convolve(loads.length, np.ones(width), "valid")
    day = np.zeros(len(loads), dtype=np.int64)
    if loads.clock:
        begins = loads.start.astype(np.int64) / 1000
        together = begins[width - 1 :] - begins[: len(begins) - width + 1] <= 1.5 * width * float(np.median(loads.length))
        sums = np.where(together, sums, 0.0) if together.any() else sums
        day = (begins // DAY).astype(np.int64)
    first = int(np.argmax(sums / seconds))
    last = first + width - 1
    own = day == day[first]
    total = float(jobs[own].sum())
    mean = float(jobs.sum() / loads.length.sum())
    start = end = ""
    if loads.clock:
        start = minute(loads.start[first])
        end = minute(loads.start[last] + np.timedelta64(round(1000 * float(loads.length[last])), "ms"))
    most = float(sums[first])
    over = most / float(seconds[first]) / mean if mean > 0 else 0.0
    return PeakHour(first + 1, last + 1, start, end, most, min(most / total, 1.0) if total > 0 else 0.0, over)
