"""The process of each job, step by step, for the Markov chain and the event simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from qnsolve.methods.markov.job_moves import OUTSIDE, EntryLimit
from qnsolve.model.job_classes import JobClass, OpenClass
from qnsolve.model.station_types import Delay, Queue
from qnsolve.numerics.series import Array

from .arrays import Arrays

Route = dict[int, list[tuple[int, float]]]  # from a station (or OUTSIDE) to the next ones, with probabilities


@dataclass(frozen=True)
class JobProcess:
    """A network as a process: R classes, K stations.

    Attributes
    ----------
    kinds : tuple (K,) of str
        "shared", "delay", "fcfs", "nonpreemptive", "preemptive"; within a priority first come first served.
    speeds : tuple (K,) of tuple of float
        μ(1), μ(2), …, the last one holding, of a shared station; 1 … m of the others; () for a delay.
    service, variation : ndarray (R, K)
        Mean time of a visit [time] and its squared coefficient of variation.
    rank : tuple (R,) of int
        Priority, 1 the highest.
    routes : tuple (R,) of Route
    population : tuple (R,) of int or None
        None for an open class.
    outside : tuple (R,) of float
        Mean think time; of an open class mean time between batches [time].
    arrival_variation, batch_size, batch_variation : tuple (R,) of float
        Of the open classes.
    limits : tuple of EntryLimit
    capacity : tuple (K,) of float
        Most jobs at a station, inf without limit; () where no station has one.
    """

    kinds: tuple[str, ...]
    speeds: tuple[tuple[float, ...], ...]
    service: Array
    variation: Array
    rank: tuple[int, ...]
    routes: tuple[Route, ...]
    population: tuple[int | None, ...]
    outside: tuple[float, ...]
    arrival_variation: tuple[float, ...]
    batch_size: tuple[float, ...]
    batch_variation: tuple[float, ...]
    limits: tuple[EntryLimit, ...] = ()
    capacity: tuple[float, ...] = ()


def job_process(arrays: Arrays) -> JobProcess:
    """The process of a network.

    A class that gives demands, or visits of exactly 1 everywhere, makes one visit to each of
    its stations, in the model's order; one that gives a routing goes by it; one that gives
    other visits goes on after each visit with the same probabilities.
    """
    model = arrays.model
    classes = range(len(model.classes))
    opened = [c if isinstance(c, OpenClass) else None for c in model.classes]
    return JobProcess(
        kinds=tuple(
            s.discipline.replace("ps", "shared") if isinstance(s, Queue) else "delay" if isinstance(s, Delay) else "shared"
            for s in model.stations
        ),
        speeds=tuple(() if s is None else tuple(s.tolist()) for s in arrays.speeds),
        service=service_time(arrays),
        variation=np.array([[c.variation(s.name) for s in model.stations] for c in model.classes]),
        rank=tuple(c.priority for c in model.classes),
        routes=routes_of(arrays),
        population=tuple(None if isinstance(c, OpenClass) else c.population for c in model.classes),
        outside=tuple(
            c.think_time if not isinstance(c, OpenClass) else c.batch_size / c.arrival_rate if c.arrival_rate else inf
            for c in model.classes
        ),
        arrival_variation=tuple(c.arrival_variation if c else 1.0 for c in opened),
        batch_size=tuple(c.batch_size if c else 1.0 for c in opened),
        batch_variation=tuple(c.batch_spread if c else 0.0 for c in opened),
        limits=tuple(
            EntryLimit(
                limit.capacity,
                frozenset(r for r in classes if limit.classes is None or model.classes[r].name in limit.classes),
                frozenset(k for k, s in enumerate(model.stations) if limit.stations is None or s.name in limit.stations),
            )
            for limit in model.limits
        ),
        capacity=tuple(arrays.capacity.tolist()),
    )


def routes_of(arrays: Arrays) -> tuple[Route, ...]:
    """The route of each class."""
    names = [s.name for s in arrays.model.stations]
    return tuple(
        route(arrays.demand[r], arrays.random_visits[r]) if c.routing is None else _by_routing(c, names, arrays.demand[r])
        for r, c in enumerate(arrays.model.classes)
    )


def _by_routing(job_class: JobClass, names: list[str], demand: Array) -> Route:
    """The routing by indices; a return to the reference passes outside; stations without service time are left out."""
    steps: dict[int, dict[int, float]] = {OUTSIDE: {}}
    back = -2 if job_class.reference is None else names.index(job_class.reference)
    entry = job_class.entry if job_class.reference is None else {job_class.reference: 1.0}
    for name, p in (entry or {}).items():
        steps[OUTSIDE][names.index(name)] = p
    for name, row in (job_class.routing or {}).items():
        way = steps.setdefault(names.index(name), {})
        for following, p in row.items():
            k = names.index(following)
            way[OUTSIDE if k == back else k] = p
    for name, p in (job_class.exits or {}).items():
        steps.setdefault(names.index(name), {})[OUTSIDE] = p
    for idle in [k for k in steps if k != OUTSIDE and demand[k] == 0]:
        through = steps.pop(idle)
        through.pop(idle, None)
        out = sum(through.values())
        for way in steps.values():
            share = way.pop(idle, 0.0)
            for k, p in through.items() if share else ():
                way[k] = way.get(k, 0.0) + share * p / out
    return {k: [(following, p) for following, p in way.items() if p > 0] for k, way in steps.items()}


def service_time(arrays: Arrays) -> Array:
    """Mean time of one visit, shape (R, K); the demand itself where demands were given."""
    with np.errstate(divide="ignore", invalid="ignore"):
        once = np.isnan(arrays.random_visits) | (arrays.random_visits == 0)
        return np.where(once, arrays.demand, arrays.demand / arrays.random_visits)


def route(demand: Array, visits: Array) -> Route:
    """The next stations from outside and from each station, with probabilities."""
    used = [int(k) for k in np.flatnonzero(demand > 0)]
    if not used:
        return {OUTSIDE: [(OUTSIDE, 1.0)]}
    if np.isnan(visits).any():
        return {k: [(following, 1.0)] for k, following in zip([OUTSIDE, *used], [*used, OUTSIDE], strict=True)}
    total = float(visits[used].sum())
    more, enters = max(0.0, 1 - 1 / total), min(total, 1.0)  # probability of another visit; of any visit
    shares = [(k, float(visits[k] / total)) for k in used]
    first = [(k, enters * share) for k, share in shares] + [(OUTSIDE, 1 - enters)] * (enters < 1)
    onward = [(k, more * share) for k, share in shares if more]
    return {OUTSIDE: first, **{k: [*onward, (OUTSIDE, 1 - more)] for k in used}}


def entry_requests(arrays: Arrays, some: Sequence[int] | None = None) -> Array:
    """Admission requests of one job of each class, shape (R,): its steps to stations with a limit that it does not hold.

    Parameters
    ----------
    some : sequence of int, optional
        The limits that count; by default all.
    """
    process, classes = job_process(arrays), range(len(arrays.demand))
    limits = process.limits if some is None else [process.limits[i] for i in some]
    asked = np.zeros(len(classes))
    for r in classes:
        for place, steps in process.routes[r].items():
            once = place == OUTSIDE or np.isnan(arrays.random_visits[r]).any()
            visits = 1.0 if once else float(arrays.random_visits[r, place])
            for k, share in steps:
                if any(r in x.classes and k in x.stations and place not in x.stations for x in limits):
                    asked[r] += visits * share
    return asked
