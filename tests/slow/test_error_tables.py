"""Approximate methods: their published errors are those that the script finds, and within what was set as the aim."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import accuracy

pytestmark = pytest.mark.slow
ROWS = [row for row in accuracy.read(accuracy.TABLE) if row["method"] not in accuracy.SIMULATED]


SAMPLE = [row for row in accuracy.read(accuracy.SAMPLE) if row["method"] not in accuracy.SIMULATED]


# the longest families first, so that no core is idle at the end
@pytest.mark.parametrize("family", [*reversed(accuracy.FAMILIES)])
def test_the_published_errors_are_found_again(family: str) -> None:
    """The family's models, solved again, give its rows of the published table; of a costly one a tenth, those of the sample."""
    costly = family in accuracy.COSTLY
    again = accuracy.rows_of(family, accuracy.family_errors(family, every=accuracy.EVERY if costly else 1))
    stored = [row for row in (SAMPLE if costly else ROWS) if row["family"] == family]
    assert [(r["method"], r["models"]) for r in again] == [(r["method"], r["models"]) for r in stored]
    for new, old in zip(again, stored, strict=True):
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
