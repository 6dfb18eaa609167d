"""What each group of servers of a host sees of all the others: their flows, their number, and how long their work takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from math import ceil, sqrt
from typing import Any, TypeVar

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool

from .calls import Calls, Visits, mean_piece
from .chains.jumps import Burst
from .load import Load
from .others.company import Companies, Company, TaskQueue, along, company
from .others.fewer_come import come_of_region, come_to_line, region_tasks
from .others.region_tasks import RegionTasks
from .spread import FewUsers

LONGEST = 3000  # others that are counted one by one; beyond, straight on
ORDER = (Pool.RO, Pool.QR, Pool.LIMIT, Pool.THREADS)  # in which a task comes to groups
FREE = 2.5  # free pieces in it
SEVERAL = (1.2, 1.25)  # units at once that a visit would go on as: from one to the other it counts as one, however long
QUICKEST = 0.5  # least clock of the others over that of a group
UPSET = 0.2  # work over that which moves at once, up to which bursts leave no mix that stays
MIX = 0.5  # power of how unlike the pieces of the others are in their clock, beside tasks that share a server
MOSTLY = (0.5, 0.8)  # share of the places of a limit off the CPs: from one to the other their number counts as moving
MANY = 4.0  # others over all few users and processors, from which on users are where they are in the mean
RATE_FLOOR = 1e-12
FARTHEST = 3.0  # times as many, or part of it, as which users come at most with more or fewer others on the CPs
FEWER = 0.85  # use of the processors from which on lines to which fewer come the more are there count as such
NOISE = 1e-13  # of all visits, what rounding leaves

Found = TypeVar("Found")


def _once(method: Callable[[Any, int | None], Found]) -> Callable[[Any, int | None], Found]:
    """A method of a group that is worked out once for each."""

    @wraps(method)
    def kept(view: Any, k: int | None) -> Found:
        known: dict[tuple[str, int | None], Found] = view.kept
        if (method.__name__, k) not in known:
            known[method.__name__, k] = method(view, k)
        return known[method.__name__, k]

    return kept


IDLE, SLIGHT = (0.7, 0.9), 0.01  # use of the processors from which on mixes count less, and no more; and how little counts
FEW_PLACES = 3  # of a region, up to which no more of its tasks are on the CPs at once, for the others there


class HostView:
    """A load, added up; `k` is one of its groups, None where all is alike.

    `effort` is how many chains of one group take as long as those solved, about.
    """

    def __init__(self, load: Load, growth: float = 1.16) -> None:
        self.load, self.growth, self.effort = load, growth, 0.0
        self.kept: dict[tuple[str, int | None], Any] = {}
        flow = load.flow
        self.rest = load.free + load.spin  # time of free pieces alone on the CPs
        self.loads = [float(flow[g.tasks] @ (g.cpu + g.spin)) for g in load.groups]
        self.pieces = float(flow @ self.rest) + load.fixed
        self.total = sum(self.loads) + self.pieces
        self.all_flow = float(flow.sum()) + load.fixed_flow
        use = self.total / load.engines
        self.left = self._left()
        crowd = load.coming.most
        spread = 40 + 3 * load.engines + 35 * self._in_bursts() / max(1 - use, 0.001 if load.coming.steady else 0.004)
        most = spread if load.coming.steady else max(spread + 1.5 * self._balance(), 3e7 if use > 0.98 else 300.0)
        self.top = max(3.0, min(crowd, most))

    def _in_bursts(self) -> float:
        """How much further the number of tasks spreads as they come in bursts, by a part of these."""
        work, found = self.load.flow * self.cpu(), 1.0
        for burst in self.load.bursts:
            mine = float(work @ ((self.load.work == burst.work) & (burst.first > 0)))
            found += mine / max(self.total, 1e-300) * burst.mates(float(burst.first.sum())) / 6
        return found

    def _balance(self) -> float:
        """The most tasks at which users still come faster than the CPs or a group can serve [count]."""
        load = self.load
        width = load.coming.rate.shape[1]
        fullest = load.coming.rate @ np.bincount(load.work, load.visits * self.cpu(), width) / load.engines
        for group in load.groups:
            mine = load.visits[group.tasks] * (group.cpu + group.spin + group.off)
            own = load.coming.rate @ np.bincount(load.work[group.tasks], mine, width) / group.servers
            fullest = np.maximum(fullest, own)
        over = np.flatnonzero(fullest > 1)
        return float(load.coming.count[over[-1]]) if len(over) else 0.0

    @_once
    def going(self, k: int | None) -> float:
        """Pieces that a visit to a group goes on as on the CPs: its work there over that of a mean piece of the others."""
        if k is None:
            return 0.0
        flow = self.load.flow[self.load.groups[k].tasks]
        return float(flow @ self._pieces(self._after(k), k)) / max(float(flow.sum()), 1e-300)

    @_once
    def _after(self, k: int | None) -> Array:
        """CPU after a visit to a group, of each of its tasks: elsewhere on the CPs, and of tasks that it calls [s]."""
        assert k is not None
        return np.asarray(self._elsewhere(k, later=True) + self._called(k)[0])

    @_once
    def _called(self, k: int | None) -> tuple[Array, Array]:
        """CPU of tasks that one visit to a group calls [s], of each of its tasks; and their share in all that come (T,)."""
        assert k is not None
        tasks = self.load.groups[k].tasks
        return self.calls.cpu(tasks, self.cpu()), self.calls.called_by(tasks)

    def going_on(self, k: int | None) -> float:
        """Share of the visits to a group that go on on the CPs as the same task."""
        if k is None:
            return 0.0
        flow = self.load.flow[self.load.groups[k].tasks]
        return float(flow @ (self._elsewhere(k, later=True) > 0)) / max(float(flow.sum()), 1e-300)

    def going_of(self, k: int, some: Places) -> float:
        """`going` of some tasks of a group: by the share of their visits that go on, at all, over that of all."""
        flow = self.load.flow[self.load.groups[k].tasks]
        goes = self._after(k) > 0
        shares = [float((flow * its) @ goes) / max(float(flow @ its), 1e-300) for its in (some, np.ones(len(flow)))]
        return float(self.going(k)) * shares[0] / max(shares[1], 1e-300)

    def goes_of_mix(self, k: int, some: Places, works: Array) -> Array | float:
        """Share of some visits to a group that go on at all, as works come at such rates (W, N, Y), over that in the mean.

        How long those are that go on is in `quicker`.
        """
        load, tasks, goes = self.load, self.load.groups[k].tasks[some], self._after(k)[some] > 0
        if goes.all() or not goes.any():
            return 1.0
        flow, all_ = load.flow[tasks], np.ones(len(goes))
        going, come = (np.bincount(load.work[tasks], load.visits[tasks] * its, len(works)) for its in (goes, all_))
        share = np.tensordot(going, works, 1) / np.maximum(np.tensordot(come, works, 1), RATE_FLOOR)
        return np.asarray(share * float(flow.sum()) / max(float(flow @ goes), RATE_FLOOR))

    def _pieces(self, cpu: Array, k: int | None) -> Array:
        """Work over that of a mean piece of the others than a group."""
        return np.asarray(cpu / max(self.piece(k), 1e-300))

    @cached_property
    def calls(self) -> Calls:
        """What tasks call at once."""
        grouped = np.zeros(len(self.load.flow), dtype=bool)
        for group, load in zip(self.load.groups, self.loads, strict=True):
            grouped[group.tasks] |= load > 0
        return Calls(self.load, self.rest, grouped)

    @_once
    def _visits(self, k: int | None) -> Visits:
        """Visits to others than a group [1/s], the CPU of each [s], and how many pieces it counts as; of its own tasks last."""
        assert k is not None
        return self.calls.visits(self.load.groups[k].tasks, self._work_outside(k), self._called(k)[0])

    def _work_outside(self, k: int) -> Array:
        """CPU of one visit of each task but at a group (T,) [s]."""
        tasks, cpu, groups = self._at_groups
        return np.asarray(self.rest + np.bincount(tasks, cpu * (groups != k), len(self.rest)))

    def _longest(self, k: int) -> float:
        """Piece that a visit to a group goes on as, over a mean one of the others; 0 where none goes on."""
        flow, after = self.load.flow[self.load.groups[k].tasks], self._after(k)
        goes = float(flow @ (after > 0))
        return float(self._pieces(flow @ after, k)) / goes if goes > 0 else 0.0

    @_once
    def others_flow(self, k: int | None) -> float:
        """Visits a second to others than a group: each of its tasks may come to them before, and after."""
        if k is None:
            return self.all_flow
        load, tasks, (flows, cpu, pieces) = self.load, self.load.groups[k].tasks, self._visits(k)
        rest = float(flows[: -len(tasks)] @ pieces[: -len(tasks)]) + load.fixed_flow
        rest = rest if rest > NOISE * self.all_flow else 0.0
        mean = mean_piece(flows, cpu)
        before, after = (self.calls.pieces(self._elsewhere(k, later), mean) for later in (False, True))
        return rest + float(load.flow[tasks] @ (before + after + self.calls.number(tasks)))

    def piece(self, k: int | None) -> float:
        """CPU of a piece of the others in the mean [s]."""
        work = self.total - (self.loads[k] if k is not None else 0.0)
        return work / max(self.others_flow(k), 1e-300)

    def units(self, groups: Iterable[int], free: bool) -> float:
        """As how many each task of some groups, or free piece, shares the only CP."""
        shares = self.load.shares
        return 1.0 if shares is None else shares.of_some([*groups, *[-1] * free])

    @_once
    def weight(self, k: int | None) -> float:
        """As how many of the others a task of a group shares the only CP."""
        others = (i for i in range(len(self.loads)) if i != k)
        return 1.0 if k is None else self.units([k], False) / self.units(others, True)

    @_once
    def pieces_wait(self, k: int | None) -> float:
        """What free pieces wait for the only CP over what all others than a group do, as they share it as fewer or more."""
        shares = self.load.shares
        others = (i for i in range(len(self.loads)) if i != k)
        return 1.0 if shares is None else shares.longer([*others, -1])

    def _elsewhere(self, k: int, later: bool) -> Array:
        """CPU of tasks of a group at other groups, and as free pieces, after it or before it [s]."""
        return self._around(k)[later]

    @_once
    def _around(self, k: int | None) -> tuple[Array, Array]:
        return self._at_others(k, False), self._at_others(k, True)

    def _at_others(self, k: int | None, later: bool) -> Array:
        assert k is not None
        group = self.load.groups[k]
        own = ORDER.index(group.kind)
        found = self.rest[group.tasks] * ((own < FREE) == later)
        for i, other in enumerate(self.load.groups):
            if i != k and other.region == group.region and (ORDER.index(other.kind) > own) == later:
                at = np.zeros(len(self.rest))
                at[other.tasks] = other.cpu + other.spin
                found = found + at[group.tasks]
        return np.asarray(found)

    @_once
    def slower(self, k: int | None) -> Array:
        """Clock of the others over that of a group.

        Tasks in order of arrival: by the pieces that one has still to do. Where they share a server it is the mean piece: the
        mix of those that are there stays about that of all while their number changes, as in a product form. That of the
        others, of many places, does so by half: the root of (1 + C²)/2 of their CPU pieces. A line in order of arrival has no
        mix that settles, nor have others that come with a burst: it grows by the time that these keep the CPs in a row, which
        is that of their pieces by their work. Without bursts it is no shorter than what a visit goes on as: that is one unit,
        however long, and as several short ones that come at once each would be slowed by the others.
        """
        assert k is not None
        fixed, work, (flows, each, _) = self.load.fixed, self._work_outside(k), self._visits(k)
        whole, spread = float(flows @ each) + fixed, float(self._moves(k).sum()) + fixed
        again = (float(self.load.flow @ (work * self.left_in_a_row)) + fixed) / max(whole, 1e-300)
        clock, mix = self.own_clock(k), MIX ** (self.settled(k) * min(whole / max(spread, 1e-300), 1.0))
        found = self.unlike(k) ** mix * again / clock
        longest = 0.0 if self.load.bursts else self._longest(k)
        part = min(max((longest / found - SEVERAL[0]) / (SEVERAL[1] - SEVERAL[0]), 0.0), 1.0) if found > 0 else 1.0
        return np.asarray(max(found ** (1 - part) * longest**part if part > 0 else found, QUICKEST))

    @_once
    def unlike(self, k: int | None) -> float:
        """(1 + C²)/2 of the CPU pieces of the others than a group: how much longer the work there takes to change."""
        load, (flows, each, pieces), moves = self.load, self._visits(k), self._moves(k)
        whole, count = float(flows @ each) + load.fixed, float(flows @ pieces) + load.fixed_flow
        piece = load.fixed / load.fixed_flow if load.fixed_flow else 0.0
        spread = float(moves.sum()) + load.fixed
        return (float(moves @ each) + load.fixed * piece) / spread * count / whole if whole > 0 else 1.0

    @_once
    def _moves(self, k: int | None) -> Array:
        """Work of each visit to others than a group [engines]: what comes in groups moves the number by as much more."""
        assert k is not None
        flows, each, _ = self._visits(k)
        return flows * each * self._groups(k)

    def settled(self, k: int) -> float:
        """How far the mix of tasks at a group stays as their number changes: not in order of arrival, less in bursts."""
        group = self.load.groups[k]
        if group.in_order or not self.in_bursts(k):
            return float(not group.in_order)
        if group.servers > 1:
            return 0.0
        work, moves = self.load.flow[group.tasks] * (group.cpu + group.spin), np.ones(len(group.tasks))
        for burst in self.load.bursts:
            moves += np.where(self.begins(k, burst) > 0, burst.mates(float(burst.first.sum())), 0.0)
        return max(float(work.sum()) / max(float(work @ moves), 1e-300) - UPSET, 0.0) / (1 - UPSET)

    def in_bursts(self, k: int) -> bool:
        """Whether tasks of bursts come to a group first, and no limit asks for its tasks by their number."""
        limited = self.load.groups[k].region in {*self.load.gated, *self.load.watched}
        return not limited and self.bursts_begin(k)

    def _groups(self, k: int) -> Array:
        """Tasks that come with each visit to others than a group, this one included, of the `_visits`."""
        load = self.load
        found = np.ones(len(load.flow))
        for burst in load.bursts:
            found += np.where(burst.first > 0, burst.mates(float(burst.first.sum())), 0.0)
        return np.concatenate((found, found, np.ones(len(load.groups[k].tasks))))  # those of the group come one by one

    def own_clock(self, k: int) -> float:
        """Pieces that a task in the line of a group has still to do, over that of one visit."""
        group = self.load.groups[k]
        weight = self.load.flow[group.tasks] * (group.cpu + group.spin)
        left = self.left_in_a_row if group.in_order else 1 + self.left_in_a_row - self.left
        work = float(weight.sum())
        return float(weight @ left[group.tasks]) / work if work > 0 else 1.0

    def again(self, tasks: Places, longer: float) -> float:
        """Work that tasks that come together leave where they come until the last is done, over that of one visit each.

        Each comes back so many times, all at the same pace: the less is between two visits the more of them meet, and the
        `longer` the line is for one of them than for others.
        """
        weight, rounds, meet = self.load.flow[tasks], self.load.rounds[tasks], self.meet[tasks]
        meet = meet * longer / (1 + meet * (longer - 1))
        found = 1 + (2 * rounds**2 / (rounds + 1) - 1) * meet
        return float(weight @ found) / max(float(weight.sum()), 1e-300)

    @cached_property
    def meet(self) -> Array:
        """How far a visit of each task meets those that came with the one before it (T,)."""
        rounds = self.load.rounds
        return np.divide(2 * (self.left - 1), rounds - 1, out=np.zeros(len(rounds)), where=rounds > 1)

    def _left(self) -> Array:
        """Visits that each task has still to make, this one included, as far as they follow each other at once."""
        load, use = self.load, min(self.total / self.load.engines, 0.99)
        here = self.rest / (1 - use)
        for group, busy in zip(load.groups, self.loads, strict=True):
            here[group.tasks] += group.alone / (1 - min(max(busy / group.servers, use * (group.servers == 1)), 0.99))
        found: Array = 1 + (load.rounds - 1) / 2 * here / np.maximum(here + load.between, 1e-300)
        return found

    @cached_property
    def left_in_a_row(self) -> Array:
        """The same with those of the tasks that are called after it, as far as nothing is between them."""
        load, many = self.load, self.load.rounds * self.load.in_a_row
        follows = np.where(load.rounds > 1, self.meet, 1.0)
        return np.asarray(self.left + (many - load.rounds) / 2 * follows)

    @cached_property
    def lines(self) -> list[int]:
        """The groups that are QR and RO TCBs and have tasks."""
        return [k for k, g in enumerate(self.load.groups) if g.kind in (Pool.QR, Pool.RO) and self.loads[k] > 0]

    @_once
    def company(self, k: int | None) -> Company:
        """All others than a group; to a TCB the tasks of a limit that are off the CPs are not there."""
        if k not in self._held_apart and self._held_apart:
            return self._few_held.without(k)
        of_limit = k is None or self.load.groups[k].kind is Pool.LIMIT
        return (self._companies if of_limit else self._on_cps).without(k)

    @cached_property
    def _held_apart(self) -> dict[int, tuple[int, float]]:
        """QR TCBs of regions with few places: these, and the load of the free pieces of the region, which hold them as well."""
        found, load = dict[int, tuple[int, float]](), self.load
        for k, group in enumerate(load.groups):
            places, _ = load.held.get(group.region, (0, 0.0))
            if group.kind is Pool.QR and 0 < places <= FEW_PLACES:
                mine = load.region == group.region
                found[k] = places, float(load.flow[mine] @ self.rest[mine])
        return found

    @cached_property
    def _few_held(self) -> Companies:
        """The same with regions of few places as servers for all that their tasks do on the CPs."""
        servers = [self._held_apart[k][0] if k in self._held_apart else self.at_once(k) for k in range(len(self.loads))]
        return self._companies_of(servers, {k: rest for k, (_, rest) in self._held_apart.items()})

    def at_once(self, k: int) -> int:
        """Servers of a group whose tasks are on the CPs at once: of a limit, the places whose tasks are not off them [count].

        Where most places are of tasks off the CPs it is as many as there may be, as their number then moves most.
        """
        group = self.load.groups[k]
        if group.kind is not Pool.LIMIT:
            return group.servers
        size = group.servers
        away = min(float(self.load.flow[group.tasks] @ group.off) / size, 1.0)
        beyond = 2 * min(max((away - MOSTLY[0]) / (MOSTLY[1] - MOSTLY[0]), 0.0), 1.0)
        return min(max(ceil(size * (1 - away) + beyond * sqrt(size * away * (1 - away))), 1), size)

    def company_of(self, groups: list[int], pieces: float, top: int) -> Company:
        """Some groups, whose tasks come one by one, and free pieces."""
        queues = [(self.loads[k], self.at_once(k)) for k in groups]
        return company(queues, pieces, self.load.engines, top)

    @cached_property
    def _companies(self) -> Companies:
        return self._companies_of([group.servers for group in self.load.groups])

    @cached_property
    def _on_cps(self) -> Companies:
        servers = [self.at_once(k) for k in range(len(self.load.groups))]
        return self._companies if servers == [group.servers for group in self.load.groups] else self._companies_of(servers)

    def _companies_of(self, servers: list[int], rest: dict[int, float] | None = None) -> Companies:
        """Groups with so many servers each, and of some a load of free pieces, the `rest`, that needs these as well."""
        more = rest or {}
        loads = [load + more.get(k, 0.0) for k, load in enumerate(self.loads)]
        queues = [TaskQueue(load, servers[k], *self._in_groups(k)) for k, load in enumerate(loads)]
        for k, its in self._users.items():
            queues[k] = queues[k]._replace(again=its.again, place=its.place)
        top, free = int(min(self.top, LONGEST)), self.pieces - sum(more.values())
        for k in self.lines if self._fewer_come else []:
            if servers[k] == 1 and k not in more:
                region, come = self._at_limits.get(k), None
                if region is None and self.load.spread is not None and self.load.groups[k].pool in self.load.spread.at:
                    come = come_to_line(self.load, k, *self._by_where(k)[:2], top)
                queues[k] = queues[k]._replace(region=region, come=come)
                free -= queues[k].pieces
        return Companies(queues, max(free, 0.0), self.load.engines, top)

    @cached_property
    def _at_limits(self) -> dict[int, RegionTasks]:
        """Lines of regions at their limits: the tasks of these, at the line and as free pieces."""
        load, found = self.load, dict[int, RegionTasks]()
        for k in self.lines if self._fewer_come else []:
            region = load.groups[k].region
            mine = load.region == region
            its = region_tasks(load, k, self._region_flow(region), float(load.flow[mine] @ self.rest[mine]))
            if its is not None:
                found[k] = its
        return found

    def _come_at_limits(self, k: int | None, region: int, phases: Array) -> Array | None:
        """Rates at which tasks of a region come, by the number of all others than a group, in a product form (Y,) [1/s]."""
        come = self.company(k).come
        told = any(self.load.groups[line].region == region for line in self._at_limits)
        return self._region_flow(region) * along(come, phases).clip(min=0.0) if told and come is not None else None

    @cached_property
    def _fewer_come(self) -> bool:
        """Whether lines to which tasks come the less often the more are there are told from others.

        Not beside limits that are servers on the CPs, or regions that have as many tasks there at any time.
        """
        load = self.load
        otherwise = load.coming.steady or load.called is not None or bool(load.bursts) or any(load.filled.values())
        servers = any(group.kind is Pool.LIMIT for group in load.groups)
        return not otherwise and not servers and self.total > FEWER * load.engines

    @cached_property
    def _users(self) -> dict[int, FewUsers]:
        """Groups of few users, where it is known where these are."""
        load, found = self.load, dict[int, FewUsers]()
        for k, group in enumerate(load.groups):
            if group.of_users and load.spread is not None and group.pool in load.spread.at:
                asked = float(load.visits[group.tasks] @ (group.cpu + group.spin))
                found[k] = load.spread.few(len(found), int(load.work[group.tasks[0]]), load.work, group.pool, asked)
        return found

    def _in_groups(self, k: int) -> tuple[float, float]:
        """How even and how crowded the queue of a group is because of bursts, as far as others are in queues, too."""
        load, group, even, crowd = self.load, self.load.groups[k], 0.0, 0.0
        weight = load.flow[group.tasks] * (group.cpu + group.spin)
        for burst in load.bursts:
            part = float(weight @ (load.work[group.tasks] == burst.work)) / max(float(weight.sum()), 1e-300)
            own, *others = (float(burst.first[self.comes_first(j)].sum()) for j in (k, *range(len(load.groups))))
            even += part * burst.mates(max(sum(others) - own, 0.0))
            crowd += part * burst.mates(own) / 2
        queued = sum(self.loads) / max(self.total, 1e-300)
        return 1 + queued * even, 1 + queued * crowd

    def comes_first(self, k: int) -> Places:
        """Tasks of a group that come to it before they come to another."""
        found: Places = self.load.groups[k].tasks[self._elsewhere(k, later=False) == 0]
        return found

    def begins(self, k: int, burst: Burst) -> Array:
        """Chances that one of a burst comes to a group before any other, as each of its tasks (n,)."""
        return np.where(self._elsewhere(k, later=False) == 0, burst.first[self.load.groups[k].tasks], 0.0)

    def bursts_begin(self, k: int) -> bool:
        """Whether bursts come to a group before any other."""
        return any(self.begins(k, burst).any() for burst in self.load.bursts)

    def piece_share(self, region: int) -> float:
        """Share of the free pieces that are of a region."""
        mine = self.load.region == region
        return float(self.load.flow[mine] @ self.rest[mine]) / self.pieces if self.pieces > 0 else 0.0

    def flows(self, total: Array, phases: Array, k: int | None, works: Array | None = None) -> Array:
        """Rate at which others come to the CPs with so many tasks there."""
        load = self.load
        mine = load.groups[k].tasks if k is not None else np.zeros(0, dtype=int)
        others = load.visits * self._first_pieces(k)
        if k is not None:
            others = others * (1 - self._called(k)[1])
        found: Array = np.full(total.shape, load.fixed / max(self.piece(k), 1e-300))
        for region in load.gated:
            its = load.region == region
            some = its & (others > 0)
            if some.any():  # they come by their own limit, given their mean share of the others: with what follows at the group
                mates = load.let_in_with(region)
                part = float(load.flow[some] @ (others[some] / load.visits[some])) / self._region_flow(region)
                own, share = bool(len(mine)) and mates[mine[0]], self._share_of(mates, k)
                near = (total - phases if own else 0.0) + phases * share  # those at the group, too
                if own:
                    come = along(load.gated[region], near).clip(min=0.0)
                else:
                    come = come_of_region(load, region, near, share, self._come_at_limits(k, region, phases))
                come = come * self._of_users_left(region, total, near)
                found = found + part * come * self._of_themselves(region)
                others[some] = 0.0
        return found + self.coming(others, total, works)

    def let_in(self, k: int, levels: Array, phases: Array, near: Array) -> Array:
        """Tasks on the CPs by whose number those of the region of a group come: `near` are those of the region itself."""
        load, region = self.load, self.load.groups[k].region
        if region not in load.let_in:
            return near
        return np.asarray(levels[:, None] + phases * self._share_of(load.let_in_with(region), k))

    def _of_users_left(self, region: int, total: Array, near: Array) -> Array | float:
        """Rate at which users come to a region with so many tasks on the CPs, over that with `near`, others as in the mean."""
        others, part = self.load.beside.get(region, (0.0, 0.0))
        if part == 0:
            return 1.0
        visits = np.where(self.load.region == region, self.load.visits, 0.0)
        now, mean = self.coming(visits, total), self.coming(visits, near + others)
        ratio = np.maximum(now, RATE_FLOOR) / np.maximum(mean, RATE_FLOOR)  # of users who are all there there is none
        return np.asarray(np.clip(ratio, 1 / FARTHEST, FARTHEST) ** part)

    def _share_of(self, some: Places, k: int | None) -> float:
        """Share of some tasks (T,) in the work of all others than a group."""
        beside = self._beside(k)
        return float(beside[some].sum() / max(beside.sum() + self.load.fixed, 1e-300))

    @_once
    def _beside(self, k: int | None) -> Array:
        """CPU of each task but for that at a group (T,) [engines]."""
        load, found = self.load, self.load.flow * self.cpu()
        if k is not None:
            group = load.groups[k]
            found[group.tasks] -= load.flow[group.tasks] * (group.cpu + group.spin)
        return np.asarray(found)

    def _first_pieces(self, k: int | None) -> Array:
        """Pieces that each task is among the others when it comes, before it is at a group."""
        first = self.cpu()
        if k is not None:
            first[self.load.groups[k].tasks] = self._elsewhere(k, later=False)
        return self._pieces(first, k)

    def pieces_at_once(self, k: int | None, first: Array) -> float:
        """Pieces that a transaction is among the others when it comes, given the chances of its first task (T,)."""
        return float(first @ self._first_pieces(k))

    def cpu(self) -> Array:
        """CPU of one visit of each task."""
        tasks, cpu, _ = self._at_groups
        return np.asarray(self.rest + np.bincount(tasks, cpu, len(self.rest)))

    @cached_property
    def _at_groups(self) -> tuple[Places, Array, Places]:
        """All tasks at groups, CPU of one visit of each there [s], and the group."""
        groups = self.load.groups
        tasks = np.concatenate([np.zeros(0, dtype=int), *(group.tasks for group in groups)])
        cpu = np.concatenate([np.zeros(0), *(group.cpu + group.spin for group in groups)])
        return tasks, cpu, np.repeat(np.arange(len(groups)), [len(group.tasks) for group in groups])

    def asked(self) -> Array:
        """CPU that comes with so many tasks on the CPs, by `Coming.count` (G,) [engines]."""
        load = self.load
        each = np.bincount(load.work, load.visits * self.cpu(), load.coming.rate.shape[1])
        return np.asarray(load.coming.rate @ each + load.fixed)

    def works(self, k: int, levels: Array, phases: Array) -> Array | None:
        """Transactions a second of each work given the tasks at a group and the others; None where all come at rates."""
        load = self.load
        if load.spread is None or load.coming.steady or load.groups[k].pool not in load.spread.at:
            return None
        pool, tasks = load.groups[k].pool, load.groups[k].tasks
        found = load.spread.coming(load.work, [pool], levels, phases, load.fixed)
        few = [its for i, its in self._users.items() if i != k and its.work not in load.work[tasks]]
        if not few:
            return found
        there = np.array([along(self.company(k).users[its.place], phases) for its in few])
        apart = load.spread.beside_few(few, there, load.work, pool, levels, phases, load.fixed)
        everyone = sum(load.groups[i].servers for i in self._users) + load.engines
        return np.where(phases > MANY * everyone, found, apart)

    def quicker(self, k: int | None, levels: Array, phases: Array) -> tuple[Array | float, Array | float]:
        """Pieces that end in a time over those of the mean mix of works: of a group by level (N, 1), of others by number (Y,).

        Users of some works come as often however many are there, those of others do not: so the mix changes. Of the group that
        counts as far as the processors do not slow its servers down, of the others as far as they are free pieces from there.
        """
        load = self.load
        if k is None or load.spread is None or load.coming.steady or load.bursts:
            return 1.0, 1.0
        if load.groups[k].pool not in load.spread.at or load.groups[k].region in load.limited:
            return 1.0, 1.0
        idle = min(max((IDLE[1] - self.total / load.engines) / (IDLE[1] - IDLE[0]), 0.0), 1.0)
        served = self._of_mix(k, False, levels, idle)
        share, part = self._free_after(k)
        return served if isinstance(served, float) else served[:, None], self._of_mix(k, True, share * phases, part)

    @_once
    def _by_where(self, k: int | None) -> tuple[Array, Array, Array]:
        """Time on the CPs of a transaction of each work: all of it, that at a group, and that outside all groups (W,) [s]."""
        spread, work = self.load.spread, self.load.work
        assert k is not None
        assert spread is not None
        free = spread.spent - np.sum(list(spread.at.values()), axis=0)
        parts = (spread.spent, spread.at[self.load.groups[k].pool], free)
        whole, own, rest = (np.maximum(np.bincount(work, its, len(spread.users)), 0.0) for its in parts)
        return whole, own, rest

    def of_users(self, tasks: Places) -> float:
        """Share of the visits of some tasks that are of users, who come the less the more are there [0..1]."""
        load, flow = self.load, self.load.flow[tasks]
        fewer = load.coming.rate[-1] < load.coming.rate[0]
        return float(flow @ fewer[load.work[tasks]]) / max(float(flow.sum()), RATE_FLOOR)

    @cached_property
    def _rate(self) -> Array:
        """Transactions of each work that come here [1/s]."""
        load, found = self.load, np.zeros(self.load.coming.rate.shape[1])
        here = load.visits > 0
        found[load.work[here]] = load.flow[here] / load.visits[here]
        return found

    @_once
    def _free_after(self, k: int | None) -> tuple[float, float]:
        """Share of the others than a group that are free pieces, and how far that counts: by those that come from the group."""
        assert k is not None
        whole, own, free = self._by_where(k)
        share = float(self._rate @ free) / max(float(self._rate @ (whole - own)), 1e-300)
        coming = float(self.load.flow[self.load.groups[k].tasks] @ self._after(k))
        return share, min(coming / max(self.pieces, 1e-300), 1.0) * share

    def _of_mix(self, k: int, free: bool, counts: Array, weight: float) -> Array | float:
        """`quicker` of a group or of free pieces, with so many of these there; `weight` is how far the mix counts."""
        load, group = self.load, self.load.groups[k]
        if weight <= SLIGHT:
            return 1.0
        assert load.spread is not None
        (whole, own, rest), rate = self._by_where(k), self._rate
        flow, cpu = load.flow[group.tasks], self._after(k) if free else group.alone
        each = np.divide(1.0, rate, out=np.zeros(len(rate)), where=rate > 0)  # of works that come by themselves
        asked, visits = (each * np.bincount(load.work[group.tasks], flow * its, len(rate)) for its in (cpu, cpu > 0))
        if (visits > 0).sum() < 2:
            return 1.0
        where, fixed = (rest, load.fixed) if free else (np.minimum(own, whole), 0.0)
        works = load.spread.come(where, counts, whole, fixed)
        mixed = float(asked @ rate) / float(visits @ rate) * (visits @ works) / np.maximum(asked @ works, 1e-300)
        return np.asarray(1 + weight * (mixed - 1))

    def own(
        self, k: int, total: Array, near: Array, gated: bool, works: Array | None = None, unit: Array | float = 1.0
    ) -> Array:
        """Rate at which its tasks come to a group, each as `unit` of them; `near` counts those of its region on the CPs."""
        load, group, tasks = self.load, self.load.groups[k], self.load.groups[k].tasks
        if gated:
            share = float(load.flow[tasks].sum()) / self._region_flow(group.region)
            return along(load.gated[group.region], near).clip(min=0.0) * share * self._of_users_left(group.region, total, near)
        visits = np.zeros(len(load.visits))
        visits[tasks] = load.visits[tasks] * unit
        return self.coming(visits, total, works)

    def coming(self, visits: Array, total: Array, works: Array | None = None) -> Array:
        """Rate of some visits of transactions (T,) with so many tasks on the CPs, or by the rate of each work there."""
        load, called = self.load, self.load.called
        if called is not None:
            rate = np.divide(load.flow, load.visits, out=np.zeros(len(visits)), where=load.visits > 0)
            return called.at(total) * float(rate @ (visits * called.share)) + self._free(
                visits * (1 - called.share - called.apart), total, works
            )
        return self._free(visits, total, works)

    def _free(self, visits: Array, total: Array, works: Array | None) -> Array:
        """The same of those that nobody of lower importance calls."""
        load = self.load
        by_work = np.bincount(load.work, visits, load.coming.rate.shape[1])
        if works is not None:
            return np.asarray(np.tensordot(by_work, works, 1))
        return np.asarray(np.interp(total, load.coming.count, load.coming.rate @ by_work))

    def _of_themselves(self, region: int) -> float:
        """Share of the tasks of a region that the chain does not let come when others of lower importance end."""
        load, called = self.load, self.load.called
        return (
            1.0
            if called is None
            else 1 - float(load.flow @ (called.apart * (load.region == region))) / self._region_flow(region)
        )

    def direct(self, k: int, total: Array, near: Array, gated: bool) -> Array:
        """Rate at which tasks of the region of a group come to the CPs that do not come to the group."""
        load, group = self.load, self.load.groups[k]
        visits = np.where(load.region == group.region, load.visits, 0.0)
        visits[group.tasks] = 0.0
        if not visits.any():
            return np.zeros(total.shape)
        if gated:
            share = float((load.flow * (visits > 0)).sum()) / self._region_flow(group.region)
            return along(load.gated[group.region], near).clip(min=0.0) * share * self._of_users_left(group.region, total, near)
        return self.coming(visits, total)

    def _region_flow(self, region: int) -> float:
        return max(float(self.load.flow[self.load.region == region].sum()), RATE_FLOOR)
