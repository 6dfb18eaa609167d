"""Units that hold a server with and without a processor in turn: how many of them are ready beside so many others."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.others.company import Company, ReadPoints

MOST = 400  # numbers of ready units that are told apart
NOTHING = 40.0  # log of a sum over a weight that it does not show
FASTEST = 1e100  # of others that are next to nothing, over their load
RANGE = 500.0  # of the logs of weights that are summed up together


def longer_beside(others: Company, reading: ReadPoints, units: Array) -> Array:
    """Rate at which the others end beside none, times that of one of them beside so many more units (U, Y)."""
    leave, before = np.minimum(others.leave[reading.places], FASTEST), np.maximum(reading.places - 1, 0)
    found: Array = reading.read(leave * others.slow_beside(units + 1, before))  # none is before the first place
    return found


class Ready:
    """A closed network of the units: on the CPs, as fast as the others there let them be, and off them, without queueing.

    Each visit takes CPU `piece`, and `off` without a processor [s]; a unit on one processor counts as `weight` of the others.
    """

    def __init__(self, others: Company, phases: Array, piece: float, off: float, most: float, weight: float = 1.0) -> None:
        self.number = np.unique(np.round(np.linspace(0.0, most, min(int(most), MOST) + 1)))  # ready
        self.off = off
        reading = ReadPoints.of(len(others.leave) - 1, phases)
        self.slow = reading.read(others.slow_beside(weight * self.number, reading.places))  # others beside so many
        self.longer = longer_beside(others, reading, weight * self.number)
        self.time = piece * reading.read(others.slow_of(self.number, reading.places, weight))  # (J, Y)
        whole = np.arange(1.0, self.number[-1] + 1)
        logs = np.log(np.maximum(self.time, 1e-300))
        here = np.diff(self.number, prepend=0.0)[:, None]
        factorial = np.concatenate(([0.0], np.cumsum(np.log(whole)))) if len(whole) else np.zeros(1)
        self.factorial = factorial
        self.logs = np.cumsum(logs * here, axis=0) - factorial[self.number.astype(int)][:, None]

    def at(self, units: Array) -> tuple[Array, Array, Array]:
        """Rate at which so many units end their visits, and time of the others beside them over that alone, each (U, Y).

        Last the rate at which the others end beside none, times that of one of them.
        """
        logs = self.logs - self.number[:, None] * np.log(self.off)
        away = np.round(units)[:, None] - self.number
        beside = np.where(away >= 0, -self.factorial[np.maximum(away, 0).astype(int)], -np.inf)
        figures = np.array([np.ones(logs.shape), self.number[:, None] / self.time, self.slow, self.longer])
        blocks = self._blocks(logs)
        most, least = (np.array([its[some].max(axis=0) for some in blocks]) for its in (logs, beside.T))
        middle = [(some.start + some.stop) // 2 for some in blocks]
        scale = least[:, :, None] + most[:, None]  # no weight of a block is above it, (B, U, Y)
        seen = (beside.T[middle][:, :, None] + logs[middle][:, None]).max(axis=0)
        counts = (scale > seen - NOTHING).any(axis=2)
        scale -= scale.max(axis=0)
        found = np.zeros((4, *scale.shape[1:]))
        for some, mine, largest, high, each in zip(blocks, counts, most, least, scale, strict=True):
            there = np.exp(beside[mine, some] - high[mine, None])
            found[:, mine] += np.exp(each[mine]) * (there @ (np.exp(logs[some] - largest) * figures[:, some]))
        whole, rate, slow, longer = found
        return rate / whole, slow / whole, longer / whole

    def _blocks(self, logs: Array) -> list[slice]:
        """Numbers of ready units whose weights, with those of the others off the CPs, are near enough for sums of floats."""
        far = np.abs(np.diff(logs, axis=0)).max(axis=1, initial=0.0)
        far += np.diff(self.number) * np.log(max(self.number[-1], 1.0))
        edges = np.flatnonzero(np.diff(np.append(0.0, np.cumsum(far)) // RANGE)) + 1
        return [slice(first, last) for first, last in zip([0, *edges], [*edges, len(logs)], strict=True)]
