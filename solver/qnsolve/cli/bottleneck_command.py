"""qnsolve bottleneck: which station limits each class."""

from __future__ import annotations

import argparse

from qnsolve.analysis.bottleneck import bottleneck

from .output import NETWORK_FILE, add_forms, network, printed


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve bottleneck`."""
    parser.add_argument("file", help=NETWORK_FILE)
    add_forms(parser, "a class")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return printed(bottleneck(network(options.file)), options)
