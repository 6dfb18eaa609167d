"""Exact methods against each other, against plain mean value analysis, and against rational arithmetic."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, Queue, Solution, methods, solve

from tests.oracles import exact_mva
from tests.support import zoo


def _exact(model: Network) -> list[Solution]:
    """The model by every exact method that accepts it, but the Markov chain, which takes long here."""
    found = [r.name for r in methods(model) if r.exact and r.accepts and r.name != "markov"]
    assert found
    return [solve(model, method=name) for name in found]


def _figures(result: Solution) -> tuple[np.ndarray, np.ndarray]:
    lengths = [[result[c.name, s.name].queue_length for s in result.stations] for c in result.classes]
    return np.array([c.throughput for c in result.classes]), np.array(lengths)


@pytest.mark.parametrize("name", [name for name in zoo.every_model() if len(zoo.accepting(name)) > 1])
def test_exact_methods_agree(name: str) -> None:
    """All exact methods that accept a model give the same throughputs, queue lengths and distributions."""
    first, *others = [r for r in (zoo.solved(name, method) for method in zoo.accepting(name)) if r.exact]
    for other in others:
        for ours, theirs in zip(_figures(first), _figures(other), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-16)
        for c in first.classes:
            assert c.cycle_time == pytest.approx(other[c.name].cycle_time, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("population", [1, 2, 7, 60, 300])
@pytest.mark.parametrize("servers", [1, 3])
def test_one_class_by_lattice_and_convolution(population: int, servers: int) -> None:
    """The lattice with one axis is the convolution, far beyond the zoo's populations."""
    stations = [Queue("cpu", servers=servers), Queue("disk"), zoo.RISING, zoo.NET]
    model = Network(stations, [zoo.closed("query", population, 3.0, cpu=0.3 * servers, disk=0.29, pool=0.7, net=1.0)])
    results = _exact(model)
    assert {r.method for r in results} >= {"convolution", "lattice"}
    x, q = _figures(results[0])
    for result in results[1:]:
        np.testing.assert_allclose(_figures(result)[0], x, rtol=1e-12)
        np.testing.assert_allclose(_figures(result)[1], q, rtol=1e-11)
        for station in stations:
            ours, theirs = results[0].distribution(station.name), result.distribution(station.name)
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-14)


@cache
def _one_server_models() -> dict[str, Network]:
    """Networks of one-server queues and delays, one to three classes."""
    rng, models = np.random.default_rng(7), {}
    for i, population in enumerate([(1,), (40,), (300,), (9, 6), (30, 1), (1, 1, 1), (4, 7, 5), (12, 10, 9), (0, 5, 3)]):
        stations = [Queue("cpu"), Queue("disk"), Delay("net"), Queue("tape"), Queue("link")][: 5 - i % 3]
        classes = [
            ClosedClass(
                f"c{r}",
                population=n,
                think_time=float(rng.choice([0.0, 2.0, 11.0])),
                demands={s.name: float(10 ** rng.uniform(-2, 0.5)) for s in stations},
            )
            for r, n in enumerate(population)
        ]
        models["×".join(map(str, population))] = Network(stations, classes)
    return models


@pytest.mark.parametrize("name", _one_server_models())
def test_mean_value_analysis(name: str) -> None:
    """Networks of one-server queues have the throughputs and queue lengths of plain mean value analysis."""
    model = _one_server_models()[name]
    x, q = exact_mva.mva(
        [c.population for c in model.classes],
        np.array([c.think_time for c in model.classes]),
        np.array([[c.demand(s.name) for s in model.stations] for c in model.classes]),
        [isinstance(s, Queue) for s in model.stations],
    )
    for result in _exact(model):
        np.testing.assert_allclose(_figures(result)[0], x, rtol=1e-12)
        np.testing.assert_allclose(_figures(result)[1], q, rtol=1e-12)


ROOTS = [n**0.75 for n in range(1, 61)]
INVERSE = [1 / n for n in range(1, 31)]
PAIR = [Queue("disk"), Delay("net")]
RATIONAL = {
    "16 servers, 60 jobs": Network(
        [Queue("cpu", servers=16), *PAIR], [zoo.closed("query", 60, 2.0, cpu=4.0, disk=0.249, net=0.5)]
    ),
    "16 servers, no think time": Network([Queue("cpu", servers=16), *PAIR], [zoo.closed("query", 50, cpu=4.0, disk=0.26)]),
    "16 servers, 16 jobs": Network([Queue("cpu", servers=16), *PAIR], [zoo.closed("query", 16, 2.0, cpu=4.0, disk=0.249)]),
    "16 servers, 17 jobs": Network([Queue("cpu", servers=16), *PAIR], [zoo.closed("query", 17, 2.0, cpu=4.0, disk=0.249)]),
    "two pools": Network([Queue("cpu", servers=8), Queue("io", servers=4)], [zoo.closed("query", 55, 20.0, cpu=2.0, io=1.0)]),
    "one server, 60 jobs": Network([Queue("cpu"), *PAIR], [zoo.closed("query", 60, 9.0, cpu=0.25, disk=0.25, net=0.5)]),
    "rising": Network([zoo.RISING, *PAIR], [zoo.closed("query", 60, 9.0, pool=0.6, disk=0.15)]),
    "rising, not levelling": Network(
        [LoadDependent("pool", rates=ROOTS), *PAIR],
        [zoo.closed("query", 60, 9.0, pool=1.6, disk=0.15)],
    ),
    "rising then falling": Network([zoo.THRASHING, *PAIR], [zoo.closed("query", 40, 9.0, pool=0.6, disk=0.15)]),
    "falling": Network(
        [LoadDependent("pool", rates=INVERSE), *PAIR],
        [zoo.closed("query", 30, 60.0, pool=0.3, disk=0.15)],
    ),
    "jumping": Network(
        [LoadDependent("pool", rates=[1, 5, 0.2, 7, 3, 3, 0.9]), *PAIR], [zoo.closed("query", 35, 5.0, pool=0.3, disk=0.15)]
    ),
    "far apart": Network([Queue("cpu"), *PAIR], [zoo.closed("query", 40, 1e6, cpu=1e-9, disk=1e3, net=1e-3)]),
}


@pytest.mark.parametrize("name", RATIONAL)
def test_rational_arithmetic(name: str) -> None:
    """One-class networks have the throughput and queue lengths that rational numbers give, to twelve digits."""
    model = RATIONAL[name]
    x, q = exact_mva.one_class(model)
    for result in _exact(model):
        assert result.classes[0].throughput == pytest.approx(float(x), rel=1e-12)
        for station, length in zip(model.stations, q, strict=True):
            assert result[station.name].queue_length == pytest.approx(float(length), rel=1e-11)


@pytest.mark.parametrize("name", [n for n, m in zoo.HAND_MADE.items() if len(m.classes) == 1 and 0 < zoo.jobs(m) < 100])
def test_zoo_in_rational_arithmetic(name: str) -> None:
    """Every closed model of one class in the zoo has the figures that rational numbers give."""
    model = zoo.HAND_MADE[name]
    x, q = exact_mva.one_class(model)
    assert sum(q) + x * exact_mva.Fraction(model.classes[0].think_time) == model.classes[0].population
    for result in _exact(model):
        assert result.classes[0].throughput == pytest.approx(float(x), rel=1e-12)
        for station, length in zip(model.stations, q, strict=True):
            assert result[station.name].queue_length == pytest.approx(float(length), rel=1e-12)
