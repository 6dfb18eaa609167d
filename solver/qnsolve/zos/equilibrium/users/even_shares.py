"""TCBs that work with rates asks for more than their even share of CPs beside users, in the mean.

A TCB with a line without end is one task that is always there. Users stay until they have got their CPU, at the same speed: the
slower, the more of them are there. At one speed all of it is as much as the CPs do. Chains say it better near there, but not
far beyond, where nothing settles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.working import Working

SLOWEST, EXACT = 1e-9, 1e-6  # speed of a task over that alone: the least, and how exact it is found


def beyond_even_share(work: Working, most: float) -> dict[int, float]:
    """Loads of TCBs that grow, by their pools: of those whose line has no end, over the share that each of them gets.

    Parameters
    ----------
    work : Working
        Users come to a host as often as what they spend elsewhere lets them.
    most : float
        Load up to which a TCB is taken to do what it is asked for.

    Notes
    -----
    Which lines have no end is found by leaving out, time and again, those that ask for less than their share. Work of
    higher importance gets all that it asks for, and that of lower none.
    """
    users, found = work.form.users > 0, dict[int, float]()
    if not users.any() or users.all():
        return found
    theirs = {*work.form.host[users[work.form.work]].tolist()}
    for host, tcbs in work.tcbs.items():
        if host not in theirs:  # it is the CPs alone there
            continue
        lines = [(pool, kind, tasks) for pool, kind, tasks in tcbs if kind is not Pool.THREADS]
        for rank in np.unique(work.form.importance[work.form.host == host]).tolist():
            found |= _Equals.of(work, host, rank, lines).grow(most)
    return found


@dataclass(frozen=True, eq=False)
class _Equals:
    """Tasks of one importance on a host: K lines at TCBs, W works.

    Attributes
    ----------
    engines : float
        CPs that those above them, fixed CPU and free pieces of work with rates leave.
    pools : list of int
        The lines (K,).
    asked : ndarray (K,)
        CPs that work with rates asks of each.
    users, away : ndarray (W,)
        Users, 0 of other work, and the time from one transaction to the next that they do not spend here [s].
    free : ndarray (W,)
        CPU of a transaction of each in free pieces [s].
    at_lines : ndarray (K, W)
        The same at each line.
    near : ndarray (K, W), bool
        Whether it has tasks in the region of each line: behind the same limit.
    places, inside : ndarray (W,)
        Tasks of a user's work that limits of regions let in, and the time that a transaction spends in there elsewhere [s].
    """

    engines: float
    pools: list[int]
    asked: Array
    users: Array
    away: Array
    free: Array
    at_lines: Array
    near: Places
    places: Array
    inside: Array

    @classmethod
    def of(cls, work: Working, host: int, rank: float, tcbs: Sequence[tuple[int, Pool, Places]]) -> _Equals:
        """Those of an importance, at the present times elsewhere."""
        form, ask, works = work.form, work.ask, len(work.form.rate)
        here, users = form.host == host, form.users > 0
        equal, above = here & (form.importance == rank), here & (form.importance < rank)
        streams = ~users[form.work]

        def by_work(each: Array) -> Array:
            return np.asarray(np.bincount(form.work, form.visits * each, works), dtype=float)

        lines = [(pool, ask.qr if kind is Pool.QR else ask.ro, tasks) for pool, kind, tasks in tcbs if equal[tasks].any()]
        at_lines, near = np.zeros((len(lines), works)), np.zeros((len(lines), works), dtype=bool)
        for row, (_, cpu, tasks) in enumerate(lines):
            at_lines[row] = np.bincount(form.work[tasks], (form.visits * cpu)[tasks], works)
            near[row, form.work[tasks]] = True
        whole = by_work(np.where(equal, ask.on_cps, 0.0))
        free = np.maximum(whole - at_lines.sum(axis=0), 0.0)
        fixed = float(form.fixed[(form.fixed[:, 0] == host) & (form.fixed[:, 1] <= rank), 2].sum())
        taken = fixed + float(work.flow @ np.where(above, ask.on_cps, 0.0)) + float(np.where(users, 0.0, work.rate) @ free)
        places, waits = np.zeros(works), np.zeros(len(here))
        for region in np.unique(form.region[equal & ~streams]).tolist():
            mine, pool = equal & (form.region == region), work.limit_pool(region)
            places[np.unique(form.work[mine])] += float(form.pool_size[pool])
            waits += np.where(mine, work.pool_wait[pool], 0.0)
        spent = by_work(np.where(equal, work.on_cps, 0.0) + waits)
        inside = by_work(np.where(equal, np.maximum(work.holds(False) - work.on_cps, 0.0), 0.0))
        return cls(
            engines=float(form.engines[host]) - taken, pools=[pool for pool, _, _ in lines],
            asked=at_lines @ np.where(users, 0.0, work.rate), users=np.where(users & (whole > 0), form.users, 0.0),
            away=np.maximum(work.cycle - spent, 0.0), free=free, at_lines=at_lines, near=near,
            places=places, inside=inside,
        )  # fmt: skip

    def grow(self, most: float) -> dict[int, float]:
        """Loads of the lines that have no end."""
        full = np.flatnonzero(self.asked > 0)
        while len(full):
            speed = self._speed(full)
            load = self.asked[full] / speed
            if (load > most).all():
                return {self.pools[k]: float(its) for k, its in zip(full.tolist(), load.tolist(), strict=True)}
            full = full[load > most]
        return {}

    def _speed(self, full: Places) -> float:
        """Speed of each task, over that alone, where some lines are never idle."""
        if self._used(full, 1.0) <= self.engines:
            return 1.0
        return narrowed(lambda speed: self._used(full, speed) <= self.engines, SLOWEST, 1.0, EXACT)[0]

    def _used(self, full: Places, speed: float) -> float:
        """CPs in use where each task has a speed; users who come to lines without end, or to limits before them, are there."""
        elsewhere = np.where(self.near[full].any(axis=0), 0.0, self.users)
        rest = np.setdiff1d(np.arange(len(self.pools)), full)
        spent = self.away + (self.free + self.at_lines.sum(axis=0)) / speed
        rate = np.divide(elsewhere, spent, out=np.zeros(len(spent)), where=elsewhere > 0)
        busy = self.asked[rest] / speed + self.at_lines[rest] @ rate / speed
        slowed = np.where(self.at_lines[rest] > 0, np.maximum(busy, 1.0)[:, None], 1.0).max(axis=0, initial=1.0)
        let_in = np.divide(self.places, self.inside + spent - self.away, out=np.zeros(len(spent)), where=self.users > 0)
        there = np.minimum(rate / slowed, let_in) * self.free / speed
        return float(speed * (len(full) + np.minimum(busy, 1.0).sum() + there.sum()))
