"""MXT, TRANCLASS, dependent regions: who waits before a limit, and how its tasks then come to the CPs.

A limit is a birth-death chain of the tasks in and before it, whose speeds come from a convolution of what is inside: the
region's CPU side, its delays, and the regions below it that fill, each at its own speed. Regions in series need no iteration.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Places, each_once, without
from qnsolve.zos.equilibrium.users.users_feedback import UsersFeedback
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.chains.at_limits import FEW
from qnsolve.zos.hosts.chains.birth_death import Crowd, UserSource, crowd_at_most
from qnsolve.zos.hosts.chains.windows import KeptWindows
from qnsolve.zos.hosts.limited.few_places import OTHERS, FewSolved
from qnsolve.zos.hosts.limited.inside_counts import limit_of_two_counts
from qnsolve.zos.hosts.limited.limits_abreast import Abreast, limits_abreast
from qnsolve.zos.hosts.limited.product_form import SMALL, all_folded, folded, paced, speed_of, weights

from .below.class_places import PlacesOfClasses
from .below.series_limits import SERIES, SharedBelow, arrivals, crowd_of
from .below.stations_below import StationsBelow
from .below.works_apart import WorksApart, works_apart
from .full_limits import NEARLY, alone_on_a_cp, as_full, by_places, fastest, fastest_on_cps, passing
from .inside.classes_at_tcbs import SELDOM, ClassesAtTcbs
from .inside.own_stations import Inside, OwnStations
from .limit_arrivals import waiting_alike
from .limit_pools import TWO

RARE = 0.03  # chance of a queue before a limit below which tasks come to the CPs as if there were none
LOOSE = 0.05  # of the places of a full region, tasks on the CPs up to which groups are let in to these as they come
APART = 3.0  # most that a speed read off a chain differs from that of the product form
EFFORT_OF_ONE = 0.3  # of one limit, over that of a chain of a TCB
LEAST_CALLED = 1e-3  # rate at which tasks come when lower ones call them, over that in the mean
ON_CPS = 0.4  # share of the time in a region spent on the CPs from which on its users wait by the chain alone
NEAR, FINE = 1e-3, 1e-6  # of the tasks on the CPs, to which as many are there, and of their speed, to which it is found
SAME = 1e-6  # change of what limits of two counts depend on up to which they are the same [ratio]


class EachLimit(StationsBelow):
    """The limits of a region, solved by what all others are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inputs: dict[int, Array] = {}
        self.felt = dict[int, Array]()  # rates at which tasks come as lower ones call them, over the mean, by those inside
        self.told = AlikeAnswers[int, Crowd | None](SAME)
        self.windows = dict[int, dict[tuple[int, int], KeptWindows]]()  # of the chains of limits abreast, by the first
        self.bare = dict[int, Array]()  # weights of the tasks of a region that are neither on CPs nor in a limit below
        self.joined = False  # whether the chain of a limit has those below it as stations
        self.shared = SharedBelow(self)
        self.own = OwnStations(self.work)
        self.at_tcbs = ClassesAtTcbs(self)
        self.places_of_classes = PlacesOfClasses(self)
        self.feedback = UsersFeedback(self.work)

    def solve_region(self, region: int, follow: bool, still: float) -> bool:
        """The limits of a region; whether they were solved, and none below it with them."""
        if self.leader.get(region, region) != region and self.leader[region] in self.gates:
            return False  # with that one
        solved, alone = False, True
        for pool in self.classes_of(region):
            if self._moved(pool, self.classes[pool], still):
                self._tranclass(pool)
                solved = True
                if follow:
                    self.work.settle_rates()
        if region in self.gates or region in self.capped:
            mine = self.shared.of(region)
            below = [self.tasks[r] for r in mine]
            below += [self.tasks[r] for r in self.directly_below(region)]
            below += [self.classes[~its] for its in self.classes_below(self.as_one(region))]
            abreast = [r for r in self.abreast.get(region, ()) if r in self.gates]
            beside = [self.tasks[r] for r in abreast[1:]]
            if self._moved(self.pool[region], np.concatenate([self.tasks[region], *beside, *below]), still):
                if len(abreast) > 1:
                    self._gates_abreast(abreast)
                else:
                    self._gate(region, mine)
                solved, alone = True, not below
                if region in self.gates:
                    self.shared.solve_classes(region)
                if follow:
                    self.work.settle_rates()
        return solved and alone

    def _moved(self, pool: int, tasks: Places, still: float) -> bool:
        """Whether what a limit is solved for has changed since it was: flows, times and waits of its tasks and their works."""
        w, work = self.work, self.work.form.work[tasks]
        callers = sorted(self.callers(tasks))
        seen = np.concatenate((
            w.flow[tasks], w.holds()[tasks], w.wait[tasks], w.pool_wait[pool, tasks], w.response[work],
            self.shares[callers][:, work].ravel(),
        ))  # fmt: skip
        before = self.inputs.get(pool)
        if before is not None and before.shape == seen.shape and (np.abs(seen - before) <= still * np.abs(before)).all():
            return False
        self.inputs[pool] = seen
        return True

    def _crowd(
        self, pool: int, tasks: Places, held: Array, inside: Array, speed: Array, size: int, mixed: float, joined: bool = False
    ) -> Crowd:
        stream, sources, hold = self.sources(tasks, held, inside, joined)
        if stream > 0:
            speed = passing(self.work, pool, self.own.through, tasks, stream * (hold if sources else 1.0), speed)
        elif joined:
            sources = waiting_alike(sources, float(self.work.flow[tasks] @ held[tasks]))
        unlike = self._mixed_of_users(tasks, inside, sources, mixed) if self.mild(tasks, mixed) else 1.0
        found, load = crowd_at_most(stream, sources, speed, size, unlike, hold, stream > 0)
        self.work.overloaded(pool, load)
        self.work.crowds[pool] = found
        if not stream:
            self.feedback.note(pool, tasks, sources, found)
        return found

    def _mixed_of_users(self, tasks: Places, inside: Array, sources: list[UserSource], mixed: float) -> float:
        """The factor `mixed` for unlike times of users: work brought by those who are mostly there varies less.

        Of users who are elsewhere for a part of their time it varies as that of open work by the square of that part.
        """
        if not sources or any(its.rates is None for its in sources):
            return mixed
        works, flow = self.work.form.work[tasks], self.work.flow[tasks]
        squares, less = flow * inside[tasks] ** 2, np.ones(len(tasks))
        for its in sources:
            less[np.isin(works, its.works)] = min(its.rest / its.users, 1.0) ** 2
        users, rest = (sum(its) for its in zip(*((its.users, its.rest) for its in sources), strict=True))
        return max(mixed * float(squares @ less) / float(squares.sum()) / (rest / users) ** 2, min(mixed, 1.0))

    def _gate(self, region: int, mine: dict[int, Array]) -> None:
        """A region's limit; regions below it that fill are stations of it, solved before, `mine` those of others too."""
        w = self.work
        w.effort += EFFORT_OF_ONE
        size = int(self.capped.get(region, self.size(region)))
        tasks = self.tasks[region]
        flow = w.flow[tasks]
        total = float(flow.sum())
        inner = self.stations_below([region])
        self.joined |= bool(inner or mine)
        holds = w.holds()
        below = self.tasks_in(inner) + self.shared.time(mine)
        own = self.own.at_region(self.pool[region], tasks, size, alone=not inner and not mine)
        rest = max((float(flow @ (holds - w.on_cps)[tasks]) - below) / total - own.now, 1e-12)
        nu = self.nu[region] = self.nu[region] if region in self.nu else self._cps_speed(region, size)
        most = self.pace(inner, size, total)
        tilt = max(most if inner or mine else min(most, size / (rest + own.slowest), 0.9999 * float(nu[-1])), 1e-300)
        phi = weights(tilt / nu)
        fix = weights(tilt * rest / np.arange(1.0, size + 1))
        beside, fix = fix, own.joined(fix, tilt)
        parts = [self.weights_below(r, size, tilt / total) for r in inner]
        others, stations = dict[int, Array](), self.shared.weights(region, mine, size, tilt)
        for r in mine:  # with all else of its tasks, for its own chain
            others[r] = all_folded(phi, (fix, *parts, *(its for other, its in stations.items() if other != r)))
        both = self.bare[region] = all_folded(fix, stations.values())
        base = folded(phi, both, size)
        alone = base if both is beside else folded(phi, beside, size)
        both = all_folded(both, parts)
        whole = np.maximum(folded(phi, both, size) if parts else base, 1e-300)
        speed = self._speed(tasks, whole, tilt) * self.own.unlike_pieces(self.qr_pool.get(region, -1), tasks, size)
        back = np.append(0.0, tilt * both[:-1] / np.maximum(both[1:], 1e-300))
        self.speeds[region] = speed, size, total
        self.parts[region] = phi, both, back, tilt
        if self.above[region] in self.gates and not self.classes_of(region):
            return  # settled with the region above
        pool = self.pool[region]
        apart = None if mine else works_apart(self, region, inner, parts, nu, tilt, speed)
        speed = self._on_cps_left(tasks, speed if apart is None else apart.speed)
        mixed, joined = self._mixed_but_for_lines(tasks), bool(inner or mine or self.classes_of(region))
        self.felt[region] = self._as_called(region, size)
        held = holds + (w.wait if region in self.capped else w.pool_wait[pool])
        found = self._crowd(pool, tasks, held, holds, self._beside_called(region, speed), size, mixed, joined)
        if not mine and self._region_of_few_places(region, own, beside, back):
            return
        found = found if apart is not None or mine else self._of_two_counts(region, found, nu, back[1:], speed)
        if mine:
            found = self.shared.solve(region, mine, size, others, tilt, found, whole)
            w.crowds[pool] = found
        self.own.note(own, found.inside, float(found.inside @ speed), alone)
        self._settle(region, found, speed)
        if apart is None:
            self._descend(found.inside / whole, parts, inner, base)
        else:
            self._descend_apart(apart, found.inside, parts, inner)

    def _gates_abreast(self, regions: list[int]) -> None:
        """The limits of regions side by side that call the same tasks: what is inside all of them meets below."""
        w, sizes = self.work, [self.size(r) for r in regions]
        w.effort += EFFORT_OF_ONE * len(regions)
        tasks, size = np.concatenate([self.tasks[r] for r in regions]), sum(sizes)
        flow, holds = w.flow[tasks], w.holds()
        total = float(flow.sum())
        inner = self.stations_below(regions)
        self.joined |= bool(inner)
        below = self.tasks_in(inner)
        rest = max((float(flow @ (holds - w.on_cps)[tasks]) - below) / total, 1e-12)
        shares = [float(w.flow[self.tasks[r]].sum()) / total for r in regions]
        tilt = self.pace(inner, size, total)
        parts = [self.weights_below(r, size, tilt / total) for r in inner]
        base = weights(tilt * rest / np.arange(1.0, size + 1))
        for r, its, share in zip(regions, sizes, shares, strict=True):
            nu = self.nu[r] = self.nu[r] if r in self.nu else self._cps_speed(r, its)
            base = folded(base, weights(tilt * share / np.append(nu, np.full(size - len(nu), nu[-1]))), size)
        whole = np.maximum(all_folded(base, parts), 1e-300)
        speed = self._on_cps_left(tasks, speed_of(whole, tilt))
        inside = self._chains_abreast(regions, tasks, shares, speed)
        self._descend(inside / whole, parts, inner, base)

    def _chains_abreast(self, regions: list[int], tasks: Places, shares: list[float], speed: Array) -> Array:
        """The chain of each of several limits and all others, which are noted; chances of the number inside all of them."""
        w, holds = self.work, self.work.holds()
        held, size = holds.copy(), len(speed) - 1
        for r in regions:
            held[self.tasks[r]] += w.pool_wait[self.pool[r], self.tasks[r]]
        stream, sources, hold = self.sources(tasks, held, holds)
        if stream > 0:
            speed = passing(w, self.pool[regions[0]], self.own.through, tasks, stream * (hold if sources else 1.0), speed)
        plain, _ = crowd_at_most(stream, sources, speed, size, 1.0, hold, stream > 0)
        most, guess = np.inf if stream > 0 else sum(s.users for s in sources), 2 * plain.outside_at(0.999) + 60
        alike = holds / w.longer
        each = [float(w.flow[self.tasks[r]] @ alike[self.tasks[r]]) / float(w.flow[self.tasks[r]].sum()) for r in regions]
        beside = [Abreast(self.size(r), hold, share) for r, hold, share in zip(regions, each, shares, strict=True)]
        w.effort, known = w.effort + SERIES * len(regions), self.windows.setdefault(regions[0], {})
        longer, solved = [], limits_abreast(beside, speed, arrivals(stream, sources), most, guess, known)
        for region, own, its in zip(regions, beside, solved, strict=True):
            w.overloaded(self.pool[region], its.load)
            found = crowd_of(its.levels, its.chance, its.coming, own.size)
            longer.append(float(found.inside @ np.arange(own.size + 1.0)) / (own.share * own.hold))
            self._note_abreast(region, found, its.speeds)
        inside_each = np.array(shares) * each
        mean, w.longer = float(inside_each @ longer) / float(inside_each.sum()), np.ones(len(holds)) * w.longer
        for region, time in zip(regions, longer, strict=True):
            w.longer[self.tasks[region]] = time / mean
        return solved[-1].inside

    def _note_abreast(self, region: int, found: Crowd, speeds: Array) -> None:
        """A limit side by side with others, solved: its wait, and how its tasks come to the CPs."""
        w, pool, tasks, nu = self.work, self.pool[region], self.tasks[region], self.nu[region]
        tilt = float(w.flow[tasks].sum())
        phi, both = weights(tilt / nu), weights(tilt / np.maximum(speeds[1:], 1e-300))
        self.speeds[region] = speeds, len(nu), tilt
        self.parts[region] = phi, both, np.append(0.0, tilt * both[:-1] / np.maximum(both[1:], 1e-300)), tilt
        w.crowds[pool] = found
        self._settle(region, found, speeds)

    def _as_called(self, region: int, size: int) -> Array:
        """Rate at which tasks come, some called by ones of lower importance on the host, by the number inside, over the mean.

        Those end the less often the more tasks are on the CPs, as these are before them.
        """
        w, form, tasks = self.work, self.work.form, self.tasks[region]
        host = int(form.host[tasks[0]])
        called = w.called.get((host, float(form.importance[tasks[0]])))
        if called is None:
            return np.ones(size + 1)
        flow, count = w.flow[tasks], np.arange(size + 1.0)
        share = float(flow @ (called.share * w.need.rounds)[tasks]) / max(float(flow.sum()), 1e-300)
        before = (form.host == host) & (form.importance <= form.importance[tasks[0]]) & (form.region != region)
        phi, both, _, _ = self.parts[region]
        let = phi * called.at(count + float(w.flow[before] @ w.on_cps[before]))
        whole = np.convolve(phi, both)[: size + 1]
        part = np.divide(np.convolve(let, both)[: size + 1], whole, out=np.zeros(size + 1), where=whole > SMALL)
        return np.asarray(1 - share + share * part)

    def _beside_called(self, region: int, speed: Array) -> Array:
        """Speeds of a limit over the rates at which tasks come."""
        found = speed.copy()
        found[1:] /= np.maximum(self.felt[region][:-1], LEAST_CALLED)
        return found

    def _on_cps_left(self, tasks: Places, speed: Array) -> Array:
        """Speeds of a limit, no higher than its tasks and those that they call have CPs for."""
        if not self.calling[tasks].any():
            return speed
        return np.minimum(speed, fastest_on_cps(self.work, tasks, self.own.through(tasks)))

    def _of_two_counts(self, region: int, found: Crowd, nu: Array, back: Array, speed: Array) -> Crowd:
        """Open work that comes one by one, with the tasks on the CPs and elsewhere inside as two counts.

        `nu` are rates at which tasks leave the CPs were all pieces at their QR TCB alike, `back` those at which they leave
        elsewhere.
        """
        w, pool, tasks = self.work, self.pool[region], self.tasks[region]
        stream, works = float(w.flow[tasks].sum()), w.form.work[tasks]
        self.two_counts.discard(pool)
        other = region in self.capped or (w.form.users[works] > 0).any() or w.form.in_groups[works].any()
        other = other or bool(self.in_classes(tasks, w.holds()))  # no more than these have places
        if other or not stream < NEARLY * float(speed[-1]):
            return found
        visits = max(self.visits_of_one(region), 1.0)
        unlike = np.ndim(self.own.unlike_pieces(self.qr_pool.get(region, -1), tasks, len(nu))) > 0
        there = float(w.flow[tasks] @ w.on_cps[tasks]) if unlike else 0.0

        def solve() -> Crowd | None:
            slower = nu * _slower(nu, stream, there)
            return limit_of_two_counts(stream, slower, back, visits, found.inside)

        told = self.told.of(pool, (np.array([stream, visits, there]), nu, back, found.inside), solve)
        if told is None:
            return found
        w.crowds[pool] = told
        self.two_counts.add(pool)
        return told

    def _region_of_few_places(self, region: int, lines: Inside, rest: Array, back: Array) -> bool:
        """A region of few places: `rest` has the weights of numbers off the CPs but for `lines`; whether it is solved."""
        pool, tasks = self.pool[region], self.tasks[region]
        some = region not in self.capped and self._few(region)
        few = self._of_few_places(pool, tasks, lines.size, back[1:]) if some else None
        if few is None or few.crowd is None:
            return False
        total = float(self.work.flow[tasks].sum())
        self.own.note(lines, few.off, total, rest)
        self._settle(region, few.crowd, _ends(few, total), told=len(tasks) > 1)
        self.work.pool_wait[pool, tasks] *= few.longer
        return True

    def _of_few_places(self, pool: int, tasks: Places, size: int, off: Array) -> FewSolved | None:
        """Open work at a limit of few places, by where its tasks are: `off` are rates at which they end off the CPs."""
        self.few_places.forget(pool)
        found = self.few_places.solve(pool, tasks, size, off)
        if found is not None:
            self.work.overloaded(pool, found.load)
            self.work.crowds[pool] = found.crowd or self.work.crowds[pool]
        return found

    def _speed(self, tasks: Places, whole: Array, tilt: float) -> Array:
        """Rates at which 0, 1, … tasks leave, of these weights; by the times inside where no two are told from 0."""
        if int((whole > SMALL).sum()) > 1:
            return speed_of(whole, tilt)
        flow = self.work.flow[tasks]
        return np.arange(float(len(whole))) * float(flow.sum()) / max(float(flow @ self.work.holds()[tasks]), 1e-300)

    def _mixed_but_for_lines(self, tasks: Places) -> float:
        """(1 + C²)/2 of the times inside but for lines below: in these all wait for as long, one after the other."""
        times = self.work.holds(queues=False)
        return self.mixed(tasks, times, times - self.work.on_cps)

    def _descend_apart(self, apart: WorksApart, inside: Array, parts: list[Array], inner: list[int]) -> None:
        """The same as `_descend`, of works that do not meet."""
        for place, its in enumerate(apart.parts):
            seen = apart.inside(place, inside) / np.maximum(its.alone, 1e-300)
            self._descend(seen, [parts[i] for i in its.inner], [inner[i] for i in its.inner], its.fix)

    def _cps_speed(self, region: int, size: int) -> Array:
        """Rate at which 1 … size tasks of a region leave the CPs."""
        w = self.work
        tasks = self.tasks[region]
        host = int(w.form.host[tasks[0]])
        total = float(w.flow[tasks].sum())
        serial = 0.0  # time at the QR TCB but for its queue
        qr_pool = self.qr_pool.get(region, -1)
        if qr_pool in w.at_group:
            serial = float(w.flow[tasks] @ w.ask.qr[tasks]) / total * w.service.get(qr_pool, 1.0)
            own = float(w.flow[tasks] @ (w.on_cps - w.at_group[qr_pool])[tasks]) / total
        speeds = w.hosts[host].speeds.get(region) if w.hosts else None
        if serial == 0.0:
            if w.hosts and speeds is None and w.ask.on_cps[tasks].any() and not w.form.in_groups[w.form.work[tasks]].any():
                return self.own.at_cps(tasks, size)
            own = float(w.flow[tasks] @ w.on_cps[tasks]) / total  # work without CPU is never on the CPs for long
            own = max(own, 1e-9 * float(w.flow[tasks] @ w.holds()[tasks]) / total)
        at_once, most = fastest(w, tasks, host)
        if alone_on_a_cp(w, tasks, host):
            return np.full(size, most)
        count = np.arange(1.0, size + 1)
        tilt = min(0.999 / serial if serial else np.inf, size / max(own, 1e-12))
        whole = folded(weights(np.full(size, tilt * serial)), weights(tilt * own / count), size)
        found = speed_of(whole, tilt)[1:]  # as in a product form
        if speeds is None:
            return found
        seen = speeds[:size] / max(self.visits_of_one(region), 1e-300) / found[: len(speeds[:size])]
        known = np.flatnonzero(np.isfinite(seen))
        if len(known):  # read off the chain where it goes, as much above the product form beyond
            found = found * np.interp(np.arange(size), known, np.clip(seen[known], 1 / APART, APART))
            kept_out = region not in self.rates or self.above[region] in self.gates  # by no limit, or by that of another
            if kept_out and size > FEW:  # long lines are seldom, and of what is kept out
                found[FEW:] = np.maximum(found[FEW:], np.median(found[FEW // 2 : FEW]))
        return np.asarray(np.minimum(found, np.where(np.bincount(known, minlength=size)[:size] > 0, at_once, most)))

    def _descend(self, seen: Array, parts: list[Array], inner: list[int], base: Array) -> None:
        """Tasks in and before each region below, given the chances of those in the region above, over their weights."""
        size = len(seen) - 1
        for place, r in enumerate(inner):
            others = all_folded(base, (part for j, part in enumerate(parts) if j != place))
            mass = parts[place] * np.correlate(np.append(seen, np.zeros(size)), others, "valid")[: size + 1]
            mass = np.maximum(mass, 0.0)
            mass = mass / max(mass.sum(), 1e-300)
            speed, limit = self.in_line(r, size), self.speeds[r][1]
            coming = np.append(speed[1:] * mass[1:] / np.maximum(mass[:-1], 1e-300), 0.0)
            below = Crowd(np.arange(size + 1.0), mass, coming, limit)
            if r < 0:
                self.work.crowds[~r] = below
                self.work.pool_wait[~r, self.classes[~r]] = below.wait
                continue
            self.work.crowds[self.pool[r]] = below
            self._settle(r, below, speed, True)

    def _settle(self, region: int, found: Crowd, speed: Array, told: bool = False) -> None:
        """Wait before a limit; `told` is whether its chain tells unlike tasks apart."""
        size = len(self.parts[region][0]) - 1
        pool = self.pool[region]
        if region not in self.capped:
            w, tasks = self.work, self.tasks[region]
            waits = found.wait * np.array([found.longer.get(int(work), 1.0) for work in w.form.work[tasks]])
            if not told:
                holds = w.holds()
                ratio = self.unlike(pool, tasks, holds, speed, size, holds - w.on_cps, found.wait, bool(found.longer))
                if (w.form.users[w.form.work[tasks]] > 0).all():  # an always full one passes what it can: users wait for that
                    mean = float(w.flow[tasks] @ ratio) / max(float(w.flow[tasks].sum()), 1e-300)
                    ratio = ratio * mean ** -as_full(found.full)
                waits = self._little(region, found, waits * np.maximum(ratio, self.longer_at_tcb(region, waits)))
            w.pool_wait[pool, tasks] = waits
            self.places_of_classes.see(region, found)
        self.found[region] = found

    def _little(self, region: int, found: Crowd, waits: Array) -> Array:
        """Waits for a limit that users keep full: scaled so that as many are inside as there are places (J. Little 1961)."""
        w, form, tasks = self.work, self.work.form, self.tasks[region]
        users, works = form.users, each_once(form.work[tasks])
        alone = not w.need.calls[tasks].any() and not w.need.calls[:, tasks].any()
        on_cps = self.on_cps_share(tasks)
        if not alone or (on_cps > ON_CPS and users[works].all()):
            return waits
        pool, inside, part = self.pool[region], found.inside, as_full(found.full)
        its = self.unlike_found(pool) if on_cps < ON_CPS else None
        if its is not None:  # the chain of unlike kinds says how many are inside, of users also how often no place is left
            inside, part = its.present(), its.full if users[works].all() else part
        self.feedback.by_places[pool] = part
        goal = float(inside @ np.arange(len(inside)))
        classes = self.in_classes(tasks, w.holds())
        return by_places(w, pool, tasks, w.holds(), waits, part, goal, classes)

    def note_rates(self, region: int, found: Crowd) -> None:
        """How work comes to the CPs with so many of the tasks of a region there."""
        phi, rest, back, _ = self.parts[region]
        size = len(phi) - 1
        queued = float(found.chance[found.number > size].sum())
        full = found.full if region in self.capped else queued  # before classes the line is no part of the chain
        if self.above[region] in self.found and not self.in_line_of_all(region):  # no line of what this keeps out
            full = max(full, self.found[self.above[region]].full)
        if region not in self.rates and (full < RARE or self.loose(region)):
            return  # too seldom full to change how work comes
        rates = come_to_cps(phi, rest, back, found, self.felt.get(region, 1.0))
        if rates is not None:  # else beyond what floats tell apart: work comes as it did
            self.rates[region] = rates

    def note_let_in(self) -> None:
        """The same of all regions that one full region lets in together, by the number of all their tasks there."""
        self.let_in = {}
        for outer in {self.let_in_by(region) for region in self.rates} & {*self.bare}:
            mates = {region for region in self.rates if self.let_in_by(region) == outer}
            if len(mates) < TWO:
                continue
            pace = self.parts[outer][3] / self.speeds[outer][2]
            phi, rest = self._cps_and_rest(outer, mates, pace, self.size(outer))
            back = np.append(0.0, self.parts[outer][3] * rest[:-1] / np.maximum(rest[1:], 1e-300))
            rates = come_to_cps(phi, rest, back, self.found[outer], 1.0)
            if rates is not None:
                self.let_in[outer] = rates

    def _cps_and_rest(self, region: int, mates: set[int], pace: float, size: int) -> tuple[Array, Array]:
        """Weights of the tasks of a region, and of `mates` below it, that are on the CPs, and not; up to so many."""
        (phi, _, _, tilt), flow = self.parts[region], self.speeds[region][2]
        cps, rest = (paced(its, pace * flow / tilt, size) for its in (phi, self.bare[region]))
        for below in self.stations_below([region]):
            if below in mates:
                more, off = self._cps_and_rest(below, mates, pace, size)
                cps, rest = folded(cps, more, size), folded(rest, off, size)
            else:
                rest = folded(rest, self.weights_below(below, size, pace), size)
        return cps, rest

    def loose(self, region: int) -> bool:
        """Whether groups come to a region, next to none of whose tasks are on the CPs: it lets them in as they come."""
        w, tasks = self.work, self.tasks[region]
        groups = w.form.in_groups[w.form.work[tasks]].any()
        return bool(groups) and float(w.flow[tasks] @ w.on_cps[tasks]) < LOOSE * self.size(region)

    def _tranclass(self, pool: int) -> None:
        """A class within its region: its share of the QR TCB, the CPs, and all the rest."""
        w, form = self.work, self.work.form
        tasks = self.classes[pool]
        region, size = int(form.pool_region[pool]), int(form.pool_size[pool])
        flow = w.flow
        total = float(flow[tasks].sum())
        everything = self.tasks[region]
        qr_pool = self.qr_pool.get(region, -1)
        at_qr = w.at_group.get(qr_pool, np.zeros(len(form.work)))
        load = float(flow[everything] @ w.ask.qr[everything])
        mine = float(flow[tasks] @ w.ask.qr[tasks])
        slowed = w.service.get(qr_pool, 1.0) if qr_pool in w.at_group else 1.0  # by the CPs, while the TCB is at work
        slowed *= (slower := self.at_tcbs.slower(pool, qr_pool))  # than that
        serial = mine / total * slowed / max(1 - (load - mine) * slowed, 1e-3)
        holds = w.holds()
        within = holds + w.pool_wait[self.pool[region]]
        rest = float(flow[tasks] @ (within - at_qr)[tasks]) / total
        count = np.arange(1.0, size + 1)
        inside = self.own.at_class(pool, tasks, size, at_qr)
        rest = max(rest - inside.now, 1e-12)
        tilt = min(total, size / (rest + inside.slowest), 0.9999 / max(serial, 1e-12))
        fix = folded(weights(np.full(size, tilt * serial)), weights(tilt * rest / count), size)
        speed = speed_of(inside.joined(fix, tilt), tilt)
        self.speeds[~pool] = speed, size, total
        if pool in w.crowds and self.senders(pool):
            return  # settled with the region above
        mixed = self.mixed(tasks, within, within - w.on_cps)
        found = self._crowd(pool, tasks, holds + w.wait, within, speed, size, mixed)
        if region not in self.rates and self._class_of_few_places(pool, tasks, within, inside):
            return
        wait: Array = found.wait * self.unlike(pool, tasks, within, speed, size, within - w.on_cps, found.wait)
        self.at_tcbs.forget(pool)
        at, beside = weights(np.full(size, tilt * serial)), all_folded(weights(tilt * rest / count), inside.at.values())
        apart, come = region not in self.rates and pool not in w.full and found.full > SELDOM, None
        if apart:
            stream, sources, hold = self.sources(tasks, holds + w.wait, within)
            come = stream, sources
        on_cps = float(flow[tasks] @ np.maximum(w.on_cps - at_qr, 0.0)[tasks]) / total
        if come is not None and self.own.of_users(tasks) and on_cps > 0:
            off = folded(at, weights(tilt * max(rest - on_cps, 1e-12) / count), size)
            self.at_tcbs.asked[pool] = at_qr, found, off, tilt, come
        if qr_pool in w.at_group and serial > 0 and (come is None or w.need.in_order[tasks].any()):
            wait *= self.own.note_tcb(pool, tasks, without(everything, tasks), serial, at, beside, found, speed)
        elif come is not None:
            tcb = qr_pool if qr_pool in w.at_group and serial > 0 else -1
            its = self.at_tcbs.solve(pool, tcb, found, beside, tilt, come, slower)
            if its is not None:
                alike, _ = crowd_at_most(stream, sources, speed, size, 1.0, hold, stream > 0)
                w.crowds[pool] = found = its
                wait = self._of_class(pool, region, wait * its.wait / max(alike.wait, 1e-300), slower)
        w.pool_wait[pool, tasks] = wait
        self.own.note(inside, found.inside, float(found.inside @ speed), fix)

    def _of_class(self, pool: int, region: int, wait: Array, slower: float) -> Array:
        """Waits for a class that its chain has found, at a TCB that is so much slower than while it is at work."""
        if slower == 1:
            return wait
        self.kept_out.add(region)
        return self.at_tcbs.with_all_work(pool, self.qr_pool[region], wait)

    def _class_of_few_places(self, pool: int, tasks: Places, within: Array, inside: Inside) -> bool:
        """A class of few places, whose tasks are in their region for so long; whether it is solved."""
        w, lines, count = self.work, inside.lines, np.arange(1.0, inside.size + 1)
        flow = w.flow[tasks]
        total = float(flow.sum())
        off = max(float(flow @ (within - w.on_cps)[tasks]) / total - lines.now, 1e-12)
        tilt = min(total, inside.size / (off + lines.slowest))
        rest = weights(tilt * off / count)
        if not self.few_places.few(tasks, inside.size):
            self.few_places.forget(pool)
            return False
        few = self._of_few_places(pool, tasks, inside.size, speed_of(lines.joined(rest, tilt), tilt)[1:])
        if few is None or few.crowd is None:
            return False
        self.at_tcbs.forget(pool)
        wait, speed = few.longer * few.crowd.wait, _ends(few, total)
        w.pool_wait[pool, tasks] = wait * self.unlike(pool, tasks, within, speed, inside.size, within - w.on_cps, wait)
        self.own.note(lines, few.off, total, rest)
        return True


def come_to_cps(phi: Array, rest: Array, back: Array, found: Crowd, felt: Array | float) -> Array | None:
    """Rates at which tasks of a limit come to the CPs with so many there; None where floats tell no two of them apart.

    `phi` and `rest` are weights of those there and elsewhere inside, `back` the rates at which the latter leave.
    """
    size = len(phi) - 1
    queued = float(found.chance[found.number > size].sum())
    inside = (
        found.inside if found.limit == size else np.bincount(np.minimum(found.number, size).astype(int), found.chance, size + 1)
    )
    born = np.interp(np.arange(size + 1.0), found.number, found.coming) * felt
    each = np.where(inside > 1e-12, inside, 0.0) / np.maximum(np.convolve(phi, rest)[: size + 1], 1e-300)
    born[size] = 0.0
    den = phi * np.correlate(np.append(each, np.zeros(size)), rest, "valid")
    num = phi * np.correlate(np.append(each * born, np.zeros(size)), rest, "valid")
    if inside[size] > 1e-12:
        num += queued * each[size] / inside[size] * phi * rest[::-1] * back[::-1]
    good = np.flatnonzero(den > 1e-14)
    if not len(good):
        return None
    rates = np.interp(np.arange(size + 1.0), good, num[good] / den[good])
    rates[size] = 0.0
    return np.asarray(rates)


def _slower(nu: Array, stream: float, number: float) -> float:
    """Speed of the CPs over rates `nu` of 1, 2, … tasks there, at which so many are there of a stream; 1 where more are."""
    count = np.arange(len(nu) + 1.0)

    def there(slower: float) -> float:
        chance = weights(stream / (nu * slower))
        return float(count @ chance) / float(chance.sum())

    if there(1.0) > (1 - NEAR) * number:
        return 1.0
    return narrowed(lambda slower: there(slower) >= number, 0.0, 1.0, FINE)[1]


def _ends(few: FewSolved, flow: float) -> Array:
    """Rates at which 0, 1, … tasks of a limit of few places end, in proportion to their number."""
    inside = float(few.there[:OTHERS].sum())
    return np.asarray(np.arange(len(few.off)) * flow / max(inside, 1e-300))
