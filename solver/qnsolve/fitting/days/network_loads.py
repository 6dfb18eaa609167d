"""A network at the loads of many intervals, in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import LongRun
from qnsolve.analysis.sweep import swept
from qnsolve.errors import ModelError
from qnsolve.methods.arrays import from_network
from qnsolve.methods.product_form.open_network import stretch_of
from qnsolve.methods.solve import methods
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue
from qnsolve.numerics.series import Array
from qnsolve.stations import mmc_arrays

from .day_loads import DayLoads
from .solved_loads import CAPPED, SolvedLoads

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
LITTLE = 1e-9  # of the unit: the rate of a class that has none


class NetworkLoads:
    """Solves a network at loads of its classes; open networks of product form by the formulas of their stations."""

    def __init__(self, network: Network, loads: DayLoads, run: LongRun) -> None:
        self._run = run
        self._unit = SECONDS[network.time_unit]
        for name, users in zip(loads.names, loads.users, strict=True):
            own = next(each for each in network.classes if each.name == name)
            if not users and not isinstance(own, OpenClass):
                network = _opened(network, name)
        self._network, self._names, self._users = network, loads.names, loads.users
        every = [each.name for each in network.classes]
        self._at = [every.index(name) for name in loads.names]
        arrays = from_network(network)
        self._arrays = arrays
        self._open = np.array([isinstance(each, OpenClass) for each in network.classes])
        self._formulas = bool(self._open.all()) and _takes_open(network)
        self._queues = [k for k, each in enumerate(network.stations) if not isinstance(each, Delay)]
        self._saturates = bool(self._open.any())

    @property
    def centers(self) -> tuple[str, ...]:
        """Stations that can fill up."""
        return tuple(self._network.stations[k].name for k in self._queues)

    @property
    def uses(self) -> NDArray[np.bool_]:
        """Whether a class needs a station (R, C)."""
        return np.asarray(self._arrays.demand[self._at][:, self._queues] > 0)

    def notes(self) -> tuple[str, ...]:
        """Nothing: what `solve` notes of a network holds for each interval."""
        return ()

    @property
    def tolerance(self) -> float:
        """How near a growth is sought."""
        return 1e-10

    def solved(self, values: Array, *, quick: bool = False) -> SolvedLoads:
        """Answers at loads of shape (P, R); equal loads are solved once."""
        unique, back = np.unique(values, axis=0, return_inverse=True)
        found = self._solved(unique)
        back = back.reshape(-1)
        return SolvedLoads(found.response[back], found.utilization[back], found.offered[back], found.fullest[back])

    def _loads(self, values: Array) -> tuple[Array, Array]:
        """Rates of all classes (P, all), and loads of the stations by open classes over their highest speeds (P, C)."""
        rates = np.tile(np.where(self._open, np.nan_to_num(self._arrays.arrival_rate), 0.0), (len(values), 1))
        for r, (at, users) in enumerate(zip(self._at, self._users, strict=True)):
            if not users:
                rates[:, at] = values[:, r] * self._unit
        demand, top = self._arrays.demand[:, self._queues], self._arrays.last[self._queues]
        return rates, rates @ demand / top

    def _solved(self, values: Array) -> SolvedLoads:
        rates, load = self._loads(values)
        offered = load.max(axis=1, initial=0.0)
        fullest = load.argmax(axis=1) if load.shape[1] else np.zeros(len(values), dtype=np.intp)
        factor = np.where(offered >= 1, CAPPED / np.maximum(offered, 1.0), 1.0)
        if self._formulas:
            response = self._by_formulas(rates * factor[:, None])
            utilization = np.minimum(load, 1.0)
        else:
            response, utilization = self._by_sweep(values, factor)
            utilization = np.where((offered >= 1)[:, None], np.maximum(utilization, np.minimum(load, 1.0)), utilization)
            closed = np.where(np.isnan(utilization), 0.0, utilization)
            full = closed.max(axis=1, initial=0.0)
            fullest = np.where(offered >= 1, fullest, closed.argmax(axis=1)) if closed.shape[1] else fullest
            offered = np.where(offered >= 1, offered, np.minimum(full, 1 - 1e-12))
        response = np.where(values > 0, response, np.nan)
        return SolvedLoads(response, utilization, offered, fullest.astype(np.intp))

    def _by_formulas(self, rates: Array) -> Array:
        load = rates @ self._arrays.demand
        stretch = np.ones_like(load)
        for k, station in enumerate(self._network.stations):
            speeds = self._arrays.speeds[k]
            if speeds is None:
                continue
            if isinstance(station, Queue):
                one = mmc_arrays(load[:, k], np.ones(len(load)), np.full(len(load), float(station.servers)))
                stretch[:, k] = np.asarray(one.response_time)
            else:
                stretch[:, k] = [stretch_of(float(a), speeds) for a in load[:, k]]
        found = stretch @ self._arrays.demand.T
        return np.asarray(found[:, self._at] * self._unit)

    def _by_sweep(self, values: Array, factor: Array) -> tuple[Array, Array]:
        vary: dict[str, dict[str, list[float]]] = {}
        for r, (name, users) in enumerate(zip(self._names, self._users, strict=True)):
            if users:
                vary[name] = {"population": np.round(values[:, r]).tolist()}
            else:
                vary[name] = {"arrival_rate": np.maximum(values[:, r] * self._unit * factor, LITTLE).tolist()}
        for name, own in zip((each.name for each in self._network.classes), self._open, strict=True):
            if own and name not in vary:  # a class that was not measured is cut with the others
                rate = float(self._arrays.arrival_rate[[c.name for c in self._network.classes].index(name)])
                vary[name] = {"arrival_rate": (rate * factor).tolist()}
        found = swept(self._network, vary, self._run)
        gaps = [reason for reason in found.reasons if reason]
        if gaps:
            raise ModelError("model", f"has no solution at {len(gaps)} of the loads: {gaps[0]}", "change the model")
        return found.response_time[:, self._at] * self._unit, found.utilization[:, self._queues]


def _opened(network: Network, name: str) -> Network:
    """The network with a closed class as one that arrives."""
    own = next(each for each in network.classes if each.name == name)
    asks = {"visits": own.visits, "service_times": own.service_times} if own.visits else {"demands": own.demands}
    new = OpenClass(name, arrival_rate=LITTLE, priority=own.priority, **asks)  # type: ignore[arg-type]
    classes = [new if each.name == name else each for each in network.classes]
    return Network(network.stations, classes, limits=network.limits, name=network.name, time_unit=network.time_unit)


def _takes_open(network: Network) -> bool:
    """Whether `solve` takes the formulas of open networks."""
    asked = network
    for each in network.classes:  # rates do not matter to the choice
        asked = asked.replace(each.name, arrival_rate=LITTLE)
    return any(each.auto and each.name == "open" for each in methods(asked))
