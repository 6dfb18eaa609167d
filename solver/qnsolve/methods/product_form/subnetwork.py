"""A part of a network by itself: throughput and queue lengths at every population up to a vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import TINY, Array, StationSeries, poisson, trim

from .lattice import Station, applied, differentiated, station_of, tilt_of
from .power_series import PopulationSeries


@dataclass(frozen=True)
class Part:
    """A closed part of a network: R classes, K stations, populations 0 … b on each axis.

    Attributes
    ----------
    throughput : ndarray (R, b_1 + 1, …, b_R + 1)
        X_r(n), of jobs that return at once.
    queue_length : ndarray (R, K, b_1 + 1, …)
    distribution : callable
        `distribution(p, k)` gives P(j jobs at station k), j = 0, 1, …, where n has the
        probabilities p, shape (b_1 + 1, …).
    """

    throughput: Array
    queue_length: Array
    distribution: Callable[[Array, int], Array]


def part(population: Sequence[int], demand: Array, speeds: Sequence[Array | None]) -> Part:
    """Every state of a part, by the tilted convolution of `lattice`.

    Parameters
    ----------
    population : sequence of int (R,)
        b, the most jobs of each class, 0 or more.
    demand : ndarray (R, K)
        D [time]; each class that has jobs goes somewhere.
    speeds : sequence (K,) of ndarray or None

    Raises
    ------
    ArithmeticError
        Where weights underflow: too many jobs for one scale.
    """
    order = np.argsort(population, kind="stable")
    n = np.array(population)[order]
    d = demand[order] * (n > 0)[:, None]
    space = PopulationSeries(n.tolist())
    most = int(n.sum())
    used = [k for k in range(d.shape[1]) if d[:, k].any()]
    levels = {k: trim(s, most) if most else s[:1] for k in used if (s := speeds[k]) is not None}
    outside = d[:, [k for k in used if k not in levels]].sum(axis=1)
    limit, somewhere = np.maximum(n, 1), np.where(n == 0, 1.0, outside)
    tilt = tilt_of(limit, somewhere, d[:, list(levels)], list(levels.values()), falling=False)
    stations = {k: station_of(tilt * d[:, k], s, max(most, 1)) for k, s in levels.items()}
    start = space.product([poisson(load, size) for load, size in zip(tilt * outside, space.population, strict=True)])
    lengths = np.zeros((len(n), d.shape[1], *space.shape))
    p = _each_without(space, start, list(stations.items()), lengths)
    for k in used:
        if k not in levels:  # no queueing there
            for r in np.flatnonzero(d[:, k]).tolist():
                lengths[r, k] = tilt[r] * d[r, k] * _shifted(space, p, r)
    throughput = np.array([tilt[r] * _shifted(space, p, r) for r in range(len(n))])
    known = np.where(p < TINY, np.inf, p)
    lengths /= known
    throughput /= known
    back = np.argsort(order)
    weight, *shown = [np.moveaxis(_natural(space, a), range(-len(n), 0), order - len(n)) for a in (p, throughput, lengths)]
    distribution = partial(_distribution, space, order, weight, tilt[:, None] * d, outside * tilt, stations)
    found = Part(shown[0][back], shown[1][back], distribution)
    faint = np.argwhere(weight < TINY)
    if len(faint):
        fewer = faint.max(axis=0)
        if (fewer == np.array(population)).all():
            raise ArithmeticError("a part of the network has too many jobs for one scale")
        _fill(found, part(fewer.tolist(), demand, speeds), faint)
    return found


def _fill(found: Part, smaller: Part, faint: NDArray[np.intp]) -> None:
    """Fill values that underflowed at one scale from the scale of fewer jobs."""
    places = tuple(faint.T)
    found.throughput[:, *places] = smaller.throughput[:, *places]
    found.queue_length[:, :, *places] = smaller.queue_length[:, :, *places]


def _each_without(space: PopulationSeries, start: Array, stations: list[tuple[int, Station]], lengths: Array) -> Array:
    """The product of all stations and `start`; also weight·Q_rk of each, from the product of the others."""
    if not stations:
        return start
    if len(stations) == 1:
        k, station = stations[0]
        p = applied(space, station, start)
        share, series = station
        if len(series.head) == 1 and series.ratio is not None:
            slope = space.divide(p, series.ratio * share) * series.ratio
        else:
            slope = differentiated(space, station, start)
        for r in np.flatnonzero(share).tolist():
            lengths[r, k] = share[r] * _shifted(space, slope, r)
        return p
    half = len(stations) // 2
    left, right = stations[:half], stations[half:]
    with_left, with_right = start, start
    for _, station in left:
        with_left = applied(space, station, with_left)
    for _, station in right:
        with_right = applied(space, station, with_right)
    _each_without(space, with_right, left, lengths)
    return _each_without(space, with_left, right, lengths)


def _distribution(
    space: PopulationSeries,
    order: NDArray[np.intp],
    weight: Array,
    loads: Array,
    outside: Array,
    stations: dict[int, Station],
    p: Array,
    k: int,
) -> Array:
    given = np.where(weight < TINY, 0.0, p / np.where(weight < TINY, 1.0, weight))
    rows = np.zeros(space.shape)
    rows[:-1] = np.transpose(given, order).reshape(-1, space.shape[1])[space.order]
    own = loads[:, k] if k not in stations else np.zeros(len(loads))
    rest = space.product([poisson(max(load, 0.0), n) for load, n in zip(outside - own, space.population, strict=True)])
    for j, station in stations.items():
        if j != k:
            rest = applied(space, station, rest)
    total = float(own.sum())
    most = int(sum(space.population))
    share, series = stations.get(k) or (own / (total or 1.0), StationSeries(poisson(total, most), None))
    states = np.zeros(most + 1)
    for j, term in enumerate(series.terms(most)):
        states[j] = term * np.einsum("ij,ij->", rows, rest)
        rest = space.times(rest, share)
    return states / states.sum()


def _shifted(space: PopulationSeries, p: Array, r: int) -> Array:
    """z_r·P."""
    return space.times(p, np.eye(space.classes)[r])


def _natural(space: PopulationSeries, p: Array) -> Array:
    """Rows in natural order, one axis a class."""
    out = np.empty((*p.shape[:-2], p.shape[-2] - 1, p.shape[-1]))
    out[..., space.order, :] = p[..., :-1, :]
    return out.reshape(*p.shape[:-2], *(n + 1 for n in space.population))
