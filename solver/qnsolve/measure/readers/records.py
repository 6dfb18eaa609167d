"""Columns of text to intervals: each cell read, units settled, records of one interval put side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError
from qnsolve.measure.intervals.building import of_resources, pivoted
from qnsolve.measure.intervals.interval_table import NO_LENGTH, Array, Intervals, MeasuredSeries
from qnsolve.model.measured_units import factor

from .clocks import NO_TIME, Clock, duration, time_of_day
from .field_names import exact, words
from .headings import BY_VALUES, ColumnPlan, bracket
from .number_cells import Marks, NoNumberError, absent, clock_times, divided, number, numbers
from .source_files import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS, Source, printable

OWNERS = ("system", "lpar", "region", "resource", "work", "period", "tcb")
CLOCKS = ("start", "end", "date", "time", "length")
PERCENT = 1.5  # a utilization above this is printed in percent
SHORTEST, LONGEST = 1e-3, 1e9  # seconds of an interval
TCB_TIME = "DSGACT"  # CPU time of a TCB, of the mode that another column has
QR = "QR"
SEVERAL = ("8", "9")  # end of the modes that have a TCB for each task: their use is of several processors
DAY = 86_400_000.0  # [ms]
NO_SHARE = 1000.0  # above this it is no utilization at all
_NAT = int(NO_TIME.astype(np.int64))
Names = tuple[str, ...]


@dataclass
class Columns:
    """The columns of a file as they are read, block by block.

    Parameters
    ----------
    source : Source
    plans : list of ColumnPlan
    clock : Clock
    marks : Marks
    """

    source: Source
    plans: list[ColumnPlan]
    clock: Clock
    marks: Marks
    values: list[Array] = field(default_factory=list)
    clocks: dict[str, list[Array]] = field(default_factory=dict)
    owners: list[NDArray[np.int64]] = field(default_factory=list)
    names: dict[Names, int] = field(default_factory=dict)
    places: list[NDArray[np.int64]] = field(default_factory=list)
    cells: int = 0
    assumed: list[tuple[int, str, tuple[ColumnPlan, Sequence[Any], NDArray[np.int64]]]] = field(default_factory=list)

    def add(self, rows: Sequence[Sequence[Any]], places: Sequence[int]) -> None:
        """Read a block of rows.

        Raises
        ------
        ModelError
            Names file, line and heading of a cell that is no number or no time.
        """
        columns = list(zip(*rows, strict=True))
        lines = np.asarray(places, dtype=np.int64)
        series = [i for i, plan in enumerate(self.plans) if plan.role == "series"]
        self.cells += len(lines) * len(series)
        if self.cells > MOST_CELLS:
            rule = f"has more than {MOST_CELLS:,} figures"
            raise self.source.error("file", rule, "give a shorter span, or fewer columns")
        block = np.empty((len(lines), len(series)))
        for j, i in enumerate(series):
            block[:, j] = self._numbers(self.plans[i], columns[i], lines)
        self.values.append(block)
        self._read_clocks([(plan, columns[i]) for i, plan in enumerate(self.plans) if plan.role in CLOCKS], lines)
        found = [columns[i] for i, plan in self._owners()]
        if found:
            known, most = self.names, MOST_COLUMNS
            keys = list(zip(*found, strict=True))
            for key in dict.fromkeys(keys):
                known.setdefault(key, len(known))
            codes = np.fromiter(map(known.__getitem__, keys), np.int64, len(lines))
            self.owners.append(codes)
            if len(known) > most:
                rule = f"has more than {most:,} classes"
                raise self.source.error("file", rule, "check which column names the class: --map class=HEADING")
        self.places.append(lines)

    def _read_clocks(self, columns: Sequence[tuple[ColumnPlan, Sequence[Any]]], lines: NDArray[np.int64]) -> None:
        """Times of a block; dates of the blocks before are read again where this one tells that the day stands first."""
        if self.clock.day_first is None:
            for plan, cells in columns:
                if plan.role != "length":
                    self.clock.learn(map(str, dict.fromkeys(cells)))
            if self.clock.day_first:
                for block, role, before in self.assumed:
                    self.clocks[role][block] = self._times(*before)
        for plan, cells in columns:
            self.clocks.setdefault(plan.role, []).append(self._times(plan, cells, lines))
        if self.clock.day_first is not None:
            self.assumed.clear()
        elif self.clock.assumed:
            self.assumed += [(len(self.places), plan.role, (plan, cells, lines)) for plan, cells in columns]

    def _owners(self) -> list[tuple[int, ColumnPlan]]:
        order = {role: at for at, role in enumerate(OWNERS)}
        found = [(i, plan) for i, plan in enumerate(self.plans) if plan.role in order]
        return sorted(found, key=lambda pair: order[pair[1].role])

    def _numbers(self, plan: ColumnPlan, cells: Sequence[Any], lines: NDArray[np.int64]) -> Array:
        try:
            return clock_times(cells) if plan.clock else numbers(cells, self.marks)
        except NoNumberError as error:
            rule = "must be a number below 1e100, or empty where nothing was measured"
            item = f"line {lines[error.position]}, {plan.heading!r}"
            raise self.source.error(item, rule, "correct the cell; --decimal , reads 0,5", error.text) from None

    def _times(self, plan: ColumnPlan, cells: Sequence[Any], lines: NDArray[np.int64]) -> Array:
        texts = [cell if isinstance(cell, str) else str(cell) for cell in cells]
        read: Callable[[str], float | None]
        if plan.role == "length":
            read, rule, repair = self._length(plan), "must be the length of an interval", "write 900, 15:00 or 29:59:999"
        elif plan.role == "time":
            read, rule, repair = self._time, "must be a time", "write 10:30:00 or 10.30.00"
        else:
            read, rule, repair = self._moment(plan), "must be a date and time", "write 2026-03-02T09:00"
        known: dict[str, float | None] = {text: read(text) for text in dict.fromkeys(texts)}
        found = [known[text] for text in texts]
        if None in found:
            at = found.index(None)
            item = f"line {lines[at]}, {plan.heading!r}"
            raise self.source.error(item, rule, repair, texts[at][:60])
        return np.array(found, dtype=np.float64)

    def _moment(self, plan: ColumnPlan) -> Callable[[str], float | None]:
        """How a begin or an end is read: as a date and time, or as a time alone where another column has the date."""
        if plan.role == "date" or all(each.role != "date" for each in self.plans):
            return self.clock.milliseconds

        def read(text: str) -> float | None:
            found = time_of_day(text)
            return self.clock.milliseconds(text) if found is None else found

        return read

    def _time(self, text: str) -> float | None:
        found = time_of_day(text)
        if found is not None:
            return found
        found = self.clock.milliseconds(text)
        if found is not None:
            return found
        value = number(text)  # seconds since the begin of a measurement
        return None if value is None or not 0 <= value < 1e8 else round(value * 1000)

    def _length(self, plan: ColumnPlan) -> Callable[[str], float | None]:
        known = factor(plan.unit, "s") if plan.unit else None
        scale = known[0] if known else 1.0

        def read(text: str) -> float | None:
            if absent(text):
                return np.nan
            found = duration(text)
            plain = text.strip().replace(".", "", 1).isdecimal()
            if found is not None and plain and not plan.unit and len(text.strip()) == 5 and text.strip()[2] == ".":
                self.clock.notes[f"{plan.heading!r} such as {text.strip()} is read as minutes.seconds"] = None  # RMF's 15.00
                found = 60.0 * int(text.strip()[:2]) + int(text.strip()[3:])
            elif found is not None and plain:
                found *= scale
            elif found is None:
                value = number(text, self.marks)
                found = None if value is None else value * scale
            return found if found is not None and 0 <= found < LONGEST else None

        return read


def intervals(columns: Columns, notes: Iterable[str]) -> Intervals:
    """The table of what was read.

    Raises
    ------
    ModelError
        Nothing was read that is known; or a table would be too large.
    """
    source, plans = columns.source, columns.plans
    said = dict.fromkeys([*source.notes, *notes])
    series = [replace(plan.series, source=source.name) for plan in plans if plan.series]
    if not series:
        said_of = next((plan.note for plan in plans if "left out" in plan.note), "")
        if said_of:
            raise source.error("headings", said_of, "say --map orders.rate=HEADING")
        headings = ", ".join(repr(plan.heading) for plan in plans[:8])
        raise source.error("headings", f"name no known quantity: {headings}", "say --map orders.rate=HEADING")
    if not columns.places:
        raise source.error("file", "has headings and no row", "give a file with intervals")
    values, places = np.concatenate(columns.values), np.concatenate(columns.places)
    columns.values.clear()
    clocks = {role: np.concatenate(parts) for role, parts in columns.clocks.items()}
    start, length = _clock(columns, clocks, len(places), said)
    said.update(columns.clock.notes)
    _scale(series, values, said)
    owners = np.concatenate(columns.owners) if columns.owners else np.zeros(len(places), dtype=np.int64)
    _divide(plans, series, values, length, said)
    roles = [plan.role for _, plan in columns._owners()]
    if "tcb" not in roles:
        for plan in plans:
            if plan.series and plan.series.resource == QR and _is_tcb_time(plan.heading):
                said[f"{plan.heading!r} is taken as that of the QR TCB: no column has the TCB mode (DSGTCBNM)"] = None
    groups = [_owned(series, roles, names) for names in columns.names] or [series]
    size = len(places) * len(groups) * len(series)
    if size > MOST_CELLS and _ordered(start):
        size = len(np.unique(start)) * len(groups) * len(series)
    if size > MOST_CELLS:
        rule = f"makes a table of {size:,} figures, and at most {MOST_CELLS:,} are read"
        raise source.error("file", rule, "give a shorter span, or --only the classes that matter")
    if not columns.names:
        return Intervals(start, length, tuple(series), values, places, tuple(said))
    if _ordered(start):
        found = pivoted(start, length, owners, groups, values, places, tuple(said))
        return of_resources(_of_regions(found) if "tcb" in roles else found)
    if len(groups) > 1:
        said["there is no clock: each record is an interval of its own, also of different classes"] = None
    found = _blocks(start, length, owners, groups, values, places, tuple(said))
    return _of_regions(found) if "tcb" in roles else found


def _is_tcb_time(heading: str) -> bool:
    known = exact(words(bracket(heading)[0]))
    return known is not None and known.field == TCB_TIME and "qr" not in words(heading)


def _of_regions(found: Intervals) -> Intervals:
    """One series of each that records of several TCB modes repeat: what is of the region and not of a TCB."""
    first: dict[MeasuredSeries, int] = {}
    values = found.values.copy()
    for j, each in enumerate(found.series):
        i = first.setdefault(each, j)
        values[:, i] = np.where(np.isnan(values[:, i]), found.values[:, j], values[:, i])
    kept = list(first.values())
    return replace(found, series=tuple(found.series[i] for i in kept), values=values[:, kept])


def _ordered(start: NDArray[np.datetime64]) -> bool:
    return bool((~np.isnat(start)).any())


def _blocks(
    start: NDArray[np.datetime64],
    length: Array,
    owners: NDArray[np.int64],
    groups: list[list[MeasuredSeries]],
    values: Array,
    places: NDArray[np.int64],
    notes: tuple[str, ...],
) -> Intervals:
    """Records without a clock: each a row, its figures in the columns of its owner."""
    n, q = values.shape
    found = np.full((n, len(groups), q), np.nan)
    found[np.arange(n), owners] = values
    flat = found.reshape(n, -1)
    every = [each for group in groups for each in group]
    kept = ~np.isnan(flat).all(axis=0)
    return Intervals(start, length, tuple(e for e, k in zip(every, kept, strict=True) if k), flat[:, kept], places, notes)


def _owned(series: list[MeasuredSeries], roles: list[str], names: Names) -> list[MeasuredSeries]:
    """The series of one owner: the names that its columns give."""
    labels = {role: printable(str(name)[:LONGEST_CELL]) for role, name in zip(roles, names, strict=True)}
    period = labels.pop("period", "")
    mode = labels.pop("tcb", None)
    if period and labels.get("work"):
        labels["work"] += f".{period}"
    found = []
    for each in series:
        own: dict[str, Any] = dict(labels)
        if each.work and labels.get("work"):
            own["work"] = f"{labels['work']} {each.work}"
        if each.resource and labels.get("resource"):
            own["resource"] = f"{labels['resource']} {each.resource}"
        if mode is not None and each.resource == QR and _is_tcb_time(each.field):
            own["resource"] = mode or "TCB"
            own["quantity"] = "used" if mode.endswith(SEVERAL) else each.quantity
        found.append(replace(each, **own))
    return found


def _clock(columns: Columns, clocks: dict[str, Array], n: int, said: dict[str, None]) -> tuple[NDArray[np.datetime64], Array]:
    """Begin and length of each record."""
    none = np.full(n, np.nan)
    at = {role: np.where(found == _NAT, np.nan, found) for role, found in clocks.items() if role != "length"}
    length = clocks.get("length", none)
    _put_dates(at)
    begin = at.get("start")
    if begin is None and "date" in at and ("time" in at or "end" not in at):
        begin = at["date"] + at.get("time", np.zeros(n))
    elif begin is None and "time" in at:
        begin = at["time"]
        if np.nanmax(begin, initial=0.0) < 1e11:  # below March 1973: no date
            said["times have no date: they count from 1970-01-01"] = None
    if "end" in at:
        if begin is None:
            begin = at["end"] - 1000 * length
        elif "length" not in clocks:
            length = (at["end"] - begin) / 1000
    wrong = (length < SHORTEST) | (length >= LONGEST)
    if wrong.any():
        line = int(np.concatenate(columns.places)[int(np.argmax(wrong))])
        raise columns.source.error(
            f"line {line}", "the interval must end after it begins, within 30 years", "correct the times"
        )
    if begin is None:
        begin = none
    elif np.isnan(length).all():
        gaps = np.diff(np.unique(begin[~np.isnan(begin)])) / 1000
        if len(gaps) > 1 and np.median(gaps) < LONGEST:
            length = np.full(n, float(np.median(gaps)))
            said[f"{NO_LENGTH}: the median distance of begins is taken, {length[0]:g} s"] = None
    start = np.full(n, NO_TIME)
    known = ~np.isnan(begin)
    start[known] = begin[known].astype(np.int64).astype("datetime64[ms]")
    return start, np.asarray(length, dtype=np.float64)


def _put_dates(at: dict[str, Array]) -> None:
    """Begins and ends that are times alone get the date of their row, in place; an end before its begin is of the next day."""
    if "date" not in at:
        return
    for role in {"start", "end"} & at.keys():
        at[role] = np.where(at[role] <= DAY, at["date"] + at[role], at[role])
    if {"start", "end"} <= at.keys():
        at["end"] = np.where((at["end"] < at["start"]) & (at["end"] > at["start"] - DAY), at["end"] + DAY, at["end"])


def _scale(series: list[MeasuredSeries], values: Array, said: dict[str, None]) -> None:
    """Multiply with the factors, in place; where only the values decide, percent or share is decided and noted."""
    for j, each in enumerate(series):
        if each.factor == BY_VALUES:
            top = float(np.nanmax(values[:, j], initial=0.0))
            if top > NO_SHARE:
                said[f"{each.field!r} is left out: it is no utilization, its greatest value is {top:.4g}"] = None
                series[j] = replace(each, factor=1.0)
                values[:, j] = np.nan
                continue
            series[j] = each = replace(each, factor=0.01 if top > PERCENT else 1.0)
            form = "percent" if top > PERCENT else "shares from 0 to 1"
            said[f"{each.field!r} has no unit: it is taken as {form}, its greatest value is {top:.4g}"] = None
        if each.factor != 1.0:
            values[:, j] *= each.factor


def _divide(plans: list[ColumnPlan], series: list[MeasuredSeries], values: Array, length: Array, said: dict[str, None]) -> None:
    """Divide sums by the length of their interval or by the jobs that ended, in place."""
    divisors = [plan.divisor for plan in plans if plan.series]
    for j, (each, divisor) in enumerate(zip(series, divisors, strict=True)):
        if divisor == "interval":
            below = length
        elif divisor == "count":
            counts = [i for i, s in enumerate(series) if s.quantity == "count" and s.work in ("", each.work)]
            below = values[:, counts[0]] if counts else np.full(len(length), np.nan)
        else:
            continue
        if np.isnan(below).all():
            what = "the length of the interval" if divisor == "interval" else "a count of jobs"
            said[f"{each.field!r} is left out: it is a sum that must be divided by {what}, which no column has"] = None
        values[:, j] = divided(values[:, j], below)


def refused(error: ModelError, source: Source) -> ModelError:
    """The same error, naming the file."""
    return error if error.file else error.in_file(source.name)
