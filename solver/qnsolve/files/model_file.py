"""Networks as the tables and lists of their files, and back. Other programs rely on this format."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from qnsolve.errors import ModelError, Repair, suggestion
from qnsolve.model import checks
from qnsolve.model.admission_limit import AdmissionLimit
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue

STATIONS: dict[str, Any] = {"queue": Queue, "delay": Delay, "load_dependent": LoadDependent}
STATION_KEYS = {"queue": ("servers", "discipline", "on", "capacity"), "delay": (), "load_dependent": ("rates",)}
OPEN_KEYS = {"arrival_variation": 1.0, "batch_size": 1.0, "batch_variation": 0.0}  # and their defaults
CLASS_KEYS = ("population", "arrival_rate", *OPEN_KEYS, "think_time", "demands", "visits", "service_times")
CLASS_KEYS += ("service_variation", "priority")
LAW_KEYS, DECLINE_KEYS = ("contention", "coherency", "jobs"), ("servers", "decline", "jobs")
SPEED_KEYS = (("rates",), ("server_speeds",), LAW_KEYS, DECLINE_KEYS)  # ways to give a station's speeds
ROUTE_KEYS = ("routing", "entry", "exits", "reference")  # in place of visits
READ_KEYS = {**STATION_KEYS, "load_dependent": tuple(dict.fromkeys(chain(*SPEED_KEYS)))}
LIMIT_KEYS = ("capacity", "classes", "stations")
STUDY = "study"  # table of a question: growth, dates, what-ifs; no part of the model
FITTED = "fitted"  # table of a fit: where figures come from and how far off they may be; no part of the model


def network_from_data(data: object) -> Network:
    """A Network from what a TOML or JSON reader returns."""
    top = _table("file", data, ("name", "time_unit", "stations", "classes", "limits", FITTED))
    _table(FITTED, top.get(FITTED, {}), top.get(FITTED, {}))
    return Network(
        stations=[_station(i, item) for i, item in enumerate(_tables("stations", top), 1)],
        classes=[_job_class(i, item) for i, item in enumerate(_tables("classes", top), 1)],
        limits=[_limit(i, item) for i, item in enumerate(_tables("limits", top), 1)],
        name=checks.text("name", top["name"]) if "name" in top else "",
        time_unit=top.get("time_unit", "s"),
    )


def network_to_data(model: Network) -> dict[str, Any]:
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
    """The keys of a class in its file: its routing, where it has one, in place of its visits."""
    return CLASS_KEYS if job_class.routing is None else (*(key for key in CLASS_KEYS if key != "visits"), *ROUTE_KEYS)


def _given(item: object, keys: tuple[str, ...]) -> dict[str, Any]:
    values = {key: getattr(item, key, None) for key in keys}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None and v != OPEN_KEYS.get(k)}


def _table(item: str, data: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """`data` as a table that has only these keys."""
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
        raise ModelError(f"{part}[{i}]", "must have a name", f"give the {kind} a name")
    rest = dict(data)
    return checks.text(f"{part}[{i}]: name", rest.pop("name")), rest


def _station(i: int, data: object) -> Queue | Delay | LoadDependent:
    name, rest = _named("stations", i, data)
    item = f"station {name!r}"
    kind = checks.choice(f"{item}: type", rest.pop("type", "queue"), STATIONS)
    keys = READ_KEYS[kind]
    for key in rest:
        if key not in keys and any(key in others for others in READ_KEYS.values()):
            rule = f"is not allowed with type {kind!r}"
            raise ModelError(f"{item}: {key}", rule, "remove it, or change the type", rest[key])
    _table(item, rest, keys)
    if kind == "load_dependent":
        return _load_dependent(name, item, rest)
    station: Queue | Delay = STATIONS[kind](name, **rest)
    return station


def _job_class(i: int, data: object) -> OpenClass | ClosedClass:
    name, rest = _named("classes", i, data)
    item = f"class {name!r}"
    _table(item, rest, (*CLASS_KEYS, *ROUTE_KEYS))
    if any(key in rest for key in ROUTE_KEYS):
        _check_routed(item, rest)
    if ("population" in rest) == ("arrival_rate" in rest):
        state = "gives both" if "population" in rest else "gives neither"
        raise ModelError(
            f"{item}: population, arrival_rate",
            f"must give either, for a closed or an open class (it {state})",
            "keep one" if "population" in rest else "write population = jobs, or arrival_rate = jobs per time",
            code=None if "population" in rest else Repair.POPULATION_OR_RATE,
        )
    if "population" in rest:
        for key in OPEN_KEYS:
            if key in rest:
                raise ModelError(
                    f"{item}: {key}", "is allowed only with arrival_rate", "remove it from the closed class", rest[key]
                )
        return ClosedClass(name, **rest)
    if "think_time" in rest:
        rule = "is allowed only with population"
        raise ModelError(f"{item}: think_time", rule, "remove it from the open class", rest["think_time"])
    return OpenClass(name, **rest)


def _limit(i: int, data: object) -> AdmissionLimit:
    name, rest = _named("limits", i, data)
    _table(f"limit {name!r}", rest, LIMIT_KEYS)
    if "capacity" not in rest:
        raise ModelError(
            f"limit {name!r}: capacity", "is missing", "write capacity = the most jobs inside", code=Repair.CAPACITY
        )
    return AdmissionLimit(name=name, **rest)


def _load_dependent(name: str, item: str, rest: dict[str, Any]) -> LoadDependent:
    """The station by its rates, by the speed of each server, or by a law: of scalability, or of servers that lose speed."""
    ways = [way for way in SPEED_KEYS if any(key in rest for key in way if key != "jobs")]
    if not ways and "jobs" in rest:
        ways = [LAW_KEYS]
    if len(ways) > 1 or (ways and "jobs" in rest and "jobs" not in ways[0]):
        rule = "must give its speeds in one way only, not by " + ", ".join(rest)
        repair = "keep rates, or server_speeds, or contention with coherency and jobs, or servers with decline and jobs"
        raise ModelError(item, rule, repair)
    for key in ways[0] if ways else ("rates",):
        if key not in rest:
            hint = " = [1.0, 1.8, ...]" if key == "rates" else ", with the rest of " + ", ".join(ways[0])
            raise ModelError(f"{item}: {key}", "is missing", f"write {key}{hint}")
    if "server_speeds" in rest:
        return LoadDependent.of_servers(name, speeds=rest["server_speeds"])
    if "decline" in rest:
        return LoadDependent.declining(name, **rest)
    return LoadDependent(name, **rest) if "rates" in rest else LoadDependent.usl(name, **rest)


def _check_routed(item: str, rest: dict[str, Any]) -> None:
    """Check that a class with a routing gives all of its keys, and no visits or demands."""
    for key in ("visits", "demands"):
        if key in rest:
            raise ModelError(f"{item}: {key}", "is not allowed with routing", "keep one of them", rest[key])
    if "routing" not in rest:
        raise ModelError(f"{item}: routing", "is missing", "write routing = { from = { to = p } }")
