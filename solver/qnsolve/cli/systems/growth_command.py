"""qnsolve growth: a system as its workload grows."""

from __future__ import annotations

import argparse

from qnsolve import zos
from qnsolve.analysis.varied_inputs import values
from qnsolve.cli.output import SYSTEM_FILE, add_forms, printed, system
from qnsolve.cli.plots.growth_plot import growth_figure
from qnsolve.cli.plots.plot_option import add_plot, check_plot, write_plot
from qnsolve.cli.running import running
from qnsolve.cli.targets import add_target, targets
from qnsolve.errors import ModelError, suggestion


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve growth`."""
    parser.add_argument("file", help=SYSTEM_FILE)
    text = "factors on all rates and users, first:last:step or a list (default: 1:2:0.1)"
    parser.add_argument("--by", default="1:2:0.1", metavar="FACTORS", help=text)
    add_target(parser, "work")
    add_plot(parser, "response times and the use of centers as the workload grows, and where it is full")
    add_forms(parser, "a factor and work")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    check_plot(options)
    factors, marked = values("--by", options.by, options.by), targets(options.target, "work")
    if marked and options.plot is None:
        repair = "add --plot growth.png, or ask `qnsolve headroom` how far the targets are kept"
        raise ModelError("--target", "is marked in a picture", repair, options.target[0])
    given = system(options.file)
    names = [work.name for work in given.work]
    for name in marked:
        if name not in names:
            raise ModelError("--target", "names what the system does not have", suggestion(name, names), name)
    with running(options) as how:
        found = zos.growth(given, factors, progress=how["progress"])
    write_plot(options, lambda: growth_figure(found, marked))
    return printed(found, options)
