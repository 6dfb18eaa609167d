"""A plain system as a network whose Markov chain is that of the system: TCBs, logs and devices only."""

from __future__ import annotations

import numpy as np

from qnsolve.model.admission_limit import AdmissionLimit
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue, Station
from qnsolve.numerics.series import Places

from .compiled import UNLIMITED, Compiled
from .needs import LIMITS, Needs


def plain_network(form: Compiled, need: Needs) -> Network | None:
    """The network; None where something has no station in a network."""
    if not _plain(form, need):
        return None
    slow, system = form.slower[form.host], form.system
    stations: dict[str, Station] = {}
    for host, item in enumerate(system.lpars):
        stations[cps(form, host)] = Queue(cps(form, host), servers=item.processors.engines)
    demands: list[dict[str, float]] = [{} for _ in form.rate]
    where: list[set[str]] = [set() for _ in form.work]
    for t, w in enumerate(form.work):
        on = cps(form, int(form.host[t]))
        region = system.regions[int(form.region[t])]
        parts: list[tuple[Station, float]] = [
            (Queue(f"{region.name} QR", on=on), need.qr[t] * slow[t]),
            (Queue(f"{region.name} TCBs", servers=region.limit, on=on), need.cpu[t] * slow[t]),
            (Delay(f"{region.name} waits"), need.delay[t]),
        ]
        for pool in np.flatnonzero(need.lines[t]):
            servers, name = int(form.pool_size[pool]), form.pool_name[pool]
            order = "ps" if _alike(need, int(pool)) else "fcfs"
            line = Delay(name) if servers == UNLIMITED else Queue(name, servers=servers, discipline=order)
            parts.append((line, need.lines[t, pool]))
        for station, time in parts:
            if time > 0:
                stations[station.name] = station
                demands[w][station.name] = demands[w].get(station.name, 0.0) + float(form.visits[t] * time)
                where[t].add(station.name)
    classes: list[JobClass] = [
        OpenClass(work.name, arrival_rate=work.rate, demands=asked)
        if work.rate is not None
        else ClosedClass(work.name, population=work.users or 0, think_time=work.think_time, demands=asked)
        for work, asked in zip(system.work, demands, strict=True)
    ]
    limits = _limits(form, need, where)
    if limits and len(np.unique(form.work)) < len(form.work):
        return None  # what a work waits outside is that of its only task
    return Network(list(stations.values()), classes, limits)


def cps(form: Compiled, host: int) -> str:
    """Name of the station that the CPs of an LPAR are."""
    return f"{form.system.lpars[host].name} CPs"


def _plain(form: Compiled, need: Needs) -> bool:
    """TCBs, logs and devices: nothing else takes time, and nobody goes first."""
    kinds = ("ro", "threads", "ziip", "thread_ziip", "qr_fixed", "open_fixed", "qr_sync", "open_sync", "other")
    odd = (
        any(np.any(getattr(need, kind)) for kind in kinds)
        or bool(need.in_order.any())
        or bool((form.burst > 1).any() or form.tick.any())
    )
    grown = any(item.processors.grows for item in form.system.lpars)
    same = len({region.importance for region in form.system.regions}) == 1
    return same and not odd and not grown and not len(form.fixed)


def _alike(need: Needs, pool: int) -> bool:
    """Whether service at a log or device is as long for all, so that their order does not matter."""
    times = need.lines[:, pool]
    return bool(np.ptp(times[times > 0]) == 0)


def _limits(form: Compiled, need: Needs, where: list[set[str]]) -> list[AdmissionLimit]:
    """The limits that can be reached: their tasks are where they, or the tasks that they wait for, are."""
    calls: Places = need.calls > 0
    for t in range(len(where) - 1, -1, -1):
        for child in np.flatnonzero(calls[t]):
            where[t] |= where[child]
    found = []
    for pool in np.flatnonzero(np.isin(form.pool_kind, LIMITS)):
        tasks = [t for t, held in enumerate(need.limits) if pool in held]
        works = np.unique(form.work[tasks]) if tasks else np.zeros(0, dtype=int)
        size = int(form.pool_size[pool])
        if len(works) and np.where(form.users > 0, form.users, np.inf)[works].sum() > size:
            kinds = tuple(form.system.work[w].name for w in works)
            inside = tuple(sorted(set().union(*(where[t] for t in tasks))))
            found.append(AdmissionLimit(size, name=form.pool_name[pool], classes=kinds, stations=inside))
    return found
