"""The Markov chain of a small model: exact also for limits, priorities and first come first served."""

from __future__ import annotations

import math

import numpy as np

from qnsolve.errors import ModelError, NoMethodError, SaturatedError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import Method, check_stable, full, idle, not_poisson, not_product_form, starved, uneven
from qnsolve.methods.measures import Measures
from qnsolve.numerics.markov_chain import TooManyStatesError

from .blocking_moves import NoRoomError
from .deadlock import held_refuses
from .job_chain import STATES, Chain, jobs_of, orders

FEW = 500  # states up to which a chain takes milliseconds, and "auto" prefers it to an approximation
LOST = 1e-15  # share of an open class's arrivals that a cut chain may turn away


def _refuses(arrays: Arrays) -> str:
    reason = not_poisson(arrays) or ("" if not not_product_form(arrays) else uneven(arrays))
    if reason:
        return reason
    other = starved(arrays) or (full(arrays) and held_refuses(arrays))
    if other:
        return other
    if _states(arrays) > STATES or (not full(arrays) and not arrays.model.limits and orders(arrays) > STATES):
        return f"the chain has more than {STATES:,} states; lower the populations, or simulate"
    return ""


def is_small(arrays: Arrays) -> bool:
    """Whether the Markov chain solves a network of closed classes in some hundreds of states."""
    return arrays.is_closed and not _refuses(arrays) and _states(arrays) * orders(arrays) <= FEW


def _states(arrays: Arrays) -> int:
    """About the number of states; more where a first come first served queue has several classes."""
    states = 1
    for r, job_class in enumerate(arrays.model.classes):
        stations = int((arrays.demand[r] > 0).sum())
        jobs = int(arrays.population[r]) if arrays.closed[r] else _cut(arrays)
        places = stations + (not arrays.closed[r] or arrays.think_time[r] > 0)
        ways = math.comb(jobs + places - 1, jobs)
        room = arrays.capacity[(arrays.demand[r] > 0) & np.isfinite(arrays.capacity)]
        ways = min(
            ways, math.prod(int(n) + 1 for n in room) * math.comb(jobs + places - len(room) - (places > len(room)), jobs)
        )
        for limit in arrays.model.limits:
            if limit.stations is None and (limit.classes is None or job_class.name in limit.classes) and limit.capacity < jobs:
                ways = min(ways, math.comb(limit.capacity + stations, stations) * (jobs - limit.capacity + 1))
        states *= ways
    return states


def _cut(arrays: Arrays) -> int:
    """Jobs of an open class at which the chain can be cut."""
    busy = np.nan_to_num(np.nan_to_num(arrays.arrival_rate) @ arrays.demand / arrays.last).max(initial=0.0)
    return 8 if busy == 0 else 8 + math.ceil(math.log(LOST) / math.log(min(busy, 0.999)))


def _markov(arrays: Arrays) -> Measures:
    if not arrays.is_closed:
        check_stable(arrays)
    if not np.nansum(arrays.population) and arrays.is_closed:
        return idle(arrays)
    cut, before = _cut(arrays), 1.0
    try:
        while True:
            chain = Chain(jobs_of(arrays, cut))
            lost = chain.lost(arrays)
            if lost <= 10 * LOST:
                return chain.measures(arrays, lost)
            if lost > 0.7 * before:
                raise _saturated(arrays, lost)
            cut, before = math.ceil(cut * min(3.0, max(1.2, 1.1 * math.log(LOST) / math.log(lost)))), lost
    except TooManyStatesError as error:
        raise NoMethodError({"markov": f"{error}; lower the populations, or simulate"}) from error
    except NoRoomError as error:
        jobs = arrays.model.classes[error.number]
        rule = "must fit the capacities of its stations beside the other classes, because it has no think time"
        repair = "lower it, or give a think_time or larger capacities"
        raise ModelError(f"class {jobs.name!r}: population", rule, repair, int(arrays.population[error.number])) from error


def _saturated(arrays: Arrays, lost: float) -> SaturatedError:
    """The error of a saturated open class: at any length of the queue arrivals are turned away."""
    narrow = [arrays.model.stations[int(arrays.capacity.argmin())]] if full(arrays) else []
    part = (*arrays.model.limits, *narrow, *arrays.model.stations)[0].name
    r = int(np.nan_to_num(arrays.arrival_rate).argmax())
    rate = float(arrays.arrival_rate[r] * (1 - lost))
    repair = f"about {rate:.6g}/{arrays.model.time_unit} of it get through"
    return SaturatedError(part, 1 / (1 - lost), rate, repair, arrays.model.classes[r].name)


METHODS = (Method("markov", _markov, True, _refuses, "any small model, its Markov chain", "Grassmann1985"),)
