"""Where the bottleneck moves along one population or rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.numerics.bisection import narrowed, whole_half
from qnsolve.results.answer import Report

from .bottleneck import Sector, loads_per_server
from .linear_envelope import upper_lines


@dataclass(frozen=True)
class Switches(Report):
    """Where the busiest station changes along one figure of a model.

    Attributes
    ----------
    heading : str
    notes : tuple of str
    sectors : tuple of Sector
        In order; two neighbours meet, but for whole numbers, where the next begins one later.
    """

    sectors: tuple[Sector, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row a range."""
        return [{"of": s.of, "stations": " and ".join(s.stations), "low": s.low, "high": s.high} for s in self.sectors]


def bottleneck_switches(model: Network, name: str, values: Iterable[float], method: str = "auto") -> Switches:
    """Where the bottleneck, the station of highest utilization, changes along one population or rate.

    Parameters
    ----------
    model : Network
    name : str
        The class whose population, or arrival rate, is swept.
    values : iterable of float
        Rising. Each is solved, and a change between two of them is sought by halving; one that
        is undone before the next value is not seen. In an open network all changes between
        the least and the greatest are found, without a solve.
    method : str, default "auto"
        As for `solve`.

    Returns
    -------
    Switches
        Changes of a rate to 1e-12 relative.

    Raises
    ------
    ModelError, SaturatedError, NoMethodError
        As `solve`.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu"), Queue("disk")], [
    ...     OpenClass("browse", arrival_rate=1.0, demands={"cpu": 0.5, "disk": 0.1}),
    ...     OpenClass("buy", arrival_rate=1.0, demands={"disk": 0.3})])
    >>> [(s.low, s.high, s.stations) for s in bottleneck_switches(shop, "browse", [0.0, 1.5]).sectors]
    [(0.0, 0.75, ('disk',)), (0.75, 1.5, ('cpu',))]
    """
    job_class = next((c for c in model.classes if c.name == name), None)
    if job_class is None:
        raise ModelError("bottleneck_switches: name", "names no class", suggestion(name, [c.name for c in model.classes]), name)
    whole = isinstance(job_class, ClosedClass)
    item = f"bottleneck_switches: {'population' if whole else 'arrival_rate'}"
    points = [checks.whole(item, v) if whole else checks.number(item, v) for v in values]
    if len(points) < 2 or points != sorted(set(points)):
        raise ModelError(item, "must be two or more rising values", "write range(10, 101, 10), or [low, high]", points)
    said = f"{'population' if whole else 'arrival rate'} of {name}"
    arrays = from_network(model)
    if isinstance(job_class, OpenClass) and arrays.is_open:
        solve(model.replace(name, arrival_rate=points[-1]), method)  # raises where it saturates
        sectors = _lines(arrays, name, said, float(points[0]), float(points[-1]))
    else:
        sectors = _swept(model, name, said, [float(p) for p in points], whole, method)
    return Switches(f"{model.name or 'model'}: busiest station by {said}, times in {model.time_unit}", (), tuple(sectors))


def _lines(arrays: Arrays, name: str, said: str, low: float, high: float) -> list[Sector]:
    loads, places = loads_per_server(arrays)
    r = [c.name for c in arrays.model.classes].index(name)
    rates = arrays.arrival_rate.copy()
    rates[r] = 0.0
    return [Sector(said, a, b, (places[k],)) for a, b, k in upper_lines(loads @ rates, loads[:, r], low, high)]


def _is(found: Callable[[float], str], name: str, value: float) -> bool:
    return found(value) == name


def _swept(model: Network, name: str, said: str, points: list[float], whole: bool, method: str) -> list[Sector]:
    def busiest(value: float) -> str:
        change: dict[str, float] = {"population": int(value)} if whole else {"arrival_rate": value}
        found = solve(model.replace(name, **change), method).stations
        return max(found, key=lambda s: -1.0 if math.isnan(s.utilization) else s.utilization).name

    sectors, start, now = [], points[0], busiest(points[0])
    for before, after in pairwise(points):
        while busiest(after) != now:
            same = partial(_is, busiest, now)
            low, high = narrowed(same, before, after, 0.0, whole_half) if whole else narrowed(same, before, after, 1e-12)
            sectors.append(Sector(said, start, low if whole else high, (now,)))
            before, start, now = high, high, busiest(high)
    return [*sectors, Sector(said, start, points[-1], (now,))]
