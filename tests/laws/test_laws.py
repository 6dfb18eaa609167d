"""The laws of queueing on every output of every method, by the model alone and not by the solver's own check."""

from __future__ import annotations

import re
from math import ceil, isnan

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, OpenClass, Queue, solve

from tests.support import zoo
from tests.support.together import hold


def _close(actual: float, expected: float, rel: float) -> bool:
    return actual == pytest.approx(expected, rel=rel, abs=1e-15)


def _closed(model: Network) -> list[ClosedClass]:
    return [c for c in model.classes if isinstance(c, ClosedClass)]


def little(name: str, method: str) -> None:
    """Little's law holds per class and station: queue length is throughput times residence time."""
    result = zoo.solved(name, method)
    for c in result.classes:
        for s in result.stations:
            pair = result[c.name, s.name]
            if c.population == 0:
                assert pair.queue_length == 0
            else:
                assert _close(pair.queue_length, c.throughput * pair.residence_time, zoo.tolerance(result))


def population(name: str, method: str) -> None:
    """The jobs of a closed class are at stations, waiting outside, or thinking: N = Q + X·Z."""
    result = zoo.solved(name, method)
    for c in _closed(result.model):
        found = result[c.name]
        assert found.population == c.population
        inside = sum(result[c.name, s.name].queue_length for s in result.stations)
        outside = found.throughput * (c.think_time + found.admission_wait)
        assert _close(inside + outside, c.population, zoo.tolerance(result))


def cycle_time(name: str, method: str) -> None:
    """The cycle time is think time and response time, N = X·C; an open class has none."""
    result = zoo.solved(name, method)
    for c in result.model.classes:
        found = result[c.name]
        if isinstance(c, OpenClass):
            assert isnan(found.cycle_time)
            assert found.throughput == c.arrival_rate
        elif c.population:
            assert _close(found.cycle_time, c.think_time + found.response_time, 1e-14)
            assert _close(found.throughput * found.cycle_time, c.population, zoo.tolerance(result))


def response_time(name: str, method: str) -> None:
    """The response time of a class is the sum of its residence times and its admission wait."""
    result = zoo.solved(name, method)
    for c in result.classes:
        if c.population != 0:
            stays = sum(result[c.name, s.name].residence_time for s in result.stations)
            assert _close(c.response_time, stays + c.admission_wait, 1e-13)


def queue_length_of_a_class(name: str, method: str) -> None:
    """The queue length of a class is the sum over stations and what waits outside."""
    result = zoo.solved(name, method)
    for c in result.classes:
        stays = sum(result[c.name, s.name].queue_length for s in result.stations)
        assert _close(c.queue_length, stays + c.throughput * c.admission_wait, 1e-13)


def utilization(name: str, method: str) -> None:
    """Utilization is X·D over the servers, or over the highest speed, and lies within 0 and 1."""
    result = zoo.solved(name, method)
    for station in result.model.stations:
        for c in result.classes:
            pair = result[c.name, station.name]
            if isinstance(station, Delay):
                assert isnan(pair.utilization)
                continue
            top = station.servers if isinstance(station, Queue) else max(station.rates)
            assert _close(pair.utilization, c.throughput * pair.demand / top, 1e-13)
            assert 0 <= pair.utilization <= 1 + zoo.tolerance(result)
            if pair.demand > 0:
                assert c.throughput <= top / pair.demand * (1 + zoo.tolerance(result))
        if not isinstance(station, Delay):
            assert 0 <= result[station.name].utilization <= 1 + zoo.tolerance(result)


def station_sums(name: str, method: str) -> None:
    """Utilization, queue length and throughput of a station are the sums over its classes."""
    result = zoo.solved(name, method)
    for s in result.stations:
        pairs = [result[c.name, s.name] for c in result.classes]
        assert _close(s.queue_length, sum(p.queue_length for p in pairs), 1e-13)
        if not isnan(s.utilization) and not _guests(result.model, s.name):
            assert _close(s.utilization, sum(p.utilization for p in pairs), 1e-13)
        visiting = [p.throughput for p in pairs if p.demand > 0]
        if any(map(isnan, visiting)):
            assert isnan(s.throughput)
        else:
            assert _close(s.throughput, sum(visiting), 1e-13)


def throughput_at_a_station(name: str, method: str) -> None:
    """Throughput at a station is visits times the throughput of the class, undefined for a class that gave demands."""
    result = zoo.solved(name, method)
    for c in result.model.classes:
        for s in result.stations:
            flow = result[c.name, s.name].throughput
            if c.visits is None:
                assert isnan(flow)
            else:
                assert _close(flow, c.visits.get(s.name, 0.0) * result[c.name].throughput, 1e-14)


def waiting_time(name: str, method: str) -> None:
    """Waiting is residence less demand; undefined only where a station can serve one job faster than its demand."""
    result = zoo.solved(name, method)
    for station in result.model.stations:
        fast = isinstance(station, LoadDependent) and any(rate > n for n, rate in enumerate(station.rates, 1))
        for c in result.classes:
            pair = result[c.name, station.name]
            if isinstance(station, Delay):
                assert pair.waiting_time == 0
            elif fast or c.population == 0:
                assert isnan(pair.waiting_time)
            else:
                assert pair.waiting_time >= 0
                rounding = 2e-12 * pair.demand  # a wait below that is reported as 0
                assert pair.waiting_time == pytest.approx(pair.residence_time - pair.demand, rel=1e-11, abs=rounding)


def undefined_only_where_allowed(name: str, method: str) -> None:
    """Every figure is finite and not negative, but for the few that are undefined by their meaning."""
    result = zoo.solved(name, method)
    for row in result.rows():
        station = next(s for s in result.model.stations if s.name == row["station"])
        without_jobs = result[row["class"]].population == 0
        allowed = {"throughput"}  # held to its own rule above
        if isinstance(station, Delay):
            allowed |= {"utilization"}
        if isinstance(station, LoadDependent) or without_jobs:
            allowed |= {"waiting_time"}
        if without_jobs:
            allowed |= {"residence_time"}
        for term, value in row.items():
            if term not in {"class", "station"} | allowed:
                assert np.isfinite(value)
            if isinstance(value, float) and not isnan(value):
                assert value >= 0
    for c in result.classes:
        assert np.isfinite([c.throughput, c.queue_length, c.admission_wait]).all()
        assert isnan(c.response_time) == (c.population == 0)


def residence_bounds(name: str, method: str) -> None:
    """A residence time lies between the demand at the best and at the worst speed that a job can get there."""
    result = zoo.solved(name, method)
    some, tol = zoo.jobs(result.model), zoo.tolerance(result)
    for station in result.model.stations:
        beyond = len(station.rates) if isinstance(station, LoadDependent) else ceil(getattr(station, "servers", 1)) + 1
        shares = [zoo.held_speed(station, n) / n for n in range(1, int(min(some, beyond)) + 1)]
        if some == float("inf"):
            worst = float("inf") if not isinstance(station, Delay) else 1.0
        else:
            worst = max(n / zoo.held_speed(station, n) for n in range(1, max(1, int(some)) + 1))
        for c in result.classes:
            pair = result[c.name, station.name]
            if c.population != 0 and pair.demand > 0:
                assert pair.demand / max(shares) * (1 - tol) <= pair.residence_time
                if name not in zoo.ODD:  # where every job has its share of the station
                    assert pair.residence_time <= pair.demand * worst * (1 + tol)


def asymptotic_bounds(name: str, method: str) -> None:
    """A closed class passes neither N/(Z + ΣD) nor its bottleneck, and keeps up with one job at a time.

    Beside open classes it may be slower than that: any number of their jobs may be there.
    """
    result = zoo.solved(name, method)
    stations, tol = result.model.stations, zoo.tolerance(result)
    everyone = zoo.jobs(result.model)
    for c in _closed(result.model):
        if not c.population:
            continue
        speeds = {s.name: [zoo.held_speed(s, n) / n for n in range(1, int(min(everyone, 1000)) + 1)] for s in stations}
        soonest = c.think_time + sum(c.demand(s.name) / max(speeds[s.name]) for s in stations)
        latest = c.think_time + sum(c.demand(s.name) / min(speeds[s.name]) for s in stations)
        found = result[c.name]
        assert found.throughput <= c.population / soonest * (1 + tol)
        if everyone < float("inf") and name not in zoo.ODD:
            assert c.population / latest * (1 - tol) <= found.throughput
        if found.bottleneck is not None:
            assert found.throughput <= found.highest_throughput * (1 + tol)


def bottleneck(name: str, method: str) -> None:
    """The bottleneck of a class has its largest demand per server, and bounds its throughput by the inverse.

    At a load-dependent station the highest speed counts for a closed class, the last one for an open class.
    """
    result = zoo.solved(name, method)
    for c in result.model.classes:
        speed = max if isinstance(c, ClosedClass) else (lambda rates: rates[-1])
        tops = {s.name: s.servers if isinstance(s, Queue) else speed(s.rates) for s in _queueing(result.model)}
        pressure = {name: c.demand(name) / top for name, top in tops.items() if c.demand(name) > 0}
        found = result[c.name]
        if not pressure:
            assert found.bottleneck is None
            assert isnan(found.highest_throughput)
        else:
            assert _close(pressure[found.bottleneck], max(pressure.values()), 1e-14)
            assert _close(found.highest_throughput, 1 / max(pressure.values()), 1e-14)


def distribution(name: str, method: str) -> None:
    """The probabilities at a station sum to 1, their mean is the queue length, and their mean speed the load served.

    An approximate method's distribution has the mean, not the speed.
    """
    result = zoo.solved(name, method)
    for station in result.model.stations:
        p = result.distribution(station.name)
        found = result[station.name]
        jobs = np.arange(len(p))
        assert (p >= 0).all()
        assert p.sum() == pytest.approx(1, rel=1e-12)
        assert float(p @ jobs) == pytest.approx(found.queue_length, rel=1e-9, abs=1e-14)
        everyone = zoo.jobs(result.model)
        assert len(p) <= everyone + 1
        if not result.exact or _guests(result.model, station.name) or getattr(station, "on", None):
            continue
        load = sum(c.throughput * result[c.name, station.name].demand for c in result.classes)
        speed = np.array([0.0, *(zoo.held_speed(station, int(n)) for n in jobs[1:])])
        assert float(p @ speed) == pytest.approx(load, rel=1e-9, abs=1e-14)
        if isinstance(station, Queue):
            busy = float(p @ np.minimum(jobs, station.servers)) / station.servers
            assert busy == pytest.approx(found.utilization, rel=1e-9, abs=1e-14)
            if station.servers == 1:
                assert 1 - p[0] == pytest.approx(found.utilization, rel=1e-9, abs=1e-14)


def distribution_is_the_same_when_asked_again(name: str, method: str) -> None:
    """Asking for distributions does not change them: the first answer is the answer, in any order of stations."""
    result = solve(zoo.solved(name, method).model, method=method)
    stations = [s.name for s in result.stations]
    first = {station: result.distribution(station).copy() for station in stations}
    for station in reversed(stations):
        np.testing.assert_array_equal(result.distribution(station), first[station])


def answers_are_direct_and_checked(name: str, method: str) -> None:
    """A solution names its method; an exact one has a residual near rounding, an approximate one a note with its error."""
    result = zoo.solved(name, method)
    assert result.method == method
    if result.exact:
        assert 0 <= result.residual < 1e-11
        assert result.iterations == 0
    else:
        assert re.search(r"on \d{3,4} (models with exact answers|simulated models)", result.notes[-1])
        assert result.iterations > 0 or method in ("limits", "aggregation", "priority", "qna")


def _guests(model: Network, name: str) -> list[str]:
    """Stations that run on the servers of a station."""
    return [s.name for s in model.stations if getattr(s, "on", None) == name]


def _queueing(model: Network) -> list[Queue | LoadDependent]:
    return [s for s in model.stations if not isinstance(s, Delay)]


LAWS = (
    little,
    population,
    cycle_time,
    response_time,
    queue_length_of_a_class,
    utilization,
    station_sums,
    throughput_at_a_station,
    waiting_time,
    undefined_only_where_allowed,
    residence_bounds,
    asymptotic_bounds,
    bottleneck,
    distribution,
    distribution_is_the_same_when_asked_again,
    answers_are_direct_and_checked,
)


@pytest.mark.parametrize(("name", "method"), zoo.every_case(odd=True))
def test_laws(name: str, method: str) -> None:
    """Every law holds for the answer of this method to this model."""
    hold(LAWS, name, method)


def test_all_broken_laws_are_reported() -> None:
    """One message names every broken law, and no law that holds."""

    def first(value: int) -> None:
        assert value > 1

    def second(value: int) -> None:
        assert value > 0

    def third(value: int) -> None:
        assert value > 2

    with pytest.raises(AssertionError, match=r"(?s)^2 broken\n\nfirst: .*\n\nthird: ") as caught:
        hold((first, second, third), 1)
    assert "second" not in str(caught.value)
