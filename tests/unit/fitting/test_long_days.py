"""A day is a long run: on any executor, with progress, and from a journal as if it had never been stopped."""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests.support.stopped_runs import Counting, StoppedError, assert_goes_on, until

SITE = """
lpars = [{name = "P", processors = 2, fixed_cpu = 0.1}]
regions = [{name = "A", lpar = "P", mxt = 60}]
work = [{name = "orders", rate = 100, regions = "A", qr_cpu = 0.004, delay = 0.01}]
"""
LINE = """
stations = [{name = "cpu", discipline = "fcfs"}, {name = "disk", type = "delay"}]
classes = [
    {name = "a", population = 3, think_time = 1.0, demands = {cpu = 0.02, disk = 0.02}},
    {name = "b", population = 2, think_time = 1.0, demands = {cpu = 0.04}},
]
"""
LOADS = {
    "system": ("orders.rate", [60.0, 140.0, 260.0, 90.0, 140.0, 300.0]),
    "network": ("a.users", [2.0, 5.0, 9.0, 3.0, 5.0, 7.0]),
}
TEXTS = {"system": SITE, "network": LINE}
HOURS = [f"2026-03-02T{hour:02}" for hour in range(9, 15)]


def _rows(kind: str) -> Any:
    name, loads = LOADS[kind]
    return qn.measure.table({name: loads}, start=HOURS, length=3600)


def _same(one: qn.Day, other: qn.Day) -> bool:
    """Every figure, bit by bit."""
    arrays = ("response", "utilization", "offered", "backlog", "delay", "worked_off")
    return (one.end, one.notes, one.fullest) == (other.end, other.notes, other.fullest) and all(
        np.array_equal(getattr(one, key), getattr(other, key), equal_nan=True) for key in arrays
    )


@pytest.mark.parametrize("kind", ["system", "network"])
def test_a_day_that_was_stopped_goes_on(tmp_path: Path, kind: str) -> None:
    """Intervals, loads that are more than it can do and the search for its end: nothing is solved twice."""
    model, rows, journal = qn.loads(TEXTS[kind]), _rows(kind), tmp_path / "day.jsonl"
    asked = {"growth": "12%/year", "targets": {LOADS[kind][0].split(".")[0]: 0.2}}
    every = Counting()
    plain = qn.day(model, rows, **asked, executor=every)
    assert _same(qn.day(model, rows, **asked), plain)
    for last in (2, 6):
        with pytest.raises(StoppedError):
            qn.day(model, rows, **asked, journal=journal, progress=until(last))
    rest = Counting()
    assert _same(qn.day(model, rows, **asked, journal=journal, executor=rest), plain)
    assert rest.ran == every.ran - 6 > 0
    points = [json.loads(line)["point"] for line in journal.read_text().splitlines()[1:]]
    assert sorted(points) == list(range(every.ran))
    again = Counting()
    assert _same(qn.day(model, rows, **asked, journal=journal, executor=again), plain)
    assert again.ran == 0
    with pytest.raises(qn.ModelError, match="belongs to another run"):
        qn.day(model, rows, **{**asked, "growth": "13%/year"}, journal=journal)


def test_a_day_on_processes() -> None:
    """The same to the bit; a system goes to them and comes back, overloaded loads too."""
    model, rows = qn.loads(SITE), _rows("system")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert _same(qn.day(model, rows, executor=pool), qn.day(model, rows))


def _files(folder: Path) -> list[str]:
    """A site and a day of it."""
    site, data = folder / "site.toml", folder / "day.csv"
    site.write_text(SITE)
    lines = [f"{hour}:00,{rate}" for hour, rate in zip(HOURS, LOADS["system"][1], strict=True)]
    responses = [f"{0.02 + rate / 1e5}" for rate in LOADS["system"][1]]
    body = [f"{line},{response}" for line, response in zip(lines, responses, strict=True)]
    data.write_text("\n".join(["start,orders.rate,orders.response_time", *body]) + "\n")
    return ["day", str(site), str(data), "--growth", "12%/year"]


def test_the_command_keeps_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file for the day and for its page; a second time nothing is solved."""
    words, journal, page = _files(tmp_path), tmp_path / "run.jsonl", tmp_path / "page.html"
    assert main(words) == 0
    plain = capsys.readouterr().out
    words += ["--report", str(page), "--journal", str(journal), "--progress"]
    solved: list[int] = []
    for _ in range(2):
        assert main(words) == 0
        found = capsys.readouterr()
        assert found.out == plain
        assert " points solved, " in found.err
        solved.append(len(journal.read_text().splitlines()))
    heads = [json.loads(line) for line in journal.read_text().splitlines() if "journal" in line]
    assert [head.get("part") for head in heads] == [None, "report"]
    assert solved[0] == solved[1]


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_an_interrupted_day_loses_nothing(tmp_path: Path, workers: list[str]) -> None:
    """Ctrl-C ends in one line; the same command goes on, and each point is in the journal once."""
    words, journal = _files(tmp_path), tmp_path / "run.jsonl"
    assert_goes_on(words, workers, journal)
