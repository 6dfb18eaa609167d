"""The study of a system in cells: until when it holds its growing work, why it ends, and what would help."""

from __future__ import annotations

from math import isnan
from typing import Annotated, Any

from qnsolve.planning.options.what_ifs import WhatIf
from qnsolve.planning.study import Study
from qnsolve.planning.study import study as studied

from ...catalogue import worksheet_function
from ...cells import CellError, Table, remark
from ...describing import system as described
from ...modelling import ANSWERS, frozen
from .study_questions import question, read_changes
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
    "special_days (11-26=1.8; 2027-12-24=1.5). Where left out: this month, its end or two years on, quarters, none.",
]
CLOSE = 0.9  # of a center, or of a target, from which on a period is close to its end
SENTENCES = 10
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
    return _remarked(ANSWERS.answer(asked, lambda: _Answer(studied(model, **question(goals, period, model)), [], {})))


def _changed(*parts: Table | None) -> _Answer:
    """The study with the changes, solved once; without them where a cell has no time for them."""
    *tables, goals, what_ifs, period = parts
    model = described(*tables)  # type: ignore[arg-type]
    base = _studied(*parts)
    changes, faults = read_changes(what_ifs, model)
    good = [change for change in changes if isinstance(change, WhatIf)]
    if not good:
        return _Answer(base.study, changes, faults)

    def make() -> _Answer:
        return _Answer(studied(model, **question(goals, period, model), what_ifs=good), changes, faults)

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


def _light(period: Any) -> str:
    """Yes, close or no."""
    if not period.holds:
        return "no"
    near = any(not isnan(w.target) and w.response_time >= CLOSE * w.target for w in period.work)
    return "close" if near or period.used_percent >= 100 * CLOSE else "yes"
