"""The figures of a system that a page shows beside their units: where each stands in the file, and what it means."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from qnsolve.files.system_file import KINDS, TYPES, WITHIN
from qnsolve.zos import System
from qnsolve.zos.parts.facilities import Structure
from qnsolve.zos.parts.processors import PACKINGS, Processors
from qnsolve.zos.parts.regions import CicsRegion, ImsRegions
from qnsolve.zos.parts.system import CICS_ONLY, PARTS
from qnsolve.zos.parts.work import TCBS, Step, Work
from qnsolve.zos.report.equal_regions import declared_equal
from qnsolve.zos.whatif.system_inputs import WHOLE

TITLES = {
    "lpars": "LPARs",
    "regions": "Regions",
    "work": "Work",
    "coupling_facilities": "Coupling facilities",
    "loggers": "Logs",
    "devices": "Devices",
}
GROUPS = {"processors": "CPs", "ziips": "zIIPs", "link": "link", "structures": "structure"}
CHOICES = {"packing": PACKINGS, "cf_on": TCBS}
FLAGS = ("called", "overflow")
TEXTS = ("name", "lpar", "regions", "shares", "tranclass", "type")  # what the text of the file is for
IN_US = ("latency", "service_time", "threshold", "async_cpu", "async_delay", "change_mode_cpu", "change_mode_wait")
UNIT = re.compile(r"\[([^\]]+)\]")
LIKE = (CicsRegion, Processors, Structure)  # whose figures others have too, "as for" them
UPPER = ("cpu", "qr", "ro", "jvm", "cf", "mxt")
WRITTEN = {"ziip": "zIIP", "tranclasses": "TRANCLASS", "mib": "MiB", "async": "asynchronous"}
COUNTS = (*WHOLE, "threads", "importance")


def figure_tree(system: System, data: Mapping[str, Any], *, together: bool = True) -> list[dict[str, Any]]:
    """The parts of a system with their figures.

    Parameters
    ----------
    system : System
    data : mapping
        The same as plain tables: a path of a figure leads through them.
    together : bool, default True
        Whether equal regions are one item, whose figures have a path for each of them.

    Returns
    -------
    list of dict
        A dict a kind of part, with title and items; each item has a name, the names of its parts, the name of its class and
        `figures`: `paths`, label, group ("step 2: AOR1"), unit, the unit that a page shows and the factor to it, value or
        None, kind (number, flag, choice), whole or not, help, and whether the file gives it.
    """
    labels = declared_equal(system)
    found = []
    for part in PARTS:
        items: dict[str, dict[str, Any]] = {}
        for place, each in enumerate(data.get(part, [])):
            item = _item(part, place, each)
            label = labels.get(item["name"], item["name"]) if part == "regions" and together else item["name"]
            if label not in items:
                items[label] = {**item, "name": label}
                continue
            items[label]["names"] += item["names"]
            for figure, other in zip(items[label]["figures"], item["figures"], strict=True):
                figure["paths"] += other["paths"]
        if items:
            found.append({"part": part, "title": TITLES[part], "items": list(items.values())})
    return found


def _item(part: str, place: int, data: Mapping[str, Any]) -> dict[str, Any]:
    kind = TYPES[data.get("type", "cics")] if part == "regions" else KINDS[part]
    about = {"name": data["name"], "names": [data["name"]], "kind": kind.__name__}
    return {**about, "figures": list(_figures(kind, [part, place], data, ""))}


def _figures(kind: type, path: list[Any], data: Mapping[str, Any], group: str) -> Iterator[dict[str, Any]]:
    for field in fields(kind):
        key = field.name
        if key == "_" or (key in TEXTS and (kind, key) != (ImsRegions, "regions")):
            continue
        value = data.get(key)
        here = [*path, key]
        inner = WITHIN.get((kind, key))
        if inner is not None and isinstance(value, list):
            for number, each in enumerate(value):
                name = f"step {number + 1}: {_named(each)}" if inner is Step else f"structure {each['name']}"
                yield from _figures(inner, [*here, number], each, name)
        elif inner is not None and isinstance(value, Mapping):
            yield from _figures(inner, here, value, GROUPS.get(key, key))
        elif inner is not None:
            continue
        elif isinstance(value, Mapping):
            for name in value:
                yield _figure(kind, [*here, name], key, value[name], True, group, f"{key}: {name}")
        elif isinstance(value, list | tuple):
            for number, each in enumerate(value):
                yield _figure(kind, [*here, number], key, each, True, group, f"{key}: {'ab'[number] if number < 2 else number}")
        elif key in ("tranclasses", "cf_requests", "log_bytes", "devices", "structures"):
            continue  # none of these in the file
        elif not _beside_the_point(kind, key, data):
            default = None if field.default is MISSING else field.default
            yield _figure(kind, here, key, default if value is None else value, value is not None, group, key)


def _beside_the_point(kind: type, key: str, data: Mapping[str, Any]) -> bool:
    """A figure that this part cannot have: a rate beside users, times of CICS in IMS."""
    if kind is Work:
        return (key == "rate" and "users" in data) or (key in ("users", "think_time") and "rate" in data)
    if kind is Step:
        cics, ims = any(data.get(each, 0) > 0 for each in CICS_ONLY), data.get("cpu", 0) > 0
        return (key in CICS_ONLY and ims) or (key == "cpu" and cics)
    return False


def _named(step: Mapping[str, Any]) -> str:
    regions = step["regions"]
    names = [regions] if isinstance(regions, str) else list(regions)
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} to {names[-1]} ({len(names)})"


def _figure(kind: type, path: list[Any], key: str, value: Any, given: bool, group: str, label: str) -> dict[str, Any]:
    words = next((text for each in (kind, *LIKE) if (text := _meanings(each).get(key))), "")
    match = UNIT.search(words)
    unit = match[1] if match else ""
    shown, factor = _shown(kind, key, unit)
    found: dict[str, Any] = {"paths": [path], "label": figure_words(label), "key": key, "group": group, "value": value}
    found |= {"unit": unit, "shown_unit": shown, "factor": factor, "help": words, "given": given, "whole": key in COUNTS}
    if key in FLAGS:
        return {**found, "kind": "flag"}
    if key in CHOICES:
        return {**found, "kind": "choice", "choices": list(CHOICES[key])}
    return {**found, "kind": "number"}


def figure_words(label: str) -> str:
    """A key as reports write it: "QR CPU", "MXT"; names after a colon stay as they are."""
    key, colon, name = label.partition(":")
    words = [word.upper() if word in UPPER else WRITTEN.get(word, word) for word in key.split("_")]
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}{colon}{name}"


def _shown(kind: type, key: str, unit: str) -> tuple[str, float]:
    """The unit in which planners read a figure, and the factor to it."""
    if unit == "s" and kind is Step:
        return "ms", 1e3
    if unit == "s" and key in IN_US:
        return "µs", 1e6
    return {"count": "", "ratio": "", "0..1": "0 to 1"}.get(unit, unit), 1.0


@cache
def _meanings(kind: type) -> dict[str, str]:
    """The meaning of each parameter, from the docstring of its class, in one line."""
    found: dict[str, str] = {}
    names: list[str] = []
    inside = False
    for line in (inspect.getdoc(kind) or "").splitlines():
        if line.strip("-") == "" and line:
            continue
        if not line.startswith(" ") and line in ("Parameters", "Notes", "Raises", "Examples"):
            inside = line == "Parameters"
        elif inside and line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(":")[0].split(",")]
        elif inside and line:
            for name in names:
                found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return {name: text for name, text in found.items() if not text.startswith("As for")}
