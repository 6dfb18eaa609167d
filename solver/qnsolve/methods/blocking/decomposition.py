"""One class with blocking after service, by decomposition: each station alone, as the others feed and block it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.series import Array

SETTLED = 1e-13  # relative change of the blocking times that ends an iteration
TURNS, STEPS = 800, 200
DAMPED = 100  # turns after which the steps are halved
ROUGH = 1e-6  # either tolerance where nothing nearer is found: far below the error of the method
NEAR = 1e-11  # tolerance of the number of jobs, relative
LOST = 1e-16  # probability beyond the end of an open station's queue
LONGEST = 200_000  # jobs at an open station, beyond which it counts as saturated


class TooBusyError(ArithmeticError):
    """A station cannot carry the throughput, or only with queues that are too long to compute."""


@dataclass(frozen=True)
class Feeds:
    """A network of K stations with one class, returns to the same station counted as one visit.

    Attributes
    ----------
    service, visits : ndarray (K,)
        Mean time of a visit [time], visits of one job.
    speeds : tuple (K,) of ndarray or None
        μ(1), μ(2), …, the last one holding; 1 … m where jobs can be blocked; None for a delay.
    servers : ndarray (K,)
        Servers that blocked jobs hold, inf for a delay.
    capacity : ndarray (K,)
        Most jobs, inf without limit.
    onward : ndarray (K, K)
        Probability of each next station.
    entry : ndarray (K,)
        Share of a station's arrivals that come from outside, where they hold no server.
    """

    service: Array
    visits: Array
    speeds: tuple[Array | None, ...]
    servers: Array
    capacity: Array
    onward: Array
    entry: Array


@dataclass(frozen=True)
class Alone:
    """Every station by itself at one throughput; n counts the jobs at it and those blocked by it.

    Attributes
    ----------
    p : ndarray (K, L)
        P(n jobs).
    births : ndarray (K, L)
        Arrivals with n jobs [1/time].
    queue, line : ndarray (K,)
        Jobs at the station, and jobs elsewhere that it blocks [jobs].
    late : ndarray (K,)
        Blocking time of an arrival [time].
    """

    p: Array
    births: Array
    queue: Array
    line: Array
    late: Array


def closed(net: Feeds, jobs: int, think: float) -> tuple[float, Alone]:
    """Throughput of a closed class, and its stations alone.

    The arrivals at each station are those from the rest of the network with the other jobs
    [Marie1979], times a factor that makes its throughput that of the network; a blocked
    job's wait is part of its service time [Dallery1993]. The throughput is
    the one at which the jobs at all stations sum to the population.
    """
    high = float((_fastest(net, jobs) / (net.visits * net.service)).min())
    low, high = 0.0, min(high, jobs / (think + float(net.visits @ net.service)))
    below, above = -float(jobs), inf  # jobs missing at `low`, too many at `high`
    late = np.zeros(len(net.visits))
    best: tuple[float, float, Alone] | None = None
    for turn in range(STEPS):
        x = (low + high) / 2
        if turn % 3 and above < inf:
            x = min(max((low * above - high * below) / (above - below), low), high)
        try:
            found = _alone(net, x, jobs, think, late)
        except TooBusyError:
            high = x
            continue
        over = float(found.queue.sum() + net.entry @ found.line) + x * think - jobs
        if abs(over) <= NEAR * jobs or high - low <= 4e-16 * high:
            return x, found
        if best is None or abs(over) < best[0]:
            best = abs(over), x, found
        late = found.late
        if over > 0:
            high, above = x, over
        else:
            low, below = x, over
    if best is None or best[0] > ROUGH * jobs:  # as near as the blocking times are
        raise NotConvergedError(inf if best is None else best[0] / jobs)
    return best[1:]


def opened(net: Feeds, rate: float) -> Alone:
    """The stations alone of an open class; raises TooBusyError where one cannot carry the rate."""
    return _alone(net, rate, 0, 0.0, np.zeros(len(net.visits)))


def highest_rate(net: Feeds, rate: float) -> float:
    """The highest arrival rate that is carried [jobs/time], at most 2e-4 too low."""

    def carried(rate: float) -> bool:
        try:
            opened(net, rate)
        except TooBusyError:
            return False
        return True

    return narrowed(carried, 0.0, rate, 1e-6)[0]


def _alone(net: Feeds, x: float, jobs: int, think: float, late: Array) -> Alone:
    """All stations at one throughput with converged blocking times; `jobs` is 0 for an open class."""
    factor = np.log(np.full(len(net.visits), 1.0) if jobs else x * net.visits)
    flow = x * net.visits
    part = 1.0
    for turn in range(1, TURNS + 1):
        service = net.service + net.onward @ late
        fastest = _fastest(net, jobs) / service
        if (flow >= fastest * (1 - 1e-14)).any():
            raise TooBusyError
        length = jobs if jobs else _length(net, flow, flow / fastest)
        fed = _fed(net, late, jobs, think) if jobs else np.ones((len(flow), length))
        n = np.arange(length)
        fed = fed * _still_sent(net, np.maximum(n - net.capacity[:, None], 0.0))
        deaths = np.array([_speed(s, np.minimum(n + 1, c)) for s, c in zip(net.speeds, net.capacity, strict=True)])
        p, factor = _balanced(fed, deaths / service[:, None], flow, factor)
        present = np.arange(length + 1)
        line = (p * np.maximum(present - net.capacity[:, None], 0.0)).sum(axis=1)
        new = line / flow
        change = np.abs(new - late).max() / max(float(net.service.max()), float(new.max()))
        if turn % DAMPED == 0:  # goes round
            part = max(part / 2, 1 / 16)
        late = late + part * (new - late)
        if change <= (SETTLED if turn < DAMPED else min(ROUGH, 1e-12 * 10 ** (turn / DAMPED))):
            births = np.column_stack((np.exp(factor)[:, None] * fed, np.zeros(len(flow))))
            queue = (p * np.minimum(present, net.capacity[:, None])).sum(axis=1)
            return Alone(p, births, queue, line, late)
    raise NotConvergedError(change)


def _still_sent(net: Feeds, waiting: Array) -> Array:
    """Share of a station's arrivals that still come while its blocked jobs hold servers elsewhere, (K, L)."""
    shares = net.visits[:, None] * net.onward / net.visits
    sent = np.where(waiting > 0, net.entry[:, None], 1.0)
    for i in np.flatnonzero(net.onward.any(axis=1)):
        share = shares[i][:, None]
        sent += np.where(waiting > 0, share * np.maximum(1 - waiting * share / net.servers[i], 0.0), 0.0)
    return sent


def _speed(speeds: Array | None, n: Array) -> Array:
    """Speed with n jobs, for each of them."""
    if speeds is None:
        return np.asarray(n, dtype=float)
    return speeds[np.minimum(n, len(speeds)).astype(int) - 1]


def _fastest(net: Feeds, jobs: int) -> Array:
    """Highest speed of each station; of a delay the number of jobs, inf for an open class."""
    some = float(jobs) if jobs else inf
    return np.array([some if s is None else s[: jobs or None].max() for s in net.speeds])


def _length(net: Feeds, flow: Array, load: Array) -> int:
    """Jobs beyond which an open station's queue may be cut."""
    busy = float(load[np.isfinite(load)].max(initial=0.0))
    crowd = max((len(s) for s in net.speeds if s is not None), default=1) + float(net.capacity[np.isfinite(net.capacity)].max())
    thinks = max((float(f * t) for f, t, s in zip(flow, net.service, net.speeds, strict=True) if s is None), default=0.0)
    length = 2 * crowd + thinks + 40 * sqrt(thinks) + 60 + (log(LOST) / log(busy) if busy > 0 else 0.0)
    if length > LONGEST:
        raise TooBusyError
    return int(length)


def _fed(net: Feeds, late: Array, jobs: int, think: float) -> Array:
    """Arrival rates with 0, 1, … jobs at each station, from the rest of the network with the others, (K, jobs) [1/time]."""
    fed = np.empty((len(late), jobs))
    outside = _weights(None, think, jobs) if think else None
    whole = _factors(net, net.service + net.onward @ late, jobs)
    for j in range(len(late)):
        own = whole
        if late[j] > 0:  # the state of j shows the servers that it blocks itself
            others = late.copy()
            others[j] = 0.0
            own = _factors(net, net.service + net.onward @ others, jobs)
        g = outside if outside is not None else np.append(1.0, np.zeros(jobs))
        for i in range(len(late)):
            if i != j:
                g = np.convolve(g, own[i])[: jobs + 1]
                g /= g.max()
        light = np.arange(1, jobs + 1) / (think + float(net.visits @ net.service))
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = g[:-1] / g[1:]
        rate = np.where(np.isfinite(rate) & (rate > 0), rate, light)
        fed[j] = net.visits[j] * rate[::-1]  # with n here, jobs − n are elsewhere
    return fed


def _factors(net: Feeds, service: Array, jobs: int) -> list[Array]:
    return [_weights(s, float(d), jobs) for s, d in zip(net.speeds, net.visits * service, strict=True)]


def _weights(speeds: Array | None, demand: float, jobs: int) -> Array:
    """Product form weights of 0 … jobs jobs at a station, the largest of them 1 … in logarithms first."""
    steps = np.log(demand / _speed(speeds, np.arange(1.0, jobs + 1)))
    logs = np.append(0.0, np.cumsum(steps))
    return np.exp(logs - logs.max())


def _balanced(fed: Array, deaths: Array, flow: Array, factor: Array) -> tuple[Array, Array]:
    """Probabilities of birth-death processes whose arrivals are scaled to a flow, and the logarithms of the scales."""
    with np.errstate(divide="ignore"):
        logs = np.column_stack((np.zeros(len(fed)), np.cumsum(np.log(fed) - np.log(deaths), axis=1)))
    n = np.arange(logs.shape[1])
    low, high = np.full(len(fed), -inf), np.full(len(fed), inf)
    for _ in range(STEPS):
        scaled = logs + n * factor[:, None]
        p = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        served = p[:, 1:] * deaths
        total = served.sum(axis=1)
        off = np.log(total / flow)
        if (np.abs(off) <= 2e-15).all():
            break
        low, high = np.where(off < 0, factor, low), np.where(off > 0, factor, high)
        slope = (served @ n[1:]) / total - p @ n
        with np.errstate(divide="ignore", invalid="ignore"):
            step = factor - np.clip(off / slope, -3.0, 3.0)
        middle = np.where(np.isinf(low), high - 2, np.where(np.isinf(high), low + 2, (np.maximum(low, -1e9) + high) / 2))
        fresh = np.where((step > low) & (step < high), step, middle)
        if (np.abs(fresh - factor) <= 1e-15 * (1 + np.abs(factor))).all():
            break
        if (fresh > 600).any():
            raise TooBusyError
        factor = np.where(np.abs(off) <= 2e-15, factor, fresh)
    return p, factor
