"""Parts of servers, unlike servers and the universal scalability law, against Markov chains and by their laws."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, sqrt

import numpy as np
import pytest
from qnsolve import (
    ClosedClass,
    LoadDependent,
    ModelError,
    Network,
    OpenClass,
    Queue,
    dumps,
    fewest_servers,
    load,
    loads,
    methods,
    response_percentile,
    save,
    sensitivity,
    solve,
    sweep,
)

from tests.oracles.markov_chain import ClosedChain, birth_death, chain

MODEL = Network(
    [Queue("cpu", servers=2.4), Queue("disk", servers=0.5)],
    [
        ClosedClass("query", population=3, think_time=1.0, demands={"cpu": 0.9, "disk": 0.2}),
        ClosedClass("batch", population=2, demands={"cpu": 1.5, "disk": 0.6}),
    ],
)


@pytest.mark.parametrize("method", ["lattice", "markov"])
def test_parts_of_servers_against_a_chain(method: str) -> None:
    """Every exact method has what a chain with speeds 1, 2, 2.4 has."""
    result, expected = solve(MODEL, method=method), ClosedChain(MODEL)
    for r, c in enumerate(MODEL.classes):
        assert result[c.name].throughput == pytest.approx(expected.throughput[r], rel=1e-11)
        for k, s in enumerate(MODEL.stations):
            assert result[c.name, s.name].queue_length == pytest.approx(expected.queue_length[r, k], rel=1e-11)


def test_one_class_and_open_against_a_birth_death_chain() -> None:
    """One closed class, and an open one with its geometric tail, as the chain of the station has them."""
    closed = Network([Queue("cpu", servers=1.5)], [ClosedClass("a", population=6, think_time=2.0, demands={"cpu": 1.0})])
    p = birth_death([(6 - n) / 2.0 for n in range(6)], [min(n, 1.5) for n in range(1, 7)])
    result = solve(closed, method="convolution")
    np.testing.assert_allclose(result.distribution("cpu"), p, rtol=1e-12)
    assert result["cpu"].utilization == pytest.approx(p[1:] @ np.minimum(np.arange(1, 7), 1.5) / 1.5, rel=1e-12)
    opened = Network([Queue("cpu", servers=1.5)], [OpenClass("a", arrival_rate=0.9, demands={"cpu": 1.0})])
    p = birth_death([0.9] * 200, [min(n, 1.5) for n in range(1, 201)])
    assert solve(opened)["cpu"].queue_length == pytest.approx(p @ np.arange(201), rel=1e-12)


def test_disciplines_share_the_last_server_out() -> None:
    """In order of arrival the last comer has the part of a server; those of one priority share it."""
    model = Network(
        [Queue("cpu", servers=1.5, discipline="fcfs")],
        [
            ClosedClass("a", population=2, think_time=1.0, demands={"cpu": 1.0}),
            ClosedClass("b", population=1, think_time=2.0, demands={"cpu": 0.5}, priority=2),
        ],
    )
    time, think, everyone = (1.0, 0.5), (1.0, 2.0), (2, 1)

    def in_order(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        moves = [((everyone[r] - state.count(r)) / think[r], (*state, r)) for r in range(2) if state.count(r) < everyone[r]]
        for place, speed in zip(range(len(state)), (1.0, 0.5), strict=False):
            moves.append((speed / time[state[place]], state[:place] + state[place + 1 :]))
        return moves

    p = chain((), in_order)
    result = solve(model, method="markov")
    for r, name in enumerate("ab"):
        expected = sum(q * state.count(r) for state, q in p.items())
        assert result[name, "cpu"].queue_length == pytest.approx(expected, rel=1e-12)

    def preempting(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        a, b = state
        first = min(a, 1.5)
        second = min(b, 1.5 - first)
        moves = [(2.0 - a, (a + 1, b)), ((1 - b) / 2.0, (a, b + 1)), (first / time[0], (a - 1, b))]
        return [(rate, to) for rate, to in [*moves, (second / time[1], (a, b - 1))] if rate > 0]

    p = chain((0, 0), preempting)
    result = solve(model.replace("cpu", discipline="preemptive"), method="markov")
    for r, name in enumerate("ab"):
        assert result[name, "cpu"].queue_length == pytest.approx(sum(q * s[r] for s, q in p.items()), rel=1e-12)

    def staying(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        wait_a, wait_b, a, b = state
        full = a + b >= 2
        moves = []
        if wait_a + a < 2:
            moves.append((2.0 - wait_a - a, (wait_a + full, wait_b, a + (not full), b)))
        if wait_b + b < 1:
            moves.append((0.5, (wait_a, wait_b + full, a, b + (not full))))
        for gone, (n, service) in enumerate(((a, 1.0), (b, 0.5))):
            if n:
                left = [a - (gone == 0), b - (gone == 1)]
                lines = [wait_a, wait_b]
                following = 0 if wait_a else 1 if wait_b else None
                if following is not None:
                    lines[following] -= 1
                    left[following] += 1
                moves.append((n * min(a + b, 1.5) / (a + b) / service, (*lines, *left)))
        return moves

    p = chain((0, 0, 0, 0), staying)
    result = solve(model.replace("cpu", discipline="nonpreemptive"), method="markov")
    for r, name in enumerate("ab"):
        expected = sum(q * (s[r] + s[2 + r]) for s, q in p.items())
        assert result[name, "cpu"].queue_length == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("population", [1, 4, 3000])
def test_between_whole_numbers(population: int) -> None:
    """Throughput rises with every part of a server, and meets that of whole numbers."""
    job = ClosedClass("a", population=population, think_time=1.0, demands={"cpu": 1.0})
    at = [
        solve(Network([Queue("cpu", servers=m)], [job]))["a"].throughput for m in (0.3, 1, 1 + 1e-9, 1.4, 2 - 1e-9, 2, 2.5, 3)
    ]
    assert all(a <= b * (1 + 1e-12) for a, b in pairwise(at))
    assert at[2] == pytest.approx(at[1], rel=1e-8)
    assert at[4] == pytest.approx(at[5], rel=1e-8)
    if population > 1:
        assert at[0] < at[1] < at[3] < at[5] < at[6]


@pytest.mark.parametrize("servers", [1e-6, 0.999999, 999_999.5, 1e6])
def test_extremes(servers: float) -> None:
    """From a millionth of a server to a million, closed and open, nearly idle and nearly saturated."""
    model = Network([Queue("cpu", servers=servers)], [OpenClass("a", arrival_rate=servers * (1 - 1e-9), demands={"cpu": 1.0})])
    assert solve(model)["cpu"].utilization == pytest.approx(1 - 1e-9, rel=1e-12)
    idle = solve(model.replace("a", arrival_rate=servers * 1e-9))
    assert idle["a"].response_time == pytest.approx(1 / min(1.0, servers), rel=1e-6)
    closed = Network([Queue("cpu", servers=servers)], [ClosedClass("a", population=50, think_time=1.0, demands={"cpu": 1.0})])
    assert solve(closed)["a"].throughput == pytest.approx(min(servers, 25.0), rel=1e-9 if servers != 0.999999 else 1e-6)


def test_results_and_files_have_them(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A part of a server is printed, written and read; a whole count stays a whole number."""
    for file in ("model.toml", "model.json", "model.jmva"):
        save(MODEL, tmp_path / file)
        assert load(tmp_path / file) == MODEL
    assert solve(MODEL)["cpu"].servers == 2.4
    assert solve(MODEL).as_dict()["stations"][0]["servers"] == 2.4
    assert isinstance(Queue("cpu", servers=2.0).servers, int)
    assert "servers = 2\n" in dumps(Network([Queue("cpu", servers=2.0)], [_job()]))
    assert all(report.accepts for report in methods(MODEL) if report.name in ("lattice", "markov", "linearizer"))
    assert any(effect.parameter == "servers" for effect in sensitivity(MODEL).effects)


def test_a_part_of_a_server_below_other_stations() -> None:
    """A queue may run on a part of a server; one that runs on another has whole servers, threads, of its own."""
    stations = [Queue("cp", servers=1.5), Queue("qr", on="cp")]
    model = Network(stations, [ClosedClass("a", population=2, think_time=1.0, demands={"cp": 0.5, "qr": 0.1})])

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        at, inside = state
        jobs = at + min(inside, 1)
        each = min(jobs, 1.5) / jobs if jobs else 0.0
        out = [(float(2 - at - inside), (at + 1, inside)), (at * each / 0.5, (at - 1, inside + 1))]
        return [(rate, to) for rate, to in [*out, (min(inside, 1) * each / 0.1, (at, inside - 1))] if rate > 0]

    p = chain((0, 0), moves)
    result = solve(model, method="markov")
    assert result["a", "cp"].queue_length == pytest.approx(sum(q * s[0] for s, q in p.items()), rel=1e-12)
    assert result["a", "qr"].queue_length == pytest.approx(sum(q * s[1] for s, q in p.items()), rel=1e-12)
    with pytest.raises(ModelError, match=r"station 'qr': servers = 1.5: must be a whole number"):
        Queue("qr", servers=1.5, on="cp")


def test_a_sweep_over_parts_of_servers() -> None:
    """A sweep through parts and whole numbers of servers has what each model by itself has."""
    counts = [0.5, 1, 1.5, 2, 2.4, 3]
    for base in (0.5, 2, 2.4):
        found = sweep(MODEL.replace("cpu", servers=base), "cpu", servers=counts)
        for i, m in enumerate(counts):
            alone = solve(MODEL.replace("cpu", servers=m))
            np.testing.assert_allclose(found.throughput[i], [c.throughput for c in alone.classes], rtol=1e-11)
        whole = sweep(MODEL.replace("disk", servers=base), "cpu", servers=[1, 2, 3])
        for i, m in enumerate((1, 2, 3)):
            alone = solve(MODEL.replace("disk", servers=base).replace("cpu", servers=m))
            np.testing.assert_allclose(whole.throughput[i], [c.throughput for c in alone.classes], rtol=1e-11)


def _job() -> OpenClass:
    return OpenClass("a", arrival_rate=0.5, demands={"cpu": 1.0})


def test_questions_around_them() -> None:
    """Percentiles of a part of a server, and the fewest whole servers."""
    model = Network([Queue("cpu", servers=1.5, discipline="fcfs")], [_job()])
    assert response_percentile(model, "a", 0.9).value > solve(model)["a"].response_time
    assert fewest_servers(model, "cpu", of="a", response_time=1.1).value == 2


def test_unlike_servers() -> None:
    """Speeds add up in order; with equal ones it is a queue; a chain that moves jobs up has the same."""
    station = LoadDependent.of_servers("core", speeds=[1.0, 0.5, 0.25])
    assert station.rates == (1.0, 1.5, 1.75)
    job = ClosedClass("a", population=5, think_time=2.0, demands={"core": 1.0})
    p = birth_death([(5 - n) / 2.0 for n in range(5)], [1.0, 1.5, 1.75, 1.75, 1.75])
    np.testing.assert_allclose(solve(Network([station], [job])).distribution("core"), p, rtol=1e-12)
    like = LoadDependent.of_servers("core", speeds=[1, 1, 1])
    queue = solve(Network([Queue("core", servers=3)], [job]))["a"].throughput
    assert solve(Network([like], [job]))["a"].throughput == pytest.approx(queue, rel=1e-14)
    with pytest.raises(ModelError, match=r"station 'x': server_speeds = \[0.5, 1.0\]: must be in order, the fastest first"):
        LoadDependent.of_servers("x", speeds=[0.5, 1.0])


def test_scalability_law() -> None:
    """Speeds of Gunther's law: linear without cost, Amdahl's without coherency, a peak at √((1 − σ)/κ) with it."""
    assert LoadDependent.usl("x", contention=0, coherency=0, jobs=4).rates == (1, 2, 3, 4)
    amdahl = LoadDependent.usl("x", contention=0.05, coherency=0, jobs=64).rates
    assert amdahl[63] == pytest.approx(1 / (0.05 + 0.95 / 64), rel=1e-14)
    rates = np.array(LoadDependent.usl("x", contention=0.02, coherency=0.0005, jobs=100).rates)
    assert int(rates.argmax()) + 1 == round(sqrt(0.98 / 0.0005))
    n = np.arange(1, 101)
    np.testing.assert_allclose(n / rates, 1 + 0.02 * (n - 1) + 0.0005 * n * (n - 1), rtol=1e-14)
    job = ClosedClass("a", population=12, think_time=1.0, demands={"x": 0.5})
    station = LoadDependent.usl("x", contention=0.1, coherency=0.02, jobs=12)
    p = birth_death([(12 - k) / 1.0 for k in range(12)], [rate / 0.5 for rate in station.rates])
    result = solve(Network([station], [job]))
    np.testing.assert_allclose(result.distribution("x"), p, rtol=1e-12)
    assert not isnan(result["a"].throughput)
    for wrong in ({"contention": -0.1}, {"coherency": 2}, {"jobs": 0}):
        with pytest.raises(ModelError, match="station 'x'"):
            LoadDependent.usl("x", **{"contention": 0.1, "coherency": 0.0, "jobs": 3, **wrong})  # type: ignore[arg-type]


def test_both_in_a_model_file() -> None:
    """The keys server_speeds, and contention, coherency and jobs, are expanded to rates."""
    text = """
        [[stations]]
        name = "core"
        type = "load_dependent"
        server_speeds = [1.0, 0.6]
        [[stations]]
        name = "db"
        type = "load_dependent"
        contention = 0.02
        coherency = 0.001
        jobs = 16
        [[stations]]
        name = "lpar"
        servers = 2.4
        [[classes]]
        name = "query"
        population = 3
        demands = { core = 1.0, db = 0.1, lpar = 0.2 }
    """
    model = loads(text)
    assert model.stations == (
        LoadDependent.of_servers("core", speeds=[1.0, 0.6]),
        LoadDependent.usl("db", contention=0.02, coherency=0.001, jobs=16),
        Queue("lpar", servers=2.4),
    )
    assert loads(dumps(model)) == model
