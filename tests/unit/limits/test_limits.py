"""The method `limits`: exact where theory says so, near the Markov chain elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from qnsolve import (
    AdmissionLimit,
    ClosedClass,
    Delay,
    LoadDependent,
    Network,
    NoMethodError,
    OpenClass,
    Queue,
    SaturatedError,
    Solution,
    methods,
    solve,
    stations,
)

from tests.support.zoo import closed, opened

CPU, DISK = Queue("cpu", servers=2), Queue("disk")


def _close(found: Solution, expected: Solution, rel: float, but: tuple[str, ...] = ()) -> None:
    for a, b in zip(
        (*found.classes, *found.pairs, *found.limits), (*expected.classes, *expected.pairs, *expected.limits), strict=True
    ):
        for field, value in vars(b).items():
            if isinstance(value, float) and field not in but:
                assert getattr(a, field) == pytest.approx(value, rel=rel, abs=rel * 1e-2, nan_ok=True), (a, field)


@pytest.mark.parametrize("capacity", [12, 99])
def test_a_limit_above_all_jobs_changes_nothing(capacity: int) -> None:
    """With a capacity for all jobs the answer is that of the network alone."""
    classes = [closed("a", 7, 1.0, cpu=0.4, disk=0.3), closed("b", 5, 2.0, cpu=0.2, disk=0.9)]
    free = solve(Network([CPU, DISK], classes))
    held = solve(Network([CPU, DISK], classes, [AdmissionLimit(capacity, name="MXT")]), "limits")
    _close(replace(held, limits=()), free, 1e-10)
    assert held["MXT"].number_inside == pytest.approx(sum(c.queue_length for c in free.classes), rel=1e-10)
    assert held["MXT"].number_outside == pytest.approx(0, abs=1e-12)
    for station in ("cpu", "disk"):
        np.testing.assert_allclose(
            held.distribution(station), free.distribution(station)[: len(held.distribution(station))], atol=1e-12
        )


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (3, 2.0), (40, 38.0), (300, 290.0)])
def test_a_limit_before_a_delay_is_a_queue(servers: int, load: float) -> None:
    """Jobs let into a delay, m at a time, are M/M/m, of any size."""
    model = Network([Delay("net")], [opened("web", load, net=1.0)], [AdmissionLimit(servers, name="MXT")])
    result, form = solve(model), stations.mmc(load, 1.0, servers)
    assert result.method == "limits"
    assert result["web"].admission_wait == pytest.approx(form.waiting_time, rel=1e-8)
    assert result["web"].fraction_delayed == pytest.approx(form.probability_wait, rel=1e-8)
    assert result["MXT"].probability_full == pytest.approx(form.probability_wait, rel=1e-8)


def test_one_job_at_a_time_is_a_server_with_general_service() -> None:
    """A capacity of one: Pollaczek and Khinchine with the squared variation of the whole way."""
    demands = {"cpu": 0.3, "disk": 0.5, "net": 0.1}
    model = Network([CPU, DISK, Delay("net")], [opened("web", 0.8, **demands)], [AdmissionLimit(1, name="MXT")])
    total = sum(demands.values())
    form = stations.mg1(0.8, total, sum(d * d for d in demands.values()) / total**2)
    result = solve(model)
    assert result["web"].admission_wait == pytest.approx(form.waiting_time, rel=1e-9)
    assert result["web"].response_time == pytest.approx(form.response_time, rel=1e-9)
    visits = OpenClass("web", arrival_rate=0.1, visits={"cpu": 3, "disk": 2}, service_times={"cpu": 0.5, "disk": 0.7})
    again = Network([Queue("cpu"), DISK], [visits], [AdmissionLimit(1, name="MXT")])
    _close(solve(again, "limits"), solve(again, "markov"), 1e-8)


@pytest.mark.parametrize("capacity", [1, 3, 8, 25])
def test_one_class_is_flow_equivalence(capacity: int) -> None:
    """The region is a station with the speeds of its own throughput, one population after another."""
    demands = {"cpu": 0.7, "disk": 0.25}
    alone = [solve(Network([CPU, DISK], [closed("a", n, **demands)]))["a"].throughput for n in range(1, capacity + 1)]
    region = LoadDependent("region", rates=alone)
    expected = solve(Network([region, Delay("net")], [closed("a", 25, 3.0, region=1.0, net=0.5)]))
    model = Network(
        [CPU, DISK, Delay("net")],
        [closed("a", 25, 3.0, net=0.5, **demands)],
        [AdmissionLimit(capacity, stations=["cpu", "disk"])],
    )
    result = solve(model)
    assert result.method == "limits"
    assert result["a"].throughput == pytest.approx(expected["a"].throughput, rel=1e-10)
    states = expected.distribution("region")
    outside = np.maximum(np.arange(len(states)) - capacity, 0) @ states
    assert result["limit"].number_outside == pytest.approx(outside, rel=1e-9)
    assert result["a"].response_time == pytest.approx(25 / result["a"].throughput - 3.0, rel=1e-10)


def test_class_limits_at_one_station_are_exact() -> None:
    """At one station the region is always in balance: the chain gives the same."""
    limits = [AdmissionLimit(2, name="LA", classes=["a"]), AdmissionLimit(1, name="LB", classes=["b"])]
    model = Network([CPU], [closed("a", 4, 1.0, cpu=0.6), closed("b", 3, 0.5, cpu=0.9)], limits)
    _close(solve(model, "limits"), solve(model, "markov"), 1e-9)


def _random(rng: np.random.Generator, kind: str) -> Network:
    stations_ = [Queue(f"s{k}", servers=int(rng.integers(1, 4))) for k in range(int(rng.integers(1, 4)))]
    classes = [
        ClosedClass(
            f"c{r}",
            population=int(rng.integers(2, 5)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            demands={s.name: float(10 ** rng.uniform(-1, 0.5)) for s in stations_},
        )
        for r in range(2)
    ]
    limits = [AdmissionLimit(int(rng.integers(2, 6)), name="MXT")]
    if kind == "nested":
        limits.append(AdmissionLimit(int(rng.integers(1, 3)), name="T", classes=["c0"]))
    return Network(stations_, classes, limits)


@pytest.mark.parametrize("kind", ["common", "nested"])
def test_two_classes_are_near_the_chain(kind: str) -> None:
    """Every figure of forty models against the Markov chain: response time within 3 % in the mean."""
    rng, errors = np.random.default_rng(11), []
    for _ in range(40):
        model = _random(rng, kind)
        found, exact = solve(model, "limits"), solve(model, "markov")
        errors += [a.response_time / b.response_time - 1 for a, b in zip(found.classes, exact.classes, strict=True)]
        for a, b in zip(found.limits, exact.limits, strict=True):
            assert a.number_inside == pytest.approx(b.number_inside, rel=0.2)
            assert a.probability_full == pytest.approx(b.probability_full, abs=0.12)
        for a, b in zip(found.classes, exact.classes, strict=True):
            assert a.fraction_delayed == pytest.approx(b.fraction_delayed, abs=0.1)
    assert np.abs(errors).mean() < 0.03
    assert np.abs(errors).max() < 0.25


def test_open_and_closed_classes_under_one_limit() -> None:
    """Open classes under the same limit are one line; a closed one beside them has its own wait."""
    classes = [
        opened("web", 0.25, cpu=0.5, disk=0.4),
        opened("api", 0.15, cpu=0.2, disk=0.9),
        closed("batch", 1, 0.5, cpu=0.5, disk=0.5),
    ]
    model = Network([CPU, DISK], classes, [AdmissionLimit(3, name="MXT")])
    result = solve(model)
    assert result["web"].admission_wait == pytest.approx(result["api"].admission_wait, rel=1e-12)
    merged = OpenClass(
        "both",
        arrival_rate=0.4,
        demands={n: (0.25 * classes[0].demand(n) + 0.15 * classes[1].demand(n)) / 0.4 for n in ("cpu", "disk")},
    )
    alike = Network([CPU, DISK], [merged, classes[2]], [AdmissionLimit(3, name="MXT")])
    one, exact = solve(alike, "limits"), solve(alike, "markov")
    assert one["both"].admission_wait == pytest.approx(result["web"].admission_wait, rel=1e-10)
    for name in ("both", "batch"):
        assert one[name].response_time == pytest.approx(exact[name].response_time, rel=0.02)


def test_threads_within_a_limit_and_two_regions() -> None:
    """Limits on parts, one inside another or beside it, against the chain."""
    classes = [closed("a", 6, 1.0, cpu=0.4, disk=0.3, db=0.6)]
    outer, inner = AdmissionLimit(4, name="MXT"), AdmissionLimit(2, name="threads", stations=["db", "disk"])
    for limits in ([outer, inner], [inner, AdmissionLimit(1, name="cpu only", stations=["cpu"])]):
        model = Network([CPU, DISK, Queue("db", servers=3)], classes, limits)
        found, exact = solve(model, "limits"), solve(model, "markov")
        assert solve(model).method == "markov"  # some hundreds of states: exact is cheap
        assert found["a"].response_time == pytest.approx(exact["a"].response_time, rel=0.05)
        assert found["a"].admission_wait == pytest.approx(exact["a"].admission_wait, rel=0.08)
        assert found["threads"].number_inside == pytest.approx(exact["threads"].number_inside, rel=0.02)
        assert found["a"].fraction_delayed == pytest.approx(exact["a"].fraction_delayed, abs=0.05)
        for station in ("cpu", "disk", "db"):
            there = found.distribution(station)
            assert there.sum() == pytest.approx(1, rel=1e-12)
            assert np.arange(len(there)) @ there == pytest.approx(found[station].queue_length, rel=1e-6)


def test_what_a_limit_cannot_pass_is_saturation() -> None:
    """The limit, the utilization, the class and the highest rate are named."""
    model = Network([Queue("cpu"), DISK], [opened("web", 0.9, cpu=1.0, disk=0.5)], [AdmissionLimit(2, name="MXT")])
    highest = solve(Network([Queue("cpu"), DISK], [closed("web", 2, cpu=1.0, disk=0.5)]))["web"].throughput
    with pytest.raises(SaturatedError, match="'MXT'") as caught:
        solve(model)
    assert caught.value.highest_rate == pytest.approx(highest, rel=1e-9)
    assert solve(model.replace("web", arrival_rate=0.99 * highest))["web"].admission_wait > 0


@pytest.mark.parametrize("population", [0, 5])
def test_a_limit_on_nobody(population: int) -> None:
    """A limit whose classes have no jobs, or go elsewhere, changes nothing and shows nobody."""
    classes = [closed("a", population, 1.0, cpu=0.5), closed("b", 3, 1.0, disk=0.4)]
    limit = AdmissionLimit(2, name="MXT", classes=["a"], stations=["disk"] if population else None)
    result = solve(Network([CPU, DISK], classes, [limit]), "limits")
    free = solve(Network([CPU, DISK], classes))
    assert result["b"].throughput == pytest.approx(free["b"].throughput, rel=1e-12)
    assert result["MXT"].number_inside == result["MXT"].number_outside == 0


REFUSED = {
    "crossing classes": (
        [AdmissionLimit(2, name="LA", classes=["a", "b"]), AdmissionLimit(2, name="LB", classes=["b", "c"])],
        "neither is within",
    ),
    "crossing stations": (
        [AdmissionLimit(2, name="LA", stations=["cpu", "disk"]), AdmissionLimit(2, name="LB", stations=["disk", "db"])],
        "neither is within",
    ),
    "some classes of a part": (
        [AdmissionLimit(4, name="LA"), AdmissionLimit(2, name="LB", stations=["db"], classes=["a"])],
        "not for all classes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_refuses_and_why(name: str) -> None:
    """Limits that overlap in other ways are refused by name, and the chain takes them where they are small."""
    limits, why = REFUSED[name]
    model = Network([Queue("cpu"), DISK, Queue("db")], [closed(c, 2, 1.0, cpu=0.5, disk=0.4, db=0.3) for c in "abc"], limits)
    report = {r.name: r for r in methods(model)}
    assert why in report["limits"].reason
    with pytest.raises(NoMethodError, match="limit '"):
        solve(model, "limits")
    assert solve(model).method == "markov"


def test_a_distribution_of_a_region_sums_to_one_and_has_the_mean() -> None:
    """Stations inside and outside of the region."""
    model = Network(
        [CPU, DISK, Queue("db")],
        [closed("a", 5, 1.0, cpu=0.5, disk=0.4, db=0.3), closed("b", 4, 2.0, cpu=0.3, db=0.9)],
        [AdmissionLimit(3, stations=["cpu", "disk"])],
    )
    result = solve(model)
    for station in ("cpu", "disk", "db"):
        p = result.distribution(station)
        assert math.isclose(p.sum(), 1, rel_tol=1e-12)
        assert np.arange(len(p)) @ p == pytest.approx(result[station].queue_length, rel=1e-9)


@pytest.mark.parametrize("stations", [["x"], None])
@pytest.mark.parametrize("method", ["limits", "markov"])
def test_a_class_without_demands_changes_nothing(method: str, stations: list[str] | None) -> None:
    """A limit on part of the network beside a class without demands; limits one within another, visits of which some are 0."""
    places = [Queue("x"), Queue("y")]
    busy = ClosedClass("a", population=3, think_time=1.0, visits={"x": 0.5, "y": 0.3}, service_times={"x": 0.2, "y": 0.4})
    limits = [AdmissionLimit(1, name="one", stations=stations), AdmissionLimit(2, name="two", stations=stations)]
    alone = solve(Network(places, [busy, closed("b", 2, 1.0, x=0.1)], limits), method)
    idle = closed("idle", 1, 2.0)
    found = solve(Network(places, [busy, idle, closed("b", 2, 1.0, x=0.1)], limits), method)
    for name in "ab":
        assert found[name].throughput == pytest.approx(alone[name].throughput, rel=1e-10)
        assert found[name].response_time == pytest.approx(alone[name].response_time, rel=1e-10)
    assert found["idle"].throughput == pytest.approx(0.5, rel=1e-12)
