"""Many closed classes of few jobs, exact: recursion by chain, over the numbers of jobs at the stations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import comb

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.measures import Measures, closed_measures
from qnsolve.numerics.series import TINY, Array, no_queueing, scaled, trim

MOST = 50_000_000  # states of a distribution at a delay, which counts as one station more


class Occupancies:
    """The states of K stations, numbers of jobs at each, with up to `jobs` in all.

    In the order of Σ_i C(s_i + i − 1, i), s_i the jobs at the first i stations: those with
    up to t jobs are the first C(t + K, K).

    Attributes
    ----------
    counts : ndarray (K, size)
        Jobs at each station.
    above : ndarray (K, size with one job less)
        Index of the state with one job more at a station.
    """

    def __init__(self, stations: int, jobs: int) -> None:
        self.stations, self.jobs = stations, jobs
        sums: list[NDArray[np.int32]] = []  # s_1, s_2, … of each state
        for i in range(1, stations + 1):
            sizes = [comb(t + i - 1, i - 1) for t in range(jobs + 1)]
            before = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
            sums = [s[before] for s in sums] + [np.repeat(np.arange(jobs + 1, dtype=np.int32), sizes)]
        self.counts = np.empty((stations, self.size(jobs)), dtype=np.int32)
        self.above = np.empty((stations, self.size(jobs - 1)), dtype=np.int32)
        place = np.arange(self.size(jobs - 1), dtype=np.int32)
        for i in range(stations, 0, -1):  # one more at station i adds one to s_i, s_i+1, …
            self.counts[i - 1] = sums[i - 1] - (sums[i - 2] if i > 1 else 0)
            steps = np.array([comb(s + i - 1, i - 1) for s in range(jobs)], dtype=np.int32)
            place += steps[sums[i - 1][: len(place)]]
            self.above[i - 1] = place

    def size(self, jobs: int) -> int:
        """States with up to that many jobs."""
        return comb(jobs + self.stations, self.stations)


def recal(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None]) -> Measures:
    """Exact mean values of a closed network with many classes of few jobs.

    Jobs are added one by one. One that joins n_k others at station k multiplies
    the weight by D_k·(n_k + 1)/μ_k(n_k + 1), one that thinks by Z. W_p(n) is the weight of
    the first p jobs with n of them at the stations, H_p(n) what the others then add; H is
    the recursion by chain with (n_k + 1)-fold stations. A job's time is shared out as the
    terms of Σ_n W_{p−1}(n)·(Z·H_p(n) + Σ_k D_k·(n_k + 1)/μ_k(n_k + 1)·H_p(n + e_k)).
    Positive terms only.

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None

    Returns
    -------
    Measures

    Raises
    ------
    ArithmeticError
        Where the weight of the population underflows.

    Notes
    -----
    Time O(K·C(ΣN + K + 1, K + 1)), memory `recal_bytes`; K counts stations with a queue.

    References
    ----------
    [Conway1986].
    """
    present = population @ (demand > 0)
    queues = [k for k, s in enumerate(speeds) if s is not None and present[k]]
    queues = [k for k in queues if not no_queueing(trim(_of(speeds[k]), int(present[k])), int(present[k]))]
    walk = _walk(population, think_time, demand, speeds, queues)
    shares, rate = walk.shares()
    queue_length = rate[:, None] * demand
    queue_length[:, queues] = population[:, None] * shares
    return closed_measures(rate, queue_length, partial(_distribution, population, think_time, demand, speeds, queues))


def _walk(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None], queues: list[int]) -> _Walk:
    outside = think_time + demand[:, [k for k in range(len(speeds)) if k not in queues]].sum(axis=1)
    return _Walk(population.astype(int), outside, demand[:, queues], [_of(speeds[k]) for k in queues])


def _of(speeds: Array | None) -> Array:
    """Speeds of a delay too, as far as they matter."""
    return np.array([np.inf]) if speeds is None else speeds


def recal_work(population: Sequence[int], stations: int) -> int:
    """Products that `recal` takes, there and back."""
    return 2 * (stations + 1) * comb(sum(population) + stations + 1, stations + 1)


def recal_bytes(population: Sequence[int], stations: int) -> int:
    """Memory that `recal` takes [bytes]: tables of states, and one array for each class."""
    ends = np.cumsum(population).tolist()
    states = comb(ends[-1] + stations, stations)
    return states * (24 * stations + 48) + 8 * sum(comb(end + stations, stations) for end in ends)


class _Walk:
    """The recursion that adds jobs one by one, class by class.

    Parameters
    ----------
    population : ndarray (R,)
    outside : ndarray (R,)
        Z with all delays [time].
    demand : ndarray (R, K)
    speeds : list (K,) of ndarray
        Infinite for a delay that is counted as a station.
    """

    def __init__(self, population: NDArray[np.int_], outside: Array, demand: Array, speeds: list[Array]) -> None:
        self.population = population
        self.unit = outside + demand.sum(axis=1)
        self.outside, self.demand = outside / self.unit, demand / self.unit[:, None]
        jobs = int(population.sum())
        self.states = Occupancies(len(speeds), jobs)
        counts = self.states.counts[:, : self.states.size(jobs - 1)]
        n = np.arange(1, jobs + 1)
        held = [np.where(np.isinf(s[-1]), n, s[np.minimum(n, len(s)) - 1]) for s in speeds]
        self.joins = [(n / speed)[count] for speed, count in zip(held, counts, strict=True)]  # (n + 1)/μ(n + 1)
        self.order = [r for r, size in enumerate(population.tolist()) for _ in range(size)]

    def shares(self) -> tuple[Array, Array]:
        """Of each class the share of a job's time at each station, shape (R, K); its throughput."""
        after = self._back()
        shares, rate = np.zeros_like(self.demand), np.zeros(len(self.population))
        for p, w in enumerate(self._forth(len(self.order) - 1)):  # w of the jobs before job p
            if p not in after:
                continue
            r, h = self.order[p], after.pop(p)
            alone = float(w @ h[: len(w)])
            parts = np.array([d * self._met(k, w, h) if d else 0.0 for k, d in enumerate(self.demand[r].tolist())])
            total = float(self.outside[r] * alone + parts.sum())
            if not total > TINY:
                raise ArithmeticError("the weight of the population underflows")
            shares[r], rate[r] = parts / total, self.population[r] * alone / (total * self.unit[r])
        return shares, rate

    def _met(self, k: int, w: Array, h: Array) -> float:
        return float((w * self.joins[k][: len(w)]) @ h[self.states.above[k, : len(w)]])

    def _back(self) -> dict[int, Array]:
        """The factor of the jobs after the last one of each class in each state, by the index of that job."""
        jobs = len(self.order)
        h, kept = np.ones(self.states.size(jobs)), {}
        for p in range(jobs - 1, -1, -1):
            if p == jobs - 1 or self.order[p] != self.order[p + 1]:
                kept[p] = h
            h = self._less(self.order[p], h, self.states.size(p))
        return kept

    def _less(self, r: int, h: Array, size: int) -> Array:
        out: Array = self.outside[r] * h[:size]
        for k, d in enumerate(self.demand[r].tolist()):
            if d:
                out += d * (self.joins[k][:size] * h[self.states.above[k, :size]])
        scaled(out)
        return out

    def _forth(self, jobs: int) -> Iterator[Array]:
        """Weights with no job, the first, the first two, … up to that many."""
        w = np.ones(1)
        yield w
        for p, r in enumerate(self.order[:jobs]):
            out = np.zeros(self.states.size(p + 1))
            out[: len(w)] = self.outside[r] * w
            for k, d in enumerate(self.demand[r].tolist()):
                if d:
                    out[self.states.above[k, : len(w)]] += d * (self.joins[k][: len(w)] * w)
            scaled(out)
            w = out
            yield w

    def jobs_at(self, k: int) -> Array:
        """P(n jobs at station k), n = 0 … ΣN."""
        *_, w = self._forth(len(self.order))
        states = np.bincount(self.states.counts[k], weights=w, minlength=len(self.order) + 1)
        return states / states.sum()


def _distribution(
    population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None], queues: list[int], k: int
) -> Array:
    """P(n jobs of all classes at station k); a delay counts as one more station."""
    places = queues if k in queues else [*queues, k]
    states = comb(int(population.sum()) + len(places), len(places))
    if states > MOST:
        raise ArithmeticError(f"its distribution takes {states:,} states")
    return _walk(population, think_time, demand, speeds, places).jobs_at(places.index(k))
