"""Queues on the servers of others at any size: method `layers` against chains, bounds and `aggregation`."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.stations import mmc


def tcbs(regions: int, users: int, engines: int, demand: float = 0.0007, think: float = 0.2) -> qn.Network:
    """A QR TCB a region on shared CPs, each with users of its own."""
    stations = [qn.Queue("CPs", servers=engines), *(qn.Queue(f"QR{i}", on="CPs") for i in range(regions))]
    classes = [qn.ClosedClass(f"c{i}", population=users, think_time=think, demands={f"QR{i}": demand}) for i in range(regions)]
    return qn.Network(stations, classes)


def test_full_processors_are_all_used() -> None:
    """Twelve full TCBs on four CPs do what four CPs can do, no more and no less."""
    found = qn.solve(tcbs(12, 300, 4))
    assert found.method == "layers"
    assert sum(c.throughput for c in found.classes) * 0.0007 == pytest.approx(4, rel=1e-4)
    for c in found.classes:
        assert c.throughput * (0.2 + c.response_time) == pytest.approx(300, rel=1e-6)


def test_enough_processors_are_as_good_as_own_ones() -> None:
    """With a CP for each TCB no TCB waits for one: each TCB is a queue of its own."""
    found = qn.solve(tcbs(4, 300, 4), method="layers")
    alone = qn.solve(
        qn.Network([qn.Queue("QR")], [qn.ClosedClass("c", population=300, think_time=0.2, demands={"QR": 0.0007})])
    )
    for c in found.classes:
        assert c.response_time == pytest.approx(alone["c"].response_time, rel=1e-4)


@pytest.mark.parametrize(("regions", "users", "engines"), [(2, 4, 1), (3, 3, 2), (2, 6, 1)])
def test_small_systems_against_their_chain(regions: int, users: int, engines: int) -> None:
    """Response times within 3 percent of the Markov chain, users with TCBs of their own."""
    site = tcbs(regions, users, engines, demand=0.05)
    exact, found = qn.solve(site, method="markov"), qn.solve(site, method="layers")
    assert found["c0"].response_time == pytest.approx(exact["c0"].response_time, rel=0.03)


def test_one_region_of_many_users_as_aggregation_has_it() -> None:
    """A TCB and other work on the CPs, 100 users: both methods within 2 percent."""
    site = qn.Network(
        [qn.Queue("CPs", servers=2), qn.Queue("QR", on="CPs")],
        [qn.ClosedClass("u", population=100, think_time=0.15, demands={"QR": 0.001, "CPs": 0.002})],
    )
    by_chain, found = qn.solve(site, method="aggregation"), qn.solve(site, method="layers")
    assert found["u"].throughput == pytest.approx(by_chain["u"].throughput, rel=0.02)


def test_open_work_that_fills_the_processors() -> None:
    """The saturated station is the CPs, where the work of all TCBs meets."""
    stations = [qn.Queue("CPs", servers=2), qn.Queue("QR1", on="CPs"), qn.Queue("QR2", servers=2, on="CPs")]
    classes = [qn.OpenClass(f"c{i}", arrival_rate=1.2, demands={f"QR{i}": 0.9}) for i in (2,)]
    classes.append(qn.OpenClass("c1", arrival_rate=0.95, demands={"QR1": 0.99}))
    with pytest.raises(qn.SaturatedError) as caught:
        qn.solve(qn.Network(stations, classes), method="layers")
    assert caught.value.station == "CPs"


def test_what_it_refuses() -> None:
    """Models without such queues, limits, and disciplines that the layers do not know."""
    plain = qn.Network([qn.Queue("q")], [qn.ClosedClass("c", population=2, demands={"q": 1.0})])
    limited = qn.Network(tcbs(2, 5, 1).stations, tcbs(2, 5, 1).classes, [qn.AdmissionLimit(3)])
    first = qn.Network(
        [qn.Queue("CPs"), qn.Queue("QR", on="CPs", discipline="fcfs")], [qn.ClosedClass("c", population=2, demands={"QR": 1.0})]
    )
    for site, why in ((plain, "run on the servers"), (limited, "admission limits"), (first, "fcfs")):
        with pytest.raises(qn.NoMethodError, match=why):
            qn.solve(site, method="layers")


@pytest.mark.parametrize("busy", [0.3, 0.85, 0.95, 0.98])
@pytest.mark.parametrize(("threads", "processors"), [(8, 4), (4, 4), (3, 5)])
def test_threads_alone_on_their_processors(threads: int, processors: int, busy: float) -> None:
    """A limit of c threads on m processors that nothing else uses is M/M/min(c, m), also when nearly saturated."""
    servers = min(threads, processors)
    rate = busy * servers / 0.01
    model = qn.Network(
        [qn.Queue("cp", servers=processors), qn.Queue("thr", servers=threads, on="cp")],
        [qn.OpenClass("w", arrival_rate=rate, demands={"thr": 0.01})],
    )
    found = qn.solve(model, "layers")
    assert found["w"].response_time == pytest.approx(mmc(rate, 0.01, servers).response_time, rel=1e-9)
    lengths = found.distribution("thr")
    assert np.arange(len(lengths)) @ lengths == pytest.approx(found["w"].queue_length, rel=1e-6)


def test_wide_guests_share_their_host_as_one_queue() -> None:
    """Guests with at least as many threads as the host has processors keep it busy as one queue: 5 % from the chain."""
    stations = [qn.Queue("cp", servers=2), qn.Queue("a", servers=4, on="cp"), qn.Queue("b", servers=3, on="cp")]
    classes = [
        qn.OpenClass("x", arrival_rate=40.0, demands={"a": 0.02}),
        qn.OpenClass("y", arrival_rate=15.0, demands={"b": 0.04}),
    ]
    model = qn.Network(stations, classes)
    exact, found = qn.solve(model, "markov"), qn.solve(model, "layers")
    for name in "xy":
        assert found[name].response_time == pytest.approx(exact[name].response_time, rel=0.05)
    for name in ("a", "b"):
        lengths = found.distribution(name)
        assert lengths.sum() == pytest.approx(1)
        queue = sum(pair.queue_length for pair in found.pairs if pair.station == name)
        assert np.arange(len(lengths)) @ lengths == pytest.approx(queue, rel=0.05)
