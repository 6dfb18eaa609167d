"""Answers on a terminal: width and colours; in a pipe neither."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.results.look import PLAIN, Look
from qnsolve.results.rendering import Table, text_table

from tests import ROOT

CODES = re.compile(r"\x1b\[[0-9;]*m")
SYSTEM = str(ROOT / "tests" / "data" / "system_faults" / "bank.toml")
NETWORK = str(ROOT / "examples" / "cics-cfdt.toml")


class Terminal(io.StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command with standard output a terminal of 80 columns; returns what it shows."""

    def run(*words: str, **environment: str) -> str:
        shown = Terminal()
        for name in ("NO_COLOR", "TERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"COLUMNS": "80", "TERM": "xterm", **environment}.items():
            monkeypatch.setenv(name, value)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", shown)
            assert main(words) == 0
        return shown.getvalue()

    return run


def test_no_line_is_wider_than_the_terminal(on_terminal: Callable[..., str]) -> None:
    """Tables are folded and sentences wrapped; every figure is there still, or its column is named as 0."""
    text = CODES.sub("", on_terminal("solve", SYSTEM))
    assert max(map(len, text.splitlines())) <= 80
    figures, shown = (set(re.findall(r"\d+\.\d+", each)) for each in (str(qn.solve(qn.load(SYSTEM))), text))
    assert len(figures) > 50
    assert figures - shown == set()
    for word in ("AORA1, AORA2 JVM threads", "capacity factor", "0 in all rows: at limit, waiting"):
        assert word in text


def test_a_pipe_gets_plain_text(on_terminal: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without colours and without a width: what str() of the answer is."""
    assert main(["solve", NETWORK]) == 0
    text = capsys.readouterr().out
    assert text == f"{qn.solve(qn.load(NETWORK))}\n"
    assert on_terminal("solve", NETWORK, COLUMNS="500", NO_COLOR="1") == text


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colours_gets_none(on_terminal: Callable[..., str], environment: dict[str, str]) -> None:
    """NO_COLOR and a terminal that has none."""
    assert not CODES.search(on_terminal("solve", NETWORK, **environment))


def test_full_centers_stand_out(on_terminal: Callable[..., str]) -> None:
    """The station that is full is red, and headings are bold; no other figure is coloured."""
    text = on_terminal("solve", NETWORK, COLUMNS="500")
    assert re.findall(r"\x1b\[31;1m *(\S+)\x1b", text) == ["1"]
    assert "\x1b[33m" not in text
    assert "\x1b[1mcics-cfdt" in text


def test_machine_forms_have_no_colours(on_terminal: Callable[..., str]) -> None:
    """JSON and CSV are the same everywhere."""
    for form in ("--json", "--csv"):
        assert not CODES.search(on_terminal("solve", NETWORK, form))


def test_each_region(on_terminal: Callable[..., str]) -> None:
    """--each prints a row for each region, on a terminal and in a pipe."""
    text = CODES.sub("", on_terminal("solve", SYSTEM, "--each"))
    assert re.search(r"^AORB2 +SYSB", text, re.MULTILINE)
    assert "AORB1, AORB2 JVM" not in text


def test_a_folded_table_repeats_its_words() -> None:
    """Each part begins with the words; rows without a figure in a part are left out of it."""
    table = Table([["name", "a" * 20, "b" * 20, "zero"]], [["x", "1", "2", "0"], ["total", "3", "", "0"]], 1, "T")
    lines = text_table(table, Look(width=40))
    assert max(map(len, lines)) <= 40
    assert sum(line.startswith("name") for line in lines) == 2
    assert sum(line.startswith("total") for line in lines) == 1
    assert lines[-1] == "0 in all rows: zero"
    assert text_table(table) == text_table(table, PLAIN)
    assert len(text_table(table)) == 5


def test_long_names_are_cut_where_they_must() -> None:
    """A name leaves room for a figure."""
    lines = text_table(Table([["name", "value"]], [["n" * 100, "12345"]]), Look(width=50))
    assert max(map(len, lines)) <= 50
    assert "…" in lines[-1]
    assert lines[-1].endswith("12345")
