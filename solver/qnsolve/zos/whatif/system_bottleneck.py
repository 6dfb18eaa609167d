"""What limits each work of a system: the most of it that the system holds, all else as it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from qnsolve.results.answer import Report
from qnsolve.results.digits import short
from qnsolve.zos.point.capacity import capacity
from qnsolve.zos.solve_system import System, only_system


@dataclass(frozen=True)
class WorkLimit:
    """How far one work can grow.

    Attributes
    ----------
    work : str
        "all" for all works together.
    factor : float
        Most of it over what it is now [ratio]; infinite for users, who only wait longer.
    highest_rate : float
        The same as a rate [1/s].
    center : str
        What is full then.
    """

    work: str
    factor: float
    highest_rate: float
    center: str


@dataclass(frozen=True)
class SystemBottleneck(Report):
    """The most of each work that a system holds.

    Attributes
    ----------
    heading, notes
        As for every report.
    limits : tuple of WorkLimit
    """

    chooses_units = True

    limits: tuple[WorkLimit, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row a work."""
        return [asdict(limit) for limit in self.limits]

    def sentences(self) -> tuple[str, ...]:
        """The limit of all works together in words."""
        first = self.limits[0]
        if not isfinite(first.factor):
            return ("users only wait longer: no center sets an end to their growth",)
        return (f"{first.center} limits all work together, at {short(first.factor)} times today's",)


def bottleneck(system: System) -> SystemBottleneck:
    """The most of all work, and of each work with the others as they are, and the center that sets it.

    Parameters
    ----------
    system : System

    Raises
    ------
    SaturatedError
        Where the system does not hold its work of today.
    """
    system = only_system(system)
    system.solve()
    found = capacity(system)
    rates = [work.rate or inf for work in system.work]
    limits = [WorkLimit("all", found.factor, found.factor * sum(rates), found.center)]
    for place, work in enumerate(system.work):
        grows = np.arange(len(system.work)) == place
        held = found if len(system.work) == 1 else capacity(system, grows)
        limits.append(WorkLimit(work.name, held.factor, held.factor * rates[place], held.center))
    return SystemBottleneck(f"{system.name or 'system'}: bottlenecks", (), tuple(limits))
