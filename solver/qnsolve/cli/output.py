"""What the commands of the command line share: the forms of output, and the printing of a result."""

from __future__ import annotations

import argparse
import json
from typing import Any, Protocol

from qnsolve.errors import ModelError
from qnsolve.files.load_save import load
from qnsolve.model.network import Network
from qnsolve.zos import System


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


def network(file: str) -> Network:
    """The network of a model file; a system file is refused, with what to do instead."""
    model = load(file)
    if isinstance(model, Network):
        return model
    repair = "solve it as it is, or take what qnsolve compile prints for the rest"
    raise ModelError("file", "describes a system of LPARs and regions, not a network", repair).in_file(file)


def system(file: str) -> System:
    """The system of a system file; a model file is refused."""
    model = load(file)
    if isinstance(model, System):
        return model
    repair = "give a file with [[lpars]], [[regions]] and [[work]]"
    raise ModelError("file", "describes a network, not a system of LPARs and regions", repair).in_file(file)
