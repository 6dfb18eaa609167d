"""The Markov chain of a model's jobs, solved, and its mean values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.job_process import Route, job_process, routes_of
from qnsolve.methods.measures import Admission, Measures
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.station_types import Queue
from qnsolve.numerics.markov_chain import explore, stationary
from qnsolve.numerics.series import Array

from .blocking_moves import BlockingJobs
from .job_moves import OUTSIDE, Jobs, State
from .station_states import StationStates

STATES = 50_000
WORK = 4e10  # products: some 10 seconds


class Chain:
    """The solved Markov chain of the jobs, with the rates of events in each state."""

    def __init__(self, jobs: Jobs, most: int = STATES, work: float = WORK) -> None:
        self.jobs = jobs
        classes = range(len(jobs.population))
        self.rates: list[list[list[float]]] = [[], [], []]  # rates of finished jobs, requests and delayed requests, by state

        def moves(state: State) -> Iterator[tuple[float, State]]:
            rows = [[0.0 for _ in classes] for _ in self.rates]
            for move in jobs.moves(state):
                for row, counts in zip(rows, (move.finished, move.asks, move.delayed), strict=True):
                    row[move.job_class] += move.rate if counts else 0.0
                yield move.rate, move.state
            for kept, row in zip(self.rates, rows, strict=True):
                kept.append(row)

        self.states, origin, target, rate = explore(jobs.start(), moves, most)
        self.p = stationary(len(self.states), origin, target, rate, work=work)
        self.present = np.array([jobs.present(state) for state in self.states], dtype=float)  # (states, K, R)

    def lost(self, arrays: Arrays) -> float:
        """Largest share of an open class's arrivals that the cut chain turns away."""
        inside = np.array([self.jobs.inside(state) for state in self.states])
        full = self.p @ (inside >= np.array(self.jobs.population))
        return float(full[~arrays.closed].max(initial=0.0))

    def measures(self, arrays: Arrays, lost: float) -> Measures:
        """Mean values; an open class's throughput is its arrival rate."""
        finished = self.p @ np.array(self.rates[0])
        x = np.where(arrays.closed, finished * cycles(arrays), np.nan_to_num(arrays.arrival_rate))
        thinks = arrays.closed & ~(arrays.demand > 0).any(axis=1)  # classes that only think
        x[thinks] = arrays.population[thinks] / arrays.think_time[thinks]
        q = np.einsum("s,skr->rk", self.p, self.present)
        with np.errstate(divide="ignore", invalid="ignore"):
            residence = np.where(x[:, None] > 0, q / x[:, None], np.nan)
        notes = (f"almost exact: {lost:.1g} of the arrivals of open classes are left out",) if not arrays.is_closed else ()
        admission = self.admission(x) if self.jobs.limits else None
        blocked: Array | None = None
        if isinstance(self.jobs, BlockingJobs):
            admission, blocked = self._blocking(self.jobs, x)
        return Measures(x, q, residence, self.distribution, notes=notes, admission=admission, blocked=blocked)

    def _delays(self, throughput: Array) -> tuple[Array, Array]:
        """Share of the requests that wait, and requests of one job, shape (R,)."""
        asked, delayed = (self.p @ np.array(rows) for rows in self.rates[1:])
        share = np.divide(delayed, asked, out=np.zeros(len(asked)), where=asked > 0)
        return share, np.divide(asked, throughput, out=np.zeros(len(asked)), where=throughput > 0)

    def _blocking(self, jobs: BlockingJobs, throughput: Array) -> tuple[Admission, Array]:
        """Jobs that wait outside for a place, and the blocked share of each station's servers."""
        outside, servers = np.zeros(len(jobs.population)), np.zeros(len(jobs.centers))
        for p, (_, held) in zip(self.p.tolist(), self.states, strict=True):
            for r, _, origin in held:
                if origin == OUTSIDE:
                    outside[r] += p
                else:
                    servers[origin] += p
        none = np.zeros(0)
        share, requests = self._delays(throughput)
        blocked = servers / np.array([max(len(c.speeds), 1) for c in jobs.centers])
        return Admission(outside, share, none, none, none, (), requests), blocked

    def admission(self, throughput: Array) -> Admission:
        """Jobs that wait at the limits and jobs inside; throughput as in the measures, shape (R,)."""
        share, requests = self._delays(throughput)
        limits, classes = self.jobs.limits, len(self.jobs.population)
        waiting = np.array([[sum(job[0] == r for job in state[1]) for r in range(classes)] for state in self.states])
        missing = [[self.jobs.needed(r, k) & ~held for r, k, held in state[1]] for state in self.states]
        line = np.array([[sum(m >> i & 1 for m in row) for i in range(len(limits))] for row in missing])
        used = np.array([self.jobs.used(state) for state in self.states])
        full = used >= np.array([limit.capacity for limit in limits])
        line = line * full  # a job whose limit is not full waits for another limit
        lines = tuple(_weighed(line[:, i], self.p) for i in range(len(limits)))
        return Admission(self.p @ waiting, share, self.p @ used, self.p @ line, self.p @ full, lines, requests)

    def distribution(self, k: int) -> Array:
        """P(n jobs at station k)."""
        return _weighed(self.present[:, k].sum(axis=1).astype(int), self.p)


def _weighed(counts: NDArray[np.intp], p: Array) -> Array:
    weights = np.bincount(counts, weights=p)
    return weights / weights.sum()


def cycles(arrays: Arrays) -> Array:
    """Cycles of a closed class for each one with a visit: more than one where some cycles have none."""
    return np.array([1 / (sum(share for k, share in route[OUTSIDE] if k != OUTSIDE) or 1.0) for route in routes_of(arrays)])


def center_of(arrays: Arrays, k: int, time: Array, rank: tuple[int, ...]) -> StationStates:
    """A station of the model as one of the chain; `time` is that of one visit of each class."""
    station, speeds = arrays.model.stations[k], arrays.speeds[k]
    kind = "delay" if speeds is None else "shared"
    if isinstance(station, Queue) and station.discipline != "ps" and (arrays.demand[:, k] > 0).sum() > 1:
        kind = station.discipline
    rates = tuple(float(1 / t) if t > 0 else 0.0 for t in time)
    return StationStates(kind, () if speeds is None else tuple(speeds.tolist()), rates, rank)


def jobs_of(arrays: Arrays, cut: int) -> Jobs:
    """The jobs of a network for its Markov chain: the routes of its process, exponential times.

    Where visits are fewer than one, some jobs make none: that lengthens the time outside of the others.
    """
    model, process = arrays.model, job_process(arrays)
    enters = [sum(share for k, share in route[OUTSIDE] if k != OUTSIDE) for route in process.routes]
    jobs = Jobs(
        centers=tuple(center_of(arrays, k, process.service[:, k], process.rank) for k in range(len(model.stations))),
        routes=tuple(_of_those(route, share) for route, share in zip(process.routes, enters, strict=True)),
        population=tuple(cut if isinstance(c, OpenClass) else c.population for c in model.classes),
        outside_rate=tuple(
            share * (c.arrival_rate if isinstance(c, OpenClass) else (1 / c.think_time if c.think_time else math.inf))
            if share
            else 0.0
            for c, share in zip(model.classes, enters, strict=True)
        ),
        is_open=tuple(isinstance(c, OpenClass) for c in model.classes),
        limits=process.limits,
        hosts=tuple((k, int(host)) for k, host in enumerate(arrays.host) if host != k),
    )
    if math.inf == min(process.capacity):
        return jobs
    return BlockingJobs(**vars(jobs), capacity=process.capacity)


def _of_those(route: Route, enters: float) -> Route:
    """The route of the jobs that make a visit."""
    return {**route, OUTSIDE: [(k, share / enters) for k, share in route[OUTSIDE] if k != OUTSIDE]}


def orders(arrays: Arrays, most: int = 500) -> int:
    """Orders of the closed jobs in a first come first served queue of several classes, counted up to so many jobs there.

    1 where there is no such queue; a lower bound on the states of the chain where all jobs may meet there.
    """
    queues = [k for k, s in enumerate(arrays.model.stations) if isinstance(s, Queue) and s.discipline == "fcfs"]
    found = 1
    for k in queues:
        there = arrays.closed & (arrays.demand[:, k] > 0)
        jobs = [min(int(n), most) for n in arrays.population[there]]
        if sum(jobs) >= most:
            return 10**9 if len([n for n in jobs if n]) > 1 else found
        found = max(found, math.factorial(sum(jobs)) // math.prod(map(math.factorial, jobs)))
    return found
