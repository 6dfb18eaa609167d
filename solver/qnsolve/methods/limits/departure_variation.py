"""Variation of the departures from a full region, and its effect on the wait for admission."""

from __future__ import annotations

from qnsolve.numerics.series import Array


def steadiness(queue_length: Array, throughput: Array, demand: Array, regularity: float) -> float:
    """Wait for admission to a full region over that with Poisson departures: (1 + c²)/2 as in M/G/1.

    c² is that of one job's way through the stations, brought nearer to 1 by the waiting of the jobs
    inside for each other: exact for a capacity of one; against Markov chains found to
    hold within 2 % of the response time for more.

    Parameters
    ----------
    queue_length : ndarray (R, K)
        Of a full region [jobs].
    throughput : ndarray (R,)
    demand : ndarray (R, K)
    regularity : float
        From `regularity`.
    """
    present = queue_length.sum(axis=0)
    spread = 1 - float(((present / present.sum()) ** 2).sum())
    served = float((throughput[:, None] * demand).sum() / present.sum())
    return 1 - regularity * spread * served / 2


def regularity(demand: Array, visits: Array) -> float:
    """1 − c² of the whole service of one job, over that of one visit to each station.

    Parameters
    ----------
    demand, visits : ndarray (K,)
        D [time]; V [per job], nan where each station is visited once.
    """
    spread = 1 - float((demand**2).sum() / demand.sum() ** 2)
    total = float(visits.sum())
    if not total >= 1 or spread == 0:
        return 1.0
    used = visits > 0
    squares = 2 * total * float((demand[used] ** 2 / visits[used]).sum())  # second moment of a visit, over the mean squared
    one = squares / demand.sum() ** 2 - 1  # c² of one visit; their number is geometric
    return (1 - (one + total - 1) / total) / spread
