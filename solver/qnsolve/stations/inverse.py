"""Inverse questions: the fewest servers, or the highest rate, for a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qnsolve.errors import ModelError, SaturatedError
from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS
from qnsolve.numerics.bisection import last_real, last_whole

from .distributions import share_of
from .form import StationForm
from .markovian import mmc

Form = Callable[[float, float, int], StationForm]
Pair = tuple[float, float]
LARGEST_RATE = 1e99


def fewest_servers(
    arrival_rate: float,
    service_time: float,
    *,
    form: Form = mmc,
    response_time: float | None = None,
    waiting_time: float | None = None,
    response_percentile: Pair | None = None,
    waiting_percentile: Pair | None = None,
    probability_wait: float | None = None,
    probability_blocked: float | None = None,
    probability_abandoned: float | None = None,
    utilization: float | None = None,
) -> int:
    """The fewest servers with which every target is met.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].
    form : callable, default mmc
        The station as a function of arrival rate, service time and servers: `mmc`, `mdc`, `loss`, or one that
        fills in the rest, as lambda rate, service, m: mgc(rate, service, m, 2.0).
    response_time, waiting_time : float, optional
        Means not to be exceeded [time].
    response_percentile, waiting_percentile : (float, float), optional
        (share, time): with (0.95, 2.0) 95 % of the jobs take at most 2.0.
    probability_wait, probability_blocked, probability_abandoned, utilization : float, optional
        Shares not to be exceeded [0..1].

    Returns
    -------
    int
        1 to 1,000,000; with one server less some target is missed. Found by bisection, because every
        measure falls with each server.

    Raises
    ------
    ModelError
        Without a target, or where 1,000,000 servers miss one; the message has the target and the value reached.

    Examples
    --------
    >>> fewest_servers(90.0, 0.1, response_time=0.12)
    12
    >>> from qnsolve.stations import loss
    >>> fewest_servers(20.0, 1.0, form=loss, probability_blocked=0.01)
    30
    """
    rate = checks.number("fewest_servers: arrival_rate", arrival_rate)
    service = checks.number("fewest_servers: service_time", service_time, positive=True)
    targets = _Targets(
        "fewest_servers", response_time, waiting_time, response_percentile, waiting_percentile,
        probability_wait, probability_blocked, probability_abandoned, utilization,
    )  # fmt: skip
    targets.possible(service)

    def missed(m: int) -> str:
        return targets.missed(lambda: form(rate, service, m))

    few = last_whole(lambda m: bool(missed(m)), 0, max(1, min(MOST_SERVERS, int(rate * service))), MOST_SERVERS)
    if few is None:
        raise ModelError("fewest_servers", f"must be met by {MOST_SERVERS} servers: {missed(MOST_SERVERS)}", "relax the target")
    return few + 1


def highest_rate(
    service_time: float,
    servers: int = 1,
    *,
    form: Form = mmc,
    response_time: float | None = None,
    waiting_time: float | None = None,
    response_percentile: Pair | None = None,
    waiting_percentile: Pair | None = None,
    probability_wait: float | None = None,
    probability_blocked: float | None = None,
    probability_abandoned: float | None = None,
    utilization: float | None = None,
) -> float:
    """The highest arrival rate at which every target is met.

    Parameters
    ----------
    service_time : float
        S [time].
    servers : int, default 1
        m [count].
    form : callable, default mmc
        As for `fewest_servers`.
    response_time, waiting_time : float, optional
        Means not to be exceeded [time].
    response_percentile, waiting_percentile : (float, float), optional
        (share, time): with (0.95, 2.0) 95 % of the jobs take at most 2.0.
    probability_wait, probability_blocked, probability_abandoned, utilization : float, optional
        Shares not to be exceeded [0..1].

    Returns
    -------
    float
        λ [jobs/time], to the last digit: the targets are met there and missed at the next number above.

    Raises
    ------
    ModelError
        Without a target, where an idle station misses one, or where every rate meets all.

    Examples
    --------
    >>> round(highest_rate(0.1, 10, response_time=0.12), 3)
    79.783
    """
    service = checks.number("highest_rate: service_time", service_time, positive=True)
    m = checks.whole("highest_rate: servers", servers, least=1, most=MOST_SERVERS)
    targets = _Targets(
        "highest_rate", response_time, waiting_time, response_percentile, waiting_percentile,
        probability_wait, probability_blocked, probability_abandoned, utilization,
    )  # fmt: skip
    targets.possible(service)

    def missed(rate: float) -> str:
        return targets.missed(lambda: form(rate, service, m))

    if why := missed(0.0):
        raise ModelError("highest_rate", f"must be met by an idle station: {why}", "relax the target")
    most = last_real(lambda rate: not missed(rate), 0.0, m / service, LARGEST_RATE / service)
    if most is None:
        raise ModelError("highest_rate", "must have a limit, but every rate meets the targets", "set a stricter one")
    return most


@dataclass(frozen=True)
class _Targets:
    """The targets of a station."""

    item: str
    response_time: float | None
    waiting_time: float | None
    response_percentile: Pair | None
    waiting_percentile: Pair | None
    probability_wait: float | None
    probability_blocked: float | None
    probability_abandoned: float | None
    utilization: float | None

    def __post_init__(self) -> None:
        given = [name for name in self.__dataclass_fields__ if name != "item" and getattr(self, name) is not None]
        if not given:
            raise ModelError(
                self.item, "must have a target", "give response_time, waiting_percentile, probability_blocked or another"
            )
        for name in given:
            item, value = f"{self.item}: {name}", getattr(self, name)
            if name.endswith("percentile"):
                pair = checks.listed(item, value)
                if len(pair) != 2:
                    raise ModelError(item, "must be a share and a time", "write (0.95, 2.0)", value)
                checks.assign(self, **{name: (share_of(item, pair[0]), checks.number(item, pair[1]))})
            else:
                checks.assign(self, **{name: checks.number(item, value)})

    def possible(self, service: float) -> None:
        """Refuse a mean response time below the service time."""
        if self.response_time is not None and self.response_time <= service:
            rule = f"must be above the service time {service:.6g}, of which it is a part"
            raise ModelError(f"{self.item}: response_time", rule, "set a longer time", self.response_time)

    def missed(self, make: Callable[[], StationForm]) -> str:
        """The first target that the station misses, with the value reached; "" where all are met."""
        try:
            form = make()
        except SaturatedError as error:
            return f"utilization {error.utilization:.6g}"
        for name in self.__dataclass_fields__:
            if name == "item" or name.endswith("percentile"):
                continue
            most, reached = getattr(self, name), getattr(form, name)
            if most is not None and reached > most:
                return f"{name} {reached:.6g} exceeds {most:.6g}"
        for name, exceeds in (("response_percentile", form.response_exceeds), ("waiting_percentile", form.waiting_exceeds)):
            pair = getattr(self, name)
            if pair is not None and exceeds(pair[1]) > 1 - pair[0]:
                return f"{name}: {exceeds(pair[1]):.6g} of the jobs take longer than {pair[1]:.6g}"
        return ""
