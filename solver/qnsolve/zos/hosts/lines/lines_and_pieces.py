"""The tasks at all TCBs of a host as one count, its free pieces as another: one chain, and one of each TCB among them.

Free pieces that come from elsewhere than from TCBs keep the processors for a while, and meanwhile the lines of all TCBs grow
at once. The chain of a TCB that takes all others as one count does not see that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.plane import grid
from qnsolve.zos.hosts.chains.windows import KeptWindows, kept_windows
from qnsolve.zos.hosts.group_chain import GRIDS, LAST, STATES
from qnsolve.zos.hosts.host_view import LONGEST, HostView
from qnsolve.zos.hosts.others.company import Company, ReadPoints

from .line_loads import LineLoads
from .stays import LineRates, knots_of, mean_length, stretches, unlike
from .two_counts import two_counts

FINE = 20.0  # tasks at lines up to which each number is a level
LIKELY = 1e-12  # chance of a number of pieces from which on what is beside them is read
SPARE = 5.0  # servers beyond those at work, in standard deviations, from which on none of a group waits
FEW = 40  # other lines of which the number at work is a chance, not its mean
LIGHT = 0.35  # load of a line over that of the fullest, below which it hardly changes what the fullest have
NEAR = 0.03  # difference of the loads of lines that are shared out as one


@dataclass(frozen=True)
class _Given:
    """What is beside each number of free pieces, in the mean: tasks at lines, lines at work, and that over their load."""

    tasks: Array
    busy: Array
    at_work: Array


@dataclass(frozen=True)
class LinesPoint:
    """The lines solved.

    Attributes
    ----------
    numbers, service : ndarray (L,)
        Tasks at each line; time of their work at a server over that alone.
    thinned : float
        Throughput over that asked for.
    free : float
        Time of free pieces over that alone.
    knots, stretch : ndarray (K,)
        Lengths of tasks that share lines [s], and their time there over it; none where all are alike.
    """

    numbers: Array
    service: Array
    thinned: float
    free: float
    knots: Array
    stretch: Array


class LinesAndPieces:
    """The chains of a host."""

    def __init__(self, host: HostView, load: LineLoads) -> None:
        self.host, self.load = host, load
        self.phases = grid(2 * (host.load.engines + 10), min(host.top, host.load.coming.most), host.growth)
        near = [k for k in load.rest if host.load.groups[k].servers < host.loads[k] + SPARE * (1 + host.loads[k] ** 0.5)]
        pieces = host.pieces + sum(host.loads[k] for k in load.rest if k not in near)
        free = self._company(near, pieces, self.phases)
        reading = ReadPoints.of(len(free.ready) - 1, self.phases)
        self.ready = reading.read(free.ready[reading.places])
        self.weight = host.units(load.lines, False) / host.units(load.rest, True)  # of a task at a line, as so many of the rest
        self.at_lines = np.zeros(0), free, reading

    def _company(self, groups: list[int], pieces: float, points: Array) -> Company:
        return self.host.company_of(groups, pieces, int(min(points[-1], LONGEST)))

    def solve(self) -> LinesPoint:
        """All lines together; where they are not alike their tasks are shared out by a chain of each."""
        host, load, lines = self.host, self.load, self.load.lines
        loads = np.array([host.loads[k] for k in lines])
        levels, chance, rates = self._on_grids(float(loads.max()), self._of_all, 0)
        there, at = self._at_lines(levels)
        busy, at_work = at.read(there.ready[at.places]), at.read(there.leave[at.places])
        by_number = chance.sum(axis=1)
        number, ended = float(levels @ by_number), float((chance * rates.serve).sum()) * load.length()
        service = np.full(len(lines), float(busy @ by_number) / ended)
        ended_free = float((chance * rates.down).sum()) * load.pieces.length
        free = float(chance.sum(axis=0) @ self.ready) / max(ended_free, 1e-300)
        numbers = np.full(len(lines), number / len(lines))
        if not load.alike:
            by_piece = chance.sum(axis=0)
            some = by_piece > LIKELY
            beside = ((x @ chance)[some] / by_piece[some] for x in (levels, busy, at_work))
            given = _Given(*(np.interp(self.phases, self.phases[some], x) for x in beside))
            light = loads < LIGHT * loads.max()
            few = light.any() and np.ptp(loads[~light]) <= NEAR * loads.max()  # the others are alike: theirs is the rest
            own = self._apart(given, np.flatnonzero(light) if few else np.arange(len(lines)))
            if few:
                numbers[light], service[light] = own
                full = loads[~light]
                numbers[~light] = np.maximum((number - own[0].sum()) * full / full.sum(), full)
                service[~light] += float((service[~light][0] - own[1]) @ loads[light]) / float(full.sum())
            else:
                more = (own[0] * loads) ** 2  # what all have together more than each alone is mostly of the fullest line
                numbers = np.maximum(own[0] + (number - own[0].sum()) * more / more.sum(), loads)
                service = own[1] * service * loads.sum() / float(own[1] @ loads)
        knots = knots_of(load) if unlike(load) else np.zeros(0)
        stretch = self._stretches(levels, chance, rates, knots)
        service = np.maximum(service, 1.0)  # at work for less than their CPU by no sharing out
        return LinesPoint(numbers, service, ended / load.work, max(free, 1.0), knots, stretch)

    def _stretches(self, levels: Array, chance: Array, rates: LineRates, knots: Array) -> Array:
        """Time of tasks of some lengths at the lines over that alone."""
        if not len(knots):
            return knots
        self.host.effort += len(knots) * chance.size / STATES
        mean = mean_length(self.load)
        return stretches(levels, self.phases, chance, rates, self._of_all(levels + 1, mean), mean, knots)

    def _apart(self, given: _Given, some: Places) -> Array:
        """Tasks and service of some lines in chains of their own (2, n); near ones once."""
        known: dict[tuple[int, int], tuple[float, float]] = {}
        found = []
        for k in (self.load.lines[i] for i in some):
            busy = self.host.loads[k]
            key = round(np.log(busy) / NEAR), round(np.log(max(self.load.held(k), 1e-12) / busy) / NEAR)
            if key not in known:
                levels, chance, rates = self._on_grids(busy, partial(self._of_one, k, given), 1 + k)
                known[key] = self._of_line(k, busy, levels, chance, rates.serve)
            found.append((known[key][0] * busy, known[key][1]))
        return np.array(found).T

    def _on_grids(self, busy: float, rates_of: Callable[[Array], LineRates], kind: int) -> tuple[Array, Array, LineRates]:
        """Levels, chances and rates of a chain, on levels that go as far as it has tasks."""
        host = self.host
        most, unit = host.load.coming.most, max(host.load.engines + 10, FINE)
        use = min(max(busy, host.total / host.load.engines), 0.98)
        top = max(min(25 + 20 / (1 - use), most), 1.0)
        for _ in range(GRIDS):
            levels = grid(unit, top, host.growth)
            rates = rates_of(levels)
            host.effort += 0.5 + len(levels) * len(self.phases) / STATES
            rates.arrive[-1] = 0.0
            its = rates.arrive, rates.serve, rates.follow, rates.up, rates.down
            chance = two_counts(levels, self.phases, *its, self._windows(levels, kind))
            if float(chance[-1].sum()) < LAST or levels[-1] >= most:
                break
            top = min(4 * top, most)
        return levels, chance, rates

    def _at_lines(self, levels: Array) -> tuple[Company, ReadPoints]:
        """All lines as one company, read at some levels; those of the last call are kept."""
        if not np.array_equal(self.at_lines[0], levels):
            there = self._company(self.load.lines, 0.0, levels)
            self.at_lines = levels, there, ReadPoints.of(len(there.ready) - 1, levels)
        return self.at_lines[1:]

    def _of_all(self, levels: Array, length: float | None = None) -> LineRates:
        """Rates where all lines are one count: how many of them are at work as in the product form; tasks of a length [s]."""
        load, (there, at) = self.load, self._at_lines(levels)
        slow = self._slow(there, at)
        at_work = at.read(there.leave[at.places])[:, None]
        length = length or load.length()
        return self._rates(levels, self.phases, load.lines, at_work * load.work, length, slow, load.pieces.held, 0.0)

    def _slow(self, there: Company, at: ReadPoints) -> Array:
        """Time of the work of lines and of the rest over that alone, by tasks at lines and pieces (2, N, Y)."""
        lines = at.read(there.slow_beside(self.ready / self.weight, at.places)).T
        rest = lines if self.weight == 1 else at.read(there.slow_of(self.ready, at.places, 1 / self.weight)).T
        return np.array([lines, rest])

    def _of_one(self, k: int, given: _Given, levels: Array) -> LineRates:
        """Rates of one line, the others as they are beside so many pieces."""
        host, load = self.host, self.load
        others, busy = len(load.lines) - 1, host.loads[k]
        units, weight = _at_work(others, np.clip((given.busy - busy * given.at_work) / others, 0.0, 1.0))
        own = np.minimum(levels, 1.0)

        def longer(n: float) -> Array:
            there = [n + units + self.ready / self.weight]
            there += [self.weight * there[0]] * (self.weight != 1)  # of the rest: the same of all alike
            each = [(weight * np.maximum(1.0, its / host.load.engines)).sum(axis=0) for its in there]
            return np.array([each[0], each[-1]])[:, None]

        slow = np.where(own[:, None] > 0, longer(1.0), longer(0.0))
        held = load.held(k)
        beside = self.phases + np.maximum(given.tasks * (1 - busy / load.work), 0.0)
        theirs = (load.pieces.held - held) * given.at_work
        return self._rates(levels, beside, [k], own[:, None], load.length(k), slow, held, theirs)

    def _rates(
        self, levels: Array, beside: Array, lines: list[int], at_work: Array, length: float, slow: Array, held: float,
        theirs: Array | float,
    ) -> LineRates:  # fmt: skip
        """Rates of a chain of some lines, so many of them at work; `theirs` are the pieces that others hold back."""
        load = self.load
        serve = at_work / (length * slow[0])
        down = self.ready / (load.pieces.length * slow[1])
        arrive, up = load.coming(lines, levels, beside, length)
        going = held * length / sum(self.host.loads[k] for k in lines)
        follow = min(going, 1.0)
        return LineRates(arrive, serve, follow, up + theirs / slow[0] + (going - follow) * serve, down)

    def _of_line(self, k: int, busy: float, levels: Array, chance: Array, serve: Array) -> tuple[float, float]:
        """Tasks and service of a line over their CPU; of one to which next to nothing comes, as of the only task there."""
        ended = float((chance * serve).sum()) * self.load.length(k)
        if ended > 0:
            return float(levels @ chance.sum(axis=1)) / busy, float(chance[1:].sum()) / ended
        one = float(chance[0].sum()) / max(float(chance[0] @ serve[1]) * self.load.length(k), 1e-300)
        return one, one

    def _windows(self, levels: Array, kind: int) -> KeptWindows:
        """Where the chances of a chain were in the last round, if the loads are almost the same."""
        host, load = self.host, self.load
        loads = np.array([load.work, load.free, host.total, load.length(), load.pieces.length, self.phases[-1], levels[-1]])
        return kept_windows(host.load.kept.windows, (-1 - kind, len(levels)), loads)


def _at_work(count: int, chance: Array) -> tuple[Array, Array]:
    """Numbers of lines at work, each with a chance, and their chances (…, Y); where they are many, their mean."""
    if count > FEW:
        return (count * chance)[None, :], np.ones((1, len(chance)))
    weight = np.zeros((count + 1, len(chance)))
    weight[0] = 1.0
    for _ in range(count):
        weight[1:], weight[0] = weight[1:] * (1 - chance) + weight[:-1] * chance, weight[0] * (1 - chance)
    return np.arange(count + 1.0)[:, None], weight
