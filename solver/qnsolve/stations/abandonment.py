"""Abandonment: M/M/c+M, Erlang-A."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, inf, log

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS
from qnsolve.numerics.series import Array, weights

from .distributions import Tail
from .form import StationForm, inputs

MOST_STATES = 10**7
SHARP = 39.0
PIECES = 64


def erlang_a(arrival_rate: float, service_time: float, servers: int, patience: float) -> StationForm:
    """M/M/c+M, Erlang-A: jobs that wait leave unserved after a random, exponential patience.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ [jobs/time], also above the capacity of the servers, and S [time].
    servers : int
        m [count], 1 to 1,000,000.
    patience : float
        Mean time after which a waiting job leaves [time].

    Returns
    -------
    StationForm
        Exact. throughput, waiting_time, response_time and both distributions are those of the jobs served;
        queue_length counts all jobs, so it exceeds throughput times response by the jobs that leave.
        probability_wait is the share of all arrivals that finds the servers busy, probability_abandoned
        the share that leaves.

    Raises
    ------
    ModelError
        Also where the patience is so long that the queue needs more than 10,000,000 states.

    Notes
    -----
    A birth-death chain, summed outward from its peak. A job behind k others is served with probability
    μ*/(μ* + (k + 1)/patience), μ* = m/S, and then has waited Σ_(i≤k+1) 1/(μ* + i/patience). The waiting
    time that patience would need has the density e^(−∫(μ* − λe^(−u/patience))du) up to a factor, integrated
    numerically in pieces of its own width.

    References
    ----------
    [Baccelli1981], [Mandelbaum2007].

    Examples
    --------
    >>> form = erlang_a(10.0, 1.0, 10, 2.0)
    >>> round(form.probability_abandoned, 4), round(form.probability_wait, 4)
    (0.1039, 0.6197)
    """
    rate, service = inputs("M/M/c+M", arrival_rate, service_time)
    m = checks.whole("M/M/c+M: servers", servers, least=1, most=MOST_SERVERS)
    mean = checks.number("M/M/c+M: patience", patience, positive=True)
    load, leaving = rate * service, service / mean  # in service times
    if rate == 0:
        return StationForm(
            0.0,
            0.0,
            0.0,
            0.0,
            service,
            0.0,
            waiting=_Offered(0.0, m, leaving, service, 0.0, False),
            response=_Offered(0.0, m, leaving, service, 0.0, True),
        )
    room = _room(load, m, leaving)
    deaths = np.concatenate((np.arange(1.0, m + 1), m + leaving * np.arange(1.0, room + 1)))
    p = weights(load / deaths)
    p /= p.sum()
    queue = p[m:]
    k = np.arange(len(queue), dtype=np.float64)
    waits = float(queue.sum())
    waiting = float(queue @ k)
    served = queue * (m / (m + (k + 1) * leaving))  # arrivals that find k ahead and wait long enough
    share = float(p[:m].sum() + served.sum())
    waited = float(served @ np.cumsum(1 / (m + (k + 1) * leaving))) / share * service
    delayed = float(served.sum()) / share
    busy = float(p[:m] @ np.arange(m)) + m * waits
    tails = [_Offered(load, m, leaving, service, delayed, also) for also in (False, True)]
    return StationForm(
        rate * share,
        busy / m,
        busy + waiting,
        waited,
        service + waited,
        waits,
        probability_abandoned=leaving * waiting / load,
        waiting=tails[0],
        response=tails[1],
    )


def _room(load: float, m: int, leaving: float) -> int:
    """Length of the queue beyond which the probability is negligible."""
    crest = max(0.0, (load - m) / leaving)
    spread = SHARP * (max(load, m) / leaving) ** 0.5
    decay = 700 / log(m / load) if load < m and log(m / load) > 0 else inf
    need = crest + min(spread + 300, decay) + 10
    if not need < MOST_STATES:
        rule = f"must be shorter: the queue would need {need:.3g} states, more than {MOST_STATES}"
        raise ModelError("M/M/c+M: patience", rule, "take mmc where the servers keep up, or mmck")
    return int(need)


@dataclass(frozen=True)
class _Offered(Tail):
    """The waiting or response time of the served jobs in Erlang-A, times in units of the service time inside."""

    load: float
    servers: int
    leaving: float
    scale: float
    delayed: float
    with_service: bool
    note: str = ""

    def exceeds(self, time: float) -> float:
        """P(T > time)."""
        t = time / self.scale
        if self.delayed == 0:
            return exp(-t) if self.with_service else 0.0
        peak, width = self._shape()
        if not self.with_service:
            return self.delayed * self._integral(t, inf, peak, width, 0.0) / self._integral(0.0, inf, peak, width, 0.0)
        whole = self._integral(0.0, inf, peak, width, 0.0)
        later = self._integral(t, inf, peak, width, 0.0)
        during = self._integral(0.0, t, peak, width, t) if t else 0.0
        return (1 - self.delayed) * exp(-t) + self.delayed * (later + during) / whole

    def _log(self, u: Array | float) -> Array:
        """Logarithm of the density of the served jobs' waiting, up to a constant."""
        u = np.asarray(u, dtype=np.float64)
        return -self.load * np.expm1(-self.leaving * u) / self.leaving - (self.servers + self.leaving) * u

    def _shape(self) -> tuple[float, float]:
        """Where that density peaks, and a length within which it changes."""
        crest = self.load / (self.servers + self.leaving)
        peak = log(crest) / self.leaving if crest > 1 else 0.0
        slope = self.servers + self.leaving - self.load if crest <= 1 else 0.0
        curve = self.leaving * self.load * exp(-self.leaving * peak)
        return peak, 1 / max(slope, curve**0.5)

    def _integral(self, low: float, high: float, peak: float, width: float, until: float) -> float:
        """∫ of the density relative to its peak; with `until`, times P(service > until − u)."""
        reach = SHARP * width + 720 * width
        low_end, high_end = max(low, peak - SHARP * 2 * width), min(high, max(low, peak) + reach)
        if until:
            low_end = low
        if not low_end < high_end:
            return 0.0
        best = float(self._log(peak))
        marks = [peak + s * width * g for g in np.geomspace(0.25, 800, PIECES) for s in (-1, 1)]
        if until:
            marks += [high - g for g in np.geomspace(0.01, 800, 40)]
        edges = np.array(sorted({low_end, high_end, *(x for x in [peak, *marks] if low_end < x < high_end)}))
        points, weighing = _gauss()
        half = np.diff(edges)[:, None] / 2
        u = edges[:-1, None] + half * (points + 1)
        logs = self._log(u) - best
        if until:
            logs = logs - (until - u)
        return float(((half * weighing) * np.exp(logs)).sum())


@cache
def _gauss() -> tuple[Array, Array]:
    """Gauss's points and weights on −1 … 1; made when needed, as their polynomials take long to import."""
    points, weighing = np.polynomial.legendre.leggauss(20)
    return points, weighing
