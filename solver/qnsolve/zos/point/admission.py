"""Limits on tasks, MXT, TRANCLASS, dependent regions: the tasks that wait for them, at an operating point."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from qnsolve.methods.layers.shared_servers import FullError
from qnsolve.methods.limits.admission_wait import Admitted, admitted, region_speeds
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Layout

from .hardware import saturated
from .state import State

CHANCE = 1e-9  # of a full region below which its limit does not matter


@dataclass(frozen=True)
class Gate:
    """One limit and what it does.

    Attributes
    ----------
    region : int
    tranclass : str or None
        None for the region's own.
    admitted : Admitted
    """

    region: int
    tranclass: str | None
    limit: int
    admitted: Admitted


@dataclass(frozen=True)
class Flow:
    """Tasks a second, and the time of one inside its region, (T,) each.

    `serial` is its demand at the QR TCB, `fixed` all the rest, its children and their waits
    included; `inside` is all, with the queue at the QR TCB. `queues` is the part of `fixed` spent at
    stations that others may share, by name.
    """

    tasks: Array
    fixed: Array
    serial: Array
    inside: Array
    queues: list[dict[str, float]]


def waits(layout: Layout, state: State, place: int) -> float:
    """Wait of a task for its region's limit and its TRANCLASS [s]."""
    if place in state.corrections.wait:
        return state.corrections.wait[place]
    task = layout.tasks[place]
    wait = float(state["gate"][task.region] - 1)
    if task.step.tranclass is not None:
        wait += float(state["tranclass"][state.classes.index((task.region, task.step.tranclass))] - 1)
    return wait * state.scale


def company(layout: Layout, one: Gate, all_gates: list[Gate]) -> int:
    """Limits that hold the same users, this one included.

    What one more makes them wait they do not wait at the others: each moves by its share, or all go too far at once.
    """

    def users_of(gate: Gate) -> set[int]:
        some = (layout.tasks[i] for i in layout.tasks_in(gate.region))
        return {t.work for t in some if gate.tranclass in (None, t.step.tranclass) and layout.work_of(t).users is not None}

    mine = users_of(one)
    return 1 + sum(1 for other in all_gates if other is not one and users_of(other) & mine)


def callers(layout: Layout, flow: Flow, work: int, places: list[int]) -> float:
    """Tasks of a work that can wait for tasks at some places: no more than the limits of their regions let in."""
    found = 0.0
    for i, task in enumerate(layout.tasks):
        if task.work == work and any(child in places for child, _ in task.children):
            held = {j: flow.tasks[j] * flow.inside[j] for j in layout.tasks_in(task.region)}
            share = held[i] / sum(held.values())
            found += max(layout.region_of(task).limit * share, 1.0)
    return found or inf


def _past_tranclasses(layout: Layout, flow: Flow, places: list[int]) -> float:
    """Tasks of a work that its TRANCLASSes let through to the region's own limit."""
    found = 0.0
    for name in {layout.tasks[i].step.tranclass for i in places}:
        if name is None:
            return inf
        region = layout.tasks[places[0]].region
        held = {j: flow.tasks[j] * flow.inside[j] for j in layout.tasks_in(region) if layout.tasks[j].step.tranclass == name}
        share = sum(held[i] for i in places if i in held) / sum(held.values())
        found += max((layout.system.regions[region].tranclasses or {})[name] * share, 1.0)
    return found


def gate(layout: Layout, state: State, region: int, tranclass: str | None, flow: Flow) -> Gate | None:
    """The limit of a region, or one of its TRANCLASSes; None where nothing comes.

    A task holds its TRANCLASS while it waits for MXT, which counts only those past it.
    """
    item = layout.system.regions[region]
    here = [i for i in layout.tasks_in(region) if flow.tasks[i] > 0]
    places = [i for i in here if tranclass is None or layout.tasks[i].step.tranclass == tranclass]
    if not places:
        return None
    total = sum(flow.tasks[i] for i in places)
    demand = sum(flow.tasks[i] * flow.serial[i] for i in places) / total
    rest = sum(flow.tasks[i] * flow.fixed[i] for i in places) / total
    limit, name = item.limit, f"{item.name} {item.limit_name}"
    if tranclass is not None:
        limit, name = int((item.tranclasses or {})[tranclass]), f"{item.name} TRANCLASS {tranclass}"
        others = sum(flow.tasks[i] * flow.serial[i] for i in here if i not in places)
        demand /= max(1 - others, 1e-9)  # what the others leave of the QR TCB
        rest += float(state["gate"][region] - 1) * state.scale
    wait = float(state["gate"][region] - 1) * state.scale
    if tranclass is not None:
        wait += float(state["tranclass"][state.classes.index((region, tranclass))] - 1) * state.scale
    held = {i: float(flow.tasks[i] * (flow.inside[i] + wait)) for i in places}
    users, shares, away, stream = [], [], [], 0.0
    for work in sorted({layout.tasks[i].work for i in places}):
        own = [i for i in places if layout.tasks[i].work == work]
        coming = float(sum(flow.tasks[i] for i in own))
        count = layout.system.work[work].users
        if count is None:
            stream += coming
            continue
        most = min(float(count), callers(layout, flow, work, own))
        if tranclass is None:
            most = min(most, _past_tranclasses(layout, flow, own))
        mine = sum(held[i] for i in own)
        users.append(most)
        shares.append(mine / sum(held.values()))
        away.append(max((most - mine) / coming, 1e-9 * most / coming))
    try:
        return Gate(region, tranclass, limit, admitted(region_speeds(limit, demand, rest), stream, users, shares, away))
    except FullError as error:
        raise saturated(name, error.load) from None
