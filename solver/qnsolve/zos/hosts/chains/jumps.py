"""Groups of transactions that come at once to a plane chain: jumps over several levels and phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma

import numpy as np

from qnsolve.numerics.band_matrix import inverse
from qnsolve.numerics.series import Array, Places

from .endless import lowest

RARE = 1e-4  # chance of jumps that are taken together as one
OF_LEVEL, OF_PRODUCT = 5e5, 2e4  # multiplications that take as long as what else a level and a product of it takes
KEPT = 4e6  # rates of a chain that are kept, about
ROUNDING = 1e-9  # of the size of a group, what its shares add up to more or less
ALONE, JOINT = 0.5, 2.0  # steps of a grid over a jump, or a wide one of both numbers, up to which it is one there
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
    """Rates (N, Y) at which so many levels and phases more are there at once; one of both on `wide` steps of a grid, too."""

    levels: float
    phases: float
    rate: Array
    wide: bool = False


def jumps(
    burst: Burst, rate: Array, own: float, other: float, slower: float, again: float = 1.0, unit: float = 1.0,
    wide: bool = False,
) -> list[Jump]:  # fmt: skip
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
    unit : float
        Levels that one of them is.
    wide : bool
        As in `Jump`.
    """
    found = []
    for size, part in burst.sizes():
        for n, chance in _joined(shared(size, own), RARE / max(part, RARE)):
            more, groups = (size - n) * other / max(1 - own, 1e-12), rate * (part * chance / burst.size)
            n *= unit
            if n > 1 and again != 1:  # as many tasks, in groups of more
                longer = (1 + again * (n - 1)) / n
                n, more, groups = n * longer, more * longer, groups / longer
            both = min(1.0, 1 / slower)
            parts = [(n, more, both), (n, 0.0, 1 - both), (0.0, more, 1 / slower - both)]
            whole = [(a, b, some * share) for n, b, some in parts for a, share in _whole(n, unit != 1)]
            found += [Jump(a, b, groups * some, wide) for a, b, some in whole if some > 0 and a + b > 0]
    return found


def _whole(number: float, parted: bool) -> list[tuple[float, float]]:
    """A number as whole ones that have it as their mean, each with its chance, if it is to be `parted`."""
    low = np.floor(number)
    return [(low, 1 - number + low), (low + 1, number - low)] if parted and number > low else [(number, 1.0)]


def _joined(numbers: list[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Numbers and their chances, those with a small chance as one number that keeps their mean."""
    rare = [(n, chance) for n, chance in numbers if chance <= least]
    together = sum(chance for _, chance in rare)
    if not together:
        return numbers
    mean = sum(n * chance for n, chance in rare) / together
    return [(n, chance) for n, chance in numbers if chance > least] + [(mean, together)]


def shared(size: int, own: float) -> list[tuple[float, float]]:
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
class Leaps:
    """Jumps along one grid: each, from each point, leads to two neighbours.

    Attributes
    ----------
    to : ndarray (J, N) of int
        The lower of the two.
    part : ndarray (J, N)
        Weight of the upper one.
    """

    to: Places
    part: Array

    @classmethod
    def of(cls, points: Array, sizes: Array) -> Leaps:
        """Jumps of so much (J, N) from each point, which keep the mean; what is beyond the end of the grid is at its end."""
        values = np.minimum(points + sizes, points[-1])
        low = np.searchsorted(points, values, side="right") - 1
        high = np.minimum(low + 1, len(points) - 1)
        return cls(low, (values - points[low]) / np.maximum(points[high] - points[low], 1e-300))

    def within(self, some: slice) -> Leaps:
        """The same on some of the points: what leads beyond them leads to the last one."""
        first, last = some.start, some.stop - 1
        beyond = self.to[:, some] >= last
        return Leaps(np.minimum(self.to[:, some], last) - first, np.where(beyond, 0.0, self.part[:, some]))

    @property
    def reach(self) -> float:
        """Points from one to the farthest that a jump leads to, in the mean."""
        return float((self.to.max(axis=0) - np.arange(self.to.shape[1])).mean()) + 1

    def ends(self) -> tuple[Places, Array]:
        """Both neighbours and their weights, (J, 2, N)."""
        high = np.minimum(self.to + 1, self.to.shape[1] - 1)
        return np.stack((self.to, high), axis=1), np.stack((1 - self.part, self.part), axis=1)


@dataclass(frozen=True, eq=False)
class Spread:
    """Jumps on the grids of a chain.

    Attributes
    ----------
    rate : ndarray (J, N, Y)
    ahead, across : Leaps
        Along the levels and the phases.
    levels, phases : (ndarray (N, Y), ndarray (N, Y))
        Drift and variance of those that are shorter than the steps of a grid there.
    """

    rate: Array
    ahead: Leaps
    across: Leaps
    levels: tuple[Array, Array]
    phases: tuple[Array, Array]

    @property
    def cost(self) -> float:
        """Of an elimination of the levels, about: what the products take, and what each level and each product takes more."""
        _, count, width = self.rate.shape
        return count * (OF_LEVEL + (2 + self.ahead.reach) * (OF_PRODUCT + width**3))

    def within(self, n: slice, y: slice) -> Spread:
        """The same on some of the levels and of the phases: what leads beyond them leads to their end."""
        drifts = [(drift[n, y], variance[n, y]) for drift, variance in (self.levels, self.phases)]
        return Spread(self.rate[:, n, y], self.ahead.within(n), self.across.within(y), *drifts)

    def turned(self) -> Spread:
        """The same with levels for phases."""
        turned = (self.levels[0].T, self.levels[1].T), (self.phases[0].T, self.phases[1].T)
        return Spread(self.rate.transpose(0, 2, 1), self.across, self.ahead, turned[1], turned[0])

    @cached_property
    def _ends(self) -> tuple[Places, Array, Places, Array]:
        (to, part), (places, parts) = self.ahead.ends(), self.across.ends()
        return to - np.arange(to.shape[2]), part, places[:, None], parts[:, None]

    def apart(self) -> tuple[Array, Places, Places]:
        """Rates (J, 2, 2, N, Y) of each jump to the four points about its end, and the levels and phases of these."""
        (to, part), (places, parts) = self.ahead.ends(), self.across.ends()
        rate = part[:, :, None, :, None] * parts[:, None, :, None, :] * self.rate[:, None, None]
        return rate, to[:, :, None, :, None], places[:, None, :, None, :]

    @cached_property
    def between(self) -> Array:
        """Rates from each state to each other one (NY, NY), the levels first; the diagonal is 0."""
        shape, (rate, level, phase) = self.rate.shape[1:], self.apart()
        found, start = np.zeros((shape[0] * shape[1],) * 2), np.arange(shape[0] * shape[1]).reshape(shape)
        np.add.at(found, (np.broadcast_to(start, rate.shape), level * shape[1] + phase), rate)
        np.fill_diagonal(found, 0.0)
        return found

    def above(self, n: int, least: int) -> Array:
        """Rates from a level to itself and those above, as far as jumps lead, to `least` of them at least (Y, S, Y)."""
        further, part, places, parts = self._ends
        further, width = further[:, :, n, None, None], self.rate.shape[2]
        rates = part[:, :, n, None, None] * (parts * self.rate[:, None, None, n, :])  # (J, 2, 2, Y)
        levels = max(int(further.max()) + 1, least)
        place = further * width + (places + levels * width * np.arange(width))
        found = np.bincount(place.ravel(), rates.ravel(), levels * width**2)
        return np.asarray(found.reshape(width, levels, width), dtype=float)


def spread(levels: Array, phases: Array, found: Sequence[Jump]) -> Spread:
    """All jumps; what is short beside the steps of a grid is left to moves that keep its drift and variance.

    Wide jumps of both numbers are so on wider steps only: they let both swing together.
    """
    rate = np.array([jump.rate for jump in found])
    sizes = np.array([[jump.levels, jump.phases] for jump in found])[:, :, None]
    steps = np.where((sizes > 0).all(axis=1) & np.array([[jump.wide] for jump in found]), JOINT, ALONE)
    leaps, short = [], []
    for points, size, axes in ((levels, sizes[:, 0], "jn,jny->ny"), (phases, sizes[:, 1], "jy,jny->ny")):
        long = _steps(points) <= steps * size * (1 + ROUNDING)  # beside the steps of the grid there
        leaps.append(Leaps.of(points, size * long))
        left = np.where(long, 0.0, size)
        short.append((np.einsum(axes, left, rate), np.einsum(axes, left * size, rate)))
    return Spread(rate, leaps[0], leaps[1], short[0], short[1])


def with_leaps(moves: Mapping[tuple[int, ...], Array], its: Spread) -> dict[tuple[int, ...], Array]:
    """Moves to near states of a plane, and those of jumps, by how many levels and phases further they lead."""
    found, shape, (rate, level, phase) = dict(moves), its.rate.shape[1:], its.apart()
    size, there = shape[0] * shape[1], rate > 0
    start = np.broadcast_to(np.arange(size).reshape(shape), rate.shape)[there]
    further = (level * shape[1] + phase)[there] - start  # none leads back
    some = np.flatnonzero(np.bincount(further))
    sums = np.bincount(np.searchsorted(some, further) * size + start, rate[there], len(some) * size).reshape(-1, *shape)
    for place, more in zip(some.tolist(), sums, strict=True):
        if place:
            to = divmod(place, shape[1])
            found[to] = found.get(to, 0.0) + more
    return found


def _steps(points: Array) -> Array:
    """Steps of a grid, the last one as the one before."""
    steps = np.diff(points, append=points[-1] + 1.0)
    steps[-1] = steps[-2] if len(steps) > 1 else 1.0
    return steps


@dataclass(frozen=True, eq=False)
class JumpChain:
    """A chain with jumps up, solved by elimination of the levels from the highest down.

    All that leaves a level upwards comes back to it from the one above: where it does so says how each level is left
    downwards, and that of those above is all that one needs (M. Neuts 1989, chains of the M/G/1 type).

    Attributes
    ----------
    here, rise, fall, ups_with, downs_with
        As for `eliminated_levels`.
    jumps : Spread
    """

    here: Array
    rise: Array
    fall: Array
    jumps: Spread
    ups_with: Array | None = None
    downs_with: Array | None = None
    known: dict[int, Array] = field(default_factory=dict)  # rates from levels to those above

    def chance(self) -> Array:
        """Chances, not normalized; nan where there are none."""
        count, width = self.rise.shape
        solved = self._downwards()
        found, coming = np.zeros((2, count, width))
        found[0] = np.nan if solved is None else lowest(solved[0])
        if solved is None or not np.isfinite(found[0]).all():
            return np.full((count, width), np.nan)
        _, left, down = solved
        for n in range(count):
            found[n] = coming[n] @ left[n] if n else found[0]
            most = float(np.abs(found[n]).max())
            if most > 1e200:
                found[: n + 1] /= most
                coming[n:] /= most
            above = self._above(n)
            reached = (found[n] @ above.reshape(width, -1)).reshape(-1, width)
            goes = reached[-1]
            for m in range(len(reached) - 1, 0, -1):
                coming[n + m] += goes
                goes = reached[m - 1] + goes @ down[n + m]
        return found

    def _downwards(self) -> tuple[Array, Array, Array] | None:
        """Rates in the lowest level, all others eliminated, and of each other one the time in it and where it is left to.

        None where one is never left, in the digits that there are.
        """
        count, width = self.rise.shape
        left, down = np.zeros((2, count, width, width))
        out = self.fall if self.downs_with is None else self.fall + self.downs_with
        diagonal = np.arange(width)
        for n in range(count - 1, -1, -1):
            above = self._above(n)
            back = above[:, -1].copy()
            for m in range(above.shape[1] - 1, 0, -1):
                back = back @ down[n + m]
                back += above[:, m - 1]
            if n == 0:
                break
            back[diagonal, diagonal] = 0.0  # what leaves in all, without a difference (Grassmann, Taksar, Heyman 1985)
            back[diagonal, diagonal] = -(back.sum(axis=1) + out[n])
            try:
                left[n] = inverse(-back)
            except np.linalg.LinAlgError:
                return None
            down[n] = left[n] * self.fall[n]
            if self.downs_with is not None:
                down[n, :, 1:] += left[n, :, :-1] * self.downs_with[n, :-1]
        return back, left, down

    def _above(self, n: int) -> Array:
        """Rates from a level to itself and those above (Y, S, Y)."""
        if n in self.known:
            return self.known[n]
        count, width = self.rise.shape
        found, place = self.jumps.above(n, min(2, count - n)), np.arange(width)
        found[:, 0] += self.here[n]
        if n < count - 1:
            found[place, 1, place] += self.rise[n]
            if self.ups_with is not None:
                found[place[1:], 1, place[:-1]] += self.ups_with[n, 1:]
        if found.size * count < KEPT:
            self.known[n] = found
        return found
