"""The planning workbooks: a real spreadsheet calculates what is stored in them, and goes on calculating."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import qnsolve as qn
from qnsolve import ClosedClass, Network, Queue, solve
from qnsolve_excel import call
from qnsolve_excel.formula import dotted
from qnsolve_excel.modelling import network
from qnsolve_excel.workbooks import FLAVOURS, PLANS, write
from qnsolve_excel.workbooks.models import plan_of

from tests import ROOT
from tests.support.spreadsheet import Failure, Spreadsheet

WORKBOOKS = ROOT / "examples" / "workbooks"
FIGURE = re.compile(r"(-?\b\d+\.\d+(?:[eE][-+]?\d+)?)")
CLOSE = 1e-9  # relative: iterations end at other digits on another processor


def stored(file: Path, values: bool = True) -> list[list[Any]]:
    """What the file holds: values as they were solved, or formulas."""
    book = openpyxl.load_workbook(file, data_only=values)
    rows = [[cell.value for cell in row] for row in book["Plan"].iter_rows()]
    book.close()
    return rows


def text_of(cell: Any) -> str:
    """A formula, an array formula's too."""
    text = getattr(cell, "text", cell)
    return text if isinstance(text, str) else ""


@pytest.mark.slow
@pytest.mark.parametrize("flavour", ["calc", "native"])
@pytest.mark.parametrize("name", sorted(PLANS))
def test_every_cell_recalculates_to_the_value_that_was_solved(calc: Spreadsheet, name: str, flavour: str) -> None:
    """The committed workbooks, with our functions and with plain formulas."""
    file = WORKBOOKS / flavour / f"{name}.xlsx"
    with calc.book(file) as book:
        book.recalculate()
        found = book.read(sheet="Plan")
        assert book.sheets() == ["Plan", "Method"]
    expected, formulas = stored(file), stored(file, values=False)
    compared = 0
    for i, row in enumerate(expected):
        for j, value in enumerate(row):
            shown = found[i][j] if i < len(found) and j < len(found[i]) else ""
            place = f"row {i + 1}, column {j + 1}"
            if isinstance(value, (int, float)):
                assert shown == pytest.approx(value, rel=CLOSE, abs=1e-15), place
            elif isinstance(value, str) and value.startswith("#"):
                assert shown == Failure(value), place
            else:
                assert shown == (value or ""), place
            compared += text_of(formulas[i][j]).startswith("=")
    assert compared >= {"calc": 12, "native": 10}[flavour]


@pytest.mark.parametrize("name", sorted(PLANS))
def test_excel_and_calc_hold_the_same_formulas(name: str) -> None:
    """Each in its own spelling; what spills is an array of a dynamic kind."""
    excel, calc = WORKBOOKS / "excel" / f"{name}.xlsx", WORKBOOKS / "calc" / f"{name}.xlsx"
    ours, theirs = stored(excel, values=False), stored(calc, values=False)
    assert [[dotted(text_of(cell)) for cell in row] for row in ours] == [[text_of(cell) for cell in row] for row in theirs]
    assert any("QN_" in text_of(cell) for row in ours for cell in row)
    assert stored(excel) == stored(calc)
    if PLANS[name].spills:
        with zipfile.ZipFile(excel) as parts:
            assert "xl/metadata.xml" in parts.namelist()
            assert b'cm="1"' in parts.read("xl/worksheets/sheet1.xml")


def test_a_changed_input_moves_the_results(calc: Spreadsheet) -> None:
    """As a planner types it, also in the spreadsheet without our functions."""
    for flavour in ("calc", "native"):
        with calc.book(WORKBOOKS / flavour / "mmc-sizing.xlsx") as book:
            book.write({"B6": 100})
            labels = [row[0] for row in book.read("A1:A30")]
            place = f"B{labels.index('Mean response time') + 1}"
            assert book.cell(place) == pytest.approx(call("MMC_RESPONSE", [100.0, 0.1, 12.0]), rel=1e-9)
            book.write({"B6": 125})
            assert book.cell(place) == Failure("#NUM!")


@pytest.mark.slow
def test_committed_workbooks_are_those_that_are_built(tmp_path: Path) -> None:
    """By the script beside them: each part the same, but for the last digits of figures, which another processor may round."""
    done = subprocess.run(
        [sys.executable, str(WORKBOOKS / "build.py"), str(tmp_path)], capture_output=True, text=True, timeout=120, check=True
    )
    assert "15 workbooks" in done.stdout
    for file in sorted(tmp_path.rglob("*.xlsx")):
        with zipfile.ZipFile(file) as new, zipfile.ZipFile(WORKBOOKS / file.relative_to(tmp_path)) as kept:
            assert new.namelist() == kept.namelist()
            for part in new.namelist():
                ours, theirs = (FIGURE.split(package.read(part).decode()) for package in (new, kept))
                assert ours[::2] == theirs[::2], (file, part)
                assert [float(x) for x in ours[1::2]] == pytest.approx([float(x) for x in theirs[1::2]], rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_flavour_is_written(flavour: str, tmp_path: Path) -> None:
    """By the command; the values alone have no formula."""
    command = [sys.executable, "-m", "qnsolve", "addin", "workbooks", "--plan", "logger", "--flavour", flavour]
    subprocess.run([*command, "--out", str(tmp_path)], check=True, timeout=120, capture_output=True)
    formulas = [text_of(cell) for row in stored(tmp_path / "logger.xlsx", values=False) for cell in row]
    assert any(text.startswith("=") for text in formulas) == (flavour != "values")
    assert any("_xldudf_QN_" in text for text in formulas) == (flavour == "officejs")
    for row, wanted in zip(stored(tmp_path / "logger.xlsx"), stored(WORKBOOKS / "excel" / "logger.xlsx"), strict=True):
        for cell, other in zip(row, wanted, strict=True):
            assert cell == (pytest.approx(other, rel=1e-14) if isinstance(other, (int, float)) else other)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    """And nothing beside it."""
    file = tmp_path / "plan.xlsx"
    file.write_text("old")
    with pytest.raises(ValueError, match="no flavour"):
        write(PLANS["logger"], file, "lotus")
    assert [each.name for each in tmp_path.iterdir()] == ["plan.xlsx"]
    assert file.read_text() == "old"


FILES = [file for file in sorted((WORKBOOKS.parent).glob("*.toml")) if isinstance(qn.load(file), Network)]


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_model_file_becomes_a_workbook_that_calculates_it(calc: Spreadsheet, file: Path, tmp_path: Path) -> None:
    """Its tables are the same model again; LibreOffice calculates what the solver gave."""
    model = qn.load(file)
    assert isinstance(model, Network)
    plan = plan_of(model, file.stem)
    tables = {table.key: [list(row) for row in table.rows] for table in plan.tables}
    again = network(tables["stations"], tables["classes"], tables.get("limits"))
    assert (again.stations, again.classes, again.limits) == (model.stations, model.classes, model.limits)
    write(plan, tmp_path / "plan.xlsx", "calc")
    with calc.book(tmp_path / "plan.xlsx") as book:
        found = book.read(sheet="Plan")
    expected = stored(tmp_path / "plan.xlsx")
    compared = 0
    for row, wanted in zip(found, expected, strict=False):
        for shown, value in zip(row, wanted, strict=False):
            if isinstance(value, float):
                assert shown == pytest.approx(value, rel=1e-9, abs=1e-300)
                compared += 1
    assert compared > 20


def test_a_model_of_many_stations_has_wide_tables(calc: Spreadsheet, tmp_path: Path) -> None:
    """Beyond the column Z."""
    names = [f"s{i}" for i in range(40)]
    demands = {name: 0.01 + 0.001 * i for i, name in enumerate(names)}
    model = Network([Queue(name) for name in names], [ClosedClass("a", population=9, think_time=1.0, demands=demands)])
    write(plan_of(model, "wide"), tmp_path / "wide.xlsx", "calc")
    with calc.book(tmp_path / "wide.xlsx") as book:
        shown = {row[0]: row[1] for row in book.read("A1:B120", sheet="Plan")}
    assert shown["Throughput of a"] == pytest.approx(solve(model)["a"].throughput, rel=1e-12)
