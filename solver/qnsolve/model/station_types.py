"""The stations of a model, and the checks on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate

from qnsolve.errors import ModelError, Repair

from . import checks

DISCIPLINES = ("ps", "fcfs", "preemptive", "nonpreemptive")
LEAST_SERVERS, MOST_SERVERS = 1e-6, 10**6


@dataclass(frozen=True)
class Queue:
    """A queue with identical parallel servers.

    Parameters
    ----------
    name : str
    servers : float, default 1
        Servers, m [count], up to 1,000,000; a `Delay` has any number. A fraction of a server,
        such as the share of a CP that an LPAR's weight gives, is a slower server, used last: 2.4
        servers have speeds 1, 2, 2.4 with 1, 2, 3 and more jobs; 0.4 have 0.4.
    discipline : {"ps", "fcfs", "preemptive", "nonpreemptive"}, default "ps"
        Processor sharing; first come first served; priority with and without preemption.
    on : str, optional
        A queue whose servers this one runs on: a job in service here shares them with the
        other jobs there. A QR TCB is one server on the processors.
    capacity : int, optional
        Most jobs in service and waiting [count]; unlimited by default. Blocking after service: a
        job that finds the next station full blocks its server, which serves no other job,
        until there is a free place. The job that was blocked first enters first; a job
        that comes back to the station it leaves keeps its place. Jobs that come from
        outside, from a think time or a delay wait there, and hold no server.
    """

    name: str
    _: KW_ONLY
    servers: float = 1
    discipline: str = "ps"
    on: str | None = None
    capacity: int | None = None

    def __post_init__(self) -> None:
        checks.text("station: name", self.name)
        item = f"station {self.name!r}"
        checks.assign(
            self,
            servers=_servers(f"{item}: servers", self.servers),
            discipline=checks.choice(f"{item}: discipline", self.discipline, DISCIPLINES),
        )
        if self.on is not None:
            checks.text(f"{item}: on", self.on)
            checks.whole(f"{item}: servers", self.servers, least=1)
        if self.capacity is not None:
            checks.assign(self, capacity=checks.whole(f"{item}: capacity", self.capacity, least=1))
            if self.capacity < checks.whole(f"{item}: servers", self.servers, least=1):
                raise ModelError(
                    f"{item}: capacity",
                    "must be at least the number of servers",
                    "count the jobs in service and those that wait",
                    self.capacity,
                )


def _servers(item: str, value: object) -> float:
    """A number of servers, fractions included; an int where it is whole."""
    count = checks.number(item, value, positive=True)
    if not LEAST_SERVERS <= count <= MOST_SERVERS:
        raise ModelError(item, f"must lie within {LEAST_SERVERS:g} and {MOST_SERVERS}", "correct the count", value)
    return int(count) if count == int(count) else count


@dataclass(frozen=True)
class Delay:
    """A station without queueing: network time, a timer, a pool that is never exhausted.

    Parameters
    ----------
    name : str
    """

    name: str

    def __post_init__(self) -> None:
        checks.text("station: name", self.name)


@dataclass(frozen=True)
class LoadDependent:
    """A station whose speed depends on how many jobs are there.

    Parameters
    ----------
    name : str
    rates : sequence of float
        Relative speed with 1, 2, ... jobs [times the speed that the demands were
        measured at]; the last one holds beyond. `Queue(servers=2)` is `rates=[1, 2]`.

    Examples
    --------
    >>> LoadDependent.of_servers("core", speeds=[1.0, 0.5, 0.25]).rates
    (1.0, 1.5, 1.75)
    """

    name: str
    _: KW_ONLY
    rates: Sequence[float]

    def __post_init__(self) -> None:
        checks.text("station: name", self.name)
        item = f"station {self.name!r}: rates"
        values = checks.listed(item, self.rates)
        if not values:
            raise ModelError(item, "must give at least one speed", "write [1.0, 1.8, ...]", [], code=Repair.SPEEDS)
        clean = tuple(checks.number(f"{item}[{i}]", v, positive=True) for i, v in enumerate(values, 1))
        if max(clean) / min(clean) > 1e9:
            raise ModelError(item, "must lie within a factor of 1e9 of each other", "check the unit", clean)
        checks.assign(self, rates=clean)

    @classmethod
    def of_servers(cls, name: str, *, speeds: Sequence[float]) -> LoadDependent:
        """A station of unlike servers, where jobs are always on the fastest ones.

        When a server falls idle, a job on a slower one moves to it.

        Parameters
        ----------
        name : str
        speeds : sequence of float
            Speed of each server, the fastest first [times the speed that the demands were
            measured at].
        """
        item = f"station {name!r}: server_speeds"
        values = checks.listed(item, speeds)
        clean = [checks.number(f"{item}[{i}]", v, positive=True) for i, v in enumerate(values, 1)]
        if not clean:
            raise ModelError(item, "must give at least one speed", "write [1.0, 0.6, ...]", [], code=Repair.SERVER_SPEEDS)
        if sorted(clean, reverse=True) != clean:
            raise ModelError(item, "must be in order, the fastest first", "sort them", clean)
        return cls(name, rates=tuple(accumulate(clean)))

    @classmethod
    def usl(cls, name: str, *, contention: float, coherency: float, jobs: int) -> LoadDependent:
        """A station whose speed follows the universal scalability law.

        Speed with n jobs, or busy processors: n/(1 + σ·(n − 1) + κ·n·(n − 1)).

        Parameters
        ----------
        name : str
        contention : float
            σ, the serial share of the work [0..1].
        coherency : float
            κ, coherency cost of each pair [0..1]; speed falls beyond √((1 − σ)/κ).
        jobs : int
            Processors, the jobs up to which the law applies; the last speed holds beyond [count].

        References
        ----------
        [Gunther2007].
        """
        item = f"station {name!r}"
        for key, value in (("contention", contention), ("coherency", coherency)):
            if checks.number(f"{item}: {key}", value) > 1:
                raise ModelError(f"{item}: {key}", "must lie within 0 and 1", "write a share", value)
        most = checks.whole(f"{item}: jobs", jobs, least=1, most=MOST_SERVERS)
        return cls(name, rates=[n / (1 + (n - 1) * (contention + coherency * n)) for n in range(1, most + 1)])

    @classmethod
    def declining(cls, name: str, *, servers: float, decline: float, jobs: int) -> LoadDependent:
        """Equal servers that lose speed with each job that waits for them.

        Speed with n jobs: min(n, m)/(1 + d·max(n − m, 0)).

        Parameters
        ----------
        name : str
        servers : float
            m, the last one may be a part of a server [count].
        decline : float
            d, share of the speed that is lost for each job beyond the servers [0..1].
        jobs : int
            Jobs up to which the law applies; the last speed holds beyond [count].
        """
        item = f"station {name!r}"
        count = checks.number(f"{item}: servers", servers)
        if not 1 <= count <= MOST_SERVERS:
            raise ModelError(f"{item}: servers", f"must lie within 1 and {MOST_SERVERS}", "correct the count", servers)
        if checks.number(f"{item}: decline", decline) > 1:
            raise ModelError(f"{item}: decline", "must lie within 0 and 1", "write a share", decline)
        most = checks.whole(f"{item}: jobs", jobs, least=1, most=MOST_SERVERS)
        return cls(name, rates=[min(n, count) / (1 + decline * max(n - count, 0.0)) for n in range(1, most + 1)])


Station = Queue | Delay | LoadDependent
