"""`qnsolve addin install`, `status` and `uninstall`: files of our own only, whole or not at all, one line where it fails."""

from __future__ import annotations

import zipfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import xlwings
from qnsolve.cli.main import main
from qnsolve_excel.xlam import build, command, workbook
from qnsolve_excel.xlam.project import Project

FILE = command.FILE
TEMPLATE = Path(xlwings.__file__).parent / build.TEMPLATE


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and what was printed; an error is one line."""
    code = main(["addin", *words])
    out, err = capsys.readouterr()
    assert err.count("\n") == (1 if code else 0)
    return code, (err or out).strip()


def test_install_status_uninstall(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Installed, reported, removed; nothing else is left beside it."""
    folder = tmp_path / "new" / "folder"
    where = ("--out", str(folder))
    assert run(capsys, "status", *where) == (0, f"not installed: {folder / FILE}")
    code, text = run(capsys, "install", *where)
    assert code == 0
    assert text.startswith(f"written: {folder / FILE}")
    assert [path.name for path in folder.iterdir()] == [FILE]
    code, text = run(capsys, "status", *where)
    assert code == 0
    assert f"xlwings: {version('xlwings')}" in text
    assert "to do: nothing" in text
    assert "open in Excel: no" in text
    assert run(capsys, "install", *where)[0] == 0
    assert run(capsys, "uninstall", *where) == (0, f"removed: {folder / FILE}")
    assert list(folder.iterdir()) == []
    assert run(capsys, "uninstall", *where) == (0, f"not installed: {folder / FILE}")


def test_where_excel_looks(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows the file goes to XLSTART; elsewhere the other two routes are named."""
    code, text = run(capsys, "install")
    assert code == 2
    assert all(words in text for words in ("Excel on Windows only", "qnsolve addin calc", "qnsolve addin serve", "--out"))
    monkeypatch.setattr(command, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    assert run(capsys, "install")[0] == 0
    assert (tmp_path / "Microsoft" / "Excel" / "XLSTART" / FILE).exists()


def test_what_is_no_longer_as_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another interpreter, another xlwings, other help texts are reported."""
    where = ("--out", str(tmp_path))
    run(capsys, "install", *where)
    rows = build.sheet_rows()
    rows[3][1] = str(tmp_path / "pythonw.exe")
    rows[-1][2] = "another text"
    with zipfile.ZipFile(tmp_path / FILE) as package:
        project = package.read("xl/vbaProject.bin")
    (tmp_path / FILE).write_bytes(workbook.written(project, rows, "Sheet2"))
    text = run(capsys, "status", *where)[1]
    assert all(words in text for words in ("interpreter is /", "its interpreter is gone", "help have changed", "addin install"))
    monkeypatch.setattr(build, "version", lambda _: "99.0")
    assert "xlwings is 99.0 now" in run(capsys, "status", *where)[1]


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04broken"])
def test_files_of_others_stay(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes) -> None:
    """A file of that name that is not ours is neither replaced nor removed."""
    (tmp_path / FILE).write_bytes(content)
    for action in ("install", "status", "uninstall"):
        code, text = run(capsys, action, "--out", str(tmp_path))
        assert code == 2
        assert "no add-in of qnsolve" in text
    assert (tmp_path / FILE).read_bytes() == content


def test_other_workbooks_stay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nor is a workbook of somebody else's."""
    (tmp_path / FILE).write_bytes(TEMPLATE.read_bytes())
    assert run(capsys, "uninstall", "--out", str(tmp_path))[0] == 2
    (tmp_path / FILE).write_bytes(workbook.written(b"", [["qnsolve", "0"], ["other"]], "Sheet2"))
    assert "another version" in run(capsys, "install", "--out", str(tmp_path))[1]
    assert (tmp_path / FILE).exists()


def test_while_excel_has_it_open(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows lets no open file be replaced or removed: one line, the old file stays whole, nothing is left beside it."""
    run(capsys, "install", "--out", str(tmp_path))
    before = (tmp_path / FILE).read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    assert "close Excel" in run(capsys, "install", "--out", str(tmp_path))[1]
    reading = Path.open
    monkeypatch.setattr(Path, "open", lambda path, mode="r", **how: refuse() if "+" in mode else reading(path, mode, **how))
    assert "open in Excel: yes" in run(capsys, "status", "--out", str(tmp_path))[1]
    monkeypatch.setattr(Path, "unlink", refuse)
    assert "close Excel" in run(capsys, "uninstall", "--out", str(tmp_path))[1]
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {FILE: before}


def test_a_path_that_no_command_line_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment in a folder with a percent sign is refused."""
    monkeypatch.setattr(build, "sys", SimpleNamespace(executable=r"C:\100%\python.exe", prefix=r"C:\100%", platform="linux"))
    code, text = run(capsys, "install", "--out", str(tmp_path))
    assert code == 2
    assert "another folder" in text
    assert list(tmp_path.iterdir()) == []


def test_a_library_that_is_not_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows the add-in is not built without the library that it loads."""
    seen = SimpleNamespace(executable=str(tmp_path / "python.exe"), prefix=str(tmp_path), platform="win32")
    monkeypatch.setattr(build, "sys", seen)
    code, text = run(capsys, "install", "--out", str(tmp_path / "out"))
    assert code == 2
    assert ".dll is not in " in text
    for bits in ("32", "64"):
        (tmp_path / f"xlwings{bits}-{version('xlwings')}.dll").touch()
    assert run(capsys, "install", "--out", str(tmp_path / "out"))[0] == 0


@pytest.mark.parametrize(
    ("line", "other", "message"),
    [
        ("Optional ByVal mode As Long = 1", "ByVal mode As Long", "does not declare XLPyDLLActivateAuto"),
        ("xlwings.serve('$(CLSID)')", "xlwings.start()", "does not start Python"),
        ("module Module1", "", "has the modules"),
    ],
)
def test_another_template(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, other: str, message: str
) -> None:
    """An xlwings whose template is not as it is known is named with its version, before anything is written."""
    with zipfile.ZipFile(TEMPLATE) as package:
        project = Project(package.read("xl/vbaProject.bin"))
    if line.startswith("module"):
        project.remove(line.split()[1])
    else:
        assert line in project["xlwings"].source
        project["xlwings"].source = project["xlwings"].source.replace(line, other)
    changed = tmp_path / "template.xlam"
    with zipfile.ZipFile(changed, "w") as package:
        package.writestr("xl/vbaProject.bin", project.written())
    monkeypatch.setattr(build, "TEMPLATE", str(changed))
    code, text = run(capsys, "install", "--out", str(tmp_path / "out"))
    assert code == 2
    assert message in text
    assert f"xlwings {version('xlwings')}: its " in text
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr(build, "TEMPLATE", str(tmp_path / "none.xlam"))
    assert "cannot be read" in run(capsys, "install", "--out", str(tmp_path / "out"))[1]
