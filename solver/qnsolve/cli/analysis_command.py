"""qnsolve bounds, bottleneck and sensitivity: analyses of a network without further arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from qnsolve.analysis.bottleneck import bottleneck
from qnsolve.analysis.bounds import bounds
from qnsolve.analysis.sensitivity import sensitivity
from qnsolve.model.network import Network
from qnsolve.results.answer import Answer

from .output import NETWORK_FILE, add_forms, network, printed

# each analysis, and what a row of its answer is
ANALYSES: dict[str, tuple[Callable[[Network], Answer], str]] = {
    "bounds": (bounds, "a bound"),
    "bottleneck": (bottleneck, "a class"),
    "sensitivity": (sensitivity, "a class and figure"),
}


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of an analysis; the last word of the parser's name is the analysis."""
    name = parser.prog.split()[-1]
    parser.add_argument("file", help=NETWORK_FILE)
    add_forms(parser, ANALYSES[name][1])
    parser.set_defaults(run=_run, analysis=name)


def _run(options: argparse.Namespace) -> str:
    analyse, _ = ANALYSES[options.analysis]
    return printed(analyse(network(options.file)), options)
