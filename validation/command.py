"""qnsolve validate: the published tables predicted, and the report."""

from __future__ import annotations

import argparse

from qnsolve.cli.plots.plot_option import add_plot, check_plot
from qnsolve.errors import ModelError, missing_package


def add(parser: argparse.ArgumentParser) -> None:
    """Predict the published tables and write the report."""
    parser.add_argument("--out", default="out", metavar="FOLDER", help="where the report goes (default: out)")
    parser.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given again")
    parser.add_argument("--document", metavar="NAME", help="only the cases of this document, for example ims12")
    parser.add_argument("--accept", action="store_true", help="store the figures as the accepted ones")
    add_plot(parser, "errors with and without queues, and predicted over measured, of all figures")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    check_plot(options)
    if options.accept and options.plot is not None:
        raise ModelError("--plot", "does not go with --accept", "leave one of them out", options.plot)
    if options.accept and (options.case or options.document):
        raise ModelError("--accept", "stores the figures of all cases", "leave out --case and --document")
    try:
        from . import accept, run

        written: str = accept() if options.accept else run(options.out, options.case, options.document, options.plot)
    except ModuleNotFoundError as error:
        raise missing_package("validate", error, "jinja2 matplotlib XlsxWriter") from None
    return written
