"""The terminal that an answer is printed to: its width and its colours; a pipe or a file has neither."""

from __future__ import annotations

import argparse
import os
import sys

from qnsolve.results.look import PLAIN, Look

NARROW = 40  # columns: a terminal that says less is not believed
# of Windows: variables of the consoles that know the codes of colours
CONSOLES = ("WT_SESSION", "ANSICON", "TERM")


def add_each(parser: argparse.ArgumentParser) -> None:
    """The option --each."""
    text = "of a system: a row for each region, in place of one for regions that are equal"
    parser.add_argument("--each", action="store_true", help=text)


def look(options: argparse.Namespace | None = None) -> Look:
    """How text is shown where standard output goes.

    Parameters
    ----------
    options : Namespace, optional
        Of a command, with --each where it has that.
    """
    each = bool(getattr(options, "each", False))
    if sys.stdout is None or not sys.stdout.isatty():
        return Look(each=each) if each else PLAIN
    return Look(_width(), _coloured(), each)


def _width() -> int | None:
    """Columns of the terminal; None where it does not say."""
    try:
        width = int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (ValueError, OSError, AttributeError):
        return None
    return width if width >= NARROW else None


def _coloured() -> bool:
    """Whether the terminal shows colours, and nobody asked it not to (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or any(os.environ.get(name) for name in CONSOLES)
