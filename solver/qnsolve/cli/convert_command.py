"""qnsolve convert: a file in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from qnsolve.errors import ModelError
from qnsolve.files.load_save import save
from qnsolve.files.text import FORMATS

from .output import FILE, model


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve convert`."""
    parser.add_argument("file", metavar="FROM", help=FILE)
    parser.add_argument("to", metavar="TO", help="file to write: .toml, .json or .jmva")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    form = Path(options.to).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise ModelError("convert", "must write .toml, .json or .jmva", "end the name in one of them", options.to)
    found = model(options.file)
    try:
        save(found, options.to)
    except ModelError as error:
        raise error.in_file(options.to) from None
    return f"written: {options.to}"
