"""About the functions themselves: why a cell shows what it shows, what there is, which version."""

from __future__ import annotations

import platform
from typing import Annotated, Any

import qnsolve
from qnsolve.errors import QnsolveError

from ..catalogue import catalogue, worksheet_function
from ..cells import OMITTED, CellError, Table, remarks
from ..dispatch import answered, function_of
from ..wording import reason

GROUP = "About"
Given = Annotated[object, "Argument of that function, in its order. None where left out."]


@worksheet_function(GROUP)
def why(
    function_name: Annotated[str, "Name of the function, MMC_RESPONSE for example, with or without QN."],
    argument_1: Given = OMITTED,
    argument_2: Given = OMITTED,
    argument_3: Given = OMITTED,
    argument_4: Given = OMITTED,
    argument_5: Given = OMITTED,
    argument_6: Given = OMITTED,
    argument_7: Given = OMITTED,
    argument_8: Given = OMITTED,
    argument_9: Given = OMITTED,
    argument_10: Given = OMITTED,
) -> str:
    """Why a function shows what it shows: the reason of its error, or how the answer was found and how good it is.

    Examples
    --------
    =QN.WHY("MMC_RESPONSE",12,0.1)
    =QN.WHY("QN.MGC_RESPONSE",90,0.1,10,3)
    =QN.WHY("MMC_RESPONSES",12,0.1)
    """
    given: list[Any] = [argument_1, argument_2, argument_3, argument_4, argument_5]
    given += [argument_6, argument_7, argument_8, argument_9, argument_10]
    while given and given[-1] is OMITTED:
        given.pop()
    with remarks() as said:
        try:
            found = function_of(function_name)
            answer = answered(found, given)
        except CellError as error:
            return error.reason
        except QnsolveError as error:
            return reason(error)
    value = f"{len(answer)} rows" if isinstance(answer, list) else f"{answer:.6g}" if isinstance(answer, float) else answer
    sentences = [part[:1].upper() + part[1:].rstrip(".") for part in (found.summary, found.method, *said) if part]
    return f"{found.usage} is {value}. {'. '.join(sentences)}."


@worksheet_function(GROUP)
def functions(
    about: Annotated[str, "Part of a name or a help text to look for. All of them where left out."] = "",
) -> Table:
    """The worksheet functions: a heading row, then call, group and what it returns.

    Examples
    --------
    =QN.FUNCTIONS()
    =QN.FUNCTIONS("percentile")
    =QN.FUNCTIONS("no such thing")
    """
    word = about.casefold()
    rows: list[list[Any]] = [
        [f.usage, f.group, f.summary] for f in catalogue().values() if word in f"{f.usage} {f.group} {f.summary}".casefold()
    ]
    if not rows:
        raise CellError("#N/A", f"no function has {about[:80]!r} in its call or its help; QN.FUNCTIONS() lists all")
    return [["call", "group", "returns"], *rows]


@worksheet_function(GROUP)
def version() -> str:
    """Version of qnsolve, and of the Python and numpy that it runs with.

    Examples
    --------
    =QN.VERSION()
    =QN.VERSION( )
    =QN_VERSION()
    """
    from numpy import __version__ as numpy

    return f"qnsolve {qnsolve.__version__}, Python {platform.python_version()}, numpy {numpy}"
