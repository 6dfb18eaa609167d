"""Changes that may help: each engine, zIIP, region, stripe and limit that what ends the growth depends on."""

from __future__ import annotations

from collections.abc import Iterator

from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.solve_system import System

from .center_uses import ziip_use
from .load_points import LoadPoint, LoadPoints
from .study_figures import Verdict
from .what_ifs import WhatIf, what_if

USED = 0.6  # use of a center from which on more of it may help
FULL = 0.3  # use of a limit from which on a higher one may
SMT_GAIN = 1.25  # MAX CF that is taken for SMT mode 2; sites report 1.2 to 1.4
MORE = 1.5  # times a limit


def remedies_of(points: LoadPoints, good: LoadPoint, verdict: Verdict) -> tuple[WhatIf, ...]:
    """Changes to try for a system, from what is used at the last load that holds."""
    if good.point is None:
        return ()
    return tuple(dict.fromkeys(_remedies(points, good, verdict)))


def _remedies(points: LoadPoints, good: LoadPoint, verdict: Verdict) -> Iterator[WhatIf]:
    system = points.system
    used = {**good.used, **ziip_use(good)}
    for lpar in system.lpars:
        if used.get(f"{lpar.name} CPs", 0.0) > USED:
            engines = lpar.processors.engines
            yield _called(system, f"{lpar.name}: {engines + 1:g} CPs", f"{lpar.name}.engines+1")
        ziips = lpar.ziips
        if ziips is not None and used.get(f"{lpar.name} zIIPs", 0.0) > FULL:
            yield _called(system, f"{lpar.name}: {ziips.cores + 1} zIIPs", f"{lpar.name}.cores+1")
            if ziips.threads == 1 and used[f"{lpar.name} zIIPs"] > USED:
                text = f"{lpar.name}.threads=2, {lpar.name}.max_capacity_factor={SMT_GAIN}"
                remark = f"MAX CF {SMT_GAIN} is assumed: sites report 1.2 to 1.4"
                yield _called(system, f"{lpar.name}: zIIPs in SMT mode 2", text, remark)
    for label, names in _groups(points).items():
        first = next(each for each in system.regions if each.name == names[0])
        if isinstance(first, CicsRegion) and used.get(f"{first.name} QR TCB", 0.0) > USED:
            yield _called(system, f"{label}: each in two", ", ".join(f"{name}.split=2" for name in names))
        limit = f"{first.name} {first.limit_name}"
        if used.get(limit, 0.0) > FULL:
            key = "mxt" if isinstance(first, CicsRegion) else "regions"
            value = min(round(first.limit * MORE), 2000)
            yield _called(system, f"{label}: {first.limit_name} {value}", ", ".join(f"{name}.{key}={value}" for name in names))
        for tranclass, active in (first.tranclasses or {}).items():
            if used.get(f"{first.name} TRANCLASS {tranclass}", 0.0) > FULL:
                value = round(active * MORE)
                text = ", ".join(f"{name}.tranclasses.{tranclass}={value}" for name in names)
                yield _called(system, f"{label}: TRANCLASS {tranclass} {value}", text)
    for log in system.loggers:
        if used.get(log.name, 0.0) > USED:
            yield _called(system, f"{log.name}: {log.stripes + 1} stripes", f"{log.name}.stripes+1")
    for facility in system.coupling_facilities:
        if used.get(facility.name, 0.0) > USED:
            name = f"{facility.name}: {facility.processors + 1} engines"
            yield _called(system, name, f"{facility.name}.processors+1")
    for device in system.devices:
        if device.servers is not None and used.get(device.name, 0.0) > USED:
            yield _called(system, f"{device.name}: {device.servers + 1} servers", f"{device.name}.servers+1")


def _groups(points: LoadPoints) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, label in points.labels.items():
        found.setdefault(label, []).append(name)
    return found


def _called(system: System, name: str, text: str, remark: str = "") -> WhatIf:
    made = what_if(system, text)
    return WhatIf(name, made.changes, made.system, remark or made.remark)
