"""Full limits above regions that other work comes to as well: which those are, and what their chains say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places, without
from qnsolve.zos.equilibrium.limits.unlike_limits import speeds_in_line
from qnsolve.zos.equilibrium.working import EFFORT, Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.chains.birth_death import Crowd, UserSource
from qnsolve.zos.hosts.limited.product_form import weights

from .series_chain import Arrivals, Below, LimitsInSeries, PlacesBelow, Steady, TwoLimits, one_of_several, series

SERIES, ONE = 4.0, 2.0  # effort of a chain of two limits, and of one of several below another, over that of a chain of a TCB
SELDOM = 0.005  # chance of a full limit below up to which it makes no difference
OFTEN = 0.2  # chance of a full class from which on it is solved with its region
MOSTLY = 0.5  # chance of a full class from which on the number of its tasks does not go with that of others
SAME = 1e-3  # change of what comes to a class and its region up to which their chain is the same [ratio]
MANY = 0.015  # of the places above, in the second longest of the lines below, from which on one is long where another is short
LONG = 400  # of a line, from which on its length makes no difference to who is inside
PART = 1e-6  # of the tasks of a region that come from above, or from elsewhere, that counts


class FullLimits(Protocol):
    """What is asked of all limits."""

    work: Working
    gates: list[int]
    pool: dict[int, int]
    tasks: dict[int, Places]
    above: dict[int, int]
    found: dict[int, Crowd]
    speeds: dict[int, tuple[Array, int, float]]
    calling: Array
    classes: dict[int, Places]
    closing: set[int]

    def size(self, region: int) -> int:
        """Places of a region."""

    def squares(self, tasks: Places, inside: Array, away: Array) -> Array:
        """E[S²]/2 of the times that tasks hold a place."""

    def at_cps_of_all(self, tasks: Places) -> float:
        """Share of the time inside that tasks spend at the CPs and not at the QR TCB of their region."""

    def classes_of(self, region: int) -> list[int]:
        """Pools of its TRANCLASSes."""

    def in_classes(self, tasks: Places, inside: Array) -> dict[int, tuple[float, float]]:
        """Works that come out of TRANCLASSes: places there, and the time that one is idle."""

    def callers(self, tasks: Places) -> frozenset[int]:
        """Regions whose tasks call some tasks."""

    def room_above(self, mine: Places, work: int, limited: Places) -> float:
        """Tasks of a work that the regions from which it comes let in."""

    def sources(self, tasks: Places, held: Array, inside: Array) -> tuple[float, list[UserSource], float]:
        """How tasks come: a stream, and users elsewhere."""


@dataclass
class SharedBelow:
    """Regions that share their places between tasks of one region above and others.

    Attributes
    ----------
    speeds : dict of (above, below) to ndarray
        Rate at which tasks from above leave the region below, by their number there, as last found.
    solved : AlikeAnswers
        Chains of a class and its region, by its pool, and of two regions, by both.
    competed : set of int
        Regions above several whose lines competed for their places.
    with_region : set of int
        Classes that were solved with their regions: it is so to the end.
    steady : set of int
        Those that were full most of the time.
    """

    limits: FullLimits
    speeds: dict[tuple[int, int], Array] = field(default_factory=dict)
    solved: AlikeAnswers[int | tuple[int, int], LimitsInSeries] = field(default_factory=lambda: AlikeAnswers(SAME))
    competed: set[int] = field(default_factory=set)
    with_region: set[int] = field(default_factory=set)
    steady: set[int] = field(default_factory=set)

    def of(self, above: int) -> dict[int, Array]:
        """Regions below that one, and the tasks a second that it sends to each task there."""
        limits, need = self.limits, self.limits.work.need
        if not self.limits.calling[limits.tasks[above]].any():
            return {}
        sent = limits.work.flow[limits.tasks[above]] @ need.calls[limits.tasks[above]]
        found = {}
        for region in limits.gates:
            mine = sent[limits.tasks[region]]
            flow = float(limits.work.flow[limits.tasks[region]].sum())
            if region == above or region not in limits.speeds or limits.classes_of(region):
                continue
            seldom = region not in limits.found or limits.found[region].full < SELDOM
            if not seldom and PART * flow < mine.sum() < (1 - PART) * flow and limits.above[region] != above:
                found[region] = mine
        if any(len(limits.callers(limits.tasks[region]) & set(limits.gates)) > 1 for region in found):
            return {}
        return found if len(found) < 2 or self._compete(above, found) else {}

    def _compete(self, above: int, found: dict[int, Array]) -> bool:
        """Whether two of several regions below hold many of the places above in their lines: one has what the other lacks."""
        limits = self.limits
        waits = sorted(float(sent @ limits.work.pool_wait[limits.pool[r], limits.tasks[r]]) for r, sent in found.items())
        many = waits[-2] > MANY * limits.size(above)
        if many and limits.work.rounds > 1:  # hosts are known; it is so to the end, whatever that changes
            self.competed.add(above)
        return many or above in self.competed

    def time(self, mine: dict[int, Array]) -> float:
        """Mean number of tasks of the region above in those below and before their limits."""
        if not mine:
            return 0.0
        w = self.limits.work
        spent = w.holds() + w.wait
        return sum(float(sent @ spent[self.limits.tasks[region]]) for region, sent in mine.items())

    def weights(self, above: int, mine: dict[int, Array], size: int, tilt: float) -> dict[int, Array]:
        """Of each region below, as a station of the region above; those not solved yet are delays."""
        if not mine:
            return {}
        total, found = float(self.limits.work.flow[self.limits.tasks[above]].sum()), {}
        w = self.limits.work
        spent = w.holds() + w.wait
        for region, sent in mine.items():
            speed = self.speeds.get((above, region))
            if speed is None or len(speed) <= size:
                time = float(sent @ spent[self.limits.tasks[region]]) / total
                found[region] = weights(tilt * time / np.arange(1.0, size + 1))
            else:
                found[region] = weights(tilt * float(sent.sum()) / total / np.maximum(speed[1 : size + 1], 1e-300))
        return found

    def solve(
        self, above: int, mine: dict[int, Array], size: int, others: dict[int, Array], tilt: float, plain: Crowd,
        whole: Array,
    ) -> Crowd:  # fmt: skip
        """The chains of a region and those below it; waits below are noted, what is before its own limit is returned.

        Several below compete for the same places: each has a chain of its own, given how many tasks are inside this region.
        `plain` and `whole` are the chances of these numbers, and their weights.
        """
        limits, w = self.limits, self.limits.work
        if w.effort > EFFORT:
            return plain
        tasks, pool = limits.tasks[above], limits.pool[above]
        stream, sources, _ = limits.sources(tasks, w.holds() + w.pool_wait[pool], w.holds())
        most = np.inf if stream > 0 else sum(s.users for s in sources)
        crowd = plain
        for region, sent in mine.items():
            below, come, others_most, part = self._below(region, sent, float(w.flow[tasks].sum()))
            its: PlacesBelow
            if len(mine) > 1:
                guess = 2 * limits.found[region].outside_at(0.999) + 40
                its = one_of_several(plain.inside / whole, below, others[region], tilt, come, others_most, guess)
                w.effort += ONE
            else:
                asked = TwoLimits(size, below, others[region], tilt, arrivals(stream, sources), come, most, others_most)
                its = both = self._series((above, region), asked, plain, limits.found[region])
                crowd = _crowd(both, size)
            self.speeds[above, region] = its.speeds
            self._note(region, its, part)
        return crowd

    def solve_classes(self, region: int) -> None:
        """The chains of a region that fills and of each of its TRANCLASSes that is often full; their waits are noted.

        Other work holds places of the region for other times: while it has many of them, less comes out of the class, and its
        line is the longer for that. By the mean of the wait for the region it would be as long as if that never changed. A
        class with more places than the region bounds the line before that: no more of its tasks stand there than it lets in.
        """
        limits, w = self.limits, self.limits.work
        if region not in limits.found:
            return
        size = limits.size(region)
        inner = [p for p in limits.classes_of(region) if int(w.form.pool_size[p]) != size]
        alike = [p for p in limits.classes_of(region) if p not in inner]
        if not inner:
            inner, alike = alike, []
        crowd, solved = limits.found[region], False
        everything, pool = limits.tasks[region], limits.pool[region]
        others = without(everything, np.concatenate([limits.classes[p] for p in inner])) if inner else everything
        for its in inner:
            found = self._class_and_region(its, region, crowd, inner) if self._often(its, region) else None
            if found is None:
                continue
            solved, tasks = True, limits.classes[its]
            self.with_region.add(its)
            w.pool_wait[pool, tasks] = found.waiting / max(found.passed, 1e-300)
            w.pool_wait[pool, others] = found.others_waiting / max(found.others_rate, 1e-300)
            w.crowds[its] = _crowd(found, int(w.form.pool_size[its]))
            w.pool_wait[its, tasks] = w.crowds[its].wait
            w.crowds[pool] = limits.found[region] = self._both(region, found)
        if solved:  # the others wait for a class as large as the region in the line of that
            for its in alike:
                w.pool_wait[its] = 0.0

    def _often(self, its: int, region: int) -> bool:
        """Whether a class is solved with its region: it is often full and so is that, or was, and is as large.

        What comes out of full regions is as many as these have places: their line moves with that of the class.
        """
        limits, crowds = self.limits, self.limits.work.crowds
        if its not in crowds or not limits.callers(limits.classes[its]).isdisjoint(limits.gates):
            return False
        if int(limits.work.form.pool_size[its]) >= limits.size(region) and its in self.with_region | limits.closing:
            return True
        return limits.found[region].full >= SELDOM and crowds[its].full > OFTEN

    def _class_and_region(self, its: int, region: int, crowd: Crowd, inner: list[int]) -> LimitsInSeries | None:
        """The chain of a class and of all other tasks of its region, whose own chain alone is `crowd`; None without others.

        Of the `inner` classes others that are full most of the time have as many there as in the mean however many others are.
        """
        limits, w = self.limits, self.limits.work
        everything, tasks = limits.tasks[region], limits.classes[its]
        size, flow = int(w.form.pool_size[its]), w.flow[everything]
        sent = np.where(np.isin(everything, tasks), flow, 0.0)
        total = float(sent.sum())
        if not PART * total < float(flow.sum()) - total or total <= 0 or w.effort > EFFORT:
            return None
        self.steady |= {p for p in inner if p in w.crowds and w.crowds[p].full > MOSTLY}
        steady = [p for p in inner if p in self.steady and p != its]
        if sum(float(w.flow[limits.classes[p]].sum()) for p in steady) > float(flow.sum()) - (1 + PART) * total:
            steady = []  # nothing else is there
        below, other_come, others_most, _ = self._below(region, sent, total, of_class=True, steady=steady)
        stream, sources, _ = limits.sources(tasks, w.holds() + w.wait, w.holds() + w.pool_wait[limits.pool[region]])
        most, come = np.inf if stream > 0 else sum(s.users for s in sources), arrivals(stream, sources)
        asked = TwoLimits(size, below, np.eye(1, size + 1)[0], total, come, other_come, most, others_most)
        return self._series(its, asked, w.crowds[its], crowd)

    def _series(self, key: int | tuple[int, int], asked: TwoLimits, plain: Crowd, others: Crowd) -> LimitsInSeries:
        """The chain of a limit above and one below; that of the round before, or of equal ones, where it depends on the same.

        `plain` and `others` say how many may wait before either.
        """

        def solve() -> LimitsInSeries:
            self.limits.work.effort += SERIES
            before = self.solved.last(key)
            first, below = (0.0, 0.0) if before is None else before.seldom
            return series(asked, max(2 * plain.outside_at(0.999) + 60, first), max(2 * others.outside_at(0.999) + 40, below))

        return self.solved.of(key, [asked.numbers], solve)

    def _below(
        self, region: int, sent: Array, total: float, *, of_class: bool = False, steady: Sequence[int] = ()
    ) -> tuple[Below, Arrivals, float, Array]:  # fmt: skip
        """A region below another, or one `of_class`: places, how others come, the most of them, each task's share from above.

        Where users alone keep a line there is one however little they ask for: what passes is that of a full region.
        """
        limits, w, form = self.limits, self.limits.work, self.limits.work.form
        tasks, size = limits.tasks[region], limits.size(region)
        flow, times = w.flow[tasks], w.holds()
        holds = times[tasks]
        still = np.isin(tasks, np.concatenate([np.zeros(0, dtype=int), *(limits.classes[p] for p in steady)]))
        always = flow * still
        rest = np.maximum(flow - sent - always, 0.0)
        speed = limits.speeds[region][0]
        hold, other_hold = float(sent @ holds) / float(sent.sum()), float(rest @ holds) / float(rest.sum())
        each = np.append(1.0, speed[1:] / np.arange(1.0, len(speed)) * float(flow @ holds) / float(flow.sum()))
        squares = float(flow @ limits.squares(tasks, times, times - w.on_cps))
        always_hold = float(always @ holds) / max(float(always.sum()), 1e-300)
        within = float(sent.sum()) * hold**2 + float(rest.sum()) * other_hold**2 + float(always.sum()) * always_hold**2
        mixed = squares / within  # within each kind
        off = 1 - limits.at_cps_of_all(tasks)  # the CPs serve all inside at once
        load = float(flow.sum()) / float(speed[-1])
        if of_class:
            users = float(flow @ (form.users[form.work[tasks]] > 0)) / float(flow.sum())
            load = users + (1 - users) * load
        in_line = speeds_in_line(load, 1 + off * (mixed - 1), LONG)
        spent = holds + w.pool_wait[limits.pool[region], tasks]
        held = Steady(sum(float(w.crowds[p].inside @ np.arange(w.crowds[p].limit + 1.0)) for p in steady), always_hold)
        below = Below(size, hold, other_hold, each[: size + 1], float(sent.sum()) / total, in_line, held)
        there, stream, sources, most = float(rest @ spent), 0.0, [], 0.0
        classes = limits.in_classes(tasks, times)
        for work in np.unique(form.work[tasks]):
            own = form.work[tasks] == work
            its = float(rest[own].sum())
            if its <= 1e-12 * float(flow[own].sum()):
                continue
            time = float(rest[own] @ spent[own]) / its
            if work in classes and round(classes[work][0], 6) != size:  # of one as large all stand in the line of the region
                sources.append(UserSource(classes[work][0], its * time / there, classes[work][1]))
                most += classes[work][0]
                continue
            if form.users[work] == 0:
                stream, most = stream + its, np.inf
                continue
            users, visits = float(form.users[work]), its / float(w.rate[work])
            away = w.cycle[work] / visits - time
            room = self._room(tasks[own], int(work), region, float(sent[own].sum()) > 0)
            if room < users:
                users, away = room, max(room / its - time, 1e-3 * time)
            sources.append(UserSource(users, its * time / there, max(away, 1e-9 * time, 1e-12)))
            most += users
        return below, arrivals(stream, sources), most, np.divide(sent, flow, out=np.zeros_like(sent), where=flow > 0)

    def _room(self, tasks: Places, work: int, region: int, shared: bool) -> float:
        """Tasks of a work that regions above let in, where it comes out of such alone."""
        return (
            np.inf
            if shared and len(self.limits.callers(tasks)) < 2
            else self.limits.room_above(tasks, work, self.limits.tasks[region])
        )

    def _note(self, region: int, found: PlacesBelow, part: Array) -> None:
        """Waits before the limit below, of tasks from above and others; those of both in the mean."""
        limits, w = self.limits, self.limits.work
        tasks, pool = limits.tasks[region], limits.pool[region]
        coming = max(float(part @ w.flow[tasks]), 1e-300)
        wait = found.waiting / max(found.passed, 1e-300)
        others = found.others_waiting / max(found.others_rate, 1e-300)
        old = w.pool_wait[pool, tasks]
        mixed = part * wait + (1 - part) * others
        w.pool_wait[pool, tasks] = np.where(part > 0, mixed, np.where(self._main(region, coming), others, old))
        w.crowds[pool] = limits.found[region] = self._both(region, found)

    def _both(self, region: int, found: PlacesBelow) -> Crowd:
        """Tasks in and before the limit below, of both kinds."""
        limits, chance = self.limits, found.below / found.below.sum()
        coming = float(limits.work.flow[limits.tasks[region]].sum())
        return Crowd(found.numbers, chance, np.full(len(chance), coming), limits.found[region].limit)

    def _main(self, region: int, coming: float) -> bool:
        """Whether a region below has the most tasks from this one."""
        limits, w = self.limits, self.limits.work
        most = 0.0
        for above in limits.gates:
            sent = w.flow[limits.tasks[above]] @ w.need.calls[np.ix_(limits.tasks[above], limits.tasks[region])]
            most = max(most, float(sent.sum()))
        return coming > 0.999 * most


def arrivals(stream: float, sources: list[UserSource]) -> Arrivals:
    """Rate at which tasks come, by their number."""

    def rate(number: Array) -> Array:
        found = np.full(len(number), float(stream))
        for s in sources:
            found += s.come(number * s.share)
        return found

    return rate


def _crowd(found: LimitsInSeries, size: int) -> Crowd:
    return crowd_of(found.levels, found.chance, found.coming, size, found.rate)


def crowd_of(levels: Array, chances: Array, come: Array, size: int, rate: float = 0.0) -> Crowd:
    """Tasks in and before a limit, counted one by one up to it."""
    top = int(min(size, levels[-1]))
    wide = np.gradient(levels) if len(levels) > 1 else np.ones(1)
    each = np.interp(np.arange(top + 1.0), levels, chances / wide)
    low = levels <= top
    each *= float(chances[low].sum()) / max(float(each.sum()), 1e-300)
    number = np.concatenate((np.arange(top + 1.0), levels[~low]))
    chance = np.concatenate((each, chances[~low]))
    return Crowd(number, chance, np.interp(number, levels, come), size, rate)
