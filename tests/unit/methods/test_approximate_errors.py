"""Approximate methods: measured errors within what was set as the aim, limiting cases, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import accuracy, accuracy_general

PUBLISHED = accuracy.read(accuracy.TABLE)
ROWS = [row for row in PUBLISHED if row["method"] not in accuracy.SIMULATED]


def test_the_sample_is_a_part_of_the_published_table() -> None:
    """Every row of a costly family has one in the sample: a tenth of its models, none worse than the worst of all."""
    costly = {*accuracy.COSTLY, *accuracy_general.COSTLY}
    rows = [row for row in PUBLISHED if row["family"] in costly]
    sample = accuracy.read(accuracy.SAMPLE)
    assert [(row["method"], row["family"]) for row in sample] == [(row["method"], row["family"]) for row in rows]
    for some, every in zip(sample, rows, strict=True):
        assert int(some["models"]) == pytest.approx(int(every["models"]) / accuracy.EVERY, rel=0.05)
        for what in ("throughput", "response"):
            assert float(some[f"{what}_max"]) <= float(every[f"{what}_max"])
            assert float(some[f"{what}_mean"]) <= accuracy.EVERY * 1.05 * float(every[f"{what}_mean"]) + 5e-5


def test_the_linearizer_is_within_one_percent_in_the_mean() -> None:
    """Mean response error at most 1 % in every family, 2 % were asked of many servers."""
    for row in ROWS:
        if row["method"] == "linearizer":
            assert float(row["response_mean"]) < 0.01


def test_the_linearizer_knows_stations_of_many_servers() -> None:
    """At most 8 % were asked of many servers and 10.5 % of load-dependent stations; it keeps below 5 % in every family."""
    assert max(float(row["response_max"]) for row in ROWS if row["method"] == "linearizer") < 0.05


@pytest.mark.parametrize("method", ["linearizer", "aql", "schweitzer"])
def test_one_job_meets_nobody(method: str) -> None:
    """With one job the approximation is exact: it meets nobody."""
    stations = [qn.Queue("cpu"), qn.Queue("disk", servers=3), qn.LoadDependent("pool", rates=[0.5, 2.0])]
    jobs = qn.ClosedClass("a", population=1, think_time=1.0, demands={"cpu": 0.3, "disk": 0.5, "pool": 0.2})
    assert qn.solve(qn.Network(stations, [jobs]), method=method)["a"].response_time == pytest.approx(1.2, rel=1e-9)


@pytest.mark.parametrize("method", ["linearizer", "aql", "schweitzer"])
def test_as_many_servers_as_jobs_are_a_delay(method: str) -> None:
    """Where nobody can wait nobody does."""
    model = qn.Network(
        [qn.Queue("cpu", servers=20)], [qn.ClosedClass("a", population=20, think_time=1.0, demands={"cpu": 0.5})]
    )
    assert qn.solve(model, method=method)["a"].response_time == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("method", ["linearizer", "aql", "schweitzer"])
def test_large_populations_approach_the_exact_answer(method: str) -> None:
    """A million jobs at sixteen servers: within 1e-4 of the exact throughput, below it, and never over capacity."""
    model = qn.Network(
        [qn.Queue("cpu", servers=16), qn.Queue("disk")],
        [qn.ClosedClass("a", population=10**6, think_time=20.0, demands={"cpu": 4.0, "disk": 0.24})],
    )
    result = qn.solve(model, method=method)
    assert result["a"].throughput == pytest.approx(qn.solve(model)["a"].throughput, rel=1e-4)
    assert result["cpu"].utilization <= 1


@pytest.mark.parametrize("seed", range(30))
def test_no_station_is_more_than_busy(seed: int) -> None:
    """In saturation the laws hold to rounding: utilization at most 1, populations complete."""
    rng = np.random.default_rng(seed)
    stations = [qn.Queue(f"s{k}", servers=int(rng.choice([1, 2, 8]))) for k in range(4)]
    classes = [
        qn.ClosedClass(
            f"c{r}", population=int(rng.integers(50, 400)), demands={s.name: 10 ** rng.uniform(-2, 1) for s in stations}
        )
        for r in range(3)
    ]
    result = qn.solve(qn.Network(stations, classes), method="linearizer")
    assert result.residual < 1e-9
    assert not result.exact


def test_what_is_too_large_for_an_exact_answer_says_that_it_is_approximate() -> None:
    """Asked for an exact answer, the methods refuse and name the approximate one; "auto" takes it and says so."""
    demands = {"cpu": 4.0, "disk": 0.05, "tape": 0.04, "log": 0.03}
    classes = [qn.ClosedClass(f"c{r}", population=100 + r, demands=demands) for r in range(5)]
    model = qn.Network([qn.Queue(name) for name in demands], classes)
    with pytest.raises(qn.NoMethodError, match="take method 'linearizer'"):
        qn.solve(model, method="exact")
    result = qn.solve(model)
    assert (result.method, result.exact) == ("linearizer", False)
    assert any(note.startswith("approximate: response time ") and "4000 models" in note for note in result.notes)
    assert result["cpu"].utilization == pytest.approx(1, rel=1e-6)


def test_falling_speeds_are_refused() -> None:
    """Where a speed falls again the mean does not give the state: refused, not guessed."""
    station = qn.LoadDependent("pool", rates=[1.0, 2.0, 0.5])
    model = qn.Network([station], [qn.ClosedClass("a", population=9, think_time=1.0, demands={"pool": 0.5})])
    with pytest.raises(qn.NoMethodError, match="rates fall again"):
        qn.solve(model, method="linearizer")
