"""The parts of a system and where its work goes, as a page draws them: equal regions are one."""

from __future__ import annotations

from typing import Any

from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.parts.system import SystemParts
from qnsolve.zos.parts.work import Step
from qnsolve.zos.report.equal_regions import declared_equal


def drawing(system: SystemParts) -> dict[str, Any]:
    """LPARs with their regions, what they share, and the way of each work.

    Parameters
    ----------
    system : SystemParts

    Returns
    -------
    dict
        `lpars`, `facilities`, `loggers`, `devices`, `work`; centers have the names that a study gives them.
    """
    labels = declared_equal(system)
    return {
        "lpars": [_lpar(system, place, labels) for place in range(len(system.lpars))],
        "facilities": [{"name": each.name, "engines": each.processors} for each in system.coupling_facilities],
        "loggers": [{"name": each.name, "stripes": each.stripes} for each in system.loggers],
        "devices": [{"name": each.name, "servers": each.servers} for each in system.devices],
        "work": [
            {
                "name": each.name,
                "rate": each.rate,
                "users": each.users,
                "way": [_stop(step, labels) for step in each.steps],
            }
            for each in system.work
        ],
    }


def _lpar(system: SystemParts, place: int, labels: dict[str, str]) -> dict[str, Any]:
    lpar = system.lpars[place]
    groups: dict[str, dict[str, Any]] = {}
    for region in system.regions:
        if region.lpar != lpar.name:
            continue
        label = labels[region.name]
        if label in groups:
            groups[label]["names"].append(region.name)
            continue
        groups[label] = {
            "label": label,
            "names": [region.name],
            "kind": "CICS" if isinstance(region, CicsRegion) else "IMS",
            "limit_name": region.limit_name,
            "limit": region.limit,
            "tranclasses": dict(region.tranclasses or {}),
            "thread_limit": region.thread_limit if isinstance(region, CicsRegion) else None,
        }
    ziips = lpar.ziips
    return {
        "name": lpar.name,
        "engines": lpar.processors.engines,
        "ziips": None if ziips is None else {"cores": ziips.cores, "threads": ziips.threads},
        "groups": list(groups.values()),
    }


def _stop(step: Step, labels: dict[str, str]) -> dict[str, Any]:
    """Where a step runs, and what it asks of others."""
    others = [*(step.cf_requests or {}), *(step.log_bytes or {}), *(step.devices or {})]
    return {"regions": list(dict.fromkeys(labels[name] for name in step.regions)), "uses": others}
