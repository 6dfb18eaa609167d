"""The option --plot: its file is checked before anything is solved, and written in the end."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.files.writing import write_bytes, write_text
from qnsolve.results.plotting import OPEN, drawn, png, svg

ENDINGS = (".png", ".svg")
PACKAGE = "matplotlib"


def add_plot(parser: argparse.ArgumentParser, what: str) -> None:
    """The option --plot of a command whose picture shows `what`."""
    parser.add_argument("--plot", metavar="FILE", help=f"write a picture, .png or .svg: {what}")


def check_plot(options: argparse.Namespace) -> None:
    """Refuse an ending that is none, and a picture where the package that draws is missing.

    Raises
    ------
    ModelError
    """
    if options.plot is None:
        return
    if Path(options.plot).suffix.casefold() not in ENDINGS:
        raise ModelError("--plot", f"must end in {' or '.join(ENDINGS)}", "write growth.png", options.plot)
    if find_spec(PACKAGE) is None:
        raise ModelError("--plot", f"needs the package {PACKAGE}", f"run: python -m pip install {PACKAGE}")


def write_plot(options: argparse.Namespace, figure: Callable[[], Any]) -> None:
    """Draw the figure and write it, where a picture is asked for."""
    if options.plot is None:
        return
    with drawn(OPEN):
        made = figure()
        if Path(options.plot).suffix.casefold() == ".svg":
            write_text(options.plot, svg(made))
        else:
            write_bytes(options.plot, png(made))
