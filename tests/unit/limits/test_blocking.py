"""Stations of limited room: blocking after service, exactly, simulated, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, Network, NoMethodError, OpenClass, Queue, SaturatedError, solve, verify
from qnsolve.methods.arrays import from_network
from qnsolve.methods.job_process import job_process
from qnsolve.simulation import network_simulation as held

from tests.oracles.markov_chain import birth_death, chain

State = tuple[int, ...]


def line(rooms: Iterable[int | None], times: Iterable[float], population: int, think_time: float = 0.0) -> Network:
    """A circle of single servers."""
    stations = [Queue(f"s{k}", capacity=room) for k, room in enumerate(rooms)]
    demands = dict(zip([s.name for s in stations], times, strict=True))
    return Network(stations, [ClosedClass("jobs", population=population, think_time=think_time, demands=demands)])


@pytest.mark.parametrize(
    ("rooms", "expected"), [((1,), 2 / 3), ((2,), 3 / 4), ((5,), 6 / 7), ((1, 1), 22 / 39), ((1, 1, 1), 0.5148)]
)
def test_lines_that_never_starve(rooms: tuple[int, ...], expected: float) -> None:
    """Capacities of lines of equal exponential servers, always fed: [Hunt1956]; the fourth in [Hillier1967]."""
    model = line((None, *rooms), (1.0,) * (len(rooms) + 1), sum(rooms) + 1)
    rel = 1e-13 if len(rooms) < 3 else 1e-4
    assert solve(model)["jobs"].throughput == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize(("first", "room", "servers", "jobs"), [(1, 3, 1, 7), (2, 2, 1, 9), (3, 4, 2, 8), (2, 5, 4, 6)])
def test_two_stations(first: int, room: int, servers: int, jobs: int) -> None:
    """Two stations, one of them limited, are a birth-death process of the jobs bound for it."""
    stations = [Queue("a", servers=first), Queue("b", servers=servers, capacity=room)]
    model = Network(stations, [ClosedClass("jobs", population=jobs, demands={"a": 1.0, "b": 0.8})])
    most = min(jobs, room + first)
    births = [min(jobs - n, first, first + room - n) for n in range(most)]
    p = birth_death(births, [min(n, servers) / 0.8 for n in range(1, most + 1)])
    n = np.arange(most + 1)
    result = solve(model, method="markov")
    assert result["jobs"].throughput == pytest.approx(p @ np.minimum(n, servers) / 0.8, rel=1e-13)
    assert result["b"].queue_length == pytest.approx(p @ np.minimum(n, room), rel=1e-13)
    assert result["a"].fraction_blocked == pytest.approx(p @ np.maximum(n - room, 0) / first, rel=1e-12)
    assert result["b"].fraction_blocked == 0
    there = result.distribution("b")
    assert there[room] == pytest.approx(p[room:].sum(), rel=1e-13)
    assert len(there) == room + 1


def _circle_moves(rooms: tuple[int, ...], times: tuple[float, ...]) -> Any:
    """Jobs and a mark of the blocked server at each station of a circle of single servers."""
    size = len(rooms)

    def settled(n: list[int], blocked: list[int]) -> State:
        while True:
            free = next((k for k in range(size) if blocked[k] and n[(k + 1) % size] < rooms[(k + 1) % size]), None)
            if free is None:
                return (*n, *blocked)
            n[free], blocked[free] = n[free] - 1, 0
            n[(free + 1) % size] += 1

    def moves(state: State) -> list[tuple[float, State]]:
        found = []
        for k in range(size):
            if state[k] and not state[size + k]:
                blocked = list(state[size:])
                blocked[k] = 1
                found.append((1 / times[k], settled(list(state[:size]), blocked)))
        return found

    return moves


@pytest.mark.parametrize(
    ("rooms", "times", "jobs"),
    [((2, 3, 2), (1.0, 0.7, 1.2), 6), ((1, 1, 1, 1), (1.0, 1.0, 2.0, 1.0), 3), ((9, 2, 1, 3), (0.5, 1.0, 1.1, 0.9), 11)],
)
def test_circles(rooms: tuple[int, ...], times: tuple[float, ...], jobs: int) -> None:
    """Throughput, queues and blocking as the chain has them that is written down here once more."""
    filled = [max(0, min(room, jobs - sum(rooms[:k]))) for k, room in enumerate(rooms)]
    p = chain((*filled, *(0 for _ in rooms)), _circle_moves(rooms, times))
    result = solve(line(rooms, times, jobs), method="markov")
    size = len(rooms)
    for k, time in enumerate(times):
        busy = sum(q for s, q in p.items() if s[k] and not s[size + k])
        assert result["jobs"].throughput == pytest.approx(busy / time, rel=1e-11)
        assert result[f"s{k}"].queue_length == pytest.approx(sum(q * s[k] for s, q in p.items()), rel=1e-11)
        assert result[f"s{k}"].fraction_blocked == pytest.approx(sum(q * s[size + k] for s, q in p.items()), rel=1e-10)


MIXED = {
    "open line": Network(
        [Queue("a"), Queue("b", capacity=2), Queue("c", capacity=2, servers=2)],
        [OpenClass("jobs", arrival_rate=0.5, demands={"a": 1.0, "b": 1.0, "c": 1.8})],
    ),
    "full from outside": Network(
        [Queue("a", capacity=2), Queue("b", capacity=1)], [OpenClass("jobs", arrival_rate=0.4, demands={"a": 1.0, "b": 0.6})]
    ),
    "routing with circles": Network(
        [Queue("a", servers=2), Queue("b", capacity=2, discipline="fcfs"), Queue("c", capacity=3, servers=2), Delay("d")],
        [
            ClosedClass(
                "jobs",
                population=4,
                think_time=1.0,
                service_times={"a": 1.0, "b": 1.0, "c": 1.8, "d": 0.3},
                routing={"a": {"b": 0.5, "c": 0.3}, "b": {"c": 0.5, "b": 0.3, "a": 0.2}, "c": {"d": 0.6}, "d": {"a": 1.0}},
                entry={"b": 0.7, "a": 0.3},
                exits={"a": 0.2, "c": 0.4},
            )
        ],
    ),
    "two classes in order of arrival": Network(
        [Queue("a", servers=2, discipline="fcfs"), Queue("b", capacity=2, discipline="fcfs")],
        [
            ClosedClass("slow", population=2, think_time=0.5, demands={"a": 1.0, "b": 2.0}),
            ClosedClass("fast", population=3, demands={"a": 1.2, "b": 0.4}),
        ],
    ),
    "reference": Network(
        [Queue("cpu", capacity=3), Queue("disk", capacity=2), Queue("log")],
        [
            ClosedClass(
                "jobs",
                population=4,
                service_times={"cpu": 0.5, "disk": 1.0, "log": 0.2},
                routing={"cpu": {"disk": 0.6, "log": 0.4}, "disk": {"cpu": 1.0}, "log": {"cpu": 0.9, "log": 0.1}},
                reference="cpu",
            )
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MIXED)
def test_simulated(name: str) -> None:
    """The chain agrees with the simulation, which moves jobs by code of its own."""
    found = verify(MIXED[name], method="markov", jobs=60_000, seed=3)
    assert found.solution.exact
    assert found.agrees, [c for c in found.comparisons if c.verdict == "differs"]
    assert any(s.fraction_blocked > 0.01 for s in found.solution.stations) or name == "full from outside"


@pytest.mark.slow
@pytest.mark.parametrize("think_time", [None, 2.0])
def test_simulated_by_others(think_time: float | None) -> None:
    """Ciw, not of our making, blocks as the chain does: a line that is fed from outside, two classes that think."""
    stations = [Queue("a", discipline="fcfs", capacity=3), Queue("b", discipline="fcfs", capacity=2)]
    classes: list[Any] = [OpenClass("x", arrival_rate=0.4, demands={"a": 1.0, "b": 1.0})]
    if think_time:
        demands = [{"a": 1.0, "b": 1.0}, {"a": 0.5, "b": 1.5}]
        classes = [ClosedClass(n, population=3, think_time=think_time, demands=d) for n, d in zip("xy", demands, strict=True)]
    found = verify(Network(stations, classes), method="markov", jobs=15_000, simulator="ciw")
    assert found.agrees, [c for c in found.comparisons if c.verdict == "differs"]


def test_what_others_do_not_simulate() -> None:
    """Ciw holds no shared servers: refused, with what to take."""
    with pytest.raises(NoMethodError, match="service is shared or has priorities, beside a capacity"):
        verify(line((None, 1), (1.0, 1.0), 3), simulator="ciw")


@pytest.mark.slow
def test_the_simulation_would_see_it() -> None:
    """The same figures held beside a simulation with one place more differ."""
    tight, wide = line((None, 1, 1), (1.0, 1.0, 1.0), 5), line((None, 2, 1), (1.0, 1.0, 1.0), 5)
    assert verify(solve(tight), jobs=40_000).agrees
    seen = held.simulate(job_process(from_network(wide)), 40_000, 25, 1)
    rate = seen.finished.sum() / seen.duration.sum()
    assert rate == pytest.approx(solve(wide)["jobs"].throughput, rel=0.02)
    assert rate > 1.04 * solve(tight)["jobs"].throughput


def test_waiting_outside_for_room() -> None:
    """Jobs that find the first station full wait outside: with one station nothing else changes but where they wait."""
    plain = Network([Queue("a", servers=2)], [OpenClass("jobs", arrival_rate=1.5, demands={"a": 1.0})])
    tight = plain.replace("a", capacity=3)
    result, base = solve(tight), solve(plain)
    assert result["jobs"].response_time == pytest.approx(base["jobs"].response_time, rel=1e-11)
    p = base.distribution("a")
    outside = float(p[4:] @ np.arange(1, len(p) - 3))
    assert result["jobs"].number_outside == pytest.approx(outside, rel=1e-10)
    assert result["jobs"].fraction_delayed == pytest.approx(float(p[3:].sum()), rel=1e-10)
    assert result["a"].fraction_blocked == 0


def test_room_for_all_is_no_limit() -> None:
    """A capacity that all jobs have room in leaves the exact methods in charge."""
    model = line((None, 4), (1.0, 0.7), 4)
    assert solve(model).method == "convolution"
    assert solve(model)["jobs"].throughput == solve(line((None, None), (1.0, 0.7), 4))["jobs"].throughput


def test_a_line_that_saturates_before_its_stations() -> None:
    """Two equal servers with one place in between carry two thirds: above it the queue never ends, below it does."""
    model = Network([Queue("a"), Queue("b", capacity=1)], [OpenClass("jobs", arrival_rate=0.7, demands={"a": 1.0, "b": 1.0})])
    with pytest.raises(SaturatedError) as caught:
        solve(model, method="markov")
    assert caught.value.highest_rate == pytest.approx(2 / 3, rel=0.02)
    assert solve(model.replace("jobs", arrival_rate=0.5), method="markov")["jobs"].throughput == 0.5
