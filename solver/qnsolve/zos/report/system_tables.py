"""The printed tables of a solved system: a table a part, and where the response times go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import fsum, isnan
from typing import Any

from qnsolve.results.columns import NO_WAIT, Column, column, table_of
from qnsolve.results.digits import percent
from qnsolve.results.rendering import Table

from .equal_regions import equal_regions, of_group
from .figures import SystemFigures, WorkResult

TITLES = {
    "work": "Work",
    "lpars": "LPARs",
    "regions": "Regions",
    "tranclasses": "TRANCLASS",
    "facilities": "Coupling facilities",
    "structures": "Requests",
    "logs": "Logs",
    "devices": "Devices",
}
LITTLE = 5e-4  # share of a response time below which a center is not printed
WORK = ("name", "etr", "response_time", "response_error", "cpu", "ziip_cpu", "admission_wait")
EACH = ", equal ones in one row: figures of each, then their total"
TOTAL = "total"
SUMMED = ("etr", "appl_percent", "tasks", "waiting")  # figures of regions that add up


def system_tables(result: SystemFigures, *, each: bool = False) -> list[Table]:
    """The tables of a system.

    Parameters
    ----------
    result : SystemFigures
    each : bool, default False
        A row for each region; otherwise equal regions have one row, with the figures of each, and one with their sums.
    """
    labels = {} if each else equal_regions(result)
    found = []
    shortest = min((work.response_time for work in result.work), default=0.0)
    for part, title in TITLES.items():
        rows = [{k: v for k, v in asdict(r).items() if not isinstance(v, dict)} for r in getattr(result, part)]
        if part == "work":
            rows = [{key: row[key] for key in WORK} for row in rows]
        if part in ("regions", "tranclasses"):
            rows = _grouped(rows, labels)
            title += EACH if any(row["name"] == TOTAL for row in rows) else ""
        if rows:
            found.append(table_of(_columns(rows, shortest), title))
    found.insert(1, _split(result.work, labels))
    return found


def split_by_group(work: WorkResult, labels: Mapping[str, str]) -> dict[str, float]:
    """The response time of a work by center [s], equal regions together."""
    found: dict[str, float] = {}
    for center, time in work.split.items():
        name = of_group(center, labels)
        found[name] = found.get(name, 0.0) + time
    return found


def _grouped(rows: Sequence[dict[str, Any]], labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Rows of regions or TRANCLASSes: those of equal regions as one, and below it their sums."""
    found = []
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        region = row.get("region", row["name"])
        groups.setdefault((row["name"] if "region" in row else "", labels.get(region, region)), []).append(row)
    for (name, region), members in groups.items():
        own = {"name": name, "region": region} if name else {"name": region}
        found.append({**members[0], **own})
        if len(members) > 1:
            sums = {key: fsum(row[key] for row in members) for key in SUMMED if key in members[0]}
            found.append({**dict.fromkeys(members[0], ""), "name": TOTAL, **sums})
    return found


def _columns(rows: Sequence[dict[str, Any]], shortest: float) -> list[Column]:
    """The columns of a table; those without any figure are left out."""
    found = []
    for key in rows[0]:
        values = [row[key] for row in rows]
        if all(value is None or value == "" or (isinstance(value, float) and isnan(value)) for value in values):
            continue
        filled = [i for i, value in enumerate(values) if value != ""]
        waits = [NO_WAIT * rows[i].get("response_time", shortest) for i in filled]
        floors = waits if key == "admission_wait" else ()
        some = column(key, [values[i] for i in filled], "s", chosen=True, floors=floors)
        found.append(some if len(filled) == len(values) else _spread(some, filled, len(values)))
    return found


def _spread(some: Column, filled: Sequence[int], count: int) -> Column:
    """A column with blank cells where a row has no figure."""
    cells, marks = ([""] * count for _ in range(2))
    for i, cell, mark in zip(filled, some.cells, some.marks, strict=True):
        cells[i], marks[i] = cell, mark
    return Column(some.heading, some.unit, tuple(cells), tuple(marks), some.words)


def _split(works: Sequence[WorkResult], labels: Mapping[str, str]) -> Table:
    """Where the response times go."""
    rows = [
        (work.name, center, time, 100 * time / work.response_time)
        for work in works
        for center, time in split_by_group(work, labels).items()
        if time > LITTLE * work.response_time
    ]
    names, centers, times, shares = zip(*rows, strict=True) if rows else ((), (), (), ())
    time = column("response_time", times, "s", chosen=True, together=True)
    return table_of(
        [
            Column("work", "", names, ("",) * len(rows), words=True),
            Column("center", "", centers, ("",) * len(rows), words=True),
            Column("time", time.unit, time.cells, time.marks),
            Column("share", "%", tuple(map(percent, shares)), ("",) * len(rows)),
        ],
        "Response time by center",
        2,
    )
