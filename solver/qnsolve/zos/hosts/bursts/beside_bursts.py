"""Times of unlike pieces beside work that comes in bursts, free ones and those that share a TCB.

Where all work comes one by one a processor that is shared makes all free pieces longer in the same ratio, whatever their
lengths. Beside bursts it does not: those of a burst find each other, and a piece that is longer than it takes until a burst
is gone finds the processors as busy as they are in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from qnsolve.numerics.band_matrix import NumberRates, from_below
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import PIECE, Pool
from qnsolve.zos.hosts.chains.jumps import Burst
from qnsolve.zos.hosts.group_chain import GroupChain
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import HostPoint, Kept, Load
from qnsolve.zos.hosts.spins import as_cpu, spins, with_spins

from .let_through import met_at_servers
from .mates import FULL, among, units_ready

LONGER = 2.0  # pieces of the work in lines over those of bursts, from which on they are not alike
ALIKE = 0.01  # of what bursts make pieces longer, up to which they do so alike
UNLIKE = 1.5  # longest piece at a TCB over the shortest, up to which they are as good as alike
UNITS = 2.5  # servers of a group that count, over those at work
UNEVEN = 2.0  # spread of the lengths of free pieces from half on the chain of pieces all alike does not say their mean time
MOST, TAIL = 4000, 1e-12  # pieces of bursts that are counted, and what is left of their number
AT_ONCE = 8  # numbers after which it is asked whether there are more
MANY = 30  # pieces beside bursts, beyond twice the processors, from which on they get no more


class BesideBursts:
    """The times of a host to which work comes in bursts; `point` is how its chains have it, pieces all alike.

    `solve` finds the point of a load, of that without bursts where it is asked for.
    """

    def __init__(self, load: Load, point: HostPoint, solve: Callable[[Load], HostPoint]) -> None:
        self.load, self.point, self._solve = load, point, solve

    @cached_property
    def _view(self) -> HostView:
        return HostView(self.load)

    @cached_property
    def _plain(self) -> tuple[HostView, HostPoint]:
        """The host without bursts."""
        load = self._without(frozenset(burst.work for burst in self.load.bursts))
        return HostView(load), self._solve(load)

    def _without(self, works: frozenset[int]) -> Load:
        """The load without the bursts of some works, beside those of the others."""
        left = tuple(burst for burst in self.load.bursts if burst.work not in works)
        return replace(self.load, bursts=left, kept=self.load.kept.without.setdefault(works, Kept()))

    def _free_without(self, works: frozenset[int]) -> float:
        """Time of free pieces over that alone without the bursts of some works."""
        load = self._without(works)
        return self._solve(load).free if load.bursts else self._plain[1].free

    def free(self) -> Array | float:
        """Time of free pieces over the same alone, by task (T,), or of all."""
        load, point = self.load, self.point
        if not load.bursts:
            return point.free
        found: Array | float = point.free
        longer = _beside_longer(load)
        its = _Pieces.of(load, point, longer)
        if its is not None and (longer or not its.alike):
            found = np.full(len(load.flow), point.free)
            alone = self._plain[1].free if longer else self._free_without(its.works)
            made = its.alike_of(its.unit)
            ratio = its.more(its.unit) / made if made > 0 else 0.0  # of groups that are let in one by one there is none
            if longer:
                more = float(load.flow[its.some] @ (load.free[its.some] * (its.times(alone, ratio) - alone)))
                ratio /= 1 + max(more, 0.0) / load.coming.most
            elif not load.coming.steady or load.gated or load.held:  # fewer come then
                ratio *= min((point.free - alone) / max(its.more(its.mean), 1e-300), 1.0)
            times = its.times(alone, max(ratio, 0.0))
            found[its.some] = times if longer else self._as_alike(its, times, alone)
        return found if longer else _one_by_one(load, point, found)

    def _as_alike(self, its: _Pieces, times: Array, alone: float) -> Array:
        """Times of free pieces, in the mean as the chain has it where nearly all their work is of one length.

        It counts a burst as pieces of the mean length, fewer of them than there are where these are shorter.
        """
        piece, flow = self.load.free[its.some], self.load.flow[its.some]
        work, squares = float(flow @ piece), float(flow @ piece**2)
        spread = 1 - squares**2 / (work * float(flow @ piece**3))  # of the lengths, by their work
        fewer = max(work / float(flow.sum()) / its.unit, 1.0)
        chain = alone + fewer * max(self.point.free - alone, 0.0)
        mean = float((flow * piece) @ times) / work
        return np.asarray(np.maximum(times * (chain / mean) ** (1 - min(UNEVEN * spread, 1.0)), 1.0))

    def last(self, k: int) -> float:
        """How slow a task of a group is that is there for long, over alone: as without bursts; 0 where that is not needed."""
        group, its = self.load.groups[k], self.point.groups[k]
        if its.first is None:
            return 0.0
        work = self.load.flow[group.tasks] * (group.cpu + group.spin)
        return float(self._plain[1].groups[k].stretch) if np.count_nonzero(work) > 1 else 0.0

    @cached_property
    def _plain_as_cpu(self) -> HostView:
        """The host without bursts, its requests that spin as CPU."""
        return HostView(as_cpu(self._plain[0].load))

    def _alike(self, k: int) -> float:
        """Time of tasks of a group without bursts over that alone, all pieces alike."""
        load, solved = self._plain[0].load, self._plain[1]
        its = GroupChain(self._plain_as_cpu, k).solve()
        if not spins(load):
            return its.stretch
        groups = [its if place == k else other for place, other in enumerate(solved.groups)]
        return with_spins(load, replace(solved, groups=groups)).groups[k].stretch

    def at_line(self, k: int) -> Array | float:
        """Times of unlike tasks that share a TCB, over those of a chain that has them as alike (n,).

        A chain takes all of them for pieces of the mean length. What bursts of others add is less for longer ones, in the
        ratio that a shared server has it, down to the mean of what they leave to one that is there for good.
        """
        load, group, its = self.load, self.load.groups[k], self.point.groups[k]
        flow, piece = load.flow[group.tasks], group.cpu + group.spin
        some = (flow > 0) & (piece > 0)
        if not load.bursts or group.in_order or group.servers > 1 or not some.any():
            return 1.0
        if float(piece[some].max()) <= UNLIKE * float(piece[some].min()):
            return 1.0
        solved, alike = self._plain[1], self._alike(k)
        each = solved.groups[k].stretch * solved.groups[k].uneven * np.ones(len(flow))
        more: Array = np.full(len(flow), its.stretch - alike)
        if not self._view.bursts_begin(k):
            theirs = [_group(load, burst, self._view.cpu(), burst.first) for burst in load.bursts]
            work = np.array([g.used for g in theirs])
            length = float(work @ [g.piece for g in theirs]) / max(float(work.sum()), 1e-300)
            mean = float(flow @ piece) / float(flow.sum())
            short = (length + mean) / (length + np.maximum(piece, mean))
            slowed = self._slowed(k, theirs)
            busy = float(flow @ group.alone)
            speed = (1 / each + busy) / slowed  # as a line of such a speed: 1/(speed - busy) is its stretch
            lasting = 1 / np.maximum(speed - busy, (1 - FULL) / each) - each
            more = more * short + (1 - short) * np.minimum(lasting, more)
        return np.asarray(np.maximum(each + more, 1.0) / (its.stretch * its.uneven))

    def _slowed(self, k: int, theirs: list[_AtOnce]) -> float:
        """What bursts of others slow a line by that has work all the time."""
        view = self._view
        rest = view.total - view.loads[k] - sum(its.used for its in theirs)
        single = [_AtOnce(max(rest, 0.0) / view.piece(k), 1.0, view.piece(k))]
        each = ([*theirs, *single], [*(its.one_by_one() for its in theirs), *single])
        got = [float(_beside(view.load.engines, np.ones(1), groups, view.piece(k))[0][0]) for groups in each]
        return got[1] / got[0]


@dataclass(frozen=True)
class _AtOnce:
    """Groups of pieces that come at once: how many [1/s], pieces of each, and the CPU of a piece [s]."""

    rate: float
    size: float
    piece: float

    @property
    def used(self) -> float:
        """What they ask for [processors]."""
        return self.rate * self.size * self.piece

    def one_by_one(self) -> _AtOnce:
        """The same pieces, each alone."""
        return _AtOnce(self.rate * self.size, 1.0, self.piece)


def _group(load: Load, burst: Burst, cpu: Array, first: Array) -> _AtOnce:
    """The groups of a burst whose transactions come to some tasks first, each with a chance (T,)."""
    share = float(first.sum())
    rate = float(load.coming.rate[0, burst.work]) / burst.size
    return _AtOnce(rate, burst.size * share, float(first @ cpu) / share)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Free pieces of a host: those of tasks, and the CPU that does not grow with the work as the last.

    Attributes
    ----------
    some : ndarray (T,)
        The tasks that have them.
    room, stretched : float
        Processors, and the part of the time of a piece in which it does not spin.
    rate, mean : ndarray (n,), float
        How many come of each [1/s], and the CPU of one in the mean [s].
    longer : ndarray (n,)
        What bursts make each longer over its time alone, where one processor is as fast as the room.
    used : float
        What comes at all, over the room.
    bursts : list of _AtOnce
    works : frozenset of int
        Whose they are.
    single : float
        What comes one by one, at TCBs only where that is `beside` [processors].
    at_work : ndarray (L,)
        Chances of 0, 1, … TCBs at work that `single` is without.
    """

    some: Places
    room: float
    stretched: float
    rate: Array
    mean: float
    longer: Array
    used: float
    bursts: list[_AtOnce]
    works: frozenset[int]
    single: float
    at_work: Array

    @classmethod
    def of(cls, load: Load, point: HostPoint, beside: bool) -> _Pieces | None:
        """Those of a load; None where there are none that come in bursts. `beside` is whether those out of TCBs count."""
        some: Places = (load.flow > 0) & (load.free > 0)
        tasks, from_tcbs = np.flatnonzero(some), np.zeros(len(some), dtype=bool)
        for group in load.groups:
            from_tcbs[group.tasks] |= group.kind is not Pool.THREADS
        if not (some if beside else some & ~from_tcbs).any():
            return None
        room, there = load.engines, load.free + load.spin
        stretched = float(load.flow @ load.free) / float(load.flow @ there)
        piece, rate = np.append(there[some], PIECE), np.append(load.flow[some], load.fixed_flow)
        count = len(piece)
        piece = np.concatenate([piece, *(g.cpu + g.spin for g in load.groups)])
        rate = np.concatenate([rate, *(_beside_a_burst(load) * load.flow[g.tasks] for g in load.groups)])
        whole = float(rate @ piece)
        less, mean = min(1.0, FULL * room / whole), whole / float(rate.sum())
        mates, in_groups, bursts, works = np.zeros((len(piece), len(piece))), np.zeros(len(piece), dtype=bool), [], set()
        for burst in load.bursts:
            first = np.where(some & ~from_tcbs, burst.first, 0.0)
            if beside and not first.any():
                first = np.where(some, burst.first, 0.0)
                burst = _let_through(load, burst, first)
            if not first.any():
                continue
            own, again = np.zeros(len(piece)), np.ones(len(piece))
            own[: count - 1], again[: count - 1] = first[tasks], load.rounds[tasks]
            mates += (own > 0)[:, None] * burst.mates(1.0) * own / again[:, None]
            in_groups |= own > 0
            its = _group(load, burst, there, first)
            bursts.append(replace(its, rate=less * its.rate))
            works.add(burst.work)
        if not any(its.size > 1 for its in bursts):
            return None
        rate, fast, none = less * rate, piece / room, np.zeros(len(piece))
        more = among(fast, none, none, rate, mates) - among(fast, none, none, rate, 0 * mates)
        longer = np.divide(more, fast, out=none.copy(), where=fast > 0)
        lines = [not beside and g.servers == 1 for g in load.groups]
        at_lines = np.repeat([False, *lines], [count, *(len(g.tasks) for g in load.groups)])
        single, at_work = float((rate * piece)[~in_groups & ~at_lines].sum()), np.ones(1)
        for busy in (min(line.busy, 1.0) for line in compress(point.groups, lines)):
            at_work = np.convolve(at_work, (1 - busy, busy))
        some_of = slice(0, count)
        return cls(
            some, room, stretched, rate[some_of], mean, longer[some_of], less * whole / room, bursts, frozenset(works), single,
            at_work,
        )  # fmt: skip

    @property
    def alike(self) -> bool:
        """Whether bursts make all pieces longer in the same ratio, or nearly."""
        some = self.longer[self.rate > 0]
        return float(some.max() - some.min()) <= ALIKE * (1 + float(some.min()))

    @property
    def unit(self) -> float:
        """Length of a piece of a burst in the mean [s]: as many as a burst has of them meet, not what is the same in others."""
        work = np.array([its.used for its in self.bursts])
        return float(work @ [its.piece for its in self.bursts]) / float(work.sum())

    def alike_of(self, piece: float) -> float:
        """What bursts make pieces longer over their time alone, all of a length, where one processor is as fast as the room."""
        work = [its.used for its in self.bursts]
        mates = [Burst(0, max(its.size * its.piece / piece, 1.0), np.ones(1)).mates(1.0) for its in self.bursts]
        return float(np.dot(work, mates)) / 2 / (self.used * self.room) / (1 - self.used)

    def more(self, piece: float) -> float:
        """What bursts make pieces of a length longer, over their time alone: by two chains, with groups and without.

        Tasks at TCBs are there as one unit each while it is at work, however long its line is.
        """
        groups = [*self.bursts, _AtOnce(self.single / piece, 1.0, piece)]
        used = sum(its.used for its in groups)
        each = (groups, [its.one_by_one() for its in groups])
        units = np.arange(float(len(self.at_work)))
        number = [float(self.at_work @ _beside(self.room, units, its, piece, self.stretched)[1]) for its in each]
        return (number[0] - number[1]) / used / self.stretched

    def times(self, alone: float, ratio: float) -> Array:
        """Times of tasks over those alone: that without bursts, and what these add, over what they do on one processor.

        On one processor what each piece gets is exact. On several the longest ones are slowed as if each number of them
        had the bursts beside it for good, and the shortest ones as on one that is as fast as all.
        """
        found = alone + self.longer * ratio
        if self.room > 1 and self.single > 0:
            part = np.maximum(1 - self.longer / max(float(self.longer.max()), 1e-300), 0.0)
            longer = self._long(self.bursts) / self._long([its.one_by_one() for its in self.bursts])
            found += part * alone * (longer - 1)
        return np.asarray(np.maximum(found[:-1], 1.0))

    def _long(self, groups: list[_AtOnce]) -> float:
        """Time of long pieces that come one by one over that alone, each number of them beside what comes in groups."""
        number = np.arange(1.0, 2 * self.room + MANY)
        ratio = self.single / np.maximum(number * _beside(self.room, number, groups)[0], 1e-300)
        chance, counts = np.append(1.0, np.cumprod(ratio)), np.append(0.0, number)
        last = min(float(ratio[-1]), FULL)  # beyond, in the same ratio
        beyond = float(chance[-1]) * last / (1 - last)
        mean = float(counts @ chance) + beyond * (float(counts[-1]) + 1 / (1 - last))
        return mean / (float(chance.sum()) + beyond) / self.single


def _beside_longer(load: Load) -> bool:
    """Whether several groups are on the CPs, and work in their lines is in longer pieces than the free ones of bursts.

    The chain of one of them then counts a burst as few pieces of the mean length of all others.
    """
    cpus = [float(load.flow[g.tasks] @ (g.cpu + g.spin)) for g in load.groups]
    if sum(cpu > 0 for cpu in cpus) < 2 or not load.bursts:
        return False
    moments = sum(float(load.flow[g.tasks] @ (g.cpu + g.spin) ** 2) for g in load.groups)
    firsts = [burst.first * (load.free > 0) for burst in load.bursts]
    each = [float(first @ load.free) / float(first.sum()) for first in firsts if first.any()]
    return bool(each) and moments > LONGER * max(each) * sum(cpus)


def _let_through(load: Load, burst: Burst, first: Array) -> Burst:
    """A burst whose tasks come from TCBs as large as so many of them meet on the CPs."""
    if not first.any():
        return burst
    slowest = max((float(first[g.tasks] @ g.alone) for g in load.groups if g.kind is not Pool.THREADS), default=0.0)
    met = _met(load, burst, first, slowest)
    return replace(burst, size=max((1 + met) / float(first.sum()), 1.0))


def _met(load: Load, burst: Burst, first: Array, slowest: float) -> float:
    """Others of a burst that a free piece meets on the CPs, which TCBs let out one by one, the slowest in such a time [s]."""
    one_more = float(first @ load.free) / load.engines
    return met_at_servers(burst.mates(float(first.sum())), one_more, slowest, 0.0, load.engines)


def _beside_a_burst(load: Load) -> float:
    """Part of the work of groups of servers that is done while a burst is there: each is as many units as it has servers.

    The rest waits in their lines until the burst is gone.
    """
    used = sum(float(load.flow[g.tasks] @ (g.cpu + g.spin)) for g in load.groups)
    units = sum(min(g.servers, float(load.flow[g.tasks] @ g.alone) * UNITS) for g in load.groups)
    size = max(burst.size * float(burst.first.sum()) for burst in load.bursts)
    return min(load.engines * units / max((size + units) * used, 1e-300), 1.0)


def _beside(
    room: float, number: Array, groups: list[_AtOnce], piece: float = 0.0, stretched: float = 1.0
) -> tuple[Array, Array]:
    """What each of so many pieces gets of a processor that are there for good (J,), and pieces that come in groups beside them.

    Those are counted as of one length, `piece` or their mean; a level is left downwards as often as it is passed upwards.
    """
    flow = np.array([its.rate * its.size for its in groups])
    piece = piece or float(flow @ [its.piece for its in groups]) / float(flow.sum())
    sizes = np.array([max(its.size * its.piece / piece, 1.0) for its in groups])
    work = np.array([its.used for its in groups])
    rates = min(1.0, FULL * room / max(float(work.sum()), 1e-300)) * work / piece / sizes  # no more than there is room for
    several = sizes > 1
    length = np.arange(min(float(sizes.max()), float(MOST)) + 1)
    tail = rates[several] @ np.clip(sizes[several, None] - length, 0.0, 1.0)  # rates at which more than that come at once
    alone = float(rates[~several].sum())

    def leave(there: Places) -> Array:
        slow = np.maximum(1.0, (number + there[:, None]) / room)
        return np.asarray(there[:, None] / (piece * (1 - stretched + stretched * slow)))

    def enough(found: Array) -> int:
        asked = np.arange(AT_ONCE, len(found), AT_ONCE)
        few = (asked[:, None] * found[asked] <= TAIL * np.cumsum(found, axis=0)[asked]).all(axis=1)
        return int(asked[np.argmax(few)]) + 1 if few.any() else 0

    come = NumberRates(tail, lambda n: np.ones(len(n)), lambda n: np.full(len(n), alone), leave)
    chance = from_below(come, enough, MOST)
    chance, there = chance / chance.sum(axis=0), np.arange(float(len(chance)))[:, None]
    return (chance * np.minimum(1.0, room / np.maximum(number + there, 1e-300))).sum(axis=0), (chance * there).sum(axis=0)


def _one_by_one(load: Load, point: HostPoint, times: Array | float) -> Array | float:
    """Times where pieces come from TCBs, which let them out one by one: half of those that meet are before a piece."""
    tcbs = [(group, its) for group, its in zip(load.groups, point.groups, strict=True) if group.kind is not Pool.THREADS]
    before = np.zeros(len(load.flow))
    for group, its in tcbs:
        before[group.tasks] += group.alone * its.service
    ready, slow = units_ready(load, point), np.ones(len(load.flow))
    for burst in load.bursts:
        first = np.where((before > 0) & (load.free > 0), burst.first, 0.0)
        if not first.any():
            continue
        met = _met(load, burst, first, max(float(first[group.tasks] @ before[group.tasks]) for group, _ in tcbs))
        slow[first > 0] *= max(1.0, (ready + 1 + met / 2) / load.engines) / max(1.0, (ready + 1) / load.engines)
    weight = np.append(load.flow * load.free, load.fixed)
    if (slow == 1).all() or not weight.any():
        return times
    before_it = np.append(times * np.ones(len(slow)), point.free)
    mean = float(weight @ before_it) / float(weight.sum())
    return _no_less_than_alone(before_it * np.append(slow, 1.0), weight, mean)[:-1]


def _no_less_than_alone(slow: Array, weight: Array, mean: float) -> Array:
    """Times in proportion to some, of such a mean, but for those that would be below 1."""
    found = np.ones(len(slow))
    longer = weight > 0
    while longer.any():
        rest = mean * float(weight.sum()) - float(weight[~longer].sum())
        found = np.where(longer, slow * rest / float(weight[longer] @ slow[longer]), 1.0)
        if (found[longer] >= 1).all():
            return found
        longer &= found >= 1
    return np.ones(len(slow))
