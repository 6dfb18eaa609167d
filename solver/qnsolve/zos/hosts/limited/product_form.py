"""Weights of numbers of tasks in a product form, the speed of all together, and the line of one that is open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array, Places

SMALL = 1e-290  # of the weights of numbers of tasks
NOTHING = 1e-303  # of the largest weight of those that are as good as 0
FEW = 6  # rows that are faster one by one
BLOCK = 256  # numbers of which sums are found at once


def weights(ratios: Array) -> Array:
    """1, r1, r1·r2, …, the largest 1."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(ratios, 1e-300)))))
    return np.asarray(np.exp(np.maximum(logs - logs.max(), -700.0)))


def paced(weight: Array, longer: float, size: int) -> Array:
    """The weights at so many times the throughput, of up to `size` tasks; 0 beyond those that are given, the largest 1."""
    logs = np.log(np.maximum(weight[: size + 1], 1e-300)) + np.arange(min(len(weight), size + 1)) * np.log(longer)
    return np.append(np.exp(np.maximum(logs - logs.max(), -700.0)), np.zeros(max(size + 1 - len(weight), 0)))


def speed_of(whole: Array, tilt: float) -> Array:
    """Rate at which 0, 1, 2, … tasks leave; where the weights are too small to be told from 0, in proportion to them."""
    seen = whole > SMALL
    some = np.flatnonzero(seen[1:] & seen[:-1]) + 1
    found = np.zeros(len(whole))
    found[some] = tilt * whole[some - 1] / whole[some]
    if not len(some):
        return found
    first, last = int(some[0]), int(some[-1])
    found[:first] = found[first] * np.arange(first) / first
    found[last + 1 :] = found[last]
    return found


def speeds_of(rows: Array, tilt: float) -> Array:
    """The same of each of several rows of weights (Y, N)."""
    seen: Places = np.asarray(rows > SMALL)
    some, found = seen[:, 1:] & seen[:, :-1], np.zeros(rows.shape)
    np.divide(tilt * rows[:, :-1], rows[:, 1:], out=found[:, 1:], where=some)
    if some.all():
        return found
    place, row = np.arange(rows.shape[1]), np.arange(len(rows))
    first, last = 1 + some.argmax(axis=1), rows.shape[1] - 1 - some[:, ::-1].argmax(axis=1)
    before = found[row, first][:, None] * place / first[:, None]
    found = np.where(place < first[:, None], before, np.where(place > last[:, None], found[row, last][:, None], found))
    return np.where(some.any(axis=1, keepdims=True), found, 0.0)


def folded(one: Array, other: Array, size: int) -> Array:
    """Weights of both together, the largest 1."""
    one, other = (its[: int(np.flatnonzero(its > NOTHING)[-1]) + 1] for its in (one[: size + 1], other[: size + 1]))
    found = np.convolve(one, other)[: size + 1]
    found = np.concatenate((found, np.full(size + 1 - len(found), NOTHING)))  # of which products make nothing
    return np.asarray(found / found.max())


def all_folded(first: Array, others: Iterable[Array]) -> Array:
    """Weights of the first and all others together, of as many tasks as the first has."""
    for other in others:
        first = folded(first, other, len(first) - 1)
    return first


def all_but_one(first: Array, others: list[Array]) -> list[Array]:
    """Weights of the first and all others but one, for each of these."""
    before, after, size = [first], [np.ones(1)], len(first) - 1
    for its in others[:-1]:
        before.append(folded(before[-1], its, size))
    for its in others[:0:-1]:
        after.append(folded(after[-1], its, size))
    return [folded(one, other, size) for one, other in zip(before, after[::-1], strict=True)]


def of_one_more(first: Array, others: list[Array]) -> Array:
    """By how much the mean number at each of the others grows as there is one more of all, of as many as the first has.

    Examples
    --------
    Two lines with the same pace have half of one more each, and one that is twice as fast next to none of it.

    >>> slow, fast = np.ones(60), weights(np.full(59, 0.5))
    >>> of_one_more(slow, [slow, fast]).round(2).tolist()
    [0.5, 0.0]
    """
    found = []
    for own, rest in zip(others, all_but_one(first, others), strict=True):
        own = np.append(own, np.zeros(max(len(rest) - len(own), 0)))[: len(rest)]
        size, number = len(rest) - 1, np.arange(len(rest))
        few, all_ = (own[: n + 1] * rest[n::-1] for n in (size - 1, size))
        found.append(float(all_ @ number) / float(all_.sum()) - float(few @ number[:-1]) / float(few.sum()))
    return np.array(found)


class FoldedRows:
    """Sums over j of rows[y, j]·other[n - j], n from 0 on, as many as both have (Y, N); in blocks of products of matrices.

    Examples
    --------
    >>> FoldedRows(np.array([1.0, 10.0, 100.0])).of(np.array([[1.0, 2.0, 0.0]])).tolist()
    [[1.0, 12.0, 120.0]]
    >>> FoldedRows(np.array([1.0, 0.0, 0.0])).of(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[1.0, 2.0, 3.0]]
    """

    def __init__(self, other: Array) -> None:
        self._other = other
        self._alone = None if other[1:].any() else float(other[0])  # nothing but 0 of the other: rows stay as they are
        count = len(other) if self._alone is None else 0
        ahead = np.concatenate((np.zeros(count), other))
        self._shifted = np.lib.stride_tricks.sliding_window_view(ahead, count)[count:0:-1]  # other[n - j] at [j, n]

    @cached_property
    def _blocks(self) -> list[tuple[int, int, Array]]:
        count = len(self._shifted)
        return [
            (first, min(first + BLOCK, count), np.ascontiguousarray(self._shifted[: first + BLOCK, first : first + BLOCK]))
            for first in range(0, count, BLOCK)
        ]

    def at(self, rows: Array, places: Places) -> Array:
        """The sums for some rows at some n."""
        return rows[:, places] * self._alone if self._alone is not None else rows @ self._shifted[:, places]

    def of(self, rows: Array) -> Array:
        """The sums for some rows."""
        if self._alone is not None:
            return rows * self._alone
        if len(rows) <= FEW:
            return np.array([np.convolve(row, self._other)[: rows.shape[1]] for row in rows])
        found = np.empty(rows.shape)
        for first, last, block in self._blocks:
            found[:, first:last] = rows[:, :last] @ block
        return found


def line(busy: float, servers: float) -> float:
    """Tasks that wait in an M/M/c with so many servers busy in the mean, a part of one perhaps [count]."""
    if busy >= servers:
        return np.inf
    top = int(np.ceil(servers))  # from as many on all are busy, and the chances a geometric series
    if busy <= 0:
        return 0.0
    logs = np.cumsum(np.append(0.0, np.log(busy / np.minimum(np.arange(1.0, top + 1), servers))))
    chance = np.exp(np.maximum(logs - logs.max(), -700.0))
    share = busy / servers
    beyond = chance[-1] * ((top - servers) / (1 - share) + share / (1 - share) ** 2)
    return float(beyond / (chance[:-1].sum() + chance[-1] / (1 - share)))


def stretch(used: float, servers: float) -> float:
    """Time at servers that all share, over that alone."""
    return 1 + line(used, servers) / used if used > 0 else 1.0


def rates_of(weights: Array, tilt: float) -> Array:
    """Rates at which 1, 2, … tasks leave, given the weights of 0, 1, … of them at a throughput; 0 where there are none."""
    found = np.zeros(len(weights) - 1)
    some = (weights[:-1] > 0) & (weights[1:] > 0)
    return np.asarray(np.divide(tilt * weights[:-1], weights[1:], out=found, where=some))
