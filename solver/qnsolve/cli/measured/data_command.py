"""qnsolve data: what measured files hold, and one table of them."""

from __future__ import annotations

import argparse

from qnsolve.cli.output import add_forms, printed
from qnsolve.files.writing import write_text
from qnsolve.measure.readers.canonical_table import canonical, check_name

from .measured_files import FILES, add_reading, check_output, measured


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve data`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    add_reading(parser)
    parser.add_argument("-o", "--output", metavar="TABLE.csv", help="write the table as CSV that is read back exactly")
    add_forms(parser, "an interval and series")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    if options.output is not None:
        check_name(options.output)
        check_output(options.output, *options.files)
    found = measured(options.files, options)
    if options.output is not None:
        write_text(options.output, canonical(found))
        return f"written: {options.output}, {found.title()}"
    return printed(found, options)
