"""Networks with stations of limited capacity that can be solved: known servers to block, and no deadlock."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.job_process import routes_of
from qnsolve.model.station_types import LoadDependent, Queue

from .job_moves import OUTSIDE


def links(arrays: Arrays) -> NDArray[np.bool_]:
    """Pairs of stations between which jobs of each class go, shape (R, K, K); also by way of a think time of 0."""
    classes, stations = arrays.demand.shape
    found = np.zeros((classes, stations, stations), dtype=bool)
    for r, steps in enumerate(routes_of(arrays)):
        returns = arrays.think_time[r] == 0
        for k, way in steps.items():
            for following, _ in way:
                if OUTSIDE not in (k, following):
                    found[r, k, following] = True
                elif k != OUTSIDE and returns:
                    for first, _ in steps[OUTSIDE]:
                        found[r, k, first] = True
    return found


def held_refuses(arrays: Arrays) -> str:
    """Why a model with stations of limited capacity is refused, "" where it is accepted."""
    model = arrays.model
    if model.limits:
        return f"limit {model.limits[0].name!r}: admission limits beside a capacity"
    between = links(arrays)
    onward = between.any(axis=0) & np.isfinite(arrays.capacity) & ~np.eye(len(model.stations), dtype=bool)
    for k, station in enumerate(model.stations):
        if isinstance(station, Queue) and station.on is not None:
            return f"station {station.name!r}: runs on the servers of {station.on!r}, beside a capacity"
        if not onward[k].any():
            continue
        if isinstance(station, LoadDependent):
            return f"station {station.name!r}: is load-dependent, without servers that a blocked job could hold"
        if isinstance(station, Queue) and "preemptive" in station.discipline:
            return f"station {station.name!r}: discipline {station.discipline!r} where jobs may be blocked"
        if isinstance(station, Queue) and station.servers != int(station.servers):
            return f"station {station.name!r}: servers {station.servers:g} where jobs may be blocked, only whole ones are taken"
    return _deadlock(arrays, between)


def _deadlock(arrays: Arrays, between: NDArray[np.bool_]) -> str:
    """The circle of stations whose jobs can block each other for good, "" where there is none."""
    finite = np.isfinite(arrays.capacity)
    inner = between & finite[:, None] & finite
    inner[:, np.arange(len(finite)), np.arange(len(finite))] = False
    come = inner.any(axis=(1, 2))
    jobs = float(np.where(arrays.closed, arrays.population, np.where(arrays.arrival_rate > 0, inf, 0.0))[come].sum())
    room = np.where(inner.any(axis=0), arrays.capacity, inf)  # places on a path behind its first station
    for k in range(len(finite)):
        room = np.minimum(room, room[:, [k]] + room[[k]])
    around = room.diagonal()
    if len(around) == 0 or not (around.min() <= jobs and around.min() < inf):
        return ""
    k = int(around.argmin())
    near = [
        s.name for j, s in enumerate(arrays.model.stations) if j == k or (finite[j] and room[k, j] + room[j, k] <= around[k])
    ]
    held = "any number of" if jobs == inf else f"{jobs:g}"
    circle = f"stations {', '.join(map(repr, near))}: a circle with a total capacity of {around[k]:g} for {held} jobs"
    return f"{circle} can deadlock; raise a capacity, or lower the population"
