"""TRANCLASSes at the QR TCBs of their regions: what they keep out is not there, neither for their tasks nor for all others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places, without
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.limits.below.series_limits import arrivals, crowd_of
from qnsolve.zos.equilibrium.limits.limits_of_cpu import several_importances
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.chains.birth_death import Crowd, UserSource, crowd_at_most
from qnsolve.zos.hosts.limited.class_at_tcb import Arrivals, ClassAtTcb, ClassSolved, class_at_tcb

Coming = tuple[float, list[UserSource]]  # a stream [1/s], and users

SELDOM = 0.003  # chance of a full class up to which its limit makes no difference
SAME = 1e-6  # change of what a chain depends on up to which it is the same [ratio]
EFFORT = 1.0  # of a chain, over that of a chain of a TCB
NEARLY = 0.02  # of a TCB that others leave at least
LITTLE = 1e-9  # wait over the time alone that is none
SLOW = 1.2  # time of a piece at a TCB over that alone, from which on the CPs slow it
IN_LINE = 0.5  # of the places of a class, tasks at the TCB from which on its line alone fills them
OFTEN = 0.5  # chance of a full class from which on no more of its tasks come than it has places


class SeenClasses(Protocol):
    """What is asked of all limits."""

    work: Working
    tasks: dict[int, Places]
    classes: dict[int, Places]
    class_of: dict[int, int]
    gates: list[int]

    def size(self, region: int) -> int:
        """Places of a region."""

    def callers(self, tasks: Places) -> frozenset[int]:
        """Regions whose tasks call some tasks."""


@dataclass(frozen=True, eq=False)
class _Stretched:
    """Times at a TCB over those alone: of the tasks of a class and of all others, as they are, and as if none were kept out."""

    tcb: int
    tasks: Places
    others: Places
    own: float
    other: float
    without: float
    full: float
    slower: bool = False  # the TCB, as its line alone would fill the class


@dataclass(frozen=True, eq=False)
class _Shared:
    """A TCB, or CPs: tasks of a class there, all others, what each needs of it [servers], and its time there [s]."""

    mine: Places
    others: Places
    work: Array
    times: Array
    servers: float = 1.0
    fixed: float = 0.0


@dataclass
class ClassesAtTcbs:
    """All classes whose chains have a TCB.

    Attributes
    ----------
    seen, on_cps : dict of pool to _Stretched
        At the TCB, and on the CPs; the TCB of these is ~ their host.
    solved : AlikeAnswers
        Chains, by pool and TCB.
    often : set of int
        Classes that were often full: it is so to the end.
    asked : dict of pool to tuple
        What the chains on the CPs are asked: time of each task at its QR TCB, and as for `solve`.
    free : dict of pool to ndarray (T,)
        Times at TCBs as if no task were kept out [s].
    waiting : dict of pool to float
        Work of the tasks that wait for a class, by its chain [CPU s].
    """

    limits: SeenClasses
    seen: dict[int, _Stretched] = field(default_factory=dict)
    on_cps: dict[int, _Stretched] = field(default_factory=dict)
    solved: AlikeAnswers[tuple[int, int], ClassSolved] = field(default_factory=lambda: AlikeAnswers(SAME))
    often: set[int] = field(default_factory=set)
    asked: dict[int, tuple[Array, Crowd, Array, float, Coming]] = field(default_factory=dict)
    free: dict[int, Array] = field(default_factory=dict)
    waiting: dict[int, float] = field(default_factory=dict)

    def note_hosts(self) -> None:
        """Note the times at the TCBs that the hosts have just found, as if no task were kept out."""
        self.free = self.limits.work.at_pools

    def slower(self, pool: int, tcb: int) -> float:
        """How much slower a TCB would be that is as slow at all times, and has as long a line as its host has found; or 1.

        It is so for a class that the line at the TCB alone would fill: the CPs make it longer, now and then, and bursts do.
        Work with a rate has a line of ρ/(1 - ρ) there. With users it is 1, and where bursts come to the class at a TCB that the
        CPs do not slow: these wait before it.
        """
        w, times = self.limits.work, self.free.get(tcb)
        tasks = self.limits.tasks[int(w.form.pool_region[pool])]
        work = w.flow * w.ask.qr * w.service.get(tcb, 1.0)
        load, mine = float(work[tasks].sum()), self.limits.classes[pool]
        bursts = w.form.in_groups[w.form.work[mine]].any() and w.service.get(tcb, 1.0) < SLOW
        if times is None or load <= 0 or bursts:
            return 1.0
        if (w.form.users[w.form.work[tasks]] > 0)[work[tasks] > 0].any():
            return 1.0
        held, line = float(w.flow[mine] @ times[mine]), float(w.flow[tasks] @ times[tasks])
        return line / (load * (1 + line)) if held > IN_LINE * float(w.form.pool_size[pool]) else 1.0

    def with_all_work(self, pool: int, tcb: int, wait: Array) -> Array:
        """Waits for a class that leave as much work to do as its TCB has without classes; others of its region have their part.

        The chain has the ratio of the waits of several classes, but not how a line grows while the CPs are slow.
        """
        w, limits, mine = self.limits.work, self.limits, self.limits.classes[pool]
        tasks, ask = limits.tasks[int(w.form.pool_region[pool])], w.flow * w.ask.qr
        self.waiting[pool] = float(ask[mine] @ wait)
        alike = [its for its, seen in self.seen.items() if seen.slower and seen.tcb == tcb]
        known = sum(float((ask * w.pool_wait[its])[limits.classes[its]].sum()) for its in alike)
        left = known + float(ask[tasks] @ (self.free[tcb] - w.at_group[tcb] - w.wait)[tasks])
        return wait * max(left / max(sum(self.waiting[its] for its in alike), 1e-300), 1.0)

    def forget(self, pool: int) -> None:
        """What was seen of a class."""
        self.seen.pop(pool, None)
        self.on_cps.pop(pool, None)
        self.asked.pop(pool, None)

    def copy(self, pools: list[tuple[int, int]], tasks: Places, others: Places) -> None:
        """Take for classes what was seen of those of an equal region, whose tasks are `others` in place of `tasks`."""
        w = self.limits.work
        for pool, its in pools:
            self.forget(pool)
            if its in self.seen:
                seen, tcb = self.seen[its], w.limit_tcb(pool)
                mine, beside = (tasks[np.searchsorted(others, some)] for some in (seen.tasks, seen.others))
                self.seen[pool] = replace(seen, tcb=tcb, tasks=mine, others=beside)
            if its in self.asked:
                at_qr = w.at_group.get(w.limit_tcb(pool), np.zeros(len(w.flow)))
                self.asked[pool] = (at_qr, *self.asked[its][1:])
            if its in self.often:
                self.often.add(pool)

    def solve(
        self, pool: int, tcb: int, plain: Crowd, elsewhere: Array, tilt: float, come: Coming, slower: float = 1.0
    ) -> Crowd | None:  # fmt: skip
        """The chain of a class, which is noted, or that on the CPs.

        Parameters
        ----------
        pool, tcb : int
            The class, and the QR TCB of its region, or -1 for the CPs.
        plain : Crowd
            The class by its number alone.
        elsewhere, tilt
            As for `ClassAtTcb`.
        come : (float, list of UserSource)
            How they come: a stream, and users.
        slower : float
            What the TCB is slower than while it is at work.
        """
        if tcb < 0:
            return self.solve_on_cps(pool)
        w, tasks = self.limits.work, self.limits.classes[pool]
        work = w.flow * w.ask.qr * w.service.get(tcb, 1.0) * slower
        others = without(self.limits.tasks[int(w.form.pool_region[pool])], tasks)
        at = _Shared(tasks[work[tasks] > 0], others[work[others] > 0], work, w.at_group[tcb])
        seen, crowd = self._solved(pool, tcb, at, plain, elsewhere, tilt, come)
        self.seen[pool] = replace(seen, slower=slower != 1)
        return crowd

    def solve_cps(self) -> None:
        """The chains of the classes that were last noted for the CPs."""
        for pool in [*self.asked]:
            self.solve_on_cps(pool)

    def solve_on_cps(self, pool: int) -> Crowd | None:
        """The same as `solve` of the CPs beside the QR TCB, as they were `asked`: times there are noted.

        Not where tasks of several importances are there.
        """
        if pool not in self.asked:
            return None
        at_qr, plain, elsewhere, tilt, come = self.asked.pop(pool)
        w, tasks = self.limits.work, self.limits.classes[pool]
        form, host = w.form, int(w.form.host[tasks[0]])
        here = (form.host == host) & (w.flow * w.ask.on_cps > 0)
        work, times = w.flow * w.ask.on_cps, w.on_cps.copy()
        for tcb in np.intersect1d(np.flatnonzero(form.pool_kind == Pool.QR), [*w.at_group]).tolist():
            times -= np.maximum(w.at_group[tcb] - w.ask.qr * w.service.get(tcb, 1.0), 0.0)  # who waits there is on no CP
        work[tasks] = np.maximum(w.flow * (w.ask.on_cps - w.ask.qr * (at_qr > 0)), 0.0)[tasks]
        mine, others = tasks[work[tasks] > 0], without(np.flatnonzero(here), tasks)
        if not len(mine) or several_importances(w, here):
            return None
        fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum())
        at = _Shared(mine, others, work, times, float(form.engines[host]), fixed)
        self.on_cps[pool], crowd = self._solved(pool, ~host, at, plain, elsewhere, tilt, come)
        return crowd

    def _solved(
        self, pool: int, key: int, at: _Shared, plain: Crowd, elsewhere: Array, tilt: float, come: Coming
    ) -> tuple[_Stretched, Crowd]:  # fmt: skip
        w, size, servers = self.limits.work, plain.limit, at.servers
        flow, own = float(w.flow[self.limits.classes[pool]].sum()), float(at.work[at.mine].sum())
        kept = np.array([self._full_class(t) for t in at.others.tolist()], dtype=int)
        others = at.others[kept < 0]
        load, other = float(at.work[others].sum()) + at.fixed, self._length(others if len(others) else at.mine, at.work)
        theirs, held = self._coming(others, at, other), self._held(others, at.work, other)
        ends = arrivals(*come), _beside(theirs, held), _most(come), _most(theirs)
        beside = self._always(at.others, kept, at.times)
        asked = ClassAtTcb(size, own / flow, other, elsewhere, tilt, *ends, servers, beside)

        def solve() -> ClassSolved:
            w.effort += EFFORT
            there = servers + float(plain.inside @ np.arange(size + 1.0)) + len(beside)
            room = 20 + 8 * there * load / max(servers - load, NEARLY * servers)
            return class_at_tcb(asked, 2 * plain.outside_at(0.999) + 60, room)

        found = self.solved.of((pool, key), [asked.numbers], solve)
        crowd = crowd_of(found.levels, found.chance, found.coming, size, found.rate)
        both = np.concatenate((at.mine, at.others))
        one, most = self._length(both, at.work), int(np.ceil(servers))
        stream, users = self._coming(both, at, one)
        without, _ = crowd_at_most(stream, users, np.minimum(np.arange(most + 1.0), servers) / one, most)
        longer = found.at_tcb / max(found.rate * own / flow, 1e-300)
        stretched = _Stretched(
            key, at.mine, at.others, longer, found.others / max(found.others_rate * other, 1e-300) if load > 0 else longer,
            float(without.chance @ without.number) / max(without.rate * one, 1e-300), crowd.full,
        )  # fmt: skip
        return stretched, crowd

    def _coming(self, tasks: Places, at: _Shared, length: float) -> Coming:
        """How tasks come to a TCB, as tasks of one length that need as much of it: a stream, and users.

        Of the tasks there each has the share that it has of their work, as where they share the TCB.
        """
        w, form, work = self.limits.work, self.limits.work.form, at.work
        whole, stream, sources = max(float(work[tasks].sum()) + at.fixed, 1e-300), at.fixed / length, list[UserSource]()
        for of in np.unique(form.work[tasks]).tolist():
            mine = tasks[form.work[tasks] == of]
            share, rate = float(work[mine].sum()) / whole, float(w.flow[mine].sum())
            if form.users[of] == 0:
                stream += share * whole / length
                continue
            time = float(w.flow[mine] @ at.times[mine]) / rate
            away = max(float(form.users[of]) / rate - time, 1e-3 * time, 1e-12)
            sources.append(UserSource(float(form.users[of]), share, away * length * rate / (share * whole)))
        return stream, sources

    def _always(self, tasks: Places, kept: Places, times: Array) -> Array:
        """Chances of 0, 1, … tasks at once of those out of full classes: each place there has one as often as in the mean."""
        w, found = self.limits.work, np.ones(1)
        for pool in sorted({*kept[kept >= 0].tolist()}):
            mine, places = tasks[kept == pool], int(w.form.pool_size[pool])
            part = min(float(w.flow[mine] @ times[mine]) / places, 1.0)
            for _ in range(places):
                found = np.convolve(found, (1 - part, part))
        return found

    def _held(self, tasks: Places, work: Array, length: float) -> list[tuple[float, float, float]]:
        """Of the stream those of works that come out of regions that may fill: rate, share of the tasks there, and places."""
        limits, w, form = self.limits, self.limits.work, self.limits.work.form
        whole, found = max(float(work[tasks].sum()), 1e-300), []
        for of in np.unique(form.work[tasks[form.users[form.work[tasks]] == 0]]):
            mine = tasks[form.work[tasks] == of]
            above = limits.callers(mine)
            if not above or not above <= set(limits.gates):
                continue
            inside, places = w.flow * w.holds(), 0.0
            for region in above:
                there = limits.tasks[region]
                places += float(inside[there] @ (form.work[there] == of))
                places += max(limits.size(region) - float(inside[there].sum()), 0.0)
            found.append((float(work[mine].sum()) / length, float(work[mine].sum()) / whole, places))
        return found

    def _length(self, tasks: Places, work: Array) -> float:
        """Length of tasks that are all alike and vary as much as these [s]."""
        flow = self.limits.work.flow[tasks]
        return float((work[tasks] ** 2 / flow).sum()) / max(float(work[tasks].sum()), 1e-300)

    def _full_class(self, task: int) -> int:
        """The class of a task, if it was often full."""
        pool = self.limits.class_of.get(task, -1)
        crowd = self.limits.work.crowds.get(pool)
        if crowd is not None and crowd.full > OFTEN:
            self.often.add(pool)
        return pool if pool in self.often else -1

    def apply(self) -> None:
        """Times at CPs and TCBs that were just found, as if no task were kept out, as they are."""
        w = self.limits.work
        on_cps, at_group = w.on_cps.copy(), w.at_pools
        for its, tasks, stretched in _in_turn(self.on_cps):
            less = self._less_on_cps(its, stretched, on_cps, at_group)
            w.on_cps[tasks] = np.maximum(on_cps[tasks] * less, w.ask.on_cps[tasks])
            for pool, times in at_group.items():
                if times[tasks].any():
                    w.at_group[pool] = w.at_group[pool].copy()
                    w.at_group[pool][tasks] = times[tasks] * less
        on_cps, at_group = w.on_cps.copy(), dict(w.at_group)
        for its, tasks, stretched in _in_turn(self.seen):
            if its.tcb not in at_group:
                continue
            times, new = at_group[its.tcb], self._at_tcb(its, tasks, stretched, at_group[its.tcb])
            w.at_group[its.tcb] = w.at_group[its.tcb].copy()
            w.at_group[its.tcb][tasks] = new
            w.on_cps[tasks] = on_cps[tasks] + new - times[tasks]

    def _less_on_cps(self, its: _Stretched, stretched: float, on_cps: Array, at_group: dict[int, Array]) -> float:
        """Part of the times on the CPs that is left."""
        w, both = self.limits.work, np.concatenate((its.tasks, its.others))
        beside = on_cps - np.sum(list(at_group.values()) or [np.zeros(len(on_cps))], axis=0)
        alone = np.where(beside > 0, np.maximum(w.ask.on_cps - w.ask.qr, 0.0), 0.0)
        host = float(w.flow[both] @ np.maximum(beside, 0.0)[both]) / max(float(w.flow[both] @ alone[both]), 1e-300)
        if not host > 1 + LITTLE:
            return 1.0
        taken = max(1 / its.without - 1 / host, 0.0)  # of the CPs, by what comes at once
        return min(max(1 / max(1 / stretched - taken, 1e-300), 1.0) / host, 1.0)

    def _at_tcb(self, its: _Stretched, tasks: Places, stretched: float, times: Array) -> Array:
        """Times at a TCB of some tasks."""
        w, service = self.limits.work, self.limits.work.service.get(its.tcb, 1.0)
        alone = w.ask.qr[tasks] * service
        there, least = float(w.flow[tasks] @ times[tasks]), float(w.flow[tasks] @ alone)
        if not least > 0 or not there > 0:
            return times[tasks]
        host = there / least
        if its.slower:
            goal = max(host * stretched / its.without, 1.0)
        else:
            bursts = w.form.in_groups[w.form.work[np.concatenate((its.tasks, its.others))]].any()
            most = 1.0 if bursts else 1 - 1 / max(service, 1.0)  # of the TCB that what is on the CPs takes, or comes at once
            taken = min(1 / its.without - 1 / host, most)
            goal = min(max(1 / max(1 / stretched - taken, 1e-300), 1.0), max(host, stretched))
        ratio = (goal - 1) / (host - 1) if host > 1 + LITTLE else 0.0
        return np.asarray(alone + ratio * np.maximum(times[tasks] - alone, 0.0))


def _in_turn(seen: dict[int, _Stretched]) -> list[tuple[_Stretched, Places, float]]:
    """Tasks and how much longer theirs is: all others first, those of the fullest class last, then those of classes."""
    order = sorted(seen.values(), key=lambda its: its.full)
    return [(its, its.others, its.other) for its in order] + [(its, its.tasks, its.own) for its in order]


def _most(come: Coming) -> float:
    """Tasks that are there at most."""
    return np.inf if come[0] > 0 else sum(its.users for its in come[1])


def _beside(come: Coming, held: list[tuple[float, float, float]]) -> Arrivals:
    """Rate at which tasks come, by their number: of those of some rate and share none once they have all their places."""
    plain = arrivals(*come)

    def rate(number: Array) -> Array:
        found = plain(number)
        for its, share, places in held:
            found = found - its * (1 - np.clip(places - number * share, 0.0, 1.0))
        return np.maximum(found, 0.0)

    return rate
