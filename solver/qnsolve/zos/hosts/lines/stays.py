"""How long tasks of unlike work stay at lines that they share, beside free pieces: their times are not as their work is.

Where all of a task's company changes fast, or nothing beside it does, tasks that share a server stay in proportion to their
work. Free pieces that keep the processors for a while let a short task wait longer than that: it does not live to see the
processors become free, as a long one does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places, geometric
from qnsolve.zos.hosts.chains.banded import stays
from qnsolve.zos.hosts.chains.plane import STIFF

from .line_loads import LineLoads
from .two_counts import two_count_moves

KNOTS = 3  # lengths of tasks whose stays are solved; those of others are read between them
UNLIKE = 1.02  # longest task over the shortest one up to which all are as good as alike
NEVER = 1e-10  # share of the chances of a count from which on it is left out


@dataclass(frozen=True, eq=False)
class LineRates:
    """Rates of a chain of lines and free pieces, each (levels, phases) [1/s].

    Attributes
    ----------
    arrive, serve, up, down : ndarray
        Tasks that come to the lines, and that these serve; free pieces that come besides, and that end.
    follow : float
        Pieces that one served goes on as.
    """

    arrive: Array
    serve: Array
    follow: float
    up: Array
    down: Array


def unlike(load: LineLoads) -> bool:
    """Whether tasks of unlike work share a line."""
    length = _lengths(load)
    return len(length) > 0 and float(length[-1]) > UNLIKE * float(length[0])


def uneven(load: LineLoads, k: int, knots: Array, stretch: Array) -> tuple[Array, float]:
    """Stretch of each task of a line over that of all its work (n,), and that over the stretch of tasks of its `length`.

    Both are 1 where it serves in order of arrival.
    """
    group = load.host.load.groups[k]
    length = group.cpu * load.host.left[group.tasks]
    if group.in_order:
        return np.ones(len(length)), 1.0
    of_length = np.interp(np.log(load.length(k)), np.log(knots), stretch)
    found = np.interp(np.log(np.maximum(length, knots[0])), np.log(knots), stretch)
    work = load.host.load.flow[group.tasks] * group.cpu
    whole = float(work @ found) / float(work.sum())
    return np.asarray(found / whole), whole / float(of_length)


def mean_length(load: LineLoads) -> float:
    """Work of a task at the lines in the mean, with visits that follow at once [s]."""
    host = load.host
    groups = [host.load.groups[k] for k in load.lines]
    return load.work / max(sum(float((host.load.flow[g.tasks] / host.left[g.tasks]).sum()) for g in groups), 1e-300)


def knots_of(load: LineLoads) -> Array:
    """Lengths of tasks whose stays are solved [s]."""
    found = _lengths(load)
    return found if len(found) <= KNOTS else geometric(found[0], found[-1], KNOTS)


def stretches(
    levels: Array, phases: Array, chance: Array, rates: LineRates, beside: LineRates, length: float, knots: Array
) -> Array:  # fmt: skip
    """Time of tasks of some lengths at the lines over that of their work alone (K,).

    Each comes as all tasks do. From then on the others are a chain as before, but that they share the lines with it: of
    all that these serve the task has as much as any other.

    Parameters
    ----------
    levels, phases, chance : ndarray (N,), (Y,), (N, Y)
    rates, beside : LineRates
        Those of the chain, and of one with one task more at each level: all others with the pace of their mean work.
    length : float
        Work of a task in the mean [s].
    knots : ndarray (K,)
        Work of the tasks that are looked at [s].
    """
    rows, columns = _likely(chance.sum(axis=1)), _likely(chance.sum(axis=0))
    some, count = np.ix_(rows, columns), levels[rows][:, None]
    served = beside.serve[some] / (count + 1)  # of each task
    most = STIFF * max(float(beside.serve.max()), float(beside.down.max()))
    arrive, up = np.minimum(beside.arrive[some], most), np.minimum(beside.up[some], most)
    arrive[-1] = 0.0
    moves = two_count_moves(
        levels[rows], phases[columns], arrive, served * count, beside.follow, up, beside.down[some], careful=True
    )
    start = (chance * rates.arrive)[some]
    start = start if start.any() else chance[some]  # none comes as all are there
    start = start / float(start.sum())
    return np.array([float(stays(moves, served * length / knot, start).sum()) for knot in knots]) / knots


def _lengths(load: LineLoads) -> Array:
    """Work of the tasks that share lines, with visits that follow at once, from the least on [s]."""
    host = load.host
    shared = [g for g in (host.load.groups[k] for k in load.lines) if not g.in_order]
    found = [(g.cpu * host.left[g.tasks])[host.load.flow[g.tasks] > 0] for g in shared]
    return np.unique(np.concatenate([np.zeros(0), *found]))


def _likely(chance: Array) -> Places:
    some = np.flatnonzero(chance > NEVER * float(chance.sum()))
    return np.arange(some[0], some[-1] + 1)
