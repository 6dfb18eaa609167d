"""Bursts at devices, coupling facilities, zIIPs and JVM threads: each waits for the others of its group there."""

from __future__ import annotations

from typing import Any

import pytest
from qnsolve import zos

STRUCTURE = zos.Structure("S", service_time=1e-5)


def two_works(
    orders: dict[str, Any], other: dict[str, Any], rates: tuple[float, float], burst: float = 10.0, **parts: Any
) -> zos.System:
    """Bursts of orders and other work that comes one by one, in a region on eight CPs."""
    lpar: dict[str, Any] = parts.pop("lpar", {})
    region: dict[str, Any] = parts.pop("region", {})
    return zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(8), **lpar)],
        regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=2000, **region)],
        work=[
            zos.Work("orders", rate=rates[0], burst=burst, steps=[zos.Step("AOR", **orders)]),
            zos.Work("other", rate=rates[1], steps=[zos.Step("AOR", **other)]),
        ],
        **parts,
    )


def assert_times(system: zos.System, simulated: tuple[float, float], within: tuple[float, float]) -> None:
    """Response times of both works [ms]."""
    answer = system.solve()
    for row, truth, rel in zip(answer.work, simulated, within, strict=True):
        assert 1e3 * row.response_time == pytest.approx(truth, rel=rel), row.name


@pytest.mark.parametrize(("burst", "busy"), [(2, 0.3), (10, 0.5), (30, 0.9), (4.5, 0.7)])
def test_one_server_as_the_formula_says(burst: float, busy: float) -> None:
    """M[X]/M/1: all tasks of a group come at once, R = s·(1 + mates/2)/(1 - ρ)."""
    system = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(60))],
        regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=2000)],
        work=[zos.Work("w", rate=1000 * busy, burst=burst, steps=[zos.Step("AOR", open_cpu=1e-9, devices={"D": 1e-3})])],
        devices=[zos.Device("D", servers=1)],
    )
    whole = int(burst)
    mates = whole * (whole - 1 + 2 * (burst - whole)) / burst
    assert system.solve().work[0].response_time == pytest.approx(1e-3 * (1 + mates / 2) / (1 - busy), rel=1e-4)


@pytest.mark.parametrize(
    ("orders", "other", "servers", "rates", "simulated", "within"),
    [
        ({"qr_cpu": 1e-5}, {"qr_cpu": 1e-5}, 1, (100, 1000), (2.67, 0.854), (0.03, 0.02)),
        ({"qr_cpu": 1e-5}, {"qr_cpu": 1e-5}, 8, (100, 1000), (5.575, 4.300), (0.03, 0.02)),
        (
            {"qr_cpu": 4e-5, "qr_dispatches": 4}, {"qr_cpu": 1e-5, "qr_dispatches": 1},
            8, (100, 1000), (8.93, 4.228), (0.1, 0.03),
        ),
        (
            {"qr_cpu": 4e-5, "qr_dispatches": 4, "delay": 0.02}, {"qr_cpu": 1e-5, "qr_dispatches": 3},
            8, (100, 1000), (25.16, 4.191), (0.04, 0.03),
        ),
    ],
)  # fmt: skip
def test_devices_beside_simulation(
    orders: dict[str, Any],
    other: dict[str, Any],
    servers: int,
    rates: tuple[float, float],
    simulated: tuple[float, float],
    within: tuple[float, float],
) -> None:
    """As it is simulated to 1.5 %; once 4 to 71 % less: nobody waited for its mates at a device."""
    service = {"devices": {"D": 0.0004 if servers == 1 else 0.004}}
    system = two_works(orders | service, other | service, rates, devices=[zos.Device("D", servers=servers)])
    assert_times(system, simulated, within)


@pytest.mark.parametrize(
    ("rates", "simulated", "within"), [((100, 100), (3.218, 1.087), (0.04, 0.02)), ((1000, 1000), (8.893, 6.158), (0.06, 0.1))]
)
def test_jvm_threads_beside_simulation(
    rates: tuple[float, float], simulated: tuple[float, float], within: tuple[float, float]
) -> None:
    """Four threads; once 7 to 70 % less."""
    works = {"qr_cpu": 1e-5, "jvm_cpu": 0.002}, {"qr_cpu": 1e-5, "jvm_cpu": 0.001}
    assert_times(two_works(*works, rates, region={"thread_limit": 4}), simulated, within)


@pytest.mark.parametrize(
    ("share", "rates", "simulated", "within"),
    [(1.0, (100, 100), (3.055, 1.095), (0.04, 0.03)), (1.0, (700, 700), (7.22, 3.92), (0.05, 0.05))],
)
def test_ziips_beside_simulation(
    share: float, rates: tuple[float, float], simulated: tuple[float, float], within: tuple[float, float]
) -> None:
    """Two zIIPs whose work never goes to CPs; once 7 to 72 % less."""
    step = {"qr_cpu": 1e-5, "open_cpu": 0.001, "ziip_share": share}
    assert_times(two_works(step, step, rates, lpar={"ziips": zos.Ziips(2, overflow=False)}), simulated, within)


def test_more_of_a_burst_overflows() -> None:
    """Two zIIPs that overflow, bursts of 20: nearly all of a group goes to CPs, as simulated to 6 %; once 54 and 32 % less."""
    orders = {"open_cpu": 0.001, "ziip_share": 1.0}
    system = two_works(orders, orders | {"qr_cpu": 1e-5}, (4000, 2000), burst=20, lpar={"ziips": zos.Ziips(2)})
    assert_times(system, (3.064, 1.479), (0.08, 0.12))


def test_coupling_facility_beside_simulation() -> None:
    """Synchronous requests of open TCBs; once 69 and 33 % less."""
    step = {"open_cpu": 1e-5, "cf_requests": {"S": 20}}
    facility = zos.CouplingFacility("CF1", processors=1, link=zos.Link(latency=1e-5), structures=[STRUCTURE])
    assert_times(two_works(step, step, (1000, 1000), coupling_facilities=[facility]), (1.78, 0.815), (0.05, 0.06))


def test_bursts_beside_many_short_pieces() -> None:
    """Ten pieces of 1 ms on eight CPs meet each other, not as many short ones as have the same CPU; once +37 and +6 %."""
    system = two_works({"open_cpu": 1e-3}, {"open_cpu": 5e-5}, (1000, 10000))
    assert_times(system, (1.153, 0.05125), (0.03, 0.03))


def test_what_waits_for_a_limit_is_said_there() -> None:
    """Bursts of 40 at 25 places: those who wait are counted at the region, not apart."""
    system = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(8))],
        regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=25)],
        work=[zos.Work("w", rate=400, burst=40, steps=[zos.Step("AOR", qr_cpu=1e-5, devices={"D": 0.02})])],
        devices=[zos.Device("D")],
    )
    answer = system.solve()
    region, work = answer.regions[0], answer.work[0]
    assert region.waiting > 1
    assert region.fraction_delayed > 0.3
    assert region.admission_wait == pytest.approx(work.admission_wait, rel=1e-9)
    assert work.response_time == pytest.approx(0.02 + work.admission_wait, rel=0.03)


@pytest.mark.parametrize(
    ("regions", "qr_cpu", "simulated", "within"),
    [(1, 0.0, (30.1, 43.9), (0.02, 0.02)), (3, 0.0, (31.4, 43.4), (0.03, 0.02)), (3, 4.9e-4, (40.6, 44.3), (0.15, 0.03))],
)
def test_bursts_beside_long_pieces_in_lines(
    regions: int, qr_cpu: float, simulated: tuple[float, float], within: tuple[float, float]
) -> None:
    """Bursts of 3 ms beside JVM threads of 20 ms in each region, on one CP: it counted as a few of these; once -82, -58 %."""
    names = [f"AOR{i}" for i in range(regions)]
    orders = zos.Work("orders", rate=9, burst=17, steps=[zos.Step(regions=names, qr_cpu=qr_cpu, open_cpu=0.003)])
    java = [zos.Work(f"java {name}", rate=25 / regions, steps=[zos.Step(name, jvm_cpu=0.02)]) for name in names]
    system = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(1))],
        regions=[zos.CicsRegion(name, lpar="SYSA", mxt=2000, thread_limit=1) for name in names],
        work=[orders, *java],
    )
    rows = system.solve().work[:2]
    for row, truth, rel in zip(rows, simulated, within, strict=True):
        assert 1e3 * row.response_time == pytest.approx(truth, rel=rel), row.name


def test_few_bursts_before_a_thread_beside_users() -> None:
    """A QR TCB that is hardly used had a thousand tasks, on levels where its chain has none: 7 s [ms]."""
    regions = [zos.CicsRegion(f"R{i}", lpar="L", mxt=2000, thread_limit=threads) for i, threads in enumerate((1, 2, 1))]
    work = [
        zos.Work("J0", rate=165.5, burst=29.46, steps=[zos.Step("R0", qr_cpu=5.291e-5, jvm_cpu=0.00138)]),
        zos.Work("J1", users=87, think_time=0.147, burst=3.486, steps=[zos.Step("R1", qr_cpu=5.2e-5, jvm_cpu=0.001652)]),
        zos.Work("J2", users=23, think_time=0.1681, steps=[zos.Step("R2", jvm_cpu=0.001538)]),
    ]
    found = zos.System(lpars=[zos.Lpar("L", processors=2)], regions=regions, work=work).solve()
    simulated = {"J0": 45.47, "J1": 6.724, "J2": 3.079}
    for name, time in simulated.items():
        assert 1e3 * found[name].response_time == pytest.approx(time, rel=0.22), name


def test_a_burst_without_cpu_behind_regions_of_work_that_has_some() -> None:
    """No task of the burst comes to the CPs: it has none to wait behind there, and the regions make it wait."""
    system = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(2))],
        regions=[zos.ImsRegions("MPP", lpar="SYSA", regions=2)],
        work=[
            zos.Work("orders", rate=30.0, burst=2.3, steps=[zos.Step("MPP", delay=6e-4)]),
            zos.Work("other", rate=2.0, steps=[zos.Step("MPP", cpu=0.0047)]),
        ],
    )
    assert_times(system, (0.6433, 4.7025), (0.01, 0.005))
