"""Open and closed classes together: the capacity that open classes leave of each station, and the queue that they see."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from qnsolve.methods.measures import Measures
from qnsolve.numerics.series import Array, weights

from .open_network import delay_distribution, stretch_of

WORK = 2 * 10**9  # most terms of one distribution


def left_over(load: float, speeds: Array, most: int) -> Array:
    """Speeds that a station has for n closed jobs beside its open ones, n = 1 … most + 1.

    Summed over the open jobs, the station is a load-dependent one for the closed jobs:
    μ'(n) = ρ·T_{n−1}/T_n with T_n = Σ_i C(i, n)·w_i, w_i the weight of i jobs under the
    open load ρ alone. T_n/T_{n−1} is the mean of (i − n + 1)/n in the weights C(i, n−1)·w_i;
    beyond the last speed μ' is that speed less ρ.

    Parameters
    ----------
    load : float
        ρ = Σ λ·D of the open classes, below the last speed.
    speeds : ndarray
        Relative speed with 1, 2, … jobs, the last one holding.
    most : int
        Closed jobs that may be there.

    Returns
    -------
    ndarray
        As `speeds`; an arriving open job needs the last of them.

    References
    ----------
    [BCMP1975], [Lazowska1984] section 7.4.3 for one server.
    """
    if load == 0 or len(speeds) == 1:
        return speeds - load
    level, x = len(speeds), load / float(speeds[-1])
    own = load / speeds[:-1]
    share = 1 - x  # of the state `level − 1` in all from there on, weighted by C(i, n)
    left = np.full(min(level, most + 1), float(speeds[-1]) - load)
    for n in range(min(len(left), level - 1)):
        jobs = np.arange(n, level)  # states below n do not count; from level − 1 on they are one tail
        w = weights(own[n:] * jobs[1:] / (jobs[1:] - n))
        more = (level - 1 - n) / (n + 1)
        tail = (share * more + x) / (1 - x)  # Σ C(i, n+1)·xⁱ over Σ C(i, n)·xⁱ in the tail
        head = w[:-1] * share
        left[n] = load * (head.sum() + w[-1]) / (head @ (jobs[:-1] - n) / (n + 1) + w[-1] * tail)
        share *= more / tail
    return left


def with_open(
    closed: Measures, arrival_rate: Array, open_demand: Array, speeds: tuple[Array | None, ...], left: tuple[Array | None, ...]
) -> Measures:
    """Measures of the open classes, given the closed ones solved on the speeds left over.

    A job that arrives finds n closed jobs with their stationary probability and then
    meets (n + 1)/μ'(n + 1) of its demand there.

    Parameters
    ----------
    closed : Measures
        Of the closed classes.
    arrival_rate : ndarray (R,)
        λ of the open classes [jobs/time].
    open_demand : ndarray (R, K)
        D of the open classes [time].
    speeds, left : tuple (K,) of ndarray or None
        Each station's speeds, and those from `left_over`.

    Returns
    -------
    Measures
        Of the open classes; the distributions are those of all jobs.
    """
    stretch = np.ones(len(speeds))
    load = arrival_rate @ open_demand
    for k, (own, free) in enumerate(zip(speeds, left, strict=True)):
        if own is None or free is None or load[k] == 0:
            continue
        inside = float(closed.queue_length[:, k].sum())
        if inside == 0:
            stretch[k] = stretch_of(float(load[k]), own)
            continue
        stretch[k] = (1 + inside) / free[-1]
        if len(free) > 1:
            p = closed.distribution(k)[: len(free) - 1]
            jobs = np.arange(1.0, len(p) + 1)
            stretch[k] += float(p @ (jobs * (1 / free[: len(p)] - 1 / free[-1])))
    residence = open_demand * stretch
    return Measures(
        throughput=arrival_rate.copy(),
        queue_length=arrival_rate[:, None] * residence,
        residence_time=residence,
        distribution=partial(_distribution, closed.distribution, load, speeds),
    )


def _distribution(closed: Callable[[int], Array], load: Array, speeds: tuple[Array | None, ...], k: int) -> Array:
    """P(i jobs of all classes at station k), i = 0, 1, …, cut where less than 1e-16 of it is left out."""
    p, own, rho = closed(k), speeds[k], float(load[k])
    if rho == 0:
        return p
    if own is None:
        return np.convolve(p, delay_distribution(rho))
    x = rho / float(own[-1])
    spread = np.sqrt((len(p) + 1) * x) / (1 - x)
    beyond = len(p) * x / (1 - x) + 40 * spread + 40 / (1 - x) + len(own)
    if (len(p) + beyond) * len(p) > WORK:
        raise ArithmeticError(f"the distribution of {len(p) - 1} closed jobs beside open ones is too long")
    jobs = np.arange(1, len(p) + int(beyond))
    ratios = rho / own[np.minimum(jobs, len(own)) - 1]
    total = np.zeros(len(jobs) + 1)
    for n in np.flatnonzero(p > 1e-18):  # C(i, n)·w_i, i = n, n + 1, …
        given = weights(ratios[n:] * jobs[n:] / (jobs[n:] - n))
        total[n:] += p[n] * given / given.sum()
    return total
