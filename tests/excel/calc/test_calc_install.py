"""Installing into LibreOffice: for whom it is said, and removing what is not there is no error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from qnsolve.cli.main import main
from qnsolve_excel.calc import command

UNOPKG = f"""#!{sys.executable}
import pathlib, sys
kept = pathlib.Path(__file__).with_name("kept")
action = sys.argv[1]
if action == "add":
    kept.write_text("org.qnsolve.calc")
elif action == "list":
    print("Identifier: " + kept.read_text() if kept.exists() else "all deployed: none")
elif kept.exists():
    kept.unlink()
else:
    sys.exit("ERROR: There is no such extension deployed: org.qnsolve.calc")
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")
@pytest.mark.parametrize("root", [True, False])
def test_a_second_uninstall_is_no_error(
    root: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Installed, removed, not there; the message to root says that it was for all users."""
    program = tmp_path / "unopkg"
    program.write_text(UNOPKG, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(command, "_is_root", lambda: root)
    printed = []
    for action in ("--install", "--uninstall", "--uninstall"):
        assert main(["addin", "calc", action]) == 0
        printed.append(capsys.readouterr().out)
    assert [line.partition(":")[0].split(" for ")[0] for line in printed] == ["installed", "removed", "not installed"]
    assert ["for all users of this machine" in line for line in printed] == [root, root, False]


@pytest.mark.parametrize(
    ("words", "missing"),
    [(["workbooks", "--out"], "xlsxwriter"), (["serve", "--keys"], "uvicorn"), (["install", "--out"], "xlwings")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    words: list[str], missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, the same from a checkout and from a wheel."""
    ours = ("qnsolve_excel.xlam", "qnsolve_excel.officejs", "qnsolve_excel.workbooks")
    loaded = [name for name in sys.modules if name.split(".")[0] == missing or name.startswith(ours)]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    arguments = ["addin", *words, str(tmp_path), *(["--port", "0"] if words[0] == "serve" else [])]
    assert main(arguments) == 2
    text = capsys.readouterr().err
    assert f"addin: needs the package {missing}; run: python -m pip install " in text
    assert text.count("\n") == 1
