"""Bounds: they hold for the exact answer of every model, and those that do not apply are left out with a reason."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.methods.product_form import throughput_bounds as kernel

from tests.oracles import exact_mva
from tests.support import zoo

SLACK = 1e-11  # bounds that are met exactly: N = 1, one station, equal demands


def _exact(model: qn.Network) -> qn.Solution:
    return qn.solve(model)


def _holds(model: qn.Network) -> int:
    """Every bound holds against the exact answer; how many there were."""
    solution, count = _exact(model), 0
    for b in qn.bounds(model).bounds:
        value = {
            "arrival_rate": lambda b=b: solution[b.class_name].throughput,
            "queue_length": lambda b=b: solution[b.class_name, b.station].queue_length,
        }.get(b.quantity, lambda b=b: getattr(solution[b.class_name], b.quantity))()
        assert not b.lower > value * (1 + SLACK), b
        assert not b.upper < value * (1 - SLACK), b
        count += 1
    return count


@pytest.mark.parametrize("name", zoo.every_model())
def test_bounds_hold(name: str) -> None:
    """No exact answer of the zoo lies outside its bounds, and there are some on every model with jobs."""
    model = zoo.every_model()[name]
    jobs = [c for c in model.classes if isinstance(c, qn.OpenClass) or c.population]
    assert _holds(model) >= 2 * len(jobs)


def _one_class(rng: np.random.Generator) -> qn.Network:
    """One closed class; speeds that never fall; sometimes open classes beside it."""
    stations: list[zoo.Station] = []
    for k in range(int(rng.integers(1, 6))):
        kind = rng.choice(["single", "servers", "delay", "rising"], p=[0.5, 0.25, 0.1, 0.15])
        if kind == "delay":
            stations.append(qn.Delay(f"s{k}"))
        elif kind == "rising":
            rates = np.sort(10 ** rng.uniform(-0.7, 0.7, int(rng.integers(1, 7))))
            stations.append(qn.LoadDependent(f"s{k}", rates=rates.tolist()))
        else:
            stations.append(qn.Queue(f"s{k}", servers=1 if kind == "single" else int(rng.integers(2, 12))))
    equal = rng.random() < 0.2
    demands = {s.name: 1.0 if equal else float(10 ** rng.uniform(-2, 1)) for s in stations}
    think = float(rng.choice([0.0, 10 ** rng.uniform(-2, 2)]))
    classes: list[qn.ClosedClass | qn.OpenClass] = [
        qn.ClosedClass("query", population=int(10 ** rng.uniform(0, 2)), think_time=think, demands=demands)
    ]
    if rng.random() < 0.3:
        use = {s.name: float(10 ** rng.uniform(-2, 0)) for s in stations}
        limits = [zoo.held_speed(s, 10**6) / use[s.name] for s in stations if not isinstance(s, qn.Delay)]
        classes.append(qn.OpenClass("web", arrival_rate=0.9 * float(rng.random()) * min([*limits, 10.0]), demands=use))
    return qn.Network(stations, classes)


def test_bounds_hold_for_random_models_of_one_class() -> None:
    """1000 models of one closed class with any stations, open classes beside it or not: nothing outside the bounds."""
    rng = np.random.default_rng(11)
    assert sum(_holds(_one_class(rng)) for _ in range(1000)) > 5000


def test_geometric_bounds_are_the_narrowest() -> None:
    """With single servers each family is within the one before it, and the geometric bounds are within a few per cent."""
    rng, widths = np.random.default_rng(12), []
    for _ in range(300):
        count = int(rng.integers(2, 6))
        demands = {f"s{k}": float(10 ** rng.uniform(-1, 0.5)) for k in range(count)}
        job = qn.ClosedClass("q", population=int(rng.integers(2, 200)), think_time=float(rng.choice([0, 9.0])), demands=demands)
        found = qn.bounds(qn.Network([qn.Queue(name) for name in demands], [job])).bounds
        x = {b.family: b for b in found if b.quantity == "throughput"}
        assert x["asymptotic"].lower <= x["balanced"].lower * (1 + 1e-13)
        assert x["balanced"].lower <= x["geometric"].lower * (1 + 1e-13)
        assert x["geometric"].upper <= x["balanced"].upper * (1 + 1e-13)
        assert x["balanced"].upper <= x["asymptotic"].upper * (1 + 1e-13)
        widths.append(x["geometric"].upper / x["geometric"].lower - 1)
    assert np.mean(widths) < 0.06


def test_geometric_queue_bounds_against_plain_mva() -> None:
    """Queue bounds hold for each population of a path of exact mean value analysis."""
    rng = np.random.default_rng(13)
    for _ in range(60):
        demand = 10 ** rng.uniform(-1.5, 0.5, int(rng.integers(1, 6)))
        think = float(rng.choice([0.0, 10 ** rng.uniform(-1, 2)]))
        for n in (1, 2, 3, 7, 20, 60):
            x, q = exact_mva.mva([n], np.array([think]), demand[None, :], [True] * len(demand))
            assert (kernel.at_least(n, think, demand, demand) <= q[0] * (1 + SLACK)).all()
            assert (kernel.at_most(n, demand, float(x[0])) >= q[0] * (1 - SLACK)).all()


def test_the_textbook_formulas() -> None:
    """D = 3, 2 and Z = 15, N = 5 by hand: the asymptotic and balanced job bounds."""
    job = qn.ClosedClass("q", population=5, think_time=15.0, demands={"cpu": 3.0, "disk": 2.0})
    found = {(b.family, b.quantity): b for b in qn.bounds(qn.Network([qn.Queue("cpu"), qn.Queue("disk")], [job])).bounds}
    assert found["asymptotic", "throughput"].upper == pytest.approx(5 / 20, rel=1e-14)
    assert found["asymptotic", "throughput"].lower == pytest.approx(5 / 40, rel=1e-14)
    assert found["balanced", "response_time"].lower == pytest.approx(5 + 2.5 * 4 / (1 + 15 / 5), rel=1e-14)
    assert found["balanced", "response_time"].upper == pytest.approx(5 + 3 * 4 * 14 / 29, rel=1e-14)


def test_large_and_small() -> None:
    """A million servers, a billion jobs, demands of 1e-9 beside 1e6: still bounds, and they hold."""
    wide = qn.Network([qn.Queue("a", servers=10**6)], [zoo.closed("q", 10**9, 1.0, a=2.0)])
    best = qn.bounds(wide).best("q", "throughput")
    assert best.lower == pytest.approx(5e5, rel=2e-3)
    assert best.upper == pytest.approx(5e5, rel=1e-12)
    _holds(qn.Network([qn.Queue("a"), qn.Queue("b")], [zoo.closed("q", 1000, 1e6, a=1e-9, b=1e6)]))
    _holds(qn.Network([qn.Queue("a"), qn.Queue("b")], [zoo.closed("q", 10**5, 3.0, a=1e-9, b=0.5)]))
    _holds(qn.Network([qn.Queue("a"), qn.Queue("b", servers=10**4)], [zoo.closed("q", 10**5, 3.0, a=1e-4, b=0.5)]))


def test_what_does_not_apply_is_left_out() -> None:
    """Falling rates, priorities, limits, several classes: the bound is left out and the note says why."""
    falling = qn.Network([zoo.THRASHING], [zoo.closed("q", 9, 1.0, pool=1.0)])
    assert {b.family for b in qn.bounds(falling).bounds} == {"asymptotic"}
    assert "fall" in qn.bounds(falling).notes[0]
    priority = qn.Network([qn.Queue("cpu", discipline="preemptive")], [zoo.closed("q", 9, 1.0, cpu=1.0)])
    found = qn.bounds(priority)
    assert found.best("q", "response_time").lower == pytest.approx(8.0)
    assert math.isnan(found.best("q", "response_time").upper)
    assert "preemptive" in found.notes[0]
    limited = qn.Network([qn.Queue("cpu")], [zoo.closed("q", 9, 1.0, cpu=1.0)], [qn.AdmissionLimit(2)])
    assert "limit" in qn.bounds(limited).notes[0]
    two = qn.Network([zoo.CPU], [zoo.closed("a", 2, cpu=1.0), zoo.closed("b", 2, cpu=1.0)])
    assert "one closed class" in qn.bounds(two).notes[0]
    with pytest.raises(qn.SaturatedError):
        qn.bounds(qn.Network([zoo.CPU], [zoo.opened("a", 2, cpu=1.0), zoo.closed("b", 2, cpu=1.0)]))
    with pytest.raises(KeyError, match="throughput"):
        qn.bounds(two).best("a", "througput")


def test_one_job_waits_for_nobody() -> None:
    """With one job the bounds meet at the answer."""
    found = qn.bounds(qn.Network([zoo.CPU, zoo.NET], [zoo.closed("q", 1, 2.0, cpu=0.5, net=0.5)])).best("q", "throughput")
    assert (found.lower, found.upper) == pytest.approx((1 / 3, 1 / 3), rel=1e-15)


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_command(form: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve bounds FILE` prints what the function gives, in each form."""
    model, path = zoo.HAND_MADE["mixed"], tmp_path / "m.toml"
    qn.save(model, path)
    assert main(["bounds", str(path), *([form] if form else [])]) == 0
    out, found = capsys.readouterr().out, qn.bounds(model)
    if form == "--json":
        assert json.loads(out) == found.as_dict()
    else:
        assert out.rstrip("\n") == (found.to_csv() if form else str(found)).rstrip("\n")


def test_printed() -> None:
    """Text, HTML, CSV and JSON all come from the rows."""
    found = qn.bounds(zoo.HAND_MADE["one class"])
    assert "geometric   query  cpu      queue length" in str(found)
    assert found.to_csv().splitlines()[0] == "bound,class,station,quantity,lower,upper"
    assert found.as_dict()["rows"][0]["upper"] == found.bounds[0].upper
    assert "<td>geometric</td>" in found.to_html()
