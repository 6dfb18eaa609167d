"""Fitted figures in a file, and the range of answers that they make."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.fitting.ranges.bands import bands
from qnsolve.fitting.ranges.fitted_figures import FittedFigures, fitted_from_data, fitted_of

SHOP = qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=5.0, demands={"cpu": 0.1})], name="shop")
SITE = qn.loads(
    'lpars = [{name = "P", processors = 2}]\nregions = [{name = "A", lpar = "P"}]\n'
    'work = [{name = "orders", rate = 100, regions = "A", qr_cpu = 0.002, open_cpu = 0.001}]'
)
TABLE = {"figures": ["orders.demands.cpu"], "values": [0.1], "lowest": [0.09], "highest": [0.12]}


def known(figures: dict[str, tuple[float, float, float]], correlation: float = 0.0) -> FittedFigures:
    """Fitted figures from value, lowest and highest."""
    values, low, high = (np.array(side) for side in zip(*figures.values(), strict=True))
    count = len(figures)
    return FittedFigures(tuple(figures), values, low, high, np.where(np.eye(count) > 0, 1.0, correlation))


def test_the_table_comes_back_as_it_was() -> None:
    """Read, written and read again."""
    found = fitted_from_data({"fitted": {**TABLE, "source": ["a.csv"], "rows": "3 of 4", "errors": {"rate": 0.01}}})
    assert found is not None
    again = fitted_from_data({"fitted": found.as_data()})
    assert again is not None
    assert again.as_data() == found.as_data()
    assert fitted_from_data({"stations": []}) is None


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"values": [0.1, 0.2]}, "must have one number for each of 1 figure"),
        ({"lowest": [0.11]}, "must lie below the value 0.1"),
        ({"highest": [0.05]}, "must lie above the value 0.1"),
        ({"highest": ["x"]}, "must be a number"),
        ({"values": [float("nan")]}, "must be finite"),
        ({"correlations": [[2.0]]}, "must be correlations of 1 figure"),
        ({"correlations": [[1.0, 0.5]]}, "must be correlations of 1 figure"),
        ({"correlations": "x"}, "must be correlations of 1 figure"),
        ({"figures": "orders"}, "must be a list"),
        ({"errors": 3}, "must be a table"),
    ],
)
def test_a_wrong_table_is_one_line(change: dict[str, object], rule: str) -> None:
    """Each fault names its key."""
    with pytest.raises(qn.ModelError, match=rule):
        fitted_from_data({"fitted": {**TABLE, **change}})


def test_correlations_that_cannot_be_are_refused() -> None:
    """Three figures, each the opposite of both others."""
    table = {"figures": ["a", "b", "c"], "values": [1, 1, 1], "lowest": [0, 0, 0], "highest": [2, 2, 2]}
    wrong = [[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]]
    with pytest.raises(qn.ModelError, match="none impossible"):
        fitted_from_data({"fitted": {**table, "correlations": wrong}})


def test_draws_are_as_the_table_says() -> None:
    """Percentiles of each figure are its interval, and the errors go together as they should."""
    found = known({"a": (10.0, 9.0, 12.0), "b": (5.0, 4.0, 6.0)}, correlation=-0.7).draws(4000)
    assert np.percentile(found[:, 0], [2.5, 50, 97.5]) == pytest.approx([9, 10, 12], rel=0.01)
    assert np.percentile(found[:, 1], [2.5, 50, 97.5]) == pytest.approx([4, 5, 6], rel=0.01)
    ranks = found.argsort(axis=0).argsort(axis=0)
    assert np.corrcoef(ranks.T)[0, 1] == pytest.approx(-0.7, abs=0.03)
    assert known({"a": (0.001, 0.0, 0.01)}).draws(100).min() >= 0


def test_an_open_station_has_the_range_of_its_demand() -> None:
    """R = D/(1 - X·D) grows with D, so that its range is that of D."""
    found = bands(SHOP, known({"orders.demands.cpu": (0.1, 0.09, 0.12)}), draws=2000)
    low, high = found.range_of("orders", "response_time")
    assert low == pytest.approx(0.09 / (1 - 0.45), rel=0.01)
    assert high == pytest.approx(0.12 / (1 - 0.6), rel=0.01)
    assert found.range_of("cpu", "utilization") == pytest.approx((0.45, 0.6), rel=0.01)
    assert found.range_of("orders", "throughput") == (5, 5)


def test_correlated_figures_have_the_range_of_their_sum() -> None:
    """What one demand has more the other one has less: the response of both hardly moves."""
    two = qn.Network([qn.Delay("a"), qn.Delay("b")], [qn.OpenClass("w", arrival_rate=1.0, demands={"a": 1.0, "b": 1.0})])
    figures = {"w.demands.a": (1.0, 0.8, 1.2), "w.demands.b": (1.0, 0.8, 1.2)}
    widths = []
    for correlation in (-1.0, 0.0, 1.0):
        low, high = bands(two, known(figures, correlation), draws=2000).range_of("w", "response_time")
        widths.append(high - low)
    assert widths == pytest.approx([0.0, 0.4 * np.sqrt(2), 0.8], abs=0.02)


def test_draws_without_an_answer_are_told() -> None:
    """Where some of the draws are saturated the response has no end."""
    fuller = SHOP.replace("orders", demands={"cpu": 0.18})
    found = bands(fuller, known({"orders.demands.cpu": (0.18, 0.14, 0.22)}), draws=500)
    assert found.unanswered[0] == pytest.approx(0.163, abs=0.02)  # of the normal distribution above 0.2
    assert found.range_of("orders", "response_time")[1] == np.inf
    assert "16 % of what the measurements allow has no answer" in found.notes[0]


def test_a_figure_that_is_varied_is_taken_as_given() -> None:
    """The range is that of the other figures alone."""
    figures = known({"orders.demands.cpu": (0.1, 0.09, 0.12)})
    found = bands(SHOP, figures, {"orders.arrival_rate": [1.0, 5.0]})
    assert [row["orders.arrival_rate"] for row in found.bands][::3] == [1.0, 5.0]
    still = bands(SHOP, figures, {"orders.demands.cpu": [0.1]})
    assert still.range_of("orders", "response_time") == pytest.approx((0.2, 0.2))


def test_systems_have_ranges() -> None:
    """CPU and response of a region whose CPU time was fitted."""
    found = bands(SITE, known({"orders.qr_cpu": (0.002, 0.0018, 0.0022)}))
    assert found.range_of("P", "cpu_percent") == pytest.approx((14.0, 16.0), rel=0.02)
    low, high = found.range_of("orders", "response_time")
    assert low < SITE.solve()["orders"].response_time < high


def test_the_commands_give_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`solve` and `sweep` of a file with [fitted], in each form; --draws 0 leaves them out."""
    file = tmp_path / "shop.toml"
    table = "\n".join(f"{key} = {json.dumps(value)}" for key, value in TABLE.items())
    file.write_text(qn.dumps(SHOP) + f"[fitted]\n{table}\n")
    assert fitted_of(file) is not None
    assert main(["solve", str(file)]) == 0
    assert "200 draws of 1 fitted figures" in capsys.readouterr().out
    assert main(["solve", str(file), "--json", "--draws", "50"]) == 0
    rows = json.loads(capsys.readouterr().out)["bands"]["rows"]
    assert {"part", "name", "figure", "value", "lowest", "highest"} == rows[0].keys()
    assert main(["sweep", str(file), "orders.arrival_rate=1,5,9", "--json"]) == 0
    swept = json.loads(capsys.readouterr().out)
    assert [row["response_time_highest"] is None for row in swept] == [False, False, True]  # saturated draws at 9/s
    assert all(row["response_time_lowest"] < row["response_time"] for row in swept)
    assert main(["sweep", str(file), "orders.arrival_rate=1,5,9"]) == 0
    assert "response time range" in capsys.readouterr().out
    assert main(["solve", str(file), "--draws", "0"]) == 0
    assert "draws" not in capsys.readouterr().out
    assert main(["solve", str(file), "--draws", "1"]) == 2
    assert "must be 0, or 2 and more" in capsys.readouterr().err
    file.write_text(file.read_text().replace("lowest = [0.09]", "lowest = [0.19]"))
    assert main(["solve", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


def test_the_only_time_of_a_work_is_a_figure() -> None:
    """A system whose work takes nothing but what was fitted has ranges."""
    part = 'lpars = [{name = "P", processors = 2}]\nregions = [{name = "A", lpar = "P"}]\n'
    site = qn.loads(part + 'work = [{name = "orders", rate = 100, regions = "A", qr_cpu = 0.002}]')
    known = FittedFigures(("orders.qr_cpu",), np.array([0.002]), np.array([0.0019]), np.array([0.0022]), np.eye(1))
    low, high = qn.bands(site, known, draws=20).range_of("orders", "response_time")
    assert low < site.solve()["orders"].response_time < high
