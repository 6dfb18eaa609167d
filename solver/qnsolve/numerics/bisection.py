"""The last number for which a condition holds, by doubling and bisection."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)


def last_whole(holds: Callable[[int], bool], low: int, high: int, most: int) -> int | None:
    """The last whole number for which the condition holds; None where it still holds at `most`.

    Parameters
    ----------
    holds : callable
        Assumed to hold at `low`, and not from some number on; evaluated first at `high`.
    low, high, most : int

    Examples
    --------
    >>> last_whole(lambda n: n * n < 50, 1, 2, 1000)
    7
    """
    ends = _bracket(holds, low, high, most)
    if ends is None:
        return None
    low, high = ends
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def last_real(holds: Callable[[float], bool], low: float, high: float, most: float, fine: float = 0.0) -> float | None:
    """The same for real numbers from 0 on, to `fine` relative, or to the last digit."""
    ends = _bracket(holds, low, high, most)
    if ends is None:
        return None
    low, high = ends
    while high - low > fine * high and low < (middle := _between(low, high)) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _bracket(holds: Callable[[Number], bool], low: Number, high: Number, most: Number) -> tuple[Number, Number] | None:
    """A number at which the condition holds, and one at which it does not."""
    while holds(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    return low, high


def _between(low: float, high: float) -> float:
    """The middle of two numbers, geometric while they lie far apart."""
    if low == 0:
        return high / 1024 if high > 1e-90 else 0.0
    return (low * high) ** 0.5 if high > 4 * low and low > 1e-90 else low + (high - low) / 2
