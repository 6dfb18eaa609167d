"""Which works the tasks of a group and all others are of, given how many: users come at the pace of those elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from qnsolve.numerics.series import Array, Places

LOGS = np.linspace(-25.0, 25.0, 401)  # of how much longer than now a visit may take
LONGER = np.exp(LOGS)
MOST, MOSTLY = 0.8, 0.9  # by which times are shorter, given a number, at most; and part of all users that leave it as it is
LEAST_AWAY = 1e-4  # time of a user away, over his CPU, below which it is as good as none
CLOSE, WIDE = 3.0, 6.0  # numbers a standard deviation of what users make of it, and such deviations to both sides


def crossing(count: Array, coming: Array, delivered: float) -> tuple[float, float]:
    """The number at which users come, by `count`, at what is delivered, and how far it spreads from there.

    Near there it is a normal number whose variance is what is delivered over the slope at which fewer come.
    """
    place = min(max(int(np.searchsorted(-coming, -delivered)), 1), len(count) - 1)
    slope = float(coming[place - 1] - coming[place]) / float(count[place] - count[place - 1])
    if slope <= 0:
        return float(count[place - 1]), 0.0
    return float(count[place - 1]) + float(coming[place - 1] - delivered) / slope, sqrt(delivered / slope)


def closer(levels: Array, count: Array, coming: Array, delivered: float, wide: float = WIDE) -> Array:
    """Numbers of tasks, closer together where users come, by `count`, at what is delivered: so many deviations to both sides.

    There the number stays: steps that widen with the number alone may be wider than it spreads.
    """
    asked = np.interp(levels, count, coming)
    if asked[0] <= delivered or asked[-1] >= delivered:
        return levels
    middle, spread = crossing(count, coming, delivered)
    steps = np.flatnonzero(np.diff(levels) > max(spread / CLOSE, 1.0))  # those that are wider than that
    if not len(steps):
        return levels
    near = np.round(middle + spread * np.arange(-wide, wide + 0.5 / CLOSE, 1 / CLOSE))
    near = near[(near > levels[steps[0]] + 1) & (near < levels[-1])]
    if not len(near):
        return levels
    outside = levels[(levels < near[0] - 1) | (levels > near[-1] + 1)]
    return np.asarray(np.unique(np.concatenate((outside, near))))


class FewUsers(NamedTuple):
    """A group of few users.

    Attributes
    ----------
    place, work : int
        Its place among such groups, and its work.
    away : float
        Time of a user away from it [s].
    again : float
        CPU that each asks for, over that.
    """

    place: int
    work: int
    away: float
    again: float


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Users and streams of a host; W works, T tasks.

    Attributes
    ----------
    users, away, stream : ndarray (W,)
        Users of each work, the time that one is not on the CPs [s], and the rate of works that have one [1/s].
    spent : ndarray (T,)
        Time on the CPs of the tasks of one transaction, waits for limits that are counted there included [s].
    at : dict of pool to ndarray (T,)
        Of it, at each group.
    """

    users: Array
    away: Array
    stream: Array
    spent: Array
    at: dict[int, Array]

    def coming(self, work: Places, pools: Sequence[int], levels: Array, phases: Array, fixed: float) -> Array:
        """Transactions a second of each work, with so many tasks at some groups and so many others (W, N, Y).

        `fixed` is other work that is always there [count], among the others.
        """
        whole: Array = np.bincount(work, self.spent, len(self.users)).astype(float)
        there = np.sum([self.at[pool] for pool in pools], axis=0)
        own: Array = np.minimum(np.bincount(work, there, len(self.users)), whole)
        at, beside = self._times(own, whole - own, levels, 0.0), self._times(whole - own, own, phases, fixed)
        closed, shape = self.users > 0, (len(self.users), len(levels), len(phases))
        found: Array = np.where(closed, 0.0, self.stream)[:, None, None] * np.ones(shape)
        cycle = self.away[closed, None, None] + at[closed, :, None] + beside[closed, None, :]
        found[closed] = self.users[closed, None, None] / np.maximum(cycle, 1e-300)
        return found

    def come(self, here: Array, counts: Array, whole: Array, fixed: float = 0.0) -> Array:
        """Transactions a second of each work while so many tasks are where it spends the time `here` of the `whole` (W, C)."""
        rest = np.maximum(whole - here, 0.0)
        cycle = np.maximum(self.away[:, None] + rest[:, None] + self._times(here, rest, counts, fixed), 1e-300)
        return np.asarray(np.where(self.users[:, None] > 0, self.users[:, None] / cycle, self.stream[:, None]))

    def few(self, place: int, its: int, work: Places, pool: int, asked: float) -> FewUsers:
        """The users of a work at a group of their own, given the work of each task (T,), and their CPU there [s]."""
        elsewhere = float((self.spent - self.at[pool]) @ (work == its))
        away = max(float(self.away[its]) + elsewhere, LEAST_AWAY * asked)
        return FewUsers(place, its, away, asked / away)

    def beside_few(
        self, few: Sequence[FewUsers], there: Array, work: Places, pool: int, levels: Array, phases: Array, fixed: float
    ) -> Array:
        """`coming`, so many of few users `there` among the others (U, Y): those that are not come, others are the rest."""
        works, away = [its.work for its in few], np.array([its.away for its in few])
        left, users = np.maximum(phases - there.sum(axis=0), 0.0), self.users.copy()
        users[works] = 0.0
        found = replace(self, users=users).coming(work, [pool], levels, left, fixed)
        found[works] = (np.maximum(self.users[works][:, None] - there, 0.0) / away[:, None])[:, None, :]
        return found

    def _times(self, time: Array, rest: Array, counts: Array, fixed: float) -> Array:
        """Time of each work in one place with so many tasks there (W, C) [s]; `rest` is its time on the CPs elsewhere."""
        here = time > 0
        users, spent = self.users[here], LONGER[:, None] * time[here]
        rate = np.where(users > 0, users / (self.away[here] + rest[here] + spent), self.stream[here])
        total = (spent * rate).sum(axis=1) + fixed * LONGER
        with np.errstate(divide="ignore"):
            log = np.interp(np.log(counts), np.log(np.maximum(total, 1e-300)), LOGS)
        found = np.where(counts > 0, np.exp(log), 0.0) * time[:, None]
        found[here] = self._given(found[here], here, rest[here], fixed * np.exp(log) * (counts > 0))
        return found

    def _given(self, spent: Array, here: Places, rest: Array, fixed: Array) -> Array:
        """Times at which the mean numbers are those given their sum, beside others of so many (C,), to the next order.

        Where each number is a binomial one, or one of Poisson, that of a work given the sum is the smaller the more it leans
        to small ones, more than the sum does (H. Daniels, Annals of Mathematical Statistics 25, 1954).
        """
        users, away = self.users[here, None], self.away[here, None] + rest[:, None]
        part = np.where(users > 0, spent / (away + spent), 0.0)
        spread = np.where(users > 0, users * part, self.stream[here, None] * spent) * (1 - part)
        whole = np.maximum(spread.sum(axis=0) + fixed, 1e-300)
        lean = ((spread * (1 - 2 * part)).sum(axis=0) + fixed) / whole
        less = (1 - 2 * part - lean) / (2 * whole) * (part < MOSTLY).all(axis=0)
        return np.asarray(spent * np.clip((1 - (1 - part) * less) / np.maximum(1 + part * less, MOST), MOST, 1 / MOST))
