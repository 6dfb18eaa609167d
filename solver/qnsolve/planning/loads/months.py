"""Months: how they are written, read and gathered into quarters and years."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from qnsolve.errors import ModelError

Month = np.datetime64  # of unit M
PERIODS = {"month": 1, "quarter": 3, "year": 12}  # months
QUARTER = re.compile(r"\s*(\d{4})\s*-?\s*[Qq]([1-4])\s*")
QUARTER_FIRST = re.compile(r"\s*[Qq]([1-4])\s*[-/ ]?\s*(\d{4})\s*")
EARLIEST, LATEST = np.datetime64("1990-01"), np.datetime64("2200-12")


def month_of(item: str, given: Any, *, last: bool = False) -> Month:
    """The month that a date lies in.

    Parameters
    ----------
    item : str
        What an error names.
    given : str, date or datetime64
        "2027-12", "2027-12-24", "2027-Q4", "2027".
    last : bool, default False
        Of a quarter or year the last month in place of the first.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> str(month_of("until", "2027-Q4", last=True)), str(month_of("from", "2027"))
    ('2027-12', '2027-01')
    """
    if isinstance(given, bool | int | float) and not (isinstance(given, int) and 1990 <= given <= 2200 and given is not True):
        raise ModelError(item, "must be a month or a date", "write 2027-12", given)
    text = str(given)
    if match := QUARTER.fullmatch(text) or QUARTER_FIRST.fullmatch(text):
        year, quarter = (match[1], match[2]) if len(match[1]) == 4 else (match[2], match[1])
        return _within(item, np.datetime64(f"{year}-{3 * int(quarter) - (0 if last else 2):02d}"), given)
    try:
        date = np.datetime64(text.strip())
        month = date.astype("datetime64[M]")
    except (ValueError, TypeError):
        raise ModelError(item, "must be a month or a date", "write 2027-12", given) from None
    if last and np.datetime_data(date.dtype)[0] == "Y":
        month = month + 11
    return _within(item, month, given)


def _within(item: str, month: Month, given: Any) -> Month:
    if np.isnat(month) or not EARLIEST <= month <= LATEST:
        raise ModelError(item, f"must lie within {EARLIEST} and {LATEST}", "write 2027-12", given)
    return month


def number_of(month: Month) -> int:
    """1 to 12."""
    return int(month.astype(np.int64)) % 12 + 1


def label(month: Month, by: str) -> str:
    """How a period is named by its month: "2027-05", "2027-Q2", "2027"."""
    year = str(month.astype("datetime64[Y]"))
    if by == "quarter":
        return f"{year}-Q{(number_of(month) + 2) // 3}"
    return year if by == "year" else str(month)


def period_end(month: Month, by: str) -> Month:
    """The last month of its period."""
    length = PERIODS[by]
    return month + (-number_of(month)) % length


def years_between(first: Month, then: Month) -> float:
    """Years from one month to another."""
    return float((then - first).astype(np.int64)) / 12


def counted_months(count: int) -> str:
    """Months in words: "14 months", "1 month", "10 years" from three years on."""
    if count >= 36:
        years = count / 12
        return f"{years:.2g} years" if count % 12 else f"{count // 12} years"
    return f"{count} month{'' if count == 1 else 's'}"
