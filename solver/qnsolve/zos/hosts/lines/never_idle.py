"""Hosts some of whose lines users keep at work all the time: what the others see of them is one task, and what it goes on as.

The chain of a group takes all others as one number. Where most of these wait in a line that is never empty their number says
nothing of how many are on the processors. To the others such a line is a task that is always there, as fast as they let it
be, and to its users a place away from the processors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.groups import ServerGroup
from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.load import Coming, GroupPoint, HostPoint, Kept, Load, NeverIdle
from qnsolve.zos.hosts.spread import LOGS, Whereabouts

LONG = (0.5, 0.9)  # users in a line: from one to the other it counts more
BUSY = (0.95, 0.99)  # use of a line: from one to the other it counts as never idle, more and more
ALWAYS = (0.99, 0.999)  # from one to the other its number is that of the users that are left to it
LEAST = 1e-9  # tasks at a group that is as good as empty
STEPS = 60  # of a bisection


def beside_never_idle(host: Host, point: HostPoint) -> HostPoint:
    """The point of a host, its groups solved again beside the lines that are never idle.

    Each of these counts as far as it is so: the points are those beside all of them, beside those that are more so, and so on.
    """
    parts = _never_idle(host, point)
    found, weights, below = [point], [1.0 - max(parts.values(), default=0.0)], 0.0
    for part in sorted(set(parts.values())):
        found.append(_beside(host, point, [k for k, its in parts.items() if its >= part]))
        weights.append(part - below)
        below = part
    return _mean(found, weights) if parts else point


def _kind(host: Host, k: int) -> tuple[object, ...]:
    """What a line depends on beside the host: it is solved once for all that are alike."""
    load, tasks = host.load, host.load.groups[k].tasks
    return (*host.kind(k), *load.work[tasks].tolist(), *np.round((load.flow * load.free)[tasks], 9).tolist())


def whereabouts_known(load: Load) -> bool:
    """Whether users are known to be where they are, and no limits or bursts are there."""
    return not (load.spread is None or load.bursts or load.gated or load.held or load.watched)


def _beside(host: Host, point: HostPoint, full: list[int]) -> HostPoint:
    """The point with some lines as if they were never idle."""
    others, alone = without(host, point.free, full)
    found = others.solve()
    host.effort += others.effort
    groups, rest = list(point.groups), [k for k in range(len(point.groups)) if k not in full]
    for k, its in zip(rest, found.groups, strict=True):
        groups[k] = its
    seen = found.groups or [others.of_pieces()]
    speed, lines = float(np.median([its.always for its in seen])), dict[tuple[object, ...], GroupPoint]()
    rates = [speed / line.never_idle.cpu for line in alone]
    left = [_left_to(host.load, host.load.groups[k], line.away, rate) for k, line, rate in zip(full, alone, rates, strict=True)]
    if None in left and any(number is not None for number in left):  # to some fewer come than they serve: they do idle
        return _beside(host, point, [k for k, number in zip(full, left, strict=True) if number is not None])
    for k, rate, number in zip(full, rates, left, strict=True):
        its, kind = groups[k], _kind(host, k)
        if its.busy < ALWAYS[1] and len(full) > 1:
            if kind not in lines:
                lines[kind] = _line(host, point, full, k)
            its = lines[kind]
        if number is not None and its.kind is None:  # pieces of unlike kinds delay those that come out, too
            part = _share(its.busy, ALWAYS)
            its = _between([its, replace(its, number=number, busy=1.0, thinned=rate, free=found.free)], [1 - part, part])
        groups[k] = its
    used = float(np.median([its.used for its in seen])) + speed * len(full)
    return replace(point, groups=groups, free=found.free, used=used)


def _mean(points: list[HostPoint], weights: list[float]) -> HostPoint:
    """A point between several."""
    groups = [_between(list(its), weights) for its in zip(*(point.groups for point in points), strict=True)]
    free, used = (_geometric([getattr(point, name) for point in points], weights) for name in ("free", "used"))
    return replace(points[0], groups=groups, free=free, used=used)


def _between(points: list[GroupPoint], weights: list[float]) -> GroupPoint:
    """A point of a group between several."""
    its = points[0]
    if min(its.number, its.thinned) < LEAST:
        return its
    names = ("number", "busy", "thinned", "free")
    number, busy, thinned, free = (_geometric([getattr(one, name) for one in points], weights) for name in names)
    return its.moved(its.number / (its.thinned * its.stretch), number, busy, thinned, free)


def _geometric(values: list[float], weights: list[float]) -> float:
    return float(np.exp(np.log(np.maximum(values, 1e-300)) @ weights))


@dataclass(frozen=True)
class _Alone:
    """A line that is never idle as the others see it, and the time at it of one transaction of each task (T,) [s]."""

    never_idle: NeverIdle
    away: Array


def _share(value: float, edges: tuple[float, float]) -> float:
    return min(max((value - edges[0]) / (edges[1] - edges[0]), 0.0), 1.0)


def _never_idle(host: Host, point: HostPoint) -> dict[int, float]:
    """Lines that are never idle, and how much so: of one server, of tasks that come to no other group, and of users."""
    load, found = host.load, dict[int, float]()
    if not whereabouts_known(load) or load.spread is None:
        return found
    many = np.bincount(np.concatenate([np.zeros(0, dtype=int), *(group.tasks for group in load.groups)]))
    cycle = load.spread.away + np.bincount(load.work, load.spread.spent, len(load.spread.users))
    for k in host.lines:
        group, its = load.groups[k], point.groups[k]
        part = _share(its.busy, BUSY)
        if part == 0 or group.pool not in load.spread.at or many[group.tasks].max() > 1 or group.off.any():
            continue
        at = np.bincount(load.work, load.spread.at[group.pool], len(cycle))
        users, all_ = float((load.spread.users / cycle) @ at), float((load.spread.users / cycle + load.spread.stream) @ at)
        part *= _share(its.number * users / max(all_, 1e-300), LONG)
        if part > 0:
            found[k] = part
    return found if host.pieces > 0 or len(found) < len(load.groups) else {}


def without(host: Host, free: float, full: list[int]) -> tuple[Host, list[_Alone]]:
    """The host beside some lines that are never idle, and these."""
    load, spread = host.load, host.load.spread
    assert spread is not None
    found = [_alone(load, spread, load.groups[k], free) for k in full]
    tasks, pools = np.concatenate([load.groups[k].tasks for k in full]), {load.groups[k].pool for k in full}
    visits, calls = load.visits.copy(), load.calls.copy()
    visits[tasks] = 0.0
    if calls.size:
        calls[tasks] = 0.0
    away = np.sum([line.away for line in found], axis=0)
    gone = np.bincount(load.work, away, len(spread.users))
    left = Whereabouts(
        spread.users, spread.away + gone, spread.stream, np.maximum(spread.spent - away, 0.0),
        {pool: at for pool, at in spread.at.items() if pool not in pools},
    )  # fmt: skip
    coming = coming_of(load, left)
    groups = [group for k, group in enumerate(load.groups) if k not in full]
    smaller = replace(
        load, groups=groups, visits=visits, calls=calls, spread=left, coming=coming, kept=Kept(),
        never_idle=tuple(line.never_idle for line in found),
    )  # fmt: skip
    return Host(smaller), found


def coming_of(load: Load, spread: Whereabouts) -> Coming:
    """How work comes by the number of tasks on the CPs: users there stay as much longer as makes them so many."""
    spent, count = np.bincount(load.work, spread.spent, len(spread.users)), load.coming.count
    longer, users = np.exp(LOGS)[:, None], spread.users > 0
    rate = np.where(users, spread.users / np.maximum(spread.away + longer * spent, 1e-300), spread.stream)
    there = (longer * spent * rate).sum(axis=1) + load.fixed * np.exp(LOGS)
    found = np.array([np.interp(count, there, rate[:, w]) for w in range(len(spent))]).T
    return Coming(count, found, not users.any(), load.coming.most)


def _alone(load: Load, spread: Whereabouts, group: ServerGroup, free: float) -> _Alone:
    flow, rest, away = load.flow[group.tasks], load.free, np.zeros(len(load.flow))
    visits = max(float(flow.sum()), 1e-300)
    away[group.tasks] = np.maximum(spread.spent - load.visits * rest * free, 0.0)[group.tasks]
    return _Alone(NeverIdle(float(flow @ group.cpu) / visits, float(flow @ rest[group.tasks]) / visits), away)


def _line(host: Host, point: HostPoint, full: list[int], k: int) -> GroupPoint:
    """A line beside the others that are never idle."""
    others, _ = without(host, point.free, [i for i in full if i != k])
    place = [i for i in range(len(host.load.groups)) if i == k or i not in full].index(k)
    found = others.of_group(place)
    host.effort += others.effort
    return found


def _left_to(load: Load, group: ServerGroup, away: Array, rate: float) -> float | None:
    """Tasks at a line with which others come to it at the rate at which it serves; None where fewer come at any number."""
    spread = load.spread
    assert spread is not None
    size = len(spread.users)
    whole, own = (np.bincount(load.work, at, size) for at in (spread.spent, away))
    visits = np.bincount(load.work[group.tasks], load.visits[group.tasks], size)
    rest = spread.away + np.maximum(whole - own, 0.0)

    def come(stretch: float) -> Array:
        return np.asarray(np.where(spread.users > 0, spread.users / (rest + stretch * own), spread.stream))

    low, high = 0.0, 1.0
    if float(come(low) @ visits) <= rate:
        return None
    while float(come(high) @ visits) > rate and high < 1e9:
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if float(come(middle) @ visits) > rate else (low, middle)
    return float(come(low) @ own) * low
