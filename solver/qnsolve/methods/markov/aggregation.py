"""Flow-equivalent aggregation: stations without product form are kept, all others become one station."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import NoMethodError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import Method, full, idle, in_words, occupied, special, starved, uneven
from qnsolve.methods.job_process import service_time
from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.model.station_types import Queue
from qnsolve.numerics.markov_chain import TooManyStatesError
from qnsolve.numerics.series import Array

from .job_chain import STATES, Chain, center_of, orders
from .job_moves import OUTSIDE, Jobs
from .station_states import StationStates

Route = dict[int, list[tuple[int, float]]]
QUICK = 2_000  # orders of jobs in queues from which "auto" prefers a method of milliseconds, where one accepts
POINTS = 400_000  # states of the jobs at the other stations


@dataclass(frozen=True)
class _Split:
    """The kept stations, and the routes of the classes between them and the rest.

    Attributes
    ----------
    kept, rest : ndarray of int
        Stations.
    goes : ndarray (R,) of bool
        Classes that go to stations of the rest.
    rounds : ndarray (R,)
        Passages of one job through the rest: 1 for a class by demands, one before each visit to a
        kept station of one by visits.
    thinks, pauses : ndarray (R,)
        Think time as a part of the rest (by demands), and apart from it (by visits, or without
        a rest) [time].
    once : ndarray (R,)
        Visits to kept stations where they are fewer than one and there is no rest, else 1.
    """

    kept: NDArray[np.intp]
    rest: NDArray[np.intp]
    goes: NDArray[np.bool_]
    rounds: Array
    thinks: Array
    pauses: Array
    once: Array


def _split(arrays: Arrays) -> _Split:
    own = {k for k in range(arrays.demand.shape[1]) if special(arrays, k)}
    own |= {int(arrays.host[k]) for k in own}
    kept = np.array(sorted(own), dtype=np.intp)
    rest = np.array([k for k in range(arrays.demand.shape[1]) if k not in own], dtype=np.intp)
    goes = np.asarray((arrays.demand[:, rest] > 0).any(axis=1))
    visits = np.where(arrays.demand > 0, arrays.random_visits, 0.0)[:, kept].sum(axis=1)
    by_visits = ~np.isnan(arrays.random_visits).any(axis=1)
    within = goes & ~by_visits
    return _Split(
        kept=kept,
        rest=rest,
        goes=goes,
        rounds=np.where(by_visits, np.maximum(visits, 1.0), 1.0),
        thinks=np.where(within, arrays.think_time, 0.0),
        pauses=np.where(within, 0.0, arrays.think_time),
        once=np.where(by_visits & ~goes & (visits > 0), np.minimum(visits, 1.0), 1.0),
    )


def _refuses(arrays: Arrays) -> str:
    if arrays.model.limits:
        return f"limit {arrays.model.limits[0].name!r}: admission limits"
    if not arrays.is_closed:
        return "for closed classes only"
    if full(arrays):
        return full(arrays)
    if uneven(arrays):
        return uneven(arrays)
    split = _split(arrays)
    if starved(arrays):
        return starved(arrays)
    if not len(split.kept):
        return "for models with priorities, order of arrival or shared servers only"
    populations = arrays.population[occupied(arrays)]
    if math.prod(int(n) + 1 for n in populations) > POINTS:
        count = math.prod(int(n) + 1 for n in populations)
        return f"{in_words(count)} states of the other stations are too many; lower the populations"
    states = 1
    for r in occupied(arrays):
        places = int((arrays.demand[r, split.kept] > 0).sum()) + split.goes[r] + (split.pauses[r] > 0)
        states *= math.comb(int(arrays.population[r]) + places - 1, int(arrays.population[r]))
    if states > STATES or orders(arrays) > STATES:
        return f"the chain has more than {STATES:,} states; lower the populations"
    return ""


def _takes_long(arrays: Arrays) -> bool:
    """Whether the orders of the jobs at first come first served queues make the chain one of seconds."""
    queues = [
        k
        for k, s in enumerate(arrays.model.stations)
        if isinstance(s, Queue) and s.discipline == "fcfs" and (arrays.demand[:, k] > 0).sum() > 1
    ]
    if not queues or not arrays.is_closed:
        return False
    jobs = int(arrays.population[(arrays.demand[:, queues] > 0).any(axis=1)].sum())
    return orders(arrays) * math.comb(jobs + len(queues) - 1, len(queues) - 1) > QUICK


def _run(arrays: Arrays) -> Measures:
    if not len(occupied(arrays)):
        return idle(arrays)
    split = _split(arrays)
    elsewhere = np.column_stack((arrays.demand[:, split.rest] / split.rounds[:, None], split.thinks))
    speeds = [*(arrays.speeds[k] for k in split.rest), None]
    others = part([int(n) for n in np.where(split.goes, arrays.population, 0)], elsewhere, speeds)
    try:
        chain = Chain(_jobs(arrays, split, others))
    except TooManyStatesError as error:
        raise NoMethodError({"aggregation": f"{error}; lower the populations"}) from error
    return _measures(arrays, split, others, chain)


def _jobs(arrays: Arrays, split: _Split, others: Part) -> Jobs:
    rank = tuple(c.priority for c in arrays.model.classes)
    time = service_time(arrays)
    rest = StationStates("table", (), tuple(1.0 for _ in rank), rank, others.throughput)
    place = {int(k): i for i, k in enumerate(split.kept)}
    return Jobs(
        centers=(*(center_of(arrays, int(k), time[:, k], rank) for k in split.kept), rest),
        routes=tuple(_route(arrays, split, r) for r in range(len(rank))),
        population=tuple(int(n) for n in arrays.population),
        outside_rate=tuple(float(v / z) if z > 0 else math.inf for v, z in zip(split.once, split.pauses, strict=True)),
        is_open=tuple(False for _ in rank),
        hosts=tuple((i, place[int(arrays.host[k])]) for k, i in place.items() if arrays.host[k] != k),
    )


def _route(arrays: Arrays, split: _Split, r: int) -> Route:
    """The route of each class: the kept stations in order, and last the aggregate of the rest.

    A class by demands goes through the rest, then to each kept station; one by visits
    goes on after each of them with the same probability, through a part of the rest.
    """
    rest, rounds = len(split.kept), float(split.rounds[r])
    if np.isnan(arrays.random_visits[r]).any():
        way = [*([rest] if split.goes[r] else []), *np.flatnonzero(arrays.demand[r, split.kept]).tolist()]
        steps = zip([OUTSIDE, *way], [*way, OUTSIDE], strict=True) if way else ()
        return {OUTSIDE: []} | {k: [(following, 1.0)] for k, following in steps}
    visits = np.where(arrays.demand[r] > 0, arrays.random_visits[r], 0.0)[split.kept]
    onward = [(k, float(v / (rounds * split.once[r]))) for k, v in enumerate(visits) if v > 0]
    again = 1 - 1 / rounds
    if not split.goes[r]:
        more = [(k, again * share) for k, share in onward] if again > 0 else []
        return {OUTSIDE: onward} | {k: [*more, (OUTSIDE, 1 - again)] for k, _ in onward}
    none = 1 - sum(share for _, share in onward)
    back = [(rest, again), (OUTSIDE, 1 - again)] if again > 0 else [(OUTSIDE, 1.0)]
    through = [*onward, (OUTSIDE, none)] if none > 1e-15 else onward
    return {OUTSIDE: [(rest, 1.0)], rest: through} | {k: back for k, _ in onward}


def _measures(arrays: Arrays, split: _Split, others: Part, chain: Chain) -> Measures:
    x = chain.p @ np.array(chain.rates[0]) / split.once
    thinks = ~(arrays.demand > 0).any(axis=1)  # classes that only think
    x[thinks] = arrays.population[thinks] / arrays.think_time[thinks]
    q = np.zeros(arrays.demand.shape)
    q[:, split.kept] = np.einsum("s,skr->rk", chain.p, chain.present)[:, :-1]
    shape = others.throughput.shape[1:]
    places = np.ravel_multi_index(tuple(chain.present[:, -1].astype(int).T), shape)
    p = np.asarray(np.bincount(places, weights=chain.p, minlength=math.prod(shape)), dtype=float).reshape(shape)
    q[:, split.rest] = np.tensordot(others.queue_length[:, :-1], p, p.ndim)
    residence = np.divide(q, x[:, None], out=np.full(q.shape, np.nan), where=x[:, None] > 0)
    return Measures(x, q, residence, partial(_distribution, split, others, chain, p))


def _distribution(split: _Split, others: Part, chain: Chain, p: Array, k: int) -> Array:
    kept, rest = split.kept.tolist(), split.rest.tolist()
    return chain.distribution(kept.index(k)) if k in kept else others.distribution(p, rest.index(k))


METHODS = (
    Method("aggregation", _run, False, _refuses, "priorities, order of arrival, shared servers", "Chandy1975", _takes_long),
)
