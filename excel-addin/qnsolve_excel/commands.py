"""The command `qnsolve addin`: each front end brings its actions. The command line finds it by its entry point."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from qnsolve.errors import missing_package

from . import listing

# packages beside this module; `add(actions)` in their command.py makes the parsers
FRONT_ENDS = ("calc", "xlam", "officejs", "workbooks")
# what an action may need beside numpy, by the name that it gives to `needing`
PACKAGES = {"excel": "xlwings olefile XlsxWriter", "workbook": "XlsxWriter", "serve": "starlette uvicorn cryptography"}

Run = Callable[[argparse.Namespace], str]


def add(addin: Any) -> None:
    """Write, install or serve the add-in of a spreadsheet."""
    actions = addin.add_subparsers(required=True, metavar="ACTION", parser_class=type(addin))
    for front_end in FRONT_ENDS:
        import_module(f".{front_end}.command", __package__).add(actions)
    listing.add(actions)


def needing(extra: str, run: Run) -> Run:
    """An action that names the packages to install where one is missing."""
    return partial(_run, extra, run)


def _run(extra: str, run: Run, options: argparse.Namespace) -> str:
    try:
        return run(options)
    except ModuleNotFoundError as error:
        raise missing_package("addin", error, PACKAGES[extra]) from None
