"""Long commands: workers, a journal to go on from, and a line that shows how far they are."""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

from qnsolve.analysis.runs.journal import part_of
from qnsolve.errors import ModelError, missing_package
from qnsolve.model import checks

from .terminal import QUIET, other_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

BAR = 30  # characters
OFTEN = 0.2  # seconds between two lines
MOST_WORKERS = 512
PATIENCE = 10  # seconds for a scheduler to answer
ADDRESS = re.compile(r"(tcp|tls|wss?)://[^\s/]+:\d{1,5}/?")
RETRIES = 5  # of a point whose worker is lost


class ProgressBar:
    """One line, written over itself."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.width = stream, 0

    def show(self, share: float, said: str) -> None:
        """Show how much is done."""
        share = min(1.0, share)
        self.say(f"[{'#' * int(BAR * share):{BAR}}] {100 * share:3.0f} %, {said}")

    def say(self, line: str) -> None:
        """Show a line, where nobody knows how much is left."""
        self._write("\r" + line.ljust(self.width))
        self.width = len(line)

    def close(self) -> None:
        """Wipe the line out."""
        if self.width:
            self._write("\r" + " " * self.width + "\r")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@contextmanager
def bar(always: bool = False) -> Iterator[ProgressBar | None]:
    """A bar where it is asked for, or standard error is a terminal; wiped out in the end."""
    stream = sys.stderr
    if stream is None or not (always or stream.isatty()):
        yield None
        return
    found = ProgressBar(stream)
    with other_line():
        try:
            yield found
        finally:
            found.close()


def add_running(parser: argparse.ArgumentParser, what: str = "") -> None:
    """The options --workers, --dask, --journal and --progress; `what` is solved so, where it is not all."""
    where, what = parser.add_mutually_exclusive_group(), f" {what}" if what else ""
    where.add_argument("--workers", type=int, metavar="N", help=f"solve{what} on N processes of this machine")
    text = f"solve{what} on the workers of this scheduler of Dask, as in tcp://host:8786"
    where.add_argument("--dask", metavar="ADDRESS", help=text)
    text = "keep each finished point in this file: the same command goes on from there after it was stopped"
    parser.add_argument("--journal", metavar="FILE", help=text)
    text = "show how far it is, on standard error (default: where that is a terminal, after two seconds)"
    parser.add_argument("--progress", action="store_true", help=text)


@contextmanager
def running(options: argparse.Namespace, *, known: bool = True) -> Iterator[dict[str, Any]]:
    """`executor`, `journal` and `progress` as sweeps take them, of the options that the command has.

    Without `known` the number of points is not known before the end.
    """
    with ExitStack() as stack:
        executor = None
        if getattr(options, "workers", None) is not None:
            executor = stack.enter_context(_processes(options.workers))
        elif getattr(options, "dask", None) is not None:
            executor = stack.enter_context(_dask(options.dask))
        asked = getattr(options, "progress", False)
        shown = stack.enter_context(bar(asked))
        progress = None if shown is None else _Points(shown, 0.0 if asked else QUIET, known)
        yield {"executor": executor, "journal": getattr(options, "journal", None), "progress": progress}


def part_of_run(how: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What `running` gave, for one of several runs of a command: its points are a part of the journal."""
    return {**how, "journal": part_of(how.get("journal"), name)}


class _Points:
    """Shows finished points, first after a while."""

    def __init__(self, shown: ProgressBar, quiet: float, known: bool) -> None:
        self.shown, self.begin, self.last, self.quiet = shown, time.monotonic(), -OFTEN, quiet
        self.known = known
        self.before: int | None = None

    def __call__(self, done: int, points: int) -> None:
        """Show it, and how long the rest takes."""
        spent = time.monotonic() - self.begin
        if self.before is None:
            self.before = done - 1  # what a journal had
        if spent < self.quiet or spent - self.last < OFTEN:
            return
        self.last = spent
        if not self.known:
            self.shown.say(f"{done} points solved, {spent:.0f} s")
            return
        left = spent / max(done - self.before, 1) * (points - done)
        self.shown.show(done / points, f"{done} of {points} points, {left:.0f} s left")


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """A pool on this machine; it ends with the command, however that ends."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    workers = checks.whole("--workers", count, least=1, most=MOST_WORKERS)
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_deaf)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _deaf() -> None:
    """Leave Ctrl-C to the command, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """The workers of a scheduler; points of a worker that is lost run on another one."""
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise missing_package("--dask", error, '"qnsolve[dask]"') from None
    repair = "start `dask scheduler` and give its address, as in tcp://host:8786"
    if not ADDRESS.fullmatch(address):
        raise ModelError("--dask", "must be the address of a scheduler", repair, address)
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError("--dask", "must be the address of a scheduler that answers", repair, address) from error
    try:
        yield client.get_executor(retries=RETRIES)
    finally:
        client.close()
