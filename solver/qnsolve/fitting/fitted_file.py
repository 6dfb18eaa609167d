"""The text of a fitted model file: values with source, rows and interval behind them, and the table [fitted]."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qnsolve.files.text import toml
from qnsolve.measure.checked_series import Array

DIGITS = 6
UNBOUNDED = 1e100  # a highest value that the data do not limit, as a file writes it

MANY = 2  # sources after the first, from which a text only says how many


@dataclass(frozen=True)
class FittedFigure:
    """One figure of a fitted model.

    Attributes
    ----------
    name : str
        As sweeps take it: "query.demands.cpu", "orders.2.qr_cpu".
    value : float
    lowest, highest : float
        19 of 20 intervals hold the true figure.
    source : str
        The series that inform it.
    rows : int
        Intervals that inform it.
    place : tuple
        Where it stands in the file.
    """

    name: str
    value: float
    lowest: float
    highest: float
    source: str
    rows: int
    place: tuple[str | int, ...] = field(default=(), repr=False)


def rounded(value: float) -> float:
    """A number with the digits that a fit is good for."""
    if not math.isfinite(value):
        return UNBOUNDED
    return float(f"{value:.{DIGITS}g}")


def fitted_text(
    data: Mapping[str, Any],
    figures: Iterable[FittedFigure],
    source: Sequence[str],
    rows: str,
    correlations: Array,
    errors: Mapping[str, float],
    apart: bool = True,
    findings: Sequence[str] = (),
) -> str:
    """The file, under the findings; the table [fitted] has figures where each can be changed by itself (`apart`).

    A list of tables is written as sections; a table within that has a fitted figure has a line for each key.
    """
    figures = list(figures)
    behind = {each.place: _said(each) for each in figures if each.place}
    lines = [f"# {' '.join(finding.split())}" for finding in findings]
    lines += [f"{key} = {toml(value)}" for key, value in data.items() if not isinstance(value, (list, dict))]
    for part, items in data.items():
        if isinstance(items, list):
            for i, item in enumerate(items):
                lines += ["", f"[[{part}]]", *_section((part, i), part, item, behind)]
    lines += ["", "[fitted]", f"source = {toml(list(source))}", f"rows = {toml(rows)}"]
    lines.append(f"errors = {toml({key: rounded(value) for key, value in errors.items()})}")
    if not apart:
        return "\n".join(lines).lstrip("\n") + "\n"
    lines += [f"figures = {toml([each.name for each in figures])}"]
    for key, column in (("values", "value"), ("lowest", "lowest"), ("highest", "highest")):
        lines.append(f"{key} = {toml([rounded(getattr(each, column)) for each in figures])}")
    lines.append(f"correlations = {toml([[round(float(v), 4) for v in row] for row in correlations])}")
    return "\n".join(lines).lstrip("\n") + "\n"


def _said(each: FittedFigure) -> str:
    high = "without a bound" if not math.isfinite(each.highest) else f"{each.highest:.4g}"
    return f"fitted: {each.lowest:.4g} to {high} (19 of 20), from {shortened(each.source)}, {each.rows} rows"


def _section(place: tuple[Any, ...], path: str, item: Mapping[str, Any], behind: Mapping[Any, str]) -> list[str]:
    """The lines of one table: its own keys, then tables and lists of tables that have comments."""
    own, below = [], []
    for key, value in item.items():
        here = (*place, key)
        commented = any(each[: len(here)] == here and len(each) > len(here) for each in behind)
        if commented and isinstance(value, Mapping):
            below += ["", f"[{path}.{toml_key(key)}]", *_section(here, f"{path}.{toml_key(key)}", value, behind)]
        elif commented and isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
            for i, each in enumerate(value):
                below += ["", f"[[{path}.{toml_key(key)}]]", *_section((*here, i), f"{path}.{toml_key(key)}", each, behind)]
        else:
            remark = f"  # {behind[here]}" if here in behind else ""
            own.append(f"{toml_key(key)} = {toml(value)}{remark}")
    return own + below


def toml_key(key: Any) -> str:
    """A key as TOML writes it."""
    text = str(key)
    return text if text.replace("_", "").replace("-", "").isalnum() and text.isascii() else toml(text)


def with_values(data: Mapping[str, Any], values: Mapping[tuple[str | int, ...], float]) -> dict[str, Any]:
    """The tables with numbers at some places; whole numbers stay whole."""
    found = copy.deepcopy(dict(data))
    for place, value in values.items():
        inner: Any = found
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = int(value) if isinstance(value, int) else rounded(value)
    return found


def shortened(source: str) -> str:
    """Sources with commas: the first, and how many more where there are many."""
    first, *more = source.split(", ")
    return source if len(more) < MANY else f"{first} and {len(more)} more"
