"""The study of a system in cells: until when it holds its growing work, why it ends, and what would help."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from math import isnan
from typing import Annotated, Any

from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.model.yearly_growth import a_year
from qnsolve.planning.options.what_ifs import WhatIf, what_if
from qnsolve.planning.study import Study
from qnsolve.planning.study import study as studied

from ...catalogue import worksheet_function
from ...cells import CellError, Table, remark
from ...describing import system as described
from ...modelling import ANSWERS, frozen
from ...tables import Columns, records, written
from ...wording import reason
from .systems import GROUP, Devices, Facilities, Loggers, Lpars, Regions, Work

Goals = Annotated[
    Table,
    "Table with a heading row: work, growth (8%/quarter, 15%/year), target of its response time in seconds; the work all "
    "stands for every work without a row. No growth, no target where left out.",
]
Changes = Annotated[
    Table,
    "Changes to try, a cell each: SYSA.threads=2, LOG.stripes+1, AOR1.split=2; a heading what_if may stand above. None where "
    "left out.",
]
Period = Annotated[
    Table,
    "Table with a heading row and one row: from, until (2027-12), by (quarter, month, year), seasons (12=1.3; Q4=1.2), "
    "special_days (11-26=1.8; 2027-12-24=1.5). This month, two years on, quarters, none where left out.",
]
GOALS = Columns("goals", ("name", "growth", "target"))
PERIOD = Columns("period", ("name", "from", "until", "by", "seasons", "special_days"), words=("by",))
CHANGES = "what_if"  # a heading of the changes
ALL = "all"
CLOSE = 0.9  # of a center, or of a target, from which on a period is close to its end
SENTENCES = 10
SERIALS = range(32874, 109575)  # dates as a sheet stores them, 1990 to 2199
ROWS_OF_WORK = ("load", "response time", "lowest", "highest", "target")


@worksheet_function(GROUP)
def study(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> Table:
    """A system under growing work, a row a period: whether it holds, the fullest center, load and response times of all work.

    Times in seconds; lowest and highest by the error of the method. It holds: yes, close or no; close: a center is 90 % used,
    or a response time has 90 % of its target.

    Examples
    --------
    =QN.STUDY({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},,{"from","until";"2026-12","2028-12"})
    =QN.STUDY({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth";"all","15%/year"},"AOR1.split=2",{"from","until","by";"2026-12","2028-12","year"})
    =QN.STUDY({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    found = _studied(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period).study
    head: list[Any] = ["period", "month", "holds", "why not", "fullest", "used"]
    head += [f"{each.name} {figure}" for each in found.periods[0].work for figure in ROWS_OF_WORK]
    rows: Table = [head]
    for each in found.periods:
        row: list[Any] = [each.name, each.day or each.month, _light(each), each.reason, each.fullest, each.used_percent / 100]
        for one in each.work:
            off = one.response_error
            row += [one.load, one.response_time, one.response_time * (1 - off), one.response_time * (1 + off), one.target]
        rows.append(row)
    return rows


@worksheet_function(GROUP)
def study_verdict(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> str:
    """Until when a system holds its growing work, and what ends it, in one sentence; or the error.

    Examples
    --------
    =QN.STUDY_VERDICT({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},,{"from","until";"2026-12","2028-12"})
    =QN.STUDY_VERDICT({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth";"all","8%/quarter"},,{"from";"2026-12"})
    =QN.STUDY_VERDICT({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    try:
        found = _studied(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period)
    except CellError as error:
        return error.reason
    return str(found.sentences[0])


@worksheet_function(GROUP)
def study_sentences(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> Table:
    """The study of a system in ten sentences, one below the other; the verdict first. Cells that are not needed are empty.

    Examples
    --------
    =QN.STUDY_SENTENCES({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},,{"from","until";"2026-12","2028-12"})
    =QN.STUDY_SENTENCES({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth";"all","8%/quarter"},"AOR1.split=2",{"from";"2026-12"})
    =QN.STUDY_SENTENCES({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    found = _changed(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period).sentences
    return [[found[i] if i < len(found) else ""] for i in range(SENTENCES)]


@worksheet_function(GROUP)
def study_centers(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> Table:
    """How full each center gets under growing work: center, kind, the month in which it is full, and its use by period [0..1].

    By how soon they fill up; zIIPs whose work overflows to CPs come last. Above 1: what a full center would be asked for.

    Examples
    --------
    =QN.STUDY_CENTERS({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},,{"from","until";"2026-12","2028-12"})
    =QN.STUDY_CENTERS({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth";"all","8%/quarter"},,{"from","until","by";"2026-12","2028-12","year"})
    =QN.STUDY_CENTERS({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    found = _studied(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period).study
    rows: Table = [["center", "kind", "full in", *(each.name for each in found.periods)]]
    for use in sorted(found.centers, key=lambda each: not each.limits):
        rows.append([use.name, use.kind, use.full_in, *(value / 100 for value in use.used)])
    return rows


@worksheet_function(GROUP)
def study_what_if(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> Table:
    """What each change of a system gives: until when it holds, months gained, what then ends it, CPU and response times [s].

    CPU and response times are those at the last load that holds without the change.

    Examples
    --------
    =QN.STUDY_WHAT_IF({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},{"AOR1.split=2";"PROD.engines+1"},{"from";"2026-12"})
    =QN.STUDY_WHAT_IF({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth";"all","8%/quarter"},"AOR1.split=2",{"from";"2026-12"})
    =QN.STUDY_WHAT_IF({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    found = _changed(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period)
    names = [each.name for each in found.study.periods[0].work]
    rows: Table = [
        ["change", "holds until", "months gained", "then", "CPU", *(f"{n} response time" for n in names), "figures", "remark"]
    ]
    answers = {each.name: each for each in found.study.what_ifs}
    for change in found.changes:
        each = answers.get(change.name) if isinstance(change, WhatIf) else None
        if each is None:
            rows.append(
                [change if isinstance(change, str) else change.name, *[""] * (5 + len(names)), found.faults[str(change)]]
            )
            continue
        times = [each.response_time.get(name, float("nan")) for name in names]
        until = each.holds_until or "not today"
        rest = ["; ".join(each.changes), "at least so many months" if each.at_least and not each.remark else each.remark]
        rows.append([each.name, until, each.months, each.cause, each.cpu_change, *times, *rest])
    return rows


@worksheet_function(GROUP)
def study_times(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    goals: Goals | None = None,
    what_ifs: Changes | None = None,
    period: Period | None = None,
) -> Table:
    """Where the response time of each work goes: work, center, time there today and at the last load that holds [s].

    Examples
    --------
    =QN.STUDY_TIMES({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001},,,,
     {"work","growth","target";"orders","8%/quarter",0.003},,{"from","until";"2026-12","2028-12"})
    =QN.STUDY_TIMES({"name","processors";"PROD",4},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu","device Db2";"orders",500,"AOR1",0.001,0.01},,,{"name";"Db2"},
     {"work","growth";"all","8%/quarter"},,{"from";"2026-12"})
    =QN.STUDY_TIMES({"name","processors";"PROD",4},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",500,"AOR1",0.001})
    """
    found = _studied(lpars, regions, work, coupling_facilities, loggers, devices, goals, what_ifs, period).study
    return [["work", "center", "today", "last that holds"], *([t.work, t.center, t.today, t.last] for t in found.times)]


class _Answer:
    """A study with the changes as they were given: those that cannot be read have a fault."""

    def __init__(self, study: Study, changes: list[WhatIf | str], faults: dict[str, str]) -> None:
        self.study, self.changes, self.faults = study, changes, faults
        self.sentences = study.sentences()


def _studied(*parts: Table | None) -> _Answer:
    """The study without changes, solved once for all cells that ask for it."""
    *tables, goals, _, period = parts
    model = described(*tables)  # type: ignore[arg-type]
    asked = ("study", frozen(*tables, goals, period))
    return _remarked(ANSWERS.answer(asked, lambda: _Answer(studied(model, **_question(goals, period, model)), [], {})))


def _changed(*parts: Table | None) -> _Answer:
    """The study with the changes, solved once; without them where a cell has no time for them."""
    *tables, goals, what_ifs, period = parts
    model = described(*tables)  # type: ignore[arg-type]
    base = _studied(*parts)
    changes, faults = _changes(what_ifs, model)
    good = [change for change in changes if isinstance(change, WhatIf)]
    if not good:
        return _Answer(base.study, changes, faults)

    def make() -> _Answer:
        return _Answer(studied(model, **_question(goals, period, model), what_ifs=good), changes, faults)

    try:
        return _remarked(ANSWERS.answer(("changes", frozen(*parts)), make))
    except CellError as error:  # the time of a cell is over: the study stands, and each change says so
        late = {change.name: error.reason for change in good}
        names: list[WhatIf | str] = [change if isinstance(change, str) else change.name for change in changes]
        return _Answer(base.study, names, {**faults, **late})


def _remarked(found: _Answer) -> _Answer:
    for line in (*found.study.assumptions, *found.study.notes, *found.faults.values()):
        remark(line)
    return found


def _question(goals: Table | None, period: Table | None, model: zos.System) -> dict[str, Any]:
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
    found |= {"seasons": _seasons(given.get("seasons")), "special_days": _days(given.get("special_days"))}
    return {key: value for key, value in found.items() if value not in (None, "", {}, [])}


def _factors(heading: str, cell: Any, example: str) -> list[tuple[str, float, str]]:
    """Name, factor and words of each part of a cell such as "12=1.3; Q4=1.2"."""
    found = []
    for part in str(written(cell) if cell is not None else "").split(";"):
        name, _, rest = part.partition("=")
        number, _, words = rest.strip().partition(" ")
        if not part.strip():
            continue
        try:
            found.append((name.strip(), float(number), words.strip()))
        except ValueError:
            raise CellError("#VALUE!", f"period: {heading} has {part.strip()[:60]!r}; write {example}") from None
    return found


def _seasons(cell: Any) -> dict[str, Any]:
    """Factors by month or quarter; by work where one is named in front, orders.12=1.3."""
    found: dict[str, Any] = {}
    for name, factor, _ in _factors("seasons", cell, "12=1.3; Q4=1.2"):
        work, dot, month = name.rpartition(".")
        if dot:
            found.setdefault(work, {})[month] = factor
        else:
            found[name] = factor
    return found


def _days(cell: Any) -> list[dict[str, Any]]:
    """Special days: date, factor, name."""
    days = _factors("special_days", cell, "11-26=1.8 Black Friday; 2027-12-24=1.5")
    return [{"date": day, "factor": factor, "name": words} for day, factor, words in days]


def _date(cell: Any) -> Any:
    """A date of a sheet, or a year, as a text."""
    if isinstance(cell, float) and int(cell) in SERIALS:
        return str(date(1899, 12, 30) + timedelta(days=int(cell)))
    return written(cell) if isinstance(cell, float) else cell


def _changes(table: Table | None, model: zos.System) -> tuple[list[WhatIf | str], dict[str, str]]:
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


def _light(period: Any) -> str:
    """Yes, close or no."""
    if not period.holds:
        return "no"
    near = any(not isnan(w.target) and w.response_time >= CLOSE * w.target for w in period.work)
    return "close" if near or period.used_percent >= 100 * CLOSE else "yes"
