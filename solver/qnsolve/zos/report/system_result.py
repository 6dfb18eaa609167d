"""What a solved system hands back, in the terms of RMF and CICS reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from qnsolve.errors import suggestion
from qnsolve.results.rendering import csv_text, defined, figure, html_table, text_table
from qnsolve.zos.parts.system import System

from .figures import (
    DeviceResult,
    FacilityResult,
    LogResult,
    LparResult,
    RegionResult,
    StructureResult,
    TranclassResult,
    WorkResult,
)

Result = WorkResult | LparResult | RegionResult | TranclassResult | StructureResult | FacilityResult | LogResult | DeviceResult
TITLES = {
    "work": "Work",
    "lpars": "LPARs",
    "regions": "Regions",
    "tranclasses": "TRANCLASS",
    "facilities": "Coupling facilities",
    "structures": "Requests",
    "logs": "Logs",
    "devices": "Devices",
}


@dataclass(frozen=True)
class SystemResult:
    """A solved system. Index it by name: `result["AOR1"].qr_percent`, `result["CFDT"].response_time`.

    Attributes
    ----------
    system : System
    work, lpars, regions, tranclasses, facilities, structures, logs, devices : tuples
        Of WorkResult, LparResult and so on.
    reasons : tuple of str
        What limits each work, in words.
    notes : tuple of str
        What the figures rest on.
    """

    system: System
    work: tuple[WorkResult, ...]
    lpars: tuple[LparResult, ...]
    regions: tuple[RegionResult, ...]
    tranclasses: tuple[TranclassResult, ...]
    facilities: tuple[FacilityResult, ...]
    structures: tuple[StructureResult, ...]
    logs: tuple[LogResult, ...]
    devices: tuple[DeviceResult, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

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

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line; undefined numbers are None."""
        parts = {part: [defined(asdict(result)) for result in getattr(self, part)] for part in TITLES}
        return {"system": self.system.name, **parts, "reasons": list(self.reasons), "notes": list(self.notes)}

    def to_csv(self) -> str:
        """The rows as CSV, undefined numbers empty."""
        return csv_text(self.rows())

    def to_html(self) -> str:
        """The printed tables in HTML."""
        below = [*self.reasons, *(f"note: {note}" for note in self.notes)]
        tables = [html_table(title, head, body, [], 1) for title, head, body in self._tables()]
        return "\n".join(tables) + "".join(f"<p>{escape(line)}</p>\n" for line in below)

    _repr_html_ = to_html

    def __str__(self) -> str:
        lines = [f"{self.system.name or 'system'}: times in s", ""]
        for title, head, body in self._tables():
            lines += [title, *text_table(head, body, 1), ""]
        return "\n".join([*lines, *self.reasons, *(f"note: {note}" for note in self.notes)])

    def _tables(self) -> list[tuple[str, list[list[str]], list[list[str]]]]:
        found = []
        for part, title in TITLES.items():
            rows = [{k: v for k, v in asdict(r).items() if not isinstance(v, dict)} for r in getattr(self, part)]
            if rows:
                keys = [key for key in rows[0] if any(figure(row[key]) != "-" for row in rows)]
                body = [[_printed(row[key]) for key in keys] for row in rows]
                found.append((title, [list(words) for words in zip(*map(heading, keys), strict=True)], body))
        found.insert(1, ("Response time by center", [["work", "center", "time", "share"], ["", "", "s", "%"]], self._split()))
        return found

    def _split(self) -> list[list[str]]:
        return [
            [work.name, center, _printed(time), figure(100 * time / work.response_time, 3)]
            for work in self.work
            for center, time in work.split.items()
            if time > LITTLE * work.response_time
        ]


def _printed(value: Any) -> str:
    """A figure with five digits; what is too small to matter is 0."""
    return "0" if isinstance(value, float) and abs(value) < NOTHING else figure(value, 5)


def heading(key: str) -> tuple[str, str]:
    """What a figure is called in a table, and its unit."""
    words, unit = HEADS.get(key, (key.replace("_", " "), ""))
    return words, unit


LITTLE, NOTHING = 1e-5, 1e-6  # share of a response time, and any figure, below which nothing is printed
HEADS = {
    "etr": ("ETR", "1/s"),
    "itr": ("ITR", "1/s"),
    "response_time": ("response", "s"),
    "cpu": ("CPU/tran", "s"),
    "ziip_cpu": ("zIIP CPU/tran", "s"),
    "limit_wait": ("wait", "s"),
    "cpu_percent": ("CPU", "% busy"),
    "appl_percent": ("APPL", "% of one"),
    "cp_stretch": ("CP time", "/ CPU"),
    "appl_iip": ("IIP", "% of one"),
    "appl_iipcp": ("IIPCP", "% of one"),
    "qr_percent": ("QR", "% disp."),
    "qr_cpu_percent": ("QR", "% CPU"),
    "ziip_percent": ("zIIP cores", "% busy"),
    "thread_density": ("thread", "density"),
    "capacity_factor": ("capacity", "factor"),
    "at_limit_percent": ("at limit", "% of time"),
    "delayed_percent": ("delayed", "% of tasks"),
    "waiting": ("waiting", "mean"),
    "waiting_95": ("waiting", "95 %"),
    "busy_percent": ("busy", "%"),
    "host_percent": ("host CPU", "% of one"),
    "service_time_us": ("service", "µs"),
    "requests": ("requests", "1/s"),
    "mib_per_second": ("written", "MiB/s"),
    "bandwidth": ("at most", "MiB/s"),
}
