"""Plain implementations: loops that follow the formulas of the books, nothing clever.

Written for any number type: with doubles they are what qnsolve is timed against, with
decimals of 50 digits (`reference`) they are what every error is measured against. All
sums are of positive terms, so 50 digits leave more than 40.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import Any

from tests.oracles.raw_models import Answer, Model

DIGITS = 50
Number = Any  # float or Decimal


def erlang_c(servers: int, load: Number) -> Number:
    """Probability of waiting in M/M/c: Erlang B by its recursion, then C from B."""
    blocked = load / load
    for j in range(1, servers + 1):
        blocked = load * blocked / (j + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def open_network(model: Model, number: Callable[[float], Number] = float) -> Answer:
    """Every station as an M/M/c queue of its own; each class has its share of the jobs there."""
    rates = [number(rate) for rate in model.arrival_rate]
    demand = [[number(d) for d in row] for row in model.demand]
    lengths = [[0.0] * len(model.servers) for _ in rates]
    for k, servers in enumerate(model.servers):
        load = sum(rate * row[k] for rate, row in zip(rates, demand, strict=True))
        jobs = load + erlang_c(servers, load) * load / (servers - load)
        for r, rate in enumerate(rates):
            lengths[r][k] = float(jobs * rate * demand[r][k] / load)
    return Answer([float(rate) for rate in rates], lengths)


def mva_one_class(model: Model) -> Answer:
    """Exact mean value analysis, one class, single servers: one pass over the population."""
    demand, think = model.demand[0], model.think_time[0]
    length = [0.0] * len(demand)
    throughput = 0.0
    for n in range(1, model.population[0] + 1):
        residence = [d * (1 + q) for d, q in zip(demand, length, strict=True)]
        throughput = n / (think + sum(residence))
        length = [throughput * r for r in residence]
    return Answer([throughput], [length])


def mva(model: Model) -> Answer:
    """Exact mean value analysis, several classes, single servers, over all populations."""
    classes, stations = range(len(model.population)), range(len(model.servers))
    before = _before(model.population)
    total: list[list[float]] = [[0.0] * len(model.servers)]  # jobs at each station, by population
    throughput = [0.0 for _ in classes]
    residence: list[list[float]] = [[0.0] * len(model.servers) for _ in classes]
    for i, point in enumerate(_points(model.population)):
        if i == 0:
            continue
        there = [0.0] * len(model.servers)
        for r in classes:
            if point[r] == 0:
                continue
            met = total[before[r][i]]
            residence[r] = [model.demand[r][k] * (1 + met[k]) for k in stations]
            throughput[r] = point[r] / (model.think_time[r] + sum(residence[r]))
            for k in stations:
                there[k] += throughput[r] * residence[r][k]
        total.append(there)
    return Answer(throughput, [[throughput[r] * residence[r][k] for k in stations] for r in classes])


def convolution(model: Model, number: Callable[[float], Number] = float, scale: Sequence[float] | None = None) -> Answer:
    """Buzen's algorithm on all populations: G(n) station by station, the shared one last.

    Each time of class r is multiplied by `scale[r]`, which keeps doubles in range and
    is taken out of the throughput again. At most one station has several servers.

    X_r = G(N − e_r)/G(N). At a single server Q_rk = D_rk·G⁺(N − e_r)/G(N), where G⁺ has
    that station twice; at the shared station Q from the probability of each state.
    """
    if len(model.shared) > 1:
        raise ValueError("the plain convolution takes one multi-server station")
    rate = [number(s) for s in (scale or [1.0] * len(model.population))]
    demand = [[s * number(d) for d in row] for s, row in zip(rate, model.demand, strict=True)]
    think = [s * number(z) for s, z in zip(rate, model.think_time, strict=True)]
    before, last = _before(model.population), math.prod(n + 1 for n in model.population) - 1
    classes = range(len(rate))
    singles = [k for k in range(len(model.servers)) if k not in model.shared]

    zero, one = number(0.0), number(1.0)
    g = [one] + [zero] * last
    for r in classes:  # think time: Z^n/n!, class by class
        for i, point in enumerate(_points(model.population)):
            if point[r] > 0 and not any(point[r + 1 :]):
                g[i] = g[before[r][i]] * think[r] / point[r]
    for k in singles:
        _one_server(g, [row[k] for row in demand], before)
    states = None
    for k in model.shared:
        states = _many_servers([row[k] for row in demand], model.servers[k], model.population, before, one)

    normal = _weight(g, states, last)
    throughput = [rate[r] * _less_one(g, states, before[r], last) / normal for r in classes]
    lengths = [[0.0] * len(model.servers) for _ in classes]
    for k in singles:
        twice = g.copy()
        _one_server(twice, [row[k] for row in demand], before)
        for r in classes:
            lengths[r][k] = float(demand[r][k] * _less_one(twice, states, before[r], last) / normal)
    for k in model.shared:
        for r in classes:
            lengths[r][k] = float(_mean(g, states or [], r, model.population, zero) / normal)
    return Answer([float(x) for x in throughput], lengths)


def solve(model: Model) -> Answer:
    """The plain implementation, in doubles, of whatever the model needs."""
    if model.is_open:
        return open_network(model)
    if not model.shared:
        return mva(model) if len(model.population) > 1 else mva_one_class(model)
    return convolution(model, scale=[_bound(model, r) for r in range(len(model.population))])


def reference(model: Model) -> Answer:
    """The answer to about 40 digits, rounded to a double."""
    with localcontext() as context:
        context.prec = DIGITS
        return open_network(model, Decimal) if model.is_open else convolution(model, Decimal)


def _bound(model: Model, r: int) -> float:
    """What class r could reach at most if it were alone."""
    slowest = min(m / d for m, d in zip(model.servers, model.demand[r], strict=True) if d > 0)
    return min(slowest, model.population[r] / (model.think_time[r] + sum(model.demand[r])))


def _points(population: Sequence[int]) -> list[tuple[int, ...]]:
    """All populations from none to N; the last class runs fastest."""
    points: list[tuple[int, ...]] = [()]
    for n in population:
        points = [(*point, i) for point in points for i in range(n + 1)]
    return points


def _before(population: Sequence[int]) -> list[list[int]]:
    """For each class and population, where the one with a job less stands; −1 for none."""
    places = []
    step = math.prod(n + 1 for n in population)
    size = step
    for n in population:
        step //= n + 1
        places.append([i - step if i // step % (n + 1) else -1 for i in range(size)])
    return places


def _one_server(g: list[Number], demand: list[Number], before: list[list[int]]) -> None:
    """Add a single server: G(n) = G without it + Σ_r D_r·G(n − e_r), in place."""
    pairs = list(zip(demand, before, strict=True))
    for i in range(1, len(g)):
        total = g[i]
        for d, places in pairs:
            j = places[i]
            if j >= 0:
                total += d * g[j]
        g[i] = total


def _many_servers(
    demand: list[Number], m: int, population: Sequence[int], before: list[list[int]], one: Number
) -> list[Number]:
    """Weight of each state of one station with m servers: F(n) = Σ_r D_r·F(n − e_r)/min(|n|, m)."""
    weight = [one]
    for i, point in enumerate(_points(population)):
        if i:
            above = [d * weight[places[i]] for d, places in zip(demand, before, strict=True) if places[i] >= 0]
            weight.append(sum(above[1:], above[0]) / min(sum(point), m))
    return weight


def _weight(g: list[Number], states: list[Number] | None, last: int) -> Number:
    """G(N): the shared station holds n, the others the rest."""
    if states is None:
        return g[last]
    return sum(states[i] * g[last - i] for i in range(last + 1))


def _less_one(g: list[Number], states: list[Number] | None, places: list[int], last: int) -> Number:
    """G(N − e_r)."""
    if states is None:
        return g[places[last]]
    return sum(states[i] * g[places[last - i]] for i in range(last + 1) if places[last - i] >= 0)


def _mean(g: list[Number], states: list[Number], r: int, population: Sequence[int], zero: Number) -> Number:
    """Σ n_r·F(n)·G(N − n)."""
    last = len(g) - 1
    return sum((point[r] * states[i] * g[last - i] for i, point in enumerate(_points(population))), zero)
