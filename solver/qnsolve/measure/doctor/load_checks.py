"""The load: full processors, rates that do not follow, starts and ends of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .examined import Array, Examined, MeasuredOwner, amount, percent, rows_of, runs, spread

FULL, LONG = 0.95, 3  # utilization, and rows in a row, from which a server is full
FLAT, MORE = 0.05, 1.5  # a rate that moves by less while users or queue grow by so much
INSIDE = 3.0  # the same of jobs inside, which grow much while the last tenths of a server fill
STEADY = 0.12  # spread of a level, relative, that a start can be held against
FAR, LEAST = 6.0, 0.12  # deviations, and share of the level, from which the first rows are off it
FEWEST = 10  # rows of a run that has a start


def check_saturation(x: Examined) -> None:
    """Add servers that are full for long, and rates that stand while users or queues grow."""
    for each in x.resources:
        if "busy" not in each.columns:
            continue
        busy = each.columns["busy"]
        if float(np.nanmedian(busy)) > 1.5 if not np.isnan(busy).all() else True:
            continue
        full = [(a, b) for a, b in runs((busy > FULL) & (busy <= 1.005)) if b - a + 1 >= LONG]
        for first, last in full[:3]:
            rows = rows_of(len(busy), first, last)
            size = float(np.mean(busy[rows])), FULL, "1"
            text = f"{each.title('busy')} is {percent(size[0])}: full, so rates here are what it can do, not what was asked for"
            x.add("saturated", "look", each.title("busy"), rows, text, size)
        if len(full) > 3:
            rows = (busy > FULL) & (busy <= 1.005)
            text = f"{each.title('busy')} is above {percent(FULL)} in {int(rows.sum())} rows, {len(full)} times for long"
            x.add("saturated", "look", each.title("busy"), rows, text, (float(np.mean(busy[rows])), FULL, "1"))
    for work in x.works:
        rate = x.rate(work)
        for quantity in ("users", "in_system"):
            if rate is not None and quantity in work.columns and _flat(x, work, quantity, rate, work.columns[quantity]):
                break


def _flat(x: Examined, work: MeasuredOwner, quantity: str, rate: Array, load: Array) -> bool:
    """Whether the rate stands at the highest loads."""
    there = np.flatnonzero(~np.isnan(rate) & ~np.isnan(load) & (load > 0) & (rate > 0))
    if len(there) < 6:
        return False
    order = there[np.argsort(load[there], kind="stable")]
    more = MORE if quantity == "users" else INSIDE
    top = order[load[order] >= load[order[-1]] / more]
    if len(top) < 3 or len(top) > len(order) / 2:
        return False
    third = order[: max(len(order) // 3, 2)]
    grown = float(np.median(load[top]) / np.median(load[third]))
    at_top, below = rate[top], float(np.median(rate[third]))
    middle = order[(load[order] < load[order[-1]] / more) & (load[order] >= load[order[-1]] / more**2)]
    if grown < 2 * more or not len(middle):
        return False
    reached = float(np.median(rate[middle]))
    if (
        below < 0.8 * float(np.median(at_top))
        and abs(float(np.median(at_top)) / reached - 1) < FLAT
        and spread(at_top) < (FLAT * float(np.median(at_top)))
    ):
        rows = np.zeros(len(rate), dtype=bool)
        rows[top] = True
        text = f"{work.title('rate')} stands at {amount(float(np.median(at_top)))}/s while {work.title(quantity)} grow to "
        text += f"{amount(float(load[top].max()))}: something is full"
        x.add("saturated", "look", work.title("rate"), rows, text, (float(np.median(at_top)), reached, "1/s"))
        return True
    return False


def check_ramps(x: Examined) -> None:
    """Add first rows that drift to a level, and last rows that leave it, where there is a level."""
    if any("users" in work.columns and np.nanmax(work.columns["users"]) > np.nanmin(work.columns["users"]) for work in x.works):
        return  # a ladder of loads
    for work in x.works:
        rate = x.rate(work)
        if rate is not None:
            ramp(x, work.title("rate"), rate, "1/s", low=True)
        if "response_time" in work.columns:
            ramp(x, work.title("response_time"), work.columns["response_time"], "s", low=False, loads=_loads(x))


def _loads(x: Examined) -> list[Array]:
    """What responses follow: utilizations, else rates."""
    busy = [each.columns["busy"] for each in x.resources if "busy" in each.columns]
    return busy or [rate for rate in map(x.rate, x.works) if rate is not None]


def ramp(x: Examined, title: str, values: Array, unit: str, *, low: bool, loads: Sequence[Array] = ()) -> None:
    """A finding for first or last rows off the level of the rows between; those below it only, with `low`.

    Nothing where one of the `loads` is as unusual there as the values are.
    """
    there = np.flatnonzero(~np.isnan(values))
    if len(there) < FEWEST:
        return
    column = values[there]
    third = max(len(column) // 4, 2)
    core = column[third:-third]
    level = float(np.median(core))
    if level <= 0:
        return
    wide = max(spread(core), float(np.std(core)) if len(core) < 20 else 0.0)
    if wide > STEADY * level:
        return
    limit = max(FAR * wide * (1 + 4 / len(core)), LEAST * level)
    off = (column - level) / level
    for begin in (True, False):
        ordered = off if begin else off[::-1]
        if abs(ordered[0]) * level <= limit or (low and ordered[0] > 0):
            continue
        sign = np.sign(ordered[0])
        beyond = sign * ordered * level > max(limit / 2, 2 * wide)
        count = int(np.argmin(beyond)) if not beyond.all() else len(beyond)
        edge = there[0] if begin else there[-1]
        if not 0 < count <= third or any(_unusual(load, there, int(edge)) for load in loads):
            continue
        at = there[:count] if begin else there[::-1][:count]
        rows = np.zeros(len(values), dtype=bool)
        rows[at] = True
        value = float(np.median(values[rows]))
        verb = "drifts to its level: a start" if begin else "leaves its level: an end"
        where = "below" if sign < 0 else "above"
        row = "first" if begin else "last"
        text = f"{title} {verb}, {percent(abs(float(ordered[0])))} {where} {amount(level)} at the {row} row"
        x.add("ramp", "look", title, rows, text, (value, level, unit))


def _unusual(load: Array, there: NDArray[np.intp], at: int) -> bool:
    """Whether a load is among the tenth of its highest or lowest values at a row."""
    values = load[there]
    values = values[~np.isnan(values)]
    if np.isnan(load[at]) or len(values) < FEWEST:
        return False
    rank = float(np.mean(values <= load[at]))
    return not 0.1 < rank < 0.9
