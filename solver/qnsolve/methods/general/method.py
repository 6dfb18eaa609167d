"""Approximate methods for general service and arrivals, priorities, and first come first served."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qnsolve.errors import ConvergenceError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import (
    Method,
    check_stable,
    hosted,
    idle,
    not_product_form,
    occupied,
    scatter_measures,
    too_much_memory,
)
from qnsolve.methods.job_process import job_process
from qnsolve.methods.markov.job_moves import OUTSIDE
from qnsolve.methods.measures import Measures
from qnsolve.model.station_types import Queue
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.series import Array, falls

from .fcfs import Closed, in_order
from .qna import Flows, qna

COPIES = 6  # largest arrays (flows between stations, queues that each class sees) that an iteration holds at once


def _open_refuses(arrays: Arrays) -> str:
    model = arrays.model
    if not arrays.is_open:
        return "for open classes only"
    if hosted(arrays):
        return hosted(arrays)
    if model.limits:
        return f"limit {model.limits[0].name!r}: admission limits"
    load = arrays.arrival_rate @ arrays.demand
    for k, (station, speeds) in enumerate(zip(model.stations, arrays.speeds, strict=True)):
        if speeds is not None and load[k] > 0 and falls(speeds):
            return f"station {station.name!r}: its rates fall again with more jobs, which the approximation does not take"
    classes, stations = arrays.demand.shape
    return too_much_memory("qna", classes, stations, float(COPIES) * classes * (stations + 1) ** 2)


def _qna(arrays: Arrays) -> Measures:
    check_stable(arrays)
    process, classes, stations = job_process(arrays), *arrays.demand.shape
    onward = np.zeros((classes, stations + 1, stations + 1))
    for r, route in enumerate(process.routes):
        for place, steps in route.items():
            for following, share in steps:
                onward[r, place, following] = share  # OUTSIDE, −1, is the last place
    assert OUTSIDE == -1
    return _converged(
        "qna",
        lambda: qna(
            Flows(
                kinds=process.kinds,
                speeds=arrays.speeds,
                service=process.service,
                variation=process.variation,
                visits=visits_of(arrays),
                onward=onward,
                rank=process.rank,
                arrival_rate=arrays.arrival_rate,
                arrival_variation=np.array(process.arrival_variation),
                batch_size=np.array(process.batch_size),
                batch_variation=np.array(process.batch_variation),
            )
        ),
    )


def _closed_refuses(arrays: Arrays) -> str:
    model = arrays.model
    if not arrays.is_closed:
        return "for closed classes only"
    if hosted(arrays):
        return hosted(arrays)
    if model.limits:
        return f"limit {model.limits[0].name!r}: admission limits"
    if not not_product_form(arrays):
        return "for networks without product form; take method 'linearizer'"
    used = arrays.demand[arrays.population > 0].sum(axis=0)
    for k, (station, speeds) in enumerate(zip(model.stations, arrays.speeds, strict=True)):
        if used[k] > 0 and isinstance(station, Queue) and "preemptive" in station.discipline:
            return f"station {station.name!r}: discipline {station.discipline!r}"
        if speeds is not None and used[k] > 0 and falls(speeds):
            return f"station {station.name!r}: its rates fall again with more jobs, which the approximation does not take"
    classes, stations = len(occupied(arrays)), arrays.demand.shape[1]
    return too_much_memory("fcfs", classes, stations, float(COPIES) * (classes + 1) * classes**2 * stations)


def _fcfs(arrays: Arrays) -> Measures:
    some = occupied(arrays)
    if len(some) == 0:
        return idle(arrays)
    process = job_process(arrays)
    net = Closed(
        population=arrays.population[some],
        think_time=arrays.think_time[some],
        visits=visits_of(arrays)[some],
        service=process.service[some],
        variation=process.variation[some],
        speeds=arrays.speeds,
        in_order=np.array([kind == "fcfs" for kind in process.kinds]),
    )
    return scatter_measures(arrays, [(some, _converged("fcfs", lambda: in_order(net)))])


def _converged(name: str, run: Callable[[], Measures]) -> Measures:
    try:
        return run()
    except NotConvergedError as error:
        raise ConvergenceError(f"method {name}: {error}", error.residual) from error


def visits_of(arrays: Arrays) -> Array:
    """Visits of one job, one where the class gave demands, shape (R, K)."""
    return np.where(arrays.demand > 0, np.where(np.isnan(arrays.random_visits), 1.0, arrays.random_visits), 0.0)


METHODS = (
    Method("qna", _qna, False, _open_refuses, "open classes, general arrivals and service, priorities", "Whitt1983"),
    Method("fcfs", _fcfs, False, _closed_refuses, "closed classes, first come first served with any times", "Reiser1979"),
)
