"""Model files: TOML, JSON or JMVA <-> Network. The format that other programs rely on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from . import checks
from .errors import ModelError, Repair, suggestion
from .expansion import ROUTE_KEYS, SPEED_KEYS, check_routed, load_dependent
from .model import AdmissionLimit, ClosedClass, Delay, JobClass, LoadDependent, OpenClass, Queue
from .modeltext import FORMATS, decoded, form_of, parsed, read, toml
from .network import Network
from .solution import Solution

STATIONS: dict[str, Any] = {"queue": Queue, "delay": Delay, "load_dependent": LoadDependent}
STATION_KEYS = {"queue": ("servers", "discipline", "on", "capacity"), "delay": (), "load_dependent": ("rates",)}
OPEN_KEYS = {"arrival_variation": 1.0, "batch_size": 1.0, "batch_variation": 0.0}  # and what each is where left out
CLASS_KEYS = ("population", "arrival_rate", *OPEN_KEYS, "think_time", "demands", "visits", "service_times")
CLASS_KEYS += ("service_variation", "priority")
READ_KEYS = {**STATION_KEYS, "load_dependent": tuple(chain(*SPEED_KEYS))}
SYSTEM_PARTS = ("lpars", "regions", "work", "coupling_facilities", "loggers", "devices")
LIMIT_KEYS = ("capacity", "classes", "stations")


def load(path: str | os.PathLike[str]) -> Network:
    """Read a model file.

    Parameters
    ----------
    path : path
        `.json` is read as JSON, `.toml` as TOML, `.jmva` as JMVA, the format of the
        Java Modelling Tools; of another name, what starts with { is JSON, with < JMVA.

    Returns
    -------
    Network

    Raises
    ------
    ModelError
        One line that names the file, the item, the value, the rule and the repair.

    Warns
    -----
    ImportNote
        Where a part of a JMVA file, its what-if section say, was left out or something
        had to be assumed. The command line prints these notes; no result is off for them.
    """
    file, raw = Path(path), read(path)
    try:
        form = form_of(file.suffix, raw)
        if form != "jmva":
            return loads(decoded(raw), format=form)
        from . import jmva

        return jmva.load(raw, _kept, f"{path}: ")
    except ModelError as error:
        raise error.in_file(path) from error.__cause__


def loads(text: str, format: str = "toml") -> Network:
    r"""A Network from the text of a model file.

    Parameters
    ----------
    text : str
    format : {"toml", "json", "jmva"}, default "toml"

    Raises
    ------
    ModelError

    Warns
    -----
    ImportNote

    Examples
    --------
    >>> loads('stations = [{name = "cpu"}]\n'
    ...       'classes = [{name = "query", population = 3, demands = {cpu = 0.2}}]').classes[0].population
    3
    """
    checks.choice("format", format, FORMATS)
    if format == "jmva" and text.strip():
        from . import jmva

        return jmva.load(text, _kept)
    return from_data(parsed(text, format))


def from_data(data: object) -> Network:
    """A Network from what a TOML or JSON reader returns."""
    if isinstance(data, Mapping) and any(part in data for part in SYSTEM_PARTS):
        repair = "solve it as it is, or take what qnsolve compile prints for the rest"
        raise ModelError("file", "describes a system of LPARs and regions, not a network", repair)
    top = _table("file", data, ("name", "time_unit", "stations", "classes", "limits"))
    return Network(
        stations=[_station(i, item) for i, item in enumerate(_tables("stations", top), 1)],
        classes=[_job_class(i, item) for i, item in enumerate(_tables("classes", top), 1)],
        limits=[_limit(i, item) for i, item in enumerate(_tables("limits", top), 1)],
        name=checks.text("name", top["name"]) if "name" in top else "",
        time_unit=top.get("time_unit", "s"),
    )


def _kept(text: str) -> Network:
    return loads(text, format="json")


def save(model: Network | Solution, path: str | os.PathLike[str]) -> None:
    """Write a model file; a write that fails leaves the old file as it was.

    Parameters
    ----------
    model : Network or Solution
        Of a solution, JMVA takes the results too; other files hold no results.
    path : path
        JSON where the name ends in .json, JMVA in .jmva, TOML otherwise.

    Raises
    ------
    ModelError
        Where JMVA has no place for a part of the model.
    """
    file = Path(path)
    text = dumps(model, format={".json": "json", ".jmva": "jmva"}.get(file.suffix.lower(), "toml"))
    beside = file.with_name(file.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def dumps(model: Network | Solution, format: str = "toml") -> str:
    """The text of a model file; `loads` gives the same Network back.

    Parameters
    ----------
    model : Network or Solution
    format : {"toml", "json", "jmva"}, default "toml"
    """
    checks.choice("format", format, FORMATS)
    solution = model if isinstance(model, Solution) else None
    model = model.model if isinstance(model, Solution) else model
    data = to_data(model)
    if format == "jmva":
        from . import jmva

        kept = json.dumps(data).replace(">", "\\u003e")  # no ?> inside
        return jmva.write(model, kept, solution)
    if solution is not None:
        raise ModelError("format", "holds no results", "save result.model, and result.to_csv() beside it", format)
    if format == "json":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    lines = [f"{key} = {toml(data[key])}" for key in ("name", "time_unit") if key in data]
    for part in ("stations", "classes", "limits"):
        for item in data.get(part, ()):
            lines += ["", f"[[{part}]]", *(f"{key} = {toml(value)}" for key, value in item.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def to_data(model: Network) -> dict[str, Any]:
    """The model as the plain tables and lists of its file."""
    kinds = {kind: word for word, kind in STATIONS.items()}
    data: dict[str, Any] = {"name": model.name} if model.name else {}
    data["time_unit"] = model.time_unit
    data["stations"] = [
        {"name": s.name, "type": kinds[type(s)], **_given(s, STATION_KEYS[kinds[type(s)]])} for s in model.stations
    ]
    data["classes"] = [{"name": c.name, **_given(c, _class_keys(c))} for c in model.classes]
    if model.limits:
        data["limits"] = [{"name": limit.name, **_given(limit, LIMIT_KEYS)} for limit in model.limits]
    return data


def _class_keys(job_class: JobClass) -> tuple[str, ...]:
    """What a class is written by: its routing, where it has one, in place of its visits."""
    return CLASS_KEYS if job_class.routing is None else (*(key for key in CLASS_KEYS if key != "visits"), *ROUTE_KEYS)


def _given(item: object, keys: tuple[str, ...]) -> dict[str, Any]:
    values = {key: getattr(item, key, None) for key in keys}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None and v != OPEN_KEYS.get(k)}


def _table(item: str, data: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """`data` as a table that has no other keys than these."""
    if not isinstance(data, Mapping):
        raise ModelError(item, "must be a table of keys and values", "see the model file format", data)
    for key in data:
        if key not in keys:
            raise ModelError(f"{item}: {key}", "is an unknown key", suggestion(str(key), keys))
    return data


def _tables(part: str, top: Mapping[str, Any]) -> list[Any]:
    items = top.get(part, [])
    if not isinstance(items, list):
        raise ModelError(part, "must be a list of tables", f"write [[{part}]], with two brackets", items)
    return items


def _named(part: str, i: int, data: object) -> tuple[str, dict[str, Any]]:
    """The item's name and its other keys."""
    kind = {"stations": "station", "classes": "class", "limits": "limit"}[part]
    if not isinstance(data, Mapping):
        raise ModelError(f"{part}[{i}]", "must be a table of keys and values", f"write [[{part}]]", data)
    if "name" not in data:
        raise ModelError(f"{part}[{i}]", "has no name", f"give the {kind} a name")
    rest = dict(data)
    return checks.text(f"{part}[{i}]: name", rest.pop("name")), rest


def _station(i: int, data: object) -> Queue | Delay | LoadDependent:
    name, rest = _named("stations", i, data)
    item = f"station {name!r}"
    kind = checks.choice(f"{item}: type", rest.pop("type", "queue"), STATIONS)
    keys = READ_KEYS[kind]
    for key in rest:
        if key not in keys and any(key in others for others in READ_KEYS.values()):
            rule = f"does not go with type {kind!r}"
            raise ModelError(f"{item}: {key}", rule, "take it out, or change the type", rest[key])
    _table(item, rest, keys)
    if kind == "load_dependent":
        return load_dependent(name, item, rest)
    station: Queue | Delay = STATIONS[kind](name, **rest)
    return station


def _job_class(i: int, data: object) -> OpenClass | ClosedClass:
    name, rest = _named("classes", i, data)
    item = f"class {name!r}"
    _table(item, rest, (*CLASS_KEYS, *ROUTE_KEYS))
    if any(key in rest for key in ROUTE_KEYS):
        check_routed(item, rest)
    if ("population" in rest) == ("arrival_rate" in rest):
        state = "gives both" if "population" in rest else "gives neither"
        raise ModelError(
            f"{item}: population, arrival_rate",
            f"one of them makes the class closed or open; this class {state}",
            "keep one" if "population" in rest else "write population = jobs, or arrival_rate = jobs per time",
            code=None if "population" in rest else Repair.POPULATION_OR_RATE,
        )
    if "population" in rest:
        for key in OPEN_KEYS:
            if key in rest:
                raise ModelError(f"{item}: {key}", "goes with arrival_rate only", "take it out of the closed class", rest[key])
        return ClosedClass(name, **rest)
    if "think_time" in rest:
        rule = "goes with population only"
        raise ModelError(f"{item}: think_time", rule, "take it out of the open class", rest["think_time"])
    return OpenClass(name, **rest)


def _limit(i: int, data: object) -> AdmissionLimit:
    name, rest = _named("limits", i, data)
    _table(f"limit {name!r}", rest, LIMIT_KEYS)
    if "capacity" not in rest:
        raise ModelError(
            f"limit {name!r}: capacity", "is missing", "write capacity = jobs inside at once", code=Repair.CAPACITY
        )
    return AdmissionLimit(name=name, **rest)
