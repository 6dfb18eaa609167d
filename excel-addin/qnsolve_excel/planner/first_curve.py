"""The first curve after a change: from two solutions, until the study itself is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qnsolve.numerics.series import Array
from qnsolve.planning.center_uses import kind_of_center, ziip_use
from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.loads.load_path import DatedLoad
from qnsolve.planning.loads.months import label, period_end
from qnsolve.planning.study import plain
from qnsolve.planning.study_figures import CenterUse, Period, StudyWork, Verdict
from qnsolve.results.sentences import be

from .first_loads import FirstLoads

Flags = NDArray[np.bool_]
LITTLE = 0.005  # use of a limit below which it is not shown


def later_figures(points: LoadPoints, load: DatedLoad) -> dict[str, Any]:
    """What the first curve needs of the load that is solved beside today's, as plain data."""
    point = points.at(load.factors)
    return {"solved": True, "response": point.response.tolist()} if point.solved else {"solved": False}


def today_figures(points: LoadPoints, load: DatedLoad) -> dict[str, Any]:
    """What it needs of today's."""
    point = points.at(load.factors)
    if not point.solved:
        return {"solved": False, "full": point.full, "overload": point.overload}
    return {
        "solved": True,
        "response": point.response.tolist(),
        "fullest": list(point.fullest),
        "used": {**point.used, **ziip_use(point)},
        "etr": [work.etr for work in point.result.work],
        "error": [work.response_error for work in point.result.work],
        "limits": sorted(point.used),
        "cpu_percent": {lpar.name: lpar.cpu_percent for lpar in point.result.lpars},
    }


def first_study(points: LoadPoints, asked: FirstLoads, today: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Verdict, periods and centers in the form of a study, marked `preliminary`.

    Parameters
    ----------
    points : LoadPoints
    asked : FirstLoads
    today, later : mapping
        What `today_figures` gives of the first load, and `later_figures` of `asked.later`.

    Notes
    -----
    The load over the wait of a work falls with the load, to 0 where a center is full: between the two solutions in a line,
    beyond them midway between that line and the one to the load at which a center is asked for all that it can do. With
    one server the first is right; with several the curve lies between the two.
    """
    path = asked.path
    response = _curves(points, asked, today, later)
    targets = np.array([asked.targets.get(name, np.inf) for name in points.names])
    saturated: Flags = np.asarray(~np.isfinite(response).all(axis=1))
    missed: Flags = response > targets
    places = _shown(asked)
    periods = [_period(points, asked, place, response[place], targets, today) for place in places]
    verdict = _verdict(points, asked, saturated, missed, today, periods)
    found = {
        "verdict": asdict(verdict),
        "periods": [asdict(each) for each in periods],
        "centers": [asdict(each) for each in _centers(points, asked, places, today)],
    }
    shown: dict[str, Any] = plain(found)
    growth = dict(zip(path.works, (text or "none" for text in path.texts), strict=True))
    question = {"begin": str(path.begin), "until": str(asked.end), "by": asked.by, "growth": growth}
    question |= {"targets": dict(asked.targets)}
    return {**shown, "asked": question, "headroom": headroom(points, asked, verdict), "preliminary": True}


def _curves(points: LoadPoints, asked: FirstLoads, today: Mapping[str, Any], later: Mapping[str, Any]) -> Array:
    """Response times by load and work (n, W) [s]; infinite where a center is full."""
    sizes = np.asarray(asked.factors @ points.weights)
    uses = asked.uses.most
    found = np.full((len(sizes), len(points.names)), np.inf)
    if not today["solved"]:
        return found
    full = np.flatnonzero(uses >= 1)
    known = slice(0, int(full[0]) + 1) if len(full) else slice(0, len(sizes))
    edge = float(np.interp(1.0, uses[known], sizes[known])) if len(full) else float(sizes.max() / uses.max())
    for w, service in enumerate(points.service):
        waits = [max(float(today["response"][w]) - float(service), 1e-12)]
        x, y = [float(sizes[0])], [float(sizes[0]) / waits[0]]
        if later.get("solved"):
            waits.append(max(float(later["response"][w]) - float(service), 1e-12))
            x.append(float(sizes[asked.later]))
            y.append(x[-1] / waits[-1])
        last, top = x[-1], y[-1]
        line = np.maximum(top * (edge - sizes) / max(edge - last, 1e-12), 0.0)  # to 0 where a center is full
        if last > x[0]:
            slope = min((top - y[0]) / (last - x[0]), 0.0)
            through = np.maximum(top + slope * (sizes - last), 0.0)
            line = np.where(sizes > last, (line + through) / 2, through)
        with np.errstate(divide="ignore"):
            found[:, w] = np.where(line > 0, service + sizes / np.where(line > 0, line, 1.0), np.inf)
    found[uses >= 1] = np.inf
    return found


def _period(
    points: LoadPoints, asked: FirstLoads, place: int, response: Array, targets: Array, today: Mapping[str, Any]
) -> Period:
    load, first = asked.loads[place], asked.loads[0]
    solved = bool(np.isfinite(response).all())
    fullest, share = _fullest(asked, place, today)
    nan = float("nan")
    work = tuple(
        StudyWork(
            name,
            float(asked.path.bases[w] * load.factors[w]),
            float(response[w]) if solved else nan,
            _known(today["error"][w]) if solved else nan,
            float(targets[w]) if np.isfinite(targets[w]) else nan,
            _known(today["etr"][w]) * float(load.factors[w] / first.factors[w]) if solved else nan,
        )
        for w, name in enumerate(points.names)
    )
    cpu = today["cpu_percent"] if solved else {}
    late = [f"{points.names[w]} misses its target" for w in np.flatnonzero(response > targets)]
    reason = ", ".join(late) if solved else f"{points.grouped(fullest)} {be(fullest)} full"
    return Period(
        name=label(load.month, asked.by) if load.month > first.month else str(first.month),
        month=str(load.month),
        day=load.day,
        holds=not reason,
        reason=reason,
        fullest=points.grouped(fullest),
        used_percent=100 * share,
        solved=solved,
        work=work,
        cpu_percent={name: float(asked.uses.grown(f"{name} CPs", used)[place]) for name, used in cpu.items()},
        factors=dict(zip(points.names, load.factors.tolist(), strict=True)),
    )


def _known(value: float | None) -> float:
    """A number that went through JSON."""
    return float("nan") if value is None else value


def _fullest(asked: FirstLoads, place: int, today: Mapping[str, Any]) -> tuple[str, float]:
    if not today["solved"]:
        return today["full"], today["overload"]
    return (today["fullest"][0], today["fullest"][1]) if place == 0 else asked.uses.fullest(place)


def _shown(asked: FirstLoads) -> list[int]:
    """Places of the first load and of the fullest of each period, as in a study."""
    found, month = [0], asked.path.begin + 1
    months, sums = asked.months, asked.factors.sum(axis=1)
    while month <= asked.end:
        stop = min(period_end(month, asked.by), asked.end)
        inside = np.flatnonzero((months >= month) & (months <= stop))
        found.append(int(inside[sums[inside].argmax()]))
        month = stop + 1
    return found


def _centers(points: LoadPoints, asked: FirstLoads, places: Sequence[int], today: Mapping[str, Any]) -> list[CenterUse]:
    found: dict[str, tuple[int, CenterUse]] = {}
    for name, share in (today["used"] if today["solved"] else {}).items():
        used = asked.uses.grown(name, share)
        kind = kind_of_center(points, name)
        if kind == "limit" and used[places].max() < LITTLE:
            continue
        beyond = np.flatnonzero(used >= 1)
        full = int(beyond[0]) if len(beyond) else len(used)
        text = str(asked.loads[full].month) if len(beyond) else ""
        group = points.grouped(name)
        if group not in found or full < found[group][0]:
            found[group] = (full, CenterUse(group, kind, tuple(100 * used[places]), name in today["limits"], text))
    return [use for _, use in sorted(found.values(), key=lambda item: (item[0], -max(item[1].used)))]


def _verdict(
    points: LoadPoints,
    asked: FirstLoads,
    saturated: Flags,
    missed: Flags,
    today: Mapping[str, Any],
    periods: Sequence[Period],
) -> Verdict:
    loads = asked.loads
    good = [each.name for each in periods if each.holds]
    places = np.flatnonzero(saturated | missed.any(axis=1))
    if not len(places):
        return Verdict(str(loads[-1].month), "", "none", last_good=good[-1], beyond=True)
    place = int(places[0])
    failed = loads[place]
    held = place and failed.month > loads[0].month
    bad = next((each.name for each in periods if not each.holds), label(failed.month, asked.by))
    return Verdict(
        holds_until=str(failed.month - 1) if held else "",
        first_missed=failed.day or str(failed.month),
        kind="saturated" if saturated[place] else "target",
        center=points.grouped(_fullest(asked, place, today)[0]),
        work="" if saturated[place] else points.names[int(np.flatnonzero(missed[place])[0])],
        last_good=good[-1] if good else "",
        next_period=bad,
        beyond=bool(failed.month > asked.end),
    )


def headroom(points: LoadPoints, asked: FirstLoads, verdict: Verdict) -> float | None:
    """The last load that holds over the first [ratio], work by the CPU that it needs; None where nothing ends it."""
    if not verdict.first_missed or not verdict.holds_until:
        return None
    held = asked.factors[asked.months == np.datetime64(verdict.holds_until)]
    return float(points.weights @ held[0] / (points.weights @ asked.factors[0])) if len(held) else None
