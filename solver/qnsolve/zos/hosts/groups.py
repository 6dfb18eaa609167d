"""Who asks the CPs of a host: servers that hold tasks in a line (TCBs, threads, limits), and free pieces."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, Pool
from qnsolve.zos.compile.needs import Needs

from .demands import Demands


@dataclass(frozen=True, eq=False)
class ServerGroup:
    """Servers of one kind whose tasks wait in a line, each at work a unit on the CPs.

    Attributes
    ----------
    pool : int
        One beyond those of the system where it is `of_users`.
    kind : Pool
    region, servers : int
        The region is -1 where it is `of_users`.
    tasks : ndarray
        Places of those that come here.
    cpu, off, spin : ndarray
        CPU of one visit of each, time that it holds its server without a CP, and time that it spins on one [s].
    serial : ndarray
        Of the CPU in a limit, that on the TCBs of its region [s].
    below : dict of region to (int, float)
        Limits that the tasks of a limit come to inside it: their places, and the time that a task holds one [s].
    in_order : bool
        Pieces in order of arrival; otherwise the tasks share the server.
    slower : float
        CPU time of the tasks of a limit over that alone.
    beside : dict of region to float
        Of limits side by side that are solved as one, the wait for each over that for all; none of a limit by itself.
    of_users : bool
        The free pieces of a work of few users, who are its servers.
    """

    pool: int
    kind: Pool
    region: int
    servers: int
    tasks: Places
    cpu: Array
    off: Array
    spin: Array
    serial: Array
    in_order: bool
    below: dict[int, tuple[int, float]] = field(default_factory=dict)
    slower: float = 1.0
    beside: dict[int, float] = field(default_factory=dict)
    of_users: bool = False

    def first(self, region: Array | Places) -> Places:
        """Which of its tasks take places of the limit, given the region of each, and come from outside (n,)."""
        return np.asarray(np.isin(region[self.tasks], [self.region, *self.beside]))

    @property
    def alone(self) -> Array:
        """Time of one visit where nobody else is there [s]."""
        found: Array = self.cpu + self.off + self.spin
        return found


LONELY, SEVERAL = 2, 20  # users of a work whose pieces are a group of as many servers, where they come to TCBs, and where not
OFTEN = 0.1  # of the time of a user alone, at such pieces: less often they come as if there were no end of users
COLUMNS = {Pool.QR: "qr", Pool.RO: "ro", Pool.THREADS: "threads"}


@dataclass(frozen=True, eq=False)
class LimitOfCpu:
    """A limit whose tasks are a group of servers on the CPs: all of them, those that they call too, and limits below it.

    Of limits side by side (`beside`: region, and wait over that of all) it has so many `places` in all.
    """

    tasks: Places
    below: dict[int, tuple[int, float]] = field(default_factory=dict)
    slower: float = 1.0
    beside: dict[int, float] = field(default_factory=dict)
    places: int = 0

    def gate(self, region: Array | Places, first: int) -> Places:
        """Its tasks that take its places from outside, given the region of each and that of the limit."""
        return np.asarray(self.tasks[np.isin(region[self.tasks], [first, *self.beside])])


def _few_users(form: Compiled, need: Needs, ask: Demands, here: Places, free: Array) -> dict[int, Places]:
    """Works of few users, and their tasks that have free pieces: no more of these are on the CPs than there are users.

    As free pieces, `free` of each task, they would come whoever is there. Users that are at TCBs meanwhile are not beside
    them, so that only one or two make a group.
    """
    found, size = dict[int, Places](), len(form.rate)
    alone = form.visits * (ask.on_cps + ask.thread_off + ask.ziip + ask.away + need.lines.sum(axis=1))
    cycle = form.think + np.bincount(form.work, alone, size)
    often = np.bincount(form.work, form.visits * need.rounds * free, size) > OFTEN * cycle
    few = (form.users > 0) & (form.users <= SEVERAL) & (form.burst <= 1) & (form.tick <= 0)
    for w in np.flatnonzero(few & often).tolist():
        mine = here & (form.work == w)
        at_tcbs, regions = bool((ask.qr + ask.ro + ask.threads)[mine].any()), len(np.unique(form.region[mine]))
        if form.users[w] <= (LONELY if at_tcbs else SEVERAL) and (regions == 1 or not at_tcbs):
            found[w] = np.flatnonzero(mine & (free > 0))
    return found


def groups_of(
    form: Compiled, need: Needs, ask: Demands, here: Array, limits: dict[int, LimitOfCpu], off_cps: Array
) -> tuple[list[ServerGroup], Array]:
    """The groups of the tasks `here`, all of one host, and CPU and spins of free pieces of each task, one visit (2, T).

    `limits` are pools of regions that CPU work fills: all that their tasks do on CPs is a group of so many servers, which
    they hold for the time `off_cps` as well. A limit whose own tasks are of another importance, and not `here`, is none.
    """
    regions = form.pool_region
    entered = {pool: its for pool, its in limits.items() if here[its.gate(form.region, int(regions[pool]))].any()}
    whole = set(form.region[np.concatenate([np.zeros(0, dtype=int), *(limit.tasks for limit in entered.values())])].tolist())
    spin = np.where(here, ask.open_spin, 0.0) / need.rounds
    free = np.where(here, ask.cpu, 0.0) / need.rounds - spin
    found: list[ServerGroup] = []
    for pool, kind in form.tcbs:
        region = int(form.pool_region[pool])
        column = getattr(ask, COLUMNS[kind])
        tasks = np.flatnonzero((form.region == region) & here & (column > 0))
        if len(tasks) and region not in whole:
            off = ask.thread_off[tasks] if kind is Pool.THREADS else np.zeros(len(tasks))
            spins = ask.qr_spin[tasks] if kind is Pool.QR else np.zeros(len(tasks))
            rounds = need.rounds[tasks]
            order = kind is not Pool.QR or bool(need.in_order[tasks].any())
            each = (column[tasks] - spins) / rounds, off / rounds, spins / rounds
            found.append(ServerGroup(pool, kind, region, int(form.pool_size[pool]), tasks, *each, np.zeros(len(tasks)), order))
    for w, tasks in ({} if entered else _few_users(form, need, ask, here, free + spin)).items():
        each, none = (free[tasks], np.zeros(len(tasks)), spin[tasks]), np.zeros(len(tasks))
        pool = len(form.pool_size) + w
        found.append(ServerGroup(pool, Pool.THREADS, -1, int(form.users[w]), tasks, *each, none, True, of_users=True))
        free[tasks] = spin[tasks] = 0.0
    for pool, limit in entered.items():
        tasks = limit.tasks[here[limit.tasks]]
        if form.pool_size[pool] < UNLIMITED:
            size, region = limit.places or int(form.pool_size[pool]), int(form.pool_region[pool])
            spins = (ask.open_spin + ask.qr_spin)[tasks]
            each = ask.on_cps[tasks] - spins, off_cps[tasks] + ask.thread_off[tasks], spins
            serial = (ask.qr - ask.qr_spin + ask.ro)[tasks]
            inside = limit.below, limit.slower, limit.beside
            found.append(ServerGroup(pool, Pool.LIMIT, region, size, tasks, *each, serial, True, *inside))
            free[tasks] = spin[tasks] = 0.0
    return found, np.array([free, spin])
