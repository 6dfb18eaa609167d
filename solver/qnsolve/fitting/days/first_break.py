"""The first interval that no longer holds as the load grows, by bisection over the growth of all that can be first at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array

from .solved_loads import LoadSolver, SolvedLoads

CANDIDATES = 40  # intervals that may be first, at most
STEPS = 40  # halvings of the growth
MANY, FULLEST = 5000, 2000  # different loads from which only so many of the fullest are compared
GRID = 512  # rows of the search for loads that none exceeds, at once


@dataclass(frozen=True, eq=False)
class FirstBreak:
    """Where intervals end to hold.

    Attributes
    ----------
    rows : ndarray of int (c,)
        Intervals that can be first.
    growth : float
        The growth up to which all hold, in the unit of the path; inf beyond the last; 0 where they do not as they are.
    left_out : int
        Intervals that no other one exceeds and that were left out all the same, for they are many.
    """

    rows: NDArray[np.intp]
    growth: float
    left_out: int


def broken(found: SolvedLoads, targets: Mapping[int, float]) -> NDArray[np.bool_]:
    """Loads that are saturated or miss a response time, (P,)."""
    wrong = found.offered >= 1
    for r, most in targets.items():
        with np.errstate(invalid="ignore"):
            wrong = wrong | (found.response[:, r] > most)
    return np.asarray(wrong)


def first_break(
    solver: LoadSolver,
    values: Array,
    path: Callable[[float], Array],
    furthest: float,
    targets: Mapping[int, float],
    weight: Array,
) -> FirstBreak:
    """Where the first interval ends to hold along a path of growth.

    Parameters
    ----------
    solver : LoadSolver
    values : ndarray (n, R)
    path : function of float
        Factors of the classes (R,) at a growth.
    furthest : float
        The growth at which the search ends.
    targets : mapping of int to float
        Response times that must be met, by place of the class [s].
    weight : ndarray (n,)
        What goes first where there are too many: the work offered.
    """
    rows, left_out = candidates(values, weight)
    own = values[rows]

    def fail(growth: float, which: NDArray[np.intp]) -> NDArray[np.bool_]:
        return broken(solver.solved(own[which] * path(growth), quick=True), targets)

    every = np.arange(len(rows))
    if fail(0.0, every).any():
        return FirstBreak(rows, 0.0, left_out)
    failing = every[fail(furthest, every)]
    if not len(failing):
        return FirstBreak(rows, np.inf, left_out)
    low, high = 0.0, furthest
    for _ in range(STEPS):
        if high - low <= solver.tolerance:
            break
        middle = (low + high) / 2
        wrong = fail(middle, failing)
        if wrong.any():
            high, failing = middle, failing[wrong]  # the others hold for longer
        else:
            low = middle
    return FirstBreak(rows, high, left_out)


def candidates(values: Array, weight: Array) -> tuple[NDArray[np.intp], int]:
    """Intervals whose load no other exceeds in all classes: one of them ends to hold first, however each class grows."""
    unique, index = np.unique(values, axis=0, return_index=True)
    skipped = 0
    if len(unique) > MANY:  # the fullest, and those with most of each class
        most = [np.argsort(-weight[index], kind="stable")[:FULLEST]]
        most += [np.argsort(-column, kind="stable")[: FULLEST // 10] for column in unique.T]
        some = np.unique(np.concatenate(most))
        skipped = len(unique) - len(some)
        unique, index = unique[some], index[some]
    order = np.argsort(-unique.sum(axis=1), kind="stable")
    unique, index = unique[order], index[order]
    kept: list[int] = []
    front = np.empty((0, values.shape[1]))
    for start in range(0, len(unique), GRID):
        block = unique[start : start + GRID]
        open_ = ~(front[:, None] >= block[None]).all(axis=2).any(axis=0) if len(front) else np.ones(len(block), dtype=bool)
        for i in np.flatnonzero(open_).tolist():
            row = block[i]
            if not len(front) or not (front >= row).all(axis=1).any():
                front = np.vstack([front, row])
                kept.append(int(index[start + i]))
    rows = np.array(kept, dtype=np.intp)
    heavy = rows[np.argsort(-weight[rows], kind="stable")]
    return np.sort(heavy[:CANDIDATES]), skipped + max(len(rows) - CANDIDATES, 0)
