"""The others on the processors, given how many they are: how much a unit of work is slowed by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from qnsolve.numerics.series import Array

TINY = 1e-290
MOST = 600  # servers and pieces whose weights rise and fall in range


@dataclass(frozen=True)
class Company:
    """y others on the processors, y = 0 … top.

    Attributes
    ----------
    leave : ndarray (top + 1,)
        G(y - 1)/G(y): rate at which one of them ends over the rate at which they come, without slowing.
    ready : ndarray (top + 1,)
        Of them ready to run, in the mean.
    few : ndarray (top + 1, c)
        P(j ready), j below the processors.
    processors : float
    """

    leave: Array
    ready: Array
    few: Array
    processors: float

    def longer(self, units: float, spin: float) -> Array:
        """Time of theirs beside so many units of work over that alone; what spins, that share, is not slowed."""
        found: Array = spin + (1 - spin) * self.slow(units)
        return found

    def slow_on(self, engines: float) -> Array:
        """E max(1, ready/engines) on other engines, no more than the processors."""
        below = np.maximum(engines - np.arange(self.few.shape[1]), 0.0)
        found: Array = np.maximum(1.0, (self.ready + self.few @ below) / engines)
        return found

    def slow(self, units: float) -> Array:
        """E max(1, (ready + units)/processors) for so many units of work beside them, (top + 1,)."""
        below = np.maximum(self.processors - units - np.arange(self.few.shape[1]), 0.0)
        return np.maximum(1.0, (self.ready + units + self.few @ below) / self.processors)


def along(values: Array, points: Array) -> Array:
    """Values at 0, 1, 2, … read between and, beyond the last, straight on."""
    last = len(values) - 1
    inside = np.interp(points, np.arange(last + 1.0), values)
    if points.max(initial=0.0) <= last or last < 1:
        return inside
    back = min(last, 50)
    slope = (values[last] - values[last - back]) / back
    found: Array = np.where(points > last, values[last] + slope * (points - last), inside)
    return found


def company(queues: Sequence[tuple[float, int]], pieces: float, processors: float, top: int) -> Company:
    """The others as in the product form of queues and free pieces, each state weighted with the time it lasts.

    Parameters
    ----------
    queues : sequence of (load, servers)
        Groups of servers whose tasks wait for a server first.
    pieces : float
        Load of the work that waits for a processor only.
    """
    few = min(int(np.ceil(processors)), top + 1)
    tilt = 1 / max([load / min(servers, MOST) for load, servers in queues] + [pieces / MOST, 1e-12])
    weight = _poisson(pieces * tilt, top)
    part = np.zeros((top + 1, few))  # of the weight, with fewer ready than processors
    part[np.arange(few), np.arange(few)] = weight[:few]
    for load, servers in queues:
        if load <= 0:
            continue
        step = load * tilt
        count = min(servers, top + 1)
        terms = np.cumprod(np.append(1.0, step / np.arange(1.0, count + 1)))
        terms = np.where(terms < TINY, 0.0, terms)
        new_weight = np.convolve(weight, terms[:count])[: top + 1]
        new_part = np.zeros_like(part)
        for n in range(min(count, few)):
            new_part[n:, n:] += terms[n] * part[: top + 1 - n, : few - n]
        if servers <= top and terms[servers] > 0:  # from the first task that waits the terms are a geometric series
            start = np.append(np.zeros(servers), terms[servers] * weight[: top + 1 - servers])
            new_weight += _geometric(start, step / servers)
            if servers < few:
                begin = np.zeros_like(part)
                begin[servers:, servers:] = terms[servers] * part[: top + 1 - servers, : few - servers]
                new_part += _geometric(begin, step / servers)
        most = new_weight.max()
        weight, part = new_weight / most, new_part / most
    weight = np.maximum(weight, TINY)
    leave = np.append(0.0, weight[:-1] / weight[1:]) * tilt
    ready = (sum(load for load, _ in queues) + pieces) * leave
    return Company(leave, ready, part / weight[:, None], processors)


def _poisson(mean: float, top: int) -> Array:
    if mean <= 0:
        return np.eye(1, top + 1)[0]
    logs = np.concatenate(([0.0], np.cumsum(np.log(mean / np.arange(1, top + 1)))))
    found: Array = np.exp(np.maximum(logs - logs.max(), -650.0))
    return found


def _geometric(terms: Array, ratio: float) -> Array:
    """y(n) = terms(n) + ratio·y(n - 1), along the first axis."""
    band = np.ones((2, len(terms)), order="F")  # of the matrix that gives terms of y
    band[1] = -ratio
    found: Array = lapack.dtbtrs(band, terms.reshape(len(terms), -1), uplo="L", diag="U")[0]
    return found.reshape(terms.shape)
