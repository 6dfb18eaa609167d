"""What users of a work find at servers that tasks share: as many others as there are, but one fewer of their own.

Their number counts where a work has few of them and uses much of the servers. It is known of servers that all share where
nothing else keeps a task from them: a product form (F. Baskett et al., Journal of the ACM 22, 1975), in which a user finds
what there is with one fewer of his work (M. Reiser, S. Lavenberg, Journal of the ACM 27, 1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from qnsolve.numerics.series import Array

MOST, SPARE = 600, 60  # tasks that are counted at most, and over four times as many as there are in the mean
LEFT_OUT = 1e-6  # chance of the last number from which on they are too many to be counted
FARTHEST, SMALL = 600.0, 1e-280  # logs below the largest weight that make no difference, and weights as good as 0


@dataclass(frozen=True, eq=False)
class ServersOfUsers:
    """Servers that tasks of all works share.

    Attributes
    ----------
    servers : float
    users : ndarray (W,)
        0 of work with a rate.
    load, spent, away : ndarray (W,)
        Servers that each work keeps busy, and the time that a transaction is there, and a user is not [s].
    rate : ndarray (W,)
        Transactions a second.
    others : float, optional
        Servers kept busy by what comes however many are there.
    """

    servers: float
    users: Array
    load: Array
    spent: Array
    away: Array
    rate: Array
    others: float = 0.0

    def seen(self) -> Array:
        """Time there of each work over that alone, over the mean of all by their load (W,); 1 where too many are there.

        Examples
        --------
        One user of a work finds only the others: an M/M/1 whose load is 0.3.

        >>> one, none = np.array([1.0, 0.0]), np.zeros(2)
        >>> both = ServersOfUsers(1.0, one, np.array([0.4, 0.3]), none, np.array([0.03, 1.0]), np.array([10.0, 3.0]))
        >>> its, others = both.seen()
        >>> f"{its / others:.3f}"
        '0.604'
        """
        closed = np.flatnonzero((self.users > 0) & (self.load > 0))
        most = 4 * (float(self.rate @ self.spent) + self.others) + SPARE
        if not len(closed) or most > MOST:
            return np.ones(len(self.users))
        count = np.arange(int(most) + 1.0)
        each = self.load / np.maximum(self.rate, 1e-300) / self.away
        parts, fewer = zip(*(_of_users(float(self.users[k]), float(each[k]), count) for k in closed), strict=True)
        stream = float(self.load[self.users == 0].sum()) + self.others
        rests = [reduce(_both, others, _at_rates(stream, count)) for others in _all_but_one(list(parts))]
        whole = _both(rests[0], parts[0])
        weights = np.append(0.0, np.cumsum(np.log(count[1:] / np.minimum(count[1:], self.servers))))
        some = whole > SMALL
        if not some.any():
            return np.ones(len(self.users))
        weights = np.exp(np.where(some, weights - float((np.log(whole[some]) + weights[some]).max()), -np.inf))
        total = float(weights @ whole)
        if weights[-1] * whole[-1] > LEFT_OUT * total:
            return np.ones(len(self.users))
        found = np.full(len(self.users), float(weights[1:] @ whole[:-1]) / total)  # of work with a rate
        for k, rest, less in zip(closed, rests, fewer, strict=True):
            elsewhere = self.users[k] * float(weights @ _both(rest, less)) / total
            found[k] = (self.users[k] / elsewhere - 1) / each[k]
        return np.asarray(found * float(self.load.sum()) / float(self.load @ found))


def _all_but_one(parts: list[Array]) -> list[list[Array]]:
    return [parts[:k] + parts[k + 1 :] for k in range(len(parts))]


def _both(one: Array, other: Array) -> Array:
    """Weights of the sum of two numbers."""
    return np.asarray(np.convolve(one, other)[: len(one)])


def _of_users(users: float, each: float, count: Array) -> tuple[Array, Array]:
    """Weights of numbers of users that are there, the largest 1; and with one user fewer, on the same scale."""
    some = count[count <= users]
    found = _weights(np.log((users - some[:-1]) / some[1:] * each))
    found = np.append(found, np.zeros(len(count) - len(some)))
    return found, found * np.maximum(users - count, 0.0) / users


def _at_rates(mean: float, count: Array) -> Array:
    """Weights of numbers that come however many are there."""
    return _weights(np.log(np.maximum(mean, 1e-300) / count[1:]))


def _weights(ratios: Array) -> Array:
    logs = np.append(0.0, np.cumsum(ratios))
    return np.where(logs > logs.max() - FARTHEST, np.exp(np.maximum(logs - logs.max(), -FARTHEST)), 0.0)
