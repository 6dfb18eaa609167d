"""A coupling facility, and the host CPU time of synchronous requests."""

from __future__ import annotations

from qnsolve.model import checks
from qnsolve.stations import mmc


def cf_request_time(requests: float, service_time: float, engines: int, latency: float = 0.0) -> float:
    """Time of one synchronous request: link, wait and service [s].

    Parameters
    ----------
    requests : float
        Poisson arrivals from many hosts [requests/s].
    service_time : float
        At an engine of the coupling facility [s].
    engines : int
        Of the coupling facility [count].
    latency : float, default 0
        On the link, both ways [s].

    Raises
    ------
    SaturatedError

    Examples
    --------
    >>> round(1e6 * cf_request_time(100_000, 4e-6, 2, latency=10e-6), 3)
    14.167
    """
    return mmc(requests, service_time, engines).response_time + checks.number("latency", latency)


def cf_busy(requests: float, service_time: float, engines: int) -> float:
    """The utilization of the coupling facility's engines [0..1].

    Parameters
    ----------
    requests, service_time, engines
        As for `cf_request_time`.

    Examples
    --------
    >>> round(cf_busy(100_000, 4e-6, 2), 6)
    0.2
    """
    return mmc(requests, service_time, engines).utilization


def cf_host_cpu(requests: float, service_time: float, engines: int, latency: float = 0.0) -> float:
    """Host CPU of synchronous requests, for which a processor spins until the request ends [engines].

    Parameters
    ----------
    requests, service_time, engines, latency
        As for `cf_request_time`.

    Examples
    --------
    >>> round(cf_host_cpu(100_000, 4e-6, 2), 4)
    0.4167
    """
    return requests * cf_request_time(requests, service_time, engines, latency)
