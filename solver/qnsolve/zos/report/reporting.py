"""From an operating point to the figures of the reports, and the identities that they must keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import nan

import numpy as np

from qnsolve.errors import LawError
from qnsolve.zos.compile.tasks import Layout
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.point import admission as gates
from qnsolve.zos.point import hardware as hosts
from qnsolve.zos.point.operating_point import Point, queue_times
from qnsolve.zos.point.task_times import sync_time

from .figures import (
    DeviceResult,
    FacilityResult,
    LogResult,
    LparResult,
    RegionResult,
    StructureResult,
    TranclassResult,
    WorkResult,
)
from .reasons import notes, reasons
from .system_result import SystemResult

NOISE = 1e-12  # waits in seconds, shares and queue lengths below it are rounding
SETTLED = 1e-6  # relative violation of an identity that an iteration may leave


def answer(point: Point) -> SystemResult:
    """The figures of a system, checked."""
    lpars = tuple(_lpars(point))
    facilities = tuple(_facilities(point))
    result = SystemResult(
        system=point.layout.system,
        work=tuple(_work(point)),
        lpars=lpars,
        regions=tuple(_regions(point)),
        tranclasses=tuple(_tranclasses(point)),
        facilities=facilities,
        structures=tuple(_structures(point)),
        logs=tuple(_logs(point)),
        devices=tuple(_devices(point)),
        reasons=(),
        notes=(),
    )
    for law, found, bound in _identities(point, result):
        if not found <= bound * (1 + SETTLED) + 1e-12:
            raise LawError(f"{law}: {found:.9g} against {bound:.9g}")
    return replace(result, reasons=reasons(result), notes=notes(result, point.exact, point.software.exact))


def _work(point: Point) -> Iterator[WorkResult]:
    taken, rate = point.layout, point.software.rate
    for w, work in enumerate(taken.system.work):
        split: dict[str, float] = {}
        cpu = ziip = wait = 0.0
        for i, (task, each) in enumerate(zip(taken.tasks, point.times, strict=True)):
            if task.work != w:
                continue
            cpu += task.visits * each.cpu
            ziip += task.visits * each.ziip_cpu
            outside = gates.waits(taken, point.state, i)
            wait += task.visits * outside
            region = taken.region_of(task)
            for center, time in {**queue_times(point, i), f"{region.name} limits": outside}.items():
                if time > NOISE:
                    split[center] = split.get(center, 0.0) + task.visits * time
        response = float(point.response[w])
        yield WorkResult(work.name, float(rate[w]), response, cpu, ziip, _noise_off(wait), split)


def _lpars(point: Point) -> Iterator[LparResult]:
    taken, state = point.layout, point.state
    eligible = hosts.ziip_loads(taken, point.times, point.software.rate)
    for place, item in enumerate(taken.system.lpars):
        mine = [j for j, source in enumerate(state.sources) if source.lpar == place]
        busy = float(sum(point.loads[j].sum() for j in mine))
        jobs = float(sum(point.loads[j].sum() * state["cpu"][j] for j in mine))
        kinds = {task.work for task in taken.tasks if task.lpar == place}
        etr = float(sum(point.software.rate[w] for w in kinds))
        engines = item.processors.engines
        cores = density = factor = nan
        if item.ziips is not None:
            cores, density, factor = hosts.ziip_report(taken, state, place, eligible[place], busy)
        yield LparResult(
            name=item.name,
            engines=engines,
            etr=etr,
            itr=etr / (busy / engines) if busy else nan,
            cpu_percent=100 * busy / engines,
            appl_percent=100 * busy,
            cp_stretch=jobs / busy if busy else nan,
            ziip_percent=100 * cores / item.ziips.cores if item.ziips else nan,
            appl_iip=100 * float(eligible[place].here) if item.ziips else nan,
            appl_iipcp=100 * float(eligible[place].all - eligible[place].here) if item.ziips else nan,
            thread_density=density,
            capacity_factor=factor,
        )


def _regions(point: Point) -> Iterator[RegionResult]:
    taken = point.layout
    inside = point.flow.inside
    for place, item in enumerate(taken.system.regions):
        tasks = taken.tasks_in(place)
        flow = {i: float(point.flow.tasks[i]) for i in tasks}
        found = next((g.admitted for g in point.gates if g.region == place and g.tranclass is None), None)
        closed_up = found is not None and found.full > gates.CHANCE
        yield RegionResult(
            name=item.name,
            lpar=item.lpar,
            etr=sum(flow.values()),
            appl_percent=100
            * (item.fixed_cpu + sum(flow[i] * (point.times[i].cpu - point.times[i].system_cpu) for i in tasks)),
            qr_percent=100 * sum(flow[i] * point.times[i].qr for i in tasks) if isinstance(item, CicsRegion) else nan,
            qr_cpu_percent=100 * sum(flow[i] * point.times[i].qr_cpu for i in tasks) if isinstance(item, CicsRegion) else nan,
            tasks=sum(flow[i] * float(inside[i]) for i in tasks),
            limit=item.limit,
            at_limit_percent=100 * found.full if found and closed_up else 0.0,
            waiting=_noise_off(found.number_outside) if found and closed_up else 0.0,
            waiting_95=found.outside_95 if found and closed_up else 0,
            fraction_delayed=_noise_off(found.delayed) if found and closed_up else 0.0,
            admission_wait=_noise_off(found.wait) if found and closed_up else 0.0,
        )


def _noise_off(value: float) -> float:
    """0 for what is left of a sum that should be 0."""
    return value if value > NOISE else 0.0


def _tranclasses(point: Point) -> Iterator[TranclassResult]:
    taken, inside = point.layout, point.flow.inside
    for found in point.gates:
        if found.tranclass is None:
            continue
        tasks = [i for i in taken.tasks_in(found.region) if taken.tasks[i].step.tranclass == found.tranclass]
        etr = float(sum(point.flow.tasks[i] for i in tasks))
        gate = found.admitted
        held = float(point.state["gate"][found.region] - 1) * point.state.scale
        yield TranclassResult(
            name=found.tranclass,
            region=taken.system.regions[found.region].name,
            etr=etr,
            tasks=sum(float(point.flow.tasks[i]) * (inside[i] + held) for i in tasks),
            limit=found.limit,
            at_limit_percent=100 * gate.full,
            waiting=_noise_off(gate.number_outside),
            waiting_95=gate.outside_95,
            fraction_delayed=_noise_off(gate.delayed),
            admission_wait=_noise_off(gate.wait),
        )


def _facilities(point: Point) -> Iterator[FacilityResult]:
    taken = point.layout
    sync, other = hosts.cf_loads(taken, point.times, point.software.rate)
    for place, item in enumerate(taken.system.coupling_facilities):
        requests = sum(count for (facility, _, _), (count, _) in _requests(point).items() if facility == place)
        busy = float(sync[place].sum() + other[place].sum())
        yield FacilityResult(item.name, item.processors, requests, 100 * busy / item.processors)


def _requests(point: Point) -> dict[tuple[int, str, int], tuple[float, bool]]:
    """Requests a second by facility, structure and LPAR, and whether they are synchronous."""
    found: dict[tuple[int, str, int], tuple[float, bool]] = {}
    for i, (task, each) in enumerate(zip(point.layout.tasks, point.times, strict=True)):
        for asked, kind in ((each.sync, True), (each.asynchronous, False)):
            for (place, name), count in asked.items():
                before = found.get((place, name, task.lpar), (0.0, kind))[0]
                found[place, name, task.lpar] = (before + float(point.flow.tasks[i]) * count, kind)
    return found


def _structures(point: Point) -> Iterator[StructureResult]:
    taken = point.layout
    for (place, name, lpar), (requests, sync) in sorted(_requests(point).items()):
        facility, structure = taken.system.coupling_facilities[place], taken.structures[name][1]
        flows = [
            (float(point.flow.tasks[i]) * (task.step.cf_requests or {}).get(name, 0.0), task.region)
            for i, task in enumerate(taken.tasks)
            if task.lpar == lpar
        ]
        time = sum(f * sync_time(taken, point.state, place, structure, r) for f, r in flows) / sum(f for f, _ in flows)
        cost = time if sync else facility.async_cpu / taken.system.lpars[lpar].processors.speed
        seen = time if sync else time + facility.async_delay
        kind = "sync" if sync else "async"
        yield StructureResult(
            name, facility.name, taken.system.lpars[lpar].name, requests, kind, 1e6 * seen, 100 * requests * cost
        )


def _logs(point: Point) -> Iterator[LogResult]:
    for item in point.layout.system.loggers:
        flow = point.flow.tasks
        size = sum(float(flow[i]) * (t.step.log_bytes or {}).get(item.name, 0.0) for i, t in enumerate(point.layout.tasks))
        written = size / 2**20
        yield LogResult(item.name, item.stripes, written, item.bandwidth, 100 * written / item.bandwidth)


def _devices(point: Point) -> Iterator[DeviceResult]:
    for item in point.layout.system.devices:
        flow = point.flow.tasks
        used = sum(float(flow[i]) * (t.step.devices or {}).get(item.name, 0.0) for i, t in enumerate(point.layout.tasks))
        yield DeviceResult(item.name, item.servers, used, 100 * used / item.servers if item.servers else nan)


def _identities(point: Point, result: SystemResult) -> Iterator[tuple[str, float, float]]:
    """What must hold: a name, and two figures of which the first is not above the second."""
    taken: Layout = point.layout
    for lpar in result.lpars:
        yield f"{lpar.name}: CPs busy", lpar.cpu_percent, 100.0
        place = [item.name for item in taken.system.lpars].index(lpar.name)
        captured = sum(r.appl_percent for r in result.regions if r.lpar == lpar.name)
        captured += 100 * taken.system.lpars[place].fixed_cpu
        captured += 100 * sum(
            float(point.flow.tasks[i]) * point.times[i].system_cpu for i, t in enumerate(taken.tasks) if t.lpar == place
        )
        yield (
            f"{lpar.name}: captured CPU against busy × engines",
            abs(captured - lpar.appl_percent),
            1e-6 * lpar.appl_percent,
        )
        ziips = taken.system.lpars[place].ziips
        if ziips is not None:
            done = lpar.ziip_percent * ziips.cores * lpar.capacity_factor if lpar.ziip_percent else 0.0
            yield f"{lpar.name}: zIIP busy × capacity factor against X·D", abs(done - lpar.appl_iip), 1e-6 * lpar.appl_iip
    for region in result.regions:
        yield f"{region.name}: QR TCB", 0.0 if np.isnan(region.qr_percent) else region.qr_percent, 100.0
        if region.at_limit_percent:
            yield f"{region.name}: tasks against the limit", region.tasks, float(region.limit)
    for facility in result.facilities:
        yield f"{facility.name}: engines busy", facility.busy_percent, 100.0
    for log in result.logs:
        yield f"{log.name}: bytes against bandwidth", log.mib_per_second, log.bandwidth
    for work, w in zip(result.work, taken.system.work, strict=True):
        yield (
            f"{work.name}: response time by center",
            abs(sum(work.split.values()) - work.response_time),
            1e-6 * work.response_time,
        )
        if w.users is not None:
            yield (
                f"{work.name}: users against X·(Z + R)",
                abs(work.etr * (w.think_time + work.response_time) - w.users),
                1e-6 * w.users,
            )
