"""The mainframe layer where centers are full: users wait, and rates are what the full center can do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos

from tests.zos.test_ims import linked


@pytest.mark.parametrize(("users", "think_time"), [(8000, 0.6), (8000, 0.7), (8000, 0.8), (20000, 1.5), (20000, 2)])
def test_thousands_of_users_are_near_the_exact_network(users: int, think_time: float) -> None:
    """CPs full, nearly full and not: rate within 0.02 percent and response within 1 of the exact closed network."""
    system, network = linked(users=users, think_time=think_time)
    found, exact = system.solve()["tran"], qn.solve(network)["tran"]
    assert found.etr == pytest.approx(exact.throughput, rel=2e-4)
    assert found.response_time == pytest.approx(exact.response_time, rel=0.01)


def remote(threshold: float, **driven: Any) -> zos.System:
    """Ten requests of a task to a coupling facility 100 µs away, on two CPs; 10 µs each at its engine."""
    facility = zos.CouplingFacility(
        "CF",
        processors=1,
        async_cpu=0.0,
        link=zos.Link("IFB", latency=100e-6),
        structures=[zos.Structure("S", service_time=10e-6, threshold=threshold)],
    )
    return zos.System(
        lpars=[zos.Lpar("L", processors=2)],
        coupling_facilities=[facility],
        regions=[zos.ImsRegions("MPP", lpar="L", regions=4000)],
        work=[zos.Work("w", regions="MPP", cpu=100e-6, cf_requests={"S": 10}, **driven)],
    )


def test_requests_above_their_threshold_never_hold_the_cps() -> None:
    """Synchronous they would ask for 6 CPs; asynchronous for a quarter of one, and leave the M/M/2 that it is."""
    found = remote(30e-6, rate=5000).solve()
    assert [s.kind for s in found.structures] == ["async"]
    assert found["L"].cpu_percent == pytest.approx(25, rel=1e-9)


def test_requests_below_their_threshold_fill_the_cps() -> None:
    """110 µs against 200 µs: they stay synchronous, and 1.2 ms of a CP for each is too much at 5000/s."""
    with pytest.raises(qn.SaturatedError, match="L CPs"):
        remote(200e-6, rate=5000).solve()


@pytest.mark.parametrize(("users", "think_time"), [(50, 0.0), (500, 0.01), (500, 0.05), (3000, 0.2), (3000, 0.32)])
def test_a_facility_full_of_asynchronous_requests_makes_users_wait(users: int, think_time: float) -> None:
    """Its one engine, two CPs and the way there: near the exact closed network."""
    system = remote(30e-6, users=users, think_time=think_time)
    found = system.solve()["w"]
    facility = system.coupling_facilities[0]
    demands = {"CPs": 100e-6, "CF": 100e-6, "way": 10 * (facility.link.latency + facility.async_delay)}
    network = qn.Network(
        [qn.Queue("CPs", servers=2), qn.Queue("CF"), qn.Delay("way")],
        [qn.ClosedClass("w", population=users, think_time=think_time, demands=demands)],
    )
    exact = qn.solve(network)["w"]
    assert found.etr == pytest.approx(exact.throughput, rel=0.005)
    assert found.response_time == pytest.approx(exact.response_time, rel=0.02)


def _of_requests(cps: int, users: int) -> zos.System:
    """Tasks of 1 ms and 50 requests of 10 µs, which keep their CPs up to 30 µs."""
    facility = zos.CouplingFacility(
        "CF",
        processors=1,
        link=zos.Link("link", latency=5e-6),
        structures=[zos.Structure("S", service_time=10e-6, threshold=30e-6)],
    )
    return zos.System(
        lpars=[zos.Lpar("P", processors=cps)],
        regions=[zos.CicsRegion("A", lpar="P", mxt=2000)],
        coupling_facilities=[facility],
        work=[zos.Work("w", users=users, think_time=1.0, regions="A", open_cpu=0.001, cf_requests={"S": 50})],
    )


def test_requests_that_wait_keep_the_cps_full() -> None:
    """Four CPs that are full with 1,700 transactions a second, as simulated, though the facility could pass 2,000."""
    verified = zos.verify(_of_requests(4, 2500), precision=0.02)  # the ETR within 0.6 %
    rows = {(row["name"], row["figure"]): row for row in verified.rows()}
    assert rows["w", "ETR"]["solved"] == pytest.approx(rows["w", "ETR"]["simulated"], rel=0.01)
    assert rows["P", "CPU % busy"]["solved"] == pytest.approx(100)
    assert verified.result is not None
    assert verified.result.facilities[0].busy_percent < 90


@pytest.mark.parametrize("users", [2500, 3000, 4000, 5000, 20000])
def test_a_full_facility_passes_what_it_can(users: int) -> None:
    """One engine, 50 requests of 10 µs a task: 2000 a second, and R = N/X - Z."""
    found = _of_requests(16, users).solve()
    assert found["w"].etr == pytest.approx(2000.0, rel=1e-4)
    assert found["w"].response_time == pytest.approx(users / 2000 - 1, rel=1e-3)
    assert found.facilities[0].busy_percent <= 100.0


@pytest.mark.parametrize("think_time", [0.0, 0.1])
def test_limits_of_several_regions_that_are_full_at_once_settle(think_time: float) -> None:
    """3000 users, four regions of 500 tasks, two CPs: the CPs are full, and X is 2 CPs over the CPU.

    The tasks are spread evenly over the regions, all ways of it alike, so that of a region's n those inside are E min(n, 500).
    """
    names = [f"R{i}" for i in range(4)]
    system = zos.System(
        lpars=[zos.Lpar("L", processors=2)],
        regions=[zos.CicsRegion(name, lpar="L", mxt=500) for name in names],
        work=[zos.Work("w", users=3000, think_time=think_time, regions=names, qr_cpu=400e-6)],
    )
    found = system.solve()
    there = round(3000 - 5000 * think_time)
    n = np.arange(there + 1.0)
    ways = (there - n + 1) * (there - n + 2)
    inside = float(ways @ np.minimum(n, 500) / ways.sum())
    assert found["w"].etr == pytest.approx(2 / 400e-6, rel=0.01)
    assert found["w"].response_time == pytest.approx(3000 / 5000 - think_time, rel=0.01)
    assert [found[name].tasks for name in names] == pytest.approx([inside] * 4, rel=0.1)


def test_tasks_in_the_line_of_a_tcb_do_not_come_to_the_cps_as_well() -> None:
    """A third of the places of a full region are in the line of its QR TCB, 88 % busy: against simulation (± 0.8 to 1.7 %)."""
    work = [
        zos.Work("A", users=510, think_time=0.1836, regions="R", open_cpu=0.001231, devices={"D": 0.008508}),
        zos.Work("B", users=6269, think_time=76.96, regions="R", open_cpu=0.0291, devices={"D": 0.3926}),
        zos.Work("C", users=1184, think_time=5.955, regions="R", qr_cpu=0.004807, open_cpu=0.002092, devices={"D": 0.1119}),
    ]
    regions, devices = [zos.CicsRegion("R", lpar="L", mxt=79)], [zos.Device("D")]
    found = zos.System([zos.Lpar("L", processors=6)], regions, work, devices=devices).solve()
    assert [found[name].etr for name in "ABC"] == pytest.approx([1021.12, 80.672, 183.309], rel=0.015)
    assert [found[name].response_time for name in "ABC"] == pytest.approx([0.31585, 0.74933, 0.50403], rel=0.055)


@pytest.mark.parametrize(("rate", "response"), [(2000, 0.0003084), (4000, 0.0007946), (4600, 0.001473)])
def test_requests_of_a_qr_tcb_do_not_wait_for_each_other(rate: float, response: float) -> None:
    """Simulated: ± 0.7, 1.8 and 3.3 %. Beside four users on open TCBs they once did: 45 % too long, and refused."""
    facility = zos.CouplingFacility("CF", processors=1, service_time=20e-6)
    open_ = zos.Work("open", users=4, think_time=0.01, regions="A", open_cpu=5e-4, cf_requests={"CF": 5}, cf_on="open")
    work = [zos.Work("qr", rate=rate, regions="A", qr_cpu=2e-5, cf_requests={"CF": 8}), open_]
    regions = [zos.CicsRegion("A", lpar="L")]
    found = zos.System([zos.Lpar("L", processors=8)], regions, work, coupling_facilities=[facility]).solve()
    assert found["qr"].response_time == pytest.approx(response, rel=0.25)


def test_open_work_beside_tcbs_that_users_never_let_idle() -> None:
    """Three TCBs are three units however many wait there: pieces beside them are 4·u/(1 - u), u of the CPs theirs."""
    regions = [zos.CicsRegion(name, lpar="L") for name in ("Q1", "Q2", "Q3", "OPEN")]
    works = [zos.Work(f"at {r.name}", users=100, think_time=0.05, regions=[r.name], qr_cpu=4e-4) for r in regions[:3]]
    works.append(zos.Work("free", rate=200, regions=["OPEN"], open_cpu=2e-3))
    found = zos.System([zos.Lpar("L", processors=2)], regions, works).solve()
    assert found["free"].response_time == pytest.approx(4 * 0.2 / (1 - 0.2) / 200, rel=0.07)


def test_pieces_beside_a_long_line_on_one_cp() -> None:
    """Few users' pieces beside a QR TCB at which 68 tasks are: simulated to ± 0.4 %; grids that are too wide add a fifth."""
    regions = [zos.CicsRegion(name, lpar="L") for name in ("Q1", "Q2", "OPEN")]
    works = [
        zos.Work("long", rate=4654, regions=["Q1"], qr_cpu=1.299e-4),
        zos.Work("short", rate=801, regions=["Q2"], qr_cpu=1.189e-4),
        zos.Work("free", users=14, think_time=0.03597, regions=["OPEN"], open_cpu=7.437e-4),
    ]
    found = zos.System([zos.Lpar("L", processors=1)], regions, works).solve()
    assert found["free"].response_time == pytest.approx(0.0022238, rel=0.03)
    assert found["short"].response_time == pytest.approx(0.0004702, rel=0.03)
    assert found["long"].response_time == pytest.approx(0.014632, rel=0.06)
