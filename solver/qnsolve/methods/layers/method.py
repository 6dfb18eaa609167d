"""Layered queues at any size: each layer is solved by itself, repeatedly, until all agree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ConvergenceError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import Method, check_stable, full, idle, not_poisson, occupied, scatter_measures, special
from qnsolve.methods.mean_value.method import approximate, falling, too_large
from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.convolution import one_class
from qnsolve.methods.product_form.open_network import open_network
from qnsolve.model.station_types import Queue
from qnsolve.numerics.fixed_point import fixed_point
from qnsolve.numerics.series import Array

from .host_stretch import stretched
from .joined_hosts import joined, parted

TOLERANCE = 1e-9


def _refuses(arrays: Arrays) -> str:
    model = arrays.model
    if model.limits:
        return f"limit {model.limits[0].name!r}: admission limits"
    guests = arrays.host != np.arange(len(arrays.host))
    if not guests.any():
        return "for queues that run on the servers of another one"
    for k in range(len(model.stations)):
        station = model.stations[k]
        if not guests[k] and (reason := special(arrays, k)):
            return reason
        if guests[k] and isinstance(station, Queue) and station.discipline != "ps":
            return f"station {station.name!r}: discipline {station.discipline!r}"
    if other := full(arrays) or not_poisson(arrays) or falling(arrays.of_classes(arrays.closed)):
        return other
    return too_large(len(occupied(arrays)), arrays.demand.shape[1])


def _layers(arrays: Arrays) -> Measures:
    """The measures by layers: the network of the queues with demands stretched by the waits for their hosts, and the hosts."""
    check_stable(arrays)
    if arrays.is_closed and not len(occupied(arrays)):
        return idle(arrays)
    small = joined(arrays)
    return parted(arrays, small, _by_layers(small))


def _by_layers(arrays: Arrays) -> Measures:
    hosts = sorted({int(h) for k, h in enumerate(arrays.host) if h != k})
    guests = {h: [k for k in range(len(arrays.host)) if arrays.host[k] == h and k != h] for h in hosts}
    sources = [(h, k, True) for h in hosts for k in guests[h]] + [(h, h, closed) for h in hosts for closed in (True, False)]
    if not hosts:
        return _solved(arrays, [], np.ones(0))
    users = np.where(arrays.closed, arrays.population, inf)

    def step(vectors: Array, which: object) -> Array:
        ratios, more = np.split(vectors[0], [len(sources)])
        rate = _solved(arrays, sources, ratios).throughput
        new, crowd = np.ones(len(sources)), np.ones(len(hosts))
        for i, h in enumerate(hosts):
            mine = [j for j, source in enumerate(sources) if source[0] == h]
            load = np.array([_load(arrays, sources[j], rate) for j in mine])
            jobs = [_jobs(arrays, sources[j]) for j in mine]
            speeds = arrays.speeds[h]
            assert speeds is not None
            some = [n for n in range(len(mine)) if load[n].sum() > 0]
            if some:
                places = [mine[n] for n in some]
                new[places] = stretched(load[some], [jobs[n] for n in some], ratios[places].tolist(), speeds, users) * more[i]
                crowd[i] = max(more[i] * load.sum() / arrays.top[h], 1.0)
        return np.concatenate([new, crowd])[None, :]

    found = fixed_point(step, np.ones((1, len(sources) + len(hosts))), TOLERANCE)
    if not found.converged[0]:
        raise ConvergenceError(
            "method layers: the layers did not converge, and damped iteration did not either", float(found.residual[0])
        )
    measures = _solved(arrays, sources, found.value[0][: len(sources)])
    return replace(measures, iterations=found.steps)


def _load(arrays: Arrays, source: tuple[int, int, bool], rate: Array) -> Array:
    """Load of a source on its host [servers], by class."""
    host, k, closed = source
    load = rate * arrays.demand[:, k]
    return load if host != k else np.where(arrays.closed == closed, load, 0.0)


def _jobs(arrays: Arrays, source: tuple[int, int, bool]) -> float:
    """Jobs of a source that can be in service at its host at once."""
    host, k, closed = source
    if host == k:
        return float(arrays.population[arrays.closed & (arrays.demand[:, k] > 0)].sum()) if closed else inf
    return float(arrays.top[k])


def _solved(arrays: Arrays, sources: list[tuple[int, int, bool]], ratios: Array) -> Measures:
    """The measures of the network with stretched demands; a host is a delay for the jobs that visit it directly."""
    demand, speeds = arrays.demand.copy(), list(arrays.speeds)
    for (host, k, closed), ratio in zip(sources, ratios.tolist(), strict=True):
        rows = slice(None) if host != k else arrays.closed == closed
        demand[rows, k] *= ratio
        if host == k:
            speeds[k] = None
    inner = replace(arrays, demand=demand, speeds=tuple(speeds), host=np.arange(len(speeds)))
    if arrays.is_open:
        return open_network(arrays.arrival_rate, demand, inner.speeds)
    if not arrays.is_closed:
        return approximate("linearizer", inner)
    parts = [(group, _apart(inner.of_classes(group))) for group in _groups(inner)]
    return replace(scatter_measures(inner, parts), distribution=partial(_distribution, parts, inner))


def _distribution(parts: list[tuple[NDArray[np.bool_], Measures]], arrays: Arrays, k: int) -> Array:
    """P(n jobs at a station), a convolution over the independent groups."""
    found = np.ones(1)
    for group, part in parts:
        if (arrays.demand[group, k] > 0).any():
            found = np.convolve(found, part.distribution(k))
    return found


def _apart(arrays: Arrays) -> Measures:
    """Measures of closed classes that share queues: exact for one class."""
    if len(arrays.population) > 1:
        return approximate("linearizer", arrays)
    if arrays.population[0] == 0:
        return idle(arrays)
    return one_class(int(arrays.population[0]), float(arrays.think_time[0]), arrays.demand[0], arrays.speeds)


def _groups(arrays: Arrays) -> list[NDArray[np.bool_]]:
    """Groups of classes that share queues, directly or through other classes."""
    queues = np.array([s is not None for s in arrays.speeds])
    meets = (arrays.demand > 0) & queues
    found, left = [], np.ones(len(meets), dtype=bool)
    while left.any():
        group = np.zeros(len(meets), dtype=bool)
        group[left.argmax()] = True
        while (grown := group | (meets @ meets[group].any(axis=0))).sum() > group.sum():
            group = grown
        found.append(group)
        left &= ~group
    return found


METHODS = (Method("layers", _layers, False, _refuses, "layered queues, on the servers of others, any size", "Rolia1995"),)
