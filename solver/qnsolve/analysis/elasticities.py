"""Elasticities of throughput and response time: by exact identities where known, by differences elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from qnsolve.errors import SaturatedError
from qnsolve.methods.arrays import from_network
from qnsolve.methods.entry import not_product_form
from qnsolve.methods.product_form.load_growth import stretch_slope
from qnsolve.model.job_classes import ClosedClass, OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Queue
from qnsolve.numerics.series import Array
from qnsolve.results.solution import Solution

ROUNDING = 1e-15  # relative, of an exact answer
ROUGH = 1e-9  # of an approximate one
LEVELS = 5  # halvings of the step of a difference


@dataclass(frozen=True)
class Lever:
    """One figure of a model that can be changed.

    Attributes
    ----------
    parameter : str
        "demand", "think_time", "arrival_rate", "population" or "servers".
    of : str
        Class it belongs to; "" for servers.
    station : str
        "" unless demand or servers.
    value : float
    """

    parameter: str
    of: str
    station: str
    value: float

    def turned(self, model: Network, value: float) -> Network:
        """The model with another value of it."""
        if self.parameter == "servers":
            return model.replace(self.station, servers=int(value))
        if self.parameter == "population":
            return model.replace(self.of, population=int(value))
        if self.parameter != "demand":
            return model.replace(self.of, **{self.parameter: value})
        job_class = next(c for c in model.classes if c.name == self.of)
        if job_class.demands is not None:
            return model.replace(self.of, demands={**job_class.demands, self.station: value})
        queue = next(s for s in model.stations if s.name == self.station)
        in_turn = all(visits == 1 for visits in (job_class.visits or {}).values())  # one visit each, in order
        same_times = isinstance(queue, Queue) and queue.discipline == "fcfs"  # so that the model keeps its product form
        if job_class.routing is not None or (in_turn and not same_times):
            times = dict(job_class.service_times or {})
            times[self.station] *= value / self.value
            return model.replace(self.of, service_times=times)
        visits = dict(job_class.visits or {})
        visits[self.station] *= value / self.value
        return model.replace(self.of, visits=visits)


@dataclass(frozen=True)
class Elasticity:
    """∂ ln X/∂ ln p and ∂ ln R/∂ ln p of a class, and their absolute error as estimated."""

    throughput: float
    response_time: float
    error: float


Find = Callable[[str, Lever], Elasticity]


def elasticities(model: Network, base: Solution, run: Callable[[Network], Solution]) -> Find:
    """A function for the elasticity of a class by a lever, by the most accurate way for the model.

    Product form and closed class r: ∂ ln X_r/∂ ln D_sk = Q_sk(N − e_r) − Q_sk(N) for every
    class s, open or closed; think times and arrival rates likewise. Open classes alone: the
    closed form. Everything else: Richardson's central differences of solved models.

    Parameters
    ----------
    model : Network
    base : Solution
        Of the model.
    run : callable
        Solves a model as `base` was.

    References
    ----------
    [DeSouza1988] for the identity.
    """
    arrays = from_network(model)
    product_form = base.exact and not not_product_form(arrays)
    classes = {c.name: c for c in model.classes}

    @cache
    def turned(lever: Lever, factor: float) -> Solution:
        return run(lever.turned(model, lever.value * factor))

    @cache
    def without_one(name: str, population: int) -> Solution:
        return run(model.replace(name, population=population - 1))

    def find(name: str, lever: Lever) -> Elasticity:
        target = classes[name]
        if product_form and isinstance(target, ClosedClass):
            return _identity(target, lever, base, without_one(name, target.population))
        if isinstance(target, OpenClass) and product_form and arrays.is_open:
            return _open(base, name, lever)
        return _difference(base, name, partial(turned, lever))

    return find


def _identity(target: ClosedClass, lever: Lever, base: Solution, fewer: Solution) -> Elasticity:
    if lever.parameter == "demand":
        rise = fewer[lever.of, lever.station].queue_length - base[lever.of, lever.station].queue_length
    elif lever.parameter == "think_time":
        rise = lever.value * (fewer[lever.of].throughput - base[lever.of].throughput)
    else:  # arrivals
        rise = lever.value * (fewer[lever.of].response_time - base[lever.of].response_time)
    found = base[target.name]
    own = lever.value if lever.parameter == "think_time" and lever.of == target.name else 0.0
    per = found.cycle_time / found.response_time if found.response_time else 0.0
    response = -per * rise - (own / found.response_time if found.response_time else 0.0)
    held = base[lever.of].queue_length + 1
    return Elasticity(rise, response, (ROUNDING * 10 + base.residual) * max(per, 1.0) * held)


def _open(base: Solution, name: str, lever: Lever) -> Elasticity:
    """R_r = Σ D_rk·S_k(a_k), with S_k the stretch and a_k the load of a station."""
    arrays = from_network(base.model)
    names = [c.name for c in base.model.classes]
    r, s = names.index(name), names.index(lever.of)
    load = arrays.arrival_rate @ arrays.demand
    moved = arrays.arrival_rate[s] * arrays.demand[s]  # ∂a_k/∂ ln of the lever
    direct = 0.0
    if lever.parameter == "demand":
        place = [station.name == lever.station for station in base.model.stations]
        moved = np.where(place, moved, 0.0)
        direct = base[name, lever.station].residence_time if r == s else 0.0
    slopes = [
        0.0 if speeds is None or not m else stretch_slope(a, speeds)
        for a, m, speeds in zip(load.tolist(), moved, arrays.speeds, strict=True)
    ]
    rise = float((arrays.demand[r] * np.array(slopes)) @ moved)
    own = 1.0 if lever.parameter == "arrival_rate" and r == s else 0.0
    response = (direct + rise) / base[name].response_time
    return Elasticity(own, response, ROUNDING * 10 * max(1.0, abs(response)))


def _difference(base: Solution, name: str, turned: Callable[[float], Solution]) -> Elasticity:
    """Central differences of ln X and ln R at steps h, h/2, …; of an exact method extrapolated, the error by the last rows."""
    step = 0.08 if base.exact else 0.004

    def at(factor: float) -> Array:
        found = turned(factor)[name]
        return np.array([math.log(found.throughput), math.log(found.response_time)])

    if not (base[name].throughput > 0 and base[name].response_time > 0):
        return Elasticity(0.0, 0.0, 0.0)
    while True:  # within the stable range, and far enough from its edge for the series to converge
        try:
            at(math.exp(4 * step if base.exact else step))
            break
        except SaturatedError:
            step /= 2
            if step < 1e-13:
                raise
    steps = [step / 2**level for level in range(LEVELS if base.exact else 3)]
    plain = [(at(math.exp(h)) - at(math.exp(-h))) / (2 * h) for h in steps]
    if not base.exact:  # not smooth enough to extrapolate
        gap = np.ptp(np.array(plain), axis=0).max()
        return Elasticity(float(plain[-1][0]), float(plain[-1][1]), float(gap) + ROUGH / step)
    best, error, above = plain[0], math.inf, [plain[0]]
    for value in plain[1:]:
        row = [value]
        for j, old in enumerate(above):
            row.append(row[j] + (row[j] - old) / (4 ** (j + 1) - 1))
        if (gap := float(np.abs(row[-1] - above[-1]).max())) < error:
            best, error = row[-1], gap
        above = row
    return Elasticity(float(best[0]), float(best[1]), error + ROUNDING / step)


def levers(model: Network) -> list[Lever]:
    """All figures of a model that are not 0: demands, think times, rates, populations, servers."""
    found = []
    for c in model.classes:
        places = [s for s in model.stations if c.demand(s.name) > 0]
        if isinstance(c, ClosedClass) and c.population == 0:
            found.append(Lever("population", c.name, "", 0.0))
            continue
        if isinstance(c, OpenClass) and c.arrival_rate == 0:
            continue
        found += [Lever("demand", c.name, s.name, c.demand(s.name)) for s in places]
        if isinstance(c, OpenClass):
            found.append(Lever("arrival_rate", c.name, "", c.arrival_rate))
        else:
            found += [Lever("think_time", c.name, "", c.think_time)] if c.think_time else []
            found.append(Lever("population", c.name, "", float(c.population)))
    return found
