"""Approximate methods: the fixed point is that of the equations, whatever the steps; many jobs; what does not converge."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.mean_value.amva import amva
from qnsolve.methods.mean_value.saddle_point import saddle_point
from qnsolve.methods.product_form.convolution import one_class
from qnsolve.numerics import fixed_point as acceleration
from qnsolve.numerics.series import Array

from tests.support.effort import counted


def _drawn(seed: int, classes: int = 3, stations: int = 4) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    population = rng.integers(1, 12, classes).astype(float)
    return population, 10 ** rng.uniform(0.5, 1.5, classes), 10 ** rng.uniform(-1.5, 0.3, (classes, stations))


def _plain_linearizer(population: Array, think_time: Array, demand: Array) -> Array:
    """Throughputs by the Linearizer as published, in loops, single servers; F to 1e-13."""
    classes, stations = demand.shape
    bend = np.zeros((classes, stations, classes))

    def core(n: Array) -> tuple[Array, Array]:
        share = np.full((classes, stations), 1 / stations) * (n > 0)[:, None]
        for _ in range(100_000):
            new, rate = np.zeros_like(share), np.zeros(classes)
            for s in np.flatnonzero(n):
                less = n.copy()
                less[s] -= 1
                met = sum(less[r] * (share[r] + bend[r, :, s]) for r in range(classes))
                stay = demand[s] * (1 + met)
                rate[s] = n[s] / (think_time[s] + stay.sum())
                new[s] = rate[s] * stay / n[s]
            moved = np.abs(new - share).max()
            share = new
            if moved < 1e-14:
                break
        return share, rate

    for _ in range(200):
        share, _ = core(population)
        less = [core(population - one)[0] for one in np.eye(classes)]
        new = np.array(
            [[[less[s][r, k] - share[r, k] for s in range(classes)] for k in range(stations)] for r in range(classes)]
        )
        new[:, :, :] *= np.array([[[population[r] - (r == s) > 0 for s in range(classes)]] for r in range(classes)])
        moved = np.abs(new - bend).max()
        bend = new
        if moved < 1e-13:
            break
    return core(population)[1]


def _plain_aql(population: Array, think_time: Array, demand: Array) -> Array:
    """Throughputs by AQL as published: totals, and how their share of all jobs moves with one job less."""
    classes = len(population)
    sizes = [population, *(population - one for one in np.eye(classes))]
    total = [n.sum() * demand.sum(axis=0) / demand.sum() for n in sizes]
    rate = np.zeros(classes)
    for _ in range(100_000):
        new = []
        whole = population.sum()
        move = [total[1 + s] / max(whole - 1, 1) - total[0] / whole for s in range(classes)]
        for n, there in zip(sizes, total, strict=True):
            jobs = n.sum()
            met = [max(jobs - 1, 0) * (there / max(jobs, 1) + move[s]) for s in range(classes)]
            stay = demand * (1 + np.maximum(met, 0))
            x = n / (think_time + stay.sum(axis=1))
            rate = x if n is population else rate
            new.append((x[:, None] * stay).sum(axis=0))
        moved = max(np.abs(a - b).max() for a, b in zip(new, total, strict=True))
        total = new
        if moved < 1e-14:
            break
    return rate


@pytest.mark.parametrize("seed", range(6))
def test_mixed_steps_reach_the_fixed_point_of_plain_ones(seed: int) -> None:
    """Accelerated or not, the Linearizer and AQL are those of their publications, to 1e-8."""
    model = _drawn(seed)
    speeds = [np.ones(1)] * 4
    np.testing.assert_allclose(amva(*model, speeds, "linearizer").throughput, _plain_linearizer(*model), rtol=1e-8)
    np.testing.assert_allclose(amva(*model, speeds, "aql").throughput, _plain_aql(*model), rtol=1e-8)


@pytest.mark.parametrize("rule", ["schweitzer", "aql", "linearizer"])
def test_damping_is_tried_and_named(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where mixed steps do not get there damped ones do, to the same answer, and a note says so."""
    model, speeds = _drawn(1), [np.ones(1)] * 4
    usual = amva(*model, speeds, rule)
    assert usual.notes == ()
    monkeypatch.setattr(acceleration, "FAST", 2)
    slow = amva(*model, speeds, rule)
    assert slow.notes == ("converged with damping only: 0.3 of each step taken",)
    np.testing.assert_allclose(slow.throughput, usual.throughput, rtol=1e-8)


def test_what_does_not_converge_raises_with_its_residual(monkeypatch: pytest.MonkeyPatch) -> None:
    """No last iterate is handed out: ConvergenceError, exit code 4, with the residual; in a sweep it is a gap."""
    monkeypatch.setattr(acceleration, "FAST", 2)
    monkeypatch.setattr(acceleration, "STEPS", 3)
    jobs = qn.ClosedClass("a", population=20, think_time=1.0, demands={"cpu": 0.3, "disk": 0.29})
    model = qn.Network([qn.Queue("cpu"), qn.Queue("disk")], [jobs])
    with pytest.raises(qn.ConvergenceError, match="residual") as error:
        qn.solve(model, method="linearizer")
    assert error.value.residual > 1e-6
    assert error.value.exit_code == 4
    found = qn.sweep(model, "a", population=[1, 20], method="linearizer")
    assert found.reasons[0] == ""
    assert "did not converge" in found.reasons[1]
    assert np.isnan(found.throughput[1, 0])


@pytest.mark.parametrize("servers", [1, 4])
@pytest.mark.parametrize("think_time", [0.0, 20.0])
def test_the_saddle_point_improves_as_one_over_jobs_squared(servers: int, think_time: float) -> None:
    """Against the exact answer for one class: ten times the jobs, a hundredth of the error of the throughput."""
    demand, speeds = np.array([[0.5 * servers, 0.3]]), [np.arange(1.0, servers + 1), np.ones(1)]
    for jobs in (1000, 10_000, 100_000):
        exact = one_class(jobs, think_time, demand[0], speeds)
        found = saddle_point(np.array([float(jobs)]), np.array([think_time]), demand, speeds)
        assert found.throughput[0] == pytest.approx(exact.throughput[0], rel=2 / jobs**2)
        np.testing.assert_allclose(found.queue_length, exact.queue_length, rtol=20 / jobs**2 + 2e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_million_jobs_a_class(seed: int) -> None:
    """Five classes of a million: both methods agree, keep the bounds, and do as little work as for a hundred."""
    rng = np.random.default_rng(seed)
    stations = [qn.Queue(f"s{k}", servers=int(rng.choice([1, 1, 4, 16]))) for k in range(6)]
    classes = [
        qn.ClosedClass(
            f"c{r}",
            population=10**6,
            think_time=10 ** rng.uniform(0, 2),
            demands={s.name: s.servers * 10 ** rng.uniform(-2, 0.3) for s in stations},
        )
        for r in range(5)
    ]
    model = qn.Network(stations, classes)
    qn.solve(qn.Network(stations, classes[:1]), method="linearizer")  # what is imported once does not count
    asymptotic, some = counted(lambda: qn.solve(model, method="asymptotic"))
    linearizer, more = counted(lambda: qn.solve(model, method="linearizer"))
    assert some + more < 50_000
    assert max(s.utilization for s in asymptotic.stations) == pytest.approx(1, abs=1e-5)
    for a, b in zip(asymptotic.classes, linearizer.classes, strict=True):
        assert a.throughput <= a.highest_throughput
        assert b.throughput == pytest.approx(a.throughput, rel=1e-3)


def test_near_balance_with_many_jobs() -> None:
    """Two stations within 0.2 %, thousands of jobs: plain steps would take as many; both methods find the split to 2 %."""
    for jobs in (1000, 10_000):
        model = qn.Network(
            [qn.Queue("a"), qn.Queue("b"), qn.Delay("z")],
            [
                qn.ClosedClass("x", population=jobs, think_time=1.0, demands={"a": 0.5, "b": 0.499}),
                qn.ClosedClass("y", population=2, think_time=1.0, demands={"a": 0.5, "b": 0.499}),
            ],
        )
        exact = qn.solve(model)
        for method in ("asymptotic", "linearizer"):
            found = qn.solve(model, method=method)
            assert found["a"].queue_length == pytest.approx(exact["a"].queue_length, rel=0.02)
            assert found["x"].throughput == pytest.approx(exact["x"].throughput, rel=1e-4)


def test_who_takes_how_many_jobs() -> None:
    """The expansion refuses a single class, which has an exact answer, and few jobs."""
    demands = {"cpu": 1.0}
    few = [qn.ClosedClass(name, population=49, demands=demands) for name in "ab"]
    with pytest.raises(qn.NoMethodError, match="method 'convolution'"):
        qn.solve(qn.Network([qn.Queue("cpu")], few[:1]), method="asymptotic")
    with pytest.raises(qn.NoMethodError, match="for 100 jobs and more, here are 98"):
        qn.solve(qn.Network([qn.Queue("cpu")], few), method="asymptotic")


def test_servers_behind_thinkers_are_met_as_they_are() -> None:
    """100 thinkers at 16 servers: the shape that thinking gives to arrivals brings the error from 4 % below 1 %."""
    model = qn.Network(
        [qn.Queue("cpu", servers=16), qn.Queue("disk")],
        [qn.ClosedClass("a", population=100, think_time=20.0, demands={"cpu": 4.0, "disk": 0.24})],
    )
    exact = qn.solve(model)["a"].response_time
    for method in ("linearizer", "aql"):
        assert qn.solve(model, method=method)["a"].response_time == pytest.approx(exact, rel=1e-2)


def test_hundreds_of_classes_are_solved() -> None:
    """A lattice of more points than a float can count is refused with its size, and the Linearizer takes the model."""
    stations = [qn.Queue(f"s{k}") for k in range(5)]
    demands = [{f"s{k}": 0.01 + 0.001 * r for k in range(5)} for r in range(200)]
    classes = [qn.ClosedClass(f"c{r}", population=50, think_time=1.0, demands=d) for r, d in enumerate(demands)]
    model = qn.Network(stations, classes)
    reason = next(report.reason for report in qn.methods(model) if report.name == "lattice")
    assert "GiB" in reason
    assert len(reason) < 500
    found = qn.solve(model)
    assert found.method == "linearizer"
    assert sum(found[station.name].queue_length for station in stations) < 10_000
