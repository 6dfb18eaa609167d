"""The option --report of commands that hold a model against measured intervals."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from qnsolve.errors import ModelError
from qnsolve.files.writing import write_bytes
from qnsolve.fitting.pages.beside import ENDINGS, MeasuredBesideModelled, page_bytes


def add_report(parser: argparse.ArgumentParser) -> None:
    """The option --report."""
    text = "write measured beside modelled: .html, one page to read and print, or .xlsx with charts"
    parser.add_argument("--report", metavar="PAGE.html", help=text)


def check_report(path: str | None) -> None:
    """Refuse an ending that is none, before anything is solved."""
    if path is not None and Path(path).suffix.casefold() not in ENDINGS:
        raise ModelError("--report", f"must end in {' or '.join(ENDINGS)}", "write page.html", path)


def write_report(path: str, beside: MeasuredBesideModelled, lead: Sequence[str]) -> None:
    """Write the page or the workbook; `lead` are sentences that stand first."""
    write_bytes(path, page_bytes(beside, path, lead))
