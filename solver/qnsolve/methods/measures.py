"""The measures that every network kernel returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array


@dataclass(frozen=True)
class Admission:
    """Jobs at admission limits: R classes, L limits.

    Attributes
    ----------
    outside : ndarray (R,)
        Jobs that wait for admission [jobs].
    delayed : ndarray (R,)
        Share of the admission requests that wait.
    inside, waiting, full : ndarray (L,)
        Jobs admitted by each limit, jobs that wait for it [jobs], share of time that it is full.
    lines : tuple (L,) of ndarray
        P(n jobs wait for each limit), n = 0, 1, …
    requests : ndarray (R,)
        Admission requests of one job.
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
        Where the network has limits, or jobs wait outside for a place at a station.
    blocked : ndarray (K,), optional
        Where stations have a capacity: the share of their servers' time blocked by jobs that are served and wait
        for a place at the next one.
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
