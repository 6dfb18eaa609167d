"""Shared servers and admission: the kernels of the mainframe layer against closed forms and exact networks."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from numpy.random import default_rng
from qnsolve.methods.layers.shared_servers import FullError, seen, shared
from qnsolve.methods.limits.admission_wait import admitted, region_speeds


def _site(seed: int) -> qn.Network:
    """Users of several kinds, and sometimes a stream, at one queue."""
    rng = default_rng(seed)
    speeds = np.cumsum(rng.uniform(0.3, 1.0, rng.integers(1, 5)))
    speeds /= speeds[0]
    classes: list[qn.ClosedClass | qn.OpenClass] = [
        qn.ClosedClass(
            f"c{r}", population=int(rng.integers(1, 5)), think_time=rng.uniform(0.1, 3), demands={"cpu": rng.uniform(0.1, 1)}
        )
        for r in range(rng.integers(1, 5))
    ]
    if rng.random() < 0.6:
        classes.append(qn.OpenClass("o", arrival_rate=rng.uniform(0.1, 0.9) * speeds[-1] / 0.7, demands={"cpu": 0.7}))
    return qn.Network([qn.LoadDependent("cpu", rates=speeds)], classes)


@pytest.mark.parametrize("seed", range(30))
def test_sources_and_a_stream_are_the_mixed_network(seed: int) -> None:
    """Given the loads of the exact solution, the kernel finds its residence times, and the chance of each number of jobs."""
    site = _site(seed)
    exact = qn.solve(site, method="exact")
    demand = [c.demand("cpu") for c in site.classes]
    stretch = [c.response_time / d for c, d in zip(exact.classes, demand, strict=True)]
    load = [c.throughput * d for c, d in zip(exact.classes, demand, strict=True)]
    jobs = [float("inf") if c.population is None else c.population for c in exact.classes]
    assert isinstance(site.stations[0], qn.LoadDependent)
    speeds = np.array(site.stations[0].rates)
    found = shared(load, jobs, stretch, speeds)
    assert found.stretch == pytest.approx(stretch, rel=1e-9)
    chance = exact.distribution("cpu")[: len(speeds)]
    assert found.chance[: len(chance)] == pytest.approx(chance, rel=1e-8, abs=1e-14)
    for own in range(len(load)):
        if jobs[own] < 100:
            assert seen(load, jobs, stretch, speeds, own, np.zeros(len(load))) == pytest.approx(found.stretch[own], rel=1e-9)


@pytest.mark.parametrize("think", [0.5, 0.1, 0.01])
def test_thousands_of_users(think: float) -> None:
    """3000 users at 16 servers, below, near and far above what these can do."""
    site = qn.Network(
        [qn.Queue("cpu", servers=16)], [qn.ClosedClass("u", population=3000, think_time=think * 200, demands={"cpu": 0.5})]
    )
    exact = qn.solve(site)["u"]
    stretch = exact.response_time / 0.5
    found = shared([exact.throughput * 0.5], [3000], [stretch], np.arange(1.0, 17))
    assert found.stretch[0] == pytest.approx(stretch, rel=1e-6)


def test_more_jobs_than_are_ever_there_are_not_counted() -> None:
    """Of thousands of users of two works at light load the first hundred tell all."""
    load, users, stretch, speeds = [3.0, 2.0, 4.0], [4000.0, 90.0, float("inf")], [1.02, 1.05, 1.1], np.arange(1.0, 13)
    whole, few = shared(load, users, stretch, speeds), shared(load, users, stretch, speeds, most=100)
    assert few.stretch == pytest.approx(whole.stretch, rel=1e-9)
    assert few.stretch[1] < few.stretch[2]


def test_a_stream_that_is_too_much() -> None:
    """The servers are full, and say by how much."""
    with pytest.raises(FullError) as caught:
        shared([2.0, 0.5], [np.inf, 1], [1.0, 1.0], np.array([1.0, 2.0]))
    assert caught.value.load == pytest.approx(1.25)


@pytest.mark.parametrize(("serial", "parallel"), [(0.2, 1.5), (0.0, 2.0), (0.4, 0.0)])
def test_throughput_of_a_region(serial: float, parallel: float) -> None:
    """A server and a delay with 1 to 12 jobs: exactly the closed network."""
    speeds = region_speeds(12, serial, parallel)
    for n in (1, 5, 12):
        demands = {"server": serial, "delay": parallel}
        site = qn.Network([qn.Queue("server"), qn.Delay("delay")], [qn.ClosedClass("c", population=n, demands=demands)])
        assert speeds[n - 1] == pytest.approx(qn.solve(site)["c"].throughput, rel=1e-12)


def test_admission_of_a_stream_is_erlangs_queue() -> None:
    """Tasks that only take time, 10 at once, Poisson arrivals: M/M/10."""
    form = qn.stations.mmc(arrival_rate=8.0, service_time=1.0, servers=10)
    found = admitted(region_speeds(10, 0.0, 1.0), 8.0, [], [], [])
    assert found.wait == pytest.approx(form.waiting_time, rel=1e-12)
    assert found.delayed == pytest.approx(form.probability_wait, rel=1e-12)
    assert found.full == pytest.approx(form.probability_wait, rel=1e-12)
    assert found.number_inside == pytest.approx(8.0)
    with pytest.raises(FullError):
        admitted(region_speeds(10, 0.0, 1.0), 10.0, [], [], [])


def test_admission_of_users_is_the_finite_queue() -> None:
    """25 users, 6 at once: the closed network of a delay and a queue of 6 servers."""
    site = qn.Network([qn.Queue("in", servers=6)], [qn.ClosedClass("u", population=25, think_time=3.0, demands={"in": 1.0})])
    exact = qn.solve(site)
    found = admitted(region_speeds(6, 0.0, 1.0), 0.0, [25.0], [1.0], [3.0])
    assert found.throughput == pytest.approx(exact["u"].throughput, rel=1e-12)
    assert found.wait == pytest.approx(exact["u"].response_time - 1.0, rel=1e-10)
    waiting = exact.distribution("in")
    assert waiting[: 6 + found.outside_95 + 1].sum() >= 0.95 > waiting[: 6 + found.outside_95].sum()


def test_admission_counts_the_region_as_a_station() -> None:
    """A region with a server inside, users and a limit: the chain of its flow equivalent, as `limits` has it."""
    site = qn.Network(
        [qn.Queue("QR"), qn.Delay("rest")],
        [qn.ClosedClass("u", population=40, think_time=2.0, demands={"QR": 0.05, "rest": 0.4})],
        [qn.AdmissionLimit(8, name="MXT")],
    )
    exact = qn.solve(site, method="limits")
    found = admitted(region_speeds(8, 0.05, 0.4), 0.0, [40.0], [1.0], [2.0])
    assert found.throughput == pytest.approx(exact["u"].throughput, rel=1e-9)
    assert found.wait == pytest.approx(exact["u"].admission_wait, rel=1e-8)
    assert found.number_outside == pytest.approx(exact["MXT"].number_outside, rel=1e-8)
    assert found.outside_95 == exact["MXT"].number_outside_95
