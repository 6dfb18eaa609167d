"""Methods for general times, priorities and order of arrival: exact where they must be, refused where they do not go."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import accuracy, accuracy_general
from tests.support.zoo import closed, opened

ROWS, SAMPLE = (
    [row for row in accuracy.read(file) if row["method"] in accuracy.SIMULATED] for file in (accuracy.TABLE, accuracy.SAMPLE)
)


def _one(servers: int = 1, discipline: str = "fcfs", **more: float) -> qn.Network:
    job = qn.OpenClass("a", arrival_rate=0.5 * servers, demands={"cpu": 1.0}, **more)  # type: ignore[arg-type]
    return qn.Network([qn.Queue("cpu", servers=servers, discipline=discipline)], [job])


def _varied(model: qn.Network, variation: float) -> qn.Network:
    return model.replace("a", service_variation={"cpu": variation})


@pytest.mark.parametrize("variation", [0.0, 0.3, 1.0, 5.0])
def test_poisson_arrivals_at_one_server(variation: float) -> None:
    """M/G/1, Pollaczek and Khinchine's formula."""
    found = qn.solve(_varied(_one(), variation), method="qna")["a"].response_time
    assert found == pytest.approx(qn.stations.mg1(0.5, 1.0, variation).response_time, rel=1e-12)


@pytest.mark.parametrize(("size", "variation"), [(2.0, 0.0), (2.5, 0.04), (3.4, 0.5), (1.01, 2.0), (100.0, 1.0)])
@pytest.mark.parametrize("discipline", ["fcfs", "ps"])
def test_batches_at_one_server(size: float, variation: float, discipline: str) -> None:
    """M[X]/M/1 exactly, in line or sharing."""
    found = qn.solve(_one(discipline=discipline, batch_size=size, batch_variation=variation), method="qna")["a"].response_time
    assert found == pytest.approx(qn.stations.batch(0.5, 1.0, size, variation).response_time, rel=1e-10)


def test_batches_of_general_service() -> None:
    """M[X]/G/1: the batch as one job of its whole work, and then those ahead in it."""
    size, spread, variation, rate = 3.0, 0.5, 2.0, 0.6
    whole = size**2 * (1 + spread + variation / size)  # second moment of a batch's work
    wait = rate / size * whole / 2 / (1 - rate) + (size * (1 + spread) - 1) / 2
    model = _varied(_one(batch_size=size, batch_variation=spread).replace("a", arrival_rate=rate), variation)
    assert qn.solve(model, method="qna")["a"].response_time == pytest.approx(1 + wait, rel=1e-12)


@pytest.mark.parametrize("discipline", ["preemptive", "nonpreemptive"])
def test_priorities_at_one_server(discipline: str) -> None:
    """M/G/1 with priorities: Cobham's formula, and that of preemption with resumption."""
    rates, times, variations = (0.1, 0.2, 0.15), (2.0, 1.0, 0.5), (3.0, 0.0, 1.0)
    classes = [
        qn.OpenClass(f"c{i}", arrival_rate=r, priority=i + 1, demands={"cpu": s}, service_variation={"cpu": v})
        for i, (r, s, v) in enumerate(zip(rates, times, variations, strict=True))
    ]
    found = qn.solve(qn.Network([qn.Queue("cpu", discipline=discipline)], classes), method="qna")
    left = [r * s * s * (1 + v) / 2 for r, s, v in zip(rates, times, variations, strict=True)]
    load = [r * s for r, s in zip(rates, times, strict=True)]
    for i, s in enumerate(times):
        before, upto = 1 - sum(load[:i]), 1 - sum(load[: i + 1])
        if discipline == "preemptive":
            expected = s / before + sum(left[: i + 1]) / (before * upto)
        else:
            expected = s + sum(left) / (before * upto)
        assert found[f"c{i}"].response_time == pytest.approx(expected, rel=1e-12)


def test_nonpreemptive_servers_of_equal_times() -> None:
    """M/M/m with priorities and one mean: exact against the Markov chain."""
    classes = [dataclasses.replace(opened(n, r, cpu=1.0), priority=i) for i, (n, r) in enumerate([("a", 0.5), ("b", 0.6)], 1)]
    model = qn.Network([qn.Queue("cpu", servers=2, discipline="nonpreemptive")], classes)
    exact, found = qn.solve(model, method="markov"), qn.solve(model, method="qna")
    for name in ("a", "b"):
        assert found[name].response_time == pytest.approx(exact[name].response_time, rel=1e-9)


def test_product_form_is_kept() -> None:
    """Where a network has product form the approximation is the exact answer."""
    model = qn.Network(
        [
            qn.Queue("cpu", servers=3, discipline="fcfs"),
            qn.Queue("disk"),
            qn.Delay("net"),
            qn.LoadDependent("pool", rates=[1, 1.5]),
        ],
        [
            qn.OpenClass(
                "a", arrival_rate=0.4, visits={"cpu": 2, "disk": 1, "pool": 1}, service_times={"cpu": 1, "disk": 1, "pool": 1}
            ),
            qn.OpenClass("b", arrival_rate=0.2, visits={"cpu": 3, "net": 1}, service_times={"cpu": 1, "net": 9}),
        ],
    )
    exact, found = qn.solve(model, method="open"), qn.solve(model, method="qna")
    for a, b in zip(exact.pairs, found.pairs, strict=True):
        assert b.residence_time == pytest.approx(a.residence_time, rel=1e-9)
    for station in ("cpu", "disk", "net", "pool"):
        some = found.distribution(station)
        assert some @ np.arange(len(some)) == pytest.approx(found[station].queue_length, rel=1e-6)


@pytest.mark.parametrize("servers", [1, 2, 64, 10**6])
@pytest.mark.parametrize("busy", [1e-12, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("variation", [0.0, 1.0, 1e4])
def test_extremes(servers: int, busy: float, variation: float) -> None:
    """A million servers, loads from nothing to almost full, any variation: finite, and never less than the service."""
    job = qn.OpenClass(
        "a",
        arrival_rate=busy * servers * 1e6,
        arrival_variation=variation,
        batch_size=1.5,
        demands={"cpu": 1e-6},
        service_variation={"cpu": variation},
    )
    found = qn.solve(qn.Network([qn.Queue("cpu", servers=servers, discipline="fcfs")], [job]), method="qna")
    assert np.isfinite(found["a"].response_time)
    assert found["a"].response_time >= 1e-6


def test_clockwork_never_waits() -> None:
    """Constant times, and arrivals by a clock, at one server: no job waits, there and downstream."""
    job = qn.OpenClass("a", arrival_rate=0.9, arrival_variation=0.0, demands={"cpu": 1.0}, service_variation={"cpu": 0.0})
    assert qn.solve(qn.Network([qn.Queue("cpu", discipline="fcfs")], [job]), method="qna")["a"].response_time == 1.0


def test_saturation_is_reported() -> None:
    """Bursts do not change what a station can serve."""
    with pytest.raises(qn.SaturatedError) as info:
        qn.solve(_one(batch_size=3).replace("a", arrival_rate=1.5))
    assert info.value.highest_rate == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["open", "markov", "linearizer"])
def test_methods_for_exponential_times_refuse(method: str) -> None:
    """Uneven service in line, arrivals that are not Poisson: what does not model them says so."""
    for model, message in (
        (_varied(_one(), 2.0), "service_variation of class 'a'"),
        (_one(arrival_variation=0.5), "arrival_variation 0.5"),
    ):
        report = next(r for r in qn.methods(model) if r.name == method)
        assert not report.accepts
        assert message in report.reason


def test_sharing_does_not_mind() -> None:
    """Processor sharing and delays are insensitive: the exact methods take uneven times there."""
    model = qn.Network([qn.Queue("cpu"), qn.Delay("net")], [closed("a", 4, 1.0, cpu=0.5, net=0.3)])
    uneven = model.replace("a", service_variation={"cpu": 4.0, "net": 0.0})
    assert qn.solve(uneven).method == "convolution"
    assert qn.solve(uneven)["a"].throughput == qn.solve(model)["a"].throughput
    limited = qn.Network(uneven.stations, uneven.classes, [qn.AdmissionLimit(2)])
    assert "service_variation" in next(r.reason for r in qn.methods(limited) if r.name == "markov")


def test_bounds_and_percentiles_know() -> None:
    """Bounds hold for any times; percentiles are refused where times are not exponential."""
    model = qn.Network([qn.Queue("cpu"), qn.Delay("net")], [opened("a", 0.5, cpu=1.0, net=1.0)])
    uneven = model.replace("a", service_variation={"net": 0.0})
    assert qn.bounds(uneven).best("a", "response_time").lower == 2.0
    with pytest.raises(qn.NoMethodError, match="only exponential times"):
        qn.response_percentile(uneven, "a", 0.95)


def _pair(discipline: str = "fcfs", **more: float) -> qn.Network:
    stations = [qn.Queue("cpu", discipline=discipline), qn.Queue("disk")]
    return qn.Network(stations, [closed("a", 3, 1.0, cpu=1.0, disk=0.3), closed("b", 2, 0.5, cpu=0.2, disk=0.7)])


def test_one_job_meets_nobody() -> None:
    """Alone a job takes its demands, whatever their variation."""
    model = qn.Network([qn.Queue("cpu", discipline="fcfs"), qn.Queue("disk")], [closed("a", 1, 1.0, cpu=1.0, disk=0.3)])
    model = model.replace("a", service_variation={"cpu": 5.0})
    assert qn.solve(model, method="fcfs")["a"].response_time == pytest.approx(1.3, rel=1e-9)


def test_order_of_arrival_is_near_the_chain() -> None:
    """Two classes with times of their own: within 2 % of the Markov chain, where sharing is further off."""
    model = _pair()
    exact, found = qn.solve(model, method="markov"), qn.solve(model, method="fcfs")
    shared = qn.solve(_pair("ps"))
    for name in ("a", "b"):
        assert found[name].response_time == pytest.approx(exact[name].response_time, rel=0.02)
    assert shared["b"].response_time < 0.9 * exact["b"].response_time


def test_variation_makes_closed_jobs_wait() -> None:
    """More variation, longer response; and the approximation says that it is one."""
    model = _pair().replace("a", service_variation={"cpu": 0.0})
    times = [
        qn.solve(model.replace("a", service_variation={"cpu": v}), method="fcfs")["b"].response_time for v in (0.0, 1.0, 4.0)
    ]
    assert times == sorted(times)
    result = qn.solve(model)
    assert (result.method, result.exact) == ("fcfs", False)
    assert any(note.startswith("approximate: response time ") for note in result.notes)


def test_the_closed_method_sends_product_form_elsewhere() -> None:
    """What other methods do better is refused, and they are named."""
    assert "linearizer" in next(r.reason for r in qn.methods(_pair("ps")) if r.name == "fcfs")
    assert "discipline" in next(r.reason for r in qn.methods(_pair("preemptive")) if r.name == "fcfs")


@pytest.mark.slow
@pytest.mark.parametrize("family", accuracy_general.FAMILIES)
def test_the_measured_errors_are_found_again(family: str) -> None:
    """The method, run again beside the stored simulations, gives the family's row; of a costly one that of the sample."""
    costly = family in accuracy_general.COSTLY
    new = accuracy_general.row_of(family, accuracy_general.family_errors(family, accuracy.EVERY if costly else 1))
    (old,) = (row for row in (SAMPLE if costly else ROWS) if row["family"] == family)
    assert (new["method"], new["models"]) == (old["method"], old["models"])
    for figure in accuracy.HEAD[3:]:
        assert float(new[figure]) == pytest.approx(float(old[figure]), abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("family", accuracy_general.FAMILIES)
def test_a_stored_simulation_is_found_again(family: str) -> None:
    """The first model of a family, simulated again, gives the figures stored."""
    model = next(accuracy_general.models(family, 1))
    found, stored = accuracy_general.simulated(model, 0), accuracy_general.reference(family)[0]
    for new, old in zip(found[:2], stored[:2], strict=True):  # with other random numbers: the half widths are not the same
        np.testing.assert_allclose(new, old, rtol=0.1)


def test_the_table_for_reading_is_the_measured_one() -> None:
    """The benchmarks' README shows these rows of the package's table."""
    assert accuracy.as_markdown(ROWS) in (Path(accuracy.__file__).parent / "README.md").read_text(encoding="utf-8")
