"""CSV: which sign separates the columns, where the headings stand, and the rows in blocks."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from qnsolve.errors import one_line
from qnsolve.model.measured_units import is_unit

from .number_cells import Marks, number
from .source_files import LONGEST_CELL, MOST_COLUMNS, Source

SEPARATORS = (",", ";", "\t", "|")
BLOCK = 20_000  # rows of a block
SAMPLE = 400  # rows by which columns are known
_PREAMBLE = 40  # lines before the headings at most


@dataclass(frozen=True)
class Form:
    """How a CSV is written: separator, line of the headings, and the rows of the sample."""

    separator: str
    heading_line: int
    headings: tuple[str, ...]
    sample: tuple[list[str], ...]


def form(source: Source) -> Form:
    """The form of a CSV, by its first lines.

    Raises
    ------
    ModelError
    """
    with source.text() as file:
        lines = list(itertools.islice(file, SAMPLE + _PREAMBLE))
    best: tuple[tuple[int, int, int], Form] | None = None
    for rank, separator in enumerate(SEPARATORS):
        found = _with_separator(source, lines, separator)
        if found:
            score = (min(len(found.headings), 2), sum(len(row) == len(found.headings) for row in found.sample), -rank)
            if best is None or score > best[0]:
                best = (score, found)
    if best is None:
        raise source.error("line 1", "must have headings, such as start,orders.rate [1/s]", "write them above the figures")
    chosen = _with_units(source, best[1])
    if len(chosen.headings) > MOST_COLUMNS:
        rule = f"has {len(chosen.headings):,} columns, and at most {MOST_COLUMNS:,} are read"
        raise source.error(f"line {chosen.heading_line}", rule, "write a row for each class in place of a column")
    for i, heading in enumerate(chosen.headings, 1):
        if len(heading) > LONGEST_CELL:
            raise source.error(
                f"line {chosen.heading_line}, column {i}", f"has more than {LONGEST_CELL} characters", "shorten it"
            )
    return chosen


def blocks(source: Source, chosen: Form) -> Iterator[tuple[list[list[Any]], list[int]]]:
    """The rows below the headings in blocks: for each a list of cells, and the line of each row.

    Raises
    ------
    ModelError
        A row has other columns than the headings.
    """
    width = len(chosen.headings)
    with source.text() as file:
        reader = csv.reader(file, delimiter=chosen.separator)
        try:
            while reader.line_num < chosen.heading_line:
                next(reader)
            while True:
                first = reader.line_num + 1
                rows = list(itertools.islice(reader, BLOCK))
                if not rows:
                    return
                places = list(range(first, first + len(rows)))
                if any(len(row) != width for row in rows):
                    rows, places = _regular(source, rows, places, width)
                if rows:
                    yield rows, places
        except csv.Error as error:
            rule = f"cannot be read: {error}"
            raise source.error(f"line {reader.line_num}", rule, 'close each quoted cell with "') from None
        except StopIteration:
            return


def _with_separator(source: Source, lines: list[str], separator: str) -> Form | None:
    """The line with words and hardly a number that most of the next rows are as wide as: titles above it are not.

    The first of several that are alike.
    """
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(iter(lines), delimiter=separator)
    try:
        for row in reader:
            rows.append((reader.line_num, row))
    except csv.Error as error:
        if not rows:
            raise source.error("line 1", f"cannot be read: {error}", 'close each quoted cell with "') from None
    best: Form | None = None
    most = 0
    for at, (line, row) in enumerate(rows[:_PREAMBLE]):
        cells = [cell.strip() for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells or cells[0].startswith("#") or not any(cells):
            continue
        words = sum(_is_word(cell) for cell in cells)
        below = [next_row for _, next_row in rows[at + 1 :] if any(cell.strip() for cell in next_row)]
        if words >= max(1, 0.6 * len(cells)) and below and len(_cut(below[0], len(cells))) == len(cells):
            sample = tuple(_cut(next_row, len(cells)) for next_row in below[:SAMPLE])
            alike = sum(len(next_row) == len(cells) for next_row in sample) if len(cells) > 1 else 0
            if best is None or alike > most:  # of rows of words none has more below that are as wide than the headings
                best, most = Form(separator, line, tuple(cells), sample), alike
        if not words:
            break  # figures stand above any other heading
    return best


def _with_units(source: Source, found: Form) -> Form:
    """The form with the units that stand in a row of their own below the headings."""
    if len(found.sample) < 2 or len(found.sample[0]) != len(found.headings):
        return found
    units = [cell.strip().strip("[]()") for cell in found.sample[0]]
    said = [unit for unit in units if unit]
    known = [unit for unit in said if is_unit(unit)]
    if 2 * len(known) <= len(said) or any(unit not in known and not _is_word(unit) for unit in said) or _is_figure(known):
        return found
    headings = tuple(
        f"{heading} [{unit}]" if unit in known and not heading.endswith(("]", "%")) else heading
        for heading, unit in zip(found.headings, units, strict=True)
    )
    with source.text() as file:
        reader = csv.reader(file, delimiter=found.separator)
        below = (row for row in reader if reader.line_num > found.heading_line and any(cell.strip() for cell in row))
        next(below)
        line = reader.line_num
    source.notes.append(f"line {line} has the units of the headings")
    return Form(found.separator, line, headings, found.sample[1:])


def _is_figure(units: Sequence[str]) -> bool:
    """Whether what may be units are figures: the unit of a share is 1."""
    return any(number(unit) is not None for unit in units)


def _is_word(cell: str) -> bool:
    """Whether a cell can be a heading: no number, but 95% can."""
    return cell.endswith("%") or (number(cell) is None and number(cell, Marks(",")) is None)


def _cut(row: list[str], width: int) -> list[str]:
    """A row without empty cells beyond the headings."""
    return row[:width] if len(row) > width and not any(cell.strip() for cell in row[width:]) else row


def _regular(source: Source, rows: Iterable[list[str]], places: list[int], width: int) -> tuple[list[list[str]], list[int]]:
    """The rows that have cells, each as wide as the headings."""
    found, lines = [], []
    for row, place in zip(rows, places, strict=True):
        cut = _cut(row, width)
        if not any(cell.strip() for cell in cut):
            continue
        if len(cut) != width:
            shown = one_line(" ".join(cut), 40)
            rule = f"has {len(cut)} cells, the headings {width}"
            raise source.error(f"line {place}", rule, "correct the line, or remove it", shown)
        found.append(cut)
        lines.append(place)
    return found, lines
