"""What each figure of a system does to each work: every figure changed, the system solved again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any

from qnsolve.analysis.runs.points import Progress
from qnsolve.errors import ModelError, SaturatedError
from qnsolve.model import checks
from qnsolve.results.answer import Report
from qnsolve.results.digits import percent
from qnsolve.zos.report.system_result import SystemResult
from qnsolve.zos.solve_system import System, only_system

from .system_inputs import Figure, changed, figures

SENTENCES = 3  # for each work
MORE = ("rate", "users", "engines", "cores", "speed", "mxt", "regions", "stripes", "servers", "thread_limit", "processors")
LEAST = 1e-9  # relative change below which nothing is said


@dataclass(frozen=True)
class SystemEffect:
    """The effect of one figure on one work; nan where the changed system is saturated.

    Attributes
    ----------
    work, figure : str
    value, changed : float
        The figure as it is, and in the second solution.
    response_change, throughput_change : float
        Relative change in the second solution [ratio].
    """

    work: str
    figure: str
    value: float
    changed: float
    response_change: float
    throughput_change: float


@dataclass(frozen=True)
class SystemSensitivity(Report):
    """The effects of every figure on every work, the largest first.

    Attributes
    ----------
    heading, notes
        As for every report.
    effects : tuple of SystemEffect
    result : SystemResult
        Of the system as it is.
    """

    chooses_units = True

    effects: tuple[SystemEffect, ...]
    result: SystemResult

    def rows(self) -> list[dict[str, Any]]:
        """One row a work and figure."""
        return [asdict(effect) for effect in self.effects]

    def sentences(self) -> tuple[str, ...]:
        """The largest effects on each work."""
        found = []
        for work in self.result.work:
            own = [e for e in self.effects if e.work == work.name and abs(e.response_change) > LEAST]
            for effect in own[:SENTENCES]:
                way = "falls" if effect.response_change < 0 else "rises"
                moved = f"{effect.figure} {effect.value:.4g} to {effect.changed:.4g}"
                found.append(f"{moved}: response time of {work.name} {way} by {percent(100 * abs(effect.response_change))} %")
        return tuple(found)


def sensitivity(system: System, change: float = 0.1, *, progress: Progress | None = None) -> SystemSensitivity:
    """Each figure of a system changed by itself, and what that does to each work.

    Parameters
    ----------
    system : System
    change : float, default 0.1
        Relative change [ratio, between 0 and 1]: rates, engines and speeds more, times less. Whole numbers grow by as
        much, by one at least.
    progress : callable, optional
        Gets how many figures are changed and how many there are, after each.

    Returns
    -------
    SystemSensitivity
        Sorted by the size of the change of response time. Both solutions are of the same method, so that their
        difference is better known than either.
    """
    system = only_system(system)
    change = checks.number("sensitivity: change", change, positive=True)
    if change >= 1:
        raise ModelError("sensitivity: change", "must be below 1", "write 0.1 for ten per cent", change)
    base = system.solve()
    effects: list[SystemEffect] = []
    every = tuple(figures(system))
    for done, figure in enumerate(every):
        if progress is not None and done:
            progress(done, len(every))
        value = _moved(figure, change)
        try:
            other = changed(system, figure.name, int(value) if figure.whole else value).solve()
        except SaturatedError:
            other = None
        except ModelError:  # a figure at the end of its range
            continue
        for place, work in enumerate(base.work):
            response = throughput = nan
            if other is not None:
                response = other.work[place].response_time / work.response_time - 1
                throughput = other.work[place].etr / work.etr - 1
            effects.append(SystemEffect(work.name, figure.name, figure.value, value, response, throughput))
    effects.sort(key=lambda e: -abs(e.response_change) if not isnan(e.response_change) else -float("inf"))
    return SystemSensitivity(f"{system.name or 'system'}: sensitivity", (), tuple(effects), base)


def _moved(figure: Figure, change: float) -> float:
    more = any(part in MORE for part in figure.name.split("."))
    if figure.whole:
        return figure.value + max(round(change * figure.value), 1)
    return figure.value * (1 + change if more else 1 - change)
