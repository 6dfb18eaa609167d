"""A compiled system, simulated event by event until its figures are precise."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from qnsolve.numerics.series import Array
from qnsolve.simulation.event_run import EventRun, Totals
from qnsolve.simulation.precision import CHECKED, DRIFT, Batched, Estimate, Progress, estimate
from qnsolve.zos.compile.compiled import Compiled

from .event_programs import Queues, programs_of

FIRST_BATCH = 250  # transactions in each of the first batches
FEWEST = 300  # transactions of each work before a run is long enough
THINKS = 4.0  # think times in the warm-up where users wait long


@dataclass(frozen=True, eq=False)
class SimulatedSystem:
    """The figures of a simulated system, with half widths of 95 %.

    Attributes
    ----------
    stopped : {"precise", "most transactions", "stuck", "too many"}
        Why it ended: all is within the precision; the most transactions were simulated; no
        transaction ends any more, as every task waits for another; more transactions are inside than can be held.
    seed, transactions, events : int
        All of the run, the warm-up included.
    duration : float
        Simulated time after the warm-up [s].
    batches : Totals
        What was counted after the warm-up, one row a batch; sources are the works and then the rows
        of fixed CPU, pools and tasks those of the form.
    queues : Queues
    works : int
    """

    stopped: str
    seed: int
    transactions: int
    events: int
    duration: float
    batches: Totals
    queues: Queues
    works: int

    def throughput(self, work: int) -> Estimate:
        """Transactions that end [1/s]."""
        return estimate(self.batches.done[:, work], self.batches.time)

    def response(self, work: int) -> Estimate:
        """Response time [s]."""
        return estimate(self.batches.response[:, work], self.batches.done[:, work])

    def arrivals(self, work: int) -> Estimate:
        """Transactions that begin [1/s]."""
        return estimate(self.batches.arrived[:, work], self.batches.time)

    def busy(self, host: int) -> Estimate:
        """CPs at work [engines]."""
        return self._busy((self.queues.host == host) & (self.queues.rank > 0))

    def ziip_busy(self, host: int) -> Estimate:
        """ZIIP work done [cores of one thread]."""
        return self._busy((self.queues.host == host) & (self.queues.rank == 0))

    def _busy(self, queues: Array) -> Estimate:
        return estimate(self.batches.busy[:, queues].sum(axis=1), self.batches.time)

    def held(self, pool: int) -> Estimate:
        """Places of a pool that are held."""
        return estimate(self.batches.held[:, pool], self.batches.time)

    def waiting(self, pool: int) -> Estimate:
        """Tasks that wait for a place of a pool."""
        return estimate(self.batches.line[:, pool], self.batches.time)

    def delayed(self, pool: int) -> Estimate:
        """Share of the requests for a place that wait."""
        return estimate(self.batches.delayed[:, pool], self.batches.asked[:, pool])

    def task_time(self, task: int) -> Estimate:
        """Time of a task from its first wait to its end [s]."""
        return estimate(self.batches.task_time[:, task], self.batches.task_done[:, task])


def simulate_system(
    form: Compiled,
    *,
    stretch: Array | None = None,
    precision: float = 0.01,
    most_transactions: int = 5_000_000,
    seed: int = 1,
    progress: Progress | None = None,
) -> SimulatedSystem:
    """Simulate a compiled system until its figures are precise.

    Parameters
    ----------
    form : Compiled
    stretch : ndarray (H,), optional
        What multiplies each CPU time on the CPs of a host [ratio]; 1 over their speed where left out.
    precision : float, default 0.01
        Half width, over the figure, that the response time of every work and the throughput of
        every work of users must reach [ratio].
    most_transactions : int, default 5,000,000
        The run ends with so many, the warm-up included, precise or not [count].
    seed : int, default 1
    progress : callable, optional
        Is given transactions so far, the most, and the widest interval so far [ratio].

    Returns
    -------
    SimulatedSystem

    Notes
    -----
    Users begin thinking. Those in bursts end their thinking together, `burst` of them in the mean;
    each one thinks an exponential time all the same. The warm-up is the first quarter of the run, and where
    users wait long (longer than a twentieth of their think time) at least four think times.
    """
    programs, queues = programs_of(form, stretch)
    works = len(form.rate)
    run = EventRun(programs, seed)
    batched = Batched(run, min(FIRST_BATCH, max(most_transactions // CHECKED[0], 1)))
    stopped = ""
    while not stopped:
        if not batched.further():
            stopped = "too many" if run.full else "stuck"
        elif batched.finished >= most_transactions and batched.number % 4 == 0:
            stopped = "most transactions"
        if stopped or batched.number in CHECKED:
            found = _found(batched, run, stopped, seed, queues, works)
            widest = _widest(form, found, batched)
            if progress is not None:
                progress(batched.finished, most_transactions, widest)
            if not stopped and widest <= precision:
                stopped = "precise"
    return _found(batched, run, stopped, seed, queues, works)


def _found(batched: Batched[Totals], run: EventRun, stopped: str, seed: int, queues: Queues, works: int) -> SimulatedSystem:
    kept = batched.kept()
    return SimulatedSystem(stopped, seed, run.finished, run.events, float(kept.time.sum()), kept, queues, works)


def _widest(form: Compiled, found: SimulatedSystem, batched: Batched[Totals]) -> float:
    """The widest interval of the figures that must be precise; infinite where the run is too short in another way."""
    widest = 0.0
    for w in range(found.works):
        response, throughput = found.response(w), found.throughput(w)
        figures = [response, throughput] if form.users[w] else [response]
        if found.batches.done[:, w].sum() < FEWEST or any(abs(figure.drift) > DRIFT for figure in figures):
            return inf
        if form.users[w] and response.value > form.think[w] / 20 and batched.warm_time() < THINKS * form.think[w]:
            return inf
        widest = max(widest, *(figure.relative for figure in figures))
    return widest
