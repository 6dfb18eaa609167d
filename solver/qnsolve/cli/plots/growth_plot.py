"""The picture of a growing workload: response times and the use of centers, up to where one is full."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from qnsolve.results.digits import short, time, unit_of
from qnsolve.zos.report.equal_regions import equal_regions, of_group
from qnsolve.zos.report.reasons import centers

from .curves import Curve, Panel, curves_figure

if TYPE_CHECKING:
    from qnsolve.zos.whatif.growth import Growth

SHOWN = 5  # centers, the fullest ones
AXIS = "workload, times that of today"


def growth_figure(found: Growth, targets: Mapping[str, float]) -> Any:
    """The figure of a growth.

    Parameters
    ----------
    found : Growth
    targets : mapping of work to float
        Response times that are marked [s].
    """
    solved = [(factor, result) for factor, result in zip(found.factors, found.results, strict=True) if result is not None]
    every = sorted(found.factors)
    names = [work.name for work in solved[0][1].work] if solved else []
    response = {(factor, work.name): work.response_time for factor, result in solved for work in result.work}
    unit, size = unit_of([*response.values(), *targets.values()], together=True) or ("s", 1.0)
    if max(response.values(), default=0.0) < 10:  # people say 1200 ms, next to 17 ms
        unit, size = ("ms", 1e-3) if unit == "s" else (unit, size)
    lines = [Curve(name, every, [response.get((factor, name), nan) / size for factor in every]) for name in names]
    upright, used = [], dict[str, dict[float, float]]()
    if solved:
        factor, first = solved[0]
        labels = equal_regions(first)
        if isfinite(first.capacity.factor):
            most = first.capacity.factor * factor
            if most <= 1.5 * max(every):
                upright = [(most, f"{of_group(first.capacity.center, labels)} full at {short(most)}")]
        for factor, result in solved:
            for name, share in centers(result):
                used.setdefault(of_group(name, labels), {})[factor] = 100 * share
    fullest = sorted(used, key=lambda name: -max(used[name].values()))[:SHOWN]
    gaps = [factor for factor, result in zip(found.factors, found.results, strict=True) if result is None]
    marks = [(target / size, f"target of {name}: {time(target)}") for name, target in targets.items()]
    shares = [Curve(name, every, [used[name].get(factor, nan) for factor in every]) for name in fullest]
    return curves_figure(
        found.heading,
        [
            Panel("Response time", AXIS, f"response time [{unit}]", lines, marks, upright, gaps),
            Panel("Use of centers", AXIS, "used [%]", shares, [(100.0, "full")], upright, gaps, percent=True),
        ],
    )
