"""qnsolve verify: a solution beside a simulation of its model."""

from __future__ import annotations

import argparse

from qnsolve import zos
from qnsolve.analysis.verify import SIMULATORS, verify
from qnsolve.errors import ModelError
from qnsolve.model.network import Network

from .output import FILE, add_forms, add_method, model, printed

DIFFERS = 1  # exit code where a figure lies outside its interval


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve verify`."""
    parser.add_argument("file", help=FILE)
    add_method(parser)
    parser.add_argument("--jobs", type=float, default=100_000, metavar="N", help="jobs that finish (default: 100000)")
    parser.add_argument("--seed", type=float, default=1, metavar="S", help="of the random numbers (default: 1)")
    parser.add_argument("--simulator", default="events", metavar="NAME", help="one of: " + ", ".join(SIMULATORS))
    add_forms(parser, "a figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> tuple[str, int]:
    found = model(options.file)
    if isinstance(found, Network):
        given = {key: getattr(options, key) for key in ("method", "jobs", "seed", "simulator")}
        verification = verify(found, **given)
        return printed(verification, options), 0 if verification.agrees else DIFFERS
    if options.method != "auto" or options.simulator != "events":
        raise ModelError("--method, --simulator", "must not be given for a system", "remove them")
    beside = zos.verify(found, jobs=options.jobs, seed=options.seed)
    return printed(beside, options), 0 if beside.agrees else DIFFERS
