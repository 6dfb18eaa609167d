"""Regions that are equal but for their names: one row of a table stands for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import isnan
from typing import Any

from qnsolve.zos.parts.regions import Region
from qnsolve.zos.parts.system import SystemParts

from .figures import RegionResult, SystemFigures

NAMED = 3  # regions of a group that are all named
ALIKE = 1e-3  # relative difference of figures that equal regions may have
NUMBERED = re.compile(r"(.*?)(\d+)")


def equal_regions(result: SystemFigures) -> dict[str, str]:
    """The label of the group of each region that has equal ones: "AOR1, AOR2", or "AOR1 to AOR9 (9)".

    Equal regions have one declaration but for the name, on one LPAR, are named together by the same steps with equal
    shares, and have the same figures. A region without an equal one is not in the answer.
    """
    figures = {region.name: region for region in result.regions}
    labels: dict[str, str] = {}
    for names in _groups(result.system):
        if len(names) > 1 and all(_alike(figures[names[0]], figures[name]) for name in names[1:]):
            labels |= dict.fromkeys(names, label(names))
    return labels


def declared_equal(system: SystemParts) -> dict[str, str]:
    """The label of the group of each region by declarations alone; a region without an equal one has its own name."""
    return {name: label(names) for names in _groups(system) for name in names}


def label(names: Sequence[str]) -> str:
    """How a table calls several regions.

    >>> label(["AORA1", "AORA2"]), label(["AOR1", "AOR2", "AOR3", "AOR4"]), label(["A", "B", "C", "D"])
    ('AORA1, AORA2', 'AOR1 to AOR4 (4)', 'A, B and 2 more')
    """
    if len(names) <= NAMED:
        return ", ".join(names)
    parts = [NUMBERED.fullmatch(name) for name in names]
    numbers = [int(part[2]) for part in parts if part]
    prefixes = {part[1] for part in parts if part}
    if len(prefixes) == 1 and numbers == list(range(numbers[0], numbers[0] + len(names))):
        return f"{names[0]} to {names[-1]} ({len(names)})"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def of_group(name: str, labels: Mapping[str, str]) -> str:
    """A name that begins with that of a region, with the group in its place: "AOR1 QR" is "AOR1, AOR2 QR".

    >>> of_group("AOR1 QR", {"AOR1": "AOR1, AOR2"}), of_group("AOR1", {"AOR1": "AOR1, AOR2"}), of_group("CF1", {})
    ('AOR1, AOR2 QR', 'AOR1, AOR2', 'CF1')
    """
    region = max((each for each in labels if name == each or name.startswith(f"{each} ")), key=len, default="")
    return labels[region] + name[len(region) :] if region else name


def _groups(system: SystemParts) -> Iterable[list[str]]:
    """Names of regions that are declared alike."""
    found: dict[Any, list[str]] = {}
    for region in system.regions:
        found.setdefault(_declared(system, region), []).append(region.name)
    return found.values()


def _declared(system: SystemParts, region: Region) -> Any:
    """All that is said of a region but its name."""
    own = []
    for each in fields(region):
        value = getattr(region, each.name) if each.name not in ("name", "_") else None
        own.append(tuple(sorted(value.items())) if isinstance(value, Mapping) else value)
    steps = tuple(
        step.share(step.regions.index(region.name)) if region.name in step.regions else None
        for work in system.work
        for step in work.steps
    )
    return type(region), tuple(own), steps


def _alike(one: RegionResult, other: RegionResult) -> bool:
    """Whether two regions have the same figures."""
    pairs = ((getattr(one, key), getattr(other, key)) for key in ("etr", "appl_percent", "qr_percent", "tasks"))
    return all((isnan(a) and isnan(b)) or abs(a - b) <= ALIKE * max(abs(a), abs(b)) for a, b in pairs)
