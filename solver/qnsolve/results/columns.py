"""Columns of printed tables: heading, unit and cells of one figure in many rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .digits import percent, short, time, unit_of
from .rendering import Table, figure
from .terms import heading

NO_WAIT = 1e-4  # share of a response time below which a wait is printed as 0
COUNTED = 3  # decimals of tasks and jobs
COUNTS = ("tasks", "waiting", "waiting_95", "in_use")
ERROR, DIFFERENCE = "response_error", "difference"  # ratios that every answer prints in percent
# figures of one output that are shares, and the headings of those that are no terms
SHARES = {"response_change": "response", "throughput_change": "throughput"}
SHARES |= {"utilization": "utilization", "fraction_delayed": "delayed", "fraction_blocked": "blocked"}
PERCENT = {"used_percent": "used", "difference_percent": "difference", "change_percent": "change"}
LOADS = ("cpu_percent", "qr_percent", "ziip_percent", "busy_percent", "used_percent", "at_limit_percent")
HIGH, FULL = 70.0, 90.0  # percent of use from which a figure stands out
NAMES = ("quantity", "figure")  # columns whose cells name a figure


@dataclass(frozen=True)
class Column:
    """One column: heading, unit, its cells, "high" or "full" for those that stand out, and whether they are words."""

    heading: str
    unit: str
    cells: tuple[str, ...]
    marks: tuple[str, ...]
    words: bool = False


def table_of(columns: Sequence[Column], title: str = "", words: int | None = None) -> Table:
    """A table of columns; those at the left that hold words are told by their cells where `words` is left out."""
    head = [list(line) for line in zip(*((each.heading, each.unit) for each in columns), strict=True)]
    body = [list(row) for row in zip(*(each.cells for each in columns), strict=True)]
    marks = {(i, j): mark for j, each in enumerate(columns) for i, mark in enumerate(each.marks) if mark}
    if words is None:
        words = next((j for j, each in enumerate(columns) if not each.words), len(columns))
    left = frozenset(j for j, each in enumerate(columns) if each.words)
    return Table([line for line in head if any(line)], body, words, title, marks, left)


def column(
    key: str,
    values: Sequence[Any],
    time_unit: str,
    *,
    chosen: bool = False,
    given: bool = False,
    floors: Sequence[float] = (),
    together: bool = False,
) -> Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        The figure, as rows call it.
    values : sequence
    time_unit : str
        Of the model; times are in it.
    chosen : bool, default False
        Whether times are printed in the unit that suits them, and shares in percent: those of systems, in seconds.
    given : bool, default False
        Whether the values are inputs, which keep their digits.
    floors : sequence of float, optional
        For each value what is printed as 0 [the unit of the value].
    together : bool, default False
        Whether the times are parts of one: one unit for all of them.
    """
    own = key.rpartition(".")[2]  # of "AOR1.tasks"
    name, unit = heading(own, time_unit)
    name = name if own == key else key
    marks = tuple(standing_out(own, value) for value in values)
    words = all(isinstance(value, str) for value in values)
    if given:
        return Column(key.replace("_", " "), "", tuple(map(figure, values)), marks, words)
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if key in NAMES:
        return Column(name, "", tuple(value if "." in value else heading(value)[0] for value in values), marks, words)
    if not numbers or len(numbers) < len([value for value in values if value is not None]):
        return Column(name, unit, tuple(_other(value) for value in values), marks, words)
    floors = floors or [0.0] * len(values)
    kept = [math.nan if v is None else 0.0 if abs(v) < floor else v for v, floor in zip(values, floors, strict=True)]
    whole = all(isinstance(value, int) for value in numbers)
    if own == DIFFERENCE:
        return Column(name, "%", tuple(percent(100 * v) for v in kept), marks)
    if own in PERCENT or unit.startswith("%"):
        return Column(PERCENT.get(own, name) if own == key else name, unit or "%", tuple(map(percent, kept)), marks)
    if chosen and own == ERROR:
        return Column(name, "", tuple(error_of(v) for v in kept), marks)
    if chosen and own in SHARES:
        return Column(SHARES[own] if own == key else name, "%", tuple(percent(100 * v) for v in kept), marks)
    if chosen and unit in ("s", "µs"):
        return _times(name, [value * (1.0 if unit == "s" else 1e-6) for value in kept], marks, together)
    if whole:
        return Column(name, unit, tuple(figure(None if v is None else int(v)) for v in values), marks)
    places = COUNTED if chosen and own in COUNTS else None
    return Column(name, unit, tuple(short(value, places=places) for value in kept), marks)


def _times(name: str, seconds: Sequence[float], marks: tuple[str, ...], together: bool) -> Column:
    found = unit_of(seconds, together=together)
    if found is None:
        return Column(name, "", tuple(map(time, seconds)), marks)
    unit, size = found
    return Column(name, unit, tuple(short(value / size, places=3 if together else None) for value in seconds), marks)


def error_of(share: float) -> str:
    """How far a response time may be off, of a share of it [ratio].

    >>> error_of(0.0618), error_of(0.0)
    ('± 6.2 %', 'exact')
    """
    return "-" if math.isnan(share) else "exact" if share == 0 else f"± {short(100 * share, 2)} %"


def _other(value: Any) -> str:
    return short(value) if isinstance(value, float) else figure(value)


def standing_out(key: str, value: Any) -> str:
    """How a cell stands out: "full" or "high" for a center in use, "full" for a row without an answer, or not at all."""
    if isinstance(value, str):
        return "full" if value.startswith("saturated") or value == "differs" else ""
    if not isinstance(value, (int, float)) or key not in (*LOADS, "utilization"):
        return ""
    used = 100 * value if key == "utilization" else value
    return "full" if used >= FULL else "high" if used >= HIGH else ""
