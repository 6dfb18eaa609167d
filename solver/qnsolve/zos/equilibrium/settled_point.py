"""The operating point of a system: rounds of hosts given how work comes, and of limits and users given how hosts serve."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Compiled
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands

from .around.surroundings import surroundings
from .bursts.at_ticks import tick_waits
from .bursts.before_limits import burst_waits
from .bursts.in_lines import line_waits
from .bursts.overflowing import overflowing
from .closing import close
from .host_times import host_times
from .limits.limits import Limits
from .lines import Lines
from .relaxed_steps import RelaxedSteps, RoundTimes
from .users.even_shares import beyond_even_share
from .users.left_by_users import note_beyond_share
from .working import EFFORT, Working

ROUNDS, CLOSE = 30, 1e-4
CERTAIN = 4  # rounds in a row in which a center is overloaded, after which it stays so
LEAST, SOME = 3, 6  # rounds that no effort ends, and those that only all of it does
SPENT = 0.6  # part of the effort after which later ones end that lead nowhere
EVEN, LEFT = 0.2, 0.6  # change over the one before, up to which it tells what is left; and that, over the change that ends them
LAG, NEARER = 4, 0.5  # rounds come nearer where one changes this part of what so many before it did
LONG, DEAR, DEARER = 12, 50.0, 300.0  # rounds, or effort, after which `NEAR` will do; the smaller where they come nearer fast
NEAR, NEARLY = 1e-3, 3e-3  # that response times may change by then, and where two changes tell what is left [ratio]
HALF = 0.5  # change over the one before, up to which that is so
ENDLESS = 1e15  # response time from which on there is no end of it [s]
LAST = 4  # rounds that are the last ones
FULL, FINE = 0.95, 1e-9  # use of a host that its users fill, and how exact the times are that let them [ratio]
FAR = 5.0  # response time of the last rounds over the least of all, from which on they crept away from where they should settle
KNOWN = 3  # round from which on response times follow from what hosts and limits said
STILL = 3  # rounds in a row that change nothing, after which limits whose waits trade places do not either
FAR_BEYOND = 1.3  # load of a TCB over what users leave to it in the mean, from which on no chain is asked
HELD = 0.5  # of the places of a limit, from which on its TCB holds them
MOST_IN_LINE = 1e6  # tasks in a line, over those that come at once, up to which it has an end
ALIKE = 1e-3  # relative change of the load of a pool that is overloaded
BEGUN, LITTLE = 0.97, 0.02  # load of a center that users are begun with at most, and the least part of their rates
ROUGH = 0.02  # change of the waits at limits at which their rounds end, over that of the response times before
AGAIN = 3  # times that waits of work in groups are found in a round


def operating_point(form: Compiled, need: Needs, check: Callable[[Working], None], rounds: int = ROUNDS) -> Working:
    """Find it.

    Parameters
    ----------
    form, need
    check : callable
        Raises FullPoolError where what is asked of a center is more than it can do: for work with rates alone before the
        first round, since waits do not change that.
    rounds : int, optional
        At most.

    Raises
    ------
    FullPoolError
        Work with a rate asks a center for more than it can do.
    """
    work = Working.unloaded(form, need, at_rest(form), form.rate)
    work.settle_rates()
    _within(work)
    limits = Limits(work)
    lines, users = Lines(work, limits), bool((form.users > 0).any())
    steps, change, least = RelaxedSteps(), 1.0, _Least()
    overloads, changes = _Overloads(), _Changes()
    _of_rates(work, lines, check)
    for work.rounds in range(1, rounds + 1):
        before = work.response
        if users or np.any(work.overflowing):
            _look_around(work)
        limits.pick(work.rounds)
        _begin(work, limits)
        old = RoundTimes.of(work, limits.rates)
        host_times(work, limits)
        work.settle_rates()
        _bounded(work)
        lines.solve()
        work.settle_rates()
        limits.solve(max(0.1 * CLOSE, ROUGH * change))
        found = work.response  # before it is relaxed
        if work.rounds > 1 and users:
            steps.take(work, old, limits.rates)
            work.settle_rates()
        _of_groups(work, limits)
        work.settle_rates()
        if overloads.stay(work.full, users):
            break
        if work.alone and not limits.gates and not limits.classes and not limits.grouped and not limits.kept:
            work.settled = True  # nothing depends on the response times
            break
        moved = np.array([work.response, found]) / before
        change = min(float(np.abs(moved - 1).max()), 1.0)
        least.see(work)
        changes.see(work, change, float(np.abs(np.log(np.maximum(moved, 1e-300))).max()))
        if changes.settled(work, limits.calm):
            work.settled = True
            break
        if changes.enough(work):
            break
    _refuse_full(work, limits)
    least.take(work)
    close(work, limits)
    _refuse_held(work, limits)
    check(work)
    return work


def _refuse_full(work: Working, limits: Limits) -> None:
    """Raise FullPoolError where work with a rate fills a pool."""
    if not work.settled:
        limits.note_full()
    if not work.full:
        note_beyond_share(work)
    if not work.full:
        work.full |= beyond_even_share(work, FAR_BEYOND) or _endless(work)
    if work.full:
        pool, load = max(work.full.items(), key=lambda item: item[1])
        raise FullPoolError(work.form.pool_name[_held_by(work, pool)], load)


def _refuse_held(work: Working, limits: Limits) -> None:
    """Raise FullPoolError where work with a rate holds more places than a limit has, though rounds have not settled that.

    It waits long below, in a line of users, and has no line of its own to wait in instead.
    """
    if work.settled:
        return
    form = work.form
    held = work.flow * work.holds() * (form.users == 0)[form.work]
    for region, pool in limits.pool.items():
        inside = float(held[limits.tasks[region]].sum())
        if inside > form.pool_size[pool] * (1 + CLOSE):
            raise FullPoolError(form.pool_name[_held_by(work, pool)], inside / float(form.pool_size[pool]))


def _endless(work: Working) -> dict[int, float]:
    """TCBs and limits beside users with so many tasks of work with rates that their load is 1 to all digits that are known."""
    users = (work.form.users > 0)[work.form.work]
    beside = np.isin(work.form.host, work.form.host[users]) & ~users
    flow = np.where(beside, work.flow, 0.0)
    groups = flow / work.form.burst[work.form.work]
    found = {pool: 1.0 for pool, at in work.at_pools.items() if float(groups @ at) > MOST_IN_LINE}
    for pool in np.flatnonzero(work.pool_wait @ groups > MOST_IN_LINE).tolist():
        found[_held_by(work, pool)] = 1.0
    return found


def _held_by(work: Working, pool: int) -> int:
    """A center that is full, or the TCB at which tasks hold its places, where it is a limit: those that are not elsewhere."""
    tcb, inside = work.limit_tcb(pool), work.in_limit(pool)
    if tcb < 0 or not len(inside):
        return pool
    at_tcb = work.at_pools.get(tcb, np.zeros(len(work.flow)))
    elsewhere = float(work.flow[inside] @ (work.holds() - at_tcb)[inside])
    return tcb if elsewhere < (1 - HELD) * float(work.form.pool_size[pool]) else pool


def _of_groups(work: Working, limits: Limits) -> None:
    """What tasks wait longer because work comes in groups."""
    work.behind_groups, work.overflowing = line_waits(work, limits), overflowing(work, limits)
    for _ in range(AGAIN):  # tasks that wait for one hold their places in others
        before = work.response
        work.before_groups, work.at_ticks = burst_waits(work, limits), tick_waits(work)
        if float(np.abs(work.response / before - 1).max()) < CLOSE:
            break
        work.settle_rates()


def _look_around(work: Working) -> None:
    """What is around TCBs and CPs at the present rates, and what work asks for there."""
    if work.around_matters:
        work.around = surroundings(work)
        work.ask = demands(work.form, work.need, work.around)


def _of_rates(work: Working, lines: Lines, check: Callable[[Working], None]) -> None:
    """The same where all of it depends on rates, until it stays as it is; so do, nearly, the waits at logs and devices."""
    if (work.form.users > 0).any():
        return
    for _ in range(ROUNDS):
        before = work.ask
        _look_around(work)
        if work.ask is before or before.near(work.ask, 0.1 * CLOSE):
            break
    check(work)
    lines.solve()


class _Changes:
    """What each round changed."""

    def __init__(self) -> None:
        self._seen: list[float] = []
        self._still = 0
        self._last, self._left = 1.0, 1.0  # the last change, and what may be left of all changes after it
        self._close, self._first = CLOSE, NEAR

    def see(self, work: Working, change: float, apart: float) -> None:
        """Note a round, and what it changed in logs: the first ones may find times a thousand times as long, or as short."""
        part = change / max(self._last, 1e-300)
        long = work.rounds > LONG or work.effort > (DEAR if part < HALF else DEARER)
        self._close, self._first = (NEAR, NEARLY) if long else (CLOSE, NEAR)
        self._seen.append(apart)
        self._still = self._still + 1 if change < self._close else 0
        self._left = change * part / (1 - part) if part < EVEN and work.rounds >= KNOWN else 1.0
        self._last = change

    def settled(self, work: Working, calm: bool) -> bool:
        """Whether next to nothing changes any more, or will; `calm` is whether limits do not trade places."""
        if calm and self._last < self._first and self._left < LEFT * self._close:
            return True
        return work.rounds > 1 and self._still >= (1 if calm else STILL)

    def enough(self, work: Working) -> bool:
        """Whether the rounds took too long; those that come nearer may take longer, and those that tell what is full."""
        lag = min(LAG, len(self._seen) - 2)
        nearer = lag > 0 and self._seen[-1] < NEARER ** (lag / LAG) * self._seen[-1 - lag]
        if nearer or work.full or work.rounds < SOME:
            return work.effort > EFFORT and work.rounds >= LEAST
        return work.effort > SPENT * EFFORT


class _Least:
    """The least times and waits of all rounds, where the last ones crept away: too short ones are made longer at the end.

    Where rounds only swing, or drift, the last one is as good as any: its times and waits belong together.
    """

    def __init__(self) -> None:
        self._seen: list[tuple[Array, Array, Array, dict[int, Array]]] = []
        self._responses: list[Array] = []

    def see(self, work: Working) -> None:
        """Note a round."""
        if work.rounds >= KNOWN:
            groups = {pool: at.copy() for pool, at in work.at_group.items()}
            now = work.on_cps.copy(), work.line_time.copy(), work.pool_wait.copy(), groups
            self._seen.append(now)
            self._responses.append(work.response)

    def take(self, work: Working) -> None:
        """Go there where the last rounds are all far from it; what a task waits for a limit is beside the time inside."""
        if work.settled or not self._seen:
            return
        if not (np.min(self._responses[-LAST:], axis=0) > FAR * np.min(self._responses, axis=0)).any():
            return
        times, lines, waits, groups = zip(*self._seen, strict=True)
        work.on_cps, work.line_time = np.min(times, axis=0), np.min(lines, axis=0)
        own = work.on_cps + work.off_cps
        work.pool_wait = np.maximum(np.min([own + each for each in waits], axis=0) - own, 0.0)
        work.in_lines = work.line_time.sum(axis=1)
        for pool in work.at_group:
            work.at_group[pool] = np.min([each[pool] for each in groups if pool in each], axis=0)
        work.settle_rates()
        self._shorten(work)

    @staticmethod
    def _shorten(work: Working) -> None:
        """Times and waits so much shorter that users ask some host for what its chains deliver, if they ever do."""
        used = np.array([host.used for host in work.hosts]) / work.form.engines
        times, waits, alone, full = work.on_cps, work.pool_wait, work.ask.on_cps, used > FULL

        def missing(part: float) -> float:
            work.on_cps, work.pool_wait = alone + part * (times - alone), part * waits
            work.settle_rates()
            asked = np.bincount(work.form.host, work.flow * alone, len(used)) / work.form.engines
            return float((used - asked)[full].min())

        if not full.any():
            return
        if missing(0.0) > 0 or missing(1.0) <= 0:
            missing(1.0)
            return
        missing(narrowed(lambda part: missing(part) <= 0, 0.0, 1.0, FINE)[0])


class _Overloads:
    """Pools that are overloaded, from round to round."""

    def __init__(self) -> None:
        self._loads: dict[int, float] = {}
        self._rounds: dict[int, int] = {}

    def stay(self, loads: dict[int, float], users: bool) -> bool:
        """Whether a pool stays overloaded: it was so in several rounds; or as much as now, with no users to come less often."""
        same = any(abs(load / self._loads.get(pool, inf) - 1) < ALIKE for pool, load in loads.items())
        self._loads, self._rounds = dict(loads), {pool: 1 + self._rounds.get(pool, 0) for pool in loads}
        return max(self._rounds.values(), default=0) >= CERTAIN or (same and not users)


def _bounded(work: Working) -> None:
    """Raise FullPoolError where waits grow without end: tasks that hold places that those they wait for need."""
    response = float(work.response.max())
    if not response < ENDLESS * (1 + float(work.form.think.max())):
        pool = int(np.argmax(work.pool_wait.max(axis=1)))
        raise FullPoolError(work.form.pool_name[pool], np.inf)


def _begin(work: Working, limits: Limits) -> None:
    """First waits of users at limits, in the first round: hosts are then asked for about what they are at last."""
    if work.rounds == 1:
        limits.begin()
        _within(work)


def _within(work: Working) -> None:
    """A first guess of the users' rates that no host or server is asked for more than it can do by those that come to it."""
    form, need, ask = work.form, work.need, work.ask
    closed, works = form.users > 0, len(form.rate)
    if not closed.any():
        return
    flow = work.rate[form.work] * form.visits
    hosts, regions = len(form.engines), len(form.system.regions)
    cpus = np.bincount(form.host * works + form.work, flow * ask.on_cps, hosts * works).reshape(hosts, works)
    qr = np.bincount(form.region * works + form.work, flow * ask.qr, regions * works).reshape(regions, works)
    lines = np.eye(works)[:, form.work] @ (flow[:, None] * need.lines) / form.pool_size
    loads = np.concatenate((cpus / form.engines[:, None], qr, lines.T))
    users, streams = loads[:, closed].sum(axis=1), loads[:, ~closed].sum(axis=1)
    full = (users + streams > BEGUN) & (users > 0)
    part = np.maximum((BEGUN - streams[full]) / users[full], LITTLE)
    most = np.where(loads[full] > 0, part[:, None], 1.0).min(axis=0, initial=1.0)
    work.rate = np.where(closed, most * work.rate, work.rate)
