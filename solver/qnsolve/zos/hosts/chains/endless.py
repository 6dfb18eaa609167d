"""Chains of levels: eliminated from the highest down, and those whose levels are alike from one on, without a last one."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.band_matrix import inverse
from qnsolve.numerics.series import Array

from .banded import Moves, anchored

MOST, CLOSE = 60, 1e-13
SURE = 2.0  # most of what are chances, but for moves below zero


def endless(here: Array, rise: Array, fall: Array, joint: Array) -> tuple[Array, float] | None:
    """Chances where the last three levels are alike and so are all beyond; None where none settle.

    Parameters
    ----------
    here : ndarray (N, Y, Y)
        Moves within each level; the diagonals are not read.
    rise, fall, joint : ndarray (N, Y)
        Moves to the next level, to the one before, and to the one before and the next phase.

    Returns
    -------
    chance : ndarray (N - 1, Y)
        The last of them of all levels above the one before.
    mean : float
        Of those levels.
    """
    count = len(rise) - 2
    found = _with_tail(here[count], rise[count], np.diag(fall[count]) + np.diag(joint[count][:-1], 1))
    if found is None:
        return None
    inner = here[:count].copy()
    inner[-1] += found[0]
    return _with_mean(eliminated_levels(inner, rise[:count], fall[:count], downs_with=joint[:count]), found[1])


def endless_band(within: Array, moves: Moves, likely: tuple[int, ...]) -> tuple[Array, float] | None:
    """The same where all moves go to neighbours: one band matrix instead of an elimination of many levels.

    Parameters
    ----------
    within : ndarray (Y, Y)
        Moves within a level of those that are alike.
    moves : mapping of (int, int) to ndarray (N, Y)
        As `stationary` takes them; to the level before also those to the phases beside.
    likely : (int, int)
        A guess of a likely state.
    """
    count = len(moves[1, 0]) - 2
    down = np.diag(moves[-1, 0][count]) + np.diag(moves[-1, 1][count][:-1], 1)
    if (-1, -1) in moves:
        down += np.diag(moves[-1, -1][count][1:], -1)
    tail = _with_tail(within, moves[1, 0][count], down)
    if tail is None:
        return None
    some = {places: rate[:count] for places, rate in moves.items()}
    some[1, 0] = np.vstack((some[1, 0][:-1], np.zeros(len(within))))  # what rises from the last level comes back to it
    found = anchored(some, (min(likely[0], count - 1), likely[1]), tail[0])
    return None if found is None else _with_mean(found, tail[1])


def endless_blocks(here: Array, rise: Array, down: Array) -> tuple[Array, float] | None:
    """The same with moves to any place of the level before, `down` (N, Y, Y)."""
    count = len(rise) - 2
    found = _with_tail(here[count], rise[count], down[count])
    if found is None:
        return None
    inner = here[:count].copy()
    inner[-1] += found[0]
    return _with_mean(eliminated_blocks(inner, rise[:count], down[:count]), found[1])


def _with_mean(chance: Array, ratio: Array) -> tuple[Array, float] | None:
    """Chances of some levels and of all above them as one, and the mean of these."""
    above = _tail(chance[-1], ratio)
    if above is None or not above[1] > 0:
        return None
    return np.vstack((chance, above[0])), len(chance) - 1 + above[1] / max(float(above[0].sum()), 1e-300)


def _with_tail(within: Array, rise: Array, down: Array) -> tuple[Array, Array] | None:
    """Rates at which what rises from a level comes back to it (Y, Y), and ratios of the chances of the level above.

    None where no more can end than comes. Logarithmic reduction (G. Latouche, V. Ramaswami 1993): each step looks at twice
    as many levels.
    """
    here = within.copy()
    np.fill_diagonal(here, 0.0)
    np.fill_diagonal(here, -(here.sum(axis=1) + rise + down.sum(axis=1)))
    try:
        alone = inverse(-here)
        high, low = alone * rise[None, :], alone @ down
        first, reach = low.copy(), high.copy()
        identity = np.eye(len(rise))
        with np.errstate(over="ignore", invalid="ignore"):  # where more comes than can end, which is seen below
            for _ in range(MOST):
                inner = inverse(identity - high @ low - low @ high)
                high, low = inner @ (high @ high), inner @ (low @ low)
                more = reach @ low
                first += more
                reach = reach @ high
                if not np.abs(more).max() >= CLOSE:
                    break
            back = rise[:, None] * first
            ratio = rise[:, None] * inverse(-(here + back))
    except np.linalg.LinAlgError:
        return None
    return (back, ratio) if np.isfinite(ratio).all() and np.abs(first).max() < SURE else None  # they are chances


def _tail(last: Array, ratio: Array) -> tuple[Array, float] | None:
    """Chances of all levels above the last one, by phase, and their levels above it summed up with their chances."""
    try:
        left = inverse(np.eye(len(last)) - ratio)
    except np.linalg.LinAlgError:
        return None
    above = last @ ratio @ left
    return above, float((above @ left).sum())


def eliminated_levels(
    here: Array, rise: Array, fall: Array, *, ups_with: Array | None = None, downs_with: Array | None = None
) -> Array:
    """Chances, by elimination of the blocks from the highest down (a matrix-geometric solution, block by block).

    Parameters
    ----------
    here : ndarray (N, Y, Y)
        Rates within each block, from row to column; the diagonals are not read.
    rise, fall : ndarray (N, Y)
        Rates to the same place of the block above and below.
    ups_with, downs_with : ndarray (N, Y), optional
        Rates to the place before in the block above, or to the place after in the block below.
    """
    count, width = rise.shape
    out = fall if downs_with is None else fall + downs_with
    ratios: list[Array] = []
    diagonal = np.arange(width)
    inner = -here[count - 1]
    for n in range(count - 1, 0, -1):
        inner[diagonal, diagonal] = 0.0  # what leaves in all, without a difference (Grassmann, Taksar, Heyman 1985)
        inner[diagonal, diagonal] = out[n] - inner.sum(axis=1)
        try:
            left = inverse(inner)
        except np.linalg.LinAlgError:  # never left, in the digits that there are
            return np.full((count, width), np.nan)
        ratio = rise[n - 1][:, None] * left
        if ups_with is not None:
            ratio[1:] += ups_with[n - 1, 1:, None] * left[:-1]
        ratios.append(ratio)
        inner = -here[n - 1] - ratio * fall[n]
        if downs_with is not None:
            inner[:, 1:] -= ratio[:, :-1] * downs_with[n, :-1]
    return _from_lowest(inner, ratios)


def eliminated_blocks(here: Array, rise: Array, down: Array) -> Array:
    """The same with moves to any place of the block below, `down` (N, Y, Y)."""
    count, width = rise.shape
    ratios: list[Array] = []
    diagonal = np.arange(width)
    inner = -here[count - 1]
    for n in range(count - 1, 0, -1):
        inner[diagonal, diagonal] = 0.0
        inner[diagonal, diagonal] = down[n].sum(axis=1) - inner.sum(axis=1)
        try:
            ratio = rise[n - 1][:, None] * inverse(inner)
        except np.linalg.LinAlgError:
            return np.full((count, width), np.nan)
        ratios.append(ratio)
        inner = -here[n - 1] - ratio @ down[n]
    return _from_lowest(inner, ratios)


def _from_lowest(inner: Array, ratios: list[Array]) -> Array:
    """Chances of all blocks, given what is left of the lowest one and the ratios of the others to those below, last first."""
    count, width = len(ratios) + 1, len(inner)
    found = np.zeros((count, width))
    found[0] = lowest(inner)
    if not np.isfinite(found[0]).all():
        return np.full((count, width), np.nan)
    for n, ratio in enumerate(reversed(ratios), start=1):
        with np.errstate(over="ignore", invalid="ignore"):
            found[n] = found[n - 1] @ ratio
        most = float(np.abs(found[n]).max())
        if most > 1e200:
            found[: n + 1] /= most
    return found


def lowest(inner: Array) -> Array:
    """Chances of the lowest level, all others eliminated, not yet over those of all; nan where there are none (Y,)."""
    diagonal = np.arange(len(inner))
    inner[diagonal, diagonal] = 0.0
    inner[diagonal, diagonal] = -inner.sum(axis=1)
    balance = inner.T.copy()
    balance[-1] = 1.0
    try:
        return np.asarray(np.linalg.solve(balance, np.eye(1, len(inner), len(inner) - 1)[0]))
    except np.linalg.LinAlgError:
        return np.full(len(inner), np.nan)
