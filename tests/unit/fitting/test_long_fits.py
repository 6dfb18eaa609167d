"""Fits and drawn ranges are long runs: on any executor, with progress, and from a journal bit by bit the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.fitting.ranges.bands import bands
from qnsolve.fitting.ranges.fitted_figures import FittedFigures

from tests.support.stopped_runs import Counting, StoppedError, stopped, until

SKETCH = """
lpars = [{name = "P", processors = 2, fixed_cpu = "fit"}]
regions = [{name = "A", lpar = "P"}]
work = [{name = "orders", rate = "measured", regions = "A", qr_cpu = "fit", delay = "fit"}]
"""
SITE = (
    SKETCH.replace('fixed_cpu = "fit"', "fixed_cpu = 0.1")
    .replace('"measured"', "100")
    .replace('qr_cpu = "fit"', "qr_cpu = 0.004")
)
NETWORK = {
    "stations": [{"name": "cpu", "discipline": "fcfs"}, {"name": "disk", "type": "delay"}],
    "classes": [
        {"name": "a", "population": "measured", "think_time": 1.0, "demands": {"cpu": "fit", "disk": 0.02}},
        {"name": "b", "population": 2, "think_time": 1.0, "demands": {"cpu": 0.04}},
    ],
}
CLASSES = [
    qn.ClosedClass("a", population=3, think_time=1.0, demands={"cpu": 0.02, "disk": 0.02}),
    qn.ClosedClass("b", population=2, think_time=1.0, demands={"cpu": 0.04}),
]
LINE = qn.Network([qn.Queue("cpu", discipline="fcfs"), qn.Delay("disk")], CLASSES)


def _points(journal: Path) -> list[int]:
    return [json.loads(line)["point"] for line in journal.read_text().splitlines()[1:]]


def _rows() -> dict[str, Any]:
    """A day of one work on its system, with noise."""
    site, rng = qn.loads(SITE.replace('delay = "fit"', "delay = 0.01")), np.random.default_rng(4)
    rates = np.linspace(40, 110, 8)
    found: dict[str, list[float]] = {"orders.rate": [], "orders.response_time": [], "P.busy": [], "A.busy": []}
    for rate in rates:
        answer = site.replace("orders", rate=float(rate)).solve()
        values = (rate, answer["orders"].response_time, answer["P"].cpu_percent / 100, answer["A"].qr_cpu_percent / 100)
        for column, value in zip(found.values(), values, strict=True):
            column.append(value * (1 + 0.02 * rng.normal()))
    return found


@pytest.fixture(scope="module")
def rows() -> Any:
    """Its table."""
    return qn.measure.table(_rows())


@pytest.fixture
def sketch(tmp_path: Path) -> Path:
    """The sketch in a file."""
    path = tmp_path / "sketch.toml"
    path.write_text(SKETCH)
    return path


def _same(one: qn.Fit, other: qn.Fit) -> bool:
    """Figures, intervals, correlations and errors, bit by bit."""
    return (
        one.figures == other.figures and np.array_equal(one.correlations, other.correlations) and one.held_out == other.held_out
    )


def test_a_fit_that_was_stopped_goes_on(rows: Any, sketch: Path, tmp_path: Path) -> None:
    """What was solved is not solved again, and the intervals are the same to the bit; without a journal, too."""
    plain, whole, journal = qn.fit(rows, sketch), Counting(), tmp_path / "fit.jsonl"
    for last in (1, 40, 100):  # stopped three times
        with pytest.raises(StoppedError):
            qn.fit(rows, sketch, executor=whole, journal=journal, progress=until(last))
        assert len(set(_points(journal))) == len(_points(journal)) == last
    whole.ran = 0
    seen: list[tuple[int, int]] = []
    again = qn.fit(rows, sketch, executor=whole, journal=journal, progress=lambda *each: seen.append(each))
    assert _same(again, plain)
    count = 100 + whole.ran
    assert sorted(_points(journal)) == list(range(count))
    assert seen[-1] == (count, count)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert all(done <= known for done, known in seen)
    none = Counting()
    assert _same(qn.fit(rows, sketch, executor=none, journal=journal), plain)
    assert none.ran == 0
    some = again.predict(rows).columns["orders.response_time"]  # when the journal is closed
    assert np.array_equal(some, plain.predict(rows).columns["orders.response_time"])


def test_a_fit_on_threads(rows: Any, sketch: Path) -> None:
    """The same to the bit."""
    with ThreadPoolExecutor(3) as pool:
        assert _same(qn.fit(rows, sketch, held_out=0, executor=pool), qn.fit(rows, sketch, held_out=0))


def test_the_journal_of_another_fit_is_refused(rows: Any, sketch: Path, tmp_path: Path) -> None:
    """Other rows, another sketch, other rows left out."""
    journal, other = tmp_path / "fit.jsonl", tmp_path / "other.toml"
    other.write_text(SKETCH.replace("processors = 2", "processors = 3"))
    with pytest.raises(StoppedError):
        qn.fit(rows, sketch, journal=journal, progress=until(2))
    for given, model, share in ((rows, other, None), (rows, sketch, 0.5), (rows.rows_where(np.arange(8) < 7), sketch, None)):
        with pytest.raises(qn.ModelError, match="belongs to another run"):
            qn.fit(given, model, held_out=share, journal=journal)
    assert len(_points(journal)) == 2


def test_a_network_that_is_solved_point_by_point(tmp_path: Path) -> None:
    """Classes with unlike times in one line have no exact method in arrays."""
    answers = qn.sweep(LINE, "a", population=[1, 2, 3])
    columns = {"a.users": [1, 2, 3], "a.rate": answers.throughput[:, 0], "a.response_time": answers.response_time[:, 0]}
    table = qn.measure.table(columns)
    journal, whole, rest = tmp_path / "fit.jsonl", Counting(), Counting()
    plain = qn.fit(table, NETWORK, held_out=0, executor=whole, journal=journal)
    assert plain["a.demands.cpu"].value == pytest.approx(0.02, rel=1e-3)
    assert len(_points(journal)) == whole.ran > 20
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-20]))
    assert _same(qn.fit(table, NETWORK, held_out=0, executor=rest, journal=journal), plain)
    assert rest.ran == 20


@pytest.mark.parametrize("kind", ["network", "system"])
def test_draws_that_were_stopped_go_on(tmp_path: Path, kind: str) -> None:
    """Ranges are the same to the bit; nothing that is in the journal is solved again."""
    if kind == "network":
        name, model = "a.demands.cpu", LINE
    else:
        name, model = "orders.qr_cpu", qn.loads(SITE.replace('delay = "fit"', "delay = 0.01"))
    value = 0.02 if kind == "network" else 0.004
    figures = FittedFigures((name,), np.array([value]), np.array([0.8 * value]), np.array([1.2 * value]), np.eye(1))
    journal, plain = tmp_path / "draws.jsonl", bands(model, figures, draws=20)
    with pytest.raises(StoppedError):
        bands(model, figures, draws=20, journal=journal, progress=until(8))
    rest = Counting()
    seen: list[tuple[int, int]] = []
    again = bands(model, figures, draws=20, executor=rest, journal=journal, progress=lambda *each: seen.append(each))
    assert (again.bands, rest.ran) == (plain.bands, 21 - 8)
    assert seen[-1] == (21, 21)
    with pytest.raises(qn.ModelError, match="belongs to another run"):
        bands(model, figures, draws=21, journal=journal)


def _site(folder: Path) -> Path:
    """A file with a fitted figure."""
    site = folder / "site.toml"
    fitted = '\n[fitted]\nfigures = ["orders.qr_cpu"]\nvalues = [0.004]\nlowest = [0.0035]\nhighest = [0.0045]\n'
    site.write_text(SITE.replace('delay = "fit"', "delay = 0.01") + fitted)
    return site


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        (["solve", "--draws", "9"], [10]),
        (["sweep", "orders.rate=50:100:50", "--draws", "9"], [2, 2 * 10]),
        (["study", "--draws", "9", "--growth", "20%/year", "--from", "2026-01", "--until", "2026-06"], [9, 10, 10, 10]),
    ],
)
def test_commands_keep_a_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], counts: list[int]
) -> None:
    """One file for all that the command solves; a second time nothing is solved, and the answer is the same."""
    site, journal = _site(tmp_path), tmp_path / "run.jsonl"
    words = [command[0], str(site), *command[1:]]
    assert main(words) == 0
    plain = capsys.readouterr().out
    for _ in range(2):
        assert main([*words, "--journal", str(journal)]) == 0
        assert capsys.readouterr().out == plain
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        found = {line.get("part", ""): 0 for line in lines if "journal" in line}
        for line in lines:
            found[line.get("part", "")] += "point" in line
        assert list(found.values()) == counts
    if command[0] == "solve":
        assert main([*words, "--draws", "0", "--workers", "2"]) == 2
        assert "--workers = 2: goes with a file of fitted figures" in capsys.readouterr().err


def test_the_command_shows_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str], sketch: Path) -> None:
    """A fit does not know how many points are left, and says how many it has solved."""
    data, site, page = (tmp_path / name for name in ("data.csv", "site.toml", "page.html"))
    columns = _rows()
    data.write_text("\n".join(",".join(map(str, row)) for row in [list(columns), *zip(*columns.values(), strict=True)]))
    words = ["fit", str(data), "--model", str(sketch), "-o", str(site), "--report", str(page)]
    journal = tmp_path / "run.jsonl"
    assert main([*words, "--progress", "--journal", str(journal)]) == 0
    assert " points solved, " in capsys.readouterr().err
    heads = [json.loads(line) for line in journal.read_text().splitlines() if "journal" in line]
    assert [head.get("part") for head in heads] == [None, "report"]
    solved = len(journal.read_text().splitlines())
    assert main([*words, "--journal", str(journal)]) == 0
    assert len(journal.read_text().splitlines()) == solved


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_an_interrupted_fit_loses_nothing(tmp_path: Path, sketch: Path, workers: list[str]) -> None:
    """Ctrl-C ends in one line; the same command goes on, each point is in the journal once, and the file is the same."""
    data, site, journal = (tmp_path / name for name in ("data.csv", "site.toml", "run.jsonl"))
    columns = _rows()
    data.write_text("\n".join(",".join(map(str, row)) for row in [list(columns), *zip(*columns.values(), strict=True)]))
    command = [sys.executable, "-m", "qnsolve", "fit", str(data), "--model", str(sketch), "-o", str(site), "--held-out", "0"]
    kept = [*command, *workers, "--journal", str(journal)]
    run = stopped(*kept[3:])
    assert (run.returncode, run.stdout) == (130, b"")
    assert run.stderr.decode() == "qnsolve: interrupted; no file is incomplete\n"
    assert not site.exists()
    subprocess.run(kept, capture_output=True, check=True)
    again = site.read_text()
    points = [json.loads(line)["point"] for line in journal.read_text().splitlines()[1:]]
    assert sorted(points) == list(range(len(points)))
    if not workers:
        subprocess.run(command, capture_output=True, check=True)
        assert site.read_text() == again
