"""The network that a system becomes, in the model language: stations on processors, limits, no fixed point inside."""

from __future__ import annotations

from qnsolve.model.admission_limit import AdmissionLimit
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue, Station
from qnsolve.zos.parts.regions import CicsRegion, Region
from qnsolve.zos.parts.system import System
from qnsolve.zos.point.operating_point import Point, operating_point
from qnsolve.zos.point.software_network import station
from qnsolve.zos.point.task_times import Times

from .tasks import Layout, has_threads


def compiled(system: System) -> Network:
    """The network of a system.

    Parameters
    ----------
    system : System

    Returns
    -------
    Network
        A station for each TCB, on the processors of its LPAR; for the zIIPs, logs, devices and
        what else a task waits for; a limit for each MXT, TRANCLASS and set of dependent regions
        that can be reached. The wait for synchronous requests to coupling facilities, and the
        share of eligible work that overflows, are those of the operating point.

    Notes
    -----
    For reading, for `qnsolve.verify` and for the methods of small networks; `System.solve`
    does not need it.
    """
    return network_of(operating_point(system))


def network_of(point: Point) -> Network:
    """The network of a system at an operating point."""
    taken, system = point.layout, point.layout.system
    stations: dict[str, Station] = {}
    demands: list[dict[str, float]] = [{} for _ in system.work]
    inside: list[set[str]] = [set() for _ in taken.tasks]
    for lpar in system.lpars:
        stations[f"{lpar.name} CPs"] = Queue(f"{lpar.name} CPs", servers=lpar.processors.engines)
    for i, (task, each) in enumerate(zip(taken.tasks, point.times, strict=True)):
        for item, time in _stations(taken, i, each):
            if time > 0:
                stations[item.name] = item
                need = demands[task.work]
                need[item.name] = need.get(item.name, 0.0) + task.visits * time
                inside[i].add(item.name)
    classes: list[JobClass] = [
        OpenClass(w.name, arrival_rate=w.rate, demands=need, batch_size=w.burst)
        if w.rate is not None
        else ClosedClass(w.name, population=w.users or 0, think_time=w.think_time, demands=need)
        for w, need in zip(system.work, demands, strict=True)
    ]
    for lpar in system.lpars:
        fixed = lpar.fixed_cpu + sum(r.fixed_cpu for r in system.regions if r.lpar == lpar.name)
        if fixed:
            name = f"{lpar.name} CPs"
            classes.append(OpenClass(f"{lpar.name} fixed CPU", arrival_rate=1.0, demands={name: fixed}))
    return Network(list(stations.values()), classes, _limits(taken, inside), name=system.name)


def _stations(taken: Layout, place: int, each: Times) -> list[tuple[Station, float]]:
    """Where a task goes, and its demand there."""
    task = taken.tasks[place]
    region, lpar, step = taken.region_of(task), taken.lpar_of(task), task.step
    cps = f"{lpar.name} CPs"
    found: list[tuple[Station, float]] = []
    if isinstance(region, CicsRegion):
        found.append((Queue(station(region.name, "QR"), on=cps), each.qr_cpu))
        found.append((Queue(station(region.name, "RO"), on=cps), each.ro_cpu))
    other = each.other_cpu
    if has_threads(region) and isinstance(region, CicsRegion):
        share = step.jvm_cpu / (step.jvm_cpu + step.open_cpu) if step.jvm_cpu else 0.0
        threads = (other - step.system_cpu) * share
        found.append((Queue(station(region.name, "JVM threads"), servers=region.thread_limit or 1, on=cps), threads))
        other -= threads
    found.append((Queue(station(region.name, "TCBs"), servers=region.limit, on=cps), other))
    if lpar.ziips is not None:
        found.append((LoadDependent(f"{lpar.name} zIIPs", rates=tuple(lpar.ziips.speeds())), each.ziip_cpu))
    for name, size in (step.log_bytes or {}).items():
        found.append((Queue(name), next(x for x in taken.system.loggers if x.name == name).time_of(size)))
    for name, time in (step.devices or {}).items():
        servers = next(x for x in taken.system.devices if x.name == name).servers
        found.append((Delay(name) if servers is None else Queue(name, servers=servers), time))
    found.append((Delay(station(region.name, "waits")), each.delay))
    return found


def limit_name(region: Region, tranclass: str | None) -> str:
    """Name of the limit that a region or one of its TRANCLASSes is."""
    return f"{region.name} {region.limit_name if tranclass is None else tranclass}"


def _limits(taken: Layout, inside: list[set[str]]) -> list[AdmissionLimit]:
    """The limits that can be reached: a region's tasks are where they or the tasks that they wait for are."""
    for i in range(len(taken.tasks) - 1, -1, -1):
        for child, _ in taken.tasks[i].children:
            inside[i] |= inside[child]
    found = []
    for place, region in enumerate(taken.system.regions):
        for name, limit in ((None, region.limit), *((region.tranclasses or {}).items())):
            tasks = [i for i in taken.tasks_in(place) if name is None or taken.tasks[i].step.tranclass == name]
            users = [taken.system.work[w].users for w in {taken.tasks[i].work for i in tasks}]
            if tasks and (None in users or sum(u or 0 for u in users) > limit):
                where = set().union(*(inside[i] for i in tasks))
                kinds = dict.fromkeys(taken.work_of(taken.tasks[i]).name for i in tasks)
                label = limit_name(region, name)
                found.append(AdmissionLimit(int(limit), name=label, classes=tuple(kinds), stations=tuple(sorted(where))))
    return found
