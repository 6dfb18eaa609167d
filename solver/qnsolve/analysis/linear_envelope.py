"""The upper envelope of linear functions, exact: matrix games and break points in rational numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from qnsolve.numerics.series import Array


def best_margin(loads: Array, k: int) -> tuple[float, Array]:
    """The largest margin of row k over every other row, and its mix.

    Maximises min_j α·(L_k − L_j) over mixes α ≥ 0, Σ α = 1: the value of a matrix game,
    by the simplex method in rational numbers (Bland's rule).

    Parameters
    ----------
    loads : ndarray (K, R)
        L, load of a station by one job of a class a server [time].
    k : int

    Returns
    -------
    float
        Above 0: the largest alone at some mix; 0: only together with others; below: never.
    ndarray (R,)
        The mix α.

    Examples
    --------
    >>> margin, mix = best_margin(np.array([[4.0, 1.0], [1.0, 3.0], [2.0, 1.0]]), 2)
    >>> round(margin, 12)
    -0.8
    """
    own = [Fraction(v) for v in loads[k].tolist()]
    others = [[a - Fraction(b) for a, b in zip(own, row, strict=True)] for j, row in enumerate(loads.tolist()) if j != k]
    if not others:
        return float(max(own)), np.array([float(v == max(own)) for v in own]) / own.count(max(own))
    shift = 1 - min(min(row) for row in others)
    value, mix = _game([[v + shift for v in row] for row in others])
    return float(value - shift), np.array([float(v) for v in mix])


def _game(pay: list[list[Fraction]]) -> tuple[Fraction, list[Fraction]]:
    """Value of a matrix game with positive pay, and the optimal mix of columns against the smallest row.

    min Σ x with pay·x ≥ 1, x ≥ 0, through its dual max Σ y, payᵀ·y ≤ 1, which has a feasible start.
    """
    rows, columns = len(pay[0]), len(pay)  # of the dual
    table = [[pay[j][i] for j in range(columns)] + [Fraction(i == s) for s in range(rows)] + [Fraction(1)] for i in range(rows)]
    cost = [Fraction(-1)] * columns + [Fraction(0)] * (rows + 1)
    basis = [columns + i for i in range(rows)]
    while (enter := next((j for j, c in enumerate(cost[:-1]) if c < 0), None)) is not None:
        leave = min((i for i in range(rows) if table[i][enter] > 0), key=lambda i: (table[i][-1] / table[i][enter], basis[i]))
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for i in range(rows):
            if i != leave and (by := table[i][enter]):
                table[i] = [v - by * p for v, p in zip(table[i], table[leave], strict=True)]
        by = cost[enter]
        cost = [v - by * p for v, p in zip(cost, table[leave], strict=True)]
        basis[leave] = enter
    total = cost[-1]
    return 1 / total, [cost[columns + i] / total for i in range(rows)]


def upper_lines(start: Array, slope: Array, low: float, high: float) -> list[tuple[float, float, int]]:
    """Segments of [low, high] by the highest line start + slope·x: from, to, line.

    Of equal lines the first is returned.

    Examples
    --------
    >>> upper_lines(np.array([1.0, 0.0]), np.array([-1.0, 1.0]), 0.0, 1.0)
    [(0.0, 0.5, 0), (0.5, 1.0, 1)]
    """
    lines = [(Fraction(b), Fraction(a)) for a, b in zip(start.tolist(), slope.tolist(), strict=True)]  # slope first
    x, end = Fraction(low), Fraction(high)
    now = max(range(len(lines)), key=lambda i: (lines[i][1] + lines[i][0] * x, lines[i][0], -i))
    points, found = [x], [now]
    while True:
        steeper = [((lines[now][1] - a) / (b - lines[now][0]), -b, i) for i, (b, a) in enumerate(lines) if b > lines[now][0]]
        ahead = [s for s in steeper if s[0] < end]
        if not ahead:
            break
        at, _, now = min(ahead)
        points.append(at)
        found.append(now)
    points.append(end)
    return [(float(a), float(b), i) for (a, b), i in zip(pairwise(points), found, strict=True)]
