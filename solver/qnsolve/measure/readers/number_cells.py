"""Cells of a column to numbers: what means "not measured", decimal commas, separators of thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.model import checks

Array = NDArray[np.float64]
ABSENT = frozenset(
    ("", "-", "--", "---", "----", "-----", "n/a", "na", "#n/a", "null", "none", "nil", "nan", ".", "*", "****", "?", "no data")
)
_GROUPS = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+") for mark in (",", ".")}
_CLOCK = re.compile(r"(?:(\d{1,5}):)?(\d{1,5}):(\d{2}(?:[.,]\d{1,9})?)")
_WITH = re.compile(r"[+-]?\d+(?:[,.]\d+)+")


class NoNumberError(Exception):
    """A cell that is no number: its position in the column and its text."""

    def __init__(self, position: int, text: str) -> None:
        self.position, self.text = position, text
        super().__init__(position, text)


class Marks:
    """How the numbers of a file are written: the decimal mark and the mark of thousands, "" for none."""

    def __init__(self, decimal: str = ".", thousands: str = "") -> None:
        self.decimal, self.thousands = decimal, thousands

    @property
    def plain(self) -> bool:
        """Whether Python reads such numbers as they are."""
        return self.decimal == "." and not self.thousands

    def cleaned(self, text: str) -> str:
        """The text of a number as Python writes it."""
        if self.thousands and self.thousands in text:
            whole, mark, rest = text.partition(self.decimal)
            groups = whole.split(self.thousands)
            if any(len(group) != 3 for group in groups[1:]) or self.thousands in rest:
                return "no number"
            text = "".join(groups) + mark + rest
        if self.decimal != ".":
            text = "no number" if "." in text else text.replace(self.decimal, ".")
        return text


def guessed(cells: Iterable[str], separator: str) -> tuple[Marks, str, str]:
    """The marks that the cells show, what to note, and a question where they do not decide.

    One cell with both marks, or with a mark that cannot stand between thousands (0,020), decides. 1,234 alone decides where
    the columns are separated by commas: it is a thousand there, and noted.
    """
    commas = points = both = 0
    comma_decimal = point_decimal = comma_twice = point_twice = False
    order: set[str] = set()
    example = ""
    for cell in cells:
        text = cell.strip()
        if not _WITH.fullmatch(text):
            continue
        has_comma, has_point = "," in text, "." in text
        if has_comma and has_point:
            both += 1
            order.add("," if text.rfind(",") > text.rfind(".") else ".")
        elif has_comma:
            commas += 1
            example = example or text
            comma_twice |= text.count(",") > 1
            comma_decimal |= not _GROUPS[","].fullmatch(text)
        else:
            points += 1
            point_twice |= text.count(".") > 1
            point_decimal |= not _GROUPS["."].fullmatch(text)
    if not commas and not both:
        return Marks(), "", ""
    if order == {","} or (not both and comma_decimal and not comma_twice and not point_decimal):
        thousands = "." if both or point_twice or points else ""
        return Marks(",", thousands), "the decimal mark is a comma", ""
    if order == {"."} or (not both and (comma_twice or point_decimal or separator == ",") and not comma_decimal):
        return Marks(".", ","), f"{example or 'a comma'} is read with commas between thousands", ""
    return Marks(), "", f"{example or '1,234'} may be a decimal comma or a thousand"


def seconds_of_clock(text: str) -> float | None:
    """Seconds of a time as a clock shows it; None where it is none.

    >>> seconds_of_clock("00:08:12.813"), seconds_of_clock("1:30")
    (492.813, 90.0)
    """
    found = _CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def absent(text: str) -> bool:
    """Whether a cell says that nothing was measured."""
    return text.strip().lower() in ABSENT


def numbers(cells: Sequence[Any], marks: Marks) -> Array:
    """The values of a column, nan where nothing was measured.

    Raises
    ------
    NoNumberError
    """
    n = len(cells)
    if marks.plain:
        try:
            found = np.fromiter(map(float, cells), np.float64, n)
        except (ValueError, TypeError, OverflowError):
            found = _with_gaps(cells, marks)
    else:
        found = _slowly(cells, marks)
    wrong = np.abs(found) > checks.LARGEST
    if wrong.any():
        at = int(np.argmax(wrong))
        raise NoNumberError(at, str(cells[at])[:60])
    return found


def clock_times(cells: Sequence[Any]) -> Array:
    """Seconds of a column of times as a clock shows them, nan where nothing was measured.

    Raises
    ------
    NoNumberError
    """
    found = np.empty(len(cells))
    for i, cell in enumerate(cells):
        value = math.nan if absent(str(cell)) else seconds_of_clock(str(cell))
        if value is None:
            raise NoNumberError(i, str(cell)[:60])
        found[i] = value
    return found


def number(text: Any, marks: Marks | None = None) -> float | None:
    """One cell: nan where nothing was measured, None where it is no number."""
    if isinstance(text, bool):
        return None
    if not isinstance(text, str):
        try:
            return math.nan if text is None else float(text)
        except (ValueError, TypeError, OverflowError):
            return None
    if absent(text):
        return math.nan
    clean = (marks or Marks()).cleaned(text.strip())
    if clean[-1:] == "%":
        clean = clean[:-1]
    if "_" in clean or len(clean) > 400:
        return None
    try:
        return float(clean)
    except ValueError:
        return None


def _with_gaps(cells: Sequence[Any], marks: Marks) -> Array:
    """Where empty cells are all that is no number."""
    try:
        return np.fromiter((float(cell or "nan") for cell in cells), np.float64, len(cells))
    except (ValueError, TypeError, OverflowError):
        return _slowly(cells, marks)


def _slowly(cells: Sequence[Any], marks: Marks) -> Array:
    found = np.empty(len(cells))
    for i, cell in enumerate(cells):
        value = number(cell, marks)
        if value is None:
            raise NoNumberError(i, str(cell)[:60])
        found[i] = value
    return found


def divided(above: Array, below: Array) -> Array:
    """A quotient, nan where nothing was there to divide by, or where it is no figure that was ever measured."""
    with np.errstate(all="ignore"):
        found = np.where(below > 0, above / below, np.nan)
    return np.where(np.abs(found) <= checks.LARGEST, found, np.nan)
