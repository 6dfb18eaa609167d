"""Exact methods for product-form networks."""

from __future__ import annotations

import math

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import (
    WORK,
    Method,
    beside_open,
    check_stable,
    closed_refuses,
    idle,
    in_words,
    long_left_over,
    not_product_form,
    occupied,
    scatter_measures,
)
from qnsolve.methods.measures import Measures

from .convolution import one_class
from .lattice import lattice, lattice_bytes
from .open_network import open_network
from .recal import recal, recal_bytes, recal_work

MEMORY = 2 * 2**30  # most that one lattice may take [bytes]
WALK = 1e9  # the same for recursions that look states up one by one
MANY, POINT = 10_000, 50  # points from which a lattice is slow; products of the recursion that take as long as one point


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
            too_long = f"{levels:g} speeds times {n:g} jobs take too long"
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
    points = "×".join(str(n + 1) for n in populations[:8]) + (
        f"× ... {len(populations)} of them" if len(populations) > 8 else ""
    )
    repair = "take method 'linearizer' (approximate), merge similar classes or lower populations"
    if size > MEMORY:
        return (
            f"the population lattice of {points} points at {used.sum()} stations takes {_gib(size)} of the {_gib(MEMORY)} "
            f"allowed; {repair}"
        )
    levels = sum(min(len(s), sum(populations)) for s, u in zip(arrays.speeds, used, strict=True) if s is not None and u)
    if levels * len(populations) * math.prod(n + 1 for n in populations) > WORK:
        return f"the population lattice of {points} points with {levels} speeds in all take too long; shorten rates, {repair}"
    return ""


def _gib(size: int) -> str:
    if size > 2**100:
        return f"{in_words(size // 2**30)} GiB"
    return f"{size / 2**30:,.3g} GiB" if size < 1000 * 2**30 else f"{size / 2**30:,.0f} GiB"


def _lattice(arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    part = lattice(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds)
    return scatter_measures(arrays, [(some, part)])


def _lattice_yields(arrays: Arrays) -> bool:
    """Whether the recursion by chain takes the model in much less time."""
    populations, queues = _sizes(arrays)
    points = math.prod(n + 1 for n in populations)
    return points > MANY and recal_work(populations, queues) < POINT * points and not _recal_refuses(arrays)


def _sizes(arrays: Arrays) -> tuple[list[int], int]:
    """The populations, and the number of stations with a queue."""
    some = occupied(arrays)
    used = arrays.demand[some].sum(axis=0) > 0
    return [int(n) for n in arrays.population[some]], sum(s is not None for s, u in zip(arrays.speeds, used, strict=True) if u)


def _recal_refuses(arrays: Arrays) -> str:
    reason = closed_refuses(arrays)
    if reason:
        return reason
    populations, queues = _sizes(arrays)
    if not populations:
        return ""
    size, work = recal_bytes(populations, queues), recal_work(populations, queues)
    if size <= MEMORY and work <= WALK:
        return ""
    takes = f"takes {_gib(size)} of the {_gib(MEMORY)} allowed" if size > MEMORY else "takes too long"
    what = f"{in_words(sum(populations))} jobs at {queues} stations with a queue"
    return f"the recursion over {what} {takes}; take method 'linearizer' (approximate), or merge stations or classes"


def _recal(arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    part = recal(arrays.population[some], arrays.think_time[some], arrays.demand[some], arrays.speeds)
    return scatter_measures(arrays, [(some, part)])


def _mixed_refuses(arrays: Arrays) -> str:
    if arrays.is_open or arrays.is_closed:
        return not_product_form(arrays) or "for open and closed classes together only"
    return _closed_part(arrays).refuses(arrays.of_classes(arrays.closed)) or long_left_over(arrays)


def _closed_part(arrays: Arrays) -> Method:
    """The method for the closed classes of a mixed model: the first that accepts them, else the lattice, for its reason."""
    closed = arrays.of_classes(arrays.closed)
    fitting = [_CONVOLUTION] if len(closed.population) == 1 else [_LATTICE, _RECAL]
    taking = [method for method in fitting if not method.refuses(closed)]
    return next((method for method in taking if not method.yields(closed)), fitting[0])


def _mixed(arrays: Arrays) -> Measures:
    return beside_open(arrays, _closed_part(arrays).run)


_CONVOLUTION = Method(
    "convolution", _convolution, True, _convolution_refuses, "one closed class, tilted convolution", "Buzen1973"
)
_LATTICE = Method(
    "lattice", _lattice, True, _lattice_refuses, "closed classes, population lattice", "Reiser1975", _lattice_yields
)
_RECAL = Method("recal", _recal, True, _recal_refuses, "many closed classes of few jobs, recursion by chain", "Conway1986")
METHODS = (
    Method("open", _open, True, _open_refuses, "open product-form network", "BCMP1975"),
    _CONVOLUTION,
    _LATTICE,
    _RECAL,
    Method("mixed", _mixed, True, _mixed_refuses, "open and closed classes together", "BCMP1975"),
)
