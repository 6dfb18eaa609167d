"""Units that hold a server with and without a processor in turn: how many of them are ready beside so many others."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

from .company import Company, along

MOST = 400  # numbers of ready units that are told apart


class Ready:
    """A closed network of the units: on the CPs, as fast as the others there let them be, and off them, without queueing.

    Each visit takes CPU `piece`, a time `spin` that is not slowed, and `off` without a processor [s].
    """

    def __init__(self, others: Company, phases: Array, piece: float, spin: float, off: float, most: float) -> None:
        self.number = np.unique(np.round(np.linspace(0.0, most, min(int(most), MOST) + 1)))  # ready
        self.off = off
        self.slow = np.array([along(others.slow(j), phases) for j in self.number])  # others, and a unit, beside so many
        self.time = piece * self.slow + spin  # (J, Y)
        whole = np.arange(1.0, self.number[-1] + 1)
        logs = np.log(np.maximum(self.time, 1e-300))
        here = np.diff(self.number, prepend=0.0)[:, None]
        factorial = np.concatenate(([0.0], np.cumsum(np.log(whole)))) if len(whole) else np.zeros(1)
        self.factorial = factorial
        self.logs = np.cumsum(logs * here, axis=0) - factorial[self.number.astype(int)][:, None]

    def at(self, units: float) -> tuple[Array, Array]:
        """Rate at which so many units end their visits (Y,), and P(ready) (J, Y)."""
        size = round(units)
        some = self.number <= size
        away = (size - self.number[some]).astype(int)
        logs = self.logs[some] + (away * np.log(self.off) - self.factorial[away])[:, None]
        chance = np.zeros(self.time.shape)
        chance[: len(logs)] = np.exp(logs - logs.max(axis=0))
        chance /= chance.sum(axis=0)
        return (chance * self.number[:, None] / self.time).sum(axis=0), chance

    def mean(self, chance: Array, spins: float) -> Array:
        """Time of the others over that alone, beside them, where that share of it is spins (Y,)."""
        used = chance.max(axis=1) > 1e-6
        found: Array = (chance[used] * (spins + (1 - spins) * self.slow[used])).sum(axis=0)
        return found
