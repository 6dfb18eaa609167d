"""Cells to the values that a function takes. The only place where that is decided."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .catalogue import Argument
from .cells import OMITTED, CellError, Numbers, Table

MOST_CELLS = 2**20  # of a range, once its empty rows and columns at the end are taken off
MOST_ROWS = 10_000  # of a table with a heading row: a hundred days of quarters of an hour
RANGE = (list, tuple)
TABLES = 3  # lpars, regions, work: in front in both orders
BESIDE = 3  # coupling facilities, logs, devices


def converted(argument: Argument, given: Any) -> Any:
    """What the function takes, or CellError."""
    if given is OMITTED:
        if argument.optional:
            return argument.default
        raise CellError("#VALUE!", f"{argument.name} is missing: {argument.help}")
    if isinstance(given, CellError) and argument.kind != "any":
        raise passed_on(argument.name, given)
    return CONVERTERS[argument.kind](argument.name, given)


def passed_on(name: str, error: CellError) -> CellError:
    """An error value in an argument is the result, as with built-in functions."""
    return CellError(error.code, f"{name} is {error.code}")


def single(name: str, given: Any) -> Any:
    """The one cell of an argument that takes one."""
    if isinstance(given, RANGE):
        if len(given) != 1 or (isinstance(given[0], RANGE) and len(given[0]) != 1):
            raise CellError("#VALUE!", f"{name} is a range of several cells; give it one cell")
        given = given[0][0] if isinstance(given[0], RANGE) else given[0]
    if isinstance(given, CellError):
        raise passed_on(name, given)
    return given


def number(name: str, given: Any) -> float:
    """A finite number; an empty cell is 0 and TRUE is 1, as in built-in functions."""
    if type(given) is not float:
        given = single(name, given)
        if given is None:
            return 0.0
        if not isinstance(given, (int, float)):
            raise CellError("#VALUE!", f"{name} is {_shown(given)}; it must be a number")
        try:
            given = float(given)
        except OverflowError:
            given = math.inf
    if not math.isfinite(given):
        raise CellError("#NUM!", f"{name} is not finite; it must be a number")
    return float(given) + 0.0  # -0 is 0, as a sheet shows it


def whole(name: str, given: Any) -> int:
    """A whole number."""
    value = number(name, given)
    if value != int(value):
        low = math.floor(value)
        raise CellError("#NUM!", f"{name} is {value:g}; it must be a whole number: {low} or {low + 1}")
    return int(value)


def text(name: str, given: Any) -> str:
    """A text; a number is written as a sheet shows it."""
    given = single(name, given)
    if given is None:
        return ""
    if isinstance(given, bool):
        return str(given).upper()
    if isinstance(given, (int, float)):
        return f"{given:.15g}"
    if not isinstance(given, str):
        raise CellError("#VALUE!", f"{name} is {_shown(given)}; it must be a text")
    return given.strip()


def flag(name: str, given: Any) -> bool:
    """TRUE or FALSE; a number other than 0 is TRUE."""
    given = single(name, given)
    if isinstance(given, str) and given.strip().upper() in {"TRUE", "FALSE"}:
        return given.strip().upper() == "TRUE"
    return bool(number(name, given))


def table(name: str, given: Any) -> Table:
    """Rows of cells without the empty ones at the end; "" in a range is an empty cell, as Calc hands it over."""
    rows = _trimmed(name, given)
    width = max(map(len, rows), default=0)
    found = [[_cell(name, i, j, cell) for j, cell in enumerate(row, 1)] for i, row in enumerate(rows, 1)]
    return [row + [None] * (width - len(row)) for row in found]


def numbers(name: str, given: Any) -> Numbers:
    """The numbers of a range, row by row; empty cells only at its end."""
    rows = _trimmed(name, given)
    found = [cell for row in rows for cell in row]
    if len(set(map(len, rows))) == 1 and set(map(type, found)) == {float} and all(map(math.isfinite, found)):
        return found
    found = [cell for row in table(name, given) for cell in row]
    while found and found[-1] is None:
        found.pop()
    if not found:
        raise CellError("#VALUE!", f"{name} has no number in it")
    for i, cell in enumerate(found, 1):
        if not isinstance(cell, float):
            what = "empty" if cell is None else _shown(cell)
            raise CellError("#VALUE!", f"cell {i} of {name} is {what}; each must be a number")
    return found


def anything(name: str, given: Any) -> Any:
    """As it is; QN.WHY hands it on."""
    return given


def headed(name: str, given: Any) -> Table:
    """A table with a heading row: refused where it has more rows than any model, before a cell of it is read."""
    rows = _trimmed(name, given)
    if len(rows) > MOST_ROWS:
        raise CellError("#VALUE!", f"{name} has {len(rows)} rows, more than {MOST_ROWS}; give the table alone")
    return table(name, rows)


CONVERTERS: dict[str, Callable[[str, Any], Any]] = {
    "number": number,
    "whole": whole,
    "text": text,
    "flag": flag,
    "numbers": numbers,
    "table": headed,
    "any": anything,
}


def _trimmed(name: str, given: Any) -> list[Sequence[Any]]:
    """The rows of a range without empty rows at its end, each without empty cells at its end."""
    if not isinstance(given, RANGE):
        given = [[given]]
    rows = [row if isinstance(row, RANGE) else [row] for row in given]
    last = len(rows)
    while last and _is_empty(rows[last - 1]):
        last -= 1
    found: list[Sequence[Any]] = [
        row if row and row[-1] is not None and row[-1] != "" else row[: _filled(row)] for row in rows[:last]
    ]
    cells = last * max(map(len, found), default=0)
    if cells > MOST_CELLS:
        raise CellError("#VALUE!", f"{name} has {cells} cells, more than {MOST_CELLS}; give a smaller range")
    return found


def _is_empty(row: Sequence[Any]) -> bool:
    return row.count(None) + row.count("") == len(row)


def _filled(row: Sequence[Any]) -> int:
    return max((j for j, cell in enumerate(row, 1) if not (cell is None or cell == "")), default=0)


def _cell(name: str, i: int, j: int, cell: Any) -> Any:
    if type(cell) is float and math.isfinite(cell):
        return cell
    if cell is None or cell == "":
        return None
    if isinstance(cell, CellError):
        raise CellError(cell.code, f"row {i}, column {j} of {name} is {cell.code}")
    if isinstance(cell, (bool, str)):
        return cell
    if isinstance(cell, (int, float)):
        return number(f"row {i}, column {j} of {name}", cell)
    raise CellError("#VALUE!", f"row {i}, column {j} of {name} is {_shown(cell)}; it must be a number or a text")


def _shown(value: Any) -> str:
    shown = "empty" if value == "" else repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def in_order(given: Sequence[Any], own: int) -> list[Any]:
    """The arguments with the six tables in front.

    Parameters
    ----------
    given : sequence
        Cells and ranges, as the dispatcher gets them.
    own : int
        How many arguments the function has besides the tables.
    """
    found = [*given, *[OMITTED] * (TABLES + BESIDE + own - len(given))]
    if not _old(found, own):
        return list(given)
    return [*found[:TABLES], *found[TABLES + own :], *found[TABLES : TABLES + own]]


def _old(found: Sequence[Any], own: int) -> bool:
    """Whether what is asked stands in fourth place: it is a single cell or numbers, or a table of other headings."""
    beside = found[TABLES : TABLES + BESIDE]
    if any(_given(each) and not _is_table(each) for each in beside):
        return True
    heads = [_headings(each) for each in beside]
    if own == BESIDE:  # of two systems: the work of the second one names regions
        return "regions" in heads[2] or "lpar" in heads[1]
    last = [each for each in found[TABLES + BESIDE :] if _is_table(each)]
    return bool(last) or "processors" in heads[2]  # coupling facilities in sixth place


def _given(cell: Any) -> bool:
    if isinstance(cell, (list, tuple)):
        return any(map(_given, cell))
    return cell is not OMITTED and cell is not None and cell != ""


def _is_table(cells: Any) -> bool:
    """A range with headings: more than one cell, the first a text."""
    rows = cells if isinstance(cells, (list, tuple)) else [[cells]]
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
    return sum(map(len, rows)) > 1 and isinstance(rows[0][0], str)


def _headings(cells: Any) -> set[str]:
    if not _is_table(cells):
        return set()
    first = cells[0] if isinstance(cells[0], (list, tuple)) else [cells[0]]
    return {str(cell).strip().casefold().replace(" ", "_") for cell in first if isinstance(cell, str)}
