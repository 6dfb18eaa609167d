"""What passes between a sheet and a function: cells, errors of cells, arguments left out, remarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any

# the error values of a sheet: the number that Excel's CVErr takes, and Calc's code
EXCEL_CODES = {"#NULL!": 2000, "#DIV/0!": 2007, "#VALUE!": 2015, "#REF!": 2023, "#NAME?": 2029, "#NUM!": 2036, "#N/A": 2042}
CALC_CODES = {"#NULL!": 521, "#DIV/0!": 532, "#VALUE!": 519, "#REF!": 524, "#NAME?": 525, "#NUM!": 503, "#N/A": 32767}
LONGEST_TEXT = 32767  # characters that a cell holds


class CellError(Exception):
    """An error value of a cell.

    Attributes
    ----------
    code : str
        "#VALUE!": an argument is of the wrong kind or shape. "#NUM!": it is outside the domain, or what it
        describes is saturated or did not converge. "#N/A": a name is not found. Others are passed on.
    reason : str
        One line that says what is wrong and what to do, which `QN.WHY` shows.
    """

    def __init__(self, code: str, reason: str = "") -> None:
        if code not in EXCEL_CODES:
            raise ValueError(f"no error value of a cell: {code!r}")
        self.code, self.reason = code, reason
        super().__init__(code, reason)

    def __str__(self) -> str:
        return f"{self.code} {self.reason}".rstrip()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CellError) and (self.code, self.reason) == (other.code, other.reason)

    def __hash__(self) -> int:
        return hash((self.code, self.reason))


class Omitted(Enum):
    """The argument that was left out; an empty cell is None."""

    OMITTED = "omitted"


OMITTED = Omitted.OMITTED

Cell = float | str | bool | CellError | None  # None is an empty cell
Table = list[list[Any]]  # rows of cells
Numbers = list[float]  # the numbers of a range, row by row


@dataclass
class Remarks:
    """Remarks of a function on its answer: method, exactness, notes."""

    lines: list[str]


_REMARKS: ContextVar[Remarks | None] = ContextVar("remarks", default=None)


def remark(line: str) -> None:
    """Add a remark on the answer; kept only inside `remarks`."""
    listening = _REMARKS.get()
    if listening is not None and line and line not in listening.lines:
        listening.lines.append(line)


@contextmanager
def remarks() -> Iterator[list[str]]:
    """The remarks made inside."""
    kept = Remarks([])
    token = _REMARKS.set(kept)
    try:
        yield kept.lines
    finally:
        _REMARKS.reset(token)
