"""The terminal: its width and colours for an answer, and a line that says that a command is at work.

A pipe or a file gets neither.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from qnsolve.results.look import PLAIN, Look

QUIET = 2.0  # seconds after which a command says that it is at work
OFTEN = 0.5  # seconds between two lines
NARROW = 40  # columns: a terminal that says less is not believed
# of Windows: variables of the consoles that know the codes of colours
CONSOLES = ("WT_SESSION", "ANSICON", "TERM")


def add_each(parser: argparse.ArgumentParser) -> None:
    """The option --each."""
    text = "of a system: a row for each region, in place of one for regions that are equal"
    parser.add_argument("--each", action="store_true", help=text)


def look(options: argparse.Namespace | None = None) -> Look:
    """How text is shown where standard output goes.

    Parameters
    ----------
    options : Namespace, optional
        Of a command, with --each where it has that.
    """
    each = bool(getattr(options, "each", False))
    if sys.stdout is None or not sys.stdout.isatty():
        return Look(each=each) if each else PLAIN
    return Look(_width(), _coloured(), each)


def _width() -> int | None:
    """Columns of the terminal; None where it does not say."""
    try:
        width = int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (ValueError, OSError, AttributeError):
        return None
    return width if width >= NARROW else None


def _coloured() -> bool:
    """Whether the terminal shows colours, and nobody asked it not to (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or any(os.environ.get(name) for name in CONSOLES)


class StatusLine:
    """One line on standard error, written over itself: what a command is at, and for how long."""

    def __init__(self, command: str) -> None:
        self.said = command
        self.begin, self.width, self.hidden = time.monotonic(), 0, 0
        self.lock, self.ended = threading.Lock(), threading.Event()

    def watch(self) -> None:
        """Show it after a while, until it ends."""
        wait = QUIET
        while not self.ended.wait(wait):
            wait = OFTEN
            with self.lock:
                if not self.hidden and not self.ended.is_set():
                    line = f"{self.said}: {time.monotonic() - self.begin:.0f} s"
                    self._write("\r" + line.ljust(self.width))
                    self.width = len(line)

    def hide(self) -> None:
        """Wipe it out, for as long as another line is shown in its place."""
        with self.lock:
            self.hidden += 1
            self._wipe()

    def show(self) -> None:
        """The other line has ended."""
        with self.lock:
            self.hidden -= 1

    def end(self) -> None:
        """Wipe it out."""
        self.ended.set()
        with self.lock:
            self._wipe()

    def _wipe(self) -> None:
        if self.width:
            self._write("\r" + " " * self.width + "\r")
            self.width = 0

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # closed: there is no place for it
            self.hidden += 1


_LINES: list[StatusLine] = []  # that of the command that runs, where it has one


@contextmanager
def at_work(command: str) -> Iterator[None]:
    """Say on a terminal that the command is at work, once that takes longer than two seconds."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    line = StatusLine(command)
    watcher = threading.Thread(target=line.watch, daemon=True)
    _LINES.append(line)
    watcher.start()
    try:
        yield
    finally:
        _LINES.remove(line)
        line.end()
        watcher.join()


@contextmanager
def other_line() -> Iterator[None]:
    """While a bar is shown in place of the line."""
    lines = list(_LINES)
    for line in lines:
        line.hide()
    try:
        yield
    finally:
        for line in lines:
            line.show()


def say(text: str) -> None:
    """What the command is at, for its line on a terminal."""
    for line in _LINES:
        line.said = text
