"""Formulas of a planning sheet in each spelling, and the value that the solver gives each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..cells import OMITTED
from ..dispatch import Answer, call
from .parts import Result, Spill, Text

# how each program stores a call; "native" has plain formulas, "values" none
SPELLING = {"excel": "QN_{}", "calc": "QN.{}", "officejs": "_xldudf_QN_{}"}
FLAVOURS = (*SPELLING, "native", "values")
KEY = re.compile(r"\{(\w+)\}")  # of a name, or of a cell of the row: {1}, {up1}


@dataclass
class Cells:
    """Places and values of the named cells.

    Attributes
    ----------
    places : dict of str to str
        Names of cells and ranges, or what stands for them in a row of a table.
    values : dict of str to object
        What they hold.
    """

    places: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def having(self, key: str, place: str, value: Any) -> Cells:
        """The same with one of them elsewhere."""
        return Cells({**self.places, key: place}, {**self.values, key: value})


def formula(item: Result | Spill, cells: Cells, flavour: str) -> str:
    """The formula, "" where that flavour has none."""
    if flavour == "native":
        native = getattr(item, "native", "")
        return "=" + KEY.sub(lambda m: cells.places[m.group(1)], native) if native else ""
    if flavour == "values":
        return ""
    given = [_written(argument, cells.places) for argument in item.arguments]
    text = f"{SPELLING[flavour].format(item.function)}({','.join(given)})"
    part = getattr(item, "part", None)
    return f"=INDEX({text},{part[0]},{part[1]})" if part else f"={text}"


def value(item: Result | Spill, cells: Cells) -> Answer:
    """What the solver gives."""
    found = call(item.function, [_given(argument, cells.values) for argument in item.arguments])
    part = getattr(item, "part", None)
    return found[part[0] - 1][part[1] - 1] if part and isinstance(found, list) else found


def _written(argument: str | float | None, places: Mapping[str, str]) -> str:
    if argument is None:
        return ""
    if isinstance(argument, Text):
        return '"' + argument.replace('"', '""') + '"'
    return places[argument] if isinstance(argument, str) else f"{argument:.15g}"


def _given(argument: str | float | None, values: Mapping[str, Any]) -> Any:
    if argument is None:
        return OMITTED
    if isinstance(argument, Text):
        return str(argument)
    return values[argument] if isinstance(argument, str) else argument
