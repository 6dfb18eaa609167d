"""Ways to fit the rows of a ladder: what is known in advance, what is left to fit, and what it leaves of the rows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.measure.checked_series import Array

from .closed_curve import Curves
from .ladder_rows import LadderRows

RESPONSE, KNEE, SHAPE, DECLINE = range(4)
NAMES = ("response_time", "capacity", "shape", "decline")
LOWER = np.array([-np.inf, np.log(1e-10), -1.0, np.log(1e-9)])  # log r, log(r·C - 1), s, log decline
UPPER = np.array([np.inf, np.log(1e6), 1.0, 0.0])
SEEN = 0.5  # growth of the rate over growth of the load at the top, both in logarithms: below it the limit shows
TOP = 0.6  # of the highest load: the rows that say so


@dataclass(frozen=True)
class FitPlan:
    """One way to fit the rows: what is known in advance, and the parameters that are left."""

    capacity: float | None = None  # known from the servers' utilization
    servers: float | None = None  # known
    declines: bool = False
    nodes: int = 1

    @property
    def free(self) -> NDArray[np.intp]:
        """Which parameters are fitted."""
        known = {KNEE: self.capacity is not None, SHAPE: self.servers is not None, DECLINE: not self.declines}
        return np.array([i for i in range(len(NAMES)) if not known.get(i)])

    def curves(self, points: Array, think_time: float) -> Curves:
        """The curves of many points (P, p)."""
        every = np.zeros((len(points), len(NAMES)))
        every[:, self.free] = points
        response = np.exp(every[:, RESPONSE])
        knee = 1 + np.exp(every[:, KNEE]) if self.capacity is None else np.maximum(self.capacity * response, 1.0)
        shape = every[:, SHAPE]
        if self.servers is not None:
            shape = np.clip((self.servers - 1) / np.maximum(knee - 1, 1e-12), 0.0, 1.0)
        decline = np.exp(every[:, DECLINE]) if self.declines else np.zeros(len(points))
        return Curves(response, knee, shape, decline, think_time, self.nodes)


def plan_of(measured: LadderRows, known: float | None) -> tuple[FitPlan, str]:
    """What to fit to the rows, and where the capacity comes from; `known` is the rate at which the servers are full.

    A decline is in the plan where the rates fall at all: whether it is told from noise is seen by fitting without it too.
    """
    distinct = len(np.unique(measured.loads))
    plan = FitPlan(servers=1.0) if distinct < len(FitPlan().free) else FitPlan()
    if _growth(measured) < SEEN:
        declines = distinct >= len(NAMES) and _falls(measured)
        return dataclasses.replace(plan, declines=declines), "measured"
    if known is not None:
        return dataclasses.replace(plan, capacity=known), "servers"
    return plan, "unknown"


def _growth(measured: LadderRows) -> float:
    """Slope of log X by log N over the highest loads."""
    distinct = np.unique(measured.loads)
    start = min(TOP * distinct[-1], distinct[-2])
    top = measured.loads >= start
    n, x = np.log(measured.loads[top]), np.log(measured.rates[top])
    across = n - n.mean()
    return float(across @ (x - x.mean()) / (across @ across))


def _falls(measured: LadderRows) -> bool:
    """Whether the rate falls from its peak to the highest load, and is lowest there."""
    distinct = np.unique(measured.loads)
    means = np.array([measured.rates[measured.loads == n].mean() for n in distinct])
    peak = int(np.argmax(means))
    return bool(means[-1] < means[peak] and means[-1] == means[peak:].min())


def residuals(measured: LadderRows, curves: Curves) -> Array:
    """Logarithms of measured over computed rates, and of responses where there is a think time, in units of noise (P, n)."""
    found = curves.throughput(measured.loads)
    left = np.log(measured.rates / found) / measured.noise
    if measured.think_time and measured.response_times is not None:
        inside = measured.loads / found - measured.think_time
        left = np.hstack([left, np.log(measured.response_times / (inside * measured.response_ratio)) / measured.noise])
    return left
