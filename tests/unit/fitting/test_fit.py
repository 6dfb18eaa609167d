"""qn.fit: sketches of networks and systems, ladders, files that are read again, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests import ROOT
from tests.support.fit_family import NOISE, Setting, held, simulated

RNG = np.random.default_rng(11)
QUERY, UPDATE = RNG.uniform(5, 30, 60), RNG.uniform(1, 10, 60)
BUSY = (0.2 + 0.02 * QUERY + 0.09 * UPDATE) / 4
OPEN = {"query.rate": QUERY, "update.rate": UPDATE, "cpu.busy": BUSY, "cpu.servers": np.full(60, 4.0)}
TIMES = [f"2026-03-02T{hour:02d}:{minute:02d}" for hour in range(15) for minute in (0, 15, 30, 45)]


def _refused(given: dict[str, Any], sketch: object, match: str) -> None:
    with pytest.raises(qn.ModelError, match=match) as raised:
        qn.fit(qn.measure.table(given), sketch)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_open_classes_without_a_sketch() -> None:
    """Exact rows give demands, base and the model; rows left out are predicted without error."""
    fit = qn.fit(qn.measure.table(OPEN, start=TIMES, length=900))
    assert fit["query.demands.cpu"].value == pytest.approx(0.02, rel=1e-6)
    assert fit["update.demands.cpu"].value == pytest.approx(0.09, rel=1e-6)
    assert fit["base.demands.cpu"].value == pytest.approx(0.2, rel=1e-6)
    assert fit.rows_used == "60 intervals, 2026-03-02 00:00 to 2026-03-02 14:45"
    assert fit.errors["busy"] < 1e-6
    assert qn.solve(fit.model)["cpu"].utilization == pytest.approx(BUSY.mean(), rel=1e-5)
    with pytest.raises(KeyError, match=r"did you mean 'query\.demands\.cpu'"):
        _ = fit["query.demand.cpu"]


def test_the_rest_of_a_response_is_a_delay() -> None:
    """What the queue does not explain is found as a demand at `other time`."""
    stretch = np.asarray(qn.stations.mmc_arrays(4 * BUSY, np.ones(60), np.full(60, 4.0)).response_time)
    fit = qn.fit(qn.measure.table({**OPEN, "query.response_time": 0.05 + 0.02 * stretch}))
    assert fit["query.demands.other time"].value == pytest.approx(0.05, rel=1e-3)
    there = fit.predict(qn.measure.table({"query.rate": [20.0, 300.0], "update.rate": [5.0, 5.0]}))
    busy = (0.2 + 0.4 + 0.45) / 4
    assert there["cpu.busy"][0] == pytest.approx(busy, rel=1e-6)
    assert there["query.response_time"][1] == np.inf
    assert there["cpu.busy"][1] > 1


def test_the_file_is_a_model_with_what_is_known_of_its_figures(tmp_path: Path) -> None:
    """It loads as the model; comments and [fitted] have source, rows and intervals."""
    noisy = {**OPEN, "cpu.busy": BUSY * (1 + NOISE * RNG.normal(size=60))}
    fit = qn.fit(qn.measure.table(noisy))
    fit.save(tmp_path / "site.toml")
    text = (tmp_path / "site.toml").read_text(encoding="utf-8")
    assert qn.load(tmp_path / "site.toml") == fit.model
    assert "cpu = 0.0" in text
    assert "(19 of 20), from cpu.busy, 60 rows" in text
    assert '\nfigures = ["query.demands.cpu", "update.demands.cpu", "base.demands.cpu"]\n' in text
    assert len(fit.correlations) == 3
    assert np.allclose(np.diag(fit.correlations), 1)
    assert fit.correlations[0, 2] < -0.2  # more demand, less base
    found = json.loads(fit.to_json())
    assert found["figures"][0]["name"] == "query.demands.cpu"
    assert found["errors"]["busy"] < 3 * NOISE
    assert "Errors on rows left out" in str(fit)


SKETCH = """
name = "site"
time_unit = "ms"
[[stations]]
name = "cpu"
servers = 4
[[classes]]
name = "query"
arrival_rate = "measured"
demands = { cpu = "fit" }
[[classes]]
name = "changes"
arrival_rate = "measured"
demands = { cpu = "fit 0:100" }
"""


def test_a_sketch_has_its_own_names_and_unit(tmp_path: Path) -> None:
    """Milliseconds, another name for a class, a use without work that the sketch has no place for."""
    (tmp_path / "sketch.toml").write_text(SKETCH)
    fit = qn.fit(qn.measure.table(OPEN), tmp_path / "sketch.toml", rename={"update": "changes"})
    assert fit["query.demands.cpu"].value == pytest.approx(20, rel=1e-6)
    assert fit["changes.demands.cpu"].value == pytest.approx(90, rel=1e-6)
    assert fit.model.time_unit == "ms"
    assert "cpu is busy 5 % without this work, which the sketch has no place for" in fit.findings
    there = fit.predict(qn.measure.table({"query.rate": [20.0], "changes.rate": [5.0]}))
    assert there["query.rate"] == pytest.approx([20.0])  # seconds again
    bounded = qn.fit(qn.measure.table({**OPEN}), _table(SKETCH.replace("0:100", "0:50")), rename={"update": "changes"})
    assert bounded["changes.demands.cpu"].value == 50
    assert any("the bounds of the sketch 0 to 50" in each for each in bounded.findings)


def _table(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def test_users_think_time_and_a_delay() -> None:
    """A closed class: think time by Little's law, CPU by utilization, the rest by solving the model; to rounding."""
    intervals, sketch, truth = simulated(Setting("closed", 40, noisy="added"), 1)
    exact = {each.title: intervals.column(each.quantity, each.name) for each in intervals.series if each.quantity != "busy"}
    job_class = qn.ClosedClass("jobs", population=2, think_time=1.0, demands={"cpu": 0.05, "rest": 0.2})
    model = qn.Network([qn.Queue("cpu", servers=2), qn.Delay("rest")], [job_class])
    solved = qn.sweep(model, "jobs", population=[int(n) for n in exact["jobs.users"]])
    columns = {"jobs.users": exact["jobs.users"], "jobs.rate": solved.throughput[:, 0]}
    columns |= {"jobs.response_time": solved.response_time[:, 0], "cpu.busy": solved.utilization[:, 0]}
    fit = qn.fit(qn.measure.table(columns), sketch)
    for name, value in (("jobs.think_time", 1.0), ("jobs.demands.cpu", 0.05), ("jobs.demands.rest", 0.2)):
        assert fit[name].value == pytest.approx(value, rel=1e-5)
    assert set(truth) == {each.name for each in fit.figures}


def test_threads_from_responses_and_rates() -> None:
    """How many threads there are shows in the bend of the curve."""
    intervals, sketch, truth = simulated(Setting("threads", 40), 3)
    fit = qn.fit(intervals, sketch, held_out=0)
    assert fit["cpu.servers"].lowest <= truth["cpu.servers"] <= fit["cpu.servers"].highest
    assert fit["cpu.servers"].value == pytest.approx(truth["cpu.servers"], abs=3)
    assert float(fit.model.stations[0].servers) == round(fit["cpu.servers"].value)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "setting", [Setting("open", 60, 3, "all", day=True), Setting("open", 20, 2, "busy"), Setting("delay", 60, 1)]
)
def test_intervals_hold_the_truth(setting: Setting) -> None:
    """Of 60 runs about 57; the whole family is with the slow tests."""
    for share in held(setting, range(60)).values():
        assert share >= 0.87


def test_a_ladder_without_a_sketch() -> None:
    """Users and rates: a closed network; the highest loads are judged; percentiles follow the mean."""
    loads = np.array([1, 2, 4, 8, 8, 16, 32, 64, 128.0])
    model = qn.Network(
        [qn.Queue("threads", servers=8), qn.Delay("net")],
        [qn.ClosedClass("op", population=1, demands={"threads": 0.01, "net": 0.004})],
    )
    there = qn.sweep(model, "op", population=[int(n) for n in loads])
    rates, times = there.throughput[:, 0], there.response_time[:, 0]
    columns = {"op.users": loads, "op.rate": rates, "op.response_time": times, "op.response_p95": 1.8 * times}
    fit = qn.fit(qn.measure.table(columns))
    assert {each.quantity for each in fit.held_out} == {"rate", "response_time", "response_p95"}
    assert fit.errors["rate"] < 0.02
    far = fit.predict([256, 1024])
    assert far["op.rate"] == pytest.approx([800, 800], rel=0.02)
    assert far["op.response_p95"] == pytest.approx(1.8 * far["op.response_time"], rel=0.02)
    assert (far["op.response_p95.lowest"] < far["op.response_p95"]).all()
    assert qn.solve(qn.loads(fit.to_toml()))["op"].throughput == pytest.approx(800, rel=0.02)


def test_a_system_from_a_sketch(tmp_path: Path) -> None:
    """CPU of QR TCBs, open TCBs and the LPAR, and a delay, found again from a solved system."""
    text = (ROOT / "examples" / "cics-region.toml").read_text(encoding="utf-8")
    text = text.replace("users = 6000\nthink_time = 4", "rate = 1000")
    true = qn.loads(text)
    rates = RNG.uniform([400, 20], [1500, 90], (14, 2))
    columns: dict[str, list[float]] = {}
    for orders, reports in rates.tolist():
        found = true.replace("orders", rate=orders).replace("reports", rate=reports).solve()  # type: ignore[union-attr, arg-type]
        row = {"orders.rate": orders, "reports.rate": reports, "PROD.busy": found["PROD"].cpu_percent / 100}
        row |= {f"{name}.busy": found[name].qr_cpu_percent / 100 for name in ("AOR1", "AOR2")}
        row |= {f"{name}.response_time": found[name].response_time for name in ("orders", "reports")}
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    sketch = text.replace("rate = 1000", 'rate = "measured"').replace("rate = 90", 'rate = "measured"')
    sketch = sketch.replace("qr_cpu = 0.006", 'qr_cpu = "fit"').replace("open_cpu = 0.0011", 'open_cpu = "fit"')
    sketch = sketch.replace("fixed_cpu = 0.12 ", 'fixed_cpu = "fit" ').replace("delay = 0.15 ", 'delay = "fit" ')
    (tmp_path / "sketch.toml").write_text(sketch)
    fit = qn.fit(qn.measure.table(columns), tmp_path / "sketch.toml", held_out=0)
    truth = {"PROD.fixed_cpu": 0.12, "orders.2.open_cpu": 0.0011, "reports.2.qr_cpu": 0.006, "reports.2.delay": 0.15}
    assert {each.name for each in fit.figures} == set(truth)
    for name, value in truth.items():
        assert fit[name].value == pytest.approx(value, rel=0.02)
    assert qn.loads(fit.to_toml()) == fit.model


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV in, table and file out; a wrong name is one line and nothing is written."""
    rows = ["query.rate,update.rate,cpu.busy", *(f"{a},{b},{c}" for a, b, c in zip(QUERY, UPDATE, BUSY, strict=True))]
    (tmp_path / "day.csv").write_text("\n".join(rows))
    (tmp_path / "sketch.toml").write_text(SKETCH.replace("servers = 4\n", ""))
    words = ["fit", str(tmp_path / "day.csv"), "--model", str(tmp_path / "sketch.toml"), "-o", str(tmp_path / "site.toml")]
    assert main([*words, "--rename", "update=changes"]) == 0
    assert "query.demands.cpu" in capsys.readouterr().out
    assert 'source = ["' in (tmp_path / "site.toml").read_text()
    (tmp_path / "site.toml").unlink()
    assert main([*words, "--rename", "updates=changes"]) == 2
    assert "did you mean 'update'?" in capsys.readouterr().err
    assert main(words) == 2
    assert "have no series changes.rate" in capsys.readouterr().err
    assert main([*words, "--rename", "update"]) == 2
    assert not (tmp_path / "site.toml").exists()


def test_variation_of_service_times_and_percentiles() -> None:
    """From 95th percentiles at low load: gamma times of coefficient 0.5 are found again; percentiles are predicted."""
    from scipy.special import gammaincinv  # type: ignore[import-untyped]

    times = float(gammaincinv(4.0, 0.95) / 4.0)
    means = 0.02 / (1 - 0.02 * QUERY)
    columns = {"query.rate": QUERY, "cpu.busy": 0.02 * QUERY, "query.response_time": means, "query.response_p95": times * means}
    station = [{"name": "cpu", "discipline": "fcfs"}]
    job_class = {"name": "query", "arrival_rate": "measured", "demands": {"cpu": "fit"}, "service_variation": {"cpu": "fit"}}
    fit = qn.fit(qn.measure.table(columns), {"stations": station, "classes": [job_class]}, held_out=0)
    assert fit["query.service_variation.cpu"].value == pytest.approx(0.25, rel=1e-3)
    there = qn.fit(qn.measure.table(columns)).predict(qn.measure.table({"query.rate": [40.0]}))
    assert there["query.response_p95"] == pytest.approx(times * there["query.response_time"], rel=0.01)


def test_what_is_wrong_is_one_line() -> None:
    """Data without what a figure needs; marks that make no sense."""
    _refused({"query.rate": [1, 2, 3]}, None, "must have rates of classes and the utilization of a resource")
    _refused({"query.rate": [1, 2], "cpu.busy": [0.1, 0.2]}, None, "must be 3 or more")
    _refused({"query.rate": [1, 2, 3], "busy": [0.1, 0.2, 0.3]}, None, "must name the resource")
    _refused(OPEN, _table(SKETCH.replace('"fit"', '"fit me"')), "query.demands.cpu = 'fit me': must be 'fit'")
    _refused(OPEN, _table(SKETCH.replace('"fit 0:100"', '"fit 5:1"')), "must be 'fit', with a start or with bounds")
    _refused(OPEN, _table(SKETCH.replace('"fit"', '"measured"')), "cannot be 'measured'")
    _refused(OPEN, 3, "must be the name of a sketch")
    _refused(
        OPEN, {"stations": [{"name": "cpu"}], "classes": [{"name": "query", "arrival_rate": 1, "demands": {"cpu": 1}}]}, "fit"
    )
    _refused({**OPEN, "idle.rate": np.zeros(60)}, None, "idle.rate = 0.0: must not be 0 in every interval")
    with pytest.raises(qn.ModelError, match="held_out"):
        qn.fit(qn.measure.table(OPEN), held_out=2)
    with pytest.raises(qn.ModelError, match="measured intervals"):
        qn.fit([1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(qn.ModelError, match="must be given intervals"):
        qn.fit(qn.measure.table(OPEN)).predict([1, 2])


def test_marked_rows_judge_and_enter_nothing() -> None:
    """Rows that are marked may be anything: the figures do not move."""
    wrong = OPEN["cpu.busy"].copy()
    wrong[40:] = 0.9
    marks = np.arange(60) >= 40
    fit = qn.fit(qn.measure.table({**OPEN, "cpu.busy": wrong}), held_out=marks)
    assert fit["query.demands.cpu"].value == pytest.approx(0.02, rel=1e-6)
    assert fit.errors["busy"] > 0.3
    assert fit.rows_used == "40 of 60 intervals"


@pytest.mark.parametrize(
    ("users", "rates"),
    [
        ([1, 2, 4, 8, 16, 32, 64, 128], [100, 195, 380, 700, 1100, 1250, 1150, 1000]),  # contention, and a decline
        ([1, 2, 4, 8, 16, 32, 64, 128], [100, 199, 390, 620, 600, 560, 490, 390]),  # servers that lose speed
        ([1, 2, 4, 8, 16, 32], [100, 182, 308, 471, 640, 780]),  # contention alone
        ([1, 2, 4, 8, 16, 32], [100, 200, 395, 700, 800, 802]),  # servers
    ],
)
def test_the_file_of_a_ladder_answers_what_its_fit_answers(users: list[int], rates: list[int], tmp_path: Path) -> None:
    """At loads far beyond the fitted ones too: speeds that change with the jobs are written as a law."""
    fit = qn.fit(qn.measure.table({"jobs.users": users, "jobs.rate": rates}), held_out=0)
    fit.save(tmp_path / "site.toml")
    loads = [1, 50, 1024, 5000]
    found = qn.sweep(qn.load(tmp_path / "site.toml"), {"jobs": {"population": loads}})
    assert found.throughput[:, 0] == pytest.approx(fit.predict(loads)["jobs.rate"], rel=1e-6)
    assert fit.model == qn.load(tmp_path / "site.toml")


def test_a_delay_of_a_system_has_the_interval_of_its_own_series() -> None:
    """Twelve responses with noise: Student's interval of their mean, whatever else was measured, as rates that are given."""
    sketch = {
        "lpars": [{"name": "PROD", "processors": 4}],
        "regions": [{"name": "AOR1", "lpar": "PROD"}],
        "work": [{"name": "orders", "rate": "measured", "regions": "AOR1", "qr_cpu": 1e-5, "delay": "fit"}],
    }
    rng = np.random.default_rng(4)
    rates = np.linspace(5, 60, 12)
    responses = 0.1 * np.exp(0.02 * rng.normal(size=12))
    columns = {"orders.rate": rates, "orders.response_time": responses, "AOR1.busy": 1e-5 * rates, "PROD.busy": rates * 2.5e-6}
    delay = qn.fit(qn.measure.table(columns), sketch, held_out=0)["orders.delay"]
    half = 2.201 * np.std(np.log(responses), ddof=1) / np.sqrt(12)
    assert 0.95 * half < (delay.highest - delay.lowest) / 2 / delay.value < 1.4 * half  # the rows may be alike in neighbours


def test_the_file_of_several_nodes(tmp_path: Path) -> None:
    """A station for each node, with its servers; the file answers what the fit does."""
    users = np.array([1, 2, 4, 8, 12, 16, 24, 32])
    stations = [qn.Queue(f"node {i}", servers=4) for i in range(3)]
    demands = {each.name: 0.008 / 3 for each in stations} | {"net": 0.003}
    network = qn.Network([*stations, qn.Delay("net")], [qn.ClosedClass("users", population=1, demands=demands)])
    rates = qn.sweep(network, {"users": {"population": users.tolist()}}).throughput[:, 0]
    fit = qn.fit(qn.measure.table({"jobs.users": users, "jobs.rate": rates}), held_out=0)
    assert fit["station 2.servers"].value == pytest.approx(4, rel=0.05)
    assert fit["jobs.demands.station 1"].value == pytest.approx(0.008 / 3, rel=0.05)
    fit.save(tmp_path / "site.toml")
    found = qn.sweep(qn.load(tmp_path / "site.toml"), {"jobs": {"population": [5, 256]}})
    assert found.throughput[:, 0] == pytest.approx(fit.predict([5, 256])["jobs.rate"], rel=1e-6)
