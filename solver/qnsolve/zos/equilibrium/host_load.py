"""What a host is asked: its tasks, how they come to it, and where users are."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import PIECE, Pool
from qnsolve.zos.hosts.demands import spin_squares
from qnsolve.zos.hosts.groups import groups_of
from qnsolve.zos.hosts.load import Coming, Kept, Load
from qnsolve.zos.hosts.spread import Whereabouts

from .bursts.come_to_cps import bursts_at
from .limits.each_limit import RARE
from .limits.limits import Limits
from .limits.limits_of_cpu import several_importances
from .working import Working

COUNTS = np.unique(np.concatenate((np.arange(60.0), np.round(60 * 1.12 ** np.arange(120)))))  # tasks on the CPs
FARTHEST_LOG, STEPS = 40.0, 100  # of how much longer tasks may take: the most, and steps in which it is found
EXACT, ROUNDING = 1e-12, 2e-15  # to what it is found, and difference of numbers of tasks that is none
FILLED = (0.7, 0.9)  # share of the time in a region on the CPs: from one to the other its speeds are of as many there
FEW_HERE = 0.01  # of the users of a work, over what is left of CPUs and TCBs, up to which they come as if at rates
ROOM = 0.8  # of the places of a full region, up to which the tasks on the CPs in the mean say how many come of a kind
NONE = 1e-9  # share of tasks that is none of them
AWAY = 0.8  # most of the tasks in a region that CPU fills that are off the CPs
SEVERAL, FARTHEST = (
    2.0,
    10.0,
)  # tasks that no full region lets in, in the mean, up to which there are so many times more at most


def load_of(
    work: Working,
    limits: Limits,
    host: int,
    some: Places,
    fixed_some: Places,
    rank: float | None = None,
    before: dict[int, Array] | None = None,
) -> Load | None:
    """What a host is asked by some of its tasks and fixed CPU, all down to an importance or others; None where nothing."""
    form, need, ask = work.form, work.need, work.ask
    here = (form.host == host) & some
    fixed = float(form.fixed[(form.fixed[:, 0] == host) & fixed_some, 2].sum())
    busy = here & (ask.on_cps > 0)
    if not busy.any() and fixed == 0:
        return None
    groups, (free, spin) = groups_of(form, need, ask, here, limits.grouped, work.off_cps)
    rounds = need.rounds.copy()
    for limit in limits.grouped.values():  # a visit is as long as a task holds its place
        rounds[limit.tasks] = 1.0
    visits = np.where(busy, form.visits * rounds, 0.0)
    flow = work.rate[form.work] * visits
    coming = _coming(work, limits, here, fixed, None if rank is None else work.levels.get((host, rank)))
    regions = frozenset(form.region[here].tolist())
    kept = {
        r: (limits.size(r), min(limits.kept[r] * float(work.flow[limits.tasks[r]].sum()), AWAY * limits.size(r)))
        for r in limits.kept
        if r in regions
    }
    watched = regions & {*limits.gates, *limits.capped}
    gated, let_in = _gated(work, limits, regions)
    alike = len(np.unique(form.importance[form.host == host])) == 1
    beside = _beside(work, limits, gated, let_in, here) if alike and not coming.steady else {}
    limited = watched | {*kept} | (regions & {int(form.pool_region[pool]) for pool in limits.classes})
    return Load(
        engines=float(form.engines[host]), groups=groups, free=free, spin=spin, flow=flow, visits=visits, work=form.work,
        region=form.region, coming=coming, rough=_rough(work, host, here),
        spread=_spread(work, limits, here, before), gated=gated, let_in=let_in, beside=beside,
        watched=watched, limited=limited, filled=_filled(limits, regions), held=kept, fixed=fixed,
        fixed_flow=fixed / PIECE, calls=_calls(work, limits, busy, rounds), bursts=bursts_at(work, limits, here), rounds=rounds,
        kept=work.kept.setdefault((host, rank), Kept()), round=work.rounds,
        between=np.where(busy, need.delay + work.line_time.sum(axis=1) + need.other.sum(axis=1), 0.0) / rounds,
        in_a_row=_in_a_row(work), spin_squares=_spin_squares(work),
    )  # fmt: skip


def _filled(limits: Limits, regions: frozenset[int]) -> dict[int, float]:
    """`Load.filled`: the more of the time in a region its tasks are on the CPs the more as many are there while it is full."""
    found = {}
    for region in regions & {*limits.rates}:
        part = (limits.on_cps_share(limits.tasks[region]) - FILLED[0]) / (FILLED[1] - FILLED[0])
        if part > 0:
            found[region] = min(part, 1.0)
    return found


def _spin_squares(work: Working) -> Array:
    """`Load.spin_squares`."""
    spins = (work.ask.qr_spin + work.ask.open_spin).any()
    return spin_squares(work.form, work.need, work.ask, work.around) if spins else np.zeros((2, 0))


def _in_a_row(work: Working) -> Array:
    """`Load.in_a_row`: of those that call a task, as often as each that calls it does, once at least."""
    sent = work.flow @ work.need.calls
    found = np.divide(work.flow @ work.need.calls**2, sent, out=np.ones(len(sent)), where=sent > 0)
    return np.asarray(np.maximum(found, 1.0))


def _calls(work: Working, limits: Limits, busy: Places, rounds: Array) -> Array:
    """`Load.calls`: of regions that nothing limits, or next to nothing; whose limits fill they have rates of their own."""
    crowds = {r: work.crowds.get(limits.pool[r]) for r in (*limits.gates, *limits.capped)}
    full = {*limits.kept, *limits.rates, *(r for r, crowd in crowds.items() if crowd is None or crowd.full > RARE)}
    full |= {int(work.form.pool_region[pool]) for pool in limits.grouped}
    free = busy & ~np.isin(work.form.region, list(full))
    found: Array = work.need.calls * free[:, None] * free / rounds[:, None]
    return found if found.any() else np.zeros((0, 0))


def _rough(work: Working, host: int, here: Places) -> Array:
    """`Load.rough`: eligible pieces that find all zIIPs taken are whole ones, and come in a stream of some peakedness.

    That of what overflows c servers of so much load (W. Hayward; A. Fredericks 1980).
    """
    form, need, over = work.form, work.need, float(work.around.over[host])
    eligible = need.ziip + need.thread_ziip
    servers = len(form.ziip_speeds[host])
    if over <= 0 or not servers:
        return np.ones(1)
    offered = float(work.flow[here] @ eligible[here]) / form.ziip_speed[host]
    peaked = 1 - over * offered + offered / max(servers + 1 - offered + over * offered, 1e-9)
    piece = eligible * form.overflowed * float(form.slower[host] * work.around.growth[host]) / need.rounds
    mean = (work.ask.cpu + work.ask.threads) / need.rounds
    rest = np.maximum(mean - over * piece, 0.0)
    squares = rest**2 + over * max(peaked, 1.0) * (2 * rest + piece) * piece
    found: Array = np.maximum(np.divide(squares, mean**2, out=np.ones(len(mean)), where=mean > 0), 1.0)
    return found


def _spread(work: Working, limits: Limits, here: Places, before: dict[int, Array] | None) -> Whereabouts | None:
    """Users by where they are on a host, by the times of the round before; None where there are none, or all alike."""
    form = work.form
    if not before or several_importances(work, here & (work.ask.on_cps > 0)) or not (form.users > 0).any():
        return None
    counted, at = _counted(work, limits), {}
    regions = set(form.region[here].tolist())
    for pool, times in before.items():
        region = -1 if work.of_users(pool) else int(form.pool_region[pool])
        if region in regions and form.pool_kind[pool] != Pool.LIMIT and region not in limits.kept:
            at[pool] = form.visits * times * here
    beside = np.maximum(form.visits * work.on_cps * here - sum(at.values(), np.zeros(len(here))), 0.0)
    at |= {pool: np.where(times > 0, beside, 0.0) for pool, times in before.items() if work.of_users(pool)}
    whole = np.bincount(form.work, form.visits * counted * here, len(form.rate))
    spent = form.visits * (counted + work.found_less) * here
    some = whole > 0  # what comes to other hosts alone does not count here
    away = np.where(some, np.maximum(work.cycle - whole, 1e-9 * np.maximum(whole, 1e-12)), 1.0)
    return Whereabouts(form.users * some, away, np.where(form.users > 0, 0.0, work.rate) * some, spent, at)


def _stretches(count: Array, time: Array, stream: Array, users: Array, away: Array, fixed: float) -> Array:
    """Times of tasks over those of now at which there are so many: Newton steps in logs, between those too short and too long.

    `time` is of the tasks of each work, `stream` its rate where it has one, `fixed` other work that is there [count].
    """
    at, low, high = np.zeros(len(count)), np.full(len(count), -FARTHEST_LOG), np.full(len(count), FARTHEST_LOG)
    for _ in range(STEPS):
        longer = np.exp(at)
        there = longer[:, None] * time
        cycle = away + there
        closed, steady = users * there / cycle, there @ stream + fixed * longer
        number, slope = closed.sum(axis=1) + steady, (closed * away / cycle).sum(axis=1) + steady
        more = number > count
        low, high = np.where(more, low, at), np.where(more, at, high)
        off = np.log(np.maximum(number, 1e-300) / count)
        step = off * number / np.maximum(slope, 1e-300)
        far = (np.abs(step) > EXACT) & (np.abs(off) > ROUNDING)
        if not far.any():
            break
        inside = (at - step > low) & (at - step < high)
        at = np.where(far & ~inside, (low + high) / 2, at - step)
    return np.asarray(np.exp(at))


def _gated(work: Working, limits: Limits, regions: frozenset[int]) -> tuple[dict[int, Array], dict[int, int]]:
    """`Load.gated`, rates as visits, and `Load.let_in`: the more there are of all that are let in, the fewer come."""
    found = {region: rates for region, rates in limits.rates.items() if region in regions}
    let_in = {region: outer for region in found if (outer := limits.let_in_by(region)) in limits.let_in}
    let_in = {region: outer for region, outer in let_in.items() if list(let_in.values()).count(outer) > 1}
    there = {r: float(work.flow[limits.tasks[r]] @ work.on_cps[limits.tasks[r]]) for r in let_in}
    for region, outer in let_in.items():
        rates, number = limits.let_in[outer], sum(there[r] for r, its in let_in.items() if its == outer)
        part = float(work.flow[limits.tasks[region]].sum()) / max(float(work.flow[limits.tasks[outer]].sum()), 1e-300)
        if number < ROOM * (len(rates) - 1):
            part = _at(found[region], there[region]) / max(_at(rates, number), 1e-300)
        found[region] = part * rates
    return {region: rates * limits.visits_of_one(region) for region, rates in found.items()}, let_in


def _at(rates: Array, number: float) -> float:
    """Rate at so many tasks, no whole number perhaps."""
    return float(np.interp(number, np.arange(len(rates)), rates))


def _beside(
    work: Working, limits: Limits, gated: dict[int, Array], let_in: dict[int, int], here: Places
) -> dict[int, tuple[float, float]]:
    """`Load.beside`: limits that are full let in as many however many users are left."""
    number = work.flow * work.on_cps * here
    there = np.bincount(work.form.region, number)
    found = {}
    for region in gated:
        outer = let_in.get(region, region)
        mates = [r for r in let_in if let_in[r] == outer] if region in let_in else [region]
        its = limits.found.get(outer)
        found[region] = float(number.sum() - there[mates].sum()), 0.0 if its is None else 1 - min(its.full, 1.0)
    return found


def _counted(work: Working, limits: Limits) -> Array:
    """Time for which a task counts on the CPs: with that in and before limits that are part of a chain there (T,)."""
    counted = work.on_cps.copy()
    for limit in limits.grouped.values():
        counted[limit.tasks] += (work.off_cps + work.wait)[limit.tasks]
    for region in limits.kept:
        tasks = limits.tasks[region]
        counted[tasks] += work.pool_wait[limits.pool[region], tasks]
    return counted


def _coming(work: Working, limits: Limits, here: Places, fixed: float, seen: Array | None) -> Coming:
    """Throughput of each work at so many tasks on the CPs of a host: users that are not there come at their own pace.

    Counted are the tasks `here` and those of the fixed CPU [engines]; `seen` has their times among others all alike where
    they differ.
    """
    form = work.form
    counted = _counted(work, limits)
    spent: Array = np.bincount(form.work, form.visits * counted * here, len(form.rate)).astype(float)
    there = (counted if seen is None else counted - work.on_cps + seen) + work.found_less
    time: Array = np.bincount(form.work, form.visits * there * here, len(form.rate)).astype(float)
    closed = (form.users > 0) & (time > 0)
    own = work.rate * (np.bincount(form.work, here * (work.ask.on_cps > 0), len(form.rate)) > 0)  # of works that come here
    if not (form.users > 0).any() or (work.rounds > 1 and _as_rates(work, here, fixed, spent, closed)):
        return Coming(np.array([0.0, 1.0]), np.tile(own, (2, 1)), True, np.inf)
    away = np.where(closed, np.maximum(work.cycle - spent, 1e-9 * time), 1.0)
    users = np.where(closed, form.users, 0.0)
    come: Places = time > 0
    stream = np.where(closed, 0.0, work.rate)
    streams = fixed > 0 or bool(((form.users == 0) & come).any())
    most = np.inf if streams else float(form.users[come].sum())
    some, longer = (most > COUNTS) & (COUNTS > 0), np.exp(np.where(COUNTS > 0, FARTHEST_LOG, -FARTHEST_LOG))
    longer[some] = _stretches(COUNTS[some], time[come], stream[come], users[come], away[come], fixed)
    rate = np.where(closed, users / (away + longer[:, None] * time), own)
    if not streams:
        rate[most <= COUNTS] = 0.0
    return Coming(COUNTS, rate, False, min(most, _most_let_in(work, limits, here, counted, fixed)))


def _as_rates(work: Working, here: Places, fixed: float, spent: Array, closed: Places) -> bool:
    """Whether users think for so long that those who are here, over what is left of CPUs and TCBs, hold up next to none."""
    if not closed.any() or work.form.in_groups.any() or (work.form.tick > 0).any():
        return False
    flow = work.flow * here
    uses = [(float(flow @ work.ask.on_cps) + fixed) / float(work.form.engines[work.form.host[here][0]])]
    uses += np.bincount(work.form.region, flow * work.ask.qr).tolist()
    share = float((spent * work.rate / np.maximum(work.form.users, 1.0))[closed].max())
    return share < FEW_HERE * (1 - min(max(uses), 1.0))


def _most_let_in(work: Working, limits: Limits, here: Places, counted: Array, fixed: float) -> float:
    """Tasks `here` at most where full regions let in nearly all of them; endless where others are many.

    A task that comes from another host is let in by a full region if its callers are.
    """
    flow, calls = work.flow, work.need.calls
    full = np.isin(work.form.region, [*limits.gates, *limits.capped])
    part = flow[:, None] * calls / np.maximum(flow, 1e-300)
    alone, leads = np.maximum(1 - part.sum(axis=0), 0.0), here.copy()
    free = alone * ~full  # share of a task that comes out of no full region, and is in none
    for _ in range(work.depth):
        free = (alone + free @ part) * ~full
        leads |= (calls[:, leads] > 0).any(axis=1)
    coming = (alone + (free * ~here) @ part) * ~full
    others = float((flow * counted * coming) @ here) + fixed
    outer = {*work.form.region[full & leads & (alone > NONE)].tolist()}
    if not outer or others >= SEVERAL:
        return np.inf
    return float(sum(limits.capped.get(r, limits.size(r)) for r in outer)) + np.ceil(FARTHEST * others)
