"""Common parts of the commands: forms of output, and reading of models."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Protocol

from qnsolve.errors import ModelError
from qnsolve.files.load_save import load
from qnsolve.model.network import Network

from .terminal import look

if TYPE_CHECKING:
    from qnsolve.results.look import Look
    from qnsolve.zos import System

FILE = "model file or system file, TOML, JSON or JMVA; - for standard input"
NETWORK_FILE = "model file, TOML, JSON or JMVA; - for standard input"
SYSTEM_FILE = "system file, TOML or JSON; - for standard input"


class Printable(Protocol):
    """A result that can be printed in each form."""

    def as_dict(self) -> dict[str, Any]:
        """For --json."""

    def to_csv(self) -> str:
        """For --csv."""

    def text(self, look: Look) -> str:
        """For a reader."""


def add_forms(parser: argparse.ArgumentParser, row: str) -> None:
    """The options --json and --csv."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the result as one JSON object")
    form.add_argument("--csv", action="store_true", help=f"print a row {row} as CSV")


def add_method(parser: argparse.ArgumentParser) -> None:
    """The option --method."""
    parser.add_argument("--method", default="auto", metavar="NAME", help="auto, exact, or a name that `qnsolve methods` lists")


def printed(result: Printable, options: argparse.Namespace) -> str:
    """The result in the form that the options name."""
    if options.json:
        return json.dumps(result.as_dict(), allow_nan=False, ensure_ascii=False)
    return result.to_csv() if options.csv else result.text(look(options))


def model(file: str) -> Network | System:
    """The network or system of a file; of standard input where the name is "-"."""
    if file != "-":
        return load(file)
    if sys.stdin is None:
        raise ModelError("standard input", "is closed", "give it a file or a pipe")
    return load(sys.stdin.buffer)


def network(file: str) -> Network:
    """The network of a model file; a system file is refused."""
    found = model(file)
    if isinstance(found, Network):
        return found
    repair = "qnsolve solve, sweep, sensitivity, bottleneck, growth, headroom and verify take systems"
    raise ModelError("file", "must describe a network, not a system of LPARs and regions", repair).in_file(file)


def system(file: str) -> System:
    """The system of a system file; a model file is refused."""
    found = model(file)
    if isinstance(found, Network):
        repair = "give a file with [[lpars]], [[regions]] and [[work]]"
        raise ModelError("file", "must describe a system of LPARs and regions, not a network", repair).in_file(file)
    return found


def only_auto(method: str) -> None:
    """Systems have one method; another one is refused."""
    if method != "auto":
        raise ModelError("--method", "goes with networks, not with systems", "leave it out", method)
