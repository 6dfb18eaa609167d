"""The dispatcher: a name and cells in, a value, a table or an error value out. No exception leaves it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from qnsolve.errors import QnsolveError, one_line

from .arguments import converted, in_order
from .catalogue import NAMESPACE, Function, catalogue
from .cells import LONGEST_TEXT, OMITTED, CellError
from .deadline import one_call
from .wording import in_cell

Answer = float | str | list[list[float | str]] | CellError


def call(name: str, given: Sequence[Any] = ()) -> Answer:
    """The answer of a worksheet function, as its cell shows it.

    Parameters
    ----------
    name : str
        With or without namespace, dotted or underlined, in any case.
    given : sequence
        A cell or a range, rows of cells, for each argument; None is an empty cell, OMITTED an argument
        left out, CellError an error value.

    Returns
    -------
    float, str, list of rows, or CellError
        In a table "" stands where a figure does not apply; there is no None and no nan.

    Examples
    --------
    >>> round(call("QN.MMC_RESPONSE", [8.0, 0.1]), 12)
    0.5
    >>> call("mmc_response", [12.0, 0.1]).code
    '#NUM!'
    """
    try:
        with one_call():
            return answered(function_of(name), given)
    except CellError as error:
        return error
    except QnsolveError as error:
        return in_cell(error)
    except (ArithmeticError, MemoryError) as error:
        return CellError("#NUM!", one_line(f"the figures are too large or too small: {error or type(error).__name__}"))
    except Exception as error:  # a fault of ours: the sheet goes on, and the reason says what to report
        return CellError("#VALUE!", one_line(f"a fault in {name[:80]}, please report it: {type(error).__name__}: {error}"))


def function_of(name: str) -> Function:
    """The function of that name."""
    short = name.strip().upper()
    for prefix in (f"{NAMESPACE}.", f"{NAMESPACE}_"):
        short = short.removeprefix(prefix)
    found = catalogue().get(short)
    if found is None:
        raise CellError("#NAME?", f"there is no function {name[:80]!r}; QN.FUNCTIONS() lists them")
    return found


def answered(function: Function, given: Sequence[Any]) -> Answer:
    """The clean answer of a function; raises what is wrong."""
    expected = function.arguments
    if len(given) > len(expected):
        raise CellError("#VALUE!", f"{len(given)} arguments; the call is {function.usage}")
    if function.own:
        given = in_order(given, function.own)
    padded = [*given, *[OMITTED] * (len(expected) - len(given))]
    result = function.run(*[converted(argument, cell) for argument, cell in zip(expected, padded, strict=True)])
    if function.spills:
        return [[_entry(cell) for cell in row] for row in result]
    return _value(result)


def _value(result: Any) -> float | str:
    if isinstance(result, str):
        return result[:LONGEST_TEXT]
    value = float(result)
    if not math.isfinite(value):
        raise CellError("#NUM!", "this model has no such figure")
    return value


def _entry(cell: Any) -> float | str:
    if cell is None or isinstance(cell, str):
        return (cell or "")[:LONGEST_TEXT]
    value = float(cell)
    return value if math.isfinite(value) else ""
