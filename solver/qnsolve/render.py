"""A Solution as text, HTML and CSV. Headings and units come from the table of terms."""

from __future__ import annotations

import csv
import html
import io
import math
from typing import TYPE_CHECKING, Any

from .terms import terms

if TYPE_CHECKING:
    from .solution import ClassResult, Solution

NO_WAIT = 1e-9  # waiting below this share of the residence time is printed as 0
COLUMNS = ("throughput", "utilization", "queue_length", "demand", "waiting_time", "residence_time")


def _figure(value: Any, digits: int = 6) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def _head(solution: Solution) -> list[list[str]]:
    unit = solution.model.time_unit
    known = [terms()[column] for column in COLUMNS]
    return [["class", "station"] + [t.heading for t in known], ["", ""] + [t.unit_in(unit) for t in known]]


def _body(solution: Solution) -> list[list[str]]:
    """A row a class and visited station, then the total row of the class."""
    body = []
    for result in solution.classes:
        pairs = [p for p in solution.rows() if p["class"] == result.name and p["demand"] > 0]
        for pair in pairs:
            if abs(pair["waiting_time"]) < NO_WAIT * pair["residence_time"]:
                pair["waiting_time"] = 0.0
            body.append([result.name, pair["station"]] + [_figure(pair[column]) for column in COLUMNS])
        demand = sum(pair["demand"] for pair in pairs)
        totals = {
            "throughput": result.throughput,
            "queue_length": result.queue_length,
            "demand": demand,
            "waiting_time": result.response_time - demand,
            "residence_time": result.response_time,
        }
        body.append([result.name, "total"] + [_figure(totals.get(column, "")) for column in COLUMNS])
    return body


def heading(solution: Solution) -> str:
    """The first line: the model, and how it was solved."""
    kind = "exact" if solution.exact else "approximate"
    return f"{solution.model.name or 'model'}: method {solution.method}, {kind}, times in {solution.model.time_unit}"


def reason(solution: Solution, result: ClassResult) -> str:
    """One sentence a class: what bounds it."""
    unit = solution.model.time_unit
    said = f"{result.name}: throughput {_figure(result.throughput)}/{unit}"
    said += f", response time {_figure(result.response_time)} {unit}"
    if result.bottleneck is None:
        return f"{said}; it queues nowhere"
    busy = solution[result.bottleneck].utilization
    return (
        f"{said}; bottleneck {result.bottleneck}, {_figure(100 * busy, 4)} % busy: "
        f"alone it cannot pass {_figure(result.highest_throughput)}/{unit}"
    )


def plain_text(solution: Solution) -> str:
    """The table as the command line prints it."""
    table = _head(solution) + _body(solution)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = [heading(solution), ""]
    for i, row in enumerate(table):
        cells = [c.ljust(w) if j < 2 else c.rjust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
        if i == 1:
            lines.append("  ".join("-" * w for w in widths))
    lines += ["", *(reason(solution, result) for result in solution.classes)]
    lines += [f"note: {note}" for note in solution.notes]
    return "\n".join(lines)


def html_text(solution: Solution) -> str:
    """The same table in HTML."""
    names, units = _head(solution)
    head = "".join(
        f"<th>{html.escape(n)}" + (f"<br><small>{html.escape(u)}</small>" if u else "") + "</th>"
        for n, u in zip(names, units, strict=True)
    )
    body = ""
    for row in _body(solution):
        cells = "".join(f"<td{' class=number' if i > 1 else ''}>{html.escape(c)}</td>" for i, c in enumerate(row))
        body += f"<tr{' class=total' if row[1] == 'total' else ''}>{cells}</tr>\n"
    below = [reason(solution, result) for result in solution.classes] + list(solution.notes)
    said = "".join(f"<p>{html.escape(line)}</p>\n" for line in below)
    return (
        f"<table class=solution>\n<caption>{html.escape(heading(solution))}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n{said}"
    )


def csv_text(solution: Solution) -> str:
    """rows() as CSV: names in the head, full precision, undefined numbers empty."""
    rows = solution.rows()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(["" if isinstance(v, float) and math.isnan(v) else v for v in row.values()])
    return out.getvalue()
