"""Every wrong model file: one line that names file, item, value and repair, exit code 2, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from qnsolve import ModelError, load, loads
from qnsolve.cli.main import main

from tests.support.bad_models import BAD, GOOD, Bad

AS_PROCESS = (
    "empty",
    "binary",
    "UTF-16",
    "malformed TOML",
    "JSON key twice",
    "two names of one case",
    "population of two and a half",
)


def _written(folder: Path, bad: Bad) -> Path:
    path = folder / bad.file
    path.write_bytes(bad.content if isinstance(bad.content, bytes) else bad.content.encode("utf-8"))
    return path


def _held(line: str, path: Path, parts: tuple[str, ...]) -> None:
    """One line that begins with the file and holds every part."""
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert line.startswith(f"{path}: ")
    assert "Traceback" not in line
    for part in parts:
        assert part in line
    rule, _, repair = line.rstrip("\n").rpartition("; ")
    assert rule
    assert len(repair) > 5


@pytest.mark.parametrize("name", BAD)
def test_wrong_files_in_process(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong file ends with exit code 2 and one line on stderr; nothing is printed or written."""
    bad = BAD[name]
    path = _written(tmp_path, bad)
    before = path.read_bytes()
    for command in (["solve", str(path)], ["solve", "--json", str(path)], ["methods", str(path)]):
        assert main(command) == 2
        out, err = capsys.readouterr()
        assert out == ""
        _held(err, path, bad.parts)
    assert [p.name for p in tmp_path.iterdir()] == [bad.file]
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", BAD)
def test_wrong_files_in_python(name: str, tmp_path: Path) -> None:
    """In Python the same line is a ModelError, which is a ValueError and knows its item, rule and repair."""
    path = _written(tmp_path, BAD[name])
    with pytest.raises(ModelError) as info:
        load(path)
    error = info.value
    _held(f"{error}\n", path, BAD[name].parts)
    assert isinstance(error, ValueError)
    assert error.file == str(path)
    assert error.exit_code == 2
    for part in (error.item, error.rule, error.repair):
        assert part.strip()


@pytest.mark.parametrize("name", AS_PROCESS)
def test_wrong_files_as_a_process(name: str, tmp_path: Path) -> None:
    """The process itself ends with exit code 2, one line on stderr, and nothing on stdout."""
    path = _written(tmp_path, BAD[name])
    command = [sys.executable, "-m", "qnsolve", "solve", str(path)]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == b""
    _held(done.stderr.decode("utf-8").replace("\r\n", "\n"), path, BAD[name].parts)
    assert [p.name for p in tmp_path.iterdir()] == [BAD[name].file]


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there is named, with what to check."""
    path = tmp_path / "nowhere" / "model.toml"
    assert main(["solve", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    _held(err, path, ("file", "cannot be read", "check the name"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder cannot be read as a model."""
    assert main(["solve", str(tmp_path)]) == 2
    _held(capsys.readouterr().err, tmp_path, ("file", "cannot be read"))


def test_a_file_name_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that no file can have is an error like any other."""
    assert main(["solve", "a\0b.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("path", [Path("model.toml"), Path("model.json"), Path("model")])
def test_what_is_right_is_read(path: Path, tmp_path: Path) -> None:
    """The model that all the wrong ones are made from is right."""
    text = GOOD
    if path.suffix == ".json":
        text = '{"stations": [{"name": "cpu"}], "classes": [{"name": "query", "population": 3, "demands": {"cpu": 0.5}}]}'
    (tmp_path / path).write_text(text, encoding="utf-8")
    assert load(tmp_path / path) == loads(GOOD)


def test_long_values_are_shortened() -> None:
    """A long value is shown by its beginning, so that the line stays readable."""
    with pytest.raises(ModelError) as info:
        loads(GOOD.replace("population = 3", f'population = "{"9" * 500}"'))
    assert len(str(info.value)) < 250
    assert "'99999" in str(info.value)
