"""The published figures: tables as printed, each row traceable to its document."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PUBLISHED = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One printed row.

    Attributes
    ----------
    table : Table
    number : int
        From 1, in print order.
    cells : dict
        Column name to the printed figure, a string.
    line : str
        Line of the document's text that the row starts on, or the table's lines.
    """

    table: Table
    number: int
    cells: dict[str, str]
    line: str

    def __getitem__(self, column: str) -> float:
        """The printed figure as a number."""
        return float(self.cells[column])

    def printed(self, column: str) -> str:
        """The printed figure as printed."""
        return self.cells[column]

    def suspect(self, column: str) -> str:
        """What is doubtful about a printed figure; empty where nothing is."""
        return suspects().get((self.table.document, self.table.file, self.number, column), "")

    def __str__(self) -> str:
        return place([self])


@dataclass(frozen=True)
class Table:
    """One published table; `table[1]` is its first row."""

    document: str
    label: str
    title: str
    file: str
    rows: tuple[Row, ...]

    def __getitem__(self, number: int) -> Row:
        if not 1 <= number <= len(self.rows):
            raise IndexError(f"{self.label} has rows 1 to {len(self.rows)}, not {number}")
        return self.rows[number - 1]

    def where(self, **cells: str) -> Row:
        """The one row with these printed figures."""
        found = [row for row in self.rows if all(row.cells[key] == value for key, value in cells.items())]
        if len(found) != 1:
            raise LookupError(f"{self.label}: {len(found)} rows with {cells}")
        return found[0]


@cache
def sources() -> dict[str, dict[str, Any]]:
    """Every publication by its key."""
    return tomllib.loads((PUBLISHED / "sources.toml").read_text(encoding="utf-8"))


@cache
def index() -> tuple[dict[str, str], ...]:
    """Every table, figure and passage with figures, of every document."""
    return tuple(_read(PUBLISHED / "index.csv"))


@cache
def documents() -> tuple[str, ...]:
    """The documents with tables, in the order of the index."""
    return tuple(dict.fromkeys(entry["document"] for entry in index()))


@cache
def scope() -> dict[tuple[str, str], tuple[str, str]]:
    """What each table without a case is (input, identity, out of scope), and why; by document and file."""
    return {(e["document"], e["file"]): (e["state"], e["why"]) for e in _read(PUBLISHED / "scope.csv")}


@cache
def systems() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What the documents measured: each system, and the names of the cases about it."""
    rows = _read(PUBLISHED / "systems.csv")
    return tuple((e["system"], tuple(f"{e['document']}-{number}" for number in e["cases"].split())) for e in rows)


@cache
def suspects() -> dict[tuple[str, str, int, str], str]:
    """Printed figures that are doubtful, by document, table, row and column."""
    rows = _read(PUBLISHED / "suspect.csv")
    return {(e["document"], e["file"].removesuffix(".csv"), int(e["row"]), e["column"]): e["note"] for e in rows}


@cache
def table(document: str, file: str) -> Table:
    """A published table by its document and file name."""
    entry = next(e for e in index() if e["document"] == document and e["file"] == f"{file}.csv")
    rows: list[Row] = []
    result = Table(document, entry["label"], entry["title"], file, ())
    for number, cells in enumerate(_read(PUBLISHED / document / f"{file}.csv"), 1):
        line = cells.pop("source_line", "") or f"{entry['first_line']}-{entry['last_line']}"
        rows.append(Row(result, number, cells, line))
    object.__setattr__(result, "rows", tuple(rows))
    return result


@cache
def fact(document: str, key: str) -> Row:
    """A single figure of the running text, by its id; its column is `value`."""
    facts = Table(document, f"figure {key} of the text", "single figures", "facts", ())
    for number, cells in enumerate(_read(PUBLISHED / document / "facts.csv"), 1):
        if cells["id"] == key:
            return Row(facts, number, cells, cells["line"])
    raise LookupError(f"{document}: no fact {key}")


def place(rows: Iterable[Row]) -> str:
    """Where rows of one table are printed: table, rows, lines of the document's text."""
    members = list(rows)
    first, last = members[0], members[-1]
    lines = sorted({line for row in members for line in row.line.split("-")}, key=int)
    numbers = f"row {first.number}" if first is last else f"rows {first.number} to {last.number}"
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    return f"{first.table.label}, {where}" if first.table.file == "facts" else f"{first.table.label}, {numbers}, {where}"


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
