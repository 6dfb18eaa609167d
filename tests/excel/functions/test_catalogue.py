"""The catalogue: names that every spreadsheet takes, help for everything, examples of everything."""

from __future__ import annotations

import re
from typing import Any

import pytest
from qnsolve_excel import catalogue
from qnsolve_excel.catalogue import GROUPS, LONGEST_HELP
from qnsolve_excel.formula import dotted, parsed, underlined

FUNCTIONS = list(catalogue().values())
# reserved identifiers of Visual Basic for Applications, [MS-VBAL] 3.3.5.2; no argument may be called so
RESERVED = """
abs addressof and any array as boolean byref byte byval call case cbool cbyte ccur cdate cdbl cdec cint circle clng
clnglng clngptr close const csng cstr currency cvar cverr date debug declare defbool defbyte defcur defdate defdbl
defint deflng defobj defsng defstr defvar dim do doevents double each else elseif empty end endif enum eqv erase event
exit false fix for friend function get global gosub goto if imp implements in input inputb int integer is lbound len
lenb let like lock long longlong longptr loop lset me mod new next not nothing null on open option optional or
paramarray preserve print private pset public put raiseevent redim rem resume return rset scale seek select set sgn
shared single spc static stop string sub tab then to true type typeof ubound unlock until variant wend while with
withevents write xor
"""
CELL = re.compile(r"[A-Z]{1,3}[0-9]+|R[0-9]*C[0-9]*")  # A1 and R1C1, which no function may be called
NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")


def test_names_are_taken_by_every_spreadsheet() -> None:
    """Letters first, three characters at least, no address of a cell, all different in any case, namespace included."""
    for function in FUNCTIONS:
        assert function.underlined.casefold() not in RESERVED.split()
        assert NAME.fullmatch(function.name), function.name
        assert not CELL.fullmatch(function.name), function.name
        assert len(function.underlined) <= 64, function.name
    assert len({f.name.casefold().replace("_", "") for f in FUNCTIONS}) == len(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_arguments(function: Any) -> None:
    """Names are plain words, all different, optional ones last; Excel takes 29 of a macro function."""
    names = [a.name for a in function.arguments]
    assert len({name.casefold() for name in names}) == len(names) <= 29
    assert not set(names) & set(RESERVED.split())
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) for name in names)
    optional = [a.optional for a in function.arguments]
    assert optional == sorted(optional)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_help(function: Any) -> None:
    """Each function and argument has one; a sentence in one line, as long as Excel's dialog takes."""
    for text in (function.summary, *(a.help for a in function.arguments)):
        assert 10 <= len(text) <= LONGEST_HELP, text
        assert text.isprintable(), text
        assert text[0].isupper() or text.startswith("zIIP"), text
        assert text.endswith((".", "]")), text
    for argument in function.arguments:
        assert ("left out" in argument.help) == argument.optional, argument.help
    assert function.group in GROUPS


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_examples(function: Any) -> None:
    """Three or more, all different, each a call of the function itself; some use every argument it has."""
    assert len(set(function.examples)) == len(function.examples) >= 3
    for example in function.examples:
        name, given = parsed(example)
        assert name == function.name
        assert len(given) <= len(function.arguments)
        assert dotted(underlined(example)) == dotted(example)
