"""Waits for a limit of kinds of work that hold places for unlike times."""

from __future__ import annotations

import numpy as np

from qnsolve.methods.limits.unlike.meeting import Meeting
from qnsolve.methods.limits.unlike.unlike_works import LimitWaits
from qnsolve.numerics.level_chain import StiffChainError
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.birth_death import CrowdedError, crowd

from .inside.returning_tasks import ReturningTasks
from .inside.users_at_tcbs import UsersAtTcbs
from .limit_arrivals import LimitArrivals
from .unlike_answers import UnlikeAnswers

MILD = 1.6  # (1 + C²)/2 of holding times of users up to which one factor stands for all kinds of work
WILD = 5.0  # the same of tasks that call others, and of work with rates beside
FEW_USERS, OFTEN_THERE = 10, 0.2  # users of a work, and share of their time at a limit, from which on each is told apart
MOVED = 2.0  # change of the plain wait from which on ratios at a limit with classes inside are found again
SHORTEST_OFF = 1e-12  # time off the CPs that counts [s]
SAME_TIME = 0.05  # of a time, to which it is another one
LEAST_PART = 0.05  # sum of squares of the parts of a time over that of the whole, at least
SELDOM = 0.2  # load of a limit below which there is no line to speak of
TOLD_APART = 60  # places up to which tasks that meet inside are told apart
LITTLE_FLOW = 0.01  # of the tasks of a limit
CROWDED_CPS = 0.8  # speed of all places on the CPs over that of as many alone, up to which tasks meet there
UNLIKE_SHARES = 0.2  # difference of the shares of their time alone on the CPs, from which on tasks are told apart
LITTLE_WAIT = 1e-7  # over the time inside: as if there were none
SEEN = 0.2  # of the wait that another chain has, below which a wait is no measure of it


def _over(waits: Array, plain: float, least: float) -> Array:
    """Waits over a plain one; next to nothing is no measure."""
    return np.asarray(waits / plain if plain >= least else 1 + (waits - plain) / least)


class UnlikeLimits(LimitArrivals):
    """Limits, and what unlike kinds of work wait for them: `waits` by limit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.waits = UnlikeAnswers(self.work)
        self.users_at_tcbs = UsersAtTcbs(self.work)
        self.returning = ReturningTasks(self)
        self._lined = np.flatnonzero(self.work.need.lines.any(axis=0))  # logs and devices that tasks come to
        self._parts: tuple[Array, Array, Array] | None = None
        self.own_waits = set[int]()  # limits whose kinds of work have waits of their own

    def unlike(
        self, pool: int, tasks: Places, inside: Array, speed: Array, size: int, away: Array, plain: float, apart: bool = False
    ) -> Array:
        """Waits of each task over those that tasks all alike would have (n,).

        `plain` is that wait; `inside` is the time of a task inside the limit, of which `away` is off the CPs. Where open work
        alone comes to a limit that is no group of its host, `plain` has what the CPs do to it, and the two parts of its time
        there. The kinds of work add what they do where all hold their places as long as in the mean. `apart` is whether the
        chain of the limit has already who comes back to it soon.
        """
        if plain <= LITTLE_WAIT * float(inside[tasks].min()):
            return np.ones(len(tasks))
        w, form = self.work, self.work.form
        users_alone = pool not in self.classes and bool((form.users[form.work[tasks]] > 0).all())
        behind = users_alone and any(p in self.closing for p in self.classes_of(int(form.region[tasks[0]])))
        still = not behind or 1 / MOVED < plain / self.made.get(pool, np.inf) < MOVED  # places of a class go with its wait
        known = self.ratios.get(pool)
        if known is not None and len(known) == len(tasks) and pool not in self.stale and still:  # not of several regions as one
            return known
        some = np.flatnonzero(w.flow[tasks] > 0)
        own = pool not in self.grouped or bool(self.calling[tasks].any())
        of_users = own and users_alone and not self.calling[tasks].any()
        if own and ((of_users and self.returning.sure(pool)) or self.mild(tasks, self.mixed(tasks, inside, away))):
            self.own_waits.discard(pool)
            return np.ones(len(tasks)) if apart else self.returning.waits(pool, tasks)
        ratio, kinds = np.ones(len(tasks)), None
        if len(some):
            kinds = self._told_apart(pool, tasks[some], inside, speed, size, away, plain)
            if kinds is None:  # the variation of all times together
                ratio[some] = self._one_kind(tasks, int(some[0]), inside, speed, size, away, plain)
            else:
                kinds = np.clip(kinds, 0.02, np.inf if behind else 100.0)
                ratio[some] = self._as_they_return(pool, tasks[some], kinds, apart) if of_users else kinds
        if pool in self.two_counts or pool in self.few_places.times:
            ratio = ratio / self._two_parts(tasks, inside, away)
        (self.own_waits.add if kinds is not None else self.own_waits.discard)(pool)
        self.ratios[pool], self.made[pool] = ratio, plain
        self.stale.discard(pool)
        return ratio

    def _told_apart(
        self, pool: int, tasks: Places, inside: Array, speed: Array, size: int, away: Array, plain: float
    ) -> Array | None:
        """`unlike` of tasks that come, by a chain of their kinds; None where these are alike, or it has no answer."""
        flow, mean = self.work.flow[tasks], np.maximum(inside[tasks], 1e-12)
        users, gone = self.whence(tasks, tasks, inside + self.work.pool_wait[pool])
        gone = np.maximum(gone, 1e-6 * mean)
        alike = float(flow @ mean) / float(flow.sum())
        relative = np.ones(size + 1)  # a full limit holds long tasks, most of them off the CPs: these are no busier
        if pool in self.grouped:
            relative[1:] = speed[1:] / np.arange(1.0, size + 1) * alike
        if not (np.ptp(mean) > 0.02 * alike or np.ptp(gone * (users > 0)) > 0):
            return None
        try:
            moments = self._moments(pool in self.grouped, tasks, inside, away)
            meeting = self._meeting(pool, tasks, inside, away, size)
            times, power = _alone([mean, *moments], meeting), self._powers(pool, tasks, users)
            found = self.waits.of(pool, size, (users, flow, gone, *times), relative, meeting, power).wait
            beside = plain
            if pool in self.two_counts or pool in self.few_places.times:
                beside = self.plain(tasks, inside, np.arange(size + 1.0) / alike, size)
        except (CrowdedError, StiffChainError):
            return None
        known = beside > 1e-9 * alike and bool(np.isfinite(found).all())
        return _over(found, beside, SEEN * plain) if known else np.ones(len(tasks))

    def _as_they_return(self, pool: int, tasks: Places, ratio: Array, apart: bool) -> Array:
        """`unlike` of users with the mean that a chain of their kinds has, each as it comes back to that line.

        All alike as far as the chain of the limit tells these `apart`.
        """
        part, flow = self.returning.part(pool), self.work.flow[tasks]
        if part == 0:
            return ratio
        each = ratio ** (1 - part) * (1.0 if apart else self.returning.waits(pool, tasks))
        return np.asarray(each * float(flow @ ratio) / float(flow @ each))

    def whence(self, tasks: Places, limited: Places, held: Array) -> tuple[Array, Array]:
        """Users from whom tasks come to a limit, 0 of a stream, and the time that one is elsewhere (n,) [s]."""
        pooled = self.pooled(limited, held)
        found = np.array([self._whence(t, limited, held, pooled) for t in tasks.tolist()]).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def _powers(self, pool: int, tasks: Places, users: Array) -> Array | None:
        """By which power of those elsewhere each task comes to a limit, given the users of each; None where all are 1."""
        works = self.work.form.work[tasks]
        directly = users == self.work.form.users[works]  # and not out of places of others
        each = [self.powers.get((pool, work), 1.0) for work in works.tolist()]
        found = np.where(directly & (users > 0), each, 1.0)
        return found if (found < 1).any() else None

    def longer_at_tcb(self, region: int, waits: Array) -> float:
        """Waits of users of unlike work for a region whose tasks are at its QR TCB, over those of tasks all alike; else 0."""
        tasks, tcb = self.tasks[region], self.qr_pool.get(region, -1)
        if (self.work.form.users[self.work.form.work[tasks]] == 0).any() or tcb not in self.work.at_group:
            return 0.0
        held = self.work.holds() + self.work.pool_wait[self.pool[region]]
        longer, known = self.users_at_tcbs.longer(tcb, tasks, self.size(region), waits, self.whence(tasks, tasks, held))
        return longer**known if longer > 1 else 0.0

    def _meeting(self, pool: int, tasks: Places, inside: Array, away: Array, size: int) -> Meeting | None:
        """Where tasks inside a region meet, if some are on the CPs for far more of their time than others; None if not."""
        region = int(self.work.form.pool_region[pool])
        nu = self.nu.get(region)
        users = self.work.form.users[self.work.form.work[tasks]] > 0
        own = pool in self.grouped or pool in self.classes or users.all() or not users.any()
        if own or nu is None or size > TOLD_APART or len(nu) < size:
            return None
        flow, cpu, off = self.work.flow[tasks], self.work.ask.on_cps[tasks], np.maximum(away[tasks], 0.0)
        share = cpu / np.maximum(cpu + off, 1e-300)
        some = flow > LITTLE_FLOW * float(flow.sum())
        if not nu[size - 1] < CROWDED_CPS * size * nu[0] or np.ptp(share[some]) < UNLIKE_SHARES:
            return None
        mean = float(flow @ cpu) / float(flow.sum())
        pace = np.array([np.append(0.0, nu[:size] * mean), np.arange(size + 1.0)])
        return Meeting(pace, np.array([cpu, off]))

    def unlike_found(self, pool: int) -> LimitWaits | None:
        """What was found of a limit whose kinds of work have waits of their own."""
        return self.waits.last(pool) if pool in self.own_waits else None

    def _one_kind(
        self, tasks: Places, place: int, inside: Array, speed: Array, size: int, away: Array, plain: float
    ) -> float:  # fmt: skip
        """The ratio where one task of a limit alone has work: of users, and of a stream."""
        mixed = self.mixed(tasks, inside, away)
        users = self.work.form.users[self.work.form.work[tasks[place]]] > 0
        return self.plain(tasks, inside, speed, size, mixed) / plain if users else mixed

    def _whence(
        self, task: int, limited: Places, held: Array, pooled: list[tuple[Places, float, float]]
    ) -> tuple[float, float]:  # fmt: skip
        """Users from whom a task comes to a limit, 0 of a stream, and the time that one is elsewhere [s]."""
        w, form = self.work, self.work.form
        work, alone = int(form.work[task]), np.array([task])
        tokens, idle = self.out_of_classes(alone, limited)
        if tokens < np.inf:  # it comes out of a class: never more of them than its places
            return tokens, idle
        users = float(form.users[work])
        if users == 0:
            return 0.0, 1.0
        time = float(held[task])
        for tasks, places, away in pooled:
            if task in tasks:
                whole = float(w.flow[tasks] @ (held + away)[tasks])
                return places * float(w.flow[task]) * (time + away) / max(whole, 1e-300), away
        return users, float(w.cycle[work] / form.visits[task]) - time

    def mixed(self, tasks: Places, inside: Array, away: Array) -> float:
        """(1 + C²)/2 of the times that tasks hold a place, each of two exponential parts a round."""
        flow = self.work.flow[tasks]
        first, second = float(flow @ inside[tasks]), float(flow @ self.squares(tasks, inside, away))
        return second * float(flow.sum()) / (first * first) if first > 1e-150 else 1.0

    def squares(self, tasks: Places, inside: Array, away: Array) -> Array:
        """E[S²]/2 of the times that tasks hold a place."""
        return self._moments(self.pool[int(self.work.form.region[tasks[0]])] in self.grouped, tasks, inside, away)[0]

    def at_cps_of_all(self, tasks: Places) -> float:
        """Share of the time inside that tasks spend at the CPs and not at the QR TCB of their region: all inside meet there."""
        w, region = self.work, int(self.work.form.region[tasks[0]])
        at = w.at_group.get(self.qr_pool.get(region, -1), np.zeros(len(w.flow)))
        held = max(float(w.flow[tasks] @ w.holds()[tasks]), 1e-300)
        return self.on_cps_share(tasks) - float(w.flow[tasks] @ at[tasks]) / held

    def _two_parts(self, tasks: Places, inside: Array, away: Array) -> float:
        """(1 + C²)/2 of the time that a mean task holds a place, on the CPs and off them once or at random again."""
        flow = self.work.flow[tasks]
        whole, off = float(flow @ inside[tasks]), float(flow @ np.clip(away[tasks], 0.0, inside[tasks]))
        again = max(self.visits_of_one(int(self.work.form.region[tasks[0]])), 1.0)
        return 1 - off * (whole - off) / max(whole**2, 1e-300) / again

    def _moments(self, grouped: bool, tasks: Places, inside: Array, away: Array) -> tuple[Array, Array]:
        """E[S²]/2 and E[S³]/6 of the times that tasks hold a place: of each round, a part on the CPs and several off them.

        What a task waits for elsewhere is one time, not one for each round. All parts are exponential.
        """
        first = np.maximum(inside[tasks], 0.0)
        off = np.clip(away[tasks], 0.0, first)
        rounds = np.where(np.logical_or(self.calling[tasks], grouped), 1.0, self.work.need.rounds[tasks])
        whole, second, third = self._parts_off()[:, tasks]
        users = self.work.form.users[self.work.form.work[tasks]] > 0  # who fill their places
        one = users | (np.abs(off - whole) > SAME_TIME * whole)
        second, third = np.where(one, 1.0, second), np.where(one, 1.0, third)
        squares, cubes = ((first - off) ** 2 + off**2 * second) / rounds, ((first - off) ** 3 + off**3 * third) / rounds**2
        return (first**2 + squares) / 2, (first**3 + 3 * first * squares + 2 * cubes) / 6

    def _parts_off(self) -> Array:
        """Time off the CPs [s], and sums of squares and cubes of its parts over those of the whole (3, T).

        At each log and device, elsewhere, and so of each task that it waits for. The longest of them is one part with what all
        these are on the CPs and wait for limits, which varies more than exponential times.
        """
        w = self.work
        callers, called, number = w.calls
        longest, own = self._own_parts()
        found: Array = own
        there: Array = np.zeros(len(longest))
        for _ in range(w.depth):
            more = [np.bincount(callers, number * one[called], len(longest)) for one in (*found, w.on_cps + w.wait + there)]
            found, there = own + np.array(more[:3]), np.array(more[3], dtype=float)
            np.maximum.at(longest, callers, longest[called])
        whole = found[0] + there
        parts = [found[n - 1] - longest**n + (longest + there) ** n for n in (2, 3)]
        off = whole > SHORTEST_OFF
        over = [np.divide(its, whole**n, out=np.ones(len(whole)), where=off) for n, its in zip((2, 3), parts, strict=True)]
        return np.array([whole, *np.clip(over, LEAST_PART, 1.0)])

    def _own_parts(self) -> tuple[Array, Array]:
        """The longest part off the CPs of each task, its own alone (T,) [s], and sums of the parts, their squares and cubes."""
        w, need = self.work, self.work.need
        lines = w.line_time[:, self._lined]
        if self._parts is None or not np.array_equal(lines, self._parts[0]):
            each = np.column_stack((lines, need.other, need.delay))
            squares = each * each
            sums = np.array([each.sum(axis=1), squares.sum(axis=1), (squares * each).sum(axis=1)])
            self._parts = lines, each.max(axis=1), sums
        return self._parts[1].copy(), self._parts[2]

    def plain(self, tasks: Places, inside: Array, speed: Array, size: int, mixed: float = 1.0) -> float:
        """Wait for a limit were all tasks alike, (1 + C²)/2 of their times `mixed`; 0 where open work fills it."""
        held = inside + self.work.pool_wait[self.pool[int(self.work.form.region[tasks[0]])]]
        stream, sources, hold = self.sources(tasks, held, inside)
        try:
            return crowd(stream, sources, speed, size, mixed, hold).wait
        except CrowdedError:
            return 0.0

    def mild(self, tasks: Places, mixed: float) -> bool:
        """Whether a factor for all kinds of work is as good: users of times not far apart, or whose tasks call others."""
        w, users = self.work, self.work.form.users[self.work.form.work[tasks]]
        calling = bool(users.any() and self.calling[tasks].any())
        there = w.flow[tasks] * (w.holds() + w.pool_wait[self.pool[int(w.form.region[tasks[0]])]])[tasks]
        if ((users > 0) & (users <= FEW_USERS) & (there > OFTEN_THERE * users)).any() and len(tasks) > 1:
            return False  # one that comes finds all others, but not itself
        users = users > 0
        return mixed < (WILD if calling else MILD * users.all())


def _alone(times: list[Array], meeting: Meeting | None) -> tuple[Array, Array, Array]:
    """Moments of times that tasks hold places, of those where none meets another: these vary as much."""
    mean, second, third = times
    if meeting is None:
        return mean, second, third
    less = meeting.alone / mean
    return meeting.alone, second * less**2, third * less**3


def speeds_in_line(load: float, mixed: float, room: int) -> Array:
    """Speed of a limit while 1, 2, … `room` wait for it, over that while none does and all places are taken.

    The longer the line, the more of those inside hold their places for long; where all hold them for nearly the same time, the
    less of it is left to them. There is a line as often as if times were exponential, `load` of the time of a long line, but it
    has `mixed` times as many: (1 + C²)/2 of these times.
    """
    load, number = min(max(load, SELDOM), 1.0), np.arange(1.0, room + 1)
    found = np.full(room, load ** (1 - 1 / mixed))
    found[0] *= float(np.sum(load ** (number / mixed)) / np.sum(load**number))
    return found
