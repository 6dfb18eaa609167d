"""Approximate methods: their published errors are those that the script finds, and within what was set as the aim."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import pytest

from benchmarks import accuracy

pytestmark = pytest.mark.slow
PUBLISHED = files("qnsolve.methods").joinpath("measured_errors.csv").read_text(encoding="utf-8")
ROWS = [row for row in csv.DictReader(PUBLISHED.splitlines()) if row["method"] not in accuracy.SIMULATED]


def test_the_published_errors_are_found_again() -> None:
    """500 models a family, solved again, give the table that the package carries."""
    again = accuracy.table()
    assert [(r["method"], r["family"], r["models"]) for r in again] == [(r["method"], r["family"], r["models"]) for r in ROWS]
    for new, old in zip(again, ROWS, strict=True):
        for figure in accuracy.HEAD[3:]:
            assert float(new[figure]) == pytest.approx(float(old[figure]), abs=2e-5)


def test_the_table_for_reading_is_the_published_one() -> None:
    """The benchmarks' README shows the package's table."""
    text = (Path(accuracy.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert accuracy.as_markdown(ROWS) in text
