"""Arrivals in batches at several servers, exact."""

from __future__ import annotations

from qnsolve.model import checks

from .form import StationForm, inputs, stable

MOST = 100_000
HUGE = 1e200
GONE = 1e-18
MUCH = 1e-2


def batch_servers(
    arrival_rate: float, service_time: float, servers: int, batch_size: float, *, geometric: bool = False
) -> StationForm:
    """M^[X]/M/c: batches arrive in a Poisson process, exponential service, identical servers, one queue.

    Parameters
    ----------
    arrival_rate, service_time : float
        λ of jobs, not of batches [jobs/time], and S [time].
    servers : int
        m [count], 1 to 100,000.
    batch_size : float
        Jobs in a batch [jobs], 1 or more; a whole number unless `geometric`.
    geometric : bool, default False
        Batch sizes 1, 2, ... fall by a constant ratio and have the mean `batch_size`.

    Returns
    -------
    StationForm
        Exact. probability_wait is that of a job, which may wait for others of its own batch.

    Raises
    ------
    ModelError, SaturatedError

    Notes
    -----
    As many jobs pass upward between n and n + 1 jobs present as downward:
    p(n + 1)·min(n + 1, m)/S = Σ_i p(i)·(batches per time)·P(batch > n − i), positive terms only. The states
    below m suffice: Σ (m − n)·p(n) = m − λS fixes their sum, and the balance of n² gives the mean.

    References
    ----------
    [Chaudhry1983].

    Examples
    --------
    >>> round(batch_servers(0.5, 1.0, 1, 3).response_time, 12)
    4.0
    >>> round(batch_servers(3.0, 1.0, 4, 2).response_time, 4)
    1.9081
    """
    rate, service = inputs("M[X]/M/c", arrival_rate, service_time)
    m = checks.whole("M[X]/M/c: servers", servers, least=1, most=MOST)
    if geometric:
        size = checks.number("M[X]/M/c: batch_size", batch_size)
        checks.number("M[X]/M/c: batch_size, less 1", size - 1)
    else:
        size = checks.whole("M[X]/M/c: batch_size", batch_size, least=1)
    load = rate * service
    stable("M[X]/M/c", load / m, m / service)
    states = _States(load, m, size, geometric)
    for _ in range(m - 1):
        states.next()
    p = states.p[:m]
    total = sum((m - n) * q for n, q in enumerate(p)) / (m - load)
    ahead = (size - 1) if geometric else (size - 1) / 2  # of its own batch, before a job
    free = sum((m - n) * n * q for n, q in enumerate(p)) / total
    queue_length = (load * (ahead + 1) + free) / (m - load)
    queued = queue_length - load
    none = sum(q * states.within(m - n) for n, q in enumerate(p)) / total
    waits = 1.0 - none
    if queued < MUCH * load or waits < MUCH:
        queued, waits = _light(states, m)
    waiting = queued / rate if rate else 0.0
    response = service + waiting
    return StationForm(rate, load / m, load + queued, waiting, response, waits if rate else 0.0)


class _States:
    """The probabilities of 0, 1, … jobs, unnormalised, one more with each `next`."""

    def __init__(self, load: float, servers: int, size: float, geometric: bool) -> None:
        self.load, self.servers, self.size, self.geometric = load, servers, size, geometric
        self.p = [1.0]
        self.rising = 1.0  # Σ p(i)·P(batch > n − i)
        self.longer = 1 - 1 / size  # of a geometric batch, P(one more)

    def next(self) -> float:
        """The next state's probability."""
        n = len(self.p)
        q = self.rising * self.load / self.size / min(n, self.servers)
        self.p.append(q)
        if self.geometric:
            self.rising = self.rising * self.longer + q
        elif n < self.size:
            self.rising += q
        else:
            self.rising = sum(self.p[n + 1 - int(self.size) :])
        if self.rising > HUGE:
            self.rising /= HUGE
            self.p = [x / HUGE for x in self.p]
        return self.p[-1]

    def within(self, places: int) -> float:
        """P(a job is among the first `places` of its batch)."""
        return 1.0 - self.beyond(places)

    def beyond(self, places: int) -> float:
        """P(a job is not among the first `places` of its batch)."""
        return self.longer**places if self.geometric else max(0.0, self.size - places) / self.size


def _light(states: _States, m: int) -> tuple[float, float]:
    """Jobs waiting and the share of jobs that wait, summed directly where both are small."""
    while len(states.p) <= m:
        states.next()
    queued = 0.0
    while (term := (len(states.p) - m) * states.next()) > GONE * queued / len(states.p):
        queued += term
    whole = sum(states.p)
    queued = sum((n - m) * q for n, q in enumerate(states.p) if n > m) / whole
    waits = sum(q * (states.beyond(m - n) if n < m else 1.0) for n, q in enumerate(states.p)) / whole
    return queued, waits
