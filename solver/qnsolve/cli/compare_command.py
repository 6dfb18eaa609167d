"""qnsolve compare: two files solved side by side."""

from __future__ import annotations

import argparse

from qnsolve.analysis.compare import compare

from .output import FILE, add_forms, model, printed
from .terminal import add_each


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve compare`."""
    parser.add_argument("file", metavar="BEFORE", help=FILE)
    parser.add_argument("after", metavar="AFTER", help=FILE)
    add_each(parser)
    add_forms(parser, "a figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    before, after = model(options.file), model(options.after)
    old = before.solve()
    options.file = options.after  # the file that errors name from here on
    return printed(compare(old, after.solve()), options)
