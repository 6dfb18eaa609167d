"""Forecasts of load by month, from a CSV file or a table."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qnsolve.errors import ModelError, suggestion
from qnsolve.files.text import decoded, read
from qnsolve.numerics.series import Array

from .months import Month, month_of

DATES = ("month", "date", "quarter", "period")  # headings of the column of dates
FACTOR = ".factor"
COMMA = re.compile(r"(\d+),(\d+)")  # a decimal comma, or one of thousands


@dataclass(frozen=True, eq=False)
class Forecast:
    """The load of one work by month.

    Attributes
    ----------
    months : tuple of Month
        Rising.
    values : ndarray (n,)
        Rates [1/s] or users; factors on the load of the first month of the study where `factors` [ratio].
    factors : bool
    source : str
    """

    months: tuple[Month, ...]
    values: Array
    factors: bool
    source: str

    def at(self, month: Month, load: float, begin: Month) -> float:
        """Factor on a load in a month: between the rows along the logarithm, beyond them as at the last."""
        months, values = list(self.months), self.values.tolist()
        if begin < months[0]:  # the file has the load of the first month of the study
            months, values = [begin, *months], [1.0 if self.factors else load, *values]
        at = np.array([float(each.astype(np.int64)) for each in months])
        value = math.exp(float(np.interp(float(month.astype(np.int64)), at, np.log(values))))
        return value if self.factors else value / load


def forecasts_of(path: str | os.PathLike[str], works: Sequence[str]) -> dict[str, Forecast]:
    """The forecasts of a CSV file: a column `month` and one for each work that it knows.

    A column `orders` has rates [1/s] or users, `orders.factor` factors on the load that the model has.

    Raises
    ------
    ModelError
    """
    name = os.fspath(path)
    rows, commas = _rows(name)
    head = [cell.strip() for cell in rows[0]]
    if not head or head[0].lower() not in DATES:
        rule = "must begin with a column month"
        raise ModelError("forecast: heading", rule, f"write month,{','.join(works)}", head[0] if head else "").in_file(name)
    found = {}
    for column, title in enumerate(head[1:], start=1):
        work = title.removesuffix(FACTOR)
        if work not in works:
            rule = "names no work of the system"
            raise ModelError("forecast: column", rule, suggestion(title, works), title).in_file(name)
        if work in found:
            raise ModelError("forecast: column", "is there twice", f"keep {work} or {work}{FACTOR}", title).in_file(name)
        found[work] = _column(name, rows[1:], (column, title, title.endswith(FACTOR)), commas)
    if not found:
        rule = "must have a column for a work"
        raise ModelError("forecast", rule, f"write month,{','.join(works)}", ",".join(head)).in_file(name)
    return found


def _rows(name: str) -> tuple[list[list[str]], bool]:
    """The rows of a file, and whether its columns are separated by anything but commas."""
    text = decoded(read(name)).lstrip("\ufeff")
    first = text.partition("\n")[0]
    comma = ";" if ";" in first and "," not in first else "\t" if "\t" in first and "," not in first else ","
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=comma) if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise ModelError(
            "forecast", "must have a heading and a row", "write a row for each month", f"{len(rows)} rows"
        ).in_file(name)
    return rows, comma != ","


def _column(name: str, rows: Sequence[Sequence[str]], head: tuple[int, str, bool], commas: bool) -> Forecast:
    column, title, factors = head
    months, values = [], []
    for line, row in enumerate(rows, start=2):
        cell = row[column].strip() if column < len(row) else ""
        if not cell:
            continue  # a month for which another column alone has a figure
        item = f"forecast: {title}, line {line}"
        try:
            value = _figure(cell, commas)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            comma = COMMA.fullmatch(cell)
            repair = f"write {comma[1]}.{comma[2]} or {comma[1]}{comma[2]}" if comma else "write a plain number"
            raise ModelError(item, "must be a number above 0", repair, cell).in_file(name)
        try:
            months.append(month_of(f"forecast: month, line {line}", row[0], last=True))
        except ModelError as error:
            raise error.in_file(name) from None
        values.append(value)
        if len(months) > 1 and months[-1] <= months[-2]:
            raise ModelError(item, "must have rising months", "sort the rows, keep one of a month", str(months[-1])).in_file(
                name
            )
    if not months:
        raise ModelError(f"forecast: {title}", "has no figure", "give one, or take the column out", "").in_file(name)
    return Forecast(tuple(months), np.array(values), factors, os.path.basename(name))


def _figure(cell: str, commas: bool) -> float:
    """The number of a cell; with a decimal comma where the file may have those and it is no comma of thousands."""
    comma = COMMA.fullmatch(cell)
    if comma and commas and not (len(comma[2]) == 3 and comma[1] != "0"):
        return float(f"{comma[1]}.{comma[2]}")
    return float(cell)


def forecast_table(item: str, given: Mapping[Any, Any]) -> Forecast:
    """A forecast from a table of months and figures, {"2027-06": 1700, "2027-12": 1900}."""
    rows = sorted((month_of(item, month, last=True), value) for month, value in given.items())
    for month, value in rows:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise ModelError(f"{item}: {month}", "must be a number above 0", "write a rate or a count of users", value)
    if not rows:
        raise ModelError(item, "must not be empty", 'write {"2027-12" = 1900}', "")
    return Forecast(tuple(m for m, _ in rows), np.array([float(v) for _, v in rows]), False, "the study's table")
