"""The functions that xlwings serves to Excel: QN_X for each QN.X of the catalogue.

Off Windows xlwings' decorators hand the functions back as they are; the module is importable there too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import xlwings

from ..catalogue import Function, catalogue
from ..cells import EXCEL_CODES, OMITTED, CellError
from ..dispatch import call

CODES = {number: code for code, number in EXCEL_CODES.items()}
SCODE = -2146828288  # an error value comes as this and its number, in a whole number; a cell's own number is never one


def category(function: Function) -> str:
    """Where Excel's function dialog lists it."""
    return f"qnsolve: {function.group}"


def received(given: Any) -> Any:
    """Excel's values as the dispatcher takes them: an array of one row comes without its second dimension."""
    if isinstance(given, (tuple, list)):
        rows = given if given and isinstance(given[0], (tuple, list)) else [given]
        return [[_cell(value) if type(value) is int else value for value in row] for row in rows]
    return _cell(given) if type(given) is int else given


def sent(answer: Any) -> Any:
    """The answer as xlwings hands it back, rows of values; an error value as its number, the only whole number there is."""
    if isinstance(answer, CellError):
        return [[EXCEL_CODES[answer.code]]]
    if isinstance(answer, list):
        return answer or [[EXCEL_CODES["#N/A"]]]
    return [[answer]]


def _cell(value: int) -> Any:
    number = value - SCODE
    if 2000 <= number < 2100:
        return CellError(CODES.get(number, "#VALUE!"))
    return float(value)


def _made(function: Function) -> Callable[..., Any]:
    """The function that xlwings calls, with the arguments of the catalogue."""

    def cell(*given: Any) -> Any:
        return sent(call(function.name, [received(value) for value in given]))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(a.name, kind, default=OMITTED) for a in function.arguments]
    cell.__name__ = cell.__qualname__ = function.underlined
    cell.__doc__ = function.summary
    cell.__annotations__ = {}
    cell.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    made: Callable[..., Any] = cell
    for argument in function.arguments:
        made = xlwings.arg(argument.name, "raw", doc=argument.help)(made)
    made = xlwings.ret("raw")(made)
    return xlwings.func(category=category(function))(made)  # last: each of the others sets the category back


globals().update({function.underlined: _made(function) for function in catalogue().values()})
