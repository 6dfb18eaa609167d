"""Dates, times and lengths of intervals as reports write them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

import numpy as np

from qnsolve.model.measured_units import factor

NO_TIME = np.datetime64("NaT", "ms")
_NAT = int(NO_TIME.astype(np.int64))
_TIME = r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,:](\d{1,9}))?)?\s*([AaPp][Mm])?"
_ZONE = r"\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_BETWEEN = r"(?:[T\s,_-]+)"
_DATES = (
    ("ymd", r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"),
    ("ydoy", r"(\d{4})[.\-](\d{3})"),
    ("slashes", r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})"),
    ("dots", r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})"),
    ("no year", r"(\d{1,2})/(\d{1,2})"),
)
_FORMS = [(kind, re.compile(rf"{date}(?:{_BETWEEN}{_TIME}{_ZONE})?")) for kind, date in _DATES]
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T-]?(\d{2})(\d{2})(\d{2}))?")
_TIME_ALONE = re.compile(_TIME)
_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE]\+?\d+)?")
_SPOKEN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([A-Za-z]{1,12})")  # 15 min
_EPOCHS = ((1e8, 1e11, 1000.0), (1e11, 1e14, 1.0), (1e14, 1e17, 1e-3), (1e17, 1e20, 1e-6))  # from, below, to milliseconds
MOST_REMEMBERED = 200_000
ASSUMED = "dates such as 03/04/2026 are read as month/day/year, as RMF writes them"


class Clock:
    """Reads times of one file; `notes` says what was assumed.

    Parameters
    ----------
    day_first : bool, optional
        Whether 03/04/2026 is 3 April; by default a file decides where it can, and else it is 4 March, as RMF writes it.
    """

    def __init__(self, day_first: bool | None = None) -> None:
        self.day_first = day_first
        self.notes: dict[str, None] = {}
        self._known: dict[str, int] = {"": _NAT}

    def learn(self, texts: Iterable[str]) -> None:
        """Decide from some of the dates whether the day is written first; what was read before may be otherwise then."""
        if self.day_first is not None:
            return
        for text in texts:
            found = re.match(r"\s*(\d{1,2})/(\d{1,2})/", text)
            if found and int(found.group(1)) > 12:
                self.day_first = True
                self.notes["dates are read as day/month/year: a first number is above 12"] = None
                self._known = {"": _NAT}
            elif found and int(found.group(2)) > 12:
                self.day_first = False
            if self.day_first is not None:
                self.notes.pop(ASSUMED, None)
                return

    @property
    def assumed(self) -> bool:
        """Whether a date was read that may be otherwise."""
        return ASSUMED in self.notes

    def milliseconds(self, text: str) -> int | None:
        """Milliseconds since 1970 of a text; None where it is no time."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) > MOST_REMEMBERED:
                self._known = {"": _NAT}
            try:
                found = self._read(text.strip())
            except (ValueError, OverflowError):
                found = None
            if found is None:
                return None
            self._known[text] = found
        return found

    def _read(self, text: str) -> int | None:
        if not text or text in ("-", "N/A"):
            return _NAT
        if _NUMBER.fullmatch(text) and not (len(text) in (8, 14) and _COMPACT.fullmatch(text) and text < "21"):
            value = float(text)
            for low, high, scale in _EPOCHS:
                if low <= value < high:
                    return round(value * scale)
            return None
        compact = _COMPACT.fullmatch(text)
        if compact:
            return _joined(*(int(part or 0) for part in compact.groups()))
        for kind, form in _FORMS:
            found = form.fullmatch(text)
            if found:
                day, rest = self._date(kind, found.groups())
                return self._at(day, rest)
        return None

    def _date(self, kind: str, parts: tuple[str, ...]) -> tuple[datetime.date, tuple[str, ...]]:
        if kind == "ydoy":
            first = datetime.date(int(parts[0]), 1, 1)
            day = first + datetime.timedelta(days=int(parts[1]) - 1)
            if not 1 <= int(parts[1]) <= 366 or day.year != first.year:
                raise ValueError
            return day, parts[2:]
        if kind == "no year":
            self.notes["dates have no year: the year 2000 is put in"] = None
            return datetime.date(2000, int(parts[0]), int(parts[1])), parts[2:]
        a, b, c = int(parts[0]), int(parts[1]), int(parts[2])
        if kind == "ymd":
            return datetime.date(a, b, c), parts[3:]
        year = c + 2000 if len(parts[2]) == 2 else c
        if kind == "dots":
            return datetime.date(year, b, a), parts[3:]
        if self.day_first is None:
            self.notes[ASSUMED] = None
        return (datetime.date(year, b, a) if self.day_first else datetime.date(year, a, b)), parts[3:]

    def _at(self, day: datetime.date, rest: tuple[str, ...]) -> int:
        hour, minute, second, fraction, half, zone = rest
        at = _joined(day.year, day.month, day.day, 0, 0, 0)
        if hour is not None:
            at += _of_day(hour, minute, second, fraction, half)
        if zone and zone not in ("Z", "UTC", "GMT"):
            sign = -1 if zone[0] == "-" else 1
            at -= sign * (int(zone[1:3]) * 60 + int(zone[-2:])) * 60_000
            self.notes["times with an offset from UTC are converted to UTC"] = None
        return at


def _joined(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int:
    day_number = datetime.date(year, month, day).toordinal() - datetime.date(1970, 1, 1).toordinal()
    if hour > 24 or minute > 59 or second > 60:
        raise ValueError
    return ((day_number * 24 + hour) * 60 + minute) * 60_000 + second * 1000


def _of_day(hour: str, minute: str, second: str | None, fraction: str | None, half: str | None) -> int:
    h = int(hour)
    if half:
        if not 1 <= h <= 12:
            raise ValueError
        h = h % 12 + (12 if half in ("PM", "pm", "Pm", "pM") else 0)
    if h > 24 or int(minute) > 59 or int(second or 0) > 60:
        raise ValueError
    part = round(float(f"0.{fraction}") * 1000) if fraction else 0
    return (h * 3600 + int(minute) * 60 + int(second or 0)) * 1000 + part


def time_of_day(text: str) -> int | None:
    """Milliseconds since midnight of a time alone; None where it is none.

    >>> time_of_day("10.30.00"), time_of_day("7:05 PM")
    (37800000, 68700000)
    """
    found = _TIME_ALONE.fullmatch(text.strip())
    if not found:
        return None
    try:
        return _of_day(*found.groups())
    except ValueError:
        return None


def duration(text: str) -> float | None:
    """Seconds of a duration: 29:59:999 and 29:59.996 (minutes), 00.15.00 (hours), 00.03.37.095, 900, 15m; None for none.

    >>> duration("29:59:999"), duration("00.15.00"), duration("00.03.37.095"), duration("1.30.250"), duration("1h")
    (1799.999, 900.0, 217.095, 90.25, 3600.0)
    """
    text = text.strip()
    spoken = _SPOKEN.fullmatch(text)
    if spoken:
        unit = spoken.group(2).lower()
        scale = factor({"m": "min", "hr": "h", "hrs": "h"}.get(unit, unit), "s")
        return float(spoken.group(1)) * scale[0] if scale else None
    parts = re.split(r"[:.]", text)
    if not all(part.isdecimal() and part.isascii() and len(part) <= 15 for part in parts) or len(parts) > 5:
        return None
    if len(parts) == 1 or (len(parts) == 2 and ":" not in text):
        return float(text)
    fraction = ""
    if len(parts[-1]) >= 3 and len(parts) > 2:
        fraction = parts.pop()
    total = 0.0
    for part in parts:
        total = total * 60 + int(part)
    return total + (float(f"0.{fraction}") if fraction else 0.0)
