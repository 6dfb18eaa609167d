"""The first curve after a change: from two solutions, until the study itself is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks
from qnsolve.numerics.series import Array
from qnsolve.planning.center_uses import kind_of_center, ziip_use
from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.loads.load_path import DatedLoad, LoadPath, first_month, load_path
from qnsolve.planning.loads.months import PERIODS, label, month_of, period_end
from qnsolve.planning.study import HORIZON, TWO_YEARS, plain
from qnsolve.planning.study_figures import CenterUse, Period, StudyWork, Verdict

Flags = NDArray[np.bool_]
LATER = 0.66  # use of the fullest center, where nothing waits, at the load that is solved beside today's
LITTLE = 0.005  # use of a limit below which it is not shown


class LinearUses:
    """What centers are asked for over what they can do, where nothing waits: sums over the work, for many loads at once.

    Parameters
    ----------
    points : LoadPoints
    factors : ndarray (n, W)
        Loads, month by month.

    Attributes
    ----------
    names : list of str
        C centers; those that work waits for first.
    of_load : ndarray (n, C)
        [ratio]
    limiting : int
        How many of them work waits for: zIIPs whose work overflows are none.
    """

    def __init__(self, points: LoadPoints, factors: Array) -> None:
        plain_loads = points.plain
        lpars = points.system.lpars
        overflowing = {f"{each.name} zIIPs" for each in lpars if each.ziips is not None and each.ziips.overflow}
        self.names = sorted(plain_loads.names, key=lambda name: name in overflowing)
        self.limiting = sum(name not in overflowing for name in self.names)
        none = np.zeros(factors.shape[1])
        fixed = np.array([plain_loads.at(name, none) for name in self.names])
        self.of_load: Array = factors @ np.array([plain_loads.own(name) for name in self.names]).T + fixed

    @property
    def most(self) -> Array:
        """Use of the fullest center of each load (n,) [ratio]."""
        return np.asarray(self.of_load[:, : self.limiting].max(axis=1))

    def fullest(self, place: int) -> tuple[str, float]:
        """The fullest center of a load, and its use."""
        at = int(self.of_load[place, : self.limiting].argmax())
        return self.names[at], float(self.of_load[place, at])

    def grown(self, name: str, share: float) -> Array:
        """The use of a center by load (n,), in proportion to what it is asked for, from its share at the first."""
        if name not in self.names or self.of_load[0, self.names.index(name)] <= 0:
            return np.full(len(self.of_load), share)
        mine = self.of_load[:, self.names.index(name)]
        return np.asarray(share * mine / mine[0])


@dataclass(frozen=True, eq=False)
class FirstLoads:
    """The loads of a question, and which two are solved first.

    Attributes
    ----------
    path : LoadPath
    loads : tuple of DatedLoad
        Month by month to the end of the search, special days included.
    uses : LinearUses
    end : Month
        Last month of the question.
    by : str
    later : int
        Place of the load that is solved beside the first; 0 where that is the only one.
    targets : dict of work to float
        [s]
    """

    path: LoadPath
    loads: tuple[DatedLoad, ...]
    uses: LinearUses
    end: Any
    by: str
    later: int
    targets: Mapping[str, float]


def first_loads(points: LoadPoints, question: Mapping[str, Any]) -> FirstLoads:
    """The loads of a question to a system.

    Raises
    ------
    ModelError
    """
    start = first_month(question.get("begin"))
    end = start + TWO_YEARS if "until" not in question else month_of("until", question["until"], last=True)
    if not start < end <= start + 12 * 50:
        rule = f"must lie after {start}, at most 50 years"
        raise ModelError("until", rule, "give a later month, or another begin", str(end))
    path = load_path(points.system, start, *(question.get(key) for key in ("growth", "seasons", "special_days")))
    last = max(int((end - start).astype(int)), HORIZON)
    loads = tuple(load for m in range(last + 1) for load in path.loads(start + m))
    uses = LinearUses(points, np.array([load.factors for load in loads]))
    beyond = np.flatnonzero(uses.most > LATER)
    inside = [place for place, load in enumerate(loads) if load.month <= end]
    later = min(int(beyond[0]) - 1 if len(beyond) else len(loads), inside[-1])
    targets = question.get("targets", {})
    for name in targets:
        if name not in points.names:
            raise ModelError("targets", "names no work of the system", suggestion(str(name), points.names), name)
    by = checks.choice("by", question.get("by", "quarter"), PERIODS)
    return FirstLoads(path, loads, uses, end, by, max(later, 0), targets)


def point_figures(points: LoadPoints, load: DatedLoad) -> dict[str, Any]:
    """What the first curve needs of a solved load, as plain data."""
    point = points.at(load.factors)
    if point.point is None:
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
        What `point_figures` gives of the first load and of `asked.later`.

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
    places = _shown(path, asked.loads, asked.end, asked.by)
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
    sizes = np.array([float(points.weights @ load.factors) for load in asked.loads])
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
    reason = ", ".join(late) if solved else f"{points.grouped(fullest)} is full"
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


def _shown(path: LoadPath, loads: Sequence[DatedLoad], end: Any, by: str) -> list[int]:
    """Places of the first load and of the fullest of each period, as in a study."""
    found, month = [0], path.begin + 1
    while month <= end:
        stop = min(period_end(month, by), end)
        inside = [place for place, load in enumerate(loads) if month <= load.month <= stop]
        found.append(max(inside, key=lambda place: float(loads[place].factors.sum())))
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
    held = [load for load in asked.loads if str(load.month) == verdict.holds_until]
    return float(points.weights @ held[0].factors / (points.weights @ asked.loads[0].factors)) if held else None
