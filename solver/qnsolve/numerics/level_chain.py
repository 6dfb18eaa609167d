"""Markov chains whose states are levels of phases, with moves to the next level up or down: block elimination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .band_matrix import empty_band, inverse, solved
from .series import Array

GUESSES, FAR = 3, 1e3  # states from which a chain is solved at once, and how much likelier another one may be
WIDEST = 30  # phases of a level up to which one band matrix is faster than its blocks one by one
SWEEPS = 2  # along levels and phases, for a first one
BELOW = 1e-12  # share of probabilities below zero that rounding may leave
AHEAD = 64  # levels without end whose probabilities are found at once
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

    def levels(self, last: Array, least: float, most: int) -> Array:
        """Probabilities of the levels above the last one, whose phases are given, to the first that is no more than `least`.

        No more than `most` of them.

        Examples
        --------
        >>> EndlessLevels(np.array([[0.5]]), np.ones(1), 2.0).levels(np.ones(1), 0.1, 1000).tolist()
        [0.5, 0.25, 0.125, 0.0625]
        """
        ahead, power = np.ones((len(self.ratio), 1)), self.ratio  # sums over phases of so many levels on, by the phase here
        while ahead.shape[1] < AHEAD:
            ahead, power = np.hstack((ahead, power @ ahead)), power @ power
        found: list[Array] = []
        state, count = last @ self.ratio, 0
        while count < most:
            found.append(state @ ahead)
            enough = found[-1] <= least
            count += len(enough)
            if enough.any():
                found[-1] = found[-1][: int(np.argmax(enough)) + 1]
                break
            if not found[-1][-1] < np.inf:
                break
            state = state @ power
        return np.concatenate(found)[:most]


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


def at_once(up: Sequence[Array], down: Sequence[Array], local: Sequence[Array]) -> list[Array] | None:
    """The same of a chain that ends, by one band matrix: in a fraction of the time, to the rounding of the largest probability.

    None where that is not enough, or levels are too wide. Moves should go to phases nearby.

    Examples
    --------
    >>> one = np.ones(1)
    >>> [p.round(12).tolist() for p in at_once([one, one], [2 * one, 2 * one], [np.zeros((1, 1))] * 3)]
    [[0.571428571429], [0.285714285714], [0.142857142857]]
    """
    sizes = np.array([len(rates) for rates in local])
    shape = len(local), int(sizes.max())
    if shape[1] > WIDEST:
        return None
    moves: dict[tuple[int, int], Array] = {}
    for step, blocks in ((0, local), (1, up), (-1, down)):
        _put_moves(moves, step, blocks, shape)
    there = np.where(np.arange(shape[1]) < sizes[:, None], 1.0, 0.0).ravel()
    flat: dict[int, Array] = {}
    for (step, further), rates in moves.items():
        if step or further:
            place = step * shape[1] + further
            flat[place] = flat.get(place, 0.0) + rates.ravel()
    level, phase = _likely(moves, shape)
    state = level * shape[1] + min(phase, int(sizes[level]) - 1)
    for _ in range(GUESSES):
        found = _from_state(flat, there, state)
        if found is None or not float(np.abs(found).max()) > FAR:
            break
        state = int(np.abs(found).argmax())
    if found is None or -float(found[found < 0].sum()) > BELOW * float(found.sum()):
        return None
    chance = np.maximum(found, 0.0).reshape(shape)
    chance = chance / float(chance.sum())
    return [row[:many] for row, many in zip(chance, sizes.tolist(), strict=True)]


def _put_moves(moves: dict[tuple[int, int], Array], step: int, blocks: Sequence[Array], shape: tuple[int, int]) -> None:
    """Add the moves of blocks that lead so many levels up, by how many levels and phases further they lead."""
    first = 1 if step < 0 else 0  # level from which the first block leads
    keep, dense = ([place for place, block in enumerate(blocks) if block.ndim == kind] for kind in (1, 2))
    if keep:
        rates = moves.setdefault((step, 0), np.zeros(shape))
        rates[np.array(keep) + first] += _stacked([blocks[place] for place in keep], shape[1:])
    if dense:
        whole = _stacked([blocks[place] for place in dense], (shape[1], shape[1]))
        begin, end = np.nonzero(whole.any(axis=0))
        for further in np.unique(end - begin).tolist():
            phases = np.arange(max(-further, 0), shape[1] - max(further, 0))
            rates = moves.setdefault((step, further), np.zeros(shape))
            rates[np.array(dense)[:, None] + first, phases] += whole[:, phases, phases + further]


def _stacked(blocks: Sequence[Array], shape: tuple[int, ...]) -> Array:
    """Blocks one above the other, with zeros where they are smaller."""
    if all(block.shape == shape for block in blocks):
        return np.array(blocks)
    found = np.zeros((len(blocks), *shape))
    for place, block in zip(found, blocks, strict=True):
        place[tuple(slice(size) for size in block.shape)] = block
    return found


def _likely(moves: dict[tuple[int, int], Array], shape: tuple[int, int]) -> tuple[int, int]:
    """Level and phase of a state that is about the likeliest: of those beside it in turn, along the levels and the phases."""
    level = phase = 0
    for _ in range(SWEEPS):
        for along in (0, 1):
            line = (slice(None), phase) if along == 0 else (level, slice(None))
            none = np.zeros((1, shape[along]))
            up, down = (
                np.sum([*none, *(its[line] for to, its in moves.items() if to[along] == way)], axis=0) for way in (1, -1)
            )
            logs = np.log(np.maximum(up[:-1], 1e-300)) - np.log(np.maximum(down[1:], 1e-300))
            place = int(np.argmax(np.concatenate(([0.0], np.cumsum(logs)))))
            level, phase = (place, phase) if along == 0 else (level, place)
    return level, phase


def _from_state(moves: dict[int, Array], there: Array, state: int) -> Array | None:
    """Probabilities over that of a state: moves by how many states further they lead; 1 for those that are `there`, or 0."""
    size, band = len(there), max(map(abs, moves))
    matrix, middle = empty_band(size, band), 2 * band
    matrix[middle] = there - 1 - np.sum(list(moves.values()), axis=0)
    for step, rates in moves.items():
        here = slice(None, size - step) if step > 0 else slice(-step, None)
        matrix[middle + step, here] += rates[here]
    columns = np.arange(max(state - band, 0), min(state + band, size - 1) + 1)
    matrix[middle + state - columns, columns] = 0.0
    matrix[middle, state] = 1.0
    return solved(matrix, band, np.eye(1, size, state)[0])


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
