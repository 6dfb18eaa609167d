"""Worksheet functions: time of one call as Excel makes it, over the real xlwings and a stand-in for COM."""

from __future__ import annotations

from benchmarks.timing.clock import best
from benchmarks.timing.table import duration
from benchmarks.timing.targets import Target

LIMIT = 100e-6  # seconds a call
CALLS = ("=QN.MMC_RESPONSE(8,0.1)", "=QN.ERLANG_C(90,0.1,12)")


def collect(quick: bool) -> list[Target]:
    """A target for each call."""
    from qnsolve_excel import call
    from qnsolve_excel.formula import parsed

    from tests.support import pywin32_double

    found = []
    with pywin32_double.windows() as xlwings:
        server = xlwings.com_server.XLPython()
        for formula in CALLS:
            name, given = parsed(formula)
            arguments = tuple(pywin32_double.variant(cell) for cell in given)

            def ask(name: str = f"QN_{name}", arguments: tuple[object, ...] = arguments) -> object:
                return server.CallUDF(pywin32_double.OURS, name, arguments)

            answer = ask()
            seconds = best(ask, 0.05 if quick else 0.3)
            limit = f"{duration(LIMIT)} a call, without COM"
            right = answer == call(name, given)
            found.append(
                Target(f"Excel, {formula}", f"{answer}", "a direct call's", right, duration(seconds), limit, seconds <= LIMIT)
            )
    return found
