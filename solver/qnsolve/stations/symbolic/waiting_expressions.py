"""More formulas for `symbolic`: constant and general service at several servers, patience, unlike servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnsolve.errors import ModelError

from .expressions import erlang_b, erlang_c, measures, symbols

MOST_UNLIKE = 3  # the expression grows with the sets of them


def _constant(sympy: Any, m: int, a: Any) -> tuple[Any, Any]:
    """Jobs waiting in M/D/c and the share that waits, by the roots z of z^m = e^(a(z − 1)) within the unit circle.

    Each is −(m/a)·W(−(a/m)·ω·e^(−a/m)), W being Lambert's function and ω an m-th root of one; they
    come in conjugate pairs [Crommelin1932].
    """
    queued = -(m * (m - 1) - a * a) / (2 * (m - a))
    idle = m - a
    for k in range(1, m // 2 + 1):
        unit = sympy.exp(2 * sympy.pi * sympy.I * sympy.Rational(k, m)) if 2 * k < m else -1
        away = 1 + m / a * sympy.LambertW(-a / m * sympy.exp(-a / m) * unit)
        queued += 2 * sympy.re(1 / away) if 2 * k < m else 1 / away
        idle /= sympy.Abs(away) ** 2 if 2 * k < m else away
    return queued, 1 - idle


def _mdc(sympy: Any, servers: int) -> dict[str, Any]:
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    queued, waits = _constant(sympy, servers, rate * s)
    return measures(rate, rate * s / servers, queued / rate, s, waits)


def _mgc(sympy: Any, servers: int) -> dict[str, Any]:
    rate, s, v = symbols(sympy, "arrival_rate", "service_time", "squared_variation")
    a = rate * s
    waits = erlang_c(servers, a)
    exponential, constant = waits * s / (servers - a), _constant(sympy, servers, a)[0] / rate
    above = (1 + v) / (2 * v / exponential + (1 - v) / constant)
    waiting = sympy.Piecewise(((1 - v) * constant + v * exponential, v <= 1), (above, True))
    return measures(rate, a / servers, waiting, s, waits)


def _erlang_a(sympy: Any, servers: int) -> dict[str, Any]:
    """With x = m·patience/S and y = λ·patience: sums over the queue are hypergeometric functions [Mandelbaum2007]."""
    rate, s, patience = symbols(sympy, "arrival_rate", "service_time", "patience")
    m, a, leaving = servers, rate * s, s / patience
    x, y = m / leaving, a / leaving
    below = 1 / erlang_b(m, a) - 1  # states with a server free, by the one with all busy and none waiting
    queue = sympy.hyper((1,), (x + 1,), y)
    whole = below + queue
    busy = (a * below - m + m * queue) / whole
    left = 1 - busy / a
    late = sympy.exp(y) * sympy.hyper((x + 1, x + 1), (x + 2, x + 2), -y) / (x + 1) ** 2
    waiting = m * late / leaving**2 / whole / (1 - left) * s
    made = measures(rate * (1 - left), busy / m, waiting, s, queue / whole)
    return made | {"queue_length": busy + a * left / leaving, "probability_abandoned": left}


def _unlike(sympy: Any, servers: int) -> dict[str, Any]:
    """The chain of the sets of busy servers, the fastest first; beyond them the queue is geometric."""
    if servers > MOST_UNLIKE:
        raise ModelError("expression: servers", f"must be at most {MOST_UNLIKE} unlike ones", "take fewer", servers)
    rate, s = symbols(sympy, "arrival_rate", "service_time")
    speeds = symbols(sympy, *(f"speed_{i}" for i in range(servers)))
    last, a = 2**servers - 1, rate * s
    flows = sympy.zeros(last + 1, last + 1)
    for state in range(last + 1):
        moves = [(state ^ 1 << i, v) for i, v in enumerate(speeds) if state >> i & 1]
        if state < last:
            free = next(i for i in range(servers) if not state >> i & 1)
            moves.append((state | 1 << free, a))
        for following, pace in moves:
            flows[following, state] += pace
            flows[state, state] -= pace
    (row,) = sympy.polys.matrices.DomainMatrix.from_Matrix(flows).to_field().nullspace().to_Matrix().tolist()
    total = sympy.Add(*speeds)
    tail = a / total
    row[last] /= 1 - tail
    whole = sympy.Add(*row)
    waits = row[last] / whole
    queued = waits * tail / (1 - tail)
    busy = sympy.Add(*(state.bit_count() * q for state, q in enumerate(row))) / whole
    made = measures(rate, tail, queued / rate, s, waits)
    return made | {"queue_length": queued + busy, "response_time": (queued + busy) / rate}


FORMS: dict[str, tuple[tuple[str, ...], Callable[..., dict[str, Any]]]] = {
    "erlang_a": (("servers",), _erlang_a),
    "mdc": (("servers",), _mdc),
    "mgc": (("servers",), _mgc),
    "unlike_servers": (("servers",), _unlike),
}
