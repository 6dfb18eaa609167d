"""Work of lower importance on the CPs of a host: it has the engines that work of higher importance leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

from qnsolve.numerics.series import Array, geometric
from qnsolve.zos.compile.compiled import PIECE
from qnsolve.zos.hosts.chains.jumps import Jump, spread
from qnsolve.zos.hosts.chains.plane import Plane, grid, plane
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import Called
from qnsolve.zos.hosts.others.company import Company, along
from qnsolve.zos.hosts.spread import closer

from .one_task import SHORT, OneTask, with_called
from .own_engines import OwnEngines, weights
from .ranks_in_bursts import bursts_at_tcbs, found_with_mates, let_in_at_once, mates_beside, one_by_one, several_at_once

SIZES = 3  # of visits, for which times are found
ROUNDS = 2  # in which it is found how long a task is there for a visit
FINE = 120.0  # tasks up to which each number is a level where they call others of higher importance
SEEN = 1e-12  # chance of a number of tasks from which on it is told what comes then
MORE, SPARE = 3.0, 20.0  # tasks beside a long visit over the most there are without it, and how many besides
WIDE = 3.0  # standard deviations to both sides of where their number stays, on closer levels
NEVER = 1e-200  # chance of a state that is never met
LITTLE = 0.02  # part of the time that is told by those that are ready, from which on it is
ALONE = 1e-12  # tasks that a visit finds up to which it finds none
MOST_USED = 0.98  # of a TCB, to which its line is told by its use


@dataclass(frozen=True, eq=False)
class LowerPoint:
    """Tasks of an importance on the CPs.

    Attributes
    ----------
    own : OwnEngines
        Engines of their own on which as many of them are there.
    longer : ndarray (B,)
        How much longer those of its burst that are of its importance make a task of each, over what it waits once it is begun.
    number, use : float
        How many are there; and what they and higher ones take of the engines of the host [0..1].
    served : float
        Work that the chain does over that asked for: users who come the less the more wait ask for more in the mean than at
        the mean number.
    waiting : float
        Work left to do of those there, beyond that of tasks that nobody holds up [s].
    found : ndarray (W,)
        Tasks that a visit of each work finds, over those that any one finds.
    times : ndarray (T,)
        Time of all visits of a task, where all share the engines alike [s].
    first, later : ndarray (T,)
        Of it, until the first visit is begun, and one of those after it [s].
    again : ndarray (T,)
        How much a visit finds what the one before it left [0..1]: 1 where it follows at once.
    """

    own: OwnEngines
    longer: Array
    number: float
    use: float
    served: float
    waiting: float
    found: Array
    times: Array
    first: Array
    later: Array
    again: Array

    def mates(self, engines: float) -> Array:
        """What those of its burst make a task wait, over the same on engines of its own (T,)."""
        return self.own.by_task((1 + self.longer) / self.own.mates(engines)) if len(self.longer) else np.ones(len(self.times))


def lower_point(higher: HostView, lower: HostView, growth: float = 1.16) -> LowerPoint:
    """A chain of the tasks of one importance, the levels, and those of higher importance, the phases.

    Both are as in the product form of their own groups; those of higher importance do not see the others.
    """
    higher = HostView(replace(higher.load, bursts=let_in_at_once(higher.load)))
    load = lower.load
    point = _point(higher, lower, lower.meet, growth)
    if ((load.rounds > 1) & (load.flow > 0)).any():
        for _ in range(ROUNDS):
            there = point.times / load.rounds
            again = np.where(load.flow > 0, there / np.maximum(there + load.between, 1e-300), 0.0)
            point = _point(higher, lower, again, growth)
    return point


def let_through(higher: HostView, lower: HostView, share: Array, growth: float = 1.16) -> Called:
    """Tasks of higher importance that come as lower ones end, the less often the more there are; `share` as in `Called`."""
    none = np.zeros(len(share))
    higher = HostView(replace(higher.load, called=Called(none, np.zeros(1), np.ones(1), share)))
    found = _TwoRanks.of(higher, lower, lower.meet, growth)
    chance, phases = found.solved.chance, found.solved.phases
    there = chance.sum(axis=0)
    rate = np.divide((chance * found.serve).sum(axis=0), there, out=np.zeros(len(there)), where=there > SEEN)
    seen = np.flatnonzero(there > SEEN)
    part = np.minimum.accumulate(np.interp(phases, phases[seen], rate[seen]))  # no more often the more are there
    part /= max(float(there @ part), 1e-300)
    return Called(share, phases, part, none, float(there @ phases), float((there * part) @ phases))


Rates = tuple[Array, Array, Array]  # those of higher importance that come and end, by their number, and engines they take


@dataclass(frozen=True, eq=False)
class _TwoRanks:
    """The chain of tasks of an importance and higher ones, solved, and its rates.

    Attributes
    ----------
    solved : Plane
    arrive, serve : ndarray (N, Y)
    up, down : ndarray (Y,)
        Of those of higher importance that come of themselves, and that end, by the clock of a mean piece [1/s].
    calls : float
        How many of these each of the others calls when it ends.
    chances : ndarray (Y, J)
        Engines that they take.
    slower, unlike, use : float
    """

    solved: Plane
    arrive: Array
    serve: Array
    up: Array
    down: Array
    calls: float
    chances: Array
    slower: float
    unlike: float
    use: float

    @classmethod
    def of(cls, higher: HostView, lower: HostView, again: Array, growth: float) -> _TwoRanks:
        """Solve it, given how much a visit finds what the one before it left."""
        engines = higher.load.engines
        over, under = higher.company(None), lower.company(None)
        use = min((higher.total + lower.total) / engines, 0.999)
        phases = grid(engines + 10, higher.top, growth)
        most = lower.load.coming.most
        calls = _calls(higher) / lower.all_flow
        unit = max(engines + 20, FINE if calls > 0 else 0.0)  # wide steps do not show that one comes as the other ends
        levels = _levels(lower, engines - higher.total, grid(unit, max(min(most, 60 + 40 / (1 - use)), 3.0), growth))
        busy = over.slow(0.0)
        unlike = _unlike(lower, again)
        slower = _slower(higher, lower, use, unlike)
        down = along(over.leave, phases) * higher.all_flow / along(busy, phases)
        up = one_by_one(higher, phases)
        down[0] = 0.0

        def solved(levels: Array, rates: Rates) -> _TwoRanks:
            up, down, chances = rates
            for _ in range(6):
                serve = _served(lower, under, levels, chances)
                arrive = one_by_one(lower, levels)[:, None] * np.ones(len(phases))
                arrive[-1] = 0.0
                follow, more = with_called(calls / slower, up / slower, serve)
                groups = several_at_once(higher, lower, levels, phases, slower)
                its = plane(levels, phases, arrive, serve, follow, more, down / slower * np.ones((len(levels), 1)), groups)
                if its.chance[-1].sum() < 1e-7 or levels[-1] >= most:
                    break
                levels = _levels(lower, engines - higher.total, grid(unit, min(4 * levels[-1], most), growth))
            return cls(its, arrive, serve, up, down, calls, chances, slower, unlike, use)

        rates = up, down, _taken(over, phases)
        if higher.load.bursts and higher.lines:
            rates = up, *bursts_at_tcbs(higher, phases, rates[1:], growth)
        found, lasts = solved(levels, rates), _in_lines(higher)
        if lasts == 0 or calls > 0 or higher.load.bursts:
            return found
        blocked = found.solved.chance @ (1 - found.chances.sum(axis=1))
        number = float(found.solved.levels @ blocked) / max(float(blocked.sum()), 1e-300)
        part = lasts / (lasts + (1 + number) * lower.total / lower.all_flow)
        return solved(found.solved.levels, _as_ready(phases, rates, part, higher)) if part > LITTLE else found


def _where_visits_are(solved: Plane) -> tuple[slice, slice]:
    """The levels and the phases on which a visit ever finds others; it slows those of its importance: more of them come."""
    n, y = (np.flatnonzero(solved.chance.sum(axis=axis) > SEEN)[[0, -1]] for axis in (1, 0))
    top = np.searchsorted(solved.levels, MORE * solved.levels[n[1]] + SPARE)
    return slice(int(n[0]), int(top) + 1), slice(max(int(y[0]) - 1, 0), int(y[1]) + 2)


def _levels(lower: HostView, left: float, levels: Array) -> Array:
    """Numbers of tasks, closer together where users come at what the engines that are `left` to them deliver."""
    coming = lower.load.coming
    return levels if coming.steady else closer(levels, levels, np.interp(levels, coming.count, lower.asked()), left, WIDE)


def _calls(higher: HostView) -> float:
    """Pieces of higher importance that come when tasks of the other one end [1/s]."""
    load = higher.load
    return 0.0 if load.called is None else float((load.flow * load.called.apart) @ higher.cpu()) / higher.piece(None)


def _point(higher: HostView, lower: HostView, again: Array, growth: float) -> LowerPoint:
    """The same, given how much a visit finds what the one before it left."""
    under = lower.company(None)
    found = _TwoRanks.of(higher, lower, again, growth)
    solved, arrive, chances, unlike = found.solved, found.arrive, found.chances, found.unlike
    levels, phases, chance = solved.levels, solved.phases, solved.chance
    piece = lower.total / lower.all_flow
    more = levels + 1
    alone = _speeds(under, more, chances.shape[1])
    each = along(under.leave, more)[:, None] * lower.all_flow * (alone @ chances.T) / more[:, None]  # of one among n + 1
    coming = np.array([np.interp(levels, lower.load.coming.count, rate) for rate in lower.load.coming.rate.T])
    met = chance * np.maximum(coming, 1e-300)[:, :, None]  # by work: those of few users come when few of them are there
    met /= met.sum(axis=(1, 2), keepdims=True)
    clock = found.slower * unlike  # one task is not as uneven as all of them
    gone = found.serve / np.maximum(levels, 1.0)[:, None]
    together = several_at_once(higher, lower, levels, phases, clock)
    groups = spread(levels, phases, together) if together else None
    one = OneTask(levels, phases, arrive[:, 0], each, gone, found.up / clock, found.down / clock, found.calls / clock, groups)
    seen = met.sum(axis=2) @ levels
    usual = float((chance * arrive).sum(axis=1) @ levels) / max(float((chance * arrive).sum()), 1e-300)
    met_by = seen / usual if usual > ALONE else np.ones(len(seen))
    mixed = piece * _unlike(lower, again, mates_beside(lower))
    waiting = _waiting(lower, max(solved.mean_level - lower.total, 0.0), mixed, again)
    own = OwnEngines(
        lower, levels, arrive[:, 0], [Jump(jump.levels, 0.0, jump.rate[:, :1]) for jump in together if jump.levels > 0]
    )
    served = 1.0 if lower.load.coming.steady else float((chance * found.serve).sum()) / lower.all_flow
    there = _where_visits_are(solved)
    one = one.within(*there)
    some = found_with_mates(lower, higher, (levels, phases), met, False)
    times = _visits(lower, one, np.concatenate((met, some))[:, *there], piece)
    every = found_with_mates(lower, higher, (levels, phases), met, True)[:, *there]
    longer = one.made_longer(every, some[:, *there]) if len(some) else np.zeros(0)
    return LowerPoint(own, longer, solved.mean_level, found.use, served, waiting, met_by, *times, again)


def _visits(lower: HostView, one: OneTask, met: Array, piece: float) -> tuple[Array, Array, Array]:
    """Times of all visits of each task, and of them until the first one is begun, and one of those after it (T,) [s].

    `met` is what each work finds (W, N, Y), `piece` the CPU of a mean visit [s].
    """
    load, cpu = lower.load, lower.cpu()
    sizes = np.append(SHORT * piece, np.unique(geometric(*_ends(lower), SIZES)))
    by_size = np.array([np.einsum("ny,wny->w", one.time_left(size / piece), met) for size in sizes])
    row = load.work.copy()
    for k, burst in enumerate(load.bursts):
        row[burst.first > 0] = load.coming.rate.shape[1] + k
    first, whole, later = by_size[0, row], np.zeros(len(cpu)), np.zeros(len(cpu))
    known: dict[tuple[float, ...], tuple[float, float]] = {}
    for task in np.flatnonzero((load.flow > 0) & (cpu > 0)).tolist():
        size, work, rounds = float(cpu[task]), int(row[task]), float(load.rounds[task])
        whole[task] = np.interp(size, sizes, by_size[:, work])
        if rounds > 1:
            pause = max(float(load.between[task]), SHORT * size)
            key = size, work, rounds, pause
            if key not in known:
                known[key] = one.rounds(met[work], size / piece, rounds, pause)
            begun, rest = known[key][0] - first[task], known[key][1]
            later[task] = max(rest / (rounds - 1) - begun, 0.0)
            whole[task] = known[key][0] + rest
    return whole, first, later


def _served(lower: HostView, under: Company, levels: Array, chances: Array) -> Array:
    """Rate at which so many tasks are served with so many of higher importance (N, Y) [1/s]."""
    alone = _speeds(under, levels, chances.shape[1])
    found: Array = along(under.leave, levels)[:, None] * lower.all_flow * (alone @ chances.T)
    return found


def _unlike(lower: HostView, again: Array, mates: Array | float = 0.0) -> float:
    """Work that a task still has to do while it is there, over that of one mean visit with a piece of one kind.

    With the visits that it comes back with, as far as one finds what the one before it left. Those that come with `mates`
    are so many more of those that wait.
    """
    there, fixed = lower.load.flow * lower.cpu() * (1 + mates), lower.load.fixed
    whole, mean = float(there.sum()) + fixed, lower.total / lower.all_flow
    return (float(there @ _left(lower, again)) + fixed * PIECE) / max(whole * mean, 1e-300)


def _left(lower: HostView, again: Array) -> Array:
    """CPU that a task still has to do while it is there, with the visits that find what the one before them left (T,) [s]."""
    return np.asarray(_left_of_visits(lower) + (lower.load.rounds - 1) / 2 * again * lower.cpu())


def _waiting(lower: HostView, number: float, alike: float, again: Array) -> float:
    """Work left to do of so many tasks beyond those that nobody holds up [s]; `alike` is that of one, were all held up alike.

    Those in lines at TCBs wait there with all engines idle, too: they are of those that come to these lines.
    """
    load, left, mates, waits, whole = lower.load, _left(lower, again), mates_beside(lower), 0.0, 0.0
    for k in lower.lines:
        group, use = load.groups[k], min(lower.loads[k], MOST_USED)
        work = load.flow[group.tasks] * (group.cpu + group.spin)
        line = use * (use + float(work @ mates[group.tasks]) / float(work.sum())) / (1 - use)
        waits, whole = waits + line, whole + line * float(work @ left[group.tasks]) / float(work.sum())
    part = min(number / waits, 1.0) if waits > 0 else 0.0
    return part * whole + (number - part * waits) * alike


def _left_of_visits(view: HostView) -> Array:
    """CPU that a visit of each task still has to do while it is there, in the mean of its pieces in turn (T,) [s]."""
    squares, cpu = view.rest**2, view.cpu()
    for group in view.load.groups:
        squares[group.tasks] += (group.cpu + group.spin) ** 2
    return np.asarray((squares / np.maximum(cpu, 1e-300) + cpu) / 2)


def _slower(higher: HostView, lower: HostView, use: float, unlike: float) -> float:
    """Clock of the work of higher importance over that of the other: unlike pieces keep engines for unlike times.

    By the CPU that a task still has to do while it is there: on one engine that is all that counts, whatever the pieces
    [Cobham1954]. On several, tasks that last longer than the others' line takes to settle do not count for more than that.
    """
    load, left = higher.load.flow * higher.cpu(), _left_of_visits(higher) + (higher.left - 1) * higher.cpu()
    engines, piece = lower.load.engines, lower.total / lower.all_flow
    settle = unlike * piece / (engines * (1 - sqrt(use)) ** 2) if engines > 1 else inf
    fixed = higher.load.fixed
    mean = (float(load @ (1 / (1 / settle + 1 / np.maximum(left, 1e-300)))) + fixed / (1 / settle + 1 / PIECE)) / higher.total
    return mean / (1 - mean / settle) / (higher.total / higher.all_flow) / unlike


def _taken(over: Company, phases: Array) -> Array:
    """P(j engines are taken), j = 0, 1, …, by the number of tasks of higher importance; the rest is all of them."""
    return np.array([along(over.few[:, j], phases).clip(0.0, 1.0) for j in range(over.few.shape[1])]).T


def _as_ready(phases: Array, rates: Rates, part: float, higher: HostView) -> Rates:
    """Rates of those that are ready for an engine, not of all: some wait in lines at TCBs, and engines are left meanwhile.

    They are left for as long as a piece at the TCB takes, which is more than the others need where these are short and few:
    given the number of all they seem to be left a little all the time. The chance of so many ready is that of the product form,
    and so is what is in the line for engines while all are taken; a `part` of the time is told by that.
    """
    up, down, chances = rates
    most, engines = chances.shape[1], higher.load.engines
    count = np.arange(most)
    other = chances * (count != phases[:, None])  # of so many there, fewer are ready
    units = np.flatnonzero(np.diff(phases) == 1)
    if part == 0 or not other.any() or not len(units):
        return up, down, chances
    chance = weights(phases, up, down)
    kept = 1 - part * other.sum(axis=1)
    ready = chance * kept
    ready[:most] += part * (chance @ other)
    seen = (chances - part * other) / np.maximum(kept, 1e-300)[:, None]
    near = int(units[-1])  # from there on the steps are wide
    ends, come = down.copy(), up.copy()
    running = seen @ np.minimum(count, engines) + (1 - seen.sum(axis=1)) * engines
    ends[: near + 2] = running[: near + 2] * higher.all_flow / higher.total
    steps = ready[1 : near + 2] * ends[1 : near + 2]
    come[: near + 1] = np.divide(steps, ready[: near + 1], out=np.zeros(near + 1), where=ready[: near + 1] > NEVER)
    return come, ends, seen


def _in_lines(view: HostView) -> float:
    """Time of a piece at those TCBs where tasks wait, in the mean of these [s]."""
    load, found, whole = view.load, 0.0, 1e-300
    for k in view.lines:
        group, use = load.groups[k], min(view.loads[k], MOST_USED)
        flow, line = float(load.flow[group.tasks].sum()), use**2 / (1 - use)
        found, whole = found + line * use / max(flow, 1e-300), whole + line
    return found / whole


def _speeds(under: Company, levels: Array, most: int) -> Array:
    """Speed of the tasks at each level over that alone, with 0, 1, … engines taken."""
    found = []
    for taken in range(most):
        left = under.processors - taken
        found.append(1 / along(under.slow_on(left), levels))
    return np.array(found).T


def _ends(lower: HostView) -> tuple[float, float]:
    """The shortest and the longest CPU of a visit."""
    cpu = lower.cpu()
    some = cpu[(lower.load.flow > 0) & (cpu > 0)]
    return (float(some.min()), float(some.max())) if len(some) else (PIECE, PIECE)
