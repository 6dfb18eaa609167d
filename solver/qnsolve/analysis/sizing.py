"""How much fits: the highest rate, the largest population, the fewest servers that keep a response time."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

from qnsolve.errors import ModelError, SaturatedError, suggestion
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass, JobClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import MOST_SERVERS, Queue
from qnsolve.numerics.bisection import last_real, last_whole
from qnsolve.results.answer import Answer
from qnsolve.results.rendering import defined
from qnsolve.results.solution import Solution

from .percentiles import response_percentile

MOST_JOBS = 10**7
FINE = 1e-12  # relative, of a rate
CEILING = 1e90  # a rate that nothing holds back


@dataclass(frozen=True)
class Sizing(Answer):
    """What a target leaves room for.

    Attributes
    ----------
    name : str
        The class or station that was sized.
    quantity : str
        "arrival_rate" [jobs/time], "population" [jobs] or "servers" [count].
    value : float
        The highest rate or population, or the fewest servers; whole where it counts.
    class_name : str
        Whose response time is held to the target.
    target, reached : float
        Response time asked for, and at that value: its mean, or the percentile [time].
    percentile : float or None
    solution : Solution
        Of the model with that value.
    notes : tuple of str
        How a percentile was found, and with which error.
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
        return f"{said} at {self.reached:.6g}, target {self.target:.6g}"

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
    """The highest arrival rate of an open class that keeps a response time.

    Parameters
    ----------
    model : Network
    class_name : str
        The open class whose rate is sought; its own rate in the model does not count.
    response_time : float
        Target [time].
    percentile : float, optional
        0.95 asks that 95 % of the jobs stay within the target; left out, the mean.
    of : str, optional
        The class that the target is for; left out, the same class.
    method : str, default "auto"
        As for `solve`.

    Returns
    -------
    Sizing
        The rate to 1e-12 relative, on the side that keeps the target.

    Raises
    ------
    ModelError
        Where even next to no arrivals miss the target, or no rate ever does.

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
        raise ModelError(f"class {class_name!r}: arrival_rate", "has no highest value: nothing waits for it", "ask for less")
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
    """The largest population of a closed class that keeps a response time.

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
        One job more misses the target. With several closed classes a response time may
        fall again beyond it: the search doubles, then halves, and `notes` says so.

    Raises
    ------
    ModelError
        Where one job misses the target, or ten million keep it.

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
        raise ModelError(item, f"keeps the target at {MOST_JOBS:,} jobs still", "ask for less, or add think time")
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
    """The fewest servers of a queue that keep a response time.

    Parameters
    ----------
    model : Network
    station : str
        The queue whose servers are sought; its own number in the model does not count.
    response_time : float
        Target [time].
    of : str
        The class that the target is for.
    percentile, method
        As for `highest_rate`.

    Returns
    -------
    Sizing
        One server fewer misses the target.

    Raises
    ------
    ModelError
        Where not even a million servers keep the target: tells what they reach.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("browse", arrival_rate=30.0, demands={"cpu": 0.1})])
    >>> fewest_servers(shop, "cpu", of="browse", response_time=0.15).value
    5
    """
    queues = [s.name for s in model.stations if isinstance(s, Queue)]
    if station not in queues:
        raise ModelError("fewest_servers: station", "names no queue", suggestion(station, queues), station)
    target = _Target(model, "fewest_servers", of, response_time, percentile, method)

    def at(servers: int) -> Network:
        return model.replace(station, servers=servers)

    if target.kept(at(1)):
        return target.sizing(station, "servers", 1, at(1))
    few = last_whole(lambda servers: not target.kept(at(servers)), 1, 2, MOST_SERVERS)
    if few is None:
        raise target.missed(f"station {station!r}: servers", "other stations hold it up: lower their demands")
    return target.sizing(station, "servers", few + 1, at(few + 1))


class _Target:
    """A response time to keep, and what was reached last."""

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
        told = response_percentile(found, self.name, self.percentile)
        return found, told.value, told.notes

    def kept(self, model: Network) -> bool:
        """The target is met; a saturated model does not meet it."""
        try:
            self.reached = self._solved(model)[1]
        except SaturatedError as error:
            self.reached, self.saturated = float("inf"), str(error)
        return self.reached <= self.limit

    def missed(self, item: str, repair: str) -> ModelError:
        """What to raise where the target cannot be met."""
        best = self.saturated or f"the best is {self.reached:.6g}"
        return ModelError(item, f"cannot keep the response time of {self.name!r} at {self.limit:.6g}: {best}", repair)

    def sizing(self, name: str, quantity: str, value: float, model: Network, several: bool = False) -> Sizing:
        """The result, solved once more."""
        found, reached, notes = self._solved(model)
        if several:
            notes = (*notes, "with several closed classes a larger population may keep the target again")
        return Sizing(name, quantity, value, self.name, self.limit, reached, self.percentile, found, notes)


def _class(model: Network, item: str, name: str, kind: type[JobClass] | None) -> JobClass:
    known = [c for c in model.classes if kind is None or isinstance(c, kind)]
    found = next((c for c in known if c.name == name), None)
    if found is None:
        word = {None: "class", OpenClass: "open class", ClosedClass: "closed class"}[kind]
        raise ModelError(f"{item}: class", f"names no {word}", suggestion(name, [c.name for c in known]), name)
    return found
