"""One closed class, exact at any population: tilted convolution of positive terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from qnsolve.methods.measures import Measures, closed_measures
from qnsolve.numerics.series import (
    TINY,
    Array,
    Geometric,
    StationSeries,
    attempts,
    nobody_waits,
    poisson,
    scaled,
    station_series,
    trim,
    weights,
)

from .open_network import mean_number

STRIPS = 8
SHORT = 256  # jobs up to which series are multiplied term by term
OFTEN = 8  # products of series between two scalings: each grows a weight by a factor of SHORT at most
NEAR = 1e-100  # least weight, beside the largest, at which a population is read from a convolution for a larger one


def _apply(station: StationSeries, p: Array) -> Array:
    """P times the series of a station, scaled so that its largest term is 1."""
    n, last = len(p), len(station.head) - 1
    if station.ratio is None:
        out = _convolved(p, station.head)
    elif last == 0:
        out = Geometric(station.ratio, n)(p)
    else:
        out = np.convolve(p, station.head[:-1])[:n]
        out[last:] += station.head[-1] * Geometric(station.ratio, n - last)(p[: n - last])
    scaled(out)
    return out


def _convolved(p: Array, q: Array) -> Array:
    """The first len(p) terms of p times q, both of one length.

    Without the zeros at the ends of both, and in strips, to leave out most of what lies beyond.
    """
    n, out = len(p), np.zeros(len(p))
    (first, last), (low, high) = (np.flatnonzero(x)[[0, -1]] for x in (p, q))
    strip = -(-(last + 1 - first) // STRIPS)
    for start in range(first, last + 1, strip):
        room = n - start - low
        if room <= 0:
            break
        part = np.convolve(p[start : min(start + strip, last + 1)], q[low : min(high + 1, low + room)])[:room]
        out[start + low : start + low + len(part)] += part
    return out


def one_class(population: int, think_time: float, demand: Array, speeds: Sequence[Array | None]) -> Measures:
    """Exact mean values of a closed network with one class.

    The joint distribution is a product of one series a station, convolved. The
    series are tilted by a rate λ near the throughput: then p[n], the weight of n
    jobs, is of the order of one at the population, for any size. A station that is
    m-fold fast at most is a short head and a geometric tail, so one pass costs
    O(N·m); a speed that never levels off costs O(N²).

    Parameters
    ----------
    population : int
        N ≥ 1.
    think_time : float
        Z [time].
    demand : ndarray (K,)
        D [time].
    speeds : sequence (K,) of ndarray or None

    Returns
    -------
    Measures
        Arrays of shapes (1,) and (1, K).

    Raises
    ------
    ArithmeticError
        Where the weight of the population underflows: speeds that fall so far that
        the network has two states hundreds of powers of ten apart.

    References
    ----------
    [Buzen1973], [Reiser1981] for the convolution; the tilt is that of large deviations.
    """
    n = population
    tilt, stations, _, p, lengths = _tilted(n, think_time, demand, speeds)
    throughput = float(tilt * p[n - 1] / p[n])
    queue_length = np.array([[lengths.get(k, throughput * d) for k, d in enumerate(demand)]])
    distribution = partial(_distribution, n, tilt * think_time, tilt * demand, stations)
    return closed_measures(np.array([throughput]), queue_length, distribution)


def populations(sizes: Array, think_time: float, demand: Array, speeds: Sequence[Array | None]) -> tuple[Array, Array]:
    """Exact throughputs (P,) and queue lengths (P, K) of one class at several populations, 0 among them or not.

    One convolution at the largest gives all whose weight has not become too small
    beside it; the largest that is left is the next. Arguments else as for `one_class`.
    """
    sizes = np.asarray(sizes).astype(int)
    throughput, queue_length = np.zeros(len(sizes)), np.zeros((len(sizes), len(demand)))
    left = np.flatnonzero(sizes > 0)
    while len(left):
        n = int(sizes[left].max())
        tilt, stations, outside, p, _ = _tilted(n, think_time, demand, speeds)
        near = left[p[sizes[left]] > NEAR]
        wanted = sizes[near]
        throughput[near] = tilt * p[wanted - 1] / p[wanted]
        queue_length[near] = throughput[near, None] * demand
        for k, station in stations.items():
            if len(station.head) == 1 and station.ratio is not None:
                queue_length[near, k] = station.ratio * Geometric(station.ratio, n + 1)(p)[wanted - 1] / p[wanted]
            else:
                others, terms = poisson(outside, n), station.terms(n)
                for j, other in stations.items():
                    if j != k:
                        others = _apply(other, others)
                for at, size in zip(near.tolist(), wanted.tolist(), strict=True):
                    states = terms[: size + 1] * others[size::-1]
                    queue_length[at, k] = float(states @ np.arange(size + 1) / states.sum())
        left = np.setdiff1d(left, near)
    return throughput, queue_length


Tilted = tuple[float, dict[int, StationSeries], float, Array, dict[int, float]]


def _tilted(n: int, think_time: float, demand: Array, speeds: Sequence[Array | None]) -> Tilted:
    """The tilt, the stations at it, the load where nobody waits, weights of 0 … n jobs, queue lengths at n."""
    queues = {k: trim(s, n) for k, s in enumerate(speeds) if s is not None and demand[k] > 0}
    queues = {k: s for k, s in queues.items() if not nobody_waits(s, n)}
    outside = think_time + sum(float(d) for k, d in enumerate(demand) if k not in queues)
    for falling in attempts(queues.values()):
        tilt = _tilt(n, outside, [(float(demand[k]), s) for k, s in queues.items()], falling)
        stations = {k: station_series(tilt * float(demand[k]), s, n) for k, s in queues.items()}
        p, lengths = _convolution(n, tilt * outside, stations)
        if p[n] > TINY:
            return tilt, stations, tilt * outside, p, lengths
    raise ArithmeticError("the weight of the population underflows")


def _convolution(n: int, outside: float, stations: dict[int, StationSeries]) -> tuple[Array, dict[int, float]]:
    """Weights of 0 … n jobs in the network, and the queue length of each station."""
    plain = {k: s.ratio for k, s in stations.items() if s.ratio is not None and len(s.head) == 1}
    lengths: dict[int, float] = {}
    if n > SHORT:
        p = poisson(outside, n)
        divide = {k: Geometric(ratio, n + 1) for k, ratio in plain.items()}
        for divided in divide.values():
            p = divided(p)
            scaled(p)
    else:  # powers of all ratios at once
        powers = np.array(list(plain.values()), dtype=np.float64)[:, None] ** np.arange(n + 1.0)
        p = _product(poisson(outside, n), powers)
    p = _each_without(p, [(k, s) for k, s in stations.items() if k not in plain], lengths)
    if p[n] > TINY:  # P(at least j there) = ratio^j·p[N−j]/p[N], j ≥ 1
        if n > SHORT:
            found = [each.rho * float(each(p)[n - 1]) / float(p[n]) for each in divide.values()]
        else:
            found = (powers[:, 1:] @ p[n - 1 :: -1] / p[n]).tolist() if n else [0.0] * len(plain)
        lengths.update(zip(plain, found, strict=True))
    return p, lengths


def _product(p: Array, powers: Array) -> Array:
    """P times the geometric series of each row, cut at its length, scaled so that the largest term is 1."""
    for i, row in enumerate(powers, 1):
        p = np.convolve(p, row)[: len(p)]
        if i % OFTEN == 0 or i == len(powers):
            scaled(p)
    return p


def _each_without(start: Array, stations: list[tuple[int, StationSeries]], lengths: dict[int, float]) -> Array:
    """Convolve all stations into `start`; note each one's queue length on the way.

    The queue length of a station needs the convolution of the others, found by
    halving the list: O(S·log S) filters for S stations.
    """
    if len(stations) == 1:
        k, station = stations[0]
        p = _states(station, start)
        lengths[k] = float(p @ np.arange(len(p)))
    if len(stations) < 2:
        return _apply(stations[0][1], start) if stations else start
    half = len(stations) // 2
    left, right = stations[:half], stations[half:]
    with_left, with_right = start, start
    for _, station in left:
        with_left = _apply(station, with_left)
    for _, station in right:
        with_right = _apply(station, with_right)
    _each_without(with_right, left, lengths)
    return _each_without(with_left, right, lengths)


def _states(station: StationSeries, others: Array) -> Array:
    """P(j jobs at a station), j = 0 … N, given the convolution of the others."""
    p = station.terms(len(others) - 1) * others[::-1]
    total = p.sum()
    return p / total if total > 0 else p


def _distribution(n: int, thinking: float, loads: Array, stations: dict[int, StationSeries], k: int) -> Array:
    """P(j jobs at station k), j = 0 … N, from the convolution of all the others."""
    others = thinking + sum(float(load) for j, load in enumerate(loads) if j not in stations and j != k)
    p = poisson(others, n)
    for j, station in stations.items():
        if j != k:
            p = _apply(station, p)
    own = stations.get(k) or StationSeries(poisson(float(loads[k]), n), None)
    return _states(own, p)


def _tilt(n: int, outside: float, stations: list[tuple[float, Array]], falling: bool) -> float:
    """The rate at which the open network would hold about n jobs; need not be exact.

    Found by secants on x, rate = cap/(1 + e^−x), so that a rate far below saturation
    and one a hair below it are met with the same relative precision: the logarithm of
    the number held is nearly linear in x at both ends.
    `falling` as in `attempts`.
    """
    if not stations:
        return n / outside
    cap = min(float(s.max() if falling else s[-1]) / d for d, s in stations)
    plain = [float(d / s[0]) for d, s in stations if len(s) == 1]
    means = [partial(_mean_about, d, s, n if falling else None) for d, s in stations if len(s) > 1]
    low, high, slope, x = -300.0, 34.0, 1.0, 0.0
    before = last_excess = math.inf
    while high - low > 1e-3:
        rate = cap / (1 + math.exp(-x))
        held = rate * outside + sum([rate * d / max(1 - rate * d, 1e-16) for d in plain])
        held += sum([mean(rate) for mean in means])
        excess = math.log(held / n) if held > 0 else -math.inf
        low, high = (low, x) if excess > 0 else (x, high)
        if abs(excess) < 1e-3:
            return rate
        if math.isfinite(before):
            slope = (excess - last_excess) / (x - before)
        before, last_excess = x, excess
        x = x - excess / slope if slope > 0 else math.nan
        if not low < x < high:
            x = (low + high) / 2
    return cap / (1 + math.exp(-low))


def _mean_about(demand: float, speeds: Array, most: int | None, rate: float) -> float:
    """Mean number at a station, near enough for a tilt; among states of up to `most` jobs where given."""
    m, load, top = len(speeds), rate * demand, float(speeds[-1])
    if top == m and speeds[m // 2] == m // 2 + 1:  # m servers: Sakasegawa's approximation
        room = max(1 - load / top, 1e-16)
        return load + (1 - room) ** math.sqrt(2 * (m + 1)) / room
    if most is None:
        return mean_number(min(load, top * (1 - 1e-15)), speeds)
    w = weights(np.concatenate((load / speeds, np.full(max(0, most - m), load / top))))
    return float(w @ np.arange(len(w)) / w.sum())
