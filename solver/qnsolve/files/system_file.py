"""Systems as the plain tables and lists of their files, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks
from qnsolve.zos.parts.facilities import CouplingFacility, Device, Link, Logger, Structure
from qnsolve.zos.parts.processors import Lpar, Processors, Ziips
from qnsolve.zos.parts.regions import CicsRegion, ImsRegions
from qnsolve.zos.parts.system import PARTS
from qnsolve.zos.parts.work import Step, Work
from qnsolve.zos.solve_system import System

from .model_file import FITTED, STUDY
from .short_forms import WORD, in_full
from .system_templates import FROM, TEMPLATES

TYPES: dict[str, type] = {"cics": CicsRegion, "ims": ImsRegions}
KINDS: dict[str, type] = {
    "lpars": Lpar,
    "work": Work,
    "coupling_facilities": CouplingFacility,
    "loggers": Logger,
    "devices": Device,
}
WITHIN: dict[tuple[type, str], type] = {  # parts of parts
    (Lpar, "processors"): Processors,
    (Lpar, "ziips"): Ziips,
    (CouplingFacility, "link"): Link,
    (CouplingFacility, "structures"): Structure,
    (Work, "steps"): Step,
}


def system_from_data(data: object) -> System:
    """A System from what a TOML or JSON reader returns."""
    top = _table("file", data, ("name", FROM, *PARTS, FITTED, STUDY))
    _table(FITTED, top.get(FITTED, {}), top.get(FITTED, {}))
    if FROM in top:
        checks.choice(FROM, top[FROM], TEMPLATES)
    top = in_full(top)
    parts: dict[str, Any] = {}
    for part in PARTS:
        items = top.get(part, [])
        if not isinstance(items, list):
            raise ModelError(part, "must be a list of tables", f"write [[{part}]], with two brackets", items)
        parts[part] = [_part(part, i, item) for i, item in enumerate(items, 1)]
    return System(**parts, name=checks.text("name", top["name"]) if "name" in top else "")


def _part(part: str, i: int, data: object) -> Any:
    if not isinstance(data, Mapping):
        raise ModelError(f"{part}[{i}]", "must be a table of keys and values", f"write [[{part}]]", data)
    rest = dict(data)
    if "name" not in rest:
        raise ModelError(f"{part}[{i}]", "must have a name", f"give the {WORD[part]} a name")
    name = checks.text(f"{part}[{i}]: name", rest.pop("name"))
    item = f"{WORD[part]} {name!r}"
    kind = TYPES[checks.choice(f"{item}: type", rest.pop("type", "cics"), TYPES)] if part == "regions" else KINDS[part]
    return _built(item, kind, rest, name)


def _built(item: str, kind: type, data: Mapping[str, Any], *name: str) -> Any:
    """An object of that kind, its parts built first."""
    known = [f.name for f in fields(kind) if not (name and f.name == "name")]
    if kind is Work and "steps" not in data:
        known += [f.name for f in fields(Step)]
    values = dict(_table(item, data, known))
    for (owner, key), inner in WITHIN.items():
        if owner is kind and isinstance(values.get(key), Mapping):
            values[key] = _built(f"{item}: {key}", inner, values[key])
        elif owner is kind and isinstance(values.get(key), list):
            values[key] = [_built(f"{item}: {key}[{i}]", inner, each) for i, each in enumerate(values[key], 1)]
    try:
        return kind(*name, **values)
    except ModelError as error:
        whole = item.rsplit(": ", 1)[0]
        if not name and not error.item.startswith(whole):  # a part of a part: name both
            error.item = f"{whole}: {error.item}"
        raise
    except TypeError as error:  # a parameter without a default is missing
        missing = [f.name for f in fields(kind) if f.name not in values and f"'{f.name}'" in str(error)]
        if not missing:
            raise
        raise ModelError(f"{item}: {missing[0]}", "is missing", "give it", ModelError.NO_VALUE) from None


def _table(item: str, data: object, keys: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ModelError(item, "must be a table of keys and values", "see the system file format", data)
    for key in data:
        if key not in keys:
            raise ModelError(f"{item}: {key}", "is an unknown key", suggestion(str(key), keys))
    return data


def system_to_data(system: System) -> dict[str, Any]:
    """The system as the tables and lists of its file, without values that equal their defaults."""
    data: dict[str, Any] = {"name": system.name} if system.name else {}
    for part in PARTS:
        items = getattr(system, part)
        if items:
            data[part] = [_plain(item) for item in items]
    return data


def _plain(item: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name, None)
        if field.name == "_" or value is None or value == field.default:
            continue
        if is_dataclass(value):
            value = _plain(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        elif isinstance(value, tuple):
            value = [_plain(v) if is_dataclass(v) else v for v in value]
        if value in ({}, []):
            continue
        found[field.name] = value
        if field.name == "name" and isinstance(item, ImsRegions):
            found["type"] = "ims"
    return found
