"""The laws of queueing that every answer must keep before it is returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qnsolve.errors import LawError
from qnsolve.methods.product_form.throughput_bounds import asymptotic
from qnsolve.model.station_types import Queue
from qnsolve.numerics.series import Array

from .arrays import Arrays
from .measures import Measures

SETTLED = 1e-6  # tolerance of the asymptotic bounds for iterative methods, relative
EXACT = 1e-9  # relative violation that an exact method may show; it shows about 1e-14


@dataclass(frozen=True)
class Figures:
    """The figures that the laws connect, of one model or, with leading axes, of many with the same stations and classes.

    Attributes
    ----------
    throughput : ndarray (..., R)
        X [jobs/time].
    queue_length, residence_time : ndarray (..., R, K)
        Q [jobs] and R_rk [time].
    demand : ndarray (..., R, K)
        D [time].
    population, think_time : ndarray (..., R)
        N [jobs] and Z [time]; nan for an open class.
    top, solo, first : ndarray (..., K)
        Highest speed, highest that one job can get, and that with one job.
    outside : ndarray (..., R), default 0
        Jobs that wait at admission limits [jobs].
    work : ndarray (..., R, K), optional
        Demand on the servers, where it is more than `demand` [time].
    """

    throughput: Array
    queue_length: Array
    residence_time: Array
    demand: Array
    population: Array
    think_time: Array
    top: Array
    solo: Array
    first: Array
    outside: Array | float = 0.0
    work: Array | None = None


Violation = tuple[str, str, Array]  # law; "pair", "class" or "station"; relative violation by these


def violations(figures: Figures, rising: bool) -> Iterator[Violation]:
    """The relative violation of each law.

    Finite and not negative; Little's law at each station and class; the population of
    each class, ΣQ + X·Z = N; 0 ≤ U ≤ 1; no residence below the demand at full speed;
    throughput within the asymptotic bounds, the lower one for one class at speeds that never fall (`rising`).
    """
    x, q, demand = figures.throughput, figures.queue_length, figures.demand
    active = (x > 0)[..., None]
    residence = np.where(active, figures.residence_time, 0.0)
    fastest = demand / figures.solo[..., None, :]  # residence of a job alone, at the highest speed one job can get
    yield "throughput must be finite and not negative", "class", np.where(x >= 0, 0.0, np.inf)
    yield "queue length must be finite and not negative", "pair", np.where(q >= 0, 0.0, np.inf)
    yield "Little's law, Q = X·R", "pair", np.abs(q - x[..., None] * residence) / np.maximum(q, 1e-300)
    slow = np.where(active & (demand > 0), (fastest - residence) / np.where(fastest > 0, fastest, 1), 0.0)
    yield "residence time below the demand", "pair", np.maximum(slow, 0.0)
    busy = np.einsum("...r,...rk->...k", x, demand if figures.work is None else figures.work) / figures.top
    busy = np.where(np.isnan(figures.top), 0.0, busy)
    yield "utilization above 1", "station", np.maximum(busy - 1, 0.0)
    closed = np.isfinite(figures.population)
    if closed.any():
        held = q.sum(axis=-1) + figures.outside
        n = np.where(closed, figures.population, held)  # the law is trivial for an open class
        z = np.where(closed, figures.think_time, 0.0)
        size = np.maximum(n, 1)
        yield "population, ΣQ + X·Z = N", "class", np.abs(held + x * z - n) / size
        shortest = z + fastest.sum(axis=-1)
        yield "throughput above N/(Z + ΣD)", "class", np.maximum(x * shortest - n, 0.0) / size
        if x.shape[-1] == 1 and rising:
            crowded = z + n * (demand / figures.first[..., None, :]).sum(axis=-1)  # every other job ahead of it at each station
            yield "throughput below N/(Z + N·ΣD)", "class", np.where(x > 0, np.maximum(n - x * crowded, 0.0) / size, 0.0)


def check(arrays: Arrays, measures: Measures, method: str, settled: float = EXACT) -> float:
    """The largest relative violation of the laws of queueing; raises where it is too large.

    Parameters
    ----------
    settled : float
        Tolerance of the asymptotic bounds, relative: more than `EXACT`
        where an iteration ends near its fixed point.

    Returns
    -------
    float
        The largest relative violation found.

    Raises
    ------
    LawError
        Naming the law, the station or class and the figures, where it is broken.
    """
    figures = Figures(
        throughput=measures.throughput,
        queue_length=measures.queue_length,
        residence_time=measures.residence_time,
        demand=arrays.demand,
        population=arrays.population,
        think_time=arrays.think_time,
        top=arrays.top,
        solo=arrays.solo,
        first=np.array([1.0 if s is None else s[0] for s in arrays.speeds]),
        work=arrays.work(),
        outside=0.0 if measures.admission is None else measures.admission.outside,
    )
    stations = [s.name for s in arrays.model.stations]
    classes = [c.name for c in arrays.model.classes]
    worst = 0.0
    laws = [(EXACT, *broken) for broken in violations(figures, False)]
    laws += [(settled, *broken) for broken in _beyond_bounds(arrays, measures)]
    for tolerance, law, kind, excess in laws:
        if excess.size == 0:
            continue
        most = float(excess.max())  # nan where one is
        if most <= tolerance:
            worst = max(worst, most)
        else:
            bad = np.where(np.isfinite(excess), excess, np.inf)
            most = float(bad.max())
            place = np.unravel_index(int(bad.argmax()), bad.shape)
            names = [stations] if kind == "station" else [classes, stations]
            where = " at ".join(repr(n[i]) for n, i in zip(names, place, strict=False))
            raise LawError(f"method {method}: the answer breaks a law and is withheld: {law}, {where}, relative {most:.2g}")
    return worst


def _beyond_bounds(arrays: Arrays, measures: Measures) -> Iterator[Violation]:
    """The violation of the asymptotic bounds of the model by closed classes; these are tighter than those in `violations`."""
    model, x = arrays.model, measures.throughput
    some = np.flatnonzero(arrays.closed & (x > 0))
    if not len(some):
        return
    n, z, d = arrays.population[some], arrays.think_time[some], arrays.demand[some]
    meets = n @ (d > 0) if arrays.is_closed else np.full(d.shape[1], np.inf)
    least, longest = asymptotic(n, z, d, arrays.speeds, meets)
    above, below = np.zeros(len(x)), np.zeros(len(x))
    above[some] = np.maximum(x[some] * (z + least) / n - 1, 0.0)
    yield "throughput above the asymptotic bound", "class", above
    queues = [s for s in model.stations if isinstance(s, Queue)]
    shared = all(s.discipline == "ps" for s in queues)  # no queue prefers a class
    if arrays.is_closed and not model.limits and not any(s.on for s in queues) and (len(x) == 1 or shared):
        below[some] = np.maximum(1 - x[some] * (z + longest) / n, 0.0)
        yield "throughput below the asymptotic bound", "class", below


def residuals(figures: Figures, rising: bool) -> Array:
    """The largest relative violation of each of many models, shape (B,); `rising` as in `violations`."""
    worst = np.zeros(len(figures.throughput))
    for _, _, excess in violations(figures, rising):
        bad = np.where(np.isfinite(excess), excess, np.inf)
        np.maximum(worst, bad.reshape(len(worst), -1).max(axis=1, initial=0.0), out=worst)
    return worst
