"""Plain solutions of closed networks: exact mean value analysis, and rational arithmetic without rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray
from qnsolve import Network

from tests.support.zoo import held_speed

Array = NDArray[np.float64]


def mva(population: Sequence[int], think_time: Array, demand: Array, queueing: Sequence[bool]) -> tuple[Array, Array]:
    """Exact mean value analysis, any number of classes, one server a queue.

    Returns
    -------
    throughput : ndarray (R,)
    queue_length : ndarray (R, K)
    """
    think_time, demand = np.asarray(think_time, float), np.asarray(demand, float)
    met = np.array(queueing, float)
    shape = tuple(n + 1 for n in population)
    length = np.zeros((*shape, demand.shape[1]))  # all classes together, by population
    throughput, residence = np.zeros(len(population)), np.zeros_like(demand)
    for jobs in np.ndindex(shape):
        throughput, residence = np.zeros(len(population)), np.zeros_like(demand)
        for r, n in enumerate(jobs):
            if n:
                before = length[(*jobs[:r], n - 1, *jobs[r + 1 :])]
                residence[r] = demand[r] * (1 + met * before)
                throughput[r] = n / (think_time[r] + residence[r].sum())
        length[jobs] = throughput @ residence
    return throughput, throughput[:, None] * residence


def one_class(model: Network) -> tuple[Fraction, list[Fraction]]:
    """Throughput and queue lengths of a network with one closed class, in rational numbers.

    Each station is the series Π D/μ(j), the think time is one with μ(j) = j, and the
    weights of N jobs are the product of all series.
    """
    (job_class,) = model.classes
    n = job_class.population
    stations = [(job_class.demand(s.name), [held_speed(s, j) for j in range(1, n + 1)]) for s in model.stations]
    thinking = _series(job_class.think_time, [float(j) for j in range(1, n + 1)])
    series = [_series(demand, speeds) for demand, speeds in stations]
    others = _product([thinking, *series[:-1]], n)
    throughput = Fraction(_at(others, series[-1], n - 1), _at(others, series[-1], n))
    found = []
    for k, own in enumerate(series):
        rest = _product([thinking, *series[:k], *series[k + 1 :]], n)
        found.append(Fraction(sum(j * own[j] * rest[n - j] for j in range(n + 1)), _at(rest, own, n)))
    return throughput, found


def _series(demand: float, speeds: list[float]) -> list[int]:
    """Π demand/μ(i) for 0, 1, ... jobs, as whole numbers: all times one common factor."""
    terms = [Fraction(1)]
    for speed in speeds:
        terms.append(terms[-1] * Fraction(demand) / Fraction(speed))
    common = math.lcm(*(t.denominator for t in terms))
    return [t.numerator * (common // t.denominator) for t in terms]


def _product(many: list[list[int]], n: int) -> list[int]:
    out = [1] + [0] * n
    for terms in many:
        used = [j for j, a in enumerate(terms) if a]
        out = [sum(terms[j] * out[i - j] for j in used if j <= i) for i in range(n + 1)]
    return out


def _at(p: list[int], own: list[int], n: int) -> int:
    """The weight of n jobs in a product of series and one more."""
    return sum(own[j] * p[n - j] for j in range(n + 1))


def throughputs(model: Network) -> list[Fraction]:
    """Throughput of each class of a closed network in rational numbers, any number of classes.

    The weight of every population is built up station by station: a delay gives
    Π D^n/n!, a queue of constant speed adds the population with one job less, and the
    one station of other speeds that is allowed comes last, as a sum over how many
    jobs of each class are there.
    """
    everyone = [c.population for c in model.classes]
    total = sum(everyone)
    constant = [s for s in model.stations if len({held_speed(s, j) for j in range(1, total + 1)}) == 1]
    delays = [s for s in model.stations if all(held_speed(s, j) == j for j in range(1, total + 1)) and s not in constant]
    (other,) = [s for s in model.stations if s not in constant and s not in delays]
    outside = [Fraction(c.think_time) + sum(Fraction(c.demand(s.name)) for s in delays) for c in model.classes]
    loads = [[Fraction(c.demand(s.name)) / Fraction(held_speed(s, 1)) for c in model.classes] for s in constant]
    last = [Fraction(c.demand(other.name)) for c in model.classes]
    unit = math.lcm(*(t.denominator for t in [*outside, *last, *(d for load in loads for d in load)]))

    points = list(product(*(range(n + 1) for n in everyone)))
    thinking = [
        [int(z * unit) ** j * math.perm(n, n - j) for j in range(n + 1)] for z, n in zip(outside, everyone, strict=True)
    ]
    weight = {p: math.prod(terms[j] for terms, j in zip(thinking, p, strict=True)) for p in points}
    for load in loads:
        whole = [int(d * unit) for d in load]
        for p in points:
            weight[p] += sum(d * weight[_less(p, r)] for r, d in enumerate(whole) if p[r])
    slowness = _series(1.0, [held_speed(other, j) for j in range(1, total + 1)])
    powers = [[int(d * unit) ** j for j in range(n + 1)] for d, n in zip(last, everyone, strict=True)]
    there = {
        p: math.factorial(sum(p))
        // math.prod(math.factorial(j) for j in p)
        * math.prod(terms[j] for terms, j in zip(powers, p, strict=True))
        * slowness[sum(p)]
        for p in points
    }

    def at(top: tuple[int, ...]) -> int:
        inside = product(*(range(n + 1) for n in top))
        return sum(there[p] * weight[tuple(n - j for n, j in zip(top, p, strict=True))] for p in inside)

    full = tuple(everyone)
    return [Fraction(at(_less(full, r)) * unit, at(full)) for r in range(len(everyone))]


def _less(point: tuple[int, ...], r: int) -> tuple[int, ...]:
    return (*point[:r], point[r] - 1, *point[r + 1 :])
