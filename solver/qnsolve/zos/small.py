"""Systems of a few users, told exactly: the Markov chain of their network in place of the layers."""

from __future__ import annotations

from math import comb, prod

from ..errors import QnsolveError
from ..model import ClosedClass
from ..network import Network
from ..solve import solve
from .compiling import network_of
from .operation import Point, evaluate, operating_point
from .regions import CicsRegion
from .software import station
from .state import CPS, Told
from .system import System
from .tasks import has_threads

STATES = 2000  # of the chain: a tenth of a second or so


def solved_point(system: System) -> Point:
    """The operating point of a system, by its Markov chain where that is small."""
    point = operating_point(system)
    if not _plain(point):
        return point
    network = network_of(point)
    if network.limits or _states(network) > STATES:
        return point
    try:
        solution = solve(network, method="markov")
    except QnsolveError:
        return point
    told, taken = Told(), point.layout
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
                told.stretch[i, key] = longer
                continue
            busy = 1 - float(solution.distribution(pair.station)[0])  # the TCB dispatched
            ratio = busy / sum(rate[p.class_name] * p.demand for p in solution.pairs if p.station == pair.station)
            state["cpu"][state.tcb(task.lpar, task.region, name.lower())] = ratio
            told.stretch[i, pair.station] = longer / ratio
        for name in (*(task.step.log_bytes or {}), *(task.step.devices or {})):
            if (work, name) in pairs:
                told.stretch[i, name] = pairs[work, name].residence_time / pairs[work, name].demand
    state.told = told
    exact = evaluate(taken, state, [True] * len(point.gated))
    exact.gates, exact.exact = point.gates, True
    return exact


def _plain(point: Point) -> bool:
    """Only users, TCBs, logs and devices: nothing whose time at the operating point is found by the layers."""
    system, taken = point.layout.system, point.layout
    fixed = any(item.fixed_cpu for item in (*system.lpars, *system.regions))
    odd = any(work.users is None or work.burst > 1 for work in system.work)
    grown = any(lpar.processors.growth for lpar in system.lpars)
    apart = any(has_threads(taken.region_of(t)) and t.step.jvm_cpu for t in taken.tasks)
    asked = any(each.ziip_cpu or each.sync or each.asynchronous for each in point.times)
    cics = all(isinstance(region, CicsRegion) for region in system.regions)
    return cics and len({region.importance for region in system.regions}) == 1 and not (fixed or odd or grown or apart or asked)


def _states(network: Network) -> int:
    """States of the chain, at most: ways in which the users of each kind can be spread."""
    kinds = [c for c in network.classes if isinstance(c, ClosedClass)]
    return prod(comb(c.population + len(c.stations()) - (c.think_time == 0), c.population) for c in kinds)
