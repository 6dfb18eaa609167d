"""The method `markov`: limits, priorities and order of arrival against formulas and chains written otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import (
    AdmissionLimit,
    ClosedClass,
    Delay,
    Network,
    NoMethodError,
    OpenClass,
    Queue,
    SaturatedError,
    solve,
    stations,
)
from qnsolve.numerics import markov_chain as chains

from tests.oracles.markov_chain import chain, stationary
from tests.support.zoo import closed, opened


@pytest.mark.parametrize("size", [2, 5, 33, 34, 65, 200, 500])
def test_elimination_in_a_band_is_elimination(size: int) -> None:
    """The band gives what the full matrix gives, to the last digits."""
    rng = np.random.default_rng(size)
    rates = rng.random((size, size)) * (rng.random((size, size)) < 5 / size) * 10 ** rng.uniform(-9, 9, (size, 1))
    rates[np.arange(size), (np.arange(size) + 1) % size] += 0.1
    np.fill_diagonal(rates, 0)
    origin, target = np.nonzero(rates)
    p = chains.stationary(size, origin, target, rates[origin, target])
    np.testing.assert_allclose(p, stationary(rates), rtol=1e-12)


def test_a_chain_with_a_deadlock_is_refused() -> None:
    """A state that is never left makes no answer."""
    with pytest.raises(ArithmeticError, match="cannot be left"):
        chains.stationary(2, np.array([0]), np.array([1]), np.array([1.0]))


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (3, 2.0), (8, 5.5)])
def test_a_limit_before_a_delay_is_a_queue(servers: int, load: float) -> None:
    """Jobs let into a delay, m at a time, are M/M/m: Erlang's wait, share that waits, distribution."""
    model = Network([Delay("net")], [opened("web", load, net=1.0)], [AdmissionLimit(servers, name="MXT")])
    result, form = solve(model, "markov"), stations.mmc(load, 1.0, servers)
    web, limit = result["web"], result["MXT"]
    assert web.admission_wait == pytest.approx(form.waiting_time, rel=1e-9)
    assert web.response_time == pytest.approx(form.response_time, rel=1e-9)
    assert web.fraction_delayed == pytest.approx(form.probability_wait, rel=1e-9)
    assert web.delayed_wait == pytest.approx(1 / (servers - load), rel=1e-9)
    assert limit.number_inside == pytest.approx(load, rel=1e-9)
    assert limit.number_outside == pytest.approx(load * form.waiting_time, rel=1e-9)
    assert limit.probability_full == pytest.approx(form.probability_wait, rel=1e-9)
    longest = np.log(0.05 / form.probability_wait) / np.log(load / servers) - 1  # P(more than n wait) = C·ρ^(n+1)
    assert limit.number_outside_95 == max(0, np.ceil(longest))


def test_two_classes_share_a_limit_in_order_of_arrival() -> None:
    """A chain written down by hand: two classes, cpu and disk, two inside, the others in one line."""
    demands, think, jobs = {"a": (0.4, 0.3), "b": (0.9, 0.2)}, {"a": 1.0, "b": 2.0}, {"a": 3, "b": 2}

    def moves(state):  # what is at the cpu and the disk, sorted, and the line
        cpu, disk, line = state
        everyone = cpu + disk + line

        def let_in(cpu, disk, line):
            while line and len(cpu) + len(disk) < 2:
                cpu, line = tuple(sorted((*cpu, line[0]))), line[1:]
            return cpu, disk, line

        for name in "ab":
            left = jobs[name] - everyone.count(name)
            if left:
                yield left / think[name], let_in(cpu, disk, (*line, name))
        for i, name in enumerate(cpu):
            yield 1 / demands[name][0] / len(cpu), let_in(cpu[:i] + cpu[i + 1 :], tuple(sorted((*disk, name))), line)
        for i, name in enumerate(disk):
            yield 1 / demands[name][1] / len(disk), let_in(cpu, disk[:i] + disk[i + 1 :], line)

    p = chain(((), (), ()), moves)
    model = Network(
        [Queue("cpu"), Queue("disk")],
        [closed(n, jobs[n], think[n], cpu=demands[n][0], disk=demands[n][1]) for n in "ab"],
        [AdmissionLimit(2, name="MXT")],
    )
    result = solve(model, "markov")
    for name in "ab":
        for k, station in enumerate(("cpu", "disk")):
            held = sum(q * state[k].count(name) for state, q in p.items())
            assert result[name, station].queue_length == pytest.approx(held, rel=1e-12)
        assert result[name].number_outside == pytest.approx(sum(q * s[2].count(name) for s, q in p.items()), rel=1e-12)
    full = {s: q for s, q in p.items() if len(s[0]) + len(s[1]) == 2}
    assert result["MXT"].probability_full == pytest.approx(sum(full.values()), rel=1e-12)
    asked = {n: sum(q * (jobs[n] - sum(s, ()).count(n)) for s, q in p.items()) for n in "ab"}
    delayed = {n: sum(q * (jobs[n] - sum(s, ()).count(n)) for s, q in full.items()) for n in "ab"}
    for name in "ab":
        assert result[name].fraction_delayed == pytest.approx(delayed[name] / asked[name], rel=1e-12)


def test_a_class_limit_inside_a_common_one() -> None:
    """TRANCLASS inside MXT: who may not pass is passed by others; either limit alone is a bound."""
    net = Network([Delay("net")], [closed("a", 4, 1.0, net=1.0), closed("b", 4, 1.0, net=1.0)])
    both = [AdmissionLimit(3, name="MXT"), AdmissionLimit(1, name="TCLASS", classes=["a"])]
    result = solve(Network(net.stations, net.classes, both), "markov")
    assert result["a"].admission_wait > result["b"].admission_wait > 0
    assert result["TCLASS"].number_inside <= 1
    assert result["TCLASS"].number_inside == pytest.approx(result["a", "net"].queue_length, rel=1e-12)
    common = solve(Network(net.stations, net.classes, both[:1]), "markov")
    assert common["a"].throughput == pytest.approx(common["b"].throughput, rel=1e-12)
    assert result["b"].throughput > common["b"].throughput > common["a"].throughput * 0.99 > result["a"].throughput * 0.99
    own = solve(Network(net.stations, net.classes, both[1:]), "markov")
    assert own["b"].admission_wait == 0
    assert result["a"].throughput < own["a"].throughput


def test_a_limit_on_a_part_is_held_while_the_job_is_there() -> None:
    """A thread of the inner limit is waited for inside the outer one, as at a station with as many servers."""
    classes = [closed("a", 5, 1.0, cpu=0.3, db=0.5)]
    outer = AdmissionLimit(4, name="MXT")
    threads = AdmissionLimit(2, name="threads", stations=["db"])
    result = solve(Network([Queue("cpu"), Delay("db")], classes, [outer, threads]), "markov")
    alike = solve(Network([Queue("cpu"), Queue("db", servers=2)], classes, [outer]), "markov")
    assert result["a"].throughput == pytest.approx(alike["a"].throughput, rel=1e-12)
    waits = alike["a", "db"].queue_length - result["a", "db"].queue_length
    assert result["threads"].number_outside == pytest.approx(waits, rel=1e-10)
    assert result["MXT"].number_inside == pytest.approx(alike["MXT"].number_inside, rel=1e-12)


@pytest.mark.parametrize(("discipline", "loads"), [("preemptive", (0.2, 0.15)), ("nonpreemptive", (0.25, 0.1))])
def test_open_priorities(discipline: str, loads: tuple[float, float]) -> None:
    """Two classes of one mean at one server: Cobham's waits, and those with preemption."""
    classes = [
        OpenClass(n, arrival_rate=load, demands={"cpu": 1.0}, priority=i)
        for i, (n, load) in enumerate(zip("ab", loads, strict=True), 1)
    ]
    result = solve(Network([Queue("cpu", discipline=discipline)], classes), "markov")
    first, both = loads[0], sum(loads)
    if discipline == "preemptive":
        expected = (1 / (1 - first), 1 / ((1 - first) * (1 - both)))
    else:
        expected = (1 + both / (1 - first), 1 + both / ((1 - first) * (1 - both)))
    assert [c.response_time for c in result.classes] == pytest.approx(expected, rel=1e-10)


def test_preemption_hides_the_lower_class() -> None:
    """With preemption the higher class does not notice the lower one."""
    high, low = closed("high", 4, 1.0, cpu=0.4, disk=0.3), closed("low", 3, 0.5, cpu=0.7, disk=0.2)
    stations = [Queue("cpu", servers=2, discipline="preemptive"), Queue("disk", discipline="preemptive")]
    low = ClosedClass("low", population=3, think_time=0.5, demands=low.demands, priority=2)
    both, alone = solve(Network(stations, [high, low]), "markov"), solve(Network(stations, [high]))
    assert both["high"].throughput == pytest.approx(alone["high"].throughput, rel=1e-12)
    assert both["low"].throughput < solve(Network(stations, [low]))["low"].throughput


def test_order_of_arrival_with_two_service_times() -> None:
    """Alternating jobs at one server in order of arrival: throughputs are equal whatever the service times."""
    classes = [
        ClosedClass(name, population=2, visits={"cpu": 1}, service_times={"cpu": time})
        for name, time in (("a", 0.2), ("b", 1.0))
    ]
    result = solve(Network([Queue("cpu", discipline="fcfs")], classes), "markov")
    assert result["a"].throughput == pytest.approx(4 / (2 * 0.2 + 2 * 1.0) / 2, rel=1e-12)
    assert result["b"].throughput == pytest.approx(result["a"].throughput, rel=1e-12)


def test_too_many_states_and_a_limit_that_cannot_keep_up_are_refused() -> None:
    """What the chain cannot answer ends in an error that says so."""
    with pytest.raises(NoMethodError, match="50,000 states"):
        solve(Network([Queue("cpu"), Queue("disk")], [closed(n, 99, 1.0, cpu=1, disk=1) for n in "ab"]), "markov")
    jammed = Network([Delay("net")], [opened("web", 3.0, net=1.0)], [AdmissionLimit(2, name="MXT")])
    with pytest.raises(SaturatedError, match="'MXT'"):
        solve(jammed, "markov")
