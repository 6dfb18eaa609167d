"""One host: its TCBs and other groups of servers on its CPs, each a queue among all the others (a random environment).

Each group is one plane chain: its tasks, and all other tasks on the processors. No fixed point joins the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool

from .company import Company, along, company
from .groups import ServerGroup
from .holders import Ready
from .jumps import Burst, Jump, jumps
from .plane import grid, moves, plane
from .spread import Whereabouts

LONGEST = 3000  # others that are counted one by one; beyond, straight on
ORDER = (Pool.RO, Pool.QR, Pool.LIMIT, Pool.THREADS)  # in which a task comes to groups
FREE = 2.5  # free pieces in it
FEW = 12  # tasks of a region up to which the grid counts them one by one
QUICKEST = 0.5  # least clock of the others over that of a group
RATE_FLOOR = 1e-12
NOISE = 1e-9  # of all visits, what rounding leaves
SLOWEST = 1e-9  # least throughput of a group over that asked for
SEEN = 1e-5  # chance of a number of tasks from which on speeds are read off a chain


@dataclass(frozen=True, eq=False)
class Coming:
    """How work comes to a host: at so many tasks on its CPs (`count`, (G,)) the throughput of each work (G, W)."""

    count: Array
    rate: Array
    steady: bool  # no work of users
    most: float  # tasks that can be there at once


@dataclass(frozen=True, eq=False)
class Load:
    """What a host is asked: flows are visits to its CPs a second.

    Attributes
    ----------
    engines : float
    groups : list of ServerGroup
    free, spin : ndarray (T,)
        Of free pieces of one visit: CPU, and time that they spin, which takes as long beside others.
    flow, visits : ndarray (T,)
        Visits a second, and of one transaction; 0 for tasks elsewhere.
    work, region : ndarray (T,)
    coming : Coming
    spread : Whereabouts or None
        Users by where they are; None where all tasks there are taken as alike.
    gated : dict of region to ndarray
        Rates at which its tasks come when w of them are on the CPs, from a region at its limit.
    watched : frozenset of region
        Their speeds are asked for.
    held : dict of region to (int, float)
        Limits that pieces on the CPs fill, and the tasks in each that are off the CPs in the mean.
    bursts : tuple of Burst
        Works that come in groups.
    fixed, fixed_flow : float
        CPU that does not grow with the work [engines], and its pieces [1/s].
    """

    engines: float
    groups: list[ServerGroup]
    free: Array
    spin: Array
    flow: Array
    visits: Array
    work: Array
    region: Array
    coming: Coming
    spread: Whereabouts | None = None
    gated: dict[int, Array] = field(default_factory=dict)
    watched: frozenset[int] = frozenset()
    held: dict[int, tuple[int, float]] = field(default_factory=dict)
    bursts: tuple[Burst, ...] = ()
    fixed: float = 0.0
    fixed_flow: float = 0.0


@dataclass(frozen=True, eq=False)
class GroupPoint:
    """One group solved.

    Attributes
    ----------
    stretch : float
        Time at it over the time of its work, waits for a server included.
    service : float
        Time of its work at a server over the same alone.
    number, busy, waiting : float
        Tasks there, servers at work, tasks that wait for a server [count].
    outside : float
        Tasks before the limit of the region, where the chain counts them [count].
    free, used : float
        CPU time of free pieces over the same alone, and engines in use, as this chain sees them.
    thinned : float
        Throughput that the chain delivers [1/s].
    speeds : ndarray or None
        Rate at which 1, 2, … tasks of its region leave the CPs.
    full : ndarray
        P(n tasks) on `levels`.
    """

    stretch: float
    service: float
    number: float
    busy: float
    waiting: float
    outside: float
    thinned: float
    free: float
    used: float
    speeds: Array | None
    levels: Array
    full: Array


@dataclass(frozen=True, eq=False)
class HostPoint:
    """A host solved: its groups, and how much longer the CPU of free pieces takes than alone."""

    groups: list[GroupPoint]
    free: float
    used: float
    speeds: dict[int, Array] = field(default_factory=dict)


class Host:
    """The chains of one host; `effort` is about how many multiplications they have taken."""

    def __init__(self, load: Load, growth: float = 1.16) -> None:
        self.load, self.growth, self.effort = load, growth, 0.0
        flow = load.flow
        self.rest = load.free + load.spin  # time of free pieces alone on the CPs
        self.loads = [float(flow[g.tasks] @ (g.cpu + g.spin)) for g in load.groups]
        self.pieces = float(flow @ self.rest) + load.fixed
        self.spins = [float(flow[g.tasks] @ g.spin) for g in load.groups]
        self.free_spin = float(flow @ load.spin)
        self.total = sum(self.loads) + self.pieces
        self.all_flow = float(flow.sum()) + load.fixed_flow
        use = self.total / load.engines
        crowd = load.coming.most
        spread = 40 + 3 * load.engines + 35 / max(1 - use, 0.001 if load.coming.steady else 0.004)
        most = spread if load.coming.steady else max(spread + 1.5 * self._balance(), 3e7 if use > 0.98 else 300.0)
        self.top = max(3.0, min(crowd, most))

    def _balance(self) -> float:
        """The most tasks at which users still come faster than the CPs or a group can serve [count]."""
        load = self.load
        width = load.coming.rate.shape[1]
        fullest = load.coming.rate @ np.bincount(load.work, load.visits * self._cpu(), width) / load.engines
        for group in load.groups:
            mine = load.visits[group.tasks] * (group.cpu + group.spin + group.off)
            own = load.coming.rate @ np.bincount(load.work[group.tasks], mine, width) / group.servers
            fullest = np.maximum(fullest, own)
        over = np.flatnonzero(fullest > 1)
        return float(load.coming.count[over[-1]]) if len(over) else 0.0

    def solve(self) -> HostPoint:
        """All groups; alike ones once."""
        seen: dict[tuple[object, ...], GroupPoint] = {}
        found = []
        for k, group in enumerate(self.load.groups):
            mine = self.load.flow[group.tasks]
            share = mine.sum() / max(self.all_flow, 1e-300)
            key = (*np.round([share, self.loads[k], mine @ group.off, mine @ group.spin, self._going(k)], 9),)
            key += (group.servers, group.kind, self.slower(k).round(6))
            key += self._limited(group.region)
            if key not in seen:
                seen[key] = self.group(k)
            found.append(seen[key])
        weight = [max(load, 1e-300) for load in self.loads]
        if not found and self.pieces <= 0:
            return HostPoint([], 1.0, 0.0)
        if not found:
            alone = self.group(None)
            return HostPoint([], alone.free, alone.used)
        free = float(np.average([g.free for g in found], weights=weight)) if self.pieces > 0 else 1.0
        speeds = {g.region: p.speeds for g, p in zip(self.load.groups, found, strict=True) if p.speeds is not None}
        return HostPoint(found, max(free, 1.0), float(np.median([g.used for g in found])), speeds)

    def _limited(self, region: int) -> tuple[object, ...]:
        """What the chains of the groups of a region depend on beside their flows."""
        load = self.load
        if region not in load.gated and region not in load.watched and region not in load.held:
            return ()
        mine = load.region == region
        flows = np.round([load.flow[mine].sum(), load.flow[mine] @ load.free[mine], load.flow[mine] @ self._cpu()[mine]], 9)
        rates = load.gated[region].round(6).tobytes() if region in load.gated else b""
        return (*flows, region in load.watched, rates, load.held.get(region))

    def _going(self, k: int | None) -> float:
        """Share of the visits to a group that go on on the CPs."""
        if k is None:
            return 0.0
        more = self._elsewhere(k, later=True)
        flow = self.load.flow[self.load.groups[k].tasks]
        return float(flow @ more / max(flow.sum(), 1e-300))

    def _fed(self, k: int) -> float:
        """Visits a second to a group of tasks that were elsewhere on the CPs before."""
        group = self.load.groups[k]
        return float(self.load.flow[group.tasks] @ self._elsewhere(k, later=False))

    def _elsewhere(self, k: int, later: bool) -> Places:
        """Which tasks of a group are at other groups, or free pieces, after it or before it."""
        group = self.load.groups[k]
        own = ORDER.index(group.kind)
        found: Places = (self.rest[group.tasks] > 0) & ((own < FREE) == later)
        for i, other in enumerate(self.load.groups):
            if i != k and other.region == group.region and (ORDER.index(other.kind) > own) == later:
                found |= np.isin(group.tasks, other.tasks)
        return found

    def slower(self, k: int | None) -> Array:
        """Clock of the others over that of a group: (1 + C²)/2 of their mixes of CPU pieces."""
        per_visit = self.rest.copy()
        for i, group in enumerate(self.load.groups):
            if i != k:
                per_visit[group.tasks] += group.cpu + group.spin
        flow = self.load.flow

        def mix(weight: Array, cpu: Array, more: float = 0.0, piece: float = 1.0) -> float:
            first = weight @ cpu + more * piece
            return (weight @ cpu**2 + more * piece**2) * (weight.sum() + more) / first**2 if first > 0 else 1.0

        piece = self.load.fixed / self.load.fixed_flow if self.load.fixed_flow else 1.0
        others = mix(flow * (per_visit > 0), per_visit, self.load.fixed_flow, piece)
        if k is None:
            return np.asarray(others)
        group = self.load.groups[k]
        own = 1.0 if group.in_order else mix(flow[group.tasks], group.cpu + group.spin)
        return np.asarray(max(others / own, QUICKEST))

    def spin_share(self, k: int | None) -> float:
        """Share of the time of the others alone that they spin."""
        left = self.total - (self.loads[k] if k is not None else 0.0)
        return (self.free_spin + sum(self.spins) - (self.spins[k] if k is not None else 0.0)) / max(left, 1e-300)

    def company(self, k: int | None) -> Company:
        """All others than a group."""
        queues = [(self.loads[i], g.servers) for i, g in enumerate(self.load.groups) if i != k]
        return company(queues, self.pieces, self.load.engines, int(min(self.top, LONGEST)))

    def group(self, k: int | None) -> GroupPoint:
        """One chain: the tasks of a group, or none, among all others."""
        load, m = self.load, self.load.engines
        others = self.company(k)
        tasks = load.groups[k].tasks if k is not None else np.zeros(0, dtype=int)
        mine = load.flow[tasks]
        rate = max(float(mine.sum()), RATE_FLOOR)
        servers = load.groups[k].servers if k is not None else 1
        piece = float(mine @ load.groups[k].cpu) / rate if k is not None else 1.0
        off = float(mine @ load.groups[k].off) / rate if k is not None else 0.0
        spin = float(mine @ load.groups[k].spin) / rate if k is not None else 0.0
        region = load.groups[k].region if k is not None else -1
        going, slower = self._going(k), float(self.slower(k)) if k is not None else 1.0
        rest_flow = self.all_flow - (rate if k is not None else 0.0)
        rest_flow = rest_flow if rest_flow > NOISE * self.all_flow else 0.0
        out = rest_flow + (rate * going + self._fed(k) if k is not None else 0.0)
        phases = grid(m + 10, self.top, self.growth)
        gated = region in load.gated
        free_top = load.coming.most
        level_top = min(1e9, free_top)
        if k is None:
            levels = np.zeros(1)
        else:
            levels = self._levels(k, others, rate, piece, off, servers, going, out, level_top, phases, gated)
        endless = False
        if k is not None and load.coming.steady and not gated and region not in load.held:
            endless = rate > self._most(k, phases, others, piece, off, spin, servers, going / slower, out, slower)
        for _ in range(6):
            point, last = self._chain(k, levels, phases, others, rate, piece, off, spin, servers, going, slower, out, gated)
            if k is None or last < 1e-7 or levels[-1] >= level_top or endless:
                break
            levels = grid(max(m + 10, 12), min(4 * levels[-1], level_top), self.growth)
        return point

    def _most(
        self, k: int, phases: Array, others: Company, piece: float, off: float, spin: float, servers: int,
        follow: float, out: float, slower: float,
    ) -> float:  # fmt: skip
        """Rate at which a group serves without a pause: the mean drift of its level (M. Neuts 1981)."""
        level = np.array([float(servers)])
        serve, down, _ = self._rates(k, level, phases, others, piece, off, spin, servers, out)
        up = self.flows(level[:, None] + phases, phases, k)[0] / slower + follow * serve[0]
        down = down[0] / slower
        rise, fall = moves(phases, up - down, up + down, True)
        logs = np.cumsum(np.log(np.maximum(rise[:-1], 1e-300)) - np.log(np.maximum(fall[1:], 1e-300)))
        chance = np.exp(np.append(0.0, logs) - max(float(logs.max(initial=0.0)), 0.0))
        return float(chance @ serve[0]) / float(chance.sum())

    def _levels(
        self, k: int, others: Company, rate: float, piece: float, off: float, servers: int,
        going: float, out: float, top: float, phases: Array, gated: bool,
    ) -> Array:  # fmt: skip
        unit = max(self.load.engines + 10, 12)
        if gated or self.load.groups[k].region in self.load.watched:
            unit = max(unit, 40)
        if self.load.groups[k].region in self.load.held:
            unit = max(unit, min(self.load.held[self.load.groups[k].region][0] + 30, 60))
        if servers < 60:
            unit = max(unit, servers + 3)
        use = min(rate * piece / servers, 0.99)
        most = sum(b.size for b in self.load.bursts)
        guess = 25 + 4 * most + 20 / max(1 - max(use, self.total / self.load.engines), 0.02)
        return grid(unit, max(min(guess, top), 1.0), self.growth)

    def _chain(
        self, k: int | None, levels: Array, phases: Array, others: Company, rate: float, piece: float, off: float,
        spin: float, servers: int, going: float, slower: float, out: float, gated: bool,
    ) -> tuple[GroupPoint, float]:  # fmt: skip
        load = self.load
        n, y = levels[:, None], phases[None, :]
        shape = (len(levels), len(phases))
        serve, down, pieces = self._rates(k, levels, phases, others, piece, off, spin, servers, out)
        total = n + y
        region = load.groups[k].region if k is not None else -1
        own = pieces * self._piece_share(region)
        near = n + own
        held = load.held.get(region) if k is not None else None
        outside = 0.0
        if k is None:
            arrive, up = np.zeros(shape), self.flows(total, phases, None)
        else:
            works = self._works(k, levels, phases)
            arrive, up = self._own(k, total, near, gated, works), self.flows(total, phases, k, works)
            if held is not None:  # a limit that its pieces on the CPs fill: the levels count those before it, too
                size, away = held
                share = min(self._piece_share(region), 1.0)
                left = slots(size, pieces[min(1, len(levels) - 1)], share, away)  # places left for the group
                full = left[:, 0]
                serve = serve * (1 - full)
                down[1:] = down[1:] * (1 - full) + down[0] * full
        arrive, up, groups = self._in_groups(k, total, arrive, up, slower)
        if self.pieces <= 0 and out <= 0:
            down = down + rate
        follow = going / slower
        self.effort += len(levels) * float(len(phases)) ** 3
        solved = plane(levels, phases, arrive, serve, follow, up / slower, down / slower, groups)
        chance = solved.chance
        thinned = max(float((chance * serve).sum()), SLOWEST * rate) if k is not None else 0.0
        number = float(levels @ chance.sum(axis=1))
        busy = float((chance * np.minimum(n, servers)).sum()) if k is not None else 0.0
        on_cps = float((chance * pieces).sum())
        ended = float((chance * down).sum())
        free = on_cps / (self.pieces * ended / out) if self.pieces * out * ended > 0 else 1.0
        free = 1 + (free - 1) * self.pieces / max(self.pieces - self.free_spin, 1e-300)
        alone = piece + off + spin
        rest = self.total - load.fixed - (self.loads[k] if k is not None else 0.0)
        used = load.fixed + thinned * (piece + spin) + rest * ended / max(out, 1e-300)
        if held is not None:
            over = np.maximum(levels[:, None] - np.arange(left.shape[1]), 0.0)  # (N, size + 1)
            outside = float((chance * (over @ left.T)).sum())
        speeds = None
        if k is not None and (gated or region in load.watched):
            pieces_end = float(load.flow[(load.region == region) & (self.rest > 0)].sum()) / max(out, 1e-300)
            leave = serve * (1 - going) + down * pieces_end
            come = np.broadcast_to(arrive + self._direct(k, total, near, gated), shape)
            speeds = self._speeds(np.broadcast_to(near, shape), chance, come, leave)
        point = GroupPoint(
            stretch=max(1.0, (number - outside) / (thinned * alone)) if thinned > 0 else 1.0,
            service=max(1.0, busy / (thinned * alone)) if thinned > 0 else 1.0,
            number=number - outside, busy=busy, waiting=number - busy - outside, outside=outside, thinned=thinned,
            free=free, used=used, speeds=speeds, levels=levels, full=chance.sum(axis=1),
        )  # fmt: skip
        return point, float(chance[-1].sum())

    def _in_groups(
        self, k: int | None, total: Array, arrive: Array, up: Array, slower: float
    ) -> tuple[Array, Array, list[Jump]]:
        """What comes one by one to the levels and the phases, and what in groups."""
        load, found = self.load, []
        for burst in load.bursts:
            each = np.interp(total, load.coming.count, load.coming.rate[:, burst.work])  # transactions
            at = burst.first[self.comes_first(k)].sum() if k is not None else 0.0
            own, other = float(at), float(burst.first.sum() - at)
            arrive, up = np.maximum(arrive - own * each, 0.0), np.maximum(up - other * each, 0.0)
            found += jumps(burst, np.broadcast_to(each, arrive.shape), own, other, slower)
        if np.isfinite(load.coming.most):
            room = total < load.coming.most
            arrive, up = arrive * room, up * room
        arrive[-1] = 0.0
        return arrive, up, found

    def comes_first(self, k: int) -> Places:
        """Tasks of a group that come to it before they come to another."""
        found: Places = self.load.groups[k].tasks[~self._elsewhere(k, later=False)]
        return found

    def _piece_share(self, region: int) -> float:
        """Share of the free pieces that are of a region."""
        mine = self.load.region == region
        return float(self.load.flow[mine] @ self.rest[mine]) / self.pieces if self.pieces > 0 else 0.0

    def _rates(
        self,
        k: int | None,
        levels: Array,
        phases: Array,
        others: Company,
        piece: float,
        off: float,
        spin: float,
        servers: int,
        out: float,
    ) -> tuple[Array, Array, Array]:
        """Rates at which a group serves and the others end, and free pieces that are there, each (levels, phases)."""
        serve, down, pieces = np.zeros((3, len(levels), len(phases)))
        leave = along(others.leave, phases)
        spins = self.spin_share(k)
        if k is None:
            own, more = others.longer(0.0, spins), others.longer(1.0, spins)
            down[:] = leave * out / along(own, phases)
            pieces[:] = self.pieces * along(np.append(0.0, others.leave[1:] * more[:-1]), phases) / along(own, phases)
            return serve, down, pieces
        units = np.minimum(levels, servers)
        ready = Ready(others, phases, piece, spin, off, float(units.max())) if off > 0 else None
        known: dict[float, tuple[Array, Array, Array]] = {}
        for i, unit in enumerate(units.tolist()):
            if unit not in known:
                if ready is not None and unit:
                    speed, number = ready.at(unit)
                    theirs = ready.mean(others, phases, number, spins)
                else:
                    speed = unit / (piece * along(others.slow(unit), phases) + spin)
                    theirs = along(others.longer(unit, spins), phases)
                before = np.append(0.0, others.leave[1:] * others.longer(unit + 1, spins)[:-1])
                ended, there = leave * out / theirs, self.pieces * along(before, phases) / theirs
                known[unit] = speed, ended, there
            serve[i], down[i], pieces[i] = known[unit]
        return serve, down, pieces

    def flows(self, total: Array, phases: Array, k: int | None, works: Array | None = None) -> Array:
        """Rate at which others come to the CPs with so many tasks there."""
        load = self.load
        others = load.visits.copy()
        mine = load.groups[k].tasks if k is not None else np.zeros(0, dtype=int)
        others[self.comes_first(k) if k is not None else mine] = 0.0
        found: Array = np.full(total.shape, load.fixed_flow)
        per_visit = load.flow * self._cpu()
        per_visit[mine] -= load.flow[mine] * (load.groups[k].cpu + load.groups[k].spin if k is not None else 0.0)
        for region, rates in load.gated.items():
            some = (load.region == region) & (others > 0)
            if some.any():  # they come by their own limit, given their mean share of the others
                share = float(per_visit[some].sum() / max(per_visit.sum() + load.fixed, 1e-300))
                part = float(load.flow[some].sum()) / self._region_flow(region)
                found = found + part * along(rates, phases * share).clip(min=0.0)
                others[some] = 0.0
        by_work = np.bincount(load.work, others, load.coming.rate.shape[1])
        if works is not None:
            return found + np.tensordot(by_work, works, 1)
        return found + np.interp(total, load.coming.count, load.coming.rate @ by_work)

    def _cpu(self) -> Array:
        """CPU of one visit of each task."""
        found = self.rest.copy()
        for group in self.load.groups:
            found[group.tasks] += group.cpu + group.spin
        return found

    def _works(self, k: int, levels: Array, phases: Array) -> Array | None:
        """Transactions a second of each work given the tasks at a group and the others; None where all come at rates."""
        load = self.load
        if load.spread is None or load.coming.steady or load.groups[k].pool not in load.spread.at:
            return None
        return load.spread.coming(load.work, load.groups[k].pool, levels, phases, load.fixed)

    def _own(self, k: int, total: Array, near: Array, gated: bool, works: Array | None = None) -> Array:
        """Rate at which its tasks come to a group; `near` counts those of its region on the CPs."""
        load, group, tasks = self.load, self.load.groups[k], self.load.groups[k].tasks
        if gated:
            share = float(load.flow[tasks].sum()) / self._region_flow(group.region)
            return along(load.gated[group.region], near).clip(min=0.0) * share
        by_work = np.bincount(load.work[tasks], load.visits[tasks], load.coming.rate.shape[1])
        if works is not None:
            return np.asarray(np.tensordot(by_work, works, 1))
        found: Array = np.interp(total, load.coming.count, load.coming.rate @ by_work)
        return found

    def _direct(self, k: int, total: Array, near: Array, gated: bool) -> Array:
        """Rate at which tasks of the region of a group come to the CPs that do not come to the group."""
        load, group = self.load, self.load.groups[k]
        visits = np.where(load.region == group.region, load.visits, 0.0)
        visits[group.tasks] = 0.0
        if not visits.any():
            return np.zeros(total.shape)
        if gated:
            share = float((load.flow * (visits > 0)).sum()) / self._region_flow(group.region)
            return along(load.gated[group.region], near).clip(min=0.0) * share
        by_work = np.bincount(load.work, visits, load.coming.rate.shape[1])
        found: Array = np.interp(total, load.coming.count, load.coming.rate @ by_work)
        return found

    def _region_flow(self, region: int) -> float:
        return max(float(self.load.flow[self.load.region == region].sum()), RATE_FLOOR)

    def _speeds(self, near: Array, chance: Array, come: Array, leave: Array) -> Array | None:
        """Rate at which tasks of a region leave the CPs with 1, 2, … of them there, nan where that is not seen.

        For a few tasks, what crosses from below over the chance; for many, where the grid is wide, what leaves.
        """
        low = np.floor(near).astype(int).ravel()
        part = near.ravel() - low
        size = int(low.max()) + 3
        weight, crossed, ended = np.zeros((3, size))
        for place, share in ((low, 1 - part), (low + 1, part)):
            mass = share * chance.ravel()
            weight += np.bincount(place, mass, size)
            crossed += np.bincount(place, mass * come.ravel(), size)
            ended += np.bincount(place, mass * leave.ravel(), size)
        found: Array = np.full(size - 1, np.nan)
        few = (weight[1:] > SEEN) & (weight[:-1] > SEEN) & (np.arange(size - 1) < FEW)
        many = (weight[1:] > SEEN) & (np.arange(size - 1) >= FEW)
        found[few] = crossed[:-1][few] / weight[1:][few]
        found[many] = ended[1:][many] / weight[1:][many]
        return found if np.isfinite(found).any() and crossed.sum() > 0 else None


def slots(size: int, pieces: Array, share: float, away: float) -> Array:
    """P(s places of `size` are left), s = 0 … size, for each mean number of pieces on the CPs (Y, size + 1).

    Each of the pieces is the region's with chance `share`; its tasks off the CPs are Poisson with mean `away`.
    """
    top = int(pieces.max()) + 2
    n, j = np.arange(top + 1)[:, None], np.arange(size + 1)
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, max(top, size) + 1)))))  # their logs
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = factorial[n] - factorial[j] - factorial[np.maximum(n - j, 0)]
        logs = logs + np.where(j > 0, j * np.log(share), 0) + np.where(n > j, (n - j) * np.log(1 - share), 0)
    own = np.where(j <= n, np.exp(np.nan_to_num(logs, nan=-np.inf)), 0.0)  # those with more than `size` count as that many
    own[:, -1] += np.maximum(1 - own.sum(axis=1), 0.0)
    off = np.exp(np.maximum(j * np.log(max(away, 1e-12)) - away - factorial[j], -700.0))
    taken = np.zeros_like(own)
    for i in range(size + 1):
        taken[:, i:] += own[:, i : i + 1] * off[: size + 1 - i]
    taken[:, -1] += np.maximum(1 - taken.sum(axis=1), 0.0)
    low = np.minimum(np.floor(pieces).astype(int), top - 1)
    found: Array = taken[low] + (pieces - low)[:, None] * (taken[low + 1] - taken[low])
    return found[:, ::-1]
