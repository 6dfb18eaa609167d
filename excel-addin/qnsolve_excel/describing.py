"""The mainframe system that tables describe: rows to the data of a system file."""

from __future__ import annotations

from typing import Any

from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.files.system_file import system_from_data

from .cells import CellError, Table
from .modelling import ANSWERS, frozen
from .tables import Columns, records
from .wording import in_table

ZIIP_KEYS = {"ziips": "cores", "threads": "threads", "max_capacity_factor": "max_capacity_factor", "packing": "packing"}
ZIIP_KEYS |= {"overflow": "overflow", "ziip_speed": "speed", "overflow_cpu": "overflow_cpu"}
LOGGER_KEYS = ("fixed", "striped")
PROCESSOR_KEYS = {"processors": "engines", "speed": "speed", "growth": "growth", "sharing": "sharing"}
OWN = ("rate", "users", "think_time", "burst", "tick")  # of work as a whole, given in the first of its rows
STEP = (
    *("visits", "qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu", "ziip_share", "cf_on", "delay"),
    *("change_modes", "qr_dispatches", "tranclass", "called"),
)

LPARS = Columns(
    "lpars",
    ("name", *PROCESSOR_KEYS, *ZIIP_KEYS, "fixed_cpu", "change_mode_cpu", "change_mode_wait"),
    words=("packing",),
    flags=("overflow",),
)
REGIONS = Columns(
    "regions",
    ("name", "type", "lpar", "mxt", "regions", "thread_limit", "fixed_cpu", "importance"),
    names=("lpar",),
    words=("type",),
    families={"tranclass": "tranclasses"},
)
WORK = Columns(
    "work",
    ("name", *OWN, "regions", "shares", *STEP),
    ("regions", "shares"),
    ("regions", "tranclass"),
    ("cf_on",),
    ("called",),
    {"cf": "cf_requests", "log": "log_bytes", "device": "devices"},
)
FACILITIES = Columns(
    "coupling_facilities",
    ("name", "processors", "structure", "service_time", "threshold", "link", "latency", "async_cpu", "async_delay"),
    names=("structure", "link"),
)
LOGGERS = Columns("loggers", ("name", "stripes", *LOGGER_KEYS))
DEVICES = Columns("devices", ("name", "servers"))


def system(
    lpars: Table,
    regions: Table,
    work: Table,
    facilities: Table | None = None,
    loggers: Table | None = None,
    devices: Table | None = None,
) -> zos.System:
    """The system of the tables."""
    parts = (lpars, regions, work, facilities, loggers, devices)
    return ANSWERS.answer(("describe", frozen(*parts)), lambda: _system(*parts))


def _system(
    lpars: Table, regions: Table, work: Table, facilities: Table | None, loggers: Table | None, devices: Table | None
) -> zos.System:
    beside: dict[str, Any] = {}
    if facilities is not None:
        beside["coupling_facilities"] = _facilities(records(facilities, FACILITIES))
    if loggers is not None:
        beside["loggers"] = [_logger(row) for row in records(loggers, LOGGERS)]
    if devices is not None:
        beside["devices"] = records(devices, DEVICES)
    hosts = [_lpar(row) for row in records(lpars, LPARS)]
    places = records(regions, REGIONS, known=_names(hosts))
    named = [*_names(places), *(name for row in places for name in row.get("tranclasses", ())), *_names(*beside.values())]
    named += _names(*(row.get("structures", []) for row in beside.get("coupling_facilities", [])))
    tasks = _work(records(work, WORK, known=named))
    data = {"lpars": hosts, "regions": places, "work": tasks, **beside}
    try:
        return system_from_data(data)
    except ModelError as error:
        raise in_table(error) from None


def _names(*tables: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for rows in tables for row in rows if "name" in row]


def _lpar(row: dict[str, Any]) -> dict[str, Any]:
    engines, ziips = _taken(row, PROCESSOR_KEYS), _taken(row, ZIIP_KEYS)
    if ziips and "cores" not in ziips:
        headed = ", ".join(heading for heading, key in ZIIP_KEYS.items() if key in ziips)
        raise CellError("#VALUE!", f"lpars: {row['name']!r} has {headed} and no ziips; give the number of zIIP cores")
    return {**row, "processors": engines, **({"ziips": ziips} if ziips else {})}


def _facilities(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one name that name structures are the structures of one coupling facility."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        item = found.setdefault(row["name"], {"name": row["name"]})
        if "structure" in row:
            own = _taken(row, {"structure": "name", "service_time": "service_time", "threshold": "threshold"})
            item.setdefault("structures", []).append(own)
        link = _taken(row, {"link": "name", "latency": "latency"})
        item |= {**row, **({"link": link} if link else {})}
    return list(found.values())


def _logger(row: dict[str, Any]) -> dict[str, Any]:
    law = _taken(row, {key: key for key in LOGGER_KEYS})
    return {**row, "seconds_per_mib": [law.get(key, 0.0) for key in LOGGER_KEYS]}


def _work(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one name are the steps of one kind of work."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        name, own = row.pop("name"), _taken(row, {key: key for key in OWN})
        item = found.setdefault(name, {"name": name, **own, "steps": []})
        if item["steps"] and own:
            raise CellError(
                "#VALUE!", f"work: {name!r} gives {', '.join(own)} in a further row; give it in the first one alone"
            )
        item["steps"].append(row)
    return list(found.values())


def _taken(row: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    """These keys out of the row, under their other names."""
    return {other: row.pop(key) for key, other in keys.items() if key in row}
