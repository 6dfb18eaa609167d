"""CPU time by number of engines: the growth law of a machine, and the move to another machine (LSPR)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.model import checks

from .checked_series import Values, matched, series
from .regression import fit_line


@dataclass(frozen=True)
class EngineLaw:
    """CPU time by busy engines: C(n) = cpu_time·(1 + growth·ln n).

    Attributes
    ----------
    cpu_time : float
        CPU time of a transaction with one engine [s].
    growth : float
        The `growth` of `zos.Processors`, 0 or more [ratio].
    """

    cpu_time: float
    growth: float


def fit_engines(engines: Values, cpu_times: Values) -> EngineLaw:
    """The growth of CPU time with the number of busy engines, by least squares.

    Parameters
    ----------
    engines : sequence of float, shape (n,)
        Busy engines in each interval, busy·engines; below 1 counts as 1 [count].
    cpu_times : sequence of float, shape (n,)
        CPU time of one transaction in the same intervals [s].

    Raises
    ------
    ModelError

    Examples
    --------
    >>> law = fit_engines([1, 6], [0.004, 0.005])
    >>> round(law.cpu_time, 6), round(law.growth, 4)
    (0.004, 0.1395)
    """
    count, cpu = series("engines", engines, positive=True), series("cpu_times", cpu_times, positive=True)
    matched(engines=count, cpu_times=cpu)
    line = fit_line(np.log(np.maximum(count, 1.0)), cpu, "engines")
    alone = checks.number("CPU time with one engine", line.intercept, positive=True)
    return EngineLaw(alone, max(line.slope, 0.0) / alone)


def scaled_cpu_time(cpu_time: float, engines: float, itr_ratio: float, new_engines: float) -> float:
    """CPU time of one transaction on another machine, by the ratio of the ITRs [s].

    Parameters
    ----------
    cpu_time : float
        On the old machine [s].
    engines : float
        Of the old machine [count].
    itr_ratio : float
        ITR of the new machine over that of the old one, all engines of each [ratio].
    new_engines : float
        Of the new machine [count].

    Examples
    --------
    >>> scaled_cpu_time(0.004, 8, 1.25, 8)
    0.0032
    """
    speed = checks.number("itr_ratio", itr_ratio, positive=True) * checks.number("engines", engines, positive=True)
    speed /= checks.number("new_engines", new_engines, positive=True)  # of one engine, new over old
    return checks.number("cpu_time", cpu_time) / speed
