"""The network of TCBs, logs and devices that a system is at an operating point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.methods.solve import solve
from qnsolve.model.job_classes import ClosedClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Layout, Task
from qnsolve.zos.parts.regions import CicsRegion

from .admission import waits
from .state import State
from .task_times import Times

ELSEWHERE = "without queueing"
LATTICE = 3000  # populations up to which several closed classes are solved exactly


@dataclass(frozen=True)
class Software:
    """The solved network.

    Attributes
    ----------
    rate : ndarray (W,)
        Transactions of each work [1/s].
    stretch : dict of str to ndarray (W,)
        By station: residence time over demand, 1 or more; 1 where a work does not come.
    """

    rate: Array
    stretch: dict[str, Array]
    utilization: dict[str, float]
    exact: bool


def station(region: str, what: str) -> str:
    """Name of a region's station."""
    return f"{region} {what}"


def servers_of(layout: Layout) -> dict[str, float]:
    """Servers of each station where tasks queue."""
    servers: dict[str, float] = {}
    for region in layout.system.regions:
        servers |= dict.fromkeys((station(region.name, kind) for kind in ("QR", "RO")), 1)
        if isinstance(region, CicsRegion) and region.thread_limit is not None:
            servers[station(region.name, "JVM threads")] = region.thread_limit
    servers |= {logger.name: 1 for logger in layout.system.loggers}
    return servers | {device.name: device.servers for device in layout.system.devices if device.servers is not None}


def queue_demands(layout: Layout, task: Task, own: Times) -> dict[str, float]:
    """What a task asks of stations where tasks may queue, the QR TCB aside [s]."""
    region = layout.region_of(task).name
    asked = {station(region, "RO"): own.ro, station(region, "JVM threads"): own.threads}
    for name, size in (task.step.log_bytes or {}).items():
        asked[name] = next(x for x in layout.system.loggers if x.name == name).time_of(size)
    return {**asked, **(task.step.devices or {})}


def software_network(layout: Layout, state: State, tasks: list[Times], gated: list[bool]) -> Network:
    """Stations where work queues, and one delay for all the rest.

    A region whose limit matters (`gated`) is solved on its own; its time is in the delay.
    """
    system = layout.system
    demands: list[dict[str, float]] = [{} for _ in system.work]
    servers = servers_of(layout)
    for i, (task, each) in enumerate(zip(layout.tasks, tasks, strict=True)):
        need, region = demands[task.work], layout.region_of(task)

        def add(
            name: str, time: float, task_place: int = i, need: dict[str, float] = need, visits: float = task.visits
        ) -> None:
            if (task_place, name) in state.corrections.stretch:
                name, time = ELSEWHERE, time * state.corrections.stretch[task_place, name]
            if time > 0:
                need[name] = need.get(name, 0.0) + visits * time

        delay = each.beside + each.delay + burst_time(state, task, each, layout.work_of(task).burst)
        if gated[task.region]:
            delay += each.qr * state.serial_stretch(i, station(region.name, "QR"))
        else:
            add(station(region.name, "QR"), each.qr)
        for name, time in queue_demands(layout, task, each).items():
            add(name if name in servers else ELSEWHERE, time)
        add(ELSEWHERE, delay)
        add(ELSEWHERE, waits(layout, state, i))
    used = [name for name in servers if any(name in need for need in demands)]
    stations: list[Queue | Delay] = [Queue(name, servers=servers[name]) for name in used]
    classes = [
        OpenClass(w.name, arrival_rate=w.rate, demands=need)
        if w.rate is not None
        else ClosedClass(w.name, population=w.users or 0, think_time=w.think_time, demands=need)
        for w, need in zip(system.work, demands, strict=True)
    ]
    return Network([*stations, Delay(ELSEWHERE)], classes, name=system.name)


def burst_time(state: State, task: Task, each: Times, burst: float) -> float:
    """What work that comes in bursts waits longer at the QR TCB [s].

    Batches of b at an M/M/1 make its response time (b + 1)/2 times as long at every load.
    """
    return (burst - 1) / 2 * each.qr * float(state["serial"][task.region])


def solve_software(layout: Layout, network: Network) -> Software:
    """Solve the network: exactly where that is quick."""
    closed = [work.users for work in layout.system.work if work.users is not None]
    quick = len(closed) <= 1 or float(np.prod([n + 1.0 for n in closed])) <= LATTICE
    solution = solve(network, method="exact" if quick else "linearizer")
    names = [s.name for s in network.stations if isinstance(s, Queue)]
    stretch = {name: np.ones(len(network.classes)) for name in names}
    for pair in solution.pairs:
        if pair.station in stretch and pair.demand > 0:
            place = next(i for i, c in enumerate(network.classes) if c.name == pair.class_name)
            stretch[pair.station][place] = pair.residence_time / pair.demand
    return Software(
        np.array([c.throughput for c in solution.classes]),
        stretch,
        {s.name: s.utilization for s in solution.stations},
        solution.exact,
    )
