"""The verdict: until when, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qnsolve.numerics.series import Array

from .center_uses import kind_of_center
from .load_points import LoadPoint, LoadPoints
from .loads.load_path import DatedLoad
from .loads.months import Month, label
from .study_figures import Period, Verdict, held_at_first
from .time_split import full_name

FULL = 0.9  # use from which on a center is as good as the one that ends it
NEARLY = 0.95  # use in proportion to the load from which on a center is what fills up
BUSY = 0.85  # use of CPs from which on TCBs wait for them
WAITERS = (" TCB", " threads", " zIIPs", " MXT", " regions")  # ends of the names of centers whose tasks may wait for CPs


def verdict_of(
    points: LoadPoints, loads: Sequence[DatedLoad], place: int, periods: Sequence[Period], end: Month, by: str
) -> Verdict:
    """What a study answers."""
    good = [each for each in periods if each.holds]
    bad = next((each for each in periods if not each.holds), None)
    first_good = held_at_first(periods)
    if place >= len(loads):
        last = max((load.month for load in loads), default=end)
        return Verdict(str(last), "", "none", last_good=good[-1].name if good else "", beyond=True)
    failing = loads[place]
    month = str(failing.month - 1) if failing.month > loads[0].month else str(failing.month) if place else ""
    missed = failing.day or str(failing.month)
    beyond = bool(failing.month > end)
    before = points.at(loads[place - 1].factors) if place else None
    kind, center, work = cause_of(points, before, points.at(failing.factors))
    waits_for, used = waited_for(points, before, center)
    earliest, latest = _range(points, loads, place) if kind == "target" else ("", "")
    return Verdict(
        holds_until=month,
        first_missed=missed,
        kind=kind,
        center=points.grouped(center),
        waits_for=waits_for,
        waits_for_percent=100 * used,
        work=work,
        last_good=first_good[-1].name if first_good else "",
        next_period=bad.name if bad else label(failing.month, by),
        earliest=earliest,
        latest=latest,
        beyond=beyond,
    )


def cause_of(points: LoadPoints, before: LoadPoint | None, failing: LoadPoint) -> tuple[str, str, str]:
    """Kind, center and work of what ends a load: the center that the others wait for, or whose time grew most."""
    if not failing.solved:
        return "saturated", _full_first(points, before, failing), ""
    work = max(failing.missed, key=lambda name: _over(points, failing, name))
    w = points.names.index(work)
    split = failing.split(w)
    today = points.lightest_split(w, failing)
    grown: dict[str, float] = {}  # by group: many equal regions have little each
    for center, time in split.items():
        group = points.grouped(center)
        grown[group] = grown.get(group, 0.0) + time - today.get(center, 0.0)
    most = max(grown, key=grown.__getitem__)
    center = max((each for each in split if points.grouped(each) == most), key=split.__getitem__)
    return "target", _center_of(failing, center), work


def _full_first(points: LoadPoints, before: LoadPoint | None, failing: LoadPoint) -> str:
    """The center that is full first on the way from one load to another: limits fill behind what they wait for."""
    if before is None or not before.solved:
        return failing.full
    plain = points.plain
    asked = {}
    for center, share in before.used.items():
        rest = plain.at(center, before.factors)
        if rest > 0 and kind_of_center(points, center) != "limit":
            asked[center] = share * plain.at(center, failing.factors) / rest
    most = max(asked, key=asked.__getitem__, default="")
    if most and asked[most] > NEARLY:
        return most
    name, used = before.fullest
    return name if used > FULL else failing.full


def _over(points: LoadPoints, point: LoadPoint, name: str) -> float:
    w = points.names.index(name)
    return float(point.response[w]) / points.targets[w]


def _center_of(point: LoadPoint, center: str) -> str:
    """The center of the reports that a part of a response time belongs to; the fullest limit of a region for its limits."""
    if center.endswith(" limits"):
        region = center.removesuffix(" limits")
        mine = {name: used for name, used in point.used.items() if name.startswith(f"{region} ") and "TCB" not in name}
        return max(mine, key=mine.__getitem__, default=center)
    return full_name(center)


def waited_for(points: LoadPoints, before: LoadPoint | None, center: str) -> tuple[str, float]:
    """The CPs that a TCB or the tasks inside a limit wait for, and their use; "" where they are not busy."""
    if before is None or not before.solved or (not center.endswith(WAITERS) and " TRANCLASS " not in center):
        return "", 0.0
    mine = [each for each in points.system.regions if center.startswith(f"{each.name} ")]
    region = max(mine, key=lambda each: len(each.name), default=None)  # "AOR 1" and not "AOR"
    lpar = region.lpar if region is not None else center.removesuffix(" zIIPs")
    used = before.used.get(f"{lpar} CPs", 0.0)
    return (f"{lpar} CPs", used) if used > BUSY else ("", 0.0)


def _range(points: LoadPoints, loads: Sequence[DatedLoad], place: int) -> tuple[str, str]:
    """The last months that hold if response times are longer, or shorter, by their stated errors."""
    solved = sorted(points.solved(), key=lambda each: float(points.weights @ each.factors))
    sizes = np.array([float(points.weights @ each.factors) for each in solved])
    found = []
    for sign in (1.0, -1.0):
        edge = np.inf
        for w, target in points.targets.items():
            waits = np.array([_wait(points, each, w, sign) for each in solved])
            edge = min(edge, _crossing(sizes, 1 / np.maximum(waits, 1e-12), 1 / max(target - points.service[w], 1e-12)))
        held = [load.month for load in loads if float(points.weights @ load.factors) < edge]
        first = next((load.month for load in loads if float(points.weights @ load.factors) >= edge), None)
        found.append(str(first - 1) if first is not None else str(held[-1]) if held else "")
    return found[0], found[1]


def _wait(points: LoadPoints, point: LoadPoint, w: int, sign: float) -> float:
    result = point.result.work[w]
    return result.response_time * (1 + sign * result.response_error) - float(points.service[w])


def _crossing(sizes: Array, falling: Array, level: float) -> float:
    """Where a falling line through points reaches a level, continued beyond the last two; infinite where it never does."""
    below = np.flatnonzero(falling <= level)
    if not len(below):
        if len(sizes) < 2 or falling[-1] >= falling[-2]:
            return np.inf
        at = len(sizes) - 1
    else:
        at = int(below[0])
    if at == 0:
        return float(sizes[0])
    slope = (falling[at] - falling[at - 1]) / (sizes[at] - sizes[at - 1])
    return float(sizes[at - 1] + (level - falling[at - 1]) / slope) if slope < 0 else np.inf
