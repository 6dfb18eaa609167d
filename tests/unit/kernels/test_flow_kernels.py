"""Kernels of blocking, general service, layers and limits where iterations run out or little is there."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.blocking import decomposition
from qnsolve.methods.general import fcfs
from qnsolve.methods.general import qna as flows
from qnsolve.methods.layers import shared_servers
from qnsolve.methods.limits import limited_region
from qnsolve.methods.limits.entry_order import Cap, Region
from qnsolve.methods.markov.blocking_moves import BlockingJobs, NoRoomError
from qnsolve.methods.markov.station_states import StationStates
from qnsolve.methods.product_form.convolution import one_class
from qnsolve.methods.product_form.subnetwork import part
from qnsolve.numerics.fixed_point import NotConvergedError

INF = float("inf")
PAIR = decomposition.Feeds(
    service=np.array([1.0, 0.8]),
    visits=np.ones(2),
    speeds=(np.ones(1), np.ones(1)),
    servers=np.ones(2),
    capacity=np.array([INF, 2.0]),
    onward=np.array([[0.0, 1.0], [0.0, 0.0]]),
    entry=np.array([1.0, 0.0]),
)


@pytest.mark.parametrize("limit", ["STEPS", "TURNS"])
def test_blocking_that_does_not_settle_is_reported(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps run out there is an error with what is missing, and no figure."""
    assert decomposition.closed(PAIR, 5, 1.0)[0] > 0
    monkeypatch.setattr(decomposition, limit, 1)
    with pytest.raises(NotConvergedError) as caught:
        decomposition.closed(PAIR, 5, 1.0)
    assert caught.value.residual > 0


def test_a_flow_that_no_arrivals_bring_is_refused() -> None:
    """A station that nobody joins while one is there carries no more than one at a time, however often they come."""
    half = decomposition._balanced(np.array([[1.0, 0.0]]), np.array([[1.0, 2.0]]), np.array([0.5]), np.zeros(1))[0]
    np.testing.assert_allclose(half, [[0.5, 0.5, 0.0]], atol=1e-14)
    with pytest.raises(decomposition.TooBusyError):
        decomposition._balanced(np.array([[1.0, 0.0]]), np.array([[1.0, 2.0]]), np.array([1.5]), np.array([590.0]))


def _in_order(**changed: object) -> fcfs.Closed:
    given = {
        "population": np.array([4.0, 3.0]),
        "think_time": np.array([5.0, 2.0]),
        "visits": np.ones((2, 2)),
        "service": np.array([[0.5, 1.0], [2.0, 1.0]]),
        "variation": np.array([[1.0, 1.0], [4.0, 1.0]]),
        "speeds": [np.ones(1), None],
        "in_order": np.array([True, False]),
    }
    return fcfs.Closed(**{**given, **changed})


def test_corrections_that_do_not_settle_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the Linearizer's corrections the answer says so, and is near the one with them."""
    usual = fcfs.in_order(_in_order())
    monkeypatch.setattr(fcfs, "BENT", 0.0)
    plain = fcfs.in_order(_in_order())
    assert usual.notes == ()
    assert len(plain.notes) == 1
    np.testing.assert_allclose(plain.throughput, usual.throughput, rtol=0.1)
    monkeypatch.setattr(fcfs, "STEPS", 1)
    with pytest.raises(NotConvergedError):
        fcfs.in_order(_in_order())


def test_several_servers_in_order_are_those_of_the_exact_station() -> None:
    """Equal exponential times at three servers: first come first served is product form, within 5 %."""
    alike = np.full((2, 2), 0.9)
    both = fcfs.in_order(
        _in_order(service=alike, variation=np.ones((2, 2)), speeds=[np.arange(1.0, 4.0), None], think_time=np.full(2, 2.0))
    )
    exact = one_class(7, 2.0, np.array([0.9, 0.9]), [np.arange(1.0, 4.0), None])
    assert both.throughput.sum() == pytest.approx(exact.throughput[0], rel=0.05)
    assert both.throughput[0] / 4 == pytest.approx(both.throughput[1] / 3, rel=0.02)


def test_a_class_alone_at_several_servers_waits_for_nobody() -> None:
    """One job at two servers finds one free: its residence time is its service time."""
    alone = fcfs.in_order(
        fcfs.Closed(
            np.ones(1),
            np.ones(1),
            np.ones((1, 1)),
            np.ones((1, 1)),
            np.full((1, 1), 3.0),
            [np.arange(1.0, 3.0)],
            np.array([True]),
        )
    )
    assert alone.throughput[0] == pytest.approx(0.5, rel=1e-9)


def _flows(**changed: object) -> flows.Flows:
    onward = np.zeros((1, 3, 3))
    onward[0, 2, 0] = onward[0, 0, 1] = onward[0, 1, 2] = 1.0
    given = {
        "kinds": ("fcfs", "nonpreemptive"),
        "speeds": [np.ones(1), np.ones(1)],
        "service": np.array([[0.5, 0.25]]),
        "variation": np.ones((1, 2)),
        "visits": np.ones((1, 2)),
        "onward": onward,
        "rank": (1,),
        "arrival_rate": np.ones(1),
        "arrival_variation": np.full(1, 2.0),
        "batch_size": np.ones(1),
        "batch_variation": np.zeros(1),
    }
    return flows.Flows(**{**given, **changed})


def test_flows_that_do_not_settle_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps run out before the variations of the flows are found there is an error and no figure."""
    assert flows.qna(_flows()).residence_time.min() > 0
    monkeypatch.setattr(flows, "STEPS", 1)
    with pytest.raises(NotConvergedError):
        flows.qna(_flows())


@pytest.mark.parametrize("kind", ["fcfs", "nonpreemptive", "preemptive"])
def test_a_station_that_nobody_visits_changes_nothing(kind: str) -> None:
    """Poisson arrivals at one server, busy half of the time, beside an idle station: M/M/1."""
    onward = np.zeros((1, 3, 3))
    onward[0, 2, 0] = onward[0, 0, 2] = 1.0
    found = flows.qna(_flows(kinds=("fcfs", kind), visits=np.array([[1.0, 0.0]]), onward=onward, arrival_variation=np.ones(1)))
    assert found.residence_time[0].tolist() == pytest.approx([1.0, 0.0], rel=1e-9)


@pytest.mark.parametrize("kind", ["nonpreemptive", "preemptive"])
def test_a_level_without_jobs_leaves_the_server_to_the_other(kind: str) -> None:
    """Where the higher class goes elsewhere the lower one waits as at M/M/1."""
    onward = np.zeros((2, 3, 3))
    onward[0, 2, 0] = onward[0, 0, 2] = onward[1, 2, 1] = onward[1, 1, 2] = 1.0
    found = flows.qna(
        _flows(
            kinds=(kind, kind),
            service=np.full((2, 2), 0.5),
            variation=np.ones((2, 2)),
            visits=np.eye(2),
            onward=onward,
            rank=(1, 2),
            arrival_rate=np.ones(2),
            arrival_variation=np.ones(2),
            batch_size=np.ones(2),
            batch_variation=np.zeros(2),
        )
    )
    np.testing.assert_allclose(found.residence_time, np.eye(2), rtol=1e-9)


def test_streams_beyond_the_servers_are_refused() -> None:
    """A stream of 2.5 servers' work at two servers is an error with the load, whoever asks."""
    speeds = np.array([1.0, 2.0])
    with pytest.raises(shared_servers.FullError) as caught:
        shared_servers.shared([2.5], [INF], [1.0], speeds)
    assert caught.value.load == 1.25
    with pytest.raises(shared_servers.FullError) as caught:
        shared_servers.seen([2.5, 0.5], [INF, 1.0], [1.0, 1.0], speeds, 1)
    assert caught.value.load == 1.5


def _region(jobs: list[int], capacity: int) -> tuple[Region, np.ndarray]:
    """A limit on classes that think for 1 and are served for 1 by one server; rates of arrival at each state."""
    region = Region(jobs, [Cap(capacity, tuple(range(len(jobs))))])
    n = np.indices(region.shape)
    return region, np.array([size - own for size, own in zip(jobs, n, strict=True)], dtype=float)


def test_a_limit_with_more_states_than_allowed_is_solved_with_long_steps() -> None:
    """Beyond the states allowed the chain takes steps of several jobs; where there is room for all, those of one."""
    region, arrivals = _region([6], 2)
    inside = part(region.room, np.ones((1, 1)), [np.ones(1)])
    every, few = (limited_region.limited(region, inside, arrivals, [0], most, INF) for most in (7, 6))
    np.testing.assert_allclose(few.p, every.p, rtol=1e-9)
    region, arrivals = _region([4000], 2)
    inside = part(region.room, np.full((1, 1), 3e-4), [np.ones(1)])
    every, few = (limited_region.limited(region, inside, arrivals, [0], most, INF) for most in (10**6, 6))
    assert few.p.sum() == pytest.approx(1)
    assert float(few.wanting[0]) == pytest.approx(float(every.wanting[0]), rel=0.02)


def test_a_window_that_cuts_too_much_is_widened(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a window far too narrow at first the chain has the probabilities of all states."""
    region, arrivals = _region([60], 2)
    inside = part(region.room, np.full((1, 1), 0.02), [np.ones(1)])
    whole = limited_region.limited(region, inside, arrivals, [0], 10**6, INF)
    monkeypatch.setattr(limited_region, "FEW", 1)
    monkeypatch.setattr(limited_region, "WIDER", 0.01)
    cut = limited_region.limited(region, inside, arrivals, [0], 10**6, INF)
    np.testing.assert_allclose(cut.throughput, whole.throughput, rtol=1e-8)


def test_outer_limits_hold_the_classes_of_inner_ones() -> None:
    """A limit has another where its classes are among its own, and never itself."""
    outer, inner = Cap(5, (0, 1)), Cap(2, (1,))
    assert outer.has(inner)
    assert not inner.has(outer)
    assert not outer.has(outer)


def test_jobs_that_never_leave_need_room() -> None:
    """Three jobs that go around two stations of capacity 1 have no first state; two have one."""
    station = StationStates("shared", (1.0,), (1.0,), (1,))
    ways = ({-1: ((0, 1.0),), 0: ((1, 1.0),), 1: ((-1, 1.0),)},)
    jobs = {"centers": (station, station), "routes": ways, "outside_rate": (INF,), "is_open": (False,), "capacity": (1.0, 1.0)}
    places, held = BlockingJobs(population=(2,), **jobs).start()  # type: ignore[arg-type]
    assert places == ((1,), (1,))
    assert held == ()
    with pytest.raises(NoRoomError) as caught:
        BlockingJobs(population=(3,), **jobs).start()  # type: ignore[arg-type]
    assert caught.value.number == 0


def test_a_job_that_returns_to_its_station_keeps_its_place() -> None:
    """A job that returns to the full station it leaves is not blocked: the throughput is that of one visit as long."""

    def site(time: float, again: float) -> qn.Network:
        routing = {"cpu": {"cpu": again, "disk": 1 - again}, "disk": {}}
        times = {"cpu": time, "disk": 0.3}
        job = qn.ClosedClass(
            "a", population=3, think_time=1.0, service_times=times, routing=routing, entry={"cpu": 1.0}, exits={"disk": 1.0}
        )
        return qn.Network([qn.Queue("cpu", capacity=1), qn.Queue("disk")], [job])

    routed, once = site(0.25, 0.5), site(0.5, 0.0)
    assert qn.solve(routed)["a"].throughput == pytest.approx(qn.solve(once)["a"].throughput, rel=1e-12)
