"""Whole mainframe systems, given as tables: LPARs, regions, work, coupling facilities, logs, devices; times in seconds."""

from __future__ import annotations

from typing import Annotated, Any

import qnsolve as qn
from qnsolve import zos

from ...catalogue import worksheet_function
from ...cells import CellError, Numbers, Table, remark
from ...describing import system as described
from ...modelling import ANSWERS, frozen, one_of

GROUP = "Systems"
Lpars = Annotated[
    Table,
    "Table with a heading row: name, processors, and as needed speed, growth, ziips, threads, max_capacity_factor, fixed_cpu.",
]
Regions = Annotated[
    Table,
    "Table with a heading row: name, lpar, and as needed mxt, thread_limit, importance, and columns headed tranclass NAME.",
]
Work = Annotated[
    Table,
    "Table with a heading row: name, rate (or users, think_time), regions, qr_cpu, open_cpu, jvm_cpu, cpu, delay, tranclass, "
    "and columns headed cf NAME, log NAME, device NAME. More rows of a name are further steps.",
]
Facilities = Annotated[
    Table,
    "Coupling facilities: name, processors, and as needed service_time, threshold, link, latency; further rows of a name "
    "for its structures. None where left out.",
]
Loggers = Annotated[Table, "Logs: name, stripes, fixed, striped, the a and b of QN.FIT_STRIPES. None where left out."]
Devices = Annotated[Table, "Other devices that transactions wait for: name, servers. None where left out."]
# the name of a quantity for another name of it, and how many of its unit one of the other name is
OLD_FIGURES = {"limit_wait": ("admission_wait", 1.0), "delayed_percent": ("fraction_delayed", 100.0)}
WorkName = Annotated[str, "Name of the work, as in the table of work. The first one where left out."]
NewLpars = Annotated[Table, "LPARs of the second system. Those of the first one where left out."]
NewRegions = Annotated[Table, "Regions of the second system. Those of the first one where left out."]
NewWork = Annotated[Table, "Work of the second system. That of the first one where left out."]
PARTS = ("work", "lpars", "regions", "tranclasses", "facilities", "structures", "logs", "devices")
FACTORS = (1.0, 1.1, 1.2, 1.3, 1.5, 2.0)


@worksheet_function(GROUP)
def system(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
) -> Table:
    """A solved system in the terms of RMF and CICS reports: part, name, figure, value, a row a figure, and what limits it.

    Examples
    --------
    =QN.SYSTEM({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    =QN.SYSTEM({"name","processors";"PROD",8},{"name","lpar","mxt";"AOR1","PROD",120},
     {"name","users","think_time","regions","qr_cpu","device Db2";"orders",2000,2,"AOR1",0.0005,0.05},,,{"name";"Db2"})
    =QN.SYSTEM({"name","processors";"PROD",8},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    """
    found = _solved(lpars, regions, work, coupling_facilities, loggers, devices)
    reasons = [["reasons", "", f"reason {i}", reason] for i, reason in enumerate(found.reasons, 1)]
    rows = [[row["part"], row["name"], row["figure"].replace("_", " "), _plain(row["value"])] for row in found.rows()]
    return [["part", "name", "figure", "value"], *reasons, *rows]


@worksheet_function(GROUP)
def system_part(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    part: Annotated[str, "Which: work, lpars, regions, tranclasses, facilities, structures, logs or devices."] = "work",
) -> Table:
    """One kind of parts of a solved system: a row each, all figures side by side; headings alone where it has none.

    Examples
    --------
    =QN.SYSTEM_PART({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"regions")
    =QN.SYSTEM_PART({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    =QN.SYSTEM_PART({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"colours")
    """
    wanted = part.casefold()
    if wanted not in PARTS:
        raise CellError("#N/A", f"{part[:60]!r} is no kind of parts of a system; write one of {', '.join(PARTS)}")
    solved = [
        row for row in _answered(lpars, regions, work, coupling_facilities, loggers, devices).rows() if row["part"] == wanted
    ]
    heads = list(dict.fromkeys(row["figure"] for row in solved))
    found: dict[str, dict[str, Any]] = {}
    for row in solved:
        found.setdefault(row["name"], {})[row["figure"]] = _plain(row["value"])
    rows = [[name, *(figures.get(head) for head in heads)] for name, figures in found.items()]
    return [["name", *(head.replace("_", " ") for head in heads)], *rows]


@worksheet_function(GROUP)
def system_check(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
) -> str:
    """What limits a system, in one text: the center that fills up first, response times and their largest part; or the error.

    Examples
    --------
    =QN.SYSTEM_CHECK({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    =QN.SYSTEM_CHECK({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",1300,"AOR1",0.0008})
    =QN.SYSTEM_CHECK({"name","processors";"PROD",8},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    """
    try:
        found = _solved(lpars, regions, work, coupling_facilities, loggers, devices)
    except CellError as error:
        return error.reason
    return "; ".join([*reversed(found.reasons), *found.notes])


@worksheet_function(GROUP, own=1)
def system_response(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    work_name: WorkName = "",
) -> float:
    """Mean response time of one kind of work, admission waits included [s].

    Examples
    --------
    =QN.SYSTEM_RESPONSE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"orders")
    =QN.SYSTEM_RESPONSE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"mail")
    =QN.SYSTEM_RESPONSE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",1300,"AOR1",0.0008})
    """
    found = _solved(lpars, regions, work, coupling_facilities, loggers, devices)
    name = work_name or found.work[0].name
    return float(one_of(found.work, name, "work").response_time)


@worksheet_function(GROUP, own=2)
def system_figure(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    name: Annotated[
        str, "Name of the work, LPAR, region, TRANCLASS, coupling facility, log or device. The first work where left out."
    ] = "",
    figure: Annotated[str, "Its figure, as QN.SYSTEM lists it: qr percent, cpu percent, admission wait."] = "response time",
) -> float:
    """One figure of a solved system, as QN.SYSTEM lists them.

    Examples
    --------
    =QN.SYSTEM_FIGURE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"AOR1","qr percent")
    =QN.SYSTEM_FIGURE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"PROD","cpu percent")
    =QN.SYSTEM_FIGURE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",1300,"AOR1",0.0008})
    """
    solved = _solved(lpars, regions, work, coupling_facilities, loggers, devices)
    found, name = solved.rows(), name or solved.work[0].name
    mine = [row for row in found if row["name"].casefold() == name.casefold()]
    if not mine:
        raise CellError("#N/A", f"{name[:60]!r} names no part of the system; QN.SYSTEM lists them")
    wanted = figure.casefold().replace(" ", "_")
    wanted, factor = OLD_FIGURES.get(wanted, (wanted, 1.0))
    for row in mine:
        if row["figure"].casefold().replace(" ", "_") == wanted and isinstance(row["value"], (int, float)):
            return factor * float(row["value"])
    known = ", ".join(row["figure"].replace("_", " ") for row in mine if isinstance(row["value"], (int, float)))
    raise CellError("#N/A", f"{name} has no figure {figure[:40]!r}; it has {known}")


@worksheet_function(GROUP, formerly="SYSTEM_GROW", own=1)
def growth(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    factors: Annotated[
        Numbers, "Rates and users over those of the table, a cell each. 1, 1.1, 1.2, 1.3, 1.5, 2 where left out."
    ]
    | None = None,
) -> Table:
    """A system at growing load: rate, response time, admission wait and the fullest center, a row for each work and factor.

    Examples
    --------
    =QN.GROWTH({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,{1,1.2,1.5})
    =QN.GROWTH({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","users","think_time","regions","qr_cpu";"orders",90,0.1,"AOR1",0.0008},,,,{1;2})
    =QN.GROWTH({"name","processors";"PROD",8},{"name","lpar";"AOR1","TEST"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    """
    parts = (lpars, regions, work, coupling_facilities, loggers, devices)
    model, wanted = described(*parts), tuple(FACTORS if factors is None else factors)
    found = ANSWERS.answer(("growth", frozen(*parts), wanted), lambda: zos.growth(model, wanted))
    solved = {(row["factor"], row["work"]): row for row in found.rows()}
    rows: Table = [["factor", "work", "ETR", "response time", "admission wait", "fullest", "share used"]]
    for each in model.work:  # as many rows at each load, saturated or not: a chart and a range stay as they are
        for factor in found.factors:
            row = solved.get((factor, each.name))
            if row is None:
                rows.append([factor, each.name, None, None, None, solved[factor, "all"]["fullest"], None])
            else:
                figures = [row["etr"], row["response_time"], row["admission_wait"]]
                rows.append([factor, each.name, *figures, row["fullest"], row["used_percent"] / 100])
    return rows


@worksheet_function(GROUP, formerly="SYSTEM_MOST_WORK", own=2)
def headroom(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    work_name: Annotated[str, "Work whose response time must meet the target. No target where left out."] = "",
    response_time: Annotated[float, "Target of its response time, in seconds. No target where left out."] = 0,
) -> float:
    """How many times all work of the tables the system can do, with a response time still met where one is given [ratio].

    To 0.1 %. Growth of 12 % a year is covered for LN(that)/LN(1.12) years.

    Examples
    --------
    =QN.HEADROOM({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    =QN.HEADROOM({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"orders",0.005)
    =QN.HEADROOM({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,"orders",0.0001)
    """
    if bool(work_name) != bool(response_time):
        raise CellError("#VALUE!", "work_name and response_time go together; give both, or none for the limit of the system")
    parts = (lpars, regions, work, coupling_facilities, loggers, devices)
    model = described(*parts)
    targets = {one_of(model.work, work_name, "work").name: response_time} if work_name else None
    asked = ("most work", frozen(*parts), work_name, response_time)
    return ANSWERS.answer(asked, lambda: zos.headroom(model, response_times=targets).factor)


@worksheet_function(GROUP, own=3)
def compare(
    lpars: Lpars,
    regions: Regions,
    work: Work,
    coupling_facilities: Facilities | None = None,
    loggers: Loggers | None = None,
    devices: Devices | None = None,
    new_lpars: NewLpars | None = None,
    new_regions: NewRegions | None = None,
    new_work: NewWork | None = None,
) -> Table:
    """Two systems side by side: part, name, figure, before, after, relative change, a row a figure that both have.

    Coupling facilities, logs and devices are those of both.

    Examples
    --------
    =QN.COMPARE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,{"name","processors";"PROD",10},
     {"name","lpar";"AOR1","PROD"},{"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008})
    =QN.COMPARE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",900,"AOR1",0.0008},,,,{"name","processors";"PROD",8},
     {"name","lpar";"AOR1","PROD"},{"name","rate","regions","qr_cpu";"orders",1100,"AOR1",0.0008})
    =QN.COMPARE({"name","processors";"PROD",8},{"name","lpar";"AOR1","PROD"},
     {"name","rate","regions","qr_cpu";"orders",1300,"AOR1",0.0008})
    """
    beside = (coupling_facilities, loggers, devices)
    new = [new if new else old for old, new in zip((lpars, regions, work), (new_lpars, new_regions, new_work), strict=True)]
    before, after = _solved(lpars, regions, work, *beside), _solved(*new, *beside)
    rows = [
        [row["part"], row["name"], row["figure"].replace("_", " "), row["before"], row["after"], row["change_percent"] / 100]
        for row in qn.compare(before, after).rows()
    ]
    return [["part", "name", "figure", "before", "after", "change"], *rows]


def _solved(*parts: Any) -> zos.SystemResult:
    """The solution; what limits it, which is searched for, and its notes are remarks."""
    found = _answered(*parts)
    for line in (*found.reasons, *found.notes):
        remark(line)
    return found


def _answered(*parts: Any) -> zos.SystemResult:
    """The solution alone, solved once for all cells that ask for it."""
    return ANSWERS.answer(("system", frozen(*parts)), described(*parts).solve)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (int, float, str)) else str(value)
