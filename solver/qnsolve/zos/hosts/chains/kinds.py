"""A server that serves pieces of unlike kinds in order of arrival, beside all others on the processors: a Markov chain.

Its level is the tasks at the server, its phases are the kind of the piece in service (of the next one, where none is) and
the number of others. The kind is drawn when the piece before it ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .endless import eliminated_blocks, endless_blocks
from .plane import SPARE, STIFF, neighbours, plane_moves


@dataclass(frozen=True, eq=False)
class KindRates:
    """Rates while a piece of one kind is in service.

    Attributes
    ----------
    share : float
        Of the pieces that are of this kind.
    arrive, serve : ndarray (N, Y)
        Rates at which the level grows and falls by one task.
    follow : float
        Share of those served that go on as one more of the others.
    up, down : ndarray (N, Y)
        Rates at which the others grow and fall by one task.
    """

    share: float
    arrive: Array
    serve: Array
    follow: float
    up: Array
    down: Array


def plane_of_kinds(levels: Array, phases: Array, kinds: list[KindRates], alike: bool) -> tuple[Array, Array] | None:
    """Levels and stationary chances (N, K, Y); None where there are none.

    Parameters
    ----------
    levels, phases : ndarray (N,), (Y,)
    kinds : list of KindRates
    alike : bool
        All levels from the last but two on are alike, without end; what is found has one for all of these, at their mean.
    """
    shape = (-1, len(kinds), len(phases))
    for careful in (False, True):
        here, rise, down = _blocks(levels, phases, kinds, careful)
        if alike:
            solved = endless_blocks(here, rise, down)
            if solved is None:
                continue
            chance, found = solved[0], np.append(levels[:-2], solved[1])
        else:
            chance, found = eliminated_blocks(here, rise, down), levels
        if -float(chance[chance < 0].sum()) < SPARE * float(chance.sum()):  # False for nan
            chance = np.maximum(chance, 0.0)
            return found, (chance / chance.sum()).reshape(shape)
    return None


def _blocks(levels: Array, phases: Array, kinds: list[KindRates], careful: bool) -> tuple[Array, Array, Array]:
    """Rates within each level, to the next one, and to the one before (N, K·Y, K·Y)."""
    count, width = len(levels), len(phases)
    here, down = np.zeros((2, count, len(kinds), width, len(kinds), width))
    rise = np.zeros((count, len(kinds), width))
    y = np.arange(width)
    shares = np.array([kind.share for kind in kinds])
    for k, kind in enumerate(kinds):
        most = STIFF * max(float(kind.serve.max()), float(kind.down.max()))
        arrive, up = np.minimum(kind.arrive, most), np.minimum(kind.up, most)
        rise[:, k], fall, joint, ups, downs = plane_moves(
            levels, phases, arrive, kind.serve, kind.follow, up, kind.down, careful, None
        )
        here[:, k, :, k, :] = neighbours(ups, downs)
        same = np.maximum(kind.serve - fall - joint, 0.0)  # steps of the levels wider than one task
        for other, share in enumerate(shares.tolist()):
            down[:, k, y, other, y] = share * fall
            down[:, k, y[:-1], other, y[1:]] = share * joint[:, :-1]
            if other != k:
                here[:, k, y, other, y] += share * same
    size = len(kinds) * width
    return here.reshape(count, size, size), rise.reshape(count, size), down.reshape(count, size, size)
