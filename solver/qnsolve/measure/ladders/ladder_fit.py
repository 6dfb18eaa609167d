"""The closed network that fits a measured ladder of loads, and what it predicts at others."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.measure.checked_series import Array, Values
from qnsolve.model import checks
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, LoadDependent, Queue

from .best_curve import fitted
from .busy_servers import BusyServers, busy_servers, highest_rate, light_law
from .closed_curve import Curves
from .curve_grid import likely_capacity, told_from_noise, variance
from .fit_plans import NAMES, plan_of
from .ladder_range import LadderRange
from .ladder_rows import MOST_LOAD, LadderRows, checked_loads, rows

NODES = (2, 3)  # equal stations that are tried beside one
ENOUGH = 4  # distinct loads that one station needs, and more
LIKELIER = 2.8  # variances that several nodes must explain more of the rows than one: taken as a quarter as likely before
POOR = 0.05  # error of the fitted rows that a note reports


@dataclass(frozen=True)
class LadderPrediction:
    """What a fitted ladder does at other loads; arrays of shape (L,).

    Attributes
    ----------
    loads : ndarray
        [jobs]
    rates : ndarray
        Throughput X [jobs/time].
    lowest_rates, highest_rates : ndarray
        Range of X in which a measured row is expected, nine of ten [jobs/time].
    response_times, lowest_response_times, highest_response_times : ndarray
        R, without think time, and its range at the rates of that range [time].
    busy : ndarray or None
        Utilization of the servers, where it was measured [0..1].
    """

    loads: Array
    rates: Array
    lowest_rates: Array
    highest_rates: Array
    response_times: Array
    lowest_response_times: Array
    highest_response_times: Array
    busy: Array | None

    @property
    def errors(self) -> Array:
        """How far a measured rate may be off to either side [relative]."""
        return np.maximum(self.highest_rates / self.rates - 1, 1 - self.lowest_rates / self.rates)


@dataclass(frozen=True)
class LadderFit:
    """A closed network fitted to a measured ladder: a delay, and a station whose speed depends on its jobs.

    Attributes
    ----------
    response_time : float
        R of a job alone [time].
    capacity : float
        C, the rate that the station does not exceed [jobs/time].
    shape : float
        How sharply the curve bends at C, from -1 (contention, as in the universal scalability law) over 0 (one server)
        to 1 (servers for all).
    decline : float
        Share of the speed lost for each job beyond the servers; with contention, coherency over contention.
    think_time : float
        Outside, given or taken from load/rate less response [time].
    response_ratio : float
        Measured response over load/rate less think time; 1 by Little's law.
    limit : {"measured", "servers", "unknown"}
        Where the capacity comes from: the rows show it; the utilization of the servers; or nothing does, and the capacity
        is a guess that the stated range covers.
    fitted : tuple of str
        The parameters that the rows fitted.
    error : float
        Mean error of the fitted rates, without sign [relative].
    servers : int or None
        As given.
    utilization : BusyServers or None
        Servers in use by rate and waiting jobs, where their utilization was measured.
    notes : tuple of str
        What the rows say about themselves, and what the fit cannot know.
    nodes : int
        Equal stations among which servers and jobs are divided, where that fits far better than one.
    """

    response_time: float
    capacity: float
    shape: float
    decline: float
    think_time: float
    response_ratio: float
    limit: str
    fitted: tuple[str, ...]
    error: float
    servers: int | None
    utilization: BusyServers | None
    notes: tuple[str, ...]
    nodes: int
    _range: LadderRange = field(repr=False, compare=False)

    @property
    def curve(self) -> Curves:
        """The curve of the fitted network."""
        knee = self.capacity * self.response_time
        response, knees, shape, decline = (np.array([x]) for x in (self.response_time, knee, self.shape, self.decline))
        return Curves(response, knees, shape, decline, self.think_time, self.nodes)

    def predict(self, loads: Values) -> LadderPrediction:
        """Rate, response and utilization at other loads, and the range in which they are expected.

        Parameters
        ----------
        loads : sequence of float, shape (L,)
            1 to 100,000 [jobs].
        """
        n = checked_loads(loads)
        rates = self.curve.throughput(n)[0]
        low, high = self._range.of(self.curve, n)
        low, high = np.minimum(low, rates), np.maximum(high, rates)
        response, quickest, slowest = (
            self.response_ratio * np.maximum(n / each - self.think_time, 0.0) for each in (rates, high, low)
        )
        busy = None
        if self.utilization is not None and self.servers is not None:
            busy = np.minimum(self.utilization.used(self.curve, n, rates) / self.servers, 1.0)
        return LadderPrediction(n, rates, low, high, response, quickest, slowest, busy)

    def network(self, load: int) -> Network:
        """The network with so many jobs, for `qn.solve` and every question around it.

        Parameters
        ----------
        load : int
            [jobs]

        Notes
        -----
        Its response times are by Little's law; `response_ratio` times them is what was measured. Speeds that change with
        the jobs are given up to this load: ask for the network of each load, or take `speed_law`.
        """
        jobs = checks.whole("load", load, least=1, most=MOST_LOAD)
        curve = self.curve
        inside, servers = float(curve.delay[0]), float(curve.servers[0])
        if self.shape < 0 or self.decline:
            speeds = curve.speeds(jobs)[0]
            first = float(speeds[0])
            stations: list[Queue | LoadDependent] = [LoadDependent("station", rates=(speeds / first).tolist())]
        else:
            first = self.capacity / servers
            names = ["station"] if self.nodes == 1 else [f"station {i + 1}" for i in range(self.nodes)]
            stations = [Queue(name, servers=servers / self.nodes) for name in names]
        outside = [Delay("delay")] if inside else []
        demands = {each.name: 1 / first / self.nodes for each in stations} | ({"delay": inside} if inside else {})
        return Network(
            [*stations, *outside], [ClosedClass("jobs", population=jobs, think_time=self.think_time, demands=demands)]
        )

    def speed_law(self) -> dict[str, float]:
        """The law of a station whose speed changes with its jobs, as a model file writes it; empty for a queue."""
        curve = self.curve
        if self.shape < 0:
            alone = 1 + float(curve.contention[0])
            return {"contention": 1 / alone, "coherency": self.decline / alone, "jobs": MOST_LOAD}
        if self.decline:
            return {"servers": float(curve.servers[0]), "decline": self.decline, "jobs": MOST_LOAD}
        return {}

    def with_servers(self, servers: int) -> LadderFit:
        """The same work on another number of servers or threads: the capacity in proportion, all else the same.

        Parameters
        ----------
        servers : int
            [count]

        Raises
        ------
        ModelError
            Where the fit was made without servers.
        """
        count = checks.whole("servers", servers, least=1)
        if self.servers is None:
            raise ModelError("servers", "must be known where the ladder was measured", "give servers= to fit_ladder", servers)
        times = count / self.servers
        capacity = max(self.capacity * times, 1 / self.response_time)
        note = f"capacity for {count} servers in proportion to that with {self.servers}: other limits are not known"
        return dataclasses.replace(
            self, capacity=capacity, servers=count, notes=(*self.notes, note), _range=self._range.scaled(times)
        )


def fit_ladder(
    loads: Values,
    rates: Values,
    response_times: Values | None = None,
    *,
    busy: Values | None = None,
    servers: int | None = None,
    think_time: float | None = None,
    rate_deviations: Values | None = None,
) -> LadderFit:
    """The closed network that fits a measured ladder of loads: users, connections, threads or processors.

    Parameters
    ----------
    loads : sequence of float, shape (n,)
        N of each row, 1 to 100,000, in any order, repeated or not; at least two differ [jobs].
    rates : sequence of float, shape (n,)
        X [jobs/time].
    response_times : sequence of float, shape (n,), optional
        R [time]. Where N/X is longer, the rest is taken as think time.
    busy : sequence of float, shape (n,), optional
        Utilization of the servers, with `servers` [0..1]. It gives the capacity where the rows do not show it.
    servers : int, optional
        Servers or threads that are held by jobs [count].
    think_time : float, optional
        Z between a response and the next request [time]; taken from the rows without it.
    rate_deviations : sequence of float, shape (n,), optional
        Standard deviation of each rate, at least 1 % of it is assumed [jobs/time].

    Returns
    -------
    LadderFit

    Raises
    ------
    ModelError

    Notes
    -----
    Least squares of log X, and of log R where there is a think time. The rows fit response, capacity and shape; a decline
    where the rate at the highest load is the lowest since the peak, and an F test tells it from noise. Where the rate still
    grows more than half as fast as the load, the capacity is that of the servers if their utilization is known, and else a
    guess in the middle third of what fits.
    Several equal stations, among which the servers are divided, are fitted where they explain the rows far better than one.
    With two loads the station is one server; a shape that more rows do not show is the nearest to it that fits as well.

    References
    ----------
    [Gunther2007] for the shape -1; exact product form of one station and a delay for all; several stations as one by
    [Chandy1975].

    Examples
    --------
    >>> fit = fit_ladder([1, 4, 8, 16, 32], [24.4, 93.0, 153.9, 191.2, 199.5])
    >>> round(fit.capacity), round(fit.response_time, 3), fit.limit
    (202, 0.041, 'measured')
    >>> fit.predict([64, 128]).rates.round()
    array([201., 202.])
    """
    measured = rows(loads, rates, response_times, busy, servers, think_time, rate_deviations)
    known = highest_rate(measured, light_law(measured))
    plan, limit = plan_of(measured, known)
    point, left = fitted(measured, plan)
    if plan.declines:
        flat = dataclasses.replace(plan, declines=False)
        flat_point, flat_left = fitted(measured, flat)
        if not told_from_noise(flat_left, left, len(point)):
            plan, point, left = flat, flat_point, flat_left
    shown = plan.servers is None and not plan.declines and len(np.unique(measured.loads)) > ENOUGH
    tried = (1, *NODES) if shown and limit != "servers" else (1,)
    if limit == "measured":
        for nodes in tried[1:]:
            several = dataclasses.replace(plan, nodes=nodes)
            other, other_left = fitted(measured, several)
            best_squares = float(left @ left) - (LIKELIER * variance(other_left, len(other)) if plan.nodes == 1 else 0.0)
            if float(other_left @ other_left) < best_squares:
                plan, point, left = several, other, other_left
    names = tuple(NAMES[i] for i in plan.free)
    if limit == "unknown" and plan.servers is None:
        best = plan.curves(point[None], measured.think_time)
        plan = dataclasses.replace(plan, capacity=likely_capacity(measured, best, left, len(point)))
        point, left = fitted(measured, plan)
    curve = plan.curves(point[None], measured.think_time)
    error = float(np.mean(np.abs(np.expm1(left[: len(measured.loads)] * measured.noise))))
    notes = [*measured.notes, *_said(measured, limit, float(curve.capacity[0]), error)]
    return LadderFit(
        response_time=float(curve.response[0]),
        capacity=float(curve.capacity[0]),
        shape=float(curve.shape[0]),
        decline=float(curve.decline[0]),
        think_time=measured.think_time,
        response_ratio=measured.response_ratio,
        limit=limit,
        fitted=names,
        error=error,
        servers=measured.servers,
        utilization=busy_servers(measured, curve),
        notes=tuple(notes),
        nodes=plan.nodes,
        _range=LadderRange(measured, plan, point, left, known, saturated=limit == "measured", nodes=tried),
    )


def _said(measured: LadderRows, limit: str, capacity: float, error: float) -> list[str]:
    """What the fit cannot know."""
    top = f"the rate still grows with the load at {measured.loads[-1]:g}: "
    said = []
    if limit == "servers":
        said.append(f"{top}the capacity, {capacity:.5g}, is that of the servers when all are busy; another limit may be lower")
    elif limit == "unknown":
        said.append(f"{top}these rows cannot show the limit, {capacity:.5g} is a guess; measure higher loads, or give busy")
    if error > POOR:
        off = f"{100 * error:.0f} %" if error >= 1 else f"{100 * error:.2g} %"
        said.append(f"the fitted rows are off by {off} in the mean: one network does not have all of this ladder")
    return said
