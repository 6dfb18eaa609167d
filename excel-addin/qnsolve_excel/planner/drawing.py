"""A system as boxes and lines: work, regions in the order of the steps, what they wait for; equal regions are one box."""

from __future__ import annotations

from typing import Any

from qnsolve.zos import System
from qnsolve.zos.parts.regions import ImsRegions
from qnsolve.zos.report.equal_regions import equal_regions


def drawing_of(system: System) -> dict[str, Any]:
    """The boxes and lines of a system.

    Returns
    -------
    dict
        `nodes`: name, kind, column from the left, path of the part in the file; `links`: names of the two ends; `columns`.
    """
    labels = equal_regions(system)
    depth: dict[str, int] = {}
    links: dict[tuple[str, str], None] = {}
    for work in system.work:
        before = {work.name}
        for place, step in enumerate(work.steps, start=1):
            here = {labels[name] for name in step.regions}
            for label in here:
                depth[label] = max(depth.get(label, 0), place)
            links |= {(one, other): None for one in sorted(before) for other in sorted(here) if one != other}
            used = [*(step.cf_requests or {}), *(step.log_bytes or {}), *(step.devices or {})]
            owners = {structure.name: each.name for each in system.coupling_facilities for structure in each.structures}
            links |= {(label, owners.get(name, name)): None for label in sorted(here) for name in used}
            before = here
    last = max(depth.values(), default=1) + 1
    nodes: list[dict[str, Any]] = [_node(work.name, "work", 0, ["work", place]) for place, work in enumerate(system.work)]
    for place, region in enumerate(system.regions):
        label = labels[region.name]
        if label not in depth or any(node["name"] == label for node in nodes):
            continue
        kind = "IMS regions" if isinstance(region, ImsRegions) else "CICS region"
        nodes.append({**_node(label, kind, depth[label], ["regions", place]), "lpar": region.lpar})
        links[(label, region.lpar)] = None
    nodes += [_node(each.name, "LPAR", last, ["lpars", place]) for place, each in enumerate(system.lpars)]
    for part, kind in (("coupling_facilities", "coupling facility"), ("loggers", "log"), ("devices", "device")):
        nodes += [_node(each.name, kind, last, [part, place]) for place, each in enumerate(getattr(system, part))]
    known = {node["name"] for node in nodes}
    ends = [list(link) for link in links if set(link) <= known]
    return {"nodes": nodes, "links": ends, "columns": last + 1}


def _node(name: str, kind: str, column: int, path: list[Any]) -> dict[str, Any]:
    return {"name": name, "kind": kind, "column": column, "path": path}
