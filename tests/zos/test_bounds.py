"""What is left of a system when nothing queues: closed forms, and the side on which a solution lies."""

from __future__ import annotations

from math import exp, log

import pytest
import qnsolve as qn
from qnsolve import zos

from benchmarks import system_references


def _system(**work: object) -> zos.System:
    return zos.System(
        lpars=[zos.Lpar("P", processors=4)],
        regions=[zos.CicsRegion("A", lpar="P", mxt=40)],
        devices=[zos.Device("disk", servers=1)],
        work=[zos.Work("w", regions="A", **work)],
    )


def test_users_think_and_are_served_or_fill_a_center() -> None:
    """X = min(N/(Z + ΣD), 1/D) and R = max(ΣD, N/X - Z): CP 5 ms, QR TCB 2 ms of it, disk 4 ms."""
    parts = {"qr_cpu": 0.002, "open_cpu": 0.003, "devices": {"disk": 0.004}, "think_time": 1.0}
    for users in (1, 50, 251, 253, 3000):
        found = _system(users=users, **parts).bounds()["w"]
        rate = min(users / 1.009, 1 / 0.004)
        assert found.etr == pytest.approx(rate, rel=1e-12)
        assert found.response_time == pytest.approx(users / rate - 1, rel=1e-9)


def test_a_limit_bounds_the_rate_by_its_places() -> None:
    """MXT 40 of tasks of 0.5 s: 80 a second at most, whatever the users."""
    found = _system(users=500, think_time=1.0, delay=0.5).bounds()
    assert found["w"].etr == pytest.approx(80.0, rel=1e-12)
    assert found["A"].tasks == pytest.approx(40.0, rel=1e-9)
    assert found["A"].at_limit_percent == 100.0


def test_bursts_and_loads_have_no_effect_on_a_rate() -> None:
    """An open work takes its service time, at any load below that of a center."""
    for rate, burst in ((10, 1), (400, 1), (400, 8)):
        found = _system(rate=rate, burst=burst, qr_cpu=0.002, open_cpu=0.003).bounds()
        assert found["w"].response_time == pytest.approx(0.005, rel=1e-12)
        assert found["A"].qr_percent == pytest.approx(0.2 * rate, rel=1e-12)
    with pytest.raises(qn.SaturatedError, match="A QR TCB"):
        _system(rate=501, qr_cpu=0.002).bounds()


def test_eligible_work_beyond_the_ziips_runs_on_cps() -> None:
    """One zIIP and 1.5 engines of eligible work: half an engine of it on the CPs."""
    system = zos.System(
        lpars=[zos.Lpar("P", processors=4, ziips=zos.Ziips(1))],
        regions=[zos.CicsRegion("A", lpar="P", mxt=40)],
        work=[zos.Work("w", regions="A", rate=500, jvm_cpu=0.004, ziip_share=0.75)],
    )
    found = system.bounds()["P"]
    assert found.appl_iip == pytest.approx(100.0, rel=1e-12)
    assert found.appl_iipcp == pytest.approx(50.0, rel=1e-12)
    assert found.cpu_percent == pytest.approx(25 * (0.5 + 0.5), rel=1e-12)


@pytest.mark.parametrize("overflow", [True, False])
def test_full_ziips_are_busy_all_of_the_time(overflow: bool) -> None:
    """Threads of 1.3 cores' work a core at most: then each core is busy, and no more."""
    system = zos.System(
        lpars=[zos.Lpar("P", processors=4, ziips=zos.Ziips(2, threads=2, max_capacity_factor=1.3, overflow=overflow))],
        regions=[zos.CicsRegion("A", lpar="P", mxt=100)],
        work=[zos.Work("w", regions="A", users=5000, think_time=1.0, jvm_cpu=0.004, ziip_share=0.9, delay=0.02)],
    )
    found = system.bounds()["P"]
    assert found.appl_iip == pytest.approx(260.0, rel=1e-9)
    assert found.ziip_percent == pytest.approx(100.0, rel=1e-9)
    assert found.thread_density == pytest.approx(2.0, rel=1e-9)


def test_cpu_growth_is_that_of_the_engines_at_work() -> None:
    """D·(1 + g·ln(busy)) = busy/X."""
    system = zos.System(
        lpars=[zos.Lpar("P", processors=zos.Processors(8, growth=0.1))],
        regions=[zos.CicsRegion("A", lpar="P", mxt=40)],
        work=[zos.Work("w", regions="A", rate=1000, open_cpu=0.004)],
    )
    busy = system.bounds()["P"].appl_percent / 100
    assert busy == pytest.approx(4 * (1 + 0.1 * log(busy)), rel=1e-10)


def test_cpu_grows_while_another_engine_is_at_work() -> None:
    """D·(1 + s·(1 - exp(-busy))) = busy/X."""
    system = zos.System(
        lpars=[zos.Lpar("P", processors=zos.Processors(8, sharing=0.5))],
        regions=[zos.CicsRegion("A", lpar="P", mxt=40)],
        work=[zos.Work("w", regions="A", rate=300, open_cpu=0.004)],
    )
    for found in (system.bounds(), system.solve()):
        busy = found["P"].appl_percent / 100
        assert busy == pytest.approx(1.2 * (1 + 0.5 * (1 - exp(-busy))), rel=1e-4)


def _far(**work: object) -> zos.System:
    """Ten requests of 104 µs, beyond their threshold without any wait: asynchronous, 4 µs of CPU each beside 100 µs."""
    structure = zos.Structure("S", service_time=4e-6, threshold=20e-6)
    far = zos.CouplingFacility("CF", processors=4, link=zos.Link("far", latency=100e-6), async_cpu=4e-6, structures=[structure])
    return zos.System(
        lpars=[zos.Lpar("P", processors=2)],
        coupling_facilities=[far],
        regions=[zos.CicsRegion("A", lpar="P", mxt=500)],
        work=[zos.Work("w", regions="A", open_cpu=1e-4, cf_requests={"S": 10}, **work)],
    )


def test_requests_past_their_threshold_do_not_hold_cps() -> None:
    """R = 100 + 10·(4 + 104) µs, CPU 140 µs: users fill two CPs at 2/140 µs, and work with a rate ends there."""
    found = _far(users=2000, think_time=0.1).bounds()
    assert found["w"].etr == pytest.approx(2 / 140e-6, rel=1e-9)
    assert [request.kind for request in found.structures] == ["async"]
    assert _far(rate=3000).bounds()["w"].response_time == pytest.approx(1.18e-3, rel=1e-9)
    assert _far(users=1000, think_time=0.1).solve()["w"].etr <= 1000 / 0.10118


def test_the_growth_that_a_system_holds_has_asynchronous_requests() -> None:
    """Work of 1000 a second grows to 2/140 µs, not to what synchronous requests would leave: 2/1140 µs."""
    assert zos.headroom(_far(rate=1000)).factor == pytest.approx(2 / 140e-6 / 1000, rel=2e-3)


def test_a_solution_lies_on_the_side_that_its_queues_say() -> None:
    """Response times of one work are no shorter, throughputs no higher, than bounds."""
    for users in (5, 120, 260, 2000):
        system = _system(users=users, think_time=1.0, qr_cpu=0.002, open_cpu=0.003, devices={"disk": 0.004})
        bounds, solved = system.bounds()["w"], system.solve()["w"]
        assert solved.etr <= bounds.etr * (1 + 1e-9)
        assert solved.response_time >= bounds.response_time * (1 - 1e-6)


@pytest.mark.slow
def test_solutions_of_a_sites_range_lie_on_the_side_of_their_bounds() -> None:
    """Each fourth of the 287 systems of one seed: work with a rate is no faster than its service, one work no more."""
    for reference in list(system_references.load(7).values())[::4]:
        system = reference.drawn.system
        for work, bound, drawn in zip(system.solve().work, system.bounds().work, system.work, strict=True):
            if drawn.users is None:
                assert work.response_time >= bound.response_time * (1 - 1e-6), reference.drawn
            elif len(system.work) == 1:
                assert work.etr <= bound.etr * (1 + 1e-6), reference.drawn
