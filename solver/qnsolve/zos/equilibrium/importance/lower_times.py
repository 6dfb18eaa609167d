"""Times of the tasks of one importance on the engines that higher ones leave, and at the TCBs there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.conservation import Center, WorkLeft, centers_of, left_to_do
from qnsolve.zos.equilibrium.fewer_users import left_to_come
from qnsolve.zos.equilibrium.group_times import solved_times
from qnsolve.zos.equilibrium.host_load import load_of
from qnsolve.zos.equilibrium.limits.limits import Limits
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.groups import ServerGroup
from qnsolve.zos.hosts.host_view import ORDER, HostView
from qnsolve.zos.hosts.importance.lower_point import LowerPoint, lower_point
from qnsolve.zos.hosts.load import Called, HostPoint, Load

from .called_tasks import called_apart

EFFORT = 5.0  # over that of a chain of a TCB
SERVED, FEW = 0.6, 100  # of the work asked for, what a chain of so few users serves at least, while rounds ask far too much
STEPS = 3  # in which lines that hold more tasks than the work left allows get more engines
NONE = 1e-12  # of the tasks, of those that wait where none does, but for rounding
MORE = 0.8  # of the tasks in such lines, those that it has to allow

Speeds = dict[int, Array]  # by region
More = dict[int | None, Array]  # by pool, None for free pieces: what each task waits longer there (T,) [s]


@dataclass(frozen=True, eq=False)
class Above:
    """What is known of an importance and of those above it.

    Attributes
    ----------
    left : WorkLeft
        Work left to do of its tasks, as far as it is known.
    called : Called or None
        Tasks above it that it or lower ones call.
    calls : ndarray (T, T)
        `Load.calls` among all down to it.
    """

    left: WorkLeft = field(default_factory=WorkLeft)
    called: Called | None = None
    calls: Array = field(default_factory=lambda: np.zeros((0, 0)))


def lower_times(work: Working, limits: Limits, host: int, rank: float, alike: Array, above: Above) -> tuple[Array, Speeds]:
    """Times of the tasks of an importance on a host, and speeds of regions (`HostPoint`); notes times at each group.

    Parameters
    ----------
    work : Working
    limits : Limits
    host : int
    rank : float
        The importance.
    alike : ndarray (T,)
        Times were all down to it alike, which stay where there is nothing above.
    above : Above

    Notes
    -----
    The chain of its tasks and higher ones says how much work is left, and how many are there, were all pieces alike. The lines
    at its TCBs are those on as many engines of their own as make that number. What one task waits on the chain until its
    visits are begun, and how much longer it takes then, is its own; all wait so much longer or less that the work is left.
    Where the lines would hold far more than that, they have more engines: they grow while no engine is left, and that is
    counted already.
    """
    form = work.form
    higher = load_of(work, limits, host, form.importance < rank, form.fixed[:, 1] < rank)
    lower = load_of(work, limits, host, form.importance == rank, form.fixed[:, 1] == rank)
    if higher is None or lower is None or not (lower.flow > 0).any():
        return alike, {}
    higher = called_apart(work, limits, host, rank, higher, above.called)
    found = lower_point(HostView(higher), HostView(lower))
    work.effort += EFFORT
    limited = bool(lower.held or limits.grouped or lower.gated)
    own = found.number
    for _ in range(STEPS):
        engines = found.own.engines(own)
        point, times = solved_times(work, limits, replace(lower, engines=engines))
        if lower.bursts:
            _mates_apart(lower, times, found.mates(engines))
        there = _There(work, lower, point, times, _more(work, lower, found, times), above.calls)
        number = there.alike if limited else _number(there, found, above.left, higher.engines)
        if limited or number > MORE * there.number:
            break
        own *= number / there.number / MORE
    more, waits = max(number - there.least, 0.0), there.number - there.least
    if waits > NONE * there.number:
        factor, slower = more / waits, 0.0
    else:  # of a user alone, who waits for nobody there, or but for rounding
        factor, slower = 1.0, more / sum(center.least for center in there.centers())
    for center in there.centers():
        longer = factor * (center.time - center.alone) + there.more[center.pool][center.tasks] + slower * center.alone
        longer = center.alone + np.maximum(longer, 0.0) - center.time
        times[center.tasks] += longer
        if center.pool is not None:
            work.at_group[center.pool][center.tasks] += longer
    for group, its in zip(there.load.groups, there.point.groups, strict=True):
        if group.pool in limits.grouped:
            _before_places(work, group, times, its.busy)
    return times, point.speeds


def _mates_apart(lower: Load, times: Array, over: Array) -> None:
    """Times of free pieces by so much longer or shorter as the others of their burst make tasks wait `over` (T,) more or less.

    Those of a burst that comes to a TCB go on one by one.
    """
    alone = lower.free * lower.rounds
    free = np.ones(len(times), dtype=bool)
    for group in lower.groups:
        free[group.tasks] = False
    times[free] = np.maximum(times * over, np.minimum(alone, times))[free]


def _before_places(work: Working, group: ServerGroup, times: Array, places: float) -> None:
    """Waits before a limit less by those of tasks over the `places` taken, counted as inside: they go back before it later."""
    pool, tasks = group.pool, group.tasks
    flow, waits = work.flow[tasks], work.pool_wait[pool, tasks]
    over, whole = float(flow @ (times + work.off_cps)[tasks]) - places, float(flow @ waits)
    if over > 0 and whole > 0:
        work.pool_wait[pool, tasks] = waits * max(1 - over / whole, 0.0)


@dataclass(frozen=True, eq=False)
class _There:
    """The tasks of an importance on engines of their own, and what each of them waits more than there."""

    work: Working
    load: Load
    point: HostPoint
    times: Array
    more: More
    calls: Array

    @property
    def flow(self) -> Array:
        """Tasks a second (T,)."""
        return np.asarray(self.work.flow * (self.load.flow > 0))

    def centers(self, again: Array | None = None) -> list[Center]:
        """Where they are; with `again` nothing is left of a task but its own, and of its later rounds that share (T,)."""
        if again is None:
            left = left_to_do(self.work, replace(self.load, calls=self.calls))  # with that of higher ones that they call
        else:
            left = left_to_do(self.work, replace(self.load, calls=np.zeros((0, 0))), again)
        return centers_of(self.work, self.load, self.point, self.times, self.flow, left)

    @property
    def alike(self) -> float:
        """How many are there without what each waits more [count]."""
        return sum(c.least + c.waits for c in self.centers())

    @cached_property
    def least(self) -> float:
        """Of them, those that would be there without all waits but `more` [count]."""
        return sum(c.least + float(c.flow @ self.more[c.pool][c.tasks]) for c in self.centers())

    @cached_property
    def number(self) -> float:
        """All of them [count]."""
        return self.least + sum(c.waits for c in self.centers())

    def known(self, left: WorkLeft) -> float:
        """How much the work that is left of them is known [0..1]: not where tasks of several rounds share it with others."""
        return 0.0 if (self.load.rounds[self.flow > 0] > 1).any() else left.known

    def leaving(self, waiting: float, again: Array | None = None) -> float:
        """How many there are if so much work is left of them beyond that of tasks that nobody holds up [s]."""
        centers = self.centers(again)
        waiting -= sum(float((c.flow * self.more[c.pool][c.tasks]) @ c.left) for c in centers)
        whole, waits = sum(c.waiting for c in centers), self.number - self.least
        return self.least + (waits * max(waiting, 0.0) / whole if waits > NONE * self.number and whole > 0 else 0.0)


def _more(work: Working, lower: Load, found: LowerPoint, times: Array) -> More:
    """What each task waits longer at each center than on engines of their own.

    It waits at the first of its pieces until an engine is left, and then less or more than in proportion to its CPU. That is
    so of its part of a long line only, in which all wait as long. In a line in order of arrival it waits as long as the others
    that are there when it comes.
    """
    some, rounds = lower.flow > 0, lower.rounds
    cpu = np.maximum(HostView(lower).cpu() * rounds, 1e-300)
    load = work.flow * some * cpu
    begin = (found.first + (rounds - 1) * found.later) * some
    whole = float(load @ (found.times - begin))
    alike = cpu * whole / float(load @ cpu)
    usual = times * float(load @ alike) / float(load @ times)
    apart = np.minimum(alike / np.maximum(usual, 1e-300), 1.0) * some
    if whole <= NONE * float(load @ found.times):  # the chain has no end for them, and says nothing of one beside another
        apart = np.zeros(len(apart))
    rest = (found.times - begin - alike) * apart / cpu  # of all that it does then, by its CPU
    more: More = {}
    for group in sorted(lower.groups, key=lambda group: ORDER.index(group.kind)):
        here, longer = group.tasks, np.zeros(len(times))
        longer[here] = rest[here] * (group.cpu + group.spin) * rounds[here] + begin[here]
        begin[here] = 0.0
        if group.in_order and group.kind is not Pool.THREADS:
            served = group.alone * rounds[here] * work.service[group.pool]
            wait = np.maximum(work.at_group[group.pool][here] - served, 0.0)
            longer[here] += wait * (found.found[lower.work[here]] - 1)
        more[group.pool] = longer
    more[None] = rest * (lower.free + lower.spin) * rounds + begin
    return more


def _number(there: _There, found: LowerPoint, left: WorkLeft, engines: float) -> float:
    """Tasks there, such that so much work is left of them; users who find more there come less often.

    Of one engine that is never idle while work is there all work left is the same in any order, importance included: they
    have what all leave less what higher ones do. How tasks of several rounds share it with others, and what is left on several
    engines, the chain says. Where work came at rates that would make r times as many tasks as the chain has. With users there
    are x times as many: each more takes so much off what they ask for that x·(1 + f·(x - 1)) = r, with `f` what all of them
    take, over what is left of the engines. Where the chain of few users serves less than is asked for, fewer come, and are
    there as long.
    """
    flow, rounds = there.flow, there.load.rounds
    cpu = HostView(there.load).cpu()
    known = there.known(left)
    early = (found.first - found.later) * (rounds - 1) / 2 * found.again * cpu  # all visits are still to come
    number = (1 - known) * there.leaving(found.waiting - float(flow @ early), found.again)
    if known > 0:
        number += known * there.leaving(left.waiting)
    tasks, load = np.flatnonzero(flow > 0), flow * cpu * rounds
    users = left_to_come(there.work, tasks, load[tasks], found.number)
    fewer = found.number * float(load.sum()) / engines / (users * (1 - found.use))
    half, ratio = (1 - fewer) / 2, number / max(found.number, 1e-300)
    form = there.work.form
    served = SERVED if 0 < form.users[np.unique(form.work[tasks])].sum() <= FEW else 1.0
    return found.number * ratio / (half + sqrt(half**2 + ratio * fewer)) / max(found.served, served)
