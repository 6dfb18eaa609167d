"""The line on standard error that says that a command is at work."""

from __future__ import annotations

import io
import sys
import threading
from types import SimpleNamespace

import pytest
from qnsolve.cli import terminal
from qnsolve.cli.running import bar
from qnsolve.cli.terminal import at_work, say


class Stream(io.StringIO):
    """Standard error; an event is set when something is written."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal, self.written = terminal, threading.Event()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self.terminal

    def write(self, text: str) -> int:
        """Keep it, and say so."""
        count = super().write(text)
        self.written.set()
        return count


def _shown(text: str) -> str:
    """What stands on the line after all was written."""
    line = ""
    for part in text.split("\r"):
        line = part + line[len(part) :]
    return line.strip()


def _screen(monkeypatch: pytest.MonkeyPatch) -> Stream:
    """A terminal on which the line is shown at once; its clock stands."""
    stream = Stream(terminal=True)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal, "QUIET", 0.001)
    monkeypatch.setattr(terminal, "OFTEN", 0.001)
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: 0.0))
    return stream


def test_the_line_is_shown_and_wiped_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the command; nothing is left of it."""
    screen = _screen(monkeypatch)
    with at_work("qnsolve headroom"):
        assert screen.written.wait(60)
        assert "qnsolve headroom: 0 s" in screen.getvalue()
    assert _shown(screen.getvalue()) == ""


def test_it_is_wiped_out_by_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message of the error stands on a line of its own."""
    screen = _screen(monkeypatch)

    def failing() -> None:
        with at_work("qnsolve fit"):
            say("march.csv: 1,000 records")
            while "march.csv: 1,000 records: 0 s" not in screen.getvalue():  # the first line may be of the time before
                screen.written.clear()
                assert screen.written.wait(60)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert "march.csv: 1,000 records: 0 s" in screen.getvalue()
    assert _shown(screen.getvalue()) == ""


def test_a_bar_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line is shown at a time: while the bar is there, nothing else is written."""
    screen = _screen(monkeypatch)
    with at_work("qnsolve growth"):
        assert screen.written.wait(60)
        with bar() as shown:
            assert shown is not None
            assert _shown(screen.getvalue()) == ""
            shown.show(0.5, "5 of 10 points")
            assert _shown(screen.getvalue()).endswith("50 %, 5 of 10 points")
            screen.written.clear()
            assert not screen.written.wait(0.05)
        screen.written.clear()
        assert screen.written.wait(60)
    assert _shown(screen.getvalue()) == ""


def test_a_pipe_gets_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written, and no thread is started, where standard error is no terminal."""
    stream = Stream(terminal=False)
    monkeypatch.setattr(sys, "stderr", stream)
    before = threading.active_count()
    with at_work("qnsolve solve"):
        assert threading.active_count() == before
    assert stream.getvalue() == ""
