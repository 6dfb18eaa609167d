"""Tables as text, HTML and CSV: one form for every answer."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .look import PLAIN, Look

FORMULA = re.compile(r"'*[=+\-@\t]")  # a text that a spreadsheet takes for a formula, or one that looks neutralised
SHORTEST = 12  # characters of words that a narrow terminal keeps


@dataclass(frozen=True)
class Table:
    """A printed table.

    Attributes
    ----------
    head, body : list of list of str
        Lines of headings, and rows of cells.
    words : int
        How many columns at the left hold words.
    title : str
    marks : mapping of (row, column) to str
        Cells of the body that stand out: "high" or "full".
    left : set of int
        Further columns that hold words.
    """

    head: list[list[str]]
    body: list[list[str]]
    words: int = 1
    title: str = ""
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    left: frozenset[int] = frozenset()


def figure(value: Any, digits: int = 6) -> str:
    """A value as it is printed: six digits, "-" for an undefined number."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{digits}g}" if isinstance(value, (int, float)) else str(value)


def text_table(table: Table, look: Look = PLAIN) -> list[str]:
    """Lines of a table: words to the left, numbers to the right, a rule below the headings.

    Where the look has a width and the table is wider, columns without a figure other than 0 are named below it, and the
    rest is folded: the words again, then the next columns.
    """
    cells = [_cut(row, table.words, look.width) for row in table.head + table.body]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    left_out = _left_out(cells[len(table.head) :], widths, table.words, look)
    columns = [j for j in range(len(widths)) if j not in left_out]
    lines = [look.painted(table.title, "heading")] if table.title else []
    for part in look.fitting(columns, widths, table.words):
        lines += [""] * (part[table.words :] != columns[table.words : len(part)])
        for i, row in enumerate(cells):
            body = i - len(table.head)
            if body >= 0 and table.words and len(part) > table.words and not any(row[j] for j in part[table.words :]):
                continue
            padded = [_padded(row[j], widths[j], left=j < table.words or j in table.left) for j in part]
            padded[-1] = padded[-1].rstrip()
            styles = [table.marks.get((body, j), "") if body >= 0 else "heading" for j in part]
            lines.append("  ".join(look.painted(cell, style) for cell, style in zip(padded, styles, strict=True)).rstrip())
            if body == -1:
                lines.append("  ".join("-" * widths[j] for j in part))
    if left_out:
        lines += look.paragraph(f"0 in all rows: {', '.join(table.head[0][j] for j in left_out)}")
    return lines


def _padded(cell: str, width: int, *, left: bool) -> str:
    return cell.ljust(width) if left else cell.rjust(width)


def _left_out(body: Sequence[Sequence[str]], widths: Sequence[int], words: int, look: Look) -> list[int]:
    """The columns of a table that is too wide which say nothing but 0."""
    if look.width is None or sum(widths) + 2 * (len(widths) - 1) <= look.width:
        return []
    return [j for j in range(words, len(widths)) if {row[j] for row in body} <= {"0", ""}]


def _cut(row: list[str], words: int, width: int | None) -> list[str]:
    """A row whose words leave room for a figure: long ones are cut."""
    most = 10**9 if width is None or not words else max(width * 2 // (3 * words), SHORTEST)
    return [cell if j >= words or len(cell) <= most else cell[: most - 1] + "…" for j, cell in enumerate(row)]


def html_table(table: Table, caption: str = "") -> str:
    """A table in HTML; a second line of headings, the units, is small."""
    cells = "".join(
        f"<th>{html.escape(name)}" + "".join(f"<br><small>{html.escape(u)}</small>" for u in units if u) + "</th>"
        for name, *units in zip(*table.head, strict=True)
    )
    rows = ""
    for row in table.body:
        figures = "".join(f"<td{' class=number' if i >= table.words else ''}>{html.escape(c)}</td>" for i, c in enumerate(row))
        rows += f"<tr{' class=total' if 'total' in row[:2] else ''}>{figures}</tr>\n"
    return (
        f"<table class=solution>\n<caption>{html.escape(caption or table.title)}</caption>\n"
        f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )


def defined(row: dict[str, Any]) -> dict[str, Any]:
    """A row with None for undefined and infinite numbers, as JSON requires."""
    return {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in row.items()}


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV: names in the head, full precision, undefined numbers empty.

    A text that a spreadsheet would run as a formula, one that begins with = + - @ or a tab,
    gets an apostrophe in front; so does one that has apostrophes before such a mark: whoever
    reads the file takes one apostrophe off and has the name again.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_csv_cell, rows[0]))
    writer.writerows(map(_csv_cell, row.values()) for row in rows)
    return out.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if FORMULA.match(value) else value
    return "" if isinstance(value, float) and math.isnan(value) else value
