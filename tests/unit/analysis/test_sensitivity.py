"""Sensitivity: derivatives against rational differences, changes against models solved again, sentences that say so."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.analysis import elasticities
from qnsolve.analysis import sensitivity as sensitivity_module
from qnsolve.cli.main import main
from qnsolve.methods.product_form.load_growth import stretch_slope

from tests.oracles import rationals
from tests.support import zoo

SMALL = [
    name
    for name, m in zoo.every_model().items()
    if all(isinstance(c, qn.ClosedClass) for c in m.classes)
    and math.prod(c.population + 1 for c in m.classes) <= (12 if name.startswith("random") else 26)
    and any(c.population for c in m.classes)
]
OPEN = [name for name, m in zoo.every_model().items() if all(isinstance(c, qn.OpenClass) for c in m.classes)]
KEYS = {"think_time": "", "arrival_rate": "rate"}


def _agree(name: str, solver: str) -> None:
    model = zoo.every_model()[name]
    found, figures = qn.sensitivity(model), rationals.figures(model)
    assert found.exact
    run = getattr(rationals, solver)
    for e in found.effects:
        if e.parameter in ("population", "servers"):
            continue
        key = (e.of, KEYS.get(e.parameter, e.station))
        for i, value in enumerate((e.throughput_elasticity, e.response_elasticity)):
            expected = rationals.elasticity(lambda f, i=i, e=e: run(model, f)[e.class_name][i], figures, key)
            assert value == pytest.approx(expected, rel=1e-10, abs=max(1e-12, e.error))
            assert e.error < 1e-8


@pytest.mark.parametrize("name", SMALL)
def test_closed_elasticities(name: str) -> None:
    """Every elasticity of a closed network is that of rational arithmetic."""
    _agree(name, "closed")


@pytest.mark.parametrize("name", OPEN)
def test_open_elasticities(name: str) -> None:
    """Every elasticity of an open network is that of rational arithmetic."""
    _agree(name, "opened")


def test_enough_models_are_compared() -> None:
    """The two tests above have models of every kind."""
    assert len(SMALL) > 50
    assert len(OPEN) > 50


def _turned(model: qn.Network, lever: elasticities.Lever, factor: float) -> qn.Solution:
    return qn.solve(lever.turned(model, lever.value * factor))


@pytest.mark.parametrize("name", [n for n in zoo.HAND_MADE if n.startswith("mixed") and n != "mixed, nobody inside"])
def test_mixed_elasticities(name: str) -> None:
    """Closed classes beside open ones: the identity agrees with extrapolated differences, within their error."""
    model = zoo.HAND_MADE[name]
    base = qn.solve(model)
    find = elasticities.elasticities(model, base, qn.solve)
    for c in model.classes:
        for lever in elasticities.levers(model):
            if lever.parameter == "population" or not isinstance(c, qn.ClosedClass):
                continue
            exact, other = find(c.name, lever), elasticities._difference(base, c.name, partial(_turned, model, lever))
            assert other.error < 1e-7
            assert exact.throughput == pytest.approx(other.throughput, rel=1e-9, abs=10 * other.error)
            assert exact.response_time == pytest.approx(other.response_time, rel=1e-9, abs=10 * other.error)


def test_open_class_beside_a_closed_one() -> None:
    """R = D·(1 + Q)/(1 − ρ) with Q of the closed class at demands D/(1 − ρ), in rational numbers."""
    model = qn.Network(
        [zoo.CPU, zoo.DISK], [zoo.closed("query", 4, 2.0, cpu=0.5, disk=0.3), zoo.opened("web", 0.9, cpu=0.4, disk=0.1)]
    )

    def response(f: rationals.Figures) -> Fraction:
        rate, inflated = f["web", "rate"], dict(f)
        busy = {s: rate * f["web", s] for s in ("cpu", "disk")}
        inflated |= {("query", s): f["query", s] / (1 - busy[s]) for s in busy}
        alone = qn.Network(model.stations, model.classes[:1])
        queues = {  # Q_k = ∂ ln G/∂ ln D_k: by moving one job, Q_k = Σ_j D_kʲ·Π X(N − j)
            s: sum(
                (
                    inflated["query", s] ** j
                    * math.prod(
                        rationals.closed(alone.replace("query", population=4 - i), inflated)["query"][0] for i in range(j)
                    )
                    for j in range(1, 5)
                ),
                Fraction(0),
            )
            for s in busy
        }
        return sum((f["web", s] * (1 + queues[s]) / (1 - busy[s]) for s in busy), Fraction(0))

    figures = rationals.figures(model)
    for e in qn.sensitivity(model).effects:
        if e.class_name == "web" and e.parameter not in ("population", "servers"):
            key = (e.of, KEYS.get(e.parameter, e.station))
            expected = rationals.elasticity(response, figures, key)
            assert e.error < 1e-8
            assert e.response_elasticity == pytest.approx(expected, rel=1e-9, abs=2 * e.error)


@pytest.mark.parametrize(
    "name", ["several classes", "many servers", "open, several classes", "mixed", "fcfs, two classes", "visits"]
)
def test_changes_are_solved_again(name: str) -> None:
    """The relative changes, and the differences of whole numbers, are those of the changed model."""
    model = zoo.HAND_MADE[name]
    found = qn.sensitivity(model, change=0.2)
    sizes = [abs(e.response_change) for e in found.effects]
    assert sizes == sorted(sizes, reverse=True)
    for e in found.effects:
        if e.parameter == "demand":
            c = next(c for c in model.classes if c.name == e.of)
            if c.demands is None:
                assert c.visits is not None
                after = model.replace(e.of, visits={**c.visits, e.station: 0.8 * c.visits[e.station]})
            else:
                after = model.replace(e.of, demands={**c.demands, e.station: 0.8 * c.demands[e.station]})
        elif e.parameter == "servers":
            after = model.replace(e.station, servers=int(e.value) + 1)
        else:
            factor = {"think_time": 0.8 * e.value, "arrival_rate": 1.2 * e.value, "population": e.value + 1}[e.parameter]
            after = model.replace(e.of, **{e.parameter: factor})
        old, new = found.solution[e.class_name], qn.solve(after)[e.class_name]
        assert e.response_change == pytest.approx(new.response_time / old.response_time - 1, abs=1e-12)
        assert e.throughput_change == pytest.approx(new.throughput / old.throughput - 1, abs=1e-12)
        if e.parameter in ("population", "servers"):
            assert e.response_derivative == pytest.approx(new.response_time - old.response_time, abs=1e-12)


def test_times_add_up() -> None:
    """A network where every time is twice as long has twice the response time: the elasticities by times add up to 1."""
    for name in ("three classes", "many servers, two classes", "thrashing, two classes", "unbalanced"):
        found = qn.sensitivity(zoo.HAND_MADE[name])
        for c in found.solution.classes:
            mine = [e for e in found.effects if e.class_name == c.name and e.parameter in ("demand", "think_time")]
            assert sum(e.response_elasticity for e in mine) == pytest.approx(1.0, abs=1e-10)
            assert sum(e.throughput_elasticity for e in mine) == pytest.approx(-1.0, abs=1e-10)


@pytest.mark.parametrize("method", ["linearizer", "schweitzer"])
def test_approximate_methods_state_their_error(method: str) -> None:
    """Differences of an approximate method are called that, with an error that holds against smaller steps."""
    model = zoo.HAND_MADE["many servers, two classes"]
    found = qn.sensitivity(model, method)
    assert not found.exact
    assert "differences" in found.heading
    for e in found.effects:
        if e.parameter == "demand":
            c = next(c for c in model.classes if c.name == e.of)
            up, down = (
                qn.solve(model.replace(e.of, demands={**c.demands, e.station: e.value * f}), method)[e.class_name].response_time
                for f in (1 + 1e-4, 1 - 1e-4)
            )
            assert e.response_elasticity == pytest.approx(math.log(up / down) / 2e-4, abs=1e-5 + 2 * e.error)


def test_slope_at_extremes() -> None:
    """dS/da keeps its digits from no load to 1 − 1e-9."""
    for servers in (2, 16, 60):
        speeds = np.arange(1.0, servers + 1)
        station = qn.Queue("q", servers=servers)
        for load in (1e-9, 1e-3, 0.5, 0.9 * servers, servers * (1 - 1e-9)):
            a = Fraction(load)
            h = a * Fraction(1, 10**20)
            expected = float((rationals._stretch(station, a + h) - rationals._stretch(station, a - h)) / (2 * h))
            close = pytest.approx(expected, rel=1e-6 if load > 0.99 * servers else 1e-9, abs=1e-13)
            assert stretch_slope(load, speeds) == close


def test_no_change_is_dropped() -> None:
    """What saturates has no figure, and the note says where it would."""
    found = qn.sensitivity(qn.Network([zoo.CPU], [zoo.opened("web", 0.95, cpu=1.0)]))
    rate = next(e for e in found.effects if e.parameter == "arrival_rate")
    assert math.isnan(rate.response_change)
    assert rate.response_elasticity == pytest.approx(19.0, rel=1e-12)
    assert any("saturated" in note for note in found.notes)
    assert "no answer" in rate.sentence()


@pytest.mark.parametrize("change", [0, 1, -0.1, 1.5, "x"])
def test_wrong_change(change: object) -> None:
    """A change that is no share is refused."""
    with pytest.raises(qn.ModelError, match="sensitivity: change"):
        qn.sensitivity(zoo.HAND_MADE["one class"], change=change)


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_command(form: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve sensitivity FILE` prints what the function gives, in each form."""
    model, path = zoo.HAND_MADE["several classes"], tmp_path / "m.toml"
    qn.save(model, path)
    assert main(["sensitivity", str(path), *([form] if form else [])]) == 0
    out, found = capsys.readouterr().out, qn.sensitivity(model)
    if form == "--json":
        assert json.loads(out) == found.as_dict()
    else:
        assert out.rstrip("\n") == (found.to_csv() if form else str(found)).rstrip("\n")


def test_routing_stays_as_it_is() -> None:
    """The demand of a class with routing changes by its service time: 10 % less at one station is 10 % less demand."""
    job = qn.OpenClass(
        "q",
        arrival_rate=0.5,
        service_times={"a": 0.1, "b": 0.2},
        routing={"a": {"b": 0.5}, "b": {"a": 1.0}},
        entry={"a": 1.0},
        exits={"a": 0.5},
    )
    found = qn.sensitivity(qn.Network([qn.Queue("a", servers=2), qn.Queue("b")], [job]))
    at_b = next(e for e in found.effects if (e.parameter, e.station) == ("demand", "b"))
    before, after = 0.2 / (1 - 0.1), 0.18 / (1 - 0.09)
    rest = 0.2 / (1 - 0.05**2)  # two visits of 0.1 at two servers 5 % busy
    assert at_b.value == pytest.approx(0.2)
    assert at_b.response_change == pytest.approx((after - before) / (before + rest), rel=1e-9)


@pytest.mark.parametrize(("discipline", "figure"), [("ps", "service_times"), ("fcfs", "visits")])
def test_one_visit_each(discipline: str, figure: str) -> None:
    """Of a class with one visit each the service time is changed; visits where all classes have the same times in order."""
    job = qn.ClosedClass("a", population=2, think_time=1.0, visits={"q": 1.0, "d": 1.0}, service_times={"q": 0.1, "d": 0.3})
    model = qn.Network([qn.Queue("q", discipline=discipline), qn.Delay("d")], [job])
    lever = next(x for x in elasticities.levers(model) if (x.parameter, x.station) == ("demand", "q"))
    changed = lever.turned(model, 0.05).classes[0]
    assert changed.demand("q") == pytest.approx(0.05)
    assert getattr(changed, figure)["q"] == pytest.approx(0.5 if figure == "visits" else 0.05)


def test_one_solve_serves_all_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences need at most eight solves for each figure, however many classes there are."""
    classes = [qn.OpenClass(f"c{i}", arrival_rate=1.0, demands={"q": 0.05 * (i + 1)}) for i in range(4)]
    model = qn.Network([qn.Queue("q")], classes, [qn.AdmissionLimit(5, classes=["c0", "c1"])])
    count = []
    solved = sensitivity_module.solve
    monkeypatch.setattr(sensitivity_module, "solve", lambda *a: count.append(1) or solved(*a))
    figures = len(elasticities.levers(model)) + 1
    assert len(qn.sensitivity(model).effects) == 4 * figures
    assert len(count) <= 1 + 8 * figures
