"""How tasks come to a limit: at rates, from users elsewhere, or out of other limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array, Places, each_once
from qnsolve.zos.hosts.chains.birth_death import UserSource

from .elsewhere.users_elsewhere import UsersElsewhere, users_elsewhere
from .elsewhere.waiting_elsewhere import powers
from .full_limits import as_full
from .limit_picking import PickedLimits

SOON, ON_CPS = 0.15, 0.4  # time elsewhere over that there, and share of this on the CPs, up to which called tasks are there
LEAST, SELDOM = 1e-3, 1e-3  # least part of the places that is elsewhere, and least share of tasks that counts
SAME_POWER = 0.1  # change of a power up to which it stays
OFF = 0.015  # of the rate at which users come, from which on their limits are no network of lines alike
FALLS = 0.8  # of that in the round before, up to which it still comes nearer
LATE, LEAST_STEP = 8, 0.05  # rounds in which how often a limit is full is as found, and part of a change gone at least then
OFTEN = 0.5  # chance of a full class from which on it is what sends its tasks to the limit that it shares with others


class LimitArrivals(PickedLimits):
    """Limits, and how tasks come to them.

    `inside` has the tasks in limits, their variance, and how often these are not full, as it was in the round before, by pool.
    How users come to a limit who wait for others, by pool and work, `elsewhere` has where their lines are as those of tasks
    alike, and `powers` where not, of the works `unlike_elsewhere`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inside = dict[int, tuple[float, float, float]]()
        self.powers = dict[tuple[int, int], float]()
        self.elsewhere = dict[tuple[int, int], UsersElsewhere]()
        self.unlike_elsewhere = set[int]()
        self._swings = dict[int, tuple[float, float]]()  # by pool, the part of a change of how often it is full that is gone

    def sources(self, tasks: Places, held: Array, inside: Array, joined: bool = False) -> tuple[float, list[UserSource], float]:
        """How tasks come: a stream, and users elsewhere; last, time that one of the stream holds a place, over all.

        In a limit that is `joined` with others places of full regions wait as users do.
        """
        w, form = self.work, self.work.form
        response, flow = w.response, w.flow
        there, classes = flow * held, self.in_classes(tasks, inside)
        for work, (tokens, idle) in classes.items():  # whatever the users' rates are so far
            mine = tasks[form.work[tasks] == work]
            own = form.visits[mine] * (inside + w.pool_wait[self.pool[int(form.region[mine[0]])]])[mine]
            time = float(own.sum()) / float(form.visits[mine].sum())
            there[mine] = own / max(float(own.sum()), 1e-300) * tokens * time / (time + idle)
        total = max(float(there[tasks].sum()), 1e-300)
        stream, found = 0.0, []
        mean = float(flow[tasks] @ inside[tasks]) / max(float(flow[tasks].sum()), 1e-300)
        opened, pooled = flow[tasks] * (form.users[form.work[tasks]] == 0), self.pooled(tasks, held)
        hold = float(opened @ inside[tasks]) / max(float(opened.sum()) * mean, 1e-300)
        for work in each_once(form.work[tasks]):
            mine = tasks[form.work[tasks] == work]
            visits = float(form.visits[mine].sum())
            time = float(form.visits[mine] @ held[mine]) / visits
            users = float(form.users[work])
            share, longer = (
                float(there[mine].sum()) / total, float(form.visits[mine] @ inside[mine]) / visits / max(mean, 1e-300),
            )  # fmt: skip
            if int(work) in classes:
                tokens, idle = classes[int(work)]
                found.append(UserSource(tokens, share, idle, longer))
                continue
            if users == 0:
                stream += float(w.rate[work]) * visits
                continue
            away = (form.think[work] + response[work]) / visits - time
            if not any(work in form.work[its] for its, _, _ in pooled):
                away, rest = max(away, 1e-9 * time, 1e-12), max(users - float(there[mine].sum()), 1e-9)
                found.append(self._from_elsewhere(tasks, UserSource(users, share, away, longer, (int(work),), rest=rest)))
        beside_users = stream == 0 and bool(found)
        for its, places, away in pooled:
            if all(work in classes for work in form.work[its].tolist()):
                continue  # out of full classes, and no more than these hold
            rate, number = float(flow[its].sum()), float(flow[its] @ held[its])
            works = tuple(each_once(form.work[its]).tolist())
            longer = float(flow[its] @ inside[its]) / max(rate * mean, 1e-300)
            one = UserSource(places, number / total, away, longer, works)
            if beside_users and away * rate < SOON * number and self.on_cps_share(its) < ON_CPS:
                found += self._called(its, one, max(rate, 1e-300), number, not joined)
            else:
                found.append(one)
        return stream, found, hold

    def _from_elsewhere(self, limited: Places, users: UserSource) -> UserSource:
        """Users who come to the limit of some tasks, as those elsewhere do who wait for others."""
        work, form = users.works[0], self.work.form
        pool = self.class_of.get(int(limited[0]), -1)
        if pool < 0 or len(self.classes[pool]) < len(limited):
            pool = self.pool.get(int(form.region[limited[0]]), -1)
        known = self.elsewhere.get((pool, work))
        if known is None or (form.users[form.work[limited]] == 0).any():
            return replace(users, power=self.powers.get((pool, work), 1.0))
        more = (users.rest / users.away / known.mean) ** known.power  # the more they come by those elsewhere, by their mean too
        return replace(users, rates=known.rates * more, power=known.power)

    def _note_powers(self) -> None:
        """Note how users come who wait for others: it moves waits, which move it, so that it stays as it was but for more."""
        found, known = powers(self.work), self.powers
        for one in {*found, *known}:
            before, now = known.get(one, 1.0), found.get(one, 1.0)
            if abs(now - before) > SAME_POWER:
                known[one] = now

    def _called(self, tasks: Places, one: UserSource, rate: float, there: float, called: bool) -> list[UserSource]:
        """Tasks that come out of regions above and are back soon, at a rate, so many of them there: `one` source, or two.

        Those out of a region that is not full come as users do.
        """
        full, found, each = self._out_of_full(tasks), list[UserSource](), one.share / max(there, 1e-300)
        if full > SELDOM:
            gone = max(full * (one.users - there), LEAST * full * there, 1e-12)
            places = full * one.users
            found.append(replace(one, users=places, share=(places - gone) * each, away=gone / (full * rate), called=called))
        if full < 1 - SELDOM:
            cycle, part = float(np.mean(self.work.cycle[list(one.works)])), (1 - full) * rate
            gone = max(cycle - there / rate, LEAST * there / rate)
            found.append(replace(one, users=part * (there / rate + gone), share=(1 - full) * one.share, away=gone))
        return found

    def _out_of_full(self, tasks: Places) -> float:
        """Share of some tasks that comes out of regions above while these are full."""
        w, works = self.work, self.work.form.work[tasks]
        flows, full = 0.0, 0.0
        for region in self.callers(tasks):
            its = self.tasks[region]
            flow = float(w.flow[its[np.isin(w.form.work[its], works)]].sum())
            seen = w.crowds.get(self.pool[region])
            flows, full = flows + flow, full + flow * (1.0 if seen is None else seen.full)
        return full / max(flows, 1e-300)

    def in_classes(self, tasks: Places, inside: Array) -> dict[int, tuple[float, float]]:
        """Works that come to a limit out of TRANCLASSes: places there, and the time that one is idle [s]."""
        w, form, found = self.work, self.work.form, {}
        for work in each_once(form.work[tasks]).tolist():
            mine = tasks[form.work[tasks] == work]
            tokens, idle = self.out_of_classes(mine, tasks)
            if tokens < np.inf:
                time = inside + w.pool_wait[self.pool[int(form.region[mine[0]])]]
                mean = float(form.visits[mine] @ time[mine]) / float(form.visits[mine].sum())
                found[work] = tokens, max(idle, 1e-3 * mean, 1e-12)
        return found

    def pooled(self, tasks: Places, held: Array) -> list[tuple[Places, float, float]]:
        """Tasks that come to a limit out of full regions, the places there for them, and the time that one has none here [s].

        A place that a task leaves goes to the next one in line, of any work: those out of the same regions are one source.
        """
        w, works = self.work, self.work.form.work[tasks]
        groups: dict[frozenset[int], tuple[list[int], list[float]]] = {}
        for work in each_once(works).tolist():
            mine = tasks[works == work]
            room = self.room_above(mine, work, tasks)
            if room < float(w.form.users[work]):
                its, rooms = groups.setdefault(frozenset(self.callers(mine)), ([], []))
                its.append(work)
                rooms.append(room)
        found = []
        for its, rooms in groups.values():
            mine, users = tasks[np.isin(works, its)], float(w.form.users[its].sum())
            free = self._free_above(mine)
            places = _in_turn(sum(rooms), users, free)  # while one is full no more than it holds
            rate, there = max(float(w.flow[mine].sum()), 1e-300), float(w.flow[mine] @ held[mine])
            found.append((mine, places, max(places - there, 1e-3 * there, 1e-12 * rate) / rate))
        return found

    def places_of(self, region: int, tasks: Places) -> float:
        """Places of a region, or as many users as come, in turn as it is full or not, for some tasks."""
        come = float(self.work.form.users[each_once(self.work.form.work[tasks])].sum())
        crowd, places = self.work.crowds.get(self.pool[region]), float(self.size(region))
        return _in_turn(places, max(come, places), 0.0 if crowd is None else 1 - crowd.full) if come else places

    def _free_above(self, tasks: Places) -> float:
        """How often the fullest of the regions is not full out of which tasks come [0..1]; 0 as long as none is known."""
        pools = [self.pool[r] for r in self.callers(tasks) if r in self.pool]
        return min((self.inside[p][2] for p in pools if p in self.inside), default=0.0)

    def varying(self, pools: list[int]) -> float:
        """As many users as would make the tasks in some limits vary as they do, over the places of these.

        Of n users each of whom is there or not the variance is 1 - there/n of those there. A full limit has as many as places.
        """
        known = [self.inside[p] for p in pools if p in self.inside]
        there, variance = (sum(its[i] for its in known) for i in (0, 1))
        size = float(self.work.form.pool_size[pools].sum())
        if len(known) < len(pools) or there <= 0:
            return 1.0
        return max(there / max(1 - variance / there, LEAST) / size, 1.0)

    def look_elsewhere(self) -> None:
        """Note how users come who wait for several limits."""
        known, self.elsewhere = self.elsewhere, users_elsewhere(self.work)
        for one, its in self.elsewhere.items():  # it is far off at first, where users came otherwise
            if one in known and its.off > max(OFF, FALLS * known[one].off):
                self.unlike_elsewhere.add(one[1])
        self.elsewhere = {(p, k): its for (p, k), its in self.elsewhere.items() if k not in self.unlike_elsewhere}

    def note_inside(self) -> None:
        """Note what is in limits now, and how users come who wait for others."""
        self._note_powers()
        self.look_elsewhere()
        for pool, crowd in self.work.crowds.items():
            number = np.arange(len(crowd.inside))
            mean = float(crowd.inside @ number)
            self.inside[pool] = mean, float(crowd.inside @ (number - mean) ** 2), self._free(pool, 1 - crowd.full)

    def _free(self, pool: int, found: float) -> float:
        """How often a limit is not full, as those below it take it in the next round: part of the way where that still swings.

        The fuller it was, the fewer come out of it to limits below, the shorter they wait there, and the less full it is.
        """
        if pool not in self.inside or self.work.rounds <= LATE:
            return found
        before, (part, last) = self.inside[pool][2], self._swings.get(pool, (1.0, 0.0))
        change = found - before
        part = max(part / 2, LEAST_STEP) if change * last < 0 else min(2 * part, 1.0) if change * last > 0 else part
        self._swings[pool] = part, change
        return before + part * change

    def covered(self, tasks: Places) -> bool:
        """Whether all tasks come out of TRANCLASSes."""
        return all(any(t in its for its in self.classes.values()) for t in tasks.tolist())

    def out_of_classes(self, mine: Places, limited: Places) -> tuple[float, float]:
        """Places in TRANCLASSes from which tasks of a work come to a limit on more, and the time that one is idle [s].

        The places are infinite where some of the work comes directly. Beside tasks of no class, the numbers do not go in
        proportion: there a class counts once it was often full, as then no more come however many users wait.
        """
        w, places, idle = self.work, 0.0, 0.0
        above = not self.callers(mine).isdisjoint(self.gates)
        if above and not self._by_classes(limited):
            return np.inf, 0.0
        for t in mine.tolist():
            pool = self.class_of.get(t, -1)
            if pool not in w.crowds or len(self.classes[pool]) >= len(limited):
                return np.inf, 0.0
            tasks, seen = self.classes[pool], w.crowds[pool]
            if seen.full > OFTEN:
                self.closing.add(pool)
            if pool not in self.closing and not above and not self.covered(limited):
                return np.inf, 0.0
            held = w.flow * (w.holds() + w.pool_wait[self.pool[int(w.form.region[t])]])
            size = float(w.form.pool_size[pool]) * float(held[t]) / max(float(held[tasks].sum()), 1e-300)
            free = float(seen.inside @ (seen.limit - np.arange(seen.limit + 1.0)))
            idle = (places * idle + size * free / max(seen.rate, 1e-300)) / (places + size)
            places += size
        return places, idle

    def _by_classes(self, limited: Places) -> bool:
        """Whether tasks come to a limit out of full regions by classes alone that were often full, and it is not always so.

        No more of them than the places of these are there, however many the regions let in.
        """
        crowds = self.work.crowds
        seen = crowds.get(self.pool.get(int(self.work.form.region[limited[0]]), -1))
        if seen is None or as_full(seen.full) > 0:
            return False
        for t in limited.tolist():
            its = self.class_of.get(t, -1)
            closed = its in self.closing or (its in crowds and crowds[its].full > OFTEN)
            if self.called_from[t] & {*self.gates} and not (closed and len(self.classes[its]) < len(limited)):
                return False
        return True

    def room_above(self, mine: Places, work: int, limited: Places) -> float:
        """Tasks of a work that the regions from which it comes let in; other work there that goes elsewhere makes room."""
        regions = self.callers(mine)
        if regions.isdisjoint(self.gates):
            return np.inf
        users, works = float(self.work.form.users[work]), np.unique(self.work.form.work[limited])
        shares = {r: float(self.shares[r, work]) / max(float(self.shares[r, works].sum()), 1e-300) for r in regions}
        return sum(min(self.size(r), users) * share for r, share in shares.items())

    def room(self, mine: Places, work: int) -> float:
        """Tasks of a work that the regions of some of its tasks let in; infinite where one of them has no limit that fills.

        Other work there may leave all of the places to it, now and then. Work with a rate comes as it likes, but for where as
        many wait before the limit as there are places: then it comes when a place is free.
        """
        full = {*self.gates, *self.capped, *self.kept, *(int(self.work.form.pool_region[p]) for p in self.grouped)}
        found, users = 0.0, float(self.work.form.users[work]) or np.inf
        for region in np.unique(self.work.form.region[mine]).tolist():
            behind = region not in full and self.above[region] in full
            for each in self.together_with(self.above[region]) if behind else (region,):
                if each not in full or (users == np.inf and not self._line_before(each)):
                    return np.inf
                found += min(self.capped.get(each, self.size(each)), users)
        return found

    def varying_there(self, tasks: Places) -> float:
        """`varying` of the limits that some tasks are in, or come out of, the least of these."""
        regions = {*np.unique(self.work.form.region[tasks]).tolist()}
        above = {r for region in regions for r in self.together_with(self.above[region]) if self.above[region] >= 0}
        groups = [[self.pool[r] for r in some if r in self.pool] for some in (regions, above)]
        groups += [[self.class_of[t]] for t in tasks.tolist() if t in self.class_of]
        return min((self.varying(pools) for pools in groups if pools), default=1.0)

    def _line_before(self, region: int) -> bool:
        """Whether as many tasks wait for a region as it has places."""
        tasks = self.tasks[region]
        return float(self.work.flow[tasks] @ self.work.pool_wait[self.pool[region], tasks]) > self.size(region)


def waiting_alike(sources: list[UserSource], there: float) -> list[UserSource]:
    """The sources, their shares of what comes beside the mean number `there`: all tasks wait as much longer then.

    Users who come back soon are there already: of one more it is others.
    """
    own = np.array([s.share for s in sources]) * there
    users, away = np.array([(s.users, s.away) for s in sources]).T
    more = np.maximum(users - own, 0.0) ** 2 / (users * away)
    if not more.sum() > 0:
        return sources
    share = more / more.sum()
    rooms = np.maximum(users - own, 0.0) + share * there
    return [replace(s, users=n, share=part) for s, n, part in zip(sources, rooms.tolist(), share.tolist(), strict=True)]


def _in_turn(places: float, users: float, free: float) -> float:
    """Number of those from whom tasks come, who are so many with no place left, and with one, for a part of the time."""
    return 1 / ((1 - free) / places + free / users)
