"""Stations with Poisson arrivals or a finite population and exponential service."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..kernels.series import Array, weights
from ..model import MOST_SERVERS
from .erlang import erlang_c
from .form import StationForm, inputs, stable


def mm1(arrival_rate: float, service_time: float) -> StationForm:
    """M/M/1: `mmc` with one server.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].

    Returns
    -------
    StationForm
        Exact.

    Raises
    ------
    ModelError, SaturatedError

    Examples
    --------
    >>> round(mm1(0.5, 1.0).response_time, 12)
    2.0
    """
    return mmc(arrival_rate, service_time, 1)


def mmc(arrival_rate: float, service_time: float, servers: int) -> StationForm:
    """M/M/c: Poisson arrivals, exponential service, identical servers, one queue.

    Parameters
    ----------
    arrival_rate : float
        λ [jobs/time].
    service_time : float
        S [time].
    servers : int
        m [count], 1 to 1,000,000.

    Returns
    -------
    StationForm
        Exact.

    Raises
    ------
    ModelError, SaturatedError

    References
    ----------
    [Kleinrock1975] section 3.5.

    Examples
    --------
    >>> round(mmc(9.0, 0.2, 2).response_time, 3)
    1.053
    """
    rate, service = inputs("M/M/c", arrival_rate, service_time)
    m = checks.whole("M/M/c: servers", servers, least=1, most=MOST_SERVERS)
    load = rate * service
    stable("M/M/c", load / m, m / service)
    waits = erlang_c(m, load)
    waiting = waits * service / (m - load)
    response = service + waiting
    return StationForm(rate, load / m, rate * response, waiting, response, waits)


def mmck(arrival_rate: float, service_time: float, servers: int, capacity: int) -> StationForm:
    """M/M/c/K: as M/M/c with room for `capacity` jobs; the others are turned away.

    Parameters
    ----------
    arrival_rate, service_time, servers
        As for `mmc`; the arrival rate may exceed what the servers can do.
    capacity : int
        K, waiting and in service [jobs], at least the servers.

    Returns
    -------
    StationForm
        Exact. Times and probability_wait are those of the jobs let in.

    Raises
    ------
    ModelError

    References
    ----------
    [Gross2008] section 2.5.

    Examples
    --------
    >>> round(mmck(50.0, 0.1, 4, 6).probability_blocked, 6)
    0.293543
    """
    rate, service = inputs("M/M/c/K", arrival_rate, service_time)
    m = checks.whole("M/M/c/K: servers", servers, least=1, most=MOST_SERVERS)
    room = checks.whole("M/M/c/K: capacity", capacity, least=m, most=10**7)
    if rate == 0:
        return StationForm(0.0, 0.0, 0.0, 0.0, service, 0.0)
    p = weights(rate * service / np.minimum(np.arange(1.0, room + 1), m))
    p /= p.sum()
    entered = float(p[:-1].sum())
    return _form(p, m, service, rate * entered, float(p[m:-1].sum()) / entered, float(p[-1]))


def finite_population(population: int, think_time: float, service_time: float, servers: int = 1) -> StationForm:
    """M/M/c//N, machine repair: N jobs that think, queue for a server, and think again.

    Parameters
    ----------
    population : int
        N [jobs], 1 to 10,000,000.
    think_time, service_time : float
        Z and S [time].
    servers : int, default 1
        m [count].

    Returns
    -------
    StationForm
        Exact; probability_wait is what an arriving job sees.

    Raises
    ------
    ModelError

    References
    ----------
    [Lazowska1984] section 6.4, [Gross2008] section 2.7.

    Examples
    --------
    >>> round(finite_population(2, 1.0, 1.0).throughput, 12)
    0.8
    """
    n = checks.whole("M/M/c//N: population", population, least=1, most=10**7)
    think = checks.number("M/M/c//N: think_time", think_time)
    service = checks.number("M/M/c//N: service_time", service_time, positive=True)
    m = checks.whole("M/M/c//N: servers", servers, least=1, most=MOST_SERVERS)
    if think == 0:
        p = np.eye(1, n + 1, n)[0]
        waits = 0.0 if m >= n else 1.0
    else:
        present = np.arange(1.0, n + 1)  # going from present − 1 jobs at the server to present
        p = weights((n - present + 1) / think * service / np.minimum(present, m))
        p /= p.sum()
        arrivals = p * np.arange(n, -1.0, -1.0)  # rate at which jobs come, by how many they find
        waits = min(1.0, float(arrivals[m:].sum() / arrivals.sum()))
    busy = float(p @ np.minimum(np.arange(n + 1), m))
    return _form(p, m, service, busy / service, waits, 0.0)


def _form(p: Array, m: int, service: float, throughput: float, waits: float, blocked: float) -> StationForm:
    """Mean values from the state probabilities of a station."""
    jobs = np.arange(len(p))
    waiting = float(p @ np.maximum(jobs - m, 0)) / throughput
    queue_length = float(p @ jobs)
    return StationForm(throughput, throughput * service / m, queue_length, waiting, service + waiting, waits, blocked)
