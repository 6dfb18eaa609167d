"""What must stay the same, or change in a known way, when a model is written differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, OpenClass, Queue, Solution, methods, solve

from tests.support import zoo
from tests.support.together import hold

FCFS = {
    name for name, model in zoo.every_model().items() if any(getattr(s, "discipline", "ps") == "fcfs" for s in model.stations)
}
TIMES = ("demands", "service_times")


def _tolerance(result: Solution) -> float:
    return zoo.tolerance(result, approximate=1e-4)


def _approx(expected: float, rel: float) -> Any:
    return pytest.approx(expected, rel=rel, abs=1e-14, nan_ok=True)


def _scaled(job_class: ClosedClass | OpenClass, factor: float) -> ClosedClass | OpenClass:
    changes: dict[str, Any] = {
        part: {k: v * factor for k, v in given.items()} for part in TIMES if (given := getattr(job_class, part)) is not None
    }
    if isinstance(job_class, OpenClass):
        return replace(job_class, arrival_rate=job_class.arrival_rate / factor, **changes)
    return replace(job_class, think_time=job_class.think_time * factor, **changes)


def _same(before: Solution, after: Solution, rel: float, times: float = 1.0, names: Callable[[str], str] = str) -> None:
    """Hold every figure of `before` against `after`, whose times are longer by a factor."""
    for c in before.classes:
        found = after[names(c.name)]
        assert found.throughput == _approx(c.throughput / times, rel)
        assert found.response_time == _approx(c.response_time * times, rel)
        assert found.cycle_time == _approx(c.cycle_time * times, rel)
        assert found.queue_length == _approx(c.queue_length, rel)
    for p in before.pairs:
        found = after[names(p.class_name), names(p.station)]
        assert found.utilization == _approx(p.utilization, rel)
        assert found.queue_length == _approx(p.queue_length, rel)
        assert found.residence_time == _approx(p.residence_time * times, rel)
        assert found.throughput == _approx(p.throughput / times, rel)
    for s in before.stations:
        assert after[names(s.name)].queue_length == _approx(s.queue_length, rel)
        assert after[names(s.name)].utilization == _approx(s.utilization, rel)


def rescaling_time(name: str, method: str) -> None:
    """With all times a thousand times longer, rates are a thousandth, times thousandfold and the rest the same."""
    before = zoo.solved(name, method)
    model = replace(before.model, classes=[_scaled(c, 1000.0) for c in before.model.classes])
    _same(before, solve(model, method=method), _tolerance(before), times=1000.0)


def permuting(name: str, method: str) -> None:
    """The order of stations and classes does not matter, nor do their names."""
    before = zoo.solved(name, method)
    model = before.model
    renamed = {key: f"other {key}" for key in [s.name for s in model.stations] + [c.name for c in model.classes]}

    def other(job_class: ClosedClass | OpenClass) -> ClosedClass | OpenClass:
        parts = {part: getattr(job_class, part) for part in (*TIMES, "visits")}
        moved = {part: {renamed[k]: v for k, v in given.items()} for part, given in parts.items() if given is not None}
        return replace(job_class, name=renamed[job_class.name], **moved)

    changed = Network(
        [replace(s, name=renamed[s.name]) for s in reversed(model.stations)], [other(c) for c in reversed(model.classes)]
    )
    _same(before, solve(changed, method=method), _tolerance(before), names=renamed.__getitem__)


def splitting_a_class(name: str, method: str) -> None:
    """Two classes with the same demands share what one class of both would have, each by its jobs."""
    before = zoo.solved(name, method)
    first, *others = before.model.classes
    if isinstance(first, OpenClass):
        rates = [first.arrival_rate * 0.3, first.arrival_rate * 0.7]
        parts = [replace(first, name=f"part {i}", arrival_rate=rate) for i, rate in enumerate(rates)]
        shares = [0.3, 0.7]
    else:
        some = first.population // 3
        sizes = [some, first.population - some]
        parts = [replace(first, name=f"part {i}", population=size) for i, size in enumerate(sizes)]
        shares = [size / max(first.population, 1) for size in sizes]
    after = solve(replace(before.model, classes=[*parts, *others]), method="exact" if before.exact else method)
    rel = _tolerance(before)
    for part, share in zip(parts, shares, strict=True):
        assert after[part.name].throughput == _approx(before[first.name].throughput * share, rel)
        for s in before.stations:
            assert after[part.name, s.name].queue_length == _approx(before[first.name, s.name].queue_length * share, rel)
            if share:
                assert after[part.name, s.name].residence_time == _approx(before[first.name, s.name].residence_time, rel)
    for c in others:
        assert after[c.name].throughput == _approx(before[c.name].throughput, rel)


def enough_servers_are_a_delay(name: str, method: str) -> None:
    """A queue with as many servers as there are jobs holds them as a delay station does."""
    model = zoo.every_model()[name]
    everyone = max(1, int(zoo.jobs(model)))
    ample = replace(model, stations=[Queue(s.name, servers=everyone) for s in model.stations])
    more = replace(model, stations=[Queue(s.name, servers=10**6) for s in model.stations])
    free = replace(model, stations=[Delay(s.name) for s in model.stations])
    expected = solve(free, method=method)
    for result in (solve(ample, method=method), solve(more, method=method)):
        for c in result.classes:
            assert c.throughput == _approx(expected[c.name].throughput, _tolerance(result))
        for p in result.pairs:
            assert p.queue_length == _approx(expected[p.class_name, p.station].queue_length, _tolerance(result))
            assert p.waiting_time == _approx(0.0, 0) or np.isnan(p.waiting_time)


def servers_are_rates(name: str, method: str) -> None:
    """Queue(servers=m) is LoadDependent(rates=[1, 2, ... m])."""
    before = zoo.solved(name, method)
    stations = [
        LoadDependent(s.name, rates=[zoo.held_speed(s, n) for n in range(1, ceil(s.servers) + 1)])
        if isinstance(s, Queue)
        else s
        for s in before.model.stations
    ]
    after = solve(replace(before.model, stations=stations), method=method)
    _same(before, after, _tolerance(before))
    for p in before.pairs:
        assert after[p.class_name, p.station].waiting_time == _approx(p.waiting_time, 1e-9)


def one_job_meets_nobody(name: str, method: str) -> None:
    """A single job goes round in its think time and its demands, each over the speed for one job."""
    for c in zoo.every_model()[name].classes:
        alone = Network(zoo.every_model()[name].stations, [replace(c, population=1)])
        result = solve(alone, method=method)
        stays = {s.name: c.demand(s.name) / zoo.held_speed(s, 1) for s in alone.stations}
        assert result[c.name].throughput == pytest.approx(1 / (c.think_time + sum(stays.values())), rel=_tolerance(result))
        for station, stay in stays.items():
            assert result[c.name, station].residence_time == pytest.approx(stay, rel=_tolerance(result))


def visits_times_service_time_is_demand(name: str, method: str) -> None:
    """A class that gives visits and service times is solved as one that gives their products as demands."""
    before = zoo.solved(name, method)
    changed = []
    for r, c in enumerate(before.model.classes):
        demands = {s: c.demand(s) for s in c.stations()}
        visits = {s: 2.0 ** (k + r) for k, s in enumerate(demands)}
        times = {s: demand / visits[s] for s, demand in demands.items()}
        changed.append(replace(c, demands=None, visits=visits, service_times=times))
    stations = [Queue(s.name, servers=s.servers) if isinstance(s, Queue) else s for s in before.model.stations]
    after = solve(Network(stations, changed), method=method)
    for c in changed:
        assert after[c.name].throughput == _approx(before[c.name].throughput, 1e-13)
        for s in before.stations:
            assert after[c.name, s.name].demand == before[c.name, s.name].demand
            assert after[c.name, s.name].queue_length == _approx(before[c.name, s.name].queue_length, 1e-13)
            flow = c.visits.get(s.name, 0.0) * after[c.name].throughput
            assert after[c.name, s.name].throughput == _approx(flow, 1e-14)


def a_station_without_demand_changes_nothing(name: str, method: str) -> None:
    """A station where no class goes is empty, and the others do not notice it."""
    before = zoo.solved(name, method)
    for spare in (Queue("spare", servers=3), Delay("spare"), LoadDependent("spare", rates=[3.0, 1.0])):
        after = solve(replace(before.model, stations=[spare, *before.model.stations]), method=method)
        _same(before, after, _tolerance(before))
        assert after["spare"].queue_length == 0
        assert after.distribution("spare")[0] == 1


def a_class_without_jobs_changes_nothing(name: str, method: str) -> None:
    """A class without jobs moves nothing, and the others do not notice it."""
    before = zoo.solved(name, method)
    demands = {s.name: 3.0 for s in before.model.stations if getattr(s, "discipline", "ps") != "fcfs"}
    if np.isfinite(zoo.jobs(before.model)):
        nobody = ClosedClass("nobody", population=0, think_time=1.0, demands=demands)
    else:
        nobody = OpenClass("nobody", arrival_rate=0.0, demands=demands)
    model = replace(before.model, classes=[nobody, *before.model.classes])
    accepted = {report.name for report in methods(model) if report.accepts}
    after = solve(model, method=method if method in accepted else "exact")
    _same(before, after, _tolerance(before))
    assert after["nobody"].throughput == 0
    assert after["nobody"].queue_length == 0


OF_ANY_MODEL = (
    rescaling_time,
    permuting,
    servers_are_rates,
    visits_times_service_time_is_demand,
    a_station_without_demand_changes_nothing,
    a_class_without_jobs_changes_nothing,
)
OF_CLOSED_MODELS = (enough_servers_are_a_delay, one_job_meets_nobody)


def _hold(name: str, method: str) -> None:
    laws = [*OF_ANY_MODEL, *([] if name in FCFS else [splitting_a_class])]
    if np.isfinite(zoo.jobs(zoo.every_model()[name])):
        laws += OF_CLOSED_MODELS
    hold(laws, name, method)


@pytest.mark.parametrize(("name", "method"), [case for case in zoo.every_case() if case[0] in zoo.HAND_MADE])
def test_hand_made_models(name: str, method: str) -> None:
    """Every transformation of this model changes the answer of this method as it must."""
    _hold(name, method)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "method"), [case for case in zoo.every_case() if case[0] not in zoo.HAND_MADE])
def test_random_models(name: str, method: str) -> None:
    """Every transformation of this model changes the answer of this method as it must."""
    _hold(name, method)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_open_servers_beyond_need_are_a_delay(load: float) -> None:
    """An open station with far more servers than it needs holds jobs as a delay station does."""
    demand = 7.0
    job_class = zoo.opened("browse", load, hall=demand)
    queue = solve(Network([Queue("hall", servers=200)], [job_class]))
    delay = solve(Network([Delay("hall")], [job_class]))
    assert queue["hall"].queue_length == pytest.approx(delay["hall"].queue_length, rel=1e-13)
    ours, theirs = queue.distribution("hall"), delay.distribution("hall")
    size = min(len(ours), len(theirs))
    np.testing.assert_allclose(ours[:size], theirs[:size], rtol=1e-12, atol=1e-15)
