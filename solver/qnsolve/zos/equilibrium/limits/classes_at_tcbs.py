"""TRANCLASSes at the QR TCBs of their regions: what they keep out is not there, neither for their tasks nor for all others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.chains.birth_death import Crowd, UserSource, crowd_at_most
from qnsolve.zos.hosts.limited.class_at_tcb import Arrivals, ClassAtTcb, ClassSolved, class_at_tcb

from .below.series_limits import arrivals, crowd_of

Coming = tuple[float, list[UserSource]]  # a stream [1/s], and users

SELDOM = 0.003  # chance of a full class up to which its limit makes no difference
SAME = 1e-6  # change of what a chain depends on up to which it is the same [ratio]
EFFORT = 1.0  # of a chain, over that of a chain of a TCB
NEARLY = 0.02  # of a TCB that others leave at least
LITTLE = 1e-9  # wait over the time alone that is none
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


@dataclass
class ClassesAtTcbs:
    """All classes whose chains have a TCB.

    Attributes
    ----------
    seen : dict of pool to _Stretched
    solved : AlikeAnswers
        Chains, by pool.
    often : set of int
        Classes that were often full: it is so to the end.
    """

    limits: SeenClasses
    seen: dict[int, _Stretched] = field(default_factory=dict)
    solved: AlikeAnswers[int, ClassSolved] = field(default_factory=lambda: AlikeAnswers(SAME))
    often: set[int] = field(default_factory=set)

    def forget(self, pool: int) -> None:
        """What was seen of a class."""
        self.seen.pop(pool, None)

    def solve(
        self, pool: int, tcb: int, plain: Crowd, elsewhere: Array, tilt: float, come: Coming
    ) -> Crowd:  # fmt: skip
        """The chain of a class, which is noted.

        Parameters
        ----------
        pool, tcb : int
            The class, and the QR TCB of its region.
        plain : Crowd
            The class by its number alone.
        elsewhere, tilt
            As for `ClassAtTcb`.
        come : (float, list of UserSource)
            How they come: a stream, and users.
        """
        w, tasks, size = self.limits.work, self.limits.classes[pool], plain.limit
        work = w.flow * w.ask.qr
        others = np.setdiff1d(self.limits.tasks[int(w.form.pool_region[pool])], tasks)
        others, mine = others[work[others] > 0], tasks[work[tasks] > 0]
        work *= w.service.get(tcb, 1.0)
        flow, own, load = float(w.flow[tasks].sum()), float(work[mine].sum()), float(work[others].sum())
        other = self._length(others, work)
        theirs, held = self._coming(others, tcb, work, other, True), self._held(others, work, other)
        asked = ClassAtTcb(
            size, own / flow, other, elsewhere, tilt, arrivals(*come), _beside(theirs, held), *map(_most, (come, theirs))
        )

        def solve() -> ClassSolved:
            w.effort += EFFORT
            there = 1 + float(plain.inside @ np.arange(size + 1.0))
            return class_at_tcb(asked, 2 * plain.outside_at(0.999) + 60, 20 + 8 * there * load / max(1 - load, NEARLY))

        found = self.solved.of(pool, [asked.numbers], solve)
        crowd = crowd_of(found.levels, found.chance, found.coming, size, found.rate)
        both = np.concatenate((mine, others))
        one = self._length(both, work)
        stream, users = self._coming(both, tcb, work, one, False)
        without, _ = crowd_at_most(stream, users, np.array([0.0, 1 / one]), 1)
        self.seen[pool] = _Stretched(
            tcb, mine, others, found.at_tcb / max(found.rate * own / flow, 1e-300),
            found.others / max(found.others_rate * other, 1e-300),
            float(without.chance @ without.number) / max(without.rate * one, 1e-300), crowd.full,
        )  # fmt: skip
        return crowd

    def _coming(self, tasks: Places, tcb: int, work: Array, length: float, apart: bool) -> Coming:
        """How tasks come to a TCB, as tasks of one length that need as much of it: a stream, and users.

        Of the tasks there each has the share that it has of their work, as where they share the TCB. `apart` is whether tasks
        out of full classes are as many as these have places.
        """
        w, form = self.limits.work, self.limits.work.form
        whole, stream, sources = max(float(work[tasks].sum()), 1e-300), 0.0, list[UserSource]()
        kind = np.array([self._full_class(t) if apart else -1 for t in tasks.tolist()], dtype=int)
        for pool, of in sorted({(p, -1 if p >= 0 else int(of)) for p, of in zip(kind, form.work[tasks], strict=True)}):
            mine = tasks[(kind == pool) & ((pool >= 0) | (form.work[tasks] == of))]
            share, rate = float(work[mine].sum()) / whole, float(w.flow[mine].sum())
            if pool < 0 and form.users[of] == 0:
                stream += share * whole / length
                continue
            time = float(w.flow[mine] @ w.at_group[tcb][mine]) / rate
            users = float(form.pool_size[pool]) if pool >= 0 else float(form.users[of])
            away = max(users / rate - time, 1e-3 * time, 1e-12)
            sources.append(UserSource(users, share, away * length * rate / (share * whole)))
        return stream, sources

    def _held(self, tasks: Places, work: Array, length: float) -> list[tuple[float, float, float]]:
        """Of the stream those of works that come out of regions that may fill: rate, share of the tasks there, and places."""
        limits, w, form = self.limits, self.limits.work, self.limits.work.form
        whole, found = max(float(work[tasks].sum()), 1e-300), []
        for of in np.unique(form.work[tasks[form.users[form.work[tasks]] == 0]]):
            mine = tasks[form.work[tasks] == of]
            above = limits.callers(mine)
            if not above or not above <= set(limits.gates) or any(self._full_class(t) >= 0 for t in mine.tolist()):
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
        """Times at TCBs that were just found, as if no task were kept out, as they are; the fullest class last."""
        w = self.limits.work
        for its in sorted(self.seen.values(), key=lambda its: its.full):
            if its.tcb not in w.at_group:
                continue
            times, service = w.at_group[its.tcb].copy(), w.service.get(its.tcb, 1.0)
            w.at_group[its.tcb] = times
            bursts = w.form.in_groups[w.form.work[np.concatenate((its.tasks, its.others))]].any()
            most = 1.0 if bursts else 1 - 1 / max(service, 1.0)  # of the TCB that what is on the CPs takes, or comes at once
            for tasks, stretched in ((its.tasks, its.own), (its.others, its.other)):
                alone = w.ask.qr[tasks] * service
                there, least = float(w.flow[tasks] @ times[tasks]), float(w.flow[tasks] @ alone)
                if not least > 0 or not there > 0:
                    continue
                host = there / least
                taken = min(1 / its.without - 1 / host, most)
                goal = min(max(1 / max(1 / stretched - taken, 1e-300), 1.0), max(host, stretched))
                ratio = (goal - 1) / (host - 1) if host > 1 + LITTLE else 0.0
                new = alone + ratio * np.maximum(times[tasks] - alone, 0.0)
                w.on_cps[tasks] += new - times[tasks]
                times[tasks] = new


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
