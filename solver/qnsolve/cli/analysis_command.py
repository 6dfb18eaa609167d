"""qnsolve bounds, bottleneck and sensitivity: analyses of a network or a system without further arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from qnsolve import zos
from qnsolve.analysis.bottleneck import bottleneck
from qnsolve.analysis.bounds import bounds
from qnsolve.analysis.sensitivity import sensitivity
from qnsolve.model.network import Network
from qnsolve.results.answer import Answer
from qnsolve.zos import System

from .output import FILE, NETWORK_FILE, add_forms, model, network, printed
from .plots.bounds_plot import bounds_figure
from .plots.plot_option import add_plot, check_plot, write_plot
from .running import running

# each analysis, and what a row of its answer is
ANALYSES: dict[str, tuple[Callable[[Network], Answer], str]] = {
    "bounds": (bounds, "a bound"),
    "bottleneck": (bottleneck, "a class"),
    "sensitivity": (sensitivity, "a class and figure"),
}
OF_SYSTEMS: dict[str, Callable[[System], Answer]] = {"bottleneck": zos.bottleneck, "sensitivity": zos.sensitivity}


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of an analysis; the last word of the parser's name is the analysis."""
    name = parser.prog.split()[-1]
    parser.add_argument("file", help=FILE if name in OF_SYSTEMS else NETWORK_FILE)
    if name == "bounds":
        add_plot(parser, "bounds on throughput and response time")
    add_forms(parser, ANALYSES[name][1])
    parser.set_defaults(run=_run, analysis=name)


def _run(options: argparse.Namespace) -> str:
    of_network, _ = ANALYSES[options.analysis]
    of_system = OF_SYSTEMS.get(options.analysis)
    if of_system is None:  # bounds
        check_plot(options)
        described = network(options.file)
        limits = bounds(described)
        write_plot(options, lambda: bounds_figure(described, limits))
        return printed(limits, options)
    given = model(options.file)
    if isinstance(given, Network):
        return printed(of_network(given), options)
    if options.analysis != "sensitivity":
        return printed(of_system(given), options)
    with running(options) as how:
        found = zos.sensitivity(given, progress=how["progress"])
    return printed(found, options)
