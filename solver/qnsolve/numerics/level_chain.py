"""Markov chains whose states are levels of phases, with moves to the next level up or down: block elimination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .band_matrix import inverse
from .series import Array

ROUNDS = 60  # of the logarithmic reduction: each doubles the levels that are covered


class StiffChainError(ArithmeticError):
    """Rates of a chain are so far apart that its levels cannot be eliminated in double precision."""


@dataclass(frozen=True)
class EndlessLevels:
    """Levels without end above the last one, all alike: what they hold.

    Parameters
    ----------
    ratio : ndarray (P, P)
        Probabilities of a level from those of the level below: R of the matrix-geometric solution.
    phases : ndarray (P,)
        Probability of each phase over all levels of the tail.
    mean : float
        Mean number of levels above the last one.
    """

    ratio: Array
    phases: Array
    mean: float


def probabilities(
    up: Sequence[Array], down: Sequence[Array], local: Sequence[Array], endless: bool = False
) -> tuple[list[Array], EndlessLevels | None]:
    """Stationary probabilities of the phases of each level.

    Only positive terms are added, so that small probabilities keep their precision.

    Parameters
    ----------
    up : sequence of ndarray (P_l, P_l+1)
        Rates from each level to the next; a vector (P_l,) for moves that keep the phase.
    down : sequence of ndarray (P_l+1, P_l)
        Rates from each level above the first to the one below; a vector (P_l+1,) for moves that keep the phase.
    local : sequence of ndarray (P_l, P_l)
        Rates between the phases of a level; the diagonal is not read.
    endless : bool
        Whether the last level is the first of levels without end, all like it and like the moves that lead to it.

    Returns
    -------
    probabilities : list of ndarray (P_l,)
        Of each level; without the last one where it stands for a tail.
    tail : EndlessLevels or None

    Raises
    ------
    StiffChainError

    References
    ----------
    [Latouche1999].
    """
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            states, tail = _probabilities(up, down, local, endless)
    except np.linalg.LinAlgError:
        raise StiffChainError from None
    if not all(np.isfinite(p).all() for p in states):
        raise StiffChainError
    return states, tail


def _probabilities(
    up: Sequence[Array], down: Sequence[Array], local: Sequence[Array], endless: bool
) -> tuple[list[Array], EndlessLevels | None]:
    last, back, ratio = len(local) - 1, None, None
    if endless:
        ratio, back = _alike(up[last - 1], local[last], down[last - 1])
        last -= 1
    inverted: list[Array] = [np.empty(0)] * (last + 1)
    for level in range(last, 0, -1):
        rates = local[level] if back is None else local[level] + back
        inverted[level] = _inverse(_negative(rates, down[level - 1]))
        back = _times(up[level - 1], _columns(inverted[level], down[level - 1]))
    states = [_at_rest(local[0] if back is None else local[0] + back)]
    total = 1.0
    for level in range(last):
        states.append(np.maximum(_columns(states[-1], up[level]) @ inverted[level + 1], 0.0))
        total += float(states[-1].sum())
        if total > 1e100:
            states, total = [p / total for p in states], 1.0
    if ratio is None:
        return [p / total for p in states], None
    away = _inverse(np.eye(len(ratio)) - ratio)
    phases = states[-1] @ ratio @ away
    total += float(phases.sum())
    return [p / total for p in states], EndlessLevels(ratio, phases / total, float((phases @ away).sum()) / total)


def long_steps(up: Array, down: Array, step: Array | float) -> tuple[Array, Array]:
    """Rates of steps of some length, with the drift and the balance of a birth-death process with steps of 1.

    Parameters
    ----------
    up, down : ndarray
        Rates of steps of 1 half way between the two ends of a long one.
    step : ndarray or float
        Its length; 1 returns the rates as they are.
    """
    up, down = np.maximum(up, 1e-300), np.maximum(down, 1e-300)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        log = np.clip(np.log(up / down), -600.0, 600.0)
    drift = up - down
    flat = np.abs(log) * step < 1e-7
    safe = np.where(flat, 1.0, log)
    even = (up + down) / 2 / (np.asarray(step) * step)
    with np.errstate(over="ignore"):
        ahead = np.where(flat, even, drift / (step * -np.expm1(-np.minimum(safe * step, 600.0))))
        back = np.where(flat, even, drift / (step * np.expm1(np.minimum(safe * step, 600.0))))
    return ahead, back


def _alike(up: Array, local: Array, down: Array) -> tuple[Array, Array]:
    """The matrix R of levels that are alike, and the rates at which what climbs comes back to a level, by phase.

    Logarithmic reduction gives G, the phases at the first return to the level below.
    """
    alone = _inverse(_negative(local, down, up))
    high, low = _columns(alone, up), _columns(alone, down)
    g, climbs = low, high
    eye = np.eye(len(local))
    for _ in range(ROUNDS):
        u = _inverse(eye - high @ low - low @ high)
        high, low = u @ (high @ high), u @ (low @ low)
        g = g + climbs @ low
        climbs = climbs @ high
        if climbs.max() < 1e-15:
            break
    back = _times(up, g / g.sum(axis=1, keepdims=True))
    return _times(up, _inverse(_negative(local + back, down))), back


def _negative(rates: Array, *leaving: Array) -> Array:
    """Minus the generator within a level that other moves leave too: its diagonal from the sums of the rows."""
    found = -rates
    diagonal = found.reshape(-1)[:: len(rates) + 1]
    diagonal[:] = 0.0
    out = -found.sum(axis=1)
    for moves in leaving:
        out = out + (moves if moves.ndim == 1 else moves.sum(axis=1))
    diagonal[:] = out
    return found


def _inverse(matrix: Array) -> Array:
    return inverse(np.asarray(matrix, dtype=np.float64))


def _times(moves: Array, matrix: Array) -> Array:
    """The product of moves and a matrix."""
    return np.asarray(moves[:, None] * matrix if moves.ndim == 1 else moves @ matrix)


def _columns(matrix: Array, moves: Array) -> Array:
    """The product of a matrix, or of a row, and moves."""
    return np.asarray(matrix * moves if moves.ndim == 1 else matrix @ moves)


def _at_rest(rates: Array) -> Array:
    """Stationary probabilities of a dense chain: elimination without subtractions."""
    a = rates.copy()
    for k in range(len(a) - 1, 0, -1):
        a[:k, k] /= max(float(a[k, :k].sum()), 1e-300)
        a[:k, :k] += np.outer(a[:k, k], a[k, :k])
    p = np.ones(len(a))
    for k in range(1, len(a)):
        p[k] = p[:k] @ a[:k, k]
    return np.asarray(p / p.sum())
