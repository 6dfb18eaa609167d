"""qnsolve solve: a network or a system, solved."""

from __future__ import annotations

import argparse

from qnsolve.methods.solve import solve

from .measured.ranges import add_draws, fitted, solved_with_range
from .output import FILE, add_forms, add_method, model, printed
from .terminal import add_each


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve solve`."""
    parser.add_argument("file", help=FILE)
    add_method(parser)
    add_draws(parser)
    add_each(parser)
    add_forms(parser, "a class and station")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    given = model(options.file)
    known = fitted(options)
    answer = solve(given, method=options.method)
    return printed(answer, options) if known is None else solved_with_range(answer, given, known, options)
