"""Solving a system."""

from __future__ import annotations

from qnsolve.zos.parts.system import System, only_system
from qnsolve.zos.point.exact_small_system import solved_point
from qnsolve.zos.report.reporting import answer
from qnsolve.zos.report.system_result import SystemResult


def solve(system: System) -> SystemResult:
    """The answer of a system, in the terms of RMF and CICS reports.

    Parameters
    ----------
    system : System

    Returns
    -------
    SystemResult

    Raises
    ------
    SaturatedError
        Work with a rate demands more than a center can serve; names the center.
    ConvergenceError
        Where the layers do not settle.

    Notes
    -----
    TCBs, logs and devices are a network; the processors stretch the time of a TCB, the
    coupling facilities that of a synchronous request, and limits make tasks wait. Each
    layer is solved by itself, and all are repeated until they agree. A system of a few users,
    of TCBs, logs and devices only, is solved exactly, by the Markov chain of its network.

    By layers the worst figure of a small system is off by 0.5 to 2.3 % in the mean (QR TCBs on CPs), 0.1 to
    1.8 % (limits), 0.8 % (zIIPs that overflow) and 1.1 % (synchronous requests); `benchmarks/README.md` has the
    families and the largest errors, up to 11 %.
    """
    system = only_system(system)
    return answer(solved_point(system))
