"""A Markov chain of two counts that hang together: a task that leaves the one becomes, at once, a part of the other.

On grids that widen. Where the steps of the first count are wide the second is fast beside it, and its mean over its own
chances says what the two have in common (G. Pavliotis, A. Stuart, Multiscale Methods, 2008, on averaging).
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.banded import Moves, anchored, likely_state, stationary
from qnsolve.zos.hosts.chains.plane import SPARE, STIFF, joint_moves, moves, plane
from qnsolve.zos.hosts.chains.windows import KeptWindows, windowed

LEAST = 0.1  # variance of the first count over that of its moves
TINY = 1e-300
NO_WAY = 1e-15  # of the rates of a count, up to which its drift is rounding


def two_counts(
    levels: Array, phases: Array, arrive: Array, serve: Array, follow: float, up: Array, down: Array,
    windows: KeptWindows | None = None,
) -> Array:  # fmt: skip
    """Stationary chances (N, Y); arguments as for `plane`."""
    most = STIFF * max(float(serve.max()), float(down.max()))
    arrive, up = np.minimum(arrive, most), np.minimum(up, most)

    def solve(rows: Places, columns: Places, likely: tuple[int, ...] | None) -> Array | None:
        some = np.ix_(rows, columns)
        its = arrive[some], serve[some], follow, up[some], down[some]
        look = likely is None and len(rows) * len(columns) < arrive.size
        for careful in (False, True)[look:]:
            moves_of = two_count_moves(levels[rows], phases[columns], *its, careful)
            if likely is None:
                found = anchored(moves_of, likely_state(moves_of))
            else:
                found = stationary(moves_of, (likely[0] - int(rows[0]), likely[1] - int(columns[0])))
            if found is None:
                continue
            found = -found if found.sum() < 0 else found
            if -float(found[found < 0].sum()) < SPARE * float(found.sum()):
                found = np.maximum(found, 0.0)
                return np.asarray(found / found.sum())
        return None

    chance = windowed(levels, phases, solve, windows=windows)
    return plane(levels, phases, arrive, serve, follow, up, down).chance if chance is None else chance


def two_count_moves(
    levels: Array, phases: Array, arrive: Array, serve: Array, follow: float, up: Array, down: Array, careful: bool
) -> Moves:
    """Rates in each state (N, Y), by how many levels and phases further they lead.

    Drift and variance of both counts are kept. Where the steps of the first are of one task, what leaves it for the second
    is one move. Where they are wide these are moves of their own, and the variance of the first is less by what `_slaved`
    says: a task that has left it for the second is not gone yet.
    """
    wide_n, wide_y = np.concatenate(([1.0], np.diff(levels)))[:, None], np.append(np.diff(phases), np.inf)[None, :]
    far, extra = np.where(np.isfinite(wide_y), wide_y, 0.0), follow * serve
    joint = joint_moves(min(follow, 1.0) * serve, follow, arrive, up + down, wide_n, wide_y) * (wide_n <= 1)
    variance = arrive + serve
    lack = 2 * extra * _slaved(phases, arrive - serve, up + extra, down)[:, None]
    variance = np.where(wide_n > 1, np.maximum(variance - lack, LEAST * variance), variance - joint)
    rise, fall = moves(levels, (arrive - serve + joint).T, variance.T, careful)
    ups, downs = moves(phases, up - down + extra - joint * far, up + down + extra - joint * far**2, careful)
    joint[0] = 0.0
    return {(1, 0): rise.T, (-1, 0): fall.T, (-1, 1): joint, (0, 1): ups, (0, -1): downs}


def _slaved(points: Array, drift: Array, up: Array, down: Array) -> Array:
    """How far one more of the second count moves the first, whose drift is given, until it has gone: for each level (N,).

    The second count at each level as if the first stood still: a mean over its chances of what one more of it adds to the
    drift, over what it adds to its own way back. What is left where the fast of two counts is averaged out.
    """
    if len(points) < 2:
        return np.zeros(len(drift))
    ups, downs = moves(points, up - down, up + down, True)
    logs = np.cumsum(np.log(np.maximum(ups[:, :-1], TINY)) - np.log(np.maximum(downs[:, 1:], TINY)), axis=1)
    logs = np.concatenate((np.zeros((len(logs), 1)), logs), axis=1)
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    between = (chance[:, :-1] + chance[:, 1:]) / np.diff(points)
    moved, back = (between * np.diff(drift)).sum(axis=1), (between * np.diff(up - down)).sum(axis=1)
    none = NO_WAY * (up + down).max(axis=1)
    return np.maximum(-moved / np.where(back < -none, back, -np.inf), 0.0)
