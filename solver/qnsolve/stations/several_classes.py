"""One station and several classes: priorities and processor sharing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from qnsolve.errors import ModelError, SaturatedError
from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS

from .erlang import erlang_c
from .form import StationForm


def priorities(
    arrival_rates: Sequence[float],
    service_times: Sequence[float],
    squared_variations: Sequence[float] | None = None,
    *,
    servers: int = 1,
    preemptive: bool = False,
) -> tuple[StationForm, ...]:
    """Classes with priorities at one station, the most important first; first come first served within a class.

    Parameters
    ----------
    arrival_rates, service_times : sequence of float
        λ [jobs/time] and S [time] of each class.
    squared_variations : sequence of float, optional
        Squared coefficient of variation of each class's service time [ratio]; 1 where left out.
    servers : int, default 1
        m [count], 1 to 1,000,000. With more than one, service is exponential and has the same mean in all classes.
    preemptive : bool, default False
        A job that arrives interrupts one of a lower class, which goes on later where it stopped.

    Returns
    -------
    tuple of StationForm
        One for each class, exact mean values. waiting_time includes interruptions;
        probability_wait is the probability of waiting at arrival.

    Raises
    ------
    ModelError
    SaturatedError
        Where the classes together saturate the station; the message has the highest rate of the class that does.

    Notes
    -----
    With σ_i the load of the classes 1 to i: Cobham's W_i = W_0/((1 − σ_(i−1))(1 − σ_i)), where W_0 is
    Σ λS²(1 + c²)/2 over all classes, or C(m, a)·S/m; and preemptive R_i = S_i/(1 − σ_(i−1)) + Σ_(j≤i) λ_j S_j²(1 + c_j²)/2
    over the same product. Preemptive with m servers: classes 1 to i together are an M/M/m.

    References
    ----------
    [Cobham1954], [Gross2008] section 3.4.

    Examples
    --------
    >>> [round(form.waiting_time, 4) for form in priorities([0.3, 0.5], [1.0, 1.0])]
    [1.1429, 5.7143]
    >>> [round(form.response_time, 4) for form in priorities([0.3, 0.5], [1.0, 1.0], preemptive=True)]
    [1.4286, 7.1429]
    """
    rates, times = _classes("priorities", arrival_rates, service_times)
    given = (
        [1.0] * len(rates)
        if squared_variations is None
        else checks.listed("priorities: squared_variations", squared_variations)
    )
    if len(given) != len(rates):
        raise ModelError(
            "priorities: squared_variations", "must have one for each class", "write as many as arrival rates", len(given)
        )
    variations = [checks.number(f"priorities: squared_variations[{i}]", v) for i, v in enumerate(given)]
    m = checks.whole("priorities: servers", servers, least=1, most=MOST_SERVERS)
    if m > 1 and (len(set(times)) > 1 or set(variations) != {1.0}):
        rule = "must be the same in all classes, and exponential, with more than one server"
        raise ModelError("priorities: service_times", rule, "give the common mean, or use one server")
    loads = [rate * time / m for rate, time in zip(rates, times, strict=True)]
    spares = _spares("priorities", rates, times, m)
    before = [1.0, *spares]
    remaining = [rate * s * s * (1 + v) / 2 for rate, s, v in zip(rates, times, variations, strict=True)]
    if m > 1 and preemptive:
        ways = _pooled(rates, times[0], m)
    elif m > 1:
        waits = erlang_c(m, times[0] * sum(rates))
        ways = [(waits * times[0] / m / (a * b), waits) for a, b in zip(before, spares, strict=False)]
    elif preemptive:
        used = list(accumulate(loads, initial=0.0))
        together = zip(times, accumulate(remaining), before, spares, used, used[1:], strict=False)
        ways = [(s * higher / a + w / (a * b), u) for s, w, a, b, higher, u in together]
    else:
        total, busy = sum(remaining), sum(loads)
        ways = [(total / (a * b), busy) for a, b in zip(before, spares, strict=False)]
    return tuple(
        StationForm(rate, load, rate * (s + w), w, s + w, p)
        for rate, load, s, (w, p) in zip(rates, loads, times, ways, strict=True)
    )


def sharing(arrival_rates: Sequence[float], service_times: Sequence[float]) -> tuple[StationForm, ...]:
    """M/G/1 processor sharing with several classes: all jobs present are served at once, at equal parts of the speed.

    Parameters
    ----------
    arrival_rates, service_times : sequence of float
        λ [jobs/time] and S [time] of each class.

    Returns
    -------
    tuple of StationForm
        One for each class: R = S/(1 − ρ), exact for any distribution of the service times. waiting_time is the
        time lost by sharing, probability_wait the probability of sharing at arrival.

    Raises
    ------
    ModelError, SaturatedError

    References
    ----------
    [Kleinrock1976] section 4.4.

    Examples
    --------
    >>> [round(form.response_time, 12) for form in sharing([0.25, 0.125], [1.0, 2.0])]
    [2.0, 4.0]
    """
    rates, times = _classes("processor sharing", arrival_rates, service_times)
    spare = _spares("processor sharing", rates, times, 1)[-1]
    loads = [rate * time for rate, time in zip(rates, times, strict=True)]
    busy = sum(loads)
    return tuple(
        StationForm(rate, load, load / spare, s * busy / spare, s / spare, busy)
        for rate, load, s in zip(rates, loads, times, strict=True)
    )


def processor_sharing(arrival_rate: float, service_time: float) -> StationForm:
    """M/G/1 processor sharing: `sharing` with one class.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].

    Returns
    -------
    StationForm
        Exact for any distribution of the service time: as M/M/1 in the mean. A job that needs x takes x/(1 − ρ) in the mean.

    Raises
    ------
    ModelError, SaturatedError

    Examples
    --------
    >>> processor_sharing(0.5, 1.0).response_time
    2.0
    """
    return sharing([arrival_rate], [service_time])[0]


def _classes(form: str, arrival_rates: object, service_times: object) -> tuple[list[float], list[float]]:
    """Checked rates and times of all classes."""
    given, needed = (
        checks.listed(f"{form}: arrival_rates", arrival_rates),
        checks.listed(f"{form}: service_times", service_times),
    )
    if not given or len(given) != len(needed):
        raise ModelError(f"{form}: service_times", "must be as many as arrival_rates", "give each class both", len(needed))
    rates = [checks.number(f"{form}: arrival_rates[{i}]", rate) for i, rate in enumerate(given)]
    return rates, [checks.number(f"{form}: service_times[{i}]", time, positive=True) for i, time in enumerate(needed)]


def _spares(form: str, rates: list[float], times: list[float], m: int) -> list[float]:
    """1 − σ_i, the capacity that the classes 1 to i leave; SaturatedError where none is left."""
    out, spare = [], float(m)
    for i, (rate, time) in enumerate(zip(rates, times, strict=True)):
        if rate * time >= spare:
            busy = sum(r * s for r, s in zip(rates, times, strict=True)) / m
            repair = f"the rate of class {i} must stay below {spare / time:.6g} with the present rates of those before it"
            raise SaturatedError(form, busy, spare / time, repair)
        spare -= rate * time
        out.append(spare / m)
    return out


def _pooled(rates: list[float], service: float, m: int) -> list[tuple[float, float]]:
    """Waiting with interruptions, and its chance at arrival, by the M/M/m that the classes 1 to i are together.

    λ_i·W_i is the difference of Λ·W(Λ), taken as W_i = W(Λ_i) + Λ_(i−1)·(W(Λ_i) − W(Λ_(i−1)))/λ_i with a
    divided difference of positive terms, which also serves a class without load.
    """
    ways, before = [], 0.0
    for rate in rates:
        after = before + rate * service
        waits = erlang_c(m, after)
        slope = _slope(m, before, after) if before else 0.0
        ways.append((service * (waits / (m - after) + before * slope), waits))
        before = after
    return ways


def _slope(m: int, low: float, high: float) -> float:
    """(w(high) − w(low))/(high − low) for w(a) = C(m, a)/(m − a), by the recursion of 1/B."""
    first = second = 1.0  # 1/B(j, low) and 1/B(j, high)
    apart = 0.0  # their difference over high − low
    for j in range(1, m + 1):
        apart = j * (first / low + apart) / high
        first, second = 1 + first * j / low, 1 + second * j / high
        if apart > 1e300:
            return 0.0
    idle, spare = m - low, m - high
    held, other = first * idle + low, second * spare + high
    return m * ((apart * idle + second - 1) * idle + other) / (held * idle) / (other * spare)
