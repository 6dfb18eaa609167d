"""Limits that are nearly always full: what they let through, and how long users wait for them.

Whether a limit holds the work with a rate that comes to it is told by what it lets through when no place is ever empty.

The times of tasks inside do not tell that. Once a limit is full they are its places over what it lets through, whatever comes.
It follows from what the tasks need: in a closed network of as many tasks as there are places, at the CPs, TCBs, logs and
devices, of which others have their part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import LEAST
from qnsolve.zos.hosts.limited.product_form import folded, speed_of, stretch, weights

LITTLE = 1e-12  # time of a task at a center that is none [s]
ENDLESS = 1e12  # wait that has no end [s]
OFTEN = 0.9  # chance of a full limit from which on it is Little's law that says how long its users wait
TELLS = 0.01  # change of the places taken, over that of the waits, from which on these follow from it [ratio]
RANGE = 3.0  # of the log of the waits over those of the chain
SECTIONS, POINTS = 8, 65  # of a search, each between two of so many points
NEARLY, FAR = 0.995, 1.3  # load of a limit by the times inside up to which these tell it, and from which on they do not
FULLEST = 0.995  # of the servers that others are taken to have


@dataclass(frozen=True)
class _Left:
    """What others leave of some servers: `streams` and `users` are their loads, `waiting` the work of these that is there."""

    servers: float
    streams: float
    users: float
    waiting: float

    def to(self, count: Array, own: float) -> Array:
        """Servers for 1, 2, … tasks of so much work: what is left over, or as much as users get who wait there too."""
        return np.asarray(np.minimum(count, self.share(count, own)))

    def share(self, count: Array, own: float) -> Array:
        """The same, no matter whether as many tasks need them."""
        spare = max(self.servers - self.streams, (1 - FULLEST) * self.servers)
        fair = spare * count * own / (count * own + self.waiting)
        return np.asarray(np.maximum(spare - self.users, fair))

    @property
    def stretch(self) -> float:
        """Time at the servers that others share, over that alone."""
        return stretch(min(self.streams + self.users, FULLEST * self.servers), self.servers)


def passing(work: Working, pool: int, through: Callable[[Places], Array], tasks: Places, stream: float, speed: Array) -> Array:
    """Speeds of 0, 1, … tasks inside a limit; where work with a rate nearly fills it, no less than if it is always full.

    Parameters
    ----------
    work : Working
    pool : int
        The limit.
    through : callable
        Flows of all tasks as far as they come from some tasks.
    tasks : ndarray of int
        Tasks that take a place.
    stream : float
        Of them, those of work with a rate, as many as hold places for as long as all do in the mean [1/s].
    speed : ndarray (size + 1,)
        By the times inside.
    """
    load, size = stream / max(float(speed[-1]), 1e-300), len(speed) - 1
    if load <= NEARLY:
        return speed
    entering = _entering(work, tasks)
    flows, coming = through(np.flatnonzero(entering)), float(work.flow[entering].sum())
    least = coming / always_full(work, pool, flows, work.flow, entering, size)
    if least >= 1 and load_without_users(work, pool, through, tasks, size) >= 1:
        return speed
    believed = NEARLY * min(least / NEARLY, 1.0) ** min((load - NEARLY) / (FAR - NEARLY), 1.0)
    return np.asarray(speed * (load / believed))


def fastest(work: Working, tasks: Places, host: int) -> tuple[float, float]:
    """Rates at which tasks of a region are served at most, at a moment and in the long run [1/s].

    They are bound by its QR TCB, and by the CPs: by all at a moment, by what other work with rates leaves in the long run.
    """
    own = np.zeros(len(work.flow))
    own[tasks] = work.flow[tasks]
    total, streams = float(own.sum()), max(_streams(work, tasks), LEAST)
    cpu, qr = (max(float(own @ its) / total, LITTLE) for its in (work.ask.on_cps, work.ask.qr))
    engines = float(work.form.engines[host])
    return max(min(engines / cpu, 1 / qr), streams), max(min(_spare(work, own, host) / cpu, 1 / qr), streams)


def fastest_on_cps(work: Working, tasks: Places, through: Array) -> float:
    """Rate at which tasks end at most, by the CPs that they and those that they call use in the long run [1/s].

    Stations in a product form would together use more CPs than there are; `through` are the flows out of these tasks (T,).
    """
    total, most = float(work.flow[tasks].sum()), np.inf
    for host in np.unique(work.form.host[through > 0]).tolist():
        cpu = float(((work.form.host == host) * through) @ work.ask.on_cps) / total
        most = min(most, _spare(work, through, host) / max(cpu, LITTLE))
    return max(most, _streams(work, tasks))


def _streams(work: Working, tasks: Places) -> float:
    """Tasks of work with a rate [1/s]: where these are more than what is let through, it is not the limit that is full."""
    return float(work.flow[tasks] @ (work.form.users[work.form.work[tasks]] == 0))


def _spare(work: Working, own: Array, host: int) -> float:
    """CPs of a host that other work with rates than some tasks of these flows leaves to them in the long run."""
    form = work.form
    here = form.host == host
    rank = form.importance[here & (own > 0)].max()
    others = np.maximum(work.flow - own, 0.0) * here * (form.users[form.work] == 0) * (form.importance <= rank)
    fixed = form.fixed[(form.fixed[:, 0] == host) & (form.fixed[:, 1] <= rank), 2]
    return float(form.engines[host]) - float(others @ work.ask.on_cps) - float(fixed.sum())


def alone_on_a_cp(work: Working, tasks: Places, host: int) -> bool:
    """Whether no other work is on a host of one CP: while any of its tasks is there, the CP works for them."""
    form = work.form
    others = (form.host == host) & (work.flow * work.ask.on_cps > 0)
    others[tasks] = False
    return float(form.engines[host]) <= 1 and not (others.any() or (form.fixed[:, 0] == host).any())


def load_without_users(work: Working, pool: int, through: Callable[[Places], Array], tasks: Places, size: int) -> float:
    """Work with a rate over what a limit lets through of it once its line has no end and keeps users out [ratio]."""
    entering = _entering(work, tasks)
    coming = float(work.flow[entering].sum())
    if coming <= 0:
        return 0.0
    flow = _without(work, _in_line(work, pool, entering))
    return coming / always_full(work, pool, through(np.flatnonzero(entering)), flow, entering, size)


def users_in_line(work: Working, pool: int, tasks: Places) -> bool:
    """Whether users wait for a limit, or in the lines of those that its tasks come out of."""
    return bool(_in_line(work, pool, _entering(work, tasks)).any())


def _entering(work: Working, tasks: Places) -> Places:
    """Of some tasks those of work with a rate (T,)."""
    found = np.zeros(len(work.form.work), dtype=bool)
    found[tasks] = work.form.users[work.form.work[tasks]] == 0
    return found


def _in_line(work: Working, pool: int, entering: Places) -> Places:
    """Works of users who all stand in a line once it has no end: before a limit, or the limits that its tasks come out of."""
    callers, inside = work.need.calls > 0, entering
    for _ in range(work.depth):
        inside = inside | callers[:, inside].any(axis=1)
    holding = {pool}.union(*(work.need.limits[t] for t in np.flatnonzero(inside & ~entering)))
    mine = [t for t, held in enumerate(work.need.limits) if not holding.isdisjoint(held)]
    found = np.zeros(len(work.form.users), dtype=bool)
    found[work.form.work[mine]] = True
    return found & (work.form.users > 0)


def _without(work: Working, works: Places) -> Array:
    """Flows of all tasks but those of some works (T,) [1/s]."""
    return np.where(works[work.form.work], 0.0, work.flow)


def always_full(work: Working, pool: int, through: Array, flow: Array, entering: Places, size: int) -> float:
    """Tasks a second that leave a limit whose places are always taken by work with a rate.

    Parameters
    ----------
    work : Working
    pool : int
        The limit.
    through : ndarray (T,)
        Flows of tasks of work with a rate, as far as they come through the limit [1/s].
    flow : ndarray (T,)
        Flows of all tasks that are not kept out [1/s].
    entering : ndarray (T,) of bool
        Tasks that take a place of it.
    size : int
        Places.
    """
    form, ask, each = work.form, work.ask, through / max(float(through[entering].sum()), 1e-300)
    count = np.arange(1.0, size + 1)
    delay = float(each @ (ask.ziip + ask.away))
    speeds = [_host(work, each, through, flow, host, count) for host in np.unique(form.host[each > 0]).tolist()]
    for at in np.flatnonzero(np.isin(form.pool_kind, [Pool.LOG, Pool.DEVICE])).tolist():
        need = work.need.lines[:, at]
        own = float(each @ need)
        if own > LITTLE and form.pool_size[at] < UNLIMITED:
            left = _left(work, through, flow, need, work.line_time[:, at], float(form.pool_size[at]))
            speeds.append(left.to(count, own) / own)
        else:
            delay += own
    speeds.append(count / max(delay, LITTLE))
    return max(min(float(_together(speeds)[-1]), _below(work, pool, each, through, flow, size)), LEAST)


def _together(speeds: list[Array]) -> Array:
    """Rates at which 1, 2, … tasks leave all stations, each with a rate by the number there, as in a product form."""
    tilt = min(float(speed[-1]) for speed in speeds)
    whole = weights(tilt / speeds[0])
    for speed in speeds[1:]:
        whole = folded(whole, weights(tilt / speed), len(speed))
    return speed_of(whole, tilt)[1:]


def _left(
    work: Working, through: Array, flow: Array, need: Array, time: Array, servers: float, fixed: float = 0.0,
    tasks: Places | None = None,
) -> _Left:  # fmt: skip
    """What others than those that come through a limit leave of some servers, `time` of each spent there; of some tasks."""
    load = np.maximum(flow - through, 0.0) * need
    users = load * (work.form.users[work.form.work if tasks is None else work.form.work[tasks]] > 0)
    return _Left(servers, float((load - users).sum()) + fixed, float(users.sum()), float(users @ time))


def _host(work: Working, each: Array, through: Array, flow: Array, host: int, count: Array) -> Array:
    """Rates at which 1, 2, … tasks leave the CPs of a host: at TCBs as in a product form, and no faster than CPs are left."""
    form, ask = work.form, work.ask
    here = form.host == host
    fixed = float(form.fixed[form.fixed[:, 0] == host, 2].sum())
    cpu = float((each * here) @ ask.on_cps)
    left = _left(work, through * here, flow, ask.on_cps * here, work.on_cps, float(form.engines[host]), fixed)
    longer = max(left.stretch, (1 + _ready(work, through, flow, host)) / left.servers)
    speeds = [count / max(float((each * here) @ (ask.cpu * longer)), LITTLE)]
    for mine, column, servers in _tcbs(work, host):
        own = float(each[mine] @ column[mine]) * longer
        if own > LITTLE:
            at = (work.on_cps[mine] * column[mine]) / np.maximum(ask.on_cps + ask.thread_off, LITTLE)[mine]
            tcb = _left(work, through[mine], flow[mine], column[mine] * longer, at, servers, tasks=mine)
            speeds.append(tcb.to(count, own) / own)
    return np.minimum(_together(speeds), left.to(count, max(cpu, LITTLE)) / max(cpu, LITTLE))


def _ready(work: Working, through: Array, flow: Array, host: int) -> float:
    """Units of users' work on the CPs of a host: a TCB has its turn among them [count]."""
    form, ask = work.form, work.ask
    time = work.on_cps / np.maximum(ask.on_cps + ask.thread_off, LITTLE)
    users = np.maximum(flow - through, 0.0) * time * (form.users[form.work] > 0)
    found = float((users * (form.host == host)) @ ask.cpu)
    return found + sum(min(float(users[mine] @ column[mine]), servers) for mine, column, servers in _tcbs(work, host))


def _tcbs(work: Working, host: int) -> Iterator[tuple[Places, Array, float]]:
    """TCBs of a host: their tasks, the time of each there, and how many there are."""
    form, ask = work.form, work.ask
    columns = {Pool.QR: ask.qr, Pool.RO: ask.ro, Pool.THREADS: ask.threads + ask.thread_off}
    for pool, kind, mine in work.tcbs.get(host, ()):
        yield mine, columns[kind], float(form.pool_size[pool])


def _below(work: Working, pool: int, each: Array, through: Array, flow: Array, size: int) -> float:
    """The same, as far as limits inside this one, which users wait for too, let these tasks through."""
    form, most = work.form, np.inf
    inside: dict[int, list[int]] = {}
    for t in np.flatnonzero(through > 0).tolist():
        held = work.need.limits[t]
        for inner in held[held.index(pool) + 1 if pool in held else 0 :]:
            inside.setdefault(inner, []).append(t)
    for inner, tasks in inside.items():
        mine, holds = np.array([inner in held for held in work.need.limits]), work.holds()
        if form.pool_kind[inner] == Pool.TRANCLASS:
            holds = holds + work.pool_wait[work.limit_pool(int(form.pool_region[inner]))]
        own = float(each[tasks] @ holds[tasks])
        others = np.maximum(flow - through, 0.0) * mine
        users = form.users[form.work] > 0
        if own > LITTLE and (others * users).any():
            spare = float(form.pool_size[inner]) - float((others * ~users) @ holds)
            if spare <= 0:  # other work with a rate fills it, by the times of this round: what its own line says
                continue
            visit = own / float(each[tasks].sum())
            theirs = _places_of_users(work, inner, np.flatnonzero(others * users), holds, spare, size, visit)
            most = min(most, max(spare - theirs, LITTLE) / own)
    return most


def _places_of_users(
    work: Working, pool: int, users: Places, holds: Array, spare: float, count: int, own: float
) -> float:  # fmt: skip
    """Of `spare` places of a limit, those that users take beside so many tasks that come back at once, and hold one for `own`.

    All wait as long: the longer, the fewer users come, at their rate without any wait at limits and this one instead, out of
    a class no more than it lets in.
    """
    form, visits = work.form, work.form.visits[users]
    of = form.work[users]
    rest = np.maximum(work.cycle - np.bincount(of, visits * work.wait[users], len(form.users)), LITTLE)
    more = np.bincount(of, visits, len(form.users))
    classes = {c for t in users.tolist() for c in work.need.limits[t] if c != pool and form.pool_kind[c] == Pool.TRANCLASS}
    members = {c: np.array([c in work.need.limits[t] for t in users]) for c in classes}

    def taken(wait: float) -> float:
        """Places of users who wait so long."""
        rate = (form.users / (rest + more * wait))[of] * visits
        for c, its in members.items():
            there = float((rate * its) @ (holds[users] + wait))
            rate = np.where(its, rate * min(1.0, float(form.pool_size[c]) / max(there, LITTLE)), rate)
        return float(rate @ holds[users])

    def over(wait: float) -> bool:
        return taken(wait) + count * own / (wait + own) > spare

    low, high = 0.0, own
    while over(high) and high < ENDLESS:
        low, high = high, 4 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if over(middle) else (low, middle)
    return taken(high)


def as_full(full: float) -> float:
    """How far the waits for a limit are those that fill its places, by the chance that none is left [0..1]."""
    return max(full - OFTEN, 0.0) / (1 - OFTEN)


def by_places(
    work: Working, pool: int, tasks: Places, holds: Array, waits: Array, part: float, goal: float,
    classes: dict[int, tuple[float, float]] | None = None,
) -> Array:  # fmt: skip
    """Waits of tasks for a limit, scaled so that `goal` places are taken in the mean (J. Little 1961).

    Users come less often the longer they wait, work with a rate does not: the waits are those at which both together take
    the places. The chain has the mix of tasks as it was; where users hold places for other times than work with a rate, it
    changes with the waits, and a wait that is too long would make itself longer still.

    Parameters
    ----------
    work : Working
    pool : int
    tasks : ndarray of int
    holds : ndarray (T,)
        Time that each task holds its place [s].
    waits : ndarray (n,)
        Waits of the chain [s].
    part : float
        How far the waits go there from those of the chain [0..1].
    goal : float
        Places taken.
    classes : dict of work to (float, float), optional
        Works that come out of full TRANCLASSes, whose places come back at once however many users wait before these: places
        there, and the time that one is idle [s].
    """
    form, users, classes = work.form, work.form.users, classes or {}
    if part <= 0 or not waits.any() or not (users[form.work[tasks]] > 0).any():
        return waits
    visits = form.visits[tasks]
    held = visits * holds[tasks]
    old = np.bincount(form.work[tasks], visits * work.pool_wait[pool, tasks], len(users))
    new = np.bincount(form.work[tasks], visits * waits, len(users))
    rest, come = np.maximum(work.cycle - old, 0.0), users.astype(float)
    for of, (places, idle) in classes.items():
        mine = form.work[tasks] == of
        come[of], rest[of] = places, float(visits[mine].sum()) * idle + float(held[mine].sum())

    mine = users > 0
    there = np.bincount(form.work[tasks], held, len(users))
    left = goal - float(form.rate[~mine] @ there[~mine])  # to users: the longer they wait the fewer they take
    cycle = np.maximum(rest + new, 1e-300)
    told = float((come * there * new / cycle**2)[mine].sum()) / max(goal, 1e-300)  # how they change with the waits, in logs
    part *= told**2 / (told**2 + (TELLS * (1 - part)) ** 2)
    low, high = -RANGE, RANGE
    for _ in range(SECTIONS):
        tried = np.linspace(low, high, POINTS)
        taken = (come / np.maximum(rest + np.exp(tried)[:, None] * new, 1e-300) * there)[:, mine].sum(axis=1)
        place = int(np.count_nonzero(taken[1:-1] > left))
        low, high = float(tried[place]), float(tried[place + 1])
    return np.asarray(waits * np.exp(part * low))
