"""A stand-in for pywin32, just enough for the real xlwings to load its Windows part and answer calls of Excel.

    with pywin32_double.windows() as xlwings:
        xlwings.com_server.XLPython().CallUDF(module, function, arguments)

Nothing of xlwings is replaced. What COM would do on the way is done by `variant`: values become what pywin32
makes of Excel's values.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest import mock

from qnsolve_excel.cells import EXCEL_CODES, OMITTED, CellError

OURS = "qnsolve_excel.xlam.udfs"
LEFT_OUT = -2147352572  # an argument left out
ERROR = -2146828288  # an error value is this and its number


class Blank(ModuleType):
    """A module of pywin32 in which everything that is asked for is an empty class."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made: Any = type(name, (Exception,), {}) if name in {"com_error", "error"} else type(name, (), {})
        setattr(self, name, made)
        return made


PARTS = (
    *("pythoncom", "pywintypes", "win32api", "win32con", "win32event", "win32gui", "win32process", "win32timezone"),
    *("win32com", "win32com.client", "win32com.client.dynamic", "win32com.server", "win32com.server.dispatcher"),
    *("win32com.server.policy", "win32com.server.util"),
)


def _modules() -> dict[str, ModuleType]:
    made: dict[str, ModuleType] = {name: Blank(name) for name in PARTS}
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, module)
        module.__path__ = []
    com: Any = made["pythoncom"]
    com.CoInitialize = lambda: None
    com.__file__ = "pythoncom.dll"
    com.IID_IDispatch, com.IID_IEnumVARIANT = "IDispatch", "IEnumVARIANT"
    com.TypeIIDs = {"IDispatch": type("PyIDispatch", (), {})}
    util: Any = made["win32com.server.util"]
    util.unwrap = _unwrap
    return made


def _unwrap(value: object) -> object:
    raise ValueError("no object of Python")


@contextmanager
def windows() -> Iterator[Any]:
    """The real xlwings, loaded as on Windows, and our functions with its real decorators."""

    def own(name: str) -> bool:
        return name == OURS or name.partition(".")[0] in {"xlwings", *PARTS}

    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if own(name)}
    sys.modules.update(_modules())
    libraries = {name: mock.MagicMock(name=name) for name in ("windll", "oledll", "PyDLL")}
    try:
        with mock.patch.multiple(ctypes, create=True, **libraries), mock.patch.object(sys, "platform", "win32"):
            xlwings = importlib.import_module("xlwings")
        importlib.import_module(OURS)
        yield xlwings
    finally:
        for name in list(sys.modules):
            if own(name):
                del sys.modules[name]
        sys.modules.update(kept)


def variant(value: Any) -> Any:
    """A value for the dispatcher as pywin32 hands it over, coming from Excel."""
    if isinstance(value, (list, tuple)):
        rows = tuple(tuple(variant(cell) for cell in row) for row in value)
        return rows[0] if len(rows) == 1 else rows  # Excel gives a row of constants one dimension
    if value is OMITTED:
        return LEFT_OUT
    if isinstance(value, CellError):
        return ERROR + EXCEL_CODES[value.code]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
