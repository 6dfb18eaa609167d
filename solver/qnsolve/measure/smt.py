"""Cores with several threads (SMT)."""

from __future__ import annotations

from qnsolve.errors import ModelError
from qnsolve.model import checks


def smt_capacity_factor(thread_density: float, max_capacity_factor: float, threads: int = 2) -> float:
    """The capacity factor of cores at a thread density, RMF's CF [ratio].

    Parameters
    ----------
    thread_density : float
        Active threads of a busy core, RMF's AVG TD, 1 to `threads`.
    max_capacity_factor : float
        RMF's MAX CF, 1 to `threads` [ratio].
    threads : int, default 2
        Of a core [count].

    Notes
    -----
    A straight line from 1 with one thread to MAX CF with all.

    Examples
    --------
    >>> round(smt_capacity_factor(1.6, 1.25), 6)
    1.15
    """
    count = checks.whole("threads", threads, least=1, most=8)
    density = _within("thread_density", thread_density, count)
    most = _within("max_capacity_factor", max_capacity_factor, count)
    return 1.0 + (most - 1.0) * (density - 1.0) / (count - 1) if count > 1 else 1.0


def _within(item: str, value: float, threads: int) -> float:
    found = checks.number(item, value)
    if not 1 <= found <= threads:
        raise ModelError(item, f"must lie within 1 and threads, {threads}", "write the value of the RMF report", value)
    return found
