"""Groups of transactions that come at once to a plane chain: jumps over several levels and phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma

import numpy as np

from qnsolve.numerics.band_matrix import inverse
from qnsolve.numerics.series import Array

from .endless import lowest

RARE = 1e-4  # chance of jumps that are taken together as one
FEW = 25  # size of groups up to which each number of those that come to the levels is a jump of its own


@dataclass(frozen=True, eq=False)
class Burst:
    """Work that comes in groups.

    Attributes
    ----------
    work : int
    size : float
        Transactions of a group in the mean: its whole part, or one more.
    first : ndarray (T,)
        Chance that the first task of a transaction is this one, 0 for tasks elsewhere.
    """

    work: int
    size: float
    first: Array

    def sizes(self) -> list[tuple[int, float]]:
        """Sizes of groups and their chances."""
        whole = int(self.size)
        more = self.size - whole
        return [(whole, 1 - more)] + [(whole + 1, more)] * (more > 0)

    def mates(self, share: float) -> float:
        """Others of its group in the mean, of those of which each is one with a chance, that one of them comes with."""
        second = sum(chance * n * (n - 1) for n, chance in self.sizes())
        return share * second / self.size


@dataclass(frozen=True, eq=False)
class Jump:
    """Rates (N, Y) at which so many levels and phases more are there at once."""

    levels: float
    phases: float
    rate: Array


def jumps(burst: Burst, rate: Array, own: float, other: float, slower: float, again: float = 1.0) -> list[Jump]:
    """The jumps of one work that comes at a rate (N, Y); each of a group comes to the levels or the phases by chance.

    Parameters
    ----------
    burst : Burst
    rate : ndarray (N, Y)
        Transactions a second.
    own, other : float
        Chances of the levels and of the phases.
    slower : float
        Clock of the phases over that of the levels.
    again : float
        Work left of those that come to the levels with one, over that of one visit each.
    """
    found = []
    for size, part in burst.sizes():
        for n, chance in _joined(_shared(size, own), RARE / max(part, RARE)):
            more, groups = (size - n) * other / max(1 - own, 1e-12), rate * (part * chance / burst.size)
            if n > 1 and again != 1:  # as many tasks, in groups of more
                longer = (1 + again * (n - 1)) / n
                n, more, groups = n * longer, more * longer, groups / longer
            both = min(1.0, 1 / slower)
            parts = [(n, more, both), (n, 0.0, 1 - both), (0.0, more, 1 / slower - both)]
            found += [Jump(a, b, groups * some) for a, b, some in parts if some > 0 and a + b > 0]
    return found


def _joined(numbers: list[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Numbers and their chances, those with a small chance as one number that keeps their mean."""
    rare = [(n, chance) for n, chance in numbers if chance <= least]
    together = sum(chance for _, chance in rare)
    if not together:
        return numbers
    mean = sum(n * chance for n, chance in rare) / together
    return [(n, chance) for n, chance in numbers if chance > least] + [(mean, together)]


def _shared(size: int, own: float) -> list[tuple[float, float]]:
    """How many of a group come to the levels, and the chance of that; many numbers are joined to a few."""
    if own <= 0 or own >= 1:
        return [(size if own >= 1 else 0, 1.0)]
    n = np.arange(size + 1.0)
    ways = np.array([lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1) for k in range(size + 1)])
    chance = np.exp(ways + n * np.log(own) + (size - n) * np.log1p(-own))
    if size <= FEW:
        return list(zip(n.tolist(), chance.tolist(), strict=True))
    part = np.minimum((np.cumsum(chance) * FEW).astype(int), FEW - 1)
    weight = np.bincount(part, chance, FEW)
    mean = np.bincount(part, chance * n, FEW) / np.maximum(weight, 1e-300)
    return [(m, w) for m, w in zip(mean.tolist(), weight.tolist(), strict=True) if w > 0]


@dataclass(frozen=True, eq=False)
class Spread:
    """Jumps on the grids of a chain.

    Attributes
    ----------
    above : list of dict of int to ndarray (Y, Y)
        By the level that they lead to and that they come from.
    levels, phases : (ndarray (N, Y), ndarray (N, Y))
        Drift and variance of those that are shorter than the steps of a grid there.
    """

    above: list[dict[int, Array]]
    levels: tuple[Array, Array]
    phases: tuple[Array, Array]


def spread(levels: Array, phases: Array, found: Sequence[Jump]) -> Spread:
    """All jumps; what is short beside the steps of a grid is left to moves that keep its drift and variance."""
    above: list[dict[int, Array]] = [{} for _ in levels]
    level_moves, phase_moves = np.zeros((2, 2, len(levels), len(phases)))
    steps, widths, every = _steps(levels), _steps(phases), np.arange(len(phases))
    for jump in found:
        high, wide = 2 * steps <= jump.levels, 2 * widths <= jump.phases  # where it is long beside the steps of a grid
        for share, size, long in ((level_moves, jump.levels, high[:, None]), (phase_moves, jump.phases, wide[None, :])):
            if not long.all():
                short = np.where(long, 0.0, jump.rate) * size
                share[0] += short
                share[1] += short * size
        across = np.zeros((len(phases), len(phases)))
        for to, weights in _between(phases, phases + jump.phases * wide):
            across[every, to] += weights
        for to, weights in _between(levels, levels + jump.levels * high):
            some = np.flatnonzero((weights > 0) & ((to > np.arange(len(levels))) | wide.any()))
            rates = weights[some, None] * jump.rate[some]
            for source, target, rate in zip(some.tolist(), to[some].tolist(), rates, strict=True):
                known = above[target].get(source)
                if known is None:
                    above[target][source] = rate[:, None] * across
                else:
                    known += rate[:, None] * across
    return Spread(above, (level_moves[0], level_moves[1]), (phase_moves[0], phase_moves[1]))


def _steps(points: Array) -> Array:
    """Steps of a grid, the last one as the one before."""
    steps = np.diff(points, append=points[-1] + 1.0)
    steps[-1] = steps[-2] if len(steps) > 1 else 1.0
    return steps


def _between(points: Array, values: Array) -> list[tuple[Array, Array]]:
    """Neighbours of values on a grid and their weights, which keep the mean; what is beyond its end is at its end."""
    values = np.minimum(values, points[-1])
    low = np.clip(np.searchsorted(points, values, side="right") - 1, 0, max(len(points) - 2, 0))
    high = np.minimum(low + 1, len(points) - 1)
    part = (values - points[low]) / np.maximum(points[high] - points[low], 1e-300)
    return [(low, 1 - part), (high, part)]


def eliminated(here: Array, rise: Array, fall: Array, joint: Array, above: list[dict[int, Array]]) -> Array:
    """Chances of a chain with jumps up, by elimination of the levels from the highest down."""
    count, width = rise.shape
    diagonal = np.arange(width)
    ratios: list[dict[int, Array]] = [{} for _ in range(count)]
    for n in range(count):
        here[n] += above[n].pop(n, 0.0)
        if n:
            up = above[n].setdefault(n - 1, np.zeros((width, width)))
            up[diagonal, diagonal] += rise[n - 1]
    for n in range(count - 1, 0, -1):
        inner = here[n]
        inner[diagonal, diagonal] = 0.0  # what leaves in all, without a difference (Grassmann, Taksar, Heyman 1985)
        inner[diagonal, diagonal] = -(inner.sum(axis=1) + fall[n] + joint[n])
        try:
            left = inverse(-inner)
        except np.linalg.LinAlgError:  # never left, in the digits that there are
            return np.full((count, width), np.nan)
        for source, up in above[n].items():
            ratio = up @ left
            ratios[n][source] = ratio
            back = ratio * fall[n]
            back[:, 1:] += ratio[:, :-1] * joint[n, :-1]
            if source == n - 1:
                here[source] += back
            else:
                known = above[n - 1].get(source)
                above[n - 1][source] = back if known is None else known + back
    found = np.zeros((count, width))
    found[0] = lowest(here[0])
    if not np.isfinite(found[0]).all():
        return np.full((count, width), np.nan)
    for n in range(1, count):
        for source, ratio in ratios[n].items():
            found[n] += found[source] @ ratio
        most = float(np.abs(found[n]).max())
        if most > 1e200:
            found[: n + 1] /= most
    return found
