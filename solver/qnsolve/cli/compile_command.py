"""qnsolve compile: the network that a system becomes."""

from __future__ import annotations

import argparse

from qnsolve.files.load_save import dumps

from .output import SYSTEM_FILE, system


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve compile`."""
    parser.add_argument("file", help=SYSTEM_FILE)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    return dumps(system(options.file).network())
