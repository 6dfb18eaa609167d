"""A region with limits that are reached, as a small network of its own: the waits of each kind of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from qnsolve.errors import NoMethodError, SaturatedError
from qnsolve.methods.limits.admission_wait import Admitted
from qnsolve.methods.solve import solve
from qnsolve.model.admission_limit import AdmissionLimit
from qnsolve.model.job_classes import ClosedClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue, Station
from qnsolve.results.solution import Solution
from qnsolve.zos.compile.tasks import Layout, has_threads

from .admission import Flow, Gate, waits
from .software_network import queue_demands, servers_of, station
from .state import CPS, Corrections, State
from .task_times import Times

POINTS = 2500  # users of each kind that want to be in, all ways
REST, ALL = "rest", "all tasks"

FEW_POINTS = 20_000  # ways to want in up to which the network of a region is solved


@dataclass(frozen=True)
class Kind:
    """The tasks of one work in a region.

    Attributes
    ----------
    places : list of int
    flow : float
        Tasks [1/s].
    demand : dict of station to float
        Time of one where the region's tasks queue for each other: QR TCB, CPs beside it, stations of its own [s].
    rest : dict of station to float
        All other time of one; under `REST` what has no name [s].
    users, away : int or None, float
        Those that send them, and the time from one's end to the next [s].
    tranclass : str or None
    """

    places: list[int]
    flow: float
    demand: dict[str, float]
    rest: dict[str, float]
    users: int | None
    away: float
    tranclass: str | None


def kinds(layout: Layout, state: State, region: int, times: Sequence[Times], flow: Flow) -> list[Kind] | None:
    """The tasks of a region by work; None where those of a work differ in TRANCLASS or wait for each other."""
    here = [i for i in layout.tasks_in(region) if flow.tasks[i] > 0]
    qr = station(layout.system.regions[region].name, "QR")
    shared = {name for i, task in enumerate(layout.tasks) if task.region != region for name in flow.queues[i]}
    found = []
    for work in sorted({layout.tasks[i].work for i in here}):
        own = [i for i in here if layout.tasks[i].work == work]
        classes = {layout.tasks[i].step.tranclass for i in own}
        if len(classes) > 1 or any(child in own for i in own for child, _ in layout.tasks[i].children):
            return None
        rate, users = float(sum(flow.tasks[i] for i in own)), layout.system.work[work].users
        demand: dict[str, float] = {}
        rest: dict[str, float] = {}
        held = 0.0
        for i in own:
            share = float(flow.tasks[i]) / rate
            cpu = 0.0 if has_threads(layout.region_of(layout.tasks[i])) else times[i].other_cpu
            held += flow.tasks[i] * (flow.fixed[i] + flow.serial[i] * state.serial_stretch(i, qr) + waits(layout, state, i))
            left = float(flow.fixed[i]) - cpu * state.beside_stretch(i)
            demand[qr] = demand.get(qr, 0.0) + share * float(flow.serial[i])
            demand[CPS] = demand.get(CPS, 0.0) + share * cpu
            alone = queue_demands(layout, layout.tasks[i], times[i])
            for name, time in flow.queues[i].items():
                left -= time
                into, time = (rest, time) if name in shared else (demand, alone[name])
                into[name] = into.get(name, 0.0) + share * time
            rest[REST] = rest.get(REST, 0.0) + share * max(left, 0.0)
        away = 0.0 if users is None else max((users - held) / rate, 1e-9 * users / rate)
        found.append(Kind(own, rate, demand, rest, users, away, classes.pop()))
    return found


def solved(
    layout: Layout, state: State, region: int, found: list[Kind], busy: float
) -> tuple[Solution, dict[str | None, str]] | None:
    """The region's network, solved; None where it is too large. `busy` engines of its LPAR are at work."""
    item = layout.system.regions[region]
    total = sum(kind.flow * kind.demand[CPS] for kind in found)
    left = layout.lpar_of(layout.tasks[found[0].places[0]]).processors.engines - max(busy - total, 0.0)
    own = left > 1.001 * total > 0
    sizes = servers_of(layout) | {CPS: left}
    stations: dict[str, Station] = {}
    classes: list[ClosedClass | OpenClass] = []
    for r, kind in enumerate(found):
        need: dict[str, float] = {}
        for name, time in kind.demand.items():
            if time > 0 and (name != CPS or own):
                need[name] = time
                stations[name] = Queue(name, servers=sizes[name]) if name in sizes else Delay(name)
            elif time > 0:
                need[name] = time * state.beside_stretch(kind.places[0])
                stations[name] = Delay(name)
        for name, time in kind.rest.items():
            if time > 0:
                need[name] = time
                stations[name] = Delay(name)
        if kind.users is None:
            classes.append(OpenClass(str(r), arrival_rate=kind.flow, demands=need))
        else:
            classes.append(ClosedClass(str(r), population=kind.users, think_time=kind.away, demands=need))
    limits = [AdmissionLimit(item.limit, name=ALL)]
    names: dict[str | None, str] = {None: ALL}
    for name, most in (item.tranclasses or {}).items():
        members = tuple(str(r) for r, kind in enumerate(found) if kind.tranclass == name)
        if members and most < item.limit:
            names[name] = name
            limits.append(AdmissionLimit(int(most), name=name, classes=members))
    if points(found, item.limit) > FEW_POINTS:  # solved on a grid, which takes long for a correction
        return None
    try:
        return solve(Network(list(stations.values()), classes, limits), method="limits"), names
    except (NoMethodError, SaturatedError):
        return None


def points(found: list[Kind], limit: int) -> int:
    """Ways in which tasks may want to be in; those of work with a rate are counted up to the limit."""
    return prod((limit if kind.users is None else kind.users) + 1 for kind in found)


def corrected(
    layout: Layout, state: State, regions: Sequence[int], times: Sequence[Times], flow: Flow, busy: Sequence[float]
) -> tuple[Corrections, list[Gate]]:
    """Waits and stretches of each work in regions of few users, and the limits of these regions."""
    corrections, gates, budget = Corrections(), [], POINTS
    for region in regions:
        found = kinds(layout, state, region, times, flow)
        size = points(found, layout.system.regions[region].limit) if found else 0
        if not found or size > budget:
            continue
        answer = solved(layout, state, region, found, busy[layout.tasks[found[0].places[0]].lpar])
        if answer is None:
            continue
        budget -= size
        solution, names = answer
        pairs = {(p.class_name, p.station): p.residence_time for p in solution.pairs}
        for r, kind in enumerate(found):
            wait = solution[str(r)].admission_wait
            for i in kind.places:
                corrections.wait[i] = wait
                for name, time in kind.demand.items():
                    if time > 0:
                        corrections.stretch[i, name] = pairs[str(r), name] / time
        for tranclass, name in names.items():
            gates.append(_gate(layout, region, tranclass, solution, name, found))
    return corrections, gates


def _gate(layout: Layout, region: int, tranclass: str | None, solution: Solution, name: str, found: list[Kind]) -> Gate:
    limit = next(x for x in solution.limits if x.name == name)
    members = [r for r, kind in enumerate(found) if tranclass is None or kind.tranclass == tranclass]
    rate = sum(solution[str(r)].throughput for r in members)
    return Gate(
        region,
        tranclass,
        limit.capacity,
        Admitted(
            wait=limit.number_outside / rate,
            inside_time=limit.number_inside / rate,
            delayed=sum(solution[str(r)].throughput * solution[str(r)].fraction_delayed for r in members) / rate,
            full=limit.probability_full,
            number_inside=limit.number_inside,
            number_outside=limit.number_outside,
            outside_95=limit.number_outside_95,
            throughput=rate,
        ),
    )
