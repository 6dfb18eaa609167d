"""Tables of measured intervals in a sheet: read as a file is, checked and fitted as in Python."""

from __future__ import annotations

from typing import Any

import pytest
import qnsolve as qn
from qnsolve_excel.cells import CellError
from qnsolve_excel.dispatch import call

LOADS, RATES = [2.0, 8.0, 16.0, 24.0, 32.0], [457.72, 1853.63, 3667.07, 3909.17, 3914.79]
COLUMNS = {"web.rate": [10.0, 20.0, 30.0, 40.0, 25.0, 15.0], "cpu.busy": [0.25, 0.35, 0.45, 0.55, 0.40, 0.30]}


def sheet(columns: dict[str, list[Any]]) -> list[list[Any]]:
    """A range: headings, then a row an interval."""
    return [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]


def test_a_ladder_is_that_of_python() -> None:
    """Each load with rate and response, and their ranges."""
    found = call("FIT_LADDER", [[[n] for n in LOADS], [[x] for x in RATES], [[48.0], [64.0]]])
    there = qn.measure.fit_ladder(LOADS, RATES).predict([48, 64])
    assert [row[0] for row in found[1:]] == [48, 64]
    for j, values in enumerate((there.rates, there.lowest_rates, there.highest_rates), start=1):
        assert [row[j] for row in found[1:]] == pytest.approx(values.tolist())
    assert [row[4] for row in found[1:]] == pytest.approx(there.response_times.tolist())


def test_findings_name_intervals() -> None:
    """Little's law is broken in the third row alone."""
    rows = {
        "orders.rate": [10.0, 20.0, 30.0],
        "orders.response_time [ms]": [100.0, 100.0, 100.0],
        "orders.in_system": [1.0, 2.0, 9.0],
    }
    found = call("CHECK_INTERVALS", [sheet(rows)])
    assert found[0] == ["severity", "kind", "series", "first", "last", "sentence"]
    assert [row[:5] for row in found[1:]] == [["wrong", "little", "orders.response_time, orders.in_system", 3, 3]]


def test_dates_and_percent_of_a_sheet() -> None:
    """A sheet's dates are numbers; percent and units stand in headings, as in a file."""
    plain = call("FIT_INTERVALS", [sheet(COLUMNS)])
    days = {"start": [46000 + i / 96 for i in range(6)], "web.rate": COLUMNS["web.rate"]}
    percent = {**days, "cpu.busy [%]": [100 * value for value in COLUMNS["cpu.busy"]]}
    found = call("FIT_INTERVALS", [sheet(percent)])
    assert [row[:2] for row in found[1:]] == [[row[0], pytest.approx(row[1])] for row in plain[1:]]
    assert found[1][0] == "web.demands.cpu"
    assert found[1][1] == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("name", "cells", "code"),
    [
        ("FIT_INTERVALS", [["web.rate"]], "#VALUE!"),
        ("FIT_INTERVALS", [["web.rate", "cpu.busy"], [1.0, 0.1]], "#NUM!"),
        ("CHECK_INTERVALS", [["hello", "world"], [1.0, 0.1]], "#NUM!"),
        ("CHECK_INTERVALS", [[None, None], [None, None]], "#VALUE!"),
    ],
)
def test_wrong_tables_are_an_error_with_a_reason(name: str, cells: list[list[Any]], code: str) -> None:
    """The reason says what to give."""
    found = call(name, [cells])
    assert isinstance(found, CellError)
    assert found.code == code
    assert found.reason


def test_rates_that_are_no_numbers_are_named() -> None:
    """Row and class of the cell."""
    found = call("FIT_DEMANDS", [[["read"], [1.0], ["x"], [3.0]], [[0.1], [0.2], [0.3]]])
    assert isinstance(found, CellError)
    assert "row 3 of read" in found.reason
