"""Tasks of a TRANCLASS and all others that share one QR TCB, or CPs: a Markov chain on a plane.

The levels are the tasks in and before the class, the phases the others at the TCB. Given both, the tasks inside are at the TCB
or elsewhere as in their product form beside so many others. That is exact where the class is never full, or always, and where
the one kind of tasks is far shorter than the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane

from .product_form import SMALL, FoldedRows, rates_of, speeds_of

UNIT, GROWTH = 14, 1.16  # tasks that are counted one by one, and growth of the steps beyond
LEFT_OUT = 1e-6  # chance of the largest numbers up to which they are large enough
WIDER = 4  # attempts

Arrivals = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class ClassAtTcb:
    """What the chain is asked.

    Attributes
    ----------
    size : int
        Places of the class.
    own, other : float
        Time of the TCB alone that one of its tasks takes, and one of the others [s].
    elsewhere : ndarray (size + 1,)
        Weights of 0, 1, … tasks that are inside and not at the TCB, at throughput `tilt`.
    tilt : float
    come, more : callable
        Rates at which tasks come to the class, and others to the TCB, by their number.
    most, others_most : float
        Numbers that they do not exceed.
    servers : float, default 1
        CPs in place of a TCB.
    beside : ndarray, optional
        Chances of 0, 1, … tasks that are there besides, however many the others are.
    """

    size: int
    own: float
    other: float
    elsewhere: Array
    tilt: float
    come: Arrivals
    more: Arrivals
    most: float
    others_most: float
    servers: float = 1.0
    beside: Array = field(default_factory=lambda: np.ones(1))

    @property
    def numbers(self) -> Array:
        """What tells it from another one."""
        ends, others_ends = (min(most, 2.0 * self.size) * np.array([0.0, 0.5, 1.0]) for most in (self.most, self.others_most))
        sizes = [self.size, self.own, self.other, self.most, self.others_most, self.servers]
        rates = rates_of(self.elsewhere, self.tilt)
        return np.concatenate((sizes, self.come(ends), self.more(others_ends), rates, self.beside))

    def part(self, count: Array) -> Array:
        """Of a server, what each of so many tasks has of them."""
        if len(self.beside) == 1:
            return np.minimum(self.servers / np.maximum(count, self.servers), 1.0) * float(self.beside[0])
        more = np.arange(float(len(self.beside)))
        return np.minimum(self.servers / np.maximum(count[..., None] + more, self.servers), 1.0) @ self.beside


@dataclass(frozen=True, eq=False)
class ClassSolved:
    """The chain solved.

    Attributes
    ----------
    levels, chance, coming : ndarray (N,)
        Tasks in and before the class, their chances, and the rates at which more come.
    rate, others_rate : float
        Tasks that leave the class, and others that leave the TCB [1/s].
    at_tcb, others : float
        Tasks of the class that are at the TCB, and others [count].
    """

    levels: Array
    chance: Array
    coming: Array
    rate: float
    others_rate: float
    at_tcb: float
    others: float


def class_at_tcb(asked: ClassAtTcb, guess: float, others_guess: float) -> ClassSolved:
    """The chain; `guess` and `others_guess` are seldom exceeded by the tasks before the class, and the others at the TCB."""
    top, others_top = min(asked.most, asked.size + guess), min(asked.others_most, others_guess)
    fold = FoldedRows(asked.elsewhere)
    for _ in range(WIDER):
        found, last, others_last = _solved(asked, fold, _points(asked.size, top), grid(UNIT, max(others_top, 0.0), GROWTH))
        enough, others_enough = last < LEFT_OUT or top >= asked.most, others_last < LEFT_OUT or others_top >= asked.others_most
        if enough and others_enough:
            break
        top = top if enough else min(asked.most, 4 * top)
        others_top = others_top if others_enough else min(asked.others_most, 4 * others_top)
    return found


def _points(size: int, top: float) -> Array:
    """A grid that has the limit on it."""
    top = max(float(round(top)), 1.0)
    found = grid(UNIT, min(float(size), top), GROWTH)
    return np.unique(np.concatenate((found, size + grid(UNIT, top - size, GROWTH)))) if size < top else found


def _solved(asked: ClassAtTcb, fold: FoldedRows, levels: Array, phases: Array) -> tuple[ClassSolved, float, float]:
    count, others = np.arange(asked.size + 1.0), phases[:, None]
    part = asked.part(count + others)  # (Y, size + 1)
    leave = count * part / asked.own
    logs = np.zeros_like(leave)
    logs[:, 1:] = np.cumsum(np.log(asked.tilt / leave[:, 1:]), axis=1)
    weight = np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), -700.0))
    ended = others * part / max(asked.other, 1e-300)
    place = np.minimum(levels, asked.size).astype(int)
    need = np.unique(np.concatenate((place, np.maximum(place - 1, 0))))
    at, rows = np.searchsorted(need, place), np.concatenate((weight, weight * ended, weight * count))
    whole, down, there = np.split(fold.at(rows, need), 3)
    unseen = ~(whole > SMALL).all(axis=1)
    whole = np.maximum(whole, SMALL)
    serve, down, there = (its[:, at].T for its in (speeds_of(whole, asked.tilt), down / whole, there / whole))
    if unseen.any():  # speeds go on from those of all numbers
        serve[:, unseen] = speeds_of(np.maximum(fold.of(weight[unseen]), SMALL), asked.tilt)[:, place].T
    coming, more = asked.come(levels), asked.more(phases)
    arrive, up = np.broadcast_to(coming[:, None], serve.shape).copy(), np.broadcast_to(more, serve.shape).copy()
    arrive[-1], up[:, -1] = 0.0, 0.0
    chance = plane(levels, phases, arrive, serve, 0.0, up, down).chance
    solved = ClassSolved(
        levels, chance.sum(axis=1), coming, float((chance * serve).sum()), float((chance * down).sum()),
        float((chance * there).sum()), float(chance.sum(axis=0) @ phases),
    )  # fmt: skip
    return solved, float(chance[-1].sum()), float(chance[:, -1].sum())
