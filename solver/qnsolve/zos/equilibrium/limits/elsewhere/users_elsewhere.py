"""Users who wait for other limits: at what rate they come to a limit, by how many of them are elsewhere.

All that they pass outside a limit is a network of its own: of so many users in it as many come as that network lets through,
alone (the theorem of Norton for queues: K. Chandy, U. Herzog, L. Woo, IBM Journal of Research and Development 19, 1975). It is
exact where users are all alike at each limit, and their times there exponential.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places, each_once
from qnsolve.zos.hosts.chains.birth_death import Crowd
from qnsolve.zos.hosts.limited.product_form import all_but_one, speed_of, weights

from ...working import Working

MOST = 800  # users of a work up to which they are counted one by one
FEW, UNLIKE = 0.05, 3.0  # tasks of others inside over those of a work that count, and how much longer theirs may be
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
    mean : float
        Mean of the rates, by the chances that the limit has [1/s].
    off : float
        How far that is from what passes the limit, but for what the power makes up for [ratio].
    """

    rates: Array
    power: float
    mean: float
    off: float


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

    def users(self, rates: Array) -> UsersElsewhere | None:
        """How users come, given their rates by how many of them are elsewhere; None where none do."""
        most = len(rates) - 1
        left = np.maximum(most - self.there / (self.there + self.others) * self.seen.number, 0.0)
        mean, power = float(self.seen.chance @ np.interp(left, np.arange(most + 1.0), rates)), _power(rates, most - self.there)
        return UsersElsewhere(rates, power, mean, abs((self.rate / mean) ** (1 - power) - 1)) if mean > 0 else None


def where_longest(waits: Array) -> Places:
    """The limit for which each task waits longest, of its waits for all (P, T); -1 where it waits for none (T,)."""
    return np.asarray(np.where(waits.max(axis=0) > 0, waits.argmax(axis=0), -1))


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
        rests = all_but_one(weights(away / np.arange(1.0, count + 1)), at)
        for (pool, line), rest in zip(lines.items(), rests, strict=True):
            if (its := line.users(speed_of(rest, line.rate))) is not None:
                found[pool, k] = its
    return found


def _power(rates: Array, rest: float) -> float:
    """By which power of the number of users elsewhere they come, about `rest` of them."""
    low, high = rest * (1 - NEAR), rest * (1 + NEAR)
    less, more = np.interp([low, high], np.arange(len(rates)), rates)
    return float(np.log(more / less) / np.log(high / low)) if 0 < less < more else 0.0


def _lines(work: Working, k: int) -> dict[int, _Line]:
    """Limits that tasks of a work wait for, each task for the one where it does so longest; none where these are nested.

    Nor are there any where tasks of others hold their places for much longer, or less long: so do the lines before them then.
    """
    form, need, flow, holds = work.form, work.need, work.flow, work.holds()
    tasks, there = np.flatnonzero(form.work == k), flow * (holds + work.wait)
    waits = np.where(np.isin(np.arange(len(work.pool_wait)), list(work.crowds))[:, None], work.pool_wait, 0.0)[:, tasks]
    longest = where_longest(waits)
    if need.calls[tasks[longest >= 0]].any():
        return {}
    found = dict[int, _Line]()
    for pool in each_once(longest[longest >= 0]).tolist():
        mine = tasks[longest == pool]
        beside = np.setdiff1d([t for t, held in enumerate(need.limits) if pool in held], mine)
        rate = float(flow[mine].sum())
        number, inside = float(there[mine].sum()), holds + work.wait - work.pool_wait[pool]
        hold = float(flow[mine] @ inside[mine]) / rate
        others = float(flow[beside] @ inside[beside])
        if others > FEW * rate * hold and not 1 / UNLIKE < others / float(flow[beside].sum()) / hold < UNLIKE:
            return {}
        found[pool] = _Line(int(form.pool_size[pool]), rate, number, hold, float(there[beside].sum()), work.crowds[pool])
    return found
