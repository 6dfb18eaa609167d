"""A Markov chain of two counts that hang together: a task that leaves the one becomes, at once, a part of the other.

On grids that widen. Where a step of the first count is wide, moves of both counts lead as far in the second one: moves to
the neighbour alone would lose most of what the two have in common.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.banded import Moves, anchored, likely_state, stationary
from qnsolve.zos.hosts.chains.plane import SPARE, STIFF, joint_moves, moves, plane
from qnsolve.zos.hosts.chains.windows import KeptWindows, windowed


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

    Drift and variance of both counts and their covariance are kept. Where the steps are of one task, what leaves the first
    count for the second is one move. Where they are wide it is moves of both kinds, a step down and as far up, and back.
    """
    wide = np.concatenate(([1.0], np.diff(levels)))[:, None]
    far, places = _as_far(levels, phases)
    joint = joint_moves(min(follow, 1.0) * serve, follow, arrive, up + down, wide, far)
    joint[0] = 0.0
    reach = np.where(places > 0, far, 0.0)
    forth, back = joint * (1 + 1 / wide) / 2, joint * (1 - 1 / wide) / 2
    to = np.arange(serve.size).reshape(serve.shape)[1:] - len(phases) + places[1:]  # where forth leads to

    def returned(rate: Array) -> Array:
        found = np.bincount(to.ravel(), rate[1:].ravel(), serve.size)
        return np.asarray(found.reshape(serve.shape), dtype=float)

    steps = returned(back), returned(back * reach), returned(back * reach**2)
    above = np.append(wide[1:], [[0.0]], axis=0)
    drift = arrive - serve + forth * wide - steps[0] * above
    variance = arrive + serve - forth * wide**2 - steps[0] * above**2
    found: dict[tuple[int, ...], Array] = {}
    for j in range(1, int(places.max()) + 1):
        here = places == j
        if here.any():
            found[-1, j] = np.where(here, forth, 0.0)
            found[1, -j] = other = np.zeros(serve.shape)
            other[:-1, j:] = np.where(here[1:], back[1:], 0.0)[:, : len(phases) - j]
    rise, fall = moves(levels, drift.T, variance.T, careful)
    extra = follow * serve
    further = up - down + extra - forth * reach + steps[1]
    ups, downs = moves(phases, further, up + down + extra - forth * reach**2 - steps[2], careful)
    return found | {(1, 0): rise.T, (-1, 0): fall.T, (0, 1): ups, (0, -1): downs}


def _as_far(levels: Array, phases: Array) -> tuple[Array, Places]:
    """How far in the phase a move of both counts leads from each state, about as far as in the level; and how many places."""
    last = len(phases) - 1
    goal = phases[None, :] + np.concatenate(([1.0], np.diff(levels)))[:, None]
    place = np.minimum(np.searchsorted(phases, goal), last)
    before = np.maximum(place - 1, 0)
    nearer = np.where(goal - phases[before] < phases[place] - goal, before, place)
    here = np.arange(last + 1)[None, :]
    places = np.minimum(np.maximum(nearer - here, 1), last - here)
    return np.where(places > 0, phases[here + places] - phases[None, :], np.inf), places
