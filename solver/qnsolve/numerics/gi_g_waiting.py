"""Waiting at one station with general arrivals and service, from two moments of each."""

from __future__ import annotations

from math import ceil, exp, sqrt

from .random_times import spread


def waiting(exponential: float, load: float, servers: int, arrivals: float, groups: float, service: float) -> float:
    """Mean wait in GI^[X]/G/m, first come first served.

    Parameters
    ----------
    exponential : float
        Mean wait in M/M/m at the same load [time].
    load : float
        Utilization per server [0..1].
    servers : int
    arrivals, groups, service : float
        Squared coefficients of variation: of the times between arrivals, what batches add
        to these, of the service time [ratio].

    Returns
    -------
    float
        Exact for Poisson arrivals at one server; with batches without the wait of a job for
        its own batch (`in_batch`).

    References
    ----------
    [Kraemer1976], [Kimura1986], [Cosmetatos1976].
    """
    ratio = 2.0  # of the waits in M/M/m and M/D/m
    if servers > 1 and load > 0:
        gamma = (1 - load) * (servers - 1) * (sqrt(4 + 5 * servers) - 2) / (16 * servers * load)
        ratio = 2 / (1 + min(0.24, gamma))
    return exponential * (by_service(service, ratio) * by_arrivals(load, servers, arrivals, service) + groups / 2)


def by_service(service: float, ratio: float) -> float:
    """Mean wait in M/G/m over that in M/M/m, [Cosmetatos1976] and [Kimura1986].

    Parameters
    ----------
    service : float
        Squared coefficient of variation of the service time [ratio].
    ratio : float
        Of the waits in M/M/m and in M/D/m, 1 … 2; 2 with one server, where this is exact.
    """
    return (1 - service) / ratio + service if service < 1 else (1 + service) / (ratio + service * (2 - ratio))


def by_arrivals(load: float, servers: int, arrivals: float, service: float) -> float:
    """Mean wait in GI/G/m over that in M/G/m, [Kraemer1976]; parameters as for `waiting`.

    With several servers the factor for bursty arrivals is left out, because it increases the measured error.
    """
    if arrivals == 1:
        return 1.0
    factor = 1.0
    if arrivals < 1:
        part = load * (arrivals + service)
        factor = exp(-2 * (1 - load) / 3 * (1 - arrivals) ** 2 / part) if part else 0.0
    elif servers == 1:
        factor = exp(-(1 - load) * (arrivals - 1) / (arrivals + 4 * service))
    return (arrivals + service) / (1 + service) * factor


def in_batch(size: float, variation: float, servers: int, load: float) -> float:
    """Mean jobs of its own batch that a job waits for, without those that free servers take [jobs].

    One server: all that are ahead, (size·(1 + variation) − 1)/2.
    """
    free = (servers - 1) * (1 - load)
    first = ceil(free)
    total = 0.0
    for jobs, share in zip(*spread(size, variation), strict=True):
        total += share * max(jobs - first, 0) * ((first + jobs - 1) / 2 - free)
    return max(total / size, 0.0)
