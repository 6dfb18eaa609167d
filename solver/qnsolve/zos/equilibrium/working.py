"""What is known of a system while its operating point is sought: throughputs, times of tasks, waits at limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Compiled, Pool
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.chains.clocked import in_ticks
from qnsolve.zos.hosts.demands import Around, Demands, demands
from qnsolve.zos.hosts.load import Called, HostPoint, Kept, LimitSeen

EFFORT = 1200.0  # chains of a TCB after which rounds end, settled or not: three or four seconds


@dataclass
class Working:
    """The state of the iteration; T tasks, W works, P pools.

    Attributes
    ----------
    rate : ndarray (W,)
        Transactions a second.
    on_cps : ndarray (T,)
        Time on TCBs and CPs, waits for them included, of one task [s].
    at_group : dict of pool to ndarray (T,)
        Of it, at the groups of servers; those of few users are beyond the pools of the system.
    service : dict of pool to float
        Time of the work at a server of a group over the same alone.
    in_lines : ndarray (T,)
        Time at logs and devices.
    pool_wait : ndarray (P, T)
        Wait of a task for a place of a limit.
    hosts : list of HostPoint
    crowds : dict of pool to Crowd
    seen : dict of pool to LimitSeen
        Of limits that were not solved by a chain of their own.
    longer : ndarray (T,)
        Time that a task holds its place over that of its parts: of limits side by side, the fuller holds its for less.
    at_ticks : ndarray (T,)
        What a task waits longer because work begins at ticks.
    before_groups : dict of pool to ndarray (T,)
        What a task waits longer for a limit because work comes in groups.
    groups_seen : dict of pool to LimitSeen
        What is seen of limits to which groups come; None where their chain says nothing.
    behind_groups : dict of pool to ndarray (T,)
        The same at devices, logs and facilities, by their pools, and at zIIPs, by ~host.
    overflowing : ndarray (T,)
        Share of eligible work that goes to CPs, over that of work that comes one by one.
    levels : dict of (host, importance) to ndarray (T,)
        Times at CPs as they were, were all tasks down to an importance alike.
    seen_less : dict of int to ndarray (T,)
        By host, what tasks find less on its CPs as users with one fewer of their own [s].
    by_caller : (ndarray (n,), ndarray (n,), ndarray (n,))
        Calls of tasks before limits, the limits, and what they wait there over the mean of all such calls of the task.
    called : dict of (host, importance) to Called
        Tasks down to an importance that lower ones on the host call.
    full : dict of pool to float
        Loads of those that, as far as it is known, work with a rate fills.
    kept : dict of (host, importance) to Kept
        What hosts keep from round to round.
    effort : float
        Chains of a TCB that have taken as long as all that was solved, about [count].
    rounds : int
    settled : bool
        Whether the rounds came to an end.
    """

    form: Compiled
    need: Needs
    around: Around
    ask: Demands
    rate: Array
    on_cps: Array
    in_lines: Array
    line_time: Array
    pool_wait: Array
    at_group: dict[int, Array] = field(default_factory=dict)
    service: dict[int, float] = field(default_factory=dict)
    hosts: list[HostPoint] = field(default_factory=list)
    crowds: dict[int, Crowd] = field(default_factory=dict)
    seen: dict[int, LimitSeen] = field(default_factory=dict)
    longer: Array | float = 1.0
    at_ticks: Array | float = 0.0
    before_groups: dict[int, Array] = field(default_factory=dict)
    groups_seen: dict[int, LimitSeen | None] = field(default_factory=dict)
    behind_groups: dict[int, Array] = field(default_factory=dict)
    overflowing: Array | float = 0.0
    levels: dict[tuple[int, float], Array] = field(default_factory=dict)
    seen_less: dict[int, Array] = field(default_factory=dict)
    by_caller: tuple[Places, Places, Array] = (np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    called: dict[tuple[int, float], Called] = field(default_factory=dict)
    full: dict[int, float] = field(default_factory=dict)
    kept: dict[tuple[int, float | None], Kept] = field(default_factory=dict)
    effort: float = 0.0
    rounds: int = 0
    settled: bool = False

    @classmethod
    def unloaded(cls, form: Compiled, need: Needs, around: Around, rate: Array) -> Working:
        """Nothing waits, at some rates (W,)."""
        ask, lines = demands(form, need, around), need.lines.copy()
        waits = np.zeros((len(form.pool_size), len(form.work)))
        return cls(form, need, around, ask, rate.copy(), ask.on_cps + ask.thread_off, lines.sum(axis=1), lines, waits)

    @cached_property
    def around_matters(self) -> bool:
        """Whether there are coupling facilities, zIIPs or CPU growth."""
        system = self.form.system
        return bool(
            self.need.other.shape[1]
            or any(len(speeds) for speeds in self.form.ziip_speeds)
            or any(item.processors.grows for item in system.lpars)
        )

    @property
    def alone(self) -> bool:
        """Whether no work of users is there, and nothing around the CPs that depends on rates."""
        return not (self.form.users > 0).any() and not self.around_matters

    @property
    def flow(self) -> Array:
        """Tasks a second (T,)."""
        found: Array = self.rate[self.form.work] * self.form.visits
        return found

    def of_users(self, pool: int) -> bool:
        """Whether a pool of `at_group` is a group of few users, not one of the system."""
        return pool >= len(self.form.pool_size)

    @property
    def at_pools(self) -> dict[int, Array]:
        """`at_group` at the pools of the system."""
        return {pool: at for pool, at in self.at_group.items() if not self.of_users(pool)}

    def overloaded(self, pool: int, load: float) -> None:
        """Note the load of a pool, or that it is below 1."""
        if load >= 1:
            self.full[pool] = load
        else:
            self.full.pop(pool, None)

    @property
    def found_less(self) -> Array | float:
        """What tasks find less on all CPs as users with one fewer of their own (T,) [s]."""
        return sum(self.seen_less.values(), 0.0)

    @property
    def wait(self) -> Array:
        """Wait for all limits of one task (T,) [s]."""
        return np.asarray(np.bincount(self.limited[1], np.take(self.pool_wait, self._limited_pairs), self.pool_wait.shape[1]))

    @property
    def admission(self) -> Array:
        """Wait for all limits of one task, with what it waits longer because work comes in groups (T,) [s]."""
        return np.asarray(sum(self.before_groups.values(), self.wait))

    @cached_property
    def limited(self) -> tuple[Places, Places]:
        """Limits and the tasks that take places of them, pair by pair."""
        pairs = [(pool, task) for task, pools in enumerate(self.need.limits) for pool in pools]
        found = np.array(sorted(set(pairs)), dtype=int).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def in_limit(self, pool: int) -> Places:
        """Tasks that take places of a limit; none of other pools."""
        pools, tasks = self.limited
        return np.asarray(tasks[pools == pool])

    @cached_property
    def _limited_pairs(self) -> Places:
        """The places of these pairs in a flat array of (P, T)."""
        pools, tasks = self.limited
        return np.asarray(pools * len(self.need.limits) + tasks)

    @property
    def off_cps(self) -> Array:
        """Time of one task that is neither on TCBs or CPs nor waits for a limit (T,)."""
        found: Array = sum(self.behind_groups.values(), self.in_lines + self.ask.ziip + self.ask.away)
        return found

    @property
    def response(self) -> Array:
        """Response time of each work (W,) [s]."""
        own: Array = self.on_cps + self.off_cps + self.admission + self.at_ticks
        spent: Array = self.form.visits * own
        return np.asarray(np.bincount(self.form.work, spent, len(self.form.rate)), dtype=float)

    @property
    def cycle(self) -> Array:
        """Time from one transaction of a user to the next of each work (W,) [s]."""
        return self.form.think + in_ticks(self.response, self.form.tick)

    def holds(self, queues: bool = True) -> Array:
        """Time that a task holds its place in its region: itself, and the tasks that it waits for (T,).

        `queues` is whether the waits of these before limits count.
        """
        own = self.on_cps + self.off_cps
        found = own
        if self.depth:
            wait = self.wait if queues else np.zeros(len(own))
            callers, called, number = self.calls
            more = self._as_callers_wait() if queues else 0.0
            for _ in range(self.depth):
                found = own + np.bincount(callers, number * ((found + wait)[called] + more), len(own))
        return found * self.longer

    def _as_callers_wait(self) -> Array | float:
        """What called tasks wait for limits in each call beyond their mean (C,) [s]."""
        calls, pools, ratio = self.by_caller
        if not len(calls):
            return 0.0
        called = self.calls[1]
        return np.asarray(np.bincount(calls, self.pool_wait[pools, called[calls]] * (ratio - 1), len(called)))

    @cached_property
    def calls(self) -> tuple[Places, Places, Array]:
        """Tasks that wait for others, those others, and how many of each."""
        callers, called = np.nonzero(self.need.calls)
        return callers, called, self.need.calls[callers, called]

    @cached_property
    def depth(self) -> int:
        """Tasks that wait for each other, one after another."""
        calls: Places = self.need.calls > 0
        level, depth = calls, 0
        while level.any():
            depth += 1
            level = level @ calls
        return depth

    @cached_property
    def tcbs(self) -> dict[int, list[tuple[int, Pool, Places]]]:
        """TCBs of each host: pool, kind, and the tasks of its region."""
        form, found = self.form, dict[int, list[tuple[int, Pool, Places]]]()
        for pool, kind in form.tcbs:
            tasks = np.flatnonzero(form.region == form.pool_region[pool])
            for host in np.unique(form.host[tasks]).tolist():
                found.setdefault(host, []).append((pool, kind, tasks[form.host[tasks] == host]))
        return found

    def settle_rates(self) -> None:
        """The users' throughputs from the response times."""
        form = self.form
        closed = form.users > 0
        self.rate = np.where(closed, form.users / np.maximum(self.cycle, 1e-300), form.rate)

    def limit_pool(self, region: int) -> int:
        """The pool that a region is."""
        return int(np.flatnonzero((self.form.pool_kind == Pool.LIMIT) & (self.form.pool_region == region))[0])

    def limit_tcb(self, pool: int) -> int:
        """The QR TCB of the region of a limit; -1 where it has none."""
        form = self.form
        found = np.flatnonzero((form.pool_kind == Pool.QR) & (form.pool_region == form.pool_region[pool]))
        return int(found[0]) if len(found) else -1
