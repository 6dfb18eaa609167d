"""The command `qnsolve addin`: each front end brings its actions. The command line finds it by its entry point."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from qnsolve.errors import ModelError

from . import listing

# packages beside this module; `add(actions)` in their command.py makes the parsers
FRONT_ENDS = ("calc", "xlam", "officejs", "workbooks")

Run = Callable[[argparse.Namespace], str]


def add(commands: Any) -> None:
    """Add the command to those of the command line; the entry point `addin` of the group `qnsolve.commands`."""
    addin = commands.add_parser("addin", help="worksheet functions: write or install the add-in of a spreadsheet")
    actions = addin.add_subparsers(required=True, metavar="ACTION", parser_class=type(addin))
    for front_end in FRONT_ENDS:
        import_module(f".{front_end}.command", __package__).add(actions)
    listing.add(actions)


def needing(run: Run) -> Run:
    """An action that names the package to install where one is missing."""
    return partial(_run, run)


def _run(run: Run, options: argparse.Namespace) -> str:
    try:
        return run(options)
    except ModuleNotFoundError as error:
        raise ModelError("addin", f"needs {error.name}", f"run python -m pip install {error.name}") from error
