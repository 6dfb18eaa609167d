"""One host: its TCBs and other groups of servers on its CPs, each a queue among all the others (a random environment).

Each group is one plane chain: its tasks, and all other tasks on the processors. No fixed point joins the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array

from .company import Company, company
from .groups import ServerGroup
from .plane import grid, plane

LONGEST = 3000  # others that are counted one by one; beyond, straight on
FEW = 12  # tasks of a region up to which the grid counts them one by one
QUICKEST = 0.5  # least clock of the others over that of a group
RATE_FLOOR = 1e-12
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
    free : ndarray (T,)
        CPU of free pieces of one visit.
    flow, visits : ndarray (T,)
        Visits a second, and of one transaction; 0 for tasks elsewhere.
    work, region : ndarray (T,)
    coming : Coming
    gated : dict of region to ndarray
        Rates at which its tasks come when w of them are on the CPs, from a region at its limit.
    watched : frozenset of region
        Their speeds are asked for.
    held : dict of region to (int, float)
        Limits that pieces on the CPs fill, and the tasks in each that are off the CPs in the mean.
    fixed, fixed_flow : float
        CPU that does not grow with the work [engines], and its pieces [1/s].
    """

    engines: float
    groups: list[ServerGroup]
    free: Array
    flow: Array
    visits: Array
    work: Array
    region: Array
    coming: Coming
    gated: dict[int, Array] = field(default_factory=dict)
    watched: frozenset[int] = frozenset()
    held: dict[int, tuple[int, float]] = field(default_factory=dict)
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
        Time of free pieces over the same alone, and engines in use, as this chain sees them.
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
    """A host solved: its groups, and how much longer free pieces take than alone."""

    groups: list[GroupPoint]
    free: float
    used: float
    speeds: dict[int, Array] = field(default_factory=dict)


def along(values: Array, points: Array) -> Array:
    """Values at 0, 1, 2, … read between and, beyond the last, straight on."""
    last = len(values) - 1
    inside = np.interp(points, np.arange(last + 1.0), values)
    if points.max(initial=0.0) <= last or last < 1:
        return inside
    back = min(last, 50)
    slope = (values[last] - values[last - back]) / back
    found: Array = np.where(points > last, values[last] + slope * (points - last), inside)
    return found


class Host:
    """The chains of one host."""

    def __init__(self, load: Load, growth: float = 1.25) -> None:
        self.load, self.growth = load, growth
        flow, free = load.flow, load.free
        self.loads = [float(flow[g.tasks] @ g.cpu) for g in load.groups]
        self.pieces = float(flow @ free) + load.fixed
        self.total = sum(self.loads) + self.pieces
        self.all_flow = float(flow.sum()) + load.fixed_flow
        use = self.total / load.engines
        crowd = load.coming.most
        spread = 40 + 3 * load.engines + 35 / max(1 - use, 0.001 if load.coming.steady else 0.004)
        self.top = max(3.0, min(crowd, spread if load.coming.steady else max(spread, 3e7 if use > 0.98 else 300.0)))

    def solve(self) -> HostPoint:
        """All groups; alike ones once."""
        seen: dict[tuple[object, ...], GroupPoint] = {}
        found = []
        for k, group in enumerate(self.load.groups):
            mine = self.load.flow[group.tasks]
            key = (*np.round([mine.sum() / max(self.all_flow, 1e-300), self.loads[k], mine @ group.off, self._going(k)], 9),)
            key += (group.servers, group.kind, self._slower(k).round(6))
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
        group = self.load.groups[k]
        more = self.load.free[group.tasks] > 0
        for i, other in enumerate(self.load.groups):
            if i != k and other.region == group.region:
                after = other.kind > group.kind or (group.kind == 1 and other.kind == 0)
                if after:
                    more |= np.isin(group.tasks, other.tasks)
        flow = self.load.flow[group.tasks]
        return float(flow @ more / max(flow.sum(), 1e-300))

    def _slower(self, k: int | None) -> Array:
        """Clock of the others over that of a group: (1 + C²)/2 of their mixes of CPU pieces."""
        per_visit = self.load.free.copy()
        for i, group in enumerate(self.load.groups):
            if i != k:
                per_visit[group.tasks] += group.cpu
        flow = self.load.flow

        def mix(weight: Array, cpu: Array, more: float = 0.0, piece: float = 1.0) -> float:
            first = weight @ cpu + more * piece
            return (weight @ cpu**2 + more * piece**2) * (weight.sum() + more) / first**2 if first > 0 else 1.0

        piece = self.load.fixed / self.load.fixed_flow if self.load.fixed_flow else 1.0
        others = mix(flow * (per_visit > 0), per_visit, self.load.fixed_flow, piece)
        if k is None:
            return np.asarray(1.0)
        group = self.load.groups[k]
        own = 1.0 if group.in_order else mix(flow[group.tasks], group.cpu)
        return np.asarray(max(others / own, QUICKEST))

    def _company(self, k: int | None) -> Company:
        queues = [(self.loads[i], g.servers) for i, g in enumerate(self.load.groups) if i != k]
        return company(queues, self.pieces, self.load.engines, int(min(self.top, LONGEST)))

    def group(self, k: int | None) -> GroupPoint:
        """One chain: the tasks of a group, or none, among all others."""
        load, m = self.load, self.load.engines
        others = self._company(k)
        tasks = load.groups[k].tasks if k is not None else np.zeros(0, dtype=int)
        mine = load.flow[tasks]
        rate = max(float(mine.sum()), RATE_FLOOR)
        servers = load.groups[k].servers if k is not None else 1
        piece = float(mine @ load.groups[k].cpu) / rate if k is not None else 1.0
        off = float(mine @ load.groups[k].off) / rate if k is not None else 0.0
        region = load.groups[k].region if k is not None else -1
        going, slower = self._going(k), float(self._slower(k))
        rest_flow = self.all_flow - (rate if k is not None else 0.0)
        out = rest_flow + (rate * going if k is not None else 0.0)
        phases = grid(m + 10, self.top, self.growth)
        gated = region in load.gated
        free_top = load.coming.most
        level_top = min(1e9, free_top)
        if k is None:
            levels = np.zeros(1)
        else:
            levels = self._levels(k, others, rate, piece, off, servers, going, out, level_top, phases, gated)
        for _ in range(6):
            point, last = self._chain(k, levels, phases, others, rate, piece, off, servers, going, slower, out, gated)
            if k is None or last < 1e-7 or levels[-1] >= level_top:
                break
            levels = grid(max(m + 10, 12), min(4 * levels[-1], level_top), self.growth)
        return point

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
        guess = 25 + 20 / max(1 - max(use, self.total / self.load.engines), 0.02)
        return grid(unit, max(min(guess, top), 1.0), self.growth)

    def _chain(
        self, k: int | None, levels: Array, phases: Array, others: Company, rate: float, piece: float, off: float,
        servers: int, going: float, slower: float, out: float, gated: bool,
    ) -> tuple[GroupPoint, float]:  # fmt: skip
        load, coming = self.load, self.load.coming
        n, y = levels[:, None], phases[None, :]
        shape = (len(levels), len(phases))
        serve, down, pieces = self._rates(k, levels, phases, others, piece, off, servers, out)
        total = n + y
        region = load.groups[k].region if k is not None else -1
        own = pieces * self._piece_share(region)
        near = n + own
        held = load.held.get(region) if k is not None else None
        outside = 0.0
        if k is None:
            arrive, up = np.zeros(shape), self._flows(total, phases, None)
        else:
            arrive, up = self._own(k, total, near, gated), self._flows(total, phases, k)
            if held is not None:  # a limit that its pieces on the CPs fill: the levels count those before it, too
                size, away = held
                share = min(self._piece_share(region), 1.0)
                left = slots(size, pieces[min(1, len(levels) - 1)], share, away)  # places left for the group
                full = left[:, 0]
                serve = serve * (1 - full)
                down[1:] = down[1:] * (1 - full) + down[0] * full
        if np.isfinite(coming.most):
            room = total < coming.most
            arrive, up = arrive * room, up * room
        arrive[-1] = 0.0
        if self.pieces <= 0 and out <= 0:
            down = down + rate
        follow = going / slower
        solved = plane(levels, phases, arrive, serve, follow, up / slower, down / slower)
        chance = solved.chance
        thinned = float((chance * serve).sum()) if k is not None else 0.0
        number = float(levels @ chance.sum(axis=1))
        busy = float((chance * np.minimum(n, servers)).sum()) if k is not None else 0.0
        on_cps = float((chance * pieces).sum())
        ended = float((chance * down).sum())
        free = on_cps / (self.pieces * ended / out) if self.pieces * out * ended > 0 else 1.0
        alone = piece + off
        rest = self.total - load.fixed - (self.loads[k] if k is not None else 0.0)
        used = load.fixed + thinned * piece + rest * ended / max(out, 1e-300)
        if held is not None:
            over = np.maximum(levels[:, None] - np.arange(left.shape[1]), 0.0)  # (N, size + 1)
            outside = float((chance * (over @ left.T)).sum())
        speeds = None
        if k is not None and (gated or region in load.watched):
            pieces_end = float(load.flow[(load.region == region) & (load.free > 0)].sum()) / max(out, 1e-300)
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

    def _piece_share(self, region: int) -> float:
        """Share of the free pieces that are of a region."""
        mine = self.load.region == region
        return float(self.load.flow[mine] @ self.load.free[mine]) / self.pieces if self.pieces > 0 else 0.0

    def _rates(
        self, k: int | None, levels: Array, phases: Array, others: Company, piece: float, off: float, servers: int, out: float
    ) -> tuple[Array, Array, Array]:
        """Rates at which a group serves and the others end, and free pieces that are there, each (levels, phases)."""
        serve, down, pieces = np.zeros((3, len(levels), len(phases)))
        leave = along(others.leave, phases)
        if k is None:
            own, more = others.slow(0.0), others.slow(1.0)
            down[:] = leave * out / along(own, phases)
            pieces[:] = self.pieces * along(np.append(0.0, others.leave[1:] * more[:-1]), phases) / along(own, phases)
            return serve, down, pieces
        known: dict[float, tuple[Array, Array, Array]] = {}
        for i, unit in enumerate(np.minimum(levels, servers).tolist()):
            if unit not in known:
                slow = along(others.slow(unit), phases)
                if off > 0:  # units that hold a server without a processor are not ready
                    ready = float(np.mean(piece * slow / (piece * slow + off))) * unit
                    slow = along(others.slow(round(ready, 2)), phases)
                before = np.append(0.0, others.leave[1:] * others.slow(unit + 1)[:-1])
                known[unit] = unit / (piece * slow + off), leave * out / slow, self.pieces * along(before, phases) / slow
            serve[i], down[i], pieces[i] = known[unit]
        return serve, down, pieces

    def _flows(self, total: Array, phases: Array, k: int | None) -> Array:
        """Rate at which others come to the CPs with so many tasks there."""
        load = self.load
        others = load.visits.copy()
        mine = load.groups[k].tasks if k is not None else np.zeros(0, dtype=int)
        others[mine] = 0.0
        found: Array = np.full(total.shape, load.fixed_flow)
        per_visit = load.flow * self._cpu()
        per_visit[mine] -= load.flow[mine] * (load.groups[k].cpu if k is not None else 0.0)
        for region, rates in load.gated.items():
            some = (load.region == region) & (others > 0)
            if some.any():  # they come by their own limit, given their mean share of the others
                share = float(per_visit[some].sum() / max(per_visit.sum() + load.fixed, 1e-300))
                part = float(load.flow[some].sum()) / self._region_flow(region)
                found = found + part * along(rates, phases * share).clip(min=0.0)
                others[some] = 0.0
        by_work = np.bincount(load.work, others, load.coming.rate.shape[1])
        return found + np.interp(total, load.coming.count, load.coming.rate @ by_work)

    def _cpu(self) -> Array:
        """CPU of one visit of each task."""
        found = self.load.free.copy()
        for group in self.load.groups:
            found[group.tasks] += group.cpu
        return found

    def _own(self, k: int, total: Array, near: Array, gated: bool) -> Array:
        """Rate at which its tasks come to a group; `near` counts those of its region on the CPs."""
        load, group = self.load, self.load.groups[k]
        if gated:
            share = float(load.flow[group.tasks].sum()) / self._region_flow(group.region)
            return along(load.gated[group.region], near).clip(min=0.0) * share
        by_work = np.bincount(load.work[group.tasks], load.visits[group.tasks], load.coming.rate.shape[1])
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
