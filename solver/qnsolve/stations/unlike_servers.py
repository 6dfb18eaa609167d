"""Servers of different speeds at one queue, exact."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.numerics.series import Array

from .form import StationForm, inputs, stable

MOST_STATES = 2100


def unlike_servers(arrival_rate: float, service_time: float, speeds: Sequence[float]) -> StationForm:
    """M/M/c with servers of different speeds: an arrival takes the fastest free one and stays there.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time], and S at a server of speed 1 [time].
    speeds : sequence of float
        Speed of each server [ratio].

    Returns
    -------
    StationForm
        Exact. waiting_time is before service; the service itself depends on the server. utilization is
        the share of the total speed that is used.

    Raises
    ------
    ModelError
        Also where the states of the servers, Π (servers of a speed + 1) over the speeds, exceed 2100.
    SaturatedError

    Notes
    -----
    The Markov chain of the busy servers of each speed, solved by elimination without a subtraction; once all
    are busy the queue is geometric.

    References
    ----------
    [Gross2008] section 2.3.

    Examples
    --------
    >>> round(unlike_servers(1.0, 1.0, [1.5, 0.5]).response_time, 4)
    1.3333
    """
    rate, service = inputs("unlike servers", arrival_rate, service_time)
    given = [
        checks.number(f"unlike servers: speeds[{i}]", v, positive=True)
        for i, v in enumerate(checks.listed("unlike servers: speeds", speeds))
    ]
    if not given:
        raise ModelError("unlike servers: speeds", "must not be empty", "give the speed of each server")
    fastest = sorted(set(given), reverse=True)
    counts = [given.count(v) for v in fastest]
    if (states := prod(c + 1 for c in counts)) > MOST_STATES:
        rule = f"must have at most {MOST_STATES} states of busy servers, not {states}"
        raise ModelError("unlike servers: speeds", rule, "round the speeds to fewer different values")
    total = sum(given)
    load = rate * service
    stable("unlike servers", load / total, total / service)
    busy, p = _occupied(load, fastest, counts)
    tail = load / total
    whole = 1 / (1 - tail)
    p[-1] *= whole  # all states with every server busy
    p /= p.sum()
    waits = float(p[-1])
    queued = waits * tail * whole
    in_service = float(p @ busy)
    if rate == 0:
        return StationForm(0.0, 0.0, 0.0, 0.0, service / fastest[0], 0.0)
    return StationForm(rate, tail, queued + in_service, queued / rate, (queued + in_service) / rate, waits)


def usl_speeds(servers: int, contention: float, coherency: float = 0.0) -> list[float]:
    """Gunther's universal scalability law: the speed of 1, 2, … servers relative to one.

    Parameters
    ----------
    servers : int
        How many [count], 1 to 1,000,000.
    contention : float
        Serial share of the work, σ [0..1].
    coherency : float, default 0.0
        Coherency cost of each pair, κ [ratio].

    Returns
    -------
    list of float
        n/(1 + σ(n − 1) + κn(n − 1)) for n = 1 … servers: the rates of a load-dependent station.

    Raises
    ------
    ModelError

    References
    ----------
    [Gunther2007].

    Examples
    --------
    >>> [round(x, 3) for x in usl_speeds(4, 0.1)]
    [1.0, 1.818, 2.5, 3.077]
    """
    m = checks.whole("usl_speeds: servers", servers, least=1, most=10**6)
    serial = checks.number("usl_speeds: contention", contention)
    if serial > 1:
        raise ModelError("usl_speeds: contention", "must lie between 0 and 1", "write a share", serial)
    pairs = checks.number("usl_speeds: coherency", coherency)
    n = np.arange(1.0, m + 1)
    return [float(x) for x in n / (1 + serial * (n - 1) + pairs * n * (n - 1))]


def _occupied(load: float, speeds: list[float], counts: list[int]) -> tuple[Array, Array]:
    """Busy servers and weight of each state, in mixed radix by speed; without arrivals when all are busy."""
    shape = tuple(c + 1 for c in counts)
    states = prod(shape)
    held = np.array(np.unravel_index(np.arange(states), shape), dtype=np.float64)
    strides = [prod(shape[i + 1 :]) for i in range(len(shape))]
    index = np.arange(states)
    rates = np.zeros((states, states))
    free = np.ones(states, dtype=bool)
    for v, c, step, h in zip(speeds, counts, strides, held, strict=True):
        some = h > 0
        rates[index[some], index[some] - step] = h[some] * v
        takes = free & (h < c)
        rates[index[takes], index[takes] + step] = load
        free &= h == c
    reach = strides[0]
    for k in range(states - 1, 0, -1):  # Grassmann, Taksar and Heyman, within the band
        low = max(0, k - reach)
        rates[low:k, k] /= rates[k, low:k].sum()
        rates[low:k, low:k] += np.multiply.outer(rates[low:k, k], rates[k, low:k])
    p = np.zeros(states)
    p[0] = 1.0
    for k in range(1, states):
        low = max(0, k - reach)
        p[k] = p[low:k] @ rates[low:k, k]
        if p[k] > 1e250:
            p /= p[k]
    return held.sum(axis=0), p
