"""Files of measured intervals, as commands take them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from qnsolve import measure
from qnsolve.errors import ModelError
from qnsolve.measure import Intervals

FILES = "file of measured intervals: CSV with the headings start, length and NAME.quantity"


def read(file: str) -> Intervals:
    """The table of a file."""
    with Path(file).open(newline="", encoding="utf-8-sig") as text:
        rows = [row for row in csv.reader(text) if row]
    if len(rows) < 2:
        raise ModelError("file", "must have a line of headings and one of figures", "give a table of intervals").in_file(file)
    head, *body = rows
    columns: dict[str, list[float]] = {name: [] for name in head if name not in ("start", "length")}
    for number, row in enumerate(body, start=2):
        if len(row) != len(head):
            raise ModelError(f"line {number}", f"must have {len(head)} fields", "complete it", len(row)).in_file(file)
        for name, cell in zip(head, row, strict=True):
            if name in columns:
                try:
                    columns[name].append(float(cell) if cell.strip() else np.nan)
                except ValueError:
                    raise ModelError(f"line {number}: {name}", "must be a number", "correct it", cell).in_file(file) from None
    start = [row[head.index("start")] for row in body] if "start" in head else None
    try:
        length = [float(row[head.index("length")]) for row in body] if "length" in head else None
        return measure.table(columns, start=start, length=length)
    except ModelError as error:
        raise error.in_file(file) from None
    except ValueError as error:
        raise ModelError("length", "must be seconds", "correct it", str(error)).in_file(file) from None


def read_all(files: Sequence[str]) -> Intervals:
    """The tables of files, one after the other; the same series in each."""
    tables = [read(file) for file in files]
    first = tables[0]
    if len(tables) == 1:
        return first
    titles = [each.title for each in first.series]
    values = []
    for file, table in zip(files, tables, strict=True):
        own = [each.title for each in table.series]
        if sorted(own) != sorted(titles):
            other = sorted(set(own) ^ set(titles))
            raise ModelError("series", f"must be those of {files[0]}", "give files of one form", ", ".join(other)).in_file(file)
        values.append(table.values[:, [own.index(title) for title in titles]])
    joined = {name: np.concatenate([getattr(each, name) for each in tables]) for name in ("start", "length", "places")}
    notes = tuple(dict.fromkeys(note for each in tables for note in each.notes))
    return Intervals(series=first.series, values=np.concatenate(values), notes=notes, **joined)
