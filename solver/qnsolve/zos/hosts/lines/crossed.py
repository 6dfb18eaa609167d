"""A group of servers beside other groups and free pieces that do not come from them: one chain of the three numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.chains.cube import Others, Pieces, cube
from qnsolve.zos.hosts.chains.jumps import Jump, Spread, jumps, spread
from qnsolve.zos.hosts.chains.plane import grid
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, Known

from .pieces_of_lines import of_all_lines

APART = 0.1  # least share of the free pieces that come from elsewhere than from groups
BUSY = 0.35  # least use of the processors
SOME = 0.02  # least load of the others, or of the free pieces, over the processors
POINTS = ((4.0, 12), (6.0, 15), (8.0, 20))  # on a grid: each one up to so many, and how many in all
SHORTEST, TAIL, FULLEST = 15, 6.0, 0.97  # of a grid: numbers on the least one, those over what a load leaves, most load
TRIES, LONGER, SPILT = 7, 1.5, 3e-4  # grids, each so much longer, and the chance of a last point from which on they are
ALIKE = 0.12  # difference of the loads of groups that are taken as alike
NEAR = 0.03  # change of loads up to which the ratio to the plain chain is the same
WIDER = 1.16  # growth of the steps of the group
LONGEST = 2e5
MULTIPLICATIONS = 4e7  # that take as long as the chain of a group
QUICKEST = 0.1  # least clock over that of the group


def crossed(host: HostView, k: int) -> bool:
    """Whether a chain of the group and of all others as one number would say too little.

    Beside bursts at other lines it does: their tasks go on as pieces one by one, and what they leave moves with both numbers.
    """
    load, group = host.load, host.load.groups[k]
    if load.few_users or group.kind not in (Pool.QR, Pool.RO) or host.total < BUSY * load.engines:
        return False
    if load.bursts and (not load.coming.steady or host.bursts_begin(k) or not any(map(host.bursts_begin, host.lines))):
        return False
    if group.region in load.held or any(g.region in load.gated or g.region in load.watched for g in load.groups):
        return False
    tasks = np.concatenate([g.tasks for g in load.groups])
    theirs = sum(host.loads) - host.loads[k]
    if len(np.unique(tasks)) < len(tasks) or theirs < SOME * load.engines or host.loads[k] <= 0:
        return False
    if load.bursts:
        return True
    others = [i for i in range(len(load.groups)) if i != k]
    beyond = float(load.flow @ (host.calls.onward * (1 - of_all_lines(host, others))))
    return float(load.flow @ host.calls.apart) + beyond + load.fixed > APART * max(host.pieces, SOME * load.engines)


@dataclass(frozen=True)
class _TaskKind:
    """Tasks of one of the three: visits a second, time of one alone [s], clock, and as how many each shares the only CP."""

    flow: float
    time: float
    clock: float
    units: float = 1.0


def _task_kind(flow: Array, time: Array, clock: float | None = None) -> _TaskKind:
    whole, work = float(flow.sum()), float(flow @ time)
    if whole <= 0 or work <= 0:
        return _TaskKind(0.0, 1.0, 1.0)
    return _TaskKind(whole, work / whole, unlike(flow, time) if clock is None else clock)


def adjusted(host: HostView, k: int, plain: GroupPoint, point: GroupPoint) -> GroupPoint:
    """The point of a group, corrected as that by a plain chain of two numbers is by one of three: its own, or one nearby."""
    pool, engines = host.load.groups[k].pool, host.load.engines
    others = sum(host.loads) - host.loads[k]
    loads = np.array([host.loads[k], others, max(host.pieces, 1e-3 * engines), max(plain.number, 1e-3), host.weight(k)])
    known = _near(host, pool, loads)
    if known is None:
        known = _known(host, k, plain, loads, host.load.kept.known.get(pool))
        host.load.kept.known[pool] = known
    number, busy, thinned, waits = known.ratios
    waits = 1.0 if host.load.bursts else waits  # pieces of bursts are not as slow as others
    return _with(
        host, k, point, point.number * number, point.busy * busy, point.thinned * thinned, 1 + (point.free - 1) * waits
    )


def _with(
    host: HostView, k: int, plain: GroupPoint, number: float, busy: float, thinned: float, free: float
) -> GroupPoint:  # fmt: skip
    group = host.load.groups[k]
    flow = host.load.flow[group.tasks]
    alone = float(flow @ group.alone) / max(float(flow.sum()), 1e-300)
    return plain.moved(alone, number, busy, thinned, free)


def _near(host: HostView, pool: int, loads: Array) -> Known | None:
    """What is known of a group with about such loads: itself, or another one of the host."""
    known = host.load.kept.known
    if pool in known and np.abs(np.log(loads / known[pool].loads)).max() <= NEAR:
        return known[pool]
    alike = [k for k in known.values() if np.abs(np.log(loads / k.loads)).max() <= ALIKE and k.round == host.load.round]
    return alike[0] if alike else None


@dataclass(frozen=True)
class _Three:
    """The numbers of a chain: tasks of the group, of other groups, and the rest, mostly free pieces.

    `at_theirs` and `at_rest` are visits of the tasks that come to other groups and to the rest first, the latter as pieces
    of the rest: their CPU over that of a mean one. `ready` of the rest and `busy` of the other groups are at work, by how
    many there are; the rest is free pieces `alone`, or has the least of the groups as well.
    """

    mine: _TaskKind
    theirs: _TaskKind
    free: _TaskKind
    at_theirs: Array
    at_rest: Array
    busy: Array
    ready: Array
    beyond: Array
    alone: bool


def _three(host: HostView, k: int, top: int) -> _Three:
    load, group, flow = host.load, host.load.groups[k], host.load.flow
    rest = [i for i in range(len(load.groups)) if i != k and host.loads[i] > 0]
    rest.sort(key=lambda i: -host.loads[i])
    whole = len(rest) < 2 or host.pieces > host.loads[rest[1]]  # the free pieces are a number of their own
    first, later = (rest, []) if whole else (rest[:1], rest[1:])
    mine = _task_kind(flow[group.tasks], group.cpu, 1.0 if group.in_order else None)
    mine = replace(mine, clock=host.own_clock(k) * mine.clock, units=host.units([k], False))

    def kind(groups: list[int], more: float = 0.0) -> _TaskKind:
        piece = np.array([load.fixed / load.fixed_flow]) if load.fixed_flow else np.zeros(1)
        times = [load.groups[i].cpu for i in groups] + [more * host.rest, more * piece]
        flows = [flow[load.groups[i].tasks] for i in groups] + [
            more * flow * (host.rest > 0),
            np.array([more * load.fixed_flow]),
        ]
        found = _task_kind(np.concatenate(flows), np.concatenate(times))
        weights = [f * t for f, t in zip(flows, times, strict=True)]
        left = [host.left[load.groups[i].tasks] for i in groups] + [host.left, np.ones(1)]
        work = sum(float(w.sum()) for w in weights)
        more_clock = sum(float(w @ x) for w, x in zip(weights, left, strict=True)) / work if work > 0 else 1.0
        return replace(found, clock=found.clock * more_clock, units=host.units(groups, more > 0))

    def places(groups: list[int]) -> Array:
        found = np.zeros(len(flow))
        for i in groups:
            found[load.groups[i].tasks] = load.visits[load.groups[i].tasks]
        return found

    others, beyond = kind(later, 1.0), 1 - of_all_lines(host, first)
    apart = load.visits * (host.calls.apart + host.calls.onward * beyond) / others.time
    for each in (load.groups[i] for i in later):
        apart[each.tasks] = load.visits[each.tasks] * (each.cpu + host.rest[each.tasks]) / others.time

    return _Three(
        mine, kind(first), others, places(first), apart,
        host.company_of(first, 0.0, top).ready,
        host.company_of(later, host.pieces, top).ready if later else np.arange(top + 1.0), beyond, not later,
    )  # fmt: skip


def _known(host: HostView, k: int, plain: GroupPoint, loads: Array, before: Known | None) -> Known:
    """The chain solved; as the plain one where no grid does."""
    load, group = host.load, host.load.groups[k]
    theirs, pieces, whole = sum(host.loads) - host.loads[k], host.pieces, host.total / load.engines
    lines = theirs / max(load.engines - host.loads[k] - pieces, 1e-9)  # the more pieces the more of the processors they have
    reach = [SHORTEST + TAIL / (1 - min(use, whole, FULLEST)) for use in (whole, lines, pieces / load.engines)]
    tops = np.array([reach[0] + 20 / max(1 - host.loads[k] / group.servers, 0.03), *reach[1:]])
    finer = max((known.finer for known in load.kept.known.values()), default=0)
    if before is not None:
        tops = before.tops
    most = np.minimum(load.coming.most, [LONGEST, host.top, host.top])
    ratios, alike = np.ones(4), load.coming.steady and load.called is None
    for _ in range(TRIES):
        tops = np.minimum(tops, most)
        three = _three(host, k, int(tops.max()) + 1)
        solved = None
        for choice in range(finer, len(POINTS) - (not load.bursts)):
            unit, points = POINTS[choice]
            levels = np.arange(group.servers + 3.0) if alike else grid(max(8, group.servers + 3), tops[0], WIDER)
            axes = levels, _axis(tops[1], unit, points), _axis(tops[2], unit, points)
            host.effort += len(axes[0]) * float(len(axes[1]) * len(axes[2])) ** 3 / MULTIPLICATIONS
            solved = _solved(host, k, axes, three, alike)
            if solved is not None:
                finer = choice
                break
        if solved is None:
            break
        chance, figures = solved
        ratios = figures / [plain.number, plain.busy, plain.thinned, 1.0]
        alone = host.pieces > 0 and three.alone
        ratios[3] = max(figures[3] - 1, 1e-9) / max(plain.free - 1, 1e-9) if alone else 1.0
        last = np.array([chance[-1].sum(), chance[:, -1].sum(), chance[:, :, -1].sum()])
        last[tops >= most] = 0.0
        last[0] *= not alike
        if (last < SPILT).all():
            break
        tops = np.where(last < SPILT, tops, LONGER * tops)
    return Known(loads, ratios, tops, finer, load.round)


def _axis(top: float, unit: float, points: int) -> Array:
    growth = 1.4
    while len(found := grid(unit, max(top, 2.0), growth)) > points and growth < 4:
        growth *= 1.1
    return found


def _solved(host: HostView, k: int, axes: tuple[Array, Array, Array], three: _Three, alike: bool) -> tuple[Array, Array] | None:
    """Chances, and tasks, servers at work, throughput and time of free pieces over that alone."""
    load, group, m = host.load, host.load.groups[k], host.load.engines
    levels, others, pieces = axes
    mine, theirs, free = three.mine, three.theirs, three.free
    n = levels[:, None, None]
    shape = (len(levels), len(others), len(pieces))
    busy = three.busy[others.astype(int)][None, :, None]
    ready = three.ready[pieces.astype(int)][None, None, :]
    units = np.minimum(n, group.servers)
    together = mine.units * units + theirs.units * busy + free.units * ready

    def served(number: Array, kind: _TaskKind) -> Array:
        return np.broadcast_to(number / (kind.time * np.maximum(1.0, together / kind.units / m)), shape)

    serve, ends, done = served(units, mine), served(busy, theirs), served(ready, free)
    comes = _arrivals(host, k, axes, three)
    if not alike:
        comes[0][-1] = 0.0
    slow_y, slow_z = max(theirs.clock / mine.clock, QUICKEST), max(free.clock / mine.clock, QUICKEST)
    onward = host.calls.onward / free.time
    on = float(load.flow[group.tasks] @ onward[group.tasks]) / mine.flow
    behind = load.flow * (three.at_theirs > 0)
    on_theirs = float(behind @ (onward * (1 - three.beyond))) / max(float(behind.sum()), 1e-300)
    solved = cube(
        levels, comes[0], serve, on / slow_z, Others(others, comes[1] / slow_y, ends / slow_y, on_theirs * slow_y / slow_z),
        Pieces(pieces, comes[2] / slow_z, done / slow_z), alike,
        _at_once(host, (others, pieces), three, (slow_y, slow_z)),
    )  # fmt: skip
    if solved is None:
        return None
    levels, chance = solved
    if alike:
        serve, ends, done, units = serve[:-1], ends[:-1], done[:-1], units[:-1]
    n = levels[:, None, None]
    thinned = max(float((chance * serve).sum()), 1e-9 * mine.flow)
    number, at_work = float((chance * n).sum()), float((chance * units).sum())
    ended = float((chance * done).sum()) * free.time
    stretched = float((chance * ready).sum()) / ended if ended > 0 else 1.0
    return chance, np.array([number, at_work, thinned, stretched])


def _at_once(host: HostView, axes: tuple[Array, Array], three: _Three, clocks: tuple[float, float]) -> Spread | None:
    """What comes in bursts to other groups and to the rest, by their clocks."""
    load, found = host.load, list[Jump]()
    at_lines = three.at_theirs > 0
    rest = np.where(at_lines, 0.0, three.at_rest / np.maximum(load.visits, 1e-300))
    for burst in load.bursts:
        own, other, pieces = (float(burst.first @ its) for its in (at_lines, rest > 0, rest))
        many = min(other, pieces)  # short tasks are fewer pieces
        often = pieces / many if many > 0 else 1.0
        rate = np.full((len(axes[0]), len(axes[1])), float(load.coming.rate[0, burst.work]) / clocks[0])
        found += jumps(burst, rate, own, many, clocks[1] / clocks[0] / often, wide=True)
    return spread(*axes, found) if found else None


def _arrivals(host: HostView, k: int, axes: tuple[Array, Array, Array], three: _Three) -> list[Array]:
    """Rates at which tasks come to the group, to other groups, and to the rest from elsewhere."""
    load, group = host.load, host.load.groups[k]
    levels, others, pieces = axes
    beside = (others[:, None] + pieces[None, :]).ravel()
    total = levels[:, None] + beside[None, :]
    at = np.zeros(len(load.flow))
    at[group.tasks] = load.visits[group.tasks]
    works = host.works(k, levels, beside)
    found = []
    for visits, fixed in ((at, 0.0), (three.at_theirs, 0.0), (three.at_rest, load.fixed / three.free.time)):
        rates = host.coming(visits, total, works)
        if np.isfinite(load.coming.most):
            rates = rates * (total < load.coming.most)
        for burst in load.bursts:
            first = float(burst.first @ (visits / np.maximum(load.visits, 1e-300)))
            rates = np.maximum(rates - first * float(load.coming.rate[0, burst.work]), 0.0)
        found.append((rates + fixed).reshape(len(levels), len(others), len(pieces)))
    return found
