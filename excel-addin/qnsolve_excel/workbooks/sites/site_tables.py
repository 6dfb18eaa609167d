"""The tables of a system's workbook: every column of a system file, with units, and the question of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qnsolve import zos
from qnsolve.files.system_file import system_to_data
from qnsolve.planning.loads.load_words import seasons_text, special_days_text

from ...describing import DEVICES, FACILITIES, LOGGER_KEYS, LOGGERS, LPARS, PROCESSOR_KEYS, REGIONS, WORK, ZIIP_KEYS
from ...tables import Columns
from ..models import families, renamed, rows

PARTS = ("lpars", "regions", "work", "coupling_facilities", "loggers", "devices")
QUESTION = ("goals", "what_ifs", "period")
ASSUMED = "10%/year"  # growth where the file says none; the workbook says so
SPARE = {"work": 8, "goals": 8, "regions": 8, "what_ifs": 10, "period": 0}
OTHERS = 4  # spare rows of other tables
FAMILIES = 2  # spare columns of tables that may have further headings
LABELS = {
    "period": "Period of the study",
    "goals": "Growth and targets: the work all stands for every work without a row",
    "what_ifs": "Changes to try",
    "work": "Work: the load is typed here and nowhere else; further rows of a name are further steps",
    "lpars": "LPARs",
    "regions": "Regions",
    "coupling_facilities": "Coupling facilities; further rows of a name are its structures",
    "loggers": "Logs: one MiB takes fixed + striped/stripes seconds",
    "devices": "Devices",
}
UNITS = {
    **dict.fromkeys(("rate",), "1/s"),
    **dict.fromkeys(
        ("users", "processors", "ziips", "threads", "mxt", "regions", "thread_limit", "stripes", "servers"), "count"
    ),
    **dict.fromkeys(("burst", "change_modes", "qr_dispatches"), "count"),
    **dict.fromkeys(("think_time", "tick", "delay", "change_mode_cpu", "change_mode_wait", "overflow_cpu"), "s"),
    **dict.fromkeys(("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu"), "s"),
    **dict.fromkeys(("service_time", "threshold", "latency", "async_cpu", "async_delay", "target"), "s"),
    **dict.fromkeys(("fixed", "striped"), "s/MiB"),
    **dict.fromkeys(("speed", "ziip_speed", "growth", "sharing", "max_capacity_factor", "shares"), "ratio"),
    **dict.fromkeys(("ziip_share",), "0..1"),
    "visits": "per transaction",
    "fixed_cpu": "engines",
    "importance": "1 highest",
    "overflow": "TRUE, FALSE",
    "called": "TRUE, FALSE",
    "packing": "dense, spread",
    "type": "cics, ims",
    "cf_on": "qr, open",
    "from": "month",
    "until": "month",
    "by": "quarter, month, year",
    "seasons": "12=1.3; Q4=1.2",
    "special_days": "11-26=1.8; 2027-12-24=1.5",
    "what_if": "SYSA.threads=2",
}
OWN_UNITS = {("goals", "growth"): "8%/quarter", ("work", "regions"): "names, ; between"}
FAMILY_UNITS = {"cf": "requests", "log": "bytes", "device": "s", "tranclass": "count"}
CHOICES = {
    "type": ("cics", "ims"),
    "packing": ("dense", "spread"),
    "cf_on": ("qr", "open"),
    "overflow": ("TRUE", "FALSE"),
    "called": ("TRUE", "FALSE"),
    "by": ("quarter", "month", "year"),
}
WHOLE = {
    **dict.fromkeys(("users",), (0, 10_000_000)),
    **dict.fromkeys(("ziips", "threads", "importance", "stripes", "servers"), (1, 1000)),
    "thread_limit": (1, 2000),
    "mxt": (10, 2000),
}
SHARES = ("ziip_share",)
TEXTS = {
    "name",
    "work",
    "lpar",
    "regions",
    "shares",
    "tranclass",
    "structure",
    "link",
    "growth",
    "from",
    "until",
    "what_if",
    "seasons",
    "special_days",
}
KNOWN: dict[str, Columns] = {each.part: each for each in (LPARS, REGIONS, WORK, FACILITIES, LOGGERS, DEVICES)}


@dataclass(frozen=True)
class SiteTable:
    """A table of the sheet Model.

    Attributes
    ----------
    key : str
        Name of its range.
    rows : list of list
        The heading row, then the figures; None is an empty cell.
    spare : int
        Empty rows below that belong to the range.
    wide : int
        Empty columns on its right that belong to the range.
    """

    key: str
    rows: list[list[Any]]
    spare: int
    wide: int

    @property
    def label(self) -> str:
        """What stands above it."""
        return LABELS[self.key]

    def unit(self, heading: str) -> str:
        """The unit of a column, or what it takes."""
        first = heading.partition(" ")[0]
        if first != heading and first in FAMILY_UNITS:
            return FAMILY_UNITS[first]
        return OWN_UNITS.get((self.key, heading), UNITS.get(heading, ""))

    def is_text(self, heading: str) -> bool:
        """Whether its cells hold texts."""
        if heading == "regions":
            return self.key == "work"
        if heading == "growth":
            return self.key == "goals"
        return heading in CHOICES or heading in TEXTS


@dataclass(frozen=True)
class Site:
    """What a workbook of a system is made of.

    Attributes
    ----------
    name : str
        Of the file, without its ending.
    system : System
    tables : tuple of SiteTable
        The question first, then the model.
    notices : tuple of str
        What the file asks and the workbook does not have.
    assumed : bool
        Whether the growth is an assumption of the workbook.
    """

    name: str
    system: zos.System
    tables: tuple[SiteTable, ...]
    notices: tuple[str, ...] = field(default=())
    assumed: bool = False

    @property
    def values(self) -> dict[str, list[list[Any]]]:
        """Cells of each table."""
        return {table.key: table.rows for table in self.tables}


def site_of(system: zos.System, name: str, question: Mapping[str, Any] | None = None) -> Site:
    """The tables of a system, and of the question of its study.

    Parameters
    ----------
    system : System
    name : str
    question : mapping, optional
        Arguments of `qn.study`, as the table [study] of the file gives them.
    """
    asked = dict(question or {})
    growth, notices = _growth(asked.get("growth"))
    seasons, days = seasons_text(asked.get("seasons") or {}), special_days_text(asked.get("special_days") or ())
    assumed = not growth and not notices
    if assumed:
        growth = {"": ASSUMED}
    made = {**_question(system, asked, growth, (seasons, days)), **_parts(system)}
    wide = {"work": FAMILIES, "regions": FAMILIES}
    tables = tuple(SiteTable(key, cells, SPARE.get(key, OTHERS), wide.get(key, 0)) for key, cells in made.items())
    return Site(name, system, tables, tuple(notices), assumed)


def _growth(given: Any) -> tuple[dict[str, Any], list[str]]:
    """Growth by work, "" for all; forecasts in files are none that cells may read."""
    every = dict(given) if isinstance(given, Mapping) else {} if given is None else {"": given}
    files = [name for name, text in every.items() if isinstance(text, str) and text.lower().endswith((".csv", ".tsv", ".txt"))]
    notices = ["The forecast of the file is not in this workbook: qnsolve study FILE has it."] if files else []
    return {name: text for name, text in every.items() if name not in files}, notices


def _question(
    system: zos.System, asked: Mapping[str, Any], growth: Mapping[str, Any], uneven: tuple[str, str]
) -> dict[str, list[list[Any]]]:
    targets = dict(asked.get("targets") or {})
    goals: list[list[Any]] = [["work", "growth", "target"], ["all", growth.get(""), None]]
    goals += [[item.name, growth.get(item.name), targets.get(item.name)] for item in system.work]
    begin, until, by = asked["begin"], asked["until"], asked.get("by", "quarter")
    what_ifs = [[text] for text in asked.get("what_ifs", ())]
    return {
        "period": [
            ["from", "until", "by", "seasons", "special_days"],
            [str(begin), str(until), by, uneven[0] or None, uneven[1] or None],
        ],
        "goals": goals,
        "what_ifs": [["what_if"], *(what_ifs or [[None]])],
    }


def _parts(system: zos.System) -> dict[str, list[list[Any]]]:
    data = system_to_data(system)
    made = {
        "work": [step for row in data["work"] for step in _work(row)],
        "lpars": [_lpar(row) for row in data["lpars"]],
        "regions": [families(row, {"tranclasses": "tranclass"}) for row in data["regions"]],
        "coupling_facilities": [line for row in data.get("coupling_facilities", []) for line in _facility(row)],
        "loggers": [_logger(row) for row in data.get("loggers", [])],
        "devices": data.get("devices", []),
    }
    found = {}
    for part, items in made.items():
        cells = rows(items, KNOWN[part])
        heads = cells[0]
        found[part] = [heads, *cells[1:]] if items else [heads, [None] * len(heads)]
    return found


def _lpar(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    engines, ziips = found.pop("processors"), found.pop("ziips", {})
    return {"name": found.pop("name"), **renamed(engines, PROCESSOR_KEYS), **renamed(ziips, ZIIP_KEYS), **found}


def _facility(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row, and one for each structure."""
    found = dict(row)
    link, structures = found.pop("link", {}), found.pop("structures", [])
    own = {**found, **renamed(link, {"link": "name", "latency": "latency"})}
    own_rows = [{"name": own["name"], **each, "structure": each["name"]} for each in structures]
    return [own, *({**each, "name": own["name"]} for each in own_rows)]


def _logger(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    law = dict(zip(LOGGER_KEYS, found.pop("seconds_per_mib"), strict=True))
    return {**found, **law}


def _work(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each step."""
    own = {key: value for key, value in row.items() if key != "steps"}
    words = {"cf_requests": "cf", "log_bytes": "log", "devices": "device"}
    steps = [families(step, words) for step in row["steps"]]
    return [{**(own if i == 0 else {"name": own["name"]}), **step} for i, step in enumerate(steps)]


def arguments(function: str) -> Sequence[str]:
    """Names of the ranges that a function takes, in its order."""
    return (*PARTS, *QUESTION) if function.startswith("STUDY") else PARTS
