"""Models at their edges: no think time, huge populations, extreme speeds, chains that are too long, singular steps."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.arrays import from_network
from qnsolve.methods.general.qna import Flows, qna
from qnsolve.methods.limits import method as limits
from qnsolve.methods.mean_value import saddle_point
from qnsolve.methods.solve import METHODS

from tests import ROOT

FAULTS = ROOT / "tests" / "data" / "network_faults"


@pytest.mark.parametrize("name", ["limits_no_think", "limits_one_thinks", "num_LawError_1_3", "num_TIMEOUT20_1_4"])
def test_models_with_an_answer(name: str) -> None:
    """Each has an answer that keeps the laws; at a limit all places are taken while there are jobs enough."""
    model = qn.load(FAULTS / f"{name}.toml")
    found = qn.solve(model)
    assert found.residual < 1e-9
    if name.startswith("limits"):
        assert found.limits[0].number_inside == pytest.approx(2, rel=1e-3)
        assert found["a"].fraction_delayed == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(
    ("think", "jobs", "places"),
    [((0.0, 0.0), (3, 3), 2), ((0.0, 0.0), (3, 4), 3), ((0.0, 5.0), (3, 3), 2), ((0.0, 1.0), (4, 3), 1)],
)
def test_jobs_that_are_never_away(
    think: tuple[float, float], jobs: tuple[int, int], places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes with zero think time take turns at their limit: 2 % from the chain of every job in order."""
    stations = [qn.Queue("cpu"), qn.Delay("disk")]
    demands = ({"cpu": 0.1, "disk": 0.1}, {"cpu": 0.2, "disk": 0.3})
    classes = [
        qn.ClosedClass(name, population=n, think_time=z, demands=d)
        for name, n, z, d in zip("ab", jobs, think, demands, strict=True)
    ]
    model = qn.Network(stations, classes, [qn.AdmissionLimit(places)])
    monkeypatch.setattr(limits, "grouped", lambda arrays: None)
    exact, found = qn.solve(model, "markov"), qn.solve(model, "limits")
    for name in "ab":
        assert found[name].throughput == pytest.approx(exact[name].throughput, rel=0.02)
        assert found[name].fraction_delayed == pytest.approx(exact[name].fraction_delayed, abs=1e-6)


def test_a_chain_of_seconds_yields() -> None:
    """Where an approximation of milliseconds accepts, auto takes it, and the slow one remains for those who name it."""
    model = qn.load(FAULTS / "num_TIMEOUT20_1_4.toml")
    reports = {report.name: report for report in qn.methods(model)}
    assert reports["aggregation"].accepts
    assert reports["fcfs"].auto
    assert qn.solve(model).method == "fcfs"


def test_the_last_resort_of_auto() -> None:
    """A method that yields is taken where no other accepts."""
    disks = [qn.Queue(f"disk{i}") for i in range(5)]
    stations = [qn.Queue("host", servers=2), qn.Queue("q", discipline="fcfs", on="host"), *disks]
    classes = [
        qn.ClosedClass(f"c{n}", population=n, think_time=0.1, demands={"q": 0.1 * n} | {disk.name: 0.1 for disk in disks})
        for n in (3, 4, 5)
    ]
    model = qn.Network(stations, classes)
    aggregation = next(method for method in METHODS if method.name == "aggregation")
    assert aggregation.yields(from_network(model))
    assert [report.name for report in qn.methods(model) if report.auto] == ["aggregation"]


def test_every_reason_is_kept() -> None:
    """Methods that refuse while they run are reported beside those that refuse at once, and quickly."""
    with pytest.raises(qn.NoMethodError) as refused:
        qn.solve(qn.load(FAULTS / "num_TIMEOUT20_1_1.toml"))
    assert {method.name for method in METHODS} == set(refused.value.reasons)
    assert all(refused.value.reasons.values())


def test_populations_beyond_any_count() -> None:
    """480 classes of 10^9 jobs are solved, and refusals that count their states are sentences."""
    classes = [
        qn.ClosedClass(f"c{i}", population=10**9, think_time=1.0, demands={"cpu": 0.1 + 1e-4 * i, "d": 0.1}) for i in range(480)
    ]
    model = qn.Network([qn.Queue("cpu"), qn.Queue("d")], classes)
    assert qn.solve(model, "schweitzer")["c0"].throughput > 0
    assert all(len(report.reason) < 300 for report in qn.methods(model))
    limited = qn.Network(model.stations, classes, [qn.AdmissionLimit(5)])
    assert all(len(report.reason) < 300 for report in qn.methods(limited))


def test_order_of_bursts_is_said() -> None:
    """Bursts are smoothed by the first station, so the order of the stations matters, and the answer says so."""
    found = qn.solve(qn.load(FAULTS / "num_perm_1_1.toml"))
    assert any("'c1' meet its stations in the order of the model" in note for note in found.notes)
    poisson = qn.OpenClass("c", arrival_rate=0.1, demands={"a": 1.0, "b": 1.0})
    assert not any("bursts" in note for note in qn.solve(qn.Network([qn.Queue("a"), qn.Queue("b")], [poisson])).notes)


def test_tiny_and_huge_times() -> None:
    """Times of 1e-300 and 1e300 at one station: the wait is that of times of 1, scaled."""

    def stay(time: float) -> float:
        onward = np.array([[[0.0, 1.0], [1.0, 0.0]]])
        flows = Flows(
            kinds=("fcfs",),
            speeds=(np.ones(1),),
            service=np.array([[time]]),
            variation=np.array([[2.0]]),
            visits=np.ones((1, 1)),
            onward=onward[:, ::-1, ::-1].copy(),
            rank=(1,),
            arrival_rate=np.array([0.5 / time]),
            arrival_variation=np.ones(1),
            batch_size=np.ones(1),
            batch_variation=np.zeros(1),
        )
        return float(qna(flows).residence_time[0, 0] / time)

    assert stay(1e-300) == pytest.approx(stay(1.0))
    assert stay(1e300) == pytest.approx(stay(1.0))


def test_a_singular_step_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system of equations without a solution ends a method as any other arithmetic error does."""

    def singular(*_: object) -> None:
        raise np.linalg.LinAlgError("Singular matrix")

    classes = [qn.ClosedClass(name, population=100, think_time=1.0, demands={"q": 0.1}) for name in "ab"]
    model = qn.Network([qn.Queue("q")], classes)
    for name in ("solve", "inv"):
        with monkeypatch.context() as patch:
            patch.setattr(saddle_point.np.linalg, name, singular)
            with pytest.raises(qn.LawError, match="asymptotic"):
                qn.solve(model, "asymptotic")
