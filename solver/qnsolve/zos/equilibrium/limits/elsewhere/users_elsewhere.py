"""Users who wait for other limits: at what rate they come to a limit, by how many of them are elsewhere.

All that they pass outside a limit is a network of its own: of so many users in it as many come as that network lets through,
alone (the theorem of Norton for queues: K. Chandy, U. Herzog, L. Woo, IBM Journal of Research and Development 19, 1975). It is
exact where users are all alike at each limit, and their times there exponential.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from qnsolve.numerics.series import Array, Places, each_once, without
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.limited.product_form import all_but_one, speed_of, weights

from ...working import Working

MOST = 800  # users of works that are one kind, up to which they are counted one by one
FEW, UNLIKE = 0.05, 3.0  # tasks of others inside over those of a work that count, and how much longer theirs may be
SAME = 0.05  # of their wait, to which works of users wait for the same limits
LEAST = 1e-9  # users who are at no limit, at least
FAR = 2  # times as many users as there are, for whom rates are found at most
NEAR = 0.02  # of the number elsewhere, over which the power of the rate is found


@dataclass(frozen=True, eq=False)
class UsersElsewhere:
    """How users of a work come to a limit who are elsewhere.

    Attributes
    ----------
    rates : ndarray (N + 1,)
        By how many of its users are elsewhere [1/s].
    power : float
        By which power of their number, about the mean.
    mean : float
        Mean of the rates, by the chances that the limit has [1/s].
    off : float
        How far that is from what passes the limit, but for what the power makes up for [ratio].
    """

    rates: Array
    power: float
    mean: float
    off: float


class _Beside(NamedTuple):
    """Others in a line: their number, the rate at which they come [1/s], and how much lower it is for one more of them."""

    number: float
    rate: float
    less: float


@dataclass(frozen=True, eq=False)
class _Line:
    """A limit at which users of some works wait: its places, its tasks a second and there, their time inside, and others.

    `flows` and `theirs` are the tasks a second and there of each of the works.
    """

    size: int
    flows: Array
    theirs: Array
    hold: float
    others: _Beside
    seen: Crowd

    @property
    def rate(self) -> float:
        """Tasks a second."""
        return float(self.flows.sum())

    @property
    def there(self) -> float:
        """Tasks that wait or are inside."""
        return float(self.theirs.sum())

    def leave(self, count: int) -> Array:
        """Rates at which 1, 2, … of the tasks leave."""
        mine = np.arange(1.0, count + 1)
        return np.asarray(mine * np.minimum(self.size / (mine + self._beside(mine)), 1.0) / self.hold)

    def _beside(self, mine: Array) -> Array:
        """Others beside so many of the tasks, where as many come as go: the longer the line, the more of them are in it."""
        number, flow, less = self.others
        if not number > 0 or not flow > 0:
            return np.zeros(len(mine))
        each, come = flow / number * max((self.there + number) / self.size, 1.0), flow + number * less
        few, through = come / (each + less), each * self.size - come + less * mine
        many = 2 * come * mine / np.maximum(through + np.sqrt(through**2 + 4 * less * come * mine), 1e-300)
        return np.asarray(np.where(mine + few <= self.size, few, many))

    def most(self, users: Array) -> float:
        """Users of all works elsewhere, as many parts more than in the mean as where all of one work are; so many of each."""
        whole = float(users.sum())
        return max(float(((whole - self.there) * users / np.maximum(users - self.theirs, LEAST)).max()), whole)

    def users(self, place: int, count: int, total: int, rates: Array) -> UsersElsewhere | None:
        """How so many users of the work at a place come, given the rates by how many of all are elsewhere; None where none do.

        As many parts more of them are elsewhere as of all.
        """
        mine, flow = float(self.theirs[place]), float(self.flows[place])
        if not mine > 0:
            return None
        left, most = np.arange(count + 1.0), total - self.there
        rates = flow / self.rate * np.interp(most * left / max(count - mine, LEAST), np.arange(len(rates)), rates)
        seen = np.maximum(count - mine / (self.there + self.others.number) * self.seen.number, 0.0)
        mean, power = float(self.seen.chance @ np.interp(seen, left, rates)), _power(rates, count - mine)
        return UsersElsewhere(rates, power, mean, abs((flow / mean) ** (1 - power) - 1)) if mean > 0 else None


def where_longest(waits: Array) -> Places:
    """The limit for which each task waits longest, of its waits for all (P, T); -1 where it waits for none (T,)."""
    return np.asarray(np.where(waits.max(axis=0) > 0, waits.argmax(axis=0), -1))


def users_elsewhere(work: Working) -> dict[tuple[int, int], UsersElsewhere]:
    """By limit and work of users who wait for others, too; those of works that pass the same limits are one kind."""
    users, found = work.form.users, dict[tuple[int, int], UsersElsewhere]()
    seen = np.isin(np.arange(len(work.pool_wait)), list(work.crowds))
    longest = where_longest(np.where(seen[:, None], work.pool_wait, 0.0))
    for works in _alike(work, longest):
        lines = _lines(work, longest, works)
        if len(lines) < 2:
            continue
        count = int(users[works].sum())
        away = max(count - sum(its.there for its in lines.values()), LEAST)
        most = int(np.ceil(min(max(its.most(users[works]) for its in lines.values()), FAR * count)))
        at = [weights(its.rate / its.leave(most)) for its in lines.values()]
        rests = all_but_one(weights(away / np.arange(1.0, most + 1)), at)
        for (pool, line), rest in zip(lines.items(), rests, strict=True):
            rates = speed_of(rest, line.rate)
            for place, k in enumerate(works.tolist()):
                if (its := line.users(place, int(users[k]), count, rates)) is not None:
                    found[pool, k] = its
    return found


def _alike(work: Working, longest: Places) -> list[Places]:
    """Works of users who wait for the limits in the same shares, together so few that they are counted one by one."""
    users, of, at = work.form.users, work.form.work, np.flatnonzero(longest >= 0)
    shape = len(users), len(work.pool_wait)
    waiting = work.flow[at] * work.pool_wait[longest[at], at]
    lines = np.bincount(of[at] * shape[1] + longest[at], waiting, shape[0] * shape[1]).reshape(shape)
    lines = lines / np.maximum(lines.sum(axis=1, keepdims=True), 1e-300)
    found = list[Places]()
    for k in np.flatnonzero((users > 0) & (users <= MOST)).tolist():
        for place, its in enumerate(found):
            if np.abs(lines[its[0]] - lines[k]).max() < SAME and users[its].sum() + users[k] <= MOST:
                found[place] = np.append(its, k)
                break
        else:
            found.append(np.array([k]))
    return found


def _power(rates: Array, rest: float) -> float:
    """By which power of the number of users elsewhere they come, about `rest` of them."""
    low, high = rest * (1 - NEAR), rest * (1 + NEAR)
    less, more = np.interp([low, high], np.arange(len(rates)), rates)
    return float(np.log(more / less) / np.log(high / low)) if 0 < less < more else 0.0


def _lines(work: Working, longest: Places, works: Places) -> dict[int, _Line]:
    """Limits that tasks of some works wait for, each task for the one where it does so longest; none where these are nested.

    Nor are there any where tasks of others hold their places for much longer, or less long: so do the lines before them then.
    """
    form, need, flow, holds = work.form, work.need, work.flow, work.holds()
    tasks, there = np.flatnonzero(np.isin(form.work, works) & (longest >= 0)), flow * (holds + work.wait)
    if need.calls[tasks].any():
        return {}
    found = dict[int, _Line]()
    for pool in each_once(longest[tasks]).tolist():
        mine = tasks[longest[tasks] == pool]
        beside = without(work.in_limit(pool), mine)
        rate, inside = float(flow[mine].sum()), holds + work.wait - work.pool_wait[pool]
        hold = float(flow[mine] @ inside[mine]) / rate
        others = float(flow[beside] @ inside[beside])
        if others > FEW * rate * hold and not 1 / UNLIKE < others / float(flow[beside].sum()) / hold < UNLIKE:
            return {}
        flows, theirs = (
            np.asarray(np.bincount(form.work[mine], its[mine], len(form.users))[works], float) for its in (flow, there)
        )
        size = int(form.pool_size[pool])
        found[pool] = _Line(size, flows, theirs, hold, _others(work, beside, there), work.crowds[pool])
    return found


def _others(work: Working, beside: Places, there: Array) -> _Beside:
    """Some tasks as others in a line: users of them who are there do not come."""
    form, flow = work.form, work.flow[beside]
    users, count = form.users[form.work[beside]], float(there[beside].sum())
    rest = np.maximum(form.users - np.bincount(form.work[beside], there[beside], len(form.users)), LEAST)[form.work[beside]]
    less = float(np.where(users > 0, flow / rest, 0.0) @ there[beside]) / max(count, LEAST)
    return _Beside(count, float(flow.sum()), less)
