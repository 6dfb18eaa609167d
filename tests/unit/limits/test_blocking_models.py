"""Models with stations of limited room: what is refused, what is wrong, files, and what is printed."""

from __future__ import annotations

from typing import Any

import pytest
from qnsolve import (
    AdmissionLimit,
    ClosedClass,
    LoadDependent,
    ModelError,
    Network,
    NoMethodError,
    Queue,
    dumps,
    loads,
    methods,
    solve,
)

from tests.unit.limits.test_blocking import MIXED, line


def _closed(stations: list[Any], **more: Any) -> Network:
    limits = more.pop("limits", ())
    demands = {"demands": {s.name: 1.0 for s in stations}}
    return Network(stations, [ClosedClass("jobs", population=6, **{**demands, **more})], limits)


REFUSED = {
    "a circle that can be full": (
        _closed([Queue("a", capacity=2), Queue("b", capacity=4)]),
        "a circle with a total capacity of 6",
    ),
    "a part of it": (
        _closed(
            [Queue("a"), Queue("b", capacity=1), Queue("c", capacity=2)],
            demands=None,
            service_times={"a": 1.0, "b": 1.0, "c": 1.0},
            routing={"a": {"b": 1.0}, "b": {"c": 1.0}, "c": {"b": 0.5, "a": 0.5}},
            reference="a",
        ),
        "stations 'b', 'c': a circle with a total capacity of 3",
    ),
    "no servers to hold": (_closed([LoadDependent("a", rates=[1.0, 1.5]), Queue("b", capacity=2)]), "without servers"),
    "priorities": (_closed([Queue("a", discipline="preemptive"), Queue("b", capacity=2)]), "discipline 'preemptive'"),
    "a part of a server": (_closed([Queue("a", servers=1.5), Queue("b", capacity=2)]), "servers 1.5 where jobs may be"),
    "limits": (_closed([Queue("a"), Queue("b", capacity=2)], limits=[AdmissionLimit(3)]), "limit 'limit': admission limits"),
    "on others": (_closed([Queue("a"), Queue("b", capacity=2), Queue("t", on="a")]), "runs on the servers of 'a'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """What has no answer is refused by every method, with the reason."""
    model, reason = REFUSED[name]
    with pytest.raises(NoMethodError, match=reason):
        solve(model, method="markov")
    with pytest.raises(NoMethodError):
        solve(model)


def test_one_job_less_is_no_deadlock() -> None:
    """A circle with one place free is solved."""
    assert solve(line((2, 4), (1.0, 1.0), 5))["jobs"].throughput > 0


def test_other_methods_give_their_reason() -> None:
    """Each method that knows no blocking names the station and its capacity."""
    found = {r.name: r.reason for r in methods(line((None, 2), (1.0, 1.0), 4)) if not r.accepts}
    for name in ("convolution", "lattice", "recal", "mixed", "linearizer", "aql", "schweitzer", "aggregation", "fcfs"):
        assert found[name] == "station 's1': capacity 2, which blocks others"


WRONG = {
    "below the servers": (
        lambda: Queue("a", servers=3, capacity=2),
        "station 'a': capacity = 2: must be at least the number of servers",
    ),
    "zero": (lambda: Queue("a", capacity=0), "station 'a': capacity = 0: must lie within 1"),
    "order unknown": (
        lambda: _closed(
            [Queue("a"), Queue("b", capacity=2)], demands=None, visits={"a": 2, "b": 1}, service_times={"a": 1, "b": 1}
        ),
        "class 'jobs': visits: must say from which stations jobs come to 'b', which has a capacity; give routing",
    ),
    "no time": (
        lambda: _closed(
            [Queue("a"), Queue("b", capacity=2)],
            demands=None,
            routing={"a": {"b": 1.0}, "b": {"a": 1.0}},
            reference="a",
            service_times={"a": 1, "b": 0},
        ),
        r"class 'jobs': visits\['b'\]: must have a service time above 0, because the capacity is limited",
    ),
    "reference without routing": (
        lambda: ClosedClass("jobs", population=1, demands={"a": 1.0}, reference="a"),
        "class 'jobs': reference = 'a': is allowed only with routing",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models(name: str) -> None:
    """A contradiction is one line."""
    make, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("form", ["toml", "json"])
@pytest.mark.parametrize("name", MIXED)
def test_files(name: str, form: str) -> None:
    """Capacities and routings are written and read again."""
    assert loads(dumps(MIXED[name], form), form) == MIXED[name]


def test_a_routing_can_be_replaced() -> None:
    """Another routing brings other visits."""
    model = MIXED["reference"].replace(
        "jobs", routing={"cpu": {"disk": 0.5, "log": 0.5}, "disk": {"cpu": 1.0}, "log": {"cpu": 1.0}}
    )
    assert model.classes[0].visits == {"cpu": 1.0, "disk": 0.5, "log": 0.5}


def test_what_is_printed() -> None:
    """The table shows which station is blocked."""
    said = str(solve(line((None, 2), (1.0, 1.5), 4)))
    assert "s0: 58.5 % busy, 41.5 % blocked by jobs that wait for a place at the next station" in said
