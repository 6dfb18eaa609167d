"""Wait of users before a limit at a QR TCB, of unlike kinds of work: the work left to do there, as a diffusion.

In the chain of a limit all tasks are alike: those that wait need as much of the TCB as those inside. They do not: long ones are
inside for longer, and are fewer of those that wait. What is kept, nearly, is the work left to do at the TCB. While it is V it
falls by 1 a second, and rises by what comes: the more there is the fewer users come, and who they are depends on whether they
are inside or wait. So V drifts by a - φ·V, with one slope φ up to the work of a full limit and another one beyond, and has the
mean of that diffusion (D. Iglehart and W. Whitt 1970 for heavy traffic; right for all loads where users think for ever).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array

GRID, WIDE = 401, 14.0  # points, and how many widths of the distribution they go beyond its middle
FINE = 1e-3  # of the answer, within which it goes on as a line
LEAST = 1e-300
FULL = 1 - 1e-9  # use of a TCB that is full


@dataclass(frozen=True, eq=False)
class UnlikeUsers:
    """Tasks that come to a limit of a TCB.

    Attributes
    ----------
    users, gone : ndarray (n,)
        Users from whom each comes, 0 of a stream, and the time that one of them is elsewhere [s].
    rate : ndarray (n,)
        Tasks of a stream [1/s].
    at, length : ndarray (n,)
        Time at the TCB inside, and what one needs of it alone [s].
    wait : ndarray (n,)
        Time before the limit, were all alike [s].
    places : float
        Tasks at the TCB that fill the limit.
    """

    users: Array
    gone: Array
    rate: Array
    at: Array
    length: Array
    wait: Array
    places: float

    def longer(self, most: float) -> float:
        """The wait over that of tasks that are all alike, from 1 on."""

        def missing(longer: float) -> float:
            rate = self._rates(self.at + longer * self.wait)
            inside, line = self._slope(rate * self.at), self._slope(rate)
            busy, squares = float(rate @ self.length), float(rate @ self.length**2)
            left = self._beyond(squares / busy, min(busy, FULL), inside, line, self.places * squares / busy)
            return left - longer * float((rate * self.wait) @ self.length)

        if missing(1.0) <= 0:
            return 1.0
        if missing(most) >= 0:
            return most
        low, high = narrowed(lambda longer: missing(longer) > 0, 1.0, most, FINE)
        before, beyond = missing(low), missing(high)
        return low + (high - low) * before / (before - beyond)

    @cached_property
    def _back(self) -> Array:
        return np.where(self.users > 0, 1 / self.gone, 0.0)

    @cached_property
    def _surplus(self) -> float:
        """Work that comes a second while nobody is there, beyond what the TCB does."""
        return float(self._rates(np.zeros(len(self.at))) @ self.length) - 1

    def _rates(self, there: Array) -> Array:
        return np.where(self.users > 0, self.users / np.maximum(self.gone + there, LEAST), self.rate)

    def _slope(self, number: Array) -> float:
        """Work that comes less for each second of it that is there, of so many tasks."""
        return float((self.length * self._back) @ number) / max(float(self.length @ number), LEAST)

    def _beyond(self, each: float, busy: float, inside: float, line: float, full: float) -> float:
        """Mean work left to do beyond that of a full limit, at a TCB of tasks of length `each` that is at work so often.

        The diffusion is scaled to have what M/M/1 has: numbers that are whole.
        """
        surplus, slope, whole = self._surplus, max(min(inside, line), LEAST), -np.log(busy) / (1 - busy)
        spread = each / whole
        width = float(np.sqrt(spread / slope))
        if surplus < 0:
            width = min(width, spread / -surplus)
        work = np.linspace(0.0, max(surplus, 0.0) / slope + WIDE * width, GRID)
        drift = surplus - inside * np.minimum(work, full) - line * np.maximum(work - full, 0.0)
        level = np.append(0.0, np.cumsum((drift[1:] + drift[:-1]) / 2 * np.diff(work))) / spread
        chance = np.exp(level - level.max())
        chance[0] /= 2
        return busy * whole * float(chance @ np.maximum(work - full, 0.0)) / float(chance.sum())
