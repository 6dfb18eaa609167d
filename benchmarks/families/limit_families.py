"""Small models with admission limits, whose Markov chains give the exact answer."""

from __future__ import annotations

import numpy as np
import qnsolve as qn

Random = np.random.Generator
MXT, THREADS = "MXT", "threads"


def _stations(rng: Random, most: int = 2) -> list[qn.Queue]:
    return [qn.Queue(f"s{k}", servers=int(rng.choice([1, 1, 2, 3]))) for k in range(int(rng.integers(1, most + 1)))]


def _closed(rng: Random, name: str, stations: list[qn.Queue], most: int) -> qn.ClosedClass:
    return qn.ClosedClass(
        name,
        population=int(rng.integers(2, most + 1)),
        think_time=float(10 ** rng.uniform(-0.5, 1)),
        demands={s.name: float(10 ** rng.uniform(-1, 0.5)) for s in stations},
    )


def _limit(rng: Random, classes: list[qn.ClosedClass], name: str = MXT) -> qn.AdmissionLimit:
    return qn.AdmissionLimit(int(rng.integers(1, max(2, sum(c.population for c in classes)))), name=name)


def one_class(rng: Random) -> qn.Network:
    """One closed class."""
    stations = _stations(rng, 3)
    classes = [_closed(rng, "a", stations, 8)]
    return qn.Network(stations, classes, [_limit(rng, classes)])


def common(rng: Random) -> qn.Network:
    """Two or three closed classes under one limit."""
    stations = _stations(rng)
    classes = [_closed(rng, name, stations, 4 if rng.random() < 0.5 else 3) for name in "abc"[: int(rng.integers(2, 4))]]
    classes = classes[:2] if sum(c.population for c in classes) > 8 else classes
    return qn.Network(stations, classes, [_limit(rng, classes)])


def nested(rng: Random) -> qn.Network:
    """Two closed classes under one limit, one of them under its own as well."""
    stations = _stations(rng)
    classes = [_closed(rng, name, stations, 4) for name in "ab"]
    own = qn.AdmissionLimit(int(rng.integers(1, 3)), name="TRANCLASS", classes=["a"])
    return qn.Network(stations, classes, [_limit(rng, classes), own])


def opened(rng: Random) -> qn.Network:
    """An open class, 20 to 85 % of what its limit lets through."""
    stations = _stations(rng, 3)
    demands = {s.name: float(10 ** rng.uniform(-1, 0.5)) for s in stations}
    capacity = int(rng.integers(1, 5))
    most = qn.solve(qn.Network(stations, [qn.ClosedClass("a", population=capacity, demands=demands)]))["a"].throughput
    web = qn.OpenClass("a", arrival_rate=float(most * rng.uniform(0.2, 0.85)), demands=demands)
    return qn.Network(stations, [web], [qn.AdmissionLimit(capacity, name=MXT)])


def parts(rng: Random) -> qn.Network:
    """One class, a limit on all stations and one on the last of them, or one on each part."""
    stations = [*_stations(rng), qn.Queue("db", servers=int(rng.integers(1, 4)))]
    classes = [_closed(rng, "a", stations, 7)]
    inner = qn.AdmissionLimit(int(rng.integers(1, 3)), name=THREADS, stations=["db", stations[0].name])
    outer = _limit(rng, classes)
    if len(stations) > 2 and rng.random() < 0.5:
        outer = qn.AdmissionLimit(outer.capacity, name=MXT, stations=[stations[1].name])
    return qn.Network(stations, classes, [outer, inner])


def parts_of_classes(rng: Random) -> qn.Network:
    """Two classes, a limit on all stations and one on the last of them."""
    stations = [*_stations(rng), qn.Queue("db", servers=int(rng.integers(1, 4)))]
    classes = [_closed(rng, name, stations, 3) for name in "ab"]
    inner = qn.AdmissionLimit(int(rng.integers(1, 3)), name=THREADS, stations=["db", stations[0].name])
    return qn.Network(stations, classes, [_limit(rng, classes), inner])


def parts_of_more(rng: Random) -> qn.Network:
    """Two classes at four or five stations, a limit on all and one on the two in the middle or at the end."""
    stations = [qn.Queue(f"s{k}", servers=int(rng.choice([1, 1, 2, 3]))) for k in range(int(rng.integers(4, 6)))]
    classes = [_closed(rng, name, stations, 3 if name == "a" else 2) for name in "ab"]
    first = int(rng.integers(1, len(stations) - 1))
    inner = qn.AdmissionLimit(int(rng.integers(1, 3)), name=THREADS, stations=[s.name for s in stations[first : first + 2]])
    return qn.Network(stations, classes, [_limit(rng, classes), inner])


FAMILIES = {
    "limits, one class": one_class,
    "limits, several classes": common,
    "limits, one within another": nested,
    "limits, open class": opened,
    "limits on parts": parts,
    "limits on parts, two classes": parts_of_classes,
}
LATER = {"limits on parts of more stations": parts_of_more}
