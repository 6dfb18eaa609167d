"""qnsolve day: a day or a month of measured intervals in a model."""

from __future__ import annotations

import argparse

from qnsolve.cli.output import FILE, add_forms, model, printed
from qnsolve.cli.running import add_running, part_of_run, running
from qnsolve.cli.targets import add_target, targets
from qnsolve.fitting.days.day import day
from qnsolve.fitting.pages.beside import measured_beside_modelled

from .measured_files import FILES, add_reading, measured
from .report_option import add_report, check_report, write_report


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve day`."""
    parser.add_argument("file", help=FILE)
    parser.add_argument("intervals", nargs="+", metavar="INTERVALS", help=f"{FILES}; several are taken one after the other")
    add_reading(parser)
    text = "growth of the load, 8%%/year or 2%%/month, of one class api=15%%/year, or measured; may be given again"
    parser.add_argument("--growth", action="append", default=[], metavar="[CLASS=]RATE", help=text)
    text = "where the search for the end ends, 2028-12 or a date; without --growth the trend of the intervals"
    parser.add_argument("--until", metavar="DATE", help=text)
    add_target(parser, "class")
    add_report(parser)
    add_running(parser, "the intervals of a model that is solved point by point")
    add_forms(parser, "an interval and class")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    growth = {}
    for text in options.growth:
        name, _, rate = text.rpartition("=")
        growth[name] = rate
    wanted = targets(options.target, "class")
    check_report(options.report)
    asked, table = model(options.file), measured(options.intervals, options)
    with running(options, known=False) as how:
        found = day(asked, table, targets=wanted, growth=growth or None, until=options.until, **how)
    if options.report is not None:
        with running(options, known=False) as how:
            beside = measured_beside_modelled(asked, table, **part_of_run(how, "report"))
        write_report(options.report, beside, found.sentences())
    return printed(found, options)
