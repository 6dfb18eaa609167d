"""`qnsolve addin workbooks`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import qnsolve as qn

from ..commands import needing
from .book import write
from .formulas import FLAVOURS
from .models import plan_of
from .plans import PLANS


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
    plans = [PLANS[name] for name in options.plan or PLANS]
    if options.model:
        piped = options.model == "-"
        if piped and sys.stdin is None:
            raise qn.ModelError("standard input", "is closed", "give it a file or a pipe")
        plans = [plan_of(qn.load(sys.stdin.buffer if piped else options.model), "model" if piped else Path(options.model).stem)]
    written = []
    for plan in plans:
        written.append(folder / f"{plan.name}.xlsx")
        write(plan, written[-1], options.flavour)
    return "\n".join(f"written: {file}" for file in written)
