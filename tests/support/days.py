"""Intervals and models of tests on days."""

from __future__ import annotations

import numpy as np
import qnsolve as qn
from numpy.typing import NDArray

MONDAY = np.datetime64("2026-03-02T00:00", "ms")


def starts(n: int, length: float = 900.0) -> NDArray[np.datetime64]:
    """The begins of n intervals, one after the other."""
    return MONDAY + np.arange(n) * np.timedelta64(int(1000 * length), "ms")


def one_cpu(demand: float = 0.01) -> qn.Network:
    """One class at one CPU."""
    return qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=1, demands={"cpu": demand})])


def cpu_and_disk(servers: int = 3) -> qn.Network:
    """Two classes at CPUs, a disk and a net."""
    return qn.Network(
        [qn.Queue("cpu", servers=servers), qn.Queue("disk"), qn.Delay("net")],
        [
            qn.OpenClass("orders", arrival_rate=1, demands={"cpu": 0.02, "disk": 0.005, "net": 0.1}),
            qn.OpenClass("reports", arrival_rate=1, demands={"cpu": 0.05, "disk": 0.02}),
        ],
    )
