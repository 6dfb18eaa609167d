"""Bounds without a solution: asymptotic, balanced job, geometric."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import suggestion
from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.methods.entry import check_stable, not_product_form
from qnsolve.methods.product_form import throughput_bounds as kernel
from qnsolve.methods.product_form.mixed import left_over
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay
from qnsolve.numerics.series import Array, falls
from qnsolve.results.answer import Report

TERMS = 2 * 10**8  # most terms of the speeds that open classes leave of a station
FAMILIES = ("asymptotic", "balanced", "geometric")


@dataclass(frozen=True)
class Bound:
    """The bounds on one quantity; nan where there is none.

    Attributes
    ----------
    family : str
        "asymptotic", "balanced" or "geometric".
    class_name, station : str
        The station is "" for a quantity of the whole class.
    quantity : str
        "throughput" [jobs/time], "response_time" [time], "queue_length" [jobs]; for an
        open class "arrival_rate" [jobs/time], its stability bound beside the others.
    lower, upper : float
    """

    family: str
    class_name: str
    station: str
    quantity: str
    lower: float
    upper: float


@dataclass(frozen=True)
class Bounds(Report):
    """The bounds on a model; `notes` says which bounds do not apply, and why.

    Attributes
    ----------
    heading : str
    notes : tuple of str
    bounds : tuple of Bound
    """

    bounds: tuple[Bound, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row a bound."""
        rows = []
        for row in map(asdict, self.bounds):
            rows.append({"bound": row.pop("family"), "class": row.pop("class_name"), **row})
        return rows

    def best(self, class_name: str, quantity: str, station: str = "") -> Bound:
        """The narrowest interval of all families together.

        Parameters
        ----------
        class_name, quantity, station : str
            As in `Bound`.

        Raises
        ------
        KeyError
            Where there is no such bound.
        """
        found = [b for b in self.bounds if (b.class_name, b.quantity, b.station) == (class_name, quantity, station)]
        if not found:
            known = dict.fromkeys(f"{b.class_name} {b.quantity} {b.station}".strip() for b in self.bounds)
            wanted = f"{class_name} {quantity} {station}".strip()
            raise KeyError(f"no bound on {wanted!r}; {suggestion(wanted, known)}")
        lower = max((b.lower for b in found if b.lower == b.lower), default=nan)
        upper = min((b.upper for b in found if b.upper == b.upper), default=nan)
        return replace(found[-1], lower=lower, upper=upper)


def bounds(model: Network) -> Bounds:
    """Bounds on throughput, response time and queue length, without a solution.

    Parameters
    ----------
    model : Network
        With any classes and stations. Every bound given holds for the exact answer; one
        that does not apply is left out, and `notes` says why.

    Returns
    -------
    Bounds
        Asymptotic bounds for every class; balanced job and geometric bounds where there is
        one closed class, open classes beside it or not.

    Raises
    ------
    SaturatedError
        Open classes demand more of a station than it can serve.

    Notes
    -----
    Stations with many servers or rising speeds are replaced by single servers and delays
    that are never faster, for one side, or never slower, for the other. Beside open
    classes the closed ones have the speeds that the open ones leave, which is exact.

    References
    ----------
    [Denning1978], [Zahorjan1982], [Casale2008], [Suri1985].

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu"), Queue("disk")], [
    ...     ClosedClass("query", population=10, think_time=2.0, demands={"cpu": 0.3, "disk": 0.2})])
    >>> found = bounds(site).best("query", "throughput")
    >>> round(found.lower, 3), round(found.upper, 3)
    (2.669, 3.148)
    """
    arrays = from_network(model)
    opened = [c for c in model.classes if isinstance(c, OpenClass)]
    if opened:
        check_stable(arrays)
    heading = f"{model.name or 'model'}: bounds, times in {model.time_unit}"
    found = _open(arrays)
    busy = arrays.of_classes(arrays.closed & (np.nan_to_num(arrays.population) > 0))
    names = [c.name for c, n in zip(model.classes, np.nan_to_num(arrays.population).tolist(), strict=True) if n > 0]
    notes: list[str] = []
    if names:
        odd, speeds = _left(arrays)
        meets = np.full(len(speeds), inf) if odd else busy.population @ (busy.demand > 0)
        least, longest = kernel.asymptotic(busy.population, busy.think_time, busy.demand, speeds, meets)
        if odd:
            notes.append(f"no longest response time, no balanced job and geometric bounds: {odd}")
            longest[:] = nan
        for r, name in enumerate(names):
            found += _of_class("asymptotic", name, busy.population[r], busy.think_time[r], least[r], longest[r])
        if not odd:
            more, why = _one_class(busy, names, speeds)
            found, notes = found + more, notes + why
    if opened:
        notes.append("the response time of an open class has no upper bound: it grows without limit with the load")
    return Bounds(heading, tuple(notes), tuple(found))


def _open(arrays: Arrays) -> list[Bound]:
    """Least response time and highest rate of each open class."""
    found = []
    load = np.nan_to_num(arrays.arrival_rate) @ arrays.demand
    least = np.array([1.0 if s is None else kernel.stretches(s, inf)[0] for s in arrays.speeds])
    for r in np.flatnonzero(~arrays.closed).tolist():
        name, demand = arrays.model.classes[r].name, arrays.demand[r]
        used = (demand > 0) & np.isfinite(arrays.last)
        others = load - arrays.arrival_rate[r] * demand
        highest = float(((arrays.last - others)[used] / demand[used]).min()) if used.any() else nan
        found.append(Bound("asymptotic", name, "", "arrival_rate", 0.0, highest))
        found.append(Bound("asymptotic", name, "", "response_time", float(demand @ least), nan))
    return found


def _left(arrays: Arrays) -> tuple[str, tuple[Array | None, ...]]:
    """Why product-form bounds do not apply, "" where they do; the speeds for the closed classes."""
    odd = not_product_form(arrays)
    if odd or arrays.is_closed:
        return odd, arrays.speeds
    jobs = int(np.nansum(arrays.population))
    if max((len(s) * min(len(s), jobs) for s in arrays.speeds if s is not None), default=0) > TERMS:
        return "too many servers with open and closed classes", arrays.speeds
    load = np.nan_to_num(arrays.arrival_rate) @ arrays.demand
    return "", tuple(None if s is None else left_over(a, s, jobs) for a, s in zip(load.tolist(), arrays.speeds, strict=True))


def _of_class(family: str, name: str, population: float, think: float, least: float, longest: float) -> list[Bound]:
    """Response time and, by N = X·(Z + R), throughput."""
    return [
        Bound(family, name, "", "throughput", float(population / (think + longest)), float(population / (think + least))),
        Bound(family, name, "", "response_time", float(least), float(longest)),
    ]


def _one_class(arrays: Arrays, names: list[str], speeds: tuple[Array | None, ...]) -> tuple[list[Bound], list[str]]:
    """Balanced job and geometric bounds, and why they do not apply."""
    missing = "no balanced job and geometric bounds"
    if len(names) > 1:
        return [], [f"{missing}: they are for one closed class"]
    n, think, demand = int(arrays.population[0]), float(arrays.think_time[0]), arrays.demand[0]
    stations = arrays.model.stations
    for station, d, s in zip(stations, demand, speeds, strict=True):
        if s is not None and d > 0 and falls(s[: min(len(s), n)]):
            return [], [f"{missing}: station {station.name!r} has rates that fall again with more jobs"]
    slow, fast = kernel.twins(n, think, demand, speeds)
    if not slow.demand.any():
        return [], [f"{missing}: no station has a queue"]
    found = []
    for family, run in (("balanced", kernel.balanced), ("geometric", kernel.geometric)):
        least = max(run(n, fast.outside, fast.demand)[0] + (fast.outside - think), float(demand @ _least(speeds, n)))
        longest = run(n, slow.outside, slow.demand)[1] + (slow.outside - think)
        found += _of_class(family, names[0], n, think, least, longest)
    single = np.array([s is not None and len(s) == 1 for s in speeds]) & (demand > 0)
    fastest = min(b.upper for b in found if b.quantity == "throughput")
    own = np.array([d / s[0] for d, s, one in zip(demand, speeds, single, strict=True) if one and s is not None])
    above = kernel.at_most(n, own, fastest)
    below = kernel.at_least(n, slow.outside, own, slow.demand)
    places = [station.name for station, s in zip(stations, single, strict=True) if s]
    for place, low, high in zip(places, below.tolist(), above.tolist(), strict=True):
        found.append(Bound("geometric", names[0], place, "queue_length", low, high))
    return found, _without_queue(arrays, single & (demand > 0), demand > 0)


def _least(speeds: tuple[Array | None, ...], jobs: int) -> Array:
    return np.array([1.0 if s is None else kernel.stretches(s, jobs)[0] for s in speeds])


def _without_queue(arrays: Arrays, single: NDArray[np.bool_], used: NDArray[np.bool_]) -> list[str]:
    """The note on stations without bounds on their queue."""
    stations = zip(arrays.model.stations, single, used, strict=True)
    others = [s.name for s, one, some in stations if some and not one and not isinstance(s, Delay)]
    return [f"no bounds on the queue of {', '.join(others)}: they are for stations of one speed"] if others else []
