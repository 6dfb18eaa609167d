"""A planning sheet of a model file: its tables, what is solved, how it goes on as the load grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.files.model_file import network_to_data
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network

from ..modelling import CLASS_COLUMNS, LIMIT_COLUMNS, STATION_COLUMNS
from ..tables import Columns
from .parts import TEXT, InputTable, Plan, Result, Spill, Text

STEPS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)  # of today's load


def plan_of(model: Network, name: str) -> Plan:
    """The sheet.

    Parameters
    ----------
    model : Network
    name : str
        Of the file, without its ending; and of a model that has none.

    Raises
    ------
    ModelError
        Where a table has no place for a part of the model.
    """
    data = network_to_data(model)
    classes = [_class(row) for row in data["classes"]]
    tables = [InputTable("stations", "Stations", rows([_lists(row) for row in data["stations"]], STATION_COLUMNS))]
    tables.append(InputTable("classes", f"Classes, times in {model.time_unit}", rows(classes, CLASS_COLUMNS)))
    given: tuple[str | None, ...] = ("stations", "classes")
    limits = None
    if "limits" in data:
        tables.append(InputTable("limits", "Limits", rows([_lists(row) for row in data["limits"]], LIMIT_COLUMNS)))
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


def rows(items: Sequence[Mapping[str, Any]], columns: Columns) -> list[list[Any]]:
    """A heading row of all keys, those in use first, and a row for each item."""
    heads = list(dict.fromkeys([*(key for item in items for key in item), *columns.plain]))
    return [heads, *(list(map(item.get, heads)) for item in items)]


def _lists(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _cell(key, value) for key, value in row.items()}


def _cell(key: str, value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(_digits(v) if isinstance(v, (int, float)) else str(v) for v in value)
    if isinstance(value, dict):
        raise ModelError(key, "has no place in a sheet's table", "keep the model file, or write it in another way", value)
    return value


def _digits(value: float) -> str:
    """Fifteen digits as a sheet shows them, or all where they say less."""
    short = f"{value:.15g}"
    return short if float(short) == value else repr(float(value))


def _class(row: Mapping[str, Any]) -> dict[str, Any]:
    """Demands are headed by their stations alone."""
    found = dict(row)
    demands = found.pop("demands", {})
    words = {"visits": "visits", "service_times": "service_time", "service_variation": "variation"}
    return {**families({key: value for key, value in found.items() if value != {}}, words), **demands}


def families(row: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """Mappings as columns, "tranclass JSON" for {tranclasses: {JSON: ...}}."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if key in words and isinstance(value, dict):
            found |= {f"{words[key]} {name}": each for name, each in value.items()}
        else:
            found[key] = _cell(key, value)
    return found


def renamed(row: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The keys of a part as headings."""
    return {ours: row[theirs] for ours, theirs in keys.items() if theirs in row}
