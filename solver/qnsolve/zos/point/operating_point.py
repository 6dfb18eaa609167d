"""The operating point of a system: rates, times and waits that agree with each other at all centers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.errors import ConvergenceError, SaturatedError
from qnsolve.numerics.fixed_point import fixed_point
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Layout, layout
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.parts.system import System

from . import admission as gates
from . import hardware as hosts
from .region_network import corrected
from .software_network import Software, burst_time, queue_demands, software_network, solve_software, station
from .state import State
from .task_times import Times, sync_time, task_times

TOLERANCE, ROUGH = 1e-9, 1e-6  # of the fixed point, relative, by accelerated and by damped steps
FAST, SLOW, DAMPING = 60, 30, 0.25  # accelerated steps; damped ones, and the share of a step that they take, in logs
AGAIN = 2  # times that both are tried, one from where the other led, with limits that share their steps
CLOSER, CLOSE = 25, 1e-8  # most corrections by kind of work at limits, and the relative change that ends them
ROUNDS = 20  # of the coupling facilities alone
TRIES = 20  # times that limits and conversions found to matter may change the model


@dataclass
class Point:
    """One operating point.

    Attributes
    ----------
    state : State
    times : list of Times
        By task.
    software : Software
    flow : Flow
    response : ndarray (W,)
        Of each work [s].
    gated : list of bool
        By region: its limit matters, and it is solved on its own.
    gates : list of Gate
    exact : bool
        Found by the Markov chain of the system's network, not by layers.
    loads : ndarray (J, W + 1)
        Engines that the sources of `state` ask for, by work, fixed CPU last.
    """

    layout: Layout
    state: State
    times: list[Times]
    software: Software
    flow: gates.Flow
    response: Array
    gated: list[bool]
    gates: list[gates.Gate] = field(default_factory=list)
    exact: bool = False
    loads: Array = field(default_factory=lambda: np.zeros((0, 0)))


def operating_point(system: System) -> Point:
    """Find it: a fixed point, again whenever another limit or conversion turns out to matter."""
    taken = layout(system)
    state = State(taken)
    gated = [False] * len(system.regions)
    first = [task_times(taken, state, i) for i in range(len(taken.tasks))]
    state.scale = sum(
        t.visits * (e.qr + e.ro + e.threads + e.beside + e.delay) for t, e in zip(taken.tasks, first, strict=True)
    )
    rates = np.array([work.rate or 0.0 for work in system.work])
    hosts.check_facilities(taken, first, rates)
    state.converted = _converted(taken, state, first)
    for _ in range(TRIES):
        try:
            state = _settled(taken, state, gated)
        except SaturatedError:  # it may be so by waits for requests that are not synchronous at these rates
            start = state.at(np.ones_like(state.vector))
            more = _converted(taken, _loaded(taken, start, rates), first)
            if more <= state.converted:
                raise
            state = start.at(start.vector, more | state.converted)
            continue
        point = evaluate(taken, state, gated)
        found = [_matters(point, region) or gated[region] for region in range(len(gated))]
        more = _converted(taken, state, point.times)
        if found == gated and more == state.converted:
            return _closer(point)
        gated, state = found, state.at(state.vector.copy(), more)
    raise ConvergenceError("limits and conversions to asynchronous requests did not settle", float("nan"))


def _closer(point: Point) -> Point:
    """The point with separate waits of each kind of work at the limits, where users are few and the iteration converges."""
    common = point
    some = [region for region, matters in enumerate(point.gated) if matters]
    for _ in range(CLOSER):
        lpar_of = [source.lpar for source in point.state.sources]
        busy = np.bincount(lpar_of, point.loads.sum(axis=1), len(point.layout.system.lpars))
        corrections, own = corrected(point.layout, point.state, some, point.times, point.flow, busy.tolist())
        point.gates = _replaced([g for r in range(len(point.gated)) for g in _gates_of(point, r)], own)
        if not own or point.state.corrections.change(corrections, point.state.scale) < CLOSE:
            return point
        state = point.state.at(point.state.vector.copy())
        state.corrections = corrections
        try:
            point = evaluate(point.layout, _settled(point.layout, state, point.gated), point.gated)
        except (ConvergenceError, SaturatedError):
            break
    common.gates = [g for r in range(len(common.gated)) for g in _gates_of(common, r)]
    return common


def _replaced(all_gates: list[gates.Gate], own: list[gates.Gate]) -> list[gates.Gate]:
    better = {(g.region, g.tranclass): g for g in own}
    return [better.get((g.region, g.tranclass), g) for g in all_gates]


class _EnoughError(Exception):
    """The accelerated steps have had their share."""


def _settled(taken: Layout, state: State, gated: list[bool]) -> State:
    """The fixed point: by accelerated steps, or else by damped ones, and again with limits that share their steps."""
    vector, change = state.vector.copy(), np.inf
    for sharing in (False, True):
        vector = state.vector.copy()
        for _ in range(AGAIN if sharing else 1):
            found = _accelerated(taken, state.at(vector), gated, sharing)
            if found is not None:
                return found
            for _ in range(SLOW):
                try:
                    new = _next(evaluate(taken, state.at(vector), gated), gated, sharing)
                    change = float(np.abs(new / vector - 1).max())
                except np.linalg.LinAlgError:  # a network within it has diverged
                    change = np.inf
                if not np.isfinite(change):
                    break
                if change < ROUGH:
                    return state.at(new)
                vector = vector * (new / vector) ** DAMPING
    raise ConvergenceError("the layers of the system did not settle, damped steps included", change)


def _accelerated(taken: Layout, state: State, gated: list[bool], sharing: bool) -> State | None:
    """The fixed point by accelerated steps, if so many are enough."""
    taken_steps = 0

    def step(vectors: Array, which: object) -> Array:
        nonlocal taken_steps
        taken_steps += 1
        if taken_steps > FAST or not np.isfinite(vectors).all():
            raise _EnoughError
        return _next(evaluate(taken, state.at(vectors[0]), gated), gated, sharing)[None, :]

    try:
        found = fixed_point(step, state.vector[None, :].copy(), TOLERANCE, rough=True)
    except (_EnoughError, np.linalg.LinAlgError):
        return None
    return state.at(found.value[0]) if found.converged[0] else None


def evaluate(taken: Layout, state: State, gated: list[bool]) -> Point:
    """Rates and times that follow from a state."""
    system = taken.system
    each = [task_times(taken, state, i) for i in range(len(taken.tasks))]
    software = solve_software(taken, software_network(taken, state, each, gated))
    rate = software.rate
    size = len(taken.tasks)
    queues: list[dict[str, float]] = [{} for _ in taken.tasks]
    fixed, serial, inside, response = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(len(system.work))
    for i in range(size - 1, -1, -1):  # children come after
        task, own = taken.tasks[i], each[i]
        burst = burst_time(state, task, own, taken.work_of(task).burst)
        serial[i], queues[i] = own.qr, _queues(taken, software, i, own, state.corrections.stretch)
        fixed[i] = own.beside + own.delay + burst + sum(queues[i].values())
        queued = _qr_stretch(taken, state, software, gated, i) * own.qr
        response[task.work] += task.visits * (fixed[i] + queued + gates.waits(taken, state, i))
        for child, count in task.children:
            fixed[i] += count * (inside[child] + gates.waits(taken, state, child))
        inside[i] = fixed[i] + queued
    flow = gates.Flow(np.array([rate[t.work] * t.visits for t in taken.tasks]), fixed, serial, inside, queues)
    return Point(taken, state, each, software, flow, response, gated, loads=hosts.cp_loads(taken, state, each, rate))


def _queues(
    taken: Layout, software: Software, place: int, own: Times, factors: dict[tuple[int, str], float]
) -> dict[str, float]:
    """Time of a task where it queues in the software network, the QR TCB aside [s]."""
    task = taken.tasks[place]
    asked = queue_demands(taken, task, own)
    found = {}
    for name, time in asked.items():
        stretch = float(software.stretch[name][task.work]) if name in software.stretch else 1.0
        found[name] = time * factors.get((place, name), stretch)
    return found


def queue_times(point: Point, place: int) -> dict[str, float]:
    """Time of a task in its region by center, waits for the region's limit aside [s]."""
    task, own = point.layout.tasks[place], point.times[place]
    region, lpar = point.layout.region_of(task).name, point.layout.lpar_of(task).name
    burst = burst_time(point.state, task, own, point.layout.work_of(task).burst)
    found = _queues(point.layout, point.software, place, own, point.state.corrections.stretch)
    found[station(region, "QR")] = own.qr * _qr_stretch(point.layout, point.state, point.software, point.gated, place) + burst
    found[f"{lpar} CPU beside QR"] = own.beside
    found[f"{region} delays"] = own.delay
    return found


def _qr_stretch(taken: Layout, state: State, software: Software, gated: list[bool], place: int) -> float:
    task = taken.tasks[place]
    name = station(taken.region_of(task).name, "QR")
    if gated[task.region] or name not in software.stretch:
        return state.serial_stretch(place, name)
    return float(software.stretch[name][task.work])


def _next(point: Point, gated: list[bool], sharing: bool = False) -> Array:
    """The state that follows from a point."""
    taken, state, rate = point.layout, point.state, point.software.rate
    new = state.at(np.ones_like(state.vector))
    lpar_of = [source.lpar for source in state.sources]
    busy = np.bincount(lpar_of, point.loads.sum(axis=1), len(taken.system.lpars))
    engines = np.array([lpar.processors.engines for lpar in taken.system.lpars])
    new["busy"][:] = np.maximum(busy, 1.0)
    new["full"][:] = np.maximum(state["full"] * busy / engines, 1.0)
    new["cpu"][:] = hosts.cp_stretch(taken, state, point.loads) * state["full"][lpar_of]
    ziip, share, longer, usual = hosts.ziip_stretch(taken, state, point.times, rate, busy.astype(float))
    new["ziip"][:], new["overflow"][:], new["over"][:] = ziip, 1 + share, longer
    new["cpu"][:] *= usual[lpar_of]
    new["cf"][:] = hosts.cf_stretch(taken, state, *hosts.cf_loads(taken, point.times, rate))
    found_gates = [g for region in range(len(gated)) if gated[region] for g in _gates_of(point, region)]
    for found in found_gates:
        region, part = found.region, 1 / gates.company(taken, found, found_gates) if sharing else 1.0
        if any(i in state.corrections.wait for i in taken.tasks_in(region)):
            continue
        if found.tranclass is None:
            tasks = sum(point.flow.tasks[i] * point.flow.inside[i] for i in taken.tasks_in(region))
            new["crowd"][region] = max(state["crowd"][region] * (tasks / found.limit) ** part, 1.0)
            old, wait = state["gate"][region], 1 + state["crowd"][region] * found.admitted.wait / state.scale
            new["gate"][region] = old + part * (wait - old)
            new["serial"][region] = _serial(point, found)
        else:
            place = state.classes.index((region, found.tranclass))
            old, wait = state["tranclass"][place], 1 + found.admitted.wait / state.scale
            new["tranclass"][place] = old + part * (wait - old)
    for region, item in enumerate(taken.system.regions):
        apart = any(i in state.corrections.wait for i in taken.tasks_in(region))
        if isinstance(item, CicsRegion) and (apart or not gated[region]):
            flows = [(point.flow.tasks[i] * point.flow.serial[i], i) for i in taken.tasks_in(region)]
            total = sum(f for f, _ in flows)
            if total > 0:
                new["serial"][region] = sum(f * _qr_stretch(taken, state, point.software, gated, i) for f, i in flows) / total
    return new.vector


def _serial(point: Point, found: gates.Gate) -> float:
    """Time at the QR TCB over demand inside a region with a limit."""
    places = point.layout.tasks_in(found.region)
    total = sum(point.flow.tasks[i] for i in places)
    demand = sum(point.flow.tasks[i] * point.flow.serial[i] for i in places) / total
    rest = sum(point.flow.tasks[i] * point.flow.fixed[i] for i in places) / total
    return max((found.admitted.inside_time - rest) / demand, 1.0) if demand > 0 else 1.0


def _gates_of(point: Point, region: int) -> list[gates.Gate]:
    item = point.layout.system.regions[region]
    found = [gates.gate(point.layout, point.state, region, name, point.flow) for name in (None, *(item.tranclasses or {}))]
    return [g for g in found if g is not None]


def _matters(point: Point, region: int) -> bool:
    return any(g.admitted.full > gates.CHANCE for g in _gates_of(point, region))


def _loaded(taken: Layout, state: State, rates: Array) -> State:
    """The state with the coupling facilities loaded by work that comes at some rates."""
    times = [task_times(taken, state, i) for i in range(len(taken.tasks))]
    loads = hosts.cf_loads(taken, times, rates)
    found = state.at(state.vector.copy())
    for _ in range(ROUNDS):
        found["cf"][:] = hosts.cf_stretch(taken, found, *loads)
    return found


def _converted(taken: Layout, state: State, times: list[Times]) -> frozenset[tuple[int, str, int]]:
    """Requests whose synchronous time has passed their threshold, and those converted before."""
    found = set(state.converted)
    for task, each in zip(taken.tasks, times, strict=True):
        for place, name in each.sync:
            structure = taken.structures[name][1]
            if structure.threshold is not None and sync_time(taken, state, place, structure, task.region) > structure.threshold:
                found.add((place, name, task.lpar))
    return frozenset(found)
