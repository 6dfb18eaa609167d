"""What a fit says of names that do not match, of figures that it cannot tell apart, and of files that were edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main

RNG = np.random.default_rng(5)
REGION = """
lpars = [{name = "PROD", processors = 4}]
regions = [{name = "AOR1", lpar = "PROD"}]
work = [{name = "orders", rate = "measured", regions = "AOR1", qr_cpu = "fit", open_cpu = "fit"}]
"""
RATE = np.linspace(20, 200, 24)


def near(values: Any) -> np.ndarray[Any, Any]:
    """Values with 2 % of noise."""
    return np.asarray(values) * (1 + 0.02 * RNG.normal(size=len(values)))


def region(tmp_path: Path, text: str = REGION) -> Path:
    """A sketch in a file."""
    path = tmp_path / "sketch.toml"
    path.write_text(text)
    return path


def test_cpu_of_two_tcbs_needs_two_measures(tmp_path: Path) -> None:
    """APPL % alone knows the sum of QR and open CPU; with the busy time of the QR TCB both are known."""
    used = {"orders.rate": RATE, "orders.used": near(0.004 * RATE)}
    with pytest.raises(qn.ModelError, match=r"orders.qr_cpu, orders.open_cpu: cannot be told apart by orders.used"):
        qn.fit(qn.measure.table(used), region(tmp_path))
    found = qn.fit(qn.measure.table({**used, "AOR1.busy": near(0.001 * RATE)}), region(tmp_path), held_out=0)
    assert found["orders.qr_cpu"].value == pytest.approx(0.001, rel=0.03)
    assert found["orders.open_cpu"].value == pytest.approx(0.003, rel=0.03)


def test_a_series_that_nothing_uses_is_told(tmp_path: Path) -> None:
    """A region with another name in the data; renamed, it is used."""
    columns = {"orders.rate": RATE, "orders.used": near(0.004 * RATE), "AOR9.busy": near(0.001 * RATE)}
    sketch = region(tmp_path, REGION.replace('open_cpu = "fit"', "open_cpu = 0.003"))
    said = qn.fit(qn.measure.table(columns), sketch).findings
    assert any("AOR9 (busy) is used by nothing" in each for each in said)
    said = qn.fit(qn.measure.table(columns), sketch, rename={"AOR9": "AOR1"}).findings
    assert not any("used by nothing" in each for each in said)


@pytest.mark.parametrize("think", [0.5, 2.0, 10.0])
def test_users_that_think_without_a_sketch(think: float) -> None:
    """Think time, demands and the rest of the response, also where the response is a small part of the cycle."""
    stations = [qn.Queue("cpu", servers=2), qn.Queue("disk"), qn.Delay("net")]
    users = qn.ClosedClass("u", population=2, think_time=think, demands={"cpu": 0.012, "disk": 0.005, "net": 0.004})
    loads = np.unique(np.linspace(2, 120 * (think + 0.02), 40).astype(int))
    exact = qn.sweep(qn.Network(stations, [users]), "u", population=loads.tolist())
    columns = {"u.users": loads.astype(float), "cpu.servers": np.full(len(loads), 2.0)}
    columns |= {"u.rate": near(exact.throughput[:, 0]), "u.response_time": near(exact.response_time[:, 0])}
    columns |= {"cpu.busy": near(exact.utilization[:, 0]), "disk.busy": near(exact.utilization[:, 1])}
    found = qn.fit(qn.measure.table(columns), held_out=0)
    assert found["u.think_time"].value == pytest.approx(think, rel=0.02)
    assert found["u.demands.cpu"].value == pytest.approx(0.012, rel=0.02)
    assert found["u.demands.disk"].value == pytest.approx(0.005, rel=0.02)


def test_cpu_that_is_charged_is_not_that_of_the_qr_tcb() -> None:
    """Two resources are busy with one class: each has the demand that its own utilization says."""
    columns = {"orders.rate": RATE, "orders.used": near(0.004 * RATE), "CP.busy": near((0.1 + 0.004 * RATE) / 4)}
    columns |= {"CP.servers": np.full(len(RATE), 4.0), "QR.busy": near(0.001 * RATE)}
    found = qn.fit(qn.measure.table(columns), held_out=0)
    assert found["orders.demands.QR"].value == pytest.approx(0.001, rel=0.03)
    assert found["orders.demands.CP"].value == pytest.approx(0.004, rel=0.03)


def test_the_file_of_a_ladder_has_no_figures_that_stand_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its speeds by load are one curve: a range of one of its figures would be wrong."""
    loads = [1.0, 2, 4, 8, 16, 32, 64]
    found = qn.fit(qn.measure.table({"users": loads, "rate": [99, 196, 380, 700, 960, 1000, 1000]}))
    path = tmp_path / "ladder.toml"
    found.save(path)
    assert "[fitted]" in path.read_text()
    assert qn.fitted_of(path) is None
    assert main(["solve", str(path)]) == 0
    assert "draws" not in capsys.readouterr().out


def test_a_figure_that_was_edited_is_taken_as_given() -> None:
    """Its range is gone, those of the others stay; a class that was renamed is told."""
    columns = {"orders.rate": RATE, "cpu.busy": near(0.1 + 0.004 * RATE)}
    fit = qn.fit(qn.measure.table(columns))
    plain = qn.bands(fit.model, fit)
    low, high = plain.range_of("orders", "response_time")
    assert low < high
    demands = {"cpu": 0.002}
    faster = qn.bands(fit.model.replace("orders", demands=demands), fit)  # type: ignore[union-attr, arg-type]
    assert any("orders.demands.cpu is 0.002 in the model" in note for note in faster.notes)
    exact = qn.solve(fit.model.replace("orders", demands=demands))["orders"].response_time  # type: ignore[union-attr, arg-type]
    low, high = faster.range_of("orders", "response_time")
    assert low < exact < high
    other = qn.Network([qn.Queue("cpu")], [qn.OpenClass("other", arrival_rate=1.0, demands={"cpu": 0.1})])
    with pytest.raises(qn.ModelError, match="names no figure of the model"):
        qn.bands(other, fit)


@pytest.mark.parametrize(
    ("fitted", "vary", "rule"),
    [
        (None, None, "must be fitted figures"),
        ("site.toml", None, "must be fitted figures"),
        ("fit", 3, "must give values by figure"),
        ("fit", {"orders.arrival_rate": []}, "must give values by figure"),
    ],
)
def test_ranges_refuse_what_is_no_fit(fitted: Any, vary: Any, rule: str) -> None:
    """One line each."""
    fit = qn.fit(qn.measure.table({"orders.rate": RATE, "cpu.busy": near(0.1 + 0.004 * RATE)}))
    with pytest.raises(qn.ModelError, match=rule):
        qn.bands(fit.model, fit if fitted == "fit" else fitted, vary)


def test_no_input_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measurements and sketch stay as they are; a name that is no TOML file is refused."""
    data, sketch = tmp_path / "day.csv", tmp_path / "sketch.toml"
    data.write_text("orders.rate,cpu.busy\n" + "".join(f"{x},{0.1 + 0.004 * x}\n" for x in RATE))
    sketch.write_text(
        'stations = [{name = "cpu"}]\nclasses = [{name = "orders", arrival_rate = "measured", demands = {cpu = "fit"}}]'
    )
    before = data.read_text(), sketch.read_text()
    words = ["fit", str(data), "--model", str(sketch), "-o"]
    for output in (str(data), str(sketch), str(tmp_path / "o.json")):
        assert main([*words, output]) == 2
        assert "--output" in capsys.readouterr().err
    assert main(["data", str(data), "-o", str(data)]) == 2
    assert (data.read_text(), sketch.read_text()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["day.csv", "sketch.toml"]


def test_several_ladders_are_named() -> None:
    """A file with a ladder for each kind of work: which there are, and how one is taken."""
    columns = {f"{name}.{key}": [1.0, 4.0, 9.0] for name in ("read", "write") for key in ("users", "rate")}
    with pytest.raises(qn.ModelError, match="2 ladders, read, write: fit one at a time; read the file with --only read"):
        qn.fit(qn.measure.table(columns))


def test_servers_that_the_data_do_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of four CPUs the demands are four times those of one; that one was taken is said, in the file too."""
    rates = np.arange(20.0, 60.0, 2)
    columns = {"orders.rate": rates, "cpu.busy": (0.1 + 0.02 * rates) / 4}
    alone = qn.fit(qn.measure.table(columns))
    assert alone["orders.demands.cpu"].value == pytest.approx(0.005)
    assert alone.findings[0].startswith("cpu: its number of servers is not in the data and taken as 1")
    assert alone.to_toml().startswith(f"# {alone.findings[0]}\n")
    assert qn.loads(alone.to_toml()) == alone.model
    for servers in (4, {"cpu": 4}):
        known = qn.fit(qn.measure.table(columns), servers=servers)
        assert known["orders.demands.cpu"].value == pytest.approx(0.02)
        assert known.findings == ()
        assert known.model.stations[0].servers == 4
    (tmp_path / "cpu.csv").write_text(
        "orders.rate,cpu.busy [%]\n" + "".join(f"{x},{100 * u}\n" for x, u in zip(*columns.values(), strict=True))
    )
    assert main(["fit", str(tmp_path / "cpu.csv"), "--servers", "cpu=4"]) == 0
    assert "not in the data" not in capsys.readouterr().out
    with pytest.raises(qn.ModelError, match="servers = 'cp': must name a resource with a utilization; did you mean 'cpu'"):
        qn.fit(qn.measure.table(columns), servers={"cp": 4})
    sketch = {
        "stations": [{"name": "cpu"}],
        "classes": [{"name": "orders", "arrival_rate": "measured", "demands": {"cpu": "fit"}}],
    }
    with pytest.raises(qn.ModelError, match="servers = 4: must not be given with a sketch"):
        qn.fit(qn.measure.table(columns), sketch, servers=4)


@pytest.mark.parametrize("think", [0.0, 0.02])
def test_percentiles_without_a_mean(think: float) -> None:
    """A think time that they show is taken, and said; else that responses are load over rate."""
    users = np.array([1, 2, 4, 8, 16, 32, 64])
    network = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("s", population=1, think_time=think, demands={"cpu": 0.004})])
    rates = qn.sweep(network, {"s": {"population": users.tolist()}}).throughput[:, 0]
    means = users / rates - think
    columns = {"s.users": users, "s.rate": rates, "s.response_p50": 0.7 * means, "s.response_p95": 3 * means}
    fit = qn.fit(qn.measure.table(columns), held_out=users > 32)
    text = "taken as think time" if think else "no mean response and no think time is measured"
    assert any(text in finding for finding in fit.findings)
    assert fit.loads.think_time == pytest.approx(think, rel=0.05)
    assert fit.predict([64])["s.response_p95"] == pytest.approx(3 * means[-1:], rel=0.05)
    known = qn.fit(qn.measure.table({**columns, "s.think_time": [think] * len(users)}))
    assert not any("no mean response" in finding for finding in known.findings)


def test_a_ladder_has_one_number_of_servers() -> None:
    """Rows of 8 and of 64 servers are two ladders: refused, with the values and the repair."""
    columns = {"c.users": [1, 8, 16, 1, 8, 16], "c.rate": [500, 3500, 3900, 500, 3900, 7800], "t.servers": [8] * 3 + [64] * 3}
    text = r"t\.servers: must be one number in a ladder, here 2: 8, 64; give the rows of each number in a file of their own"
    with pytest.raises(qn.ModelError, match=text):
        qn.fit(qn.measure.table(columns))
    assert qn.fit(qn.measure.table({**columns, "t.servers": [8] * 6})).loads is not None
