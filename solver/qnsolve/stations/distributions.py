"""Distributions of waiting and response times, by the probability that a time is exceeded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, expm1, inf, lgamma, log

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Geometric, weights

FAR = 39.0  # standard deviations beyond which a Poisson or normal probability is below 1e-300
SMOOTH = 1e5  # shape from which Wilson and Hilferty's normal form of a gamma variable serves


class Tail(ABC):
    """A time T by P(T > t).

    Attributes
    ----------
    scale : float
        Some time of T's size, where the search for a percentile begins [time].
    note : str
        Empty where the distribution is exact, else what it is and how far off.
    """

    scale: float
    note: str

    @abstractmethod
    def exceeds(self, time: float) -> float:
        """P(T > time), relative error below 1e-10, for a time of 0 or more."""

    def percentile(self, share: float) -> float:
        """The smallest time that T exceeds with probability 1 − share, at most."""
        target = 1.0 - share
        if self.exceeds(0.0) <= target:
            return 0.0
        low = high = self.scale
        while self.exceeds(high) > target:
            low, high = high, 2 * high
        while self.exceeds(low) <= target:
            low, high = low / 2, low
        return narrowed(lambda time: self.exceeds(time) > target, low, high)[1]


@dataclass(frozen=True)
class Delayed(Tail):
    """T is 0, or with the given probability exponential: the waiting time in M/M/c."""

    probability: float
    scale: float
    note: str = ""

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        return self.probability * exp(-time / self.scale)

    def percentile(self, share: float) -> float:
        """Closed form of the inverse."""
        return max(0.0, self.scale * log(self.probability / (1 - share))) if self.probability else 0.0


@dataclass(frozen=True)
class Followed(Tail):
    """Exponential service after `Delayed`: the response time in M/M/c.

    P(T > t) = e^(−μt) + p·μt·e^(−min(μ, θ)t)·(1 − e^(−x))/x with x = |θ − μ|·t, for waiting at
    rate θ and service at μ: positive terms, also where the rates are equal.
    """

    probability: float
    waits: float
    scale: float
    note: str = ""

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        served, waited = time / self.scale, time / self.waits if self.waits else inf
        if waited == inf:
            return exp(-served)
        apart = abs(waited - served)
        merged = -expm1(-apart) / apart if apart else 1.0
        return exp(-served) + self.probability * served * exp(-min(served, waited)) * merged


@dataclass(frozen=True)
class Steps(Tail):
    """T ends after a random number of steps, which come at a constant rate.

    Parameters
    ----------
    found : ndarray (J,)
        P(j jobs wait ahead, all servers busy); the rest of the arrivals is served at once.
    servers : int
        m.
    scale : float
        Mean service time; the m busy servers complete at the rate m/scale.
    with_service : bool
        Whether T includes the job's own service.

    Notes
    -----
    The waiting time of a job behind j others takes j + 1 completions. Its own service ends at each
    later one with probability 1/m (uniformization), so that P(T > t) is a sum of Poisson
    probabilities times P(steps > n): positive terms only.
    """

    found: Array
    servers: int
    scale: float
    with_service: bool
    note: str = ""

    @cached_property
    def lasts(self) -> Array:
        """P(steps > n)."""
        queued = np.cumsum(self.found[::-1])[::-1]
        waits = float(queued[0]) if len(queued) else 0.0
        if not self.with_service:
            return queued if len(queued) else np.zeros(1)
        entering = np.concatenate(([1.0 - waits], self.found))
        return np.append(queued, 0.0) + Geometric(1 - 1 / self.servers, len(entering))(entering)

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        steps = time / self.scale * self.servers
        ratio = 1 - 1 / self.servers if self.with_service else 0.0
        last = len(self.lasts) - 1
        if steps - FAR * steps**0.5 > last + 1:  # only the geometric end is left
            return float(self.lasts[-1]) * exp(-steps * (1 - ratio) - last * log(ratio)) if ratio else 0.0
        first, p = poisson_window(steps)
        known = self.lasts[first : first + len(p)]
        reached = float(p[: len(known)] @ known)
        if ratio and len(p) > len(known):
            beyond = np.arange(max(first, last + 1) - last, first + len(p) - last)
            reached += float(self.lasts[-1]) * float(p[len(known) :] @ ratio**beyond)
        return reached


@dataclass(frozen=True)
class Shifted(Tail):
    """A constant time, then another: the response to constant service."""

    constant: float
    rest: Tail
    scale: float = field(init=False)
    note: str = field(init=False)

    def __post_init__(self) -> None:
        checks.assign(self, scale=self.constant, note=self.rest.note)

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        return 1.0 if time < self.constant else self.rest.exceeds(time - self.constant)

    def percentile(self, share: float) -> float:
        """The other's percentile, later."""
        return self.constant + self.rest.percentile(share)


@dataclass(frozen=True)
class Gamma(Tail):
    """T is 0, or with the given probability gamma distributed with that mean and squared variation."""

    probability: float
    scale: float
    variation: float
    note: str = ""

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        if time == 0 or self.scale == 0:
            return self.probability if time < self.scale else 0.0
        if self.variation == 0:
            return self.probability if time < self.scale else 0.0
        return self.probability * gamma_exceeds(1 / self.variation, time / self.scale / self.variation)


def gamma_exceeds(shape: float, x: float) -> float:
    """P(X > x) of a gamma variable of scale 1: the upper incomplete gamma function over the complete one.

    Examples
    --------
    >>> round(gamma_exceeds(2.0, 3.0), 12) == round(4 * exp(-3.0), 12)
    True
    """
    if x == 0:
        return 1.0
    if shape > SMOOTH:  # Wilson and Hilferty
        from statistics import NormalDist

        return NormalDist().cdf(-((x / shape) ** (1 / 3) - 1 + 1 / (9 * shape)) * 3 * shape**0.5)
    front = shape * log(x) - x - lgamma(shape)
    if x < shape + 1:
        term = total = 1 / shape
        n = shape
        while term > 1e-17 * total:
            n += 1
            term *= x / n
            total += term
        return max(0.0, -expm1(front + log(total)))
    b = x + 1 - shape  # Lentz's continued fraction
    c, d = inf, 1 / b
    fraction, n = d, 0
    while True:
        n += 1
        step, b = n * (shape - n), b + 2
        c, d = b + step / c, 1 / (b + step * d)
        fraction *= c * d
        if abs(c * d - 1) < 4e-16:
            return exp(front) * fraction


def poisson_window(mean: float) -> tuple[int, Array]:
    """First index and probabilities of all Poisson outcomes above 1e-300, relative error 1e-14."""
    if mean < 1e-290:
        return 0, np.ones(1)
    reach = FAR * mean**0.5
    first, last = max(0, int(mean - reach - 40)), int(mean + reach + 240)
    p = weights(mean / np.arange(first + 1.0, last + 1.0))
    p /= p.sum()
    return first, p


def share_of(item: str, share: object) -> float:
    """A share for a percentile: above 0 and below 1."""
    value = checks.number(item, share)
    if not 0 < value < 1:
        raise ModelError(item, "must lie between 0 and 1", "write 0.95 for the 95th percentile", share)
    return value
