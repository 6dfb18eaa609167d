"""Stations with Poisson arrivals or a finite population and exponential service."""

from __future__ import annotations

import numpy as np

from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS
from qnsolve.numerics.series import Array, weights

from .distributions import Delayed, Followed, Steps
from .erlang import erlang_b, erlang_c
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
    return StationForm(
        rate,
        load / m,
        rate * response,
        waiting,
        response,
        waits,
        waiting=Delayed(waits, service / (m - load)),
        response=Followed(waits, service / (m - load), service),
    )


def mminf(arrival_rate: float, service_time: float) -> StationForm:
    """M/G/∞: a server for every job, with any distribution of the service time.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].

    Returns
    -------
    StationForm
        Exact. The utilization is 0: any number of busy servers is none of infinitely many.
        The percentile of the response is that of exponential service.

    Raises
    ------
    ModelError

    References
    ----------
    [Gross2008] section 2.6.

    Examples
    --------
    >>> mminf(8.0, 0.5).queue_length
    4.0
    """
    rate, service = inputs("M/M/inf", arrival_rate, service_time)
    return StationForm(
        rate, 0.0, rate * service, 0.0, service, 0.0, waiting=Delayed(0.0, service), response=Delayed(1.0, service)
    )


def loss(arrival_rate: float, service_time: float, servers: int) -> StationForm:
    """M/G/c/c, Erlang's loss station: arrivals that find all servers busy are lost.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time], also above the capacity of the servers, and S [time].
    servers : int
        m [count], 1 to 1,000,000.

    Returns
    -------
    StationForm
        Exact for any distribution of the service time; the percentile of the response is
        that of exponential service.

    Raises
    ------
    ModelError

    References
    ----------
    [Erlang1917].

    Examples
    --------
    >>> round(loss(1.0, 1.0, 2).probability_blocked, 12)
    0.2
    """
    rate, service = inputs("M/G/c/c", arrival_rate, service_time)
    m = checks.whole("M/G/c/c: servers", servers, least=1, most=MOST_SERVERS)
    blocked, served = _loss(m, rate * service)
    return StationForm(
        rate * served,
        rate * service * served / m,
        rate * service * served,
        0.0,
        service,
        0.0,
        blocked,
        waiting=Delayed(0.0, service),
        response=Delayed(1.0, service),
    )


def _loss(m: int, load: float) -> tuple[float, float]:
    """Shares of the arrivals lost and served; the latter as m·(1 − …)/a under overload, where B is near 1."""
    blocked = erlang_b(m, load)
    if load < 2 * m:
        return blocked, 1 - blocked
    fewer = erlang_b(m - 1, load)  # 1 − B(m) = m/(m + a·B(m − 1))
    return blocked, m / (m + load * fewer)


def mmck(arrival_rate: float, service_time: float, servers: int, capacity: int) -> StationForm:
    """M/M/c/K: as M/M/c with at most `capacity` jobs; further arrivals are lost.

    Parameters
    ----------
    arrival_rate, service_time, servers
        As for `mmc`; the arrival rate may exceed the capacity of the servers.
    capacity : int
        K, waiting and in service [jobs], at least the servers.

    Returns
    -------
    StationForm
        Exact. Times and probability_wait are those of the admitted jobs.

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
        return StationForm(0.0, 0.0, 0.0, 0.0, service, 0.0, waiting=Delayed(0.0, service), response=Delayed(1.0, service))
    p = weights(rate * service / np.minimum(np.arange(1.0, room + 1), m))
    p /= p.sum()
    entered = float(p[:-1].sum())
    return _form(p, m, service, rate * entered, p[m:-1] / entered, float(p[-1]))


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
        Exact; probability_wait is that of an arriving job.

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
        found = np.eye(1, n, n - 1)[0, m:]
    else:
        present = np.arange(1.0, n + 1)  # going from present − 1 jobs at the server to present
        p = weights((n - present + 1) / think * service / np.minimum(present, m))
        p /= p.sum()
        arrivals = p * np.arange(n, -1.0, -1.0)  # rate at which jobs come, by how many they find
        found = arrivals[m:-1] / arrivals.sum()
    busy = float(p @ np.minimum(np.arange(n + 1), m))
    return _form(p, m, service, busy / service, found, 0.0)


def _form(p: Array, m: int, service: float, throughput: float, found: Array, blocked: float) -> StationForm:
    """Mean values from the probabilities p of n jobs, and of the queue that an admitted job finds."""
    jobs = np.arange(len(p))
    waiting = float(p @ np.maximum(jobs - m, 0)) / throughput
    queue_length = float(p @ jobs)
    waits = min(1.0, float(found.sum()))
    busy = throughput * service / m
    return StationForm(
        throughput,
        busy,
        queue_length,
        waiting,
        service + waiting,
        waits,
        blocked,
        waiting=Steps(found, m, service, False),
        response=Steps(found, m, service, True),
    )
