"""Systems of a few users, solved exactly: the Markov chain of their network in place of the layers."""

from __future__ import annotations

from math import comb, prod

from qnsolve.errors import QnsolveError
from qnsolve.methods.limits.admission_wait import Admitted
from qnsolve.methods.solve import solve
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.results.solution import Solution
from qnsolve.zos.compile.system_network import limit_name, network_of
from qnsolve.zos.compile.tasks import has_threads
from qnsolve.zos.parts.system import System

from .admission import Gate
from .operating_point import Point, evaluate, operating_point
from .software_network import station
from .state import CPS, Corrections

STATES = 2000  # of the chain, lines before limits not counted: a quarter of a second or so


def solved_point(system: System) -> Point:
    """The operating point of a system, by its Markov chain where that is small."""
    point = operating_point(system)
    if not _plain(point):
        return point
    network = network_of(point)
    if _states(network) > STATES or (network.limits and not _one_region_each(point)):
        return point
    try:
        solution = solve(network, method="markov")
    except QnsolveError:
        return point
    corrections, taken = Corrections(), point.layout
    state = point.state.at(point.state.vector.copy())
    rate = {c.name: c.throughput for c in solution.classes}
    pairs = {(p.class_name, p.station): p for p in solution.pairs if p.demand > 0}
    for i, (task, each) in enumerate(zip(taken.tasks, point.times, strict=True)):
        work, region = taken.work_of(task).name, taken.region_of(task).name
        for name, cpu, key in (("QR", each.qr_cpu, None), ("RO", each.ro_cpu, None), ("TCBs", each.other_cpu, CPS)):
            pair = pairs.get((work, station(region, name)))
            if pair is None or cpu == 0:
                continue
            longer = pair.residence_time / pair.demand
            if key is not None:
                corrections.stretch[i, key] = longer
                continue
            busy = 1 - float(solution.distribution(pair.station)[0])  # the TCB dispatched
            ratio = busy / sum(rate[p.class_name] * p.demand for p in solution.pairs if p.station == pair.station)
            state["cpu"][state.tcb(task.lpar, task.region, name.lower())] = ratio
            corrections.stretch[i, pair.station] = longer / ratio
        corrections.wait[i] = solution[work].admission_wait / task.visits
        for name in (*(task.step.log_bytes or {}), *(task.step.devices or {})):
            if (work, name) in pairs:
                corrections.stretch[i, name] = pairs[work, name].residence_time / pairs[work, name].demand
    state.corrections = corrections
    exact = evaluate(taken, state, [True] * len(point.gated))
    exact.gates, exact.exact = [_gate(exact, gate, solution) for gate in point.gates], True
    return exact


def _gate(point: Point, gate: Gate, solution: Solution) -> Gate:
    """A limit as the chain has it; as it was where the network leaves it out, for it cannot be reached."""
    region = point.layout.system.regions[gate.region]
    name = limit_name(region, gate.tranclass)
    limit = next((x for x in solution.limits if x.name == name), None)
    if limit is None:
        return gate
    tasks = [i for i in point.layout.tasks_in(gate.region) if gate.tranclass in (None, point.layout.tasks[i].step.tranclass)]
    flow = {i: float(point.flow.tasks[i]) for i in tasks}
    rate = sum(flow.values())
    delayed = sum(flow[i] * solution[point.layout.work_of(point.layout.tasks[i]).name].fraction_delayed for i in tasks)
    admitted = Admitted(
        wait=limit.number_outside / rate,
        inside_time=limit.number_inside / rate,
        delayed=delayed / rate,
        full=limit.probability_full,
        number_inside=limit.number_inside,
        number_outside=limit.number_outside,
        outside_95=limit.number_outside_95,
        throughput=rate,
    )
    return Gate(gate.region, gate.tranclass, limit.capacity, admitted)


def _one_region_each(point: Point) -> bool:
    """Each work has one task only, so that what it waits outside is a wait for that task."""
    return len({task.work for task in point.layout.tasks}) == len(point.layout.tasks)


def _plain(point: Point) -> bool:
    """Only users, TCBs, logs and devices: nothing whose time at the operating point is found by the layers."""
    system, taken = point.layout.system, point.layout
    fixed = any(item.fixed_cpu for item in (*system.lpars, *system.regions))
    odd = any(work.users is None or work.burst > 1 for work in system.work)
    grown = any(lpar.processors.growth for lpar in system.lpars)
    apart = any(has_threads(taken.region_of(t)) and t.step.jvm_cpu for t in taken.tasks)
    asked = any(each.ziip_cpu or each.sync or each.asynchronous for each in point.times)
    return len({region.importance for region in system.regions}) == 1 and not (fixed or odd or grown or apart or asked)


def _states(network: Network) -> int:
    """States of the chain, at most: ways in which the users of each kind can be spread."""
    kinds = [c for c in network.classes if isinstance(c, ClosedClass)]
    return prod(comb(c.population + len(c.stations()) - (c.think_time == 0), c.population) for c in kinds)
