"""Recursion by chain beside the population lattice: where each of them takes less time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.lattice import lattice, lattice_bytes
from qnsolve.methods.product_form.recal import recal, recal_bytes
from qnsolve.numerics.series import Array

from benchmarks.timing.clock import best, once
from benchmarks.timing.table import duration, error, table
from tests.oracles.raw_models import Answer, errors

TITLE = "many classes: recursion by chain beside the population lattice"
SIZES = (  # classes, jobs of each, stations; the last of them only one of the two can do
    (2, 5, 3),
    (2, 5, 8),
    (3, 10, 4),
    (3, 30, 3),
    (8, 2, 4),
    (12, 2, 3),
    (16, 1, 4),
    (20, 1, 3),
    (3, 50, 5),
    (30, 2, 3),
    (30, 2, 4),
    (60, 1, 4),
    (5, 100, 2),
)
MEMORY, QUICK = 2**29, 2**26  # most that either may take here [bytes]


@dataclass(frozen=True)
class Pair:
    """Both on one model; None where one of them is too large.

    Attributes
    ----------
    name : str
    lattice, recal : float or None
        Best time [s].
    off : float or None
        Largest relative difference of a throughput or queue length.
    """

    name: str
    lattice: float | None
    recal: float | None
    off: float | None


def measure(quick: bool) -> list[Pair]:
    """Random demands and think times, single servers, one of them with two servers."""
    pairs = []
    for classes, jobs, stations in SIZES:
        rng = np.random.default_rng([classes, jobs, stations])
        population, think_time = np.full(classes, float(jobs)), rng.uniform(0.0, 3.0, classes)
        demand = rng.uniform(0.05, 1.0, (classes, stations))
        speeds = [np.array([1.0, 2.0]), *[np.ones(1)] * (stations - 1)]
        taken: list[float | None] = []
        found: list[Measures] = []
        for kernel, size in ((lattice, lattice_bytes), (recal, recal_bytes)):
            if size([jobs] * classes, stations) > (QUICK if quick else MEMORY):
                taken.append(None)
                continue
            seconds, measures = _timed(kernel, population, think_time, demand, speeds)
            taken.append(seconds)
            found.append(measures)
        off = max(errors(_answer(found[1]), _answer(found[0]))) if len(found) == 2 else None
        each = "job" if jobs == 1 else "jobs"
        pairs.append(Pair(f"{classes} classes of {jobs} {each}, {stations} stations", taken[0], taken[1], off))
    return pairs


def _timed(
    kernel: Callable[[Array, Array, Array, list[Array]], Measures],
    population: Array,
    think_time: Array,
    demand: Array,
    speeds: list[Array],
) -> tuple[float, Measures]:
    def call() -> Measures:
        return kernel(population, think_time, demand, speeds)

    seconds, measures = once(call)
    return (best(call, 0.1) if seconds < 0.5 else seconds), measures


def _answer(measures: Measures) -> Answer:
    return Answer(measures.throughput.tolist(), measures.queue_length.tolist())


def report(pairs: list[Pair]) -> str:
    """The table of both."""
    cells = [(p.name, _time(p.lattice), _time(p.recal), error(p.off)) for p in pairs]
    return table(("model", "lattice", "recal", "difference"), cells, "lrrr")


def _time(seconds: float | None) -> str:
    return "too large" if seconds is None else duration(seconds)


if __name__ == "__main__":
    print(f"{TITLE}\n{report(measure(quick=False))}")
