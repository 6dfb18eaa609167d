"""Closed classes under the same limits merged into one, where they have too many states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qnsolve.errors import ConvergenceError
from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.methods.job_process import entry_requests
from qnsolve.methods.measures import Admission, Measures
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.numerics.series import Array

ROUNDS = 200
SETTLED = 1e-6  # change of a throughput, relative


def merge_classes(arrays: Arrays, groups: list[list[int]], solve: Callable[[Arrays], Measures]) -> Measures:
    """Measures of a network from those of one with merged classes.

    A merged class has the mean demands and the mean think time of its jobs. All its
    classes have the same admission wait and the same stretch at each station, so that
    X_r = N_r/(Z_r + W0 + Σ_k D_rk·s_k); the shares follow from these throughputs, by iteration.

    Parameters
    ----------
    groups : list of lists of int
        Classes; each class in one of them.
    solve : callable
        Arrays of the merged network to Measures.

    Raises
    ------
    ConvergenceError
    """
    x = arrays.population / (np.nan_to_num(arrays.think_time) + arrays.demand.sum(axis=1))
    x = np.where(arrays.closed, x, np.nan_to_num(arrays.arrival_rate))
    of = np.zeros(len(x), dtype=int)
    for g, group in enumerate(groups):
        of[group] = g
    part, before = 1.0, np.inf
    for round_ in range(1, ROUNDS + 1):
        small, demand = _small(arrays, groups, x)
        found = solve(small)
        if found.admission is None:
            raise ValueError("a network without limits")
        rate = np.where(found.throughput > 0, found.throughput, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            stretch = np.where(demand > 0, found.queue_length / (rate[:, None] * demand), 1.0)[of]
        wait = (found.admission.outside / rate)[of]
        cycle = np.nan_to_num(arrays.think_time) + wait + (arrays.demand * stretch).sum(axis=1)
        new = np.where(arrays.closed, arrays.population / np.where(cycle > 0, cycle, 1.0), x)
        moved = float((np.abs(new - x) / np.maximum(new, 1e-300)).max())
        if moved > 0.9 * before:  # oscillates
            part = max(part / 2, 1 / 16)
        x, before = np.where(x > 0, x, new) ** (1 - part) * new**part, moved
        if moved < SETTLED:
            return _apart(arrays, found, found.admission, new, stretch, wait, of, round_)
    raise ConvergenceError("method limits: the shares of merged classes did not converge", moved)


def _small(arrays: Arrays, groups: list[list[int]], x: Array) -> tuple[Arrays, Array]:
    """The network with one class for each group, and its demands."""
    model, classes = arrays.model, []
    demands = np.zeros((len(groups), arrays.demand.shape[1]))
    names = [s.name for s in model.stations]
    for g, group in enumerate(groups):
        own = model.classes[group[0]]
        share = x[group] / x[group].sum() if x[group].sum() > 0 else np.full(len(group), 1 / len(group))
        demands[g] = share @ arrays.demand[group]
        if isinstance(own, ClosedClass) and len(group) > 1:
            own = ClosedClass(
                own.name,
                population=int(arrays.population[group].sum()),
                think_time=float(share @ arrays.think_time[group]),
                demands={name: float(d) for name, d in zip(names, demands[g], strict=True) if d > 0},
            )
        classes.append(own)
    kept = {c.name for c in classes}
    limits = [
        x if x.classes is None else replace(x, classes=[name for name in x.classes if name in kept]) for x in model.limits
    ]
    return from_network(Network(model.stations, classes, limits, time_unit=model.time_unit)), demands


def _apart(
    arrays: Arrays, found: Measures, admission: Admission, x: Array, stretch: Array, wait: Array, of: Array, rounds: int
) -> Measures:
    residence = arrays.demand * stretch
    top = np.where(np.isnan(arrays.top), np.inf, arrays.top)
    over = max(1.0, float((x @ arrays.demand / top).max()))  # by what the iteration leaves
    fewer = np.where(arrays.closed & (x > 0), x / over, x)
    with np.errstate(divide="ignore", invalid="ignore"):
        wait = wait + np.where(fewer < x, arrays.population * (1 / fewer - 1 / x), 0.0)
    x = fewer
    residence[x == 0] = np.nan
    names = [c.name for c in arrays.model.classes if isinstance(c, ClosedClass)]
    note = f"response times are less accurate: closed classes under the same limits are merged: {', '.join(names)}"
    return replace(
        found,
        throughput=x,
        queue_length=x[:, None] * arrays.demand * stretch,
        residence_time=residence,
        iterations=rounds + found.iterations,
        notes=(*found.notes, note),
        admission=replace(admission, outside=x * wait, delayed=admission.delayed[of], requests=entry_requests(arrays)),
    )
