"""What transactions wait longer for the limit of a region because work comes in bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED
from qnsolve.zos.hosts.load import MOST_OF_TIME, LimitSeen

from ..limits.limits import Limits
from ..working import Working
from .groups_at_limits import LONGEST, before_one, beyond, chances, speeds_by_little, wait
from .groups_on_the_way import in_groups
from .let_in import elsewhere

SAME = 1e-6  # relative width of a time that is found
SELDOM = 0.01  # of the time that a class is full, up to which no tasks stand in line before it


def burst_waits(work: Working, limits: Limits) -> dict[int, Array]:
    """What tasks wait longer for limits because their work, or other work there, comes in bursts (T,) [s], by the pool.

    Where the limit is part of a chain of tasks on the CPs, the groups come to that.
    """
    form, found = work.form, dict[int, Array]()
    work.groups_seen = {}
    bursts = np.flatnonzero(form.in_groups)
    if not len(bursts):
        return found
    sizes: dict[int, Array] = {}  # of groups at a task, as P(more than k)
    for w in bursts.tolist():
        for step in in_groups(work, limits, w):
            some = np.flatnonzero(step.share).tolist() if step.size > 1 else []
            sizes |= {t: beyond(step.size, float(step.share[t])) for t in some}
    holds, longer = work.holds(), sum(work.before_groups.values(), work.at_ticks)
    for pool, tasks in limits.classes.items():
        region, size = limits.pool[int(form.pool_region[pool])], int(form.pool_size[pool])
        part, held = elsewhere(work, limits, pool), holds + work.wait + longer
        at = GroupLine(tasks, holds + work.pool_wait[region], held, work.pool_wait[pool], limits.speeds.get(~pool), size, part)
        found[pool], work.groups_seen[pool] = longer_in_line(work, limits, at, sizes)
        sizes |= {t: sizes[t][:size] for t in tasks.tolist() if t in sizes}  # no more of them come to the region
    for region, tasks in limits.tasks.items():
        pool = limits.pool[region]
        if region not in limits.kept and pool not in limits.grouped:
            before = work.pool_wait[pool]
            at = GroupLine(tasks, holds, holds + before + longer, before, limits.speeds.get(region), limits.size(region))
            found[pool], work.groups_seen[pool] = longer_in_line(work, limits, at, sizes)
    return found


@dataclass(frozen=True, eq=False)
class GroupLine:
    """A limit, or a center with servers, and who comes there.

    Attributes
    ----------
    tasks : ndarray of int
    inside, held : ndarray (T,)
        Time that a task holds a place of it, and the same with all waits before it [s].
    before : ndarray (T,)
        Wait before it of single tasks [s].
    known : (ndarray, int, float) or None
        The speeds of its chain.
    size : int
        Places.
    part : float
        Share of the time inside in which tasks are not in the way of each other.
    """

    tasks: Places
    inside: Array
    held: Array
    before: Array
    known: tuple[Array, int, float] | None
    size: int
    part: float = 1.0


def _by_number(work: Working, limits: Limits, at: GroupLine, in_groups: Places) -> tuple[Array, Array]:
    """Rates at which work in groups and single tasks come, by the number there, over those in the mean (LONGEST,)."""
    form, number = work.form, np.arange(float(LONGEST))
    works = np.unique(form.work[at.tasks[in_groups]])
    flow, grouped = work.flow[at.tasks], np.isin(form.work[at.tasks], works)
    streams = flow * (form.users[form.work[at.tasks]] == 0)
    rates = np.zeros((2, LONGEST)) + np.array([streams[grouped].sum(), streams[~grouped].sum()])[:, None]
    if not streams.all():
        for source in limits.sources(at.tasks, at.held, at.inside)[1]:
            come = source.come(number * source.share)
            rates[0 if np.isin(works, source.works).any() else 1] += come
    of_groups, others = rates / np.maximum([[flow[grouped].sum()], [flow[~grouped].sum()]], 1e-300)
    return of_groups, others


def longer_in_line(work: Working, limits: Limits, at: GroupLine, sizes: dict[int, Array]) -> tuple[Array, LimitSeen | None]:
    """What tasks wait longer for a limit, to which some come in groups of these sizes (T,) [s], and what is seen of it.

    Of users, fewer come then.

    Groups and single tasks count as much as the places that they hold: so the number inside varies as it does without limit.
    """
    form, tasks, found = work.form, at.tasks, np.zeros(len(at.inside))
    some = np.array([t in sizes and len(sizes[t]) > 1 for t in tasks.tolist()], dtype=bool)
    flow, holds = work.flow[tasks], at.inside[tasks]
    if at.size >= UNLIMITED or not flow[some].any():
        return found, None
    coming, places = float(flow.sum()), flow * holds
    held, grouped = float(places.sum()) / coming, [(t, float(p)) for t, p in zip(tasks[some], places[some], strict=True)]
    tail = np.zeros(max(len(sizes[t]) for t, _ in grouped))
    for t, its in grouped:
        tail[: len(sizes[t])] += its / held / float(sizes[t].sum()) * sizes[t]
    groups, single = float(tail[0]), float(places[~some].sum()) / held
    tail = tail / groups
    burst = float(tail.sum())
    rates = _by_number(work, limits, at, some)
    speed = known = np.arange(1.0, at.size + 1) / max(held, 1e-300)
    if at.known is not None:
        known = np.maximum(at.known[0][1 : at.size + 1], 1e-300)
        speed = speeds_by_little(groups, single, tail, known, float(places.sum()))
    one = np.ones(1)
    together = chances(groups * rates[0], single * rates[1], tail, speed)
    alone = chances(0.0 * rates[0], groups * burst * rates[0] + single * rates[1], one, speed)
    if together is None or alone is None:
        return found, None
    mates = np.zeros(len(tasks))
    mates[some] = [2 * before_one(sizes[t]) for t, _ in grouped]
    weight = places * mates
    paces = _paces(form.work[tasks], flow, places, at, mates)
    pace = float(weight @ paces) / float(weight.sum())
    theirs = np.minimum((1 + mates) / at.size, 1.0)  # of the places, those of a burst: others leave as any tasks do
    behind_own = np.full(len(tasks), pace) if at.known is None else 1 / (theirs / paces + 1 - theirs)
    seen, plain = _found(together, rates[0]), _found(alone, rates[0])
    first = wait(seen, one, speed)
    more = pace * (first - wait(plain, one, speed))
    for t, slow in zip(tasks.tolist(), behind_own.tolist(), strict=True):
        own = wait(seen, sizes[t], speed) - first if t in sizes else 0.0
        found[t] += at.part * max(more + slow * own, 0.0)
    serial = chances(groups * rates[0], single * rates[1], tail, known) if at.part < 1 else None
    if serial is not None and float(serial[at.size :].sum()) > SELDOM:  # served one by one: all its waits are of one line
        inside = np.minimum(np.arange(len(serial)), at.size)
        time = float(serial @ inside) / float(serial[1:] @ known[inside[1:] - 1]) - held
        for t in tasks.tolist():
            whole = time + wait(_found(serial, rates[0]), sizes.get(t, one), known) - float(at.before[t])
            found[t] += (1 - at.part) * max(whole, 0.0)
    return found, _seen(together, tail, (groups * burst, single), at.size)


def _paces(work: Places, flow: Array, places: Array, at: GroupLine, mates: Array) -> Array:
    """Time for one to leave while those of a task's burst wait, over that of all tasks alike (n,).

    At servers the others who are there leave first, and mates come in their places; what shares the centers inside a limit
    leaves as its own tasks do.
    """
    alone, found = float(places.sum()) / float(flow.sum()), np.ones(len(work))
    for w in np.unique(work[mates > 0]).tolist():
        own = work == w
        mine, others = float(places[own].sum()) / float(flow[own].sum()), float(places[~own].sum())
        found[own] = mine / alone
        if at.known is None and others > 0:
            number = max((float(mates[own].max()) - (at.size - others)) / 2, 1.0)
            found[own] = _time_to_leave(number, at.size, mine, (others, float(flow[~own].sum()))) / number * at.size / alone
    return found


def _time_to_leave(number: float, size: int, mine: float, others: tuple[float, float]) -> float:
    """Time until so many have left servers that mates fill, each for the time `mine`, as others leave: their number and flow.

    At a single one the other leaves whether mates are there or not: what they add is their own time.
    """
    there, flow = min(others[0], float(size)) * (1 - 1 / size), others[1]

    def left(time: float) -> float:
        gone = there * -np.expm1(-time * flow / others[0])
        return float(gone + (size * time - gone * others[0] / flow) / mine)

    high = number * max(mine, others[0] / flow)
    return narrowed(lambda time: left(time) < number, 0.0, high, SAME)[1]


def _seen(chance: Array, tail: Array, coming: tuple[float, float], size: int) -> LimitSeen:
    """What is seen of a limit with so many there, to which tasks of groups and single ones come at rates."""
    number = np.arange(len(chance))
    full, below = float(chance[size:].sum()), np.cumsum(chance)
    waits = [float(chance[max(size - j, 0) :].sum()) for j in range(len(tail))]  # of the one after j others of a group
    of_groups = float(tail @ waits) / float(tail.sum())
    most = float(number[min(int(np.searchsorted(below, MOST_OF_TIME)), len(number) - 1)])
    return LimitSeen(full, (coming[0] * of_groups + coming[1] * full) / sum(coming), max(most - size, 0.0))


def _found(chance: Array, rate: Array) -> Array:
    """Chances of the number that tasks find which come at rates by that number; those of any time where none come."""
    found = chance * rate[: len(chance)]
    total = float(found.sum())
    return np.asarray(found / total if total > 0 else chance)
