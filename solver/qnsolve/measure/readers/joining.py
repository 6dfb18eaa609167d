"""join: several tables of intervals as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError
from qnsolve.measure.intervals.interval_table import LABELS, Array, Intervals, MeasuredSeries

from .source_files import MOST_CELLS

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


def join(tables: Sequence[Intervals]) -> Intervals:
    """One table of several: a series that several have continues, other series stand beside each other by their interval.

    An interval is known by its begin (to the second) and is that of another table where the lengths do not contradict; an
    interval that a table has again, with figures of the same series, keeps a row of its own. Without a begin nothing
    says which intervals are the same: each row stays.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> from qnsolve.measure import table
    >>> first = table({"orders.rate": [10.0, 20.0]}, start=["2026-03-02T09:00", "2026-03-02T09:15"])
    >>> other = table({"cpu.busy": [0.4]}, start=["2026-03-02T09:15"])
    >>> join([first, other]).values.tolist()
    [[10.0, nan], [20.0, 0.4]]
    """
    parts = list(tables)
    for i, part in enumerate(parts):
        if not isinstance(part, Intervals):
            raise ModelError(f"tables[{i}]", "must be a table of intervals", "give what qn.measure.read returns", part)
    if not parts:
        raise ModelError("tables", "must not be empty", "give at least one")
    if len(parts) == 1:
        return parts[0]
    every, columns = _columns(parts)
    rows = sum(map(len, parts))
    if rows * len(every) > MOST_CELLS:
        rule = f"make a table of {rows * len(every):,} figures, and at most {MOST_CELLS:,} are held"
        raise ModelError("tables", rule, "give shorter spans, or fewer series")
    values = np.full((rows, len(every)), np.nan)
    start = np.full(rows, np.datetime64("NaT", "ms"))
    length, places = np.full(rows, np.nan), np.zeros(rows, dtype=np.int64)
    known: dict[int, list[int]] = {}
    n = 0
    for part, at in zip(parts, columns, strict=True):
        where = np.asarray(at, dtype=np.int64)
        seconds = (part.start.astype(np.int64) + 500) // 1000
        for i in range(len(part)):
            mine = part.values[i]
            there = ~np.isnan(mine)
            row = -1
            if not np.isnat(part.start[i]):
                row = next(
                    (r for r in known.get(int(seconds[i]), ()) if _free(r, values, where, there, length, part.length[i])), -1
                )
            if row < 0:
                row, n = n, n + 1
                start[row], length[row], places[row] = part.start[i], part.length[i], part.places[i]
                known.setdefault(int(seconds[i]), []).append(row)
            values[row, where[there]] = mine[there]
            if np.isnan(length[row]):
                length[row] = part.length[i]
    order = np.arange(n)
    if not np.isnat(start[:n]).any():
        order = np.argsort(start[:n], kind="stable")
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Intervals(start[order], length[order], tuple(every), values[order], places[order], notes)


def _columns(parts: Sequence[Intervals]) -> tuple[list[MeasuredSeries], list[list[int]]]:
    """The series of all tables, and where the columns of each table go."""
    series: dict[tuple[str, ...], int] = {}
    every: list[MeasuredSeries] = []
    columns: list[list[int]] = []
    for part in parts:
        own: dict[tuple[str, ...], int] = {}
        at = []
        for each in part.series:
            key = (each.quantity, *(getattr(each, label) for label in LABELS))
            again = sum(k[:6] == key for k in own)
            key = (*key, each.field if each.quantity == "figure" else "", str(again) if again else "")
            own[key] = 1
            if key not in series:
                series[key] = len(every)
                every.append(each)
            else:
                every[series[key]] = _merged(every[series[key]], each)
            at.append(series[key])
        columns.append(at)
    return every, columns


def _free(row: int, values: Array, where: Places, there: Flags, length: Array, mine: float) -> bool:
    """Whether an interval may take these figures: none of them is there, and the lengths agree to 2 %."""
    if not np.isnan(values[row, where[there]]).all():
        return False
    return bool(np.isnan(length[row]) or np.isnan(mine) or abs(length[row] - mine) <= 0.02 * max(mine, length[row]) + 1)


def _merged(first: MeasuredSeries, other: MeasuredSeries) -> MeasuredSeries:
    """One series of two files: what they do not share is named with both, at most three."""
    changed: dict[str, Any] = {}
    for each in fields(MeasuredSeries):
        name = each.name
        if name in ("field", "source") and getattr(first, name) != getattr(other, name):
            words = dict.fromkeys([*getattr(first, name).split(" + "), getattr(other, name)])
            changed[name] = " + ".join(list(words)[:3])
    return replace(first, **changed) if changed else first
