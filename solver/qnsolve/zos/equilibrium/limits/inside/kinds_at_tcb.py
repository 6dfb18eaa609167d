"""Kinds of open tasks that share a limit of few places, where some go to its QR TCB and others do not."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.limited.few_places import OFF, OPEN, QR, FewSolved
from qnsolve.zos.hosts.limited.kinds_inside import KindsInside, kinds_inside, nearest_as_one

LEAST = 1e-12  # of a time that counts [s]
SAME = 1e-4  # change of what a chain depends on up to which it is the same [ratio]
AT_LINE = 0.3  # part of the time inside at the QR TCB from which on kinds of tasks are told apart
UNLIKE, SHARED = 1.15, 1.4  # (1 + C²)/2 up to which visits to a place are as good as alike, and to CPs, which are shared
SHARING = 0.9  # use of the CPs by a full region up to which its TCB and other pieces hardly share anything
NONE = 0.75  # the same where only kinds are told apart
MOST = 380  # states with all places taken
PLACES, KINDS = "places", "kinds"  # how they are told apart


@dataclass
class KindsAtTcb:
    """All such limits: how their kinds are told apart, by pool, once times are known, and their chains."""

    work: Working
    apart: dict[int, str] = field(default_factory=dict)
    solved: AlikeAnswers[int, tuple[Crowd, Array] | None] = field(default_factory=lambda: AlikeAnswers(SAME))

    def told_apart(self, tasks: Places, by_places: bool) -> bool:
        """Whether kinds of tasks differ in where they go, and are at the QR TCB most of all: by the first times known.

        Either all visits to a place are for as long, as in a chain of places, or the TCB and other pieces do not share the
        CPs, as in one of kinds. The first is left out where it is not asked for.
        """
        w = self.work
        pool = w.limit_pool(int(w.form.region[tasks[0]]))
        tcb = w.at_group.get(w.limit_tcb(pool))
        if pool not in self.apart and tcb is not None:
            self.apart[pool] = self._how(pool, tasks, tcb[tasks], by_places)
        return bool(self.apart.get(pool))

    def _how(self, pool: int, tasks: Places, at_qr: Array, by_places: bool) -> str:
        w = self.work
        flow, rounds = w.flow[tasks], w.need.rounds[tasks]
        parts = np.array([at_qr, w.on_cps[tasks] - at_qr, w.off_cps[tasks]])
        visits = (self.needs(tasks) > LEAST) * rounds
        whole: Array = parts.sum(axis=0)
        some = (visits > 0).any(axis=1) & (visits == 0).any(axis=1)  # go there, and others do not
        if not some.any() or float(flow @ at_qr) <= AT_LINE * float(flow @ whole):
            return ""
        each = parts @ flow / np.maximum(visits @ flow, 1e-300)  # of a visit to each place, all alike
        in_order = (visits[QR] > 0) & w.need.in_order[tasks]
        pieces = self.needs(tasks) / rounds
        at_tcb, beside = (
            unlike((flow * rounds)[its], pieces[at][its]) for at, its in ((QR, in_order), (OPEN, visits[OPEN] > 0))
        )
        beyond = unlike(flow, whole) / unlike(flow, each @ visits)
        if by_places and max(beyond, at_tcb) < UNLIKE and beside < SHARED:
            return PLACES
        asked, kind = self._asked(tasks, int(w.form.pool_size[pool]))
        shared = asked.use_of([QR, OPEN]) > (SHARING if by_places else NONE) * self._cpus(tasks)
        lines = (w.need.lines[tasks] > 0).any(axis=0) & (w.form.pool_size < UNLIMITED)
        apart = by_places or not (lines.any() or self._lost(tasks, kind) > UNLIKE)
        return "" if in_order.any() or shared or not apart else KINDS

    def alone(self, pool: int, tasks: Places, off: Array) -> FewSolved | None:
        """A limit by its kinds alone, as if these did not share the CPs; `off` as in `solve`."""
        flow, needs = self.work.flow[tasks], self.needs(tasks)
        asked, _ = self._asked(tasks, len(off), off)
        load, found = float(flow.sum()) / asked.passed, self._chain(pool, asked)
        if found is None and load < 1:
            return None
        there = np.append(needs @ flow, 0.0)
        return FewSolved(load, found and found[0], there, np.eye(1, len(off) + 1)[0], float(there[QR]))

    def solve(self, pool: int, tasks: Places, off: Array, passed: float) -> tuple[Crowd, float, Array] | None:
        """Tasks in and before a limit, those at its TCB [count], and the time of each there over that alone (n,).

        `off` are the rates at which 1, 2, … tasks off the CPs end their whole time there, `passed` that at which tasks end
        with all places taken, their kinds apart [1/s]. None where kinds are not told apart by a chain of their own.
        """
        if self.apart.get(pool) != KINDS:
            return None
        asked, kind = self._asked(tasks, len(off), off)
        asked = asked.as_fast_as(passed)
        found = self._chain(pool, asked)
        if found is None:
            return None
        crowd, inside = found
        alone = asked.times[QR] * asked.come
        there = np.maximum(inside - asked.come * (asked.times[OPEN] + asked.times[OFF]), alone)
        longer = np.divide(there, alone, out=np.ones(len(alone)), where=alone > 0)
        return crowd, float(there[alone > 0].sum()), longer[kind]

    def _chain(self, pool: int, asked: KindsInside) -> tuple[Crowd, Array] | None:
        return self.solved.of(pool, asked.numbers, lambda: kinds_inside(asked))

    def needs(self, tasks: Places) -> Array:
        """What tasks need at the QR TCB, on CPs beside it and off these (3, n) [s]."""
        w = self.work
        return np.array([w.ask.qr[tasks], (w.ask.on_cps - w.ask.qr)[tasks], w.off_cps[tasks]])

    def _lost(self, tasks: Places, kind: Places) -> float:
        """How unlike the tasks are that are taken as one kind: (1 + C²)/2 of what they need, the most of all."""
        flow, whole = self.work.flow[tasks], self.needs(tasks).sum(axis=0)
        return max(unlike(flow[kind == one], whole[kind == one]) for one in np.unique(kind).tolist())

    def _cpus(self, tasks: Places) -> float:
        return float(self.work.form.engines[self.work.form.host[tasks[0]]])

    def _asked(self, tasks: Places, size: int, off: Array | None = None) -> tuple[KindsInside, Places]:
        """The chain of some kinds, the nearest of more of them as one; and the kind of each task."""
        flow, needs = self.work.flow[tasks], self.needs(tasks)
        count, mean = np.arange(1.0, size + 1), float(flow @ needs[OFF]) / float(flow.sum())
        apart = count if off is None or mean <= LEAST else off * mean
        speeds = np.array([np.ones(size), np.minimum(count, self._cpus(tasks)), apart])
        needs = np.where(needs > LEAST, needs, 0.0)
        kind = nearest_as_one(flow, needs, size, MOST)
        return KindsInside.of(flow, needs, speeds, kind), kind
