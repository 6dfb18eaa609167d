"""What work waits for beside processors: coupling facilities, loggers, other devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from qnsolve.errors import ModelError
from qnsolve.model import checks

from .processors import kind_of

MIB = 2.0**20  # bytes
PUBLISHED = 3.6e-6  # service time of a group buffer pool read on an internal coupling facility (zos-memory, M-033) [s]


@dataclass(frozen=True)
class Link:
    """The way from an LPAR to a coupling facility.

    Parameters
    ----------
    name : str
        Its kind, "ICP" or "CE-LR 10 km" say; only printed.
    latency : float, default 0
        Time on the link, both ways, of one request [s].
    """

    name: str = "link"
    _: KW_ONLY
    latency: float = 0.0

    def __post_init__(self) -> None:
        checks.text("link: name", self.name)
        checks.assign(self, latency=checks.number("link: latency", self.latency))


@dataclass(frozen=True)
class Structure:
    """A structure of a coupling facility: its requests are of one length.

    Parameters
    ----------
    name : str
    service_time : float
        Time of one request at an engine of the coupling facility [s].
    threshold : float, optional
        Synchronous service time above which z/OS makes its requests asynchronous [s]; never
        where left out.
    """

    name: str
    _: KW_ONLY
    service_time: float
    threshold: float | None = None

    def __post_init__(self) -> None:
        checks.text("structure: name", self.name)
        item = f"structure {self.name!r}"
        checks.assign(self, service_time=checks.number(f"{item}: service_time", self.service_time, positive=True))
        if self.threshold is not None:
            checks.assign(self, threshold=checks.number(f"{item}: threshold", self.threshold, positive=True))


@dataclass(frozen=True)
class CouplingFacility:
    """A coupling facility: engines that serve the requests of all LPARs.

    Parameters
    ----------
    name : str
    processors : int
        Engines of the coupling facility [count].
    link : Link, optional
    service_time : float, optional
        Of requests that name the coupling facility and no structure [s]; where nothing is given
        3.6 µs, a published read on an internal coupling facility, and the answer says so.
    threshold : float, optional
        As for `Structure`.
    structures : sequence of Structure, optional
    async_cpu : float, default 0
        Host CPU that an asynchronous request costs at its end [s].
    async_delay : float, default 0
        Time that an asynchronous request takes longer, beside that CPU [s].
    """

    name: str
    _: KW_ONLY
    processors: int
    link: Link = field(default_factory=Link)
    service_time: float | None = None
    threshold: float | None = None
    structures: Sequence[Structure] = ()
    async_cpu: float = 0.0
    async_delay: float = 0.0

    def __post_init__(self) -> None:
        checks.text("coupling facility: name", self.name)
        item = f"coupling facility {self.name!r}"
        checks.assign(self, processors=checks.whole(f"{item}: processors", self.processors, least=1, most=1000))
        kind_of(f"{item}: link", self.link, Link)
        checks.assign(self, structures=_all(f"{item}: structures", self.structures, Structure))
        for part in ("async_cpu", "async_delay"):
            checks.assign(self, **{part: checks.number(f"{item}: {part}", getattr(self, part))})
        if self.service_time is not None:
            own = Structure(self.name, service_time=self.service_time, threshold=self.threshold)
            checks.assign(self, service_time=own.service_time, threshold=own.threshold)

    def served(self) -> tuple[Structure, ...]:
        """Its structures, and itself where requests may name it."""
        if self.service_time is None and self.structures:
            return tuple(self.structures)
        return (Structure(self.name, service_time=self.service_time or PUBLISHED, threshold=self.threshold), *self.structures)


@dataclass(frozen=True)
class Logger:
    """A log: a channel of so many bytes a second.

    Parameters
    ----------
    name : str
    stripes : int, default 1
        Data sets that the log is spread over; a log without stripes has 1 [count].
    seconds_per_mib : (float, float)
        a and b of the time to write one MiB, a + b/stripes [s].

    Notes
    -----
    1 MiB is 2^20 bytes, what IBM's reports print as MB.
    """

    name: str
    _: KW_ONLY
    stripes: int = 1
    seconds_per_mib: tuple[float, float]

    def __post_init__(self) -> None:
        checks.text("logger: name", self.name)
        item = f"logger {self.name!r}"
        checks.assign(self, stripes=checks.whole(f"{item}: stripes", self.stripes, least=1, most=1000))
        law = checks.listed(f"{item}: seconds_per_mib", self.seconds_per_mib)
        if len(law) != 2:
            raise ModelError(f"{item}: seconds_per_mib", "must be two times", "write [a, b] of a + b/stripes", law)
        checks.assign(self, seconds_per_mib=tuple(checks.number(f"{item}: seconds_per_mib", part) for part in law))
        if sum(self.seconds_per_mib) == 0:
            raise ModelError(f"{item}: seconds_per_mib", "must be above 0 together", "give a + b/stripes of one MiB", law)

    @classmethod
    def fitted(cls, name: str, *, stripes: int = 1, mib_per_second: Mapping[int, float]) -> Logger:
        """A log whose law a + b/stripes goes through what was measured with two numbers of stripes.

        Parameters
        ----------
        name : str
        stripes : int, default 1
            Stripes of this log [count].
        mib_per_second : mapping of stripes to float
            What a full log wrote [MiB/s]; two rows.

        Examples
        --------
        >>> log = Logger.fitted("OLDS", stripes=8, mib_per_second={1: 154, 2: 228})  # IMS 12, 74 KB a transaction
        >>> round(log.bandwidth)
        356
        """
        item = f"logger {checks.text('logger: name', name)!r}: mib_per_second"
        if not isinstance(mib_per_second, Mapping) or len(mib_per_second) != 2:
            raise ModelError(item, "must map two numbers of stripes to MiB/s", "write {1: 154, 2: 228}", mib_per_second)
        (few, slow), (many, fast) = sorted(
            (checks.whole(item, n, least=1), checks.number(item, x, positive=True)) for n, x in mib_per_second.items()
        )
        shared = (fast - slow) / (slow * fast) * few * many / (many - few)
        fixed = (many / fast - few / slow) / (many - few)
        if shared < 0 or fixed < 0:
            rule = "no a + b/stripes: more stripes write less" if shared < 0 else "no a + b/stripes: more than in proportion"
            raise ModelError(item, f"is {rule}", "take two rows where the log alone is full", mib_per_second)
        return cls(name, stripes=stripes, seconds_per_mib=(fixed, shared))

    def time_of(self, size: float) -> float:
        """Time to write so many bytes [s]."""
        fixed, shared = self.seconds_per_mib
        return size / MIB * (fixed + shared / self.stripes)

    @property
    def bandwidth(self) -> float:
        """What it can write [MiB/s]."""
        return 1 / self.time_of(MIB)


@dataclass(frozen=True)
class Device:
    """Anything else that work waits for: Db2, DASD, a queue manager, links to another system.

    Parameters
    ----------
    name : str
    servers : int, optional
        Requests served at once [count]; by default without queueing.
    """

    name: str
    _: KW_ONLY
    servers: int | None = None

    def __post_init__(self) -> None:
        checks.text("device: name", self.name)
        if self.servers is not None:
            item = f"device {self.name!r}: servers"
            checks.assign(self, servers=checks.whole(item, self.servers, least=1, most=10**6))


def _all(item: str, values: object, kind: type) -> tuple[object, ...]:
    found = checks.listed(item, values)
    for value in found:
        kind_of(item, value, kind)
    return found


def shares(item: str, values: Mapping[str, float] | None) -> checks.FrozenDict:
    """A mapping of names to numbers, zero or more; empty where left out."""
    return checks.figures(item, values or {})
