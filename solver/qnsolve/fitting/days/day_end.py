"""When a day no longer holds as its load grows: the search, its last date, and the interval that ends it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, nan
from typing import Any

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model.yearly_growth import YEAR
from qnsolve.numerics.series import Array

from .day_figures import DayEnd
from .day_loads import DayLoads
from .first_break import broken, candidates, first_break
from .growth_rates import GrowthRate
from .solved_loads import LoadSolver

HORIZON = 10.0  # years that growth is followed, where no end is given
MOST = 100.0  # times its load, that a day is tried with
DAY = 86_400_000  # [ms]


def day_end(
    solver: LoadSolver,
    loads: DayLoads,
    targets: Mapping[int, float],
    growth: tuple[GrowthRate, ...],
    until: Any,
    weight: Array,
    grows: bool,
) -> tuple[DayEnd | None, str, tuple[str, ...]]:
    """The first interval that does not hold, where the search ended, and notes."""
    yearly = np.array([1 + each.value for each in growth])
    years_left, last = _years(until, loads) if grows else (np.full(len(loads), np.log(MOST)), "")
    furthest = float(years_left[-1])

    def path(growth: float) -> Array:
        return yearly**growth if grows else np.full(len(yearly), np.exp(growth))

    if grows and not (yearly > 1).any():
        furthest = min(furthest, 1e-6)  # what does not grow holds as it does today
    notes = []
    if grows and (yearly < 1).any():
        notes.append("a class that shrinks makes room: an interval that does not hold today may hold later")
    rows = np.arange(len(loads))
    found = first_break(solver, loads.values, path, furthest, targets, weight)
    if grows and not isfinite(found.growth) and (years_left > furthest).any() and (yearly > 1).any():
        ends = loads.values * yearly ** years_left[:, None]  # earlier intervals come once more before the end
        front, _ = candidates(ends, weight)
        late = np.sort(front[broken(solver.solved(ends[front], quick=True), targets)])
        if len(late):
            rows, furthest = late, float(years_left[late].max())
            found = first_break(solver, loads.values[rows], path, furthest, targets, weight[rows])
    if found.left_out:
        notes.append(f"{found.left_out} less full intervals were not followed into the future")
    if not isfinite(found.growth):
        return None, last, tuple(notes)
    reached, step = found.growth, 0.0
    if loads.clock and grows and reached > 0:  # a whole number of days later, of weeks where the intervals are of several days
        unit = _unit(loads)
        step = float(np.ceil(reached * YEAR / unit - 1e-9)) * unit
        reached = max(reached, step / YEAR)
    there = solver.solved(loads.values[rows[found.rows]] * path(reached))
    failing = np.flatnonzero(broken(there, targets))
    i = int(failing[0]) if len(failing) else int(np.argmax(there.offered))
    row = int(rows[found.rows[i]])
    saturated = bool(there.offered[i] >= 1)
    cause = solver.centers[int(there.fullest[i])] if solver.centers else ""
    if not saturated and targets:
        worst = max(targets, key=lambda r: float(np.nan_to_num(there.response[i, r])) / targets[r])
        cause = loads.names[worst]
    date = ""
    if step:
        then = loads.start[row] + np.timedelta64(round(step * DAY), "ms")
        date = str(np.datetime_as_string(then, unit="m"))
    factor, years = (nan, found.growth) if grows else (float(np.exp(found.growth)), nan)
    return DayEnd(int(loads.order[row]) + 1, factor, years, date, cause, saturated), last, tuple(notes)


def _unit(loads: DayLoads) -> float:
    """Days in which the future is told: whole weeks where the intervals are of several days."""
    return 7.0 if float((loads.start[-1] - loads.start[0]).astype(np.int64)) > DAY else 1.0


def _years(until: Any, loads: DayLoads) -> tuple[Array, str]:
    """Years of growth of each interval to the end of the search (n,), and its date; a day or month named counts whole."""
    if until is None:
        if not loads.clock:
            return np.full(len(loads), HORIZON), ""
        end = loads.start[-1] + np.timedelta64(round(HORIZON * YEAR * DAY), "ms")
        return np.full(len(loads), HORIZON), str(np.datetime_as_string(end, unit="D"))
    if not loads.clock:
        raise ModelError("until", "needs intervals that have a time", "give them a column start, or leave it out", until)
    try:
        given = np.datetime64(until)
        whole = np.datetime_data(given.dtype)[0] in ("Y", "M", "W", "D")
        end = (given + 1).astype("datetime64[ms]") - 1 if whole else given.astype("datetime64[ms]")
    except (ValueError, TypeError):
        raise ModelError("until", "must be a date", "write 2028-12 or 2028-12-31", str(until)) from None
    begin = end.astype("datetime64[D]") if whole else end
    years = float((begin - loads.start[-1]).astype(np.int64)) / (YEAR * DAY)
    if not (isfinite(years) and 0 < years <= 100):
        raise ModelError("until", "must lie after the last interval, at most 100 years", "give a later date", str(until))
    unit = _unit(loads)
    steps = np.floor((end - loads.start).astype(np.int64) / (unit * DAY)) * unit / YEAR
    return np.asarray(steps, dtype=np.float64), str(np.datetime_as_string(end, unit="D"))
