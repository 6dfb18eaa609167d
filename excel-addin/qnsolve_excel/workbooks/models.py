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

from ..describing import LOGGER_KEYS, PROCESSOR_KEYS, ZIIP_KEYS
from .parts import InputTable, Plan, Result, Spill, Text

STEPS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)  # of today's load
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
    tables = [InputTable("stations", "Stations", _rows([_lists(row) for row in data["stations"]]))]
    tables.append(InputTable("classes", f"Classes, times in {model.time_unit}", _rows(classes)))
    given: tuple[str | None, ...] = ("stations", "classes")
    limits = None
    if "limits" in data:
        tables.append(InputTable("limits", "Limits", _rows([_lists(row) for row in data["limits"]])))
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
    results.append(Result("how", "How it is solved", "CHECK", (*given, limits)))
    sweep = (*given, Text(first.name), Text(figure), "steps", limits)
    axes = (f"{figure.replace('_', ' ')} of {first.name}", f"response time [{model.time_unit}]")
    lines = tuple(range(1 + len(model.classes), 1 + 2 * len(model.classes)))
    return Plan(
        name=name,
        title=model.name or name,
        question="What does each class get, what limits it, and how does it go on as the load grows?",
        tables=tables,
        results=results,
        spills=(
            Spill("The solution", "SOLVE", (*given, limits)),
            Spill("As the load grows", "SWEEP", sweep, lines=lines, axes=axes),
        ),
        assumptions=("The tables are those of the model file. QN.METHODS tells which methods accept them, and their errors.",),
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
    tables = [InputTable(part, part.replace("_", " ").capitalize(), _rows(rows)) for part, rows in made.items() if rows]
    tables.append(InputTable("factors", "Growth factors", [FACTORS], 0, headed=False))
    beside = tuple(part if made[part] else None for part in ("coupling_facilities", "loggers", "devices"))
    three = ("lpars", "regions", "work")
    results = [
        Result(f"response_{i}", f"Response time of {each.name}", "SYSTEM_RESPONSE", (*three, Text(each.name), *beside), "s")
        for i, each in enumerate(model.work, 1)
    ]
    results.append(
        Result(
            "holds", "All work can grow by the factor", "SYSTEM_MOST_WORK", (*three, None, None, *beside), "times", form="0.00"
        )
    )
    return Plan(
        name=name,
        title=model.name or name,
        question="What does each work get, what limits it, and how does it go on as the work grows?",
        tables=tables,
        results=results,
        spills=(
            Spill("As the work grows", "SYSTEM_GROW", (*three, "factors", *beside)),
            Spill("The system", "SYSTEM", (*three, *beside)),
        ),
        assumptions=("The tables are those of the system file; times in seconds. QN.WHY tells what each figure rests on.",),
    )


def _rows(items: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """A heading row of all keys, and a row for each item."""
    heads = list(dict.fromkeys(key for item in items for key in item))
    return [heads, *([item.get(key) for key in heads] for item in items)]


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
