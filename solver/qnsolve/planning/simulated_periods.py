"""A study held against simulation: points beside its curves, and the month that simulation itself gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from qnsolve.zos.simulate.verification import verify
from qnsolve.zos.solve_system import System

from .load_points import LoadPoints
from .loads.load_path import DatedLoad
from .loads.months import label, month_of
from .study import Study
from .study_figures import Period, Simulated, held_at_first

PRECISION = 0.02  # half width of 95 % of the points [ratio]
FINE = 0.01  # of those that decide
MOST = 8  # months that are simulated to find the one that decides
MOST_JOBS = 4_000_000  # transactions of one simulation


def simulated(study: Study, *, seed: int = 1, progress: Callable[[int, int], None] | None = None) -> Study:
    """The study with simulated response times, and with the last month that holds by simulation.

    Parameters
    ----------
    study : Study
    seed : int, default 1
    progress : callable, optional
        Gets how many loads are simulated and how many there are at most.

    Returns
    -------
    Study
        Response times of the first period, of the last that holds and of the next have points beside them. Where a target
        ends it, the months around the model's date are simulated until one holds and the next does not; `verdict` has both.

    Raises
    ------
    ModelError
    """
    simulations = _Simulations(study, seed, progress)
    if study.verdict.kind == "target":
        study = _decided(study, simulations)
    periods = list(study.periods)
    for place in _chosen(study):
        times = simulations.at(periods[place].factors, PRECISION)
        work = tuple(replace(each, simulated=times.get(each.name)) for each in periods[place].work)
        periods[place] = replace(periods[place], work=work)
    return replace(study, periods=tuple(periods))


class _Simulations:
    """Simulated response times by load, each load once at its best precision."""

    def __init__(self, study: Study, seed: int, progress: Callable[[int, int], None] | None) -> None:
        self.study, self.seed, self.progress = study, seed, progress
        self.points = LoadPoints(study.system, {})
        self._known: dict[tuple[float, ...], tuple[float, dict[str, Simulated]]] = {}

    def at(self, factors: dict[str, float], precision: float) -> dict[str, Simulated]:
        """Response times by work; without those of a system that does not keep up."""
        key = tuple(factors.values())
        known = self._known.get(key)
        if known is None or known[0] > precision:
            if self.progress is not None:
                self.progress(len(self._known) + 1, MOST + 3)
            system = self.points.at_factors(np.array([factors[name] for name in self.points.names]))
            known = self._known[key] = (precision, _times(system, precision, self.seed))
        return known[1]

    def holds(self, load: DatedLoad) -> bool:
        """Whether all targets are met."""
        factors = {name: float(factor) for name, factor in zip(self.points.names, load.factors, strict=True)}
        times = self.at(factors, FINE)
        targets = self.study.asked.targets
        return all(name in times and times[name].response_time <= most for name, most in targets.items())


def _decided(study: Study, simulations: _Simulations) -> Study:
    """The study with the last month that holds by simulation."""
    begin = month_of("from", study.asked.begin)
    end = month_of("first missed", study.verdict.first_missed[:7])
    path = study.path
    loads = path.between(begin, end)
    place = len(loads) - 1
    tried: dict[int, bool] = {}

    def holds(at: int) -> bool:
        if at not in tried:
            while at >= len(loads):
                loads.extend(path.loads(loads[-1].month + 1))
            tried[at] = simulations.holds(loads[at])
        return tried[at]

    while len(tried) < MOST:
        if holds(place):
            place += 1
        elif place == 0 or holds(place - 1):
            break
        else:
            place -= 1
    else:
        return study
    failing = loads[place]
    until = str(failing.month - 1) if place and failing.month > begin else ""
    missed = failing.day or str(failing.month)
    modelled = study.verdict.holds_until
    found = replace(study.verdict, holds_until=until, first_missed=missed, simulated=True, modelled_until=modelled)
    periods = [_moved(each, study.verdict.first_missed[:7], str(failing.month)) for each in study.periods]
    good = [each.name for each in held_at_first(periods)]
    beyond = failing.month > month_of("until", study.asked.until)
    following = periods[len(good)].name if len(good) < len(periods) else label(failing.month, study.asked.by)
    found = replace(found, last_good=good[-1] if good else "", next_period=following, beyond=bool(beyond))
    last = simulations.points.at_factors(loads[place - 1].factors) if place else None
    following_model = simulations.points.at_factors(failing.factors)
    return replace(study, verdict=found, periods=tuple(periods), last=last, next=following_model)


def _moved(period: Period, modelled: str, simulated_month: str) -> Period:
    """A period between the model's date and that of simulation, with what simulation says of it."""
    if simulated_month <= period.month < modelled:
        return replace(period, holds=False, reason="misses a target by simulation")
    if modelled <= period.month < simulated_month and period.solved:
        return replace(period, holds=True, reason="")
    return period


def _chosen(study: Study) -> Iterator[int]:
    """Places of the periods that are simulated: those that have a response time."""
    end = len(held_at_first(study.periods))
    for place in dict.fromkeys((0, max(end - 1, 0), end)):
        if place < len(study.periods) and study.periods[place].solved:
            yield place


def _times(system: System, precision: float, seed: int) -> dict[str, Simulated]:
    found = verify(system, precision=precision, seed=seed, jobs=MOST_JOBS)
    if found.stopped in ("stuck", "too many"):
        return {}
    return {
        row["name"]: Simulated(row["simulated"], row["half_width"]) for row in found.figures if row["figure"] == "response time"
    }
