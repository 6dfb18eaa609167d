"""The Markov chain of a small model: exact for limits, priorities and first come first served too."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..arrays import Arrays
from ..errors import NoMethodError, SaturatedError
from ..kernels.chain import TooManyStatesError, explore, stationary
from ..kernels.events import Route
from ..kernels.jobs import OUTSIDE, Center, Jobs, State
from ..kernels.measures import Admission, Measures
from ..kernels.series import Array
from ..model import OpenClass, Queue
from ..plan import plan_of
from .method import Method, check_stable, idle, not_poisson, not_product_form, uneven

STATES = 50_000
WORK = 4e10  # products: some 10 seconds
LOST = 1e-15  # share of an open class's arrivals that a cut chain may turn away


def _refuses(arrays: Arrays) -> str:
    reason = not_poisson(arrays) or ("" if not not_product_form(arrays) else uneven(arrays))
    if reason:
        return reason
    populations = arrays.population[arrays.closed]
    visited = (arrays.demand[arrays.closed] > 0).sum(axis=1) + (arrays.think_time[arrays.closed] > 0)
    states = math.prod(math.comb(int(n + k - 1), int(n)) for n, k in zip(populations, visited, strict=True))
    for r in np.flatnonzero(~arrays.closed):
        states *= math.comb(_cut(arrays) + int((arrays.demand[r] > 0).sum()), int((arrays.demand[r] > 0).sum()))
    if states > STATES:
        return f"the chain has more than {STATES:,} states: lower the populations, or simulate"
    return ""


def _cut(arrays: Arrays) -> int:
    """Jobs of an open class beyond which the chain may well be cut."""
    busy = np.nan_to_num(np.nan_to_num(arrays.arrival_rate) @ arrays.demand / arrays.last).max(initial=0.0)
    return 8 if busy == 0 else 8 + math.ceil(math.log(LOST) / math.log(min(busy, 0.999)))


def _markov(arrays: Arrays) -> Measures:
    if not arrays.is_closed:
        check_stable(arrays)
    if not np.nansum(arrays.population) and arrays.is_closed:
        return idle(arrays)
    cut, before = _cut(arrays), 1.0
    try:
        while True:
            chain = _Chain(jobs_of(arrays, cut))
            lost = chain.lost(arrays)
            if lost <= 10 * LOST:
                return chain.measures(arrays, lost)
            if lost > 0.7 * before:
                raise _saturated(arrays, lost)
            cut, before = math.ceil(cut * min(3.0, max(1.2, 1.1 * math.log(LOST) / math.log(lost)))), lost
    except TooManyStatesError as error:
        raise NoMethodError({"markov": f"{error}: lower the populations, or simulate"}) from error


def _saturated(arrays: Arrays, lost: float) -> SaturatedError:
    """A longer line did not help: arrivals are turned away at any length."""
    part = (*arrays.model.limits, *arrays.model.stations)[0].name
    r = int(np.nan_to_num(arrays.arrival_rate).argmax())
    rate = float(arrays.arrival_rate[r] * (1 - lost))
    repair = f"about {rate:.6g}/{arrays.model.time_unit} of it get through"
    return SaturatedError(part, 1 / (1 - lost), rate, repair, arrays.model.classes[r].name)


class _Chain:
    """The chain of some jobs, solved, and what happens in each state."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        classes = range(len(jobs.population))
        self.rates: list[list[list[float]]] = [[], [], []]  # finished, asks, delayed: a row a state

        def moves(state: State) -> Iterator[tuple[float, State]]:
            rows = [[0.0 for _ in classes] for _ in self.rates]
            for move in jobs.moves(state):
                for row, counts in zip(rows, (move.finished, move.asks, move.delayed), strict=True):
                    row[move.job_class] += move.rate if counts else 0.0
                yield move.rate, move.state
            for kept, row in zip(self.rates, rows, strict=True):
                kept.append(row)

        self.states, origin, target, rate = explore(jobs.start(), moves, STATES)
        self.p = stationary(len(self.states), origin, target, rate, work=WORK)
        stations = [[c.jobs(s) for c, s in zip(jobs.centers, state[0], strict=True)] for state in self.states]
        self.present = np.array(stations, dtype=float)  # (states, K, R)

    def lost(self, arrays: Arrays) -> float:
        """Largest share of an open class's arrivals that find it full."""
        inside = np.array([self.jobs.inside(state) for state in self.states])
        full = self.p @ (inside >= np.array(self.jobs.population))
        return float(full[~arrays.closed].max(initial=0.0))

    def measures(self, arrays: Arrays, lost: float) -> Measures:
        """Mean values; an open class's throughput is its arrival rate."""
        finished, asked, delayed = (self.p @ np.array(rows) for rows in self.rates)
        x = np.where(arrays.closed, finished * _cycles(arrays), np.nan_to_num(arrays.arrival_rate))
        thinks = arrays.closed & ~(arrays.demand > 0).any(axis=1)  # and nothing else
        x[thinks] = arrays.population[thinks] / arrays.think_time[thinks]
        q = np.einsum("s,skr->rk", self.p, self.present)
        with np.errstate(divide="ignore", invalid="ignore"):
            residence = np.where(x[:, None] > 0, q / x[:, None], np.nan)
            share = np.where(asked > 0, delayed / asked, 0.0)
        notes = (f"open classes cut where {lost:.1g} of the arrivals are left out",) if not arrays.is_closed else ()
        admission = self._admission(share) if self.jobs.limits else None
        return Measures(x, q, residence, self._distribution, notes=notes, admission=admission)

    def _admission(self, share: Array) -> Admission:
        limits, classes = self.jobs.limits, len(self.jobs.population)
        waiting = np.array([[sum(job[0] == r for job in state[1]) for r in range(classes)] for state in self.states])
        missing = [[self.jobs.needed(r, k) & ~held for r, k, held in state[1]] for state in self.states]
        line = np.array([[sum(m >> i & 1 for m in row) for i in range(len(limits))] for row in missing])
        used = np.array([self.jobs.used(state) for state in self.states])
        full = used >= np.array([limit.capacity for limit in limits])
        lines = tuple(_weighed(line[:, i], self.p) for i in range(len(limits)))
        return Admission(self.p @ waiting, share, self.p @ used, self.p @ line, self.p @ full, lines)

    def _distribution(self, k: int) -> Array:
        return _weighed(self.present[:, k].sum(axis=1).astype(int), self.p)


def _weighed(counts: NDArray[np.intp], p: Array) -> Array:
    weights = np.bincount(counts, weights=p)
    return weights / weights.sum()


def _cycles(arrays: Arrays) -> Array:
    """Cycles of a closed class for one that makes a visit: more than one where visits are fewer than one."""
    visits = np.where(arrays.demand > 0, arrays.visits, 0.0).sum(axis=1)
    return 1 / np.where(np.isnan(visits) | (visits == 0), 1.0, np.minimum(visits, 1.0))


def jobs_of(arrays: Arrays, cut: int) -> Jobs:
    """The jobs of a network: what the model file leaves open is settled here.

    A class that gives demands makes one visit to each of its stations, in their order; one
    that gives visits goes on after each visit with the same probabilities, and where they
    are fewer than one some of its jobs make none. Service times are exponential.
    """
    model, plan = arrays.model, plan_of(arrays)
    centers = []
    for k, station in enumerate(model.stations):
        speeds = arrays.speeds[k]
        kind = "delay" if speeds is None else "shared"
        users = np.flatnonzero(arrays.demand[:, k] > 0)
        if isinstance(station, Queue) and station.discipline != "ps" and len(users) > 1:
            kind = station.discipline
        rates = tuple(float(1 / t) if t > 0 else 0.0 for t in plan.service[:, k])
        centers.append(Center(kind, plan.speeds[k], rates, plan.rank))
    enters = [sum(share for k, share in route[OUTSIDE] if k != OUTSIDE) for route in plan.routes]
    return Jobs(
        centers=tuple(centers),
        routes=tuple(_without_passing(r, share) for r, share in zip(plan.routes, enters, strict=True)),
        population=tuple(cut if isinstance(c, OpenClass) else c.population for c in model.classes),
        outside_rate=tuple(
            share * (c.arrival_rate if isinstance(c, OpenClass) else (1 / c.think_time if c.think_time else math.inf))
            if share
            else 0.0
            for c, share in zip(model.classes, enters, strict=True)
        ),
        is_open=tuple(isinstance(c, OpenClass) for c in model.classes),
        limits=plan.limits,
    )


def _without_passing(route: Route, enters: float) -> Route:
    """The way of those jobs that make a visit at all: the others stay outside longer."""
    return {**route, OUTSIDE: [(k, share / enters) for k, share in route[OUTSIDE] if k != OUTSIDE]}


METHODS = (Method("markov", _markov, True, _refuses, "any small model, its Markov chain", "Grassmann1985"),)
