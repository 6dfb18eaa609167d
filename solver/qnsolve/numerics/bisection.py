"""Bisection: the last number for which a condition holds, and the bracket around it."""

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
    return narrowed(holds, *ends, middle=whole_half)[0]


def last_real(holds: Callable[[float], bool], low: float, high: float, most: float, fine: float = 0.0) -> float | None:
    """The same for real numbers from 0 on, to `fine` relative, or to the last digit."""
    ends = _bracket(holds, low, high, most)
    if ends is None:
        return None
    return narrowed(holds, *ends, fine, _between)[0]


def halfway(low: float, high: float) -> float:
    """The arithmetic mean of two numbers, without overflow."""
    return low + (high - low) / 2


def narrowed(
    holds: Callable[[Number], bool],
    low: Number,
    high: Number,
    fine: float = 0.0,
    middle: Callable[[Number, Number], Number] = halfway,  # type: ignore[assignment]
) -> tuple[Number, Number]:
    """Bisection: the ends of a bracket, narrowed to `fine` relative to the upper one, or to the last digit.

    Parameters
    ----------
    holds : callable
        Holds at `low` and not at `high`; where it holds several times, one of the ends is found.
    low, high : int or float
    fine : float, default 0
    middle : callable
        The number between two that is asked next.

    Examples
    --------
    >>> low, high = narrowed(lambda x: x * x < 2, 0.0, 2.0)
    >>> low < 2**0.5 <= high, high - low < 3e-16
    (True, True)
    """
    while high - low > fine * high and low < (between := middle(low, high)) < high:
        low, high = (between, high) if holds(between) else (low, between)
    return low, high


def _bracket(holds: Callable[[Number], bool], low: Number, high: Number, most: Number) -> tuple[Number, Number] | None:
    """A number at which the condition holds, and one at which it does not."""
    while holds(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    return low, high


def whole_half(low: Number, high: Number) -> Number:
    """The whole number half way, rounded down."""
    return (low + high) // 2


def _between(low: float, high: float) -> float:
    """The middle of two numbers, geometric while they lie far apart."""
    if low == 0:
        return high / 1024 if high > 1e-90 else 0.0
    return (low * high) ** 0.5 if high > 4 * low and low > 1e-90 else low + (high - low) / 2
