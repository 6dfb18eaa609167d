"""The entry of a method in the registry, and checks that several methods share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import SaturatedError
from qnsolve.methods.product_form.mixed import left_over, with_open
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.station_types import Queue
from qnsolve.numerics.series import Array

from .arrays import Arrays
from .measures import Measures

WORK = 4e10  # most products that one solve may take: some 20 seconds
MEMORY = 4e9  # most bytes that its arrays may take


@dataclass(frozen=True)
class Method:
    """One registry entry.

    Attributes
    ----------
    name : str
    run : callable
        Arrays to Measures.
    exact : bool
        Exact for the product-form model.
    refuses : callable
        Arrays to the reason of a refusal; "" where the method accepts.
    summary, source : str
        What it solves; keys of its publications.
    yields : callable
        Arrays to whether a later method is faster or better; used by "auto" and "exact" only.
    """

    name: str
    run: Callable[[Arrays], Measures]
    exact: bool
    refuses: Callable[[Arrays], str]
    summary: str
    source: str
    yields: Callable[[Arrays], bool] = lambda _: False


def not_product_form(arrays: Arrays, limits: bool = False) -> str:
    """Why a network has no product form, "" where it has one; with `limits`, without regard to limits."""
    model = arrays.model
    if model.limits and not limits:
        return f"limit {model.limits[0].name!r}: admission limits"
    reasons = (full(arrays), not_poisson(arrays), *(special(arrays, k) for k in range(len(model.stations))))
    return next((reason for reason in reasons if reason), "")


def special(arrays: Arrays, k: int) -> str:
    """Why a station has no product form, "" where it has one."""
    station, model = arrays.model.stations[k], arrays.model
    if not isinstance(station, Queue):
        return ""
    if station.discipline == "ps" or station.on is not None:
        return _runs_on(station)
    users = [c for c in model.classes if c.demand(station.name) > 0]
    odd = [c.name for c in users if c.variation(station.name) != 1]
    if odd:
        return f"station {station.name!r}: service_variation of class {odd[0]!r} under discipline {station.discipline!r}"
    if users and station.discipline in ("preemptive", "nonpreemptive"):
        return f"station {station.name!r}: discipline {station.discipline!r}"
    if station.discipline == "fcfs" and len(users) > 1:
        times = {None if c.service_times is None else c.service_times[station.name] for c in users}
        if None in times or len(times) > 1:
            return (
                f"station {station.name!r}: discipline 'fcfs' for several classes, unless all give visits "
                "and the same service_times there (use 'ps' otherwise)"
            )
    return ""


def full(arrays: Arrays) -> str:
    """The station whose capacity may be reached, "" where there is none."""
    k = int(arrays.capacity.argmin())
    room = float(arrays.capacity[k])
    return f"station {arrays.model.stations[k].name!r}: capacity {room:g}, which blocks others" if room < np.inf else ""


def starved(arrays: Arrays) -> str:
    """The class that is never served because closed jobs of higher priority never leave the servers, "" where none is."""
    model = arrays.model
    for k, station in enumerate(model.stations):
        if not isinstance(station, Queue) or station.discipline not in ("preemptive", "nonpreemptive"):
            continue
        only = ((arrays.demand > 0).sum(axis=1) == 1) & (arrays.demand[:, k] > 0) & (arrays.think_time == 0)
        most = station.servers + (station.discipline == "nonpreemptive")
        for r, job_class in enumerate(model.classes):
            above = [s for s, c in enumerate(model.classes) if c.priority < job_class.priority and only[s]]
            if arrays.demand[r, k] > 0 and arrays.population[above].sum() >= most:
                starving = f"class {job_class.name!r} never gets a server of {station.name!r}"
                return f"{starving}, because jobs of higher priority never leave it"
    return ""


def not_poisson(arrays: Arrays) -> str:
    """The class whose arrivals are not Poisson, "" where all are."""
    for c in arrays.model.classes:
        if isinstance(c, OpenClass) and not c.is_poisson:
            what = "batch_size" if c.batch_size != 1 else "arrival_variation"
            return f"class {c.name!r}: {what} {getattr(c, what):g}, only Poisson arrivals are accepted"
    return ""


def hosted(arrays: Arrays) -> str:
    """The station that runs on the servers of another, has a fraction of a server or may be full, "" where none does."""
    if full(arrays):
        return full(arrays)
    for station in arrays.model.stations:
        if isinstance(station, Queue) and station.servers != int(station.servers):
            return f"station {station.name!r}: servers {station.servers:g}, only whole ones are accepted"
        if isinstance(station, Queue) and (reason := _runs_on(station)):
            return reason
    return ""


def _runs_on(station: Queue) -> str:
    return f"station {station.name!r}: runs on the servers of {station.on!r}" if station.on is not None else ""


def uneven(arrays: Arrays) -> str:
    """The service time that is not exponential, "" where all are; it matters at every station without product form."""
    for c in arrays.model.classes:
        for name in c.service_variation or ():
            if c.variation(name) != 1 and c.demand(name) > 0:
                return f"station {name!r}: service_variation of class {c.name!r}, only exponential times are accepted"
    return ""


def check_stable(arrays: Arrays) -> None:
    """Raise SaturatedError for the most loaded station if it is saturated."""
    limit = np.where(np.isnan(arrays.last), np.inf, arrays.last)
    work = arrays.work()
    loads = np.nan_to_num(arrays.arrival_rate)[:, None] * work
    busy = loads.sum(axis=0) / limit
    k = int(busy.argmax())
    if busy[k] < 1:
        return
    r = int(loads[:, k].argmax())
    model, unit = arrays.model, arrays.model.time_unit
    name = model.classes[r].name
    highest = float(max(0.0, limit[k] - loads[:, k].sum() + loads[r, k]) / work[r, k])
    if highest > 0:
        repair = f"its highest stable rate is {highest:.6g}/{unit}"
    else:
        repair = f"no rate of it is stable beside the others, multiply all rates by less than {1 / busy[k]:.4g}"
    raise SaturatedError(model.stations[k].name, float(busy[k]), highest, repair, name)


def occupied(arrays: Arrays) -> NDArray[np.intp]:
    """Indices of the closed classes with jobs."""
    return np.flatnonzero(arrays.population > 0)


def closed_refuses(arrays: Arrays) -> str:
    """Why a network is not closed or has no product form, "" where it is accepted."""
    return not_product_form(arrays) or ("" if arrays.is_closed else "for closed classes only")


def scatter_measures(arrays: Arrays, parts: list[tuple[NDArray[Any], Measures]]) -> Measures:
    """Measures of all classes from parts with some classes each; others are idle. The last part gives the distributions."""
    everything = idle(arrays)
    for chosen, part in parts:
        everything.throughput[chosen] = part.throughput
        everything.queue_length[chosen] = part.queue_length
        everything.residence_time[chosen] = part.residence_time
    found = [part for _, part in parts]
    notes = tuple(note for part in found for note in part.notes)
    iterations = max(part.iterations for part in found)
    return replace(everything, distribution=found[-1].distribution, iterations=iterations, notes=notes)


def too_much_memory(method: str, classes: int, stations: int, numbers: float) -> str:
    """Why a method needs too much memory for arrays of that many numbers, "" where it does not."""
    if 8 * numbers <= MEMORY:
        return ""
    size = f"{classes} classes at {stations} stations need {8 * numbers / 1e9:.3g} GB of memory by {method}"
    return f"{size}, at most {MEMORY / 1e9:g} GB are allowed"


def in_words(count: int) -> str:
    """A whole number of any size as text: 12,345, or about 10^300.

    Examples
    --------
    >>> in_words(12345), in_words(10**300)
    ('12,345', 'about 10^300')
    """
    return f"{count:,}" if count < 10**15 else f"about 10^{round((count.bit_length() - 0.5) * math.log10(2))}"


def long_left_over(arrays: Arrays) -> str:
    """Why the speeds that open classes leave take too long to compute, "" where they do not."""
    jobs = np.nansum(arrays.population)
    for station, speeds in zip(arrays.model.stations, arrays.speeds, strict=True):
        levels = 0 if speeds is None else len(speeds)
        if levels * min(levels, jobs) > WORK / 200:
            return f"station {station.name!r}: {levels} servers beside {jobs:g} closed jobs are too many"
    return ""


def beside_open(arrays: Arrays, run: Callable[[Arrays], Measures]) -> Measures:
    """Measures of open and closed classes: the closed ones by `run` at the speeds that the open ones leave."""
    check_stable(arrays)
    closed, opened = arrays.of_classes(arrays.closed), arrays.of_classes(~arrays.closed)
    load, most = opened.arrival_rate @ opened.demand, int(closed.population.sum())
    left = tuple(None if s is None else left_over(a, s, most) for a, s in zip(load.tolist(), arrays.speeds, strict=True))
    inside = run(replace(closed, speeds=left))
    outside = with_open(inside, opened.arrival_rate, opened.demand, arrays.speeds, left)
    return scatter_measures(arrays, [(arrays.closed, inside), (~arrays.closed, outside)])


def idle(arrays: Arrays) -> Measures:
    """Measures of a network without jobs: zero throughput, undefined times."""
    shape = arrays.demand.shape
    return Measures(np.zeros(shape[0]), np.zeros(shape), np.full(shape, np.nan), _empty)


def _empty(k: int) -> Array:
    return np.array([1.0])
