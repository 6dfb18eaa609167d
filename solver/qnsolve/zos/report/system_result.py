"""What a solved system hands back, in the terms of RMF and CICS reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from qnsolve.errors import suggestion
from qnsolve.results.answer import Answer
from qnsolve.results.look import Look
from qnsolve.results.rendering import Table, defined
from qnsolve.zos.parts.system import SystemParts
from qnsolve.zos.point.capacity import Capacity, capacity

from .changed_words import changes
from .equal_regions import equal_regions, of_group
from .figures import (
    DeviceResult,
    FacilityResult,
    LogResult,
    LparResult,
    RegionResult,
    StructureResult,
    SystemFigures,
    TranclassResult,
    WorkResult,
)
from .reasons import reasons
from .system_tables import TITLES, system_tables

Result = WorkResult | LparResult | RegionResult | TranclassResult | StructureResult | FacilityResult | LogResult | DeviceResult
KINDS: dict[str, type[Result]] = {
    "work": WorkResult,
    "lpars": LparResult,
    "regions": RegionResult,
    "tranclasses": TranclassResult,
    "facilities": FacilityResult,
    "structures": StructureResult,
    "logs": LogResult,
    "devices": DeviceResult,
}


@dataclass(frozen=True)
class SystemResult(SystemFigures, Answer):
    """A solved system. Index it by name: `result["AOR1"].qr_percent`, `result["CFDT"].response_time`.

    Attributes
    ----------
    system : System
    work, lpars, regions, tranclasses, facilities, structures, logs, devices : tuples
        Of WorkResult, LparResult and so on.
    notes : tuple of str
        What the figures rest on.
    """

    notes: tuple[str, ...]
    chooses_units = True

    @cached_property
    def capacity(self) -> Capacity:
        """How many times its work the system holds, and what is full then; sought when it is first asked for."""
        return capacity(self.system)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """What limits each work, and what fills up first, in words."""
        return reasons(self, self.capacity)

    def __getitem__(self, name: str) -> Any:
        """The result of a part; a TRANCLASS as "AOR1 JSON" where its name alone is not unique."""
        for result in self._results():
            if result.name == name:
                return result
        for tranclass in self.tranclasses:
            if f"{tranclass.region} {tranclass.name}" == name:
                return tranclass
        known = [result.name for result in self._results()]
        raise KeyError(f"{name!r} names no part of the system; {suggestion(name, known)}")

    def _results(self) -> Iterable[Result]:
        for part in TITLES:
            yield from getattr(self, part)

    def rows(self) -> list[dict[str, Any]]:
        """One row a figure: part, name, figure, value."""
        found = []
        for part in TITLES:
            for result in getattr(self, part):
                for key, value in asdict(result).items():
                    if isinstance(value, dict):
                        found += [
                            {"part": part, "name": result.name, "figure": f"{key} {c}", "value": v} for c, v in value.items()
                        ]
                    elif key != "name":
                        found.append({"part": part, "name": result.name, "figure": key, "value": value})
        return found

    def figures(self) -> Iterator[tuple[str, str, str, Any]]:
        """Part, name, figure and value; a name says its region or facility, so that it is unique."""
        for part in TITLES:
            for result in getattr(self, part):
                for key, value in asdict(result).items():
                    yield part, _full_name(result), key, value

    def changes_since(self, before: SystemResult) -> tuple[str, ...]:
        """How much more work the system holds, then what happened to each work and LPAR."""
        return changes(before, before.capacity, self, self.capacity)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return equal_regions(self)

    def common_name(self, name: str) -> str:
        """The name of the equal regions that a region belongs to; its own where there are none."""
        return of_group(name, self._labels)

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        parts = {part: [with_old_keys(defined(asdict(result))) for result in getattr(self, part)] for part in TITLES}
        return {"system": self.system.name, **parts, "reasons": list(self.reasons), "notes": list(self.notes)}

    def title(self) -> str:
        """The name of the system."""
        return f"{self.system.name or 'system'}: solved"

    def sentences(self) -> tuple[str, ...]:
        """What limits each work."""
        return self.reasons

    def tables(self) -> list[Table]:
        """A table a part, and the response times by center; equal regions have one row."""
        return system_tables(self)

    def tables_in(self, look: Look) -> list[Table]:
        """The tables that a look asks for: with a row for each region, or one for equal regions."""
        return system_tables(self, each=look.each)


def figures_of(result: SystemResult) -> dict[str, Any]:
    """All figures of an answer as plain data: `result_of` makes the answer of them again, on another process, say."""
    return {**{part: [asdict(each) for each in getattr(result, part)] for part in TITLES}, "notes": list(result.notes)}


def result_of(system: SystemParts, figures: Mapping[str, Any]) -> SystemResult:
    """The answer of a system whose figures are `figures_of` it."""
    parts: dict[str, Any] = {part: tuple(kind(**each) for each in figures[part]) for part, kind in KINDS.items()}
    return SystemResult(system=system, **parts, notes=tuple(figures["notes"]))


def with_old_keys(row: dict[str, Any]) -> dict[str, Any]:
    """A row of JSON with the keys of earlier versions beside those of today, for programs that read them."""
    found = dict(row)
    if "admission_wait" in row:
        found["limit_wait"] = row["admission_wait"]
    if "fraction_delayed" in row:
        found["delayed_percent"] = 100 * row["fraction_delayed"]
    return found


def _full_name(item: Any) -> str:
    owner = getattr(item, "facility", None) or getattr(item, "region", None)
    lpar = getattr(item, "lpar", "") if hasattr(item, "facility") else ""
    return " ".join(part for part in (owner, item.name, lpar) if part)
