"""What every network kernel returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array


@dataclass(frozen=True)
class Admission:
    """How jobs fare at admission limits: R classes, L limits.

    Attributes
    ----------
    outside : ndarray (R,)
        Jobs that wait to be let in [jobs].
    delayed : ndarray (R,)
        Share of the requests for room that have to wait.
    inside, waiting, full : ndarray (L,)
        Jobs that hold each limit, jobs that wait for it [jobs], share of time that it is full.
    lines : tuple (L,) of ndarray
        P(n jobs wait for each limit), n = 0, 1, …
    requests : ndarray (R,)
        Requests for room of one job on its way.
    """

    outside: Array
    delayed: Array
    inside: Array
    waiting: Array
    full: Array
    lines: tuple[Array, ...]
    requests: Array


@dataclass(frozen=True)
class Measures:
    """Mean values of one solved network.

    Attributes
    ----------
    throughput : ndarray (R,)
        X [jobs/time].
    queue_length, residence_time : ndarray (R, K)
        Q [jobs] and R_rk [time]; residence is nan for a class without jobs.
    iterations : int
        0 for a direct method.
    distribution : callable
        `distribution(k)` gives P(n jobs at station k), n = 0, 1, …
    admission : Admission, optional
        Where the network has limits, or jobs wait outside for room at a station.
    blocked : ndarray (K,), optional
        Where stations have a capacity: the share of their servers' time that jobs hold which are through and wait
        for room at the next one.
    """

    throughput: Array
    queue_length: Array
    residence_time: Array
    distribution: Callable[[int], Array]
    iterations: int = 0
    notes: tuple[str, ...] = field(default=())
    admission: Admission | None = None
    blocked: Array | None = None


def closed_measures(throughput: Array, queue_length: Array, distribution: Callable[[int], Array]) -> Measures:
    """Measures of a closed network: residence time by Little's law."""
    x = throughput[:, None]
    residence = np.divide(queue_length, x, out=np.full(queue_length.shape, np.nan), where=x > 0)
    return Measures(throughput, queue_length, residence, distribution)
