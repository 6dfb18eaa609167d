"""Users who wait for several limits: how they come to one of them while they wait for others."""

from __future__ import annotations

import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.limits.elsewhere.waiting_elsewhere import powers
from qnsolve.zos.point.solved import solved_point


def _regions(count: int, short: int, long: int, think: float = 0.02) -> zos.System:
    """Regions of ten places each, and users of short and of long tasks at all of them."""
    names = [f"AOR{i}" for i in range(count)]
    works = [
        zos.Work("short", users=short, think_time=think, steps=[zos.Step(names, qr_cpu=2e-4, delay=0.025)]),
        zos.Work("long", users=long, think_time=0.7, steps=[zos.Step(names, qr_cpu=1e-3, delay=0.64)]),
    ]
    regions = [zos.CicsRegion(name, lpar="L0", mxt=10) for name in names]
    return zos.System(lpars=[zos.Lpar("L0", processors=zos.Processors(4.0))], regions=regions, work=works)


def test_users_who_wait_for_other_limits_come_by_less() -> None:
    """Of the short ones about one in ten thinks, of the long ones about half."""
    found = powers(solved_point(_regions(2, 23, 41)).work)
    assert sorted({work for _, work in found}) == [0, 1]
    assert all(0.5 < power < 0.95 for power in found.values())


def test_users_of_one_limit_come_in_proportion() -> None:
    """There is no other one that they wait for."""
    assert not powers(solved_point(_regions(1, 12, 21)).work)


def test_users_who_think_come_in_proportion() -> None:
    """Limits far from full: those elsewhere wait for nothing there."""
    assert not powers(solved_point(_regions(2, 23, 8, think=20.0)).work)


@pytest.mark.parametrize(
    ("system", "short", "long"),
    [
        (_regions(2, 23, 41), 0.2507, 0.8916),
        (_regions(4, 46, 82), 0.2884, 0.9165),
    ],
)
def test_short_tasks_at_several_limits(system: zos.System, short: float, long: float) -> None:
    """Simulated to 1 %. As if all elsewhere came alike, the short ones would take 24 % less, and 20 %."""
    answer = zos.solve(system)
    assert answer["short"].response_time == pytest.approx(short, rel=0.22)
    assert answer["long"].response_time == pytest.approx(long, rel=0.03)
