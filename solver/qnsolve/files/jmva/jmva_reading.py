"""A Network from the text of a .jmva file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from qnsolve.errors import ModelError, nearest, one_line, suggestion
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue, Station

from .jmva_document import attribute, counted, figure, named, only, parsed, whole

KINDS = ("delaystation", "listation", "ldstation")
SECTIONS = ("description", "parameters", "algParams", "whatIf", "solutions")
EXACT = ("MVA", "RECAL", "CoMoM", "MoM", "Tree Convolution", "Tree MVA", "RGF", "")  # all give the same figures
OUTSIDE = "Arrival Process"  # JMT's name for the reference of open classes


@dataclass(frozen=True)
class Reading:
    """The content of a .jmva file.

    Attributes
    ----------
    model : Network
    notes : tuple of str
        Parts that were left out or assumed.
    kept : str
        The original that `write` stored beside the model, "" in files of other programs.
    """

    model: Network
    notes: tuple[str, ...]
    kept: str


@dataclass(frozen=True)
class _Place:
    """A station of the file: visits and service times with 1, 2, … jobs of each class."""

    name: str
    kind: str
    servers: float
    visits: dict[str, float]
    times: dict[str, list[float]]


def read(source: str | bytes) -> Reading:
    """Read the text of a .jmva file.

    JMT counts visits per visit to the reference station and reports throughput there;
    so here visits are divided by those to the reference station. A reference station that
    is a delay becomes the think time. Of what JMT calls priority the highest comes first,
    so it becomes 1. JMVA knows no unit: times are taken as seconds.

    Parameters
    ----------
    source : str or bytes

    Returns
    -------
    Reading

    Raises
    ------
    ModelError
    """
    root, kept = parsed(source)
    if root.tag != "model":
        raise ModelError("file", f"must be a JMVA model, but its root is <{root.tag}>", "save it in JMVA, as .jmva")
    parameters = only(root, "parameters", "file")
    classes = counted(only(parameters, "classes", "parameters"), "classes")
    names = [named(c, f"classes[{i}]") for i, c in enumerate(classes, 1)]
    places = [_place(i, s, names) for i, s in enumerate(counted(only(parameters, "stations", "parameters"), "stations"), 1)]
    references = _references(parameters, names, [p.name for p in places])
    notes = _notes(root)
    jobs = [_job_class(c, places, references.get(name, ""), notes) for c, name in zip(classes, names, strict=True)]
    ranks = [whole(c.get("priority") or "0", f"class {n!r}: priority") for c, n in zip(classes, names, strict=True)]
    ranked = [_ranked(job, 1 + max(ranks) - rank) for job, rank in zip(jobs, ranks, strict=True)]
    used = {name for job in jobs for name in job.stations()}
    left = [p for p in places if p.name in used or p.name not in references.values() or p.kind != "delaystation"]
    about = root.find("description")
    return Reading(
        Network(
            [_station(place) for place in left or places],
            ranked,
            name="" if about is None else one_line("".join(filter(str.isprintable, one_line(about.text or "")))),
        ),
        tuple(notes),
        kept,
    )


def _notes(root: Element) -> list[str]:
    notes = []
    if root.find("whatIf") is not None:
        notes.append("only the model itself is read; its what-if section is left out")
    for algorithm in root.findall("algParams/algType"):
        if algorithm.get("name", "") not in EXACT:
            notes.append(f"algorithm {algorithm.get('name')!r} is ignored: qnsolve chooses its own method")
    notes += [f"section <{tag}> is left out" for tag in dict.fromkeys(child.tag for child in root) if tag not in SECTIONS]
    return notes


def _place(i: int, element: Element, classes: list[str]) -> _Place:
    name = named(element, f"stations[{i}]")
    item = f"station {name!r}"
    if element.tag not in KINDS:
        rule = "must be one of " + ", ".join(f"<{kind}>" for kind in KINDS)
        raise ModelError(item, rule, nearest(element.tag, KINDS), element.tag)
    visits = _by_class(only(element, "visits", item), ("visit",), f"{item}: visits", classes)
    tags = ("servicetimes", "servicetime") if element.tag == "ldstation" else ("servicetime",)
    times = _by_class(only(element, "servicetimes", item), tags, f"{item}: servicetimes", classes)
    return _Place(
        name,
        element.tag,
        figure(element.get("servers", "1"), f"{item}: servers"),
        {c: figure(text, f"{item}: visits: class {c!r}") for c, text in visits.items()},
        {c: _listed(text, f"{item}: servicetimes: class {c!r}") for c, text in times.items()},
    )


def _by_class(parent: Element, tags: tuple[str, ...], item: str, classes: list[str]) -> dict[str, str]:
    """The text for each class, in the order of the classes."""
    found: dict[str, str] = {}
    for child in parent:
        if child.tag not in tags:
            raise ModelError(item, f"must hold <{tags[0]}> only", f"remove <{child.tag}>", child.tag)
        name = attribute(child, "customerclass", item)
        if name not in classes:
            raise ModelError(item, "must name a class of the model", suggestion(name, classes), name)
        if name in found:
            raise ModelError(item, "must give a class once only", "keep one", name)
        found[name] = child.text or ""
    for name in classes:
        if name not in found:
            raise ModelError(item, f"must give a value for class {name!r}", "write 0 for no visits")
    return {name: found[name] for name in classes}


def _listed(text: str, item: str) -> list[float]:
    """Numbers between semicolons, or commas."""
    parts = [part for part in text.replace(",", ";").split(";") if part.strip()]
    return [figure(part, item) for part in parts or [text]]


def _references(parameters: Element, classes: list[str], stations: list[str]) -> dict[str, str]:
    """The reference station of each class, where given."""
    table = parameters.find("ReferenceStation")
    found = {}
    for element in [] if table is None else counted(table, "ReferenceStation"):
        name = named(element, "ReferenceStation")
        if name not in classes:
            raise ModelError("ReferenceStation", "must name a class of the model", suggestion(name, classes), name)
        station = attribute(element, "refStation", f"ReferenceStation: class {name!r}")
        if station not in (*stations, OUTSIDE):
            raise ModelError(f"ReferenceStation: class {name!r}", "must name a station", suggestion(station, stations), station)
        found[name] = station
    return found


def _job_class(element: Element, places: list[_Place], reference: str, notes: list[str]) -> JobClass:
    name = element.attrib["name"]
    item = f"class {name!r}"
    visits = {p.name: p.visits[name] for p in places if p.visits[name] > 0}
    times = {p.name: p.times[name][0] for p in places if p.visits[name] > 0}
    if element.tag == "openclass":
        rate = figure(attribute(element, "rate", item), f"{item}: rate")
        return OpenClass(name, arrival_rate=rate, visits=visits, service_times=times)
    if element.tag != "closedclass":
        raise ModelError(item, "must be <closedclass> or <openclass>", "save the model from JMVA again", element.tag)
    jobs = checks.whole(f"{item}: population", figure(attribute(element, "population", item), f"{item}: population"))
    think, one = 0.0, 1.0
    if reference in ("", OUTSIDE):
        notes.append(f"the throughput of {item} counts its visits as written, because it has no reference station")
    elif reference not in visits:
        raise ModelError(f"ReferenceStation: {item}", "must visit it", "name a station that it visits", reference)
    else:
        one = visits[reference]
        if next(p.kind for p in places if p.name == reference) == "delaystation":
            think = times.pop(reference)
            del visits[reference]
    visits = {station: v / one for station, v in visits.items()}
    return ClosedClass(name, population=jobs, think_time=think, visits=visits, service_times=times)


def _ranked(job: JobClass, priority: int) -> JobClass:
    fields = {key: getattr(job, key) for key in job.__dataclass_fields__ if key != "_"}
    return type(job)(**{**fields, "priority": priority})


def _station(place: _Place) -> Station:
    item = f"station {place.name!r}"
    if place.kind == "delaystation":
        return Delay(place.name)
    lists = {c: times for c, times in place.times.items() if place.visits[c] > 0 and times[0] > 0}
    longest = max((len(times) for times in lists.values()), default=1)
    if longest == 1:
        return Queue(place.name, servers=place.servers)
    if place.servers != 1:
        rule = "must be 1 for a station with a service time for each number of jobs"
        raise ModelError(f"{item}: servers", rule, "write 1", place.servers)
    first, *others = [_speeds(times, longest, f"{item}: servicetimes: class {c!r}") for c, times in lists.items()]
    for speeds, name in zip(others, list(lists)[1:], strict=True):
        if not all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(first, speeds, strict=True)):
            rule = "must change with the number of jobs like those of the other classes, or there is no product form"
            raise ModelError(f"{item}: servicetimes: class {name!r}", rule, "make one a multiple of the other")
    while len(first) > 1 and first[-1] == first[-2]:
        first.pop()
    return LoadDependent(place.name, rates=first)


def _speeds(times: list[float], size: int, item: str) -> list[float]:
    """Speed with 1, 2, … jobs against that with one; the last time holds."""
    for n, time in enumerate(times, 1):
        if time == 0:
            raise ModelError(f"{item}, {n} jobs", "must be above 0", "write the time of one visit", time)
    return [times[0] / time for time in times + times[-1:] * (size - len(times))]
