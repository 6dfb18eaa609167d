"""The text of a .jmva file from a Network, with its results where it is solved."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, fields
from itertools import count
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from qnsolve.errors import ModelError
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue, Station
from qnsolve.results.solution import Solution

from .jmva_document import MARK
from .jmva_reading import OUTSIDE

XSI = "http://www.w3.org/2001/XMLSchema-instance"
NAMES = {"linearizer": "Linearizer", "schweitzer": "Bard-Schweitzer", "aql": "AQL"}  # JMT's; MVA for all exact ones
MOST = 10**6  # most service times in one station
ROUTED = ("routing", "entry", "exits", "reference")  # the visits stand for them
SAID: dict[type, tuple[str, ...]] = {  # what JMVA can express
    Queue: ("servers", "discipline"),
    Delay: (),
    LoadDependent: ("rates",),
    OpenClass: ("arrival_rate", "demands", "visits", "service_times", "priority", *ROUTED),
    ClosedClass: ("population", "think_time", "demands", "visits", "service_times", "priority", *ROUTED),
}


def write(model: Network, kept: str = "", solution: Solution | None = None) -> str:
    """The text of a .jmva file.

    A think time becomes a delay station, the reference station of the classes; a demand
    becomes one visit of that length; servers that are no whole number, and speeds that
    depend on the number of jobs, become one service time for each number of jobs.

    Parameters
    ----------
    model : Network
    kept : str, optional
        What JMVA cannot express, on one line, for `read` to restore.
    solution : Solution, optional
        Its results are written in JMT's form.

    Raises
    ------
    ModelError
        Where JMVA cannot express a part of the model.
    """
    _check(model)
    root = Element("model", {"xmlns:xsi": XSI, "xsi:noNamespaceSchemaLocation": "JMTmodel.xsd"})
    if model.name:
        SubElement(root, "description").text = model.name
    parameters = SubElement(root, "parameters")
    classes = SubElement(parameters, "classes", number=str(len(model.classes)))
    lowest = max(c.priority for c in model.classes)
    for c in model.classes:
        size = {"population": str(c.population)} if isinstance(c, ClosedClass) else {"rate": repr(c.arrival_rate)}
        tag = "closedclass" if isinstance(c, ClosedClass) else "openclass"
        SubElement(classes, tag, {**size, "name": c.name, "priority": str(lowest - c.priority)})
    thinking, references = _references(model)
    levels = _levels(model)
    stations = SubElement(parameters, "stations", number=str(len(model.stations) + bool(thinking)))
    for station in model.stations:
        _add(stations, model, station, levels)
    if thinking:
        delay = SubElement(stations, "delaystation", name=thinking)
        used = {c.name: references[c.name] == thinking for c in model.classes}
        _table(delay, model, lambda c: repr(_thinks(c)) if used[c.name] else "0.0", lambda c: 1.0 if used[c.name] else 0.0)
    table = SubElement(parameters, "ReferenceStation", number=str(len(model.classes)))
    for name, station_name in references.items():
        SubElement(table, "Class", name=name, refStation=station_name)
    settings = SubElement(root, "algParams")
    algorithm = "MVA" if solution is None or solution.exact else NAMES.get(solution.method, "")
    if solution is not None and not algorithm:
        raise ModelError("method", "must be a method of JMT", "save result.model, or solve by another method", solution.method)
    SubElement(settings, "algType", name=algorithm, tolerance="1.0E-7", maxSamples="10000")
    SubElement(settings, "compareAlgs", value="false")
    if solution is not None:
        _add_results(root, solution, algorithm, thinking, references)
    if kept:
        root.append(ET.ProcessingInstruction(MARK, kept))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _check(model: Network) -> None:
    """Refuse a model that JMVA cannot express."""
    repair = "save it as .toml or .json"
    if model.limits:
        raise ModelError(f"limit {model.limits[0].name!r}", "cannot be written in a JMVA model", repair)
    for part in (*model.stations, *model.classes):
        item = f"{'station' if isinstance(part, Station) else 'class'} {part.name!r}"
        for field in fields(part):
            usual = field.default_factory() if field.default_factory is not MISSING else field.default
            value = getattr(part, field.name)
            if field.name not in (*SAID[type(part)], "name") and value != usual:
                raise ModelError(f"{item}: {field.name}", "cannot be written in a JMVA model", repair, value)
        if not isinstance(part, Queue):
            continue
        times = {_time(c, part.name) for c in model.classes if c.demand(part.name) > 0}
        if part.discipline not in ("ps", "fcfs"):
            raise ModelError(f"{item}: discipline", "cannot be written in a JMVA model", repair, part.discipline)
        if part.discipline == "fcfs" and len(times) > 1:
            rule = "must have one service time for all classes, because JMVA takes the model for a product form"
            raise ModelError(f"{item}: discipline", rule, repair + ", or take 'ps'", part.discipline)


def _references(model: Network) -> tuple[str, dict[str, str]]:
    """The delay station for think times, "" where none is needed; the reference station of each class.

    A class without think time takes a queue that it visits once: throughput there is its own.
    """
    names = {s.name.casefold() for s in model.stations} | {c.name.casefold() for c in model.classes}
    free = next(n for i in count(1) if (n := f"think time {i}" if i > 1 else "think time").casefold() not in names)
    queues = [s.name for s in model.stations if not isinstance(s, Delay)]
    references = {}
    for c in model.classes:
        once = [name for name in queues if _visits(c, name) == 1.0]
        references[c.name] = OUTSIDE if isinstance(c, OpenClass) else once[0] if once and not _thinks(c) else free
    return free if free in references.values() else "", references


def _thinks(job_class: JobClass) -> float:
    return job_class.think_time if isinstance(job_class, ClosedClass) else 0.0


def _visits(job_class: JobClass, station: str) -> float:
    if job_class.visits is None:
        return 1.0 if job_class.demand(station) > 0 else 0.0
    return job_class.visits.get(station, 0.0)


def _time(job_class: JobClass, station: str) -> float:
    """Service time of one visit."""
    return (job_class.demands if job_class.demands is not None else job_class.service_times or {}).get(station, 0.0)


def _levels(model: Network) -> int:
    """How many service times a load-dependent station gives: one for each number of jobs, as far as JMVA counts them."""
    rates = max((len(_rates(s, 0)) for s in model.stations), default=0)
    closed = [c.population for c in model.classes if isinstance(c, ClosedClass)]
    size = max(1, sum(closed) if len(closed) == len(model.classes) else max(rates, sum(closed)))
    if rates and size > MOST:
        raise ModelError(
            "stations", f"needs a service time for each of {size:,} jobs, which is too many", "save it as .toml or .json"
        )
    return size


def _rates(station: Station, jobs: int) -> list[float]:
    """Speeds of a station whose service times are written one by one, as many as jobs at least; none for another."""
    if isinstance(station, LoadDependent):
        rates = list(station.rates)
    elif isinstance(station, Queue) and station.servers != int(station.servers):
        rates = [min(n, station.servers) for n in range(1, math.ceil(station.servers) + 1)]
    else:
        return []
    return rates + rates[-1:] * (jobs - len(rates))


def _add(stations: Element, model: Network, station: Station, levels: int) -> None:
    rates = _rates(station, levels)
    name = station.name
    if rates:
        element = SubElement(stations, "ldstation", name=name, servers="1")
        _table(
            element,
            model,
            lambda c: ";".join(repr(_time(c, name) / rate) for rate in rates[:levels]),
            lambda c: _visits(c, name),
            "servicetimes",
        )
        return
    servers = {"servers": str(int(station.servers))} if isinstance(station, Queue) else {}
    element = SubElement(stations, "listation" if servers else "delaystation", {"name": name, **servers})
    _table(element, model, lambda c: repr(_time(c, name)), lambda c: _visits(c, name))


def _table(
    station: Element,
    model: Network,
    time: Callable[[JobClass], str],
    visits: Callable[[JobClass], float],
    tag: str = "servicetime",
) -> None:
    times, counts = SubElement(station, "servicetimes"), SubElement(station, "visits")
    for c in model.classes:
        SubElement(times, tag, customerclass=c.name).text = time(c)
        SubElement(counts, "visit", customerclass=c.name).text = repr(visits(c))


def _add_results(root: Element, solution: Solution, algorithm: str, thinking: str, references: dict[str, str]) -> None:
    """The section <solutions>: of a delay the utilization is the number of jobs, as JMT has it."""
    model = solution.model
    top = SubElement(root, "solutions", ok="true", solutionMethod="analytical", algCount="1")
    results = SubElement(top, "algorithm", name=algorithm, iterations=str(solution.iterations))
    for station in (*model.stations, *([thinking] if thinking else [])):
        name = station if isinstance(station, str) else station.name
        element = SubElement(results, "stationresults", station=name)
        for c in model.classes:
            x = solution[c.name].throughput
            if isinstance(station, str):
                here = x if references[c.name] == thinking else 0.0
                figures = (here * _thinks(c), here, _thinks(c) if here else 0.0, here * _thinks(c))
            else:
                pair = solution[c.name, name]
                residence = 0.0 if math.isnan(pair.residence_time) else pair.residence_time
                busy = pair.queue_length if isinstance(station, Delay) else pair.utilization
                figures = (pair.queue_length, x * _visits(c, name), residence, busy)
            row = SubElement(element, "classresults", customerclass=c.name)
            kinds = ("Number of Customers", "Throughput", "Residence time", "Utilization")
            for kind, value in zip(kinds, figures, strict=True):
                SubElement(row, "measure", measureType=kind, successful="true", meanValue=repr(value))
    SubElement(results, "normconst", logValue="NaN")
