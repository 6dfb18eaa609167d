"""A planning sheet of a model or system file: its tables, what is solved, how it goes on as the load grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.files.model_file import network_to_data
from qnsolve.files.system_file import system_to_data
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network

from ..describing import DEVICES, FACILITIES, LOGGER_KEYS, LOGGERS, LPARS, PROCESSOR_KEYS, REGIONS, WORK, ZIIP_KEYS
from ..modelling import CLASS_COLUMNS, LIMIT_COLUMNS, STATION_COLUMNS
from ..tables import Columns
from .parts import TEXT, InputTable, Plan, Result, Spill, Text

LABELS = {"lpars": "LPARs", "work": "Work, times in seconds"}
STEPS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)  # of today's load
SPARE_ROWS = 20  # of a table that a function gives
FACTORS = [1.0, 1.1, 1.2, 1.3, 1.5, 2.0]


def plan_of(model: Network | zos.System, name: str) -> Plan:
    """The sheet.

    Parameters
    ----------
    model : Network or System
    name : str
        Of the file, without its ending; and of a model that has none.

    Raises
    ------
    ModelError
        Where a table has no place for a part of the model.
    """
    return _system(model, name) if isinstance(model, zos.System) else _network(model, name)


def _network(model: Network, name: str) -> Plan:
    data = network_to_data(model)
    classes = [_class(row) for row in data["classes"]]
    tables = [InputTable("stations", "Stations", _rows([_lists(row) for row in data["stations"]], STATION_COLUMNS))]
    tables.append(InputTable("classes", f"Classes, times in {model.time_unit}", _rows(classes, CLASS_COLUMNS)))
    given: tuple[str | None, ...] = ("stations", "classes")
    limits = None
    if "limits" in data:
        tables.append(InputTable("limits", "Limits", _rows([_lists(row) for row in data["limits"]], LIMIT_COLUMNS)))
        limits = "limits"
    first = model.classes[0]
    figure = "population" if isinstance(first, ClosedClass) else "arrival_rate"
    today = float(getattr(first, figure))
    values = [round(today * step) if figure == "population" else today * step for step in STEPS]
    tables.append(InputTable("steps", f"{figure.replace('_', ' ')} of {first.name}", [sorted(set(values))], 0, headed=False))
    results = []
    for i, each in enumerate(model.classes, 1):
        asked = (*given, Text(each.name), limits)
        results += [
            Result(f"throughput_{i}", f"Throughput of {each.name}", "THROUGHPUT", asked, f"1/{model.time_unit}"),
            Result(f"response_{i}", f"Response time of {each.name}", "RESPONSE", asked, model.time_unit),
            Result(f"limit_{i}", f"What limits {each.name}", "BOTTLENECK", (*given, Text(each.name))),
        ]
    results.append(Result("how", "How it is solved", "CHECK", (*given, limits), form=TEXT))
    sweep = (*given, Text(first.name), Text(figure), "steps", limits)
    axes = (f"{figure.replace('_', ' ')} of {first.name}", f"response time [{model.time_unit}]")
    lines = tuple(range(1 + len(model.classes), 1 + 2 * len(model.classes)))
    return Plan(
        name=name,
        title=model.name or name,
        question="What response time has each class, what limits it, and how does it change as the load grows?",
        tables=tables,
        results=results,
        spills=(
            Spill(f"The solution, times in {model.time_unit}", "SOLVE", (*given, limits)),
            Spill(f"As the load grows, times in {model.time_unit}", "SWEEP", sweep, lines=lines, axes=axes),
        ),
        assumptions=(
            "The tables are those of the model file. QN.METHODS lists the methods that accept them, and their errors.",
        ),
    )


def _system(model: zos.System, name: str) -> Plan:
    data = system_to_data(model)
    made = {
        "lpars": [_lpar(row) for row in data["lpars"]],
        "regions": [_families(row, {"tranclasses": "tranclass"}) for row in data["regions"]],
        "work": [step for row in data["work"] for step in _work(row)],
        "coupling_facilities": [line for row in data.get("coupling_facilities", []) for line in _facility(row)],
        "loggers": [_logger(row) for row in data.get("loggers", [])],
        "devices": data.get("devices", []),
    }
    columns = {each.part: each for each in (LPARS, REGIONS, WORK, FACILITIES, LOGGERS, DEVICES)}
    tables = [
        InputTable(part, LABELS.get(part, part.replace("_", " ").capitalize()), _rows(rows, columns[part]))
        for part, rows in made.items()
        if rows
    ]
    tables.append(InputTable("factors", "Growth factors", [FACTORS], 0, headed=False))
    beside = tuple(part if made[part] else None for part in ("coupling_facilities", "loggers", "devices"))
    three = ("lpars", "regions", "work")
    results = [Result("check", "What limits it", "SYSTEM_CHECK", (*three, *beside), form=TEXT)]
    results += [
        Result(f"response_{i}", f"Response time of {each.name}", "SYSTEM_RESPONSE", (*three, Text(each.name), *beside), "s")
        for i, each in enumerate(model.work, 1)
    ]
    results.append(
        Result(
            "holds",
            "Headroom: all work can grow by the factor",
            "HEADROOM",
            (*three, None, None, *beside),
            "times",
            form="0.00",
        )
    )
    return Plan(
        name=name,
        title=model.name or name,
        question="What response time has each work, what limits it, and how do the response times grow with the work?",
        tables=tables,
        results=results,
        spills=(
            Spill(
                "As the work grows, times in seconds",
                "GROWTH",
                (*three, "factors", *beside),
                lines=(3,),
                axes=("factor", "response time [s]"),
                blocks=len(model.work),
            ),
            Spill("The system, times in seconds", "SYSTEM", (*three, *beside), spare=SPARE_ROWS),
        ),
        assumptions=("The tables are those of the system file; times in seconds. QN.WHY says what each figure rests on.",),
    )


def _rows(items: Sequence[Mapping[str, Any]], columns: Columns) -> list[list[Any]]:
    """A heading row of all keys, those in use first, and a row for each item."""
    heads = list(dict.fromkeys([*(key for item in items for key in item), *columns.plain]))
    return [heads, *(list(map(item.get, heads)) for item in items)]


def _lists(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _cell(key, value) for key, value in row.items()}


def _cell(key: str, value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(f"{v:.15g}" if isinstance(v, (int, float)) else str(v) for v in value)
    if isinstance(value, dict):
        raise ModelError(key, "has no place in a sheet's table", "keep the model file, or write it in another way", value)
    return value


def _class(row: Mapping[str, Any]) -> dict[str, Any]:
    """Demands are headed by their stations alone."""
    found = dict(row)
    demands = found.pop("demands", {})
    words = {"visits": "visits", "service_times": "service_time", "service_variation": "variation"}
    return {**_families({key: value for key, value in found.items() if value != {}}, words), **demands}


def _families(row: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """Mappings as columns, "tranclass JSON" for {tranclasses: {JSON: ...}}."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if key in words and isinstance(value, dict):
            found |= {f"{words[key]} {name}": each for name, each in value.items()}
        else:
            found[key] = _cell(key, value)
    return found


def _renamed(row: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    return {ours: row[theirs] for ours, theirs in keys.items() if theirs in row}


def _lpar(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    engines, ziips = found.pop("processors"), found.pop("ziips", {})
    return {"name": found.pop("name"), **_renamed(engines, PROCESSOR_KEYS), **_renamed(ziips, ZIIP_KEYS), **found}


def _facility(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row, and one for each structure."""
    found = dict(row)
    link, structures = found.pop("link", {}), found.pop("structures", [])
    own = {**found, **_renamed(link, {"link": "name", "latency": "latency"})}
    rows = [{"name": own["name"], **each, "structure": each["name"]} for each in structures]
    return [own, *({**each, "name": own["name"]} for each in rows)]


def _logger(row: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    law = dict(zip(LOGGER_KEYS, found.pop("seconds_per_mib"), strict=True))
    return {**found, **law}


def _work(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each step."""
    own = {key: value for key, value in row.items() if key != "steps"}
    words = {"cf_requests": "cf", "log_bytes": "log", "devices": "device"}
    steps = [_families(step, words) for step in row["steps"]]
    return [{**(own if i == 0 else {"name": own["name"]}), **step} for i, step in enumerate(steps)]
