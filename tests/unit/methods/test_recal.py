"""Recursion by chain: against every assignment of jobs, lattices of like classes, and what it refuses."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, NoMethodError, OpenClass, Queue, methods, solve
from qnsolve.methods.product_form.recal import Occupancies, recal, recal_bytes

from tests.oracles import exact_mva
from tests.support import zoo
from tests.support.effort import counted


@pytest.mark.parametrize(("stations", "jobs"), [(1, 1), (1, 9), (2, 6), (4, 5), (6, 3)])
def test_occupancies(stations: int, jobs: int) -> None:
    """Every way to put up to so many jobs at the stations is there once, and the one above it is found."""
    states = Occupancies(stations, jobs)
    place = {tuple(state): i for i, state in enumerate(states.counts.T.tolist())}
    assert len(place) == states.size(jobs) == math.comb(jobs + stations, stations)
    assert list(map(sum, place)) == sorted(map(sum, place))
    for state, i in place.items():
        if sum(state) < jobs:
            for k in range(stations):
                assert states.above[k, i] == place[*state[:k], state[k] + 1, *state[k + 1 :]]


def assigned(model: Network) -> tuple[dict[str, Fraction], dict[tuple[str, str], Fraction]]:
    """Throughput and queue length in rational numbers, by the weight of each assignment of jobs to stations.

    A job of a class weighs its demand where it is, and its think time outside; n jobs at a
    station weigh n!/Π μ(i): in that many orders, each served at the station's speed.
    """
    jobs = [c for c in model.classes for _ in range(c.population)]
    total, there = Fraction(0), dict.fromkeys(((c.name, s.name) for c in model.classes for s in model.stations), Fraction(0))
    thinks = dict.fromkeys((c.name for c in model.classes), Fraction(0))
    demand = [[Fraction(c.demand(s.name)) for s in model.stations] + [Fraction(c.think_time)] for c in jobs]
    orders = [[Fraction(1)] for _ in model.stations]
    for k, s in enumerate(model.stations):
        for n in range(1, len(jobs) + 1):
            orders[k].append(orders[k][-1] * n / Fraction(zoo.held_speed(s, n)))
    for places in product(range(len(model.stations) + 1), repeat=len(jobs)):
        weight = math.prod((row[k] for row, k in zip(demand, places, strict=True)), start=Fraction(1))
        if not weight:
            continue
        weight *= math.prod((orders[k][places.count(k)] for k in range(len(orders))), start=Fraction(1))
        total += weight
        for c, k in zip(jobs, places, strict=True):
            if k < len(orders):
                there[c.name, model.stations[k].name] += weight
            else:
                thinks[c.name] += weight
    rate = {c.name: thinks[c.name] / total / Fraction(c.think_time) for c in model.classes}
    return rate, {pair: weight / total for pair, weight in there.items()}


SMALL = {
    "queues": [Queue("s0"), Queue("s1"), Queue("s2")],
    "a delay": [Queue("s0"), Delay("s1"), Queue("s2")],
    "servers": [Queue("s0", servers=2), Queue("s1", servers=2.4), Queue("s2", servers=9)],
    "speeds": [LoadDependent("s0", rates=[1, 3, 0.5]), Queue("s1"), LoadDependent("s2", rates=[0.2, 0.3])],
}


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (2, 1, 2, 1), (3, 2, 1)])
def test_every_assignment(kind: str, sizes: tuple[int, ...]) -> None:
    """Throughputs and queue lengths of each class are those of every assignment, in rational numbers."""
    rng = np.random.default_rng(len(sizes))
    classes = [
        ClosedClass(
            f"c{r}",
            population=n,
            think_time=float(rng.uniform(0.1, 2)),
            demands={s.name: float(rng.uniform(0, 1)) * (rng.random() < 0.8) for s in SMALL[kind]},
        )
        for r, n in enumerate(sizes)
    ]
    model = Network(SMALL[kind], classes)
    rate, there = assigned(model)
    result = solve(model, method="recal")
    for c in classes:
        assert result[c.name].throughput == pytest.approx(float(rate[c.name]), rel=1e-13)
        for s in model.stations:
            assert result[c.name, s.name].queue_length == pytest.approx(float(there[c.name, s.name]), rel=1e-13, abs=1e-300)


def test_far_apart_in_rational_numbers() -> None:
    """Demands of 1e-9 to 1e6 keep their digits, and so do queue lengths of 1e-15."""
    stations = [Queue("s0"), Queue("s1", servers=2), Queue("s2")]
    figures = [(1e-9, 1e6, 3.0), (1e3, 1e-6, 1e-3), (1e-9, 1e-9, 1e6), (1.0, 1e5, 1e-9), (1e6, 1e6, 1e6), (0.0, 1e-9, 0.0)]
    classes = [
        ClosedClass(f"c{r}", population=1, think_time=1e-3 * 10.0**r, demands={f"s{k}": d for k, d in enumerate(row)})
        for r, row in enumerate(figures)
    ]
    model = Network(stations, classes)
    rate, there = assigned(model)
    result = solve(model, method="recal")
    for c in classes:
        assert result[c.name].throughput == pytest.approx(float(rate[c.name]), rel=1e-13)
        for s in stations:
            if c.demand(s.name) > 0:
                expected = float(there[c.name, s.name])
                assert result[c.name, s.name].queue_length == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("jobs", [1, 2])
def test_thirty_classes(jobs: int) -> None:
    """Thirty classes at four stations: as two classes of fifteen times the jobs, where fifteen are alike."""
    stations = [Queue("cpu", servers=2), Queue("disk"), Queue("log"), LoadDependent("db", rates=[1.0, 1.5, 1.75])]
    kinds = [{"cpu": 0.3, "disk": 0.2, "log": 0.05, "db": 0.1}, {"cpu": 0.1, "disk": 0.02, "log": 0.15, "db": 0.4}]
    names = [s.name for s in stations]
    whole = Network(
        stations, [ClosedClass(f"k{i}", population=15 * jobs, think_time=1.0 + i, demands=kinds[i]) for i in range(2)]
    )
    parts = [ClosedClass(f"c{r}", population=jobs, think_time=1.0 + r % 2, demands=kinds[r % 2]) for r in range(30)]
    result, expected = solve(Network(stations, parts)), solve(whole, method="lattice")
    assert (result.method, result.exact) == ("recal", True)
    for r, c in enumerate(parts):
        assert result[c.name].throughput == pytest.approx(expected[f"k{r % 2}"].throughput / 15, rel=1e-11)
        for name in names:
            length = expected[f"k{r % 2}", name].queue_length / 15
            assert result[c.name, name].queue_length == pytest.approx(length, rel=1e-11)
    for name in ("cpu", "db"):
        np.testing.assert_allclose(result.distribution(name), expected.distribution(name), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_against_the_lattice(seed: int) -> None:
    """Random networks of six to eight classes, delays and servers among them: as the lattice has them."""
    rng = np.random.default_rng(seed)
    stations = [Queue("s0", servers=int(rng.integers(1, 4))), Delay("s1"), Queue("s2"), zoo.RISING, Queue("s4", servers=0.7)]
    classes = [
        ClosedClass(
            f"c{r}",
            population=int(rng.integers(0, 4)),
            think_time=float(rng.choice([0.0, 2.0])),
            demands={s.name: float(10 ** rng.uniform(-3, 1)) * (s.name == "s0" or rng.random() < 0.7) for s in stations},
        )
        for r in range(rng.integers(6, 9))
    ]
    model = Network(stations, classes)
    result, expected = solve(model, method="recal"), solve(model, method="lattice")
    for c in classes:
        assert result[c.name].throughput == pytest.approx(expected[c.name].throughput, rel=1e-12)
        for s in stations:
            assert result[c.name, s.name].queue_length == pytest.approx(
                expected[c.name, s.name].queue_length, rel=1e-11, abs=1e-300
            )
    for s in stations:
        np.testing.assert_allclose(result.distribution(s.name), expected.distribution(s.name), rtol=1e-9, atol=1e-15)


def test_mean_value_analysis() -> None:
    """Ten classes at one-server queues have the figures of plain mean value analysis."""
    rng = np.random.default_rng(3)
    demand, think = rng.uniform(0.05, 1, (8, 3)), rng.uniform(0, 3, 8)
    x, q = exact_mva.mva([2, 1, 1, 2, 1, 1, 2, 1], think, demand, [True, True, True])
    classes = [
        ClosedClass(
            f"c{r}", population=n, think_time=float(think[r]), demands={f"s{k}": float(d) for k, d in enumerate(demand[r])}
        )
        for r, n in enumerate([2, 1, 1, 2, 1, 1, 2, 1])
    ]
    result = solve(Network([Queue(f"s{k}") for k in range(3)], classes), method="recal")
    for r, c in enumerate(classes):
        assert result[c.name].throughput == pytest.approx(x[r], rel=1e-12)
        for k in range(3):
            assert result[c.name, f"s{k}"].queue_length == pytest.approx(q[r, k], rel=1e-12)


def _alike(classes: int, jobs: int, stations: int) -> Network:
    return Network(
        [Queue(f"s{k}") for k in range(stations)],
        [
            ClosedClass(f"c{r}", population=jobs, think_time=1.0, demands={f"s{k}": 0.1 + 0.01 * k for k in range(stations)})
            for r in range(classes)
        ],
    )


def test_the_choice_between_lattice_and_recursion() -> None:
    """Both "auto" and "exact" take the one that takes less time; asked for by name, each is taken."""
    for name in ("auto", "exact"):
        assert solve(_alike(14, 1, 3), method=name).method == "recal"
        assert solve(_alike(3, 30, 4), method=name).method == "lattice"
        assert solve(_alike(2, 3, 4), method=name).method == "lattice"
    assert solve(_alike(14, 1, 3), method="lattice")["c0"].throughput == pytest.approx(
        solve(_alike(14, 1, 3))["c0"].throughput, rel=1e-12
    )


def _refused(model: Network, refusal: str) -> pytest.ExceptionInfo[NoMethodError]:
    with pytest.raises(NoMethodError, match=refusal) as info:
        solve(model, method="recal")
    return info


def test_what_is_too_large() -> None:
    """Beyond memory or time the recursion is refused at once, with figures and a repair."""
    for model, refusal in ((_alike(60, 2, 6), "GiB of the 2 GiB allowed"), (_alike(2, 900, 2), "takes too long")):
        info, calls = counted(partial(_refused, model, refusal))
        assert calls < 10_000
        assert "jobs at" in str(info.value)
        assert "take method 'linearizer'" in str(info.value)
    assert recal_bytes([2] * 30, 4) < 2**28


def test_memory_is_as_foretold() -> None:
    """What is refused by its memory would really take it: not more than foretold, and a third of it or more."""
    population, rng = np.full(24, 1.0), np.random.default_rng(0)
    demand, think = rng.uniform(0.1, 1, (24, 5)), rng.uniform(0, 3, 24)
    tracemalloc.start()
    recal(population, think, demand, [np.ones(1)] * 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert recal_bytes([1] * 24, 5) / 3 < peak < recal_bytes([1] * 24, 5)


def test_beside_open_classes() -> None:
    """The closed classes of a mixed model are taken by recursion where the lattice does not fit."""
    many = _alike(24, 1, 3)
    model = Network(many.stations, [*many.classes, OpenClass("web", arrival_rate=1.0, demands={"s0": 0.3})])
    result = solve(model)
    assert result.method == "mixed"
    slower = Network(
        many.stations,
        [ClosedClass("all", population=24, think_time=1.0, demands=many.classes[0].demands), model.classes[-1]],
    )
    expected = solve(slower)
    assert result["c0"].throughput == pytest.approx(expected["all"].throughput / 24, rel=1e-12)
    assert result["web"].response_time == pytest.approx(expected["web"].response_time, rel=1e-12)


def test_the_report_names_it() -> None:
    """The list of methods shows that it takes the model, and its source."""
    report = next(r for r in methods(_alike(40, 1, 3)) if r.name == "recal")
    assert report.accepts
    assert (report.exact, report.source) == (True, "Conway1986")
