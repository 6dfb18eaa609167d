"""qnsolve fit: a model file from measured intervals and a sketch."""

from __future__ import annotations

import argparse
from typing import Any

from qnsolve.cli.output import add_forms, printed
from qnsolve.cli.running import add_running, part_of_run, running
from qnsolve.errors import ModelError
from qnsolve.fitting.fit import fit
from qnsolve.fitting.measured_rows import renamed
from qnsolve.fitting.pages.beside import measured_beside_modelled

from .measured_files import FILES, add_reading, add_servers, check_output, measured, servers_given
from .report_option import add_report, check_report, write_report


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve fit`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    text = 'sketch: a model file or a system file with "fit" and "measured" in place of figures'
    parser.add_argument("--model", metavar="SKETCH", help=text)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the fitted model file")
    add_reading(parser)
    text = "a name in the data, and what the model calls it; may be given again"
    parser.add_argument("--rename", action="append", default=[], metavar="NAME=NAME", help=text)
    add_servers(parser)
    text = "share of the rows on which a fit to the others is judged (default: 0.25)"
    parser.add_argument("--held-out", type=float, metavar="SHARE", help=text)
    add_report(parser)
    add_running(parser, "the model, where that is done point by point,")
    add_forms(parser, "a figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    names = {}
    for text in options.rename:
        left, equals, right = text.partition("=")
        if not (left and equals and right):
            raise ModelError("--rename", "must be NAME=NAME", "write --rename CICSPROD=orders", text)
        names[left] = right
    check_report(options.report)
    check_output(options.output, options.model, *options.files)
    if options.output is not None and options.output.lower().endswith((".json", ".jmva")):
        raise ModelError(
            "--output", "must be a TOML file, whose comments say where figures come from", "name it site.toml", options.output
        )
    table = measured(options.files, options)
    servers = servers_given(options.servers)
    asked: dict[str, Any] = {"rename": names, "servers": servers}
    with running(options, known=False) as how:
        found = fit(table, options.model, held_out=options.held_out, **asked, **how)
    if options.output:
        found.save(options.output)
    if options.report is not None:  # of a fit to the other rows, so that those left out judge it
        judge = found if found.judge is None else found.judge
        with running(options, known=False) as how:
            rows = renamed(table, names)
            beside = measured_beside_modelled(judge, rows, ~found.left_out, **part_of_run(how, "report"))
        write_report(options.report, beside, found.sentences())
    return printed(found, options)
