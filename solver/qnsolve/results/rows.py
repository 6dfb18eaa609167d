"""The rows of a solution: a class, a station, a class at a station, a limit."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan


@dataclass(frozen=True)
class ClassResult:
    """One class in the whole network; undefined numbers are nan.

    Attributes
    ----------
    name : str
    population : int or None
        Jobs of a closed class, None for an open one.
    throughput : float
        X [jobs/time].
    response_time, admission_wait, cycle_time : float
        R, W0 and C [time]; no cycle time for an open class.
    queue_length : float
        Jobs inside the network, waiting outside included [jobs].
    bottleneck : str or None
        The queueing station with the largest demand per server, None without one.
    highest_throughput : float
        Highest throughput of the bottleneck with this class alone [jobs/time].
    number_outside : float
        Jobs that wait for admission at limits [jobs].
    fraction_delayed : float
        Share of its admission requests that wait [0..1].
    delayed_wait : float
        Mean wait of the requests that wait [time]; nan where none does.
    """

    name: str
    population: int | None
    throughput: float
    response_time: float
    admission_wait: float
    cycle_time: float
    queue_length: float
    bottleneck: str | None
    highest_throughput: float
    number_outside: float = 0.0
    fraction_delayed: float = 0.0
    delayed_wait: float = nan


@dataclass(frozen=True)
class StationResult:
    """One station, all classes together; undefined numbers are nan.

    Attributes
    ----------
    name : str
    servers : float or None
        Fractions included, an int where whole; None for a delay or load-dependent station.
    utilization : float
        Per server [0..1]; nan for a delay.
    queue_length : float
        Q [jobs].
    throughput : float
        Visits completed [1/time]; nan unless every class there gave visits.
    capacity : int or None
        Most jobs at the station, None without limit.
    fraction_blocked : float
        Share of its servers' time blocked by jobs that are served and wait for a place at the next
        station [0..1]; not part of the utilization.
    """

    name: str
    servers: float | None
    utilization: float
    queue_length: float
    throughput: float
    capacity: int | None = None
    fraction_blocked: float = 0.0


@dataclass(frozen=True)
class PairResult:
    """One class at one station; undefined numbers are nan.

    Attributes
    ----------
    class_name, station : str
    throughput : float
        Visits completed, V·X [1/time]; nan where the class gave demands.
    utilization : float
        Per server [0..1]; nan for a delay.
    queue_length : float
        Q [jobs].
    demand, waiting_time, residence_time : float
        D, W, R_rk [time], for one job, all visits together.
    """

    class_name: str
    station: str
    throughput: float
    utilization: float
    queue_length: float
    demand: float
    waiting_time: float
    residence_time: float


@dataclass(frozen=True)
class LimitResult:
    """One admission limit, all its classes together.

    Attributes
    ----------
    name : str
    capacity : int
        Jobs inside at once, at most [jobs].
    number_inside, number_outside : float
        Jobs admitted by it, and jobs that wait for it [jobs].
    number_outside_95 : int
        95th percentile of the number waiting [jobs].
    probability_full : float
        Share of time that it is full [0..1].
    """

    name: str
    capacity: int
    number_inside: float
    number_outside: float
    number_outside_95: int
    probability_full: float
