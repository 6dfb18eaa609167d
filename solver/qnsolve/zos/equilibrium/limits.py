"""MXT, TRANCLASS, dependent regions: who waits before a limit, and how its tasks then come to the CPs.

A limit is a birth-death chain of the tasks in and before it, whose speeds come from a convolution of what is inside: the
region's CPU side, its delays, and the regions below it that fill, each at its own speed. Regions in series need no iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from qnsolve.methods.limits.unlike_works import unlike_waits
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.hosts.birth_death import Crowd, CrowdedError, UserSource, crowd, crowd_at_most
from qnsolve.zos.hosts.host import FEW

from .bracketed_rates import BracketedRates
from .product_form import folded, speed_of, weights
from .series_limits import SharedBelow
from .working import Working

RARE = 0.03  # chance of a queue before a limit below which tasks come to the CPs as if there were none
ON_CPS = 0.4  # share of the time in a region spent on the CPs from which on its limit is part of the chain there
MILD = 1.6  # (1 + C²)/2 of holding times of users up to which one factor stands for all kinds of work
APART = 3.0  # most that a speed read off a chain differs from that of the product form
CALM = 1e-3  # waits that change less, over the response time, are settled
LITTLE_WAIT = 1e-7  # over the time inside: as if there were none
LITTLE, SELDOM = 0.25, 0.4  # part of the CPU at TCBs, and their use, up to which a limit that CPU fills is servers of its own
EFFORT_OF_ONE = 5e5  # multiplications for one limit, about
PASSES = 24  # over all limits in one round
DIRECT = 3  # of them in which rates are taken as they are found
OFTEN = 0.9  # chance of a full limit from which on it is Little's law that says how long its users wait
USERS_ON_CPS = 0.6  # the same for work of users
SETTLING = 4  # rounds in which limits may change between the two


@dataclass
class Limits:
    """How each limit is treated, and what the last round found.

    Attributes
    ----------
    grouped : dict of pool to ndarray (T,)
        Regions that are a group of servers on the CPs, and the time of their tasks off the CPs.
    kept : dict of region to float
        Regions whose limit is part of the chain of their QR TCB, and the time of a task off the CPs.
    gates : list of region
        The others that may fill.
    rates : dict of region to ndarray
        How tasks come to the CPs out of a region that fills.
    """

    work: Working
    grouped: dict[int, Array] = field(default_factory=dict)
    kept: dict[int, float] = field(default_factory=dict)
    gates: list[int] = field(default_factory=list)
    capped: dict[int, int] = field(default_factory=dict)
    rates: dict[int, Array] = field(default_factory=dict)
    speeds: dict[int, tuple[Array, int, float]] = field(default_factory=dict)
    parts: dict[int, tuple[Array, Array, Array, float]] = field(default_factory=dict)
    ratios: dict[int, Array] = field(default_factory=dict)
    stale: set[int] = field(default_factory=set)
    calm: bool = True
    found: dict[int, Crowd] = field(default_factory=dict)
    nu: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        form = self.work.form
        self.pool = {int(form.pool_region[p]): int(p) for p in np.flatnonzero(form.pool_kind == Pool.LIMIT)}
        self.tasks = {r: np.flatnonzero(form.region == r) for r in self.pool}
        self.shares = np.zeros((0, 0))
        self.classes = {
            int(p): np.array([t for t, held in enumerate(self.work.need.limits) if p in held], dtype=int)
            for p in np.flatnonzero(form.pool_kind == Pool.TRANCLASS)
        }
        self.classes = {p: tasks for p, tasks in self.classes.items() if len(tasks)}
        for pool, tasks in list(self.classes.items()):  # a class of all the work of a region is its limit
            region = int(form.pool_region[pool])
            if len(tasks) == len(self.tasks[region]) and form.pool_size[pool] <= self.size(region):
                self.pool[region] = pool
                del self.classes[pool]
        calls = self.work.need.calls > 0
        self.calling: Array = np.asarray(calls.any(axis=1))
        self.called_from = [set(form.region[calls[:, t]].tolist()) for t in range(len(form.work))]
        self.above = {  # the region that alone calls the tasks of this one; -1 for none
            r: self._only_caller(calls, tasks) for r, tasks in self.tasks.items()
        }
        callers = {r: set(form.region[calls[:, tasks].any(axis=1)].tolist()) - {r} for r, tasks in self.tasks.items()}
        level = dict.fromkeys(self.pool, 0)
        for _ in range(min(len(self.pool), self.work.depth * len(self.pool))):
            for r, above in callers.items():
                level[r] = min(max((level[c] + 1 for c in above), default=0), len(self.pool))
        self.shared = SharedBelow(self)
        self.order = sorted(self.pool, key=lambda r: -level[r])

    def _only_caller(self, calls: Places, tasks: Places) -> int:
        regions = set()
        for t in tasks:
            callers = np.flatnonzero(calls[:, t])
            regions |= {int(self.work.form.region[c]) for c in callers} or {-1}
        return regions.pop() if len(regions) == 1 else -1

    def size(self, region: int) -> int:
        """Places of a region."""
        return int(self.work.form.pool_size[self.pool[region]])

    def classes_of(self, region: int) -> list[int]:
        """Pools of the TRANCLASSes of a region."""
        return [p for p in self.classes if self.work.form.pool_region[p] == region]

    def pick(self, round_: int) -> None:
        """Which limits may fill, and how each is treated."""
        if round_ > SETTLING:
            return
        self.take_shares()
        w, form = self.work, self.work.form
        holds, flow = w.holds(), w.flow
        self.gates, self.kept, self.capped = [], {}, {}
        grouped: dict[int, Array] = {}
        for region, tasks in self.tasks.items():
            if not len(tasks) or flow[tasks].sum() <= 0:
                continue
            pool, size = self.pool[region], self.size(region)
            own_wait = w.pool_wait[pool]
            if self._class_cap(region) <= size:
                if self._class_cap(region) < size:
                    self.capped[region] = int(self._class_cap(region))
                continue
            inside = float(flow[tasks] @ (holds + own_wait)[tasks])
            works = np.unique(form.work[tasks])
            most = np.inf if (form.users[works] == 0).any() else float(form.users[works].sum())
            if most <= size or size > 2.5 * inside + 6 * sqrt(inside) + 25:
                w.pool_wait[pool] = 0.0
                continue
            on_cps = float(flow[tasks] @ w.on_cps[tasks]) / max(float(flow[tasks] @ holds[tasks]), 1e-300)
            simple = not self.classes_of(region) and not (w.need.calls[tasks] > 0).any() and self.above[region] < 0
            streams = float(flow[tasks] @ (form.users[form.work[tasks]] == 0)) > 0.5 * float(flow[tasks].sum())
            mostly = float(flow[tasks] @ (w.ask.qr[tasks] > 0)) > 0.9 * float(flow[tasks].sum())  # over the QR TCB
            filled = on_cps > (ON_CPS if streams else USERS_ON_CPS)
            if simple and (self._seldom_on_tcbs(region) if filled else on_cps > ON_CPS and not w.ask.qr[tasks].any()):
                grouped[pool] = w.off_cps
            elif simple and filled and mostly:
                self.kept[region] = float(flow[tasks] @ (holds - w.on_cps)[tasks]) / float(flow[tasks].sum())
            else:
                self.gates.append(region)
        self.grouped = grouped
        gating = {*self.gates, *self.capped}
        self.rates = {r: rates for r, rates in self.rates.items() if r in gating}

    def _seldom_on_tcbs(self, region: int) -> bool:
        """Whether tasks of a region hardly wait for its TCBs: these are seldom busy, and a small part of its CPU."""
        w, tasks = self.work, self.tasks[region]
        on_tcbs = float(w.flow[tasks] @ (w.ask.qr + w.ask.ro + w.ask.threads)[tasks])
        all_ = max(float(w.flow[tasks] @ w.ask.on_cps[tasks]), 1e-300)
        once = bool((w.need.rounds[tasks] == 1).all())
        return on_tcbs == 0 or (once and on_tcbs < SELDOM and on_tcbs / all_ < LITTLE)

    def _class_cap(self, region: int) -> float:
        """Tasks that the TRANCLASSes of a region let in, where all its work has one."""
        mine = self.classes_of(region)
        covered = set().union(*(set(self.classes[p].tolist()) for p in mine)) if mine else set()
        if covered != set(self.tasks[region].tolist()):
            return np.inf
        return float(self.work.form.pool_size[mine].sum())

    def solve(self, near: float) -> None:
        """Waits for all limits, classes before regions, the regions that are called before their callers.

        `near` is the change of the waits over the response time at which it ends.
        """
        w = self.work
        self.stale = set(self.ratios)
        self.found, self.nu = {}, {}
        self.calm = not self.gates and not self.classes
        if self.calm:
            return
        rates = BracketedRates(w.form.users > 0)
        for passed in range(PASSES):
            before, come = w.pool_wait.copy(), w.rate.copy()
            self._pass(passed < DIRECT)
            moved = float(np.abs(w.pool_wait - before).max()) / (1e-6 + float(w.response.max()))
            w.settle_rates()
            if passed >= DIRECT:
                moved = max(moved, rates.farthest(come, w.rate))
            self.calm = moved < CALM
            if moved < near:
                break
            if passed >= DIRECT - 1 and passed < PASSES - 1:
                w.rate = rates.next(come, w.rate)
        for region, found in self.found.items():
            self._note_rates(region, found)

    def _pass(self, follow: bool) -> None:
        """All limits once; the users' rates as they are found, or as they are."""
        self.take_shares()
        for region in self.order:
            for pool in self.classes_of(region):
                self._tranclass(pool)
                if follow:
                    self.work.settle_rates()
            if region in self.gates or region in self.capped:
                self._gate(region)
                if follow:
                    self.work.settle_rates()

    def sources(self, tasks: Places, held: Array, inside: Array) -> tuple[float, list[UserSource], float]:
        """How tasks come: a stream, and users elsewhere; last, time that one of the stream holds a place, over all."""
        w, form = self.work, self.work.form
        response, flow = w.response, w.flow
        total = max(float(flow[tasks] @ held[tasks]), 1e-300)
        stream, found = 0.0, []
        mean = float(flow[tasks] @ inside[tasks]) / max(float(flow[tasks].sum()), 1e-300)
        opened = flow[tasks] * (form.users[form.work[tasks]] == 0)
        hold = float(opened @ inside[tasks]) / max(float(opened.sum()) * mean, 1e-300)
        for work in np.unique(form.work[tasks]):
            mine = tasks[form.work[tasks] == work]
            visits = float(form.visits[mine].sum())
            if form.users[work] == 0:
                stream += float(w.rate[work]) * visits
                continue
            time = float(form.visits[mine] @ held[mine]) / visits
            users = float(form.users[work])
            away = (form.think[work] + response[work]) / visits - time
            room = self.room_above(mine, int(work))
            if room < users:  # comes out of regions at their limits: no more than they hold
                users, away = room, max(room / (float(w.rate[work]) * visits) - time, 1e-3 * time)
            share = float(flow[mine] @ held[mine]) / total
            longer = float(form.visits[mine] @ inside[mine]) / visits / max(mean, 1e-300)
            found.append(UserSource(users, share, max(away, 1e-9 * time, 1e-12), longer))
        return stream, found, hold

    def room_above(self, mine: Places, work: int) -> float:
        """Tasks of a work that the regions from which it comes let in."""
        regions = self.callers(mine)
        if regions.isdisjoint(self.gates):
            return np.inf
        users = float(self.work.form.users[work])
        return sum(min(self.size(r), users) * float(self.shares[r, work]) for r in regions)

    def callers(self, tasks: Places) -> set[int]:
        """Regions whose tasks call some tasks."""
        found: set[int] = set()
        return found.union(*(self.called_from[t] for t in tasks.tolist()))

    def room(self, mine: Places, work: int) -> float:
        """Tasks of a work that the regions of some of its tasks let in; infinite where one of them has no limit that fills."""
        full = {*self.gates, *self.capped, *self.kept, *(int(self.work.form.pool_region[p]) for p in self.grouped)}
        found, users = 0.0, float(self.work.form.users[work])
        for region in np.unique(self.work.form.region[mine]).tolist():
            if region not in full and self.above[region] in full:
                region = self.above[region]
            if region not in full:
                return np.inf
            found += min(self.capped.get(region, self.size(region)), users) * float(self.shares[region, work])
        return found

    def take_shares(self) -> None:
        """Note the share of each work in the tasks of each region."""
        w, form = self.work, self.work.form
        regions, works = len(form.system.regions), len(form.rate)
        held = np.bincount(form.region * works + form.work, w.flow * w.holds(), regions * works).reshape(regions, works)
        self.shares = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)

    def unlike(self, pool: int, tasks: Places, inside: Array, speed: Array, size: int, away: Array, plain: float) -> Array:
        """Waits of each task over those that tasks all alike would have (n,).

        `plain` is that wait; `inside` is the time of a task inside the limit, of which `away` is off the CPs; both parts
        are exponential.
        """
        if plain <= LITTLE_WAIT * float(inside[tasks].min()):
            return np.ones(len(tasks))
        if pool in self.ratios and pool not in self.stale:
            return self.ratios[pool]
        w, form = self.work, self.work.form
        flow = w.flow[tasks]
        some = np.flatnonzero(flow > 0)
        ratio = np.ones(len(tasks))
        if pool not in self.grouped and self._mild(tasks, self._mixed(tasks, inside, away)):
            return ratio
        if len(some) == 1 and not form.users[form.work[tasks[some[0]]]]:
            ratio[some] = self._mixed(tasks, inside, away)
        if len(some) > 1:
            off = np.clip(away[tasks], 0.0, inside[tasks])[some]
            on = inside[tasks][some] - off
            mean = np.maximum(on + off, 1e-12)
            users, gone = np.zeros(len(some)), np.ones(len(some))
            cycle = form.think + w.response
            for place, t in enumerate(tasks[some]):
                work = form.work[t]
                if form.users[work] > 0:
                    room = self.room_above(np.array([t]), int(work))
                    time = inside[t] + w.pool_wait[pool, t]
                    users[place] = form.users[work]
                    gone[place] = cycle[work] / form.visits[t] - time
                    if room < users[place]:
                        users[place], gone[place] = room, max(room / flow[some][place] - time, 1e-3 * time)
            gone = np.maximum(gone, 1e-6 * mean)
            alike = float(flow[some] @ mean) / float(flow[some].sum())
            relative = np.append(1.0, speed[1:] / np.arange(1.0, size + 1) * alike)
            if np.ptp(mean) > 0.02 * alike or np.ptp(gone * (users > 0)) > 0:
                try:
                    second, third = on**2 + on * off + off**2, on**3 + on**2 * off + on * off**2 + off**3
                    found = unlike_waits(size, users, flow[some], gone, mean, second, third, relative).wait  # fmt: skip
                    if plain > 1e-9 * alike and np.isfinite(found).all():
                        ratio[some] = np.clip(found / plain, 0.02, 100.0)
                except CrowdedError:
                    pass
        self.ratios[pool] = ratio
        self.stale.discard(pool)
        return ratio

    def _mixed(self, tasks: Places, inside: Array, away: Array) -> float:
        """(1 + C²)/2 of the times that tasks hold a place, the part on the CPs and that away from them exponential."""
        flow = self.work.flow[tasks]
        b = np.clip(away[tasks], 0.0, inside[tasks])
        a = inside[tasks] - b
        first = float(flow @ (a + b))
        return float(flow @ (a * a + a * b + b * b)) * float(flow.sum()) / (first * first) if first > 1e-150 else 1.0

    def plain(self, tasks: Places, inside: Array, speed: Array, size: int) -> float:
        """Wait for a limit were all tasks alike; 0 where open work fills it."""
        held = inside + self.work.pool_wait[self.pool[int(self.work.form.region[tasks[0]])]]
        stream, sources, hold = self.sources(tasks, held, inside)
        try:
            return crowd(stream, sources, speed, size, hold=hold).wait
        except CrowdedError:
            return 0.0

    def _mild(self, tasks: Places, mixed: float) -> bool:
        """Whether a factor for all kinds of work is as good: users of times not far apart, or out of full regions."""
        users = self.work.form.users[self.work.form.work[tasks]] > 0
        nested = not self.callers(tasks).isdisjoint(self.gates) or bool(users.any() and self.calling[tasks].any())
        return nested or (bool(users.all()) and mixed < MILD)

    def _crowd(self, pool: int, tasks: Places, held: Array, inside: Array, speed: Array, size: int, mixed: float) -> Crowd:
        stream, sources, hold = self.sources(tasks, held, inside)
        found, load = crowd_at_most(stream, sources, speed, size, mixed if self._mild(tasks, mixed) else 1.0, hold)
        self.work.overloaded(pool, load)
        self.work.crowds[pool] = found
        return found

    def _gate(self, region: int) -> None:
        """A region's limit; regions below it that fill are stations of it, solved before."""
        w = self.work
        w.effort += EFFORT_OF_ONE
        size = int(self.capped.get(region, self.size(region)))
        tasks = self.tasks[region]
        flow = w.flow[tasks]
        total = float(flow.sum())
        inner = [r for r in self.gates if self.above[r] == region and r in self.speeds and not self.classes_of(r)]
        holds = w.holds()
        mine = self.shared.of(region)
        below = sum(float(w.flow[self.tasks[r]] @ (holds + w.wait)[self.tasks[r]]) for r in inner) + self.shared.time(mine)
        rest = max((float(flow @ (holds - w.on_cps)[tasks]) - below) / total, 1e-12)
        if region not in self.nu:
            self.nu[region] = self._cps_speed(region, size)
        nu = self.nu[region]
        tilt = min(total, size / max(rest, 1e-12), 0.9999 * float(nu[-1])) if not inner and not mine else total
        tilt = max(tilt, 1e-300)
        phi = weights(tilt / nu)
        fix = weights(tilt * rest / np.arange(1.0, size + 1))
        parts = []
        for r in inner:
            speed, limit, its = self.speeds[r]
            speed = np.append(speed[1:], np.full(max(0, size - limit), speed[limit]))[:size]
            parts.append(weights(tilt / total * its / speed))
        others: dict[int, Array] = {}
        stations = self.shared.weights(region, mine, size, tilt)
        for r in mine:  # with all else of its tasks, for its own chain
            found_ = folded(phi, fix, size)
            for part in (*parts, *(its for other, its in stations.items() if other != r)):
                found_ = folded(found_, part, size)
            others[r] = found_
        both = fix
        for part in stations.values():
            both = folded(both, part, size)
        base = folded(phi, both, size)
        for part in parts:
            both = folded(both, part, size)
        whole = np.maximum(folded(phi, both, size), 1e-300)
        speed = speed_of(whole, tilt)
        back = np.append(0.0, tilt * both[:-1] / np.maximum(both[1:], 1e-300))
        self.speeds[region] = speed, size, total
        self.parts[region] = phi, both, back, tilt
        above = self.above[region]
        if above in self.gates and not self.classes_of(region):
            return  # settled with the region above
        pool = self.pool[region]
        held = holds + (w.wait if region in self.capped else w.pool_wait[pool])
        found = self._crowd(pool, tasks, held, holds, speed, size, self._mixed(tasks, holds, holds - w.on_cps))
        if mine:
            found = self.shared.solve(region, mine, size, others, tilt, found)
            w.crowds[pool] = found
        self._settle(region, found, speed)
        self._descend(region, found, whole, parts, inner, base)

    def _cps_speed(self, region: int, size: int) -> Array:
        """Rate at which 1 … size tasks of a region leave the CPs."""
        w = self.work
        tasks = self.tasks[region]
        host = int(w.form.host[tasks[0]])
        total = float(w.flow[tasks].sum())
        serial = 0.0  # time at the QR TCB but for its queue
        for pool, at in w.at_group.items():
            if w.form.pool_kind[pool] == Pool.QR and w.form.pool_region[pool] == region:
                serial = float(w.flow[tasks] @ w.ask.qr[tasks]) / total * w.service.get(pool, 1.0)
                own = float(w.flow[tasks] @ (w.on_cps - at)[tasks]) / total
        if serial == 0.0:
            own = float(w.flow[tasks] @ w.on_cps[tasks]) / total
        if serial == 0.0:  # work without CPU is never on the CPs for long
            own = max(own, 1e-9 * float(w.flow[tasks] @ w.holds()[tasks]) / total)
        count = np.arange(1.0, size + 1)
        tilt = min(0.999 / serial if serial else np.inf, size / max(own, 1e-12))
        whole = folded(weights(np.full(size, tilt * serial)), weights(tilt * own / count), size)
        found = speed_of(whole, tilt)[1:]  # as in a product form
        speeds = w.hosts[host].speeds.get(region) if w.hosts else None
        if speeds is None:
            return found
        rounds = float(w.flow[tasks] @ w.need.rounds[tasks]) / total
        seen = speeds[:size] / rounds / found[: len(speeds[:size])]
        known = np.flatnonzero(np.isfinite(seen))
        if len(known):  # read off the chain where it goes, as much above the product form beyond
            found = found * np.interp(np.arange(size), known, np.clip(seen[known], 1 / APART, APART))
            found[FEW:] = np.maximum(found[FEW:], np.median(found[FEW // 2 : FEW]) if size > FEW else 0.0)
        return found

    def _descend(self, region: int, found: Crowd, whole: Array, parts: list[Array], inner: list[int], base: Array) -> None:
        """Tasks in and before each region below, given those in the region above."""
        inside = found.inside
        size = len(inside) - 1
        for place, r in enumerate(inner):
            others = base
            for j, part in enumerate(parts):
                if j != place:
                    others = folded(others, part, size)
            mass = parts[place] * np.correlate(np.append(inside / whole, np.zeros(size)), others, "valid")[: size + 1]
            mass = np.maximum(mass, 0.0)
            mass = mass / max(mass.sum(), 1e-300)
            speed, limit, _ = self.speeds[r]
            speed = np.append(speed, np.full(max(0, size - limit), speed[limit]))[: size + 1]
            coming = np.append(speed[1:] * mass[1:] / np.maximum(mass[:-1], 1e-300), 0.0)
            below = Crowd(np.arange(size + 1.0), mass, coming, limit)
            self.work.crowds[self.pool[r]] = below
            self._settle(r, below, speed, True)

    def _settle(self, region: int, found: Crowd, speed: Array, below: bool = False) -> None:
        """Wait before a limit."""
        size = len(self.parts[region][0]) - 1
        pool = self.pool[region]
        if region not in self.capped:
            ratio = (
                1.0
                if below
                else self.unlike(
                    pool, self.tasks[region], self.work.holds(), speed, size, self.work.holds() - self.work.on_cps, found.wait
                )
            )
            waits = np.broadcast_to(found.wait * ratio, len(self.tasks[region]))
            self.work.pool_wait[pool, self.tasks[region]] = waits if below else self._little(region, found, waits)
        self.found[region] = found

    def _little(self, region: int, found: Crowd, waits: Array) -> Array:
        """Waits for a limit that users keep full: scaled so that as many are inside as there are places (J. Little 1961)."""
        w, form, tasks = self.work, self.work.form, self.tasks[region]
        users, works = form.users, np.unique(form.work[tasks])
        part = (found.full - OFTEN) / (1 - OFTEN)
        alone = not w.need.calls[tasks].any() and not w.need.calls[:, tasks].any()
        on_cps = float(w.flow[tasks] @ w.on_cps[tasks]) / max(float(w.flow[tasks] @ w.holds()[tasks]), 1e-300)
        if part <= 0 or on_cps > ON_CPS or not alone or not users[works].all() or not waits.any():
            return waits
        holds = (form.visits * w.holds())[tasks]
        visits = form.visits[tasks]
        old = np.bincount(form.work[tasks], visits * w.pool_wait[self.pool[region], tasks], len(users))
        new = np.bincount(form.work[tasks], visits * waits, len(users))
        rest = np.maximum(form.think + w.response - old, 0.0)
        goal = float(found.inside @ np.arange(len(found.inside)))
        low, high = -3.0, 3.0
        for _ in range(50):
            middle = (low + high) / 2
            rate = users / np.maximum(rest + np.exp(middle) * new, 1e-300)
            low, high = (middle, high) if float(rate[form.work[tasks]] @ holds) > goal else (low, middle)
        return np.asarray(waits * np.exp(part * low))

    def _note_rates(self, region: int, found: Crowd) -> None:
        """How work comes to the CPs with so many of the tasks of a region there."""
        phi, rest, back, _ = self.parts[region]
        size = len(phi) - 1
        queued = float(found.chance[found.number > size].sum())
        if queued < RARE and region not in self.rates:
            return  # too seldom full to change how work comes
        inside = (
            found.inside
            if found.limit == size
            else np.bincount(np.minimum(found.number, size).astype(int), found.chance, size + 1)
        )
        born = np.interp(np.arange(size + 1.0), found.number, found.coming)
        each = np.where(inside > 1e-12, inside, 0.0) / np.maximum(np.convolve(phi, rest)[: size + 1], 1e-300)
        born[size] = 0.0
        den = phi * np.correlate(np.append(each, np.zeros(size)), rest, "valid")
        num = phi * np.correlate(np.append(each * born, np.zeros(size)), rest, "valid")
        if inside[size] > 1e-12:
            num += queued * each[size] / inside[size] * phi * rest[::-1] * back[::-1]
        good = np.flatnonzero(den > 1e-14)
        rates = np.interp(np.arange(size + 1.0), good, num[good] / den[good])
        rates[size] = 0.0
        self.rates[region] = rates

    def _tranclass(self, pool: int) -> None:
        """A class within its region: its share of the QR TCB, and all the rest."""
        w, form = self.work, self.work.form
        tasks = self.classes[pool]
        region, size = int(form.pool_region[pool]), int(form.pool_size[pool])
        flow = w.flow
        total = float(flow[tasks].sum())
        everything = self.tasks[region]
        qr_pool = [p for p in w.at_group if form.pool_kind[p] == Pool.QR and form.pool_region[p] == region]
        at_qr = w.at_group[qr_pool[0]] if qr_pool else np.zeros(len(form.work))
        load = float(flow[everything] @ w.ask.qr[everything])
        mine = float(flow[tasks] @ w.ask.qr[tasks])
        slowed = w.service.get(qr_pool[0], 1.0) if qr_pool else 1.0  # by the CPs, while the TCB is at work
        serial = mine / total * slowed / max(1 - (load - mine) * slowed, 1e-3)
        own = w.pool_wait[self.pool[region]]
        rest = float(flow[tasks] @ (w.holds() - at_qr + own)[tasks]) / total
        tilt = min(total, size / max(rest, 1e-12), 0.9999 / max(serial, 1e-12))
        phi = weights(np.full(size, tilt * serial))
        fix = weights(tilt * rest / np.arange(1.0, size + 1))
        speed = speed_of(folded(phi, fix, size), tilt)
        held = w.holds() + w.wait
        mixed = self._mixed(tasks, w.holds() + own, w.holds() + own - w.on_cps)
        found = self._crowd(pool, tasks, held, w.holds() + own, speed, size, mixed)
        w.pool_wait[pool, tasks] = found.wait * self.unlike(
            pool, tasks, w.holds() + own, speed, size, w.holds() + own - w.on_cps, found.wait
        )


def bounded(size: int) -> bool:
    """Whether a pool limits anything."""
    return size < UNLIMITED
