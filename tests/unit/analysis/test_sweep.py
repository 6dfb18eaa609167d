"""Sweeps: each point is what `solve` gives, gaps keep their reasons, and one pass serves all points of one shape."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests.support import zoo

SITE = qn.Network(
    [qn.Queue("cpu"), qn.Queue("disk", servers=2), qn.Delay("net")],
    [
        qn.ClosedClass("query", population=6, think_time=12.0, demands={"cpu": 0.22, "disk": 0.3, "net": 0.1}),
        qn.ClosedClass("batch", population=2, demands={"cpu": 0.9, "disk": 0.1}),
    ],
)
ONE = qn.Network(
    [
        qn.Queue("cpu"),
        qn.Queue("disk", servers=4),
        qn.LoadDependent("pool", rates=[1.0, 1.8, 2.4]),
        qn.Queue("tape", servers=2),
    ],
    [qn.ClosedClass("q", population=10, think_time=3.0, demands={"cpu": 0.1, "disk": 0.9, "pool": 0.2, "tape": 0.3})],
)
SHOP = qn.Network([qn.Queue("cpu")], [qn.OpenClass("browse", arrival_rate=1.0, demands={"cpu": 0.1})])


def _agrees(found: qn.Sweep, most: float) -> None:
    """Every point's arrays and Solution are what `solve` gives for its model."""
    for i in range(len(found)):
        alone, point = qn.solve(found.model_at(i), method=found.method), found[i]
        shape = len(found.classes), len(found.stations)
        for name in ("queue_length", "residence_time"):
            right = np.reshape([getattr(p, name) for p in alone.pairs], shape)
            np.testing.assert_allclose(getattr(found, name)[i], right, rtol=most, atol=1e-300)
            np.testing.assert_allclose(
                np.reshape([getattr(p, name) for p in point.pairs], shape), right, rtol=most, atol=1e-300
            )
        np.testing.assert_allclose(found.throughput[i], [c.throughput for c in alone.classes], rtol=most)
        np.testing.assert_allclose(found.response_time[i], [c.response_time for c in alone.classes], rtol=most)
        np.testing.assert_allclose(found.utilization[i], [s.utilization for s in alone.stations], rtol=most)
        assert (point.method, point.exact, point.notes) == (alone.method, alone.exact, alone.notes)
        assert found.reasons[i] == ""
        assert found.residual[i] <= 1e-9


def test_one_class_at_many_populations_is_one_convolution() -> None:
    """Populations from 0 to 5000 agree with solving each, though all are read from a few convolutions."""
    found = qn.sweep(ONE, "q", population=[0, 1, 2, 3, 10, 100, 333, 1000, 5000])
    assert found.at_once == 9
    _agrees(found, 1e-10)


@pytest.mark.parametrize("method", ["auto", "linearizer", "aql", "schweitzer"])
@pytest.mark.parametrize(("model", "name"), [(SITE, "query"), (ONE, "q")])
def test_a_grid_agrees_with_solve(model: qn.Network, name: str, method: str) -> None:
    """Every combination of populations, demands and servers, empty classes and a demand of 0 among them."""
    values = {"population": [0, 1, 7], "demands": {"cpu": [0.0, 0.1, 5.0]}, "think_time": [0.5]}
    found = qn.sweep(model, {name: values, "disk": {"servers": [1, 3, 50]}}, method=method)
    assert len(found) == found.at_once == 27
    assert found.varied == (f"{name}.population", f"{name}.demands.cpu", f"{name}.think_time", "disk.servers")
    assert found.point(1) == dict(zip(found.varied, (0, 0.0, 0.5, 3), strict=True))
    _agrees(found, 1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_random_models_agree_with_solve(seed: int) -> None:
    """One to four classes, demands over six powers of ten, one pass."""
    rng = np.random.default_rng(seed)
    stations = [qn.Queue("s0"), qn.Queue("s1", servers=3), qn.Delay("s2"), qn.Queue("s3", servers=2)][: 2 + seed % 3]
    classes = [
        qn.ClosedClass(f"c{r}", population=1, think_time=1.0, demands={s.name: 1.0 for s in stations}) for r in range(1 + seed)
    ]
    vary = {
        c.name: {
            "population": rng.integers(0, 7, 30),
            "think_time": 10 ** rng.uniform(-3, 3, 30),
            "demands": {s.name: 10 ** rng.uniform(-3, 3, 30) for s in stations},
        }
        for c in classes
    }
    found = qn.sweep(qn.Network(stations, classes), vary, together=True)
    assert found.at_once == 30
    _agrees(found, 1e-10)


@pytest.mark.parametrize("name", [n for n, m in zoo.HAND_MADE.items() if any(isinstance(c, qn.ClosedClass) for c in m.classes)])
def test_hand_made_models_agree_with_solve(name: str) -> None:
    """Models of every kind, with one class's population varied, in one pass or not."""
    model = zoo.HAND_MADE[name]
    first = next(c for c in model.classes if isinstance(c, qn.ClosedClass))
    try:
        qn.solve(model)
    except qn.NoMethodError:
        pytest.skip("no method yet")
    _agrees(qn.sweep(model, first.name, population=[1, 4, 6]), 1e-10)


def test_values_move_together() -> None:
    """With `together` the lists are columns of one table; otherwise each combination is a point."""
    values = {"population": [2, 3], "think_time": [1.0, 2.0]}
    assert qn.sweep(ONE, "q", **values).throughput.shape == (4, 1)
    assert qn.sweep(ONE, "q", together=True, **values).throughput.shape == (2, 1)
    with pytest.raises(qn.ModelError, match=r"together.*q\.population 2, q\.think_time 1"):
        qn.sweep(ONE, "q", together=True, population=[1, 2], think_time=[1.0])


def test_a_saturated_point_is_a_gap_with_its_reason() -> None:
    """The other points stand; the gap's row gives the reason, and asking for it raises the error."""
    found = qn.sweep(SHOP, "browse", arrival_rate=[1.0, 9.0, 11.0, 5.0])
    np.testing.assert_allclose(found.response_time[[0, 1, 3], 0], [1 / 9, 1.0, 0.2], rtol=1e-12)
    assert math.isnan(found.throughput[2, 0])
    assert "highest stable rate is 10/s" in found.reasons[2]
    assert [bool(row["reason"]) for row in found.rows()] == [False, False, True, False]
    with pytest.raises(qn.SaturatedError):
        found[2]
    assert "highest stable rate" in str(found)
    assert found.to_csv().splitlines()[0] == "browse.arrival_rate,class,throughput,response_time,busiest,utilization,reason"
    assert found.to_csv().splitlines()[3].startswith("11.0,browse,,,,,station 'cpu' is saturated")


def test_no_method_is_a_reason_too() -> None:
    """Where a point is beyond a method it is a gap; the points that fit stand."""
    model = qn.Network(SITE.stations, SITE.classes)
    found = qn.sweep(model, "query", population=[5, 200], method="asymptotic")
    assert "for 100 jobs and more" in found.reasons[0]
    assert found.reasons[1] == ""


def test_an_executor_runs_the_points() -> None:
    """A pool gives what a loop gives, and points in one pass need none."""
    alone = qn.sweep(SHOP, "browse", arrival_rate=[1.0, 2.0, 12.0])
    with ThreadPoolExecutor(2) as pool:
        found = qn.sweep(SHOP, "browse", arrival_rate=[1.0, 2.0, 12.0], executor=pool)
    np.testing.assert_array_equal(found.throughput, alone.throughput)
    assert found.reasons == alone.reasons


def test_what_is_not_stacked_is_solved_by_itself() -> None:
    """Visits and service times, whole demand tables and rates are varied too."""
    visits = qn.ClosedClass("v", population=4, visits={"cpu": 2.0}, service_times={"cpu": 0.1}, think_time=1.0)
    model = qn.Network([qn.Queue("cpu"), qn.LoadDependent("pool", rates=[1.0])], [visits])
    _agrees(qn.sweep(model, "v", service_times={"cpu": [0.1, 0.2]}), 1e-12)
    _agrees(qn.sweep(SITE, "batch", demands=[{"cpu": 1.0}, {"disk": 2.0, "net": 1.0}]), 1e-12)
    _agrees(qn.sweep(model, "pool", rates=[[1.0], [1.0, 1.5]]), 1e-12)


def test_a_point_knows_its_distribution() -> None:
    """Probabilities at a station, solved when asked for, have the queue length of the point."""
    found = qn.sweep(ONE, "q", population=[5, 9])
    p = found[1].distribution("disk")
    assert float(p @ np.arange(len(p))) == pytest.approx(found.queue_length[1, 0, 1], rel=1e-12)


@pytest.mark.parametrize(
    ("vary", "values", "message"),
    [
        ("nobody", {"population": [1]}, "must name an item of the model"),
        ("q", {"populaton": [1]}, "did you mean 'population'"),
        ("q", {"population": []}, "must not be empty"),
        ("q", {"population": 5}, "must be a list"),
        ("q", {"population": [1, -1]}, "population = -1"),
        ("q", {"population": [1, 2.5]}, "whole number"),
        ("q", {"demands": {"cpuu": [1.0]}}, "must name an item of the model"),
        ("q", {"demands": {"cpu": [1.0, float("nan")]}}, "must be finite"),
        ("q", {"name": ["a"]}, "must be a parameter"),
        ("q", {}, "must vary a parameter"),
        ("q", {"think_time": [True]}, "think_time = True"),
        (["q"], {}, "must be a name"),
        ({"q": [1]}, {}, "must give values by parameter"),
    ],
)
def test_wrong_calls_are_refused(vary: object, values: dict[str, object], message: str) -> None:
    """One line that names the item, the value and the repair; no point is solved."""
    with pytest.raises(qn.ModelError, match=message) as error:
        qn.sweep(ONE, vary, **values)
    assert "\n" not in str(error.value)


def test_too_many_points_are_refused() -> None:
    """A grid above a million points is a slip of the pen."""
    with pytest.raises(qn.ModelError, match="more than 1,000,000 points"):
        qn.sweep(ONE, "q", population=range(1, 2001), think_time=range(1, 2001))


def test_extremes_in_one_pass() -> None:
    """Demands from 1e-9 to 1e6, a million servers, thousands of jobs: laws kept, as `solve`."""
    jobs = {"demands": {"cpu": [1e-9, 1.0, 1e6], "disk": [1e-9, 1e6]}, "population": [1, 300]}
    _agrees(qn.sweep(ONE, {"q": jobs, "disk": {"servers": [1, 10**6]}}), 1e-10)


def test_the_command_sweeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve sweep` takes ranges and lists, every combination or in step, and prints what `sweep` gives."""
    path = tmp_path / "site.toml"
    path.write_text(qn.dumps(SITE), encoding="utf-8")
    varied = ["query.population=10:30:10", "cpu.servers=1,2", "query.demands.disk=0.1,0.2"]
    assert main(["sweep", str(path), *varied, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    expected = qn.sweep(
        SITE, {"query": {"population": [10, 20, 30], "demands": {"disk": [0.1, 0.2]}}, "cpu": {"servers": [1, 2]}}
    )
    assert len(rows) == 24  # a row a point and class
    assert {row["throughput"] for row in rows} == set(expected.throughput.ravel().tolist())
    assert main(["sweep", str(path), "query.population=1:2", "cpu.servers=1,2", "--together", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.parametrize(
    "asked",
    ["query", "qery.population=1", "query.population=5:1", "query.population=1:2:3:4", "query.size=3", "query.population=a:b"],
)
def test_wrong_sweeps_end_in_one_line(asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be varied is refused with its text and a repair."""
    path = tmp_path / "site.toml"
    path.write_text(qn.dumps(SITE), encoding="utf-8")
    assert main(["sweep", str(path), asked]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
