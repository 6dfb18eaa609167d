"""A day of intervals: what each interval says, what is wrong, the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.measure import table

from tests import ROOT
from tests.support.days import cpu_and_disk, one_cpu, starts


def test_each_interval_is_what_solve_gives() -> None:
    """Responses and utilizations of all intervals in one pass, of several servers too; equal intervals are equal."""
    rng = np.random.default_rng(1)
    rates = {"orders.rate": rng.uniform(0, 40, 30), "reports.rate": rng.uniform(0, 20, 30)}
    rates["orders.rate"][[3, 9]], rates["reports.rate"][[3, 9]] = 17.0, 11.0
    found = qn.day(cpu_and_disk(), table(rates, start=starts(30), length=900))
    for i in range(30):
        model = (
            cpu_and_disk()
            .replace("orders", arrival_rate=rates["orders.rate"][i])
            .replace("reports", arrival_rate=rates["reports.rate"][i])
        )
        alone = qn.solve(model)
        for r, name in enumerate(("orders", "reports")):
            assert found.response[i, r] == pytest.approx(alone[name].response_time, rel=1e-9)
        for k, name in enumerate(found.centers):
            assert found.utilization[i, k] == pytest.approx(alone[name].utilization, rel=1e-9, abs=1e-12)
    assert (found.response[3] == found.response[9]).all()


def test_peak_hour() -> None:
    """Four quarters of the day with the most work, and its share."""
    rate = np.full(96, 10.0)
    rate[40:44] = [30, 35, 40, 35]
    peak = qn.day(one_cpu(), table({"orders.rate": rate}, start=starts(96), length=900)).peak
    assert (peak.start, peak.end) == ("2026-03-02 10:00", "2026-03-02 11:00")
    assert peak.share == pytest.approx(140 / (92 * 10 + 140))
    assert peak.over_mean == pytest.approx(35 / (1060 / 96))


def test_users_go_round() -> None:
    """A closed class takes measured users; with rates alone it is work that arrives, and a note says so."""
    shop = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("users", population=1, think_time=1.0, demands={"cpu": 0.02})])
    found = qn.day(shop, table({"users.users": [5.0, 30.0, 60.0]}, length=600))
    for i, population in enumerate((5, 30, 60)):
        assert found.response[i, 0] == pytest.approx(
            qn.solve(shop.replace("users", population=population))["users"].response_time
        )
    assert not found.missed.any()
    rated = qn.day(shop, table({"users.rate": [5.0, 30.0]}, length=600))
    assert rated.response[1, 0] == pytest.approx(0.02 / (1 - 0.6))
    assert any("taken as work that arrives" in note for note in rated.notes)


def test_time_units_of_models() -> None:
    """A model in milliseconds: intervals stay in seconds."""
    shop = qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=0.001, demands={"cpu": 10.0})], time_unit="ms")
    found = qn.day(shop, table({"orders.rate": [50.0, 120.0]}, length=3600))
    assert found.response[0, 0] == pytest.approx(0.010 / 0.5)
    assert found.offered == pytest.approx([0.5, 1.2])
    assert found.backlog[1] == pytest.approx(72_000)
    closed = qn.Network(
        [qn.Queue("cpu")], [qn.ClosedClass("web", population=1, think_time=500.0, demands={"cpu": 10.0})], time_unit="ms"
    )
    beside = qn.measured_beside_modelled(closed, table({"web.users": [10.0], "web.rate": [19.0]}, length=60))
    response = qn.solve(closed.replace("web", population=10))["web"].response_time
    assert beside.columns[0].modelled[0] == pytest.approx(10 / (500 + response) * 1000)


def test_missing_rates_are_no_work() -> None:
    """A class without a figure in an interval does nothing there; one that was not measured stays as in the model."""
    rates = {"orders.rate": [10.0, np.nan], "reports.rate": [np.nan, 10.0]}
    found = qn.day(cpu_and_disk(), table(rates, length=60))
    assert np.isnan(found.response).tolist() == [[False, True], [True, False]]
    assert found.utilization[0, 0] == pytest.approx(10 * 0.02 / 3)
    alone = qn.day(cpu_and_disk(), table({"orders.rate": [10.0], "web.rate": [30.0]}, length=60))
    assert alone.utilization[0, 0] == pytest.approx((10 * 0.02 + 1 * 0.05) / 3)
    assert any("reports was not measured" in note for note in alone.notes)
    assert any("not in the model: web, 75 % of all jobs" in note for note in alone.notes)


def test_a_system_is_solved_interval_by_interval() -> None:
    """Responses are those of the system at these rates; overload and the first to fill up are told by its centers."""
    system = qn.load(ROOT / "examples" / "cics-region.toml")
    rates = {"orders.rate": [400.0, 1400.0, 900.0], "reports.rate": [30.0, 90.0, 0.0]}
    found = qn.day(system, table(rates, start=starts(3), length=900))
    asked = system.replace("orders", rate=1400.0, users=None, think_time=0.0)
    answer = asked.solve()
    assert found.response[1] == pytest.approx([work.response_time for work in answer.work], rel=2e-3)
    assert np.isnan(found.response[2, 1])
    assert found.end is not None
    assert found.end.factor == pytest.approx(qn.zos.headroom(asked).factor, rel=5e-3)
    more = qn.day(system, table({name: 4 * np.array(each) for name, each in rates.items()}, start=starts(3), length=900))
    assert more.missed.tolist() == [False, True, False]
    assert more.offered[1] == pytest.approx(4 / found.end.factor, rel=0.02)


def test_many_loads_of_a_system_are_interpolated_with_their_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error that the note states holds for loads that were not solved."""
    from qnsolve.fitting.days import system_loads

    monkeypatch.setattr(system_loads, "SOLVED", 40)
    monkeypatch.setattr(system_loads, "PROBES", 8)
    system = qn.load(ROOT / "examples" / "cics-region.toml")
    rng = np.random.default_rng(3)
    rates = {"orders.rate": rng.uniform(300, 1500, 75), "reports.rate": rng.uniform(20, 100, 75)}
    few = qn.day(system, table(rates, length=900))
    note = next(each for each in few.notes if "distinct loads were solved" in each)
    assert "48 distinct loads were solved, 27 between them interpolated" in note
    monkeypatch.setattr(system_loads, "SOLVED", 300)
    every = qn.day(system, table(rates, length=900))
    assert few.response.ravel() == pytest.approx(every.response.ravel(), rel=0.02)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"growth": "much"}, "growth of orders = 'much': must be a percentage a year"),
        ({"growth": {"order": 0.1}}, "growth = 'order': must name classes that were measured; did you mean 'orders'"),
        ({"growth": -1.5}, "must be above -100 %"),
        ({"growth": 8}, "write 0.08 or '8%/year'"),
        ({"growth": {"orders": 1.5}}, "write 0.08 or '8%/year'"),
        ({"growth": True}, "write 0.08 or '8%/year'"),
        ({"targets": 0.2}, "targets = 0.2: must be a mapping of classes to seconds"),
        ({"targets": [0.2]}, "must be a mapping of classes to seconds"),
        ({"targets": {"orders": 0}}, "targets"),
        ({"until": "soon"}, "until = 'soon': must be a date"),
        ({"until": "2020"}, "must lie after the last interval"),
    ],
)
def test_what_is_wrong_is_one_line(words: dict[str, object], says: str) -> None:
    """Item, rule, repair."""
    rows = table({"orders.rate": [1.0, 2.0]}, start=starts(2), length=900)
    with pytest.raises(qn.ModelError) as error:
        qn.day(one_cpu(), rows, **words)  # type: ignore[arg-type]
    assert says in str(error.value)


def test_tables_that_do_not_fit() -> None:
    """Other names, no length, rates below 0."""
    with pytest.raises(qn.ModelError, match="must have rates of the model's classes"):
        qn.day(one_cpu(), {"web.rate": [1.0]})
    for file in ("day.csv", Path("day.csv")):
        with pytest.raises(qn.ModelError, match=r"intervals = 'day.csv'.*qn\.measure\.read"):
            qn.day(one_cpu(), file)  # type: ignore[arg-type]
    with pytest.raises(qn.ModelError, match="must be a Network or a System"):
        qn.day(None, table({"orders.rate": [1.0]}, length=60))  # type: ignore[arg-type]
    with pytest.raises(qn.ModelError, match="length"):
        qn.day(one_cpu(), table({"orders.rate": [1.0]}))
    with pytest.raises(qn.ModelError, match="interval 2"):
        qn.day(one_cpu(), table({"orders.rate": [1.0, -3.0]}, length=60))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text with the verdict, JSON with peak, growth and end, a row an interval and class as CSV."""
    qn.save(cpu_and_disk(), tmp_path / "site.toml")
    with (tmp_path / "day.csv").open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(["start", "length", "orders.rate", "reports.rate"])
        writer.writerows([[f"2026-03-02T{h:02}:00", 3600, 10 + h, 5] for h in range(24)])
    base = ["day", str(tmp_path / "site.toml"), str(tmp_path / "day.csv")]
    assert main([*base, "--growth", "8%/year", "--growth", "reports=1%/month", "--target", "orders=0.2"]) == 0
    out = capsys.readouterr().out
    assert "Holds until 20" in out
    assert "the 12 fullest of 24 intervals" in out
    for shrinks in (["--growth", "-5%/year"], ["--growth=-5%/year"]):
        assert main([*base, *shrinks, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["growth"][0]["value"] == pytest.approx(-0.05)
    assert main([*base, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"rows", "sentences", "notes", "peak", "growth", "end", "until"} <= set(found)
    assert len(found["rows"]) == 48
    assert main([*base, "--csv"]) == 0
    assert len(list(csv.DictReader(capsys.readouterr().out.splitlines()))) == 48
    assert main([*base, "--growth", "x=8%"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([*base, "--target", "0.2"]) == 2
