"""What tasks find before limits that are always full: each kind, and those of each caller, as they come back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places, each_once
from qnsolve.zos.hosts.limited.product_form import of_one_more, weights
from qnsolve.zos.hosts.limited.returning_users import ReturningUsers

from ...working import Working
from ..elsewhere.users_elsewhere import where_longest

SWINGS = (0.6, 0.9)  # standard deviation of a wait over its mean, up to which there is always a line, and from which on not
SURE = 0.35  # the same, up to which what is inside is all places
LEAST = 1e-9  # of the time inside, that a task is there and not before a limit below
SHORTEST = 0.05  # wait over the mean, at least
SEVERAL = 2  # kinds of tasks in a line below
MOST = 1000  # places up to which it is told what asks for one more of them
OFTEN = 0.7  # how often a limit is full that is looked at
STILL = 2e-3  # change of the waits over their mean up to which they stay as they were
FREELY, PART = 4, 0.5  # rounds in which these are taken as found, and how far they follow what is found later on


class LimitsAround(Protocol):
    """What is asked of all limits."""

    work: Working
    gates: list[int]
    pool: dict[int, int]
    tasks: dict[int, Places]
    classes: dict[int, Places]

    def whence(self, tasks: Places, limited: Places, held: Array) -> tuple[Array, Array]:
        """Users from whom tasks come to a limit, 0 of a stream, and the time that one is elsewhere (n,) [s]."""

    def together_with(self, region: int) -> tuple[int, ...]:
        """A region and those beside it that call the same tasks."""

    def places_of(self, region: int, tasks: Places) -> float:
        """Places of a region, or as many users as come, in turn as it is full or not, for some tasks."""


@dataclass(frozen=True, eq=False)
class _OftenFull:
    """A limit in the last round.

    Attributes
    ----------
    swing : float
        Standard deviation of the wait for it over its mean.
    tasks, waits : ndarray (n,)
        Its tasks, and what each waits over the mean.
    calls, ratios : ndarray (c,)
        Calls of its tasks out of regions with limits, and what each waits over its task.
    """

    swing: float = np.inf
    tasks: Places = field(default_factory=lambda: np.zeros(0, dtype=int))
    waits: Array = field(default_factory=lambda: np.zeros(0))
    calls: Places = field(default_factory=lambda: np.zeros(0, dtype=int))
    ratios: Array = field(default_factory=lambda: np.zeros(0))


NEVER_FULL = _OftenFull()


class ReturningTasks:
    """Waits of tasks before limits that are always full, over those of a mean task: once a round, by the one before."""

    def __init__(self, limits: LimitsAround) -> None:
        self._limits = limits
        self._seen = dict[int, _OftenFull]()

    def look(self) -> None:
        """Note waits by what all limits were in the last round."""
        limits, w = self._limits, self._limits.work
        each = [(limits.pool[r], limits.tasks[r]) for r in limits.gates]
        before, self._seen = self._seen, {}
        for pool, tasks in (*each, *limits.classes.items()):
            crowd = w.crowds.get(pool)
            if crowd is None or crowd.full <= OFTEN or crowd.wait <= 0:
                continue
            found = self._found(pool, tasks, self._inside(pool), before.get(pool, NEVER_FULL))
            if found is not None:
                self._seen[pool] = found
        called = [(-1, NEVER_FULL), *self._seen.items()]
        calls, ratios = (np.concatenate(its) for its in zip(*((its.calls, its.ratios) for _, its in called), strict=True))
        w.by_caller = calls, np.repeat([p for p, _ in called], [len(its.calls) for _, its in called]), ratios

    def _inside(self, pool: int) -> Array:
        """Time that each task holds a place of a limit: in a class also while it waits for its region (T,) [s]."""
        limits, w = self._limits, self._limits.work
        if pool not in limits.classes:
            return w.holds()
        return np.asarray(w.holds() + w.pool_wait[limits.pool[int(w.form.pool_region[pool])]])

    def part(self, pool: int) -> float:
        """How far the waits for a limit are those that are found here: as there was always a line in the last round."""
        return _part(self._seen.get(pool, NEVER_FULL).swing)

    def sure(self, pool: int) -> bool:
        """Whether the line of a limit is so long that nothing but that tells how long it is."""
        return self._seen.get(pool, NEVER_FULL).swing < SURE

    def waits(self, pool: int, tasks: Places) -> Array:
        """Of each of some tasks of a limit (n,); 1 where there is not always a line."""
        seen, at = self._seen.get(pool, NEVER_FULL), np.ones(len(self._limits.work.flow))
        at[seen.tasks] = seen.waits
        return np.asarray(at[tasks])

    def _found(self, pool: int, tasks: Places, inside: Array, before: _OftenFull) -> _OftenFull | None:
        """A limit that was full; None where all tasks are alike."""
        limits, w = self._limits, self._limits.work
        crowd, flow = w.crowds[pool], w.flow
        some, held = tasks[flow[tasks] > 0], inside + w.pool_wait[pool]
        calls, rates, back = self._calls(some, held)
        called = w.calls[1][calls]
        direct = np.setdiff1d(some, called)
        kinds = np.concatenate((direct, called))
        if len(kinds) < 2:
            return None
        users, gone = limits.whence(direct, tasks, held)
        away = np.concatenate((np.where(users > 0, gone, np.inf), back))
        rate, work = np.concatenate((flow[direct], rates)), self._work(pool, some, inside)[kinds]
        line = ReturningUsers(rate, inside[kinds], np.maximum(away, 0.0), crowd.wait, work)
        waits = np.maximum(line.waits_over_mean(), SHORTEST) ** _part(line.swing)
        whole, mean = (np.bincount(kinds, its, len(flow)) for its in (rate, rate * waits))
        now = self._moved(before.tasks, before.waits, some, mean[some] / whole[some])
        ratios = waits[len(direct) :] * whole[called] / mean[called]
        return _OftenFull(line.swing, some, now, calls, self._moved(before.calls, before.ratios, calls, ratios))

    def _work(self, pool: int, tasks: Places, inside: Array) -> Array:
        """By how much each task of a limit lengthens its line (T,).

        Where tasks of several kinds wait for limits below, one more of them is there, before the fullest. So it is what
        a task asks of that, and not how long it waits there, that lengthens the line: by the part of one more that is there.
        """
        limits, w, flow = self._limits, self._limits.work, self._limits.work.flow
        callers, called, number = w.calls
        if pool in limits.classes or not np.isin(callers, tasks).any():
            return inside
        group = [r for r in limits.together_with(int(w.form.pool_region[pool])) if r in limits.pool]
        size = int(sum(int(w.form.pool_size[limits.pool[r]]) for r in group))
        if size > MOST:
            return inside
        everyone = np.concatenate([limits.tasks[r] for r in group])
        calls = np.flatnonzero(np.isin(callers, everyone))
        at, spent, own = where_longest(w.pool_wait[:, called[calls]]), w.holds() + w.wait, inside.copy()
        lines, asked = list[Array](), list[Array]()
        for line in each_once(at[at >= 0]).tolist():
            mine = calls[at == line]
            if len(each_once(callers[mine])) < SEVERAL:
                continue  # they hold places for as long as they wait there, and nobody else does
            hold = self._inside(line)
            load = float((flow[callers[mine]] * number[mine]) @ hold[called[mine]])
            there = w.in_limit(line)
            places = float(w.form.pool_size[line]) * load / max(float(flow[there] @ hold[there]), load, 1e-300)
            if load > 0:
                lines.append(weights(load / np.minimum(np.arange(1.0, size + 1), places)))
                asked.append(np.asarray(np.bincount(callers[mine], number[mine] * hold[called[mine]], len(flow)), dtype=float))
                own -= np.bincount(callers[mine], number[mine] * spent[called[mine]], len(flow))
        if not lines:
            return inside
        own = np.maximum(own, LEAST * inside)
        rest = weights(float(flow[everyone] @ own[everyone]) / np.arange(1.0, size + 1))
        more, found = of_one_more(rest, lines), np.zeros(len(flow))
        for part, its in ((1 - float(more.sum()), own), *zip(more.tolist(), asked, strict=True)):
            found += max(part, 0.0) * its / max(float(flow[tasks] @ its[tasks]), 1e-300)
        return found

    def _moved(self, then: Places, before: Array, some: Places, found: Array) -> Array:
        """Waits over a mean of some tasks or calls, from those before, of `then`, to those that are found."""
        if not len(some) or not np.array_equal(then, some):
            return found
        if float(np.abs(found / before - 1).max()) < STILL:
            return before
        part = 1.0 if self._limits.work.rounds <= FREELY else PART
        return np.asarray(before ** (1 - part) * found**part)

    def _calls(self, tasks: Places, held: Array) -> tuple[Places, Array, Array]:
        """Calls of some tasks out of regions with limits, the flow of each [1/s], and the time until the place is back [s]."""
        w, limits = self._limits.work, self._limits
        callers, called, number = w.calls
        region, flow = w.form.region[callers], w.flow[callers] * number
        calls = np.flatnonzero(np.isin(called, tasks) & np.isin(region, limits.gates) & (flow > 0))
        flow = flow[calls]
        away = np.zeros(len(calls))
        for r in each_once(region[calls]).tolist():
            mine = np.flatnonzero(region[calls] == r)
            rate, there = float(flow[mine].sum()), float(flow[mine] @ held[called[calls[mine]]])
            places = limits.places_of(r, callers[calls[mine]])
            away[mine] = max(places - there, 0.0) / max(rate, 1e-300)
        return calls, flow, away


def _part(swing: float) -> float:
    low, high = SWINGS
    return min(max((high - swing) / (high - low), 0.0), 1.0)
