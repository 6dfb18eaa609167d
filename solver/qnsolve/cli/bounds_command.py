"""qnsolve bounds: bounds on an answer before it is solved."""

from __future__ import annotations

import argparse

from qnsolve.analysis.bounds import bounds

from .output import NETWORK_FILE, add_forms, network, printed


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve bounds`."""
    parser.add_argument("file", help=NETWORK_FILE)
    add_forms(parser, "a bound")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return printed(bounds(network(options.file)), options)
