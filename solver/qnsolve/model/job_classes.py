"""Classes of jobs, open and closed, and the checks on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import floor

from qnsolve.errors import ModelError, Repair, suggestion

from . import checks


@dataclass(frozen=True)
class _JobClass:
    """Attributes that open and closed classes share: the service that one job requires at each station."""

    name: str
    _: KW_ONLY
    demands: Mapping[str, float] | None = None
    visits: Mapping[str, float] | None = None
    service_times: Mapping[str, float] | None = None
    service_variation: Mapping[str, float] | None = None
    priority: int = 1
    routing: Mapping[str, Mapping[str, float]] | None = None
    entry: Mapping[str, float] | None = None
    exits: Mapping[str, float] | None = None
    reference: str | None = None

    def __post_init__(self) -> None:
        checks.text("class: name", self.name)
        item = f"class {self.name!r}"
        self._routed(item)
        for part in ("demands", "visits", "service_times", "service_variation"):
            if getattr(self, part) is not None:
                checks.assign(self, **{part: checks.figures(f"{item}: {part}", getattr(self, part))})
        checks.assign(self, priority=checks.whole(f"{item}: priority", self.priority, least=1))
        per_visit = self.visits is not None or self.service_times is not None
        if (self.demands is not None) == per_visit:
            state = "gives both" if per_visit else "gives neither"
            raise ModelError(
                f"{item}: demands, visits, service_times",
                f"must give either demands, or visits with service_times (it {state})",
                "keep one and remove the other" if per_visit else "write demands = { station = time, ... }",
                code=None if per_visit else Repair.DEMANDS,
            )
        if per_visit and set(self.visits or ()) != set(self.service_times or ()):
            odd = sorted(set(self.visits or ()) ^ set(self.service_times or ()))
            raise ModelError(
                f"{item}: visits, service_times",
                "must name the same stations",
                f"give both for {', '.join(odd)}",
            )
        for name in self.service_variation or ():
            if name not in self.stations():
                rule = "names a station that the class does not visit"
                raise ModelError(f"{item}: service_variation", rule, suggestion(name, self.stations()), name)

    def _routed(self, item: str) -> None:
        """Visits from the routing, where there is one."""
        parts = {key: getattr(self, key) for key in ("entry", "exits", "reference") if getattr(self, key) is not None}
        if self.routing is None:
            for key, value in parts.items():
                raise ModelError(
                    f"{item}: {key}", "is allowed only with routing", "write routing = { from = { to = p } }", value
                )
            return
        try:
            from .routing import visits as of_routing  # needs numpy, which a model does not

            visits = of_routing(self.routing, **parts)
        except ModelError as error:
            raise ModelError(f"{item}: {error.item}", error.rule, error.repair, error.value) from None
        if self.visits is not None and dict(self.visits) != visits:
            raise ModelError(f"{item}: visits", "is not allowed with routing", "keep one of them", dict(self.visits))
        rows = {place: checks.figures(f"{item}: routing[{place!r}]", row) for place, row in self.routing.items()}
        checks.assign(self, visits=visits, routing=checks.FrozenDict(rows))  # type: ignore[arg-type]
        for key in ("entry", "exits"):
            if key in parts:
                checks.assign(self, **{key: checks.figures(f"{item}: {key}", parts[key])})

    def demand(self, station: str) -> float:
        """Demand of one job at a station [time]; 0 without visits."""
        if self.demands is not None:
            return self.demands.get(station, 0.0)
        visits, times = self.visits or {}, self.service_times or {}
        return visits.get(station, 0.0) * times.get(station, 0.0)

    def stations(self) -> tuple[str, ...]:
        """The stations that the class names, in its order."""
        return tuple(self.demands if self.demands is not None else self.visits or ())

    def variation(self, station: str) -> float:
        """Squared coefficient of variation of the service time of one visit [ratio]; 1 by default."""
        return (self.service_variation or {}).get(station, 1.0)


@dataclass(frozen=True)
class OpenClass(_JobClass):
    """Jobs that arrive from outside, are served, and leave.

    Parameters
    ----------
    name : str
    arrival_rate : float
        Arrivals, λ [jobs/time].
    demands : mapping of station to float
        Demand of one job, all its visits together [time]; a missing station means 0.
    visits, service_times : mappings of station to float
        In place of demands: mean visits of one job [per job], mean time per visit [time].
    service_variation : mapping of station to float, optional
        Squared coefficient of variation, variance/mean², of the service time of one visit [ratio]:
        0 constant, 1 exponential; a missing station means 1.
    priority : int, default 1
        1 is highest; used only where a station's discipline uses it.
    routing, entry, exits, reference : optional
        In place of visits: where jobs go next, as `qnsolve.visits` takes them, by names of stations.
    arrival_variation : float, default 1
        Squared coefficient of variation of the time between arrivals [ratio]; 1 for Poisson arrivals,
        0 for a clock. With batches that of the time between batches.
    batch_size : float, default 1
        Mean jobs that arrive together [jobs], 1 or more; batches come at the rate arrival_rate/batch_size.
    batch_variation : float, default 0
        Squared coefficient of variation of the batch size [ratio]; 0 for batches as alike as whole
        jobs allow (a mean of 2.5 is made of twos and threes).

    Raises
    ------
    ModelError
        Where a value is wrong.
    """

    _: KW_ONLY
    arrival_rate: float
    arrival_variation: float = 1.0
    batch_size: float = 1.0
    batch_variation: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        item = f"class {self.name!r}"
        for part in ("arrival_rate", "arrival_variation", "batch_size", "batch_variation"):
            checks.assign(self, **{part: checks.number(f"{item}: {part}", getattr(self, part))})
        size, least = self.batch_size, least_variation(self.batch_size)
        if size < 1:
            raise ModelError(f"{item}: batch_size", "must be 1 or more", "write the mean number of jobs in a batch", size)
        if 0 < self.batch_variation < least * (1 - 1e-9):
            rule = f"must be at least {least:.6g}: the least of whole numbers of jobs with mean {size:g}"
            raise ModelError(f"{item}: batch_variation", rule, "write 0 for the least possible", self.batch_variation)
        if size == 1 and self.batch_variation > 0:
            rule = "must be 0 where batch_size is 1: a batch has at least one job"
            raise ModelError(f"{item}: batch_variation", rule, "give the batch_size, or remove it", self.batch_variation)

    @property
    def is_poisson(self) -> bool:
        """Jobs arrive one by one, at the moments of a Poisson process."""
        return self.arrival_variation == 1 and self.batch_size == 1

    @property
    def batch_spread(self) -> float:
        """Squared coefficient of variation of the batch size, that of whole jobs [ratio]."""
        return max(self.batch_variation, least_variation(self.batch_size))


@dataclass(frozen=True)
class ClosedClass(_JobClass):
    """A fixed number of jobs that think, are served, and think again.

    Parameters
    ----------
    name : str
    population : int
        Number of jobs N [count], thinking jobs included.
    think_time : float, default 0
        Mean time outside between two jobs, Z [time].
    demands, visits, service_times, service_variation, priority, routing, entry, exits, reference
        As for `OpenClass`.

    Raises
    ------
    ModelError
        Where a value is wrong.
    """

    _: KW_ONLY
    population: int
    think_time: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        item = f"class {self.name!r}"
        checks.assign(
            self,
            population=checks.whole(f"{item}: population", self.population),
            think_time=checks.number(f"{item}: think_time", self.think_time),
        )


JobClass = OpenClass | ClosedClass


def least_variation(size: float) -> float:
    """Least squared coefficient of variation of a whole number with that mean, reached on the two nearest numbers."""
    part = size - floor(size)
    return part * (1 - part) / size**2 if size else 0.0
