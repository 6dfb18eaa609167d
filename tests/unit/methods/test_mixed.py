"""Open and closed classes in one model, against Markov chains and what must hold between models."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LawError, LoadDependent, Network, OpenClass, Queue, SaturatedError, solve

from tests.oracles.markov_chain import chain
from tests.support import zoo

State = tuple[int, ...]


def _chain(model: Network, most: int) -> dict[str, float]:
    """Throughput of the closed class and mean numbers at the stations, by a chain cut at `most` open jobs.

    One closed and one open class; a job goes round its stations as the model lists them.
    State: closed jobs thinking, closed jobs at each station, open jobs at each station.
    """
    inside, outside = model.classes
    assert isinstance(inside, ClosedClass)
    assert isinstance(outside, OpenClass)
    places = len(model.stations)
    closed_way = [k for k, s in enumerate(model.stations) if inside.demand(s.name) > 0]
    open_way = [k for k, s in enumerate(model.stations) if outside.demand(s.name) > 0]

    def moved(state: State, source: int | None, target: int | None) -> State:
        new = list(state)
        for place, change in ((source, -1), (target, 1)):
            if place is not None:
                new[place] += change
        return tuple(new)

    def moves(state: State) -> Iterable[tuple[float, State]]:
        thinking, closed, opened = state[0], state[1 : places + 1], state[places + 1 :]
        if sum(opened) < most:
            yield outside.arrival_rate, moved(state, None, places + 1 + open_way[0])
        if thinking:
            yield thinking / inside.think_time, moved(state, 0, 1 + closed_way[0])
        for k, station in enumerate(model.stations):
            present = closed[k] + opened[k]
            if not present:
                continue
            speed = present if isinstance(station, Delay) else zoo.held_speed(station, present)
            for count, way, job_class, first, home in (
                (closed[k], closed_way, inside, 1, 0),
                (opened[k], open_way, outside, places + 1, None),
            ):
                if count:
                    after = way[way.index(k) + 1 :]
                    target = first + after[0] if after else home
                    yield speed * count / present / job_class.demand(station.name), moved(state, first + k, target)

    p = chain((inside.population, *([0] * (2 * places))), moves)
    result = {"X": sum(share * state[0] for state, share in p.items()) / inside.think_time}
    for k, station in enumerate(model.stations):
        result[f"closed {station.name}"] = sum(share * state[1 + k] for state, share in p.items())
        result[f"open {station.name}"] = sum(share * state[places + 1 + k] for state, share in p.items())
    return result


CHAINS = {
    "one server": ([Queue("cpu")], {"cpu": 0.5}, {"cpu": 0.25}, 40),
    "two servers": ([Queue("cpu", servers=2)], {"cpu": 0.9}, {"cpu": 0.4}, 40),
    "as many servers as jobs": ([Queue("cpu", servers=4)], {"cpu": 0.9}, {"cpu": 0.6}, 40),
    "more servers than jobs": ([Queue("cpu", servers=6)], {"cpu": 0.9}, {"cpu": 0.9}, 40),
    "rising speeds": ([LoadDependent("cpu", rates=[1, 1.5, 1.8])], {"cpu": 0.9}, {"cpu": 0.3}, 40),
    "falling speeds": ([LoadDependent("cpu", rates=[2, 3, 1.5, 1])], {"cpu": 0.5}, {"cpu": 0.2}, 45),
    "queue and delay": ([Queue("cpu", servers=2), Delay("net")], {"cpu": 0.9, "net": 0.2}, {"cpu": 0.3, "net": 0.01}, 18),
    "two queues": ([Queue("cpu", servers=2), Queue("disk")], {"cpu": 0.9, "disk": 0.2}, {"cpu": 0.2, "disk": 0.05}, 16),
}


@pytest.mark.parametrize("name", CHAINS)
def test_against_a_markov_chain(name: str) -> None:
    """Throughput and every mean number agree with the chain to 1e-10."""
    stations, inside, outside, most = CHAINS[name]
    population = 4 if len(stations) == 1 else 2
    classes = [
        ClosedClass("query", population=population, think_time=1.5, demands=inside),
        OpenClass("browse", arrival_rate=1.0, demands=outside),
    ]
    model = Network(stations, classes)
    expected, result = _chain(model, most), solve(model, method="mixed")
    assert result["query"].throughput == pytest.approx(expected["X"], rel=1e-10)
    for station in stations:
        for kind, job_class in (("closed", "query"), ("open", "browse")):
            value = expected[f"{kind} {station.name}"]
            assert result[job_class, station.name].queue_length == pytest.approx(value, rel=1e-10)


def test_one_server_is_slowed_by_the_open_load() -> None:
    """With single servers the closed classes see demands over 1 − U of the open ones (Lazowska 7.4.3)."""
    stations = [Queue("cpu"), Queue("disk")]
    closed = [zoo.closed("a", 6, 1.0, cpu=0.2, disk=0.3), zoo.closed("b", 4, 2.0, cpu=0.5, disk=0.1)]
    mixed = solve(Network(stations, [*closed, zoo.opened("web", 2.0, cpu=0.2, disk=0.1)]))
    slowed = [ClosedClass(c.name, population=c.population, think_time=c.think_time,
                          demands={"cpu": c.demand("cpu") / 0.6, "disk": c.demand("disk") / 0.8}) for c in closed]  # fmt: skip
    alone = solve(Network(stations, slowed))
    for name in "ab":
        assert mixed[name].throughput == pytest.approx(alone[name].throughput, rel=1e-12)
    for station, load in (("cpu", 0.4), ("disk", 0.2)):
        expected = load * (1 + alone[station].queue_length) / (1 - load)
        assert mixed["web", station].queue_length == pytest.approx(expected, rel=1e-12)


def test_an_open_class_is_the_limit_of_closed_ones() -> None:
    """A closed class of N jobs thinking N/λ comes nearer as 1/N."""
    stations = [Queue("cpu", servers=3), LoadDependent("pool", rates=[1, 1.5, 1.2])]
    query, demands = zoo.closed("query", 12, 2.0, cpu=0.5, pool=0.1), {"cpu": 0.4, "pool": 0.2}
    mixed = solve(Network(stations, [query, OpenClass("web", arrival_rate=2.0, demands=demands)]))
    errors = []
    for n in (500, 5000):
        many = ClosedClass("web", population=n, think_time=n / 2.0, demands=demands)
        closed = solve(Network(stations, [query, many]))
        errors.append(abs(closed["query"].throughput / mixed["query"].throughput - 1))
        assert closed["web"].response_time == pytest.approx(mixed["web"].response_time, rel=40 / n)
    assert errors[1] < errors[0] / 8
    assert errors[1] < 1e-3


def test_many_servers_and_many_open_jobs() -> None:
    """A 500-server pool nearly full of open work: laws hold and the pool is left its spare servers."""
    model = Network([Queue("pool", servers=500)], [zoo.closed("query", 60, 1.0, pool=1.0), zoo.opened("web", 480.0, pool=1.0)])
    result = solve(model)
    assert result.residual < 1e-12
    assert 19 < result["query"].throughput < 20
    p = result.distribution("pool")
    assert p @ np.arange(len(p)) == pytest.approx(result["pool"].queue_length, rel=1e-9)


def test_saturation_by_open_classes_alone() -> None:
    """The open classes saturate as if alone; the closed ones never do."""
    model = Network([Queue("cpu", servers=2)], [zoo.closed("query", 50, cpu=1.0), zoo.opened("web", 1.99, cpu=1.0)])
    assert solve(model)["cpu"].utilization == pytest.approx(1, rel=1e-3)
    with pytest.raises(SaturatedError, match="class 'web' loads it most and its highest stable rate is 2/s"):
        solve(model.replace("web", arrival_rate=2.0))


@pytest.mark.parametrize("seed", range(60))
def test_extreme_models(seed: int) -> None:
    """Demands from 1e-6 to 1e3, hundreds of closed jobs, up to 500 servers: laws hold, distributions have the right mean."""
    rng = np.random.default_rng(seed)
    stations = [Queue("a", servers=int(rng.choice([1, 8, 500]))), Queue("b"), LoadDependent("c", rates=[0.5, 2.0, 1.0])]
    inside = {s.name: 10 ** rng.uniform(-6, 3) for s in stations}
    outside = {s.name: 10 ** rng.uniform(-6, 3) for s in stations}
    most = min(stations[0].servers / outside["a"], 1 / outside["b"], 1 / outside["c"])
    query = ClosedClass("query", population=int(rng.integers(1, 450)), think_time=10 ** rng.uniform(-3, 3), demands=inside)
    web = OpenClass("web", arrival_rate=most * rng.choice([1e-6, 0.3, 0.9, 0.99]), demands=outside)
    result = solve(Network(stations, [query, web]))
    assert result.residual < 1e-11
    for station in result.stations:
        p = result.distribution(station.name)
        assert p @ np.arange(len(p)) == pytest.approx(station.queue_length, rel=1e-9, abs=1e-12)


def test_a_distribution_too_long_is_an_error_of_its_own() -> None:
    """A delay with 1e12 jobs has no distribution that could be handed out; the means are."""
    result = solve(Network([Delay("net"), Queue("cpu")], [zoo.opened("web", 1e6, net=1e6, cpu=1e-9)]))
    assert result["net"].queue_length == pytest.approx(1e12)
    with pytest.raises(LawError, match="station 'net': the distribution of"):
        result.distribution("net")
