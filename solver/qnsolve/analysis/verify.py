"""Verification: every figure of a solution compared with a simulation of the same model."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.methods.arrays import from_network
from qnsolve.methods.job_process import job_process
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import Delay, Queue
from qnsolve.numerics.least_squares import student
from qnsolve.numerics.series import Array
from qnsolve.results.answer import Report
from qnsolve.results.solution import Solution
from qnsolve.simulation import ciw_check as peer
from qnsolve.simulation.counted_batches import Batches
from qnsolve.simulation.precision import Progress

BATCHES = 25
JOBS = 100_000
MOST = 2_000_000  # jobs of a simulation that goes on until it is precise
LEVEL = 0.95
WIDE = 0.1  # a half width beyond this share of the figure is too imprecise
RARE = 10  # expected delays at limits; with fewer the simulation may have had none
SIMULATORS = ("events", "ciw")


@dataclass(frozen=True)
class VerifiedFigure:
    """One figure, solved and simulated.

    Attributes
    ----------
    class_name, station, quantity : str
        "total" for a class in the whole network, and for all classes at a station.
    solved, simulated : float
    half_width : float
        Of the 95 % confidence interval of the simulated figure, in its unit.
    difference : float
        solved/simulated − 1.
    verdict : {"agrees", "differs", "too short"}
        "differs" where the solved figure lies outside a simultaneous 95 % interval of all figures
        together keep with 95 %; "too short" where it lies inside, and the half width is more than
        10 % of the figure.
    """

    class_name: str
    station: str
    quantity: str
    solved: float
    simulated: float
    half_width: float
    difference: float
    verdict: str


@dataclass(frozen=True)
class Verification(Report):
    """A solution beside a simulation of its model.

    Attributes
    ----------
    heading, notes
        As for every report.
    solution : Solution
    simulator : str
        "events", the package's own, or "ciw".
    jobs, seed : int
        Jobs finished, all classes together, and the seed.
    comparisons : tuple of VerifiedFigure
    """

    solution: Solution
    simulator: str
    jobs: int
    seed: int
    comparisons: tuple[VerifiedFigure, ...]

    @property
    def agrees(self) -> bool:
        """Whether no figure differs."""
        return all(c.verdict != "differs" for c in self.comparisons)

    def rows(self) -> list[dict[str, Any]]:
        """One row a figure."""
        return [
            {
                "class": c.class_name,
                "station": c.station,
                "quantity": c.quantity,
                "verdict": c.verdict,
                "solved": c.solved,
                "simulated": c.simulated,
                "half_width": c.half_width,
                "difference": c.difference,
            }
            for c in self.comparisons
        ]

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words."""
        count = {v: sum(c.verdict == v for c in self.comparisons) for v in ("agrees", "differs", "too short")}
        said = f"{count['agrees']} of {len(self.comparisons)} figures agree"
        if count["differs"]:
            worst = max((c for c in self.comparisons if c.verdict == "differs"), key=lambda c: abs(c.difference))
            said += f", {count['differs']} differ: most the {worst.quantity.replace('_', ' ')} of {worst.class_name} at "
            said += f"{worst.station}, {100 * worst.difference:+.2g} %"
        if count["too short"]:
            said += f"; for {count['too short']} the simulation is too short, take more jobs"
        return (said,)

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line; undefined numbers are None."""
        own = {"method": self.solution.method, "exact": self.solution.exact, "agrees": self.agrees}
        return {**super().as_dict(), **own, "simulator": self.simulator, "jobs": self.jobs, "seed": self.seed}


def verify(
    subject: Network | Solution,
    *,
    method: str = "auto",
    jobs: int | None = None,
    seed: int = 1,
    simulator: str = "events",
    precision: float | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Simulate a model and compare its solution with the simulated figures.

    Parameters
    ----------
    subject : Network or Solution
        A network is solved first.
    method : str, default "auto"
        How a network is solved, as for `solve`.
    jobs : int, optional
        Jobs that finish in the simulation, all classes together, after a warm-up of a tenth of them; 100,000 where
        left out. With a precision the most that finish, a quarter of them as the warm-up; 2,000,000 where left
        out [count].
    seed : int, default 1
        The same seed gives the same figures.
    simulator : {"events", "ciw"}, default "events"
        The package's own simulation, for every model; or Ciw, an independent program, ten times slower,
        for models without limits and load-dependent stations (extra `ciw`).
    precision : float, optional
        The simulation goes on until the response time of every class, and the throughput of every closed one, has a
        half width of 95 % below this share of itself [ratio]; "events" only.
    progress : callable, optional
        With a precision: is given jobs so far, the most, and the widest interval so far [ratio].

    Returns
    -------
    Verification

    Raises
    ------
    ModelError, SaturatedError, NoMethodError

    Notes
    -----
    Batch means of one long run in 25 batches (24 or 30 with a precision), with Student's t. Times that are not
    exponential are drawn from a gamma distribution (variation below 1) or a hyperexponential one with balanced means.
    Within a priority jobs are served first come first served.

    References
    ----------
    [Law2015].

    Examples
    --------
    >>> from qnsolve import ClosedClass, Queue
    >>> site = Network([Queue("cpu")], [ClosedClass("batch", population=2, think_time=1.0, demands={"cpu": 1.0})])
    >>> verify(site, jobs=10_000).agrees
    True
    """
    count = checks.whole("verify: jobs", (JOBS if precision is None else MOST) if jobs is None else jobs, least=1000)
    start = checks.whole("verify: seed", seed)
    checks.choice("verify: simulator", simulator, SIMULATORS)
    if precision is not None:
        precision = known_within(precision)
        if simulator != "events":
            raise ModelError("verify: precision", "is of simulator 'events'", "take it, or leave the precision out")
    solution = subject if isinstance(subject, Solution) else solve(only_network(subject), method=method)
    model = solution.model
    busy = sum(c.throughput for c in solution.classes)
    if busy == 0:
        raise ModelError("verify", "must have a class with jobs", "give a class a population or an arrival rate")
    for station in model.stations:
        if isinstance(station, Queue) and station.discipline != "ps" and station.servers != int(station.servers):
            rule = f"has {station.servers:g} servers under discipline {station.discipline!r}, which is not simulated"
            raise ModelError(f"verify: station {station.name!r}", rule, "compare with whole numbers of servers")
        if isinstance(station, Queue) and station.on is not None:
            rule = f"runs on the servers of {station.on!r}, which is not simulated"
            raise ModelError(f"verify: station {station.name!r}", rule, "compare with method 'markov' on a smaller model")
    process = job_process(from_network(model))
    if simulator == "events":
        from qnsolve.simulation.network_simulation import simulate, simulate_until  # compiled where numba is installed

        if precision is None:
            found = simulate(process, count, BATCHES, start)
        else:
            found = simulate_until(process, precision, count, start, progress)
            count = int(found.finished.sum())
    else:
        found = peer.simulate(process, count, BATCHES, start, throughput=busy)
    comparisons = _comparisons(solution, _estimates(solution, found))
    notes = [f"seed {start}; {found.events} events; {_law(process.variation, solution)}", *solution.notes]
    if np.isnan(found.work).any():
        notes.append("utilizations are not compared where service is shared or interrupted: Ciw does not report them")
    late = _correlated(found)
    if late > 0.5:
        notes.append("the intervals may be too narrow, because successive batches are correlated: take more jobs")
    heading = (
        f"{model.name or 'model'}: method {solution.method} beside {count} jobs simulated by "
        f"{'qnsolve' if simulator == 'events' else 'Ciw'}, times in {model.time_unit}"
    )
    return Verification(heading, tuple(notes), solution, simulator, count, start, comparisons)


def known_within(precision: float) -> float:
    """A precision, checked: a share of the figures between 0 and 1."""
    share = checks.number("verify: precision", precision, positive=True)
    if share >= 1:
        raise ModelError("verify: precision", "must be below 1", "write 0.01 for 1 %", precision)
    return share


def _law(variation: Array, solution: Solution) -> str:
    opened = any(isinstance(c, OpenClass) and not c.is_poisson for c in solution.model.classes)
    return "times of the variation given" if opened or (variation != 1).any() else "exponential times"


Estimate = tuple[str, str, str, float, Array, Array]  # class, station, quantity, solved value, numerators, denominators


def _estimates(solution: Solution, found: Batches) -> list[Estimate]:
    """Each figure with the numerators and denominators of its simulated ratio."""
    rows: list[Estimate] = []
    time, inside = found.duration, found.area.sum(axis=2) + found.waiting
    stations = solution.model.stations
    top = from_network(solution.model).top
    for r, c in enumerate(solution.classes):
        if c.throughput == 0:
            continue
        done = found.finished[:, r]
        rows.append((c.name, "total", "throughput", c.throughput, done, time))
        rows.append((c.name, "total", "response_time", c.response_time, inside[:, r], done))
        rows.append((c.name, "total", "queue_length", c.queue_length, inside[:, r], time))
        asked, late, waiting = found.asked[:, r], found.delayed[:, r], found.waiting[:, r]
        if late.sum() > 0 or c.fraction_delayed * asked.sum() > RARE:
            rows.append((c.name, "total", "number_outside", c.number_outside, waiting, time))
            rows.append((c.name, "total", "admission_wait", c.admission_wait, waiting, done))
            rows.append((c.name, "total", "fraction_delayed", c.fraction_delayed, late, asked))
            rows.append((c.name, "total", "delayed_wait", c.delayed_wait, waiting, late))
        for k, s in enumerate(stations):
            pair = solution[c.name, s.name]
            if pair.demand == 0:
                continue
            if not isinstance(s, Delay):
                rows.append((c.name, s.name, "utilization", pair.utilization, found.work[:, r, k] / top[k], time))
            rows.append((c.name, s.name, "queue_length", pair.queue_length, found.area[:, r, k], time))
            rows.append((c.name, s.name, "residence_time", pair.residence_time, found.area[:, r, k], done))
    for k, s in enumerate(stations):
        station = solution[s.name]
        if not isinstance(s, Delay):
            rows.append(("total", s.name, "utilization", station.utilization, found.work[:, :, k].sum(axis=1) / top[k], time))
        rows.append(("total", s.name, "queue_length", station.queue_length, found.area[:, :, k].sum(axis=1), time))
    return rows


def _comparisons(solution: Solution, estimates: list[Estimate]) -> tuple[VerifiedFigure, ...]:
    batches = len(estimates[0][-1]) if estimates else BATCHES
    together = student(1 - (1 - LEVEL) / 2 / max(len(estimates), 1), batches - 1)
    alone = student((1 + LEVEL) / 2, batches - 1)
    rows = []
    for class_name, station, quantity, solved, above, below in estimates:
        if np.isnan(above).any():  # not reported by the simulator
            continue
        simulated = float(above.sum() / below.sum()) if below.sum() > 0 else nan
        apart = above - simulated * below
        error = float(apart.std(ddof=1)) * sqrt(batches) / float(below.sum()) if below.sum() > 0 else inf
        off = abs(solved - simulated)
        inside = off <= together * error + 1e-9 * abs(simulated)
        verdict = "differs" if not inside else "too short" if alone * error > WIDE * abs(simulated) else "agrees"
        if not off < inf:
            verdict = "too short"
        difference = solved / simulated - 1 if simulated else (0.0 if solved == 0 else nan)
        rows.append(VerifiedFigure(class_name, station, quantity, solved, simulated, alone * error, difference, verdict))
    return tuple(rows)


def _correlated(found: Batches) -> float:
    """Correlation of the number inside between successive batches."""
    inside = (found.area.sum(axis=(1, 2)) + found.waiting.sum(axis=1)) / found.duration
    apart = inside - inside.mean()
    spread = float((apart**2).sum())
    return float((apart[1:] * apart[:-1]).sum()) / spread if spread > 1e-20 * float((inside**2).sum()) else 0.0
