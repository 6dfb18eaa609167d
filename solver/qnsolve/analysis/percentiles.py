"""Percentiles of response time: exact on overtake-free paths, fitted to two moments elsewhere."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from qnsolve.errors import ModelError, NoMethodError, suggestion
from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.methods.entry import not_product_form, uneven
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import Delay, Queue
from qnsolve.numerics.passage_times import gamma_quantile, series_quantile
from qnsolve.numerics.series import Array, weights
from qnsolve.results.answer import Answer
from qnsolve.results.digits import short
from qnsolve.results.rendering import defined
from qnsolve.results.solution import Solution
from qnsolve.stations import erlang_c


@dataclass(frozen=True)
class ResponsePercentile(Answer):
    """A percentile of the response time of a class.

    Attributes
    ----------
    class_name : str
    percentile : float
        Share of the jobs with at most this response time [0..1].
    value, mean : float
        That percentile, and the mean response time [time].
    exact : bool
        Exact for exponential times and one visit a station in the order that the class
        lists; otherwise `notes` gives the measured error.
    method : str
        "overtake-free", "independent" or "gamma".
    notes : tuple of str
    """

    class_name: str
    percentile: float
    value: float
    mean: float
    exact: bool
    method: str
    notes: tuple[str, ...]

    def title(self) -> str:
        """The answer in one sentence."""
        kind = "exact" if self.exact else "approximate"
        said = f"{self.class_name}: {100 * self.percentile:g} % within {short(self.value)}, mean {short(self.mean)}"
        return f"{said} ({self.method}, {kind})"

    def rows(self) -> list[dict[str, Any]]:
        """The one row."""
        figures = {"percentile": self.percentile, "value": self.value, "mean": self.mean}
        return [{"class": self.class_name, **figures, "exact": self.exact, "method": self.method}]

    def as_dict(self) -> dict[str, Any]:
        """The row, and the notes; undefined numbers are None."""
        return {**defined(self.rows()[0]), "notes": list(self.notes)}


def response_percentile(model: Network | Solution, class_name: str, percentile: float = 0.95) -> ResponsePercentile:
    """A percentile of the response time of a class.

    Parameters
    ----------
    model : Network or Solution
        Of product form. A solution is used as it is, with its method.
    class_name : str
    percentile : float, default 0.95
        0 to 1, both excluded.

    Returns
    -------
    ResponsePercentile
        Exact ("overtake-free") for an open class that visits each of its stations once, all first come
        first served, where only the first and the last may have several servers and no
        other class takes another way through them; or that visits one such station only.
        "independent" is the same sum for other open first come first served paths. "gamma"
        is fitted to the exact mean and to a variance from what an arrival finds at each
        station, the stations taken as independent.

    Raises
    ------
    ModelError, SaturatedError, NoMethodError

    Notes
    -----
    Times are taken as exponential. Processor sharing makes the tail longer than first come
    first served at the same mean: at one server with utilization ρ the squared variation
    is (2 + ρ)/(2 − ρ), not 1.

    References
    ----------
    [Reich1957], [Walrand1980], [Coffman1970].

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu", discipline="fcfs")], [OpenClass("browse", arrival_rate=0.5, demands={"cpu": 1.0})])
    >>> round(response_percentile(shop, "browse", 0.95).value, 6)
    5.991465
    """
    share = checks.number("response_percentile: percentile", percentile, positive=True)
    if share >= 1:
        raise ModelError("response_percentile: percentile", "must lie between 0 and 1", "write 0.95 for 95 %", percentile)
    solution = model if isinstance(model, Solution) else solve(only_network(model))
    network = solution.model
    job_class = next((c for c in network.classes if c.name == class_name), None)
    if job_class is None:
        known = [c.name for c in network.classes]
        raise ModelError("response_percentile: class_name", "must name a class", suggestion(class_name, known), class_name)
    arrays = from_network(network)
    odd = not_product_form(arrays)
    odd = odd or uneven(arrays)
    if odd:
        raise NoMethodError({"response_percentile": odd})
    mean = solution[class_name].response_time
    if not mean > 0:
        raise ModelError(f"class {class_name!r}", "must have jobs", "give it a population of 1 or more")
    path = [name for name in job_class.stations() if job_class.demand(name) > 0]
    places = [[s.name for s in network.stations].index(name) for name in path]
    notes = [] if job_class.visits else ["assumed: one visit to each station, for all of its demand"]
    phases = _phases(arrays, job_class, places)
    if phases is not None:
        free = _overtake_free(arrays, job_class, places)
        if not free:
            notes.append(f"approximate: {measured('independent')}")
        value = series_quantile(*phases, share)
        return ResponsePercentile(
            class_name, share, value, mean, free, "overtake-free" if free else "independent", tuple(notes)
        )
    variance = sum(_variance(arrays, solution, job_class, places))
    notes.append(f"approximate: {measured('gamma')}")
    value = gamma_quantile(mean, variance / mean**2, share)
    return ResponsePercentile(class_name, share, value, mean, False, "gamma", (*notes, *solution.notes))


@cache
def measured(method: str) -> str:
    """One sentence with the measured error of a method, against the passage times of a tagged job in Markov chains."""
    text = resources.files(__package__).joinpath("percentiles.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["method"] == method]
    models = sum(int(row["models"]) for row in rows)
    mean = sum(float(row["p95_mean"]) * int(row["models"]) for row in rows) / models
    worst = max(rows, key=lambda row: float(row["p95_max"]))
    return (
        f"the 95th percentile {100 * mean:.1f} % off in the mean and {100 * float(worst['p95_max']):.0f} % at most, "
        f"on {models} models solved as Markov chains (worst family: {worst['family']})"
    )


def _phases(arrays: Arrays, job_class: JobClass, places: list[int]) -> tuple[Array, Array] | None:
    """Rates and probabilities of the phases of an open path of first come first served queues and delays."""
    if not arrays.is_open or not isinstance(job_class, OpenClass) or not _once(job_class, places, arrays):
        return None
    load = arrays.arrival_rate @ arrays.demand
    rates, enters = [], []
    for k in places:
        station = arrays.model.stations[k]
        service = job_class.demand(station.name)
        if isinstance(station, Delay):
            rates.append(1 / service)
            enters.append(1.0)
        elif not isinstance(station, Queue) or station.discipline != "fcfs" or not isinstance(station.servers, int):
            return None
        elif station.servers == 1:
            rates.append((1 - load[k]) / service)
            enters.append(1.0)
        else:
            rates += [(station.servers - load[k]) / service, 1 / service]
            enters += [erlang_c(station.servers, float(load[k])), 1.0]
    return np.array(rates), np.array(enters)


def _once(job_class: JobClass, places: list[int], arrays: Arrays) -> bool:
    return job_class.visits is None or all(job_class.visits[arrays.model.stations[k].name] == 1 for k in places)


def _overtake_free(arrays: Arrays, job_class: JobClass, places: list[int]) -> bool:
    """Whether the path has one station, or no job can overtake between its first and last station."""
    if len(places) == 1:
        return True
    stations = arrays.model.stations
    inner = [stations[k] for k in places[1:-1]]
    if any(isinstance(s, Delay) or (isinstance(s, Queue) and s.servers > 1) for s in inner):
        return False
    path = [stations[k].name for k in places]
    for other in arrays.model.classes:
        way = [name for name in other.stations() if other.demand(name) > 0]
        if set(way) & set(path) and (way != path or not _once(other, places, arrays)):
            return False
    return True


def _variance(arrays: Arrays, solution: Solution, job_class: JobClass, places: list[int]) -> list[float]:
    """Variance of the residence time at each station, from the queue that an arriving job finds."""
    found = solution
    if isinstance(job_class, ClosedClass):
        found = solve(arrays.model.replace(job_class.name, population=job_class.population - 1), solution.method)
    variances = []
    load = np.nan_to_num(arrays.arrival_rate) @ arrays.demand
    for k in places:
        station = arrays.model.stations[k]
        residence = solution[job_class.name, station.name].residence_time
        visits = 1.0 if job_class.visits is None else job_class.visits[station.name]
        speeds = arrays.speeds[k]
        busy = found[station.name].utilization
        if speeds is None:
            variation = 1.0
        elif isinstance(station, Queue) and station.discipline == "fcfs" and isinstance(station.servers, int):
            variation = _fcfs(*_seen(found, arrays, station.name, load[k], speeds), station.servers)
        else:
            variation = _shared(*_seen(found, arrays, station.name, load[k], speeds), speeds, busy)
        once = residence / visits
        count = max(visits * visits - visits, visits * (1 - visits))  # variance of visits: geometric, or 0 and 1
        variances.append(visits * variation * once**2 + count * once**2)
    return variances


def _seen(found: Solution, arrays: Arrays, name: str, load: float, speeds: Array) -> tuple[Array, Array, float]:
    """The queue found: numbers of jobs, their probabilities, and the ratio of the geometric tail at the last; 0 for none."""
    if not arrays.is_open:
        p = found.distribution(name)
        return np.arange(len(p), dtype=float), p, 0.0
    x = load / float(speeds[-1])
    w = weights(load / speeds) if load else np.eye(1, len(speeds) + 1)[0]
    p = np.append(w[:-1], w[-1] / (1 - x))
    return np.arange(len(p), dtype=float), p / p.sum(), x


def _moments(values: Array, slope: float, p: Array, x: float) -> tuple[float, float]:
    """Mean and mean square of values that rise by `slope` a job beyond the last, geometric with ratio x there."""
    ahead = x / (1 - x)
    first = float(p @ values + p[-1] * slope * ahead)
    beyond = 2 * float(values[-1]) * slope * ahead + slope**2 * ahead * (1 + 2 * ahead)
    return first, float(p @ values**2 + p[-1] * beyond)


def _fcfs(jobs: Array, p: Array, x: float, servers: int) -> float:
    """Squared variation of a time first come first served: an Erlang wait behind those found, and the service."""
    behind = np.maximum(jobs - servers + 1, 0) / servers
    first, second = _moments(behind, 1 / servers, p, x)
    waited = second + first / servers - first**2  # variance of the wait, in services
    return (waited + 1) / (1 + first) ** 2


def _shared(jobs: Array, p: Array, x: float, speeds: Array, busy: float) -> float:
    """Squared variation of a shared time: exact for one server in an open network, (2 + ρ)/(2 − ρ)."""
    stretch = (jobs + 1) / speeds[np.minimum(jobs.astype(int), len(speeds) - 1)]
    first, second = _moments(stretch, 1 / float(speeds[-1]), p, x)
    return 1 + 2 * max(second / first**2 - 1, 0.0) / (2 - busy)
