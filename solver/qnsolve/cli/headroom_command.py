"""qnsolve headroom: the highest workload that a system carries."""

from __future__ import annotations

import argparse

from qnsolve import zos
from qnsolve.errors import ModelError

from .output import SYSTEM_FILE, add_forms, printed, system


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve headroom`."""
    parser.add_argument("file", help=SYSTEM_FILE)
    text = "response time in seconds that this work must keep, as in orders=0.2; may be given again"
    parser.add_argument("--target", action="append", default=[], metavar="WORK=SECONDS", help=text)
    text = "the work that grows (default: all); may be given again"
    parser.add_argument("--work", action="append", metavar="NAME", help=text)
    add_forms(parser, "a system")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    targets = {}
    for text in options.target:
        work, _, seconds = text.rpartition("=")
        try:
            targets[work] = float(seconds)
        except ValueError:
            work = ""
        if not work:
            raise ModelError("--target", "must be WORK=SECONDS", "write orders=0.2", text)
    return printed(zos.headroom(system(options.file), response_times=targets, work=options.work), options)
