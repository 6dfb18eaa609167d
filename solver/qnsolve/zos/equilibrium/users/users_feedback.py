"""Waits of users for all limits at once: the longer they wait for one, the less often they come to the others.

A pass over the limits finds the wait for each, given those for the others. Between limits that the same users pass it creeps:
each makes room for the next. How each wait answers to the others is known, by the slope of its chain and by Little's law, so
that the next waits are those of a Newton step on all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.relaxed_steps import StepLength
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import Crowd, UserSource

FAR = 1.5  # longest step, in logs of the wait and the time inside
SINGULAR = 1e-6  # of the largest direction, below which one is not told: limits that share a wait in any proportion
FIRST, LONGEST, ENOUGH = 40, 2.0, 1e-3  # steps to the first waits, the longest of them and the last, in logs
MOST, USED = 0.98, 0.5  # use of a limit that is begun with at most, and from which on its wait counts
NONE = 1e-12  # wait over the time inside that is none


@dataclass(frozen=True, eq=False)
class WaitSlope:
    """How the wait for a limit answers to how its users come; by their sources (K,): works, or places above that these share.

    Attributes
    ----------
    tasks : ndarray of int
        Those that take its places.
    sources : tuple of K ndarray of int
        Those of each source.
    users, away, share, there : ndarray (K,)
        How many, the time that one is elsewhere [s], their share of those that come, and the time in and before the limit of
        all as long as any of the source are elsewhere [s].
    power, rest : ndarray (K,)
        By which power of those elsewhere they come, and by which one of the rest, that of how many come in the mean.
    slope, places : float
        Change of the wait [s] and of the places taken where all come e times as often.
    """

    tasks: Places
    sources: tuple[Places, ...]
    users: Array
    away: Array
    share: Array
    there: Array
    power: Array
    rest: Array
    slope: float
    places: float


@dataclass
class UsersFeedback:
    """How the waits for all limits answer to each other.

    Attributes
    ----------
    seen : dict of pool to WaitSlope
        As the last chain of each limit has it.
    by_places : dict of pool to float
        How far its waits are those that fill its places, rather than those of the chain.
    """

    work: Working
    seen: dict[int, WaitSlope] = field(default_factory=dict)
    by_places: dict[int, float] = field(default_factory=dict)

    def note(self, pool: int, tasks: Places, sources: list[UserSource], found: Crowd) -> None:
        """See how a limit answers whose chain was just solved; not where users come out of classes."""
        if not all(s.works for s in sources):
            return
        away, room, share, power = np.array([(s.away, s.users, s.share, s.power) for s in sources]).T
        left = np.maximum(room[:, None] - share[:, None] * found.number, 0.0)
        come = np.array([s.come(s.share * found.number) for s in sources]) @ found.chance
        if (come > 0).all():  # else the chain says nothing of how it answers
            there, total = (left > 0).astype(float) @ (found.chance * found.number), float(come.sum())
            works = self.work.form.work[tasks]
            its = tuple(tasks[works == s.works[0] if len(s.works) == 1 else np.isin(works, s.works)] for s in sources)
            rest = np.where([s.rates is None for s in sources], 1 - power, 0.0)
            self.seen[pool] = WaitSlope(tasks, its, room, away, come / total, there / total, power, rest, *found.slopes)

    def begin(self, limits: list[tuple[int, Places]]) -> None:
        """First waits for limits, given by pool and tasks: as if each were a line of an M/M/c of its own."""
        w, form = self.work, self.work.form
        pools = [pool for pool, _ in limits]
        each = np.zeros((len(pools), len(form.work)))
        for i, (_, tasks) in enumerate(limits):
            each[i, tasks] = 1.0
        size = form.pool_size[pools].astype(float)
        logs = np.zeros(0)
        for _ in range(FIRST):
            flow, hold = w.flow, w.holds()
            taken = each @ (flow * hold)
            mean = np.maximum(taken / np.maximum(each @ flow, 1e-300), 1e-12)
            if not len(logs):
                logs = np.log(_line(np.minimum(taken / size, MOST), size))
            used, rising = _used(logs, size)
            waits = mean * np.exp(logs)
            _, more = self._answers(each)
            slopes = (each @ more) * waits - np.diag(size * rising)
            if not np.isfinite(slopes).all():
                break
            change = np.clip(np.linalg.lstsq(slopes, size * used - taken, rcond=None)[0], -LONGEST, LONGEST)
            logs = np.clip(logs + change, -60.0, 60.0)
            w.pool_wait[pools] = each * (mean * np.exp(logs))[:, None]
            w.settle_rates()
            if float(np.abs(change[used > USED]).max(initial=0.0)) < ENOUGH:
                break

    def step(self, before: Array, order: list[int], length: StepLength | None) -> None:
        """From the waits before a pass, and those that it found one after the other, `order`, to the next ones.

        `length` says how far, where steps did not lead on.
        """
        w = self.work
        pools = [pool for pool in order if pool in self.seen]
        tried, found, each = self._means(before, pools)
        slopes = self._slopes(pools, each, found)
        if not pools or not np.isfinite(slopes).all():
            return
        earlier = np.tril(slopes, -1)  # these were as just found already
        first = found - tried - earlier @ (found - tried)
        change = np.asarray(np.linalg.lstsq(np.eye(len(pools)) - slopes, first, rcond=SINGULAR)[0], dtype=float)
        flow = (each > 0) @ w.flow
        own = np.maximum((each > 0) @ (w.flow * w.holds()) / np.maximum(flow, 1e-300), 1e-12)
        ends = [np.maximum((tried + own) * np.exp(far) - own, 0.0) for far in (-FAR, FAR)]
        further = np.log((np.clip(tried + change, *ends) + own) / (tried + own))
        if length is not None:
            weighted, spent = np.zeros(len(order)), flow * (tried + own)
            weighted[[order.index(pool) for pool in pools]] = further * np.sqrt(spent / max(float(spent.sum()), 1e-300))
            further = length.next(weighted) * further
        for i, now in enumerate(np.maximum((tried + own) * np.exp(further) - own, 0.0).tolist()):
            tasks = self.seen[pools[i]].tasks
            w.pool_wait[pools[i], tasks] = now * each[i, tasks]
        w.settle_rates()

    def _means(self, before: Array, pools: list[int]) -> tuple[Array, Array, Array]:
        """Mean waits (P,) before and as found, and those of each task over the latter (P, T)."""
        w = self.work
        tried, found, each = np.zeros(len(pools)), np.zeros(len(pools)), np.zeros((len(pools), len(w.form.work)))
        held = w.holds()
        for i, pool in enumerate(pools):
            tasks = self.seen[pool].tasks
            share = w.flow[tasks] / max(float(w.flow[tasks].sum()), 1e-300)
            tried[i], found[i] = float(share @ before[pool, tasks]), float(share @ w.pool_wait[pool, tasks])
            told = found[i] > NONE * float(share @ held[tasks])
            each[i, tasks] = w.pool_wait[pool, tasks] / found[i] if told else 1.0
        return tried, found, each

    def _slopes(self, pools: list[int], each: Array, found: Array) -> Array:
        """Change of the wait for each limit with that for each other one (P, P)."""
        w, form = self.work, self.work.form
        flow, holds = w.flow, w.holds()
        inside, _ = self._answers(each)
        fewer = (self._spent(each) / w.cycle[:, None])[form.work]  # transactions, in logs
        slopes = np.zeros((len(pools), len(pools)))
        for i, pool in enumerate(pools):
            seen = self.seen[pool]
            tasks, total = seen.tasks, max(float(flow[seen.tasks].sum()), 1e-300)
            hold = max(float(flow[tasks] @ holds[tasks]) / total, 1e-300)
            away, fewest, whole = np.zeros((3, len(pools)))  # time elsewhere, in logs; the mix of those that are there
            number_there = lasting = 0.0
            for mine, users, gone, share, there, power, rest in zip(
                seen.sources, seen.users, seen.away, seen.share, seen.there, seen.power, seen.rest, strict=True
            ):
                its, held = flow[mine], flow[mine] * (holds + w.pool_wait[pool])[mine]
                come = max(float(its.sum()), 1e-300)
                longer, less = its @ inside[mine], held @ fewer[mine]
                longer[i] += float(its @ each[i, mine])
                fewer_come = its @ fewer[mine] / come
                away += share * (power * (users * fewer_come - longer) / (come * gone) + rest * fewer_come)
                fewest, whole = fewest + power * there * (longer - less) / gone, whole + longer - less
                lasting += power * there * float(held.sum()) / gone
                number_there += float(held.sum())
            away += (fewest - lasting / number_there * whole) / number_there
            row = (found[i] + seen.slope) * (flow[tasks] @ inside[tasks]) / total / hold - seen.slope * away
            part = self.by_places.get(pool, 0.0)
            if part > 0:
                less = flow[tasks] * holds[tasks] @ fewer[tasks]  # places taken
                by_places = (seen.places * away - less) / max(float(less[i]), 1e-300)
                by_places[i] = 0.0
                row = (1 - part) * row + part * by_places
            slopes[i] = row
        return slopes

    def _spent(self, each: Array) -> Array:
        """Change of the time of a transaction of each work with each wait (W, P)."""
        found = np.zeros((len(self.work.form.rate), len(each)))
        np.add.at(found, self.work.form.work.astype(int), self.work.form.visits[:, None] * each.T)
        return found

    def _answers(self, each: Array) -> tuple[Array, Array]:
        """Change of the time that a task holds its place, and of the places that all hold, with each wait (T, P)."""
        w = self.work
        inside = np.zeros(each.T.shape)
        for _ in range(w.depth):
            inside = w.need.calls @ (inside + each.T)
        fewer = (self._spent(each) / w.cycle[:, None] * (w.form.users > 0)[:, None])[w.form.work]
        return inside, w.flow[:, None] * (inside - w.holds()[:, None] * fewer)


def _line(used: Array, servers: Array) -> Array:
    """Wait of an M/M/c over its service time (H. Sakasegawa 1977)."""
    return np.asarray(np.maximum(used, 1e-3) ** (np.sqrt(2 * (servers + 1)) - 1) / (servers * (1 - used)))


def _used(logs: Array, servers: Array) -> tuple[Array, Array]:
    """Use of the servers at which the log of that wait is this, and its slope."""
    low, high = np.zeros(len(logs)), np.ones(len(logs))
    for _ in range(50):
        middle = (low + high) / 2
        with np.errstate(divide="ignore"):
            short = np.log(_line(middle, servers)) < logs
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    power = np.sqrt(2 * (servers + 1)) - 1
    idle = np.minimum(np.exp(power * np.log(np.maximum(low, 1e-300)) - logs) / servers, 1.0)
    return low, 1 / (power / np.maximum(low, 1e-3) + 1 / np.maximum(idle, 1e-300))
