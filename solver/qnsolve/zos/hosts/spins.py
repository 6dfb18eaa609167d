"""Hosts on which requests spin: solved as if these were other CPU, then with the waits that what spins leaves to the others.

Who spins has a processor until its request ends. With as many tasks there the others have fewer processors, and wait longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool

from .bursts.mates import among
from .groups import ServerGroup
from .host_view import ORDER
from .limited.product_form import line
from .load import GroupPoint, HostPoint, Load, Shares

CLOSED = 4  # power of the use of processors by users, as which their number is that of those who are not elsewhere
LEAST = 1e-300  # of a rate
FULLEST = 0.99  # use of servers up to which their line is as long as that makes it


def spins(load: Load) -> bool:
    """Whether any do."""
    return bool((load.spin * load.flow).any() or any(load.flow[g.tasks] @ g.spin > 0 for g in load.groups))


def keep_all(load: Load) -> bool:
    """Whether who spins keeps the only CP, and the chains of groups have all of them share it so.

    Limits alone, or lines that are never idle, have chains that do not.
    """
    limited = all(group.kind is Pool.LIMIT for group in load.groups)
    return load.engines <= 1 and bool(load.groups) and not limited and not load.never_idle


def as_cpu(load: Load) -> Load:
    """The same with all that spins as other CPU."""
    groups = [replace(g, cpu=g.cpu + g.spin, spin=np.zeros(len(g.spin))) for g in load.groups]
    shares = _shares(load) if spins(load) and keep_all(load) else None
    return replace(load, groups=groups, free=load.free + load.spin, spin=np.zeros(len(load.spin)), shares=shares)


def _shares(load: Load) -> Shares:
    """How pieces of a host share its only CP."""
    rate, each = load.fixed_flow, load.fixed / load.fixed_flow if load.fixed_flow else 0.0
    parts = [(load.flow[g.tasks], g.cpu, g.spin) for g in load.groups]
    parts.append((np.append(load.flow, rate), np.append(load.free, each), np.append(load.spin, 0.0)))
    of_free, longer = waits_with_spins(load)
    return Shares.of(parts, load.engines, np.array([*longer, _by_work(load, of_free)]))


def _by_work(load: Load, each: Array) -> float:
    """A figure of the free pieces of each task (T,) in the mean by the work that is left of them; 1 where there are none."""
    left = load.flow * (load.free + load.spin) ** 2
    return float(left @ each) / float(left.sum()) if left.any() else 1.0


def waits_with_spins(load: Load) -> tuple[Array, list[float]]:
    """What free pieces of each task (T,) and each group wait for processors, over that were all spins other CPU.

    Who spins has a processor, so that it gets more of them than others do beside it, and leaves them less. All pieces are as
    on one processor that is as fast as all, where `among` has both. They wait as well for what is left of the spins that they
    find on all processors.
    """
    kinds = [(load.flow * (load.free + load.spin > 0), load.free, load.spin, load.spin_squares[1] / load.rounds)]
    for group in load.groups:
        squares = load.spin_squares[0] + load.spin_squares[1] * (group.kind is Pool.LIMIT)
        kinds.append((load.flow[group.tasks], group.cpu, group.spin, (squares / load.rounds)[group.tasks]))
    if load.fixed_flow:
        kinds.append((np.array([load.fixed_flow]), np.array([load.fixed / load.fixed_flow]), np.zeros(1), np.zeros(1)))
    rate, cpu, spin, squares = (np.concatenate(columns) for columns in zip(*kinds, strict=True))
    some = (rate > 0) & (cpu + spin > 0)
    rates, piece, spins_, none = rate[some], cpu[some] / load.engines, spin[some] / load.engines, np.zeros(int(some.sum()))
    of = np.repeat(np.arange(len(kinds)), [len(row[0]) for row in kinds])
    servers = np.array([np.inf, *(float(group.servers) for group in load.groups), np.inf])[of[some]]
    meets = 1 - (of[some][:, None] == of[some]) / servers  # of one TCB one task is on a processor
    mates = _mates(load, len(rate))[np.ix_(some, some)] * meets
    whole = piece + spins_
    met = squares[some] / load.engines**2 * float(rates @ spins_) ** max(load.engines - 1, 0.0)  # where all of them spin
    waits = np.zeros((2, len(rate)))
    waits[0, some] = among(piece, spins_, met, rates, mates, meets) - whole
    waits[1, some] = among(whole, none, none, rates, mates, meets) - whole
    free = np.divide(waits[0], waits[1], out=np.ones(len(rate)), where=waits[1] > 0)[of == 0]
    sums = [waits[:, of == k] @ rate[of == k] for k in range(1, 1 + len(load.groups))]
    return free, [float(x / y) if y > 0 else 1.0 for x, y in sums]


def _mates(load: Load, size: int) -> Array:
    """Others of its burst that are in another center of a host while a task is in one, by pieces: half of them (n, n)."""
    found = np.zeros((size, size))
    at = np.concatenate([np.arange(len(load.flow)), *(group.tasks for group in load.groups)])
    for burst in load.bursts:
        mine = np.append(burst.first[at] > 0, np.zeros(size - len(at), dtype=bool))
        found += np.outer(mine, mine) * burst.mates(float(burst.first.sum())) / 2
    return found


def with_spins(load: Load, point: HostPoint) -> HostPoint:
    """The point of a host whose requests spin, given that as if they were other CPU.

    What does not spin waits longer for processors, and what does less; all that wait for them have as much work left as in any
    order: what a task has to do later too. A line at servers goes with their use. What waits for a place of a limit is not on
    processors. Users who fill servers are as many there, whoever waits.
    """
    (of_free, longer), whole = waits_with_spins(load), load.free + load.spin
    if keep_all(load):  # the chains know it of groups; each free piece has its own wait, and their work left stays
        return replace(point, free=1 + (point.free - 1) / _by_work(load, of_free))
    parts = [_Part.of(load, *row) for row in zip(load.groups, point.groups, longer, strict=True)]
    free = load.flow * (point.free - 1) * whole
    fixed = load.fixed * (point.free - 1) * (load.fixed / load.fixed_flow if load.fixed_flow else 0.0)
    before, after = np.array([[part.before, part.after] for part in parts]).reshape(-1, 2).T @ _left(load)
    before, after = before + float(free @ whole) + fixed, after + float((free * of_free) @ whole) + fixed
    share = before / after if min(before, after) > 0 else 1.0
    groups = [part.moved(its, share) for part, its in zip(parts, point.groups, strict=True)]
    return replace(point, groups=groups, free=1 + share * (point.free - 1))


@dataclass(frozen=True)
class _Part:
    """Tasks of a group [count].

    Attributes
    ----------
    alone : float
        That would be there were there no waits.
    before, after : float
        More of them on the processors and in line for the group, as if spins were other CPU and as they are. Of those in line
        of a server that is hardly ever idle the processors are not to blame.
    busy, waiting : float
        On servers, and in line, as they are.
    own : float
        In line if each had a processor to itself.
    limit : bool
        Whether the line is before a limit, not on the processors.
    """

    alone: float
    before: float
    after: float
    busy: float
    waiting: float
    own: float
    limit: bool

    @classmethod
    def of(cls, load: Load, group: ServerGroup, its: GroupPoint, longer: float) -> _Part:
        """That of a point whose processors are as much `longer` waited for."""
        alone, limit = its.thinned * _mean(load, group, group.alone), group.kind is Pool.LIMIT
        busy = alone + longer * max(its.busy - alone, 0.0)
        lines = [line(min(use, FULLEST * group.servers), group.servers) for use in (its.busy, busy)]
        waiting = max(its.number - its.busy, 0.0)
        kept = 0.0 if load.coming.steady else min(its.busy / group.servers, 1.0) ** CLOSED
        after = waiting * (lines[1] / lines[0]) ** (1 - kept) if lines[0] > 0 else waiting
        if limit:  # full of users it has those who are not elsewhere; of many places a line is next to none, or long, by little
            after = max(min(after, lines[1]), waiting)
        own = load.coming.steady * min(line(min(alone, FULLEST * group.servers), group.servers), waiting, after)
        mine = 0.0 if limit else max(1 - its.busy / group.servers, 0.0)
        more = (its.busy - alone + mine * (waiting - own), busy - alone + mine * (after - own))
        return cls(alone, max(more[0], 0.0), max(more[1], 0.0), busy, after, own, limit)

    def moved(self, its: GroupPoint, share: float) -> GroupPoint:
        """The point with so much of the waits."""
        busy = self.alone + share * max(self.busy - self.alone, 0.0)
        waiting = self.waiting if self.limit else self.own + share * (self.waiting - self.own)
        return its.moved(self.alone / max(its.thinned, LEAST), busy + waiting, busy, its.thinned, its.free)


def _mean(load: Load, group: ServerGroup, each: Array) -> float:
    """Of the tasks that come to a group."""
    flow = load.flow[group.tasks]
    return float(flow @ each) / max(float(flow.sum()), LEAST)


def _left(load: Load) -> Array:
    """CPU and spins that a task of each group has still to come at this host, in the mean [s]."""
    left, found = load.free + load.spin, np.zeros(len(load.groups))
    for k in sorted(range(len(found)), key=lambda k: -ORDER.index(load.groups[k].kind)):
        group = load.groups[k]
        left[group.tasks] += group.cpu + group.spin
        found[k] = _mean(load, group, left[group.tasks] * (group.alone > 0))
    return found
