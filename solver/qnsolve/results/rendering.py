"""A solution as text, HTML and CSV. Headings and units come from the table of terms."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .rows import ClassResult, LimitResult, StationResult
from .terms import terms

LITTLE = 1e-6  # a wait outside limits below this share of the response time is not worth a word
NO_WAIT = 1e-9  # waiting below this share of the residence time is printed as 0
COLUMNS = ("throughput", "utilization", "queue_length", "demand", "waiting_time", "residence_time")


@dataclass(frozen=True)
class Sheet:
    """What is printed of a solution."""

    heading: str
    time_unit: str
    classes: tuple[ClassResult, ...]
    stations: tuple[StationResult, ...]
    limits: tuple[LimitResult, ...]
    rows: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]


def figure(value: Any, digits: int = 6) -> str:
    """A value as it is printed: six digits, "-" for an undefined number."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.{digits}g}" if isinstance(value, (int, float)) else str(value)


def _head(sheet: Sheet) -> list[list[str]]:
    unit = sheet.time_unit
    known = [terms()[column] for column in COLUMNS]
    return [["class", "station"] + [t.heading for t in known], ["", ""] + [t.unit_in(unit) for t in known]]


def _body(sheet: Sheet) -> list[list[str]]:
    """A row a class and visited station, then the total row of the class."""
    body = []
    for result in sheet.classes:
        pairs = [p for p in sheet.rows if p["class"] == result.name and p["demand"] > 0]
        for pair in pairs:
            figures = [figure(pair[column]) for column in COLUMNS]
            if abs(pair["waiting_time"]) < NO_WAIT * pair["residence_time"]:
                figures[COLUMNS.index("waiting_time")] = "0"
            body.append([result.name, pair["station"], *figures])
        totals = {
            "throughput": result.throughput,
            "queue_length": result.queue_length,
            "demand": math.fsum(pair["demand"] for pair in pairs),
            "waiting_time": math.fsum(pair["waiting_time"] for pair in pairs) + result.admission_wait,
            "residence_time": result.response_time,
        }
        body.append([result.name, "total"] + [figure(totals.get(column, "")) for column in COLUMNS])
    return body


def reason(sheet: Sheet, result: ClassResult) -> str:
    """One sentence a class: what bounds it."""
    unit = sheet.time_unit
    said = f"{result.name}: throughput {figure(result.throughput)}/{unit}"
    said += f", response time {figure(result.response_time)} {unit}"
    if result.admission_wait > LITTLE * result.response_time:
        share = figure(100 * result.fraction_delayed, 3)
        said += f", {figure(result.admission_wait)} {unit} of it outside limits where {share} % have to wait"
    if result.bottleneck is None:
        return f"{said}; it queues nowhere"
    busy = next(s.utilization for s in sheet.stations if s.name == result.bottleneck)
    return (
        f"{said}; bottleneck {result.bottleneck}, {figure(100 * busy, 4)} % busy: "
        f"alone it cannot pass {figure(result.highest_throughput)}/{unit}"
    )


def blocked_line(station: StationResult) -> str:
    """One sentence a station that is held up: how much of its servers' time."""
    blocked, busy = figure(100 * station.fraction_blocked, 4), figure(100 * station.utilization, 4)
    return f"{station.name}: {busy} % busy, {blocked} % blocked by jobs that wait for room at the next station"


def limit_line(limit: LimitResult) -> str:
    """One sentence a limit: how full it is and who waits."""
    waits = f"{figure(limit.number_outside)} wait for it, at most {limit.number_outside_95} for 95 % of the time"
    full = f"full {figure(100 * limit.probability_full, 4)} % of the time"
    return f"{limit.name}: {figure(limit.number_inside)} of {limit.capacity} inside, {full}; {waits}"


def text_table(head: list[list[str]], body: list[list[str]], words: int = 2) -> list[str]:
    """Lines of a table: the first `words` columns to the left, numbers to the right, a rule below the head."""
    table = head + body
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = []
    for i, row in enumerate(table):
        cells = [c.ljust(w) if j < words else c.rjust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
        if i == len(head) - 1:
            lines.append("  ".join("-" * w for w in widths))
    return lines


def plain_text(sheet: Sheet) -> str:
    """The table as the command line prints it."""
    lines = [sheet.heading, "", *text_table(_head(sheet), _body(sheet)), ""]
    lines += [reason(sheet, result) for result in sheet.classes]
    lines += [blocked_line(s) for s in sheet.stations if s.fraction_blocked > 0]
    lines += [limit_line(limit) for limit in sheet.limits]
    lines += [f"note: {note}" for note in sheet.notes]
    return "\n".join(lines)


def html_text(sheet: Sheet) -> str:
    """The same table in HTML."""
    below = [reason(sheet, result) for result in sheet.classes]
    below += [blocked_line(s) for s in sheet.stations if s.fraction_blocked > 0]
    below += [limit_line(limit) for limit in sheet.limits] + list(sheet.notes)
    return html_table(sheet.heading, _head(sheet), _body(sheet), below)


def html_table(heading: str, head: list[list[str]], body: list[list[str]], below: Sequence[str], words: int = 2) -> str:
    """A table in HTML with lines below it; a second line of the head is small."""
    cells = "".join(
        f"<th>{html.escape(name)}" + "".join(f"<br><small>{html.escape(u)}</small>" for u in units if u) + "</th>"
        for name, *units in zip(*head, strict=True)
    )
    rows = ""
    for row in body:
        figures = "".join(f"<td{' class=number' if i >= words else ''}>{html.escape(c)}</td>" for i, c in enumerate(row))
        rows += f"<tr{' class=total' if row[1] == 'total' else ''}>{figures}</tr>\n"
    said = "".join(f"<p>{html.escape(line)}</p>\n" for line in below)
    return (
        f"<table class=solution>\n<caption>{html.escape(heading)}</caption>\n"
        f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n{said}"
    )


def defined(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose undefined numbers are None, as JSON wants them."""
    return {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in row.items()}


def table_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as a plain table: a head, then a line each, numbers to the right."""
    table = [list(rows[0]), *([figure(value) for value in row.values()] for row in rows)]
    numeric = [any(isinstance(row[name], (int, float)) for row in rows) for name in rows[0]]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    table.insert(1, ["-" * w for w in widths])
    return "\n".join(
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(line, widths, numeric, strict=True)).rstrip()
        for line in table
    )


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV: names in the head, full precision, undefined numbers empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(["" if isinstance(v, float) and math.isnan(v) else v for v in row.values()])
    return out.getvalue()
