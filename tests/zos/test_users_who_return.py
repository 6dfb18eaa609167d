"""Users, and places of full regions, that come back to a full limit: beside simulation, on systems where that shows."""

from __future__ import annotations

import pytest
from qnsolve import zos
from qnsolve.zos.point.solved import solved_point

from benchmarks.system_accuracy import checked
from benchmarks.system_references import Reference, load


def _drawn(salt: int, name: str) -> Reference:
    return next(one for one in load(salt).values() if one.drawn.name == name)


@pytest.mark.parametrize(
    ("salt", "name", "most"),
    [
        (8, "TOR and direct 2", 0.045),  # one of two regions above is full: was 7.1 %, throughput 6 %
        (44, "TOR and direct 7", 0.02),  # was 4.1 and 3.5 %
        (8, "TOR full 8", 0.03),  # one work asks for most of the fullest region below: was 6.3 and 3.1 %
        (14, "TRANCLASS under TOR 3", 0.015),  # short tasks that are back at once: was 3.2 and 2.3 %
        (18, "unlike at a limit 10", 0.015),  # was 4.3 %
    ],
)
def test_waits_of_each_work(salt: int, name: str, most: float) -> None:
    """Those who are back soon wait for less long than others in the same line."""
    found = checked(_drawn(salt, name))
    assert found.response < most
    assert found.throughput < 0.035


def test_passes_that_come_no_nearer_end() -> None:
    """Limits that swing about where they were after the first pass of a round are left there."""
    work = solved_point(_drawn(44, "TRANCLASS under TOR 1").drawn.system).work
    assert work.settled
    assert work.rounds < 10


def test_users_who_never_come_to_the_full_class_below_a_full_tor() -> None:
    """They wait longer than those who do; simulated to 0.3 % (once 6 % shorter, X +4.3 %, by a region that let all in)."""
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=29), zos.CicsRegion("R", lpar="L", mxt=16, tranclasses={"T": 1})]
    tor = zos.Step(regions="TOR", qr_cpu=8e-5)
    free = zos.Step(regions="R", qr_cpu=0.00083863, open_cpu=0.00079349, devices={"D": 0.05848})
    of_class = zos.Step(regions="R", qr_cpu=0.00083145, open_cpu=0.001425, devices={"D": 0.086939}, tranclass="T")
    work = [
        zos.Work("FREE", users=14, think_time=0.02, steps=[tor, free]),
        zos.Work("CLASS", users=78, think_time=0.29571, steps=[tor, of_class]),
    ]
    found = zos.System([zos.Lpar("L", processors=1)], regions, work, devices=[zos.Device("D")]).solve()
    assert found["FREE"].response_time == pytest.approx(4.203, rel=0.006)
    assert found["CLASS"].response_time == pytest.approx(6.687, rel=0.006)
