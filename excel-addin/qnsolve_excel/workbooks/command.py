"""`qnsolve addin workbooks`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import qnsolve as qn
from qnsolve import zos
from qnsolve.planning.question import question_of

from ..commands import needing
from .book import write
from .formulas import FLAVOURS
from .models import plan_of
from .plans import PLANS
from .sites.site_book import write_site


def add(actions: Any) -> None:
    """The parser of the action."""
    writing = actions.add_parser("workbooks", help="write the planning workbooks: " + ", ".join(PLANS))
    writing.add_argument("--out", default=".", metavar="FOLDER", help="where they go (default: here)")
    writing.add_argument("--flavour", default="excel", choices=FLAVOURS, help="whose functions they call (default: excel)")
    writing.add_argument("--plan", action="append", choices=list(PLANS), help="only this one; may be given again")
    writing.add_argument(
        "--model", metavar="FILE", help="one of this model or system file in place of the plans; - for standard input"
    )
    writing.set_defaults(run=needing("workbook", _write))


def _write(options: argparse.Namespace) -> str:
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    if options.model:
        return f"written: {_of_model(options.model, folder, options.flavour)}"
    written = []
    for plan in [PLANS[name] for name in options.plan or PLANS]:
        written.append(folder / f"{plan.name}.xlsx")
        write(plan, written[-1], options.flavour)
    return "\n".join(f"written: {file}" for file in written)


def _of_model(given: str, folder: Path, flavour: str) -> Path:
    """The workbook of a model or system file."""
    piped = given == "-"
    if piped and sys.stdin is None:
        raise qn.ModelError("standard input", "is closed", "give it a file or a pipe")
    model, name = qn.load(sys.stdin.buffer if piped else given), "model" if piped else Path(given).stem
    file = folder / f"{name}.xlsx"
    if isinstance(model, zos.System):
        write_site(model, name, file, flavour, {} if piped else question_of(given))
    else:
        write(plan_of(model, name), file, flavour)
    return file
