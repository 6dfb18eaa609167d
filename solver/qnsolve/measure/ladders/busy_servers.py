"""What the measured utilization of the servers says about a ladder, and what it will be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.measure.operational_laws import UtilizationLaw, fit_utilization
from qnsolve.numerics.least_squares import nonnegative

from .closed_curve import Curves
from .ladder_rows import LadderRows

FULL = 0.98  # utilization from which the servers are full, and its growth ends
STRAIGHT = 0.5  # of the misfit without a constant part: where one leaves less it is taken
FEW, ENOUGH = 3, 4  # rows below full that a share of the waiting needs, and a constant part too


@dataclass(frozen=True)
class BusyServers:
    """Servers in use: constant + D·X + share·(jobs that wait at the station), at most all.

    Attributes
    ----------
    demand : float
        D, time that a job holds a server when none waits [time].
    waiting_share : float
        Of the waiting jobs those that hold a server meanwhile: 0 where they wait for a server, more where they wait behind
        it [0 or more].
    constant : float
        Servers in use without any job [servers].
    """

    demand: float
    waiting_share: float
    constant: float

    def used(self, curve: Curves, loads: Array, rates: Array) -> Array:
        """Servers in use at some loads, without a limit [servers]."""
        return np.asarray(self.constant + self.demand * rates + self.waiting_share * _waiting(curve, loads, rates))


def light_law(measured: LadderRows) -> UtilizationLaw | None:
    """Servers in use by rate alone, as at low loads; a constant part only where it explains the rows much better."""
    if measured.busy is None or measured.servers is None or not measured.busy.any():
        return None
    used = measured.busy * measured.servers
    alone = UtilizationLaw(float(np.median(used / measured.rates)), 0.0)
    below = measured.busy < FULL
    if np.sum(below) < FEW or np.ptp(measured.rates[below]) < 0.2 * float(measured.rates[below].max()):
        return alone
    line = fit_utilization(measured.rates[below], measured.busy[below], measured.servers)
    if line.demand <= 0:
        return alone

    def misfit(law: UtilizationLaw) -> float:
        return float(np.sqrt(np.mean((law.constant + law.demand * measured.rates[below] - used[below]) ** 2)))

    return line if misfit(line) < STRAIGHT * misfit(alone) else alone


def highest_rate(measured: LadderRows, law: UtilizationLaw | None) -> float | None:
    """The rate at which the servers are full; None where it is not known, or below a measured rate."""
    if law is None or measured.servers is None:
        return None
    found = (measured.servers - law.constant) / law.demand
    return float(found) if found > float(measured.rates.max()) else None


def busy_servers(measured: LadderRows, curve: Curves) -> BusyServers | None:
    """The law of the servers in use, by least relative squares of the rows in which not all are."""
    if measured.busy is None or measured.servers is None or not measured.busy.any():
        return None
    used = measured.busy * measured.servers
    below = (measured.busy < FULL) & (measured.busy > 0)
    if np.sum(below) < FEW:
        return BusyServers(float(np.median(used / measured.rates)), 0.0, 0.0)
    rates = curve.throughput(measured.loads)[0]
    columns = np.column_stack([rates, _waiting(curve, measured.loads, rates), np.ones(len(rates))])[below]
    columns /= used[below, None]

    def fit(count: int) -> tuple[Array, float]:
        numbers = nonnegative(columns[:, :count], np.ones(len(columns)))
        return numbers, float(np.linalg.norm(1 - columns[:, :count] @ numbers))

    (demand, share), plain = fit(2)
    if len(columns) >= ENOUGH:
        (more, part, constant), left = fit(3)
        if left < STRAIGHT * plain:
            return BusyServers(float(more), float(part), float(constant))
    return BusyServers(float(demand), float(share), 0.0)


def _waiting(curve: Curves, loads: Array, rates: Array) -> Array:
    """Jobs that wait at the station: all but those in a time without waiting."""
    return np.maximum(loads - rates * (curve.think_time + float(curve.response[0])), 0.0)
