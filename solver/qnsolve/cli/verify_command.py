"""qnsolve verify: a solution beside a simulation of its model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite

from qnsolve import zos
from qnsolve.analysis.verify import JOBS, MOST, SIMULATORS, verify
from qnsolve.errors import ModelError
from qnsolve.model.network import Network

from .output import FILE, add_forms, add_method, model, printed
from .running import bar

DIFFERS = 1  # exit code where a figure lies outside its interval
PRECISION = 0.01  # of systems


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
def _progress(options: argparse.Namespace, precision: float | None) -> Iterator[Callable[[int, int, float], None] | None]:
    """Shows the nearer of the precision and the most jobs."""
    if precision is None:
        yield None
        return
    with bar(options.progress) as shown:

        def show(jobs: int, most: int, widest: float) -> None:
            share = max(jobs / most, (precision / widest) ** 2 if widest > 0 else 1.0)
            known = f"±{100 * widest:.2g} %" if isfinite(widest) else "warming up"
            if shown is not None:
                shown.show(share, f"{jobs} simulated, {known}")

        yield None if shown is None else show
