"""Intervals of CSV files whose columns are named NAME.quantity."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.files.text import decoded, read
from qnsolve.measure.intervals.building import table
from qnsolve.measure.intervals.interval_table import Intervals

TIME, LENGTH = "time", "length"


def intervals_of(files: Sequence[str]) -> Intervals:
    """The intervals of one file.

    Raises
    ------
    ModelError
    """
    if len(files) != 1:
        raise ModelError("file", "must be one", "join the files", ", ".join(files))
    try:
        found = _table(decoded(read(files[0])))
    except ModelError as error:
        raise error.in_file(files[0]) from error.__cause__
    return replace(found, series=tuple(replace(each, source=files[0]) for each in found.series), places=found.places + 1)


def _table(text: str) -> Intervals:
    try:
        head, *rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except (csv.Error, ValueError):
        raise ModelError("file", "is not a CSV file with headings", "name the columns orders.rate, cpu.busy") from None
    columns = {}
    for j, name in enumerate(head):
        if name != TIME:
            columns[name.strip()] = [_number(row, j, i, name) for i, row in enumerate(rows, 2)]
    start = [row[head.index(TIME)] for row in rows] if TIME in head else None
    length = columns.pop(LENGTH, None)
    return table({name: np.array(values) for name, values in columns.items()}, start=start, length=length)


def _number(row: list[str], j: int, line: int, name: str) -> float:
    text = row[j].strip() if j < len(row) else ""
    try:
        return float(text) if text else float("nan")
    except ValueError:
        raise ModelError(f"line {line}, {name}", "must be a number", "correct it, or leave it empty", text) from None
