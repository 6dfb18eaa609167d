"""qnsolve growth: a system as its workload grows."""

from __future__ import annotations

import argparse

from qnsolve import zos
from qnsolve.analysis.varied_inputs import values
from qnsolve.cli.output import SYSTEM_FILE, add_forms, printed, system
from qnsolve.cli.running import running


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve growth`."""
    parser.add_argument("file", help=SYSTEM_FILE)
    text = "factors on all rates and users, first:last:step or a list (default: 1:2:0.1)"
    parser.add_argument("--by", default="1:2:0.1", metavar="FACTORS", help=text)
    add_forms(parser, "a factor and work")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    factors = values("--by", options.by, options.by)
    given = system(options.file)
    with running(options) as how:
        found = zos.growth(given, factors, progress=how["progress"])
    return printed(found, options)
