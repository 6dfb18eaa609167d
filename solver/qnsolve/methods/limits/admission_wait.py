"""A region with an admission limit as a birth-death chain: number of jobs that wait outside, and their wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.methods.layers.shared_servers import FullError
from qnsolve.numerics.series import Array

TAIL = 0.95
EDGE, MOST = 1e-15, 200_000  # probability of the last state; most states


@dataclass(frozen=True)
class Admitted:
    """A region with a limit.

    Attributes
    ----------
    wait : float
        Mean wait of an arrival for admission [time].
    inside_time : float
        Mean time inside [time].
    delayed : float
        Share of the arrivals that wait [0..1].
    full : float
        Share of time that the region is full [0..1].
    number_inside, number_outside : float
        [jobs].
    outside_95 : int
        95th percentile of the number waiting [jobs].
    throughput : float
        [jobs/time].
    """

    wait: float
    inside_time: float
    delayed: float
    full: float
    number_inside: float
    number_outside: float
    outside_95: int
    throughput: float


def region_speeds(limit: int, serial: float, parallel: float) -> Array:
    """Throughput of a region with n = 1 … limit jobs: a single server and a delay.

    Parameters
    ----------
    serial : float
        Demand of a job at the server [time].
    parallel : float
        Time of a job elsewhere in the region [time].

    Notes
    -----
    Mean value analysis, exact for the product-form region, of positive terms.
    """
    found, queue = np.empty(limit), 0.0
    for n in range(limit):
        residence = serial * (1 + queue)
        found[n] = (n + 1) / (residence + parallel)
        queue = found[n] * residence
    return found


def _reach(rate: float, top: float, closed: Sequence[tuple[float, float, float]]) -> int:
    """Jobs beyond which states have a negligible probability: there arrivals are midway between the stream and the service."""
    most = int(max((u / s for u, s, _ in closed), default=0.0)) + 1  # then all users are present
    low, high = 0, most
    while low < high:
        n = (low + high) // 2
        if sum(max(u - n * s, 0.0) / z for u, s, z in closed) > (top - rate) / 2:
            low = n + 1
        else:
            high = n
    tail = int(np.log(EDGE) / np.log((1 + rate / top) / 2)) + 1
    return min(low + tail, most if rate == 0 else MOST)


def admitted(speeds: Array, rate: float, users: Sequence[float], shares: Sequence[float], away: Sequence[float]) -> Admitted:
    """A region with a limit, fed by a Poisson stream and by closed classes of users.

    Parameters
    ----------
    speeds : ndarray (limit,)
        Throughput with 1 … limit jobs inside [jobs/time].
    rate : float
        Arrivals of the stream [jobs/time].
    users, shares, away : sequences of float (R,)
        Users of each class, the share of their class among the jobs of the region, and the mean
        time from leaving the region to the next arrival [time].

    Raises
    ------
    FullError
        Where the stream exceeds the throughput of the full region.
    """
    limit, top = len(speeds), float(speeds[-1])
    closed = [(u, s, z) for u, s, z in zip(users, shares, away, strict=True) if u > 0]
    if rate >= top:
        raise FullError(rate / top)
    beyond = limit + _reach(rate, top, closed)
    n = np.arange(beyond + 1)
    arriving = np.full(beyond + 1, rate)
    for u, s, z in closed:
        arriving += np.maximum(u - n * s, 0.0) / z
    served = speeds[np.minimum(n[1:], limit) - 1]
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(arriving[:-1]) - np.log(served))])
    chance = np.exp(logs - logs.max())
    chance /= chance.sum()
    throughput = float(chance[1:] @ served)
    outside = np.maximum(n - limit, 0)
    waiting = float(chance @ outside)
    inside = float(chance @ np.minimum(n, limit))
    seen = chance * arriving
    delayed = float(seen[limit:].sum() / seen.sum()) if beyond >= limit else 0.0
    below = np.cumsum(chance)
    line = int(np.maximum(np.searchsorted(below, TAIL) - limit, 0))
    return Admitted(
        wait=waiting / throughput,
        inside_time=inside / throughput,
        delayed=delayed,
        full=float(chance[limit:].sum()),
        number_inside=inside,
        number_outside=waiting,
        outside_95=line,
        throughput=throughput,
    )
