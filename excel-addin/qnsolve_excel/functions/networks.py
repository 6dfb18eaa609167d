"""Networks of stations and classes, given as tables: their solution."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any

import qnsolve as qn
from qnsolve.results.solution import Solution

from ..catalogue import worksheet_function
from ..cells import CellError, Table, remark
from ..modelling import ANSWERS, frozen, network, one_of, solution
from ..wording import reason
from .words import Classes, ClassName, Limits, Method, Share, StationName, Stations

GROUP = "Networks"
OneStation = Annotated[str, "Name of the station, as in the table of stations. All stations together where left out."]
OneClass = Annotated[str, "Name of the class, as in the table of classes. All classes together where left out."]
TOTAL = "total"


@worksheet_function(GROUP)
def solve(stations: Stations, classes: Classes, limits: Limits | None = None, method: Method = "auto") -> Table:
    """The whole solution: a row for each class and station, and for each class in total, times in the unit of the tables.

    Examples
    --------
    =QN.SOLVE({"name","servers";"cpu",2;"disk",1},{"name","population","think_time","cpu","disk";"query",60,12,0.22,0.1})
    =QN.SOLVE({"name","type";"cpu","queue";"network","delay"},{"name","arrival_rate","cpu","network";"web",8,0.04,0.1})
    =QN.SOLVE({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04})
    =QN.SOLVE({"name","speed";"cpu",1},{"name","arrival_rate","cpu";"web",8,0.04})
    """
    found = solution(stations, classes, limits, method)
    heads = ["class", "station", "throughput", "utilization", "queue length", "demand", "waiting time", "residence time"]
    rows: Table = [heads]
    for each in found.classes:
        pairs = [pair for pair in found.pairs if pair.class_name == each.name]
        for pair in pairs:
            figures = [
                pair.throughput,
                pair.utilization,
                pair.queue_length,
                pair.demand,
                pair.waiting_time,
                pair.residence_time,
            ]
            rows.append([each.name, pair.station, *figures])
        if each.admission_wait:
            outside = [each.throughput, None, each.number_outside, None, each.admission_wait, each.admission_wait]
            rows.append([each.name, "outside limits", *outside])
        demand = sum(pair.demand for pair in pairs)
        waited = each.response_time - demand
        total = [each.throughput, None, each.queue_length, demand, waited if waited > 0 else 0.0, each.response_time]
        rows.append([each.name, TOTAL, *total])
    return rows


@worksheet_function(GROUP)
def throughput(
    stations: Stations, classes: Classes, class_name: ClassName, limits: Limits | None = None, method: Method = "auto"
) -> float:
    """Throughput of a class [jobs/time].

    Examples
    --------
    =QN.THROUGHPUT({"name","servers";"cpu",2},{"name","population","think_time","cpu";"query",60,12,0.22},"query")
    =QN.THROUGHPUT({"name";"cpu"},{"name","population","cpu";"batch",3,0.2},"batch",,"convolution")
    =QN.THROUGHPUT({"name";"cpu"},{"name","population","cpu";"batch",3,0.2},"online")
    """
    return _class(solution(stations, classes, limits, method), class_name).throughput


@worksheet_function(GROUP)
def response(
    stations: Stations, classes: Classes, class_name: ClassName, limits: Limits | None = None, method: Method = "auto"
) -> float:
    """Mean response time of a class, admission wait included [time].

    Examples
    --------
    =QN.RESPONSE({"name","servers";"cpu",2},{"name","population","think_time","cpu";"query",60,12,0.22},"query")
    =QN.RESPONSE({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web")
    =QN.RESPONSE({"name";"cpu"},{"name","arrival_rate","cpu";"web",25,0.04},"web")
    """
    return _class(solution(stations, classes, limits, method), class_name).response_time


@worksheet_function(GROUP)
def residence(
    stations: Stations,
    classes: Classes,
    class_name: ClassName,
    station_name: StationName,
    limits: Limits | None = None,
    method: Method = "auto",
) -> float:
    """Time that one job of a class spends at a station, all visits, waiting included [time].

    Examples
    --------
    =QN.RESIDENCE({"name";"cpu";"disk"},{"name","arrival_rate","cpu","disk";"web",8,0.04,0.06},"web","disk")
    =QN.RESIDENCE({"name";"cpu";"disk"},{"name","population","cpu","disk";"batch",4,0.04,0.06},"batch","cpu",,"exact")
    =QN.RESIDENCE({"name";"cpu";"disk"},{"name","arrival_rate","cpu","disk";"web",8,0.04,0.06},"web","tape")
    """
    found = solution(stations, classes, limits, method)
    return found[_class(found, class_name).name, _station(found, station_name).name].residence_time


@worksheet_function(GROUP)
def utilization(
    stations: Stations,
    classes: Classes,
    station_name: StationName,
    class_name: OneClass = "",
    limits: Limits | None = None,
    method: Method = "auto",
) -> float:
    """Utilization of each server of a station, by all classes or by one [0..1].

    Examples
    --------
    =QN.UTILIZATION({"name","servers";"cpu",2},{"name","arrival_rate","cpu";"web",8,0.04;"mail",3,0.2},"cpu")
    =QN.UTILIZATION({"name","servers";"cpu",2},{"name","arrival_rate","cpu";"web",8,0.04;"mail",3,0.2},"cpu","mail")
    =QN.UTILIZATION({"name","type";"net","delay"},{"name","arrival_rate","net";"web",8,0.04},"net")
    """
    found = solution(stations, classes, limits, method)
    at = _station(found, station_name)
    if not isfinite(at.utilization):
        raise CellError("#NUM!", f"station {at.name!r} is a delay and has no utilization; QN.QUEUE_LENGTH counts its jobs")
    return found[_class(found, class_name).name, at.name].utilization if class_name else at.utilization


@worksheet_function(GROUP)
def queue_length(
    stations: Stations,
    classes: Classes,
    station_name: OneStation = "",
    class_name: OneClass = "",
    limits: Limits | None = None,
    method: Method = "auto",
) -> float:
    """Mean number of jobs at a station or in the whole network, of one class or of all [jobs].

    Examples
    --------
    =QN.QUEUE_LENGTH({"name";"cpu";"disk"},{"name","population","think_time","cpu","disk";"query",60,12,0.22,0.1},"cpu")
    =QN.QUEUE_LENGTH({"name";"cpu";"disk"},{"name","population","think_time","cpu","disk";"query",60,12,0.22,0.1})
    =QN.QUEUE_LENGTH({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04;"mail",3,0.2},,"mail")
    """
    found = solution(stations, classes, limits, method)
    if station_name:
        at = _station(found, station_name)
        return found[_class(found, class_name).name, at.name].queue_length if class_name else at.queue_length
    return _class(found, class_name).queue_length if class_name else sum(each.queue_length for each in found.classes)


@worksheet_function(GROUP)
def admission_wait(
    stations: Stations, classes: Classes, limits: Limits, class_name: ClassName, method: Method = "auto"
) -> float:
    """Mean admission wait of a class at its limits: MXT, TRANCLASS, threads [time].

    Examples
    --------
    =QN.ADMISSION_WAIT({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},{"name","capacity";"MXT",5},"query")
    =QN.ADMISSION_WAIT({"name","type";"db","delay"},{"name","arrival_rate","db";"web",80,0.1},{"name","capacity";"MXT",10},"web")
    =QN.ADMISSION_WAIT({"name","type";"db","delay"},{"name","arrival_rate","db";"web",80,0.1},{"name","capacity";"MXT",8},"web")
    """
    return _class(solution(stations, classes, limits, method), class_name).admission_wait


@worksheet_function(GROUP)
def limit_table(stations: Stations, classes: Classes, limits: Limits, method: Method = "auto") -> Table:
    """Each admission limit: capacity, jobs inside and outside, the 95th percentile outside, share of time full.

    Examples
    --------
    =QN.LIMIT_TABLE({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},{"name","capacity";"MXT",5})
    =QN.LIMIT_TABLE({"name","type";"db","delay"},{"name","arrival_rate","db";"web",80,0.1},{"name","capacity";"MXT",10})
    =QN.LIMIT_TABLE({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},{"name","size";"MXT",5})
    """
    found = solution(stations, classes, limits, method)
    rows = [
        [limit.name, limit.capacity, limit.number_inside, limit.number_outside, limit.number_outside_95, limit.probability_full]
        for limit in found.limits
    ]
    return [["limit", "capacity", "inside", "outside", "outside 95 %", "share of time full"], *rows]


@worksheet_function(GROUP)
def percentile(
    stations: Stations, classes: Classes, class_name: ClassName, share: Share = 0.95, limits: Limits | None = None
) -> float:
    """Percentile of the response time of a class [time].

    Examples
    --------
    =QN.PERCENTILE({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web")
    =QN.PERCENTILE({"name","servers";"cpu",2},{"name","population","think_time","cpu";"query",60,12,0.22},"query",0.9)
    =QN.PERCENTILE({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web",1.5)
    """
    name = _class(solution(stations, classes, limits, "auto"), class_name).name
    model = network(stations, classes, limits)
    asked = ("percentile", frozen(stations, classes, limits), name, share)
    found = ANSWERS.answer(asked, lambda: qn.response_percentile(model, name, share))
    for note in found.notes:
        remark(note)
    return found.value


@worksheet_function(GROUP)
def methods(stations: Stations | None = None, classes: Classes | None = None, limits: Limits | None = None) -> Table:
    """The solution methods: name, exact or approximate with the measured error, and whether each accepts the model.

    Examples
    --------
    =QN.METHODS()
    =QN.METHODS({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04})
    =QN.METHODS({"name";"cpu"})
    """
    if (stations is None) != (classes is None):
        raise CellError("#VALUE!", "stations and classes go together; give both, or none for the bare list")
    model = None if stations is None or classes is None else network(stations, classes, limits)
    rows: list[list[Any]] = [
        [each.name, "exact" if each.exact else each.error, _verdict(each.accepts, each.reason), each.summary]
        for each in qn.methods(model)
    ]
    return [["method", "error", "accepts", "description"], *rows]


@worksheet_function(GROUP)
def check(stations: Stations, classes: Classes, limits: Limits | None = None, method: Method = "auto") -> str:
    """One line on a model: how it is solved, how exactly, how well it meets the laws of queueing; or what is wrong with it.

    Examples
    --------
    =QN.CHECK({"name","servers";"cpu",2},{"name","population","think_time","cpu";"query",60,12,0.22})
    =QN.CHECK({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04})
    =QN.CHECK({"name";"cpu"},{"name","arrival_rate","cpus";"web",8,0.04})
    """
    try:
        found = solution(stations, classes, limits, method)
    except CellError as error:
        return error.reason
    except qn.QnsolveError as error:
        return reason(error)
    kind = "exact" if found.exact else "approximate"
    laws = f"laws of queueing met to {max(found.residual, 1e-16):.0e}"
    return "; ".join([f"solved by {found.method}, {kind}", laws, *found.notes])


def _verdict(accepts: bool | None, reason: str) -> str:
    return {None: "", True: "yes", False: f"no: {reason}"}[accepts]


def _class(found: Solution, name: str) -> Any:
    return one_of(found.classes, name, "class")


def _station(found: Solution, name: str) -> Any:
    return one_of(found.stations, name, "station")
