"""Stations with general arrivals or several servers with general service: approximations with their measured errors.

The errors are measured by benchmarks/one_station.py against exact stations with two-phase arrivals and
service: a squared variation of 0.5 by Erlang's phases, 2 and 4 by two branches with balanced means.
"""

from __future__ import annotations

from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS
from qnsolve.numerics.gi_g_waiting import by_arrivals, by_service

from .deterministic import mdc
from .distributions import Delayed
from .form import StationForm, inputs, stable
from .markovian import mmc

MEASURED = {
    "mgc": (
        "approximate: waiting time 1.1 % off in the mean and 8 % at most where it exceeds 1 % of the "
        "service time, response time 0.2 % off in the mean and 2 % at most, on 45 exact stations"
    ),
    "mgc percentile": (
        "approximate: 95th percentile of waiting 5.1 % off in the mean and 26 % at most where it exceeds "
        "10 % of the service time, on 36 exact stations"
    ),
    "gig1": (
        "approximate: waiting time 4.0 % off in the mean and 15 % at most where it exceeds 1 % of the "
        "service time, response time 2.4 % off in the mean and 7 % at most, on 60 exact stations"
    ),
    "gig1 percentile": (
        "approximate: 95th percentile of waiting 6.8 % off in the mean and 23 % at most where it exceeds "
        "10 % of the service time, on 60 exact stations"
    ),
    "gigc": (
        "approximate: waiting time 15.1 % off in the mean and 80 % at most where it exceeds 1 % of the "
        "service time, response time 2.6 % off in the mean and 13 % at most, on 180 exact stations"
    ),
    "gigc percentile": (
        "approximate: 95th percentile of waiting 15.3 % off in the mean and 100 % at most where it "
        "exceeds 10 % of the service time, on 148 exact stations"
    ),
    "allen-cunneen": (
        "approximate: waiting time 14.7 % off in the mean and 175 % at most where it exceeds 1 % of the "
        "service time, response time 2.7 % off in the mean and 21 % at most, on 240 exact stations"
    ),
}
METHODS = ("kraemer-langenbach-belz", "allen-cunneen")


def mgc(arrival_rate: float, service_time: float, servers: int, squared_variation: float = 1.0) -> StationForm:
    """M/G/c, approximate: between the exact M/D/c and M/M/c.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].
    servers : int
        m [count], 1 to 1,000,000.
    squared_variation : float, default 1.0
        Squared coefficient of variation of the service time c² [ratio].

    Returns
    -------
    StationForm
        Exact for constant and for exponential service and for one server (mean values); approximate
        elsewhere, see `note`, and always insensitive to the third moment.

    Raises
    ------
    ModelError, SaturatedError

    Notes
    -----
    Waiting is (1 − c²)·W(M/D/c) + c²·W(M/M/c) for c² ≤ 1, Cosmetatos' interpolation with the exact M/D/c in
    place of his own approximation, and (1 + c²)/(2c²/W(M/M/c) + (1 − c²)/W(M/D/c)) beyond, after Kimura.
    probability_wait is that of M/M/c, and the wait of jobs that wait is assumed exponential.

    References
    ----------
    [Cosmetatos1976], [Kimura1986].

    Examples
    --------
    >>> round(mgc(1.6, 1.0, 2, 0.5).waiting_time, 4)
    1.3405
    """
    rate, service = inputs("M/G/c", arrival_rate, service_time)
    m = checks.whole("M/G/c: servers", servers, least=1, most=MOST_SERVERS)
    variation = checks.number("M/G/c: squared_variation", squared_variation)
    stable("M/G/c", rate * service / m, m / service)
    if variation == 1:
        return mmc(rate, service, m)
    if variation == 0:
        return mdc(rate, service, m)
    waiting, base = _poisson(rate, service, m, variation)
    return _form(base, service, waiting, base.probability_wait, MEASURED["mgc"] if m > 1 else "", MEASURED["mgc percentile"])


def gig1(
    arrival_rate: float, service_time: float, arrival_squared_variation: float = 1.0, squared_variation: float = 1.0
) -> StationForm:
    """GI/G/1, approximate: `gigc` with one server, Kraemer and Langenbach-Belz' formula.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].
    arrival_squared_variation, squared_variation : float, default 1.0
        Squared coefficients of variation of the time between arrivals and of the service time [ratio].

    Returns
    -------
    StationForm
        Exact mean values for Poisson arrivals, approximate elsewhere, see `note`.

    Raises
    ------
    ModelError, SaturatedError

    References
    ----------
    [Kraemer1976].

    Examples
    --------
    >>> round(gig1(0.8, 1.0, 0.5, 0.5).waiting_time, 3)
    1.918
    """
    return gigc(arrival_rate, service_time, 1, arrival_squared_variation, squared_variation)


def gigc(
    arrival_rate: float,
    service_time: float,
    servers: int,
    arrival_squared_variation: float = 1.0,
    squared_variation: float = 1.0,
    *,
    approximation: str = "kraemer-langenbach-belz",
) -> StationForm:
    """GI/G/c, approximate: general times between arrivals and general service.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].
    servers : int
        m [count], 1 to 1,000,000.
    arrival_squared_variation, squared_variation : float, default 1.0
        Squared coefficients of variation of the time between arrivals and of the service time [ratio].
    approximation : str
        "kraemer-langenbach-belz": the waiting of `mgc` times (ca² + cs²)/(1 + cs²) and their factor for
        arrivals that are not Poisson (with several servers only for ca² < 1);
        "allen-cunneen": the waiting of M/M/c times (ca² + cs²)/2.

    Returns
    -------
    StationForm
        As `mgc` for Poisson arrivals, approximate elsewhere, see `note`. With regular arrivals at
        many lightly loaded servers the waiting is far too long, though small beside the service.

    Raises
    ------
    ModelError, SaturatedError

    References
    ----------
    [Kraemer1976], [Whitt1983], [Allen1990].

    Examples
    --------
    >>> round(gigc(3.2, 1.0, 4, 0.5, 2.0, approximation="allen-cunneen").waiting_time, 3)
    0.932
    """
    rate, service = inputs("GI/G/c", arrival_rate, service_time)
    m = checks.whole("GI/G/c: servers", servers, least=1, most=MOST_SERVERS)
    arrivals = checks.number("GI/G/c: arrival_squared_variation", arrival_squared_variation)
    variation = checks.number("GI/G/c: squared_variation", squared_variation)
    method = checks.choice("GI/G/c: approximation", approximation, METHODS)
    stable("GI/G/c", rate * service / m, m / service)
    if method == "allen-cunneen":
        base = mmc(rate, service, m)
        waiting = base.waiting_time * (arrivals + variation) / 2
        exact = m == 1 and arrivals == 1
        return _form(
            base,
            service,
            waiting,
            base.probability_wait,
            "" if exact else MEASURED["allen-cunneen"],
            MEASURED["gigc percentile"],
        )
    if arrivals == 1:
        return mgc(rate, service, m, variation)
    waiting, base = _poisson(rate, service, m, variation)
    if arrivals + variation == 0:
        return _form(base, service, 0.0, 0.0, "", "")
    load = rate * service / m
    waiting *= by_arrivals(load, m, arrivals, variation)
    waits = base.probability_wait * _delayed(load, arrivals, variation)
    kind = "gig1" if m == 1 else "gigc"
    return _form(base, service, waiting, waits, MEASURED[kind], MEASURED[f"{kind} percentile"])


def _poisson(rate: float, service: float, m: int, variation: float) -> tuple[float, StationForm]:
    """Waiting time in M/G/c, and the M/M/c beside it."""
    base = mmc(rate, service, m)
    constant = mdc(rate, service, m).waiting_time if m > 1 and variation != 1 else 0.0
    ratio = base.waiting_time / constant if constant else 2.0  # between 1 and 2
    return base.waiting_time * by_service(variation, ratio), base


def _delayed(load: float, arrivals: float, variation: float) -> float:
    """Probability of waiting over that with Poisson arrivals, [Kraemer1976] after [Whitt1983] equation 49."""
    if arrivals <= 1:
        h = (1 + arrivals + load * variation) / (1 + load * (variation - 1) + load * load * (4 * arrivals + variation))
        return max(0.0, 1 - (1 - arrivals) * (1 - load) * h)
    return 1 + (arrivals - 1) * (1 - load) * 4 * load / (arrivals + load * load * (4 * arrivals + variation))


def _form(base: StationForm, service: float, waiting: float, waits: float, note: str, tail_note: str) -> StationForm:
    """The station `base` with another waiting time, exponential for jobs that wait."""
    tail = Delayed(waits, waiting / waits, tail_note) if waiting and waits else Delayed(0.0, service, tail_note)
    rate, response = base.throughput, service + waiting
    return StationForm(rate, base.utilization, rate * response, waiting, response, waits, note=note, waiting=tail)
