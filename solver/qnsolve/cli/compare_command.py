"""qnsolve compare: two files solved side by side."""

from __future__ import annotations

import argparse

from qnsolve.analysis.compare import compare

from .output import FILE, add_forms, model, printed
from .plots.compare_plot import compare_figure
from .plots.plot_option import add_plot, check_plot, write_plot
from .terminal import add_each


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve compare`."""
    parser.add_argument("file", metavar="BEFORE", help=FILE)
    parser.add_argument("after", metavar="AFTER", help=FILE)
    add_each(parser)
    add_plot(parser, "response times and the use of centers, before and after")
    add_forms(parser, "a figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    check_plot(options)
    before, after = model(options.file), model(options.after)
    old = before.solve()
    options.file = options.after  # the file that errors name from here on
    found = compare(old, after.solve())
    write_plot(options, lambda: compare_figure(found))
    return printed(found, options)
