"""Limits whose tasks come to the CPs of one host: each in one chain with all other work there.

What is inside limits is a closed network: engines that all share, and times off them. Its product form says how fast tasks
end, given how many are inside each limit. Those in and before one limit are the levels of a chain, all others its phases.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, HostPoint, LimitSeen

from .even_times import over_even
from .inside_counts import variation_through_a_tcb
from .limited_parts import LimitedPart, free_part, joined, limit_part

EDGE = 1e-7  # chance of the end of a grid
WIDER = 6  # attempts
EFFORT_OF_PART = 3.0  # of one chain, over that of a group
ROWS = 150  # of others beyond their places that are told apart
PLACES = 200  # of all limits, up to which their tasks are told apart
RANGE = 600.0  # of the logs of weights
SINGLE = 8  # tasks beyond a limit that are counted one by one
THROUGH_A_TCB = 40  # places up to which those at a TCB are a count of their own while all are taken


@dataclass(frozen=True, eq=False)
class LimitPoint(GroupPoint):
    """A limit solved.

    Attributes
    ----------
    variation : float
        c² of the times between the ends of tasks while it is full.
    there : float
        Tasks inside that are on the CPs and at no TCB [count].
    at_tcb, before : dict of region to float
        Those at TCBs, and those that wait for limits inside [count].
    """

    variation: float = 1.0
    there: float = 0.0
    at_tcb: dict[int, float] = field(default_factory=dict)
    before: dict[int, float] = field(default_factory=dict)

    @property
    def apart(self) -> float:
        """Share of the first of two exponential parts of a time of that variation."""
        return (1 - sqrt(max(2 * self.variation - 1, 0.0))) / 2


def applies(host: HostView) -> bool:
    """Whether all servers of a host are limits of work that hardly waits for TCBs."""
    load = host.load
    if not load.groups or any(group.kind is not Pool.LIMIT for group in load.groups):
        return False
    gated = any((load.region[load.flow > 0] == region).any() for region in load.gated)
    return not (load.bursts or gated or load.held) and sum(g.servers for g in load.groups) <= PLACES


def limited_point(host: HostView) -> HostPoint:
    """The host solved."""
    load = host.load
    parts = [limit_part(host, k) for k in range(len(load.groups))]
    if host.pieces > 0:
        flow = float(load.flow @ (host.rest > 0)) + load.fixed_flow
        parts.append(free_part(host.pieces / flow, flow))
    found = _solved(host, parts)
    free = found[-1].stretch if host.pieces > 0 else 1.0
    return HostPoint([*found[: len(load.groups)]], free, float(np.median([its.used for its in found])))


def _solved(host: HostView, parts: list[LimitedPart]) -> list[LimitPoint]:
    """The chains of all parts; alike ones once."""
    seen: dict[tuple[float, ...], LimitPoint] = {}
    found = []
    for k, part in enumerate(parts):
        limited = k < len(host.load.groups)
        slower = host.unlike(k) if limited else 1.0
        key = tuple(np.round([part.size, part.flow, part.cpu, part.off, limited, len(part.counted), slower], 12))
        if part.counted:
            key += (float(k),)
        if key not in seen:
            seen[key] = _Chain(host, parts, k, slower).solve()
        found.append(seen[key])
    return found


def variation_of_ends(rate: Array, chance: Array) -> float:
    """c² of the steps up of a birth-death chain over a long time: their variance over their number (W. Whitt 1992)."""
    mean = float(rate @ chance)
    flux = np.cumsum(chance * (mean - rate))[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.nan_to_num(flux / (chance * rate)[:-1], posinf=0.0, neginf=0.0)
    potential = np.concatenate(([0.0], np.cumsum(step)))
    potential = potential - float(chance @ potential)
    return 1 + 2 * float((chance * rate)[:-1] @ potential[1:]) / mean


class _Chain:
    """The chain of one part: its tasks are the levels, all others the phases, by a clock that is so much `slower`."""

    def __init__(self, host: HostView, parts: list[LimitedPart], k: int, slower: float) -> None:
        self.host, self.parts, self.k, self.slower = host, parts, k, slower
        self.own, self.others = parts[k], [part for i, part in enumerate(parts) if i != k]
        engines = host.load.engines
        units = sum(part.size for part in parts)
        count = np.arange(1.0, units + 1)
        logs = np.concatenate(([0.0], np.cumsum(np.log(count / np.minimum(count, engines)))))
        self.lean = logs[-1] / units  # so that the weights of units stay in range
        self.shared = np.exp(logs - self.lean * np.arange(units + 1))  # of so many units ready, over that with a CP for each

    def solve(self) -> LimitPoint:
        """Solve it, on grids wide enough."""
        host, load = self.host, self.host.load
        most = load.coming.most
        fullest = max([host.total / load.engines] + [p.flow / p.full for p in self.parts])
        room = 40 + 3 * load.engines + 35 / max(1 - min(fullest, 1.0), 0.002)
        beside = sum(group.servers for i, group in enumerate(load.groups) if i != self.k)
        room = room if load.coming.steady else max(room, host.top)
        tops = [min(self.own.size + room, most), min(beside + room, most) if self.others else 0.0]
        for _ in range(WIDER):
            levels, phases = self._grid(self.own.size if self.k < len(load.groups) else 0, tops[0]), self._grid(beside, tops[1])
            point, last = self._solved(levels, phases)
            narrow = [edge > EDGE and top < most for edge, top in zip(last, tops, strict=True)]
            if not any(narrow):
                break
            tops = [min(4 * top, most) if more else top for more, top in zip(narrow, tops, strict=True)]
        return point

    def _grid(self, size: int, top: float) -> Array:
        if top <= 0:
            return np.zeros(1)
        if size >= top:
            return grid(self.host.load.engines + SINGLE, top, self.host.growth)
        below = grid(self.host.load.engines + SINGLE, float(size), self.host.growth) if size else np.zeros(1)
        return np.concatenate((below, size + grid(SINGLE, top - size, self.host.growth)[1:]))

    def _solved(self, levels: Array, phases: Array) -> tuple[LimitPoint, list[float]]:
        host, load, own = self.host, self.host.load, self.own
        inside = np.minimum(levels, own.size).astype(int)
        serve, down = (rates[inside] for rates in self._rates(phases))
        total = levels[:, None] + phases[None, :]
        arrive, up = self._coming(levels, phases)
        if np.isfinite(load.coming.most):
            arrive, up = arrive * (total < load.coming.most), up * (total < load.coming.most)
        arrive[-1] = 0.0
        up[:, -1] = 0.0
        host.effort += EFFORT_OF_PART
        chance = plane(levels, phases, arrive, serve, 0.0, up / self.slower, down / self.slower).chance
        at = chance.sum(axis=1)
        number, passed = float(levels @ at), float((chance * serve).sum())
        limited = self.k < len(load.groups)
        busy = float(np.minimum(levels, own.size) @ at) if limited else number
        full = levels >= own.size
        variation = 1.0
        if float(at[full].sum()) > 1e-9:
            variation = self._variation(phases, chance[full].sum(axis=0)) if limited else 1.0
        alone, there = host.pieces / own.flow, 0.0
        counted = {key: float((chance * its[inside]).sum()) for key, its in self.counted.items()}
        used = load.fixed
        if limited:
            alone = own.cpu + own.off
            used += passed * own.cpu
            there = max(busy - sum(counted.values()) - passed * own.off, 0.0)
        passed = max(passed, 1e-9 * own.flow)
        before = np.broadcast_to(np.maximum(levels - own.size, 0.0)[:, None], chance.shape)
        waiting = max(number - busy, 0.0)
        time, wait = busy / passed, waiting / passed
        even = over_even(levels, np.broadcast_to(arrive, chance.shape), chance, own.size, time, wait) if limited else 1.0
        return LimitPoint(
            stretch=max(1.0, number / (passed * alone)), service=max(1.0, busy / (passed * alone)), number=number, busy=busy,
            waiting=waiting, outside=0.0, thinned=passed, free=1.0, used=used, speeds=None,
            levels=levels, full=at, variation=variation, there=there,
            limit=LimitSeen.of(chance, arrive, (levels >= own.size)[:, None], before) if limited else None,
            at_tcb={r: n for (r, before), n in counted.items() if not before},
            before={r: n for (r, before), n in counted.items() if before}, even=even,
        ), [float(at[-1]), float(chance[:, -1].sum()) if self.others else 0.0]  # fmt: skip

    def _variation(self, phases: Array, chance: Array) -> float:
        """c² of the ends of tasks of a full limit: those that are ready on the CPs go up with each, as another one comes."""
        own = self.own
        if own.off <= 0 or any(before for _, before in own.counted):
            return 1.0
        if own.serial > 0 and own.cpu > own.serial and len(own.counted) == 1 and own.size <= THROUGH_A_TCB:
            engines = max(self.host.load.engines - sum(part.flow * part.cpu for part in self.others), own.flow * own.cpu)
            return variation_through_a_tcb(own.size, engines, own.serial, own.cpu - own.serial, own.off)
        ready = np.arange(own.size + 1.0)
        beside = self.beside / self.beside.max(axis=0)
        weight = np.exp(own.weights[-1] + self.lean * ready - (own.weights[-1] + self.lean * ready).max())
        there = (weight[:, None] * beside) / (weight @ beside)
        return variation_of_ends((own.size - ready) / own.off, there @ (chance / chance.sum()))

    def _coming(self, levels: Array, phases: Array) -> tuple[Array, Array]:
        """Rates at which tasks come to the part, and to all others, by their numbers (N, Y) [1/s]."""
        load, rate = self.host.load, self.host.load.coming.rate
        visits = [np.where(self.host.rest > 0, load.visits, 0.0)]
        tops = [g.tasks[g.first(load.region)] for g in load.groups]
        visits[:0] = [np.bincount(top, load.visits[top], len(load.visits)) for top in tops]
        by_work = [np.bincount(load.work, each, rate.shape[1]) for each in visits]
        more = np.zeros(len(by_work))
        more[-1] = load.fixed_flow
        works = self._works(levels, phases)
        if works is not None:
            coming = [np.tensordot(each, works, 1) for each in by_work]
        else:
            total = levels[:, None] + phases[None, :]
            coming = [np.interp(total, load.coming.count, rate @ each) for each in by_work]
        whole = np.asarray(sum(coming)) + float(more.sum())
        mine = coming[self.k] + more[self.k]
        return mine, whole - mine

    def _works(self, levels: Array, phases: Array) -> Array | None:
        """Transactions a second of each work given the tasks in and before the limit, and the others (W, N, Y).

        Users of a limit come as others of them are elsewhere, however many of other works are before another limit. None
        where that is not known.
        """
        load = self.host.load
        if load.spread is None or load.coming.steady or self.k >= len(load.groups):
            return None
        group = load.groups[self.k]
        at = np.zeros(len(load.spread.spent))
        at[group.tasks] = load.spread.spent[group.tasks]
        spread = replace(load.spread, at={group.pool: at})
        return spread.coming(load.work, [group.pool], levels, phases, load.fixed)

    def _rates(self, phases: Array) -> tuple[Array, Array]:
        """Rates at which tasks of the part and others end, by those inside it and by phases."""
        there, gone = self._beside(int(min(phases[-1], sum(part.size for part in self.others) + ROWS)))
        rows = np.minimum(phases, len(there) - 1).astype(int)
        own, width = self.own, there.shape[1]
        ready = np.arange(own.weights.shape[1])
        place = ready[:, None] + np.arange(width)[None, :]
        shared = self.shared[place]
        logs = own.weights + self.lean * ready
        largest = logs.max(axis=1, keepdims=True)  # of so many inside: only their proportions count
        leaned = np.exp(logs - largest)
        self.beside = shared @ there[rows].T
        whole = leaned @ self.beside
        running = shared / np.maximum(place / self.host.load.engines, 1.0)
        counted = {key: np.exp(its + self.lean * ready - largest) for key, its in own.counted.items()}
        self.counted = {key: its @ self.beside / whole for key, its in counted.items()}
        serve = (leaned * ready / own.cpu) @ (running @ there[rows].T) / whole
        down = leaned @ (running @ gone[rows].T) / whole
        return serve, down

    def _steepest(self, part: LimitedPart) -> float:
        """The tilt from which on the weights of no task of a part and of all its places are too far apart for a number."""
        last = float((part.weights[-1] + self.lean * np.arange(part.weights.shape[1])).max())
        return float(np.exp((RANGE / len(self.others) - last) / part.size)) * part.unit / part.flow

    def _beside(self, top: int) -> tuple[Array, Array]:
        """Of 0 … top others, weights of so many of them ready; and the same times the rates at which tasks of these end."""
        there, gone = np.zeros((2, top + 1, 1))
        there[0, 0] = 1.0
        tilt = min([1 / max([part.flow / part.full for part in self.others] + [1e-300]), *map(self._steepest, self.others)])
        for part in self.others:
            count, ready = np.arange(part.size + 1), np.arange(part.weights.shape[1])
            logs = part.weights + self.lean * ready + np.log(tilt * part.flow / part.unit) * count[:, None]
            its = np.exp(logs - logs.max())
            ends = its * ready / part.cpu
            slope = tilt * part.flow / part.full
            there, gone = joined(there, its, slope), joined(gone, its, slope) + joined(there, ends, slope)
            scale = there.max()
            there, gone = there / scale, gone / scale
        largest = there.max(axis=1)
        seen = np.flatnonzero(largest > 0)  # numbers too seldom to have a weight are like the next ones that have
        rows = seen[np.minimum(np.searchsorted(seen, np.arange(top + 1)), len(seen) - 1)]
        return there[rows] / largest[rows, None], gone[rows] / largest[rows, None]
