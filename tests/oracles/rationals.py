"""Networks in rational numbers: throughput and response time that nobody can argue with, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, factorial

from qnsolve import ClosedClass, Delay, Network, Queue

from tests.support.zoo import Station, held_speed

Figures = dict[tuple[str, str], Fraction]  # by class and station; the think time is at "", the arrival rate at "rate"
STEP = Fraction(1, 10**15)


def figures(model: Network) -> Figures:
    """Demands, think times and arrival rates of a model as they are."""
    found = {}
    for c in model.classes:
        found |= {(c.name, s.name): Fraction(c.demand(s.name)) for s in model.stations}
        found[c.name, "" if isinstance(c, ClosedClass) else "rate"] = Fraction(
            c.think_time if isinstance(c, ClosedClass) else c.arrival_rate
        )
    return found


def closed(model: Network, figures: Figures) -> dict[str, tuple[Fraction, Fraction]]:
    """Throughput and response time of each closed class, by the convolution of all stations."""
    classes = [c for c in model.classes if c.population]
    lattice = list(product(*(range(c.population + 1) for c in classes)))
    total = {n: Fraction(all(j == 0 for j in n)) for n in lattice}
    places = [(s.name, _speed(s)) for s in model.stations] + [("", float)]
    for place, speed in places:
        share = [figures.get((c.name, place), Fraction(0)) for c in classes]
        if any(share):
            own = {n: _weight(n, share, speed) for n in lattice}
            total = {
                n: sum(
                    (
                        own[m] * total[tuple(a - b for a, b in zip(n, m, strict=True))]
                        for m in product(*(range(j + 1) for j in n))
                    ),
                    Fraction(0),
                )
                for n in lattice
            }
    full = lattice[-1]
    found = {}
    for r, c in enumerate(classes):
        x = total[*full[:r], full[r] - 1, *full[r + 1 :]] / total[full]
        found[c.name] = (x, c.population / x - figures[c.name, ""])
    return found


def _speed(station: Station) -> Callable[[int], float]:
    return lambda j: held_speed(station, j)


def _weight(n: tuple[int, ...], share: list[Fraction], speed: Callable[[int], float]) -> Fraction:
    weight = Fraction(factorial(sum(n)))
    for j, d in zip(n, share, strict=True):
        weight *= d**j / factorial(j)
    for j in range(1, sum(n) + 1):
        weight /= Fraction(speed(j))
    return weight


def opened(model: Network, figures: Figures) -> dict[str, tuple[Fraction, Fraction]]:
    """Throughput and response time of each open class, station by station."""
    response = {c.name: Fraction(0) for c in model.classes}
    for s in model.stations:
        load = sum((figures[c.name, "rate"] * figures[c.name, s.name] for c in model.classes), Fraction(0))
        for c in model.classes:
            response[c.name] += figures[c.name, s.name] * (1 if isinstance(s, Delay) else _stretch(s, load))
    return {c.name: (figures[c.name, "rate"], response[c.name]) for c in model.classes}


def _stretch(station: Station, load: Fraction) -> Fraction:
    """Mean of (n + 1)/μ(n + 1) over the jobs that an arrival finds."""
    levels = ceil(station.servers) if isinstance(station, Queue) else len(station.rates)
    x, w = load / Fraction(held_speed(station, levels)), Fraction(1)
    weight, sum_ = Fraction(0), Fraction(0)
    for n in range(levels - 1):  # n jobs found
        weight, sum_ = weight + w, sum_ + w * (n + 1) / Fraction(held_speed(station, n + 1))
        w *= load / Fraction(held_speed(station, n + 1))
    tail = w / (1 - x)
    mean = levels - 1 + x / (1 - x)
    return (sum_ + tail * (mean + 1) / Fraction(held_speed(station, levels))) / (weight + tail)


def elasticity(run: Callable[[Figures], Fraction], figures: Figures, key: tuple[str, str]) -> float:
    """∂ ln run/∂ ln of one figure, by a rational central difference: error 1e-29."""
    high, low = (run({**figures, key: figures[key] * (1 + sign * STEP)}) for sign in (1, -1))
    return float((high - low) / (2 * STEP) / run(figures))
