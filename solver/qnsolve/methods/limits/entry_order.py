"""Jobs admitted to a limited region, given the jobs that are present: first come first served past nested limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array

Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Cap:
    """At most `capacity` jobs of some classes (axes) inside."""

    capacity: int
    classes: tuple[int, ...]

    def has(self, other: Cap) -> bool:
        """Whether the classes of another limit are all under this one too, and it is not the same."""
        return self != other and set(other.classes) <= set(self.classes)


class Region:
    """The states of a region with limits: n_r jobs of each class (axis) that are inside or wait for admission.

    Where not all are admitted, m are inside, with probability in proportion to G(m) times
    the number of orders of the others in the queue: exact for a queue that fills
    while the inside is in equilibrium. It is summed over the last in the queue,
    W(n) = Σ_s W(n − e_s), in a form whose steps are averages.

    Parameters
    ----------
    most : sequence of int (R,)
        The states are n = 0 … most.
    caps : sequence of Cap
        Nested or disjoint in their classes; of two with the same classes the first is the outer one.
    """

    def __init__(self, most: Sequence[int], caps: Sequence[Cap]) -> None:
        self.shape = tuple(n + 1 for n in most)
        self.n = np.indices(self.shape).reshape(len(most), -1)
        self.order = sorted(range(len(caps)), key=lambda i: -len(caps[i].classes))  # outer ones first
        self.caps = [caps[i] for i in self.order]
        self.room = [min([n, *(c.capacity for c in caps if r in c.classes)]) for r, n in enumerate(most)]
        self.box = np.indices(tuple(n + 1 for n in self.room)).reshape(len(most), -1)  # m inside, up to the capacity
        self.held = np.array([self.box[list(cap.classes)].sum(axis=0) for cap in self.caps])  # of each limit
        self.wanted = {i: self._wanted(i) for i in range(len(self.caps))}
        self.full = {i: self.wanted[i] >= cap.capacity for i, cap in enumerate(self.caps)}
        self.line = {i: (self._present(i) - cap.capacity) * self.full[i] for i, cap in enumerate(self.caps)}
        self.owner = np.full(self.n.shape[1], -1)  # the outermost limit at which jobs wait
        for i in reversed(range(len(self.caps))):
            self.owner[self.full[i] & (self._present(i) > self.caps[i].capacity)] = i
        self.alone = all(len(cap.classes) == 1 for cap in self.caps)
        self.steps = [int(np.prod(self.shape[r + 1 :])) for r in range(len(most))]

    def _present(self, i: int) -> Index:
        return self.n[list(self.caps[i].classes)].sum(axis=0)

    def _within(self, i: int) -> list[int]:
        """The limits directly within a limit."""
        inner = [j for j in range(i + 1, len(self.caps)) if set(self.caps[j].classes) <= set(self.caps[i].classes)]
        return [j for j in inner if not any(j > o and set(self.caps[j].classes) <= set(self.caps[o].classes) for o in inner)]

    def _wanted(self, i: int) -> Index:
        """Jobs that reach a limit: those that the limits within it admit."""
        inner = self._within(i)
        free = set(self.caps[i].classes) - {r for j in inner for r in self.caps[j].classes}
        let = [np.minimum(self._wanted(j), self.caps[j].capacity) for j in inner]
        return self.n[sorted(free)].sum(axis=0) + sum(let, np.zeros(self.n.shape[1], dtype=int))

    def means(self, throughput: Array) -> Array:
        """Mean throughput at every n, shape (R, states), from that at every m that may be inside.

        Parameters
        ----------
        throughput : ndarray (R, b_1 + 1, …)
            X_r(m) for m up to `room`.
        """
        found = throughput.reshape(len(throughput), -1)[:, self._inside()]
        self.moves = [] if self.alone else list(self._last_in_line(_log_weight(throughput).ravel()))
        if not self.alone:
            found[:, self.owner >= 0] = 0.0
        for points, before, part in self.moves:
            found[:, points] += part * found[:, before]
        return found

    def inside(self, p: Array) -> Array:
        """P(m inside) from P(n), shape (b_1 + 1, …); after `means`."""
        back = p.copy()
        for points, before, part in reversed(self.moves):
            back[before] += part * back[points]
        if not self.alone:
            back[self.owner >= 0] = 0.0
        room = [n + 1 for n in self.room]
        found = np.asarray(np.bincount(self._inside(), weights=back, minlength=int(np.prod(room))), dtype=float)
        return found.reshape(room)

    def _inside(self) -> Index:
        """The index of m = n, cut at the capacity, among the states up to `room`."""
        places: Index = np.ravel_multi_index(
            [np.minimum(n, room) for n, room in zip(self.n, self.room, strict=True)], [n + 1 for n in self.room]
        )
        return places

    def _last_in_line(self, log_weight: Array) -> Iterator[tuple[Index, Index, Array]]:
        """Level by level: states, the states without the last in the queue, and the shares of these."""
        level = self.n.sum(axis=0)
        held = np.flatnonzero(self.owner >= 0)
        held = held[np.lexsort((self.owner[held], level[held]))]
        marks = level[held] * len(self.caps) + self.owner[held]
        logs = np.where(self.owner < 0, log_weight[self._inside()], -np.inf)
        for points in np.split(held, np.flatnonzero(np.diff(marks)) + 1) if len(held) else ():
            i = int(self.owner[points[0]])
            cases = []
            for r in self.caps[i].classes:
                some = points[self.n[r, points] > 0]
                before = some - self.steps[r]
                within = self.full[i][before]
                cases.append((some[within], before[within]))
            for some, before in cases:
                logs[some] = np.logaddexp(logs[some], logs[before])
            shares = [np.exp(logs[before] - logs[some]) for some, before in cases]
            total = np.zeros(len(logs))
            for (some, _), share in zip(cases, shares, strict=True):
                total[some] += share
            for (some, before), share in zip(cases, shares, strict=True):
                yield some, before, share / total[some]  # they sum to 1 to the last digit, however large the logarithms


def _log_weight(throughput: Array) -> Array:
    """Ln G(m) from X_r(m) = G(m − e_r)/G(m), along one axis after another."""
    logs = np.zeros(throughput.shape[1:])
    for r, x in enumerate(throughput):
        first = x[(..., *[slice(0, 1)] * (logs.ndim - r - 1))]  # the later axes are at 0
        steps = np.zeros(first.shape)
        rows = [slice(None)] * logs.ndim
        rows[r] = slice(1, None)
        steps[tuple(rows)] = -np.log(first[tuple(rows)])
        logs = logs + steps.cumsum(axis=r)
    return logs
