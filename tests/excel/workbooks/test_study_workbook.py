"""The workbook of `qnsolve study`: its sheet Load follows its yellow cells, all else is marked as solved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import pytest
from qnsolve.planning.pages.study_xlsx import study_xlsx
from qnsolve.planning.study import Study, study

from tests.support.planned_sites import two_works
from tests.support.spreadsheet import Failure, Spreadsheet

TODAY = 0  # place of the first period


@pytest.fixture(scope="module")
def found() -> Study:
    """A study of two kinds of work with changes."""
    question = {"growth": {"orders": "20%/year", "web": "5%/year"}, "begin": "2026-11", "until": "2028-12"}
    return study(two_works(), **question, targets={"orders": 0.05}, what_ifs=["LOG.stripes+1", "AOR1.split=2"])


def test_more_growth_moves_loads_uses_and_when_they_are_full(calc: Spreadsheet, found: Study, tmp_path: Path) -> None:
    """One work that doubles each year: loads by its new growth; uses in proportion to the load of each work at the center."""
    (tmp_path / "study.xlsx").write_bytes(study_xlsx(found))
    with calc.book(tmp_path / "study.xlsx") as book:
        before = book.read(sheet="Load")
        head = next(i for i, row in enumerate(before) if row[0] == "work")
        row = next(i for i, cells in enumerate(before) if cells[0] == "orders")
        assert before[row][2] == pytest.approx(0.2)
        book.write({f"C{row + 1}": 1.0}, sheet="Load")
        after = book.read(sheet="Load")
        for name in book.sheets():
            assert not any(isinstance(cell, Failure) for cells in book.read(sheet=name) for cell in cells)
    count = len(found.periods)
    years = np.array(before[head - 1][3 : 3 + count], dtype=float)
    loads = np.array(after[row][3 : 3 + count], dtype=float)
    assert loads == pytest.approx(600 * 2.0**years)
    assert after[row + 1][3 : 3 + count] == pytest.approx(50 * 1.05**years)
    tops = next(i for i, cells in enumerate(before) if cells[0] == "center")
    uses = {cells[0]: cells for cells in after[tops + 1 :] if cells[0]}
    log = np.array(uses["LOG"][3 : 3 + count], dtype=float)
    assert log / log[TODAY] == pytest.approx(loads / 600)  # orders alone write it
    at_qr = np.array(uses["WOR QR TCB"][3 : 3 + count], dtype=float)
    assert at_qr / at_qr[TODAY] == pytest.approx(1.05**years)
    periods = [str(cell) for cell in before[tops][3 : 3 + count]]
    for name, cells in uses.items():
        full = next((periods[i] for i, use in enumerate(cells[3 : 3 + count]) if use >= 1), "after the last")
        assert cells[2] == full, name
    moved = {cells[0]: cells[2] for cells in before[tops + 1 :] if cells[0]}
    assert any(uses[name][2] != moved[name] for name in uses)


def test_what_was_solved_is_in_italics_and_headings_have_room(found: Study, tmp_path: Path) -> None:
    """Each number of the tables of results; one line says what that means; tables are table objects."""
    (tmp_path / "study.xlsx").write_bytes(study_xlsx(found))
    book = openpyxl.load_workbook(tmp_path / "study.xlsx")
    for name in ("Response", "Centers", "What if"):
        sheet = book[name]
        assert len(sheet.tables) == 1
        numbers = [cell for row in sheet.iter_rows(min_row=2) for cell in row if isinstance(cell.value, (int, float))]
        assert numbers
        assert all(cell.font.i for cell in numbers)
        assert any("Solved when this file was written" in str(row[0].value) for row in sheet.iter_rows())
        assert sheet.row_dimensions[1].height >= 30
    load = book["Load"]
    years = [cell for row in load.iter_rows() if row[0].value == "years from today" for cell in row[3:]]
    assert years
    assert all(cell.number_format == "0.00" for cell in years if cell.value is not None)
    anchors = [(chart.anchor._from.row, chart.anchor._from.col) for chart in book["Verdict"]._charts]
    ends = [(chart.anchor.to.row, chart.anchor.to.col) for chart in book["Verdict"]._charts]
    boxes = list(zip(anchors, ends, strict=True))
    for i, (low, high) in enumerate(boxes):
        for other, end in boxes[i + 1 :]:
            assert other[0] >= high[0] or other[1] >= high[1] or end[0] <= low[0] or end[1] <= low[1], "charts overlap"
