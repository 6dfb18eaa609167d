"""The extension for Calc: what is in it, how it finds the solver, what it says where it cannot, how it is installed."""

from __future__ import annotations

import ast
import math
import os
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from qnsolve.cli.main import main
from qnsolve_excel import catalogue
from qnsolve_excel.calc import bridge, command, extension

from tests.support import spreadsheet
from tests.support.spreadsheet import Failure

HERE = "{}.{}".format(*sys.version_info[:2])


def test_the_same_catalogue_writes_the_same_bytes(tmp_path: Path) -> None:
    """Nothing of the hour or the machine is in it but where the solver is."""
    assert extension.write(tmp_path / "a.oxt").read_bytes() == extension.write(tmp_path / "b.oxt").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.oxt", "b.oxt"]


def test_what_is_in_it() -> None:
    """Every file that the manifest names is there, XML is XML, and the interface has a method for each function."""
    parts = extension.parts()
    assert set(extension.MANIFEST) < set(parts)
    for name, text in parts.items():
        if name.endswith((".xml", ".xcu", ".components")):
            ElementTree.fromstring(text.encode())
    for function in catalogue().values():
        assert f" {function.name}(" in parts["queueing.idl"]


@pytest.mark.parametrize("name", ["component.py", "pythonpath/qnsolve_bridge.py"])
def test_an_old_python_can_read_it(name: str) -> None:
    """LibreOffice brings a Python of its own, which must be able to say that it is too old."""
    ast.parse(extension.parts()[name], feature_version=(3, 8))


def code(value: Any) -> int:
    """Calc's code in an error value."""
    assert math.isnan(value)
    return struct.unpack("<Q", struct.pack("<d", value))[0] & 0xFFFF


def test_the_bridge_turns_values_there_and_back() -> None:
    """Numbers, texts, rows, error values, what is left out; the path of Python keeps its order."""
    before = list(sys.path)
    there = bridge.Bridge({"python": HERE, "folders": extension.import_folders()})
    assert there.call("MMC_RESPONSE", (8.0, 0.1, None)) == pytest.approx(0.5)
    assert code(there.call("MMC_RESPONSE", (12.0, 0.1))) == 503
    assert code(there.call("MMC_RESPONSE", (((1.0, 2.0),), 0.1))) == 519
    assert there.call("PRIORITY_RESPONSE", (((2.0,), (3.0,)), ((0.1,), (0.2,))))[0][0] == pytest.approx(0.275)
    assert sys.path[: len(before)] == before
    sys.path[:] = before


def lacking(written: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """What the functions say where the solver cannot be imported."""

    def refused(self: bridge.Bridge) -> Any:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(bridge.Bridge, "_connected", refused)
    there = bridge.Bridge(written)
    assert code(there.call("MMC_RESPONSE", (8.0, 0.1))) == 32767
    reason = there.call("VERSION", ())
    assert there.call("WHY", ("MMC_RESPONSE", None)) == reason
    assert "\n" not in reason
    return reason


def test_without_the_solver_the_functions_say_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another Python, a folder that is gone, a package that is missing: one sentence, with the repair."""
    monkeypatch.delenv(bridge.ELSEWHERE, raising=False)
    reason = lacking({"python": "3.99", "folders": [str(tmp_path)]}, monkeypatch)
    assert reason.startswith(f"LibreOffice runs Python {HERE} and qnsolve is installed for Python 3.99: install")
    reason = lacking({"python": HERE, "folders": [str(tmp_path / "gone")]}, monkeypatch)
    assert reason.startswith(f"There is no folder {tmp_path / 'gone'} any more")
    assert "qnsolve addin calc --install" in reason
    reason = lacking({"python": HERE, "folders": [str(tmp_path)]}, monkeypatch)
    assert reason.startswith(f"Python's module numpy is not in {tmp_path}: install it there")
    monkeypatch.setenv(bridge.ELSEWHERE, str(tmp_path))
    assert lacking({"python": "3.99", "folders": []}, monkeypatch).startswith("Python's module numpy is not in")


def test_calc_says_so_too(tmp_path: Path) -> None:
    """In a Calc whose solver has moved: #N/A, and a sentence from QN.VERSION and QN.WHY; the variable repairs it."""
    spreadsheet.needed()
    written = extension.write(tmp_path / "qnsolve.oxt", [str(tmp_path / "moved")])
    formulas = [
        "=QN.MMC_RESPONSE(8,0.1)",
        "=QN.PRIORITY_RESPONSE({2;3},{0.1;0.2})",
        "=QN.VERSION()",
        '=QN.WHY("MMC_RESPONSE",8,0.1)',
    ]
    with spreadsheet.Spreadsheet(tmp_path / "without", [written]) as calc, calc.book() as book:
        number, table, version, why = book.evaluate(formulas)
    assert (number, table) == (Failure("#N/A"), Failure("#N/A"))
    assert version == why
    assert "addin calc" in version
    elsewhere = [*spreadsheet.numpy_folders(tmp_path / "numpy"), *extension.import_folders()]
    environment = {"QNSOLVE_PYTHONPATH": os.pathsep.join(elsewhere)}
    with spreadsheet.Spreadsheet(tmp_path / "with", [written], environment) as calc, calc.book() as book:
        assert book.evaluate(formulas[:1]) == [pytest.approx(0.5)]


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve addin calc --out`, and what is wrong with a name or a folder, in one line."""
    file = tmp_path / "planning.oxt"
    assert main(["addin", "calc", "--out", str(file)]) == 0
    assert f"written: {file}" in capsys.readouterr().out
    assert "component.py" in zipfile.ZipFile(file).namelist()
    for wrong in (tmp_path / "planning.zip", tmp_path / "no folder" / "planning.oxt"):
        assert main(["addin", "calc", "--out", str(wrong)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["planning.oxt"]


UNOPKG = """#!/bin/sh
echo "$@" >> "{log}"
test -z "$VIRTUAL_ENV" || exit 9
echo "ERROR: there is a lock" >&2
exit {code}
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
@pytest.mark.parametrize("code", [0, 1])
def test_the_command_installs_and_removes(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """LibreOffice's own program is called, outside of this environment; where it refuses, its words are passed on."""
    log, program = tmp_path / "log", tmp_path / "unopkg"
    program.write_text(UNOPKG.format(log=log, code=code), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    for action in ("--install", "--uninstall"):
        assert main(["addin", "calc", action]) == (2 if code else 0)
        said = capsys.readouterr()
        assert ("there is a lock" in said.err) == bool(code)
        assert said.err.count("\n") == code
    added, removed, *_ = log.read_text(encoding="utf-8").splitlines()
    assert added.startswith("add ")
    assert added.endswith("qnsolve.oxt")
    assert removed.startswith("remove ")
    assert removed.endswith("org.qnsolve.calc")


def test_without_libreoffice_the_command_says_how(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, with the way through the menu."""
    monkeypatch.setattr(command, "PLACES", ())
    monkeypatch.setenv("PATH", "")
    assert main(["addin", "calc", "--install"]) == 2
    assert "Tools, Extensions" in capsys.readouterr().err
