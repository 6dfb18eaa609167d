"""A sketched network solved at the loads of many intervals and many values of its figures, by sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qnsolve.analysis.runs.points import LongRun
from qnsolve.analysis.sweep import swept
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import Sketch
from qnsolve.measure.checked_series import Array
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue

from .closed_table import closed_table
from .sketched_points import SketchedPoints

NO_DEMAND = 1e-12  # a demand of 0 as a model takes it: a class must ask something
FULL = 1 - 1e-9  # utilization from which an open class has no response


class NetworkPoints(SketchedPoints):
    """Solves the network of a sketch."""

    def __init__(self, sketch: Sketch, run: LongRun) -> None:
        super().__init__(sketch, run)
        network = sketch.model({})
        assert isinstance(network, Network)
        self.network = network
        self.closed = {each.name for each in self.network.classes if isinstance(each, ClosedClass)}

    def solved(self, values: Mapping[str, Array], rows: MeasuredRows) -> dict[str, Array]:
        """Columns (P, n) by "NAME.quantity", for P values of each figure.

        Parameters
        ----------
        values : mapping of str to ndarray (P,)
            By name of a figure.
        rows : MeasuredRows
            With all loads.
        """
        points = max((len(each) for each in values.values()), default=1)
        loads = self.loads(rows)
        if not loads:
            return {title: np.repeat(each, len(rows), axis=1) for title, each in self._at(values, {}, (points, 1)).items()}
        distinct, places = np.unique(np.column_stack(list(loads.values())), axis=0, return_inverse=True)
        there = self._at(values, dict(zip(loads, distinct.T, strict=True)), (points, len(distinct)))
        return {title: each[:, places.ravel()] for title, each in there.items()}

    def _at(
        self, values: Mapping[str, Array], loads: Mapping[tuple[str, str], Array], shape: tuple[int, int]
    ) -> dict[str, Array]:
        """Columns (P, L) for P values of each figure at L loads."""
        points, count = shape
        if len(loads) == len(self.closed) == 1 and next(iter(loads))[1] == "population":
            one: dict[str, dict[str, Any]] = {}
            for figure in self.sketch.figures:
                if figure.name in values:
                    keys = [str(key) for key in figure.place[2:]]
                    self._put(one, figure.owner, keys, np.broadcast_to(values[figure.name], points))
            quick = closed_table(self.network, one, next(iter(loads.values())), points)
            if quick is not None:
                return quick
        vary: dict[str, dict[str, Any]] = {}
        for figure in self.sketch.figures:
            if figure.name in values:
                each = np.repeat(np.broadcast_to(values[figure.name], points), count)
                self._put(vary, figure.owner, [str(key) for key in figure.place[2:]], each)
        for (name, key), column in loads.items():
            self._put(vary, name, [key], np.tile(column, points))
        if self.closed == {each.name for each in self.network.classes}:
            return self._closed(vary, shape)
        return self._any(vary, shape)

    def _put(self, vary: dict[str, dict[str, Any]], item: str, keys: list[str], values: Array) -> None:
        given: Any = values
        if keys[0] in ("population", "servers"):
            given = np.maximum(np.rint(values), 1).astype(np.intp)
        if keys[0] == "demands":
            given = np.maximum(values, NO_DEMAND)
        inner = vary.setdefault(item, {})
        if keys[0] == "service_variation":  # a sweep takes it whole
            known = next(getattr(each, keys[0]) for each in self.network.classes if each.name == item) or {}
            before = inner.get(keys[0], [dict(known)] * len(given))
            inner[keys[0]] = [{**old, keys[1]: value} for old, value in zip(before, given.tolist(), strict=True)]
        elif len(keys) > 1:
            inner.setdefault(keys[0], {})[keys[1]] = given
        else:
            inner[keys[0]] = given

    def _closed(self, vary: dict[str, dict[str, Any]], shape: tuple[int, int]) -> dict[str, Array]:
        return self._swept(swept(self.network, _listed(vary) or sweep_of_one(self.network, shape), self.run), shape)

    def _any(self, vary: dict[str, dict[str, Any]], shape: tuple[int, int]) -> dict[str, Array]:
        """Open classes: utilization by its law, so that a full station has one; responses where none is full."""
        quick = open_network(self.network, vary, shape)
        return quick if quick is not None else self._swept(swept(self.network, _listed(vary), self.run), shape)

    def _swept(self, found: Any, shape: tuple[int, int]) -> dict[str, Array]:
        columns = {}
        for r, name in enumerate(found.classes):
            columns[f"{name}.rate"] = found.throughput[:, r].reshape(shape)
            columns[f"{name}.response_time"] = found.response_time[:, r].reshape(shape)
        for k, name in enumerate(found.stations):
            if not isinstance(self.network.stations[k], Delay):
                columns[f"{name}.busy"] = found.utilization[:, k].reshape(shape)
        return columns


def _listed(vary: Mapping[str, Any]) -> dict[str, Any]:
    """The same inputs as a sweep takes them: lists in place of arrays."""
    found = {}
    for name, given in vary.items():
        found[name] = _listed(given) if isinstance(given, dict) else given.tolist() if isinstance(given, np.ndarray) else given
    return found


def sweep_of_one(network: Network, shape: tuple[int, int]) -> dict[str, dict[str, Any]]:
    """Inputs that leave the network as it is, at every point."""
    first = network.classes[0]
    return {first.name: {"priority": [getattr(first, "priority", 1)] * (shape[0] * shape[1])}}


def open_network(network: Network, vary: Mapping[str, Mapping[str, Any]], shape: tuple[int, int]) -> dict[str, Array] | None:
    """Open classes at queues that share their servers, and delays: the exact product form, all points at once.

    None where the network has anything else.
    """
    from qnsolve.stations import mmc_arrays  # imported here, because closed networks do without

    plain = all(
        isinstance(s, Delay) or (isinstance(s, Queue) and s.discipline == "ps" and s.on is None and s.capacity is None)
        for s in network.stations
    )
    simple = {"name", "arrival_rate", "demands"}
    classes_plain = not network.limits and all(
        not isinstance(c, ClosedClass) and c.routing is None and not getattr(c, "service_variation", None) and not c.visits
        for c in network.classes
    )
    known = {each.name for each in network.classes} | {each.name for each in network.stations}
    if not (plain and classes_plain and set(vary) <= known):
        return None
    if any(not set(changes) <= simple | {"servers"} for changes in vary.values()):
        return None
    points = shape[0] * shape[1]
    rates, demands = [], []
    for each in network.classes:
        changes = vary.get(each.name, {})
        rates.append(_spread(changes.get("arrival_rate", getattr(each, "arrival_rate", 0.0)), points))
        fitted, known_demands = changes.get("demands", {}), each.demands or {}
        demands.append([_spread(fitted.get(s.name, known_demands.get(s.name, 0.0)), points) for s in network.stations])
    x, d = np.array(rates), np.array(demands)  # (R, points), (R, K, points)
    responses = np.zeros_like(x)
    columns: dict[str, Array] = {}
    for k, station in enumerate(network.stations):
        if isinstance(station, LoadDependent):
            return None
        stretch = np.ones(points)
        if isinstance(station, Queue):
            given = vary.get(station.name, {}).get("servers", station.servers)
            servers = _spread(given, points)
            busy = (x * d[:, k]).sum(axis=0) / servers
            inside = np.clip(busy, 1e-12, FULL)
            found = mmc_arrays(inside * servers, np.ones(points), servers)
            stretch = np.where(busy < FULL, np.asarray(found.response_time), np.inf)
            columns[f"{station.name}.busy"] = busy.reshape(shape)
        with np.errstate(invalid="ignore"):
            responses += np.where(d[:, k] > 0, d[:, k] * stretch, 0.0)
    for r, each in enumerate(network.classes):
        columns[f"{each.name}.rate"] = x[r].reshape(shape)
        columns[f"{each.name}.response_time"] = responses[r].reshape(shape)
    return columns


def _spread(given: Any, points: int) -> Array:
    """A number, or one for each point, as an array (points,)."""
    return np.asarray(np.broadcast_to(np.asarray(given, dtype=np.float64), points))
