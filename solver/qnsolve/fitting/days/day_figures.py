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
    """What `Day` holds, for the sentences about it."""

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
