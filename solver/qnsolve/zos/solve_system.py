"""The system that users build, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qnsolve.errors import ModelError, SaturatedError
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.parts.system import SystemParts
from qnsolve.zos.point.capacity import ROUNDS, Capacity, capacity
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.point.utilization import center_loads
from qnsolve.zos.point.without_queues import point_without_queues
from qnsolve.zos.report.reporting import answer
from qnsolve.zos.report.system_result import SystemResult

MOST_LOAD = 1e6  # that a message names
ALIKE = 0.01  # difference of two figures of one load: what an end is known to, and more


@dataclass(frozen=True)
class System(SystemParts):
    """LPARs, regions, the work in them, and what the work waits for.

    Parameters
    ----------
    lpars : sequence of Lpar
    regions : sequence of CicsRegion, ImsRegions
    work : sequence of Work
    coupling_facilities : sequence of CouplingFacility, optional
    loggers : sequence of Logger, optional
    devices : sequence of Device, optional
    name : str, optional

    Raises
    ------
    ModelError
        Where something contradicts: names the item, the value, the rule and the repair.

    Examples
    --------
    >>> from qnsolve import zos
    >>> system = zos.System(
    ...     lpars=[zos.Lpar("PROD", processors=8)],
    ...     regions=[zos.CicsRegion("AOR1", lpar="PROD", mxt=150)],
    ...     work=[zos.Work("inquiry", rate=1000, regions="AOR1", qr_cpu=0.0004)])
    >>> round(system.solve()["AOR1"].qr_percent, 1)
    40.0
    """

    def solve(self, method: str = "auto") -> SystemResult:
        """The system's answer, in the terms of RMF and CICS reports; systems have one method, "auto"."""
        if method != "auto":
            raise ModelError("method", "goes with networks, not with systems", "leave the method out", method)
        return solve(self)

    def bounds(self) -> SystemResult:
        """What is left of the answer when nothing queues: the utilization law, and what centers let through at most.

        Raises
        ------
        SaturatedError
            Work with a rate demands more than a center can serve.

        Notes
        -----
        Response times are those of service alone, or N/X - Z where users fill a center; bursts have no effect (Denning and
        Buzen, The operational analysis of queueing network models, ACM Computing Surveys 10, 1978). How far a solution is
        from them is what its queues say. For one work they are asymptotic bounds. Several works of users that fill a center
        give way in proportion: then no single work's figures are bounds, as others may give way more.

        Examples
        --------
        >>> from qnsolve import zos
        >>> system = zos.System(
        ...     lpars=[zos.Lpar("PROD", processors=8)],
        ...     regions=[zos.CicsRegion("AOR1", lpar="PROD", mxt=150)],
        ...     work=[zos.Work("inquiry", users=1000, think_time=0.3, regions="AOR1", qr_cpu=0.0004)])
        >>> found = system.bounds()["inquiry"]
        >>> round(found.etr, 9), round(found.response_time, 9)
        (2500.0, 0.1)
        """
        try:
            return answer(point_without_queues(self))
        except FullPoolError as error:
            raise saturated(self, error, _in_proportion(self, error)) from None


def only_system(model: object) -> System:
    """The model if it is a system; anything else is refused.

    Raises
    ------
    ModelError
    """
    if isinstance(model, System):
        return model
    raise ModelError("system", "must be a System", "load one with qnsolve.load(file)", model)


def solve(system: System, held: Callable[[], Capacity] | None = None) -> SystemResult:
    """The answer of a system, in the terms of RMF and CICS reports.

    Parameters
    ----------
    system : System
    held : callable, optional
        How many times its work it holds, where that is known from elsewhere.

    Returns
    -------
    SystemResult
        Each work says how far its response time may be off (`response_error`).

    Raises
    ------
    SaturatedError
        Work with a rate demands more than a center can serve; names the center, and the most that it holds.

    Notes
    -----
    The tasks at each TCB are one Markov chain with all other work on the CPs of the LPAR; each limit is a chain of
    the tasks in and before it. Both are repeated until they agree. A system of a few users, of TCBs, logs and devices
    only, is solved exactly, by the Markov chain of its network.
    """
    system = only_system(system)
    try:
        return answer(solved_point(system))
    except FullPoolError as error:
        most = held() if held else capacity(system)
        if most.factor <= 1:
            raise saturated(system, error, most) from None
    try:  # rounds that went astray: the point that the headroom rests on
        return answer(solved_point(system, rounds=ROUNDS))
    except FullPoolError as error:
        raise saturated(system, error, _in_proportion(system, error)) from None


def saturated(system: System, error: FullPoolError, held: Capacity) -> SaturatedError:
    """The error of a system that does not hold its work: the center, and the part of the work that it holds."""
    if held.factor <= 0:
        load = min(max(error.load, 1.0), MOST_LOAD)
        return SaturatedError(error.name, load, 0.0, "it is full without the work that grows: the center must grow")
    load = _asked(system, held)
    if error.name == held.center and abs(error.load / load - 1) < ALIKE:
        load = error.load  # to all its digits
    rates = [work.rate for work in system.work if work.rate is not None]
    users = any(work.rate is None for work in system.work)
    which = "all work, users too, must be" if users else "the work with a rate must come at"
    repair = f"{which} {100 * held.factor:.4g} % of it at most"
    repair += f", {held.factor * rates[0]:.6g}/s," if len(rates) == 1 else ""
    return SaturatedError(held.center, load, held.factor, f"{repair} or the center must grow")


def _asked(system: System, held: Capacity) -> float:
    """Load of the center that is full at a part of the work: in proportion to it, but for fixed CPU.

    The load by the times of tasks, which the rounds end with, is not that: they have all waits of a line without end.
    """
    still = _still(system, held.center)
    return min(still + (1 - still) / min(held.factor, 1.0), MOST_LOAD)


def _in_proportion(system: System, error: FullPoolError) -> Capacity:
    """The part of the work at which a center is just full."""
    still = _still(system, error.name)
    return Capacity(max(1 - still, 0.0) / (max(error.load, 1.0) - still) if error.load > still else 0.0, error.name)


def _still(system: System, center: str) -> float:
    """Load of a center without any work [ratio]."""
    form = compiled(system)
    need = needs(form)
    return dict(center_loads(form, need, demands(form, need, at_rest(form)), 0 * form.rate)).get(center, 0.0)
