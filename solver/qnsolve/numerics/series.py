"""Positive-term series and recurrences for the exact kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[Any]  # of integers: where things stand in arrays

BLOCK = 32
MATRIX = 128  # terms of a block of a product of series
WHOLE = 64
FAINT = 1e-270  # weights below this share of the largest are dropped, before they become subnormal and slow
ONE = np.ones(1)
ONE.flags.writeable = False
TINY = 1e-220  # below this share of the largest a weight may suffer from dropped terms


def geometric(first: float, last: float, count: int) -> Array:
    """Numbers above 0 in equal ratios, both ends among them: those of `numpy.geomspace`, in a fraction of its time.

    Parameters
    ----------
    first, last : float
    count : int
        2 or more.

    Examples
    --------
    >>> geometric(1.0, 8.0, 4).round(12).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """
    low, high = np.log10(first), np.log10(last)
    power = np.arange(float(count)) * ((high - low) / (count - 1)) + low
    found: Array = 10.0**power
    found[0], found[-1] = first, last
    return found


def without(places: Places, others: Places) -> Places:
    """Those of some places, 0 or more, that are none of the others.

    Examples
    --------
    >>> without(np.array([1, 3, 7]), np.array([7, 2])).tolist()
    [1, 3]
    """
    left = np.ones(max(int(places.max(initial=-1)), int(others.max(initial=-1))) + 1, dtype=bool)
    left[others] = False
    found: Places = places[left[places]]
    return found


def each_once(places: Places) -> Places:
    """Places, 0 or more and small numbers, each of them once and in order.

    Examples
    --------
    >>> each_once(np.array([4, 1, 4])).tolist()
    [1, 4]
    """
    return np.flatnonzero(np.bincount(places))


class Geometric:
    """Divides power series by (1 − rho·z): y[n] = x[n] + rho·y[n−1] along the last axis.

    In blocks: each block times a triangular matrix of powers, then the same
    recurrence on the blocks' last elements carries over. Only positive terms are
    added, so the relative error stays near machine precision at any length.

    Parameters
    ----------
    rho : float
        0 or more.
    length : int
        Of the last axis of what will be divided, N + 1.

    Examples
    --------
    >>> Geometric(0.5, 3)(np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """

    def __init__(self, rho: float, length: int) -> None:
        self.rho, self.length = rho, length
        self.blocks = 1 if length <= WHOLE else -(-length // BLOCK)
        self.block = length if self.blocks == 1 else BLOCK
        powers = np.zeros(2 * self.block - 1)
        powers[self.block - 1 :] = rho ** np.arange(self.block)
        self.matrix: Array = powers.take(_differences(self.block))  # rho**(j − i) at [i, j], j ≥ i
        if self.blocks > 1:
            self.carried = rho ** np.arange(1, BLOCK + 1)
            self.between = Geometric(rho**BLOCK, self.blocks - 1)

    def __call__(self, x: Array) -> Array:
        """X over (1 − rho·z)."""
        if self.blocks == 1:
            return x @ self.matrix
        lead = x.shape[:-1]
        padded = np.zeros((*lead, self.blocks * BLOCK))
        padded[..., : self.length] = x
        y = padded.reshape(*lead, self.blocks, BLOCK) @ self.matrix
        carry = self.between(np.ascontiguousarray(y[..., :-1, -1]))
        y[..., 1:, :] += carry[..., None] * self.carried
        flat: Array = y.reshape(padded.shape)[..., : self.length]
        return flat


def convolved(rows: Array, terms: Array) -> Array:
    """The first terms of the products of several power series and one other, by blocks as products of matrices.

    Parameters
    ----------
    rows : ndarray (R, N)
    terms : ndarray (N,)

    Returns
    -------
    ndarray (R, N)

    Examples
    --------
    >>> convolved(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), np.array([1.0, 2.0, 3.0])).tolist()
    [[1.0, 3.0, 5.0], [0.0, 0.0, 2.0]]
    """
    series, size = rows.shape
    block = min(size, MATRIX)
    blocks = -(-size // block)
    whole = np.zeros((series, blocks * block))
    whole[:, :size] = rows
    padded = np.ascontiguousarray(whole.reshape(series, blocks, block).transpose(1, 0, 2))
    shifted = np.zeros((blocks + 1) * block)
    shifted[block : block + size] = terms
    windows, found = sliding_window_view(shifted, block), np.zeros(padded.shape)
    for apart in range(blocks):
        matrix = windows[block * (apart + 1) - np.arange(block)]  # of terms at the place to less that from
        found[apart:] += (padded[: blocks - apart].reshape(-1, block) @ matrix).reshape(blocks - apart, series, block)
    return np.asarray(found.transpose(1, 0, 2).reshape(series, -1)[:, :size])


@lru_cache(WHOLE)
def _differences(size: int) -> NDArray[np.intp]:
    """The differences j − i at [i, j], counted from the most negative one."""
    places = np.arange(size)
    return places[None, :] - places[:, None] + size - 1


def weights(ratios: Array) -> Array:
    """Π ratios[:j] for j = 0 … len(ratios), scaled so that the largest is 1.

    Built outward from the largest, so nothing overflows and the terms that matter
    keep full precision: Poisson probabilities (ratios a/1, a/2, …), the states of
    an M/M/m station, any load dependence.

    Examples
    --------
    >>> weights(np.array([4.0, 2.0, 0.5]))
    array([0.125, 0.5  , 1.   , 0.5  ])
    """
    logs = np.concatenate(([0.0], np.cumsum(np.log(ratios))))
    peak = int(np.argmax(logs))
    w = np.empty(len(logs))
    w[peak] = 1.0
    w[peak + 1 :] = np.cumprod(ratios[peak:])
    w[:peak] = np.cumprod(1.0 / ratios[:peak][::-1])[::-1]
    lost = (w == 0) & (logs - logs[peak] > -700)  # behind a valley that underflowed
    w[lost] = np.exp(logs[lost] - logs[peak])
    w[w < FAINT] = 0.0
    return w


def scaled(p: Array) -> float:
    """Scale weights in place so that the largest is 1; returns the old largest."""
    largest = float(p.max())
    if largest > 0:
        p /= largest
        p[p < FAINT] = 0.0
    return largest


def poisson(load: float, n: int) -> Array:
    """Weights of 0 … n jobs without queueing, the largest 1."""
    if load == 0:
        return np.eye(1, n + 1)[0]
    return weights(load / np.arange(1.0, n + 1))


@dataclass(frozen=True)
class StationSeries:
    """A station as the power series Σ a_j·z^j: a head, then a geometric tail.

    `head` holds a_0 … a_J; beyond J each term is `ratio` times the one before.
    Without a tail (`ratio` None) the head reaches the whole population.
    """

    head: Array
    ratio: float | None

    def terms(self, n: int) -> Array:
        """a_0 … a_n, an array of its own."""
        if self.ratio is None:
            return self.head.copy()
        out = np.zeros(n + 1)
        out[: len(self.head)] = self.head
        last = len(self.head) - 1
        impulse = np.zeros(n + 1 - last)
        impulse[0] = self.head[-1]
        out[last:] = Geometric(self.ratio, len(impulse))(impulse)
        return out


def station_series(load: float, speeds: Array, n: int) -> StationSeries:
    """The series of a station with speeds μ(j): a_j = Π load/μ(i), for up to n jobs.

    `speeds` as `trim` returns them. A speed that does not level off within n jobs,
    or a load beyond the last speed, makes the head as long as the population.
    """
    ratio = load / float(speeds[-1])
    if ratio < 1 and len(speeds) < n:
        return StationSeries(weights(load / speeds[:-1]) if len(speeds) > 1 else ONE, ratio)
    beyond = np.full(n - len(speeds), ratio)
    return StationSeries(weights(np.concatenate((load / speeds, beyond))), None)


def trim(speeds: Array, n: int) -> Array:
    """Speeds up to n jobs, less the run of equal ones at the end."""
    speeds = speeds[:n]
    if len(speeds) == 1:
        return speeds
    differ = np.flatnonzero(speeds != speeds[-1])
    return speeds[: differ[-1] + 2] if len(differ) else speeds[:1]


def attempts(stations: Iterable[Array]) -> tuple[bool, ...]:
    """The bounds on the tilt to try: the last speeds of the stations, then also their highest speeds.

    The first (False) keeps every tail geometric. Where a speed falls again, the network
    may pass more than that speed allows, and only the second (True) finds its weight.
    """
    return (False, True) if any(falls(s) for s in stations) else (False,)


def falls(speeds: Array) -> bool:
    """True where a station is slower with more jobs."""
    return len(speeds) > 1 and bool((np.diff(speeds) < 0).any())


def no_queueing(speeds: Array, n: int) -> bool:
    """True for a station with as many servers as jobs: it is a delay."""
    return len(speeds) == n and bool(np.array_equal(speeds, np.arange(1.0, n + 1)))
