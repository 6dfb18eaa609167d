"""Repairs are worded for a sheet by their code, never by their English."""

from __future__ import annotations

from typing import Any

import pytest
from qnsolve import ModelError, Repair
from qnsolve_excel import CellError, call
from qnsolve_excel.wording import IN_SHEET, in_cell, in_table

ONE = [["name"], ["cpu"]]
WEB = [["name", "arrival_rate", "cpu"], ["web", 1.0, 0.1]]


def test_every_code_has_its_words() -> None:
    """No code of the solver is left without them."""
    assert set(IN_SHEET) == set(Repair)


@pytest.mark.parametrize("code", list(Repair))
def test_the_words_are_those_of_the_code(code: Repair) -> None:
    """Whatever the repair says to a model file."""
    error = ModelError("class 'q': demands", "is missing", "write anything", code=code)
    assert str(in_cell(error)) == f"#VALUE! class 'q': demands: is missing; {IN_SHEET[code]}"
    assert in_table(ModelError("x", "is negative", "correct it", -1.0)).code == "#NUM!"
    assert in_cell(ModelError("x", "is negative", "correct it", -1.0)) == CellError(
        "#NUM!", "x = -1.0: is negative; correct it"
    )


@pytest.mark.parametrize(
    ("tables", "code"),
    [
        ([ONE, [["name", "arrival_rate"], ["web", 1.0]]], Repair.DEMANDS),
        ([ONE, [["name", "cpu"], ["web", 0.1]]], Repair.POPULATION_OR_RATE),
        ([ONE, [["name", "arrival_rate", "cpu"], ["web", "many", 0.1]]], Repair.NUMBER),
        ([ONE, [["name", "arrival_rate", "cpu"]]], Repair.ITEM),
        ([[["name"]], [["name", "arrival_rate"], ["web", 1.0]]], Repair.DEMANDS),
        ([ONE, WEB, [["name", "classes"], ["MXT", "web"]]], Repair.CAPACITY),
    ],
)
def test_faults_of_tables_say_what_to_do_in_the_sheet(tables: list[Any], code: Repair) -> None:
    """Each by a call."""
    found = call("SOLVE", tables)
    assert isinstance(found, CellError), found
    assert IN_SHEET[code] in found.reason


def test_ranges_of_different_lengths_are_of_the_wrong_shape() -> None:
    """#VALUE!, as with built-in functions; QN.WHY has the same words."""
    found = call("FIT_DEMAND", [[1.0, 2.0], [0.1]])
    assert isinstance(found, CellError)
    assert (found.code, IN_SHEET[Repair.LENGTHS] in found.reason) == ("#VALUE!", True)
    assert call("WHY", ["FIT_DEMAND", [1.0, 2.0], [0.1]]) == found.reason
