"""qnsolve data: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests import ROOT

DATA = ROOT / "tests" / "data" / "measured"
OVERVIEW, WLMGL = str(DATA / "overview.csv"), str(DATA / "wlmgl.xml")


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["data", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["data", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    """A title, a row a series, notes."""
    lines = _run(capsys, OVERVIEW).splitlines()
    assert lines[0] == "3 intervals of 900 s, 2026-03-02 09:00 to 2026-03-02 09:30, 6 series"
    assert lines[2].split()[:4] == ["of", "quantity", "unit", "field"]
    assert [line.split()[0] for line in lines[4:10]] == ["CP", "CP", *["ORDERS.1"] * 4]
    assert lines[11].startswith("note: not understood and left out: 'EXVEL(S.ORDERS.1)'")


def test_json_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints series with their values, --csv a row an interval and series."""
    data = json.loads(_run(capsys, WLMGL, "--json"))
    rate = next(each for each in data["series"] if each["quantity"] == "rate" and each["work"] == "ORDERS.1")
    assert (rate["values"], rate["field"], rate["unit"], rate["source"]) == ([100.0, 120.0], "END/S", "1/s", WLMGL)
    rows = list(csv.DictReader(io.StringIO(_run(capsys, OVERVIEW, "--csv"))))
    assert len(rows) == 18
    assert (rows[0]["quantity"], rows[0]["value"], rows[0]["place"]) == ("busy", "0.7000000000000001", "2")


def test_output_is_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-o writes one CSV of all files; another name than .csv is refused and nothing is written."""
    out = tmp_path / "table.csv"
    assert _run(capsys, OVERVIEW, WLMGL, "-o", str(out)).startswith(f"written: {out}, 3 intervals")
    joined = qn.measure.join([qn.measure.read(OVERVIEW), qn.measure.read(WLMGL)])
    assert qn.measure.read(out).series == joined.series
    assert "must be a name that ends in .csv" in _refused(capsys, OVERVIEW, "-o", str(tmp_path / "table.xlsx"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv"]


def test_a_part_of_the_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    """--from and --to choose intervals, --only series by any of their names."""
    found = _run(capsys, OVERVIEW, "--from", "2026-03-02T09:15", "--to", "2026-03-02 09:30:00", "--only", "CP")
    assert found.splitlines()[0].startswith("1 interval of 900 s")
    assert found.count("NUMPROC") == 1
    assert "ORDERS.1 " not in found.split("note:")[0]
    assert "leave no interval" in _refused(capsys, OVERVIEW, "--from", "2027-01-01")
    assert "--from = 'soon': must be a date and time" in _refused(capsys, OVERVIEW, "--from", "soon")
    assert "did you mean 'ORDERS.1'?" in _refused(capsys, OVERVIEW, "--only", "ORDRS.1")
    assert "must name a series" in _refused(capsys, OVERVIEW, "--only", ",")


def test_options_of_reading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--map, --time-unit, --decimal, --day-first, --format, --all and --largest reach the reader."""
    path = tmp_path / "load.txt"
    path.write_text("When;Tx/s;Resp;Heap\n03/04/2026 09:00;1,5;250;7\n", encoding="utf-8")
    options = ("--map", "a.rate=Tx/s", "--map", "start=When", "--time-unit", "ms", "--decimal", ",", "--day-first", "--all")
    data = json.loads(_run(capsys, str(path), *options, "--largest", "1K", "--format", "csv", "--json"))
    assert data["start"] == ["2026-04-03T09:00:00.000"]
    assert {each["quantity"]: each["values"] for each in data["series"]} == {
        "rate": [1.5],
        "response_time": [0.25],
        "figure": [7.0],
    }
    assert "--map = 'rate': must be NAME.quantity=HEADING" in _refused(capsys, str(path), "--map", "rate")
    assert "--largest = 'huge': must be a number of bytes" in _refused(capsys, str(path), "--largest", "huge")
    assert "at most 0 MB are read" in _refused(capsys, str(path), "--largest", "10")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """- reads standard input, of any format."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((DATA / "wlmgl.xml").read_bytes())))
    assert _run(capsys, "-").startswith("2 intervals of 899.999 s")
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input: is closed" in _refused(capsys, "-")


def test_a_file_that_is_wrong_among_others(capsys: pytest.CaptureFixture[str]) -> None:
    """The file that is wrong is the one that is named."""
    assert _refused(capsys, OVERVIEW, str(DATA)).startswith(f"{DATA}: file: is a folder")
