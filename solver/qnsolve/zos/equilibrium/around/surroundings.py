"""What work finds around CPs and TCBs: coupling facilities, zIIPs, CPU that grows with the engines in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf, nan

import numpy as np

from qnsolve.methods.layers.shared_servers import FullError, shared
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.chains.overflow_chain import Overflow, overflow
from qnsolve.zos.hosts.demands import Around
from qnsolve.zos.hosts.kept_points import KeptAnswers

from ..rows_in_line import RowsInLine
from ..working import Working
from .overflow_feed import late_work, overflow_feed, overflowed

STEPS = 30  # of a bisection
LEAST = 1e-9  # share of the load of a facility below which a region sends nothing

_overflows = KeptAnswers[Overflow](300)


def surroundings(work: Working) -> Around:
    """Stretches at the present rates."""
    form = work.form
    growth = grown(work)
    facility = _facilities(work)
    ziip, apart = np.ones(len(form.engines)), np.zeros(len(form.work))
    over, late, back = np.zeros((3, len(form.engines)))
    for host, speeds in enumerate(form.ziip_speeds):
        eligible = eligible_work(work, host)
        if not len(speeds) or eligible.all <= 0:
            continue
        if form.ziip_overflow[host]:
            found = host_overflow(work, host)
            running = np.arange(1, len(found.chance))
            ziip[host] = float(found.chance[1:] @ running) / max(float(found.chance[1:] @ speeds), 1e-300)
            late[host], back[host] = found.share, found.longer
            eligible_cpu = work.flow * _eligible_cpu(work, host)
            each = np.broadcast_to(work.overflowing, eligible_cpu.shape)
            more = float(eligible_cpu @ each) / float(eligible_cpu.sum())  # because work comes in bursts
            over[host] = min(found.share * late_work(work, host, found.again) + more, 1.0)
            apart += (form.host == host) * (each - more)
        else:
            try:
                ziip[host] = _ziip_stretch(work, host, eligible)
            except FullError as error:
                raise FullPoolError(f"{form.system.lpars[host].name} zIIPs", error.load) from None
    return Around(growth, facility, _uneven(work), ziip, over, late, apart, back)


def _ziip_stretch(work: Working, host: int, eligible: EligibleWork) -> float:
    """Time at zIIPs whose work never runs on CPs, over that alone: the one at which users come as often as it lets them."""
    form = work.form
    jobs = inf if eligible.stream else eligible.users
    closed, last, speeds = form.users > 0, float(work.around.ziip[host]), form.ziip_speeds[host]
    each = np.bincount(form.work, form.visits * _eligible_cpu(work, host), len(form.rate))
    if not (closed & (each > 0)).any():
        return float(shared([eligible.all], [jobs], [last], speeds).stretch[0])
    cycle = work.cycle

    def longer(stretch: float) -> float:
        there = np.maximum(cycle + (stretch - last) * each, 1e-12 * cycle)
        rate = np.where(closed, form.users / np.maximum(there, 1e-300), work.rate)
        most = (1 - 1e-9) * float(speeds[-1]) if np.isfinite(jobs) or float(work.rate @ (each * ~closed)) < speeds[-1] else inf
        return float(shared([min(float(rate @ each), most)], [jobs], [stretch], speeds).stretch[0])

    low, high = 1.0, 2.0
    while longer(high) > high and high < 1e9:
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if longer(middle) > middle else (low, middle)
    return high


def grown(work: Working) -> Array:
    """CPU time of each host over that with one engine at work, at the present rates (H,)."""
    form = work.form
    busy = np.bincount(form.host, work.flow * work.ask.on_cps, len(form.engines))
    np.add.at(busy, form.fixed[:, 0].astype(int), form.fixed[:, 2])
    return np.array([item.processors.stretch(at) for item, at in zip(form.system.lpars, busy.tolist(), strict=True)])


@dataclass(frozen=True)
class EligibleWork:
    """Work that may run on the zIIPs of an LPAR [cores of one thread].

    Attributes
    ----------
    stream, closed : float
        Of work with a rate and of users.
    here : float
        Of it, at the zIIPs.
    users : float
        Units of users' work that can be there at once.
    """

    stream: float
    closed: float
    here: float
    users: float

    @property
    def all(self) -> float:
        """All of it [cores of one thread]."""
        return self.stream + self.closed


def _eligible_cpu(work: Working, host: int) -> Array:
    """Time of each task of a host at a zIIP, alone (T,) [s]."""
    form, need = work.form, work.need
    found: Array = (need.ziip + need.thread_ziip) * (form.host == host) / form.ziip_speed[host]
    return found


def eligible_work(work: Working, host: int) -> EligibleWork:
    """EligibleWork work of a host at the present rates."""
    form = work.form
    each = work.flow * _eligible_cpu(work, host)
    open_ = form.users[form.work] == 0
    limit = np.array([region.limit for region in form.system.regions], dtype=float)
    some = (each > 0) & ~open_
    users = float(np.minimum(form.users[form.work], limit[form.region])[some].sum())
    here = float(work.flow @ (work.ask.ziip_work * (form.host == host)))
    return EligibleWork(float(each[open_].sum()), float(each[~open_].sum()), here, users)


def host_overflow(work: Working, host: int) -> Overflow:
    """The zIIPs of a host whose work goes to CPs when they are full."""
    form = work.form
    eligible = eligible_work(work, host)
    back = form.ziip_speed[host] * form.slower[host] * overflowed(work, host)
    over = max(eligible.all - eligible.here, 0.0) * back
    feed, speeds = overflow_feed(work, host), form.ziip_speeds[host]
    return _overflows.of((feed, speeds, over), lambda: overflow(feed, speeds, over))


def ziip_report(work: Working, host: int) -> tuple[float, float, float]:
    """Cores busy, threads at work in a busy core, and its work over that of one thread."""
    form = work.form
    ziips, eligible = form.system.lpars[host].ziips, eligible_work(work, host)
    if ziips is None or eligible.here == 0:
        return 0.0, nan, nan
    speeds, cores = form.ziip_speeds[host], ziips.busy_cores()
    if ziips.overflow:
        chance = host_overflow(work, host).chance[1:]
    else:
        jobs = inf if eligible.stream else eligible.users
        found = shared([eligible.here], [jobs], [work.around.ziip[host]], speeds).chance
        chance = np.append(found[1:], 1 - found.sum())
    done, most = float(chance @ speeds), float(speeds[-1])
    if (
        eligible.here * float(chance.sum()) > done and most > done
    ):  # more than is done whenever any runs: all threads run longer
        full = min((eligible.here - done) / (most - done), 1.0)
        chance = (1 - full) * chance
        chance[-1] += full
    else:
        chance = chance * (eligible.here / done)  # 1 but for what the rounds leave
    running = np.arange(1.0, len(speeds) + 1)
    busy = float(chance @ cores)
    return busy, float(chance @ running) / busy, float(chance @ speeds) / busy


def facility_loads(work: Working) -> tuple[Array, Array]:
    """By facility and region: engines required by synchronous and by asynchronous requests (F, K)."""
    form, need = work.form, work.need
    regions = len(form.system.regions)
    shape = (need.other.shape[1], regions)
    sync, other = np.zeros(shape), np.zeros(shape)
    np.add.at(sync.T, form.region.astype(int), work.flow[:, None] * (need.qr_sync + need.open_sync))
    np.add.at(other.T, form.region.astype(int), work.flow[:, None] * need.other)
    return sync, other


@dataclass
class _Senders:
    """Who sends synchronous requests to a facility: regions, load and most under way of each group; an LPAR's in `rooms`."""

    groups: list[list[int]] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    jobs: list[float] = field(default_factory=list)
    rooms: dict[int, int] = field(default_factory=dict)

    def add(self, regions: list[int], load: float, most: float) -> None:
        """One more group."""
        self.groups.append(regions)
        self.loads.append(load)
        self.jobs.append(most)


def _senders(work: Working, place: int, sync: Array, users: Array) -> _Senders:
    """Those of one facility, given what the regions ask of it (K,).

    A QR TCB has a request under way at once, and an LPAR no more than it has engines.
    """
    form, need, found = work.form, work.need, _Senders()
    free = np.bincount(form.region, np.where(need.open_sync[:, place] > 0, users, 0.0), len(sync))
    at_qr = np.minimum(np.bincount(form.region, work.flow * need.qr_sync[:, place], len(sync)), sync)
    for host in range(len(form.engines)):
        name = form.system.lpars[host].name
        mine = [r for r, region in enumerate(form.system.regions) if region.lpar == name and sync[r] > 0]
        if not mine:
            continue
        senders = [max(float(free[r]), 1.0) for r in mine]
        if sum(senders) > ceil(form.engines[host]):
            found.rooms[len(found.groups)] = host
            found.add(mine, float(sync[mine].sum()), sum(senders))
            continue
        for r in mine:  # its QR TCB, and the others
            for load, most in ((float(at_qr[r]), 1.0), (float(sync[r] - at_qr[r]), max(float(free[r]), 1.0))):
                if load > LEAST * sync[r]:
                    found.add([r], load, most)
    return found


def _facilities(work: Working) -> Array:
    """Time over service time of a request, by facility and region (F, K)."""
    form = work.form
    sync, other = facility_loads(work)
    found = np.ones(sync.shape)
    if not sync.size:
        return found
    users = np.where(form.users > 0, form.users, inf)[form.work]
    limit = np.array([float(region.limit) for region in form.system.regions])
    pools = np.flatnonzero(form.pool_kind == Pool.FACILITY)
    present = work.around.facility
    for place, pool in enumerate(pools):
        behind = float(other[place].sum())
        if sync[place].sum() + behind <= 0:
            continue
        its = _senders(work, place, sync[place], users)
        stretch = [float(sync[place, g] @ present[place, g]) / float(sync[place, g].sum()) for g in its.groups]
        stretch.append(float(other[place] @ present[place]) / behind if behind else 1.0)
        senders_of = np.minimum(np.bincount(form.region, users, len(limit)), limit)
        its.add([], behind, float(senders_of[other[place] > 0].sum()) or inf)
        try:
            result = _times_of(work, place, its, stretch, np.arange(1.0, form.pool_size[pool] + 1))
        except FullError as error:
            raise FullPoolError(form.pool_name[pool], error.load) from None
        found[place] = result[-1]  # the last is of asynchronous requests
        total = np.zeros(len(limit))
        for group, load, longer in zip(its.groups[:-1], its.loads, result, strict=False):
            before = total[group]
            total[group] += load
            found[place, group] = (before * found[place, group] + load * longer) / total[group]
    return found


def _times_of(work: Working, place: int, its: _Senders, present: list[float], speeds: Array) -> Array:
    """Times of the requests of each group over those alone.

    Those of an LPAR are as from engines that always send, or as work comes: what has the longer line.
    """
    result = shared(its.loads, its.jobs, present, speeds).stretch
    if not its.rooms:
        return np.asarray(result)
    engines, rooms = work.form.engines, its.rooms
    closed = [float(ceil(engines[rooms[at]])) if at in rooms else most for at, most in enumerate(its.jobs)]
    least = shared(its.loads, closed, present, speeds).stretch
    cut = {at: _on_engines(work, place, its.groups[at], (its.loads[at], float(result[at])), host) for at, host in rooms.items()}
    return np.array([max(cut.get(at, 0.0), time) for at, time in enumerate(least)])


def _on_engines(work: Working, place: int, regions: list[int], found: tuple[float, float], host: int) -> float:
    """Time of requests over that alone where those under way of an LPAR have an engine each: no more than are left to them.

    `found` is their load, and that ratio without such a bound: as many as M/M/1 has with as many there, cut at the engines.
    """
    form, need, (load, longer) = work.form, work.need, found
    here = form.host == host
    asked = work.flow * (need.qr_sync + need.open_sync)[:, place] * np.isin(form.region, regions)
    uneven = max(float(asked @ work.around.uneven[:, place]) / max(float(asked.sum()), 1e-300), LEAST)
    other = float(work.flow @ (here * (work.ask.on_cps - work.ask.qr_spin - work.ask.open_spin)))
    number = load * (1 + (longer - 1) * uneven)
    number *= 1 - (number / (1 + number)) ** max(float(form.engines[host]) - other, 1.0)
    return 1 + max(number / load - 1, 0.0) / uneven


def _uneven(work: Working) -> Array:
    """Wait of the requests of a task over their service time, over that of its region (T, F)."""
    need, flow, form = work.need, work.flow, work.form
    time = need.qr_sync + need.open_sync + need.other
    fixed = need.qr_fixed + need.open_fixed
    visits = np.maximum(need.at_facility, 1.0)
    found = np.ones(time.shape)
    for place, pool in enumerate(np.flatnonzero(form.pool_kind == Pool.FACILITY).tolist()):
        load = flow * time[:, place] / form.pool_size[pool]
        some = np.flatnonzero(load > LEAST * load.sum())
        if len(some):
            row = np.maximum(visits[some, place] / need.rounds[some], 1.0)
            size = (time[:, place] / visits[:, place])[some]
            held = np.where(need.qr_sync[some, place] > 0, form.region[some], -1)
            sent = RowsInLine(load[some] / size / row, size, row, fixed[some] / visits.sum(axis=1)[some], held)
            found[some, place] = sent.waits_over_shared()
    return found


def request_times(work: Working) -> dict[tuple[int, str, int], float]:
    """Time of a request in the mean, by facility, structure and LPAR, wait and link included [s]."""
    form, longer = work.form, work.around.at_facility(work.form.region)
    sums: dict[tuple[int, str, int], Array] = {}
    for t, task in enumerate(form.layout.tasks):
        for place, facility, structure, count in form.layout.requests(task):
            time = facility.link.latency + structure.service_time * longer[t, place]
            number = work.flow[t] * count
            before = sums.get((place, structure.name, task.lpar), np.zeros(2))
            sums[place, structure.name, task.lpar] = before + np.array([number * time, number])
    return {key: float(time / number) for key, (time, number) in sums.items() if number > 0}
