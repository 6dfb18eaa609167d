"""A system solved at many loads, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qnsolve.analysis.runs.points import LongRun, Outcome
from qnsolve.errors import LawError
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest
from qnsolve.zos.point.capacity import ROUNDS
from qnsolve.zos.point.solved import SolvedPoint, solved_point
from qnsolve.zos.point.utilization import center_loads, fullest
from qnsolve.zos.report.equal_regions import declared_equal, of_group
from qnsolve.zos.report.reasons import centers
from qnsolve.zos.report.reporting import answer, split_of
from qnsolve.zos.report.system_result import SystemResult, figures_of, result_of
from qnsolve.zos.solve_system import System

from .plain_loads import PlainLoads

ASTRAY = 1.002  # load of an overloaded center up to which the solution is tried once more with few rounds


@dataclass(frozen=True, eq=False)
class LoadPoint:
    """A system at one load, as plain data: it goes to other processes and into journals.

    Attributes
    ----------
    factors : ndarray (W,)
    system : System
        At that load.
    figures : dict
        What was solved; nothing where a center is saturated.
    full : str
        The center that is saturated, "" where none is.
    overload : float
        What it is asked for over what it can do [ratio]; 0 where none is.
    missed : tuple of str
        Work whose response time is above its target.
    """

    factors: Array
    system: System
    figures: dict[str, Any]
    full: str
    overload: float
    missed: tuple[str, ...]

    @property
    def solved(self) -> bool:
        """No center is saturated."""
        return bool(self.figures)

    @property
    def holds(self) -> bool:
        """Nothing is saturated and every target is met."""
        return self.solved and not self.missed

    @cached_property
    def result(self) -> SystemResult:
        """The answer; only of a point that is not saturated.

        Raises
        ------
        LawError
            Where it breaks an identity.
        """
        if "broken" in self.figures:
            raise LawError(self.figures["broken"])
        return result_of(self.system, self.figures["result"])

    def split(self, w: int) -> dict[str, float]:
        """Response time of a work by center, as the answer has it [s]."""
        return dict(self.figures["splits"][w])

    @cached_property
    def used(self) -> dict[str, float]:
        """The share that is used of each center [0..1]."""
        return dict(centers(self.result))

    @property
    def fullest(self) -> tuple[str, float]:
        """The center that the others wait for, and its use [0..1]."""
        name, used = self.figures["fullest"]
        return name, used

    @property
    def plain_loads(self) -> list[float]:
        """What is used of the centers that fill in proportion to the load at least [ratio]."""
        return list(self.figures["plain"])

    @cached_property
    def response(self) -> Array:
        """Response times (W,) [s]; nan where a center is saturated."""
        return np.array(self.figures["response"]) if self.solved else np.full(len(self.factors), np.nan)


class LoadPoints:
    """The solutions of a system at factors on its work.

    Parameters
    ----------
    system : System
    targets : mapping of work to float
        Response times that must be met [s].
    run : LongRun, optional
        Whose points they are.
    """

    def __init__(self, system: System, targets: Mapping[str, float], run: LongRun | None = None) -> None:
        self.system, self.run = system, LongRun() if run is None else run
        self.names = tuple(item.name for item in system.work)
        self.targets = {self.names.index(name): most for name, most in targets.items()}
        self._known: dict[bytes, LoadPoint] = {}
        self._ahead: dict[bytes, LoadPoint] = {}

    @cached_property
    def plain(self) -> PlainLoads:
        """What each center is asked for where nothing waits."""
        return PlainLoads(self._rest.form, self._rest.need, self._rest.ask)

    @cached_property
    def service(self) -> Array:
        """Response times where nothing waits (W,) [s]."""
        return self._rest.response

    @cached_property
    def weights(self) -> Array:
        """Shares of the work in the CPU of the system (W,)."""
        work = self._rest
        need = work.ask.on_cps + work.ask.ziip
        rate = np.maximum(work.rate, 1e-12)
        cpu = np.bincount(work.form.work, rate[work.form.work] * work.form.visits * np.maximum(need, 1e-12), len(rate))
        return np.asarray(cpu / cpu.sum())

    @cached_property
    def _rest(self) -> Working:
        form = compiled(self.system)
        need = needs(form)
        work = Working.unloaded(form, need, at_rest(form), form.rate)
        work.settle_rates()
        return work

    def lightest_split(self, w: int, other: LoadPoint) -> dict[str, float]:
        """Time by center of a work at the lightest load that was solved [s]; empty where that is `other`."""
        lightest = min(self.solved(), key=lambda each: float(self.weights @ each.factors))
        return {} if lightest is other else lightest.split(w)

    def at(self, factors: Array) -> LoadPoint:
        """The point at a load."""
        key = np.round(factors, 9).tobytes()
        if key not in self._known:
            if key not in self._ahead:
                self.ahead([factors])
            self._known[key] = self._ahead.pop(key)
        return self._known[key]

    def ahead(self, loads: Sequence[Array]) -> None:
        """Solve loads that will be asked for, in one batch; until then they are not known."""
        keys = {np.round(factors, 9).tobytes(): factors for factors in loads}
        new = {key: factors for key, factors in keys.items() if key not in self._known and key not in self._ahead}
        systems = [self.at_factors(factors) for factors in new.values()]
        for (key, factors), system, found in zip(new.items(), systems, self.run.points(_solved, systems), strict=True):
            figures = found.figures
            if "full" in figures:
                self._ahead[key] = LoadPoint(factors, system, {}, figures["full"], figures["load"], ())
                continue
            missed = tuple(self.names[w] for w, most in self.targets.items() if not figures["response"][w] <= most)
            self._ahead[key] = LoadPoint(factors, system, figures, "", 0.0, missed)

    def apart(self) -> LoadPoints:
        """The same points, for another process: what it solves more is not known here."""
        found = LoadPoints(self.system, {self.names[w]: most for w, most in self.targets.items()})
        found._known |= self._known
        return found

    @property
    def solutions(self) -> int:
        """How many loads were solved."""
        return len(self._known)

    def solved(self) -> list[LoadPoint]:
        """The points so far that have an answer."""
        return [each for each in self._known.values() if each.solved]

    def at_factors(self, factors: Array) -> System:
        """The system with that load."""
        work = []
        for item, factor in zip(self.system.work, factors.tolist(), strict=True):
            if item.rate is not None:
                work.append(item.changed(rate=item.rate * factor))
            else:
                work.append(item.changed(users=max(round((item.users or 0) * factor), 1)))
        return replace(self.system, work=tuple(work))

    def holds(self, factors: Array) -> bool | None:
        """Whether a load holds, as far as known loads that are heavier or lighter say it; None where they do not."""
        for known in self._known.values():
            if known.holds and (known.factors >= factors * (1 - 1e-9)).all():
                return True
            if not known.holds and (known.factors <= factors * (1 + 1e-9)).all():
                return False
        return None

    def saturated(self, factors: Array) -> LoadPoint | None:
        """A lighter load at which a center is full already, None where none is known."""
        return next((each for each in self._known.values() if not each.solved and (each.factors <= factors).all()), None)

    def grouped(self, center: str) -> str:
        """The name of a center, equal regions together."""
        return of_group(center, self.labels)

    @cached_property
    def labels(self) -> dict[str, str]:
        """The group of each region."""
        return declared_equal(self.system)


def _solved(system: System) -> Outcome[None]:
    """What a study needs of a system; of one that is saturated the center that is, and its load."""
    try:
        point = solved_point(system)
    except FullPoolError as error:
        again = _again(system) if error.load < ASTRAY else None
        if again is None:
            return Outcome({"full": error.name, "load": max(float(error.load), 1.0)})
        point = again
    work = point.work
    name, used = fullest(work)
    found: dict[str, Any] = {
        "response": work.response.tolist(),
        "plain": [float(load) for _, load in center_loads(work.form, work.need, work.ask, work.rate)],
        "fullest": [name, float(used)],
        "splits": [split_of(point, w) for w in range(len(system.work))],
    }
    try:
        return Outcome({**found, "result": figures_of(answer(point))})
    except LawError as error:  # it counts where the answer is shown
        return Outcome({**found, "broken": str(error)})


def _again(system: System) -> SolvedPoint | None:
    """The point by the few rounds that the headroom takes: rounds may go astray where a center is all but full."""
    try:
        return solved_point(system, rounds=ROUNDS)
    except FullPoolError:
        return None
