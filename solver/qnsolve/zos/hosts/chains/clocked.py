"""Transactions that begin at the ticks of a clock: those of one tick come together, and leave less from tick to tick."""

from __future__ import annotations

from math import erfc, pi, sqrt

import numpy as np

from qnsolve.numerics.gi_g_waiting import by_arrivals
from qnsolve.numerics.series import Array

HIGHEST = 0.99999  # load of a center up to which what ticks leave has an end
SEVERAL = 2.0  # tasks a tick from which on what comes is as good as normal
SLOW, ENOUGH = 0.3, 5.0  # drift up to which a series is as good as the sum; deviations after which the sum ends
ZETA = -0.5825971579390107  # ζ(1/2)/√(2π)
FAR = 10.0  # standard deviations of a Poisson number that are counted


def in_ticks(response: Array, tick: Array) -> Array:
    """What a response time adds to the time from one transaction of a user to the next (W,) [s].

    With a tick: the whole ticks in it, in the mean, where it is exponential. Thinking goes on from the last of them.
    """
    if not tick.any():
        return response
    asked = np.divide(tick, response, out=np.zeros(len(tick)), where=response > 0)
    whole = tick / np.expm1(np.clip(asked, 1e-12, 700.0))
    return np.asarray(np.where(tick > 0, np.where(response > 0, whole, 0.0), response))


def beyond_ticks(added: Array, tick: Array) -> Array:
    """The response time that adds so much (W,) [s]: the inverse of `in_ticks`."""
    more = np.divide(tick, added, out=np.zeros(len(tick)), where=added > 0)
    return np.asarray(np.where((tick > 0) & (added > 0), tick / np.log1p(np.maximum(more, 1e-12)), added))


def mates_before(mates: float, free: float) -> float:
    """Tasks for whose end one of those that come together waits: a Poisson number of others with it.

    In the mean, with exponential times: the task that has `n` of its mates before it waits for n - free + 1 of them to
    leave. With one server that is half of them.
    """
    if free <= 1 or mates <= 0:
        return mates / 2
    top = int(mates + FAR * np.sqrt(mates) + FAR)
    n = np.arange(top + 1.0)
    chance = np.exp(n * np.log(mates) - mates - np.concatenate(([0.0], np.cumsum(np.log(n[1:])))))
    late = np.maximum(n - free + 1, 0.0)
    return float(chance @ (late * (late + 1) / 2 / (n + 1)))


def exactly_before(mates: float, free: float) -> float:
    """The same where as many come together each time, `mates` with one of them."""
    late = max(mates - free + 1, 0.0)
    return late * (late + 1) / 2 / (mates + 1)


def still_at_work(tick: float, mates: float, service: float) -> float:
    """Servers that tasks of earlier ticks keep at the next one, where there are servers for all of them [count]."""
    return mates / float(np.expm1(min(max(tick / service, 1e-9), 700.0)))


def left_at_ticks(busy: float, mates: float, varied: float) -> float:
    """Wait for what earlier ticks left, over that of as many tasks that come one by one, with 1/(1 - ρ) for all.

    What is left from tick to tick is a random walk that does not fall below 0: `mates` tasks come in the mean, a Poisson
    number, and mates/ρ could go; C² is `varied`. Its mean is Spitzer's sum for normal steps [Spitzer1956]; where
    few come at a tick the steps are not normal, and it is no more than the formula of Kraemer and Langenbach-Belz says of
    batches that come at regular times.
    """
    if busy <= 0 or mates <= 0:
        return 1.0
    busy = min(busy, HIGHEST)
    batch = (1 + varied) / mates
    regular = by_arrivals(busy, 1, 0.0, batch) * (1 + batch) / batch
    deviation = sqrt(mates * (1 + varied) / 2 * (1 + 1 / busy))
    walk = deviation * _highest(mates * (1 / busy - 1) / deviation) * 2 / (1 + varied) * (1 - busy) / busy
    return walk if mates >= SEVERAL else min(walk, regular)


def _highest(drift: float) -> float:
    """Mean of the highest point of a walk with normal steps of deviation 1 that falls by `drift` a step."""
    if drift < SLOW:
        return 1 / (2 * drift) + ZETA + drift / 4
    root = np.sqrt(np.arange(1.0, 2 + (ENOUGH / drift) ** 2))
    far = drift * root
    tail = np.array([erfc(x / sqrt(2)) / 2 for x in far])
    return float(((np.exp(-(far**2) / 2) / sqrt(2 * pi) - far * tail) / root).sum())
