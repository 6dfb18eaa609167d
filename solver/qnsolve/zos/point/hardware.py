"""Processors, zIIPs and coupling facilities at an operating point: how long work takes there, by what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, nan

import numpy as np

from qnsolve.errors import SaturatedError
from qnsolve.methods.layers.host_stretch import stretched
from qnsolve.methods.layers.shared_servers import FullError, shared
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Layout

from .overflow_chain import Overflow, overflow
from .state import State
from .task_times import Times


def cp_loads(layout: Layout, state: State, tasks: Sequence[Times], rate: Array) -> Array:
    """Engines that each source asks for, by work, fixed CPU last, (J, W + 1)."""
    system = layout.system
    found = np.zeros((len(state.sources), len(system.work) + 1))
    for task, each in zip(layout.tasks, tasks, strict=True):
        flow = rate[task.work] * task.visits
        closed = layout.work_of(task).users is not None
        found[state.beside(task.lpar, layout.region_of(task).importance, closed), task.work] += flow * each.other_cpu
        if each.qr_cpu:
            found[state.tcb(task.lpar, task.region, "qr"), task.work] += flow * each.qr_cpu
        if each.ro_cpu:
            found[state.tcb(task.lpar, task.region, "ro"), task.work] += flow * each.ro_cpu
    for region in system.regions:
        if region.fixed_cpu:
            lpar = next(i for i, item in enumerate(system.lpars) if item.name == region.lpar)
            found[state.beside(lpar, region.importance, False), -1] += region.fixed_cpu
    for place, item in enumerate(system.lpars):
        if item.fixed_cpu:
            found[state.beside(place, 1, False), -1] += item.fixed_cpu
    return found


def cp_stretch(layout: Layout, state: State, by_work: Array) -> Array:
    """Time over demand of each source at the CPs of its LPAR, (J,).

    With dispatching priorities, the work down to each importance is what it would be without
    those below; what that leaves of its jobs for the importance itself is its own.
    """
    loads = by_work.sum(axis=1)
    found = np.ones(len(loads))
    users = np.array([w.users or inf for w in layout.system.work] + [inf])
    for place, item in enumerate(layout.system.lpars):
        speeds = item.processors.speeds()
        mine = [j for j, source in enumerate(state.sources) if source.lpar == place and loads[j] > 0]
        before = 0.0  # jobs of higher importance
        for level in sorted({state.sources[j].importance for j in mine}):
            some = [j for j in mine if state.sources[j].importance <= level]
            jobs, times = [state.sources[j].jobs for j in some], [float(state["cpu"][j]) for j in some]
            try:
                stretch = stretched(by_work[some], jobs, times, speeds, users)
            except FullError as error:
                raise saturated(f"{item.name} CPs", error.load) from None
            own = [i for i, j in enumerate(some) if state.sources[j].importance == level]
            present = [stretch[i] * loads[j] for i, j in enumerate(some)]
            share = (sum(present) - before) / sum(present[i] for i in own)
            before = sum(present)
            for i in own:
                found[some[i]] = max(stretch[i] * share, 1.0)
    return found


def saturated(name: str, load: float) -> SaturatedError:
    """The error of a saturated center."""
    repair = f"the work with a rate must come at less than {100 / load:.4g} % of it, or the center must grow"
    return SaturatedError(name, load, 1 / load, repair)


@dataclass
class Eligible:
    """Work that may run on the zIIPs of an LPAR.

    Attributes
    ----------
    here : float
        At the zIIPs [cores of one thread].
    stream, closed : float
        All of it, of work with a rate and of users [cores of one thread].
    users : float
        Units of users' work that can be there at once.
    """

    here: float = 0.0
    stream: float = 0.0
    closed: float = 0.0
    users: float = 0.0

    @property
    def all(self) -> float:
        """All of it [cores of one thread]."""
        return self.stream + self.closed


def ziip_loads(layout: Layout, tasks: Sequence[Times], rate: Array) -> list[Eligible]:
    """Eligible work by LPAR."""
    found = [Eligible() for _ in layout.system.lpars]
    for task, each in zip(layout.tasks, tasks, strict=True):
        ziips = layout.lpar_of(task).ziips
        step, users = task.step, layout.work_of(task).users
        time = step.ziip_share * (step.open_cpu + step.jvm_cpu + step.cpu)
        if ziips is None or time == 0:
            continue
        mine, flow = found[task.lpar], rate[task.work] * task.visits
        mine.here += flow * each.ziip_cpu
        if users is None:
            mine.stream += flow * time / ziips.speed
        else:
            mine.closed += flow * time / ziips.speed
            mine.users += min(users, layout.region_of(task).limit)
    return found


def ziip_overflow(layout: Layout, place: int, work: Eligible, on_cps: float) -> Overflow:
    """The zIIPs of an LPAR whose work goes to CPs when they are full; `on_cps` engines are required in all."""
    item = layout.system.lpars[place]
    assert item.ziips is not None
    engines, speeds = item.processors.engines, item.ziips.speeds()
    over = (work.all - work.here) * item.ziips.speed / item.processors.speed
    beside = min(max(on_cps - over, 0.0), 0.999 * engines)
    return overflow(work.stream, work.closed, work.users, over, beside, speeds, engines)


def cf_loads(layout: Layout, tasks: Sequence[Times], rate: Array) -> tuple[Array, Array]:
    """By coupling facility and region: engines required by synchronous and by asynchronous requests."""
    shape = (len(layout.system.coupling_facilities), len(layout.system.regions))
    sync, other = np.zeros(shape), np.zeros(shape)
    for task, each in zip(layout.tasks, tasks, strict=True):
        flow = rate[task.work] * task.visits
        for asked, into in ((each.sync, sync), (each.asynchronous, other)):
            for (place, name), count in asked.items():
                into[place, task.region] += flow * count * layout.structures[name][1].service_time
    return sync, other


def check_facilities(layout: Layout, tasks: Sequence[Times], rate: Array) -> None:
    """No work with a rate may ask a coupling facility for more than its engines can do."""
    streams = np.array([0.0 if w.rate is None else r for w, r in zip(layout.system.work, rate, strict=True)])
    sync, other = cf_loads(layout, tasks, streams)
    for place, facility in enumerate(layout.system.coupling_facilities):
        load = float(sync[place].sum() + other[place].sum()) / facility.processors
        if load >= 1:
            raise saturated(facility.name, load)


def senders_of(layout: Layout, region: int) -> float:
    """Tasks of a region that can have a request under way at once, none of them at its QR TCB."""
    users = sum(float(layout.work_of(t).users or inf) for t in layout.tasks if t.region == region)
    return min(users, float(layout.system.regions[region].limit)) if users < inf else inf


def cf_stretch(layout: Layout, state: State, sync: Array, other: Array) -> Array:
    """Time over service time of a request, by coupling facility and region.

    A QR TCB has a synchronous request under way at once, and an LPAR no more than it has engines.
    """
    found = np.ones(sync.shape)
    open_ended = [
        sum(layout.work_of(t).users or inf for t in layout.tasks if t.region == r and t.step.requests_from != "qr")
        for r in range(sync.shape[1])
    ]
    for place, facility in enumerate(layout.system.coupling_facilities):
        if sync[place].sum() + other[place].sum() == 0:
            continue
        groups: list[list[int]] = []
        jobs: list[float] = []
        for lpar in layout.system.lpars:
            mine = [r for r, item in enumerate(layout.system.regions) if item.lpar == lpar.name and sync[place, r] > 0]
            senders = [max(open_ended[r], 1.0) for r in mine]
            engines = float(ceil(lpar.processors.engines))
            groups += [[r] for r in mine] if sum(senders) <= engines else [mine]
            jobs += senders if sum(senders) <= engines else [engines]
        loads = [float(sync[place, group].sum()) for group in groups]
        stretch = [
            float(sync[place, group] @ state["cf"][place, group]) / load for group, load in zip(groups, loads, strict=True)
        ]
        speeds = np.arange(1.0, facility.processors + 1)
        behind = float(other[place].sum())
        loads.append(behind)
        jobs.append(sum(senders_of(layout, int(r)) for r in np.flatnonzero(other[place])) or inf)
        stretch.append(float(other[place] @ state["cf"][place]) / behind if behind else 1.0)
        try:
            result = shared(loads, jobs, stretch, speeds).stretch
        except FullError as error:
            raise saturated(facility.name, error.load) from None
        found[place] = result[-1]
        for i, group in enumerate(groups):  # the last is of asynchronous requests
            found[place, group] = result[i]
    return found


def ziip_stretch(
    layout: Layout, state: State, tasks: Sequence[Times], rate: Array, busy: Array
) -> tuple[Array, Array, Array, Array]:
    """By LPAR: time over demand of eligible work at zIIPs, the share of it that overflows to CPs, and how long it is there.

    The last two are the time of such work at CPs over that of other work, and the latter's over what it were without bursts.
    """
    loads = ziip_loads(layout, tasks, rate)
    stretch, share, longer, usual = np.ones(len(loads)), np.zeros(len(loads)), np.ones(len(loads)), np.ones(len(loads))
    for place, (item, work) in enumerate(zip(layout.system.lpars, loads, strict=True)):
        if item.ziips is None or work.all == 0:
            continue
        speeds = item.ziips.speeds()
        if item.ziips.overflow:
            found = ziip_overflow(layout, place, work, float(busy[place]))
            share[place], longer[place], usual[place] = found.share, found.over / found.other, found.other
            running = np.arange(1, len(found.chance))
            stretch[place] = float(found.chance[1:] @ running) / float(found.chance[1:] @ speeds)
        else:
            try:
                jobs = inf if work.stream else work.users
                stretch[place] = shared([work.here], [jobs], [state["ziip"][place]], speeds).stretch[0]
            except FullError as error:
                raise saturated(f"{item.name} zIIPs", error.load) from None
    return stretch, share, longer, usual


def ziip_report(layout: Layout, state: State, place: int, work: Eligible, busy: float) -> tuple[float, float, float]:
    """Cores busy, threads at work in a busy core, and its work over that of one thread."""
    ziips = layout.system.lpars[place].ziips
    if ziips is None or work.here == 0:
        return 0.0, nan, nan
    speeds, cores = ziips.speeds(), ziips.busy_cores()
    if ziips.overflow:
        chance = ziip_overflow(layout, place, work, busy).chance[1:]
        chance = chance * (work.here / float(chance @ speeds))  # 1, but where users are never away
    else:
        jobs = inf if work.stream else work.users
        chance = shared([work.here], [jobs], [state["ziip"][place]], speeds).chance
        chance = np.append(chance[1:], 1 - chance.sum())
    running = np.arange(1.0, len(speeds) + 1)
    busy = float(chance @ cores)
    return busy, float(chance @ running) / busy, float(chance @ speeds) / busy
