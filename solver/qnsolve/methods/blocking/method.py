"""One class with blocking after service, approximate, at any size."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ConvergenceError, SaturatedError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import Method, check_stable, full, not_poisson, uneven
from qnsolve.methods.job_process import routes_of, service_time
from qnsolve.methods.markov.deadlock import held_refuses
from qnsolve.methods.markov.job_moves import OUTSIDE
from qnsolve.methods.measures import Admission, Measures
from qnsolve.model.station_types import Queue
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.series import Array, falls

from .decomposition import Alone, Feeds, TooBusyError, closed, highest_rate, opened

WORK = 2e8  # products of one pass over all stations


def _refuses(arrays: Arrays) -> str:
    if not full(arrays):
        return "for models where stations have a capacity that can be reached"
    if len(arrays.model.classes) > 1:
        return "for one class only"
    other = not_poisson(arrays) or uneven(arrays) or held_refuses(arrays)
    if other:
        return other
    used = arrays.demand[0] > 0
    for station, speeds, some in zip(arrays.model.stations, arrays.speeds, used, strict=True):
        if speeds is not None and some and falls(speeds):
            return f"station {station.name!r}: its rates fall again with more jobs, which the approximation does not take"
    if arrays.is_open:
        return ""
    if arrays.think_time[0] == 0 and np.isfinite(arrays.capacity[used]).all():
        return "for closed classes with a think time, or with a station of unlimited capacity"
    if used.sum() ** 2 * arrays.population[0] ** 2 > WORK:
        return f"{arrays.population[0]:g} jobs at {used.sum()} stations are too many"
    return ""


def _feeds(arrays: Arrays, used: NDArray[np.intp]) -> Feeds:
    """The network of the stations in use; without think time the last stations lead to the first ones."""
    count, place = len(used), {int(k): i for i, k in enumerate(used)}
    (steps,) = routes_of(arrays)
    onward, leaves = np.zeros((count, count)), np.zeros(count)
    entry = np.zeros(count)
    for k, share in steps[OUTSIDE]:
        if k != OUTSIDE:
            entry[place[k]] = share
    returns = arrays.think_time[0] == 0
    for k, way in steps.items():
        for following, share in way if k != OUTSIDE else ():
            if following != OUTSIDE:
                onward[place[k], place[following]] += share
            elif returns:
                onward[place[k]] += share * entry / entry.sum()
            else:
                leaves[place[k]] += share
    np.fill_diagonal(onward, 0.0)
    leaves += onward.sum(axis=1)  # departures after each visit: several in a row at a station count as one
    time = service_time(arrays)[0, used] / leaves
    visits = arrays.demand[0, used] / time
    stations = [arrays.model.stations[k] for k in used]
    return Feeds(
        service=time,
        visits=visits,
        speeds=tuple(arrays.speeds[k] for k in used),
        servers=np.array([float(s.servers) if isinstance(s, Queue) else np.inf for s in stations]),
        capacity=arrays.capacity[used],
        onward=onward / leaves[:, None],
        entry=np.zeros(count) if returns else entry / visits,
    )


def _run(arrays: Arrays) -> Measures:
    used = np.flatnonzero(arrays.demand[0] > 0)
    net = _feeds(arrays, used)
    try:
        if arrays.is_closed:
            x, found = closed(net, int(arrays.population[0]), float(arrays.think_time[0]))
        else:
            check_stable(arrays)
            x, found = float(arrays.arrival_rate[0]), _carried(arrays, net)
    except NotConvergedError as error:
        raise ConvergenceError(f"method blocking: {error}", error.residual) from error
    return _measures(arrays, used, net, x, found)


def _carried(arrays: Arrays, net: Feeds) -> Alone:
    rate = float(arrays.arrival_rate[0])
    try:
        return opened(net, rate)
    except TooBusyError:
        highest = highest_rate(net, rate)
        name = arrays.model.stations[int(arrays.capacity.argmin())].name
        repair = f"about {highest:.6g}/{arrays.model.time_unit} of it get through"
        raise SaturatedError(name, rate / highest, highest, repair, arrays.model.classes[0].name) from None


def _measures(arrays: Arrays, used: NDArray[np.intp], net: Feeds, x: float, found: Alone) -> Measures:
    outside = float(net.entry @ found.line)
    q = np.zeros(arrays.demand.shape)
    q[0, used] = found.queue
    if arrays.is_closed:  # near saturation the throughput does not determine the queue: set it from the population
        missing = float(arrays.population[0] - outside - x * arrays.think_time[0] - q.sum())
        wide = np.where(np.isinf(arrays.capacity) & np.isfinite(arrays.top), q[0], 0.0)
        if wide.any():
            q[0, wide.argmax()] += missing
        else:
            outside += missing
    held = (net.onward @ found.late) * net.visits * x / net.servers
    blocked = np.zeros(len(arrays.model.stations))
    blocked[used] = held
    come = found.births * found.p
    wait = (come * (np.arange(come.shape[1]) >= net.capacity[:, None])).sum(axis=1) / come.sum(axis=1)
    asks = net.entry * net.visits * np.isfinite(net.capacity)
    share = float(asks @ wait / asks.sum()) if asks.any() else 0.0
    none = np.zeros(0)
    admission = Admission(np.array([outside]), np.array([share]), none, none, none, (), np.array([asks.sum()]))
    residence = np.where(q > 0, q / x, 0.0)
    place = {int(k): i for i, k in enumerate(used)}
    return Measures(
        np.array([x]), q, residence, partial(_distribution, place, net, found), admission=admission, blocked=blocked
    )


def _distribution(place: dict[int, int], net: Feeds, found: Alone, k: int) -> Array:
    if k not in place:
        return np.ones(1)
    p, room = found.p[place[k]], net.capacity[place[k]]
    if np.isfinite(room):
        p = np.append(p[: int(room)], p[int(room) :].sum())
    return p / p.sum()


METHODS = (Method("blocking", _run, False, _refuses, "blocking after service, one class", "Dallery1993 Marie1979"),)
