"""How sure a simulation is: batches, their intervals, and when to stop.

A run is cut into batches of equal numbers of finished jobs. When there are `MOST_BATCHES`, each two become one. The
first quarter is the warm-up, whatever the length of the run. The others are joined two by two; a figure is a ratio of
sums over them, and its half width that of Student for independent batches, widened by the correlation of one batch
with the next. A run is long enough where every figure that counts is precise and none goes up or down: the first and
the second half of what is kept agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Generic, Protocol, TypeVar

import numpy as np

from qnsolve.numerics.least_squares import student
from qnsolve.numerics.series import Array

from .counted_batches import Counts

Counted = TypeVar("Counted", bound=Counts)
Seen_co = TypeVar("Seen_co", bound=Counts, covariant=True)
Progress = Callable[[int, int, float], None]  # jobs so far, the most, and the widest interval

MOST_BATCHES = 80
CHECKED = (64, 80)  # batches at which the run may stop
LEVEL = 0.95
FREEDOM = 7  # fewer batches say nothing
DRIFT = 2.5  # standard errors between two halves of what is kept


@dataclass(frozen=True)
class Estimate:
    """A ratio of two sums over batches.

    Attributes
    ----------
    value : float
    error : float
        Its standard error, widened where batches are correlated.
    freedom : int
        Of the error: batches less 1.
    drift : float
        Second half of the batches less the first, in standard errors of that difference.
    """

    value: float
    error: float
    freedom: int
    drift: float

    @property
    def half(self) -> float:
        """Half width of the interval of 95 %."""
        return self.half_at(LEVEL)

    @property
    def relative(self) -> float:
        """Half width over the value; 0 where both are 0."""
        return self.half / abs(self.value) if self.value else (0.0 if self.half == 0 else inf)

    def half_at(self, level: float) -> float:
        """Half width of the interval of another level."""
        return student((1 + level) / 2, self.freedom) * self.error if self.freedom >= FREEDOM else inf


def estimate(above: Array, below: Array) -> Estimate:
    """The ratio of two sums, from their parts by batch.

    Parameters
    ----------
    above, below : ndarray (B,)
        Of an even number of batches.
    """
    over, under = (row.reshape(-1, 2).sum(axis=1) for row in (above, below))
    count, total = len(over), float(under.sum())
    if not total > 0:
        return Estimate(nan, inf, 0, 0.0)
    value = float(over.sum()) / total
    apart = over - value * under
    spread = float((apart**2).sum())
    if spread <= 1e-24 * float((over**2).sum()):
        return Estimate(value, 0.0, count - 1, 0.0)
    error = sqrt(spread * count / max(count - 1, 1)) / total
    joined = float((apart[1:] * apart[:-1]).sum()) / spread
    joined = min(max(joined + (1 + 4 * max(joined, 0.0)) / count, 0.0), 0.95)  # of a short series it is too low by this
    widened = sqrt((1 + joined) / (1 - joined))
    middle = count // 2
    drift = float(apart[middle:].sum() - apart[:middle].sum()) / (error * total)
    return Estimate(value, error * widened, count - 1, drift)


class Run(Protocol[Seen_co]):
    """A simulation in progress."""

    @property
    def finished(self) -> int:
        """Jobs that have finished."""

    def until(self, finished: int) -> bool:
        """Go on until so many jobs have finished; False where that never happens."""

    def totals(self) -> Seen_co:
        """What has been counted up to now; time first."""


class Batched(Generic[Counted]):
    """Totals of a run at the ends of its batches."""

    def __init__(self, run: Run[Counted], size: int) -> None:
        self.run, self.size = run, max(size, 1)
        self._marks = [run.totals().vector()]
        self._began = run.finished

    @property
    def number(self) -> int:
        """Batches so far."""
        return len(self._marks) - 1

    @property
    def finished(self) -> int:
        """Jobs of all the batches."""
        return self.number * self.size

    def further(self) -> bool:
        """One batch more; False where the run has come to its end."""
        if self.number == MOST_BATCHES:
            self._marks = self._marks[::2]
            self.size *= 2
        if not self.run.until(self._began + (self.number + 1) * self.size):
            return False
        self._marks.append(self.run.totals().vector())
        return True

    def kept(self) -> Counted:
        """What the batches after the warm-up counted, an even number of them, one row a batch."""
        return self.run.totals().like(np.diff(np.array(self._marks[self._warm() :]), axis=0))

    def pairs(self) -> Counted:
        """The same, two batches a row."""
        return self.run.totals().like(np.diff(np.array(self._marks[self._warm() :: 2]), axis=0))

    def warm_time(self) -> float:
        """Length of the warm-up [s]."""
        return float(self._marks[self._warm()][0] - self._marks[0][0])

    def _warm(self) -> int:
        """Batches of the warm-up: a quarter, so many that an even number remains."""
        warm = -(-self.number // 4)
        return warm + (self.number - warm) % 2
