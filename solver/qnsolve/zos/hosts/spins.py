"""Hosts on which requests spin: solved as if these were other CPU, then with the waits that what spins leaves to the others.

Who spins has a processor until its request ends. With as many tasks there the others have fewer processors, and wait longer;
but fewer wait, as those that do have the spins that follow still to come: the work left to do is the same in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool

from .groups import ServerGroup
from .host_view import ORDER
from .limited.product_form import line
from .load import GroupPoint, HostPoint, Load

CLOSED = 4  # power of the use of processors by users, as which their number is that of those who are not elsewhere
PART, LEAST = 1e-9, 1e-300  # of a processor, and of one that spins, that is none
MOST = 0.999  # of the work on the CPs
FULLEST = 0.99  # use of servers up to which their line is as long as that makes it


def spins(load: Load) -> bool:
    """Whether any do."""
    return bool((load.spin * load.flow).any() or any(load.flow[g.tasks] @ g.spin > 0 for g in load.groups))


def as_cpu(load: Load) -> Load:
    """The same with all that spins as other CPU."""
    groups = [replace(g, cpu=g.cpu + g.spin, spin=np.zeros(len(g.spin))) for g in load.groups]
    return replace(load, groups=groups, free=load.free + load.spin, spin=np.zeros(len(load.spin)))


def with_spins(load: Load, point: HostPoint) -> HostPoint:
    """The point of a host whose requests spin, given that as if they were other CPU.

    What does not spin waits for fewer processors, in proportion to what spins of all; a line at servers goes with their use,
    which is less where they spin; and all wait for as much work as is left in any order, which counts the more the fuller the
    processors are. What waits for a place of a limit is not on them. Users who fill them are as many there, whoever waits.
    """
    still, pieces = float(load.flow @ load.free) + load.fixed, float(load.flow @ load.spin)
    spinning = pieces + sum(float(load.flow[g.tasks] @ g.spin) for g in load.groups)
    cpus = still + spinning + sum(float(load.flow[g.tasks] @ g.cpu) for g in load.groups)
    even = _evenness(load, cpus)
    longer = even / (1 - min(spinning / cpus, MOST))
    free = 1 + longer * (point.free - 1)
    parts = [_Part.of(load, group, its, longer) for group, its in zip(load.groups, point.groups, strict=True)]
    before = sum(part.before for part in parts) + (point.free - 1) * (still + pieces)
    after = sum(part.after for part in parts) + (free - 1) * still
    use = min(cpus / load.engines, 1.0)
    goal = before * (even if load.coming.steady else even ** (1 - use**CLOSED))
    share = (goal / after) ** use if min(before, after) > 0 else 1.0
    groups = [part.moved(its, share) for part, its in zip(parts, point.groups, strict=True)]
    return replace(point, groups=groups, free=1 + share * (free - 1))


def _evenness(load: Load, cpus: float) -> float:
    """Waits for processors where some of the work spins, over those were all of it shared; `cpus` is all of it [engines].

    Who spins does not wait. So those that wait have more work left, with the spins that follow, and fewer of them wait for
    as much of it: as one engine has the same work left in any order.
    """
    size = len(load.flow)
    at_tcb, beside = load.spin_squares / (2 * load.rounds**2)  # of a spin that is met, what is left of it over its mean
    left, waiting, own, cpu = load.free + load.spin, load.free * (load.free + load.spin), beside.copy(), load.free.copy()
    for group in sorted(load.groups, key=lambda group: -ORDER.index(group.kind)):
        work, spin, half = np.zeros((3, size))
        work[group.tasks], spin[group.tasks] = group.cpu, group.spin
        half[group.tasks] = (at_tcb + (beside if group.kind is Pool.LIMIT else 0.0))[group.tasks]
        waiting, own = waiting + work * (work + spin + left), own + half + spin * left
        left, cpu = left + work + spin, cpu + work
    fixed = load.fixed * (load.fixed / load.fixed_flow) if load.fixed_flow else 0.0
    waits = float(load.flow @ waiting) + fixed
    return (1 + float(load.flow @ own) / max(waits, 1e-300)) * (float(load.flow @ cpu) + load.fixed) / cpus


def behind_spins(load: Load, free: float) -> tuple[Array, float]:
    """What free pieces wait until one of the spins that have all processors ends (T,) [s], and the rest of it, over the piece.

    `free` is the time of all pieces over that alone. One task of a TCB spins at a time, of free ones as in a loss system.
    Who was on a processor just before, at a TCB, waits for none.
    """
    comes = load.free > 0
    for group in load.groups:
        comes[group.tasks] = False
    visits = float(load.flow @ comes)
    if load.bursts or not visits or not load.spin_squares.size:
        return np.zeros(len(comes)), free
    beside, left = float(load.flow @ load.spin), float(load.flow @ (load.spin_squares[1] / load.rounds**2)) / 2
    at_tcbs, engines = list[float](), max(ceil(load.engines - PART), 1)
    for group in load.groups:
        mine = load.flow[group.tasks] * (group.spin > 0)
        at_tcbs.append(min(float(mine @ group.spin), 1.0))
        left += float(mine @ (load.spin_squares[0, group.tasks] / load.rounds[group.tasks] ** 2)) / 2
    number = np.cumprod(np.append(1.0, beside / np.arange(1.0, engines + 1)))
    for one in at_tcbs:
        number = np.convolve(number, (1 - one, one))[: engines + 1]
    all_ = float(number[-1] / number.sum()) / engines
    wait = all_ * left / max(beside + sum(at_tcbs), LEAST)
    return np.asarray(wait * comes), max(free - wait * visits / float(load.flow @ load.free), 1.0)


@dataclass(frozen=True)
class _Part:
    """Tasks of a group [count].

    Attributes
    ----------
    alone : float
        That would be there were there no waits.
    before, after : float
        More of them on the processors and in line for the group, as if spins were other CPU and as they are.
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
        flow = load.flow[group.tasks] / max(float(load.flow[group.tasks].sum()), 1e-300)
        cpu, spin, off = (its.thinned * float(flow @ each) for each in (group.cpu, group.spin, group.off))
        alone, limit = cpu + spin + off, group.kind is Pool.LIMIT
        slow = max((its.busy - off) / max(cpu + spin, 1e-300), 1.0)
        busy = cpu * (1 + longer * (slow - 1)) + spin + off
        lines = [line(min(use, FULLEST * group.servers), group.servers) for use in (its.busy, busy)]
        waiting = max(its.number - its.busy, 0.0)
        kept = 0.0 if load.coming.steady else min(its.busy / group.servers, 1.0) ** CLOSED
        after = waiting * (lines[1] / lines[0]) ** (1 - kept) if lines[0] > 0 else waiting
        if limit:  # full of users it has those who are not elsewhere; of many places a line is next to none, or long, by little
            after = max(min(after, lines[1]), waiting)
        own = load.coming.steady * min(line(min(alone, FULLEST * group.servers), group.servers), waiting, after)
        mine = 0.0 if limit else 1.0
        more = (its.busy - alone + mine * (waiting - own), busy - alone + mine * (after - own))
        return cls(alone, max(more[0], 0.0), max(more[1], 0.0), busy, after, own, limit)

    def moved(self, its: GroupPoint, share: float) -> GroupPoint:
        """The point with so much of the waits."""
        busy = self.alone + share * max(self.busy - self.alone, 0.0)
        waiting = self.waiting if self.limit else self.own + share * (self.waiting - self.own)
        return its.moved(self.alone / max(its.thinned, 1e-300), busy + waiting, busy, its.thinned, its.free)
