"""Many closed models of one shape as stacked arrays, and their solution in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays, counted
from qnsolve.methods.entry import closed_refuses
from qnsolve.methods.laws import EXACT, Figures, residuals
from qnsolve.methods.mean_value.amva import RULES, amva_many
from qnsolve.methods.product_form.batch_convolution import Speeds, scenarios
from qnsolve.methods.product_form.convolution import populations
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.station_types import Queue
from qnsolve.numerics.series import Array, falls

from .varied_inputs import Input

POINTS = 20_000  # most states of a population lattice, all models at once
HEAVY = 400_000  # most of a lattice's states times levels of a station
AT_ONCE = 2**18  # most numbers in an array of approximate methods
SIZES = {  # range of a stacked input: least, most, whole
    "population": (0.0, 1e9, True),
    "servers": (1.0, 1e6, True),
    "think_time": (0.0, 1e100, False),
    "demands": (0.0, 1e100, False),
}


@dataclass(frozen=True)
class Stack:
    """P closed models: R classes, K stations.

    Attributes
    ----------
    population, think_time : ndarray (P, R)
        N [jobs] and Z [time].
    demand : ndarray (P, R, K)
        D [time].
    speeds : list (K,) of lists (1,) or (P,) of ndarray or None
    top : ndarray (P, K)
        Highest relative speed, nan for a delay.
    together : bool
        The models differ in their populations only.
    """

    population: Array
    think_time: Array
    demand: Array
    speeds: Speeds
    top: Array
    together: bool


@dataclass(frozen=True)
class Solved:
    """The solutions: X (P, R), Q and R_rk (P, R, K), law residual (P,); `right` where the laws hold."""

    method: str
    throughput: Array
    queue_length: Array
    residence_time: Array
    residual: Array
    right: NDArray[np.bool_]
    steps: int


def stack(base: Arrays, varied: tuple[Input, ...], places: NDArray[np.intp]) -> Stack | None:
    """The models of a sweep as arrays; None where their shapes differ, or a value needs a check by itself."""
    model, count = base.model, len(places)
    if closed_refuses(base) or any(s is not None and falls(s) for s in base.speeds):
        return None
    if len(base.population) > 1 and any(isinstance(s, Queue) and s.discipline == "fcfs" for s in model.stations):
        return None
    population = np.tile(base.population, (count, 1))
    think_time = np.tile(base.think_time, (count, 1))
    demand = np.tile(base.demand, (count, 1, 1))
    servers = np.tile([float(s.servers) if isinstance(s, Queue) else np.nan for s in model.stations], (count, 1))
    stations, classes = [s.name for s in model.stations], [c.name for c in model.classes]
    for v, at in zip(varied, places.T, strict=True):
        values = _plain(v)
        if values is None or (v.parameter == "servers" and base.solo[stations.index(v.item)] < 1):
            return None
        if v.parameter == "servers":
            servers[:, stations.index(v.item)] = values[at]
        elif v.parameter in ("population", "think_time"):
            target = population if v.parameter == "population" else think_time
            target[:, classes.index(v.item)] = values[at]
        else:
            job_class = model.classes[classes.index(v.item)]
            if v.station not in stations or not isinstance(job_class, ClosedClass) or job_class.demands is None:
                return None
            demand[:, classes.index(v.item), stations.index(v.station)] = values[at]
    if not (demand.any(axis=2) | (think_time > 0)).all():
        return None
    jobs = int(population.sum(axis=1).max())
    speeds: list[list[Array | None]] = []
    top = np.tile(base.top, (count, 1))
    for k, station in enumerate(model.stations):
        own = base.speeds[k]
        if isinstance(station, Queue):
            top[:, k] = servers[:, k]
            widths = servers[:, k].tolist()
            kinds: dict[float, Array | None] = {m: counted(m, max(1, jobs)) for m in set(widths)}
            speeds.append([kinds[m] for m in widths] if len(kinds) > 1 else list(kinds.values()))
        else:
            speeds.append([own])
    together = all(v.parameter == "population" for v in varied)
    return Stack(population, think_time, demand, speeds, top, together)


def _plain(v: Input) -> Array | None:
    """The values of an input as numbers, None where any needs a check by itself."""
    if v.parameter not in SIZES or (v.parameter == "demands") != (v.station is not None):
        return None
    if any(isinstance(value, (bool, str)) for value in v.values):
        return None
    values = np.asarray(v.values)
    if values.dtype.kind not in "iuf" or values.ndim != 1:
        return None
    values = values.astype(float)
    least, most, whole = SIZES[v.parameter]
    fine = (
        (values >= least) & (values <= most) & ((values == np.floor(values)) if whole else ((values == 0) | (values >= 1e-100)))
    )
    return values if fine.all() else None


def solve_stack(base: Arrays, many: Stack, method: str) -> Solved | None:
    """Solve all models in one pass; None where no stacked method accepts them."""
    jobs = many.population.sum(axis=1)
    classes = many.population.shape[1]
    steps = 0
    if method in RULES:
        name = method
        parts = _approximate(many, method)
        if parts is None:
            return None
        throughput, queue_length, right, steps = parts
    elif method in ("auto", "exact", "convolution" if classes == 1 else "lattice"):
        name = "convolution" if classes == 1 else "lattice"
        if classes == 1 and many.together:
            speeds = [per[0] for per in many.speeds]
            sizes = many.population[:, 0].astype(int)
            found = populations(sizes, float(many.think_time[0, 0]), many.demand[0, 0], speeds)
            throughput, queue_length, right = found[0][:, None], found[1][:, None, :], np.ones(len(sizes), dtype=bool)
        else:
            points = np.prod(many.population.max(axis=0) + 1)
            level = max((min(len(s), jobs.max()) for per in many.speeds for s in per if s is not None), default=1)
            if points > POINTS or points * level > HEAVY:
                return None
            throughput, queue_length, right = scenarios(many.population, many.think_time, many.demand, many.speeds)
    else:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        residence = np.where(throughput[..., None] > 0, queue_length / throughput[..., None], np.nan)
    first = np.array([1.0 if per[0] is None else per[0][0] for per in many.speeds])
    figures = Figures(
        throughput, queue_length, residence, many.demand, many.population, many.think_time, many.top, base.solo, first
    )
    residual = residuals(figures, True)
    return Solved(name, throughput, queue_length, residence, residual, right & (residual <= EXACT), steps)


def _approximate(many: Stack, rule: str) -> tuple[Array, Array, NDArray[np.bool_], int] | None:
    """Solve by an approximate method in chunks; models that need damping are left to be solved, with a note, by themselves."""
    count, classes, stations = many.demand.shape
    size = max(1, AT_ONCE // (classes * stations * (1 if rule == "schweitzer" else classes + 1)))
    if size < 2:
        return None
    throughput, queue_length = np.zeros((count, classes)), np.zeros(many.demand.shape)
    right, steps = np.zeros(count, dtype=bool), 0
    busy: NDArray[np.bool_] = many.population.max(axis=1) > 0
    for start in range(0, count, size):
        some = np.flatnonzero(busy[start : start + size]) + start
        if len(some) == 0:
            continue
        speeds = [per if len(per) == 1 else [per[b] for b in some.tolist()] for per in many.speeds]
        found = amva_many(many.population[some], many.think_time[some], many.demand[some], speeds, rule)
        throughput[some], queue_length[some] = found.throughput, found.queue_length
        right[some] = found.converged & (found.damping == 1)
        steps += found.steps
    return throughput, queue_length, right | ~busy, steps
