"""read: a file of measurements of any known format as one table of intervals."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

import numpy as np

from qnsolve.errors import ModelError, counted
from qnsolve.measure.intervals.interval_table import LABELS, Intervals, MeasuredSeries
from qnsolve.model import checks

from .canonical_table import read_canonical
from .clocks import Clock
from .delimited import BLOCK, SAMPLE, SEPARATORS, blocks, form
from .headings import ColumnPlan, as_clock, planned, with_queueing
from .json_records import records
from .number_cells import Marks, absent, divided, guessed, number, seconds_of_clock
from .records import Columns, intervals, refused
from .reports.report_table import ReportPage
from .source_files import FORMATS, LARGEST, Source, printable

SHOWN = 12  # columns that a note names
SHOWN_WORD = 40  # characters of a word in one
_TIMES = ("s", "ms", "us", "ns", "min", "h")


def read(
    file: str | os.PathLike[str] | IO[Any],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    time_unit: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    day_first: bool | None = None,
    keep_all: bool = False,
    largest: int = LARGEST,
    progress: Callable[[int], None] | None = None,
) -> Intervals:
    r"""The intervals of a file: CSV, JSON, RMF XML (Postprocessor, Monitor III) or the printed CPU Activity report.

    The format is known by the content. `notes` of the result say what was assumed and what was left out.

    Parameters
    ----------
    file : str, path-like or file
        A name, or a file open for reading.
    format : {"csv", "json", "rmf-xml", "monitor3-xml", "rmf-text", "qnsolve"}, optional
        In place of what the content shows.
    columns : mapping of str to str, optional
        What headings mean: {"orders.response_time": "Avg Resp [ms]", "start": "When"}.
    units : mapping of str to str, optional
        Units of headings: {"Avg Resp": "ms"}.
    time_unit : {"s", "ms", "us", "ns", "min", "h"}, optional
        Unit of times whose heading has none; by default seconds, which a note says.
    decimal, thousands : str, optional
        The decimal mark ("." or ",") and the mark between thousands; by default the cells decide.
    day_first : bool, optional
        Whether 03/04/2026 is 3 April.
    keep_all : bool, optional
        Keep the figures of columns that are not understood, as they were printed (quantity "figure").
    largest : int, optional
        Bytes that the file may have.
    progress : callable, optional
        Is called with the number of rows, or of reports, that were read so far.

    Returns
    -------
    Intervals
        Times in seconds, rates per second, utilizations as shares from 0 to 1.

    Raises
    ------
    ModelError
        Names file, line and field.

    Examples
    --------
    >>> import io
    >>> text = io.StringIO("start,orders.rate [1/min],orders.response_time [ms]\n2026-03-02T09:00,600,12.5\n")
    >>> found = read(text)
    >>> found.column("rate").tolist(), found.column("response_time").tolist()
    ([10.0], [0.0125])
    """
    if format is not None:
        checks.choice("format", format, FORMATS)
    if time_unit is not None:
        checks.choice("time_unit", time_unit, _TIMES)
    if decimal is not None:
        checks.choice("decimal", decimal, (".", ","))
    if thousands is not None:
        checks.choice("thousands", thousands, (".", ",", " ", "'"))
    source = Source(file, checks.whole("largest", largest, least=1, most=2**40))
    kind = format or source.format()
    if not kind.endswith("-xml"):
        source.settle_encoding()
    try:
        if kind == "qnsolve":
            source.check_lines()
            return read_canonical(source)
        if kind in ("csv", "json"):
            marks = None if decimal is None and thousands is None else Marks(decimal or ".", thousands or "")
            clock = Clock(day_first)
            rows = _json(source) if kind == "json" else _csv(source)
            found = _tabular(source, _told(rows, progress), (columns, units, time_unit), marks, clock, keep_all)
        else:
            found = _report(source, kind, keep_all, progress)
    except ModelError as error:
        raise refused(error, source) from None
    except UnicodeDecodeError:
        raise source.error("file", "is no text", "save it as UTF-8") from None
    return _finished(found)


Rows = tuple[list[str], list[list[Any]], Iterator[tuple[list[list[Any]], list[int]]], str]


def _csv(source: Source) -> Rows:
    source.check_lines()
    chosen = form(source)
    sample = [row for row in chosen.sample if len(row) == len(chosen.headings)]
    return list(chosen.headings), sample, blocks(source, chosen), chosen.separator


def _json(source: Source) -> Rows:
    keys, headings, found, places = records(source)

    def rows(at: int, size: int) -> list[list[Any]]:
        return [[row.get(key, "") for key in keys] for row in found[at : at + size]]

    parts = ((rows(at, BLOCK), places[at : at + BLOCK]) for at in range(0, len(found), BLOCK))
    return headings, rows(0, SAMPLE), parts, SEPARATORS[0]


def _told(rows: Rows, progress: Callable[[int], None] | None) -> Rows:
    """The same rows; tells how many were read."""

    def counted() -> Iterator[tuple[list[list[Any]], list[int]]]:
        read_so_far = 0
        for block, places in rows[2]:
            yield block, places
            read_so_far += len(places)
            if progress is not None:
                progress(read_so_far)

    return rows[0], rows[1], counted(), rows[3]


def _report(source: Source, kind: str, keep_all: bool, progress: Callable[[int], None] | None) -> Intervals:
    if kind == "rmf-text":
        from .reports.printed_report import printed_tables as tables
    else:
        from .reports.ddsml import tables
    from .reports.report_figures import intervals_of

    def pages() -> Iterator[ReportPage]:
        for page in tables(source):
            yield page
            if progress is not None:
                progress(page.number)

    return intervals_of(source, pages(), keep_all)


def _grouped(plans: Sequence[ColumnPlan]) -> list[str]:
    """The notes on columns, each said once, with how many columns it is of."""
    same: dict[str, list[str]] = {}
    for plan in plans:
        if plan.note:
            same.setdefault(plan.note.replace(repr(plan.heading), ""), []).append(plan.note)
    return [first + (f" (the same of {len(others)} more)" if others else "") for first, *others in same.values()]


def _tabular(
    source: Source,
    rows: Rows,
    said: tuple[Mapping[str, str] | None, Mapping[str, str] | None, str | None],
    marks: Marks | None,
    clock: Clock,
    keep_all: bool,
) -> Intervals:
    headings, sample, parts, separator = rows
    plans = planned([printable(heading) for heading in headings], *said)
    plans, left = _by_sample(plans, sample, [marks] if marks else [Marks(), Marks(",", ".")], keep_all)
    notes = _grouped(plans)
    if left:
        shown = ", ".join(map(repr, left[:SHOWN])) + (f" and {len(left) - SHOWN} more" if len(left) > SHOWN else "")
        notes.append(f"not understood and left out: {shown} (--map NAME.quantity=HEADING reads one)")
    if marks is None:
        texts = (str(row[i]) for i, plan in enumerate(plans) if plan.role == "series" for row in sample)
        marks, note, question = guessed(texts, separator)
        if question:
            raise source.error("numbers", question, "say --decimal , or --thousands ,")
        notes += [note] if note else []
    dates = [i for i, plan in enumerate(plans) if plan.role in ("start", "end", "date", "time")]
    clock.learn(str(row[i]) for i in dates for row in sample)
    columns = Columns(source, plans, clock, marks)
    for block, places in _without_totals(parts, plans, notes):
        columns.add(block, places)
    return intervals(columns, notes)


def _without_totals(
    parts: Iterator[tuple[list[list[Any]], list[int]]], plans: Sequence[ColumnPlan], notes: list[str]
) -> Iterator[tuple[list[list[Any]], list[int]]]:
    """The rows but the last ones that have a word in place of a time, as below a table; a note names them."""
    at = next((i for i, plan in enumerate(plans) if plan.role in ("start", "date", "end")), -1)
    held: tuple[list[list[Any]], list[int]] = ([], [])
    before = False
    for block, places in parts:
        if held[0]:
            yield held
        last = len(block)
        while at >= 0 and last and _is_total(str(block[last - 1][at])):
            last -= 1
        before |= last > 0
        held = block[last:], places[last:]
        if last:
            yield block[:last], places[:last]
    if held[0] and not before:
        yield held
    elif held[0]:
        words = ", ".join(dict.fromkeys(repr(printable(str(row[at]).strip())[:SHOWN_WORD]) for row in held[0][:SHOWN]))
        lines = f"line {held[1][0]} is" if len(held[1]) == 1 else f"lines {held[1][0]} to {held[1][-1]} are"
        notes.append(f"{lines} left out: {words} in place of a time, as of totals below a table")


def _is_total(cell: str) -> bool:
    """Whether a cell that should be a time is a word."""
    return not absent(cell) and not any(letter.isdigit() for letter in cell)


def _by_sample(
    plans: list[ColumnPlan], sample: list[list[Any]], forms: list[Marks], keep_all: bool
) -> tuple[list[ColumnPlan], list[str]]:
    """The plans that the first rows bear out, and the headings of columns that are left out."""
    found, left = [], []
    for i, plan in enumerate(plans):
        cells = [row[i] for row in sample if i < len(row) and not absent(str(row[i]))]
        kinds = [any(number(cell, marks) is not None for marks in forms) for cell in cells]
        numeric = bool(kinds) and all(kinds)
        if (
            plan.role == "series"
            and kinds
            and not any(kinds)
            and all(seconds_of_clock(str(cell)) is not None for cell in cells)
        ):
            plan = as_clock(plan)
        elif plan.role == "series" and kinds and not any(kinds) and len(sample) > 1:
            # words below a heading that names a quantity; a single row is no proof
            note = f"{plan.heading!r} is left out: {printable(str(cells[0]))[:SHOWN_WORD]!r} is no number"
            plan = ColumnPlan(plan.heading, "", note=note)
        if (
            plan.role == "time"
            and numeric
            and not any(p.role == "date" for p in plans)
            and any(p.role == "start" for p in plans)
        ):
            plan = ColumnPlan(plan.heading, "")
        if plan.series and plan.series.unit in ("1", "servers") and any(str(cell).rstrip().endswith("%") for cell in cells):
            plan = replace(plan, series=replace(plan.series, factor=0.01))  # the unit stands in the cells
        if plan.role == "length" and not plan.unit and numeric and _counts(cells):
            plan = ColumnPlan(plan.heading, "", note=f"{plan.heading!r} is left out: it numbers the intervals")
        if plan.role == "" and keep_all and numeric and plan.heading:
            plan = ColumnPlan(plan.heading, "series", MeasuredSeries("figure", resource=plan.heading, field=plan.heading))
        if plan.role == "" and not plan.note and plan.heading:
            left.append(plan.heading)
        found.append(plan)
    return found, left


def _counts(cells: list[Any]) -> bool:
    """Whether a column numbers the intervals, 1, 2, 3 or 1, 1, 2, 2, 3, 3, and is no length of them."""
    values = [number(cell) or 0.0 for cell in cells]
    steps = {after - before for before, after in itertools.pairwise(values)}
    return steps <= {0.0, 1.0} and values[-1] - values[0] >= 2


def _finished(found: Intervals) -> Intervals:
    """With the rate of each class of which only the count is known; without series that were never measured."""
    empty = np.isnan(found.values).all(axis=0)
    if empty.any():
        names = [found.series[i].title for i in np.flatnonzero(empty)]
        note = f"never measured and left out: {', '.join(names[:SHOWN])}" + (" ..." if len(names) > SHOWN else "")
        found = replace(found.series_where(np.flatnonzero(~empty)), notes=(*found.notes, note))
    found = _one_each(found)
    rates = {tuple(getattr(each, label) for label in LABELS) for each in found.series if each.quantity == "rate"}
    known = ~np.isnan(found.length)
    added: list[MeasuredSeries] = []
    columns = []
    for each, values in zip(found.series, found.values.T, strict=True):
        labels = tuple(getattr(each, label) for label in LABELS)
        if each.quantity == "count" and labels not in rates and (known & ~np.isnan(values)).any():
            added.append(replace(each, quantity="rate", field=f"{each.field} / length"))
            columns.append(divided(values, found.length))
    if not added:
        return found
    note = f"rates of {counted(len(added), 'class')} are counts divided by the length of the interval"
    values = np.column_stack([found.values, *columns])
    return replace(found, series=(*found.series, *added), values=values, notes=(*found.notes, note))


def _one_each(found: Intervals) -> Intervals:
    """Of two series of one meaning one is kept: the response time with queueing, else the first."""
    kept: dict[tuple[str, ...], int] = {}
    for i, each in enumerate(found.series):
        key = (each.quantity, *(getattr(each, label) for label in LABELS))
        if each.quantity == "figure":
            key = (*key, each.field)
        if key not in kept or (with_queueing(each.field) and not with_queueing(found.series[kept[key]].field)):
            kept[key] = i
    if len(kept) == len(found.series):
        return found
    stays = sorted(kept.values())
    left = dict.fromkeys(found.series[i].field for i in range(len(found.series)) if i not in kept.values())
    note = f"left out, another field says the same: {', '.join(list(left)[:SHOWN])}"
    return replace(found.series_where(stays), notes=(*found.notes, note))


def mapping(words: Iterable[str]) -> dict[str, str]:
    """The columns that options like orders.rate=Trans/s give.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> mapping(["orders.rate=Trans/s"])
    {'orders.rate': 'Trans/s'}
    """
    found: dict[str, str] = {}
    for word in words:
        name, mark, heading = word.partition("=")
        if not mark or not name.strip() or not heading.strip():
            raise ModelError("--map", "must be NAME.quantity=HEADING", "write --map 'orders.rate=Trans/s'", word)
        if name.strip() in found:
            raise ModelError("--map", "must not name one thing twice", "keep one of them", name)
        found[name.strip()] = heading.strip()
    return found
