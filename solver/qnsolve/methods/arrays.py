"""Network -> arrays for the kernels; measures of the kernels -> Solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from qnsolve.model.job_classes import ClosedClass, OpenClass
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import Delay, LoadDependent, Queue, Station
from qnsolve.numerics.series import Array
from qnsolve.results.rows import ClassResult, LimitResult, PairResult, StationResult
from qnsolve.results.solution import Solution

from .measures import Admission, Measures

ROUNDING = 1e-12  # relative: a wait, a queue or a share below it is rounding


@dataclass(frozen=True)
class Arrays:
    """A network as arrays: R classes, K stations.

    Attributes
    ----------
    model : Network
    demand, visits : ndarray (R, K)
        D [time]; V [per job], nan where the class gave demands.
    random_visits : ndarray (R, K)
        V of a class with random routing after each visit; nan where it makes one visit to each of its
        stations, in the model's order: by demands, and by visits that are all exactly 1.
    arrival_rate : ndarray (R,)
        λ of open classes, nan for closed ones [jobs/time].
    population, think_time : ndarray (R,)
        N [jobs] and Z [time] of closed classes, nan for open ones.
    speeds : tuple (K,) of ndarray or None
        Relative speed with 1, 2, … jobs, the last one holding; None for a delay.
    top, last : ndarray (K,)
        Highest relative speed, the servers of a queue, and the one that holds however
        many jobs there are; nan for a delay.
    solo : ndarray (K,)
        Highest speed that one job can get: 1 at a queue or a delay, less at a part of a server.
    host : ndarray (K,) of int
        The station whose servers a station runs on, its own where it has them.
    capacity : ndarray (K,)
        Most jobs at a station; inf where all that can come fit.
    """

    model: Network
    demand: Array
    visits: Array
    random_visits: Array
    arrival_rate: Array
    population: Array
    think_time: Array
    speeds: tuple[Array | None, ...]
    top: Array
    last: Array
    solo: Array
    host: NDArray[np.intp]
    capacity: Array

    @property
    def closed(self) -> NDArray[np.bool_]:
        """Which classes are closed, shape (R,)."""
        return np.isfinite(self.population)

    @property
    def is_open(self) -> bool:
        """All classes are open."""
        return not self.closed.any()

    @property
    def is_closed(self) -> bool:
        """All classes are closed."""
        return bool(self.closed.all())

    def work(self) -> Array:
        """Demand of each class on the servers of each station, that of stations that run on it included, (R, K) [time]."""
        hosted = np.flatnonzero(self.host != np.arange(len(self.host)))
        if not len(hosted):
            return self.demand
        work = self.demand.copy()
        for k in hosted:
            work[:, self.host[k]] += self.demand[:, k]
        return work

    def of_classes(self, chosen: NDArray[np.bool_]) -> Arrays:
        """The arrays of some classes only; the model remains whole."""
        rows = ("demand", "visits", "random_visits", "arrival_rate", "population", "think_time")
        return replace(self, **{name: getattr(self, name)[chosen] for name in rows})


def from_network(model: Network) -> Arrays:
    """The arrays of a network."""
    model = only_network(model)
    stations, classes = model.stations, model.classes
    names = [s.name for s in stations]
    closed = [c if isinstance(c, ClosedClass) else None for c in classes]
    jobs = sum(c.population if c else 10**9 for c in closed)
    speeds: list[Array | None] = []
    figures = []  # top, last, solo
    for station in stations:
        if isinstance(station, Queue):
            speeds.append(counted(station.servers, max(1, jobs)))
            figures.append((float(station.servers), float(station.servers), min(1.0, station.servers)))
        elif isinstance(station, LoadDependent):
            rates = np.array(station.rates)
            speeds.append(rates)
            figures.append((rates.max(), rates[-1], (rates / np.arange(1, len(rates) + 1)).max()))
        else:
            speeds.append(None)
            figures.append((nan, nan, 1.0))
    top, last, solo = np.array(figures).T
    demand = np.array([[c.demand(name) for name in names] for c in classes])
    visits = np.array([[nan if c.visits is None else c.visits.get(n, 0.0) for n in names] for c in classes])
    once = np.array([c.routing is None for c in classes]) & np.where(demand > 0, visits == 1, True).all(axis=1)
    return Arrays(
        model=model,
        demand=demand,
        visits=visits,
        random_visits=np.where(once[:, None], nan, visits),
        arrival_rate=np.array([c.arrival_rate if isinstance(c, OpenClass) else nan for c in classes]),
        population=np.array([float(c.population) if c else nan for c in closed]),
        think_time=np.array([c.think_time if c else nan for c in closed]),
        speeds=tuple(speeds),
        top=top,
        last=last,
        solo=solo,
        capacity=np.array([_room(model, s) for s in stations]),
        host=np.array([names.index(s.on) if isinstance(s, Queue) and s.on else k for k, s in enumerate(stations)]),
    )


def _room(model: Network, station: Station) -> float:
    """Capacity of a station, inf where no more jobs than that can come."""
    if not isinstance(station, Queue) or station.capacity is None:
        return inf
    come = [c for c in model.classes if c.demand(station.name) > 0]
    most = sum(c.population if isinstance(c, ClosedClass) else inf for c in come)
    return station.capacity if most > station.capacity else inf


@lru_cache(maxsize=1024)
def counted(servers: float, jobs: int) -> Array:
    """Speeds of a queue with up to that many jobs, one or more: 1, 2, … and the fraction of a last server."""
    whole = min(int(servers), jobs)
    speeds = np.append(np.arange(1.0, whole + 1), [servers] if whole < min(servers, jobs) else [])
    speeds.flags.writeable = False  # one array serves all stations of as many servers
    return speeds


def to_solution(arrays: Arrays, measures: Measures, method: str, exact: bool, residual: float) -> Solution:
    """The Solution, with names, from the measures of a kernel."""
    model = arrays.model
    x, demand, residence = measures.throughput, arrays.demand, measures.residence_time
    with np.errstate(invalid="ignore"):
        completions = x[:, None] * arrays.visits
        utilization = np.minimum(x[:, None] * demand / arrays.top, 1.0)  # 1 + rounding at most, checked by the laws
        busy = x @ arrays.work() / arrays.top
        waiting = np.where(arrays.solo > 1, nan, residence - demand)
    waiting[np.abs(waiting) <= ROUNDING * demand] = 0.0  # checked by the laws
    waiting[:, [isinstance(s, Delay) for s in model.stations]] = 0.0
    response = residence.sum(axis=1)
    figures = np.stack((completions, utilization, measures.queue_length, demand, waiting, residence), axis=-1).tolist()
    pairs = [
        PairResult(c.name, s.name, *figures[r][k]) for r, c in enumerate(model.classes) for k, s in enumerate(model.stations)
    ]
    by_station = np.minimum(busy, 1.0), measures.queue_length.sum(axis=0), _visits_completed(completions, demand)
    blocked = np.zeros(len(model.stations)) if measures.blocked is None else measures.blocked
    stations = [
        StationResult(
            s.name,
            s.servers if isinstance(s, Queue) else None,
            used,
            length,
            completed,
            s.capacity if isinstance(s, Queue) else None,
            nan if isinstance(s, Delay) else held_up,
        )
        for s, used, length, completed, held_up in zip(
            model.stations, *(each.tolist() for each in by_station), blocked.tolist(), strict=True
        )
    ]
    classes, admission, work = [], measures.admission, arrays.work()
    for r, c in enumerate(model.classes):
        closed = isinstance(c, ClosedClass)
        pressure = np.nan_to_num(work[r] / (arrays.top if closed else arrays.last))
        narrow = int(pressure.argmax())
        held = pressure[narrow] > 0
        outside, delayed, late = 0.0, 0.0, 0.0
        inside = float(measures.queue_length[r].sum())
        if admission is not None and admission.outside[r] > ROUNDING * inside:
            outside, delayed = float(admission.outside[r]), float(admission.delayed[r])
            late = delayed * float(admission.requests[r])
        wait = outside / float(x[r]) if x[r] > 0 else 0.0
        classes.append(
            ClassResult(
                name=c.name,
                population=c.population if isinstance(c, ClosedClass) else None,
                throughput=float(x[r]),
                response_time=float(response[r]) + wait,
                admission_wait=wait,
                cycle_time=float(arrays.think_time[r] + response[r] + wait) if closed else nan,
                queue_length=inside + outside,
                bottleneck=model.stations[narrow].name if held else None,
                highest_throughput=float(1 / pressure[narrow]) if held else nan,
                number_outside=outside,
                fraction_delayed=delayed,
                delayed_wait=wait / late if late > 0 else nan,
            )
        )
    return Solution(
        model=model,
        method=method,
        exact=exact,
        iterations=measures.iterations,
        residual=residual,
        notes=measures.notes,
        classes=tuple(classes),
        stations=tuple(stations),
        pairs=tuple(pairs),
        limits=() if admission is None else _limits(arrays, admission),
        _distribution=measures.distribution,
    )


def _visits_completed(completions: Array, demand: Array) -> Array:
    """Visits completed at each station, shape (K,); nan unless every class there gave visits."""
    absent = np.isnan(completions) & (demand == 0)
    total: Array = np.where(absent, 0.0, completions).sum(axis=0)
    return total


def _limits(arrays: Arrays, admission: Admission) -> tuple[LimitResult, ...]:
    return tuple(
        LimitResult(
            limit.name,
            limit.capacity,
            float(admission.inside[i]),
            float(admission.waiting[i]) if admission.waiting[i] > ROUNDING * admission.inside[i] else 0.0,
            int(np.searchsorted(np.cumsum(admission.lines[i]), 0.95 * admission.lines[i].sum())),
            float(admission.full[i]) if admission.full[i] > ROUNDING else 0.0,
        )
        for i, limit in enumerate(arrays.model.limits)
    )
