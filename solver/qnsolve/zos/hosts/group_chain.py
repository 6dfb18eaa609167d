"""The chain of one group of servers of a host: its tasks, and all other tasks on the processors as one number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool

from .bursts.before_places import PlaceStates, waits
from .bursts.burst_levels import levels_of, slow_at_first
from .chains.at_limits import slots
from .chains.at_limits import speeds as speeds_seen
from .chains.holders import FASTEST, Ready, longer_beside
from .chains.jumps import Burst, Jump, jumps
from .chains.plane import endless_plane, grid, moves, plane
from .chains.windows import KeptWindows, kept_windows
from .host_view import RATE_FLOOR, HostView
from .limited.even_times import over_even
from .load import GroupPoint, LimitSeen
from .others.company import ReadPoints
from .spread import closer

MOST_SERVERS = 40  # of a group whose chain is solved without a last level
SHORTEST = 1e-15  # piece of a group to which nothing comes [s]
SLOWEST = 1e-9  # least throughput of a group over that asked for
STATES, JUMP = 2500.0, 0.1  # states that take as long as a chain, and effort of what comes several at once
LAST, GRIDS = 1e-7, 6  # chance of the last level from which on the levels go further, and how often
FINELY, SELDOM = 1.08, 1e-6  # growth of steps of the others where they slow a line down, unless seldom so many are there
FINEST = 80.0  # others up to which each number is a phase where they come in groups


@dataclass(eq=False)
class GroupRates:
    """Rates of a chain, each (levels, phases).

    Attributes
    ----------
    levels : ndarray (N,)
    arrive, serve : ndarray
        Tasks that come to the group, and that it serves [1/s].
    up, down : ndarray
        Others that come, and that end [1/s].
    pieces, near : ndarray
        Free pieces that are there, and tasks of the region of the group on the processors [count].
    left : ndarray (Y, size + 1) or None
        P(so many places are left for the group), where pieces fill the limit of its region.
    together : list of Jump
        What comes several at once.
    always : ndarray or None
        Speed of each line that is never idle, where there are any.
    going : ndarray or float
        Pieces that a visit goes on as on the CPs.
    """

    levels: Array
    arrive: Array
    serve: Array
    up: Array
    down: Array
    pieces: Array
    near: Array
    left: Array | None
    together: list[Jump]
    always: Array | None
    going: Array | float

    def cut(self, levels: Array) -> None:
        """One level less at the end: the last stands for all beyond."""
        self.levels, self.arrive, self.serve = levels, self.arrive[:-1], self.serve[:-1]
        self.up, self.down, self.pieces = self.up[:-1], self.down[:-1], self.pieces[:-1]
        self.always = None if self.always is None else self.always[:-1]
        self.going = self.going if isinstance(self.going, float) else self.going[:-1]


class GroupChain:
    """The chain of group `k`, or of free pieces alone where it is None; `clock` is that of the others, if not its own."""

    def __init__(self, view: HostView, k: int | None, clock: float | None = None) -> None:
        self.view, self.k = view, k
        load = view.load
        group = load.groups[k] if k is not None else None
        self.others = view.company(k)
        mine = load.flow[group.tasks if group is not None else np.zeros(0, dtype=int)]
        self.held = load.held.get(group.region) if group is not None else None
        self.unit = levels_of(load, k) if k is not None else np.ones(len(mine))  # levels of a task
        self.rate = max(float(mine @ self.unit), RATE_FLOOR)
        self.as_levels = bool((self.unit != 1).any())  # as more or fewer than one
        self.levels_a_task = self.rate / max(float(mine.sum()), RATE_FLOOR)
        self.servers = group.servers if group is not None else 1
        self.off = float(mine @ group.off) / self.rate if group is not None else 0.0
        self.piece = max(float(mine @ group.cpu) / self.rate, SHORTEST) if group is not None else 1.0
        self.region, self.pool = (group.region, group.pool) if group is not None else (-1, -1)
        self.going = view.going(k) / self.levels_a_task
        self.mine = np.ones(len(mine), dtype=bool)  # of the tasks of the group, those that the chain is of
        self.slower = float(view.slower(k)) if k is not None else 1.0
        if k is not None and self.as_levels and not load.groups[k].in_order:  # the others' clock is over that of tasks
            self.slower /= self.levels_a_task ** view.settled(k)
        self.slower = self.slower if clock is None else clock
        self.weight = view.weight(k)
        self.out = view.others_flow(k)
        fine = max([min(2 * burst.size, FINEST) for burst in load.bursts], default=0.0)  # a group is many at once
        self.phases = grid(max(load.engines + 10, fine), view.top, self._growth())
        self.gated = self.region in load.gated
        self.watched = k is not None and (self.gated or self.region in load.watched)  # its region is asked for its speeds
        self.readies: dict[float, Ready] = {}
        self.places: tuple[Array, Array] | None = None  # pieces on the CPs, and chances of the places that they leave

    def _growth(self) -> float:
        """Steps of the others over those before: small where a line of short pieces begins as many others are there."""
        view, load = self.view, self.view.load
        if self.k is None or load.bursts or self.going <= 0:
            return view.growth
        use, at = min(view.total / load.engines, 1.0), load.engines * self.servers / max(view.loads[self.k], 1e-9)
        return FINELY if at > load.engines + 10 and use**at > SELDOM else view.growth

    def solve(self) -> GroupPoint:
        """The group solved, on levels that go as far as it has tasks."""
        load, full = self.view.load, False
        top = min(1e9, load.coming.most)
        levels = np.zeros(1) if self.k is None else self.levels(top)
        if self.k is not None and load.coming.steady and not self.gated and self.held is None and load.called is None:
            full = self.rate > self._most(self.k)
        if self.k is not None and self.alike() and not full:
            point, last = self.solved(np.arange(self.servers + 3.0), True)
            if last == 0.0:
                return point
        if self.pool in load.kept.reach and not full:
            levels = self._up_to(min(load.kept.reach[self.pool], top))
        for _ in range(GRIDS):
            point, last = self.solved(self._closer(levels))
            if self.k is None or last < LAST or levels[-1] >= top or full:
                break
            load.kept.reach[self.pool] = min(4 * levels[-1], top)
            levels = self._up_to(load.kept.reach[self.pool])
        return point

    def _up_to(self, most: float) -> Array:
        """Numbers of tasks of a chain that was too short."""
        return grid(max(self.view.load.engines + 10, 12), most, self.view.growth)

    def _closer(self, levels: Array) -> Array:
        """Numbers of tasks, closer together where users come at what the group serves without a pause."""
        coming = self.view.load.coming
        if self.k is None or coming.steady or self.gated or self.piece <= SHORTEST:
            return levels
        tasks = self.view.load.groups[self.k].tasks
        mine = np.bincount(self.view.load.work[tasks], self.view.load.visits[tasks], coming.rate.shape[1])
        return closer(levels, coming.count, coming.rate @ mine, self._most(self.k))

    def _most(self, k: int) -> float:
        """Rate at which the group serves without a pause: the mean drift of its level (M. Neuts 1981)."""
        level, phases = np.array([float(self.servers)]), self.phases
        serve, down, _ = self._rates(level)
        up = self.view.flows(level[:, None] + phases, phases, k)[0] / self.slower + self.going / self.slower * serve[0]
        down = down[0] / self.slower
        rise, fall = moves(phases, up - down, up + down, True)
        logs = np.cumsum(np.log(np.maximum(rise[:-1], 1e-300)) - np.log(np.maximum(fall[1:], 1e-300)))
        chance = np.exp(np.append(0.0, logs) - max(float(logs.max(initial=0.0)), 0.0))
        return float(chance @ serve[0]) / float(chance.sum())

    def levels(self, top: float) -> Array:
        """Numbers of tasks of the group, `top` at most: as far as it is likely to have them."""
        load = self.view.load
        unit = max(load.engines + 10, 12)
        if self.watched:
            unit = max(unit, 40)
        if self.held is not None:
            unit = max(unit, min(self.held[0] + 30, 60))
        if self.servers < 60:
            unit = max(unit, self.servers + 3)
        use = min(self.rate * self.piece / self.servers, 0.99)
        most = sum(b.size for b in load.bursts)
        guess = 25 + 4 * most + 20 / max(1 - max(use, self.view.total / load.engines), 0.02)
        return grid(unit, max(min(guess, top), 1.0), self.view.growth)

    def alike(self) -> bool:
        """Whether all levels from as many tasks as servers on are alike, and there is no last one."""
        load = self.view.load
        of_limit = self.watched or self.held is not None
        steady = load.coming.steady and load.called is None
        return steady and not load.bursts and not of_limit and self.servers <= MOST_SERVERS

    def solved(self, levels: Array, alike: bool = False) -> tuple[GroupPoint, float]:
        """The chain on some levels, and the chance of the last one; 0 where the levels are `alike` and go on without end."""
        rates, phases = self.chain(levels), self.phases
        follow, up, down = self.clocked(rates)
        served, left = self.view.quicker(self.k, levels, self.phases)
        serve, down = rates.serve * served, down * left
        self.view.effort += 0.5 + len(levels) * len(phases) / STATES + JUMP * len(rates.together)
        solved = endless_plane(phases, rates.arrive, serve, follow, up, down, self.windows()) if alike else None
        if solved is not None:
            rates.cut(solved.levels)
            return self.point(rates, solved.chance), 0.0
        chance = plane(levels, phases, rates.arrive, serve, follow, up, down, rates.together, self.windows()).chance
        return self.point(rates, chance), float(chance[-1].sum())

    def windows(self, kind: int = 0) -> KeptWindows | None:
        """Where the chances of this chain were in the last round, if its loads are almost the same."""
        if self.k is None:
            return None
        view, key = self.view, (self.view.load.groups[self.k].pool, kind)
        loads = np.array([self.rate, view.loads[self.k], view.total, self.going, self.slower, self.out, self.phases[-1]])
        return kept_windows(view.load.kept.windows, key, loads)

    def clocked(self, rates: GroupRates) -> tuple[Array | float, Array, Array]:
        """Share of those served that go on as one more of the others, and the rates of these by their own clock."""
        slower, going = self.slower, rates.going
        most = min(1.0, 1 / slower)  # what goes on to faster others comes one by one, not in groups
        follow = min(going * most, 1.0) if isinstance(going, float) else np.minimum(going * most, 1.0)
        return follow, rates.up / slower + (going / slower - follow) * rates.serve, rates.down / slower

    def chain(self, levels: Array) -> GroupRates:
        """All rates of the chain."""
        view, k, phases = self.view, self.k, self.phases
        serve, down, pieces = self._rates(levels)
        total = levels[:, None] + phases[None, :]
        near, left = levels[:, None] + pieces * view.piece_share(self.region), None
        going: Array | float = self.going
        if k is None:
            arrive, up = np.zeros(total.shape), view.flows(total, phases, None)
        else:
            works = view.works(k, levels, phases)
            if works is not None and not self.gated:
                going = self.going * view.goes_of_mix(k, self.mine, works)
            let_in = view.let_in(k, levels, phases, near)
            arrive, up = view.own(k, total, let_in, self.gated, works, self.unit), view.flows(total, phases, k, works)
            if self.held is not None:  # a limit that its pieces on the CPs fill: the levels count those before it, too
                size, away = self.held
                share = min(view.piece_share(self.region), 1.0)
                there = pieces[min(1, len(levels) - 1)]
                if self.places is None or not np.array_equal(self.places[0], there):
                    self.places = there, slots(size, there, share, away)
                left = self.places[1]
                full = left[:, 0]
                serve = serve * (1 - full)
                down[1:] = down[1:] * (1 - full) + down[0] * full
        always = self._always(levels)
        if always is not None:
            later = sum(each.later / each.cpu for each in view.load.never_idle)
            up = up + always * (later / max(view.piece(k), 1e-300))
        arrive, up, together = self._in_groups(total, arrive, up)
        if self.out <= 0:  # next to none of the others come: those that do are gone at once
            down = down + self.rate
        return GroupRates(levels, arrive, serve, up, down, pieces, near, left, together, always, going)

    def _in_groups(self, total: Array, arrive: Array, up: Array) -> tuple[Array, Array, list[Jump]]:
        """What comes one by one to the levels and the phases, and what in groups."""
        load, found = self.view.load, []
        for burst in load.bursts:
            each = np.interp(total, load.coming.count, load.coming.rate[:, burst.work])  # transactions
            own, unit = self._at_levels(burst)
            other = float(burst.first.sum()) - own
            pieces = self.view.pieces_at_once(self.k, burst.first)  # of a group of tasks, all of the work that each brings
            arrive, up = np.maximum(arrive - own * unit * each, 0.0), np.maximum(up - pieces * each, 0.0)
            again = self._again(burst.first, burst.mates(float(burst.first.sum())))
            many = min(other, pieces)  # short tasks are fewer pieces
            slower = self.slower * (many / pieces if many > 0 else 1.0)
            found += jumps(burst, np.broadcast_to(each, arrive.shape), own, many, slower, again, unit)
        if np.isfinite(load.coming.most):
            room = total < load.coming.most
            arrive, up = arrive * room, up * room
        arrive[-1] = 0.0
        return arrive, up, found

    def _at_levels(self, burst: Burst) -> tuple[float, float]:
        """Chance that one of a burst comes to the group first, and the levels that it is there."""
        if self.k is None:
            return 0.0, 1.0
        first = self.view.begins(self.k, burst)
        own = float(first.sum())
        return own, float(first @ self.unit) / own if own > 0 else 1.0

    def _again(self, first: Array, mates: float) -> float:
        """Work of each task of a burst after the first one, in all its visits to the group, over a visit in the mean.

        In a line in order of arrival all wait for the work before them; where a TCB is shared that is seen to later, and where
        users come a level is a task, however long its piece. So many `mates` find each other in the line, the more the fuller.
        """
        if self.k is None:
            return 1.0
        group, load = self.view.load.groups[self.k], self.view.load
        longer = 1 + mates * min(self.view.loads[self.k] / self.servers, 1.0)
        again = self.view.again(np.flatnonzero(first), longer)
        here, piece = first[group.tasks], group.cpu
        mean = float(load.flow[group.tasks] @ piece) / self.rate
        if self.as_levels or not (group.in_order and self.servers == 1 and load.coming.steady and here.any() and mean > 0):
            return again
        return again * float(here @ piece) / float(here.sum()) / mean

    def _always(self, levels: Array) -> Array | None:
        """Speed of lines that are never idle, over that alone (levels, phases)."""
        lines = len(self.view.load.never_idle)
        if not lines:
            return None
        units = np.minimum(levels, self.servers if self.k is not None else 0) + lines
        return np.asarray(1 / self._reading.read(self.others.slow_beside(units, self._reading.places)))

    @cached_property
    def _reading(self) -> ReadPoints:
        return ReadPoints.of(len(self.others.leave) - 1, self.phases)

    def _ready(self, most: float) -> Ready:
        if most not in self.readies:
            self.readies[most] = Ready(self.others, self.phases, self.piece, self.off, most, self.weight)
        return self.readies[most]

    def _rates(self, levels: Array) -> tuple[Array, Array, Array]:
        """Rates at which a group serves and the others end, and free pieces that are there, each (levels, phases)."""
        view, others = self.view, self.others
        reading = self._reading
        here = reading.places
        units, place = np.unique(np.minimum(levels, self.servers if self.k is not None else 0), return_inverse=True)
        always = len(view.load.never_idle)
        if self.k is not None and self.off > 0:
            serve, theirs, longer = self._ready(float(units[-1])).at(units)
        else:
            own = theirs = reading.read(others.slow_of(units + always, here, self.weight))
            if self.weight != 1:
                theirs = reading.read(others.slow_beside(self.weight * units, here))
            serve = units[:, None] / (self.piece * own)
            longer = longer_beside(others, reading, self.weight * units + always)
        left = np.maximum(reading.read(np.minimum(others.leave[here], FASTEST)), 0.0)  # read on beyond the last place
        ended, there = left * self.out / theirs, view.pieces * np.maximum(longer, 0.0) / theirs
        return serve[place], ended[place], there[place]

    def point(self, rates: GroupRates, chance: Array) -> GroupPoint:
        """What the chances say of the group, and of free pieces."""
        view, load, levels, some = self.view, self.view.load, rates.levels, self.k is not None
        thinned = max(float((chance * rates.serve).sum()), SLOWEST * self.rate) if some else 0.0
        number = float(levels @ chance.sum(axis=1))
        busy = float((chance * np.minimum(levels[:, None], self.servers)).sum()) if some else 0.0
        on_cps, ended = float((chance * rates.pieces).sum()), float((chance * rates.down).sum())
        free = on_cps / (view.pieces * ended / self.out) if view.pieces * self.out * ended > 0 else 1.0
        free = 1 + (free - 1) * view.pieces_wait(self.k) if free > 1 else free
        alone = self.piece + self.off
        rest = view.total - load.fixed - (view.loads[self.k] if self.k is not None else 0.0)
        used = load.fixed + thinned * self.piece + rest * ended / max(self.out, 1e-300)
        outside, limit, before_it, even = 0.0, None, None, 1.0
        if rates.left is not None:
            places = np.arange(rates.left.shape[1])
            before = np.maximum(levels[:, None] - places, 0.0) @ rates.left.T  # (N, Y)
            outside = float((chance * before).sum())
            full = (levels[:, None] >= places) @ rates.left.T
            limit = LimitSeen.of(chance, rates.arrive, full, before)
            if load.bursts and self.k is not None and outside > 0:
                pace = np.maximum(rates.serve[np.maximum(np.arange(len(levels)), 1)], SLOWEST * self.rate)
                states = PlaceStates(levels, levels[:, None] + self.phases, chance, full, before, pace)
                before_it, delayed = waits(load, self.k, self.unit, states)
                limit = replace(limit, delayed=delayed)
        elif self.k is not None and load.groups[self.k].kind is Pool.LIMIT:
            before = np.broadcast_to(np.maximum(levels[:, None] - self.servers, 0.0), chance.shape)
            limit = LimitSeen.of(chance, rates.arrive, levels[:, None] >= self.servers, before)
            if not load.coming.steady and not load.bursts and busy < number:
                passed, come = max(thinned, 1e-300), np.broadcast_to(rates.arrive, chance.shape)
                even = over_even(levels, come, chance, self.servers, busy / passed, (number - busy) / passed)
        return GroupPoint(
            stretch=max(1.0, (number - outside) / (thinned * alone)) if thinned > 0 else 1.0,
            service=max(1.0, busy / (thinned * alone)) if thinned > 0 else 1.0,
            number=number - outside, busy=busy, waiting=max(number - busy - outside, 0.0), outside=outside,
            thinned=thinned / self.levels_a_task,
            free=free, used=used, speeds=self.speeds(rates, chance), levels=levels, full=chance.sum(axis=1),
            limit=limit, before_limit=before_it, first=self.first(rates, chance), unit=self.unit if self.as_levels else None,
            even=even, always=1.0 if rates.always is None else float((chance * rates.always).sum()),
            swings=_swings(levels, np.resize(self.phases, chance.shape[1]), chance),
        )  # fmt: skip

    def first(self, rates: GroupRates, chance: Array) -> Array | None:
        """How slow each task is at first, where bursts come to a TCB that tasks share, and no limit is to it."""
        k, beside = self.k, 1.0 + len(self.view.load.never_idle)
        if k is None or self.servers > 1 or self.view.load.groups[k].in_order:
            return None
        if self.held is not None or not self.view.in_bursts(k):
            return None
        slow = self._reading.read(self.others.slow_of(np.array([beside]), self._reading.places, self.weight))[0]
        return slow_at_first(self.view.load, k, (rates.levels, self.phases), chance, slow)

    def speeds(self, rates: GroupRates, chance: Array) -> Array | None:
        """Speeds of the region of the group, where they are asked for."""
        view, load, k = self.view, self.view.load, self.k
        if k is None or not self.watched:
            return None
        later = min(self.going, 1.0)  # of those served, as others
        others = float(load.flow[(load.region == self.region) & (view.rest > 0)].sum()) + self.rate * (later - view.going_on(k))
        leave = rates.serve * (1 - later) + rates.down * max(others, 0.0) / max(self.out, 1e-300)
        total = rates.levels[:, None] + self.phases[None, :]
        near = view.let_in(k, rates.levels, self.phases, rates.near)
        come = np.broadcast_to(rates.arrive + view.direct(k, total, near, self.gated), total.shape)
        groups = [(jump.levels, jump.rate) for jump in rates.together if jump.levels > 0]
        return speeds_seen(rates.levels, self.phases, rates.near - rates.levels[:, None], chance, come, leave, groups)


def _swings(levels: Array, phases: Array, chance: Array) -> Array:
    """Relative variances of two numbers, and their covariance, over the products of their means."""
    of_level, of_phase = chance.sum(axis=1), chance.sum(axis=0)
    means = np.maximum([levels @ of_level, phases @ of_phase], 1e-150)
    squares = np.array([[levels**2 @ of_level, levels @ chance @ phases], [0.0, phases**2 @ of_phase]])
    squares[1, 0] = squares[0, 1]
    return np.asarray(squares / np.outer(means, means) - 1)
