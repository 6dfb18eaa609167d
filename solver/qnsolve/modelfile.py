"""Model files: TOML or JSON <-> Network. The format that other programs rely on."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import checks
from .errors import ModelError, suggestion
from .model import AdmissionLimit, ClosedClass, Delay, LoadDependent, OpenClass, Queue
from .network import Network

FORMATS = ("toml", "json")
STATIONS: dict[str, Any] = {"queue": Queue, "delay": Delay, "load_dependent": LoadDependent}
STATION_KEYS = {"queue": ("servers", "discipline", "on"), "delay": (), "load_dependent": ("rates",)}
OPEN_KEYS = {"arrival_variation": 1.0, "batch_size": 1.0, "batch_variation": 0.0}  # and what each is where left out
CLASS_KEYS = ("population", "arrival_rate", *OPEN_KEYS, "think_time", "demands", "visits", "service_times")
CLASS_KEYS += ("service_variation", "priority")
LIMIT_KEYS = ("capacity", "classes", "stations")


def load(path: str | os.PathLike[str]) -> Network:
    """Read a model file.

    Parameters
    ----------
    path : path
        `.json` is read as JSON, `.toml` as TOML; of another name, what starts with {
        is JSON.

    Returns
    -------
    Network

    Raises
    ------
    ModelError
        One line that names the file, the item, the value, the rule and the repair.
    """
    file = Path(path)
    try:
        raw = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        why = getattr(error, "strerror", None) or error
        problem = ModelError("file", f"cannot be read: {why}", "check the name and the folder")
        raise problem.in_file(path) from error
    try:
        return loads(_decoded(raw), format=_format(file.suffix, raw))
    except ModelError as error:
        raise error.in_file(path) from error.__cause__


def loads(text: str, format: str = "toml") -> Network:
    r"""A Network from the text of a model file.

    Parameters
    ----------
    text : str
    format : {"toml", "json"}, default "toml"

    Raises
    ------
    ModelError

    Examples
    --------
    >>> loads('stations = [{name = "cpu"}]\n'
    ...       'classes = [{name = "query", population = 3, demands = {cpu = 0.2}}]').classes[0].population
    3
    """
    checks.choice("format", format, FORMATS)
    if not text.strip():
        raise ModelError("file", "is empty", "write [[stations]] and [[classes]] into it")
    try:
        data = tomllib.loads(text) if format == "toml" else json.loads(text, object_pairs_hook=_once)
    except ModelError:
        raise
    except RecursionError as error:
        raise ModelError("file", "is nested too deeply", "a model has three levels at most") from error
    except ValueError as error:
        raise ModelError("file", f"is no {format.upper()}: {error}", "correct it there") from error
    return from_data(data)


def from_data(data: object) -> Network:
    """A Network from what a TOML or JSON reader returns."""
    top = _table("file", data, ("name", "time_unit", "stations", "classes", "limits"))
    return Network(
        stations=[_station(i, item) for i, item in enumerate(_tables("stations", top), 1)],
        classes=[_job_class(i, item) for i, item in enumerate(_tables("classes", top), 1)],
        limits=[_limit(i, item) for i, item in enumerate(_tables("limits", top), 1)],
        name=checks.text("name", top["name"]) if "name" in top else "",
        time_unit=top.get("time_unit", "s"),
    )


def save(model: Network, path: str | os.PathLike[str]) -> None:
    """Write a model file; a write that fails leaves the old file as it was.

    Parameters
    ----------
    model : Network
    path : path
        JSON where the name ends in .json, TOML otherwise.
    """
    file = Path(path)
    text = dumps(model, format="json" if file.suffix.lower() == ".json" else "toml")
    beside = file.with_name(file.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def dumps(model: Network, format: str = "toml") -> str:
    """The text of a model file; `loads` gives the same Network back.

    Parameters
    ----------
    model : Network
    format : {"toml", "json"}, default "toml"
    """
    checks.choice("format", format, FORMATS)
    data = to_data(model)
    if format == "json":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    lines = [f"{key} = {_value(data[key])}" for key in ("name", "time_unit") if key in data]
    for part in ("stations", "classes", "limits"):
        for item in data.get(part, ()):
            lines += ["", f"[[{part}]]", *(f"{key} = {_value(value)}" for key, value in item.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def to_data(model: Network) -> dict[str, Any]:
    """The model as the plain tables and lists of its file."""
    kinds = {kind: word for word, kind in STATIONS.items()}
    data: dict[str, Any] = {"name": model.name} if model.name else {}
    data["time_unit"] = model.time_unit
    data["stations"] = [
        {"name": s.name, "type": kinds[type(s)], **_given(s, STATION_KEYS[kinds[type(s)]])} for s in model.stations
    ]
    data["classes"] = [{"name": c.name, **_given(c, CLASS_KEYS)} for c in model.classes]
    if model.limits:
        data["limits"] = [{"name": limit.name, **_given(limit, LIMIT_KEYS)} for limit in model.limits]
    return data


def _given(item: object, keys: tuple[str, ...]) -> dict[str, Any]:
    values = {key: getattr(item, key, None) for key in keys}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None and v != OPEN_KEYS.get(k)}


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_value(key)} = {_value(v)}" for key, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ModelError("file", "is UTF-16", "save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        rule = f"is no UTF-8 text (byte {error.start + 1})"
        raise ModelError("file", rule, "give a model file; save it as UTF-8") from None
    if "\0" in text:
        raise ModelError("file", "is binary", "give a model file in TOML or JSON")
    return text


def _format(suffix: str, raw: bytes) -> str:
    known = suffix.lower().removeprefix(".")
    if known in FORMATS:
        return known
    return "json" if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "toml"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ModelError("file", "gives the same key twice", "keep one of them", key)
        table[key] = value
    return table


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
    keys = STATION_KEYS[kind]
    for key in rest:
        if key not in keys and any(key in others for others in STATION_KEYS.values()):
            rule = f"does not go with type {kind!r}"
            raise ModelError(f"{item}: {key}", rule, "take it out, or change the type", rest[key])
    _table(item, rest, keys)
    if kind == "load_dependent" and "rates" not in rest:
        raise ModelError(f"{item}: rates", "is missing", "write rates = [1.0, 1.8, ...]")
    station: Queue | Delay | LoadDependent = STATIONS[kind](name, **rest)
    return station


def _job_class(i: int, data: object) -> OpenClass | ClosedClass:
    name, rest = _named("classes", i, data)
    item = f"class {name!r}"
    _table(item, rest, CLASS_KEYS)
    if ("population" in rest) == ("arrival_rate" in rest):
        state = "gives both" if "population" in rest else "gives neither"
        raise ModelError(
            f"{item}: population, arrival_rate",
            f"one of them makes the class closed or open; this class {state}",
            "keep one" if "population" in rest else "write population = jobs, or arrival_rate = jobs per time",
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
        raise ModelError(f"limit {name!r}: capacity", "is missing", "write capacity = jobs inside at once")
    return AdmissionLimit(name=name, **rest)
