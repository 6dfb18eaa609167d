"""A task of a TRANCLASS that is always full, in the line of its region: it comes back as soon as it has gone.

While no other waits for the region it takes the place again that it left; else the first in line takes it, and it waits until
as many others have gone as stand before it. So it waits only where the others alone have all places, for as long as these
hold them, however short its own times are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array


@dataclass(frozen=True)
class PlaceLost:
    """Mean waits before a region [s]: of the one place of a class, and of all others."""

    own: float
    others: float


def place_lost(coming: Array, places: float, hold: float, other_hold: float) -> PlaceLost:
    """A place of a class among others in a region; between those of so many places where their number is no whole one."""
    size = int(places)
    part, found = places - size, _place_lost(coming, size, hold, other_hold)
    if part == 0:
        return found
    more = _place_lost(coming, size + 1, hold, other_hold)
    return PlaceLost((1 - part) * found.own + part * more.own, (1 - part) * found.others + part * more.others)


def _place_lost(coming: Array, size: int, hold: float, other_hold: float) -> PlaceLost:
    """A place of a class among others in a region.

    Parameters
    ----------
    coming : ndarray (N,)
        Rate at which others come when 0, 1, ... of them are in and before the region [1/s].
    size : int
        Places of the region.
    hold, other_hold : float
        Time inside of the one task and of each of the others [s].

    Notes
    -----
    While the one is inside the others are a chain with one place less. When it ends and k of them are in line, k + 1 of
    `size` end until it is inside again, each after a time that does not depend on the others; those that come meanwhile are
    then in line. Exact for exponential times, others that come by their own number, and one place.

    Examples
    --------
    Among others that come at a rate and hold places as long as it does it waits as one of a closed work:

    >>> found = place_lost(np.full(9, 3.0), 5, 1.0, 1.0)
    >>> round(found.own, 6)
    0.118091
    """
    top, come = len(coming) - 1, coming
    count = np.arange(top + 1)
    flow = np.zeros((top + 1, top + 1))
    up, down = np.arange(top), np.arange(1, top + 1)
    flow[up, up + 1] = come[:top]
    flow[down, down - 1] = np.minimum(down, size - 1) / other_hold
    leave = size / other_hold
    lines = count[size:] - size + 1  # that have to end until it is inside again
    flow[size:, size - 1 :] += _births(come[size:] / leave, lines.astype(float), top - size + 2) / hold
    np.fill_diagonal(flow, 0.0)
    np.fill_diagonal(flow, -flow.sum(axis=1))
    flow[:, 0] = 1.0
    chance = np.linalg.solve(flow.T, np.eye(1, top + 1)[0])
    waits = np.append(np.zeros(size), lines / leave)
    own = float(chance @ waits)
    line = float(chance @ np.maximum(count - size + 1, 0)) * hold  # in line while it is inside, over one of its turns
    line += float(chance[size:] @ (lines * (lines - 1) / 2 / leave + come[size:] * lines * (lines + 1) / 2 / leave**2))
    passed = float(chance @ come) * hold + float(chance[size:] @ (come[size:] * lines)) / leave
    return PlaceLost(own, line / max(passed, 1e-300))


def _births(ratio: Array, stages: Array, most: int) -> Array:
    """Chances of 0, 1, ... `most` - 1 that come in so many exponential times, at `ratio` in one; the last: as many or more."""
    part, steps = ratio / (1 + ratio), np.arange(1, most)
    each = part[:, None] * (stages[:, None] + steps - 1) / steps
    found = np.cumprod(np.column_stack(((1 - part) ** stages, each)), axis=1)
    found[:, -1] = np.maximum(1 - found[:, :-1].sum(axis=1), 0.0)
    return np.asarray(found)
