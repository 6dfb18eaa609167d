"""The method `priority`: levels at stations, mean values in between, at any size."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import accuracy
from tests.support.zoo import opened

BOTH = ("preemptive", "nonpreemptive")


def ranked(name: str, population: int, think_time: float, priority: int, **demands: float) -> qn.ClosedClass:
    """A closed class with a priority."""
    return qn.ClosedClass(name, population=population, think_time=think_time, demands=demands, priority=priority)


def _site(discipline: str, *classes: qn.ClosedClass | qn.OpenClass, servers: int = 1) -> qn.Network:
    stations = [qn.Queue("cpu", servers=servers, discipline=discipline), qn.Queue("disk")]
    used = [s for s in stations if s.name == "cpu" or any(c.demand(s.name) > 0 for c in classes)]
    return qn.Network(used, classes)


@pytest.mark.parametrize("discipline", BOTH)
@pytest.mark.parametrize("servers", [1, 3])
def test_one_station_of_two_levels_is_exact(discipline: str, servers: int) -> None:
    """Where the rest is thinking only, the chain of two levels is that of the model."""
    model = _site(discipline, ranked("a", 6, 2.0, 1, cpu=0.9), ranked("b", 5, 1.0, 2, cpu=0.4), servers=servers)
    found, exact = qn.solve(model, "priority"), qn.solve(model, "markov")
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=1e-4)


@pytest.mark.parametrize("discipline", BOTH)
def test_three_levels_at_one_station(discipline: str) -> None:
    """Three small levels are kept apart: near the chain, though service times differ by a factor of 100."""
    model = _site(
        discipline, ranked("a", 3, 2.0, 1, cpu=0.02), ranked("b", 2, 3.0, 2, cpu=2.0), ranked("c", 3, 1.0, 3, cpu=0.2)
    )
    found, exact = qn.solve(model, "priority"), qn.solve(model, "markov")
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=1e-4)


@pytest.mark.parametrize("discipline", BOTH)
def test_a_nearly_starved_class(discipline: str) -> None:
    """Throughputs of 1e-11 and below stay positive and right to 1e-3."""
    model = _site(discipline, ranked("high", 40, 1.0, 1, cpu=0.1), ranked("low", 20, 1.0, 2, cpu=0.5))
    found, exact = qn.solve(model, "priority"), qn.solve(model, "aggregation")
    assert 0 < found["low"].throughput < 1e-10
    assert found["low"].throughput == pytest.approx(exact["low"].throughput, rel=1e-3)


@pytest.mark.parametrize("discipline", BOTH)
@pytest.mark.parametrize("short", ["high", "low"])
def test_service_times_a_hundredfold(discipline: str, short: str) -> None:
    """A factor of 100 either way, with a disk besides: within 3 %."""
    own = {"high": 1.0, "low": 1.0, short: 0.01}
    model = _site(
        discipline, ranked("high", 6, 12.0, 1, cpu=own["high"], disk=0.3), ranked("low", 10, 5.0, 2, cpu=own["low"], disk=0.2)
    )
    found, exact = qn.solve(model, "priority"), qn.solve(model, "aggregation")
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=0.03)


@pytest.mark.parametrize("discipline", BOTH)
def test_without_think_time(discipline: str) -> None:
    """Batch in a loop of two stations, one of them with priorities: within 10 %."""
    model = _site(discipline, ranked("a", 5, 0.0, 1, cpu=0.5, disk=0.3), ranked("b", 5, 0.0, 2, cpu=0.5, disk=0.7))
    found, exact = qn.solve(model, "priority"), qn.solve(model, "aggregation")
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["priorities, preemptive", "priorities, nonpreemptive", "priorities at two stations"])
def test_errors_of_the_families(family: str) -> None:
    """A part of each published family: mean response error of the worst class at most 5 %."""
    errors = []
    for model in accuracy.models(family, 25):
        exact, found = qn.solve(model, "markov"), qn.solve(model, "priority")
        assert found.residual < 1e-9
        errors.append(
            max(abs(a.response_time / b.response_time - 1) for a, b in zip(found.classes, exact.classes, strict=True))
        )
    assert np.mean(errors) < 0.05


def test_hundreds_of_jobs_and_the_higher_class_alone() -> None:
    """240 jobs a class, too many for `aggregation`: "auto" takes it, and with preemption the higher class is as if alone."""
    model = _site(
        "preemptive", ranked("high", 240, 32.0, 1, cpu=0.2), ranked("low", 240, 32.0, 2, cpu=0.1, disk=0.1), servers=2
    )
    assert "states" in next(r.reason for r in qn.methods(model) if r.name == "aggregation")
    found = qn.solve(model)
    alone = qn.solve(
        qn.Network([qn.Queue("cpu", servers=2)], [ranked("high", 240, 32.0, 1, cpu=0.2)]).replace("cpu", discipline="ps")
    )
    assert found.method == "priority"
    assert found["high"].response_time == pytest.approx(alone["high"].response_time, rel=1e-4)
    assert 0 < found["low"].throughput < found["low"].highest_throughput


@pytest.mark.parametrize("discipline", BOTH)
def test_open_classes_beside_closed_ones(discipline: str) -> None:
    """An open lower class beside closed work: Little's law, and near the chain of the same with its tail cut."""
    model = _site(
        discipline, ranked("a", 4, 6.0, 1, cpu=0.5), qn.OpenClass("b", arrival_rate=0.3, demands={"cpu": 0.6}, priority=2)
    )
    found, exact = qn.solve(model), qn.solve(model, "markov")
    assert found.method == "priority"
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=1e-3)
    assert found["b"].throughput == 0.3
    assert found.distribution("cpu").sum() == pytest.approx(1, rel=1e-12)


def test_an_open_class_that_gets_too_little() -> None:
    """Closed work of higher priority that takes the whole server leaves an open class without a steady state."""
    low = qn.OpenClass("low", arrival_rate=0.5, demands={"cpu": 0.5}, priority=2)
    with pytest.raises(qn.SaturatedError, match="class 'low'"):
        qn.solve(_site("preemptive", ranked("high", 30, 1.0, 1, cpu=0.5), low))


def test_what_it_refuses() -> None:
    """No priorities, open classes alone, order of arrival, and starving are refused with the reason."""
    low, high = ranked("low", 3, 1.0, 2, cpu=1.0), ranked("loop", 2, 0.0, 1, cpu=1.0)
    reasons = {
        "for models with priorities only": qn.Network([qn.Queue("cpu")], [low]),
        "alone or beside open ones": qn.Network([qn.Queue("cpu", discipline="preemptive")], [opened("a", 0.1, cpu=1.0)]),
        "discipline 'fcfs'": qn.Network([qn.Queue("cpu", discipline="fcfs")], [low, ranked("b", 3, 1.0, 1, cpu=2.0)]),
        "never gets a server": _site("preemptive", high, low),
        "no arrivals": _site("preemptive", low, opened("a", 0.0, cpu=1.0)),
    }
    for reason, model in reasons.items():
        assert reason in next(r.reason for r in qn.methods(model) if r.name == "priority")
