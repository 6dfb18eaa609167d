"""Many closed networks of one shape, exact, all at once: tilted convolution with the networks along the last axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import FAINT, TINY, Array

from .lattice import applied, below_saturation, differentiated

CHUNK = 2**18  # numbers in one product of series: what stays in a processor's cache

Speeds = Sequence[Sequence[Array | None]]  # (K,) of (1,), the same in all networks, or (B,)


@dataclass(frozen=True)
class Series:
    """A station of B networks as a `StationSeries`: head (J + 1, B), ratio (B,) or None."""

    head: Array
    ratio: Array | None


Station = tuple[Array, Series]  # each class's share of the load (R, B); the series in their sum


class Rows:
    """Series in z_1 … z_R up to the largest populations, of B networks: one row a point, one column a network.

    Rows are ordered by the sum of their exponents, so that a recurrence runs level by level;
    a last row of zeros stands for whatever lies outside.

    Parameters
    ----------
    population : ndarray (B, R) of int
        N of each network [jobs].
    """

    def __init__(self, population: NDArray[np.intp]) -> None:
        lengths = (population.max(axis=0) + 1).tolist()
        count = math.prod(lengths)
        place = np.indices(lengths).reshape(len(lengths), count)
        level = place.sum(axis=0)
        order = np.argsort(level, kind="stable")
        rank = np.empty(count, dtype=np.intp)
        rank[order] = np.arange(count)
        self.place = place[:, order]
        self.before = np.full((len(lengths), count + 1), count, dtype=np.intp)  # row with one job less
        for r in range(len(lengths)):
            inside = np.flatnonzero(self.place[r] > 0)
            self.before[r, inside] = rank[order[inside] - math.prod(lengths[r + 1 :])]
        bounds = np.searchsorted(level[order], np.arange(level.max() + 2))
        self.levels = [slice(a, b) for a, b in pairwise(bounds.tolist())]
        self.columns = np.arange(len(population))
        self.last = rank[np.ravel_multi_index(tuple(population.T), lengths)]  # the row of each network's N

    def product(self, axes: Sequence[Array]) -> Array:
        """The product of one series a class, each (N_r + 1, B)."""
        p = np.zeros((self.place.shape[1] + 1, len(self.columns)))
        p[:-1] = axes[0][self.place[0]]
        for place, axis in zip(self.place[1:], axes[1:], strict=True):
            p[:-1] *= axis[place]
        return p

    def at(self, p: Array) -> Array:
        """Coefficient of z^N, (B,)."""
        return p[self.last, self.columns]

    def at_less(self, p: Array) -> Array:
        """Coefficients of z^N/z_r, (R, B)."""
        return p[self.before[:, self.last], self.columns]

    def times(self, p: Array, u: Array) -> Array:
        """P times Σ u_r·z_r."""
        out = p.take(self.before[0], axis=0)
        out *= u[0]
        for before, factor in zip(self.before[1:], u[1:], strict=True):
            out += factor * p.take(before, axis=0)
        return out

    def divide(self, p: Array, u: Array) -> Array:
        """P over 1 − Σ u_r·z_r, level by level."""
        out = p.copy()
        for level in self.levels[1:]:
            for before, factor in zip(self.before, u, strict=True):
                earlier = out.take(before[level], axis=0)
                earlier *= factor
                out[level] += earlier
        return out


def scenarios(population: Array, think_time: Array, demand: Array, speeds: Speeds) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Exact throughputs and queue lengths of B closed networks.

    As `lattice`, on all networks at once, each read at its own population: positive terms only.

    Parameters
    ----------
    population, think_time : ndarray (B, R)
        N [jobs] and Z [time].
    demand : ndarray (B, R, K)
        D [time].
    speeds : sequence (K,) of sequences (B,) of ndarray or None
        A sequence of one stands for all B. None falls as jobs are added.

    Returns
    -------
    throughput : ndarray (B, R)
    queue_length : ndarray (B, R, K)
    right : ndarray (B,) of bool
        False where the weight of the population underflowed.

    References
    ----------
    [BCMP1975], [Reiser1975].
    """
    count, classes, stations = demand.shape
    points = int(np.prod(population.max(axis=0) + 1))
    size = max(1, CHUNK // points)
    throughput, queue_length = np.zeros((count, classes)), np.zeros((count, classes, stations))
    right = np.zeros(count, dtype=bool)
    rows = np.argsort(population.sum(axis=1), kind="stable")
    for start in range(0, count, size):
        some = rows[start : start + size]
        own = [per if len(per) == 1 else [per[b] for b in some] for per in speeds]
        throughput[some], queue_length[some], right[some] = _chunk(population[some], think_time[some], demand[some], own)
    return throughput, queue_length, right


def all_populations(most: int, think_time: Array, demand: Array, speeds: Speeds) -> Array | None:
    """Exact throughputs (B, N) of B closed networks with one class, each with 1 … N jobs; without queue lengths.

    One convolution a network gives all; None where the weight of a small population underflows beside the others.

    Parameters
    ----------
    most : int
        N [jobs].
    think_time : ndarray (B,)
        Z [time].
    demand : ndarray (B, K)
        D [time].
    speeds : sequence (K,) of sequences (B,) of ndarray or None
        As for `scenarios`.

    References
    ----------
    [Buzen1973].
    """
    found = np.zeros((len(demand), most))
    size = max(1, CHUNK // (most + 1))
    for start in range(0, len(demand), size):
        some = slice(start, start + size)
        count = len(demand[some])
        own = [per if len(per) == 1 else per[some] for per in speeds]
        tilt, space, p, stations = _thinking(np.full((count, 1), most), think_time[some, None], demand[some, None], own)
        for station in stations.values():
            p = _scaled(applied(space, station, p))
        weight = p[:-1]
        if not (weight > TINY).all():
            return None
        found[some] = tilt * (weight[:-1] / weight[1:]).T
    return found


def _thinking(
    population: Array, think_time: Array, demand: Array, speeds: Speeds
) -> tuple[Array, Rows, Array, dict[int, Station]]:
    """The tilt (B, R), the series of the jobs that wait nowhere, and the stations that it is to be multiplied by."""
    most = int(population.sum(axis=1).max())
    tables = {k: _table(per, most) for k, per in enumerate(speeds) if demand[:, :, k].any()}
    queues = {k: t for k, t in tables.items() if t is not None}
    outside = think_time + demand[:, :, [k for k in range(demand.shape[2]) if k not in queues]].sum(axis=2)
    first, limit = (np.ones((len(demand), len(queues))) for _ in range(2))
    for i, table in enumerate(queues.values()):
        first[:, i], limit[:, i] = table[0], table[-1]
    tilt = below_saturation(population, outside, demand[:, :, list(queues)], first, limit)
    space = Rows(population.astype(np.intp))
    stations = {k: _station(tilt * demand[:, :, k], table, most) for k, table in queues.items()}
    p = space.product([_poisson(rate, int(n)) for rate, n in zip((tilt * outside).T, population.max(axis=0), strict=True)])
    return tilt, space, p, stations


def _chunk(population: Array, think_time: Array, demand: Array, speeds: Speeds) -> tuple[Array, Array, NDArray[np.bool_]]:
    tilt, space, p, stations = _thinking(population, think_time, demand, speeds)
    plain = {k: share * s.ratio for k, (share, s) in stations.items() if len(s.head) == 1 and s.ratio is not None}
    for load in plain.values():
        p = _scaled(space.divide(p, load))
    lengths: dict[int, Array] = {}
    p = _each_without(space, p, [(k, s) for k, s in stations.items() if k not in plain], lengths)
    weight = space.at(p)
    right = weight > TINY
    weight = np.where(right, weight, 1.0)
    for k, load in plain.items():
        lengths[k] = load * space.at_less(space.divide(p, load)) / weight
    throughput = tilt * (space.at_less(p) / weight).T
    queue_length = throughput[:, :, None] * demand
    for k, length in lengths.items():
        queue_length[:, :, k] = length.T
    return throughput, queue_length, right & np.isfinite(queue_length).all(axis=(1, 2))


def _table(per: Sequence[Array | None], most: int) -> Array | None:
    """Speeds with 1 … J jobs, the last one holding, as (J, 1) or (J, B); None for a delay."""
    if per[0] is None:
        return None
    speeds = [s[:most] for s in per if s is not None]
    level = max(map(len, speeds))
    table = np.array([s[np.minimum(np.arange(level), len(s) - 1)] for s in speeds]).T
    while len(table) > 1 and np.array_equal(table[-1], table[-2]):
        table = table[:-1]
    alone = len(table) == most and np.array_equal(table, np.broadcast_to(np.arange(1.0, most + 1)[:, None], table.shape))
    return None if alone else table


def _station(load: Array, table: Array, most: int) -> Station:
    """A station by its load by class, (B, R): head up to its level, then a tail where it levels off before the last job."""
    total = load.sum(axis=1)
    share = (load / np.maximum(total, 1e-300)[:, None]).T
    ratios = np.maximum(total, 1e-300) / table
    if len(table) < most:
        return share, Series(_weights(ratios[:-1]), total / table[-1])
    return share, Series(_weights(ratios), None)


def _weights(ratios: Array) -> Array:
    """Π ratios[:j], j = 0 … J, each column scaled so that its largest is 1."""
    logs = np.zeros((len(ratios) + 1, ratios.shape[1]))
    np.cumsum(np.log(ratios), axis=0, out=logs[1:])
    logs -= logs.max(axis=0)
    return np.exp(logs)


def _poisson(load: Array, n: int) -> Array:
    """Weights of 0 … n jobs without queueing, (n + 1, B)."""
    return _weights(np.maximum(load, 1e-300) / np.arange(1.0, n + 1)[:, None])


def _scaled(p: Array) -> Array:
    p /= np.maximum(p.max(axis=0), 1e-300)
    p[p < FAINT] = 0.0
    return p


def _each_without(space: Rows, start: Array, stations: list[tuple[int, Station]], lengths: dict[int, Array]) -> Array:
    """Apply all stations to `start` and compute each one's queue lengths (R, B), as in `one_class`."""
    if not stations:
        return start
    if len(stations) == 1:
        k, station = stations[0]
        p = applied(space, station, start)
        slope = space.at_less(differentiated(space, station, start))
        lengths[k] = station[0] * slope / np.maximum(space.at(p), 1e-300)
        return _scaled(p)
    half = len(stations) // 2
    left, right = stations[:half], stations[half:]
    with_left, with_right = start, start
    for _, station in left:
        with_left = _scaled(applied(space, station, with_left))
    for _, station in right:
        with_right = _scaled(applied(space, station, with_right))
    _each_without(space, with_right, left, lengths)
    return _each_without(space, with_left, right, lengths)
