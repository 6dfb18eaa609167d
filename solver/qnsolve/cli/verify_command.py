"""qnsolve verify: a solution beside a simulation of its model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TextIO

from qnsolve import zos
from qnsolve.analysis.verify import JOBS, MOST, SIMULATORS, verify
from qnsolve.errors import ModelError
from qnsolve.model.network import Network

from .output import FILE, add_forms, add_method, model, printed

DIFFERS = 1  # exit code where a figure lies outside its interval
PRECISION = 0.01  # of systems
BAR = 30  # characters


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve verify`."""
    parser.add_argument("file", help=FILE)
    add_method(parser)
    jobs = f"jobs that finish (default: {JOBS}); with a precision, and of a system, the most (default: {MOST})"
    parser.add_argument("--jobs", type=float, metavar="N", help=jobs)
    precision = f"simulate until response times are known within this share (default of a system: {PRECISION})"
    parser.add_argument("--precision", type=float, metavar="P", help=precision)
    parser.add_argument("--seed", type=float, default=1, metavar="S", help="of the random numbers (default: 1)")
    parser.add_argument("--simulator", default="events", metavar="NAME", help="one of: " + ", ".join(SIMULATORS))
    progress = "with a precision: show how far it is, on standard error (default: where that is a terminal)"
    parser.add_argument("--progress", action="store_true", help=progress)
    add_forms(parser, "a figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> tuple[str, int]:
    found = model(options.file)
    if isinstance(found, Network):
        given = {key: getattr(options, key) for key in ("method", "jobs", "seed", "simulator", "precision")}
        with _progress(options, options.precision) as shown:
            verification = verify(found, progress=shown, **given)
        return printed(verification, options), 0 if verification.agrees else DIFFERS
    if options.method != "auto" or options.simulator != "events":
        raise ModelError("--method, --simulator", "must not be given for a system", "remove them")
    precision = PRECISION if options.precision is None else options.precision
    with _progress(options, precision) as shown:
        most = MOST if options.jobs is None else options.jobs
        beside = zos.verify(found, precision=precision, jobs=most, seed=options.seed, progress=shown)
    differs = DIFFERS if beside.error is None else beside.error.exit_code
    return printed(beside, options), 0 if beside.agrees else differs


@contextmanager
def _progress(options: argparse.Namespace, precision: float | None) -> Iterator[ProgressBar | None]:
    """A bar where it is asked for, or standard error is a terminal; wiped out in the end."""
    stream = sys.stderr
    if precision is None or stream is None or not (options.progress or stream.isatty()):
        yield None
        return
    bar = ProgressBar(stream, precision)
    try:
        yield bar
    finally:
        bar.close()


class ProgressBar:
    """One line, written over itself: how much of the simulation is done."""

    def __init__(self, stream: TextIO, precision: float) -> None:
        self.stream, self.precision, self.width = stream, precision, 0

    def __call__(self, jobs: int, most: int, widest: float) -> None:
        """Show it: the nearer of the precision and the most jobs."""
        share = min(1.0, max(jobs / most, (self.precision / widest) ** 2 if widest > 0 else 1.0))
        known = f"±{100 * widest:.2g} %" if isfinite(widest) else "warming up"
        line = f"[{'#' * int(BAR * share):{BAR}}] {100 * share:3.0f} %, {jobs} simulated, {known}"
        self._write("\r" + line.ljust(self.width))
        self.width = len(line)

    def close(self) -> None:
        """Wipe the line out."""
        self._write("\r" + " " * self.width + "\r")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
