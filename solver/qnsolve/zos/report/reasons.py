"""Why: what fills up first, what a transaction waits for, and what the figures rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite, isnan

from qnsolve.results.digits import percent, short, time
from qnsolve.results.sentences import be
from qnsolve.zos.parts.facilities import PUBLISHED
from qnsolve.zos.point.capacity import Capacity

from .equal_regions import equal_regions, of_group
from .figures import SystemFigures, WorkResult
from .system_tables import split_by_group

BOUNDS = (
    "bounds: nothing waits, so response times are at least and throughputs of a single work at most these; works of users "
    "that share a full center give way in proportion, and wait before their regions"
)
ERROR = (
    "approximate: a response time may be off by what stands behind its ±: 95 of 100 errors were within it, measured against "
    "simulation on systems as full as this one"
)
UNSETTLED = "not settled: the rounds of processors and limits still changed at their end; more may be off than is stated"


def centers(result: SystemFigures) -> Iterator[tuple[str, float]]:
    """Every center that can fill up, and the share of it that is used [0..1]."""
    for lpar in result.lpars:
        yield f"{lpar.name} CPs", lpar.cpu_percent / 100
        ziips = next(item for item in result.system.lpars if item.name == lpar.name).ziips
        if ziips is not None and not ziips.overflow and not isnan(lpar.appl_iip):
            yield f"{lpar.name} zIIPs", lpar.appl_iip / 100 / float(ziips.speeds()[-1])
    for region in result.regions:
        if not isnan(region.qr_percent):
            yield f"{region.name} QR TCB", region.qr_percent / 100
        yield f"{region.name} {limit_word(result, region.name)}", region.tasks / region.limit
    for tranclass in result.tranclasses:
        yield f"{tranclass.region} TRANCLASS {tranclass.name}", tranclass.tasks / tranclass.limit
    for facility in result.facilities:
        yield facility.name, facility.busy_percent / 100
    for log in result.logs:
        yield log.name, log.busy_percent / 100
    for device in result.devices:
        if not isnan(device.busy_percent):
            yield device.name, device.busy_percent / 100


def limit_word(result: SystemFigures, region: str) -> str:
    """What a region calls its limit."""
    return next(item.limit_name for item in result.system.regions if item.name == region)


def reasons(result: SystemFigures, held: Capacity) -> tuple[str, ...]:
    """A line a work, and one on what fills up first."""
    labels = equal_regions(result)
    found = [_of_work(work, labels) for work in result.work]
    if isfinite(held.factor):
        found.append(f"first to fill up: {of_group(held.center, labels)}: holds {short(held.factor)} times this work")
        return tuple(found)
    name, used = max(centers(result), key=lambda item: item[1], default=("", 0.0))
    name = of_group(name, labels)
    if used > 1 - 1e-4:
        found.append(f"{name} {be(name)} full: more users only wait longer")
    elif used > 0:
        found.append(f"first to fill up: {name}, {percent(100 * used)} % used: users only wait longer")
    return tuple(found)


def _of_work(work: WorkResult, labels: Mapping[str, str]) -> str:
    split = split_by_group(work, labels)
    center = max(split, key=lambda name: split[name])
    share = 100 * split[center] / work.response_time
    off = f" ± {short(100 * work.response_error, 2)} %" if work.response_error > 0 else ""
    said = f"{work.name}: ETR {short(work.etr)}/s, response time {time(work.response_time)}{off}"
    return f"{said}, {percent(share)} % of it at {center}"


def notes(result: SystemFigures, exact: bool, queues: bool = True) -> tuple[str, ...]:
    """What a reader must know."""
    found = []
    if not queues:
        found.append(BOUNDS)
    elif exact:
        found.append("few users: solved by the Markov chain of its network, exactly")
    else:
        found.append(ERROR)
    for region in result.system.regions:
        for name, active in (region.tranclasses or {}).items():
            if active > region.limit:
                found.append(
                    f"{region.name}: TRANCLASS {name} allows {active:.0f} tasks, {region.limit_name} only {region.limit}"
                )
    for facility in result.system.coupling_facilities:
        if facility.service_time is None and not facility.structures:
            found.append(
                f"{facility.name}: no service time given, {1e6 * PUBLISHED:g} µs taken, a published read on an internal one"
            )
    for structure in result.structures:
        if structure.kind == "async":
            found.append(
                f"{structure.name}: requests of {structure.lpar} are asynchronous: they would take longer than its threshold"
            )
    for lpar in result.lpars:
        if lpar.appl_iipcp > 0.5:
            found.append(f"{lpar.name}: {percent(lpar.appl_iipcp)} % of an engine of zIIP-eligible work runs on CPs")
    return tuple(found)
