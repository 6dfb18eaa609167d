"""qnsolve sensitivity: how the results follow each figure of a network."""

from __future__ import annotations

import argparse

from qnsolve.analysis.sensitivity import sensitivity

from .output import NETWORK_FILE, add_forms, network, printed


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve sensitivity`."""
    parser.add_argument("file", help=NETWORK_FILE)
    add_forms(parser, "a class and figure")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return printed(sensitivity(network(options.file)), options)
