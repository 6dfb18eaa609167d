"""How far responses of a ladder spread around their mean at each load: percentiles at loads beyond the measured ones.

A response is a time outside the station and a time at it: T = D + S·(1 + φ·w) + W, where w is the waiting for those ahead in
services, φ the part of it that a job shares with them while it is served (1: all at once, as processors that take turns; 0: one
after the other), and W the rest, a sum of the services of others. At 1,024 threads in one line all wait about as long, and
the 95th percentile comes near the mean; threads that take turns differ as much as their work does. How many are ahead is known
from the fitted curve, by the arrival theorem [Lazowska1984]. How much D and S vary, and φ, is what measured percentiles
say: of all values each counts by how well it fits, so that what the rows do not show stays open, and widens the range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from qnsolve.measure.checked_series import Array

from .closed_curve import Curves
from .node_shares import node_shares

VARIATIONS = np.array([0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0])  # squared, of S
DELAYS = np.array([0.0, 0.25, 0.5, 1.0, 2.0])  # squared coefficients of variation of D
SHARED = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # φ
USUAL, WIDE = 0.8, 1.0  # variation before the rows speak, and the deviation of its logarithm
LEAST_VARIATION, LEAST_DELAY = 0.03, 0.1  # that count as such in it
PURE = 3.0  # times as likely as another φ: all in one line, or all at once
NOISE, NOISES = 0.04, 4.0  # of the logarithm of a percentile before the rows speak, and rows that this counts for
LEAST_NOISE = 0.02
OFFSET = 2.0  # rows that say that a percentile is not off for another reason
NODE_JOBS = 1000  # with several nodes: beyond, the number at one grows in proportion
SIDES = (0.025, 0.975)


@dataclass(frozen=True)
class _Waiting:
    """Times at the station at some loads: the mean of w, and of its square, as a job finds it (L,)."""

    delay: float
    service: float
    servers: float
    mean: Array
    square: Array

    def widths(self) -> Array:
        """Squared deviation of log T of a log-normal T, for each row of the grid (G, L)."""
        w, shared = self.mean, _SHARED
        mean = self.delay + self.service * (1 + w)
        own = _VARIED * (1 + 2 * shared * w + shared**2 * self.square) + (1 - shared) ** 2 * _VARIED * w / self.servers
        found = _DELAYED * self.delay**2 + self.service**2 * (own + np.maximum(self.square - w**2, 0.0))
        return np.asarray(np.log1p(found / mean**2))


_VARIED, _DELAYED, _SHARED = (each.reshape(-1, 1) for each in np.meshgrid(VARIATIONS, DELAYS, SHARED, indexing="ij"))


@dataclass(frozen=True)
class ResponseWidths:
    """Percentiles over means, by load.

    Attributes
    ----------
    curve : Curves
        One, the fitted one.
    weights : ndarray (G,)
        How likely each row of the grid is; they add up to 1.
    offsets : dict of str to float
        By which the logarithm of each percentile is off on the rows of highest load.
    noise : float
        Standard deviation of the logarithm of a measured percentile.

    Notes
    -----
    Times are taken as log-normal. At two full nodes, where the number of jobs at one is as likely small as large, that makes a
    95th percentile 10 % too long, and a 99th 30.
    """

    curve: Curves
    weights: Array
    offsets: dict[str, float]
    noise: float

    def over_mean(self, quantity: str, level: float, loads: Array) -> tuple[Array, Array, Array]:
        """Logarithm of a percentile over the mean response (L,), lowest and highest, 19 of 20.

        Parameters
        ----------
        quantity : str
            A key of `offsets`.
        level : float
            0.95 for the 95th percentile.
        loads : ndarray (L,)
        """
        sizes, back = np.unique(np.maximum(np.round(loads), 1), return_inverse=True)
        every = _logs(_waiting(self.curve, sizes).widths(), level)
        middle = self.weights @ every
        order = np.argsort(every, axis=0)
        ends = np.empty((2, len(sizes)))
        for i in range(len(sizes)):
            reached = np.cumsum(self.weights[order[:, i]])
            ends[:, i] = every[order[np.searchsorted(reached, np.array(SIDES) * reached[-1]), i], i]
        offset = self.offsets[quantity]
        low, high = np.minimum(ends[0], middle), np.maximum(ends[1], middle)
        return tuple((each + offset)[back] for each in (middle, low, high))  # type: ignore[return-value]


def response_widths(curve: Curves, loads: Array, measured: Mapping[str, tuple[float, Array]]) -> ResponseWidths:
    """The law of one fitted curve.

    Parameters
    ----------
    curve : Curves
    loads : ndarray (n,)
    measured : mapping of str to (float, ndarray (n,))
        By quantity the level of the percentile, and its logarithm over the mean response; nan where it was not measured.
    """
    sizes, back = np.unique(np.maximum(np.round(loads), 1), return_inverse=True)
    widths = _waiting(curve, sizes).widths()[:, back]
    left = {quantity: values - _logs(widths, level) for quantity, (level, values) in measured.items()}
    squares = np.sum([np.nansum(each**2, axis=1) for each in left.values()], axis=0)
    count = sum(int(np.sum(~np.isnan(values))) for _, values in measured.values())
    square = (float(squares.min()) + NOISES * NOISE**2) / max(count - 3 + NOISES, 1.0)
    square = max(square, LEAST_NOISE**2)
    weights = np.exp(-(squares - squares.min()) / (2 * square)) * _PRIOR
    weights /= weights.sum()
    offsets = {}
    for quantity, each in left.items():
        there = ~np.isnan(measured[quantity][1])
        mean = float(np.average(weights @ each[:, there], weights=loads[there]))
        offsets[quantity] = mean * there.sum() / (there.sum() + OFFSET)
    return ResponseWidths(curve, weights, offsets, float(np.sqrt(square)))


def _logs(squares: Array, level: float) -> Array:
    """Logarithm of a percentile over the mean of a log-normal time."""
    return np.asarray(NormalDist().inv_cdf(level) * np.sqrt(squares) - squares / 2)


def _prior() -> Array:
    found = np.ones(_VARIED.size)
    for values, least in ((_VARIED, LEAST_VARIATION), (_DELAYED, LEAST_DELAY)):
        found *= np.exp(-((np.log(np.maximum(values.ravel(), least) / USUAL) / WIDE) ** 2) / 2)
    shared = _SHARED.ravel()
    return found * np.where((shared == 0) | (shared == 1), PURE, 1.0)


_PRIOR = _prior()


def _waiting(curve: Curves, loads: Array) -> _Waiting:
    """What a job finds at the station of one curve, at whole loads in ascending order."""
    nodes, capacity, delay = curve.nodes, float(curve.capacity[0]), float(curve.delay[0])
    seen = np.minimum(loads, NODE_JOBS) if nodes > 1 else loads
    most = int(seen[-1])
    jobs = np.arange(1.0, most + 1)
    speeds = curve.speeds(most)[0]
    if nodes > 1:
        each = float(curve.servers[0]) / nodes
        speeds = np.minimum(jobs, each) / each * capacity / nodes
    service = 1 / float(speeds[0])
    ahead = jobs / speeds / service - 1  # with 0, 1, ... others
    there = np.concatenate([[0.0], -np.cumsum(np.log(speeds))])
    outside = np.concatenate([[0.0], np.cumsum(np.log(max(delay + curve.think_time, 1e-300)) - np.log(jobs))])
    if nodes > 1:
        shares = node_shares(np.array([each]), nodes - 1, most)[0] if nodes > 2 else None
        rates = speeds if shares is None else shares * capacity * (nodes - 1) / nodes
        outside = _together(outside, np.concatenate([[0.0], -np.cumsum(np.log(rates))]))
    mean, square = np.empty(len(seen)), np.empty(len(seen))
    for i, n in enumerate(seen.astype(int).tolist()):  # those that a job finds are those of the network without it
        logs = there[:n] + outside[n - 1 :: -1]
        likely = np.exp(logs - logs.max())
        likely /= likely.sum()
        mean[i], square[i] = likely @ ahead[:n], likely @ ahead[:n] ** 2
    times = loads / seen
    servers = float(max(service * speeds.max(), 1.0))
    return _Waiting(delay, service, servers, mean * times, square * times**2)


def _together(first: Array, second: Array) -> Array:
    """Logarithms of the weights of both with 0, 1, ... jobs in all."""
    return np.array([np.logaddexp.reduce(first[n::-1] + second[: n + 1]) for n in range(len(first))])
