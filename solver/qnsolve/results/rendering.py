"""Tables as text, HTML and CSV: one form for every answer."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """A printed table: lines of headings, rows of cells, and how many columns at the left hold words."""

    head: list[list[str]]
    body: list[list[str]]
    words: int = 1
    title: str = ""


def figure(value: Any, digits: int = 6) -> str:
    """A value as it is printed: six digits, "-" for an undefined number."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.{digits}g}" if isinstance(value, (int, float)) else str(value)


def text_table(table: Table) -> list[str]:
    """Lines of a table: words to the left, numbers to the right, a rule below the headings."""
    cells = table.head + table.body
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = [table.title] if table.title else []
    for i, row in enumerate(cells):
        padded = [c.ljust(w) if j < table.words else c.rjust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(padded).rstrip())
        if i == len(table.head) - 1:
            lines.append("  ".join("-" * w for w in widths))
    return lines


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
    """A row with None for undefined numbers, as JSON requires."""
    return {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in row.items()}


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV: names in the head, full precision, undefined numbers empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(["" if isinstance(v, float) and math.isnan(v) else v for v in row.values()])
    return out.getvalue()
