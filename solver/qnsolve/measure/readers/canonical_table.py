"""A table of intervals as CSV that is read back exactly: lines of names above, then a row an interval."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.measure.intervals.interval_table import LABELS, Intervals, MeasuredSeries
from qnsolve.measure.intervals.quantities import QUANTITIES
from qnsolve.results.rendering import FORMULA

from .clocks import Clock
from .delimited import Form, blocks
from .headings import ColumnPlan
from .number_cells import Marks
from .records import Columns, intervals
from .source_files import MOST_COLUMNS, Source

FIRST = ("#qnsolve", "intervals", "1")
ABOUT = (*LABELS, "field", "source")
LEFT = ("start", "length", "place")
_MOST_LINES = 10_000  # above the headings: notes


def canonical(found: Intervals) -> str:
    """The text of the CSV, in the units of a table; `read` gives the same table back.

    Examples
    --------
    >>> from qnsolve.measure import table
    >>> print(canonical(table({"orders.rate": [10.0, 20.0]}, length=900)), end="")
    #qnsolve,intervals,1
    #work,,,orders
    #field,,,orders.rate
    start,length,place,orders.rate [1/s]
    ,900.0,1,10.0
    ,900.0,2,20.0
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIRST)
    writer.writerows(("#note", _safe(note)) for note in found.notes)
    for label in ABOUT:
        texts = [getattr(each, label) for each in found.series]
        if any(texts):
            writer.writerow([f"#{label}", "", "", *map(_safe, texts)])
    if any(each.factor != 1.0 for each in found.series):
        writer.writerow(["#factor", "", "", *(repr(float(each.factor)) for each in found.series)])
    writer.writerow([*LEFT, *(_safe(f"{each.title} [{each.unit}]" if each.unit else each.title) for each in found.series)])
    starts = np.where(np.isnat(found.start), "", np.datetime_as_string(found.start, unit="ms"))
    for at in range(0, len(found), 4096):
        part = slice(at, at + 4096)
        rows = zip(
            starts[part], found.length[part].tolist(), found.places[part].tolist(), found.values[part].tolist(), strict=True
        )
        for time, length, place, values in rows:
            cells = ["" if isnan(value) else repr(value) for value in values]
            writer.writerow([time, "" if isnan(length) else repr(length), place, *cells])
    return out.getvalue()


def read_canonical(source: Source) -> Intervals:
    """The table of such a text.

    Raises
    ------
    ModelError
    """
    about: dict[str, list[str]] = {}
    notes: list[str] = []
    heading: list[str] | None = None
    line = 0
    with source.text() as file:
        reader = csv.reader(itertools.islice(file, _MOST_LINES))
        try:
            for row in reader:
                line = reader.line_num
                if row and row[0] == "#note":
                    notes.append(_plain(row[1] if len(row) > 1 else ""))
                elif row and row[0].startswith("#"):
                    about[row[0][1:]] = [_plain(cell) for cell in row[len(LEFT) :]]
                elif row:
                    heading = row
                    break
        except csv.Error as error:
            raise source.error(f"line {reader.line_num}", f"cannot be read: {error}", "write the table again") from None
    if heading is None or tuple(heading[: len(LEFT)]) != LEFT or not len(LEFT) < len(heading) <= MOST_COLUMNS:
        raise source.error(f"line {line}", "must have the headings start, length, place and series", "write the table again")
    series = [_series(source, line, i, cell, about) for i, cell in enumerate(map(_plain, heading[len(LEFT) :]))]
    plain = [ColumnPlan(cell, "series", MeasuredSeries("figure")) for cell in heading[len(LEFT) :]]
    plans = [
        *(ColumnPlan("start", "start"), ColumnPlan("length", "length", unit="s")),
        *(ColumnPlan("place", "series", MeasuredSeries("figure")), *plain),
    ]
    columns = Columns(source, plans, Clock(day_first=False), Marks())
    form = Form(",", line, tuple(heading), ())
    for rows, places in blocks(source, form):
        columns.add(rows, places)
    found = intervals(columns, ())
    at = found.values[:, 0]
    if np.isnan(at).any() or (at != np.floor(at)).any() or (np.abs(at) > 1e15).any():
        raise source.error("place", "must be a whole number for each interval", "write the table again")
    return replace(found, series=tuple(series), values=found.values[:, 1:], places=at.astype(np.int64), notes=tuple(notes))


def _series(source: Source, line: int, i: int, heading: str, about: dict[str, list[str]]) -> MeasuredSeries:
    """A series by its column: its quantity from the heading, its names from the lines above."""
    title = heading.rpartition(" [")[0] or heading
    quantity = title.rpartition(".")[2]
    item = f"line {line}, {heading!r}"
    if quantity not in QUANTITIES:
        raise source.error(item, "must be named NAME.quantity [unit]", "write the table again")
    texts = {label: values[i] for label, values in about.items() if label in ABOUT and i < len(values)}
    factors: Sequence[str] = about.get("factor", ())
    try:
        factor = float(factors[i]) if i < len(factors) and factors[i] else 1.0
    except ValueError:
        raise source.error(item, "must have a number as its factor", "write the table again", factors[i][:60]) from None
    if not 0 < abs(factor) < 1e100:
        raise source.error(item, "must have a factor above 0", "write the table again", factor)
    return MeasuredSeries(quantity, factor=factor, **texts)


def _safe(text: str) -> str:
    return f"'{text}" if FORMULA.match(text) else text


def _plain(text: str) -> str:
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def check_name(name: str | os.PathLike[str]) -> None:
    """A table is written to a name that ends in .csv."""
    if not os.fspath(name).lower().endswith(".csv"):
        raise ModelError("-o", "must be a name that ends in .csv", "write -o table.csv", os.fspath(name))
