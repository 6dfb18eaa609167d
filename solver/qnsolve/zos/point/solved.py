"""The equilibrium of a system, with the requests that became asynchronous."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.one_thread import one_thread
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Compiled, Converted, compiled
from qnsolve.zos.compile.needs import Needs, needs
from qnsolve.zos.equilibrium.around.surroundings import request_times, surroundings
from qnsolve.zos.equilibrium.settled_point import ROUNDS, operating_point
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.parts.system import SystemParts

from .small_system import small_system
from .utilization import center_loads

BEYOND = 1.05  # load of a center at an operating point from which on there is none
ALONE = 20  # rounds of the coupling facilities alone


@dataclass(frozen=True, eq=False)
class SolvedPoint:
    """An operating point.

    Attributes
    ----------
    work : Working
    converted : set of (facility, structure, LPAR)
        Requests that are asynchronous.
    exact : bool
        By the Markov chain of the system.
    queues : bool
        Whether anything waits; asymptotic bounds where not.
    """

    work: Working
    converted: Converted = frozenset()
    exact: bool = False
    queues: bool = True


def solved_point(system: SystemParts, factor: Array | float = 1.0, rounds: int = ROUNDS) -> SolvedPoint:
    """The operating point of a system.

    Parameters
    ----------
    system : SystemParts
    factor : float or ndarray (W,), default 1
        Rates and users of each work over those of the system [ratio].
    rounds : int, optional
        At most, of the iteration.

    Raises
    ------
    FullPoolError
        Work with a rate demands more than a center can do.

    Notes
    -----
    Requests whose synchronous time, waits included, passes their threshold become asynchronous and stay so;
    then everything is solved again.
    """
    with one_thread():
        return _solved(system, factor, rounds)


def _solved(system: SystemParts, factor: Array | float, rounds: int) -> SolvedPoint:
    form = scaled(compiled(system), factor)
    need = needs(form)
    if (exact := small_system(form, need)) is not None:
        return SolvedPoint(exact, exact=True)
    converted = converted_at_rest(form)
    while True:
        if converted:
            form = scaled(compiled(system, converted=converted), factor)
            need = needs(form)
        try:
            check_rates(form, need)
            work = operating_point(form, need, check_point, rounds)
        except FullPoolError:  # it may be so by waits for requests that are not synchronous at these rates
            if not convertible(form):
                raise
            more = _converted(_loaded(form), converted)
            if more == converted:
                raise
        else:
            more = _converted(work, converted)
            if more == converted:
                return SolvedPoint(work, converted)
        converted = more


def scaled(form: Compiled, factor: Array | float) -> Compiled:
    """The same system with so many times the rates and users, users in whole numbers."""
    times = np.broadcast_to(np.asarray(factor, dtype=float), form.rate.shape)
    if (times == 1).all():
        return form
    users = np.where(form.users > 0, np.maximum(np.round(form.users * times), 1.0), 0.0)
    return replace(form, rate=form.rate * times, users=users)


def check_rates(form: Compiled, need: Needs) -> None:
    """Whether work with a rate alone, without any wait, asks a center for more than it can do.

    Raises
    ------
    FullPoolError
    """
    _check(center_loads(form, need, demands(form, need, at_rest(form)), form.rate))


def check_point(work: Working) -> None:
    """The same at an operating point, where requests and overflow take more.

    Raises
    ------
    FullPoolError
    """
    _check(center_loads(work.form, work.need, work.ask, work.form.rate))
    name, load = max(center_loads(work.form, work.need, work.ask, work.rate), key=lambda item: item[1])
    if load > BEYOND:  # tasks that hold a place while others that they wait for need one of the same
        raise FullPoolError(name, load)


def _check(loads: object) -> None:
    name, load = max(loads, key=lambda item: item[1])  # type: ignore[call-overload]
    if load >= 1:
        raise FullPoolError(name, load)


def converted_at_rest(form: Compiled) -> Converted:
    """Requests whose synchronous time is past their threshold without any wait."""
    return _converted(Working.unloaded(form, needs(form), at_rest(form), np.ones_like(form.rate)), frozenset())


def convertible(form: Compiled) -> Converted:
    """Requests that have a threshold."""
    return frozenset(
        (place, structure.name, task.lpar)
        for task in form.layout.tasks
        for place, _, structure, _ in form.layout.requests(task)
        if structure.threshold is not None
    )


def _converted(work: Working, before: Converted) -> Converted:
    """Requests whose synchronous time is past their threshold, and those converted before."""
    times = request_times(work)
    thresholds = {
        (place, structure.name, task.lpar): structure.threshold
        for task in work.form.layout.tasks
        for place, _, structure, _ in work.form.layout.requests(task)
    }
    found = {key for key, most in thresholds.items() if most is not None and times.get(key, 0.0) > most}
    return before | frozenset(found)


def _loaded(form: Compiled) -> Working:
    """Where work with a rate comes at its rate, and nothing but coupling facilities is waited for."""
    work = Working.unloaded(form, needs(form), at_rest(form), form.rate)
    try:
        for _ in range(ALONE):
            work.around = surroundings(work)
    except FullPoolError:
        work.around.facility[:] = np.inf
    return work
