"""The picture of bounds: over the number of jobs where one closed class is all, as intervals else."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from qnsolve.analysis.bounds import bounds
from qnsolve.model.job_classes import ClosedClass
from qnsolve.results.digits import short
from qnsolve.results.plotting import INK, look_of, titled

from .curves import Curve, Panel, curves_figure

if TYPE_CHECKING:
    from qnsolve.analysis.bounds import Bound, Bounds
    from qnsolve.model.network import Network

POINTS = 40  # of a curve
WIDTH, LINE, REST = 9.0, 0.3, 1.2  # inches: the figure, an interval, all else
WORDS = {"throughput": "throughput", "arrival_rate": "highest rate", "response_time": "response time"}


def bounds_figure(model: Network, found: Bounds) -> Any:
    """The figure of the bounds of a network."""
    if len(model.classes) == 1 and isinstance(model.classes[0], ClosedClass) and model.classes[0].population > 0:
        return _curves(model, found, model.classes[0])
    return _intervals(model, found)


def _curves(model: Network, found: Bounds, one: ClosedClass) -> Any:
    """Throughput and response time over the population: the narrowest bounds of all families, and the asymptotes."""
    most = 2 * one.population
    numbers = [int(n) for n in np.unique(np.linspace(1, most, min(most, POINTS)).round())]
    made = [bounds(model.replace(one.name, population=n)) for n in numbers]
    panels = []
    today = (float(one.population), f"today: {one.population}")
    for quantity, unit in (("throughput", f"jobs/{model.time_unit}"), ("response_time", model.time_unit)):
        best = [each.best(one.name, quantity) for each in made]
        plain = [next(b for b in each.bounds if (b.family, b.quantity) == ("asymptotic", quantity)) for each in made]
        upper = quantity == "throughput"
        curves = [
            Curve("at most", numbers, [b.upper for b in best]),
            Curve("at least", numbers, [b.lower for b in best]),
            Curve("asymptotes", numbers, [b.upper if upper else b.lower for b in plain]),
        ]
        limit = max(b.upper for b in plain) if upper else 0.0
        across = [(limit, f"the bottleneck: {short(limit)}/{model.time_unit}")] if upper and isfinite(limit) else []
        title = WORDS[quantity].capitalize()
        panels.append(Panel(title, f"jobs of {one.name}", f"{WORDS[quantity]} [{unit}]", curves, across, [today]))
    return curves_figure(found.heading, panels)


def _intervals(model: Network, found: Bounds) -> Any:
    """An interval a class and family; an arrow where there is no bound on a side."""
    unit = model.time_unit
    rates = [b for b in found.bounds if b.quantity in ("throughput", "arrival_rate")]
    times = [b for b in found.bounds if b.quantity == "response_time"]
    figure = titled(WIDTH, REST + LINE * max(len(rates), len(times), 4), found.heading)
    parts = ((rates, "Throughput", f"jobs/{unit}"), (times, "Response time", unit))
    for axes, (some, title, words) in zip(figure.subplots(1, 2), parts, strict=True):
        _draw_intervals(axes, some)
        axes.set(title=title, xlabel=f"{title.lower()} [{words}]")
    return figure


def _draw_intervals(axes: Any, some: Sequence[Bound]) -> None:
    ends = [value for bound in some for value in (bound.lower, bound.upper) if isfinite(value)]
    most = max(ends, default=1.0)
    families = list(dict.fromkeys(bound.family for bound in some))
    for place, bound in enumerate(some):
        look = look_of(families.index(bound.family))
        high = bound.upper if isfinite(bound.upper) else 1.15 * most
        axes.plot((bound.lower, high), (place, place), color=look["color"], lw=2.2, ls=look["linestyle"], solid_capstyle="butt")
        axes.plot([bound.lower], [place], "|", color=INK, ms=9)
        axes.plot([high], [place], "|" if isfinite(bound.upper) else ">", color=INK, ms=9 if isfinite(bound.upper) else 5)
        text = f"{short(bound.lower)} to {short(bound.upper)}" if isfinite(bound.upper) else f"at least {short(bound.lower)}"
        axes.annotate(text, (bound.lower, place), (2, 5), textcoords="offset points", fontsize=7, color=INK)
    names = [f"{b.class_name}, {WORDS[b.quantity] if b.quantity == 'arrival_rate' else b.family}" for b in some]
    axes.set_yticks(range(len(some)), names)
    axes.set_ylim(len(some) - 0.4, -0.8)
    axes.set_xlim(0, 1.25 * most)
    axes.tick_params(axis="y", length=0)
