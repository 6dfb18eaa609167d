"""The last step to an operating point: no center is asked for more than it can do.

The rounds end within a tolerance, and their methods are approximate. What is left over at a center that users fill is
time that they wait there: the least that makes its load at most 1. Each such step only lowers the rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool

from .limits.limits import Limits
from .working import Working

FULL = 1 - 1e-9  # load of a center that users fill
LIMITS = 1.0  # tasks in a region over its limit up to which its chain, where none are, is taken at its word
PASSES = 12
ROOM = 1e9  # as much as is asked for


def close(work: Working, limits: Limits) -> None:
    """Waits that keep all loads at most 1."""
    for _ in range(PASSES):
        done = [_hosts(work, limits), _ziips(work), _tcbs(work, limits), _facilities(work), _lines(work), _limits(work, limits)]
        if not any(done):
            return


def _least(work: Working, load: Callable[[], float], put: Callable[[float], None]) -> bool:
    """Find the least time from which on a load is at most 1; whether any was needed."""
    if load() <= FULL + 1e-9:
        return False
    low, high = 0.0, 1e-6
    put(high)
    while load() > FULL and high < 1e9:
        low, high = high, 4 * high
        put(high)
    if load() > FULL:  # not by what users do
        put(0.0)
        return False
    for _ in range(50):
        middle = (low + high) / 2
        put(middle)
        low, high = (middle, high) if load() > FULL else (low, middle)
    put(high)
    return True


def _users_of(work: Working, tasks: Places) -> Places:
    return tasks[work.form.users[work.form.work[tasks]] > 0]


def _outer(limits: Limits, task: int, depth: int) -> set[int]:
    """The regions of the outermost full limits that a task is behind, by any of those that call it."""
    region, callers = int(limits.work.form.region[task]), limits.called_from[task]
    found = {region} if region in limits.gates else set[int]()
    if not callers or depth <= 0:
        return found
    above = [_outer(limits, int(t), depth - 1) for t in np.flatnonzero(limits.work.need.calls[:, task] > 0)]
    return set[int]().union(*above) or found


def _stretch(work: Working, limits: Limits, tasks: Places, load: Callable[[], float]) -> bool:
    """Stretch the time of tasks on the CPs; those behind a full limit wait for it once it has no more places."""
    before, waits = work.on_cps.copy(), work.pool_wait.copy()
    groups = {pool: at.copy() for pool, at in work.at_group.items()}
    mine = _users_of(work, tasks)
    if not len(mine):
        return False
    outer = {t: _outer(limits, t, work.depth) for t in mine.tolist()}
    free = np.array([t for t in mine.tolist() if not outer[t]], dtype=int)
    full = set[int]().union(*outer.values())
    full |= {its for r in full for its in limits.together_with(r)}
    pools = {limits.pool[r]: _users_of(work, limits.tasks[r]) for r in full}
    mean = float(work.flow[mine] @ before[mine]) / max(float(work.flow[mine].sum()), 1e-300)
    room = _room(work, limits, full, mine)

    def put(more: float) -> None:
        longer = 1 + min(more, room)
        work.on_cps, work.pool_wait = before.copy(), waits.copy()
        work.on_cps[mine] *= longer
        work.on_cps[free] *= (1 + more) / longer
        for pool, at in groups.items():
            work.at_group[pool] = at.copy()
            work.at_group[pool][mine] *= longer
            work.at_group[pool][free] *= (1 + more) / longer
        for pool, waiting in pools.items():
            work.pool_wait[pool, waiting] += max(more - room, 0.0) * mean
        work.settle_rates()

    return _least(work, load, put)


def _room(work: Working, limits: Limits, full: set[int], tasks: Places) -> float:
    """How much longer some tasks may be on the CPs until full regions hold as many as their chains say, over their times."""
    found, inside, times = ROOM, work.holds(), work.on_cps.copy()
    work.on_cps[tasks] *= 2.0
    longer = work.holds() - inside
    work.on_cps = times
    for region in full:
        its, crowd = limits.tasks[region], limits.found.get(region)
        count = 0.0 if crowd is None else float(crowd.inside @ np.arange(len(crowd.inside)))
        more = float(work.flow[its] @ longer[its])
        if more > 0:
            found = min(found, max(count - float(work.flow[its] @ inside[its]), 0.0) / more)
    return found


def _hosts(work: Working, limits: Limits) -> bool:
    form, done = work.form, False
    for host in range(len(form.engines)):
        tasks = np.flatnonzero((form.host == host) & (work.ask.on_cps > 0))
        fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum())

        def load(tasks: Places = tasks, fixed: float = fixed, host: int = host) -> float:
            return (float(work.flow[tasks] @ work.ask.on_cps[tasks]) + fixed) / float(form.engines[host])

        done |= _stretch(work, limits, tasks, load)
    return done


def _waits_as(work: Working, time: str, mine: Places, each: Array) -> Callable[[float], None]:
    """Lets some tasks wait in proportion to what each demands (T,), as part of one of the times of `Demands`."""
    before = work.ask
    share = np.zeros(len(each))
    share[mine] = each[mine]

    def put(more: float) -> None:
        changed: dict[str, Any] = {time: getattr(before, time) + more * share}
        work.ask = replace(before, **changed)
        work.settle_rates()

    return put


def _ziips(work: Working) -> bool:
    """ZIIPs whose work never runs on CPs: what is left over waits for them."""
    form, done = work.form, False
    for host, speeds in enumerate(form.ziip_speeds):
        eligible = np.flatnonzero((form.host == host) & (work.ask.ziip_work > 0))
        mine = _users_of(work, eligible)
        if not len(speeds) or form.ziip_overflow[host] or not len(mine):
            continue

        def load(eligible: Places = eligible, most: float = float(speeds[-1])) -> float:
            return float(work.flow[eligible] @ work.ask.ziip_work[eligible]) / most

        done |= _least(work, load, _waits_as(work, "ziip", mine, work.ask.ziip_work))
    return done


def _tcbs(work: Working, limits: Limits) -> bool:
    form, done = work.form, False
    for kind, column in (
        (Pool.QR, work.ask.qr),
        (Pool.RO, work.ask.ro),
        (Pool.THREADS, work.ask.threads + work.ask.thread_off),
    ):
        for pool in np.flatnonzero(form.pool_kind == kind):
            tasks = np.flatnonzero((form.region == form.pool_region[pool]) & (column > 0))

            def load(tasks: Places = tasks, column: Array = column, pool: int = int(pool)) -> float:
                return float(work.flow[tasks] @ column[tasks]) / float(form.pool_size[pool])

            done |= _stretch(work, limits, tasks, load)
    return done


def _facilities(work: Working) -> bool:
    """Coupling facilities: what is left over waits for them, without a CPU."""
    form, need, done = work.form, work.need, False
    asked = need.qr_sync + need.open_sync + need.other
    for place, pool in enumerate(np.flatnonzero(form.pool_kind == Pool.FACILITY)):
        each = asked[:, place]
        mine = _users_of(work, np.flatnonzero(each > 0))
        if not len(mine):
            continue

        def load(each: Array = each, pool: int = int(pool)) -> float:
            return float(work.flow @ each) / float(form.pool_size[pool])

        done |= _least(work, load, _waits_as(work, "away", mine, each))
    return done


def _lines(work: Working) -> bool:
    form, done = work.form, False
    for pool in np.flatnonzero(np.isin(form.pool_kind, [Pool.LOG, Pool.DEVICE]) & (form.pool_size < UNLIMITED)):
        need = work.need.lines[:, pool]
        tasks = np.flatnonzero(need > 0)
        mine = _users_of(work, tasks)
        if not len(mine):
            continue
        before = work.line_time.copy()

        def put(more: float, before: Array = before, mine: Places = mine, pool: int = int(pool)) -> None:
            work.line_time = before.copy()
            work.line_time[mine, pool] += more
            work.in_lines = work.line_time.sum(axis=1)
            work.settle_rates()

        def load(tasks: Places = tasks, need: Array = need, pool: int = int(pool)) -> float:
            return float(work.flow[tasks] @ need[tasks]) / float(form.pool_size[pool])

        done |= _least(work, load, put)
    return done


def _limits(work: Working, limits: Limits) -> bool:
    """Limits; what waits for one below a full region waits before that, with all of its work."""
    form, done = work.form, False
    for pool in np.flatnonzero(np.isin(form.pool_kind, [Pool.LIMIT, Pool.TRANCLASS])):
        region = int(form.pool_region[pool])
        its_own = limits.pool[region] == pool  # a class of all the work of a region is its limit
        tasks = limits.tasks[region] if its_own else limits.classes.get(int(pool), np.zeros(0, dtype=int))
        if not len(tasks):
            continue
        waiting = {at: _users_of(work, its) for at, its in _before(limits, int(pool), tasks).items()}
        before = work.pool_wait.copy()

        def put(more: float, before: Array = before, waiting: dict[int, Places] = waiting) -> None:
            work.pool_wait = before.copy()
            for at, its in waiting.items():
                work.pool_wait[at, its] += more
            work.settle_rates()

        def load(tasks: Places = tasks, pool: int = int(pool), region: int = region, its_own: bool = its_own) -> float:
            held = work.holds()[tasks]
            if not its_own:
                held = held + work.pool_wait[limits.pool[region], tasks]
            return float(work.flow[tasks] @ held) / float(form.pool_size[pool]) / LIMITS

        if load() * LIMITS > FULL + 1e-9:
            _to_those_abreast(work, limits, region, load() * LIMITS)
            _shift(work, int(pool), tasks, lambda load=load: load() * LIMITS)  # type: ignore[misc]
            before[:] = work.pool_wait
        done |= any(map(len, waiting.values())) and _least(work, load, put)
    return done


def _to_those_abreast(work: Working, limits: Limits, region: int, load: float) -> None:
    """Tasks of a full region hold their places for less, those of regions abreast of it that have room for as much more."""
    others = [r for r in limits.together_with(region) if r != region]
    inside = work.flow * work.holds()
    there = sum(float(inside[limits.tasks[r]].sum()) for r in others)
    excess = float(inside[limits.tasks[region]].sum()) * (1 - FULL / load)
    if there + excess > sum(limits.size(r) for r in others):
        return
    work.longer = work.longer * np.ones(len(inside))
    work.longer[limits.tasks[region]] *= FULL / load
    for r in others:
        work.longer[limits.tasks[r]] *= 1 + excess / there


def _before(limits: Limits, pool: int, tasks: Places) -> dict[int, Places]:
    """Where tasks over a limit wait, and who with them: before the outermost full regions that they come out of, or the limit.

    A wait inside a full region would be held there too, and make that region over its limit many times as much.
    """
    gates, found = set(limits.gates), {pool: tasks}
    for _ in range(limits.work.depth):
        outer: dict[int, list[int]] = {}
        for at, its in found.items():
            for t in its.tolist():
                callers = limits.called_from[t]
                behind = callers and callers <= gates
                for up, group in ((limits.pool[r], limits.tasks[r]) for r in callers) if behind else ((at, its[its == t]),):
                    outer.setdefault(up, []).extend(group.tolist())
        found = {at: np.unique(its) for at, its in outer.items()}
    return found


def _shift(work: Working, pool: int, tasks: Places, load: Callable[[], float]) -> None:
    """Let tasks over a limit wait before it rather than inside, at those they call too: the response stays."""
    times, waits, lines, groups = work.on_cps.copy(), work.pool_wait.copy(), work.line_time.copy(), work.behind_groups
    at_cps, at_lines = np.maximum(times - work.ask.on_cps - work.ask.thread_off, 0.0), np.maximum(lines - work.need.lines, 0.0)
    calls, inside = work.need.calls, np.zeros(len(times), dtype=bool)
    inside[tasks] = True
    for _ in range(work.depth):  # and those that are called from there alone
        inside |= (calls[inside] > 0).any(axis=0) & ~(calls[~inside] > 0).any(axis=0)
    at_cps, at_lines, before = at_cps * inside, at_lines * inside[:, None], waits * inside
    behind = {center: its * inside for center, its in groups.items()}
    before[:, tasks] = 0.0  # but for a class: its tasks wait for their region inside it
    own = work.limit_pool(int(work.form.pool_region[pool]))
    before[own, tasks] = waits[own, tasks] * (own != pool)
    excess = sum(behind.values(), at_cps + at_lines.sum(axis=1) + before.sum(axis=0))
    each = np.zeros(len(times))  # of a task, with those that it calls
    for _ in range(work.depth + 1):
        each = excess + calls @ each

    def part(share: float) -> float:
        work.on_cps, work.line_time, work.pool_wait = times - share * at_cps, lines - share * at_lines, waits - share * before
        work.in_lines = work.line_time.sum(axis=1)
        work.behind_groups = {center: its - share * behind[center] for center, its in groups.items()}
        work.pool_wait[pool, tasks] += share * each[tasks]
        return load()

    low, high = 0.0, 1.0
    if part(high) > FULL:
        return
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if part(middle) > FULL else (low, middle)
    part(high)
