"""Growth a year, as planners write it: "8%/year", "2%/quarter", "1.08^4"."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from qnsolve.errors import ModelError

from .measured_units import pointed

YEAR = 365.25  # days
PERIODS = {"year": 1.0, "quarter": 4.0, "month": 12.0, "week": YEAR / 7, "day": YEAR}
SHORT = {"y": "year", "yr": "year", "q": "quarter", "m": "month", "w": "week", "d": "day"}
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
PERCENT = re.compile(rf"\s*({NUMBER})\s*%\s*(?:(?:/|a\b|per\b)?\s*([a-z]+))?\s*")
POWER = re.compile(rf"\s*({NUMBER})\s*\^\s*({NUMBER})\s*")


def a_year(item: str, given: Any) -> float:
    """A growth as ratio less 1 a year.

    Parameters
    ----------
    item : str
        What an error names.
    given : float or str
        0.08 is 8 % a year; "8%/year", "2%/quarter", "1%/month", "0.1%/week"; "1.08^4" is 8 % four times a year.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> round(a_year("growth", "2%/month"), 4)
    0.2682
    >>> round(a_year("growth", "1.08^4"), 4), round(a_year("growth", "8%/quarter"), 4)
    (0.3605, 0.3605)
    """
    base, times = _base(item, given)
    if not 0 < base <= 101:
        raise ModelError(item, "must be above -100 % and at most 10,000 %", "write 8%/year", given)
    try:
        value = base**times - 1
    except OverflowError:
        value = np.inf
    if not (value < 1e6 and value > -1):
        raise ModelError(item, "must be below a million times a year", "correct the growth or its period", given)
    return float(value)


def _base(item: str, given: Any) -> tuple[float, float]:
    """What the load is multiplied with, and how often a year."""
    if isinstance(given, str):
        if match := POWER.fullmatch(given):
            return float(match[1]), float(match[2])
        match = PERCENT.fullmatch(given.lower())
        word = (match[2] or "year") if match else ""
        word = SHORT.get(word, word)
        if match is None or word not in PERIODS:
            rule = "must be a percentage a year, quarter, month, week or day"
            raise ModelError(item, rule, pointed(given, "write 8%/year"), given)
        return 1 + float(match[1]) / 100, PERIODS[word]
    repair = "write 0.08 or '8%/year'"
    if isinstance(given, bool | np.bool_):
        raise ModelError(item, "must be a number", repair, given)
    try:
        share = float(given)
    except (TypeError, ValueError):
        raise ModelError(item, "must be a number", repair, given) from None
    if share > 1:
        raise ModelError(item, "must be at most 1 as a number, which is 100 %", repair, given)
    return 1 + share, 1.0
