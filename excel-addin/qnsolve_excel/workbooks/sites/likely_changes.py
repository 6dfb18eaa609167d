"""Changes to try first: more of each center that fills up soonest, as a planner would type them."""

from __future__ import annotations

from qnsolve import zos
from qnsolve.planning.study import Study

CENTERS = 3  # that fill up first
MORE = 1.5  # times a limit


def likely_changes(study: Study) -> list[str]:
    """A change for each of the centers that limit the growth first, and for what they wait for; none is solved here."""
    waits = study.verdict.waits_for
    first = [use.name for use in study.centers if use.limits and use.full_in][:CENTERS]
    names = dict.fromkeys([*first[:1], *([waits] if waits else []), *first[1:]])
    found = [_change(study.system, name) for name in names]
    return [text for text in dict.fromkeys(found) if text][:CENTERS]


def _change(system: zos.System, center: str) -> str:
    """More of a center, "" where that is not one change."""
    for items, key in ((system.loggers, "stripes"), (system.coupling_facilities, "processors"), (system.devices, "servers")):
        if any(item.name == center for item in items):
            return f"{center}.{key}+1"
    for lpar in system.lpars:
        if center == f"{lpar.name} CPs":
            return f"{lpar.name}.engines+1"
        if center == f"{lpar.name} zIIPs":
            return f"{lpar.name}.cores+1"
    regions = [region for region in system.regions if center == region.name or _named(center, region.name)]
    if not regions:
        return ""
    first, label = regions[0], ", ".join(region.name for region in regions)
    if center == f"{label} QR TCB":
        return ", ".join(f"{region.name}.split=2" for region in regions)
    if center == f"{label} {first.limit_name}":
        key = "mxt" if first.limit_name == "MXT" else "regions"
        return ", ".join(f"{region.name}.{key}={round(first.limit * MORE)}" for region in regions)
    for name, most in (first.tranclasses or {}).items():
        if center == f"{label} TRANCLASS {name}":
            return ", ".join(f"{region.name}.tranclasses.{name}={round(most * MORE)}" for region in regions)
    return ""


def _named(center: str, region: str) -> bool:
    """Whether the name of a center begins with that of a region, or with several of them and it is one."""
    return any(part == region or part.startswith(f"{region} ") for part in center.split(", "))
