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


# the longest families first, so that no core is idle at the end
@pytest.mark.parametrize("family", [*reversed(accuracy.FAMILIES)])
def test_the_published_errors_are_found_again(family: str) -> None:
    """500 models of the family, solved again, give its rows of the table that the package carries."""
    again, published = accuracy.family_table(family), [row for row in ROWS if row["family"] == family]
    assert [(r["method"], r["models"]) for r in again] == [(r["method"], r["models"]) for r in published]
    for new, old in zip(again, published, strict=True):
        for figure in accuracy.HEAD[3:]:
            assert float(new[figure]) == pytest.approx(float(old[figure]), abs=2e-5)


def test_the_table_is_in_order() -> None:
    """By method as they are listed, by family as they are measured; no other family."""
    methods, families = accuracy.approximate_methods(), list(accuracy.FAMILIES)
    order = [(methods.index(row["method"]), families.index(row["family"])) for row in ROWS]
    assert order == sorted(order)


def test_the_table_for_reading_is_the_published_one() -> None:
    """The benchmarks' README shows the package's table."""
    text = (Path(accuracy.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert accuracy.as_markdown(ROWS) in text
