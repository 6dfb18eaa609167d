"""Priorities in networks of any size: a chain of two levels at a time at their stations, mean values elsewhere."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ConvergenceError, NoMethodError, SaturatedError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import (
    Method,
    check_stable,
    hosted,
    idle,
    long_left_over,
    not_poisson,
    occupied,
    special,
    starved,
    uneven,
)
from qnsolve.methods.job_process import service_time
from qnsolve.methods.mean_value.amva import amva
from qnsolve.methods.mean_value.highest_rates import within_capacity
from qnsolve.methods.mean_value.method import falling, too_large
from qnsolve.methods.mean_value.queue_seen import closed_on
from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.mixed import left_over, with_open
from qnsolve.model.station_types import Queue
from qnsolve.numerics.fixed_point import NotConvergedError, fixed_point
from qnsolve.numerics.markov_chain import TooManyStatesError
from qnsolve.numerics.series import Array

from .priority_levels import FULL, Group, kept_apart, stays
from .rest_of_network import pace_of

TOLERANCE = 1e-6  # relative change of a residence time
NEVER = 1e-7  # least time elsewhere of a class, over its service time


def _ranked(arrays: Arrays) -> NDArray[np.intp]:
    return np.array([k for k in range(arrays.demand.shape[1]) if special(arrays, k)], dtype=np.intp)


def _refuses(arrays: Arrays) -> str:
    if arrays.model.limits:
        return f"limit {arrays.model.limits[0].name!r}: admission limits"
    if arrays.is_open:
        return "for closed classes, alone or beside open ones"
    kept = _ranked(arrays)
    if not len(kept):
        return "for models with priorities only"
    other = not_poisson(arrays) or uneven(arrays) or hosted(arrays)
    if other:
        return other
    if not arrays.is_closed and not len(occupied(arrays)):
        return "no closed class has a job"
    for job_class, rate in zip(arrays.model.classes, arrays.arrival_rate.tolist(), strict=True):
        if rate == 0:
            return f"class {job_class.name!r} has no arrivals; remove it"
    for k in kept:
        station = arrays.model.stations[k]
        if not isinstance(station, Queue) or station.discipline not in ("preemptive", "nonpreemptive") or station.on:
            return special(arrays, int(k))
        jobs: dict[int, float] = {}
        for r in np.flatnonzero(arrays.demand[:, k] > 0).tolist():
            level = arrays.model.classes[r].priority
            jobs[level] = jobs.get(level, 0.0) + (arrays.population[r] if arrays.closed[r] else np.inf)
        if station.discipline == "nonpreemptive" and len(jobs) > 2:
            few = [int(min(n, 10**6)) for n in jobs.values() if n > 0]
            if not kept_apart(few, int(station.servers)):
                return f"station {station.name!r}: {len(jobs)} priority levels without preemption have too many jobs"
    other = starved(arrays) or falling(arrays.of_classes(arrays.closed)) or long_left_over(arrays)
    some = len(occupied(arrays))  # each has a queue of its own in place of each station with priorities
    return other or too_large(some, arrays.demand.shape[1] + len(kept) * (some - 1))


class _Network:
    """The rest of a network as mean values, and its arrivals at stations with priorities."""

    def __init__(self, arrays: Arrays) -> None:
        a = self.arrays = arrays
        self.kept = _ranked(a)
        self.rest = np.array([k for k in range(a.demand.shape[1]) if k not in set(self.kept.tolist())], dtype=np.intp)
        self.closed = np.flatnonzero(np.nan_to_num(a.population) > 0)
        self.opened = np.flatnonzero(~a.closed)
        self.used = a.demand[:, self.kept] > 0
        self.used[[r for r in range(len(a.population)) if a.population[r] == 0]] = False
        self.visits = np.where(np.isnan(a.random_visits), (a.demand > 0) * 1.0, a.random_visits)
        self.time = service_time(a)
        rate = np.nan_to_num(a.arrival_rate)
        self.load = rate @ np.where(a.closed[:, None], 0.0, a.demand)
        most = int(np.nansum(a.population))
        self.speeds = [a.speeds[k] for k in self.rest]
        self.left = [
            None if s is None else left_over(float(self.load[k]), s, most) for k, s in zip(self.rest, self.speeds, strict=True)
        ]
        first = np.array([1.0 if s is None else s[0] for s in a.speeds])
        wide = np.array([np.inf if s is None else max(s.max() / s[0], 1.0) for s in a.speeds])
        self.apart = a.demand / first * (1 - 1 / wide)  # the part of a residence time without queueing
        self.first = np.zeros(self.used.shape, dtype=bool)  # alone on the highest level of many servers, with preemption
        for i, k in enumerate(self.kept.tolist()):
            station = a.model.stations[k]
            users = [r for r in range(len(a.population)) if self.used[r, i]]
            highest = min((a.model.classes[r].priority for r in users), default=0)
            top = [r for r in users if a.model.classes[r].priority == highest]
            if isinstance(station, Queue) and station.servers > 1 and station.discipline == "preemptive" and len(top) == 1:
                self.first[top[0], i] = True
        self.throughput = rate.copy()
        self.inside: Measures | None = None

    def solve(self, stay: Array) -> Array:
        """Residence times of all stations, shape (R, K), given those at stations with priorities; sets the throughputs."""
        a, some = self.arrays, self.closed
        residence = np.zeros(a.demand.shape)
        residence[:, self.kept] = stay
        n = a.population[some]
        own = np.where(self.used[some], stay[some], 0.0)
        known = self.throughput[some]
        known = np.where(known > 0, known, n / (a.think_time[some] + (a.demand[some].sum(axis=1) + own.sum(axis=1))))
        fixed = np.minimum(self.apart[np.ix_(some, self.kept)], own)
        met = np.minimum(known[:, None] * own, n[:, None]) * ((n - 1) / n)[:, None]
        queue = (own - fixed) / (1 + met)
        private = np.zeros((len(some), own.size))
        for i in range(len(some)):
            private[i, i * own.shape[1] : (i + 1) * own.shape[1]] = queue[i]
        demand = np.hstack((a.demand[np.ix_(some, self.rest)], private))
        speeds = [*self.left, *(np.ones(1) for _ in range(own.size))]
        for i, j in zip(*np.nonzero(self.first[some]), strict=True):  # these do not queue for other classes
            demand[i, len(self.rest) + i * own.shape[1] + j] = a.demand[some[i], self.kept[j]]
            speeds[len(self.rest) + i * own.shape[1] + j] = a.speeds[self.kept[j]]
            fixed[i, j] = 0.0
        self.inside = amva(n, a.think_time[some] + fixed.sum(axis=1), demand, speeds, "linearizer")
        residence[np.ix_(some, self.rest)] = self.inside.residence_time[:, : len(self.rest)]
        if len(self.opened):
            o = self.opened
            left = tuple(self.left)
            outside = with_open(self._rest_only(), a.arrival_rate[o], a.demand[np.ix_(o, self.rest)], tuple(self.speeds), left)
            residence[np.ix_(o, self.rest)] = outside.residence_time
        total = a.think_time[some] + residence[some].sum(axis=1)
        self.throughput[some] = n / total
        return residence

    def _rest_only(self) -> Measures:
        assert self.inside is not None
        m = self.inside
        return Measures(m.throughput, m.queue_length[:, : len(self.rest)], m.residence_time, m.distribution)

    def sends(self, r: int, k: int, residence: Array) -> Array:
        """Arrival rate of class r at station k with n = 0, 1, … of its jobs there."""
        a = self.arrays
        if not a.closed[r]:
            return np.array([a.arrival_rate[r] * self.visits[r, k]])
        n = int(a.population[r])
        fixed = np.minimum(self.apart[r], residence[r])
        share = (n - 1) / n
        queue = (residence[r] - fixed) / (1 + self.throughput[r] * residence[r] * share)
        queue[k] = 0.0
        fixed[k] = 0.0
        z = max(float(a.think_time[r] + fixed.sum()), NEVER * float(self.time[r, k]))
        queue = queue[queue > 0]
        there = np.zeros(len(queue))
        rates = np.zeros(n + 1)
        for j in range(1, n + 1):
            times = queue * (1 + there)
            x = j / (z + times.sum())
            there = x * times
            rates[n - j] = x * self.visits[r, k]
        return rates


def _run(arrays: Arrays) -> Measures:
    if len(occupied(arrays)) == 0 and arrays.is_closed:
        return idle(arrays)
    if not arrays.is_closed:
        check_stable(arrays)
    network = _Network(arrays)
    used = network.used
    start = np.where(used, arrays.demand[:, network.kept], 0.0)

    def step(value: Array, _: NDArray[np.intp]) -> Array:
        stay = np.zeros(used.shape)
        stay[used] = value[0]
        residence = network.solve(stay)
        for i, k in enumerate(network.kept.tolist()):
            stay[:, i] = _station(network, k, residence)
        return stay[used][None]

    try:
        found = fixed_point(step, start[used][None], TOLERANCE)
    except NotConvergedError as error:
        raise ConvergenceError(f"method priority: {error}", error.residual) from error
    except TooManyStatesError as error:
        raise NoMethodError({"priority": f"{error} at a station with priorities; lower the populations"}) from error
    if not found.converged[0]:
        raise ConvergenceError("method priority: neither accelerated nor damped iteration converged", float(found.residual[0]))
    stay = np.zeros(used.shape)
    stay[used] = found.value[0]
    residence = network.solve(stay)
    _check_left(arrays, network.throughput)
    top = np.where(np.isnan(arrays.top), np.inf, arrays.top)
    some = network.closed
    spare = np.maximum(top - network.load, 1e-300)
    pressure = arrays.demand[some] / spare
    residence[some] = within_capacity(arrays.population[some], arrays.think_time[some], pressure, residence[some])
    x = network.throughput
    x[some] = arrays.population[some] / (arrays.think_time[some] + residence[some].sum(axis=1))
    q = x[:, None] * residence
    notes = () if found.damping[0] == 1 else (f"converged with damping only: {found.damping[0]:g} of each step taken",)
    residence[x == 0] = np.where(arrays.closed[x == 0, None], np.nan, residence[x == 0])
    most = np.nan_to_num(arrays.population) @ (arrays.demand > 0)
    most += np.where(network.load > 0, np.ceil(40 * (1 + q.sum(axis=0))), 0.0)
    return Measures(x, q, residence, partial(closed_on, q.sum(axis=0), most, arrays.speeds), found.steps, notes)


def _station(network: _Network, k: int, residence: Array) -> Array:
    """Residence times at one station with priorities, by class."""
    arrays, station = network.arrays, network.arrays.model.stations[k]
    assert isinstance(station, Queue)
    users = [r for r in range(len(arrays.population)) if network.used[r, network.kept.tolist().index(k)]]
    ranks = sorted({arrays.model.classes[r].priority for r in users})
    groups, members = [], []
    for rank in ranks:
        same = [r for r in users if arrays.model.classes[r].priority == rank]
        flow = network.throughput[same] * network.visits[same, k]
        time = float(flow @ network.time[same, k] / flow.sum()) if flow.sum() > 0 else float(network.time[same, k].mean())
        sends = [network.sends(r, k, residence) for r in same]
        lengths = network.throughput[same] * residence[same, k]
        groups.append(Group(_together(sends, lengths), time))
        members.append(same)
    if len(groups) == 2 and arrays.closed[users].all() and len(network.kept) > 1:
        paces = (_pace(network, k, own, others, residence) for own, others in (members, members[::-1]))
        groups = [replace(group, pace=pace) for group, pace in zip(groups, paces, strict=True)]
    out = np.zeros(len(arrays.population))
    per_visit = stays(groups, int(station.servers), station.discipline == "preemptive")
    for same, group, visit in zip(members, groups, per_visit, strict=True):
        lengths, n = network.throughput[same] * residence[same, k], arrays.population[same]
        meets = 1 + lengths.sum() - np.where(np.isnan(n), 0.0, lengths / n)  # a job does not meet itself
        flow, unit = network.throughput[same] * network.visits[same, k], network.visits[same, k]
        if station.discipline == "preemptive":
            unit = arrays.demand[same, k]
        wait = flow.sum() * max(visit - group.time, 0.0) / float(network.throughput[same] * unit @ meets)
        out[same] = arrays.demand[same, k] + unit * meets * wait
    return out


def _pace(network: _Network, k: int, own: list[int], others: list[int], residence: Array) -> Array:
    """Relative arrival rate of a level at station k by the number of jobs of the other level there."""
    model = network.arrays.model
    seen = np.zeros(len(model.stations), dtype=bool)
    seen[network.kept] = True
    if model.classes[own[0]].priority < model.classes[others[0]].priority:
        seen &= np.array([not isinstance(s, Queue) or s.discipline != "preemptive" for s in model.stations])
    return pace_of(network.arrays, k, own, others, network.throughput[:, None] * residence, residence, seen)


def _check_left(arrays: Arrays, throughput: Array) -> None:
    """Raise SaturatedError where higher levels leave an open class too little capacity."""
    model = arrays.model
    for k in _ranked(arrays).tolist():
        for r in np.flatnonzero(~arrays.closed & (arrays.demand[:, k] > 0) & (np.nan_to_num(arrays.arrival_rate) > 0)).tolist():
            upto = [s for s, c in enumerate(model.classes) if c.priority <= model.classes[r].priority]
            load = throughput[upto] * arrays.demand[upto, k] / arrays.top[k]
            if load.sum() >= 1 - 2 * FULL:
                own = float(throughput[r] * arrays.demand[r, k] / arrays.top[k])
                highest = float(max(0.0, 1 - load.sum() + own) * arrays.top[k] / arrays.demand[r, k])
                repair = f"its rate must stay below about {highest:.4g}/{model.time_unit}"
                raise SaturatedError(model.stations[k].name, float(load.sum()), highest, repair, model.classes[r].name)


def _together(sends: list[Array], lengths: Array) -> Array:
    """Arrival rates of several classes as one level, by the number of their jobs there, split by their mean numbers."""
    if len(sends) == 1:
        return sends[0]
    closed = [(s, q) for s, q in zip(sends, lengths.tolist(), strict=True) if len(s) > 1]
    steady = sum(float(s[0]) for s in sends if len(s) == 1)
    if not closed:
        return np.array([steady])
    most = sum(len(s) - 1 for s, _ in closed)
    n = np.arange(most + 1.0)
    total = sum(q for _, q in closed)
    rates = np.zeros(most + 1)
    for s, q in closed:
        rates += np.interp(n * q / total, np.arange(len(s)), s)
    rates[-1] = 0.0
    return rates + steady if steady else rates


METHODS = (Method("priority", _run, False, _refuses, "priorities, any size, also beside open classes", "Marie1979"),)
