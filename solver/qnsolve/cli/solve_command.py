"""qnsolve solve: a network or a system, solved."""

from __future__ import annotations

import argparse

from qnsolve.methods.solve import solve

from .output import FILE, add_forms, add_method, model, printed


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve solve`."""
    parser.add_argument("file", help=FILE)
    add_method(parser)
    add_forms(parser, "a class and station")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return printed(solve(model(options.file), method=options.method), options)
