"""Several closed classes, exact: tilted convolution on the population lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from qnsolve.methods.measures import Measures, closed_measures
from qnsolve.numerics.series import TINY, Array, StationSeries, attempts, no_queueing, poisson, scaled, station_series, trim

from .power_series import PopulationSeries, Space
from .seidmann import schweitzer

Station = tuple[Array, StationSeries]  # each class's share of the load; the series in their sum


def lattice(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None]) -> Measures:
    """Exact mean values of a closed network with any number of classes.

    As `one_class`, with a power series in one variable a class. A station's series
    is one in s = Σ (share of class r)·z_r: Horner for the head, a division by
    (1 − ratio·s) for the tail. With prefix products P and, from the other end,
    suffix products H, every queue length is a derivative of ln G at one pairing:
    Q_rk = share_r·⟨z_r·F'_k·P_{k−1}, H_k⟩/G. Positive terms only.

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
    Time O(points · Σ_k (levels of station k + classes)), memory `lattice_bytes`.

    References
    ----------
    [BCMP1975], [Reiser1975].
    """
    order = np.argsort(population, kind="stable")
    back = np.argsort(order)
    n, z, d = population[order].astype(int), think_time[order], demand[order]
    most = n @ (d > 0)  # jobs that may meet at each station
    queues = {k: trim(s, int(most[k])) for k, s in enumerate(speeds) if s is not None and most[k]}
    queues = {k: s for k, s in queues.items() if not no_queueing(s, int(most[k]))}
    outside = z + d[:, [k for k in range(d.shape[1]) if k not in queues]].sum(axis=1)
    space = PopulationSeries(n.tolist())
    for falling in attempts(queues.values()):
        tilt = tilt_of(n, outside, d[:, list(queues)], list(queues.values()), falling)
        stations = {k: station_of(tilt * d[:, k], s, int(most[k])) for k, s in queues.items()}
        prefix, scale = _products(space, tilt * outside, list(stations.values()))
        weight = space.last(prefix[-1])
        if weight > TINY:
            break
    else:
        raise ArithmeticError("the weight of the population underflows")
    throughput = np.array([tilt[r] * space.last_but(prefix[-1], r) / weight for r in range(len(n))])
    queue_length = throughput[:, None] * d
    queue_length[:, list(stations)] = _lengths(space, list(stations.values()), prefix, scale, weight).T
    distribution = partial(_distribution, space, tilt * z, tilt[:, None] * d, stations)
    return closed_measures(throughput[back], queue_length[back], distribution)


def _products(space: PopulationSeries, outside: Array, stations: list[Station]) -> tuple[list[Array], list[float]]:
    """The series of the thinking jobs, its product with the first station's, …; and their scales."""
    prefix = [space.product([poisson(load, size) for load, size in zip(outside, space.population, strict=True)])]
    scale = []
    for station in stations:
        p = applied(space, station, prefix[-1])
        scale.append(scaled(p))
        prefix.append(p)
    return prefix, scale


def lattice_bytes(population: Sequence[int], stations: int) -> int:
    """Memory that `lattice` takes [bytes]: a prefix product for each station, and work arrays."""
    return 8 * math.prod(n + 1 for n in population) * (stations + len(population) + 6)


def tilt_of(population: Array, outside: Array, demand: Array, speeds: list[Array], falling: bool) -> Array:
    """Rates near the throughputs. `falling` as in `attempts`."""
    limit = np.array([s.max() if falling else s[-1] for s in speeds])
    return below_saturation(population.astype(float), outside, demand, np.array([s[0] for s in speeds]), limit)


def below_saturation(population: Array, outside: Array, demand: Array, first: Array, limit: Array) -> Array:
    """Approximate throughputs, below saturation, for a tilt. Arguments as for `schweitzer`."""
    rate = schweitzer(population, outside, demand, first, limit, tolerance=1e-5)
    busy = (np.einsum("...r,...rk->...k", rate, demand) / limit).max(axis=-1, initial=0.0)
    cap = 1 - 0.5 / (population.sum(axis=-1) + 1)
    return rate * np.minimum(1.0, cap / np.maximum(busy, 1e-300))[..., None]


def station_of(load: Array, speeds: Array, n: int) -> Station:
    """A station from the load of each class."""
    total = float(load.sum())
    return load / total, station_series(total, speeds, n)


def applied(space: Space, station: Any, p: Array) -> Array:
    """P times a station's series: Horner in s from the tail down."""
    share, series = station
    head, ratio = series.head, series.ratio
    out = space.divide(p, ratio * share) if ratio is not None else p.copy()
    if len(head) > 1 or ratio is None:
        out *= head[-1]
    for a in head[-2::-1]:
        out = space.times(out, share)
        out += a * p
    return out


def differentiated(space: Space, station: Any, p: Array) -> Array:
    """P times the derivative in s of a station's series with a head of two terms or more."""
    share, series = station
    j = len(series.head) - 1
    slope = (np.arange(j + 1) * series.head.T).T
    if series.ratio is None:
        out = slope[j] * p
    else:
        tail = space.divide(p, series.ratio * share)
        out = space.times(space.divide(tail, series.ratio * share), series.head[j] * series.ratio * share)
        out += slope[j] * tail
    for a in slope[j - 1 : 0 : -1]:
        out = space.times(out, share)
        out += a * p
    return out


def _lengths(space: PopulationSeries, stations: list[Station], prefix: list[Array], scale: list[float], weight: float) -> Array:
    """Queue length of each station and class, shape (stations, R), from suffix products."""
    lengths = np.zeros((len(stations), space.classes))
    suffix = space.one()
    for k in range(len(stations) - 1, -1, -1):
        share, series = stations[k]
        following = applied(space, stations[k], suffix)
        if len(series.head) == 1 and series.ratio is not None:  # F' = ratio·F²
            paired = space.paired(prefix[k + 1], following)
            lengths[k] = series.ratio * share * paired / weight
        else:
            paired = space.paired(differentiated(space, stations[k], prefix[k]), suffix)
            lengths[k] = share * paired / (scale[k] * weight)
        weight *= scale[k] / scaled(following)
        suffix = following
    return lengths


def _distribution(space: PopulationSeries, thinking: Array, loads: Array, stations: dict[int, Station], k: int) -> Array:
    """P(j jobs of all classes at station k), j = 0 … ΣN."""
    delays = [j for j in range(loads.shape[1]) if j not in stations and j != k]
    outside = thinking + loads[:, delays].sum(axis=1)
    p = space.product([poisson(load, size) for load, size in zip(outside, space.population, strict=True)])
    for j, station in stations.items():
        if j != k:
            p = applied(space, station, p)
            scaled(p)
    total = sum(space.population)
    most = sum(n for n, load in zip(space.population, loads[:, k], strict=True) if load > 0)
    if k in stations:
        share, series = stations[k]
    else:
        load = float(loads[:, k].sum())
        share, series = loads[:, k] / (load or 1.0), StationSeries(poisson(load, most), None)
    states = np.zeros(total + 1)
    for j, term in enumerate(series.terms(most)):
        states[j] = term * space.last(p)
        p = space.times(p, share)
    return states / states.sum()
