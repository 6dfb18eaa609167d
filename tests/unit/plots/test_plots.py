"""Pictures of --plot: what they show is the answer, with units and marks; what cannot be drawn is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.cli.plots import plot_option
from qnsolve.cli.plots.bounds_plot import bounds_figure
from qnsolve.cli.plots.compare_plot import compare_figure
from qnsolve.cli.plots.growth_plot import growth_figure
from qnsolve.cli.plots.sweep_plot import sweep_figure
from qnsolve.results.plotting import COLOURS, drawn, look_of

from tests import ROOT

SYSTEM = ROOT / "examples" / "cics-region.toml"
NETWORK = ROOT / "examples" / "cics-cfdt.toml"


def _curves(axes: Any) -> dict[str, list[float]]:
    return {
        line.get_label(): [float(y) for y in line.get_ydata()]
        for line in axes.get_lines()
        if not line.get_label().startswith("_")
    }


def _words(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


@pytest.fixture(scope="module")
def region() -> qn.zos.System:
    """The example of a system."""
    found = qn.load(SYSTEM)
    assert isinstance(found, qn.zos.System)
    return found


def test_growth_shows_responses_use_saturation_and_target(region: qn.zos.System) -> None:
    """Curves in ms are the rows; the line stands where the system is full; what has no answer is hatched."""
    found = qn.zos.growth(region, [1.0, 1.5, 2.0, 2.8])
    with drawn():
        left, right = growth_figure(found, {"orders": 0.01}).axes
    rows = [row["response_time"] for row in found.rows() if row["work"] == "orders"]
    assert _curves(left)["orders"] == pytest.approx([*(1000 * y for y in rows), np.nan], nan_ok=True)
    assert left.get_ylabel() == "response time [ms]"
    assert "target of orders: 10 ms" in _words(left)
    assert any("TRANCLASS REPORTS full at 2.5" in words for words in _words(left))
    cps = [result["PROD"].cpu_percent for result in found.results if result is not None]
    assert _curves(right)["PROD CPs"][:3] == pytest.approx(cps)
    assert right.get_ylabel() == "used [%]"
    assert [patch.get_label() for patch in left.patches] == ["saturated"]


def test_sweep_of_a_network() -> None:
    """The input with the most values is the axis; each value of the others has its curves; gaps stay gaps."""
    model = qn.Network(
        [qn.Queue("cpu"), qn.Queue("disk")], [qn.OpenClass("web", arrival_rate=1, demands={"cpu": 0.2, "disk": 0.1})]
    )
    found = qn.sweep(model, {"web": {"arrival_rate": [1.0, 3.0, 4.0, 6.0]}, "cpu": {"servers": [1, 2]}})
    with drawn():
        left, right = sweep_figure(found).axes
    one = [found[i]["web"].response_time for i in (0, 2, 4)]
    assert _curves(left)["web, cpu.servers 1"] == pytest.approx([*one, np.nan], nan_ok=True)
    assert left.get_xlabel() == right.get_xlabel() == "web.arrival_rate"
    assert left.get_ylabel() == "response time [s]"
    assert set(_curves(right)) == {"cpu.servers 1", "cpu.servers 2"}


def test_sweep_of_words() -> None:
    """Values that are no numbers stand side by side with their names."""
    model = qn.Network([qn.Queue("cpu")], [qn.OpenClass("web", arrival_rate=1, demands={"cpu": 0.2})])
    with drawn():
        left, _ = sweep_figure(qn.sweep(model, {"cpu": {"discipline": ["ps", "fcfs"]}})).axes
    assert [text.get_text() for text in left.get_xticklabels()] == ["ps", "fcfs"]


def test_compare_shows_before_and_after(region: qn.zos.System) -> None:
    """A pair of bars a work and a center; equal regions are one pair; the title says what happened to the headroom."""
    found = qn.compare(region, region.replace("PROD", processors=8))
    with drawn():
        figure = compare_figure(found)
    left, right = figure.axes
    widths = [bar.get_width() for bar in left.patches]
    answers = [result["orders"].response_time for result in (found.before, found.after)]
    assert [widths[0], widths[2]] == pytest.approx([1000 * time for time in answers])
    names = [text.get_text() for text in right.get_yticklabels()]
    assert names.count("AOR1, AOR2 QR TCB") == 1
    assert "PROD CPs" in names
    assert figure.get_suptitle() == found.sentences()[0]


def test_bounds_hold_the_solution() -> None:
    """At every population the curve "at least" is below the exact solution, and "at most" above it."""
    model = qn.load(NETWORK)
    assert isinstance(model, qn.Network)
    with drawn():
        rates, times = bounds_figure(model, qn.bounds(model)).axes
    for axes, what in ((rates, "throughput"), (times, "response_time")):
        numbers = [int(n) for n in axes.get_lines()[0].get_xdata()][::8]
        exact = [getattr(qn.solve(model.replace("terminals", population=n))["terminals"], what) for n in numbers]
        curves = _curves(axes)
        assert (np.array(curves["at least"][::8]) <= np.array(exact) * (1 + 1e-9)).all()
        assert (np.array(curves["at most"][::8]) >= np.array(exact) * (1 - 1e-9)).all()
    assert "today: 1000" in _words(rates)
    assert "the bottleneck: 2210/s" in _words(rates)


def test_bounds_of_several_classes_are_intervals() -> None:
    """A line a class and family, an arrow where there is no upper bound."""
    model = qn.Network(
        [qn.Queue("cpu")],
        [
            qn.OpenClass("web", arrival_rate=1, demands={"cpu": 0.2}),
            qn.ClosedClass("query", population=5, think_time=1, demands={"cpu": 0.1}),
        ],
    )
    with drawn():
        _, times = bounds_figure(model, qn.bounds(model)).axes
    assert "at least 0.2" in _words(times)
    assert ">" in [line.get_marker() for line in times.get_lines()]


def test_no_two_series_look_alike() -> None:
    """In colour, and in grey: marks and strokes differ where colours repeat or are not seen."""
    looks = [tuple(look_of(place).values()) for place in range(28)]
    assert len(set(looks)) == 28
    assert len({look[1:] for look in looks[: len(COLOURS)]}) == len(COLOURS)


COMMANDS: dict[str, tuple[str, ...]] = {
    "growth": (str(SYSTEM), "--by", "1,1.2", "--target", "orders=10ms"),
    "sweep": (str(NETWORK), "terminals.population=100:300:100"),
    "compare": (str(NETWORK), str(NETWORK)),
    "bounds": (str(NETWORK),),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_write_png_and_svg(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is a picture of its kind, the same each time; what is printed is the same as without."""
    assert main([command, *COMMANDS[command][: 3 if command == "growth" else None]]) == 0
    plain = capsys.readouterr().out
    for name in ("a.png", "a.svg", "b.svg"):
        assert main([command, *COMMANDS[command], "--plot", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out == plain
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "<svg" in text
    assert "[s]" in text or "[ms]" in text
    assert text == (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_json_with_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The picture comes besides any form."""
    assert main(["bounds", str(NETWORK), "--json", "--plot", str(tmp_path / "b.png")]) == 0
    assert json.loads(capsys.readouterr().out)["rows"]
    assert (tmp_path / "b.png").stat().st_size > 10_000


@pytest.mark.parametrize("command", [*COMMANDS, "validate"])
def test_a_file_that_is_no_picture(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused in one line before anything is solved or written."""
    words = COMMANDS.get(command, ("--out", str(tmp_path / "out")))
    assert main([command, *words, "--plot", str(tmp_path / "a.pdf")]) == 2
    said = capsys.readouterr().err
    assert "must end in .png or .svg" in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says which package is missing and how to install it."""

    def none(name: str) -> None:
        assert name == "matplotlib"

    monkeypatch.setattr(plot_option, "find_spec", none)
    assert main(["bounds", str(NETWORK), "--plot", str(tmp_path / "a.png")]) == 2
    assert capsys.readouterr().err == "--plot: needs the package matplotlib; run: python -m pip install matplotlib\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("growth", str(SYSTEM), "--by", "1", "--target", "orders=1"), "is marked in a picture"),
        (("growth", str(SYSTEM), "--by", "1", "--target", "order=1", "--plot", "a.png"), "did you mean 'orders'"),
        (("validate", "--accept", "--plot", "a.png"), "does not go with --accept"),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what to do."""
    assert main(words) == 2
    assert says in capsys.readouterr().err


def test_too_many_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture that nobody could read is refused."""
    words = ["sweep", str(NETWORK), "terminals.population=100:1600:100", "terminals.think_time=1:15:1"]
    assert main([*words, "--plot", str(tmp_path / "a.png")]) == 2
    assert "14 curves at most" in capsys.readouterr().err
