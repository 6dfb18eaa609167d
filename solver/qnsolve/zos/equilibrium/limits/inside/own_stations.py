"""CPs, logs and devices as the tasks inside a limit find them: they do not wait there for tasks that the limit keeps out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from qnsolve.numerics.series import Array, Places, geometric
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.equilibrium.rows_in_line import RowsInLine
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import near
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.chains.kinds import passed_of_kinds, passed_of_two
from qnsolve.zos.hosts.limited.product_form import all_folded, stretch, weights

NEARLY = 0.995  # most of the servers that are taken as in use
WAITED = 0.02  # wait at a station, over its work, up to which it is a delay
SHORTER = 0.99  # share of a time from which on it is as if no task were kept out
ALIKE = 1e-6  # of a flow, what rounding leaves
MIXED = 1.05  # (1 + C²)/2 of exponential pieces of unlike kinds up to which they are alike
SAME = 1e-3  # change of pieces up to which they are the same [ratio]
WITHOUT = 4  # times the places: tasks at a station without the limit
MOST_OF_TWO = 40  # tasks up to which two kinds are told apart by where they are
SHORTEST = 1e-3  # time of one kind from one visit to the next, over the mean
SELDOM = 1e-9  # flow of a task that comes alone, over that of all
COUNTS = 12  # numbers of tasks inside at which they are looked at

QR, BESIDE = (True, -1), (True, -2)  # the QR TCB of the region of a TRANCLASS: its tasks, and all others
Key = tuple[bool, int]  # whether it is a host, and which; or which log or device


@dataclass(frozen=True, eq=False)
class OwnStation:
    """A station that tasks inside a limit come to.

    Attributes
    ----------
    members : ndarray of int
        The tasks that come there through the limit alone.
    time, now : float
        Time there of one task of the limit, were none kept out, and as it is taken now [s].
    speeds : ndarray (size,)
        Rates at which 1, 2, … of them leave.
    plain : float
        The time at such speeds, were none kept out [s].
    """

    members: Places
    time: float
    now: float
    speeds: Array
    plain: float


@dataclass(eq=False)
class Inside:
    """All stations at which tasks of a limit meet only those that it lets in; `at` has the weights of numbers there."""

    pool: int
    size: int
    stations: dict[Key, OwnStation] = field(default_factory=dict)
    at: dict[Key, Array] = field(default_factory=dict)

    @property
    def now(self) -> float:
        """Time of a task there, as it is taken now [s]."""
        return sum(its.now for its in self.stations.values())

    @property
    def slowest(self) -> float:
        """Time of as many tasks as there are places at the slowest of them [s]."""
        return max((self.size / float(its.speeds[-1]) for its in self.stations.values()), default=0.0)

    @property
    def lines(self) -> Inside:
        """Logs and devices alone."""
        return Inside(self.pool, self.size, {key: its for key, its in self.stations.items() if not key[0]})

    def joined(self, weight: Array, tilt: float) -> Array:
        """Weights of numbers there and elsewhere."""
        self.at = {key: weights(tilt / its.speeds) for key, its in self.stations.items()}
        return all_folded(weight, self.at.values())


@dataclass(frozen=True, eq=False)
class _AtTcb:
    """A QR TCB and all else inside a limit, as a closed network.

    Attributes
    ----------
    visits : ndarray (n,)
        Visits of each task to the TCB.
    mean, away : float
        Time of one at the TCB alone, and from it to the next one [s].
    kinds, alike : ndarray (size + 1,)
        Visits a second with 0, 1, … tasks inside, and the same were all pieces alike.
    """

    visits: Array
    mean: float
    away: float
    kinds: Array
    alike: Array


def _of_two(count: Array, away: float, share: Array, time: Array, own: Array) -> Array:
    """Pieces that a TCB ends where short and long ones are away for times of their own, over those were these alike (N,).

    The two groups are those that have the most of the variation of all pieces.
    """
    order, best, found = np.argsort(time), -1.0, None
    for place in range(1, len(order)):
        groups = [order[:place], order[place:]]
        part = np.array([share[its].sum() for its in groups])
        mean = np.array([share[its] @ time[its] for its in groups]) / part
        if part.min() > 0 and float(part @ mean**2) > best:
            best, gone = float(part @ mean**2), np.array([share[its] @ own[its] for its in groups]) / part
            found = part, mean, gone
    if found is None:
        return np.ones(len(count))
    few, ratios = count <= MOST_OF_TWO, np.ones(len(count))
    alike = passed_of_kinds(count[few], away, *found[:2])
    ratios[few] = np.array([passed_of_two(int(n), *found) for n in count[few]]) / alike
    ratios[~few] = ratios[few][-1]
    return np.where(np.isfinite(ratios), ratios, 1.0)


class OwnStations:
    """How much shorter tasks inside limits are at stations than if none were kept out.

    `shorter` is by limit and station: those tasks, and their time over that with none kept out; `applied` is what is in
    the times of this round; `pieces` by QR TCB what `unlike_pieces` was found for, and what it is.
    """

    def __init__(self, work: Working) -> None:
        self.work = work
        self.shorter: dict[tuple[int, Key], tuple[Places, float]] = {}
        self.applied: dict[tuple[int, Key], tuple[Places, Array]] = {}
        self.pieces: dict[int, tuple[Array, _AtTcb | None]] = {}

    def at_region(self, pool: int, tasks: Places, size: int, alone: bool) -> Inside:
        """Of a region: logs and devices, and CPs of tasks that its own wait for; none where regions below it fill."""
        form = self.work.form
        if not alone:
            return Inside(pool, size)
        region = form.pool_region[pool]
        return Inside(pool, size, self._of(pool, tasks, size, form.region != region, np.zeros(len(form.work))))

    def at_class(self, pool: int, tasks: Places, size: int, at_qr: Array) -> Inside:
        """Of a TRANCLASS: all but the QR TCB, at which tasks are for `at_qr`."""
        return Inside(pool, size, self._of(pool, tasks, size, np.ones(len(at_qr), dtype=bool), at_qr))

    def at_cps(self, tasks: Places, size: int) -> Array:
        """Rates at which 1, 2, … tasks that need no TCB leave the CPs of their host (size,)."""
        w, form = self.work, self.work.form
        host = int(form.host[tasks[0]])
        own, total = self.through(tasks) * (form.host == host), float(w.flow[tasks].sum())
        cpu, time = float(own @ w.ask.on_cps) / total, float(own @ w.on_cps) / total
        return self._served(tasks, total, cpu, time, time, *self._cps(host, own), size).speeds

    def _cps(self, host: int, through: Array) -> tuple[float, float]:
        """CPs of a host that some tasks (T,) find in use, by work of no lower importance, and all of them."""
        w, form = self.work, self.work.form
        here = form.host == host
        rank = form.importance[here & (through > 0)].max()
        fixed = float(form.fixed[(form.fixed[:, 0] == host) & (form.fixed[:, 1] <= rank), 2].sum())
        return float((w.flow * w.ask.on_cps) @ (here & (form.importance <= rank))) + fixed, float(form.engines[host])

    def _of(self, pool: int, tasks: Places, size: int, cps: Places, at_qr: Array) -> dict[Key, OwnStation]:
        """Stations at which the tasks of a limit, and those that they wait for, wait; none where most are of users.

        Parameters
        ----------
        pool, tasks, size
            The limit, those that need a place in it, and its places.
        cps : ndarray (T,) of bool
            Tasks whose CPs are looked at.
        at_qr : ndarray (T,)
            Time on a QR TCB that is not among that on the CPs [s].
        """
        w, form = self.work, self.work.form
        if self.of_users(tasks):  # they come less often instead
            return {}
        through = self.through(tasks)
        cpu, now = np.maximum(w.ask.on_cps - w.ask.qr * (at_qr > 0), 0.0), np.maximum(w.on_cps - at_qr, 0.0)
        found: dict[Key, OwnStation] = {}
        waited = cps & (through > 0) & (cpu > 0) & (now > (1 + WAITED) * cpu)
        for host in np.unique(form.host[waited]).tolist():
            here = form.host == host
            kept = self._station(pool, (True, host), tasks, np.where(here & cps, through, 0.0), cpu, now)
            found[True, host] = self._served(*kept, *self._cps(host, np.where(cps, through, 0.0)), size, shared=True)
        for line_pool in self._lines:
            need, time = w.need.lines[:, line_pool], w.line_time[:, line_pool]
            if ((through > 0) & (need > 0) & (time > (1 + WAITED) * need)).any():
                kept = self._station(pool, (False, line_pool), tasks, through, need, time)
                users = np.maximum(w.flow - through, 0.0) * need * (form.users[form.work] > 0)
                there = float(users.sum()), float(users @ time)
                servers = float(form.pool_size[line_pool])
                found[False, line_pool] = self._served(*kept, float(w.flow @ need), servers, size, *there)
        return found

    @cached_property
    def _lines(self) -> list[int]:
        """Logs and devices with servers."""
        form = self.work.form
        some = np.isin(form.pool_kind, [Pool.LOG, Pool.DEVICE]) & (form.pool_size != UNLIMITED)
        found: list[int] = np.flatnonzero(some).tolist()
        return found

    def unlike_pieces(self, tcb: int, tasks: Places, size: int) -> Array | float:
        """Rates at which 0 … size tasks inside end, over those were all pieces on their QR TCB alike, in order of arrival.

        Each is that of so many tasks that come back to the TCB from all else: behind a long piece no more wait than are inside.
        """
        found = self._at_tcb(tcb, tasks, size)
        if found is None:
            return 1.0
        return np.divide(found.kinds, found.alike, out=np.ones(size + 1), where=found.alike > 0)

    def waits_at_tcb(self, tcb: int) -> Array | None:
        """What each task of a full region waits at its QR TCB (n,) [s]; None where all pieces are alike, or not known yet."""
        _, found = self.pieces.get(tcb, (None, None))
        if found is None:
            return None
        size = len(found.kinds) - 1
        there = size - found.kinds[size] * found.away
        return np.asarray(found.visits * max(there / max(float(found.kinds[size]), 1e-300) - found.mean, 0.0))

    def _at_tcb(self, tcb: int, tasks: Places, size: int) -> _AtTcb | None:
        """The closed network of a QR TCB that serves unlike pieces in order of arrival, and all else inside."""
        w = self.work
        mine = tasks[(w.ask.qr[tasks] > 0) & (w.flow[tasks] > 0)]
        if tcb not in w.at_group or not w.need.in_order[mine].any():
            return None
        away = float(w.flow[tasks] @ (w.holds() - w.at_group[tcb])[tasks])
        asked = np.concatenate(
            (w.flow[mine], w.ask.qr[mine] * w.service.get(tcb, 1.0), w.need.rounds[mine], [away, float(size)])
        )
        known = self.pieces.get(tcb)
        if known is None or not near(known[0], asked, SAME):
            known = self.pieces[tcb] = asked, self._solved_at(tcb, tasks, mine, size, away)
        return known[1]

    def _solved_at(self, tcb: int, tasks: Places, mine: Places, size: int, away: float) -> _AtTcb | None:
        w, rows = self.work, np.zeros(len(tasks))
        rows[np.isin(tasks, mine)] = its = self._rows(tcb, mine)
        visits = float(w.flow[mine] @ its)
        share, time, away = w.flow[mine] * its / visits, w.ask.qr[mine] * w.service.get(tcb, 1.0) / its, away / visits
        mean = float(share @ time)
        if float(share @ time**2) < MIXED * mean**2 or away <= 0:
            return None
        count = np.unique(np.rint(geometric(1.0, size, COUNTS)))
        kinds, alike = (passed_of_kinds(count, away, *each) for each in ((share, time), (np.ones(1), np.array([mean]))))
        own = (w.holds() - w.at_group[tcb])[mine] / its
        own = np.maximum(own + away - float(share @ own), SHORTEST * away)  # with that of tasks that do not come to the TCB
        kinds = np.minimum(kinds * _of_two(count, away, share, time, own), 1 / mean)
        whole = np.arange(size + 1.0)
        return _AtTcb(
            rows, mean, away, *(np.interp(whole, np.append(0.0, count), np.append(0.0, its)) for its in (kinds, alike))
        )

    def _rows(self, tcb: int, tasks: Places) -> Array:
        """Visits to a TCB of each task that wait as long as one that comes alone: what it waited for once is gone then (n,)."""
        w, rounds = self.work, self.work.need.rounds[tasks]
        if (rounds <= 1).all():
            return np.ones(len(tasks))
        piece = w.ask.qr[tasks] * w.service.get(tcb, 1.0) / rounds
        apart = np.maximum((w.on_cps - w.at_group[tcb] + w.in_lines + w.need.delay)[tasks] / rounds, 0.0)
        one = float(piece.mean())
        row = (
            np.append(w.flow[tasks], SELDOM * float(w.flow[tasks].sum())), np.append(piece, one), np.append(rounds, 1.0),
            np.append(apart, one), np.full(len(tasks) + 1, -1),
        )  # fmt: skip
        waits = RowsInLine(*row).waits_over_shared() * row[1] * row[2]
        return np.asarray(np.clip(waits[:-1] / max(float(waits[-1]), 1e-300), 1.0, rounds))

    def of_users(self, tasks: Places) -> bool:
        """Whether most of some tasks inside are of users."""
        w = self.work
        held = w.flow[tasks] * w.holds()[tasks]
        return float(held @ (w.form.users[w.form.work[tasks]] > 0)) > 0.5 * float(held.sum())

    def through(self, tasks: Places) -> Array:
        """Flows of all tasks as far as they come from some tasks, or are these (T,) [1/s]."""
        w = self.work
        own = np.zeros(len(w.form.work))
        own[tasks] = w.flow[tasks]
        found = own
        callers, called, number = w.calls
        for _ in range(w.depth):
            found = own + np.bincount(called, number * found[callers], len(own))
        return found

    def _station(
        self, pool: int, key: Key, tasks: Places, through: Array, work: Array, now: Array
    ) -> tuple[Places, float, float, float, float]:
        """Tasks that come through the limit alone, flow of the limit, and its work, time and time as it is taken now."""
        w = self.work
        alone, known = now, self.applied.get((pool, key))
        if known is not None:
            alone = now.copy()
            alone[known[0]] /= known[1]
        total = float(w.flow[tasks].sum())
        members = np.flatnonzero((through > 0) & (through >= (1 - ALIKE) * w.flow))
        return members, total, float(through @ work) / total, float(through @ alone) / total, float(through @ now) / total

    @staticmethod
    def _served(
        members: Places, flow: float, work: float, time: float, now: float, used: float, servers: float, size: int,
        yielding: float = 0.0, waiting: float = 0.0, shared: bool = False,
    ) -> OwnStation:  # fmt: skip
        """Speeds of 1 … size tasks: what others leave of the servers is theirs, as in a product form.

        Others who are users have a load that is `yielding`: it is that of the work `waiting` there, which is served in turn
        with these tasks, the less often the more of them there are.
        """
        used = min(used, NEARLY * servers)
        others, count = max(used - flow * work, 0.0), np.arange(1.0, WITHOUT * size + 1)
        whole, each = stretch(used, servers), count / max(time, 1e-300)
        most = (servers - max(others - yielding, 0.0)) * count / (count * work + waiting)
        speeds = np.minimum(each * whole / stretch(others, servers), most)
        if shared:  # with others, who are in the mean time already
            speeds = np.maximum(speeds, each)
        return OwnStation(members, time, now, speeds[:size], min(_alone(flow, speeds), time))

    def note(self, inside: Inside, chance: Array, passed: float, rest: Array) -> None:
        """See how long tasks are at stations, by the weights of numbers at all else.

        `chance` is P(n there or at all else), and so many have `passed` [1/s].
        """
        size, pool, at = inside.size, inside.pool, inside.at
        passed = max(passed, 1e-300)
        for key, its in inside.stations.items():
            beside = all_folded(rest, (part for other, part in at.items() if other != key))
            there = np.convolve(at[key] * np.arange(size + 1.0), beside)[: size + 1]
            whole = np.maximum(np.convolve(at[key], beside)[: size + 1], 1e-300)
            share = float(chance @ (there / whole)) / (passed * its.plain)
            self.shorter.pop((pool, key), None)
            if share < SHORTER and len(its.members):
                self.shorter[pool, key] = its.members, max(share, 1e-6)

    def note_tcb(
        self, pool: int, tasks: Places, others: Places, serial: float, at: Array, beside: Array, found: Crowd, speed: Array
    ) -> float:  # fmt: skip
        """The same of the QR TCB of a TRANCLASS, by the weights of numbers there and at all else; what its line is longer.

        One task has the TCB alone for `serial`, `others` are those of the region without the class. Tasks that share it with
        others of load ρ hold a place for times of C² = (2 + ρ)/(2 - ρ) (E. Coffman, R. Muntz, H. Trotter 1970), so that the
        line is 2/(2 - ρ) as long. The TCB does the same work in any order: of the others it leaves as much less.
        """
        self.shorter.pop((pool, QR), None)
        self.shorter.pop((pool, BESIDE), None)
        w, flow = self.work, float(self.work.flow[tasks].sum())
        if self.of_users(tasks) or flow * serial >= NEARLY:
            return 1.0
        size = len(speed) - 1
        there = np.convolve(at * np.arange(size + 1.0), beside)[: size + 1]
        whole = np.maximum(np.convolve(at, beside)[: size + 1], 1e-300)
        passed = max(float(found.inside @ speed), 1e-300)
        time = float(found.inside @ (there / whole)) / passed
        share, tcb = time * (1 - flow * serial) / serial, w.limit_tcb(pool)
        if share < SHORTER:
            self.shorter[pool, QR] = tasks, max(share, 1e-6)
        work, service = w.flow * w.ask.qr, w.service.get(tcb, 1.0)
        load = min(float(work[others].sum()) * service, NEARLY)
        inside = float(found.inside @ np.arange(size + 1.0)) / passed
        longer = 1 + min(time / max(inside, 1e-300), 1.0) * load / (2 - load)
        left = float(work[others] @ w.at_group[tcb][others])
        less = float(work[tasks].sum()) * found.wait * (longer - 1)
        if less > (1 - SHORTER) * left:
            self.shorter[pool, BESIDE] = others, max(1 - less / left, 1e-6)
        return longer

    def shortens(self, line: int) -> bool:
        """Whether waits at a log or device are those of tasks of a limit, found as if none were kept out."""
        return any(key == (False, line) for _, key in self.shorter)

    def copy(self, pools: list[tuple[int, int]], tasks: Places, others: Places) -> None:
        """Take for limits what was seen of others, whose tasks are `others` in place of `tasks`."""
        for pool, its in pools:
            self.shorter = {key: seen for key, seen in self.shorter.items() if key[0] != pool}
            for (other, key), (members, share) in list(self.shorter.items()):
                if other == its:
                    self.shorter[pool, key] = tasks[np.searchsorted(others, members)], share

    def apply(self, hosts: bool) -> None:
        """Shorten the times on the CPs, or at logs and devices, that were just found."""
        w = self.work
        self.applied = {key: its for key, its in self.applied.items() if key[1][0] != hosts}
        for (pool, (at_host, place)), (members, share) in self.shorter.items():
            if at_host != hosts:
                continue
            tcb = w.limit_tcb(pool)
            if (at_host, place) in (QR, BESIDE):
                if tcb not in w.at_group:
                    continue
                weight = w.flow[members] * (w.ask.qr[members] if place == BESIDE[1] else 1.0)
                times = w.at_group[tcb] = w.at_group[tcb].copy()
                old = times[members]
                new = shortened(old, w.ask.qr[members] * w.service.get(tcb, 1.0), weight, share)
                times[members] = new
                w.on_cps[members] -= old - new
            elif hosts:
                at_qr = w.at_group[tcb][members] if tcb in w.at_group else np.zeros(len(members))
                old = np.maximum(w.on_cps[members] - at_qr, 0.0)
                new = shortened(old, w.ask.on_cps[members] - w.ask.qr[members] * (at_qr > 0), w.flow[members], share)
                w.on_cps[members] -= old - new
            else:
                old = w.line_time[members, place]
                new = shortened(old, w.need.lines[members, place], w.flow[members], share)
                w.line_time[members, place] = new
            self.applied[pool, (at_host, place)] = members, np.divide(new, old, out=np.ones(len(old)), where=old > 0)


def _alone(flow: float, speeds: Array) -> float:
    """Time of tasks that come at a rate to a station where so many end as fast (N,), the last for all that are more [s]."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(flow / np.maximum(speeds, 1e-300)))))
    chance, count, more = np.exp(logs - logs.max()), np.arange(len(logs)), flow / float(speeds[-1])
    if more >= 1:
        return inf
    beyond = chance[-1] * more / (1 - more)  # a geometric series
    there = float(chance @ count) + beyond * (count[-1] + 1 / (1 - more))
    return there / (float(chance.sum()) + beyond) / max(flow, 1e-300)


def shortened(time: Array, alone: Array, flow: Array, share: float) -> Array:
    """Times whose waits are shorter, all in one ratio, so that they are a `share` of these in the mean; at least alone."""
    waits = np.maximum(time - alone, 0.0)
    there, waited = float(flow @ time), float(flow @ waits)
    if waited <= 0:
        return time
    return np.asarray(time - waits * min((1 - share) * there / waited, 1.0))
