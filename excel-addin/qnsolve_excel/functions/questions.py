"""Networks: bounds, bottlenecks, sensitivity, sweeps, and the population, rate or servers for a target."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any

import qnsolve as qn
from qnsolve.analysis.bottleneck import ClassBottleneck

from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table, remark
from ..modelling import ANSWERS, frozen, network, one_of
from .words import Classes, ClassName, Limits, Method, StationName, Stations, Target

GROUP = "Networks"
Part = Annotated[float, "Share of the jobs that meet the target, 0 to 1; the mean is to meet it where left out."]


@worksheet_function(GROUP)
def bottleneck(stations: Stations, classes: Classes, class_name: ClassName) -> str:
    """Name of the station that limits a class: the largest demand per server.

    Examples
    --------
    =QN.BOTTLENECK({"name","servers";"cpu",2;"disk",1},{"name","population","cpu","disk";"query",60,0.22,0.1},"query")
    =QN.BOTTLENECK({"name";"cpu";"disk"},{"name","arrival_rate","cpu","disk";"web",8,0.04,0.06;"mail",1,0.2,0.1},"mail")
    =QN.BOTTLENECK({"name","type";"net","delay"},{"name","arrival_rate","net";"web",8,0.04},"web")
    """
    found = _limit(stations, classes, class_name)
    if not found.station:
        raise CellError("#N/A", f"class {found.class_name!r} has no queue: it has no bottleneck")
    return str(found.station)


@worksheet_function(GROUP)
def saturation(stations: Stations, classes: Classes, class_name: ClassName) -> float:
    """Highest throughput of a class alone in the network, set by its bottleneck [jobs/time].

    Examples
    --------
    =QN.SATURATION({"name","servers";"cpu",2;"disk",1},{"name","population","cpu","disk";"query",60,0.22,0.1},"query")
    =QN.SATURATION({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04},"web")
    =QN.SATURATION({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04},"mail")
    """
    return float(_limit(stations, classes, class_name).highest_throughput)


@worksheet_function(GROUP)
def saturation_population(stations: Stations, classes: Classes, class_name: ClassName) -> float:
    """Jobs of a closed class beyond which its bottleneck, not its think time, sets the throughput: N* [jobs].

    Examples
    --------
    =QN.SATURATION_POPULATION({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},"query")
    =QN.SATURATION_POPULATION({"name","servers";"cpu",4},{"name","population","think_time","cpu";"query",60,12,0.22},"query")
    =QN.SATURATION_POPULATION({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04},"web")
    """
    found = _limit(stations, classes, class_name).saturation_population
    if not isfinite(found):
        raise CellError("#NUM!", f"class {class_name!r} is open or has no queue; QN.SATURATION returns its highest rate")
    return float(found)


@worksheet_function(GROUP)
def bounds(stations: Stations, classes: Classes) -> Table:
    """Bounds on throughput, response time and queue lengths, without a solution: a row for each bound.

    Examples
    --------
    =QN.BOUNDS({"name";"cpu";"disk"},{"name","population","think_time","cpu","disk";"query",60,12,0.22,0.1})
    =QN.BOUNDS({"name","servers";"cpu",2},{"name","population","cpu";"batch",3,0.22})
    =QN.BOUNDS({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04})
    """
    found = ANSWERS.answer(("bounds", frozen(stations, classes)), lambda: qn.bounds(network(stations, classes)))
    return _table(found.rows(), found.notes)


@worksheet_function(GROUP)
def sensitivity(stations: Stations, classes: Classes, method: Method = "auto") -> Table:
    """Effect of each parameter of the model on each class, the largest first; a change of 10 % each.

    Examples
    --------
    =QN.SENSITIVITY({"name";"cpu";"disk"},{"name","population","think_time","cpu","disk";"query",60,12,0.22,0.1})
    =QN.SENSITIVITY({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04})
    =QN.SENSITIVITY({"name";"cpu"},{"name","arrival_rate","cpu";"web",80,0.04})
    """
    model = network(stations, classes)
    found = ANSWERS.answer(("sensitivity", frozen(stations, classes), method), lambda: qn.sensitivity(model, method or "auto"))
    return _table(found.rows(), found.notes)


@worksheet_function(GROUP)
def sweep(
    stations: Stations,
    classes: Classes,
    item: Annotated[str, "Name of the class, station or limit whose parameter is varied."],
    figure: Annotated[str, "Its parameter: population, arrival_rate, think_time, servers, capacity, or a station's name."],
    values: Annotated[Numbers, "Values of the parameter, a cell each."],
    limits: Limits | None = None,
    method: Method = "auto",
) -> Table:
    """The solution at many values of one parameter: throughput and response time of each class, utilizations, a row each.

    Examples
    --------
    =QN.SWEEP({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},"query","population",{20,40,60,80})
    =QN.SWEEP({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web","cpu",{0.02;0.04;0.2})
    =QN.SWEEP({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"cpu","speed",{1,2})
    """
    model = network(stations, classes, limits)
    place = one_of((*model.classes, *model.stations, *model.limits), item, "class, station or limit")
    given: dict[str, Any] = {figure.casefold().replace(" ", "_"): values}
    at = next((s.name for s in model.stations if s.name.casefold() == figure.casefold()), None)
    if at is not None:
        given = {"demands": {at: values}}
    asked = ("sweep", frozen(stations, classes, limits), item, figure, tuple(values), method)
    found = ANSWERS.answer(asked, lambda: qn.sweep(model, place.name, method=method or "auto", **given))
    head = [figure, *(f"throughput {name}" for name in found.classes), *(f"response {name}" for name in found.classes)]
    rows: Table = [[*head, *(f"utilization {name}" for name in found.stations), "reason"]]
    for i, value in enumerate(values):
        figures = [*found.throughput[i], *found.response_time[i], *found.utilization[i]]
        rows.append([value, *figures, found.reasons[i]])
    return rows


@worksheet_function(GROUP, formerly="POPULATION_FOR_RESPONSE")
def highest_population(
    stations: Stations, classes: Classes, class_name: ClassName, response_time: Target, share: Part | None = None
) -> float:
    """Highest population of a closed class at which its response time, mean or percentile, meets a target [jobs].

    Examples
    --------
    =QN.HIGHEST_POPULATION({"name";"cpu"},{"name","population","think_time","cpu";"query",10,12,0.22},"query",1)
    =QN.HIGHEST_POPULATION({"name","servers";"cpu",2},{"name","population","think_time","cpu";"query",10,12,0.22},"query",1,0.9)
    =QN.HIGHEST_POPULATION({"name";"cpu"},{"name","population","think_time","cpu";"query",10,12,0.22},"query",0.1)
    """
    model = network(stations, classes)
    name = one_of(model.classes, class_name, "class").name
    asked = ("population", frozen(stations, classes), name, response_time, share)
    return _sized(asked, lambda: qn.highest_population(model, name, response_time=response_time, percentile=share))


@worksheet_function(GROUP, formerly="RATE_FOR_RESPONSE")
def highest_rate(
    stations: Stations, classes: Classes, class_name: ClassName, response_time: Target, share: Part | None = None
) -> float:
    """Highest arrival rate of an open class at which its response time, mean or percentile, meets a target [jobs/time].

    Examples
    --------
    =QN.HIGHEST_RATE({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web",0.1)
    =QN.HIGHEST_RATE({"name","servers";"cpu",2},{"name","arrival_rate","cpu";"web",8,0.04;"mail",3,0.2},"web",0.1)
    =QN.HIGHEST_RATE({"name";"cpu"},{"name","arrival_rate","cpu";"web",8,0.04},"web",0.3,0.95)
    """
    model = network(stations, classes)
    name = one_of(model.classes, class_name, "class").name
    asked = ("rate", frozen(stations, classes), name, response_time, share)
    return _sized(asked, lambda: qn.highest_rate(model, name, response_time=response_time, percentile=share))


@worksheet_function(GROUP, formerly="SERVERS_FOR_RESPONSE")
def fewest_servers(
    stations: Stations,
    classes: Classes,
    station_name: StationName,
    class_name: ClassName,
    response_time: Target,
    share: Part | None = None,
) -> float:
    """Fewest servers of a station with which a class's response time, mean or percentile, meets a target [count].

    Examples
    --------
    =QN.FEWEST_SERVERS({"name";"cpu"},{"name","population","think_time","cpu";"query",60,12,0.22},"cpu","query",0.5)
    =QN.FEWEST_SERVERS({"name";"cpu"},{"name","arrival_rate","cpu";"web",60,0.04},"cpu","web",0.05)
    =QN.FEWEST_SERVERS({"name";"cpu"},{"name","arrival_rate","cpu";"web",60,0.04},"cpu","web",0.03)
    """
    model = network(stations, classes)
    name, at = one_of(model.classes, class_name, "class").name, one_of(model.stations, station_name, "station").name
    asked = ("servers", frozen(stations, classes), at, name, response_time, share)
    return _sized(asked, lambda: qn.fewest_servers(model, at, response_time=response_time, of=name, percentile=share))


def _limit(stations: Table, classes: Table, class_name: str) -> ClassBottleneck:
    model = network(stations, classes)
    name = one_of(model.classes, class_name, "class").name
    found = ANSWERS.answer(("bottleneck", frozen(stations, classes)), lambda: qn.bottleneck(model))
    return next(limit for limit in found.limits if limit.class_name == name)


def _table(rows: list[dict[str, Any]], notes: tuple[str, ...]) -> Table:
    for note in notes:
        remark(note)
    if not rows:
        raise CellError("#N/A", "; ".join(notes) or "there is none for this model")
    return [[key.replace("_", " ") for key in rows[0]], *(list(row.values()) for row in rows)]


def _sized(asked: Any, size: Any) -> float:
    found = ANSWERS.answer(asked, size)
    for note in found.notes:
        remark(note)
    return float(found.value)
