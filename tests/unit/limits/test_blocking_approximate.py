"""Method blocking: what it must meet exactly, the published decomposition written once more, simulation, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, NoMethodError, OpenClass, Queue, SaturatedError, methods, solve
from qnsolve.methods.registry import METHODS


def tandem(times: tuple[float, ...], rooms: tuple[int | None, ...], rate: float, servers: int = 1) -> Network:
    """Stations one after the other."""
    stations = [Queue(f"s{k}", servers=servers, capacity=room) for k, room in enumerate(rooms)]
    demands = {s.name: time for s, time in zip(stations, times, strict=True)}
    return Network(stations, [OpenClass("jobs", arrival_rate=rate, demands=demands)])


@pytest.mark.parametrize("servers", [1, 3])
def test_wide_rooms_are_none(servers: int) -> None:
    """With room that is never used up an open line is one without limits."""
    model = tandem((1.0, 0.8, 1.1), (None, 80, 80), 0.5 * servers, servers)
    plain = tandem((1.0, 0.8, 1.1), (None, None, None), 0.5 * servers, servers)
    result, exact = solve(model, method="blocking"), solve(plain)
    for station in exact.stations:
        assert result[station.name].queue_length == pytest.approx(station.queue_length, rel=1e-9)
        p = exact.distribution(station.name)[:40]
        np.testing.assert_allclose(result.distribution(station.name)[: len(p)], p, rtol=1e-7, atol=1e-16)
    assert max(s.fraction_blocked for s in result.stations) < 1e-9


def test_a_capacity_that_is_rarely_reached() -> None:
    """A closed class of two hundred with a capacity of sixty at an idle station: the exact method's figures."""
    stations = [Queue("a", servers=2), Queue("b"), Delay("c")]
    jobs = ClosedClass("jobs", population=200, think_time=30.0, demands={"a": 1.0, "b": 0.3, "c": 0.5})
    exact = solve(Network(stations, [jobs]))
    result = solve(Network([stations[0], Queue("b", capacity=60), stations[2]], [jobs]), method="blocking")
    assert result["jobs"].throughput == pytest.approx(exact["jobs"].throughput, rel=1e-9)
    assert result["b"].queue_length == pytest.approx(exact["b"].queue_length, rel=1e-9)


@pytest.mark.parametrize(("room", "expected"), [(1, 2 / 3), (2, 3 / 4), (6, 7 / 8)])
def test_two_stations_saturate_where_hunt_says(room: int, expected: float) -> None:
    """The highest rate of two equal stations is exact: each is then the birth-death process that it is [Hunt1956]."""
    with pytest.raises(SaturatedError) as caught:
        solve(tandem((1.0, 1.0), (None, room), 0.9), method="blocking")
    assert caught.value.highest_rate == pytest.approx(expected, rel=2e-4)
    solve(tandem((1.0, 1.0), (None, room), 0.9995 * expected), method="blocking")


def _between(service: float, room: int, rate: float) -> np.ndarray:
    """P(n) in an M/M/1/K queue that is fed just so fast that it passes on a rate; K is the room and the server upstream."""
    low, high = 1e-9, 1e9
    for _ in range(200):
        fed = (low * high) ** 0.5
        weights = np.cumprod([1.0, *[fed * service] * (room + 1)])
        p = weights / weights.sum()
        low, high = (fed, high) if (1 - p[0]) / service < rate else (low, fed)
    return p


def _decomposed(times: tuple[float, ...], rooms: tuple[int, ...], rate: float) -> list[float]:
    """Mean time at each station by Dallery and Frein's decomposition, from the last pair of stations to the first."""
    spent, late = [], 0.0
    for k in range(len(times) - 1, 0, -1):
        p = _between(times[k] + late, rooms[k - 1], rate)
        spent.append(float(p @ np.minimum(np.arange(len(p)), rooms[k - 1])) / rate)
        late = float(p[-1]) / rate  # a job upstream is blocked so long in the mean
    return [1 / (1 / (times[0] + late) - rate), *spent[::-1]]


@pytest.mark.parametrize(
    ("times", "rooms", "rate"),
    [((1.0, 1.0, 1.0), (2, 2), 0.5), ((0.7, 1.2, 0.9, 1.1), (1, 3, 2), 0.45), ((1.0, 0.4), (1,), 0.8)],
)
def test_lines_of_single_servers(times: tuple[float, ...], rooms: tuple[int, ...], rate: float) -> None:
    """A line of single servers is solved by the published decomposition."""
    result = solve(tandem(times, (None, *rooms), rate), method="blocking")
    spent = [pair.residence_time for pair in result.pairs]
    assert spent == pytest.approx(_decomposed(times, rooms, rate), rel=1e-8)


@pytest.mark.slow
def test_near_a_simulation_of_many_jobs() -> None:
    """Three hundred jobs, too many for the chain: within 4 % of the simulated throughput and blocking."""
    from qnsolve.methods.arrays import from_network
    from qnsolve.methods.job_process import job_process
    from qnsolve.simulation import network_simulation as held

    stations = [
        Queue("a", servers=4),
        Queue("b", servers=2, capacity=5),
        Queue("c", capacity=3),
        LoadDependent("d", rates=[1, 1.5]),
    ]
    jobs = ClosedClass(
        "jobs",
        population=300,
        think_time=100.0,
        service_times={"a": 1.0, "b": 0.7, "c": 0.3, "d": 0.4},
        routing={"a": {"b": 0.7, "c": 0.3}, "b": {"c": 0.8, "b": 0.2}, "c": {"d": 1.0}, "d": {}},
        entry={"a": 1.0},
        exits={"d": 1.0},
    )
    model = Network(stations, [jobs])
    result = solve(model)
    assert (result.method, result.exact) == ("blocking", False)
    found = held.simulate(job_process(from_network(model)), 40_000, 20, 1)
    assert result["jobs"].throughput == pytest.approx(found.finished.sum() / found.duration.sum(), rel=0.04)
    assert result["a"].fraction_blocked > 0.05
    inside = found.area.sum(axis=(0, 1)) / found.duration.sum()
    for k, tolerance in ((1, 0.06), (2, 0.06), (3, 0.06)):
        assert result.stations[k].queue_length == pytest.approx(inside[k], rel=tolerance)


def test_all_jobs_are_somewhere() -> None:
    """Populations are complete to the last digits, waiting outside for room included, and blocked time is no utilization."""
    stations = [Queue("a", capacity=3), Queue("b", capacity=2)]
    model = Network(stations, [ClosedClass("jobs", population=9, think_time=4.0, demands={"a": 1.0, "b": 1.0})])
    result = solve(model, method="blocking")
    exact = solve(model, method="markov")
    assert result.residual < 1e-11
    assert result["jobs"].number_outside == pytest.approx(exact["jobs"].number_outside, rel=0.15)
    assert result["jobs"].fraction_delayed == pytest.approx(exact["jobs"].fraction_delayed, rel=0.15)
    assert result["a"].utilization + result["a"].fraction_blocked <= 1
    assert len(result.distribution("a")) == 4


REFUSED = {
    "several classes": (
        Network(
            [Queue("a"), Queue("b", capacity=2)],
            [ClosedClass(name, population=3, demands={"a": 1.0, "b": 1.0}) for name in "xy"],
        ),
        "for one class only",
    ),
    "nobody is blocked": (
        Network([Queue("a")], [ClosedClass("x", population=3, demands={"a": 1.0})]),
        "for models where stations",
    ),
    "full everywhere": (
        Network(
            [Queue("a", capacity=4), Queue("b", capacity=4)], [ClosedClass("x", population=6, demands={"a": 1.0, "b": 1.0})]
        ),
        "for closed classes with a think time, or with a station of unlimited capacity",
    ),
    "uneven times": (
        Network(
            [Queue("a"), Queue("b", capacity=2)],
            [ClosedClass("x", population=6, demands={"a": 1.0, "b": 1.0}, service_variation={"a": 2.0})],
        ),
        "only exponential times are accepted",
    ),
    "too long": (
        Network([Queue("a"), Queue("b", capacity=2)], [ClosedClass("x", population=10**5, demands={"a": 1.0, "b": 1.0})]),
        "are too many",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What it does not accept it refuses with the reason."""
    model, reason = REFUSED[name]
    with pytest.raises(NoMethodError, match=reason):
        solve(model, method="blocking")


def test_the_exact_chain_goes_first() -> None:
    """A small model is solved exactly; one whose chain turns out too large on the way goes on to the approximation."""
    small = tandem((1.0, 1.0), (None, 2), 0.5)
    assert [r.name for r in methods(small) if r.accepts] == ["markov", "blocking"]
    assert solve(small).method == "markov"
    long = tandem((1.0,) * 6, (None, 4, 4, 4, 4, 4), 0.4)
    result = solve(long)
    assert result.method == "blocking"
    assert any(note.startswith("approximate: response time ") and "1500 models" in note for note in result.notes)
    with pytest.raises(NoMethodError):
        solve(long, method="exact")
    assert METHODS[-1].name == "blocking"


def test_near_enough() -> None:
    """Where rounding keeps the last digits of the blocking times moving, the answer is the chain's as elsewhere: 3 %."""
    model = Network(
        [Queue("s0"), Queue("s1", servers=4, capacity=8)],
        [ClosedClass("a", population=20, demands={"s0": 1.870004189818036, "s1": 1.3662174047196294})],
    )
    assert solve(model, "blocking")["a"].throughput == pytest.approx(solve(model, "markov")["a"].throughput, rel=0.03)
