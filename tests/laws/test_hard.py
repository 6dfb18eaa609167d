"""Models that are large, extreme or nearly degenerate, where a weaker method loses digits or memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, NoMethodError, Queue, Solution, methods, solve

from tests import DATA
from tests.oracles import exact_mva
from tests.support import zoo

MODELS: dict[str, dict[str, Any]] = json.loads((DATA / "models.json").read_text(encoding="utf-8"))


def _network(name: str) -> Network:
    given = MODELS[name]
    stations = [Queue(f"s{k}", servers=m) for k, m in enumerate(given["servers"])]
    classes = [
        ClosedClass(f"c{r}", population=n, think_time=z, demands={f"s{k}": t for k, t in enumerate(demands)})
        for r, (n, z, demands) in enumerate(zip(given["population"], given["think_time"], given["demands"], strict=True))
    ]
    return Network(stations, classes)


def _sixteen(population: int, demand: float = 4.0) -> Network:
    """Sixteen servers that limit at 4/s beside a queue that limits at 4.016/s."""
    stations = [Queue("cpu", servers=16), Queue("disk"), Queue("tape"), Queue("link")]
    return Network(stations, [zoo.closed("query", population, 20.0, cpu=demand, disk=0.249, tape=0.15, link=0.1)])


def _laws(result: Solution) -> None:
    """Hold a closed network's figures against Little, the population and the servers."""
    for c in result.model.classes:
        found = result[c.name]
        assert found.throughput > 0
        inside = sum(result[c.name, s.name].queue_length for s in result.stations)
        assert inside + found.throughput * c.think_time == pytest.approx(c.population, rel=1e-10)
        for s in result.model.stations:
            pair = result[c.name, s.name]
            assert np.isfinite(pair.residence_time)
            assert pair.residence_time >= c.demand(s.name) * (1 - 1e-10)
            assert pair.queue_length == pytest.approx(found.throughput * pair.residence_time, rel=1e-10)
    for s in result.model.stations:
        assert isinstance(s, Delay) or 0 <= result[s.name].utilization <= 1 + 1e-12


def _peak(work: Callable[[], object]) -> int:
    """Most memory that Python and numpy take while working [bytes]."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_sixteen_servers_next_to_saturation() -> None:
    """500 jobs at 16 servers with a second bottleneck half a percent behind have the throughput of rational numbers."""
    (x,) = exact_mva.throughputs(_sixteen(500))
    assert float(x) == pytest.approx(3.996098682941637, rel=1e-15)
    for method in ("convolution", "lattice"):
        assert solve(_sixteen(500), method=method)["query"].throughput == pytest.approx(float(x), rel=1e-12)


@pytest.mark.parametrize(("demand", "limit"), [(4.0, 16 / 4.0), (3.9, 1 / 0.249)])
def test_a_million_jobs_meet_the_bottleneck(demand: float, limit: float) -> None:
    """A million jobs pass at the rate of the narrowest station, 16 servers or one, and wait there."""
    result = solve(_sixteen(10**6, demand))
    assert result["query"].throughput == pytest.approx(limit, rel=1e-9)
    assert result[result["query"].bottleneck].queue_length > 0.999 * 10**6
    _laws(result)


def test_a_million_jobs_take_little_memory() -> None:
    """A million jobs at a 16-server station are solved within 200 megabytes."""
    assert _peak(lambda: solve(_sixteen(10**6))) < 200e6


@pytest.mark.parametrize("name", MODELS)
def test_known_throughputs(name: str) -> None:
    """Large multi-class networks have the stored throughputs, which a plain computation made."""
    given, result = MODELS[name], solve(_network(name))
    assert result.exact
    np.testing.assert_allclose([c.throughput for c in result.classes], given["throughput"], rtol=1e-12)
    _laws(result)


@pytest.mark.parametrize("name", ["g_3x5_ms4", "h_2c_ms16"])
def test_stored_throughputs_of_many_servers_are_reproduced(name: str) -> None:
    """The stored throughputs of networks with many servers are those of rational arithmetic."""
    assert list(map(float, exact_mva.throughputs(_network(name)))) == pytest.approx(MODELS[name]["throughput"], rel=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d_3x5_50", "d_4x5_20"])
def test_stored_throughputs_are_reproduced(name: str) -> None:
    """The stored throughputs are those of plain mean value analysis, and so are the queue lengths."""
    given, result = MODELS[name], solve(_network(name))
    x, q = exact_mva.mva(given["population"], given["think_time"], given["demands"], [True] * len(given["servers"]))
    np.testing.assert_allclose(x, given["throughput"], rtol=1e-13)
    lengths = [[result[c.name, s.name].queue_length for s in result.stations] for c in result.classes]
    np.testing.assert_allclose(lengths, q, rtol=1e-11)


@pytest.mark.parametrize("population", [1, 10, 1000, 10**6])
@pytest.mark.parametrize("servers", [1, 4])
def test_demands_over_fifteen_powers_of_ten(population: int, servers: int) -> None:
    """Demands of 1e-9 to 1e6 in one network give finite, positive and lawful figures."""
    demands = {f"s{k}": 10.0 ** (k - 9) for k in range(16)}
    stations = [Queue(name, servers=1 if k % 2 else servers) for k, name in enumerate(demands)]
    result = solve(Network(stations, [ClosedClass("query", population=population, think_time=1.0, demands=demands)]))
    _laws(result)
    fastest = min(population / (1 + sum(demands.values())), 1e-6 if servers == 1 or len(stations) % 2 == 0 else 4e-6)
    assert 0.5 * fastest < result["query"].throughput <= fastest * (1 + 1e-12)


def test_demands_over_fifteen_powers_of_ten_with_several_classes() -> None:
    """So do several classes, each with the order of demands of another."""
    stations = [Queue(f"s{k}", servers=1 + k % 3) for k in range(6)]
    sizes = [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6]
    classes = [
        ClosedClass(
            f"c{r}", population=12, think_time=z, demands={s.name: sizes[(k + 2 * r) % 6] for k, s in enumerate(stations)}
        )
        for r, z in enumerate([0.0, 1e-3, 1e5])
    ]
    _laws(solve(Network(stations, classes)))


@pytest.mark.parametrize("peak", [2, 8, 20])
@pytest.mark.parametrize("last", [0.9, 0.1, 1e-3])
def test_rising_then_falling_speeds(peak: int, last: float) -> None:
    """A station that thrashes, with two likely states and a valley between, has the figures of rational numbers."""
    rates = [*range(1, peak + 1), *np.geomspace(peak, last, 12).tolist()[1:]]
    stations = [LoadDependent("pool", rates=rates), Queue("disk")]
    for think_time in (0.5 * peak, 2.0 * peak, 10.0 * peak):
        model = Network(stations, [zoo.closed("query", 45, think_time, pool=1.0, disk=0.01)])
        x, lengths = exact_mva.one_class(model)
        for method in ("convolution", "lattice"):
            result = solve(model, method=method)
            assert result["query"].throughput == pytest.approx(float(x), rel=1e-12)
            assert result["pool"].queue_length == pytest.approx(float(lengths[0]), rel=1e-11)
            assert result["disk"].queue_length == pytest.approx(float(lengths[1]), rel=1e-11)


def test_two_large_classes_at_64_servers() -> None:
    """300 and 300 jobs at a 64-server station obey the laws, and share it as merged classes would."""
    stations = [Queue("cpu", servers=64), Queue("disk"), Delay("net")]
    two = [zoo.closed("a", 300, 20.0, cpu=4.0, disk=0.03, net=1.0), zoo.closed("b", 300, 5.0, cpu=2.0, disk=0.03)]
    result = solve(Network(stations, two))
    _laws(result)
    for station in ("cpu", "disk"):
        p = result.distribution(station)
        assert float(p @ np.arange(len(p))) == pytest.approx(result[station].queue_length, rel=1e-9)
    alike = [zoo.closed(name, 300, 20.0, cpu=4.0, disk=0.03, net=1.0) for name in "ab"]
    halves = solve(Network(stations, alike))
    whole = solve(Network(stations, [zoo.closed("both", 600, 20.0, cpu=4.0, disk=0.03, net=1.0)]))
    assert halves["a"].throughput == pytest.approx(whole["both"].throughput / 2, rel=1e-12)
    assert halves["b", "cpu"].residence_time == pytest.approx(whole["both", "cpu"].residence_time, rel=1e-11)


def test_a_lattice_too_large_is_refused_at_once() -> None:
    """A lattice beyond memory is refused before memory is taken, with its size, its stations and a repair."""
    demands = {"cpu": 4.0, "disk": 0.05, "a": 0.1, "b": 0.1}
    classes = [zoo.closed(f"c{r}", 100 + r, **demands) for r in range(5)]
    model = Network([Queue(name) for name in demands], classes)
    caught: list[NoMethodError] = []

    def refused() -> None:
        with pytest.raises(NoMethodError) as info:
            solve(model, method="exact")
        caught.append(info.value)

    assert _peak(refused) < 1e6
    (error,) = caught
    assert "101×102×103×104×105 points at 4 stations" in error.reasons["lattice"]
    assert "GiB" in error.reasons["lattice"]
    assert "merge similar classes" in error.reasons["lattice"]
    assert "510 jobs at 4 stations" in error.reasons["recal"]
    assert str(error).startswith("no method accepts this model: the population lattice")
    assert error.exit_code == 3


def test_a_convolution_too_long_is_refused_by_every_exact_method() -> None:
    """A speed that does not level off within a million jobs is refused, and no slower exact method takes it instead."""
    pool = LoadDependent("pool", rates=[n**0.9 for n in range(1, 10**5 + 1)])
    model = Network([pool, zoo.DISK], [zoo.closed("query", 10**6, pool=4.0, disk=0.05)])
    reports = {report.name: report for report in methods(model) if report.exact}
    assert "'pool'" in reports["convolution"].reason
    assert [name for name, report in reports.items() if report.accepts] == []


@pytest.mark.parametrize("population", [10, 1000])
def test_bottleneck_with_equal_demands(population: int) -> None:
    """A balanced network of K queues without think time has throughput N/(N + K − 1) over the demand."""
    demands = {f"s{k}": 0.25 for k in range(7)}
    result = solve(Network([Queue(name) for name in demands], [ClosedClass("query", population=population, demands=demands)]))
    assert result["query"].throughput == pytest.approx(population / (population + 6) / 0.25, rel=1e-12)
    for name in demands:
        assert result[name].queue_length == pytest.approx(population / 7, rel=1e-12)
