"""Approximate mean value analysis for closed classes, alone or beside open ones, at any size."""

from __future__ import annotations

from functools import partial

from qnsolve.errors import ConvergenceError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import (
    Method,
    beside_open,
    closed_refuses,
    idle,
    long_left_over,
    not_product_form,
    occupied,
    scatter_measures,
    too_much_memory,
)
from qnsolve.methods.measures import Measures
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.series import falls

from .amva import amva
from .saddle_point import saddle_point

COPIES = 25  # arrays, of a number for each population, class and station, that a fixed point holds at once
MANY = 100  # fewest jobs for an expansion in their number


def _approximate_refuses(rule: str, arrays: Arrays) -> str:
    large = too_large(len(occupied(arrays)), arrays.demand.shape[1], rule)
    if arrays.is_closed:
        return closed_refuses(arrays) or falling(arrays) or large
    if arrays.is_open:
        return not_product_form(arrays) or "for closed classes, alone or beside open ones"
    if not len(occupied(arrays)):
        return not_product_form(arrays) or "no closed class has a job: nothing to approximate"
    return not_product_form(arrays) or falling(arrays.of_classes(arrays.closed)) or long_left_over(arrays) or large


def too_large(classes: int, stations: int, rule: str = "linearizer") -> str:
    """Why a rule needs too much memory for that many closed classes, "" where it does not."""
    populations = 1 if rule == "schweitzer" else classes + 1
    return too_much_memory(rule, classes, stations, float(COPIES) * populations * classes * stations)


def falling(arrays: Arrays) -> str:
    """The station in use whose rates fall again with more jobs, "" where there is none."""
    used = arrays.demand[arrays.population > 0].sum(axis=0)
    for k, (station, speeds) in enumerate(zip(arrays.model.stations, arrays.speeds, strict=True)):
        if speeds is not None and used[k] > 0 and falls(speeds):
            return f"station {station.name!r}: its rates fall again with more jobs, which mean value analysis does not take"
    return ""


def approximate(rule: str, arrays: Arrays) -> Measures:
    """Closed classes, or closed beside open ones, by one of the rules."""
    return _closed(rule, arrays) if arrays.is_closed else beside_open(arrays, partial(_closed, rule))


def _closed(rule: str, arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    try:
        part = amva(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds, rule)
    except NotConvergedError as error:
        raise ConvergenceError(
            f"method {rule}: {error}, and damped iteration did not converge either", error.residual
        ) from error
    return scatter_measures(arrays, [(some, part)])


def _asymptotic_refuses(arrays: Arrays) -> str:
    reason = closed_refuses(arrays) or falling(arrays)
    if reason:
        return reason
    if len(occupied(arrays)) == 1:
        return "for several classes; one is solved exactly by method 'convolution', of any size"
    jobs = arrays.population.sum()
    return "" if jobs >= MANY else f"for {MANY} jobs and more, here are {jobs:g}; take method 'linearizer'"


def _asymptotic(arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    part = saddle_point(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds)
    return scatter_measures(arrays, [(some, part)])


def _iterated(rule: str, summary: str, source: str) -> Method:
    return Method(rule, partial(approximate, rule), False, partial(_approximate_refuses, rule), summary, source)


METHODS = (
    _iterated("linearizer", "closed classes, also beside open ones, any size", "Chandy1982"),
    _iterated("aql", "as the Linearizer, by totals of all classes", "Zahorjan1988"),
    _iterated("schweitzer", "as the Linearizer, faster and less accurate", "Schweitzer1979"),
    Method("asymptotic", _asymptotic, False, _asymptotic_refuses, "closed classes, many jobs", "Daniels1954"),
)
