"""Files that were spoilt, by seed: each is read to finite figures or refused in one line. More of them are in tests/slow."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests import ROOT
from tests.support.mutations import MUTATIONS, mutated
from tests.support.reading import outcome

DATA = ROOT / "tests" / "data" / "measured"
FILES = sorted(path.name for path in DATA.iterdir())
SMALL = tuple(each for each in MUTATIONS if each.__name__ not in ("_deep", "_wide", "_many_classes"))


@pytest.mark.parametrize("name", FILES)
def test_spoilt_files(name: str) -> None:
    """Thirty mutations of each format; a part of them is still read, a part refused."""
    good = (DATA / name).read_bytes()
    found = [outcome(mutated(seed, good, SMALL)) for seed in range(30)]
    assert {"read", "refused"} == set(found)


@pytest.mark.parametrize("seed", range(30))
def test_a_written_table_that_is_spoilt(seed: int) -> None:
    """The CSV that qnsolve writes is as safe to read as any other."""
    good = qn.measure.canonical(qn.measure.read(DATA / "long.csv")).encode()
    assert outcome(mutated(seed, good, SMALL)) in ("read", "refused")


@pytest.mark.parametrize("form", ["csv", "json", "rmf-xml", "monitor3-xml", "rmf-text", "qnsolve"])
@pytest.mark.parametrize("name", FILES)
def test_any_file_as_any_format(name: str, form: str) -> None:
    """A format that is forced on a file of another one ends in an answer or one line."""
    text = ""
    try:
        qn.measure.read(DATA / name, format=form)
    except qn.ModelError as error:
        text = str(error)
    assert "\n" not in text
    assert text == "" or text.startswith(str(DATA / name))


def test_what_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder, a pipe, a file without rights, an empty name: exit code 2 and one line."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for wrong in (str(tmp_path), str(pipe), "", "a\0b", str(tmp_path / "none.csv"), "/dev/zero"):
        assert main(["data", wrong]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)


def test_a_stream_without_an_end() -> None:
    """A stream is read up to the limit and refused there."""

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            assert 0 < size < 2**31
            return b"1,2\n" * (size // 4 + 1)

    with pytest.raises(qn.ModelError, match="at most 1 MB are read"):
        qn.measure.read(Endless(), largest=2**20)
