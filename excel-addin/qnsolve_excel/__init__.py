"""Worksheet functions of qnsolve: one catalogue, one dispatcher, and the front ends that are made from them.

    from qnsolve_excel import call, catalogue

`call("MMC_RESPONSE", [8.0, 0.1])` is what a cell with `=QN.MMC_RESPONSE(8, 0.1)` shows.
"""

from .catalogue import Argument, Function, catalogue
from .cells import OMITTED, CellError
from .dispatch import call

__all__ = ["OMITTED", "Argument", "CellError", "Function", "call", "catalogue"]
