"""Exact methods for product-form networks."""

from __future__ import annotations

import math

from ..accuracy import measured_error
from ..arrays import Arrays
from ..kernels.lattice import lattice, lattice_bytes
from ..kernels.measures import Measures
from ..kernels.one_class import one_class
from ..kernels.open_network import open_network
from .method import (
    WORK,
    Method,
    beside_open,
    check_stable,
    closed_refuses,
    idle,
    long_left_over,
    merged,
    not_product_form,
    occupied,
)

MEMORY = 2 * 2**30  # most that one lattice may take [bytes]


def _open_refuses(arrays: Arrays) -> str:
    return not_product_form(arrays) or ("" if arrays.is_open else "for open classes only")


def _open(arrays: Arrays) -> Measures:
    check_stable(arrays)
    return open_network(arrays.arrival_rate, arrays.demand, arrays.speeds)


def _convolution_refuses(arrays: Arrays) -> str:
    reason = closed_refuses(arrays)
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
        return idle(arrays)
    return one_class(int(arrays.population[0]), float(arrays.think_time[0]), arrays.demand[0], arrays.speeds)


def _lattice_refuses(arrays: Arrays) -> str:
    reason = closed_refuses(arrays)
    if reason:
        return reason
    some = occupied(arrays)
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
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    part = lattice(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds)
    return merged(arrays, [(some, part)])


def _mixed_refuses(arrays: Arrays) -> str:
    if arrays.is_open or arrays.is_closed:
        return not_product_form(arrays) or "for open and closed classes together only"
    return _closed_part(arrays).refuses(arrays.of_classes(arrays.closed)) or long_left_over(arrays)


def _closed_part(arrays: Arrays) -> Method:
    """The method for the closed classes of a mixed model."""
    name = "convolution" if arrays.closed.sum() == 1 else "lattice"
    return next(method for method in METHODS if method.name == name)


def _mixed(arrays: Arrays) -> Measures:
    return beside_open(arrays, _closed_part(arrays).run)


METHODS = (
    Method("open", _open, True, _open_refuses, "open product-form network", "BCMP1975"),
    Method("convolution", _convolution, True, _convolution_refuses, "one closed class, tilted convolution", "Buzen1973"),
    Method("lattice", _lattice, True, _lattice_refuses, "closed classes, population lattice", "Reiser1975"),
    Method("mixed", _mixed, True, _mixed_refuses, "open and closed classes together", "BCMP1975"),
)
