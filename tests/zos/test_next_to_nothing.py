"""What is next to nothing changes next to nothing: which method solves a system does not turn on a millionth of its work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import pytest
from qnsolve import zos


def _tor_of_cpu() -> zos.System:
    """A TOR whose places are filled by tasks on nearly full CPs, and AORs below it."""
    tor = [zos.Step("TOR", qr_cpu=cpu) for cpu in (4e-5, 6e-5)]
    aors = ["AOR1", "AOR2", "AOR3"]
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(5))],
        regions=[zos.CicsRegion("TOR", lpar="L", mxt=20), *(zos.CicsRegion(name, lpar="L", mxt=18) for name in aors)],
        work=[
            zos.Work("a", users=400, think_time=0.03, steps=[tor[0], zos.Step(aors, qr_cpu=1e-4, open_cpu=1.2e-4)]),
            zos.Work("b", users=300, think_time=0.08, steps=[tor[1], zos.Step(aors, qr_cpu=1.5e-4, open_cpu=3e-4)]),
        ],
    )


def _lower_work(system: zos.System) -> zos.System:
    return _beside(system, importance=5)


def _higher_work(system: zos.System) -> zos.System:
    return _beside(replace(system, regions=tuple(replace(region, importance=2) for region in system.regions)), importance=1)


def _beside(system: zos.System, importance: int = 1) -> zos.System:
    """Ten microseconds of CPU an hour, in a region of its own."""
    work = zos.Work("little", rate=1 / 3600, steps=[zos.Step("other", open_cpu=1e-5)])
    regions = (*system.regions, zos.CicsRegion("other", lpar="L", mxt=2000, importance=importance))
    return replace(system, regions=regions, work=(*system.work, work))


def _requests(system: zos.System) -> zos.System:
    """A synchronous request of a nanosecond."""
    first = system.work[0]
    steps = (replace(first.steps[0], cf_requests={"CF": 1.0}), *first.steps[1:])
    facility = zos.CouplingFacility("CF", processors=1, service_time=1e-9)
    return replace(system, coupling_facilities=[facility], work=(replace(first, steps=steps), *system.work[1:]))


def _open_work(system: zos.System) -> zos.System:
    """The same system with work at a rate in place of users, and no limits."""
    regions = tuple(replace(region, mxt=2000) for region in system.regions)
    rates = zip(system.work, (9000.0, 3000.0), strict=True)
    return replace(system, regions=regions, work=[replace(w, users=None, think_time=0.0, rate=rate) for w, rate in rates])


def _bursts(system: zos.System) -> zos.System:
    return replace(system, work=tuple(replace(w, burst=1.0001) for w in system.work))


@pytest.mark.parametrize("change", [_lower_work, _higher_work, _beside, _requests])
def test_a_full_tor_beside_next_to_nothing(change: Callable[[zos.System], zos.System]) -> None:
    """A system with work of lower importance was once answered with waits for the TOR twelve times as long."""
    system = _tor_of_cpu()
    before, after = system.solve(), change(system).solve()
    for work in system.work:
        assert after[work.name].response_time == pytest.approx(before[work.name].response_time, rel=0.02)


@pytest.mark.parametrize("change", [_lower_work, _higher_work, _beside, _requests, _bursts])
def test_open_work_beside_next_to_nothing(change: Callable[[zos.System], zos.System]) -> None:
    """QR TCBs and open pieces on five CPs."""
    system = _open_work(_tor_of_cpu())
    before, after = system.solve(), change(system).solve()
    for work in system.work:
        assert after[work.name].response_time == pytest.approx(before[work.name].response_time, rel=0.02)


def test_half_the_work_under_another_name() -> None:
    """10.89 ms by simulation, once 11.9 with two names: dependent regions do not see which work a task is of."""
    step = zos.Step("MPP", cpu=0.002495, devices={"DB2": 0.004481})
    found = []
    for rates in ([152.5], [76.25, 76.25]):
        system = zos.System(
            lpars=[zos.Lpar("L", processors=zos.Processors(1))],
            regions=[zos.ImsRegions("MPP", lpar="L", regions=2)],
            work=[zos.Work(f"w{n}", rate=rate, steps=[step]) for n, rate in enumerate(rates)],
            devices=[zos.Device("DB2")],
        )
        found.append(system.solve()["w0"].response_time)
    assert found == pytest.approx([0.010891] * 2, rel=0.01)


def test_a_job_once_a_week_beside_thousands_a_second() -> None:
    """It changes nothing: the limit that bursts fill half is not full by it."""

    def system(*more: zos.Work) -> zos.System:
        orders = zos.Work("orders", rate=5000.0, burst=50.0, steps=[zos.Step("AOR", open_cpu=0.001, delay=2e-4)])
        return zos.System(
            lpars=[zos.Lpar("SYSA", processors=zos.Processors(30))],
            regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=10), zos.ImsRegions("BMP", lpar="SYSA", regions=50)],
            work=[orders, *more],
        )

    alone = system().solve()["orders"].response_time
    for burst in (1.0, 10.0):
        found = system(zos.Work("weekly", rate=1e-6, burst=burst, steps=[zos.Step("BMP", cpu=0.1)])).solve()
        assert found["orders"].response_time == pytest.approx(alone, rel=1e-6)
        assert found["weekly"].response_time == pytest.approx(0.1, rel=0.01)


def test_no_error_of_arithmetic() -> None:
    """Bursts of users fill regions, and rare work needs no CPU; or a TCB has free pieces that are next to nothing."""
    bursts = zos.Work("W0", users=3000, think_time=0.1, burst=50.0, steps=[zos.Step("MPP", cpu=0.005, delay=0.001)])
    rare = zos.Work("W1", rate=1e-6, burst=2.3, steps=[zos.Step("AOR", delay=1e-5)])
    on_tcb = zos.Work("W1", users=3000, think_time=30.0, steps=[zos.Step("AOR", qr_cpu=0.005, open_cpu=1e-4)])
    tiny = zos.Work("W3", rate=1e-6, steps=[zos.Step("AOR", qr_cpu=1e-7, open_cpu=1e-5, delay=0.005)])
    many = zos.Work("W2", users=3000, think_time=1.0, burst=50.0, steps=[zos.Step("MPP", cpu=0.001, delay=0.1)])
    one = zos.Work("W0", users=1, think_time=30.0, burst=2.0, steps=[zos.Step("MPP", cpu=1.0)])
    for cps, regions, work in ((3, 5, [bursts, rare]), (1, 50, [one, on_tcb, many, tiny])):
        found = zos.System(
            lpars=[zos.Lpar("SYSA", processors=zos.Processors(cps))],
            regions=[zos.ImsRegions("MPP", lpar="SYSA", regions=regions), zos.CicsRegion("AOR", lpar="SYSA", mxt=40)],
            work=work,
        ).solve()
        assert all(isfinite(row.response_time) for row in found.work)


@pytest.mark.parametrize("rate", [1e-8, 1e-9, 1e-12])
def test_a_job_that_next_to_never_comes_beside_dispatches_of_a_tcb(rate: float) -> None:
    """Once in thirty years or less: the work beside it is as it is alone; its line had no end once."""
    quick = zos.Work("quick", rate=17_000.0, steps=[zos.Step("AOR", qr_cpu=3.8e-7, qr_dispatches=2.0)])
    rare = zos.Work("rare", rate=rate, steps=[zos.Step("AOR", open_cpu=0.1)])
    lpars = [zos.Lpar("SYSA", processors=zos.Processors(2))]
    regions = [zos.CicsRegion("AOR", lpar="SYSA", mxt=20)]
    alone = zos.System(lpars=lpars, regions=regions, work=[quick]).solve()
    beside = zos.System(lpars=lpars, regions=regions, work=[quick, rare]).solve()
    assert beside["quick"].response_time == pytest.approx(alone["quick"].response_time, rel=1e-4)
    assert beside["rare"].response_time == pytest.approx(0.1, rel=1e-3)


def test_pieces_too_short_to_be_told_at_their_centers() -> None:
    """Of a picosecond, and waits as short: left out of the split, and no law is broken."""
    busy = zos.Work("busy", rate=34_000.0, steps=[zos.Step("AOR", qr_cpu=1.3e-6, open_cpu=1.3e-6)])
    found = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(12))],
        regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=10)],
        work=[busy, zos.Work("shortest", rate=3.0, steps=[zos.Step("AOR", qr_cpu=9.5e-13)])],
    ).solve()
    assert 0 < found["shortest"].response_time < 1e-11
