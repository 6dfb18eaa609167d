"""The picture of a sweep: response times and the use of the fullest center over one of the varied inputs."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

from qnsolve.results.answer import Answer
from qnsolve.results.digits import unit_of
from qnsolve.results.rendering import figure

from .curves import Curve, Panel, curves_figure


def sweep_figure(found: Answer) -> Any:
    """The figure of a sweep of a network or a system; the input with the most values is the axis, the others make curves."""
    rows = found.rows()
    given = [key for key in rows[0] if key in found.given()]
    values = {key: list(dict.fromkeys(row[key] for row in rows)) for key in given}
    axis = max(given, key=lambda key: (all(isinstance(v, (int, float)) for v in values[key]), len(values[key])))
    numbers = all(isinstance(value, (int, float)) for value in values[axis])
    places = {value: float(value) if numbers else float(i) for i, value in enumerate(values[axis])}
    every = sorted(places.values())
    name = "class" if "class" in rows[0] else "work"
    response: dict[str, dict[float, tuple[float, float, float]]] = {}
    used: dict[str, dict[float, float]] = {}
    gaps = set()
    for row in rows:
        others = ", ".join(f"{key} {figure(row[key])}" for key in given if key != axis)
        x = places[row[axis]]
        if isnan(row["response_time"]):
            gaps.add(x)
            continue
        ends = (row.get("response_time_lowest", nan), row.get("response_time_highest", nan))
        label = f"{row[name]}, {others}" if others else str(row[name])
        response.setdefault(label, {})[x] = (row["response_time"], *ends)
        share = 100 * row["utilization"] if "utilization" in row else row["used_percent"]
        used.setdefault(others or "fullest center", {})[x] = share
    unit, size = found.time_unit(), 1.0
    if found.chooses_units:
        unit, size = unit_of([each[0] for line in response.values() for each in line.values()], together=True) or (unit, size)
    lines = []
    for label, line in response.items():
        y, low, high = ([line[x][k] / size if x in line else nan for x in every] for k in range(3))
        ranged = any(not isnan(value) for value in low)
        lines.append(Curve(label, every, y, low if ranged else (), high if ranged else ()))
    shares = [Curve(label, every, [line.get(x, nan) for x in every]) for label, line in used.items()]
    answered = {x for line in response.values() for x in line}
    only = sorted(gaps - answered)
    ticks = () if numbers else tuple(str(value) for value in values[axis])
    return curves_figure(
        found.title(),
        [
            Panel("Response time", axis, f"response time [{unit}]", lines, (), (), only, ticks),
            Panel("Use of the fullest center", axis, "used [%]", shares, [(100.0, "full")], (), only, ticks, percent=True),
        ],
    )
