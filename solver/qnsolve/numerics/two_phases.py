"""A random time as two exponential phases, fitted by its moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .series import Array

ALIKE = 1e-6  # |C² − 1| / 2 up to which a time is exponential


@dataclass(frozen=True)
class TwoPhases:
    """A time of two exponential phases: begun in one of them, the second possibly after the first.

    Parameters
    ----------
    first : float
        Share of the times that begin in phase 1.
    leave : tuple of float
        Rates at which a time ends, by phase [1/time].
    move : float
        Rate from phase 1 to phase 2 [1/time].
    shares : ndarray (K,)
        Share of the times of each kind that begin in phase 1.
    """

    first: float
    leave: tuple[float, float]
    move: float
    shares: Array

    @property
    def single(self) -> bool:
        """Whether one exponential phase is enough."""
        return self.move == 0 and self.leave[0] == self.leave[1]

    def mean(self, first: float) -> float:
        """Mean of the times of which this share begins in phase 1 [time]."""
        return first / (self.leave[0] + self.move) * (1 + self.move / self.leave[1]) + (1 - first) / self.leave[1]

    @property
    def present(self) -> float:
        """Share of phase 1 in the times that are under way at a random instant."""
        one = self.first / (self.leave[0] + self.move)
        return one / self.mean(self.first)


def two_phases(mix: Array, mean: Array, second: Array, third: Array) -> TwoPhases:
    """Two phases for a time of several kinds, by the first three moments of the mix.

    A squared coefficient of variation above 1 gives a choice of two phases, below 1 two
    in a row, not below 1/2. Where no choice has the third moment, the means are balanced.

    Parameters
    ----------
    mix : ndarray (K,)
        Share of each kind; adds up to 1.
    mean : ndarray (K,)
        Mean of each kind [time].
    second, third : ndarray (K,)
        E[S²]/2 and E[S³]/6 of each kind: the powers of the mean, for an exponential time.

    Examples
    --------
    >>> mix = np.array([0.8, 0.2])
    >>> found = two_phases(mix, np.array([1.0, 5.0]), np.array([1.0, 25.0]), np.array([1.0, 125.0]))
    >>> round(found.first, 9), round(found.leave[0], 9), round(found.leave[1], 9)
    (0.8, 1.0, 0.2)
    """
    one, two, three = float(mix @ mean), float(mix @ second), float(mix @ third)
    excess = two / one**2 - 1
    if abs(excess) <= ALIKE:
        return TwoPhases(1.0, (1 / one, 1 / one), 0.0, np.ones(len(mix)))
    if excess < 0:
        rate, on = 2 / one, 0.5 / max(0.5, 2 * excess + 1)
        return TwoPhases(1.0, (rate * (1 - on), rate * on), rate * on, np.ones(len(mix)))
    b = (three - one * two) / (two - one**2)
    c = b * one - two
    if c > 0 and b * b > 4 * c * (1 + 1e-12):
        long = (b + (b * b - 4 * c) ** 0.5) / 2
        short = c / long
    else:
        p = 0.5 * (1 + (excess / (excess + 1)) ** 0.5)
        short, long = one / (2 * p), one / (2 * (1 - p))
    first = (long - one) / (long - short)
    shares = np.clip((long - mean) / (long - short), 0.0, 1.0)
    begun = float(mix @ shares)  # clipped shares: back to the share of phase 1
    shares = shares * first / begun if begun > first else 1 - (1 - shares) * (1 - first) / max(1 - begun, 1e-300)
    return TwoPhases(first, (1 / short, 1 / long), 0.0, shares)
