"""qnsolve headroom: the highest workload that a system carries."""

from __future__ import annotations

import argparse

from qnsolve import zos
from qnsolve.cli.output import SYSTEM_FILE, add_forms, printed, system
from qnsolve.cli.targets import add_target, targets


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve headroom`."""
    parser.add_argument("file", help=SYSTEM_FILE)
    add_target(parser, "work")
    text = "the work that grows (default: all); may be given again"
    parser.add_argument("--work", action="append", metavar="NAME", help=text)
    add_forms(parser, "a system")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    kept = targets(options.target, "work")
    return printed(zos.headroom(system(options.file), response_times=kept, work=options.work), options)
