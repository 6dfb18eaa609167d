"""The figures of the reports, read off an operating point, and the identities that they must keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import nan

import numpy as np

from qnsolve.errors import LawError
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.around.surroundings import eligible_work, facility_loads, request_times, ziip_report
from qnsolve.zos.hosts.chains.clocked import in_ticks
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.point.center_times import LimitFigures, center_times, limit_figures
from qnsolve.zos.point.solved import SolvedPoint

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
from .reasons import UNSETTLED, notes
from .stated_error import stated_errors
from .system_result import SystemResult

NOISE = 1e-12  # waits in seconds, shares and queue lengths below it are rounding
DROPPED = 20  # centers of a work whose times are left out of its split as such, at most
SETTLED = 1e-6  # relative violation of an identity that an iteration may leave


def answer(point: SolvedPoint) -> SystemResult:
    """The figures of a system, checked."""
    result = SystemResult(
        system=point.work.form.system,
        work=tuple(_work(point)),
        lpars=tuple(_lpars(point)),
        regions=tuple(_regions(point)),
        tranclasses=tuple(_tranclasses(point)),
        facilities=tuple(_facilities(point)),
        structures=tuple(_structures(point)),
        logs=tuple(_logs(point)),
        devices=tuple(_devices(point)),
        notes=(),
    )
    for law, found, bound in _identities(point, result):
        if not found <= bound * (1 + SETTLED) + 1e-12:
            raise LawError(f"{law}: {found:.9g} against {bound:.9g}")
    errors = stated_errors(point, result)
    work = tuple(replace(item, response_error=error) for item, error in zip(result.work, errors, strict=True))
    result = replace(result, work=work)
    unsettled = () if point.work.settled else (UNSETTLED,)
    return replace(result, notes=notes(result, point.exact, point.queues) + unsettled)


def _noise_off(value: float) -> float:
    """0 for what is left of a sum that should be 0."""
    return float(value) if value > NOISE else 0.0


def split_of(point: SolvedPoint, w: int) -> dict[str, float]:
    """Response time of a work by center [s]."""
    form, found = point.work.form, dict[str, float]()
    for t in np.flatnonzero(form.work == w).tolist():
        for center, time in center_times(point.work, t).items():
            if time > NOISE:
                found[center] = found.get(center, 0.0) + float(form.visits[t]) * time
    return found


def _work(point: SolvedPoint) -> Iterator[WorkResult]:
    work = point.work
    form, ask, response = work.form, work.ask, work.response
    wait = work.admission
    for w, item in enumerate(form.system.work):
        mine = np.flatnonzero(form.work == w)
        visits = form.visits[mine]
        cpu, ziip = float(visits @ ask.on_cps[mine]), float(visits @ ask.ziip_work[mine])
        outside = _noise_off(float(visits @ wait[mine]))
        yield WorkResult(item.name, float(work.rate[w]), float(response[w]), cpu, ziip, outside, split_of(point, w))


def _lpars(point: SolvedPoint) -> Iterator[LparResult]:
    work = point.work
    form, ask, flow = work.form, work.ask, work.flow
    for host, item in enumerate(form.system.lpars):
        here = form.host == host
        fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum())
        busy = float(flow @ (ask.on_cps * here)) + fixed
        engines = item.processors.engines
        etr = float(work.rate[np.unique(form.work[here])].sum())
        eligible = eligible_work(work, host)
        cores = density = factor = nan
        if item.ziips is not None:
            cores, density, factor = ziip_report(work, host)
        yield LparResult(
            name=item.name,
            engines=engines,
            etr=etr,
            itr=etr / (busy / engines) if busy else nan,
            cpu_percent=100 * busy / engines,
            appl_percent=100 * busy,
            cp_stretch=_cp_stretch(point, host, busy, fixed),
            ziip_percent=100 * cores / item.ziips.cores if item.ziips else nan,
            appl_iip=100 * eligible.here if item.ziips else nan,
            appl_iipcp=100 * max(eligible.all - eligible.here, 0.0) if item.ziips else nan,
            thread_density=density,
            capacity_factor=factor,
        )


def _cp_stretch(point: SolvedPoint, host: int, busy: float, fixed: float) -> float:
    """Units of work at the CPs, those on a TCB that is dispatched, over the engines that they use."""
    work = point.work
    if busy <= 0:
        return nan
    form, ask, flow = work.form, work.ask, work.flow
    here = form.host == host
    free = work.hosts[host].free if host < len(work.hosts) else 1.0
    columns = {Pool.QR: ask.qr, Pool.RO: ask.ro}
    there = free * (float(flow @ ((ask.cpu + ask.threads) * here)) + fixed)
    for kind, column in columns.items():
        for pool in np.flatnonzero(form.pool_kind == kind):
            used = float(flow @ (column * here * (form.region == form.pool_region[pool])))
            there += used * work.service.get(int(pool), 1.0)
    return max(there / busy, 1.0)


def _limit(point: SolvedPoint, pool: int) -> LimitFigures:
    tasks = np.array([t for t, held in enumerate(point.work.need.limits) if pool in held], dtype=int)
    return limit_figures(point.work, pool, tasks)


def _regions(point: SolvedPoint) -> Iterator[RegionResult]:
    work = point.work
    form, ask, flow = work.form, work.ask, work.flow
    system_cpu = _system_cpu(point)
    for place, item in enumerate(form.system.regions):
        here = form.region == place
        found = _limit(point, work.limit_pool(place))
        qr = qr_cpu = nan
        if isinstance(item, CicsRegion):
            pools = np.flatnonzero((form.pool_kind == Pool.QR) & (form.pool_region == place))
            qr_cpu = 100 * float(flow @ (ask.qr * here))
            qr = min(qr_cpu * work.service.get(int(pools[0]), 1.0), 100.0) if qr_cpu <= 100 else qr_cpu
        yield RegionResult(
            name=item.name,
            lpar=item.lpar,
            etr=found.etr,
            appl_percent=100 * (item.fixed_cpu + float(flow @ ((ask.on_cps - system_cpu) * here))),
            qr_percent=qr,
            qr_cpu_percent=qr_cpu,
            tasks=found.tasks,
            limit=item.limit,
            at_limit_percent=100 * _noise_off(found.full),
            waiting=_noise_off(found.waiting),
            waiting_95=_noise_off(found.waiting_95),
            fraction_delayed=_noise_off(found.delayed),
            admission_wait=_noise_off(found.wait),
        )


def _system_cpu(point: SolvedPoint) -> Array:
    """CPU of each task outside its region (T,) [s]."""
    form = point.work.form
    slower = form.slower * point.work.around.growth
    return np.array([task.step.system_cpu * slower[task.lpar] for task in form.layout.tasks])


def _tranclasses(point: SolvedPoint) -> Iterator[TranclassResult]:
    form = point.work.form
    pools = np.flatnonzero(form.pool_kind == Pool.TRANCLASS)
    names = [
        (i, name, size) for i, region in enumerate(form.system.regions) for name, size in (region.tranclasses or {}).items()
    ]
    for pool, (region, name, size) in zip(pools, names, strict=True):
        found = _limit(point, int(pool))
        if found.etr <= 0:
            continue
        yield TranclassResult(
            name=name,
            region=form.system.regions[region].name,
            etr=found.etr,
            tasks=found.tasks,
            limit=int(size),
            at_limit_percent=100 * _noise_off(found.full),
            waiting=_noise_off(found.waiting),
            waiting_95=_noise_off(found.waiting_95),
            fraction_delayed=_noise_off(found.delayed),
            admission_wait=_noise_off(found.wait),
        )


def _requests(point: SolvedPoint) -> dict[tuple[int, str, int], float]:
    """Requests a second by facility, structure and LPAR."""
    found: dict[tuple[int, str, int], float] = {}
    taken = point.work.form.layout
    for task, flow in zip(taken.tasks, point.work.flow, strict=True):
        for place, _, structure, count in taken.requests(task):
            key = place, structure.name, task.lpar
            found[key] = found.get(key, 0.0) + float(flow) * count
    return found


def _facilities(point: SolvedPoint) -> Iterator[FacilityResult]:
    sync, other = facility_loads(point.work)
    requests = _requests(point)
    for place, item in enumerate(point.work.form.system.coupling_facilities):
        coming = sum(count for (facility, _, _), count in requests.items() if facility == place)
        busy = float(sync[place].sum() + other[place].sum())
        yield FacilityResult(item.name, item.processors, coming, 100 * busy / item.processors)


def _structures(point: SolvedPoint) -> Iterator[StructureResult]:
    taken, times = point.work.form.layout, request_times(point.work)
    for (place, name, lpar), requests in sorted(_requests(point).items()):
        if requests <= 0:
            continue
        facility, home, time = taken.system.coupling_facilities[place], taken.system.lpars[lpar], times[place, name, lpar]
        sync = (place, name, lpar) not in point.converted
        cost = time if sync else facility.async_cpu / home.processors.speed
        seen = time if sync else time + facility.async_delay
        kind = "sync" if sync else "async"
        yield StructureResult(name, facility.name, home.name, requests, kind, 1e6 * seen, 100 * requests * cost)


def _asked(point: SolvedPoint, field: str, name: str) -> float:
    """What all tasks ask of a log or device [1/s]."""
    tasks = point.work.form.layout.tasks
    asked = (
        float(flow) * (getattr(task.step, field) or {}).get(name, 0.0)
        for task, flow in zip(tasks, point.work.flow, strict=True)
    )
    return sum(asked)


def _logs(point: SolvedPoint) -> Iterator[LogResult]:
    for item in point.work.form.system.loggers:
        written = _asked(point, "log_bytes", item.name) / 2**20
        yield LogResult(item.name, item.stripes, written, item.bandwidth, 100 * written / item.bandwidth)


def _devices(point: SolvedPoint) -> Iterator[DeviceResult]:
    for item in point.work.form.system.devices:
        used = _asked(point, "devices", item.name)
        yield DeviceResult(item.name, item.servers, used, 100 * used / item.servers if item.servers else nan)


def _identities(point: SolvedPoint, result: SystemResult) -> Iterator[tuple[str, float, float]]:
    """What must hold: a name, and two figures of which the first is not above the second."""
    system = point.work.form.system
    outside = point.work.flow * _system_cpu(point)
    for place, lpar in enumerate(result.lpars):
        yield f"{lpar.name}: CPs busy", lpar.cpu_percent, 100.0
        captured = sum(r.appl_percent for r in result.regions if r.lpar == lpar.name)
        captured += 100 * system.lpars[place].fixed_cpu
        captured += 100 * float(outside[point.work.form.host == place].sum())
        off = abs(captured - lpar.appl_percent)
        yield f"{lpar.name}: captured CPU against busy × engines", off, 1e-6 * lpar.appl_percent
        ziips = system.lpars[place].ziips
        if ziips is not None:
            done = lpar.ziip_percent * ziips.cores * lpar.capacity_factor if lpar.ziip_percent else 0.0
            yield f"{lpar.name}: zIIP busy × capacity factor against X·D", abs(done - lpar.appl_iip), 1e-6 * lpar.appl_iip
            if not ziips.overflow:
                yield f"{lpar.name}: zIIPs busy", lpar.appl_iip, 100 * float(ziips.speeds()[-1])
    for region in result.regions:
        yield f"{region.name}: QR TCB", 0.0 if np.isnan(region.qr_percent) else region.qr_percent, 100.0
        yield f"{region.name}: tasks against the limit", region.tasks, float(region.limit)
    for facility in result.facilities:
        yield f"{facility.name}: engines busy", facility.busy_percent, 100.0
    for log in result.logs:
        yield f"{log.name}: bytes against bandwidth", log.mib_per_second, log.bandwidth
    for work, w in zip(result.work, system.work, strict=True):
        off = abs(sum(work.split.values()) - work.response_time)
        yield f"{work.name}: response time by center", off, 1e-6 * work.response_time + DROPPED * NOISE
        if w.users is not None:
            cycle = w.think_time + float(in_ticks(np.array([work.response_time]), np.array([w.tick]))[0])
            off = abs(work.etr * cycle - w.users)
            yield f"{work.name}: users against X·(Z + R)", off, 1e-6 * w.users
