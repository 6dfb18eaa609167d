"""A limit above another that more work comes to: tasks of both in one Markov chain on a plane.

The levels are the tasks in and before the limit above, the phases the others in and before the one below. Given both, what
the tasks above do elsewhere is in its product form, and the places below are shared as first come, first served shares
them where the line is long against its changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.limited.product_form import folded_rows, speeds_of

UNIT, SINGLE = 14, 30  # tasks that are counted one by one: before limits, and of one limit inside another
GROWTH = 1.16  # of the steps beyond
LEFT_OUT = 1e-6  # chance of the largest number of others up to which it is large enough
WIDER = 4  # attempts
FAR = np.array([1e300])  # a number at which no users are left elsewhere
SEEN = 1e-6  # chance of a number from which on its speed is known


Arrivals = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Below:
    """A limit below: places, time that a task of either kind holds one, and how its speed changes.

    Attributes
    ----------
    size : int
    hold, other_hold : float
        Time inside of those from above, and of the others [s].
    speed : ndarray (size + 1,)
        Speed of each task by the number inside, over that of these times.
    visits : float
        Tasks here of one task above.
    """

    size: int
    hold: float
    other_hold: float
    speed: Array
    visits: float

    def inside(self, mine: Array, others: Array) -> tuple[Array, Array, Array]:
        """Of so many there and before it: of both kinds inside, and the speed of each."""
        ratio = self.hold / self.other_hold
        a, b, c = 1 - ratio, others - self.size + ratio * (self.size + mine), ratio * self.size * mine
        root = np.sqrt(np.maximum(b * b + 4 * a * c, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = np.where((b > 0) | (abs(a) < 1e-9), 2 * c / (b + root), (root - b) / (2 * a))
        shared = np.clip(np.nan_to_num(shared), np.maximum(self.size - others, 0.0), np.minimum(mine, self.size))
        room = mine + others <= self.size
        own = np.where(room, mine, shared)
        rest = np.where(room, others, self.size - shared)
        count = np.minimum(mine + others, self.size)
        return own, rest, np.interp(count, np.arange(self.size + 1.0), self.speed)

    def mean_speeds(self, count: Array, levels: Array, chance: Array, left: Array) -> Array:
        """Mean rates at which `count` tasks from above leave, of those that `left` by their number; beyond these, the same."""
        some = np.flatnonzero(chance > SEEN * chance.sum())
        found = np.interp(count, levels[some], left[some] / chance[some])
        return np.asarray(np.minimum(found, count / self.hold * self.speed[np.minimum(count, self.size).astype(int)]))


@dataclass(frozen=True, eq=False)
class PlacesBelow:
    """A limit below solved.

    Attributes
    ----------
    passed, others_rate : float
        Tasks from above that leave it, and others that do [1/s].
    waiting, others_waiting : float
        Of both kinds before it [count].
    speeds : ndarray
        Mean rate at which 0, 1, … of those from above leave it [1/s].
    numbers, below : ndarray
        Numbers of tasks in and before it, and their chances.
    """

    passed: float
    others_rate: float
    waiting: float
    others_waiting: float
    speeds: Array
    numbers: Array
    below: Array


@dataclass(frozen=True, eq=False)
class LimitsInSeries(PlacesBelow):
    """Two limits solved.

    Attributes
    ----------
    levels, chance, coming : ndarray (N,)
        Tasks in and before the limit above.
    rate : float
        Tasks that leave above [1/s].
    endless : bool
        However many are there, more come than leave: no grid is wide enough.
    """

    levels: Array
    chance: Array
    coming: Array
    rate: float
    endless: bool


@dataclass(frozen=True, eq=False)
class TwoLimits:
    """What the chain of two limits is asked.

    Attributes
    ----------
    size : int
        Places above.
    below : Below
    elsewhere : ndarray (size + 1,)
        Weights of 0, 1, … tasks that are inside the limit above and not below, at throughput `tilt`.
    tilt : float
    come, more : callable
        Rates at which tasks come to the limit above, and others to the one below, by their number.
    most, others_most : float
        Numbers that they do not exceed.
    """

    size: int
    below: Below
    elsewhere: Array
    tilt: float
    come: Arrivals
    more: Arrivals
    most: float
    others_most: float

    @property
    def numbers(self) -> Array:
        """What tells it from another one."""
        some, others = (min(m, size + 1.0) for m, size in ((self.most, self.size), (self.others_most, self.below.size)))
        its, rates = self.below, np.zeros(self.size)
        np.divide(self.tilt * self.elsewhere[:-1], self.elsewhere[1:], out=rates, where=self.elsewhere[1:] > 0)
        sizes = [self.size, its.size, its.visits, its.hold, its.other_hold, its.speed[-1], self.most, self.others_most]
        ends, others_ends = (count * np.array([0.0, 0.5, 1.0]) for count in (some, others))
        return np.concatenate((sizes, self.come(ends), self.more(others_ends), rates))


def series(asked: TwoLimits, guess: float, others_guess: float) -> LimitsInSeries:
    """The chain.

    Parameters
    ----------
    asked : TwoLimits
    guess, others_guess : float
        Numbers in line that tasks seldom exceed, before the limit above and others before the one below.
    """
    size, below, most, others_most = asked.size, asked.below, asked.most, asked.others_most
    top, others_top = min(most, size + guess), min(others_most, below.size + others_guess)
    for _ in range(WIDER):
        coarse = _points(below.size, others_top)
        middle, others_middle = _balance(asked, coarse, top)
        levels, phases = _points(size, top, middle), _points(below.size, others_top, others_middle)
        found, last, others_last = _solved(asked, levels, phases)
        enough = found.endless or last < LEFT_OUT or top >= most
        others_enough = others_last < LEFT_OUT or others_top >= others_most
        if enough and others_enough:
            break
        top = top if enough else min(most, 4 * top)
        others_top = others_top if others_enough else min(others_most, 4 * others_top)
    return found


def _points(size: int, top: float, middle: float = 0.0) -> Array:
    """A grid that has a limit on it, finer about the middle."""
    top = max(float(round(top)), 1.0)
    found = grid(UNIT, min(float(size), top), GROWTH)
    if size < top:
        found = np.concatenate((found, size + grid(UNIT, top - size, GROWTH)))
    near = np.rint(middle + np.sqrt(middle + 10) * np.arange(-6.0, 6.1, 0.6))
    return np.unique(np.concatenate((found, near[(near > 0) & (near < top)] if middle > UNIT else near[:0])))


@dataclass(frozen=True, eq=False)
class _RatesBelow:
    """At so many others (Y,): of 0 … size tasks above those that are below, and the rates at which tasks end.

    `weight`, `mine`, `leave` and `others` go with the number from above that is below (Y, size + 1), `whole`, `serve` and
    `down` with that inside the limit above.
    """

    weight: Array
    mine: Array
    leave: Array
    others: Array
    whole: Array
    serve: Array
    down: Array


def _rates(asked: TwoLimits, phases: Array) -> _RatesBelow:
    size, below, elsewhere, tilt = asked.size, asked.below, asked.elsewhere, asked.tilt
    count = np.arange(size + 1.0)
    mine, others, speed = below.inside(count[None, :], phases[:, None])
    leave = mine * speed / below.hold
    logs = np.zeros_like(leave)
    with np.errstate(divide="ignore"):
        logs[:, 1:] = np.cumsum(np.log(np.maximum(tilt * below.visits / leave[:, 1:], 1e-300)), axis=1)
    weight = np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), -700.0))
    ended = others * speed / below.other_hold
    whole = np.maximum(folded_rows(weight, elsewhere), 1e-290)
    serve = speeds_of(whole, tilt)
    down = folded_rows(weight * ended, elsewhere) / whole
    return _RatesBelow(weight, mine, leave, others, whole, serve, down)


def _balance(asked: TwoLimits, phases: Array, top: float) -> tuple[float, float]:
    """The numbers of both kinds at which as many come as end."""
    rates = _rates(asked, phases)
    row = np.arange(len(phases))
    last = rates.serve.shape[1] - 1

    def at(values: Array, number: Array) -> Array:
        low = np.minimum(np.floor(number), last - 1).astype(int)
        part = np.minimum(number - low, 1.0)
        found: Array = values[row, low] * (1 - part) + values[row, low + 1] * part
        return found

    low, high = np.zeros(len(phases)), np.full(len(phases), top)
    for _ in range(40):
        middle = (low + high) / 2
        rising = asked.come(middle) > at(rates.serve, middle)
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    over = asked.more(phases) - at(rates.down, low)
    place = int(np.argmax(over < 0)) if (over < 0).any() else len(phases) - 1
    if place == 0:
        return float(low[0]), 0.0
    part = np.clip(over[place - 1] / max(over[place - 1] - over[place], 1e-300), 0.0, 1.0)
    return float(low[place - 1] + part * (low[place] - low[place - 1])), float(
        phases[place - 1] + part * (phases[place] - phases[place - 1])
    )


def _solved(asked: TwoLimits, levels: Array, phases: Array) -> tuple[LimitsInSeries, float, float]:
    size, below, elsewhere = asked.size, asked.below, asked.elsewhere
    count, place = np.arange(size + 1.0), np.minimum(levels, size).astype(int)
    rates = _rates(asked, phases)
    serve, down = rates.serve.T[place], rates.down.T[place]
    arriving, other_arriving = asked.come(levels), asked.more(phases)
    arrive = np.broadcast_to(arriving[:, None], serve.shape).copy()
    up = np.broadcast_to(other_arriving[None, :], serve.shape).copy()
    arrive[-1], up[:, -1] = 0.0, 0.0
    chance = plane(levels, phases, arrive, serve, 0.0, up, down).chance
    at = np.zeros((len(phases), size + 1))
    np.add.at(at.T, place, chance)
    there = rates.weight * folded_rows((at / rates.whole)[:, ::-1], elsewhere)[:, ::-1]  # of those from above, below
    marginal, left = there.sum(axis=0), there * rates.leave
    speeds = below.mean_speeds(count, count, marginal, left.sum(axis=0))
    numbers, which = np.unique((count[None, :] + np.rint(phases)[:, None]).ravel(), return_inverse=True)
    found = LimitsInSeries(
        float(left.sum()), float((chance * down).sum()), float((there * (count - rates.mine)).sum()),
        float((there * (phases[:, None] - rates.others)).sum()), speeds,
        numbers.astype(float), np.bincount(which, there.ravel()).astype(float),
        levels, chance.sum(axis=1), arriving, float((chance * serve).sum()),
        bool(chance[-1] @ (asked.come(FAR) - serve[-1]) > 0),
    )  # fmt: skip
    return found, float(chance[-1].sum()), float(chance[:, -1].sum())


def one_of_several(
    inside: Array, below: Below, elsewhere: Array, tilt: float, more: Arrivals, others_most: float, others_guess: float
) -> PlacesBelow:
    """One of several limits below: its tasks from above and the others in one chain, given the numbers inside the limit above.

    Those that are elsewhere come here as in the product form of all that is elsewhere, the other limits among it.

    Parameters
    ----------
    inside : ndarray (size + 1,)
        Chances of 0, 1, … tasks inside the limit above, over their weights.
    below, elsewhere, tilt, more, others_most, others_guess
        As for `series`.
    """
    size = len(elsewhere) - 1
    count, ahead = np.arange(size + 1.0), np.append(inside, np.zeros(size + 1))
    there, one_less = (np.correlate(ahead[less : less + 2 * size + 1], elsewhere, "valid") for less in (0, 1))
    come = below.visits * tilt * np.divide(one_less, there, out=np.zeros(size + 1), where=there > 0)
    levels, others_top = grid(SINGLE, size, GROWTH), min(others_most, below.size + others_guess)
    for _ in range(WIDER):
        phases = _points(below.size, others_top)
        mine, others, speed = below.inside(levels[:, None], phases[None, :])
        serve, down = mine * speed / below.hold, others * speed / below.other_hold
        arrive, up = (np.ones_like(serve) * rate for rate in (np.interp(levels, count, come)[:, None], more(phases)))
        arrive[-1], up[:, -1] = 0.0, 0.0
        chance = plane(levels, phases, arrive, serve, 0.0, up, down).chance
        if float(chance[:, -1].sum()) < LEFT_OUT or others_top >= others_most:
            break
        others_top = min(others_most, 4 * others_top)
    marginal, left = chance.sum(axis=1), (chance * serve).sum(axis=1)
    numbers, which = np.unique((levels[:, None] + np.rint(phases)).ravel(), return_inverse=True)
    return PlacesBelow(
        float(left.sum()), float((chance * down).sum()), float((chance * (levels[:, None] - mine)).sum()),
        float((chance * (phases - others)).sum()), below.mean_speeds(count, levels, marginal, left),
        numbers, np.bincount(which, chance.ravel()).astype(float),
    )  # fmt: skip
