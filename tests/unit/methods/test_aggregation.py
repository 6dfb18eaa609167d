"""The method `aggregation`: priorities, order of arrival and queues on the servers of another one."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import ClosedClass, ModelError, Network, NoMethodError, Queue, loads, methods, solve

from tests.oracles.markov_chain import chain
from tests.support.zoo import closed, opened, ranked


@pytest.mark.slow
@pytest.mark.parametrize("discipline", ["preemptive", "nonpreemptive", "fcfs"])
def test_one_special_station_and_a_delay_are_exact(discipline: str) -> None:
    """Where the rest is thinking only, nothing is aggregated away."""
    classes = [ranked("a", 4, 1.0, 1, cpu=0.4), ranked("b", 3, 2.0, 2, cpu=0.9), ranked("c", 2, 0.5, 2, cpu=0.2)]
    model = Network([Queue("cpu", servers=2, discipline=discipline)], classes)
    found, exact = solve(model, "aggregation"), solve(model, "markov")
    assert (found.method, found.exact) == ("aggregation", False)
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=1e-9)
    np.testing.assert_allclose(found.distribution("cpu"), exact.distribution("cpu"), atol=1e-12)


def test_the_higher_class_is_exact_where_nothing_else_is_shared() -> None:
    """With preemption at the only shared queue, the higher class is as if alone."""
    high, low = ranked("high", 12, 3.0, 1, cpu=0.5, own=0.3), ranked("low", 10, 1.0, 2, cpu=0.2, disk=0.3)
    model = Network([Queue("cpu", servers=2, discipline="preemptive"), Queue("disk"), Queue("own")], [high, low])
    found = solve(model)
    lone = solve(Network([Queue("cpu", servers=2), Queue("own")], [closed("high", 12, 3.0, cpu=0.5, own=0.3)]))
    assert found["high"].throughput == pytest.approx(lone["high"].throughput, rel=1e-3)


def _random(rng: np.random.Generator, discipline: str) -> Network:
    stations = [Queue("cpu", servers=int(rng.integers(1, 4)), discipline=discipline), Queue("disk"), Queue("log")]
    classes = [
        ranked(
            f"c{r}",
            int(rng.integers(1, 4)),
            float(10 ** rng.uniform(-0.5, 1)),
            r + 1,
            **{s.name: float(10 ** rng.uniform(-1, 0.5)) for s in stations},
        )
        for r in range(2)
    ]
    return Network(stations, classes)


@pytest.mark.parametrize("discipline", ["preemptive", "nonpreemptive", "fcfs"])
def test_networks_are_near_the_chain(discipline: str) -> None:
    """Within 2 % in the mean and 10 % at most of the Markov chain."""
    rng, errors = np.random.default_rng(3), []
    for _ in range(25):
        model = _random(rng, discipline)
        found, exact = solve(model, "aggregation"), solve(model, "markov")
        errors += [a.response_time / b.response_time - 1 for a, b in zip(found.classes, exact.classes, strict=True)]
        assert found["cpu"].utilization == pytest.approx(exact["cpu"].utilization, rel=0.05)
    assert np.abs(errors).mean() < 0.02
    assert np.abs(errors).max() < 0.1


def test_a_qr_tcb_on_two_processors_by_hand() -> None:
    """Two regions of one TCB each and batch work on two processors: the chain written down for this case."""
    d, z, jobs = (0.5, 0.4, 0.7), (1.0, 0.5, 2.0), (3, 2, 2)

    def moves(state):
        busy = (min(state[0], 1), min(state[1], 1), state[2])
        share = min(1.0, 2 / sum(busy)) if sum(busy) else 0.0
        for i in range(3):
            if state[i] < jobs[i]:
                yield (jobs[i] - state[i]) / z[i], (*state[:i], state[i] + 1, *state[i + 1 :])
            if state[i]:
                yield busy[i] * share / d[i], (*state[:i], state[i] - 1, *state[i + 1 :])

    p = chain((0, 0, 0), moves)
    names = ("QR1", "QR2", "cp")
    model = Network(
        [Queue("cp", servers=2), Queue("QR1", on="cp"), Queue("QR2", on="cp")],
        [closed(f"c{i}", jobs[i], z[i], **{names[i]: d[i]}) for i in range(3)],
    )
    for method in ("auto", "markov"):
        result = solve(model, method)
        for i, name in enumerate(names):
            assert result[f"c{i}", name].queue_length == pytest.approx(sum(q * s[i] for s, q in p.items()), rel=1e-10)
        work = sum(result[f"c{i}"].throughput * d[i] for i in range(3))
        assert result["cp"].utilization == pytest.approx(work / 2, rel=1e-12)
    many = model.replace("cp", servers=9)
    apart = solve(Network([Queue("QR1")], [closed("c0", 3, 1.0, QR1=0.5)]))
    assert solve(many)["c0"].throughput == pytest.approx(apart["c0"].throughput, rel=1e-10)


def test_work_in_and_beside_a_tcb() -> None:
    """One class that runs on the TCB and beside it, with a disk: near the chain."""
    model = Network(
        [Queue("cp", servers=2), Queue("QR", on="cp"), Queue("disk")],
        [closed("a", 5, 1.0, QR=0.4, cp=0.3, disk=0.3), closed("b", 3, 2.0, cp=0.8, disk=0.1)],
    )
    found, exact = solve(model), solve(model, "markov")
    for name in "ab":
        assert found[name].response_time == pytest.approx(exact[name].response_time, rel=0.005)


def test_visits_take_their_own_service_times() -> None:
    """First come first served with many short visits against few long ones, and visits fewer than one."""
    classes = [
        ClosedClass("a", population=3, think_time=1.0, visits={"cpu": 6, "disk": 2}, service_times={"cpu": 0.05, "disk": 0.2}),
        ClosedClass("b", population=3, think_time=2.0, visits={"cpu": 0.5, "disk": 1}, service_times={"cpu": 0.9, "disk": 0.1}),
    ]
    model = Network([Queue("cpu", discipline="fcfs"), Queue("disk")], classes)
    found, exact = solve(model), solve(model, "markov")
    assert found.method == "aggregation"
    for name in "ab":
        assert found[name].response_time == pytest.approx(exact[name].response_time, rel=0.06)


def test_a_starved_class_is_named() -> None:
    """Jobs of higher priority that never leave the servers leave nothing to the others."""
    high, low = ranked("loop", 2, 0.0, 1, cpu=1.0), ranked("low", 3, 1.0, 2, cpu=1.0)
    model = Network([Queue("cpu", servers=2, discipline="preemptive")], [high, low])
    with pytest.raises(NoMethodError, match="class 'low' never gets a server of 'cpu'"):
        solve(model)
    assert solve(model.replace("cpu", servers=3))["low"].throughput > 0


HOSTS = {
    "unknown": ('{name = "QR", on = "cq"}', "known: QR, cp"),
    "itself": ('{name = "QR", on = "QR"}', "queue with its own servers"),
    "a delay": ('{name = "QR", on = "net"}', "queue with its own servers"),
    "a guest": ('{name = "QR", on = "L8"}', "queue with its own servers"),
    "with priorities": ('{name = "QR", on = "ranked"}', "discipline 'ps'"),
}


@pytest.mark.parametrize("name", HOSTS)
def test_wrong_hosts(name: str) -> None:
    """A queue runs on a queue that has its own servers and shares them."""
    station, message = HOSTS[name]
    others = (
        '{name = "cp"}, {name = "net", type = "delay"}, {name = "L8", on = "cp"}, {name = "ranked", discipline = "preemptive"}'
    )
    text = f'stations = [{station}, {others}]\nclasses = [{{name = "a", population = 1, demands = {{cp = 1.0}}}}]'
    with pytest.raises(ModelError, match=message):
        loads(text)


def test_what_it_refuses() -> None:
    """Product form, open classes and what is too large are refused with the reason."""
    reasons = {
        "for models with priorities": Network([Queue("cpu")], [closed("a", 3, cpu=1)]),
        "for closed classes only": Network(
            [Queue("cpu", discipline="preemptive")], [opened("a", 0.1, cpu=1), opened("b", 0.1, cpu=1)]
        ),
        "states": Network([Queue("cpu", discipline="preemptive")], [closed(c, 400, 1.0, cpu=1) for c in "ab"]),
    }
    for reason, model in reasons.items():
        assert reason in next(r.reason for r in methods(model) if r.name == "aggregation")
