"""The processors of an LPAR: ITR, CPU of a transaction, busy, engines needed."""

from __future__ import annotations

from math import ceil

from qnsolve.errors import SaturatedError
from qnsolve.model import checks

from .checked_series import share

DIGITS = 9  # of a count of engines that is rounded up: 6.0000000001 is 6


def itr(etr: float, busy: float) -> float:
    """The internal throughput rate, ETR/busy [transactions/s].

    Parameters
    ----------
    etr : float
        External throughput rate of RMF [transactions/s].
    busy : float
        Utilization of the processors, above 0 [0..1].

    Examples
    --------
    >>> itr(1200, 0.8)
    1500.0
    """
    rate = checks.number("etr", etr)
    return rate / checks.number("busy", share("busy", busy), positive=True)


def etr_at_busy(itr: float, busy: float) -> float:
    """The throughput at that utilization, ITR·busy [transactions/s].

    Parameters
    ----------
    itr : float
        [transactions/s]
    busy : float
        [0..1]

    Examples
    --------
    >>> etr_at_busy(1500, 0.9)
    1350.0
    """
    return checks.number("itr", itr) * share("busy", busy)


def cpu_per_transaction(etr: float, busy: float, engines: float) -> float:
    """CPU time of one transaction, busy·engines/ETR [s].

    Parameters
    ----------
    etr : float
        [transactions/s]
    busy : float
        [0..1]
    engines : float
        Processors of the LPAR; 2.4 where its weight includes a fraction of one [count].

    Examples
    --------
    >>> cpu_per_transaction(1200, 0.6, 8)
    0.004
    """
    used = share("busy", busy) * checks.number("engines", engines, positive=True)
    return used / checks.number("etr", etr, positive=True)


def lpar_busy(etr: float, cpu_time: float, engines: float, fixed_cpu: float = 0.0) -> float:
    """The utilization of an LPAR's processors, (ETR·CPU + fixed CPU)/engines [0..1].

    Parameters
    ----------
    etr : float
        [transactions/s]
    cpu_time : float
        CPU time of one transaction [s].
    engines : float
        [count]
    fixed_cpu : float, default 0
        CPU that does not grow with the work [engines].

    Raises
    ------
    SaturatedError
        Where more than all engines are needed.

    Examples
    --------
    >>> lpar_busy(1200, 0.004, 8, fixed_cpu=0.4)
    0.65
    """
    used = _engines_used(etr, cpu_time, fixed_cpu)
    there = checks.number("engines", engines, positive=True)
    if used > there:
        highest = max(there - fixed_cpu, 0.0) / cpu_time if cpu_time else 0.0
        raise SaturatedError("LPAR", used / there, highest, f"{used:.6g} engines are needed, {there:g} are available")
    return used / there


def engines_needed(etr: float, cpu_time: float, busy: float, fixed_cpu: float = 0.0) -> int:
    """The fewest engines with a utilization of at most `busy` [count].

    Parameters
    ----------
    etr : float
        [transactions/s]
    cpu_time : float
        CPU time of one transaction [s].
    busy : float
        Highest utilization, above 0 [0..1].
    fixed_cpu : float, default 0
        CPU that does not grow with the work [engines].

    Examples
    --------
    >>> engines_needed(1200, 0.004, 0.8)
    6
    """
    used = _engines_used(etr, cpu_time, fixed_cpu)
    return max(1, ceil(round(used / checks.number("busy", share("busy", busy), positive=True), DIGITS)))


def _engines_used(etr: float, cpu_time: float, fixed_cpu: float) -> float:
    """Busy engines by the utilization law."""
    return checks.number("etr", etr) * checks.number("cpu_time", cpu_time) + checks.number("fixed_cpu", fixed_cpu)
