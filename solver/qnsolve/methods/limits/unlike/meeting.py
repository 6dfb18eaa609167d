"""Two kinds of tasks that meet at stations inside a limit: how fast each is, given how many of both are there."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma

import numpy as np

from qnsolve.numerics.series import Array


@dataclass(frozen=True)
class Meeting:
    """Stations that the tasks inside a limit share, in product form.

    Parameters
    ----------
    pace : ndarray (S, capacity + 1)
        Work that each station does a second while 0, 1, … tasks are there; of a delay that is their number.
    demand : ndarray (S, K)
        Work of a task of each kind at each station [time where one task alone is served at pace 1].
    """

    pace: Array
    demand: Array

    @property
    def alone(self) -> Array:
        """Time that a task of each kind holds its place where no other is there (K,)."""
        return np.asarray((self.demand / self.pace[:, 1:2]).sum(axis=0))

    def ends(self, first: Array, second: Array) -> Array:
        """Rates at which tasks of both sorts end, with so many of the first and of the second inside (2, C + 1, C + 1).

        `first` and `second` are how much of each sort the kinds are (K,).

        Examples
        --------
        One server that both share, the second twice as long, and no other station: it works all the time.

        >>> both = Meeting(np.array([[0.0, 1.0, 1.0]]), np.array([[1.0, 2.0]]))
        >>> one, two = both.ends(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        >>> round(float(one[1, 1] + 2 * two[1, 1]), 12), round(float(two[0, 1]), 12)
        (1.0, 0.5)
        """
        size = self.pace.shape[1] - 1
        each = np.array([self.demand @ its / float(its.sum()) for its in (first, second)])  # (2, S)
        unit = 1 / np.maximum((each / self.pace[:, 1]).sum(axis=1), 1e-300)
        count = np.arange(size + 1)
        factorial = np.array([lgamma(n + 1.0) for n in count])
        total = np.add.outer(count, count)
        inside = total <= size
        whole = np.zeros((size + 1, size + 1))
        whole[0, 0] = 1.0
        for pace, demand in zip(self.pace, (each * unit[:, None]).T, strict=True):
            if not demand.any():
                continue
            served = factorial - np.concatenate(([0.0], np.cumsum(np.log(pace[1:]))))
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = [np.where(count > 0, count * np.log(its), 0.0) - factorial for its in demand]
            weight = np.where(inside, np.exp(np.add.outer(*logs) + served[np.where(inside, total, 0)]), 0.0)
            whole = _folded(whole, weight)
        ends = np.zeros((2, size + 1, size + 1))
        least = np.maximum(whole, 1e-300)
        ends[0, 1:] = unit[0] * whole[:-1] / least[1:]
        ends[1, :, 1:] = unit[1] * whole[:, :-1] / least[:, 1:]
        return np.where(inside, ends, 0.0)


def _folded(one: Array, two: Array) -> Array:
    """Convolution of two tables, as far as they go."""
    found = np.zeros(one.shape)
    for row, column in np.argwhere(two > 0).tolist():
        found[row:, column:] += two[row, column] * one[: len(one) - row, : len(one) - column]
    return found
