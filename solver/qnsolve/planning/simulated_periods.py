"""Simulated response times beside those of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from qnsolve.zos.simulate.verification import verify
from qnsolve.zos.solve_system import System

from .load_points import LoadPoints
from .study import Study
from .study_figures import Period, Simulated

PRECISION = 0.02  # half width of 95 % [ratio]


def simulated(
    study: Study, *, precision: float = PRECISION, seed: int = 1, progress: Callable[[int, int], None] | None = None
) -> Study:
    """The study with simulated response times at the first period, the last that holds, and the first that does not.

    Parameters
    ----------
    study : Study
    precision : float, default 0.02
        Half width of 95 % of every simulated response time [ratio].
    seed : int, default 1
    progress : callable, optional
        Gets how many periods are simulated and how many there are.

    Raises
    ------
    ModelError
    """
    chosen = list(_chosen(study))
    points = LoadPoints(study.system, {})
    periods = list(study.periods)
    for done, place in enumerate(chosen):
        period = periods[place]
        factors = np.array([period.factors[name] for name in points.names])
        times = _times(points.at_factors(factors), precision, seed)
        work = tuple(replace(each, simulated=times.get(each.name)) for each in period.work)
        periods[place] = replace(period, work=work)
        if progress is not None:
            progress(done + 1, len(chosen))
    return replace(study, periods=tuple(periods))


def _chosen(study: Study) -> Iterator[int]:
    """Places of the periods that are simulated: those that have a response time."""
    end = next((place for place, each in enumerate(study.periods) if not each.holds), len(study.periods))
    for place in dict.fromkeys((0, max(end - 1, 0), end)):
        if place < len(study.periods) and study.periods[place].solved:
            yield place


def _times(system: System, precision: float, seed: int) -> dict[str, Simulated]:
    found = verify(system, precision=precision, seed=seed)
    return {
        row["name"]: Simulated(row["simulated"], row["half_width"]) for row in found.figures if row["figure"] == "response time"
    }


def agrees(period: Period) -> bool:
    """Whether the simulated response times say of the targets of a period what the model says."""
    known = [each for each in period.work if each.simulated is not None and each.target == each.target]
    return period.holds == all(each.simulated.response_time <= each.target for each in known if each.simulated is not None)
