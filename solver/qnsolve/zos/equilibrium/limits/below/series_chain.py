"""A limit above another that more work comes to: tasks of both in one Markov chain on a plane.

The levels are the tasks in and before the limit above, the phases the others in and before the one below. Given both, what
the tasks above do elsewhere is in its product form, and the places below are shared as first come, first served shares
them where the line is long against its changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.limited.product_form import FoldedRows, rates_of, speeds_of

UNIT, SINGLE = 14, 30  # tasks that are counted one by one: before limits, and of one limit inside another
GROWTH = 1.16  # of the steps beyond
LEFT_OUT = 1e-6  # chance of the largest number of others up to which it is large enough
WIDER = 4  # attempts
WITHIN = 0.2  # tasks about where as many come as end, between which the rates are straight
FAR = np.array([1e300])  # a number at which no users are left elsewhere
HALVED = 40  # times, of an interval
SEEN = 1e-6  # chance of a number from which on its speed is known


Arrivals = Callable[[Array], Array]


@dataclass(frozen=True)
class Steady:
    """Tasks that are in or before a limit at all times: how many, and the time that one holds a place [s]."""

    number: float = 0.0
    hold: float = 0.0


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
    in_line : ndarray, optional
        Speed while 1, 2, … are in line, over that while none is and all places are taken; beyond the last the same.
    steady : Steady, optional
        Tasks that are in and before it besides.
    """

    size: int
    hold: float
    other_hold: float
    speed: Array
    visits: float
    in_line: Array = field(default_factory=lambda: np.ones(1))
    steady: Steady = Steady()

    def inside(self, mine: Array, others: Array) -> tuple[Array, Array, Array]:
        """Of so many there and before it, in whole numbers: of both kinds inside, and the speed of each."""
        if self.steady.number > 0:
            return self._beside_steady(mine, others)
        ratio = self.hold / self.other_hold
        a, b, c = 1 - ratio, others - self.size + ratio * (self.size + mine), ratio * self.size * mine
        root = np.sqrt(np.maximum(b * b + 4 * a * c, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = np.where((b > 0) | (abs(a) < 1e-9), 2 * c / (b + root), (root - b) / (2 * a))
        shared = np.clip(np.nan_to_num(shared), np.maximum(self.size - others, 0.0), np.minimum(mine, self.size))
        room = mine + others <= self.size
        own = np.where(room, mine, shared)
        rest = np.where(room, others, self.size - shared)
        number = (mine + others).astype(int)
        slower = np.append(1.0, self.in_line)[np.clip(number - self.size, 0, len(self.in_line))]
        return own, rest, self.speed[np.minimum(number, self.size)] * slower

    def _beside_steady(self, mine: Array, others: Array) -> tuple[Array, Array, Array]:
        """The same beside tasks that are always there: all wait for as long, so that all places are taken (J. Little 1961)."""
        kinds = (mine, self.hold), (others, self.other_hold), (self.steady.number, self.steady.hold)
        number = np.asarray(mine + others + self.steady.number, dtype=float)
        low, high = np.zeros(number.shape), number / self.size * max(hold for _, hold in kinds)
        for _ in range(HALVED):
            wait = (low + high) / 2
            more = np.sum([count * (hold / (wait + hold)) for count, hold in kinds], axis=0) > self.size
            low, high = np.where(more, wait, low), np.where(more, high, wait)
        wait = np.where(number > self.size, high, 0.0)
        own, rest = (count * (hold / (wait + hold)) for count, hold in kinds[:2])
        slower = np.append(1.0, self.in_line)
        speed = np.interp(np.minimum(number, self.size), np.arange(len(self.speed)), self.speed)
        return own, rest, speed * np.interp(number - self.size, np.arange(len(slower)), slower)

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
    seldom : (float, float)
        Numbers in line that are seldom exceeded, before the limit above and others before the one below; 0 where none is known.
    """

    levels: Array
    chance: Array
    coming: Array
    rate: float
    endless: bool
    seldom: tuple[float, float] = (0.0, 0.0)


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
        its, rates = self.below, rates_of(self.elsewhere, self.tilt)
        sizes = [self.size, its.size, its.visits, its.hold, its.other_hold, self.most, self.others_most]
        sizes += [its.steady.number, its.steady.hold]
        ends, others_ends = (count * np.array([0.0, 0.5, 1.0]) for count in (some, others))
        return np.concatenate((sizes, its.speed[-1:], its.in_line[[0, -1]], self.come(ends), self.more(others_ends), rates))


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
    fold = FoldedRows(asked.elsewhere)
    for _ in range(WIDER):
        coarse = _rates(asked, fold, _points(below.size, others_top))
        middle, others_middle = _balance(asked, coarse, top)
        levels, phases = _points(size, top, middle), _points(below.size, others_top, others_middle)
        found, last, others_last = _solved(asked, fold, levels, coarse.finer(asked, fold, phases))
        enough = found.endless or last < LEFT_OUT or top >= most
        others_enough = others_last < LEFT_OUT or others_top >= others_most
        if enough and others_enough:
            return replace(found, seldom=(top - size, others_top - below.size))
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
    """At so many others, the `phases` (Y,): of 0 … size tasks above those that are below, and the rates at which tasks end.

    `weight`, `mine`, `leave` and `others` go with the number from above that is below (Y, size + 1), `whole`, `serve` and
    `down` with that inside the limit above.
    """

    phases: Array
    weight: Array
    mine: Array
    leave: Array
    others: Array
    whole: Array
    serve: Array
    down: Array

    def finer(self, asked: TwoLimits, fold: FoldedRows, phases: Array) -> _RatesBelow:
        """The same on a grid that has more points."""
        more = np.setdiff1d(phases, self.phases)
        if not len(more):
            return self
        new, order = _rates(asked, fold, more), np.argsort(np.concatenate((self.phases, more)))
        return _RatesBelow(*(np.concatenate((getattr(self, f.name), getattr(new, f.name)))[order] for f in fields(self)))


def _rates(asked: TwoLimits, fold: FoldedRows, phases: Array) -> _RatesBelow:
    """`fold` joins what is elsewhere to what is below."""
    size, below, tilt = asked.size, asked.below, asked.tilt
    count = np.arange(size + 1.0)
    mine, others, speed = below.inside(count[None, :], phases[:, None])
    leave = mine * speed / below.hold
    logs = np.zeros_like(leave)
    with np.errstate(divide="ignore"):
        logs[:, 1:] = np.cumsum(np.log(np.maximum(tilt * below.visits / leave[:, 1:], 1e-300)), axis=1)
    weight = np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), -700.0))
    ended = others * speed / below.other_hold
    whole, down = np.split(fold.of(np.concatenate((weight, weight * ended))), 2)
    whole = np.maximum(whole, 1e-290)
    return _RatesBelow(phases, weight, mine, leave, others, whole, speeds_of(whole, tilt), down / whole)


def _balance(asked: TwoLimits, rates: _RatesBelow, top: float) -> tuple[float, float]:
    """The numbers of both kinds at which as many come as end."""
    phases = rates.phases
    row, width = np.arange(len(phases)), rates.serve.shape[1]
    start = row * width

    def at(values: Array, number: Array) -> Array:
        low = np.minimum(number, width - 2).astype(int)
        part, place = np.minimum(number - low, 1.0), start + low
        found: Array = values.ravel()[place] * (1 - part) + values.ravel()[place + 1] * part
        return found

    def rising(number: Array) -> Array:
        found: Array = asked.come(number) - at(rates.serve, number)
        return found

    low, high, wide = np.zeros(len(phases)), np.full(len(phases), np.ceil(top)), np.ceil(top)
    while wide > WITHIN:  # from 1 on as good as straight
        middle = np.floor((low + high) / 2) if wide > 1 else (low + high) / 2
        more = rising(middle) > 0
        low, high = np.where(more, middle, low), np.where(more, high, middle)
        wide = float((high - low).max())
    slow, fast = np.maximum(rising(low), 0.0), np.maximum(-rising(high), 0.0)
    low = np.minimum(low + (high - low) * slow / np.maximum(slow + fast, 1e-300), top)
    over = asked.more(phases) - at(rates.down, low)
    place = int(np.argmax(over < 0)) if (over < 0).any() else len(phases) - 1
    if place == 0:
        return float(low[0]), 0.0
    part = np.clip(over[place - 1] / max(over[place - 1] - over[place], 1e-300), 0.0, 1.0)
    return float(low[place - 1] + part * (low[place] - low[place - 1])), float(
        phases[place - 1] + part * (phases[place] - phases[place - 1])
    )


def _solved(
    asked: TwoLimits, fold: FoldedRows, levels: Array, rates: _RatesBelow
) -> tuple[LimitsInSeries, float, float]:  # fmt: skip
    size, below, phases = asked.size, asked.below, rates.phases
    count, place = np.arange(size + 1.0), np.minimum(levels, size).astype(int)
    serve, down = rates.serve.T[place], rates.down.T[place]
    arriving, other_arriving = asked.come(levels), asked.more(phases)
    arrive = np.broadcast_to(arriving[:, None], serve.shape).copy()
    up = np.broadcast_to(other_arriving[None, :], serve.shape).copy()
    arrive[-1], up[:, -1] = 0.0, 0.0
    chance = plane(levels, phases, arrive, serve, 0.0, up, down).chance
    at = np.zeros((len(phases), size + 1))
    np.add.at(at.T, place, chance)
    there = rates.weight * fold.of((at / rates.whole)[:, ::-1])[:, ::-1]  # of those from above, below
    marginal, left = there.sum(axis=0), there * rates.leave
    speeds = below.mean_speeds(count, count, marginal, left.sum(axis=0))
    numbers, both = _by_number(count, phases, there)
    found = LimitsInSeries(
        float(left.sum()), float((chance * down).sum()), float((there * (count - rates.mine)).sum()),
        float((there * (phases[:, None] - rates.others)).sum()), speeds,
        numbers + below.steady.number, both,
        levels, chance.sum(axis=1), arriving, float((chance * serve).sum()),
        bool(chance[-1] @ (asked.come(FAR) - serve[-1]) > 0),
    )  # fmt: skip
    return found, float(chance[-1].sum()), float(chance[:, -1].sum())


def _by_number(levels: Array, phases: Array, chance: Array) -> tuple[Array, Array]:
    """The numbers of both kinds together, in order, and their chances; `levels` begin at 0, `chance` is (Y, N)."""
    place = np.append(0.0, np.cumsum(np.minimum(np.diff(phases), levels[-1] + 1)))  # numbers that none has are left out
    which = (place[:, None] + levels).astype(int)
    found = np.bincount(which.ravel(), chance.ravel()).astype(float)
    numbers = np.full(len(found), -1.0)
    numbers[which] = phases[:, None] + levels
    return numbers[numbers >= 0], found[numbers >= 0]


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
    numbers, both = _by_number(levels, phases, chance.T)
    return PlacesBelow(
        float(left.sum()), float((chance * down).sum()), float((chance * (levels[:, None] - mine)).sum()),
        float((chance * (phases - others)).sum()), below.mean_speeds(count, levels, marginal, left),
        numbers + below.steady.number, both,
    )  # fmt: skip
