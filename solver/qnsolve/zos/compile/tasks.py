"""A system taken apart: the tasks of each work in each region, and what one of them needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qnsolve.zos.parts.facilities import CouplingFacility, Structure
from qnsolve.zos.parts.processors import Lpar
from qnsolve.zos.parts.regions import Region
from qnsolve.zos.parts.system import SystemParts
from qnsolve.zos.parts.work import Step

Request = tuple[int, CouplingFacility, Structure, float]  # place of the facility, facility, structure, requests


@dataclass(frozen=True)
class Task:
    """One step of one work in one region.

    Attributes
    ----------
    work, region, lpar : int
        Their places in the system.
    step : Step
    visits : float
        Tasks of one transaction [per transaction].
    children : tuple of (int, float)
        The tasks that this one waits for, by their places, and how many of each [per task].
    """

    work: int
    region: int
    lpar: int
    step: Step
    visits: float
    children: tuple[tuple[int, float], ...]

    @property
    def rounds(self) -> int:
        """Times that all its pieces come, one round after another, each with an equal part of all times [count]."""
        return max(round(self.step.qr_dispatches or 1), 1)


@dataclass(frozen=True)
class Layout:
    """A system by places.

    Attributes
    ----------
    tasks : tuple of Task
        Children after the tasks that wait for them.
    structures : dict of name to (facility, structure)
    """

    system: SystemParts
    tasks: tuple[Task, ...]
    structures: dict[str, tuple[int, Structure]]

    def lpar_of(self, task: Task) -> Lpar:
        """The LPAR of a task."""
        return self.system.lpars[task.lpar]

    def region_of(self, task: Task) -> Region:
        """The region of a task."""
        return self.system.regions[task.region]

    def overflowed(self, task: Task) -> float:
        """CPU of its eligible work where that goes to CPs, the cost of overflow included, over that work [ratio]."""
        ziips, step = self.lpar_of(task).ziips, task.step
        eligible = step.ziip_share * (step.open_cpu + step.cpu + step.jvm_cpu)
        return 1 + ziips.overflow_cpu / eligible if ziips is not None and eligible > 0 else 1.0

    def requests(self, task: Task) -> Iterator[Request]:
        """What a task asks of coupling facilities: place, facility, structure, requests."""
        for name, count in (task.step.cf_requests or {}).items():
            if count:
                place, structure = self.structures[name]
                yield place, self.system.coupling_facilities[place], structure, count


def layout(system: SystemParts) -> Layout:
    """Take a system apart."""
    regions = {region.name: i for i, region in enumerate(system.regions)}
    lpars = {lpar.name: i for i, lpar in enumerate(system.lpars)}
    tasks: list[Task] = []
    for w, work in enumerate(system.work):
        callers: list[int] = []  # of the step before
        for step in work.steps:
            first = len(tasks)
            for i, name in enumerate(step.regions):
                place = regions[name]
                tasks.append(Task(w, place, lpars[system.regions[place].lpar], step, step.visits * step.share(i), ()))
            if step.called and callers:
                before = sum(tasks[i].visits for i in callers)
                calls = tuple((i, tasks[i].visits / before) for i in range(first, len(tasks)))
                for i in callers:
                    tasks[i] = _calling(tasks[i], calls)
            callers = list(range(first, len(tasks)))
    structures = {s.name: (i, s) for i, facility in enumerate(system.coupling_facilities) for s in facility.served()}
    return Layout(system, tuple(tasks), structures)


def _calling(task: Task, children: tuple[tuple[int, float], ...]) -> Task:
    return Task(task.work, task.region, task.lpar, task.step, task.visits, (*task.children, *children))
