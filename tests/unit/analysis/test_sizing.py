"""Sizing: closed forms, and one step further misses the target."""

from __future__ import annotations

import contextlib
import math

import pytest
import qnsolve as qn

from tests.support import zoo


def test_rates_by_hand() -> None:
    """M/M/1: λ = 1/D − 1/R for the mean, 1/D + ln(1 − p)/R for a percentile."""
    shop = qn.Network([qn.Queue("cpu", discipline="fcfs")], [zoo.opened("web", 5.0, cpu=0.1)])
    assert qn.highest_rate(shop, "web", response_time=0.5).value == pytest.approx(8.0, rel=1e-11)
    found = qn.highest_rate(shop, "web", response_time=0.5, percentile=0.95)
    assert found.value == pytest.approx(10 + math.log(0.05) / 0.5, rel=1e-11)
    assert found.reached <= 0.5
    assert "95th percentile" in str(found)


@pytest.mark.parametrize("percentile", [None, 0.9])
def test_a_little_more_misses(percentile: float | None) -> None:
    """At the value the target is kept; a rate 1e-9 higher, one job more, one server fewer misses it."""
    model = qn.Network(
        [qn.Queue("cpu", servers=3), zoo.DISK, zoo.NET],
        [zoo.opened("web", 1.0, cpu=0.9, disk=0.2, net=0.5), zoo.opened("x", 0.4, cpu=1)],
    )

    def reached(other: qn.Network, name: str) -> float:
        if percentile is None:
            return qn.solve(other)[name].response_time
        return qn.response_percentile(other, name, percentile).value

    rate = qn.highest_rate(model, "web", response_time=6.0, percentile=percentile)
    assert reached(model.replace("web", arrival_rate=rate.value), "web") == rate.reached <= 6.0
    assert reached(model.replace("web", arrival_rate=rate.value * (1 + 1e-9)), "web") > 6.0
    other = qn.highest_rate(model, "web", response_time=6.0, percentile=percentile, of="x")
    assert reached(model.replace("web", arrival_rate=other.value), "x") <= 6.0
    closed = qn.Network([qn.Queue("cpu", servers=3), zoo.DISK], [zoo.closed("query", 1, 9.0, cpu=0.9, disk=0.2)])
    jobs = qn.highest_population(closed, "query", response_time=3.0, percentile=percentile)
    assert reached(closed.replace("query", population=jobs.value), "query") <= 3.0
    assert reached(closed.replace("query", population=jobs.value + 1), "query") > 3.0
    busy = model.replace("web", arrival_rate=4.0)
    servers = qn.fewest_servers(busy, "cpu", of="web", response_time=6.0, percentile=percentile)
    assert reached(busy.replace("cpu", servers=servers.value), "web") <= 6.0
    fewer = busy.replace("cpu", servers=servers.value - 1)
    with contextlib.suppress(qn.SaturatedError):
        assert reached(fewer, "web") > 6.0


def test_a_closed_class_beside_arrivals() -> None:
    """The rate of an open class that a closed class can bear."""
    model = zoo.HAND_MADE["mixed"]
    found = qn.highest_rate(model, "browse", response_time=3.0, of="query")
    assert qn.solve(model.replace("browse", arrival_rate=found.value))["query"].response_time == found.reached
    assert found.reached == pytest.approx(3.0, rel=1e-9)


def test_large() -> None:
    """Hundreds of thousands of servers, a million jobs."""
    wide = qn.Network([qn.Queue("cpu")], [zoo.opened("web", 5e5, cpu=1.0)])
    found = qn.fewest_servers(wide, "cpu", of="web", response_time=1.0001)
    assert 500_000 < found.value < 503_000
    crowd = qn.Network([qn.Queue("cpu")], [zoo.closed("query", 1, 1e6, cpu=1.0)])
    found = qn.highest_population(crowd, "query", response_time=1e4)
    assert 1_009_000 <= found.value <= 1_010_100
    assert isinstance(found.value, int)


def test_impossible() -> None:
    """Each impossible target is one line that states what can be reached."""
    shop = qn.Network([zoo.CPU, zoo.DISK, zoo.NET], [zoo.opened("web", 1.0, cpu=0.1, disk=0.5), zoo.opened("x", 1.9, disk=0.5)])
    with pytest.raises(qn.ModelError, match=r"arrival_rate.*the best is"):
        qn.highest_rate(shop, "web", response_time=0.5)
    with pytest.raises(qn.ModelError, match=r"servers.*saturated"):
        qn.fewest_servers(shop, "cpu", of="web", response_time=0.5)
    with pytest.raises(qn.ModelError, match=r"servers.*the best is"):
        qn.fewest_servers(shop.replace("x", arrival_rate=0.1), "cpu", of="web", response_time=0.5)
    with pytest.raises(qn.ModelError, match="no highest value"):
        qn.highest_rate(qn.Network([zoo.NET], [zoo.opened("web", 1.0, net=1.0)]), "web", response_time=2.0)
    with pytest.raises(qn.ModelError, match="population"):
        qn.highest_population(zoo.HAND_MADE["one class"], "query", response_time=0.1)
    with pytest.raises(qn.ModelError, match="still meets the target"):
        qn.highest_population(qn.Network([zoo.NET], [zoo.closed("q", 1, net=1.0)]), "q", response_time=2.0)
    with pytest.raises(qn.ModelError, match="must name a queue"):
        qn.fewest_servers(shop, "net", of="web", response_time=1.0)
    with pytest.raises(qn.ModelError, match="must name an open class"):
        qn.highest_rate(zoo.HAND_MADE["mixed"], "query", response_time=1.0)
    with pytest.raises(qn.ModelError, match="must name a closed class"):
        qn.highest_population(zoo.HAND_MADE["mixed"], "browse", response_time=1.0)
    with pytest.raises(qn.ModelError, match="response_time"):
        qn.highest_rate(shop, "web", response_time=0)
