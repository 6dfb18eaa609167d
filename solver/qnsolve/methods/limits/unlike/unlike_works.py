"""Waits at one limit on tasks that is shared by kinds of work with unlike holding times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.numerics.two_phases import TwoPhases, two_phases

from .composition_chain import EXACT, Arrivals, LimitState, composition
from .meeting import Meeting

NEAR = 5e-3  # difference of the wait from that of the chain, over the response time, before a last secant step
ROUNDS = 2  # of the wait of each kind over that of all
SELDOM = 1e-9  # share of all tasks that is as good as none
ALIKE = 1e-3  # difference of holding times over the longest up to which kinds are one
LEAST_AWAY = 1e-9  # users elsewhere
SHORTEST = 1e-6  # time away over the holding time: shorter ones make no difference
UNTOLD = 1e-12  # wait over the shortest holding time that is not told from none
SURE = 6.0  # standard deviations of the line
FULLEST = 0.999  # share of the places that work with a rate alone takes
STEPS = 60  # of a bracket
HALF_OF_IT = 0.5  # of a kind in a phase, beyond which it is of that one
HALF = 4  # steps of which one halves the bracket


@dataclass(frozen=True)
class Search:
    """Where a wait was found.

    Parameters
    ----------
    wait : float
        Of all tasks in the mean [time].
    own : ndarray (K,)
        The wait of each kind over that.
    slower : ndarray (K,)
        Holding times over those given.
    slope : float
        Of the log of the wait that the chain returns over the one that it is given, by the log of that.
    """

    wait: float
    own: Array
    slower: Array
    slope: float


@dataclass(frozen=True)
class LimitWaits:
    """What a limit on tasks does to the kinds of work that share it.

    Parameters
    ----------
    wait : ndarray (K,)
        Time that a task waits for a place [time].
    holding : ndarray (K,)
        Time that it holds the place [time].
    throughput : ndarray (K,)
        [1/time].
    held : float
        Mean number of places taken [tasks].
    full : float
        Probability that all places are taken.
    lengths : callable () -> ndarray
        Probability of 0, 1, … tasks that wait.
    delayed : ndarray (K,)
        Share of the tasks of each kind that wait.
    present : callable () -> ndarray (capacity + 1,)
        Probability of 0, 1, … places taken.
    search : Search or None
        Where the search for a limit that is nearly the same may begin.
    """

    wait: Array
    holding: Array
    throughput: Array
    held: float
    full: float
    lengths: Callable[[], Array]
    delayed: Array
    present: Callable[[], Array]
    search: Search | None = None


def unlike_waits(
    capacity: int,
    users: Array,
    rate: Array,
    away: Array,
    mean: Array,
    second: Array | None = None,
    third: Array | None = None,
    speed: Array | None = None,
    begin: Search | None = None,
    meeting: Meeting | None = None,
    power: Array | None = None,
) -> LimitWaits:
    """Waits, holding times and throughputs of kinds of work that share one limit, first come, first served.

    The holding time of all tasks together becomes two exponential phases by its first three
    moments; a Markov chain counts the tasks there and those inside that are in phase 1. The
    mix of those that wait follows from the users of each kind that are left. One unknown, the
    wait, is found between bounds. Exact for M/M/c, M/H2/c and users of one kind (a mix of two
    exponential kinds with the same think time nearly so); from 41 places on, by a grid over
    the number inside and its phase.

    Parameters
    ----------
    capacity : int
        Places, 1 or more.
    users : ndarray (K,)
        Users of each kind; 0 for a kind that comes from outside at a rate.
    rate : ndarray (K,)
        Rate of each open kind [1/time]; not read for users.
    away : ndarray (K,)
        Time between two tasks of a user, neither waiting nor inside [time]; not read for open kinds.
    mean : ndarray (K,)
        Time that a task holds its place [time].
    second, third : ndarray (K,), optional
        E[S²]/2 and E[S³]/6 of that time [time², time³]; by default of an exponential time: mean², mean³.
    speed : ndarray (capacity + 1,), optional
        Speed of each task by the number inside, over that of the holding times given; 1 by default.
    begin : Search, optional
        Of a limit with the same kinds that is nearly the same.
    meeting : Meeting, optional
        Where the tasks inside meet; each time is then that of a task with no other there, and `speed` is not read.
    power : ndarray (K,), optional
        By which power of their number elsewhere, over the mean, users of each kind come; 1 by default, as users who think do.

    Returns
    -------
    LimitWaits
        Little's law holds for each kind, and the places taken are never more than there are.
        Where open kinds alone need all places or more, their wait is infinite and users get none.
    """
    users, rate, away, mean = (np.asarray(v, dtype=float) for v in (users, rate, away, mean))
    second = mean**2 if second is None else np.asarray(second, dtype=float)
    third = mean**3 if third is None else np.asarray(third, dtype=float)
    speed = np.ones(capacity + 1) if speed is None else np.asarray(speed, dtype=float)
    there = ((users > 0) | (rate > 0)) & (mean > 0)
    closed = users > 0
    if not there.any():
        return LimitWaits(0 * mean, mean, _passed(users, rate, away + mean), 0.0, 0.0, _never, 0 * mean, _never)
    alone = meeting is None or not closed.any()  # else users leave work with a rate as much as it needs
    if alone and float((rate * mean)[~closed].sum()) >= capacity * speed[capacity] * (1 - 1e-9):
        x = np.where(closed, 0.0, rate)
        always, stay, ones = partial(_all_taken, capacity), mean / speed[capacity], np.ones(len(mean))
        return LimitWaits(ones * np.inf, stay, x, float(capacity), 1.0, _never, ones, always)
    kinds = _Kinds(
        capacity=capacity,
        users=users[there],
        rate=rate[there],
        away=away[there],
        mean=mean[there],
        second=second[there],
        third=third[there],
        speed=speed,
        own=np.ones(int(there.sum())),
        slower=np.ones(int(there.sum())),
        meeting=None if meeting is None else Meeting(meeting.pace, meeting.demand[:, there]),
        power=None if power is None else np.asarray(power, dtype=float)[there],
    )
    lengths: Callable[[], Array]
    present: Callable[[], Array]
    search: Search | None = None
    if closed.all() and users.sum() <= capacity and (speed == 1).all() and meeting is None:
        wait, full, lengths, late = 0.0, 0.0, _never, np.zeros(len(kinds.mean))
        present = partial(_seen, kinds, wait)
    elif (sure := kinds.always_full()) is not None:
        kinds, wait = sure
        full, lengths, late = 1.0, partial(_lengths, kinds, wait), np.ones(len(kinds.mean))
        present = partial(_all_taken, capacity)
    else:
        if begin is not None and len(begin.own) != len(kinds.mean):
            begin = None
        search, found = _settled(kinds, begin)
        kinds, wait = kinds.slowed(search.slower, search.own), search.wait
        full, lengths, late, present = found.full, found.lengths, found.delayed, found.present
    waits, inside = np.full(len(mean), wait), mean * float(kinds.slower.mean())
    waits[there], inside[there] = wait * kinds.own, kinds.mean * kinds.slower
    x = _passed(users, rate, away + inside + waits)
    delayed = np.full(len(mean), full)
    delayed[there] = late
    return LimitWaits(waits, inside, x, float(x @ inside), full, lengths, delayed, present, search)


def _passed(users: Array, rate: Array, cycle: Array) -> Array:
    """Throughput of each kind: users over their cycle, or the rate."""
    return np.where(users > 0, users / np.where(users > 0, cycle, 1.0), rate)


def _lengths(kinds: _Kinds, wait: float) -> Array:
    return kinds.chain(wait).lengths()


def _seen(kinds: _Kinds, wait: float) -> Array:
    return kinds.chain(wait).present()


def _all_taken(capacity: int) -> Array:
    return np.append(np.zeros(capacity), 1.0)


def _never() -> Array:
    """Lengths of a line in which nobody ever waits."""
    return np.ones(1)


@dataclass(frozen=True)
class _Kinds:
    """Kinds that share a limit; `own` is the wait of each over that of all, `slower` the holding time over that given."""

    capacity: int
    users: Array
    rate: Array
    away: Array
    mean: Array
    second: Array
    third: Array
    speed: Array
    own: Array
    slower: Array
    meeting: Meeting | None = None
    power: Array | None = None

    def slowed(self, slower: Array, own: Array) -> _Kinds:
        """The same with other holding times and waits, so long at most that the open kinds find places."""
        opened = float(self.rate @ (self.mean * slower * (self.users == 0)))
        if opened > FULLEST * self.capacity:
            slower = slower * (FULLEST * self.capacity / opened)
        return replace(self, own=own, slower=slower)

    def throughput(self, wait: float) -> Array:
        """Of each kind, shape (K,), where a task waits so long in the mean."""
        return _passed(self.users, self.rate, self.away + self.mean * self.slower + wait * self.own)

    def chain(self, wait: float) -> LimitState:
        """The chain with the mix of kinds that this wait gives."""
        x = self.throughput(wait)
        mix = x / x.sum()
        closed, mean = self.users > 0, float(mix @ self.mean)
        phases, apart, longer = two_phases(mix, self.mean, self.second, self.third), False, 1.0
        if closed.any() and (two := _two_kinds(mix, self.mean)) is not None:  # users of a kind are there or not
            second = float(mix @ self.second)
            longer = second / (two.first / two.leave[0] ** 2 + (1 - two.first) / two.leave[1] ** 2)
            phases, apart = two, True
        away = np.maximum(self.away, SHORTEST * mean)
        gap = np.where(closed, away, 1 / np.where(self.rate > 0, self.rate, 1.0))
        own = self.mean * self.slower
        inside = np.where(closed, own / (away + wait * self.own), self.rate * own)
        rest = None if self.power is None else np.maximum(x * away, LEAST_AWAY)
        most = float(self.capacity)
        arrivals = Arrivals(self.users, gap, inside, phases.shares, self.mean, apart, most, self.power, rest)
        if phases.move and self.capacity > EXACT:  # the grid has no phases in a row: one, and its wait by the variation
            longer = max(1.0, float(mix @ self.second) / mean**2)
            phases = replace(phases, leave=(1 / mean, 1 / mean), move=0.0)
        found = composition(self.capacity, arrivals, phases, self._paces(mix, phases))
        return replace(found, waiting=found.waiting * longer, line=found.line * longer)

    def _paces(self, mix: Array, phases: TwoPhases) -> Array:
        """Speeds by the tasks inside; where these meet, of each phase by those in both."""
        if self.meeting is None:
            return self.speed
        if phases.single or phases.move:
            ends = self.meeting.ends(mix, mix)[0, :, 0]
            number = np.arange(len(ends))
            return np.where(number > 0, ends / np.maximum(number, 1) * float(mix @ self.mean), 1.0)
        ends = self.meeting.ends(mix * phases.shares, mix * (1 - phases.shares))
        number = np.arange(ends.shape[1])
        each = np.array([number[:, None] * phases.leave[0] + 0 * number, number * phases.leave[1] + 0 * number[:, None]])
        return np.divide(ends, each, out=np.ones(ends.shape), where=(each > 0) & (ends > 0))

    def longer(self, found: LimitState) -> Array:
        """Holding times over those given, as the chain has them (K,)."""
        if self.meeting is None and (self.speed == 1).all():
            return np.ones(len(self.mean))
        cut = _two_kinds(found.rate / float(found.rate.sum()), self.mean) if self.meeting is not None else None
        if cut is None:
            return np.full(len(self.mean), found.inside / float(found.rate @ self.mean))
        return np.where(cut.shares > HALF_OF_IT, *found.longer)

    def always_full(self) -> tuple[_Kinds, float] | None:
        """The wait where the line is so long that no place is ever free, and the holding times; None where one may be."""
        if (self.users == 0).any() or self.meeting is not None:
            return None
        full = replace(self, slower=np.full(len(self.mean), 1 / float(self.speed[self.capacity])))
        wait = full.least()
        x = full.throughput(wait)
        mix = x / x.sum()
        variation = 2 * float(mix @ self.second) / float(mix @ self.mean) ** 2 - 1
        swing = (float(x @ self.away) * (1 + max(1.0, variation)) / 2 + 1) ** 0.5
        return (full, wait) if float(x.sum()) * wait > SURE * swing else None

    def least(self) -> float:
        """The wait below which more places would be taken than there are."""
        low, high = 0.0, 1.0
        if self._over(0.0) <= 0:
            return 0.0
        while self._over(high) > 0:
            low, high = high, 2 * high
        for _ in range(200):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            low, high = (middle, high) if self._over(middle) > 0 else (low, middle)
        return high

    def _over(self, wait: float) -> float:
        return float(self.throughput(wait) @ (self.mean * self.slower)) - self.capacity


def _settled(kinds: _Kinds, begin: Search | None) -> tuple[Search, LimitState]:
    """The wait that its own chain returns, with the waits of the kinds in the proportion of that chain."""
    kinds = kinds.slowed(kinds.slower, kinds.own) if begin is None else kinds.slowed(begin.slower, begin.own)
    wait, slope, found = _wait(kinds, 0.0 if begin is None else begin.wait, -1.0 if begin is None else begin.slope)
    for _ in range(ROUNDS):
        total = found.waiting / float(found.rate.sum())
        some = found.rate > 0
        told = total > UNTOLD * float(kinds.mean.min())
        own = np.divide(found.line, found.rate * total, out=kinds.own.copy(), where=some) if told else kinds.own
        before = kinds.throughput(wait)
        kinds = kinds.slowed(kinds.longer(found), own)
        if float(np.abs(kinds.throughput(wait) / before - 1).max()) < NEAR:
            break
        wait, slope, found = _wait(kinds, wait, slope)
    return Search(max(wait, kinds.least()), kinds.own, kinds.slower, slope), found


def _wait(kinds: _Kinds, start: float, slope: float) -> tuple[float, float, LimitState]:
    """The wait that its own chain returns, no less than the least; the slope there, and its state.

    What the chain returns is about a power of the wait that it is given, and falls with it: secant steps in logs, from a
    bracket with the end that stays at half its value (M. Dowell, P. Jarratt 1971).
    """
    least, scale = kinds.least(), float(kinds.mean.min())
    wait = max(start, least)
    found = kinds.chain(wait)
    if (len(kinds.mean) == 1 and kinds.power is None) or not kinds.users.any():  # the chain does not depend on the wait
        return found.waiting / float(found.rate.sum()), slope, found
    low, high = (log(least + scale), 0.0), (inf, 0.0)  # logs of the wait, and of what is returned over it; 0 where not known
    here = log(wait + scale), _returned(found, wait, scale)
    for step in range(1, STEPS):
        low, high = (here, high) if here[1] >= 0 else (low, here)
        if abs(here[1]) <= NEAR or high[0] - low[0] <= NEAR:
            break
        following = max(here[0] - here[1] / slope, low[0])
        if low[1] and high[1]:
            following = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1])
            following = following if step % HALF else (low[0] + high[0]) / 2
        wait, last = max(exp(following) - scale, least), here
        found = kinds.chain(wait)
        here = log(wait + scale), _returned(found, wait, scale)
        if here[0] != last[0]:
            slope = min((here[1] - last[1]) / (here[0] - last[0]), -1.0)
        if here[1] >= 0 and low == last:
            high = high[0], high[1] / 2
        elif here[1] < 0 and high == last:
            low = low[0], low[1] / 2
    return max(exp(min(max(here[0] - here[1] / slope, low[0]), high[0])) - scale, least), slope, found


def _returned(found: LimitState, wait: float, scale: float) -> float:
    """Log of the wait that a chain returns over the one that it was given, both with a time beside."""
    return log((found.waiting / float(found.rate.sum()) + scale) / (wait + scale))


def _two_kinds(mix: Array, mean: Array) -> TwoPhases | None:
    """Two exponential phases, the short kinds and the long ones, with the least variance left in each; None for alike ones.

    Kinds that hardly ever come are no phase of their own.
    """
    order = np.argsort(mean)
    parts, times = mix[order], mean[order]
    before, work, squares = np.cumsum(parts)[:-1], np.cumsum(parts * times)[:-1], float(parts @ times)
    apart = (np.diff(times) > ALIKE * times[-1]) & (before > SELDOM) & (before < 1 - SELDOM)
    if not apart.any():
        return None
    least = work**2 / before + (squares - work) ** 2 / np.maximum(1 - before, 1e-300)
    cut = int(np.argmax(np.where(apart, least, -np.inf)))
    short, long = work[cut] / before[cut], (squares - work[cut]) / max(1 - before[cut], 1e-300)
    return TwoPhases(float(before[cut]), (1 / short, 1 / long), 0.0, (mean <= times[cut]).astype(float))
