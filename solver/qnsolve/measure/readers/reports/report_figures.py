"""Reports to intervals: what each table says in quantities of a model, and the rows of one interval side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from qnsolve.measure.intervals.interval_table import Intervals, MeasuredSeries
from qnsolve.measure.intervals.quantities import PERCENTILES
from qnsolve.model import checks
from qnsolve.model.measured_units import factor

from ..clocks import NO_TIME, Clock, duration
from ..field_names import words
from ..headings import ColumnPlan, of_report
from ..number_cells import absent, number
from ..source_files import MOST_CELLS, MOST_COLUMNS, Source, printable
from .buckets import percentiles
from .report_table import ReportPage, ReportTable

OWNERS = ("system", "lpar", "region", "resource", "work")
_KINDS = (("service", "class"), ("report", "class"))
_LABELS = (*OWNERS, "period")
_KNOWN = ("series", *OWNERS, "period")
_TOTALS = re.compile(r"\*?(TOTAL|SUM|PHYSICAL|\*PHYSICAL\*|\*(CP|IIP|AAP|ICF|IFL)|ALL)\b.*|\*PHYSICAL\*", re.IGNORECASE)
_CLASS = re.compile(r"(?:service|report)\s*class(?:\s*period)?s?\s*[:=]?\s*(\S+)(?:.*?period\s*[:=]?\s*(\d+))?", re.IGNORECASE)


@dataclass
class _Rows:
    """The rows that grow: each an interval, with its figures by series."""

    series: dict[MeasuredSeries, int] = field(default_factory=dict)
    known: dict[tuple[object, ...], int] = field(default_factory=dict)
    keys: dict[tuple[int, int], int] = field(default_factory=dict)
    values: list[dict[int, float]] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    length: list[float] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    cells: int = 0


def intervals_of(source: Source, pages: Iterable[ReportPage], keep_all: bool) -> Intervals:
    """The table of the reports of a file.

    Raises
    ------
    ModelError
        A begin or a figure that cannot be read; no known figure at all.
    """
    rows, clock = _Rows(), Clock(day_first=False)
    notes: dict[str, None] = {}
    unknown: dict[str, None] = {}
    seen: dict[tuple[str, str, int], int] = {}
    kinds: set[tuple[str, ...]] = set()
    for page in pages:
        begin = clock.milliseconds(page.begin) if page.begin else None
        if begin is None:
            raise source.error(
                f"report {page.number}", "must have the begin of its interval", "export it again", page.begin[:60]
            )
        length = _length(page, begin, clock)
        key = (page.report, page.system, begin)
        again = seen[key] = seen.get(key, -1) + 1
        row = _row(rows, (begin, again), length, page)
        nobody = dict.fromkeys(_LABELS, "") | {"system": page.system}
        context, number_of_segment = nobody, -1
        for table in page.tables:
            if table.number != number_of_segment:
                context, number_of_segment = nobody, table.number
            context = _context(context, page, table)
            kinds.update(_words(heading) for heading in table.headings if table.variables and _words(heading) in _KINDS)
            _take(source, context, table, rows, row, unknown, keep_all)
        for message in page.messages:
            notes[f"RMF says: {message[:200]}"] = None
        if rows.cells > MOST_CELLS or len(rows.series) > MOST_COLUMNS or len(rows.values) * len(rows.series) > MOST_CELLS:
            raise source.error("file", f"has more than {MOST_CELLS:,} figures", "give a shorter span, or fewer classes")
    if not rows.series:
        shown = ", ".join(list(unknown)[:6]) or "no table"
        raise source.error("file", f"has no known figure: {shown}", "export the reports CPU, WLMGL or CF, or --all")
    for name in ("", "CPU Activity"):
        unknown.pop(name, None)
    if unknown:
        shown = ", ".join(list(unknown)[:8]) + (f" and {len(unknown) - 8} more" if len(unknown) > 8 else "")
        notes[f"tables that are left out: {shown}"] = None
    if any(each.quantity.startswith("response_p") for each in rows.series):
        notes["percentiles are interpolated in the response buckets; none where it lies in the last, open one"] = None
    if len(kinds) > 1:
        notes["service classes and report classes show the same work twice: choose with --only before they are added"] = None
    values = np.full((len(rows.values), len(rows.series)), np.nan)
    for i, found in enumerate(rows.values):
        values[i, list(found)] = list(found.values())
    start = np.array(rows.start, dtype=np.int64).astype("datetime64[ms]")
    order = np.argsort(start, kind="stable")
    series = tuple(replace(each, source=source.name) for each in rows.series)
    places = np.array(rows.places, dtype=np.int64)
    length_of = np.array(rows.length)
    said = tuple(dict.fromkeys([*source.notes, *notes, *clock.notes]))
    return Intervals(start[order], length_of[order], series, values[order], places[order], said)


def _row(rows: _Rows, key: tuple[int, int], length: float, page: ReportPage) -> int:
    if key not in rows.keys:
        rows.keys[key] = len(rows.values)
        rows.values.append({})
        rows.start.append(key[0])
        rows.length.append(length)
        rows.places.append(page.number)
    return rows.keys[key]


def _length(page: ReportPage, begin: int, clock: Clock) -> float:
    found = duration(page.length) if page.length else None
    if found is not None and page.length.replace(".", "", 1).isdecimal():
        known = factor(page.length_unit, "s")
        found *= known[0] if known else 1.0
    if found is None and page.end:
        end = clock.milliseconds(page.end)
        found = None if end is None or end == int(NO_TIME.astype(np.int64)) else (end - begin) / 1000
    return found if found is not None and 1e-3 <= found < 1e9 else math.nan


def _take(
    source: Source,
    context: dict[str, str],
    table: ReportTable,
    rows: _Rows,
    row: int,
    unknown: dict[str, None],
    keep_all: bool,
) -> None:
    """Add what one table says."""
    plans = _plans(tuple(table.headings), table.part)
    if not any(plan.role in _KNOWN for plan in plans) and not keep_all and "distribution" not in table.part.lower():
        unknown[table.part or table.segment] = None
        return
    taken = _buckets(table, rows, row, context)
    online = _online(tuple(table.headings))
    processors: dict[str, float] = {}
    kinds = next((i for i, plan in enumerate(plans) if plan.role == "resource"), -1)
    totals = {cells[kinds] for cells, is_sum in zip(table.rows, table.sums, strict=True) if is_sum and kinds < len(cells)}
    for cells, is_sum, line in zip(table.rows, table.sums, table.lines, strict=True):
        if online >= 0 and 0 <= kinds < len(cells) and online < len(cells) and not is_sum:
            share = number(cells[online])
            if share is not None and 0 <= share <= 100:
                processors[cells[kinds]] = processors.get(cells[kinds], 0.0) + share / 100
        if online >= 0 and kinds >= 0 and is_sum != (cells[kinds : kinds + 1] != [] and cells[kinds] in totals):
            taken = True
            continue  # of processors the average is taken, not each one
        labels = dict(context)
        for plan, cell in zip(plans, cells, strict=False):
            if plan.role in (*OWNERS, "period"):
                labels[plan.role] = cell
        if not online >= 0 and (is_sum or any(_TOTALS.fullmatch(labels.get(role, "")) for role in OWNERS)):
            continue
        if any(plan.role == "lpar" and not cell for plan, cell in zip(plans, cells, strict=False)):
            continue
        taken |= _figures(source, plans, cells, line, labels, rows, row, keep_all)
    for kind, count in processors.items():
        labels = {**context, "resource": kind}
        _put(rows, row, MeasuredSeries("servers", field="Time% Online"), labels, count)
    if not taken and not (table.variables and any(plan.role in _LABELS for plan in plans)):
        unknown[table.part or table.segment] = None


def _figures(
    source: Source,
    plans: tuple[ColumnPlan, ...],
    cells: list[str],
    line: int,
    labels: dict[str, str],
    rows: _Rows,
    row: int,
    keep_all: bool,
) -> bool:
    taken = False
    for plan, cell in zip(plans, cells, strict=False):
        if absent(cell) or plan.role != "series" or plan.series is None:
            if keep_all and plan.role == "" and not absent(cell) and (value := number(cell)) is not None and abs(value) < 1e100:
                figure = MeasuredSeries("figure", field=plan.heading)
                _put(
                    rows,
                    row,
                    figure,
                    {**labels, "resource": f"{labels.get('resource', '')} {plan.heading}".strip()},
                    value,
                )
                taken = True
            continue
        value = number(cell)
        if value is None and plan.series.unit in ("s", "servers", "1"):
            value = duration(cell)
            scaled = 1.0
        else:
            scaled = plan.series.factor
        if value is None or not abs(value) <= checks.LARGEST:
            item = f"line {line}, {plan.heading!r}"
            raise source.error(item, "must be a number below 1e100", "export the report again", cell[:60])
        if plan.divisor == "interval":
            scaled /= rows.length[row]  # nan where the length is not known
        elif plan.divisor:
            continue
        if abs(value * scaled) <= checks.LARGEST:  # not nan either
            _put(rows, row, plan.series, labels, value * scaled)
        taken = True
    return taken


def _put(rows: _Rows, row: int, series: MeasuredSeries, labels: dict[str, str], value: float) -> None:
    """Add a figure; the first of two of the same series is kept."""
    key = (series, *labels.values())
    column = rows.known.get(key)
    if column is None:
        column = rows.known[key] = rows.series.setdefault(_named(series, labels), len(rows.series))
    rows.values[row].setdefault(column, value)
    rows.cells += 1


def _named(series: MeasuredSeries, labels: dict[str, str]) -> MeasuredSeries:
    """A series with the names of whose it is."""
    own: dict[str, Any] = {role: printable(labels[role]) for role in OWNERS if labels.get(role)}
    if labels.get("period") and own.get("work"):
        own["work"] += f".{labels['period']}"
    if series.resource and own.get("resource") and series.resource not in ("CP", "CP MVS", "IIP", "IIP MVS"):
        own["resource"] = f"{own['resource']} {series.resource}"
    elif series.resource.endswith(" MVS") and own.get("resource"):
        own["resource"] += " MVS"
    if own.get("lpar") and own.get("resource") == "CP":
        del own["resource"]  # the figures of a partition are those of its CPs where nothing else is said
    return replace(series, **own)


@lru_cache(maxsize=4096)
def _plans(headings: tuple[str, ...], part: str) -> tuple[ColumnPlan, ...]:
    """What the columns of a table are; a heading that is not known alone may be with the name of its part."""
    found = []
    for heading in headings:
        plan = of_report(heading)
        if not plan.role and part:
            longer = of_report(f"{part} {heading}")
            plan = replace(longer, heading=heading) if longer.role == "series" else plan
        name = printable(heading)
        series = replace(plan.series, field=name) if plan.series else None
        found.append(replace(plan, heading=name, series=series))
    return tuple(found)


@lru_cache(maxsize=4096)
def _online(headings: tuple[str, ...]) -> int:
    """The column with the share of time that a processor is online; -1 where there is none."""
    names = [words(heading) for heading in headings]
    wanted = ["time", "percent", "online"]
    return names.index(wanted) if wanted in names else -1


def _context(before: dict[str, str], page: ReportPage, table: ReportTable) -> dict[str, str]:
    """Whose figures follow, where a list of names stands above a table: a class and its period, a coupling facility."""
    found: dict[str, str] = {}
    for heading, cell in zip(table.headings, table.rows[0] if table.variables else (), strict=False):
        plan = of_report(heading)
        if plan.role not in _LABELS or absent(cell) or plan.role == "system":
            continue
        if plan.role == "work" and _words(heading) == ("workload",) and ("work" in found or before["work"]):
            continue  # the class says more than its workload
        found[plan.role] = cell
    if "work" in found:
        before = {**before, "period": ""}
    context = before | found
    if page.report.startswith("WLM") and not context["work"] and table.segment:
        named = _CLASS.search(table.segment)
        context["work"] = named.group(1) if named else table.segment
        context["period"] = (named.group(2) or "") if named else ""
    return context


@lru_cache(maxsize=4096)
def _words(heading: str) -> tuple[str, ...]:
    return tuple(words(heading))


def _buckets(table: ReportTable, rows: _Rows, row: int, context: dict[str, str]) -> bool:
    """Percentiles of a response time distribution."""
    if table.variables or "distribution" not in table.part.lower() or "response" not in f"{table.part} {table.segment}".lower():
        return False
    found = percentiles(table.headings, table.rows, tuple(PERCENTILES.values()))
    for quantity, value in zip(PERCENTILES if found else (), found, strict=True):
        if not math.isnan(value):
            _put(rows, row, MeasuredSeries(quantity, field=printable(table.part)), context, value)
    return bool(found)
