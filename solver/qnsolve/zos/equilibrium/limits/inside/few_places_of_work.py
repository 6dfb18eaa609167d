"""Limits of few places to which open work comes: their chains know how many wait for the QR TCB, and who is off the CPs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from qnsolve.numerics.series import Array, Places, without
from qnsolve.zos.compile.compiled import PIECE, UNLIMITED, Pool
from qnsolve.zos.equilibrium.limits.limits_of_cpu import several_importances
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.limited.few_places import OFF, OPEN, OTHERS, QR, FewPlaces, FewSolved, OthersOnCps, few_places

from .kinds_at_tcb import KindsAtTcb

MOST, MOST_OF_KINDS = 16, 60  # places, and those up to which kinds of tasks are told apart
EFFORT = 60.0  # of a chain of the most states, over that of a chain of a TCB
SAME = 1e-4  # change of what a chain depends on up to which it is the same [ratio]
FULLEST = 0.98  # use of a TCB by others, at most
LEAST = 1e-12  # of a time that counts [s], and of a load
PHASES, SEVERAL = 300, 3  # states with all places taken, up to which a chain is solved, of so many limits
SPREAD, MORE = 4.5, 10.0  # others that are counted: their number, so many times its root, and some more
FARTHEST = 10.0  # change of the waits of others, at most
RARE = 0.01  # chance of as many others as are counted, up to which these tell how many are there
MANY = 50  # places of a region from which on its tasks are on the CPs, not before it
AT_TCB = 0.05  # load of a QR TCB by others of its region, up to which these do not hold up tasks of a limit for long
ALONE = 0.01  # of the CPs, which others use, up to which they are none
LITTLE = 0.1  # part of the CPU of a task up to which it is all at one place
LEFT = 1e-3  # users that are elsewhere, at least


@dataclass(frozen=True, eq=False)
class _Times:
    """Tasks of a region, the time of each at its QR TCB and on CPs beside it (n,) [s]; others on the CPs, and their number.

    The tasks are those of the limit, and all that come to the TCB beside them.
    """

    tcb: int
    tasks: Places
    at_qr: Array
    beside: Array
    others: Places
    number: float
    full: float


@dataclass
class FewPlacesOfWork:
    """All limits of few places; `times` has those of their tasks, by pool."""

    work: Working
    times: dict[int, _Times] = field(default_factory=dict)
    solved: AlikeAnswers[int, FewSolved | None] = field(default_factory=lambda: AlikeAnswers(SAME))

    def __post_init__(self) -> None:
        self.kinds = KindsAtTcb(self.work)

    @cached_property
    def _most_states(self) -> int:
        """States of each chain, up to which it is solved: the fewer the more limits of few places there are."""
        form = self.work.form
        some = np.isin(form.pool_kind, [Pool.LIMIT, Pool.TRANCLASS]) & (form.pool_size <= MOST)
        return int(PHASES * min(SEVERAL / max(int(some.sum()), 1), 1.0) ** (1 / 3))

    def few(self, tasks: Places, size: int) -> bool:
        """Whether a class has few places, and its tasks go nowhere but to the QR TCB, other CPs, and off these."""
        return size <= MOST and self._open(tasks)

    def few_of_region(self, tasks: Places, size: int) -> bool:
        """The same of a region whose tasks are nearly alone on the CPs, all of one kind or of kinds told apart."""
        if size > (MOST if len(tasks) == 1 else MOST_OF_KINDS) or not self._open(tasks) or not self._nearly_alone(tasks):
            return False
        return len(tasks) == 1 or self.kinds.told_apart(tasks, size <= MOST)

    def _open(self, tasks: Places) -> bool:
        """Whether open work alone comes to a limit, with nothing between it and the CPs: no TCB but QR, no calls."""
        w, works = self.work, self.work.form.work[tasks]
        if not w.ask.qr[tasks].any() or (w.form.users[works] > 0).any():
            return False
        if w.form.in_groups[works].any() or (w.form.tick[works] > 0).any() or not w.flow[tasks].any():
            return False
        here = (w.form.host == w.form.host[tasks[0]]) & (w.flow * w.ask.on_cps > 0)
        apart = w.ask.ro + w.ask.threads + w.ask.qr_spin + w.ask.open_spin + w.form.in_groups[w.form.work]
        other = apart[here].any() or w.need.calls[tasks].any() or w.need.calls[:, tasks].any()
        own, users = self._beside_at_tcb(tasks), w.form.users[w.form.work] > 0
        lines = (w.need.lines[tasks] > 0).any(axis=0) & (w.need.lines[users] > 0).any(axis=0)  # users may keep these for long
        lines &= w.form.pool_size < UNLIMITED
        fixed = w.form.fixed[w.form.fixed[:, 0] == w.form.host[tasks[0]]]
        other = other or bool((fixed[:, 1] != w.form.importance[tasks[0]]).any())
        if other or lines.any() or float(w.flow[own] @ w.ask.qr[own]) > AT_TCB:
            return False
        return not several_importances(w, here)

    def _nearly_alone(self, tasks: Places) -> bool:
        """Whether next to nothing of the CPs is used by others."""
        w, host = self.work, int(self.work.form.host[tasks[0]])
        return self._load(host, tasks, tasks[:0]) < ALONE * float(w.form.engines[host])

    def solve(self, pool: int, tasks: Places, size: int, off: Array) -> FewSolved | None:
        """The chain of a limit; what its tasks find at the TCB and on the CPs is noted. None where it is not known.

        `off` are the rates at which 1, 2, … tasks off the CPs end their whole time there [1/s].
        """
        w, asked = self.work, self._asked(pool, tasks, size, off)

        def solve() -> FewSolved | None:
            w.effort += EFFORT * (asked.states / PHASES) ** 3
            return few_places(asked)

        found = self.kinds.alone(pool, tasks, off) if size > MOST else self.solved.of(pool, asked.numbers, solve)
        self.times.pop(pool, None)
        if found is not None and found.crowd is not None:
            told = self.kinds.solve(pool, tasks, off, float(w.flow[tasks].sum()) / found.load)
            if told is not None:
                found = replace(found, crowd=told[0], there=np.array([told[1], *found.there[1:]]))
            self.times[pool] = self._times(pool, tasks, asked, found, None if told is None else told[2])
        return found

    def forget(self, pool: int) -> None:
        """What was seen of a limit."""
        self.times.pop(pool, None)

    def copy(self, pools: list[tuple[int, int]], tasks: Places, others: Places) -> None:
        """Take for limits what was seen of those of an equal region, whose tasks are `others` in place of `tasks`."""
        for pool, its in pools:
            self.forget(pool)
            if its in self.times:
                seen = self.times[its]
                mine = tasks[np.searchsorted(others, seen.tasks)]
                self.times[pool] = replace(seen, tcb=self.work.limit_tcb(pool), tasks=mine, others=seen.others[:0])

    def apply(self) -> None:
        """Times at CPs and TCBs as the chains have them."""
        w, done = self.work, set[int]()
        for its in sorted(self.times.values(), key=lambda its: -its.full):
            if len(its.others) and (host := int(w.form.host[its.tasks[0]])) not in done:
                self._apply_to_others(its)
                done.add(host)
        for its in self.times.values():
            if its.tcb in w.at_group:
                w.at_group[its.tcb] = w.at_group[its.tcb].copy()
                w.at_group[its.tcb][its.tasks] = its.at_qr
                w.on_cps[its.tasks] = its.at_qr + its.beside

    def _apply_to_others(self, its: _Times) -> None:
        """Waits of others so much longer, or shorter, that as many are on the CPs as the chain of the fullest limit has."""
        w, tasks = self.work, its.others
        alone = w.ask.on_cps[tasks]
        waits, flow = np.maximum(w.on_cps[tasks] - alone, 0.0), w.flow[tasks]
        if not float(flow @ waits) > LEAST:
            return
        longer = float(np.clip((its.number - float(flow @ alone)) / float(flow @ waits), 1 / FARTHEST, FARTHEST))
        w.on_cps[tasks] = alone + longer * waits
        for pool, at in w.at_pools.items():
            if at[tasks].any():
                least = np.minimum(w.ask.qr[tasks], at[tasks])
                w.at_group[pool] = at.copy()
                w.at_group[pool][tasks] = least + longer * (at[tasks] - least)

    def _asked(self, pool: int, tasks: Places, size: int, off: Array) -> FewPlaces:
        w = self.work
        flow, needs = w.flow[tasks], self.kinds.needs(tasks)
        visited = needs > LEAST
        visited[QR] |= ~visited.any(axis=0)
        rounds, begin, moves = w.need.rounds[tasks], np.zeros(3), np.zeros((3, 4))
        for rate, again, some in zip(flow.tolist(), rounds.tolist(), visited.T, strict=True):
            places = np.flatnonzero(some)
            begin[places[0]] += rate
            for place, following in pairwise(places):
                moves[place, following] += rate * again
            moves[places[-1], places[0]] += rate * (again - 1)
            moves[places[-1], 3] += rate
        into = np.maximum(begin + moves[:, :3].sum(axis=0), 1e-300)
        pieces = needs[:OFF] @ flow / into[:OFF]
        host = int(w.form.host[tasks[0]])
        at_tcb = self._beside_at_tcb(tasks)
        tcb = min(float(w.flow[at_tcb] @ w.ask.qr[at_tcb]) * w.service.get(w.limit_tcb(pool), 1.0), FULLEST)
        others = self._others(host, tasks, at_tcb)
        every, apart = bool(visited.any(axis=1).all()), max(self._most_states // ((size + 1) * (size + 2) // 2), 1)
        joined = apart if every and len(others.come) > apart else 0
        others = others.fewer(max(self._most_states // (size + 1), 1)) if joined or not every else others
        engines, ends = float(w.form.engines[host]), off * into[OFF] / float(flow.sum())
        return FewPlaces(size, begin, moves, pieces, ends, tcb, engines, others, joined)

    def _beside_at_tcb(self, tasks: Places) -> Places:
        """Others of their region that come to its QR TCB."""
        w = self.work
        return without(np.flatnonzero((w.form.region == w.form.region[tasks[0]]) & (w.ask.qr > LEAST)), tasks)

    def _fixed(self, host: int) -> float:
        """CPs that do not grow with the work."""
        fixed = self.work.form.fixed
        return float(fixed[fixed[:, 0] == host, 2].sum())

    def _others(self, host: int, tasks: Places, at_tcb: Places) -> OthersOnCps:
        """All others on the CPs of a host; not those of the TCB of the limit."""
        w, form = self.work, self.work.form
        fixed = self._fixed(host)
        rest = self._rest(host, tasks)
        at_own = np.isin(rest, at_tcb)
        cpu = w.ask.on_cps[rest] - w.ask.qr[rest] * at_own
        used, rounds = w.flow[rest] * cpu, w.need.rounds[rest]
        load = self._load(host, tasks, at_tcb)
        if not load > LEAST:
            return OthersOnCps(np.zeros(1), np.zeros(1), 1.0)
        piece = (float(used @ (cpu / rounds)) + fixed * PIECE) / load
        there = float(w.flow[rest] @ w.on_cps[rest]) + fixed
        most = min(int(there + SPREAD * np.sqrt(there * (1 + there)) + min(MORE * there, MORE / 2)) + 1, PHASES)
        count = np.arange(most + 1.0)
        stations = [(fixed, np.inf)]
        for region in np.unique(form.region[rest]).tolist():
            here = form.region[rest] == region
            qr = np.where(at_own, 0.0, w.ask.qr[rest]) * here @ w.flow[rest]
            stations += [(float(qr), 1.0), (float(used @ here) - float(qr), self._places(region))]
        come = np.full(most + 1, fixed / piece)
        for of in np.unique(form.work[rest]).tolist():
            mine = form.work[rest] == of
            mine_used, users = float(used @ mine), float(form.users[of])
            now = float((w.flow * w.on_cps)[rest] @ mine)
            left = np.maximum(users - mine_used / load * count, 0.0) / max(users - now, LEFT) if users > 0 else 1.0
            come = come + mine_used / piece * left
        come[most] = 0.0
        return OthersOnCps(come, _ready(stations, most), piece)

    def _alike(self, tasks: Places) -> bool:
        """Whether others are on the CPs in one place each: a number of them says how long they are there."""
        w, qr = self.work, self.work.ask.qr[tasks]
        two = (np.minimum(qr, w.ask.on_cps[tasks] - qr) > LITTLE * w.ask.on_cps[tasks]).any()
        return not two and all(self._places(region) >= MANY for region in np.unique(w.form.region[tasks]).tolist())

    def _places(self, region: int) -> float:
        """Tasks of a region that are let in."""
        return float(self.work.form.pool_size[self.work.limit_pool(region)])

    def _times(self, pool: int, tasks: Places, asked: FewPlaces, found: FewSolved, longer: Array | None) -> _Times:
        """Times of each task: waits at the TCB as often as it comes there, or as long as its piece; all CPU stretched alike.

        `longer` are times at the TCB over those alone, where they are known.
        """
        w, host = self.work, int(self.work.form.host[tasks[0]])
        flow, qr = w.flow[tasks], w.ask.qr[tasks]
        visits = np.where(qr > LEAST, w.need.rounds[tasks], 0.0)
        served = max(found.served, float(flow @ qr))
        stretch = served / max(float(flow @ qr), 1e-300)
        wait = max(float(found.there[QR]) - served, 0.0) / max(float(flow @ visits), 1e-300)
        if longer is None:
            longer = max(float(found.there[QR]) / max(float(flow @ qr), 1e-300), 1.0) * np.ones(len(tasks))
        at_qr = np.where(w.need.in_order[tasks], stretch * qr + visits * wait, longer * qr)
        own = (w.ask.on_cps - w.ask.qr)[tasks]
        alone = float(flow @ own)
        beside = own * max(float(found.there[OPEN]) / alone, 1.0) if alone > 0 else own
        at_tcb = self._beside_at_tcb(tasks)
        their = w.ask.qr[at_tcb]
        behind = stretch * (w.need.rounds[at_tcb] * found.there[QR] * asked.pieces[QR] + their) / (1 - asked.tcb)
        their = np.where(w.need.in_order[at_tcb], behind, found.slower[0] * their)  # or they take turns
        rest = without(self._rest(host, tasks), at_tcb)
        assert found.crowd is not None
        others = rest if found.most_others < RARE and self._alike(rest) else rest[:0]
        number = (
            float(found.there[OTHERS]) * float(w.flow[rest] @ w.ask.on_cps[rest]) / max(self._load(host, tasks, at_tcb), LEAST)
        )
        return _Times(
            w.limit_tcb(pool), np.concatenate((tasks, at_tcb)),
            np.concatenate((at_qr, their)),
            np.concatenate((beside, found.slower[1] * (w.ask.on_cps - w.ask.qr)[at_tcb])), others, number, found.crowd.full,
        )  # fmt: skip

    def _load(self, host: int, tasks: Places, at_tcb: Places) -> float:
        """CPs that others have, but for what they use at the TCB of the limit."""
        w, rest = self.work, self._rest(host, tasks)
        return float(w.flow[rest] @ w.ask.on_cps[rest]) - float(w.flow[at_tcb] @ w.ask.qr[at_tcb]) + self._fixed(host)

    def _rest(self, host: int, tasks: Places) -> Places:
        """Other tasks on the CPs of a host."""
        w = self.work
        return without(np.flatnonzero((w.form.host == host) & (w.flow * w.ask.on_cps > 0)), tasks)


def _ready(stations: list[tuple[float, float]], most: int) -> Array:
    """Of 0 … `most` tasks at stations of some load and places, those that are served at once, as in a product form (N,)."""
    whole, served = np.eye(1, most + 1)[0], np.zeros(most + 1)
    count = np.arange(most + 1.0)
    for load, places in stations:
        if load > 0:
            at = np.minimum(count, places)
            own = np.cumprod(np.append(1.0, load / at[1:]))
            served = np.convolve(served, own)[: most + 1] + np.convolve(whole, own * at)[: most + 1]
            whole = np.convolve(whole, own)[: most + 1]
    return np.asarray(served / whole)
