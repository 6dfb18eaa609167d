"""What the CPs do to the wait for a limit: over that were tasks inside for as long, whatever is on the CPs."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import plane


def over_even(levels: Array, coming: Array, chance: Array, servers: int, time: float, wait: float) -> float:
    """Wait of a task over that where all take the same time inside, and as many come to so many that are there.

    Parameters
    ----------
    levels : ndarray (N,)
        Tasks inside and before the limit [count].
    coming, chance : ndarray (N, Y)
        Rates at which more come [1/s], and chances.
    servers : int
        Places.
    time : float
        That a task holds its place in the mean [s].
    wait : float
        Of a task [s].

    Examples
    --------
    One place, and the wait of an M/M/1:

    >>> round(over_even(np.arange(200.0), np.full((200, 1), 0.5), 0.5 ** np.arange(1.0, 201)[:, None], 1, 1.0, 1.0), 6)
    1.0
    """
    at = chance.sum(axis=1)
    come = np.divide((chance * coming).sum(axis=1), at, out=np.zeros(len(at)), where=at > 0)
    inside, nobody = np.minimum(levels, servers), np.zeros((len(levels), 1))
    ends = inside / time
    plain = plane(levels, np.zeros(1), come[:, None], ends[:, None], 0.0, nobody, nobody).chance[:, 0]
    waiting = float(plain @ (levels - inside))
    return wait * float(plain @ ends) / waiting if waiting > 0 else 1.0
