"""Sizing: the highest rate, the largest population, the fewest servers that meet a target response time."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

from qnsolve.errors import ModelError, SaturatedError, suggestion
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import MOST_SERVERS, Queue
from qnsolve.numerics.bisection import last_real, last_whole
from qnsolve.results.answer import Answer
from qnsolve.results.digits import short
from qnsolve.results.rendering import defined
from qnsolve.results.solution import Solution

from .percentiles import response_percentile

MOST_JOBS = 10**7
FINE = 1e-12  # relative, of a rate
CEILING = 1e90  # a rate beyond which none is limited


@dataclass(frozen=True)
class Sizing(Answer):
    """The largest load, or the fewest servers, that meet a target.

    Attributes
    ----------
    name : str
        The class or station that was sized.
    quantity : str
        "arrival_rate" [jobs/time], "population" [jobs] or "servers" [count].
    value : float
        The highest rate or population, or the fewest servers; whole where it counts.
    class_name : str
        The class with the target.
    target, reached : float
        Target response time, and the one at that value: the mean, or the percentile [time].
    percentile : float or None
    solution : Solution
        Of the model with that value.
    notes : tuple of str
        The method of a percentile, and its error.
    """

    name: str
    quantity: str
    value: float
    class_name: str
    target: float
    reached: float
    percentile: float | None
    solution: Solution
    notes: tuple[str, ...]

    def title(self) -> str:
        """The answer in one sentence."""
        asked = "mean response time" if self.percentile is None else f"{100 * self.percentile:g}th percentile of response time"
        said = f"{self.name}: {self.quantity.replace('_', ' ')} {self.value:.9g} keeps the {asked} of {self.class_name}"
        return f"{said} at {short(self.reached)}, target {self.target:.6g}"

    def rows(self) -> list[dict[str, Any]]:
        """The one row."""
        return [
            {
                "name": self.name,
                "quantity": self.quantity,
                "value": self.value,
                "class": self.class_name,
                "percentile": nan if self.percentile is None else self.percentile,
                "target": self.target,
                "reached": self.reached,
            }
        ]

    def as_dict(self) -> dict[str, Any]:
        """The row, and the notes; undefined numbers are None."""
        return {**defined(self.rows()[0]), "notes": list(self.notes)}


def highest_rate(
    model: Network,
    class_name: str,
    *,
    response_time: float,
    percentile: float | None = None,
    of: str | None = None,
    method: str = "auto",
) -> Sizing:
    """The highest arrival rate of an open class that meets a target response time.

    Parameters
    ----------
    model : Network
    class_name : str
        The open class whose rate is sought; its rate in the model is ignored.
    response_time : float
        Target [time].
    percentile : float, optional
        With 0.95 the target holds for 95 % of the jobs; by default for the mean.
    of : str, optional
        The class with the target; by default the same class.
    method : str, default "auto"
        As for `solve`.

    Returns
    -------
    Sizing
        The rate to 1e-12 relative, on the side that meets the target.

    Raises
    ------
    ModelError
        Where even a rate near 0 misses the target, or every rate meets it.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("browse", arrival_rate=1.0, demands={"cpu": 0.1})])
    >>> round(highest_rate(shop, "browse", response_time=0.5).value, 9)
    8.0
    """
    _class(model, "highest_rate", class_name, OpenClass)
    target = _Target(model, "highest_rate", of or class_name, response_time, percentile, method)

    def at(rate: float) -> Network:
        return model.replace(class_name, arrival_rate=rate)

    demand = sum(_class(model, "highest_rate", class_name, OpenClass).demand(s.name) for s in model.stations)
    start = 1e-9 / demand
    if not target.kept(at(start)):
        raise target.missed(f"class {class_name!r}: arrival_rate", "lower demands or the other classes' load")
    most = last_real(lambda rate: target.kept(at(rate)), start, 1 / demand, CEILING, FINE)
    if most is None:
        raise ModelError(
            f"class {class_name!r}: arrival_rate", "has no highest value, because no job waits", "set a lower target"
        )
    return target.sizing(class_name, "arrival_rate", most, at(most))


def highest_population(
    model: Network,
    class_name: str,
    *,
    response_time: float,
    percentile: float | None = None,
    of: str | None = None,
    method: str = "auto",
) -> Sizing:
    """The largest population of a closed class that meets a target response time.

    Parameters
    ----------
    model : Network
    class_name : str
        The closed class whose population is sought.
    response_time, percentile, of, method
        As for `highest_rate`.

    Returns
    -------
    Sizing
        One job more misses the target. With several closed classes a larger population may meet it
        again: the search doubles, then bisects, and `notes` says so.

    Raises
    ------
    ModelError
        Where one job misses the target, or ten million meet it.

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu")], [ClosedClass("query", population=1, think_time=9.0, demands={"cpu": 1.0})])
    >>> highest_population(site, "query", response_time=2.0).value
    7
    """
    _class(model, "highest_population", class_name, ClosedClass)
    target = _Target(model, "highest_population", of or class_name, response_time, percentile, method)

    def at(jobs: int) -> Network:
        return model.replace(class_name, population=jobs)

    item = f"class {class_name!r}: population"
    if not target.kept(at(1)):
        raise target.missed(item, "lower demands or the other classes' load")
    most = last_whole(lambda jobs: target.kept(at(jobs)), 1, 2, MOST_JOBS)
    if most is None:
        raise ModelError(item, f"still meets the target with {MOST_JOBS:,} jobs", "set a lower target")
    several = sum(isinstance(c, ClosedClass) for c in model.classes) > 1
    return target.sizing(class_name, "population", most, at(most), several)


def fewest_servers(
    model: Network,
    station: str,
    *,
    response_time: float,
    of: str,
    percentile: float | None = None,
    method: str = "auto",
) -> Sizing:
    """The fewest servers of a queue that meet a target response time.

    Parameters
    ----------
    model : Network
    station : str
        The queue whose servers are sought; its number in the model is ignored.
    response_time : float
        Target [time].
    of : str
        The class with the target.
    percentile, method
        As for `highest_rate`.

    Returns
    -------
    Sizing
        One server fewer misses the target.

    Raises
    ------
    ModelError
        Where a million servers miss the target; the message has the best response time.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("browse", arrival_rate=30.0, demands={"cpu": 0.1})])
    >>> fewest_servers(shop, "cpu", of="browse", response_time=0.15).value
    5
    """
    queues = [s.name for s in only_network(model).stations if isinstance(s, Queue)]
    if station not in queues:
        raise ModelError("fewest_servers: station", "must name a queue", suggestion(station, queues), station)
    target = _Target(model, "fewest_servers", of, response_time, percentile, method)

    def at(servers: int) -> Network:
        return model.replace(station, servers=servers)

    if target.kept(at(1)):
        return target.sizing(station, "servers", 1, at(1))
    few = last_whole(lambda servers: not target.kept(at(servers)), 1, 2, MOST_SERVERS)
    if few is None:
        raise target.missed(f"station {station!r}: servers", "lower the demands at other stations")
    return target.sizing(station, "servers", few + 1, at(few + 1))


class _Target:
    """A target for a response time, and the response time reached last."""

    def __init__(
        self, model: Network, item: str, name: str, response_time: float, percentile: float | None, method: str
    ) -> None:
        self.name, self.percentile, self.method = _class(model, item, name, None).name, percentile, method
        self.limit = checks.number(f"{item}: response_time", response_time, positive=True)
        self.reached = float("inf")
        self.saturated = ""

    def _solved(self, model: Network) -> tuple[Solution, float, tuple[str, ...]]:
        found = solve(model, self.method)
        if self.percentile is None:
            return found, found[self.name].response_time, found.notes
        found_percentile = response_percentile(found, self.name, self.percentile)
        return found, found_percentile.value, found_percentile.notes

    def kept(self, model: Network) -> bool:
        """Whether the target is met; a saturated model does not meet it."""
        try:
            self.reached = self._solved(model)[1]
        except SaturatedError as error:
            self.reached, self.saturated = float("inf"), str(error)
        return self.reached <= self.limit

    def missed(self, item: str, repair: str) -> ModelError:
        """The error where the target cannot be met."""
        best = self.saturated or f"the best is {self.reached:.6g}"
        return ModelError(item, f"must keep the response time of {self.name!r} within {self.limit:.6g}: {best}", repair)

    def sizing(self, name: str, quantity: str, value: float, model: Network, several: bool = False) -> Sizing:
        """The result with its solution."""
        found, reached, notes = self._solved(model)
        if several:
            notes = (*notes, "with several closed classes a larger population may meet the target again")
        return Sizing(name, quantity, value, self.name, self.limit, reached, self.percentile, found, notes)


def _class(model: Network, item: str, name: str, kind: type[JobClass] | None) -> JobClass:
    known = [c for c in only_network(model).classes if kind is None or isinstance(c, kind)]
    found = next((c for c in known if c.name == name), None)
    if found is None:
        word = {None: "a class", OpenClass: "an open class", ClosedClass: "a closed class"}[kind]
        raise ModelError(f"{item}: class", f"must name {word}", suggestion(name, [c.name for c in known]), name)
    return found
