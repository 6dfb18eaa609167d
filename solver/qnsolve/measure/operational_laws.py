"""The utilization law and the response time law, applied to measured intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model import checks

from .checked_series import Values, matched, series
from .regression import fit_line


@dataclass(frozen=True)
class UtilizationLaw:
    """Servers in use by throughput: U·m = constant + D·X.

    Attributes
    ----------
    demand : float
        D, service demand of one transaction [time].
    constant : float
        Servers in use without any transaction; negative where the demand grows with the load [servers].
    """

    demand: float
    constant: float


def fit_utilization(rates: Values, busy: Values, servers: int = 1) -> UtilizationLaw:
    """The demand and the constant part of the measured utilization, by least squares.

    Parameters
    ----------
    rates : sequence of float, shape (n,)
        Throughput of each interval [jobs/time].
    busy : sequence of float, shape (n,)
        Utilization of each server in the same intervals [0..1].
    servers : int, default 1
        [count]

    Returns
    -------
    UtilizationLaw
        Of one interval the demand is busy·servers/rate and the constant 0.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> law = fit_utilization([200, 400, 600], [0.12, 0.22, 0.32], servers=8)
    >>> round(law.demand, 6), round(law.constant, 6)
    (0.004, 0.16)
    """
    x = series("rates", rates, positive=True)
    used = series("busy", busy, most=1.0) * checks.whole("servers", servers, least=1)
    matched(rates=x, busy=used)
    if len(x) == 1:
        return UtilizationLaw(float(used[0] / x[0]), 0.0)
    line = fit_line(x, used, "rates")
    return UtilizationLaw(line.slope, line.intercept)


def fit_think_time(users: Values, rates: Values, response_times: Values, tick: float = 0.0) -> float:
    """The think time Z = N/X - R, its mean over the intervals [time].

    Parameters
    ----------
    users : sequence of float, shape (n,)
        N, active users in each interval [count].
    rates : sequence of float, shape (n,)
        X in the same intervals [jobs/time].
    response_times : sequence of float, shape (n,)
        R in the same intervals [time].
    tick : float, default 0
        Time between the ticks of the driver's clock, where thinking counts from the last tick before an answer: of R only
        the whole ticks are taken off, none where it lies within a tick, else all but half a tick in the mean [time].

    Raises
    ------
    ModelError
        Where N/X - R is negative.

    Examples
    --------
    >>> round(fit_think_time([1000, 2000], [199, 390], [0.02, 0.11]), 4)
    5.0117
    >>> round(fit_think_time([500], [570.54], [0.00166], tick=0.005), 4)
    0.8764
    """
    n, x, r = series("users", users), series("rates", rates, positive=True), series("response_times", response_times)
    matched(users=n, rates=x, response_times=r)
    clock = checks.number("tick", tick)
    spent = np.where(r < clock, 0.0, r - clock / 2)
    found = n / x - spent  # the response time law, R = N/X - Z
    if found.min() < 0:
        i = int(np.argmin(found))
        rule = "must be at least rate times response time (Little's law)"
        raise ModelError(f"users, value {i + 1}", rule, "count all users that were active", float(n[i]))
    return sum(found.tolist()) / len(found)


def saturation_rate(demand: float, servers: float = 1.0) -> float:
    """The throughput at which the servers are fully busy, m/D [jobs/time].

    Parameters
    ----------
    demand : float
        D [time]
    servers : float, default 1
        m [count]

    Examples
    --------
    >>> round(saturation_rate(0.0004524))  # the QR TCB of one CICS region
    2210
    """
    return checks.number("servers", servers, positive=True) / checks.number("demand", demand, positive=True)
