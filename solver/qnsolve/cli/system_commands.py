"""The commands of the command line on systems: compile, compare, grow."""

from __future__ import annotations

import argparse
from typing import Any

from qnsolve import zos
from qnsolve.analysis.varied_inputs import values
from qnsolve.errors import ModelError
from qnsolve.files.load_save import dumps

from .output import forms, printed, system

FILE = "system file, TOML or JSON"


def add(commands: Any) -> None:
    """Add them to the parser's commands."""
    compiling = commands.add_parser("compile", help="print the network that a system file becomes")
    compiling.add_argument("file", help=FILE)
    compiling.set_defaults(run=_compile)

    comparing = commands.add_parser("compare", help="solve two system files and print what moves")
    comparing.add_argument("file", metavar="BEFORE", help=FILE)
    comparing.add_argument("after", metavar="AFTER", help=FILE)
    forms(comparing, "a figure")
    comparing.set_defaults(run=_compare)

    growing = commands.add_parser("grow", help="solve a system file with more and more of its work")
    growing.add_argument("file", help=FILE)
    told = "rates and users times each (default: 1:2:0.1)"
    growing.add_argument("--by", default="1:2:0.1", metavar="FACTORS", help=told)
    forms(growing, "a factor and work")
    growing.set_defaults(run=_grow)


def verified(system: zos.System, *, method: str, jobs: int, seed: int, simulator: str) -> zos.SystemVerification:
    """A system beside its simulation; methods and simulators are for networks."""
    if method != "auto" or simulator != "events":
        raise ModelError("--method, --simulator", "go with networks, not with systems", "leave them out")
    return zos.verify(system, jobs=jobs, seed=seed)


def _compile(options: argparse.Namespace) -> str:
    return dumps(system(options.file).network())


def _compare(options: argparse.Namespace) -> str:
    return printed(zos.compare(system(options.file), system(options.after)), options)


def _grow(options: argparse.Namespace) -> str:
    return printed(zos.grow(system(options.file), values(f"--by={options.by}", options.by)), options)
