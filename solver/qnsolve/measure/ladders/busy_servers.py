"""What the measured utilization of the servers says about a ladder."""

from __future__ import annotations

import numpy as np

from qnsolve.measure.operational_laws import UtilizationLaw, fit_utilization

from .ladder_rows import Rows

FULL = 0.98  # utilization from which the servers are full, and its growth with the rate ends
STRAIGHT = 0.5  # of the misfit of a demand alone: where a constant part leaves less it is taken


def busy_law(measured: Rows) -> UtilizationLaw | None:
    """Servers in use by rate; a constant part only where it explains the rows much better."""
    if measured.busy is None or measured.servers is None or not measured.busy.any():
        return None
    used = measured.busy * measured.servers
    demand = float(np.median(used / measured.rates))
    alone = UtilizationLaw(demand, 0.0)
    below = measured.busy < FULL
    if np.sum(below) < 3 or np.ptp(measured.rates[below]) < 0.2 * float(measured.rates[below].max()):
        return alone
    line = fit_utilization(measured.rates[below], measured.busy[below], measured.servers)
    if line.demand <= 0:
        return alone

    def misfit(law: UtilizationLaw) -> float:
        return float(np.sqrt(np.mean((law.constant + law.demand * measured.rates[below] - used[below]) ** 2)))

    return line if misfit(line) < STRAIGHT * misfit(alone) else alone


def highest_rate(measured: Rows, law: UtilizationLaw | None) -> float | None:
    """The rate at which the servers are full; None where it is not known, or below a measured rate."""
    if law is None or measured.servers is None:
        return None
    found = (measured.servers - law.constant) / law.demand
    return float(found) if found > float(measured.rates.max()) else None
