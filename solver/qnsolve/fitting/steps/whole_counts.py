"""The whole numbers of a fit, servers and threads: the best ones, and all that fit about as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

MOST_COUNT = 4096.0
BETWEEN = 4  # that are tried at once on each side of the best

Squares = Callable[[Sequence[float]], list[float]]  # of many counts the sums of squares that the best other figures leave


class WholeCount:
    """Sums of squares by one count; counts that are tried together are searched together.

    Attributes
    ----------
    low, high : float
        Bounds of the count.
    tried : dict of float to float
        Sum of squares by count.
    """

    def __init__(self, squares: Squares, lowest: float, highest: float) -> None:
        self.low, self.high = max(1.0, float(np.ceil(lowest))), max(1.0, min(float(np.floor(highest)), MOST_COUNT))
        self.squares = squares
        self.tried: dict[float, float] = {}

    def best(self) -> float:
        """The count with the least sum: among doublings, then between the neighbours of the best."""
        doublings = self.low * 2.0 ** np.arange(np.log2(self.high / self.low) + 1)
        self._try([*doublings.tolist(), self.high])
        while True:
            order = sorted(self.tried)
            middle = order.index(self._least())
            around = order[max(middle - 1, 0) : middle + 2]
            if not self._try([n for pair in pairwise(around) for n in _between(*pair)]):
                return self._least()

    def alike(self, most: float) -> tuple[float, float]:
        """The lowest and the highest count around the best with a sum of at most so much."""
        best = self._least()
        while self._try([n for pair in self._edges(best, most) for n in _between(*pair)]):
            pass
        below, above = self._edges(best, most)
        return (below[1] if self.tried[below[0]] > most else below[0]), (above[0] if self.tried[above[1]] > most else above[1])

    def _edges(self, best: float, most: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """On each side the last count in a row that fits and the next one known, which does not; or the bound twice."""
        order = sorted(self.tried)
        low = high = order.index(best)
        while low > 0 and self.tried[order[low - 1]] <= most:
            low -= 1
        while high < len(order) - 1 and self.tried[order[high + 1]] <= most:
            high += 1
        return (order[max(low - 1, 0)], order[low]), (order[high], order[min(high + 1, len(order) - 1)])

    def _least(self) -> float:
        return min(self.tried, key=lambda n: (self.tried[n], n))

    def _try(self, counts: Sequence[float]) -> bool:
        """Whether any of the counts is new."""
        new = sorted({n for n in counts if n not in self.tried and self.low <= n <= self.high})
        if new:
            self.tried |= dict(zip(new, self.squares(new), strict=True))
        return bool(new)


def _between(low: float, high: float) -> list[float]:
    return [float(n) for n in np.unique(np.round(np.linspace(low, high, BETWEEN + 2)))]
