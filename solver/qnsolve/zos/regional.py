"""A region whose limits matter, as a small network of its own: what its works wait, told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..errors import NoMethodError, SaturatedError
from ..kernels.admission import Admitted
from ..model import AdmissionLimit, ClosedClass, Delay, OpenClass, Queue, Station
from ..network import Network
from ..solution import Solution
from ..solve import solve
from .gates import Flow, Gate, waits
from .state import State, Told
from .tasks import Layout, has_threads
from .times import Times

POINTS = 2500  # users of each kind that want to be in, all ways
QR, CPS, REST, ALL = "QR", "CPs", "rest", "all tasks"


@dataclass(frozen=True)
class Kind:
    """The tasks of one work in a region.

    Attributes
    ----------
    places : list of int
    flow : float
        Tasks [1/s].
    qr, cpu, rest : float
        Time of one at the QR TCB, CPU on other TCBs, and all else [s].
    users, away : float or None
        Those that send them, and the time from one's end to the next [s].
    tranclass : str or None
    """

    places: list[int]
    flow: float
    qr: float
    cpu: float
    rest: float
    users: int | None
    away: float
    tranclass: str | None

    @property
    def load(self) -> float:
        """Engines asked for beside the QR TCB."""
        return self.flow * self.cpu


def kinds(layout: Layout, state: State, region: int, times: Sequence[Times], flow: Flow) -> list[Kind] | None:
    """The tasks of a region by work; None where those of a work differ in TRANCLASS or wait for each other."""
    here = [i for i in layout.tasks_in(region) if flow.tasks[i] > 0]
    found = []
    for work in sorted({layout.tasks[i].work for i in here}):
        own = [i for i in here if layout.tasks[i].work == work]
        classes = {layout.tasks[i].step.tranclass for i in own}
        if len(classes) > 1 or any(child in own for i in own for child, _ in layout.tasks[i].children):
            return None
        rate, users = float(sum(flow.tasks[i] for i in own)), layout.system.work[work].users
        beside = {i: 0.0 if has_threads(layout.region_of(layout.tasks[i])) else times[i].other_cpu for i in own}
        stretched = {i: beside[i] * state.beside_stretch(i) for i in own}
        held = sum(
            flow.tasks[i] * (flow.fixed[i] + flow.serial[i] * state.serial_stretch(i) + waits(layout, state, i))
            for i in own
        )
        found.append(
            Kind(
                own,
                rate,
                sum(flow.tasks[i] * flow.serial[i] for i in own) / rate,
                sum(flow.tasks[i] * beside[i] for i in own) / rate,
                max(sum(flow.tasks[i] * (flow.fixed[i] - stretched[i]) for i in own) / rate, 0.0),
                users,
                0.0 if users is None else max((users - held) / rate, 1e-9 * users / rate),
                classes.pop(),
            )
        )
    return found


def solved(
    layout: Layout, state: State, region: int, found: list[Kind], busy: float
) -> tuple[Solution, dict[str | None, str]] | None:
    """The region's network, solved; None where it is too large. `busy` engines of its LPAR are at work."""
    item = layout.system.regions[region]
    total = sum(kind.load for kind in found)
    engines = layout.lpar_of(layout.tasks[found[0].places[0]]).processors.engines
    left = engines - max(busy - total, 0.0)
    stations: list[Station] = [Queue(QR), Delay(REST)]
    own = left > 1.001 * total > 0
    if own:
        stations.append(Queue(CPS, servers=left))
    classes: list[ClosedClass | OpenClass] = []
    for r, kind in enumerate(found):
        rest = kind.rest if own else kind.rest + kind.cpu * state.beside_stretch(kind.places[0])
        need = {QR: kind.qr, REST: rest, CPS: kind.cpu if own else 0.0}
        asked = {name: time for name, time in need.items() if time > 0}
        if kind.users is None:
            classes.append(OpenClass(str(r), arrival_rate=kind.flow, demands=asked))
        else:
            classes.append(ClosedClass(str(r), population=kind.users, think_time=kind.away, demands=asked))
    used = {name for c in classes for name in c.demands}
    limits, names = [AdmissionLimit(item.limit, name=ALL)], {None: ALL}
    for name, most in (item.tranclasses or {}).items():
        members = tuple(str(r) for r, kind in enumerate(found) if kind.tranclass == name)
        if members and most < item.limit:
            names[name] = name
            limits.append(AdmissionLimit(int(most), name=name, classes=members))
    try:
        network = Network([s for s in stations if s.name in used], classes, limits)
        return solve(network, method="limits"), names
    except (NoMethodError, SaturatedError):
        return None


def points(found: list[Kind]) -> int:
    """Ways in which users may want to be in; works with a rate count as much as a hundred users, once."""
    return prod((kind.users or 0) + 1 for kind in found) * (100 if any(kind.users is None for kind in found) else 1)


def corrected(
    layout: Layout, state: State, regions: Sequence[int], times: Sequence[Times], flow: Flow, busy: Sequence[float]
) -> tuple[Told, list[Gate]]:
    """Waits and stretches of each work in regions of few users, and the limits of these regions."""
    told, gates, budget = Told(len(layout.tasks)), [], POINTS
    for region in regions:
        found = kinds(layout, state, region, times, flow)
        if not found or points(found) > budget:
            continue
        answer = solved(layout, state, region, found, busy[layout.tasks[found[0].places[0]].lpar])
        if answer is None:
            continue
        budget -= points(found)
        solution, names = answer
        pairs = {(p.class_name, p.station): p.residence_time for p in solution.pairs}
        for r, kind in enumerate(found):
            wait = solution[str(r)].admission_wait
            for i in kind.places:
                told.apart[i], told.wait[i] = True, wait
                if kind.qr:
                    told.serial[i] = pairs[str(r), QR] / kind.qr
                if kind.cpu and (str(r), CPS) in pairs:
                    told.beside[i] = pairs[str(r), CPS] / kind.cpu
        for tranclass, name in names.items():
            gates.append(_gate(layout, region, tranclass, solution, name, found))
    return told, gates


def _gate(layout: Layout, region: int, tranclass: str | None, solution: Solution, name: str, found: list[Kind]) -> Gate:
    limit = next(x for x in solution.limits if x.name == name)
    members = [r for r, kind in enumerate(found) if tranclass is None or kind.tranclass == tranclass]
    rate = sum(solution[str(r)].throughput for r in members)
    return Gate(
        region,
        tranclass,
        limit.capacity,
        Admitted(
            wait=limit.number_outside / rate,
            inside_time=limit.number_inside / rate,
            delayed=sum(solution[str(r)].throughput * solution[str(r)].fraction_delayed for r in members) / rate,
            full=limit.probability_full,
            number_inside=limit.number_inside,
            number_outside=limit.number_outside,
            outside_95=limit.number_outside_95,
            throughput=rate,
        ),
    )

