"""Bounds on closed product-form networks that take no solve: asymptotic, balanced job, geometric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, nobody_waits


def stretches(speeds: Array, jobs: float) -> tuple[float, float, float]:
    """Least and most of j/μ(j), and the highest μ(j), over j = 1 … jobs.

    j/μ(j) is the residence time over the demand where j jobs share a station.

    Examples
    --------
    >>> stretches(np.array([1.0, 2.0]), 6)
    (1.0, 3.0, 2.0)
    """
    if len(speeds) == 1:
        speed = float(speeds[0])
        return 1 / speed, max(jobs, 1.0) / speed, speed
    near = speeds[: int(min(len(speeds), max(jobs, 1)))]
    stretch = np.arange(1, len(near) + 1) / near
    far = jobs / near[-1] if jobs > len(near) else 0.0
    return float(stretch.min()), float(max(stretch.max(), far)), float(near.max())


def asymptotic(
    population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None], meets: Array
) -> tuple[Array, Array]:
    """Asymptotic bounds on the response time of closed classes.

    A job meets at least nobody and at most every other job at each station, Σ D·min j/μ(j)
    ≤ R ≤ Σ D·max j/μ(j), and no station works faster than its highest speed, R ≥ N·D/μ* − Z.

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None
    meets : ndarray (K,)
        Most jobs that can be at each station at once; infinite beside open classes.

    Returns
    -------
    tuple of ndarray (R,)
        Least and longest response time [time].

    Notes
    -----
    The least holds for any work-conserving discipline. The longest rests on the arrival
    theorem, for any number of classes.

    References
    ----------
    [Denning1978], [Lazowska1984] section 5.2.
    """
    figures = [(1.0, 1.0, np.inf) if s is None else stretches(s, n) for s, n in zip(speeds, meets, strict=True)]
    least, most, top = np.array(figures).T
    held = population * (demand / top).max(axis=1) - think_time
    with np.errstate(invalid="ignore"):
        longest = np.where(demand > 0, demand * most, 0.0).sum(axis=1)
    return np.maximum((demand * least).sum(axis=1), held), longest


@dataclass(frozen=True)
class Twin:
    """A network of single servers and a delay that is slower, or faster, than one with other stations.

    Attributes
    ----------
    outside : float
        Think time, delays and what the servers were relieved of [time].
    demand : ndarray (K,)
        D at single servers [time].
    """

    outside: float
    demand: Array


def twins(population: int, think_time: float, demand: Array, speeds: Sequence[Array | None]) -> tuple[Twin, Twin]:
    """Slow and fast twin of a network with one closed class, speeds that never fall.

    Throughput never falls when a station is made faster [Suri1985]. The fast twin of a
    station has its highest speed with any number of jobs; the slow one is a delay and a
    single server that together are never above μ(n): n/(a + b) ≤ μ(n)/D up to the level,
    and 1/b = μ*/D. For m servers those are the two stations of [Seidmann1987].

    Parameters
    ----------
    population : int
    think_time : float
    demand : ndarray (K,)
    speeds : sequence (K,) of ndarray or None

    Returns
    -------
    tuple of Twin
    """
    slow, fast = think_time, think_time
    servers = np.zeros(len(demand))
    for k, s in enumerate(speeds):
        if s is None or nobody_waits(s, population):
            slow, fast = slow + demand[k], fast + demand[k]
            continue
        near = s[: min(len(s), population)]
        top = near.max()
        level = int(near.argmax()) + 1
        servers[k] = demand[k] / top
        slow += demand[k] * float((np.arange(1, level + 1) / near[:level]).max() - 1 / top)
    return Twin(slow, servers), Twin(fast, servers)


def balanced(population: float, outside: float, demand: Array) -> tuple[float, float]:
    """Balanced job bounds on the time at single servers, one closed class.

    R = Σ D_k·(1 + Q_k(N − 1)), the queues of N − 1 jobs lie at most all at the largest
    demand and at least evenly, and they hold N − 1 − Z·X(N − 1) jobs.

    Parameters
    ----------
    population, outside : float
        N [jobs], 1 or more, and Z with all delays [time].
    demand : ndarray (K,)
        D at single servers [time], one of them positive.

    Returns
    -------
    tuple of float
        Least and longest [time].

    References
    ----------
    [Zahorjan1982], [Lazowska1984] section 5.4.
    """
    total, most = float(demand.sum()), float(demand.max())
    least, longest = _queued(population - 1, outside, demand)
    used = demand[demand > 0]
    return max(total + float(used.mean()) * least, population * most - outside), total + most * longest


def _queued(jobs: float, outside: float, demand: Array) -> tuple[float, float]:
    """Least and most jobs at single servers of that many in the network, N − Z·X."""
    if jobs == 0 or outside == 0:
        return jobs, jobs
    total, most = float(demand.sum()), float(demand.max())
    slowest = total + most * (jobs - 1)
    fastest = max(total, jobs * most - outside)
    return jobs * fastest / (outside + fastest), jobs * slowest / (outside + slowest)


def geometric(population: float, outside: float, demand: Array) -> tuple[float, float]:
    """Geometric bounds on the time at single servers, one closed class.

    As `balanced`, R = ΣD + Dmax·Q(N − 1) − Σ (Dmax − D_k)·Q_k(N − 1), with bounds on
    each queue in place of the two extremes.

    Parameters
    ----------
    population, outside, demand
        As for `balanced`.

    Returns
    -------
    tuple of float
        Least and longest [time]; never wider than `balanced`.

    References
    ----------
    [Casale2008].
    """
    total, most = float(demand.sum()), float(demand.max())
    least, longest = balanced(population, outside, demand)
    if population == 1:
        return least, longest
    others = population - 1
    quick, slow = balanced(others, outside, demand)
    few, many = others * quick / (outside + quick), others * slow / (outside + slow)
    above = at_most(others, demand, others / (outside + quick))
    below = at_least(others, outside, demand, demand)
    gap = most - demand
    return max(least, total + most * few - float(gap @ above)), min(longest, total + most * many - float(gap @ below))


def at_most(population: float, demand: Array, throughput: float) -> Array:
    """Upper bound on the queues at single servers: Σ (D·X)ʲ, j = 1 … N, X an upper bound on the throughput."""
    return np.minimum(_geometric(demand * throughput, population), population)


def at_least(population: float, outside: float, demand: Array, servers: Array) -> Array:
    """Lower bound on the queues at single servers: Σ yʲ, y = N·D/(Z + ΣD + N·Dmax).

    `demand` is that of the queues asked for, `servers` that of all.
    """
    y = population * demand / (outside + float(servers.sum()) + population * float(servers.max()))
    return _geometric(y, population)


def _geometric(y: Array, terms: float) -> Array:
    """Σ yʲ, j = 1 … terms; the quotient keeps its digits near y = 1."""
    out = np.full(len(y), float(terms))
    with np.errstate(over="ignore", divide="ignore"):
        some = y != 1
        out[some] = y[some] * np.expm1(terms * np.log(y[some])) / (y[some] - 1)
    return out
