"""What the commands of the command line share: the forms of output, and the printing of a result."""

from __future__ import annotations

import argparse
import json
from typing import Any, Protocol


class Printable(Protocol):
    """A result that can be printed in each form."""

    def as_dict(self) -> dict[str, Any]:
        """For --json."""

    def to_csv(self) -> str:
        """For --csv."""


def forms(parser: argparse.ArgumentParser, row: str) -> None:
    """The options --json and --csv."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the result as one JSON object")
    form.add_argument("--csv", action="store_true", help=f"print a row {row} as CSV")


def printed(result: Printable, options: argparse.Namespace) -> str:
    """The result in the form that was asked for."""
    if options.json:
        return json.dumps(result.as_dict(), allow_nan=False, ensure_ascii=False)
    return result.to_csv() if options.csv else str(result)
