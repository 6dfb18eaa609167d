"""Between Calc and the solver: finds the solver, and turns Calc's values into cells and answers into Calc's values.

It travels in the extension as pythonpath/qnsolve_bridge.py and runs in LibreOffice's own Python, of whatever
version: standard library only, and nothing that a Python of 3.8 cannot read.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

ELSEWHERE = "QNSOLVE_PYTHONPATH"  # folders to import from, before those that the extension was written with
AGAIN = "run `qnsolve addin calc --install` there and start Calc again"
NOT_AVAILABLE = 32767  # Calc's code of #N/A


def error_value(code: int) -> float:
    """Calc's error value: a quiet NaN with the code in its last bits."""
    return float(struct.unpack("<d", struct.pack("<Q", 0x7FF8 << 48 | code))[0])


class Bridge:
    """The functions as Calc calls them: `bridge.call(name, values)`.

    Parameters
    ----------
    written : dict
        What the extension was written with: "python", its minor version; "folders", to import from.

    Attributes
    ----------
    call : callable
        Takes the name of a function and Calc's values: a number, a text, a tuple of rows, None where left
        out. Returns a number, a text or a tuple of rows; an error value is a number. Raises nothing.
    """

    def __init__(self, written: dict[str, Any]) -> None:
        given = [folder for folder in os.environ.get(ELSEWHERE, "").split(os.pathsep) if folder]
        self.python: str = written["python"]
        self.folders: list[str] = list(dict.fromkeys(given + written["folders"]))
        self.call: Callable[[str, Sequence[Any]], Any] = self._first

    def _first(self, name: str, given: Sequence[Any]) -> Any:
        """Import the solver; from then on calls go straight to it, or are answered with the reason why there is none."""
        try:
            self.call = self._connected()
        except BaseException as error:  # whatever a foreign Python makes of it, the sheet goes on
            self.call = self._without(self._reason(error))
        return self.call(name, given)

    def _connected(self) -> Callable[[str, Sequence[Any]], Any]:
        before = sys.path[:]
        sys.path[:] = self.folders + before  # in front for now, so that no other numpy is taken
        try:
            import_module("numpy")
            dispatch = import_module("qnsolve_excel.dispatch")
            cells = import_module("qnsolve_excel.cells")
        finally:
            sys.path[:] = before + [folder for folder in self.folders if folder not in before]
        answer_of, omitted = dispatch.call, cells.OMITTED
        errors = {code: error_value(number) for code, number in cells.CALC_CODES.items()}

        def call(name: str, given: Sequence[Any]) -> Any:
            answer = answer_of(name, [omitted if value is None else value for value in given])
            if isinstance(answer, (float, str)):
                return answer
            return tuple(map(tuple, answer)) if isinstance(answer, list) else errors[answer.code]

        return call

    @staticmethod
    def _without(reason: str) -> Callable[[str, Sequence[Any]], Any]:
        return lambda name, given: reason if name in {"WHY", "VERSION"} else error_value(NOT_AVAILABLE)

    def _reason(self, error: BaseException) -> str:
        """What is missing and how to repair it, in one sentence."""
        here = "{}.{}".format(*sys.version_info[:2])
        gone = [folder for folder in self.folders if not os.path.isdir(folder)]
        places = os.pathsep.join(self.folders)
        if here != self.python and not os.environ.get(ELSEWHERE):
            reason = f"LibreOffice runs Python {here} and qnsolve is installed for Python {self.python}"
            return f"{reason}: install qnsolve with a Python {here}, {AGAIN}."
        if gone:
            return f"There is no folder {gone[0]} any more, where qnsolve was: install qnsolve, {AGAIN}."
        if isinstance(error, ModuleNotFoundError):
            return f"Python's module {error.name} is not in {places}: install it there and start Calc again."
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return f"qnsolve cannot be imported from {places} ({reason}): install qnsolve again, {AGAIN}."
