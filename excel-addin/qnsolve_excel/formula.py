"""Formulas as text: their spelling in each program, and calls with plain values."""

from __future__ import annotations

import re
from typing import Any

from .cells import EXCEL_CODES, OMITTED, CellError

# QN_X(  [1]!QN_X(  'C:\x.xlam'!QN_X(  _xll.QN.X(  _xldudf_QN_X(  are the same function, as different programs store it
STORED = re.compile(
    r"(?<![A-Za-z0-9_.])(?:(?:'[^']*'|\[\d+\])!|_xll\.|_xldudf_|_xlfn\.)?QN[._]([A-Z][A-Z0-9_]*)(?=\()", re.IGNORECASE
)
QUOTED = re.compile(r'("(?:[^"]|"")*")')
CALL = re.compile(r"^=?\s*QN[._](\w+)\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)
TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"]|"")*")|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:E[-+]?\d+)?)|(?P<flag>TRUE|FALSE)(?![\w.])'
    r"|(?P<error>#(?:N/A|NAME\?|(?:NULL|DIV/0|VALUE|REF|NUM)!))|(?P<mark>[{};,]))\s*",
    re.IGNORECASE,
)


def dotted(formula: str) -> str:
    """The formula with every call of ours in its documented spelling, whichever program stored it.

    Examples
    --------
    >>> dotted('=1+[2]!QN_ERLANG_B(3,1,2)&"QN_X("')
    '=1+QN.ERLANG_B(3,1,2)&"QN_X("'
    """
    return _outside_texts(formula, lambda m: f"QN.{m.group(1).upper()}")


def underlined(formula: str) -> str:
    """The formula as Excel's VBA functions are called.

    Examples
    --------
    >>> underlined("=QN.ERLANG_B(3,1,2)")
    '=QN_ERLANG_B(3,1,2)'
    """
    return _outside_texts(formula, lambda m: f"QN_{m.group(1).upper()}")


def _outside_texts(formula: str, spelled: Any) -> str:
    return "".join(part if i % 2 else STORED.sub(spelled, part) for i, part in enumerate(QUOTED.split(formula)))


def parsed(formula: str) -> tuple[str, list[Any]]:
    """Name and arguments of one call whose arguments are plain values or arrays of them.

    Raises
    ------
    ValueError
        Where it is anything else: a reference, a sum, a name.

    Examples
    --------
    >>> parsed('=QN.CLOSED({0.2,0.1},50,,"x")')
    ('CLOSED', [[[0.2, 0.1]], 50.0, <Omitted.OMITTED: 'omitted'>, 'x'])
    """
    matched = CALL.match(formula)
    if not matched:
        raise ValueError(f"is no call of a worksheet function: {formula!r}")
    body = matched.group(2)
    return matched.group(1).upper(), _arguments(_tokens(body)) if body.strip() else []


def _tokens(body: str) -> list[Any]:
    """Marks as one-letter tuples, values as they are."""
    found: list[Any] = []
    place = 0
    while place < len(body):
        token = TOKEN.match(body, place)
        if not token:
            raise ValueError(f"is no plain value: {body[place : place + 20]!r}")
        place = token.end()
        kind, word = token.lastgroup, token.group(token.lastgroup or 0)
        if kind == "text":
            found.append(word[1:-1].replace('""', '"'))
        elif kind == "mark":
            found.append((word,))
        elif kind == "error":
            found.append(CellError(next(code for code in EXCEL_CODES if code == word.upper())))
        else:
            found.append(float(word) if kind == "number" else word.upper() == "TRUE")
    return found


def _arguments(tokens: list[Any]) -> list[Any]:
    found: list[Any] = []
    rows: list[list[Any]] | None = None
    value: Any = OMITTED
    for token in [*tokens, (",",)]:
        if not isinstance(token, tuple):
            if value is not OMITTED:
                raise ValueError("two values without a comma between them")
            value = token
        elif token == ("{",) and rows is None and value is OMITTED:
            rows = [[]]
        elif rows is not None and token in {(",",), (";",), ("}",)}:
            rows[-1].append(value)
            if OMITTED in rows[-1]:
                raise ValueError("an array holds an empty place")
            rows += [[]] if token == (";",) else []
            value, rows = (rows, None) if token == ("}",) else (OMITTED, rows)
        elif token == (",",):
            found.append(value)
            value = OMITTED
        else:
            raise ValueError(f"{token[0]} is out of place")
    if rows is not None:
        raise ValueError("an array without its }")
    return found
