"""Work that an overloaded interval leaves to the next: the fluid of the fullest center."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array


@dataclass(frozen=True, eq=False)
class Backlog:
    """What is left over, of n intervals.

    Attributes
    ----------
    left : ndarray (n,)
        Time that the fullest center needs for the backlog at the end of each interval [s].
    delay : ndarray (n,)
        Mean delay by the backlog of what comes in each interval [s].
    worked_off : ndarray (n,)
        When the backlog ends, from the begin of the interval [s]; nan where there is none or it does not end there.
    """

    left: Array
    delay: Array
    worked_off: Array


def backlog(offered: Array, length: Array, follows: NDArray[np.bool_] | None = None) -> Backlog:
    """The fluid: what is asked for beyond 1 is carried on, and worked off by what is free later.

    Parameters
    ----------
    offered : ndarray (n,)
        Work asked for in each interval over what the fullest center can do.
    length : ndarray (n,)
        [s]
    follows : ndarray of bool (n,), optional
        Whether an interval takes over what the one before it left; else all do.

    Examples
    --------
    >>> found = backlog(np.array([0.5, 1.5, 0.75]), np.array([100.0, 100.0, 400.0]))
    >>> found.left.tolist(), found.delay.tolist(), found.worked_off.tolist()
    ([0.0, 50.0, 0.0], [0.0, 25.0, 12.5], [nan, nan, 200.0])
    """
    n = len(offered)
    left, delay, worked_off = np.zeros(n), np.zeros(n), np.full(n, np.nan)
    now = 0.0
    for i, (rho, seconds) in enumerate(zip(offered.tolist(), length.tolist(), strict=True)):
        if follows is not None and not follows[i]:
            now = 0.0
        after = now + (rho - 1) * seconds
        if after > 0:
            delay[i] = (now + after) / 2
        elif now > 0:
            ends = now / (1 - rho)
            worked_off[i] = ends
            delay[i] = now * ends / (2 * seconds)
        now = left[i] = max(after, 0.0)
    return Backlog(left, delay, worked_off)


def episodes(left: Array, offered: Array, follows: NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """First and last interval of each overload: from the first asked for too much to what ends the backlog, or to a gap."""
    found: list[tuple[int, int]] = []
    start = -1
    for i, (rest, rho) in enumerate(zip(left.tolist(), offered.tolist(), strict=True)):
        if start >= 0 and follows is not None and not follows[i]:
            found.append((start, i - 1))
            start = -1
        if start < 0 and (rho >= 1 or rest > 0):
            start = i
        if start >= 0 and rest <= 0:
            found.append((start, i))
            start = -1
    return [*found, (start, len(left) - 1)] if start >= 0 else found


def jobs_left(left: Array, rates: Array, offered: Array, fullest: NDArray[np.intp], uses: NDArray[np.bool_]) -> Array:
    """Jobs of the backlog at the end of each interval (n,), in the mix of the interval or of the last that had any work.

    Parameters
    ----------
    left, offered : ndarray (n,)
    rates : ndarray (n, R)
    fullest : ndarray of int (n,)
    uses : ndarray of bool (R, C)
    """
    mine = (rates * uses[:, fullest].T).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        speed = np.where((offered > 0) & (mine > 0), mine / offered, np.nan)  # jobs a second at the most
    last = 1.0
    for i in np.flatnonzero(left > 0).tolist():
        last = speed[i] if not np.isnan(speed[i]) else last
        speed[i] = last
    return np.asarray(np.where(left > 0, left * speed, 0.0))
