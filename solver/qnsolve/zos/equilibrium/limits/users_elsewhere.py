"""Users who wait for other limits: at what rate they come to a limit, by how many of them are elsewhere.

All that they pass outside a limit is a network of its own: of so many users in it as many come as that network lets through,
alone (the theorem of Norton for queues: K. Chandy, U. Herzog, L. Woo, IBM Journal of Research and Development 19, 1975). It is
exact where users are all alike at each limit, and their times there exponential.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.series import Array, each_once
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.limited.product_form import folded, speed_of, weights

from ..working import Working

MOST = 800  # users of a work up to which they are counted one by one
LEAST = 1e-9  # users who are at no limit, at least
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
    off : float
        How far those that come are from those that pass the limit, where these chances are as the rates have them [ratio].
    """

    rates: Array
    power: float
    off: float

    def mean(self, seen: Crowd, share: float) -> float:
        """Mean of the rates by the chances of a limit, so much of whose tasks are of the work [1/s]."""
        left = np.maximum(len(self.rates) - 1 - share * seen.number, 0.0)
        return float(seen.chance @ np.interp(left, np.arange(len(self.rates)), self.rates))


@dataclass(frozen=True, eq=False)
class _Line:
    """A limit at which users of a work wait: its places, its tasks a second and there, their time inside, and others."""

    size: int
    rate: float
    there: float
    hold: float
    others: float
    seen: Crowd

    def leave(self, count: int) -> Array:
        """Rates at which 1, 2, … of the tasks leave."""
        mine = np.arange(1.0, count + 1)
        return np.asarray(mine * np.minimum(self.size / (mine + self.others), 1.0) / self.hold)

    def users(self, rates: Array) -> UsersElsewhere:
        """How users come, given their rates by how many of them are elsewhere."""
        known = UsersElsewhere(rates, _power(rates, len(rates) - 1 - self.there), 0.0)
        mean = known.mean(self.seen, self.there / (self.there + self.others))
        return replace(known, off=abs((self.rate / mean) ** (1 - known.power) - 1) if mean > 0 else np.inf)


def users_elsewhere(work: Working) -> dict[tuple[int, int], UsersElsewhere]:
    """By limit and work of users who wait for others, too."""
    users, found = work.form.users, dict[tuple[int, int], UsersElsewhere]()
    for k in np.flatnonzero((users > 0) & (users <= MOST)).tolist():
        lines = _lines(work, k)
        if len(lines) < 2:
            continue
        count = int(users[k])
        away = max(users[k] - sum(its.there for its in lines.values()), LEAST)
        at = [weights(its.rate / its.leave(count)) for its in lines.values()]
        rests = _all_but_one(weights(away / np.arange(1.0, count + 1)), at)
        for (pool, line), rest in zip(lines.items(), rests, strict=True):
            found[pool, k] = line.users(speed_of(rest, line.rate))
    return found


def _power(rates: Array, rest: float) -> float:
    """By which power of the number of users elsewhere they come, about `rest` of them."""
    low, high = rest * (1 - NEAR), rest * (1 + NEAR)
    less, more = np.interp([low, high], np.arange(len(rates)), rates)
    return float(np.log(more / less) / np.log(high / low)) if 0 < less < more else 0.0


def _lines(work: Working, k: int) -> dict[int, _Line]:
    """Limits that tasks of a work wait for, each task for the one where it does so longest; none where these are nested."""
    form, need, flow, holds = work.form, work.need, work.flow, work.holds()
    tasks, there = np.flatnonzero(form.work == k), flow * (holds + work.wait)
    waits = np.where(np.isin(np.arange(len(work.pool_wait)), list(work.crowds))[:, None], work.pool_wait, 0.0)[:, tasks]
    longest = np.where(waits.max(axis=0) > 0, waits.argmax(axis=0), -1)
    if need.calls[tasks[longest >= 0]].any():
        return {}
    found = dict[int, _Line]()
    for pool in each_once(longest[longest >= 0]).tolist():
        mine = tasks[longest == pool]
        beside = np.setdiff1d([t for t, held in enumerate(need.limits) if pool in held], mine)
        rate = float(flow[mine].sum())
        number = float(there[mine].sum())
        hold = (number - float(flow[mine] @ work.pool_wait[pool, mine])) / rate
        found[pool] = _Line(int(form.pool_size[pool]), rate, number, hold, float(there[beside].sum()), work.crowds[pool])
    return found


def _all_but_one(first: Array, others: list[Array]) -> list[Array]:
    """Weights of the first and all others but one, for each of these."""
    before, after, size = [first], [np.ones(1)], len(first) - 1
    for its in others[:-1]:
        before.append(folded(before[-1], its, size))
    for its in others[:0:-1]:
        after.append(folded(after[-1], its, size))
    return [folded(one, other, size) for one, other in zip(before, after[::-1], strict=True)]
