"""The figures of a solved day."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array
from qnsolve.results.answer import Report

from .day_loads import DayLoads
from .growth_rates import GrowthRate
from .peak_hour import PeakHour


@dataclass(frozen=True)
class DayEnd:
    """The first interval that no longer holds.

    Attributes
    ----------
    interval : int
        Row of the table, from 1.
    factor : float
        All classes alike: times the load, that the intervals hold [ratio]; nan where growth is given.
    years : float
        Until then, from the measured interval [years]; nan where no growth is given; 0 where it does not hold as measured.
    when : str
        Date and time, "" without growth or clock.
    cause : str
        The center that is full, or the class whose response time is missed.
    saturated : bool
        Or a response time is missed.
    """

    interval: int
    factor: float
    years: float
    when: str
    cause: str
    saturated: bool


@dataclass(frozen=True)
class DayFigures(Report):
    """Measured intervals, solved: n intervals in the order of time, R classes, C centers.

    Attributes
    ----------
    heading, notes
        As for every report.
    loads : DayLoads
        Begins, lengths, rates.
    centers : tuple of str
    response : ndarray (n, R)
        With the delay by backlog [s]; nan where a class has no work.
    utilization : ndarray (n, C)
        [0..1]
    offered : ndarray (n,)
        Work asked for over what the fullest center can do.
    fullest : tuple of str, length n
    backlog : ndarray (n,)
        At the end of each interval [jobs].
    delay : ndarray (n,)
        Mean delay by the backlog of what comes in the interval [s].
    worked_off : ndarray (n,)
        When a backlog ends, from the begin of the interval [s]; nan else.
    missed : ndarray of bool (n,)
        Saturated, or a target missed.
    targets : dict of str to float
        [s]
    peak : PeakHour
    growth : tuple of GrowthRate
    until : str
        Where the search ended, "" without growth.
    end : DayEnd or None
        None where all holds to there.
    """

    loads: DayLoads
    centers: tuple[str, ...]
    response: Array
    utilization: Array
    offered: Array
    fullest: tuple[str, ...]
    backlog: Array
    delay: Array
    worked_off: Array
    missed: NDArray[np.bool_]
    targets: dict[str, float]
    peak: PeakHour
    growth: tuple[GrowthRate, ...]
    until: str
    end: DayEnd | None

    def __len__(self) -> int:
        return len(self.loads)
