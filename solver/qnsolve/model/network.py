"""The network: stations, classes and limits, and the rules between them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from qnsolve.errors import ModelError, Repair, suggestion

from . import checks
from .admission_limit import AdmissionLimit
from .job_classes import ClosedClass, JobClass, OpenClass
from .station_types import Delay, LoadDependent, Queue, Station

TIME_UNITS = ("s", "ms", "us")


@dataclass(frozen=True)
class Network:
    """Stations, the classes of jobs that visit them, and the limits on entry.

    Parameters
    ----------
    stations : sequence of Queue, Delay, LoadDependent
    classes : sequence of OpenClass, ClosedClass
    limits : sequence of AdmissionLimit, optional
    name : str, optional
        Heads the printed table.
    time_unit : {"s", "ms", "us"}, default "s"
        The unit of every time and rate in the model; results are in it too.

    Raises
    ------
    ModelError
        Where a part is wrong or contradicts another one.

    Examples
    --------
    >>> shop = Network(stations=[Queue("cpu"), Delay("net")],
    ...                classes=[OpenClass("browse", arrival_rate=8.0, demands={"cpu": 0.04})])
    >>> shop.replace("cpu", servers=2).stations[0].servers
    2
    """

    stations: Sequence[Station]
    classes: Sequence[JobClass]
    limits: Sequence[AdmissionLimit] = ()
    _: KW_ONLY
    name: str = ""
    time_unit: str = "s"

    def __post_init__(self) -> None:
        for part, kinds in (
            ("stations", (Queue, Delay, LoadDependent)),
            ("classes", (OpenClass, ClosedClass)),
            ("limits", (AdmissionLimit,)),
        ):
            items = checks.listed(part, getattr(self, part))
            for item in items:
                if not isinstance(item, kinds):
                    allowed = ", ".join(kind.__name__ for kind in kinds)
                    raise ModelError(part, f"must hold {allowed}", "build it with one of them", item)
            if not items and part != "limits":
                raise ModelError(part, "must not be empty", f"give at least one of [[{part}]]", [], code=Repair.ITEM)
            checks.assign(self, **{part: items})
        if self.name != "":
            checks.text("name", self.name)
        checks.choice("time_unit", self.time_unit, TIME_UNITS)
        self._check_names()
        for station in self.stations:
            if isinstance(station, Queue) and station.on is not None:
                self._check_host(station, station.on)
        for job_class in self.classes:
            self._check_demand(job_class)
            self._check_route(job_class)

    def _check_names(self) -> None:
        stations, classes = [s.name for s in self.stations], [c.name for c in self.classes]
        limits = [limit.name for limit in self.limits]
        checks.unique("name", stations + classes, "stations and classes")
        checks.unique("limit: name", stations + classes + limits, "stations, classes and limits")
        references: list[tuple[str, Iterable[str], list[str]]] = []
        references += [(f"class {c.name!r}: {_way(c)}", c.stations(), stations) for c in self.classes]
        for limit in self.limits:
            references.append((f"limit {limit.name!r}: stations", limit.stations or (), stations))
            references.append((f"limit {limit.name!r}: classes", limit.classes or (), classes))
        for item, names, known in references:
            for name in names:
                if name not in known:
                    raise ModelError(item, "must name an item of the model", suggestion(name, known), name)

    def _check_host(self, station: Queue, name: str) -> None:
        item, hosts = f"station {station.name!r}: on", {s.name: s for s in self.stations}
        host = hosts.get(name)
        if host is None:
            raise ModelError(item, "must name an item of the model", suggestion(name, list(hosts)), name)
        if not isinstance(host, Queue) or host.on is not None or host is station:
            raise ModelError(item, "must be a queue with its own servers", "name the queue of the processors", name)
        if host.discipline != "ps":
            raise ModelError(item, "must share its servers (discipline 'ps')", f"change the discipline of {name!r}", name)

    def _check_demand(self, job_class: JobClass) -> None:
        if any(job_class.demand(name) > 0 for name in job_class.stations()):
            return
        item, repair = f"class {job_class.name!r}: {_way(job_class)}", "give it a demand above 0 at a station"
        if isinstance(job_class, OpenClass):
            raise ModelError(item, "must have a demand above 0", repair)
        if job_class.think_time == 0:
            raise ModelError(item, "must have a demand above 0, or the class a think_time", repair + ", or a think_time")

    def _check_route(self, job_class: JobClass) -> None:
        """Check that the way of the jobs to a station of limited capacity is known."""
        full = [s.name for s in self.stations if isinstance(s, Queue) and s.capacity is not None]
        bound = [name for name in full if (job_class.visits or job_class.demands or {}).get(name, 0.0) > 0]
        if not bound:
            return
        item = f"class {job_class.name!r}: {_way(job_class)}"
        for name in bound:
            if job_class.demand(name) == 0:
                raise ModelError(
                    f"{item}[{name!r}]", "must have a service time above 0, because the capacity is limited", "give one"
                )
        if job_class.visits is not None and job_class.routing is None and len(job_class.stations()) > 1:
            rule = f"must say from which stations jobs come to {bound[0]!r}, which has a capacity"
            raise ModelError(item, rule, "give routing in place of visits, or demands for one visit to each station in order")

    def solve(self, method: str = "auto") -> Any:
        """The solution: the same as `qnsolve.solve(self, method)`."""
        package = sys.modules[__name__.partition(".")[0]]  # a model must not import the methods, which import it
        return package.solve(self, method)

    def replace(self, name: str, /, **changes: Any) -> Network:
        """A copy of the network with one station, class or limit changed.

        Parameters
        ----------
        name : str
            Station, class or limit to change.
        **changes
            New values by parameter name, as in its constructor.

        Raises
        ------
        ModelError
            Where there is no such name or parameter, or the new value is wrong.
        """
        for part in ("stations", "classes", "limits"):
            items = list(getattr(self, part))
            for i, item in enumerate(items):
                if item.name != name:
                    continue
                known = [field for field in type(item).__dataclass_fields__ if field != "_"]
                for change in changes:
                    if change not in known:
                        rule = f"must be a parameter of {type(item).__name__}"
                        raise ModelError(f"{name!r}: {change}", rule, suggestion(change, known))
                if "visits" not in changes and {"routing", "entry", "exits", "reference"} & set(changes):
                    changes["visits"] = None
                items[i] = replace(item, **changes)
                parts: dict[str, Any] = {part: tuple(items)}
                return replace(self, **parts)
        names = [item.name for item in (*self.stations, *self.classes, *self.limits)]
        raise ModelError("replace", "must name an item of the model", suggestion(name, names), name)


def only_network(model: object) -> Network:
    """The model if it is a network; anything else is refused.

    Raises
    ------
    ModelError
    """
    if isinstance(model, Network):
        return model
    repair = "load one with qnsolve.load(file)"
    if not isinstance(model, type) and hasattr(model, "lpars"):
        repair = "systems have solve(), zos.growth, zos.headroom and zos.verify"
    raise ModelError("model", "must be a Network", repair, model)


def _way(job_class: JobClass) -> str:
    return "demands" if job_class.demands is not None else "visits"
