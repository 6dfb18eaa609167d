"""Workbooks of networks and plans: names stay texts, times have units, values that follow nothing are marked."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import qnsolve as qn
from qnsolve_excel.workbooks import PLANS, write
from qnsolve_excel.workbooks.models import plan_of

from tests.support import zoo

BANK = """
[[lpars]]
name = "SYSA"
processors = { engines = 3 }
ziips = { cores = 1, threads = 1 }
fixed_cpu = 0.5

[[devices]]
name = "Db2"

[[regions]]
name = "AORA1"
lpar = "SYSA"
mxt = 120
tranclasses = { BATCHY = 10 }
thread_limit = 40
[[regions]]
name = "AORA2"
lpar = "SYSA"
mxt = 120
tranclasses = { BATCHY = 10 }
thread_limit = 40

[[work]]
name = "payments"
rate = 500
[[work.steps]]
regions = ["AORA1", "AORA2"]
qr_cpu = 0.0011
open_cpu = 0.0017
devices = { Db2 = 0.012 }

[[work]]
name = "api"
rate = 100
[[work.steps]]
regions = ["AORA1", "AORA2"]
qr_cpu = 0.0002
jvm_cpu = 0.0055
ziip_share = 0.9
devices = { Db2 = 0.02 }

[[work]]
name = "reports"
rate = 40
[[work.steps]]
regions = ["AORA1", "AORA2"]
qr_cpu = 0.004
open_cpu = 0.006
devices = { Db2 = 0.25 }
tranclass = "BATCHY"
"""
HOSTILE = ("=cmd|' /C calc'!A0", "@SUM(1+1)", "http://127.0.0.1/x", "+1", "{=1}", "mailto:a@b", "internal:Plan!A1", "12")


def place(rows: list[Any], label: str) -> int:
    """The row, from 0, with this label in front."""
    return next(i for i, row in enumerate(rows) if row[0] == label)


def test_values_that_follow_nothing_are_marked(tmp_path: Path) -> None:
    """In plain formulas alone: each cell that was solved is grey and in italics, and a line says what that means."""
    network = qn.Network([qn.Queue("cpu")], [zoo.closed("a", 3, 1.0, cpu=0.2)])
    for plan in (plan_of(network, "n"), PLANS["cics-region"]):
        write(plan, tmp_path / "native.xlsx", "native")
        sheet = openpyxl.load_workbook(tmp_path / "native.xlsx")["Plan"]
        assert "It follows no yellow cell" in sheet["A3"].value
        labels = {row[0].value: row for row in sheet.iter_rows()}
        dead = 0
        for result in plan.results:
            cell = labels[result.label][1]
            assert bool(cell.font.i) == (not result.native), result.label
            dead += bool(cell.font.i)
        for spill in plan.spills:
            top = labels[spill.label][0].row + 1
            assert all(cell.font.i for cell in sheet[top + 1][:2])
        assert dead


@pytest.mark.parametrize("flavour", ["values", "calc", "excel", "native"])
def test_names_are_texts_whatever_they_look_like(flavour: str, tmp_path: Path) -> None:
    """No formula, no link and no number comes from a name."""
    stations = [qn.Queue(name) for name in HOSTILE]
    classes = [qn.ClosedClass("=1+2", population=3, think_time=1.0, demands=dict.fromkeys(HOSTILE, 0.1))]
    network = qn.Network(stations, classes, name='=HYPERLINK("http://127.0.0.1/?"&A1,"click")')
    write(plan_of(network, "a&b"), tmp_path / "plan.xlsx", flavour)
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["Plan"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    for name in (*HOSTILE, "=1+2", network.name):
        found = [cell for cell in cells if cell.value == name]
        assert found, name
        assert {cell.data_type for cell in found} == {"s"}, name
    assert not any(cell.hyperlink for cell in cells)
    formulas = [str(getattr(cell.value, "text", cell.value)) for cell in cells if cell.data_type == "f"]
    assert all(formula.startswith(("=QN.", "=QN_")) for formula in formulas)
    assert bool(formulas) == (flavour in {"calc", "excel"})
    with zipfile.ZipFile(tmp_path / "plan.xlsx") as parts:
        assert b"a&amp;&amp;b" in parts.read("xl/worksheets/sheet1.xml")  # "&b" alone would be a code of the footer


def test_every_table_of_times_has_its_unit(tmp_path: Path) -> None:
    """In the heading of the column, or in the label above the table; a model in ms says ms."""
    network = qn.Network([qn.Queue("cpu")], [zoo.closed("a", 3, 1.0, cpu=0.2)], time_unit="ms")
    for plan, unit in ((plan_of(network, "n"), "ms"), (PLANS["cics-region"], "seconds")):
        assert all(unit in spill.label for spill in plan.spills)
    for name in ("cics-region", "closed-network", "mmc-sizing"):
        write(PLANS[name], tmp_path / f"{name}.xlsx", "values")
        rows = list(openpyxl.load_workbook(tmp_path / f"{name}.xlsx")["Plan"].iter_rows(values_only=True))
        for what_if in PLANS[name].what_ifs:
            heads = rows[place(rows, what_if.label) + 1][1:]
            times = [head for head in heads if head and "esponse" in head]
            assert times
            assert all(head.endswith("[s]") for head in times)


def test_the_time_at_the_qr_tcb_is_named_as_what_it_is() -> None:
    """With its wait: of 1225 transactions a second it is 40 ms, not the 0.8 ms of CPU."""
    (what_if,) = PLANS["cics-region"].what_ifs
    assert [column.label for column in what_if.columns] == ["response time", "of it at the QR TCB, wait included"]


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_workbook_of_standard_input_onto_a_link(tmp_path: Path) -> None:
    """The link stays a link, and nothing is left beside the file behind it."""
    (tmp_path / "books").mkdir()
    (tmp_path / "model.xlsx").symlink_to(tmp_path / "books" / "real.xlsx")
    command = [sys.executable, "-m", "qnsolve", "addin", "workbooks", "--flavour", "values", "--out", str(tmp_path)]
    done = subprocess.run([*command, "--model", "-"], input=BANK, text=True, timeout=120, check=True, capture_output=True)
    assert done.stdout == f"written: {tmp_path / 'model.xlsx'}\n"
    assert (tmp_path / "model.xlsx").is_symlink()
    assert os.listdir(tmp_path / "books") == ["real.xlsx"]
    assert openpyxl.load_workbook(tmp_path / "model.xlsx").sheetnames[:2] == ["Verdict", "Model"]
