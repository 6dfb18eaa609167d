"""Small models with limits: groups of stations, and the lines in their order."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from qnsolve import AdmissionLimit, ClosedClass, Delay, Network, Queue, methods, solve, verify
from qnsolve.methods.limits import grouped_chain as grouped

from benchmarks.families import limit_families
from tests.support.effort import counted
from tests.support.zoo import closed

CPU, DISK, DB = Queue("cpu", servers=2), Queue("disk"), Queue("db", servers=2)
LIMITS = {
    "nested": [AdmissionLimit(2, name="MXT"), AdmissionLimit(1, name="T", stations=["cpu", "db"])],
    "apart": [AdmissionLimit(1, name="MXT", stations=["cpu"]), AdmissionLimit(2, name="T", stations=["db"])],
    "classes": [
        AdmissionLimit(3, name="MXT", stations=["disk"]),
        AdmissionLimit(1, name="T", stations=["disk"], classes=["a"]),
    ],
}


def _classes(kind: str) -> list[ClosedClass]:
    if kind == "demands":
        return [closed("a", 3, 1.0, cpu=0.6, disk=0.2, db=0.5), closed("b", 2, 0.5, cpu=0.1, disk=0.7)]
    times = {"cpu": 0.3, "disk": 0.4, "db": 0.2}
    return [
        ClosedClass("a", population=2, think_time=1.0, visits={"cpu": 1.5, "disk": 0.5, "db": 1.0}, service_times=times),
        ClosedClass("b", population=2, think_time=2.0, visits={"cpu": 0.3, "disk": 0.4, "db": 0.0}, service_times=times),
    ]


@pytest.mark.parametrize("kind", ["demands", "visits"])
@pytest.mark.parametrize("name", LIMITS)
def test_groups_of_one_station_are_the_chain(name: str, kind: str) -> None:
    """Every figure, also of the limits."""
    model = Network([CPU, DISK, DB], _classes(kind), LIMITS[name])
    found, exact = solve(model, "limits"), solve(model, "markov")
    for a, b in zip((*found.classes, *found.pairs, *found.limits), (*exact.classes, *exact.pairs, *exact.limits), strict=True):
        for field, value in vars(b).items():
            if isinstance(value, float):
                assert getattr(a, field) == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), (a, field)
    for station in ("cpu", "disk", "db"):
        p, q = found.distribution(station), exact.distribution(station)
        size = max(len(p), len(q))
        np.testing.assert_allclose(np.pad(p, (0, size - len(p))), np.pad(q, (0, size - len(q))), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["demands", "visits"])
def test_each_request_has_its_wait(kind: str) -> None:
    """Jobs that come to the limited part twice wait twice: the wait of a job is that of its delayed requests."""
    model = Network([CPU, DISK, DB], _classes(kind), LIMITS["nested"])
    for method in ("markov", "limits"):
        result = verify(model, method=method, jobs=40_000)
        assert result.agrees, str(result)
        assert sum(c.quantity == "delayed_wait" for c in result.comparisons) == 2


def test_a_wrong_wait_is_seen() -> None:
    """Figures of limits are compared too."""
    solution = solve(Network([CPU, DISK, DB], _classes("demands"), LIMITS["nested"]), "markov")
    first = dataclasses.replace(solution.classes[0], fraction_delayed=solution.classes[0].fraction_delayed * 1.1)
    wrong = dataclasses.replace(solution, classes=(first, *solution.classes[1:]))
    found = [c for c in verify(wrong, jobs=40_000).comparisons if c.verdict == "differs"]
    assert [(c.class_name, c.quantity) for c in found] == [("a", "fraction_delayed")]


def test_a_limit_that_nobody_reaches_is_not_judged() -> None:
    """Delays too rare to be simulated are left out."""
    model = Network([CPU], [closed("a", 6, 500.0, cpu=0.1)], [AdmissionLimit(5, name="MXT")])
    result = verify(model, method="markov", jobs=2000)
    assert result.agrees
    assert not any(c.quantity == "delayed_wait" for c in result.comparisons)


def test_visits_in_groups_are_near_the_chain() -> None:
    """Several stations a group, entered again and again."""
    times = {"cpu": 0.3, "disk": 0.4, "db": 0.2, "net": 0.5}
    a = ClosedClass("a", population=3, think_time=1.0, visits={"cpu": 3, "disk": 1, "db": 2, "net": 1.5}, service_times=times)
    b = ClosedClass("b", population=3, think_time=1.0, visits={"cpu": 1, "disk": 0.2, "db": 0, "net": 0.5}, service_times=times)
    model = Network([CPU, DISK, DB, Delay("net")], [a, b], [AdmissionLimit(2, name="T", stations=["db", "net"])])
    found, exact = solve(model, "limits"), solve(model, "markov")
    for x, y in zip(found.classes, exact.classes, strict=True):
        assert x.response_time == pytest.approx(y.response_time, rel=0.01)
        assert x.admission_wait == pytest.approx(y.admission_wait, rel=0.06)
        assert x.fraction_delayed == pytest.approx(y.fraction_delayed, abs=0.01)


def test_beyond_it_the_parts_are_stations_of_mean_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the chain were too long: forty models of more stations, response time within 6 % in the mean."""
    rng, errors, late = np.random.default_rng(5), [], []
    monkeypatch.setattr(grouped, "STATES", 0)
    for _ in range(40):
        model = limit_families.parts_of_more(rng)
        found, exact = solve(model, "limits"), solve(model, "markov")
        for x, y in zip(found.classes, exact.classes, strict=True):
            errors.append(x.response_time / y.response_time - 1)
            late.append(x.fraction_delayed - y.fraction_delayed)
    assert np.abs(errors).mean() < 0.06
    assert np.abs(late).mean() < 0.05


@pytest.mark.parametrize("jobs", [12, 60, 400])
def test_a_chain_too_long_is_given_up_soon(jobs: int) -> None:
    """A few seconds of work, whatever the population."""
    classes = [closed("a", jobs, 1.0, cpu=0.2, disk=0.2), closed("b", jobs, 1.0, cpu=0.1, db=0.5)]
    limits = [AdmissionLimit(jobs // 2, name="MXT"), AdmissionLimit(2, name="T", stations=["disk"])]
    model = Network([CPU, DISK, DB], classes, limits)
    assert "limits" in [report.name for report in methods(model) if report.accepts]
    result, calls = counted(lambda: solve(model, "limits"))
    assert calls < 5_000_000
    assert result["T"].number_inside <= 2
    for c in result.classes:
        assert c.throughput * (c.response_time + 1.0) == pytest.approx(jobs, rel=1e-9)
