"""The simplest sketch for what was measured: open classes, or users that think, at resources whose utilization is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from qnsolve.errors import ModelError

from .known_servers import servers_of
from .measured_rows import MeasuredRows
from .sketch import FIT, MEASURED

THINKING, NOISE = 0.1, 0.05  # share of a cycle that counts as thinking; how far a time that is added may vary [of a cycle]
BASE = "base"  # a class for the use without work: one job a second
REST = "other time"  # a delay for what is not explained


def default_sketch(rows: MeasuredRows) -> dict[str, Any]:
    """Stations for the resources with a utilization, a class for each rate, one for use without work, a delay for the rest.

    Raises
    ------
    ModelError
        Where there are no rates, or no utilization.
    """
    resources = [name for name in rows.names("busy") if name]
    if rows.has("", "busy"):
        resources.append("")
    classes = rows.names("rate")
    ladders = [name for name in rows.names("users") if name in classes]
    if len(ladders) > 1 and not resources:
        rule = f"have {len(ladders)} ladders, {', '.join(ladders[:5])}{', ...' if len(ladders) > 5 else ''}: fit one at a time"
        raise ModelError("intervals", rule, f"read the file with --only {ladders[0]}")
    if not classes or not resources:
        rule = "must have rates of classes and the utilization of a resource, or a ladder of users and rates"
        have = ", ".join(sorted({each.title for each in rows.intervals.series})[:8])
        raise ModelError("intervals", rule, "name series orders.rate, cpu.busy, orders.users; or give a sketch", have)
    if any(not name for name in resources):
        raise ModelError("intervals", "must name the resource of each utilization", "name the series cpu.busy", "busy")
    stations: list[dict[str, Any]] = []
    for name in resources:
        count = servers_of(rows, name) or 1
        stations.append({"name": name, "type": "queue", **({"servers": count} if count > 1 else {})})
    waiting = [name for name in classes if rows.has(name, "response_time")]
    rest = _free(REST, [*classes, *resources])
    if waiting:
        stations.append({"name": rest, "type": "delay"})
    found: list[dict[str, Any]] = []
    for name in classes:
        demands: dict[str, str] = dict.fromkeys([*resources, *([rest] if name in waiting else [])], FIT)
        found.append({"name": name or "jobs", "arrival_rate": MEASURED, "demands": demands})
    base = _free(BASE, [*classes, *resources])
    found.append({"name": base, "arrival_rate": 1.0, "demands": dict.fromkeys(resources, FIT)})
    return {"name": "fitted intervals", "time_unit": rows.unit, "stations": stations, "classes": found}


def users_that_think(rows: MeasuredRows) -> bool:
    """Whether the users of a ladder think, by Little's law, at resources whose utilization is known."""
    name = rows.names("users")[0]
    if not all(rows.has(name, key) for key in ("users", "rate", "response_time")) or not all(rows.names("busy")):
        return False
    users, rate, response = (rows.column(name, key) for key in ("users", "rate", "response_time"))
    there = ~np.isnan(users + rate + response) & (rate > 0) & (response > 0)
    if not there.any() or not rows.names("busy"):
        return False
    cycle, response = users[there] / rate[there], response[there]
    think = float(np.median(cycle - response))
    added = float(np.std((cycle - response - think) / cycle))
    return think > THINKING * float(np.median(cycle)) and added <= max(float(np.std(np.log(response / cycle))), NOISE)


def closed_sketch(rows: MeasuredRows) -> dict[str, Any]:
    """Users that think, at the resources whose utilization is known, and a delay for the rest of the response."""
    name = rows.names("users")[0]
    resources = list(rows.names("busy"))
    owner = name or _free("users", resources)
    rest = _free(REST, [owner, *resources])
    stations: list[dict[str, Any]] = []
    for each in resources:
        count = servers_of(rows, each) or 1
        stations.append({"name": each, "type": "queue", **({"servers": count} if count > 1 else {})})
    stations.append({"name": rest, "type": "delay"})
    users = {"population": MEASURED, "think_time": FIT, "demands": dict.fromkeys([*resources, rest], FIT)}
    return {"name": "fitted users", "time_unit": rows.unit, "stations": stations, "classes": [{"name": owner, **users}]}


def _free(name: str, taken: list[str]) -> str:
    """A name that nothing else has."""
    known = {each.casefold() for each in taken}
    while name.casefold() in known:
        name += " of fit"
    return name
