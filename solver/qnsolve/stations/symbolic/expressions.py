"""The formulas behind `symbolic`: each form's measures, written once more in sympy, apart from the numerical code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnsolve.errors import ModelError


def symbols(sympy: Any, *names: str) -> tuple[Any, ...]:
    """Positive symbols."""
    return tuple(sympy.Symbol(name, positive=True) for name in names)


def measures(x: Any, busy: Any, waiting: Any, service: Any, waits: Any, blocked: Any = 0) -> dict[str, Any]:
    """The measures by name."""
    response = service + waiting
    return {
        "throughput": x,
        "utilization": busy,
        "queue_length": x * response,
        "waiting_time": waiting,
        "response_time": response,
        "probability_wait": waits,
        "probability_blocked": blocked,
    }


def erlang_b(m: int, a: Any) -> Any:
    """B as a^m/m! over Σ a^j/j!, in Horner's form of 1/B."""
    inverse = 1
    for j in range(1, m + 1):
        inverse = 1 + inverse * j / a
    return 1 / inverse


def erlang_c(m: int, a: Any) -> Any:
    """C by way of B."""
    blocked = erlang_b(m, a)
    return m * blocked / (m - a * (1 - blocked))


def _blocking(sympy: Any, servers: int) -> dict[str, Any]:
    (a,) = symbols(sympy, "load")
    return {"probability_blocked": erlang_b(servers, a)}


def _delay(sympy: Any, servers: int) -> dict[str, Any]:
    (a,) = symbols(sympy, "load")
    return {"probability_wait": erlang_c(servers, a)}


def _mm1(sympy: Any) -> dict[str, Any]:
    rate, s, t = symbols(sympy, "arrival_rate", "service_time", "time")
    rho = rate * s
    late = {"waiting_exceeds": rho * sympy.exp(-(1 - rho) * t / s), "response_exceeds": sympy.exp(-(1 - rho) * t / s)}
    made = measures(rate, rho, rho * s / (1 - rho), s, rho)
    return made | {"response_time": s / (1 - rho), "queue_length": rho / (1 - rho)} | late


def _mmc(sympy: Any, servers: int) -> dict[str, Any]:
    rate, s, t = symbols(sympy, "arrival_rate", "service_time", "time")
    waits, spare = erlang_c(servers, rate * s), servers - rate * s
    late = waits * sympy.exp(-spare * t / s)
    apart = (sympy.exp(-t / s) - sympy.exp(-spare * t / s)) / (spare - 1)
    both = sympy.Piecewise((t / s * sympy.exp(-t / s), sympy.Eq(spare, 1)), (apart, True))
    responds = sympy.exp(-t / s) + waits * both
    made = measures(rate, rate * s / servers, waits * s / spare, s, waits)
    return made | {"waiting_exceeds": late, "response_exceeds": responds}


def _mminf(sympy: Any) -> dict[str, Any]:
    rate, s, t = symbols(sympy, "arrival_rate", "service_time", "time")
    return measures(rate, 0, 0, s, 0) | {"response_exceeds": sympy.exp(-t / s)}


def _loss(sympy: Any, servers: int) -> dict[str, Any]:
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    blocked = erlang_b(servers, rate * s)
    return measures(rate * (1 - blocked), rate * s * (1 - blocked) / servers, 0, s, 0, blocked)


def _chain(ratios: list[Any]) -> list[Any]:
    """The unnormalised probabilities of a birth-death chain."""
    p = [1]
    for ratio in ratios:
        p.append(p[-1] * ratio)
    return p


def _mmck(sympy: Any, servers: int, capacity: int) -> dict[str, Any]:
    if capacity < servers:
        raise ModelError("expression: capacity", "must be at least the servers", "correct the counts", capacity)
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    p = _chain([rate * s / min(n, servers) for n in range(1, capacity + 1)])
    whole, entered = sympy.Add(*p), sympy.Add(*p[:-1])
    x = rate * entered / whole
    queued = sympy.Add(*((n - servers) * p[n] for n in range(servers, capacity + 1)))
    waits = sympy.Add(*p[servers:-1]) / entered
    return measures(x, x * s / servers, queued / (rate * entered), s, waits, p[-1] / whole)


def _finite(sympy: Any, population: int, servers: int) -> dict[str, Any]:
    z, s = symbols(sympy, "think_time", "service_time")
    n = population
    p = _chain([(n - j + 1) * s / z / min(j, servers) for j in range(1, n + 1)])
    arrivals = [(n - j) * q for j, q in enumerate(p)]
    busy = sympy.Add(*(min(j, servers) * q for j, q in enumerate(p)))
    queued = sympy.Add(*((j - servers) * p[j] for j in range(servers, n + 1)))
    whole = sympy.Add(*p)
    waits = sympy.Add(*arrivals[servers:]) / sympy.Add(*arrivals)
    return measures(busy / whole / s, busy / whole / servers, queued * s / busy, s, waits)


def _mg1(sympy: Any) -> dict[str, Any]:
    rate, s, v = symbols(sympy, "arrival_rate", "service_time", "squared_variation")
    rho = rate * s
    return measures(rate, rho, rho * s * (1 + v) / 2 / (1 - rho), s, rho)


def _md1(sympy: Any) -> dict[str, Any]:
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    return measures(rate, rate * s, rate * s * s / 2 / (1 - rate * s), s, rate * s)


def _batch(sympy: Any) -> dict[str, Any]:
    rate, s, b, v = symbols(sympy, "arrival_rate", "service_time", "batch_size", "batch_squared_variation")
    rho, ahead = rate * s, (b * (1 + v) - 1) / 2
    return measures(rate, rho, (rho + ahead) * s / (1 - rho), s, 1 - (1 - rho) / b)


def _batch_servers(sympy: Any, servers: int, batch_size: int) -> dict[str, Any]:
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    m, b, a = servers, batch_size, rate * s
    p: list[Any] = [sympy.Integer(1)]
    for n in range(1, m):
        p.append(a / b / n * sympy.Add(*p[-b:]))
    total = sympy.Add(*((m - n) * q for n, q in enumerate(p))) / (m - a)
    free = sympy.Add(*((m - n) * n * q for n, q in enumerate(p))) / total
    queued = (a * sympy.Rational(b + 1, 2) + free) / (m - a) - a
    served = sympy.Add(*(q * sympy.Rational(min(b, m - n), b) for n, q in enumerate(p))) / total
    return measures(rate, a / m, queued / rate, s, 1 - served)


def _gig1(sympy: Any) -> dict[str, Any]:
    rate, s, v, w = symbols(sympy, "arrival_rate", "service_time", "arrival_squared_variation", "squared_variation")
    rho = rate * s
    regular = -2 * (1 - rho) / 3 * (1 - v) ** 2 / (rho * (v + w))
    bursty = -(1 - rho) * (v - 1) / (v + 4 * w)
    factor = sympy.exp(sympy.Piecewise((regular, v < 1), (bursty, True)))
    often = (1 + v + rho * w) / (1 + rho * (w - 1) + rho**2 * (4 * v + w))
    h = sympy.Piecewise((often, v <= 1), (4 * rho / (v + rho**2 * (4 * v + w)), True))
    return measures(rate, rho, rho * s * (v + w) / 2 * factor / (1 - rho), s, rho * (1 - (1 - v) * (1 - rho) * h))


def _gigc(sympy: Any, servers: int) -> dict[str, Any]:
    """Allen and Cunneen's, which needs no M/D/c."""
    rate, s, v, w = symbols(sympy, "arrival_rate", "service_time", "arrival_squared_variation", "squared_variation")
    waits, spare = erlang_c(servers, rate * s), servers - rate * s
    return measures(rate, rate * s / servers, waits * s / spare * (v + w) / 2, s, waits)


def _classes(sympy: Any, classes: int) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Rates, times, E[S²]·λ/2 and what each class and those before it leave of the server."""
    rates, times, variations = (
        [sympy.Symbol(f"{name}_{i}", positive=True) for i in range(classes)]
        for name in ("arrival_rate", "service_time", "squared_variation")
    )
    held = [r * s * s * (1 + v) / 2 for r, s, v in zip(rates, times, variations, strict=True)]
    left = [1 - sympy.Add(*(r * s for r, s in zip(rates[:i], times[:i], strict=True))) for i in range(classes + 1)]
    return rates, times, held, left


def _priorities(sympy: Any, classes: int) -> dict[str, Any]:
    """The last class's measures, non-preemptive; its waiting holds all classes' symbols."""
    rates, times, held, left = _classes(sympy, classes)
    waiting = sympy.Add(*held) / (left[-2] * left[-1])
    return measures(rates[-1], rates[-1] * times[-1], waiting, times[-1], 1 - left[-1])


def _preemptive(sympy: Any, classes: int) -> dict[str, Any]:
    rates, times, held, left = _classes(sympy, classes)
    waiting = times[-1] * (1 - left[-2]) / left[-2] + sympy.Add(*held) / (left[-2] * left[-1])
    return measures(rates[-1], rates[-1] * times[-1], waiting, times[-1], 1 - left[-1])


def _sharing(sympy: Any, classes: int) -> dict[str, Any]:
    rates, times, _, left = _classes(sympy, classes)
    busy = 1 - left[-1]
    return measures(rates[-1], rates[-1] * times[-1], times[-1] * busy / left[-1], times[-1], busy)


def _fork_join(sympy: Any, branches: int) -> dict[str, Any]:
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    rho = rate * s
    harmonic = sympy.Add(*(sympy.Rational(1, j) for j in range(1, branches + 1)))
    growth = harmonic / sympy.Rational(3, 2)
    response = (growth + sympy.Rational(4, 11) * (1 - growth) * rho) * (12 - rho) / 8 * s / (1 - rho)
    if branches == 1:
        response = s / (1 - rho)
    made = measures(rate, rho, response - harmonic * s, harmonic * s, rho)
    return made | {"response_time": response, "queue_length": rate * response}


FORMS: dict[str, tuple[tuple[str, ...], Callable[..., dict[str, Any]]]] = {
    "batch": ((), _batch),
    "batch_servers": (("servers", "batch_size"), _batch_servers),
    "erlang_b": (("servers",), _blocking),
    "erlang_c": (("servers",), _delay),
    "finite_population": (("population", "servers"), _finite),
    "fork_join": (("branches",), _fork_join),
    "gig1": ((), _gig1),
    "gigc": (("servers",), _gigc),
    "loss": (("servers",), _loss),
    "md1": ((), _md1),
    "mg1": ((), _mg1),
    "mm1": ((), _mm1),
    "mmc": (("servers",), _mmc),
    "mmck": (("servers", "capacity"), _mmck),
    "mminf": ((), _mminf),
    "preemptive": (("classes",), _preemptive),
    "priorities": (("classes",), _priorities),
    "sharing": (("classes",), _sharing),
}
