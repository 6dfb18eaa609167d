"""The question of a study in cells: goals, period and changes as small tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.model.yearly_growth import a_year
from qnsolve.planning.loads.load_words import listed, seasons_of, special_day_of
from qnsolve.planning.options.what_ifs import WhatIf, what_if

from ...cells import CellError, Table
from ...tables import Columns, records, written
from ...wording import reason

GOALS = Columns("goals", ("name", "growth", "target"))
PERIOD = Columns("period", ("name", "from", "until", "by", "seasons", "special_days"), words=("by",))
CHANGES = "what_if"  # a heading of the changes
ALL = "all"
SERIALS = range(32874, 109575)  # dates as a sheet stores them, 1990 to 2199


def question(goals: Table | None, period: Table | None, model: zos.System) -> dict[str, Any]:
    """Growth, targets and dates as the study takes them."""
    growth, targets = _goals(goals, model)
    return {"growth": growth, "targets": targets, "remedies": False, **_period(period)}


def _goals(table: Table | None, model: zos.System) -> tuple[dict[str, Any], dict[str, float]]:
    """Growth and targets by work."""
    if table is None or not table:
        return {}, {}
    growth: dict[str, Any] = {}
    targets: dict[str, float] = {}
    for row in records(_headed(table, "work"), GOALS, known=[item.name for item in model.work]):
        name = "" if row["name"].casefold() == ALL and not any(item.name == row["name"] for item in model.work) else row["name"]
        if not name and "target" in row:
            targets |= {item.name: row["target"] for item in model.work}
        if row.get("growth") not in (None, ""):
            a_year(f"growth of {row['name']}", row["growth"])  # a rate, and no name of a file: cells read none
            growth[name] = row["growth"]
        if name and "target" in row:
            targets[name] = row["target"]
    for name in (*growth, *targets):
        if name and not any(item.name == name for item in model.work):
            known = ", ".join([ALL, *(item.name for item in model.work)])
            raise CellError("#N/A", f"goals: {name[:60]!r} is not in the table of work; write one of {known}"[:300])
    return growth, targets


def _headed(table: Table, heading: str) -> Table:
    """The table with the name of its first column in place of that heading."""
    first = [("name" if isinstance(cell, str) and cell.strip().casefold() == heading else cell) for cell in table[0]]
    return [first, *table[1:]]


def _period(table: Table | None) -> dict[str, Any]:
    """From, until and by as the study takes them."""
    if table is None or not table:
        return {}
    rows = records([["name", *table[0]], *(["period", *row] for row in table[1:2])], PERIOD)
    given = rows[0] if rows else {}
    found = {"begin": _date(given.get("from")), "until": _date(given.get("until")), "by": given.get("by")}
    found |= {"seasons": _words("seasons", given.get("seasons"), seasons_of)}
    found |= {"special_days": _words("special_days", given.get("special_days"), _days)}
    return {key: value for key, value in found.items() if value not in (None, "", {}, [])}


def _words(heading: str, cell: Any, read: Callable[[str, list[str]], Any]) -> Any:
    """What the parts of a cell such as "12=1.3; Q4=1.2" say."""
    try:
        return read(f"period: {heading}", listed(str(written(cell) if cell is not None else "")))
    except ModelError as error:
        raise CellError("#VALUE!", str(error)) from None


def _days(item: str, texts: list[str]) -> list[dict[str, Any]]:
    return [special_day_of(item, text) for text in texts]


def _date(cell: Any) -> Any:
    """A date of a sheet, or a year, as a text."""
    if isinstance(cell, float) and int(cell) in SERIALS:
        return str(date(1899, 12, 30) + timedelta(days=int(cell)))
    return written(cell) if isinstance(cell, float) else cell


def read_changes(table: Table | None, model: zos.System) -> tuple[list[WhatIf | str], dict[str, str]]:
    """The changes in their order, and what is wrong with those that cannot be read."""
    texts = [written(cell) for row in table or [] for cell in row if cell is not None and cell != 0]
    if texts and texts[0].casefold().replace(" ", "_") == CHANGES:
        texts = texts[1:]
    found: list[WhatIf | str] = []
    faults: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        change = _tried(lambda text=text: what_if(model, text))  # type: ignore[misc]
        if isinstance(change, str):
            faults[text] = change
        found.append(text if isinstance(change, str) else change)
    return found, faults


def _tried(make: Callable[[], WhatIf]) -> WhatIf | str:
    try:
        return make()
    except ModelError as error:
        return reason(error)
