"""The limits of a system: their tasks, who calls them, and how each is treated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.groups import LimitOfCpu

from .inside.few_places_of_work import FewPlacesOfWork
from .limits_of_cpu import SolvedTogether

TWO = 2  # regions side by side whose limits are solved together
SELDOM = 0.05  # chance of a full limit up to which it is the one above that lets its tasks in


@dataclass
class LimitPools:
    """Limits of a system: who comes to which, how each is treated, and what the last round found.

    Attributes
    ----------
    grouped : dict of pool to LimitOfCpu
        Regions that are a group of servers on the CPs.
    together : SolvedTogether
        Those of them that are solved with all others of their hosts.
    slower : dict of pool to float
        CPU time of their tasks over that alone.
    kept : dict of region to float
        Regions whose limit is part of the chain of their QR TCB, and the time of a task off the CPs.
    gates : list of region
        The others that may fill.
    rates : dict of region to ndarray
        How tasks come to the CPs out of a region that fills.
    let_in : dict of region to ndarray
        How tasks of all regions come there that a full one lets in, by the number of all.
    capped : dict of region to int
        Regions that their TRANCLASSes let in no more than so many tasks.
    lined : set of region
        Those whose tasks wait at logs and devices for each other more than for CPs.
    kept_out : set of region
        Those that have TRANCLASSes which the line at their QR TCB alone would fill.
    closing : set of pool
        TRANCLASSes that were often full.
    two_counts : set of pool
        Limits of open work whose tasks on the CPs are a count of their own.
    few_places : FewPlacesOfWork
        Limits of few places whose chains know where their tasks are.
    above : dict of region to region
        The one that alone calls the tasks of a region, or the first of those side by side that do; -1 for none.
    abreast : dict of region to tuple of region
        Regions side by side whose limits are solved together, as they call the same tasks, by the first of them; `leader`
        has that one.
    alike : dict of tuple of region to list of region
        Those that call the same tasks, and the regions that they alone call.
    """

    work: Working
    grouped: dict[int, LimitOfCpu] = field(default_factory=dict)
    together: SolvedTogether = field(default_factory=SolvedTogether)
    slower: dict[int, float] = field(default_factory=dict)
    kept: dict[int, float] = field(default_factory=dict)
    gates: list[int] = field(default_factory=list)
    capped: dict[int, int] = field(default_factory=dict)
    rates: dict[int, Array] = field(default_factory=dict)
    let_in: dict[int, Array] = field(default_factory=dict)
    speeds: dict[int, tuple[Array, int, float]] = field(default_factory=dict)
    parts: dict[int, tuple[Array, Array, Array, float]] = field(default_factory=dict)
    ratios: dict[int, Array] = field(default_factory=dict)
    made: dict[int, float] = field(default_factory=dict)
    stale: set[int] = field(default_factory=set)
    apart: set[int] = field(default_factory=set)
    lined: set[int] = field(default_factory=set)
    kept_out: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    closing: set[int] = field(default_factory=set)
    two_counts: set[int] = field(default_factory=set)
    abreast: dict[int, tuple[int, ...]] = field(default_factory=dict)
    leader: dict[int, int] = field(default_factory=dict)
    calm: bool = True
    found: dict[int, Crowd] = field(default_factory=dict)
    nu: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        form, self.few_places = self.work.form, FewPlacesOfWork(self.work)
        self.pool = {int(form.pool_region[p]): int(p) for p in np.flatnonzero(form.pool_kind == Pool.LIMIT)}
        self.tasks = {r: np.flatnonzero(form.region == r) for r in self.pool}
        self.shares = np.zeros((0, 0))
        self.classes = {
            int(p): np.array([t for t, held in enumerate(self.work.need.limits) if p in held], dtype=int)
            for p in np.flatnonzero(form.pool_kind == Pool.TRANCLASS)
        }
        self.classes = {p: tasks for p, tasks in self.classes.items() if len(tasks)}
        for pool, tasks in list(self.classes.items()):  # a class of all the work of a region is its limit
            region = int(form.pool_region[pool])
            if len(tasks) == len(self.tasks[region]) and form.pool_size[pool] <= self.size(region):
                self.pool[region] = pool
                del self.classes[pool]
        self.qr_pool = {int(form.pool_region[p]): int(p) for p in np.flatnonzero(form.pool_kind == Pool.QR)}
        self.class_of = {int(t): p for p in reversed(self.classes) for t in self.classes[p]}
        self._classes: dict[int, list[int]] = {}
        self._callers: dict[bytes, frozenset[int]] = {}
        for pool in self.classes:
            self._classes.setdefault(int(form.pool_region[pool]), []).append(pool)
        calls = self.work.need.calls > 0
        self.calling: Array = np.asarray(calls.any(axis=1))
        self.called_from = [set(form.region[calls[:, t]].tolist()) for t in range(len(form.work))]
        self.above = {  # the region that alone calls the tasks of this one; -1 for none
            r: self._only_caller(calls, tasks) for r, tasks in self.tasks.items()
        }
        callers = {r: set(form.region[calls[:, tasks].any(axis=1)].tolist()) - {r} for r, tasks in self.tasks.items()}
        self.alike = self._alike(calls, callers)
        level = dict.fromkeys(self.pool, 0)
        for _ in range(min(len(self.pool), self.work.depth * len(self.pool))):
            for r, above in callers.items():
                level[r] = min(max((level[c] + 1 for c in above), default=0), len(self.pool))
        self.order = sorted(self.pool, key=lambda r: -level[r])

    def _only_caller(self, calls: Places, tasks: Places) -> int:
        regions = set()
        for t in tasks:
            callers = np.flatnonzero(calls[:, t])
            regions |= {int(self.work.form.region[c]) for c in callers} or {-1}
        return regions.pop() if len(regions) == 1 else -1

    def _alike(self, calls: Places, callers: dict[int, set[int]]) -> dict[tuple[int, ...], list[int]]:
        """Two regions side by side that call the same tasks, which nobody calls, and the regions that they alone call.

        Of three, one may have a long line while another has places left: they are no two numbers. What is below has no class
        that lets in less than it.
        """
        kinds: dict[bytes, list[int]] = {}
        for r, tasks in self.tasks.items():
            if len(tasks) and calls[tasks].any() and not callers[r] and not self.classes_of(r):
                kinds.setdefault(calls[tasks].any(axis=0).tobytes(), []).append(r)
        found = {}
        for its in (tuple(each) for each in kinds.values() if len(each) == TWO):
            alone = [r for r, tasks in self.tasks.items() if all(self.called_from[t] == {*its} for t in tasks.tolist())]
            found[its] = [r for r in alone if len(self.tasks[r])]
        return {its: below for its, below in found.items() if below and not any(self.classes_of(r) for r in below)}

    def together_with(self, region: int) -> tuple[int, ...]:
        """A region and those beside it that call the same tasks."""
        return self.abreast.get(self.leader.get(region, -1), (region,))

    def let_in_by(self, region: int) -> int:
        """The outermost full region that alone lets the tasks of one in, itself without one; -1 where that is full itself.

        The number of its tasks on the CPs then goes with its own line. Regions side by side are each on their own.
        """
        outer, its = region, self.found.get(region)
        if its is not None and its.full > SELDOM and self.above[region] in self.gates:
            return -1
        while self.above[outer] in self.gates:
            outer = self.above[outer]
        return -1 if outer in self.leader else outer

    def size_above(self, region: int) -> int:
        """Places of the regions that call the tasks of this one."""
        return sum(self.size(r) for r in self.together_with(self.above[region]))

    def size(self, region: int) -> int:
        """Places of a region."""
        return int(self.work.form.pool_size[self.pool[region]])

    def visits_of_one(self, region: int) -> float:
        """Visits to the CPs of one task of a region in the mean: none of those without CPU."""
        w, tasks = self.work, self.tasks[region]
        flow = w.flow[tasks]
        visits = float(flow @ np.where(w.ask.on_cps[tasks] > 0, w.need.rounds[tasks], 0.0))
        return visits / max(float(flow.sum()), 1e-300)

    def classes_of(self, region: int) -> list[int]:
        """Pools of the TRANCLASSes of a region."""
        return self._classes.get(region, [])

    def callers(self, tasks: Places) -> frozenset[int]:
        """Regions whose tasks call some tasks."""
        key = tasks.tobytes()
        if key not in self._callers:
            self._callers[key] = frozenset[int]().union(*(self.called_from[t] for t in tasks.tolist()))
        return self._callers[key]

    def take_shares(self) -> None:
        """Note the share of each work in the tasks of each region."""
        w, form = self.work, self.work.form
        regions, works = len(form.system.regions), len(form.rate)
        held = np.bincount(form.region * works + form.work, w.flow * w.holds(), regions * works).reshape(regions, works)
        self.shares = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)
