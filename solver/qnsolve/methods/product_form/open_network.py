"""Open product-form networks: any number of classes, queues, delays, load dependence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from qnsolve.methods.measures import Measures
from qnsolve.numerics.series import Array, weights

FAR = 10_000_000  # most states that a distribution may have


def open_network(arrival_rate: Array, demand: Array, speeds: Sequence[Array | None]) -> Measures:
    """Exact mean values of a stable open network.

    Every station is independent: its total is a birth-death process with
    arrivals at rate Σ λ_r·D_rk and speeds μ(n), and each class holds its share of
    the load.

    Parameters
    ----------
    arrival_rate : ndarray (R,)
        λ [jobs/time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None

    Returns
    -------
    Measures

    Notes
    -----
    The caller has checked that Σ λ_r·D_rk is below the last speed of each station.

    References
    ----------
    [BCMP1975], [Lazowska1984] section 7.4.1.
    """
    load = arrival_rate @ demand
    stretch = np.array([1.0 if s is None else stretch_of(a, s) for a, s in zip(load, speeds, strict=True)])
    residence = demand * stretch
    return Measures(
        throughput=arrival_rate.copy(),
        queue_length=arrival_rate[:, None] * residence,
        residence_time=residence,
        distribution=partial(distribution, load, speeds),
    )


def stretch_of(load: float, speeds: Array) -> float:
    """Residence time over demand: mean number at the station over its load."""
    if load == 0:
        return float(1.0 / speeds[0])
    if len(speeds) == 1:
        return float(1.0 / (speeds[0] - load))
    return mean_number(load, speeds) / load


def mean_number(load: float, speeds: Array) -> float:
    """Mean number at a station with Poisson arrivals [jobs], given λ·D below the last speed.

    States 0 … J−1 by their weights, J and above as a geometric tail.
    """
    top = len(speeds)
    w = weights(load / speeds)
    rest = 1.0 - load / speeds[-1]  # weight of the tail is w[J]/rest
    tail = w[-1] / rest
    head = w[:-1]
    return float((head @ np.arange(top) + tail * (top - 1 + 1.0 / rest)) / (head.sum() + tail))


def distribution(load: Array, speeds: Sequence[Array | None], k: int) -> Array:
    """P(n jobs at station k), cut where less than 1e-16 of it is left out."""
    station, a = speeds[k], float(load[k])
    if a == 0:
        return np.array([1.0])
    if station is None:
        return delay_distribution(a)
    rho = a / station[-1]
    extra = np.ceil(np.log(1e-18) / np.log(rho)) if rho > 1e-18 else 1.0
    if extra + len(station) > FAR:
        raise ArithmeticError(f"the distribution of {FAR:g} jobs and more is too long")
    p = weights(np.concatenate((a / station, np.full(int(extra), rho))))
    return p / p.sum()


def delay_distribution(load: float) -> Array:
    """P(n jobs) at a delay, cut where less than 1e-16 of it is left out."""
    far = load + 40 * np.sqrt(load) + 40
    if far > FAR:
        raise ArithmeticError(f"the distribution of {FAR:g} jobs and more is too long")
    p = weights(load / np.arange(1.0, int(far) + 1))
    return p / p.sum()
