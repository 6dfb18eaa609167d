"""Poisson arrivals and constant service: M/D/1 and M/D/c, exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, log, log1p

import numpy as np
from numpy.typing import NDArray

from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS
from qnsolve.numerics.series import Array, Geometric

from .distributions import Shifted, Tail, poisson_window
from .form import StationForm, inputs, stable

LIGHT = 0.5  # decay of the random walk per step from which its series need no help
OUTWARD = (0.0, 0.5, 0.8)  # circles between the lowest point of the drift and τ
STEADY = 1e-4  # what a circle's largest term is multiplied by to bound those it gives to all digits
ENDED = 1e-14  # share of the largest coefficient below which a series has ended
NEVER = 600.0
LONGEST = 2**22


def md1(arrival_rate: float, service_time: float) -> StationForm:
    """M/D/1: `mdc` with one server.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].

    Returns
    -------
    StationForm
        Exact.

    Raises
    ------
    ModelError, SaturatedError

    Examples
    --------
    >>> round(md1(0.5, 1.0).response_time, 12)
    1.5
    """
    return mdc(arrival_rate, service_time, 1)


def mdc(arrival_rate: float, service_time: float, servers: int) -> StationForm:
    """M/D/c: Poisson arrivals, constant service, identical servers, one queue.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time] and S [time].
    servers : int
        m [count], 1 to 1,000,000.

    Returns
    -------
    StationForm
        Exact, with the distributions of waiting and response; relative error below 1e-10.

    Raises
    ------
    ModelError, SaturatedError

    Notes
    -----
    The number waiting at times S apart is a random walk with steps Poisson(λS) − m, held at 0
    (Crommelin). By Spitzer's identity its generating function is exp(Σ g_i·(zⁱ − 1)), the g_i being the
    positive coefficients of −ln(1 − e^(λS(z−1))·z^(−m)), found by a Fourier transform on a
    circle between the zeros of that function; near saturation the two zeros next to the circle
    are divided out first. The waiting time then follows by Franx's argument:
    P(W > t) = P(waiting + Poisson(λ(kS − t)) ≥ km) for (k − 1)S ≤ t < kS.

    References
    ----------
    [Crommelin1932], [Spitzer1956], [Franx2001].

    Examples
    --------
    >>> round(mdc(0.5, 1.0, 1).waiting_time, 12)
    0.5
    >>> round(mdc(1.6, 1.0, 2).waiting_percentile(0.95), 4)
    3.2018
    """
    rate, service = inputs("M/D/c", arrival_rate, service_time)
    m = checks.whole("M/D/c: servers", servers, least=1, most=MOST_SERVERS)
    load = rate * service
    stable("M/D/c", load / m, m / service)
    queue = Waiting(m, load) if load else None
    jobs = queue.mean if queue else 0.0
    waiting = jobs / rate if rate else 0.0
    tail = ConstantServiceWait(queue, service)
    waits, response = tail.exceeds(0.0), service + waiting
    return StationForm(rate, load / m, load + jobs, waiting, response, waits, waiting=tail, response=Shifted(service, tail))


class Waiting:
    """The number of jobs waiting in M/D/c.

    Attributes
    ----------
    mean : float
        Of the jobs waiting [jobs].
    known : ndarray (J,)
        P(at least j wait).
    decay : float
        ln τ: beyond the known ones each probability is 1/τ of the one before.
    """

    def __init__(self, servers: int, load: float) -> None:
        self.servers, self.load = servers, load
        self.rho, self.spare = load / servers, (servers - load) / servers
        away = self._zero()  # τ − 1
        self.decay = log1p(away)
        lowest = self.spare / self.rho  # 1/ρ − 1, where the drift is lowest
        self.depth = -servers * self._drift(lowest)  # −ln of the chance of a step beyond the servers, or nearly
        if self.depth > NEVER:
            self.mean, self.known = 0.0, np.array([1.0, 0.0])
        elif self.depth > LIGHT:
            self.mean, self.known = self._light(away, lowest)
        else:
            self.mean, self.known = self._heavy(away, lowest)

    def _light(self, away: float, lowest: float) -> tuple[float, Array]:
        """Mean and P(at least j): nothing divided out; circles of growing radius keep the digits of the tail."""
        mean, p = 0.0, np.zeros(0)
        for part in OUTWARD:
            span = (1 - part) * log1p(lowest) + part * self.decay
            g, size = self._coefficients(expm1(span), None)
            plain = g * np.exp(-np.arange(1.0, len(g) + 1) * span)
            mean = mean or float(np.arange(1, len(g) + 1) @ plain)
            series = np.zeros(size)
            series[1 : len(g) + 1] = g
            risen = np.fft.irfft(np.expm1(np.fft.rfft(series)), size)[: size // 2]
            risen[0] += 1
            peak = risen[1:].max(initial=0.0)
            keep = int(np.flatnonzero(risen >= STEADY * peak)[-1]) + 1
            shrunk = risen[:keep] * np.exp(-np.arange(keep) * span - plain.sum())
            p = np.concatenate((p, shrunk[len(p) :]))
        return mean, self._summed(p)

    def _heavy(self, away: float, lowest: float) -> tuple[float, Array]:
        """The same near saturation: a short series, then the geometric one of the zero at τ."""
        span = (1 - OUTWARD[-1]) * log1p(lowest) + OUTWARD[-1] * self.decay
        g, size = self._coefficients(expm1(span), away)
        i = np.arange(1.0, len(g) + 1)
        plain = g * np.exp(-i * span)
        series = np.zeros(size)
        series[1 : len(g) + 1] = g
        short = np.fft.irfft(np.exp(np.fft.rfft(series)), size)[: size // 2]
        short = short[: int(np.flatnonzero(np.abs(short) > ENDED * np.abs(short).max())[-1]) + 1]
        risen = Geometric(exp(span - self.decay), len(short))(short) * exp(-plain.sum()) * (away / (1 + away))
        return float(i @ plain) + 1 / away, self._summed(risen * np.exp(-np.arange(len(short)) * span))

    def _drift(self, v: float) -> float:
        return float(drift(np.array(v + 0j), self.rho, self.spare).real)

    def _zero(self) -> float:
        """τ − 1 for the zero τ beyond 1 of ρ(z − 1) = ln z: Newton's method from above."""
        v = 2 * self.spare / self.rho if self.rho > 0.5 else 4 / self.rho * (1 - log(self.rho))
        for _ in range(100):
            step = self._drift(v) / ((self.rho * v - self.spare) / (1 + v))
            v -= step
            if abs(step) < 1e-15 * v:
                break
        return v

    def _coefficients(self, beyond: float, away: float | None) -> tuple[Array, int]:
        """The positive coefficients of −ln(1 − w(z)), i-th times (1 + beyond)^i, and the length of the transform.

        With `away` = τ − 1 the zeros at 1 and τ are divided out.
        """
        size = 128
        while True:
            size *= 2
            angle = 2 * np.pi * np.arange(size // 2 + 1) / size
            u = beyond * np.cos(angle) - 2 * np.sin(angle / 2) ** 2 + 1j * (1 + beyond) * np.sin(angle)  # z − 1
            exponent = self.servers * drift(u, self.rho, self.spare)
            if away is None:
                values = -_log_rest(np.exp(exponent))
            else:
                values = np.log(u / (1 + u)) + np.log((away - u) / (1 + away)) - np.log(-np.expm1(exponent))
            g = np.fft.irfft(np.conj(values), size)
            most, middle = np.abs(g[1:]).max(), np.abs(g[size * 7 // 16 : size * 9 // 16]).max()
            if middle <= ENDED * (1 + self.depth) * most or size == LONGEST:
                break
        g = g[1 : size // 2]
        used = np.flatnonzero(np.abs(g) > ENDED * most)
        return g[: int(used[-1]) + 1 if len(used) and most > 0 else 0], size

    def _summed(self, p: Array) -> Array:
        ratio = exp(-self.decay)
        beyond = float(p[-1]) * ratio / -expm1(-self.decay)
        return np.cumsum(np.append(p, beyond)[::-1])[::-1]

    def at_least(self, jobs: Array) -> Array:
        """P(at least that many wait), for whole numbers in an array."""
        last = len(self.known) - 1
        out = self.known[np.clip(jobs, 0, last).astype(int)]
        return np.where(jobs <= 0, 1.0, out * np.exp(-self.decay * np.maximum(jobs - last, 0.0)))


@dataclass(frozen=True)
class ConstantServiceWait(Tail):
    """The waiting time in M/D/c, by the number waiting."""

    queue: Waiting | None
    service: float
    note: str = ""

    @cached_property
    def scale(self) -> float:  # type: ignore[override]
        """A service time, or the mean wait of those that wait."""
        return (
            self.service
            if self.queue is None
            else self.service * max(1 / self.queue.servers, self.queue.mean / self.queue.load)
        )

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        if self.queue is None:
            return 0.0
        turns = int(time / self.service)
        left = max(0.0, (turns + 1) * self.service - time)
        first, p = poisson_window(self.queue.load * left / self.service)
        short = np.asarray((turns + 1.0) * self.queue.servers - np.arange(first, first + len(p)), dtype=np.float64)
        return float(np.dot(p, self.queue.at_least(short)))


def drift(u: NDArray[np.complex128], rho: float, spare: float) -> NDArray[np.complex128]:
    """ρu − ln(1 + u), with 1 − ρ = spare, to full precision also for small u and spare.

    Examples
    --------
    >>> f"{drift(np.array(1e-8 + 0j), 1.0, 0.0).real:.12e}"
    '4.999999966667e-17'
    """
    near = np.abs(u) < 0.2
    s = np.where(near, u / (2 + u), 0.0)  # ln(1 + u) = 2 artanh s, u = 2s/(1 − s)
    squared = s * s
    series = np.zeros_like(s)
    for k in range(27, 1, -2):
        series = squared * (series + 2 / k)
    far = np.where(near, 1.0, u)
    return np.where(near, s * (u - series) - spare * u, rho * far - np.log(1 + far))


def _log_rest(w: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """ln(1 − w), to full precision also for tiny w."""
    x, y = w.real, w.imag
    return 0.5 * np.log1p(x * x + y * y - 2 * x) + 1j * np.arctan2(-y, 1 - x)
