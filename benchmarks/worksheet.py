"""Worksheet functions: time of one call as Excel makes it, over the real xlwings and a stand-in for COM."""

from __future__ import annotations

import importlib
import sys
from unittest import mock

from .table import duration
from .targets import Target
from .timing import ROOT, best

LIMIT = 100e-6  # seconds a call
CALLS = ("=QN.MMC_RESPONSE(8,0.1)", "=QN.ERLANG_C(90,0.1,12)")


def collect(quick: bool) -> list[Target]:
    """A target for each call."""
    from qnsolve_excel import call
    from qnsolve_excel.formula import parsed

    with mock.patch.object(sys, "path", [*sys.path, str(ROOT / "tests")]):
        pywin32 = importlib.import_module("pywin32")
    found = []
    with pywin32.windows() as xlwings:
        server = xlwings.com_server.XLPython()
        for formula in CALLS:
            name, given = parsed(formula)
            arguments = tuple(pywin32.variant(cell) for cell in given)

            def ask(name: str = f"QN_{name}", arguments: tuple[object, ...] = arguments) -> object:
                return server.CallUDF(pywin32.OURS, name, arguments)

            answer = ask()
            seconds = best(ask, 0.05 if quick else 0.3)
            limit = f"{duration(LIMIT)} a call, without COM"
            right = answer == call(name, given)
            found.append(
                Target(f"Excel, {formula}", f"{answer}", "a direct call's", right, duration(seconds), limit, seconds <= LIMIT)
            )
    return found
