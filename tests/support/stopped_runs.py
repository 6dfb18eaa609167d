"""Runs that are stopped: commands at their fifth finished point, whatever the machine is at; calls after so many points."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from qnsolve.cli.main import main

POINTS = 5
LISTENS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the shell has them ignored
"""
STOPPED = f"""{LISTENS}
import os, runpy
from qnsolve.analysis.runs.journal import Journal

add = Journal.add

def add_some(self, point, figures):
    add(self, point, figures)
    if len(self.done) == {POINTS}:
        os.kill(os.getpid(), signal.SIGINT)

Journal.add = add_some
runpy.run_module("qnsolve", run_name="__main__", alter_sys=True)
"""


def stopped(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The outcome of `qnsolve` with these arguments, a journal among them, when it was stopped."""
    return subprocess.run([sys.executable, "-c", STOPPED, *arguments], capture_output=True, check=False)


def printed(words: list[str]) -> bytes:
    """What `qnsolve` with these arguments prints, run in this process."""
    with redirect_stdout(StringIO()) as shown:
        assert main(words) == 0
    return shown.getvalue().encode()


def assert_goes_on(words: list[str], workers: list[str], journal: Path) -> None:
    """A command that is interrupted ends in one line; given again it prints what it does by itself, each point solved once."""
    kept = [*words, *workers, "--journal", str(journal)]
    run = stopped(*kept)
    assert (run.returncode, run.stdout) == (130, b"")
    assert run.stderr.decode() == "qnsolve: interrupted; no file is incomplete\n"
    found = subprocess.run([sys.executable, "-m", "qnsolve", *kept], capture_output=True, check=True)
    assert found.stdout == printed(words)
    points = [json.loads(line)["point"] for line in journal.read_text().splitlines()[1:]]
    assert sorted(points) == list(range(len(points)))


class StoppedError(Exception):
    """What an interrupted run raises."""


class Counting(Executor):
    """Runs points in this process, and counts them."""

    def __init__(self) -> None:
        self.ran = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # type: ignore[override]
        """A future that is done."""
        self.ran += 1
        found: Future[Any] = Future()
        found.set_result(fn(*args, **kwargs))
        return found


def until(last: int) -> Callable[[int, int], None]:
    """A progress that stops the run after so many points."""

    def progress(done: int, _: int) -> None:
        if done >= last:
            raise StoppedError

    return progress
