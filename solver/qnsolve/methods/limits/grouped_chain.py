"""Small models with limits: the jobs at groups of stations and the ordered queues at the limits, as one Markov chain."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.job_process import Route, job_process
from qnsolve.methods.markov.job_chain import Chain, cycles
from qnsolve.methods.markov.job_moves import OUTSIDE, Jobs
from qnsolve.methods.markov.station_states import StationStates
from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.numerics.markov_chain import TooManyStatesError
from qnsolve.numerics.series import Array

STATES = 4000  # about a second
WORK = 4e8  # products: about a second


@dataclass(frozen=True)
class _Group:
    """Neighbours in the order of the model, under the same limits.

    Attributes
    ----------
    stations : ndarray of int
    entries : ndarray (R,)
        Visits of one job.
    inside : Part
        The group as a network by itself.
    """

    stations: NDArray[np.intp]
    entries: Array
    inside: Part


def grouped(arrays: Arrays) -> Measures | None:
    """Measures where the chain is small, else None.

    Each group of stations is one station that completes jobs at the rates of its own
    network: exact where each group is one station, or always in equilibrium.

    References
    ----------
    [Chandy1975] for the groups.
    """
    if not arrays.is_closed or _least(arrays) > STATES:
        return None
    runs = _runs(arrays)
    routes = [_route(arrays, runs, r) for r in range(len(arrays.demand))]
    groups = [_group(arrays, stations, routes, i) for i, stations in enumerate(runs)]
    try:
        chain = Chain(_jobs(arrays, groups, routes), STATES, WORK)
    except TooManyStatesError:
        return None
    return _measures(arrays, groups, chain)


def _least(arrays: Arrays) -> float:
    """Lower bound on the states of the chain: those of the jobs, or those of the longest queue."""
    populations = [int(n) for n in arrays.population]
    states = float(min(math.prod(n + 1 for n in populations), 10**18))
    for limit in arrays.model.limits:
        held = [
            n for n, c in zip(populations, arrays.model.classes, strict=True) if not limit.classes or c.name in limit.classes
        ]
        longest = max(sum(held) - limit.capacity, 0)
        each = [n * longest // max(sum(held), 1) for n in held]
        orders = math.lgamma(sum(each) + 1) - sum(math.lgamma(n + 1) for n in each)
        states = max(states, math.exp(min(orders, 700.0)))
    return states


def _runs(arrays: Arrays) -> list[NDArray[np.intp]]:
    """Stations in a row under the same limits."""
    under = [tuple(not x.stations or s.name in x.stations for x in arrays.model.limits) for s in arrays.model.stations]
    ends = [k + 1 for k in range(len(under)) if k + 1 == len(under) or under[k] != under[k + 1]]
    return [np.arange(first, last) for first, last in zip([0, *ends], ends, strict=False)]


def _route(arrays: Arrays, runs: list[NDArray[np.intp]], r: int) -> Route:
    """The route of each class between groups.

    A class by demands goes through each of its groups once, in order; one by visits goes
    on to any of them after each visit to a station, with the same probabilities.
    """
    used = [i for i, stations in enumerate(runs) if arrays.demand[r, stations].any()]
    if np.isnan(arrays.random_visits[r]).any() or not used:
        return {k: [(following, 1.0)] for k, following in zip([OUTSIDE, *used], [*used, OUTSIDE], strict=True)}
    visits = np.where(arrays.demand[r] > 0, arrays.random_visits[r], 0.0)
    total = float(visits.sum())
    more, ways = max(0.0, 1 - 1 / total), {i: float(visits[runs[i]].sum()) / total for i in used}
    found: Route = {OUTSIDE: list(ways.items())}
    for i, share in ways.items():
        leaves = 1 - more * share
        onward = [(j, more * other / leaves) for j, other in ways.items() if j != i and more > 0]
        found[i] = [*onward, (OUTSIDE, (1 - more) / leaves)] if more < 1 else onward
    return found


def _group(arrays: Arrays, stations: NDArray[np.intp], routes: list[Route], i: int) -> _Group:
    total = np.where(arrays.demand > 0, np.nan_to_num(arrays.random_visits, nan=1.0), 0.0)
    entries = np.ones(len(routes))
    for r, way in enumerate(routes):
        if i in way and not np.isnan(arrays.random_visits[r]).any():
            every = max(float(total[r].sum()), 1.0)
            share = float(total[r, stations].sum()) / float(total[r].sum())
            entries[r] = every * share * (1 - (1 - 1 / every) * share)
    populations = [int(n) if i in way else 0 for n, way in zip(arrays.population, routes, strict=True)]
    for limit in arrays.model.limits:
        if not limit.stations or arrays.model.stations[int(stations[0])].name in limit.stations:
            for r, c in enumerate(arrays.model.classes):
                if not limit.classes or c.name in limit.classes:
                    populations[r] = min(populations[r], limit.capacity)
    once = arrays.demand[:, stations] * cycles(arrays)[:, None] / entries[:, None]
    return _Group(stations, entries, part(populations, once, [arrays.speeds[k] for k in stations]))


def _jobs(arrays: Arrays, groups: list[_Group], routes: list[Route]) -> Jobs:
    rank = tuple(1 for _ in routes)
    rates = tuple(1.0 for _ in routes)
    think = np.where((arrays.demand > 0).any(axis=1), arrays.think_time * cycles(arrays), math.inf)  # inf: it makes no request
    return Jobs(
        centers=tuple(StationStates("table", (), rates, rank, g.inside.throughput) for g in groups),
        routes=tuple(routes),
        population=tuple(int(n) for n in arrays.population),
        outside_rate=tuple(float(1 / z) if z > 0 else math.inf for z in think),
        is_open=tuple(False for _ in routes),
        limits=tuple(
            replace(x, stations=frozenset(i for i, g in enumerate(groups) if int(g.stations[0]) in x.stations))
            for x in job_process(arrays).limits
        ),
    )


def _measures(arrays: Arrays, groups: list[_Group], chain: Chain) -> Measures:
    x = chain.p @ np.array(chain.rates[0]) * cycles(arrays)
    thinks = ~(arrays.demand > 0).any(axis=1)  # classes that only think
    x[thinks] = arrays.population[thinks] / arrays.think_time[thinks]
    q, states = np.zeros(arrays.demand.shape), []
    for i, group in enumerate(groups):
        shape = group.inside.throughput.shape[1:]
        places = np.ravel_multi_index(tuple(chain.present[:, i].astype(int).T), shape)
        p = np.asarray(np.bincount(places, weights=chain.p, minlength=math.prod(shape)), dtype=float).reshape(shape)
        q[:, group.stations] = np.tensordot(group.inside.queue_length, p, p.ndim)
        states.append(p)
    residence = np.divide(q, x[:, None], out=np.full(q.shape, np.nan), where=x[:, None] > 0)
    return Measures(x, q, residence, partial(_distribution, groups, states), admission=chain.admission(x))


def _distribution(groups: list[_Group], states: list[Array], k: int) -> Array:
    i = next(i for i, group in enumerate(groups) if k in group.stations)
    return groups[i].inside.distribution(states[i], int(k - groups[i].stations[0]))
