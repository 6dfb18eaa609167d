"""Demands from 1e-9 to 1e6 and 1 to 1,000,000 jobs: counts the bad numbers that come out."""

from __future__ import annotations

import math
from itertools import product

import qnsolve as qn

DEMANDS = (
    (1e-9, 1e6),
    (1e-9, 1e-9, 1e-9, 1e-9),
    (1e6, 1e6, 1e6, 1e6),
    (1e-9, 1e-3, 1.0, 1e6),
    (1e-9, 1.000001e-9, 1e6, 1e6 + 1),
)
SERVERS = (1, 16)  # of the last station, the slowest
THINK = (0.0, 1e-9, 1.0, 1e6)
SLACK = 1 + 1e-9


def count(quick: bool) -> tuple[int, list[str]]:
    """Models solved, and what was wrong with which."""
    sizes = [10**n for n in range(4 if quick else 7)]
    bad = []
    cases = 0
    for demand, servers, think, size in product(DEMANDS, SERVERS, THINK, sizes):
        cases += 1
        trouble = _trouble(demand, servers, think, size)
        if trouble:
            bad.append(f"D={demand} m={servers} Z={think:g} N={size}: {trouble}")
    return cases, bad


def _trouble(demand: tuple[float, ...], servers: int, think: float, size: int) -> str:
    last = len(demand) - 1
    stations = [qn.Queue(f"s{k}", servers=servers if k == last else 1) for k in range(len(demand))]
    demands = {f"s{k}": d for k, d in enumerate(demand)}
    model = qn.Network(stations, [qn.ClosedClass("all", population=size, think_time=think, demands=demands)])
    try:
        solution = qn.solve(model)
    except (qn.QnsolveError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"
    x = solution.classes[0].throughput
    lengths = [pair.queue_length for pair in solution.pairs]
    times = [pair.residence_time for pair in solution.pairs]
    if not all(math.isfinite(v) and v >= 0 for v in (x, *lengths, *times)):
        return "a number that is not finite or below 0"
    speeds = [servers if k == last else 1 for k in range(len(demand))]
    most = min(size / (think + sum(demand)), *(m / d for m, d in zip(speeds, demand, strict=True)))
    least = size / (think + size * sum(demand))
    if not least <= x * SLACK or not x <= most * SLACK:
        return f"throughput {x!r} outside its bounds {least!r} to {most!r}"
    if abs(sum(lengths) + x * think - size) > 1e-9 * size:
        return f"{sum(lengths) + x * think!r} jobs in place of {size}"
    if any(t < d / SLACK for t, d in zip(times, demand, strict=True)):
        return "a residence time below the demand"
    return ""
