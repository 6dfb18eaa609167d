"""Units that hold a server with and without a processor in turn: how many of them are ready beside so many others."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

from .company import Company, ReadPoints

MOST = 400  # numbers of ready units that are told apart
AT_ONCE = 50_000  # chances that are worked out together
RANGE = 500.0  # of the logs of weights that are summed up as they are


class Ready:
    """A closed network of the units: on the CPs, as fast as the others there let them be, and off them, without queueing.

    Each visit takes CPU `piece`, a time `spin` that is not slowed, and `off` without a processor [s].
    """

    def __init__(self, others: Company, phases: Array, piece: float, spin: float, off: float, most: float) -> None:
        self.number = np.unique(np.round(np.linspace(0.0, most, min(int(most), MOST) + 1)))  # ready
        self.off = off
        reading = ReadPoints.of(len(others.leave) - 1, phases)
        self.slow = reading.read(others.slow_beside(self.number, reading.places))  # others, and a unit, beside so many
        self.time = piece * self.slow + spin  # (J, Y)
        whole = np.arange(1.0, self.number[-1] + 1)
        logs = np.log(np.maximum(self.time, 1e-300))
        here = np.diff(self.number, prepend=0.0)[:, None]
        factorial = np.concatenate(([0.0], np.cumsum(np.log(whole)))) if len(whole) else np.zeros(1)
        self.factorial = factorial
        self.logs = np.cumsum(logs * here, axis=0) - factorial[self.number.astype(int)][:, None]

    def at(self, units: Array, spins: float) -> tuple[Array, Array]:
        """Rate at which so many units end their visits, and time of the others beside them over that alone, each (U, Y).

        `spins` is the share of that time alone that is not slowed.
        """
        weights = self.logs - self.number[:, None] * np.log(self.off)
        if float(np.ptp(weights)) + float(self.factorial[-1]) < RANGE:
            return self._summed(np.exp(weights - weights.max(axis=0)), units, spins)
        step = max(AT_ONCE // self.time.size, 1)
        found = [self._at(units[i : i + step], spins) for i in range(0, len(units), step)]
        return np.concatenate([rate for rate, _ in found]), np.concatenate([longer for _, longer in found])

    def _summed(self, weights: Array, units: Array, spins: float) -> tuple[Array, Array]:
        """The same from the weights of numbers of ready units (J, Y), those off the CPs not counted."""
        away = np.round(units)[:, None] - self.number
        beside = np.where(away >= 0, np.exp(-self.factorial[np.maximum(away, 0).astype(int)]), 0.0)
        whole = beside @ weights
        rate = beside @ (weights * (self.number[:, None] / self.time)) / whole
        return rate, beside @ (weights * (spins + (1 - spins) * self.slow)) / whole

    def _at(self, units: Array, spins: float) -> tuple[Array, Array]:
        chance = self.chances(units)
        used = chance.max(axis=2, keepdims=True) > 1e-6
        longer = (chance * used * (spins + (1 - spins) * self.slow)).sum(axis=1)
        return (chance * (self.number[:, None] / self.time)).sum(axis=1), longer

    def chances(self, units: Array) -> Array:
        """P(ready) for so many units (U, J, Y)."""
        away = np.round(units)[:, None] - self.number
        some = away >= 0
        away = np.where(some, away, 0.0).astype(int)
        off = np.where(some, away * np.log(self.off) - self.factorial[away], -np.inf)
        logs = self.logs + off[:, :, None]
        found: Array = np.exp(logs - logs.max(axis=1, keepdims=True))
        return found / found.sum(axis=1, keepdims=True)
