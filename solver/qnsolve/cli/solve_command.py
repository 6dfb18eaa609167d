"""qnsolve solve: a network or a system, solved."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from qnsolve.model.network import Network

from .measured.ranges import DRAWN, add_draws, draws_only, fitted, solved_with_range
from .output import FILE, add_forms, add_method, model, printed
from .running import add_running
from .terminal import add_each

if TYPE_CHECKING:
    from qnsolve.results.solution import Solution
    from qnsolve.zos.report.system_result import SystemResult
    from qnsolve.zos.solve_system import System


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve solve`."""
    parser.add_argument("file", help=FILE)
    add_method(parser)
    add_draws(parser)
    add_running(parser, DRAWN)
    add_each(parser)
    add_forms(parser, "a class and station")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    given = model(options.file)
    known = fitted(options)
    draws_only(options, known)
    answer = _solved(given, options.method)
    return printed(answer, options) if known is None else solved_with_range(answer, given, known, options)


def _solved(given: Network | System, method: str) -> Solution | SystemResult:
    if not isinstance(given, Network):
        return given.solve(method)
    from qnsolve.methods.solve import solve  # the methods of networks, for networks only

    return solve(given, method)
