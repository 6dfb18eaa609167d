"""Figures as people read them: three or four digits, times in a unit that suits them, shares in percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

DIGITS = 4
NOTHING = 1e-12  # what is smaller is nothing
SMALLEST, LARGEST = 1e-6, 1e7  # outside of them a number has an exponent
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
LEAST_READ = 0.01  # of a unit: smaller numbers are hard to read in it
MOST_READ = 1e4
ROUNDED = 1 - 5e-5  # what is rounded to 1000 of a unit is 1 of the next
TENTH = 10.0  # percent from which one decimal is enough


def short(value: float, digits: int = DIGITS, places: int | None = None) -> str:
    """A number with so many digits, and so many decimals at most.

    Parameters
    ----------
    value : float
    digits : int, default 4
        Whole numbers keep all of theirs.
    places : int, optional
        What is 0 with so many decimals is printed as 0.

    Examples
    --------
    >>> short(17.8143), short(1497.21), short(26000.4), short(0.000105, places=3), short(2.0)
    ('17.81', '1497', '26000', '0', '2')
    """
    if math.isnan(value):
        return "-"
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    size = abs(float(f"{value:.{digits}g}"))
    if size < NOTHING or (places is not None and size < 0.5 * 10**-places):
        return "0"
    if size >= LARGEST or size < SMALLEST:
        return f"{value:.{digits}g}"
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    text = f"{value:.{decimals if places is None else min(decimals, places)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def percent(value: float) -> str:
    """A percentage: one decimal from 10 % on, two below, nothing as 0.

    >>> percent(62.656), percent(4.591), percent(0.0003), percent(100.0)
    ('62.7', '4.59', '0', '100')
    """
    return short(value, 12, places=1 if abs(value) >= TENTH else 2)


def time(seconds: float, digits: int = DIGITS) -> str:
    """A time with its unit.

    >>> time(0.017814), time(8.2e-6), time(1.2), time(0.0)
    ('17.81 ms', '8.2 µs', '1.2 s', '0 s')
    """
    unit, size = unit_of((seconds,)) or TIMES[0]
    return f"{short(seconds / size, digits)} {unit}" if not math.isnan(seconds) else "-"


def span(low: float, high: float) -> str:
    """A range of times, in one unit.

    >>> span(0.0123, 0.0456)
    '12.3 to 45.6 ms'
    """
    if math.isnan(low):
        return "-"
    if not math.isfinite(high):
        return f"{time(low)} to {short(high)}"
    unit, size = unit_of((high,)) or TIMES[0]
    return f"{short(low / size)} to {short(high / size)} {unit}"


def unit_of(values: Iterable[float], *, together: bool = False) -> tuple[str, float] | None:
    """The unit in which times read well, and its seconds; None where no unit suits them all.

    Parameters
    ----------
    values : iterable of float
        [s]
    together : bool, default False
        They are parts of one time: small ones need no digits of their own.

    Examples
    --------
    >>> unit_of([0.0178, 0.27]), unit_of([6e-6]), unit_of([0.0]), unit_of([1200.0, 0.002])
    (('ms', 0.001), ('µs', 1e-06), ('s', 1.0), None)
    """
    sizes = [abs(value) for value in values if math.isfinite(value) and abs(value) > NOTHING]
    if not sizes:
        return TIMES[0]
    most, least = max(sizes), min(sizes)
    if together:
        return next(((unit, size) for unit, size in TIMES if most / size >= ROUNDED), TIMES[-1])
    fit = [(unit, size) for unit, size in TIMES if least / size >= LEAST_READ and most / size < MOST_READ]
    if len(sizes) == 1 and not fit:
        return TIMES[-1] if most < 1 else TIMES[0]
    # of those in which all can be read the one in which most are read best, the larger one of two
    return max(fit, key=lambda each: sum(ROUNDED <= value / each[1] < 1000 * ROUNDED for value in sizes), default=None)


def moved(before: float, after: float, said: Callable[[float], str]) -> str:
    """A figure before and after a change, each as `said` prints it, with the change in percent.

    >>> moved(0.01781, 0.0152, time), moved(2.0, 2.0, short)
    ('17.81 ms to 15.2 ms (-14.7 %)', '2 as before')
    """
    if said(before) == said(after):
        return f"{said(after)} as before"
    if not (before and math.isfinite(before) and math.isfinite(after)):
        return f"{said(before)} to {said(after)}"
    return f"{said(before)} to {said(after)} ({signed(100 * (after / before - 1))} %)"


def signed(value: float) -> str:
    """A percentage with its sign."""
    text = percent(value)
    return text if text.startswith("-") or text in ("0", "inf") else f"+{text}"
