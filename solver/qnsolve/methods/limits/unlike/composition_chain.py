"""Tasks at one limit as a Markov chain: how many are there, and how many of those inside are in the first phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qnsolve.numerics.level_chain import EndlessLevels, at_once, long_steps, probabilities
from qnsolve.numerics.series import Array
from qnsolve.numerics.two_phases import TwoPhases

EXACT = 40  # limit of open kinds up to which every number of tasks inside is a state of its own
SMALL = 24  # limit of users up to which it is
FINE = 48  # numbers waiting, each a level, that are cheaper than a grid
STEP = 0.4  # spacing of the grid over the standard deviation
MOST = 100_000  # levels beyond the users that open kinds may fill, where there are both
NEVER = 0.9999  # load of open kinds from which their line is cut
BLUR = 0.06  # of the variance of the number waiting, by steps between levels
LEVELS = 500  # about the most beyond the limit
WIDEST = 4.0  # most that the mix of the line changes the time of phase 1
FAINTEST = 1e-12  # rate to the level below over those of the phase that is not told from none
FAINT = 32.0  # exponent of the least probability that counts
REACH = 4.7  # standard deviations of the phase that the grid covers
PHASES = 48  # most points of the grid for the phase
SELDOM = 1e-3  # chance that tasks wait from which on the rounding of the largest probability says nothing of it
SHORT = 64  # tasks in a line up to which each is counted


@dataclass(frozen=True)
class Arrivals:
    """Who comes to the limit.

    Parameters
    ----------
    users : ndarray (K,)
        Users of each kind, 0 for an open one [tasks].
    gap : ndarray (K,)
        Time that a user is away; for an open kind one over its rate [time].
    inside : ndarray (K,)
        Time inside over that elsewhere, of one user; of an open kind, tasks inside.
    shares : ndarray (K,)
        Share of each kind's tasks that begin in phase 1; each kind in a phase of its own where `apart`.
    mean : ndarray (K,)
        Holding time of each kind [time].
    apart : bool
    most : float
        Places.
    power : ndarray (K,), optional
        By which power of its users elsewhere, over their mean, each kind comes: 1, and less where these wait for other limits.
    rest : ndarray (K,), optional
        Users elsewhere in the mean, above 0 [tasks].
    """

    users: Array
    gap: Array
    inside: Array
    shares: Array
    mean: Array
    apart: bool
    most: float
    power: Array | None = None
    rest: Array | None = None

    def brisk(self, line: Array, phases: TwoPhases) -> Array:
        """Rate at which tasks leave phase 1 with these shares of the kinds (K, ...), over that with the mean shares, (...).

        What the shares in phase 1 say of the mean holding time differs from that of the mix where kinds
        are shorter than the phase.
        """
        if phases.move:
            return np.ones(line.shape[1:])
        short, long = 1 / phases.leave[0], 1 / phases.leave[1]
        entry = over_kinds(self.shares, line)
        own = (over_kinds(self.mean, line) - (1 - entry) * long) / np.maximum(entry, 1e-300)
        return np.asarray(short / np.clip(own, short / WIDEST, short * WIDEST))

    def held(self, first: Array, second: Array) -> Array:
        """Tasks of each kind inside, while so many are there by phase, shape (K, ...): as in a product form."""
        numbers = (first, second) if self.apart else (first + second,) * 2
        of = (numbers[int(share < 0.5)] for share in self.shares)
        return np.array([np.interp(number, *its) for number, its in zip(of, self.tables, strict=True)])

    @cached_property
    def tables(self) -> list[tuple[Array, Array]]:
        """Tasks of each kind given the number of all, of a phase where each kind has one of its own."""
        every = np.ones(len(self.mean), dtype=bool)
        at = np.unique(np.append(_spread(self.most), 0.5))
        some = np.zeros((len(self.mean), len(at)))
        for kinds in (self.shares >= 0.5, self.shares < 0.5) if self.apart else (every,):
            gap = np.where(self.users > 0, 1 / self.inside, 1 / np.maximum(self.inside, 1e-300))[kinds]
            some[kinds] = _shares(self.users[kinds], gap, at, self.users[kinds, None]) * at
        return [(at, its) for its in some]

    def line(self, first: Array, second: Array, longest: float) -> WaitingLine:
        """The line while so many are inside by phase, shape (P,), of so many at most."""
        users = self.users[:, None]
        return WaitingLine(self, np.maximum(users - self.held(first, second), 1e-6 * users), longest)

    def rates(self, held: Array, waiting: Array, line: Array) -> tuple[Array, Array]:
        """Rates of tasks that come for phase 1 and for phase 2; figures as in `of`."""
        come = self.of(held, waiting, line)
        return over_kinds(self.shares, come), over_kinds(1 - self.shares, come)

    def of(self, held: Array, waiting: Array, line: Array) -> Array:
        """The rate of each kind (K, ...).

        Parameters
        ----------
        held, line : ndarray (K, ...)
            Tasks of each kind inside, and the share of each in the line.
        waiting : ndarray (...)
            Tasks in the line.
        """
        users, gap = by_kind(self.users, line), by_kind(self.gap, line)
        found = np.asarray(users - held - waiting * line)
        np.maximum(found, 0.0, out=found)
        if self.power is not None and self.rest is not None:
            rest = by_kind(self.rest, line)
            found = np.asarray(rest * (found / rest) ** by_kind(self.power, line))
        if not (users > 0).all():
            found = np.where(users > 0, found, 1.0)
        found /= gap
        return found


def by_kind(values: Array, like: Array) -> Array:
    """Values of the kinds (K,) along the first axis of an array."""
    return values.reshape(-1, *(1,) * (like.ndim - 1))


def over_kinds(weights: Array, figures: Array) -> Array:
    """Sum over the kinds of figures (K, ...) with a weight each."""
    found: Array = np.dot(weights[None], figures.reshape(len(weights), -1))
    return found.reshape(figures.shape[1:])


def _shares(users: Array, gap: Array, waiting: Array, free: Array) -> Array:
    """Share of each kind in a line of so many tasks, shape (K, ...), of whom `free` (K, ...) are in it or away.

    A line of j is filled at a rate t by N/(gap·t + j) of each kind, which add up to 1: at least that of any kind alone, of all
    open ones, and of all users were they away for as long as in the mean.
    """
    closed, opened = by_kind(users, free) > 0, float((1 / gap[users == 0]).sum())
    gap, free = by_kind(gap, free), np.where(closed, free, 1.0)
    j = waiting * closed
    there = (free * closed).sum(axis=0)
    together = (there - waiting) * there / np.maximum((free * closed * gap).sum(axis=0), 1e-300)
    rate = np.maximum(np.maximum(((free - j) / gap).max(axis=0), together), max(opened, 1e-300))
    below = gap * rate + j
    parts, slopes = np.empty_like(below), np.empty_like(below)
    for _ in range(60):  # 1 over the sum is concave in the rate: Newton steps from below never pass the solution
        np.divide(free, below, out=parts)
        whole = parts.sum(axis=0)
        more = whole - 1
        if more.max() <= 1e-14:  # the shares are over their sum in the end
            break
        np.multiply(parts, gap, out=slopes)
        slopes /= below
        rate = rate + np.maximum(more * whole / slopes.sum(axis=0), 0.0)
        np.multiply(gap, rate, out=below)
        below += j
    parts /= whole
    return parts


class WaitingLine:
    """Shares of the kinds in a line in order of arrival whose users are in it or away, given how many wait.

    In a short line the product form goes from one task to the next: of those that come at j, each kind has its share
    of the next j + 1. In a long one the users of a kind are as in the mean.
    """

    def __init__(self, arrivals: Arrivals, free: Array, longest: float) -> None:
        self.arrivals, self.free = arrivals, free  # (K, P)
        alike = len(arrivals.mean) == 1 or not arrivals.users.any()
        self.few = self._few(0 if alike else int(min(np.ceil(longest), SHORT)))

    def at(self, waiting: Array) -> Array:
        """Shares for so many waiting (J,), shape (K, J, P)."""
        few, last = self.few, self.few.shape[1] - 1
        found, short = np.empty((len(few), len(waiting), few.shape[2])), waiting <= last
        low = waiting[short].astype(int)
        part = (waiting[short] - low)[:, None]
        found[:, short] = (1 - part) * few[:, low] + part * few[:, np.minimum(low + 1, last)]
        if not short.all():
            long = waiting[~short, None]
            found[:, ~short] = _shares(self.arrivals.users, self.arrivals.gap, long, self.free[:, None])
        return found

    def _few(self, most: int) -> Array:
        """Shares for 0, 1, … waiting (K, most + 1, P): the means of the product form, in which all terms are positive."""
        users, gap, free = self.arrivals.users, self.arrivals.gap, self.free
        mean = _shares(users, gap, np.zeros(1), free)
        if most == 0:
            return mean[:, None]
        number, kinds = np.arange(most + 1.0), range(len(gap))
        rate = np.where(users[:, None] > 0, free, 1.0) / gap[:, None]
        scale = np.log(most / rate.sum(axis=0))  # of the times of all kinds, so that sums stay in range
        terms = [self._term(k, number, scale) for k in kinds]
        before: list[Array] = [terms[0]]  # those of the first k + 1 kinds together, and of the last
        after: list[Array] = [terms[-1]]
        for k in kinds[1:-1]:
            before.append(_folded(before[-1], terms[k]))
            after.append(_folded(after[-1], terms[-1 - k]))
        others = [after[-1], *(_folded(one, two) for one, two in zip(before[:-1], after[-2::-1], strict=True)), before[-1]]
        found = np.array([_folded(others[k], number * terms[k]).T for k in kinds])
        found[:, 0] = mean
        return np.asarray(found / np.maximum(found.sum(axis=0), 1e-300))

    def _term(self, k: int, number: Array, scale: Array) -> Array:
        """Weights of so many of a kind in the line (P, J + 1); users that are not whole are there at times."""
        logs = np.cumsum(np.log(np.maximum(number, 1.0)))
        odds = number * (scale - np.log(self.arrivals.gap[k]))[:, None]
        if self.arrivals.users[k] == 0:
            return np.asarray(np.exp(odds - logs))
        low = np.floor(self.free[k, :, None])
        part = self.free[k, :, None] - low

        def of(users: Array) -> Array:
            left = users - number[:-1]
            with np.errstate(divide="ignore"):
                ways = np.cumsum(np.log(np.maximum(left, 0.0)), axis=1)
            return np.asarray(np.exp(np.concatenate((np.zeros((len(users), 1)), ways), axis=1) - logs + odds))

        return (1 - part) * of(low) + part * of(low + 1)


def _folded(one: Array, two: Array) -> Array:
    """Convolutions of rows, cut at their length (P, J)."""
    padded = np.concatenate((np.zeros((len(two), two.shape[1] - 1)), two), axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, two.shape[1], axis=1)  # (P, J, J), reversed
    return np.asarray((windows @ one[:, ::-1, None])[:, :, 0])


@dataclass(frozen=True)
class LimitState:
    """The stationary state of the chain.

    Parameters
    ----------
    inside, waiting : float
        Mean number of tasks that hold a place, that wait for one [tasks].
    line : ndarray (K,)
        Mean number of each kind that wait [tasks].
    rate : ndarray (K,)
        Throughput of each kind [1/time].
    full : float
        Probability that all places are taken.
    lengths : callable () -> ndarray
        Probability of 0, 1, … tasks that wait.
    delayed : ndarray (K,)
        Share of the tasks of each kind that wait.
    present : callable () -> ndarray (capacity + 1,)
        Probability of 0, 1, … places taken.
    longer : (float, float)
        Times of both phases over those given, where each has a speed of its own.
    """

    inside: float
    waiting: float
    line: Array
    rate: Array
    full: float
    lengths: Callable[[], Array]
    delayed: Array
    present: Callable[[], Array]
    longer: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class _Levels:
    """Numbers of tasks that are levels, and the states of the phase at each."""

    tasks: Array  # (L,)
    width: Array  # whole numbers that a level stands for
    first: list[Array]  # tasks inside in phase 1
    second: list[Array]
    waiting: Array
    line: Array  # shares of the kinds in the line, (K, L, P)
    up: list[Array]  # rates to the level above: a matrix, or a vector of those that keep the phase
    down: list[Array]
    local: list[Array]  # rates between the phases of a level


def composition(capacity: int, arrivals: Arrivals, phases: TwoPhases, speed: Array) -> LimitState:
    """The stationary state of a limit on tasks whose holding time has two phases.

    Parameters
    ----------
    capacity : int
        Places.
    arrivals : Arrivals
        The load of open kinds is below the places.
    phases : TwoPhases
        The holding time of all tasks together.
    speed : ndarray (capacity + 1,) or (2, capacity + 1, capacity + 1)
        Speed of each task over that of one whose holding time is as given, by the tasks inside; of each phase by those in both.
    """
    if phases.single:
        return _birth_death(capacity, arrivals, phases.leave[0], along(speed, phases, 1.0))
    exact = capacity <= (SMALL if arrivals.users.any() else EXACT)
    tasks = _numbers(capacity, arrivals, phases, speed, exact)
    levels = (_joint if exact else _gridded)(capacity, arrivals, phases, speed, tasks)
    endless = not arrivals.users.any()
    quick = None if endless else at_once(levels.up, levels.down, levels.local)
    if quick is not None and sum(float(p.sum()) for p, n in zip(quick, tasks, strict=True) if n > capacity) > SELDOM:
        return _figures(capacity, arrivals, levels, quick, None, phases, speed)
    states, tail = probabilities(levels.up, levels.down, levels.local, endless=endless)
    return _figures(capacity, arrivals, levels, states, tail, phases, speed)


def _birth_death(capacity: int, arrivals: Arrivals, leave: float, speed: Array) -> LimitState:
    """The same for one phase: every number of tasks is a state."""
    closed = arrivals.users > 0
    rate = float((~closed / arrivals.gap).sum())
    ratio = rate / (capacity * leave * speed[capacity])
    top = capacity if not closed.any() else int(np.ceil(arrivals.users.sum()))
    if rate and closed.any():
        top = capacity + top + int(min(MOST, FAINT / -np.log(ratio)))
    n = np.arange(top + 1.0)
    waiting, busy = np.maximum(n - capacity, 0.0), np.minimum(n, capacity)
    few = _spread(max(0.0, float(top - capacity)))
    shares = arrivals.line(np.full(1, float(capacity)), np.zeros(1), float(few[-1])).at(few)[:, :, 0]
    line = np.array([np.interp(waiting, few, share) for share in shares])
    come = arrivals.of(arrivals.held(busy, 0 * busy), waiting, line)
    with np.errstate(divide="ignore"):
        steps = np.log(come.sum(axis=0)[:-1]) - np.log(leave * busy[1:] * speed[busy[1:].astype(int)])
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    p = np.exp(logs - logs.max())
    tail = 0.0 if closed.any() else float(p[-1]) * ratio / (1 - ratio)
    total = float(p.sum()) + tail
    p, tail = p / total, tail / total
    beyond = tail / (1 - ratio) if tail else 0.0
    each = line @ (p * waiting) + beyond * line[:, -1]

    def lengths() -> Array:
        found = np.concatenate(([p[: capacity + 1].sum()], p[capacity + 1 :]))
        if tail:
            last = int(np.ceil(min(MOST, FAINT / -np.log(ratio))))
            found = np.concatenate((found, p[-1] * ratio ** np.arange(1, last + 1)))
        return np.asarray(found / found.sum())

    def present() -> Array:
        found = np.zeros(capacity + 1)
        np.add.at(found, busy.astype(int), p)
        found[-1] += tail
        return found

    full = float(p[capacity:].sum()) + tail
    rate = come @ p + tail / arrivals.gap
    late = (come[:, capacity:] @ p[capacity:] + tail / arrivals.gap) / rate
    return LimitState(float(p @ busy) + tail * capacity, float(each.sum()), each, rate, full, lengths, late, present)


def along(speed: Array, phases: TwoPhases, present: float) -> Array:
    """Speed of all tasks by their number, where so much of those inside is in phase 1."""
    if speed.ndim == 1:
        return speed
    number = np.arange(float(speed.shape[1]))
    one, two = paces(speed, present * number, (1 - present) * number)
    first, second = present * phases.leave[0], (1 - present) * phases.leave[1]
    return np.asarray((first * one + second * two) / (first + second))


def paces(speed: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Speeds of tasks of both phases with so many in each."""
    if speed.ndim == 1:
        found = np.interp(first + second, np.arange(float(len(speed))), speed)
        return found, found
    size = speed.shape[1] - 1
    first, second = np.clip(first, 0.0, size), np.clip(second, 0.0, size)
    i, j = (np.minimum(its.astype(int), size - 1) for its in (first, second))
    x, y = first - i, second - j
    one, two = (
        (1 - x) * ((1 - y) * its[i, j] + y * its[i, j + 1]) + x * ((1 - y) * its[i + 1, j] + y * its[i + 1, j + 1])
        for its in speed
    )
    return one, two


def _numbers(capacity: int, arrivals: Arrivals, phases: TwoPhases, speed: Array, exact: bool) -> Array:
    """The numbers of tasks that become levels: all where they are few, a grid as wide as the probability allows elsewhere."""
    closed = arrivals.users > 0
    users, rate = float(arrivals.users.sum()), float((~closed / arrivals.gap).sum())
    mean = phases.mean(phases.first)
    variation = _variation(phases, mean)
    tame = 2 / (1 + max(1.0, variation))  # the exponent of the probabilities over that of one phase
    if not rate:
        top = float(np.ceil(users))
    elif users:
        first = float((arrivals.shares / arrivals.gap)[~closed].sum()) / rate  # of open kinds, far back
        own = phases.mean(first)
        far = float(along(speed, phases, first / phases.leave[0] / own)[capacity])
        top = capacity + users + FAINT / tame / -np.log(min(NEVER, rate * own / (capacity * far)))
    else:
        top = capacity + 1.0  # the levels from there on are alike: summed in closed form
    if exact and top <= capacity + FINE:
        return np.arange(top + 1)
    low = np.arange(capacity + 1.0) if exact else capacity - _spread(float(capacity))[::-1]
    numbers = np.unique(np.concatenate((low, capacity + _spread(top - capacity))))
    numbers = numbers[(numbers >= 0) & (numbers <= top)]
    waiting = np.maximum(numbers - capacity, 0.0)
    busy = np.minimum(numbers, capacity)
    f = phases.present
    speed = along(speed, phases, f)
    line = arrivals.line(np.full(1, capacity * f), np.full(1, capacity * (1 - f)), float(waiting[-1])).at(waiting)[:, :, 0]
    one, two = arrivals.rates(arrivals.held(busy * f, busy * (1 - f)), waiting, line)
    births = one + two
    slope = np.log(np.maximum(births[:-1], 1e-300) / (busy * speed[busy.astype(int)] / mean)[1:])
    logs = tame * np.concatenate(([0.0], np.cumsum(slope * np.diff(numbers))))
    likely = np.flatnonzero(logs > logs.max() - FAINT)
    first, last = max(0, likely[0] - 1), min(len(numbers) - 1, likely[-1] + 1)
    last = min(len(numbers) - 1, max(last, int(np.searchsorted(numbers, capacity + 2))))
    if not users:
        first = min(first, int(np.searchsorted(numbers, capacity - 2)))
    bend = np.abs(np.gradient(slope, (numbers[1:] + numbers[:-1]) / 2)) if len(slope) > 2 else np.zeros(len(slope))
    scale = STEP / np.maximum(np.sqrt(tame * bend) + tame * np.abs(slope), 1e-9)
    middle = (numbers[1:] + numbers[:-1]) / 2
    scale = np.clip(scale, 1.0, 1.0 + 0.12 * np.maximum(np.abs(middle - capacity) - 3, 0.0))
    scale = np.clip(scale, 1.0, max(1.0, _stretch(capacity, phases, speed), (numbers[last] - numbers[first]) / LEVELS))
    if exact:
        scale[middle < capacity + FINE / 4] = 1.0
        first = 0 if first <= capacity else first
    scale *= max(1.0, float((np.diff(numbers) / scale)[first:last].sum()) / LEVELS) ** (middle > capacity + FINE / 4)
    place = np.concatenate(([0.0], np.cumsum(np.diff(numbers) / scale)))[first : last + 1]
    numbers = numbers[first : last + 1]
    at = place[np.searchsorted(numbers, min(max(float(capacity), numbers[0]), numbers[-1]))]
    whole = np.concatenate((np.arange(at, place[0], -1.0)[::-1], np.arange(at + 1, place[-1] + 1)))
    chosen = np.unique(np.round(np.interp(whole, place, numbers)))
    return np.unique(np.concatenate((chosen, numbers[[0, -1]])))


def _variation(phases: TwoPhases, mean: float) -> float:
    if phases.move:
        return 1.0
    second = 2 * (phases.first / phases.leave[0] ** 2 + (1 - phases.first) / phases.leave[1] ** 2)
    return second / mean**2 - 1


def _stretch(capacity: int, phases: TwoPhases, speed: Array) -> float:
    """The longest step between levels: numbers waiting drift with the phase, and long steps blur that."""
    f, (d1, d2), out = phases.present, phases.leave, speed[capacity]
    deviation = out * abs(d1 - d2) * (capacity * f * (1 - f)) ** 0.5
    if not deviation:
        return np.inf
    relax = out * (phases.first * d2 + (1 - phases.first) * d1 + phases.move)
    variance = 2 * out * capacity * (f * d1 + (1 - f) * d2) + 2 * deviation**2 / relax
    return float(BLUR * variance / deviation)


def _spread(far: float) -> Array:
    """Distances from the limit: each one, then growing by 2 %."""
    if far <= 100:
        return np.arange(max(0.0, np.ceil(far)) + 1)
    more = 100 * 1.02 ** np.arange(1, np.ceil(np.log(far / 100) / np.log(1.02)) + 1)
    return np.unique(np.concatenate((np.arange(101.0), np.round(np.minimum(more, far)))))


def _joint(capacity: int, arrivals: Arrivals, phases: TwoPhases, speed: Array, tasks: Array) -> _Levels:
    """Levels whose phase is the exact number of tasks in phase 1; a task that leaves makes place for the next at once."""
    top = len(tasks) - 1
    waiting = np.maximum(tasks - capacity, 0.0)
    gaps = np.diff(tasks)
    above, below = np.append(gaps, 1.0), np.insert(gaps, 0, 1.0)
    width = (above + below) / 2
    low = int(np.searchsorted(tasks, capacity))  # the first level at which all places are taken: they are alike from there on
    first = [np.arange(n + 1.0) for n in tasks[:low]] + [np.arange(capacity + 1.0)] * (top + 1 - low)
    second = [n - i for n, i in zip(tasks[:low], first, strict=False)] + [capacity - first[-1]] * (top + 1 - low)
    behind = arrivals.line(first[-1], second[-1], float(waiting[-1]))
    lines = behind.at(waiting)
    entries, brisk = over_kinds(arrivals.shares, lines), arrivals.brisk(lines, phases)
    inside = arrivals.held(first[-1], second[-1])[:, None]
    births = np.sum(arrivals.rates(inside, waiting[low:, None], lines[:, low:]), axis=0)
    long = _between_levels(capacity, arrivals, behind, phases, speed, tasks, (first[-1], second[-1]))
    joint = (below == 1) * (np.arange(top + 1) > 0) / width  # share of the moves that go with a departure
    apart = ((1 - joint) * (tasks > capacity))[:, None]

    def parts(of: slice) -> tuple[Array, Array, Array, Array]:
        """Of alike levels: chance that the next of the line begins in phase 1, rates out of both, and within each."""
        i1, i2 = first[of.start], second[of.start]
        size, (s1, s2) = len(i1), paces(speed, i1, i2)
        entry, rows = entries[of, :size], np.arange(size)
        d1, d2 = phases.leave[0] * brisk[of, :size], phases.leave[1]
        out1, out2, moved = d1 * s1 * i1, d2 * s2 * i2, phases.move * s1 * i1
        inner = np.zeros((len(entry), size, size))
        inner[:, rows[1:], rows[:-1]] = (moved + apart[of] * out1 * (1 - entry))[:, 1:]
        inner[:, rows[:-1], rows[1:]] = (apart[of] * out2 * entry)[:, :-1]
        return entry, out1, out2, inner

    full = parts(slice(min(low, top), top + 1))
    up, down, local = [], [], []
    for level, n in enumerate(tasks):
        i1, i2 = first[level], second[level]
        begin, outs1, out2, inners = full if level >= low else parts(slice(level, level + 1))
        at = level - low if level >= low else 0
        size, entry, out1 = len(i1), begin[at], outs1[at]
        rows = np.arange(size)
        local.append(inners[at])
        if level and below[level] == 1:
            down.append(_one_ends(out1, out2, entry if n > capacity else None) / (width[level] if n > capacity else 1.0))
        if level < top:
            step = above[level]
            if n < capacity:
                one, two = arrivals.rates(arrivals.held(i1, i2), waiting[level], lines[:, level, :size])
                move = np.zeros((size, size + 1))
                move[rows, rows + 1], move[rows, rows] = one, two
                up.append(move)
            elif step == 1:
                up.append(births[level - low] / width[level])
            else:
                ahead, back = (rates[level] for rates in long)
                up.append(ahead * step / width[level])
                down.append(back * step / width[level + 1])
    return _Levels(tasks, width, first, second, waiting, lines, up, down, local)


def _one_ends(out1: Array, out2: Array, entry: Array | None) -> Array:
    """Moves where one ends, at rates by phase; of an `entry`, the chance of phase 1, where one of the line begins at once."""
    size, rows = len(out1), np.arange(len(out1))
    if entry is None:
        move = np.zeros((size, size - 1))
        move[rows[1:], rows[:-1]], move[rows[:-1], rows[:-1]] = out1[1:], out2[:-1]
        return move
    move = np.diag(out1 * entry + out2 * (1 - entry))
    move[rows[1:], rows[:-1]], move[rows[:-1], rows[1:]] = (out1 * (1 - entry))[1:], (out2 * entry)[:-1]
    return move


def _between_levels(
    capacity: int,
    arrivals: Arrivals,
    behind: WaitingLine,
    phases: TwoPhases,
    speed: Array,
    tasks: Array,
    full: tuple[Array, Array],
) -> tuple[dict[int, Array], dict[int, Array]]:
    """Rates between levels above the limit that are a step apart, by the lower one; `full` are the numbers by phase there."""
    steps = np.diff(tasks)
    wide = np.flatnonzero((tasks[:-1] >= capacity) & (steps != 1))
    waiting = tasks[wide] + (steps[wide] - 1) / 2 - capacity
    first, second = full
    one, two = arrivals.rates(arrivals.held(first, second)[:, None], waiting[:, None], behind.at(waiting))
    brisk = arrivals.brisk(behind.at(waiting + 1), phases)
    s1, s2 = paces(speed, first, second)
    out = phases.leave[0] * brisk * first * s1 + phases.leave[1] * second * s2
    ahead, back = long_steps(one + two, out, steps[wide, None])
    return dict(zip(wide.tolist(), ahead, strict=True)), dict(zip(wide.tolist(), back, strict=True))


def _gridded(capacity: int, arrivals: Arrivals, phases: TwoPhases, speed: Array, tasks: Array) -> _Levels:
    """Levels and phases on a grid; the phase is y = i − q·min(n, capacity), whose steps are independent of those of n."""
    f = phases.present
    q = phases.first * (1 + phases.leave[0] / (phases.leave[0] + phases.move)) / 2
    wide = (capacity * f * (1 - f)) ** 0.5
    least = max(float(tasks[0]), capacity - 3.5 * capacity**0.5)
    middle = sorted(((f - q) * least, (f - q) * capacity))
    begin = max(-q * capacity, middle[0] - REACH * wide - 2)
    end = min((1 - q) * capacity, middle[1] + REACH * wide + 2)
    step = max(1.0, STEP * wide, (end - begin) / PHASES)
    y = begin + step * np.arange(np.ceil((end - begin) / step) + 1)

    def at(numbers: Array) -> tuple[Array, Array, Array, Array]:
        """Tasks inside by phase, and in the line; the shares of the kinds there."""
        places = np.minimum(numbers, capacity)[:, None]
        i, waiting = np.clip(y + q * places, 0.0, places), np.maximum(numbers - capacity, 0.0)
        return i, places - i, waiting[:, None], behind.at(waiting)

    full = np.clip(y + q * capacity, 0.0, float(capacity))
    behind = arrivals.line(full, capacity - full, float(max(tasks[-1] - capacity, 0.0)))

    def coming(numbers: Array, i1: Array, i2: Array, waiting: Array, line: Array) -> tuple[Array, Array]:
        alike = int(np.searchsorted(numbers, capacity))  # from here on as many of each phase are inside
        held = arrivals.held(i1[: alike + 1], i2[: alike + 1])
        return arrivals.rates(held[:, np.minimum(np.arange(len(numbers)), alike)], waiting, line)

    def leaving(numbers: Array, i1: Array, i2: Array, line: Array) -> tuple[Array, Array]:
        s1, s2 = paces(speed, i1, i2)
        return s1 * phases.leave[0] * arrivals.brisk(line, phases) * i1, s2 * phases.leave[1] * i2

    gaps = np.diff(tasks)
    width = (np.append(gaps, 1.0) + np.insert(gaps, 0, 1.0)) / 2
    face = tasks[:-1] + (gaps - 1) / 2
    numbers = np.unique(np.concatenate((tasks, face, face + 1)))  # steps of one: all the same
    every = at(numbers)
    come, leave = coming(numbers, *every), leaving(numbers, every[0], every[1], every[3])
    below, above, here = (np.searchsorted(numbers, its) for its in (face, face + 1, tasks))
    ahead, back = long_steps((come[0] + come[1])[below], (leave[0] + leave[1])[above], gaps[:, None])
    up = ahead * (gaps / width[:-1])[:, None]
    down = back * (gaps / width[1:])[:, None]

    i1, i2, waiting, line = every[0][here], every[1][here], every[2][here], every[3][:, here]
    one, two, out1, out2 = (its[here] for its in (*come, *leave))
    moved = paces(speed, i1, i2)[0] * phases.move * i1
    entry = over_kinds(arrivals.shares, line)
    before, upto = (tasks < capacity)[:, None], (tasks <= capacity)[:, None]
    drift = np.where(before, (1 - q) * one - q * two, 0.0) - moved
    spread = np.where(before, (1 - q) ** 2 * one + q**2 * two, 0.0) + moved
    drift += np.where(upto, q * out2 - (1 - q) * out1, out2 * entry - out1 * (1 - entry))
    spread += np.where(upto, (1 - q) ** 2 * out1 + q**2 * out2, out2 * entry + out1 * (1 - entry))
    right, left = _between_phases(step, drift, np.maximum(spread, 1e-9 * (out1 + out2 + one + two)))
    least = FAINTEST * np.maximum(right, left)[1:].max(axis=1, keepdims=True)  # levels that are never left downwards
    down = np.maximum(down, least)
    rows, local = np.arange(len(y)), np.zeros((len(tasks), len(y), len(y)))
    local[:, rows[:-1], rows[1:]], local[:, rows[1:], rows[:-1]] = right, left
    return _Levels(tasks, width, list(i1), list(i2), waiting[:, 0], line, list(up), list(down), list(local))


def _between_phases(step: float, drift: Array, spread: Array) -> tuple[Array, Array]:
    """Rates to the next phase and back of each level (L, P - 1), from the drift and the variance of the phase."""
    right, left = (spread + step * drift) / (2 * step * step), (spread - step * drift) / (2 * step * step)
    ahead, back = long_steps((spread + drift) / 2, (spread - drift) / 2, step)  # keeps positive where the drift is strong
    one_way = np.abs(drift) * step >= spread
    return np.where(one_way, ahead, right)[:, :-1], np.where(one_way, back, left)[:, 1:]


def _figures(
    capacity: int, arrivals: Arrivals, levels: _Levels, states: list[Array], tail: EndlessLevels | None,
    phases: TwoPhases, speed: Array,
) -> LimitState:  # fmt: skip
    mass = np.array([p.sum() for p in states])
    count = len(mass)
    p, one, two = _padded(states), _padded(levels.first[:count]), _padded(levels.second[:count])
    line, waiting = levels.line[:, :count], levels.waiting[:count]
    each = np.tensordot(line, p * waiting[:, None], 2)
    inside = float(mass @ np.minimum(levels.tasks[:count], capacity))
    full = float(mass[levels.tasks[:count] >= capacity].sum())
    if tail is not None:
        each = each + tail.mean * levels.line[:, count - 1, 0]
        inside += capacity * float(tail.phases.sum())
        full += float(tail.phases.sum())
    rate, late = 1 / arrivals.gap, np.full(len(arrivals.gap), full)
    s1, s2 = paces(speed, one, two) if speed.ndim > 1 else (1.0, 1.0)
    passed = phases.leave[0] * arrivals.brisk(line, phases) * one * s1 + phases.leave[1] * two * s2
    ahead = waiting[:, None] + 1.0
    seen = np.divide(ahead, passed, out=np.zeros(p.shape), where=(levels.tasks[:count, None] >= capacity) & (passed > 0))
    waits = np.full(len(rate), float((p * seen).sum()))  # of who comes: users come less often while theirs are here
    if arrivals.users.any():
        come = p * arrivals.of(arrivals.held(one, two), waiting[:, None], line)
        some = arrivals.users > 0
        rate[some] = come.sum(axis=(1, 2))[some]
        known = np.maximum(rate[some], 1e-300)  # all of them are there: none comes
        waits[some] = np.tensordot(come, seen, 2)[some] / known
        late[some] = come[:, levels.tasks[:count] >= capacity].sum(axis=(1, 2))[some] / known

    total, there = float(each.sum()), float(rate @ waits)
    if arrivals.users.any() and total > 0 and there > 0:  # of numbers that are next to nothing the product is none
        each = rate * waits * (total / there)

    def lengths() -> Array:
        last = max(0, int(levels.tasks[count - 1]) - capacity)
        p = np.interp(np.arange(last + 1), waiting, mass / levels.width[:count])
        p[0] = mass[waiting == 0].sum()
        if p[1:].sum() > 0:
            p[1:] *= mass[waiting > 0].sum() / p[1:].sum()
        if tail is not None:
            p = np.concatenate((p, tail.levels(states[-1], 1e-15, MOST)))
        return np.asarray(p / p.sum())

    def present() -> Array:
        below = levels.tasks[:count] < capacity
        found = np.zeros(capacity + 1)
        found[capacity] = mass[~below].sum() + (0.0 if tail is None else tail.phases.sum())
        if below.any():
            n = np.arange(capacity)
            dense = np.interp(n, levels.tasks[:count][below], (mass / levels.width[:count])[below], left=0.0, right=0.0)
            found[:capacity] = dense * (mass[below].sum() / max(dense.sum(), 1e-300))
        return found / found.sum()

    longer = 1.0, 1.0
    if speed.ndim > 1:
        ones, twos = float((p * one * s1).sum()), float((p * two * s2).sum())
        longer = float((p * one).sum()) / max(ones, 1e-300), float((p * two).sum()) / max(twos, 1e-300)
    return LimitState(inside, float(each.sum()), each, rate, full, lengths, late, present, longer)


def _padded(rows: list[Array]) -> Array:
    """Rows of unlike lengths as one array, with zeros after their ends."""
    lengths = np.array([len(row) for row in rows])
    found, short = np.zeros((len(rows), int(lengths.max()))), lengths < lengths.max()
    for place in np.flatnonzero(short).tolist():
        found[place, : lengths[place]] = rows[place]
    found[~short] = [row for row, less in zip(rows, short.tolist(), strict=True) if not less]
    return found
