"""The ordered registry of methods: what each is, what it accepts, and why not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .accuracy import measured_error
from .arrays import Arrays
from .errors import ConvergenceError, SaturatedError
from .kernels.amva import NotConvergedError, amva
from .kernels.lattice import lattice, lattice_bytes
from .kernels.measures import Measures
from .kernels.mixed import left_over, with_open
from .kernels.one_class import one_class
from .kernels.open_network import open_network
from .kernels.series import Array, falls
from .model import Queue

MEMORY = 2 * 2**30  # most that one lattice may take [bytes]
WORK = 4e10  # most products that one solve may take: some 20 seconds


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
        Arrays to the reason why not; "" where the method accepts.
    summary, source : str
        What it does; keys of the publications behind it.
    """

    name: str
    run: Callable[[Arrays], Measures]
    exact: bool
    refuses: Callable[[Arrays], str]
    summary: str
    source: str


def not_product_form(arrays: Arrays) -> str:
    """Why a network has no product form, "" where it has one."""
    model = arrays.model
    if model.limits:
        return f"limit {model.limits[0].name!r}: admission limits"
    for station in model.stations:
        if not isinstance(station, Queue):
            continue
        users = [c for c in model.classes if c.demand(station.name) > 0]
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


def _open_refuses(arrays: Arrays) -> str:
    return not_product_form(arrays) or ("" if arrays.is_open else "for open classes only")


def _open(arrays: Arrays) -> Measures:
    _check_stable(arrays)
    return open_network(arrays.arrival_rate, arrays.demand, arrays.speeds)


def _check_stable(arrays: Arrays) -> None:
    """Raise SaturatedError for the most loaded station, where one cannot keep up."""
    limit = np.where(np.isnan(arrays.last), np.inf, arrays.last)
    loads = np.nan_to_num(arrays.arrival_rate)[:, None] * arrays.demand
    busy = loads.sum(axis=0) / limit
    k = int(busy.argmax())
    if busy[k] < 1:
        return
    r = int(loads[:, k].argmax())
    model, unit = arrays.model, arrays.model.time_unit
    name = model.classes[r].name
    highest = float(max(0.0, limit[k] - loads[:, k].sum() + loads[r, k]) / arrays.demand[r, k])
    if highest > 0:
        repair = f"its highest stable rate is {highest:.6g}/{unit}"
    else:
        repair = f"no rate of it is stable beside the others: all rates together must stay below {1 / busy[k]:.4g} of these"
    raise SaturatedError(model.stations[k].name, float(busy[k]), highest, repair, name)


def _occupied(arrays: Arrays) -> NDArray[np.intp]:
    return np.flatnonzero(arrays.population > 0)


def _closed_refuses(arrays: Arrays) -> str:
    return not_product_form(arrays) or ("" if arrays.is_closed else "for closed classes only")


def _convolution_refuses(arrays: Arrays) -> str:
    reason = _closed_refuses(arrays)
    if reason or len(arrays.population) > 1:
        return reason or "for one class only"
    n = float(arrays.population[0])
    for station, speeds in zip(arrays.model.stations, arrays.speeds, strict=True):
        levels = 0 if speeds is None else min(len(speeds), n)
        if levels * n > WORK:
            too_long = f"{levels:g} speeds times {n:g} jobs is too long a convolution"
            return f"station {station.name!r}: {too_long}; shorten rates, or lower the population"
    return ""


def _convolution(arrays: Arrays) -> Measures:
    if arrays.population[0] == 0:
        return _idle(arrays)
    return one_class(int(arrays.population[0]), float(arrays.think_time[0]), arrays.demand[0], arrays.speeds)


def _lattice_refuses(arrays: Arrays) -> str:
    reason = _closed_refuses(arrays)
    if reason:
        return reason
    some = _occupied(arrays)
    populations = [int(n) for n in arrays.population[some]]
    used = arrays.demand[some].sum(axis=0) > 0
    size = lattice_bytes(populations, int(used.sum()))
    points = "×".join(str(n + 1) for n in populations)
    repair = "merge classes with like demands, solve smaller populations, or ask for method 'linearizer'"
    if size > MEMORY:
        return (
            f"the population lattice of {points} points at {used.sum()} stations takes {_gib(size)} of the {_gib(MEMORY)} "
            f"allowed: {repair} ({measured_error('linearizer')})"
        )
    levels = sum(min(len(s), sum(populations)) for s, u in zip(arrays.speeds, used, strict=True) if s is not None and u)
    if levels * len(populations) * math.prod(n + 1 for n in populations) > WORK:
        return (
            f"the population lattice of {points} points with {levels} speeds in all is too long a convolution: "
            f"shorten rates, {repair} ({measured_error('linearizer')})"
        )
    return ""


def _gib(size: float) -> str:
    return f"{size / 2**30:,.3g} GiB" if size < 1000 * 2**30 else f"{size / 2**30:,.0f} GiB"


def _lattice(arrays: Arrays) -> Measures:
    some = _occupied(arrays)
    if len(some) == 0:
        return _idle(arrays)
    part = lattice(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds)
    return _merged(arrays, [(some, part)])


def _merged(arrays: Arrays, parts: list[tuple[NDArray[Any], Measures]]) -> Measures:
    """Measures of all classes from those of some of them each; the rest is idle. The last part says how it was done."""
    everything = _idle(arrays)
    for chosen, part in parts:
        everything.throughput[chosen] = part.throughput
        everything.queue_length[chosen] = part.queue_length
        everything.residence_time[chosen] = part.residence_time
    last = parts[-1][1]
    return replace(everything, distribution=last.distribution, iterations=last.iterations)


def _idle(arrays: Arrays) -> Measures:
    """No jobs at all: nothing moves, and times are undefined."""
    shape = arrays.demand.shape
    return Measures(np.zeros(shape[0]), np.zeros(shape), np.full(shape, np.nan), _empty)


def _empty(k: int) -> Array:
    return np.array([1.0])


def _mixed_refuses(arrays: Arrays) -> str:
    if arrays.is_open or arrays.is_closed:
        return not_product_form(arrays) or "for open and closed classes together only"
    reason = _closed_part(arrays).refuses(arrays.of_classes(arrays.closed))
    jobs = np.nansum(arrays.population)
    for station, speeds in zip(arrays.model.stations, arrays.speeds, strict=True):
        levels = 0 if speeds is None else len(speeds)
        if levels * min(levels, jobs) > WORK / 200:
            reason = reason or f"station {station.name!r}: {levels} servers beside {jobs:g} closed jobs are too many"
    return reason


def _closed_part(arrays: Arrays) -> Method:
    """The method for the closed classes of a mixed model."""
    name = "convolution" if arrays.closed.sum() == 1 else "lattice"
    return next(method for method in METHODS if method.name == name)


def _mixed(arrays: Arrays) -> Measures:
    _check_stable(arrays)
    closed, opened = arrays.of_classes(arrays.closed), arrays.of_classes(~arrays.closed)
    load, most = opened.arrival_rate @ opened.demand, int(closed.population.sum())
    left = tuple(None if s is None else left_over(a, s, most) for a, s in zip(load.tolist(), arrays.speeds, strict=True))
    inside = _closed_part(arrays).run(replace(closed, speeds=left))
    outside = with_open(inside, opened.arrival_rate, opened.demand, arrays.speeds, left)
    return _merged(arrays, [(arrays.closed, inside), (~arrays.closed, outside)])


def _approximate_refuses(arrays: Arrays) -> str:
    reason = _closed_refuses(arrays)
    used = arrays.demand[arrays.population > 0].sum(axis=0)
    for k, (station, speeds) in enumerate(zip(arrays.model.stations, arrays.speeds, strict=True)):
        if speeds is not None and used[k] > 0 and falls(speeds):
            reason = reason or f"station {station.name!r}: rates that fall again, where the mean does not tell the state"
    return reason


def _approximate(linearize: bool, arrays: Arrays) -> Measures:
    some = _occupied(arrays)
    if len(some) == 0:
        return _idle(arrays)
    try:
        part = amva(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds, linearize)
    except NotConvergedError as error:
        name = "linearizer" if linearize else "schweitzer"
        raise ConvergenceError(f"method {name}: {error}, damped steps neither", error.residual) from error
    return _merged(arrays, [(some, part)])


METHODS = (
    Method("open", _open, True, _open_refuses, "open product-form network", "BCMP1975"),
    Method("convolution", _convolution, True, _convolution_refuses, "one closed class, tilted convolution", "Buzen1973"),
    Method("lattice", _lattice, True, _lattice_refuses, "closed classes, population lattice", "Reiser1975"),
    Method("mixed", _mixed, True, _mixed_refuses, "open and closed classes together", "BCMP1975"),
    Method("linearizer", partial(_approximate, True), False, _approximate_refuses, "closed classes, any size", "Chandy1982"),
    Method(
        "schweitzer", partial(_approximate, False), False, _approximate_refuses, "closed classes, roughest", "Schweitzer1979"
    ),
)
