"""Ordinary small systems that were answered far off: figures are exact, or simulated to the width that stands there."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos


def _one(processors: object, steps: dict[str, tuple[float, zos.Step]], regions: list[object], **parts: object) -> zos.System:
    work = [zos.Work(name, rate=rate, steps=[step]) for name, (rate, step) in steps.items()]
    lpar = zos.Lpar("L", processors=processors, **parts)
    return zos.System(lpars=[lpar], regions=regions, work=work)


def test_a_device_in_a_region_that_is_seldom_full() -> None:
    """Machine repair, exactly: users came as if they were as many as the region has places, the line was 0.7 of what it is."""
    users, think, service, servers = 156, 19.24, 0.2275, 2
    chance = np.cumprod([1.0, *((users - n + 1) / think * service / min(n, servers) for n in range(1, users + 1))])
    number = np.arange(users + 1)
    there = float(chance @ number) / float(chance @ np.minimum(number, servers)) * service
    system = zos.System(
        lpars=[zos.Lpar("L", processors=1)], regions=[zos.CicsRegion("R", lpar="L", mxt=38)],
        devices=[zos.Device("D", servers=servers)],
        work=[zos.Work("w", users=users, think_time=think, steps=[zos.Step("R", qr_cpu=1e-7, devices={"D": service})])],
    )  # fmt: skip
    assert system.solve()["w"].response_time == pytest.approx(there, rel=0.01)


def test_fixed_cpu_above_a_tcb_beside_long_pieces() -> None:
    """Six CPs 9 % busy: what waits at the TCB was taken for as long as the others' pieces; 0.78 ms was answered."""
    steps = {
        "short": (4125.0, zos.Step("R", qr_cpu=3e-5, open_cpu=8e-6)),
        "long": (17.0, zos.Step("R", open_cpu=0.012)),
    }
    system = _one(6, steps, [zos.CicsRegion("R", lpar="L", importance=2)], fixed_cpu=0.2)
    assert system.solve()["short"].response_time == pytest.approx(3e-5 / (1 - 0.12375) + 8e-6, rel=0.03)


@pytest.mark.parametrize(("size", "short", "long"), [(1.2, 0.1254, 5.57), (2.0, 0.1363, 5.75), (6.0, 0.2042, 6.89)])
def test_small_bursts_of_short_pieces_beside_long_ones(size: float, short: float, long: float) -> None:
    """Simulated to 2 % [ms]: two at once made the long ones 1.6 times as slow."""
    lpar = zos.Lpar("L", processors=zos.Processors(3, speed=0.8), fixed_cpu=0.3, change_mode_cpu=2.4e-6)
    inquiry = zos.Step("R", qr_cpu=8e-6, open_cpu=3e-5)
    work = [
        zos.Work("short", rate=70_000 / 3, burst=size, steps=[inquiry]),
        zos.Work("long", rate=750.0, steps=[zos.Step("R", qr_cpu=6e-4)]),
    ]
    found = zos.System(lpars=[lpar], regions=[zos.CicsRegion("R", lpar="L", mxt=200)], work=work).solve()
    assert 1e3 * found["short"].response_time == pytest.approx(short, rel=0.15)
    assert 1e3 * found["long"].response_time == pytest.approx(long, rel=0.12)


def test_ten_places_before_a_tcb_that_unlike_tasks_share() -> None:
    """Simulated to 4 % and 1 % [ms]: waits for the limit were 3 times those of alike tasks at most, and are 16."""
    lpar = zos.Lpar("L", processors=zos.Processors(3, speed=0.8), fixed_cpu=0.3)
    work = [
        zos.Work("short", rate=70_000 / 3, steps=[zos.Step("R", qr_cpu=8e-6)]),
        zos.Work("long", rate=750.0, steps=[zos.Step("R", qr_cpu=6e-4)]),
    ]
    found = zos.System(lpars=[lpar], regions=[zos.CicsRegion("R", lpar="L", mxt=10)], work=work).solve()
    assert 1e3 * found["short"].response_time == pytest.approx(0.2856, rel=0.12)
    assert 1e3 * found["long"].response_time == pytest.approx(3.60, rel=0.02)


def test_bursts_in_dependent_regions_beside_others() -> None:
    """Simulated to 1 % [ms]: all tasks were taken as alike, mostly off the CPs, and those of the burst hardly met."""
    lpar = zos.Lpar("L", processors=2, fixed_cpu=0.2)
    work = [
        zos.Work("long", rate=43.0, steps=[zos.Step("I", cpu=0.002)]),
        zos.Work("reports", rate=1200.0, steps=[zos.Step("I", cpu=6e-5, devices={"D": 0.002})]),
        zos.Work("short", rate=2300.0, burst=10.0, steps=[zos.Step("I", cpu=8e-5)]),
    ]
    regions = [zos.ImsRegions("I", lpar="L", regions=12)]
    found = zos.System(lpars=[lpar], regions=regions, devices=[zos.Device("D")], work=work).solve()
    for name, value in {"long": 2.291, "reports": 2.081, "short": 0.268}.items():
        assert 1e3 * found[name].response_time == pytest.approx(value, rel=0.05), name


def test_a_burst_at_a_tcb_of_a_large_region_that_is_often_full() -> None:
    """Simulated to 5 % [ms]: the region was taken to let its tasks in one by one, and the burst was none: 6.5 ms."""
    lpars = [zos.Lpar("A", processors=12), zos.Lpar("B", processors=zos.Processors(2, speed=0.8))]
    regions = [zos.CicsRegion("T", lpar="B", mxt=2000), zos.CicsRegion("R", lpar="A", mxt=2000)]
    work = [
        zos.Work("burst", rate=120.0, burst=10.0, steps=[zos.Step("R", qr_cpu=0.003)]),
        zos.Work("orders", rate=2800.0, steps=[zos.Step("T", qr_cpu=4e-5), zos.Step("R", qr_cpu=8e-5, delay=0.5)]),
        zos.Work(
            "payments", users=3600, think_time=0.5,
            steps=[zos.Step("T", qr_cpu=1e-4), zos.Step("R", open_cpu=6e-4, delay=0.1)],
        ),
    ]  # fmt: skip
    found = zos.System(lpars=lpars, regions=regions, work=work).solve()
    assert 1e3 * found["burst"].response_time == pytest.approx(38.4, rel=0.1)
