"""Regions whose tasks are on CPs that short and long work of others share: these are slow for as long as the long pieces are.

The number of others changes as slowly as their work, which is mostly of the long ones: it is their variation that a line
at few places follows. Compared with simulation.
"""

from __future__ import annotations

import pytest
from qnsolve import zos


def system(regions: int, cps: int, rate: float, short: float, long: float) -> zos.System:
    """Messages of 0.1 ms in a few regions, beside work of 0.1 ms and of 1 ms in many."""
    works = [zos.Work("messages", rate=rate, steps=[zos.Step("MPP", cpu=1e-4)])]
    for name, cpu, delay, its in (("short", 1e-4, 6.3e-4, short), ("long", 1e-3, 4.4e-3, long)):
        works.append(zos.Work(name, rate=its, steps=[zos.Step("BMP", cpu=cpu, delay=delay)]))
    return zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(cps))],
        regions=[zos.ImsRegions("MPP", lpar="SYSA", regions=regions), zos.ImsRegions("BMP", lpar="SYSA", regions=300)],
        work=works,
    )


@pytest.mark.parametrize(
    ("regions", "cps", "rates", "simulated", "within"),
    [(1, 3, (5000.0, 12_000.0, 1050.0), 9.761, 0.03), (4, 8, (20_000.0, 24_000.0, 2000.0), 0.1712, 0.055)],
)
def test_regions_beside_short_and_long_work(
    regions: int, cps: int, rates: tuple[float, float, float], simulated: float, within: float
) -> None:
    """With all others alike as in the mean it would take 4.2 ms and 0.156 ms."""
    found = system(regions, cps, *rates).solve()
    assert 1e3 * found["messages"].response_time == pytest.approx(simulated, rel=within)


def test_others_all_alike_are_as_they_were() -> None:
    """A region of one place and one TCB are the same queue; so they are beside work of one length."""
    alone = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(3))],
        regions=[zos.ImsRegions("MPP", lpar="SYSA", regions=1), zos.ImsRegions("BMP", lpar="SYSA", regions=300)],
        work=[
            zos.Work("messages", rate=5000.0, steps=[zos.Step("MPP", cpu=1e-4)]),
            zos.Work("others", rate=1900.0, steps=[zos.Step("BMP", cpu=1e-3, delay=1e-3)]),
        ],
    )
    on_tcb = zos.System(
        lpars=alone.lpars,
        regions=[zos.CicsRegion("MPP", lpar="SYSA", mxt=2000), *alone.regions[1:]],
        work=[zos.Work("messages", rate=5000.0, steps=[zos.Step("MPP", qr_cpu=1e-4)]), *alone.work[1:]],
    )
    one, other = alone.solve()["messages"].response_time, on_tcb.solve()["messages"].response_time
    assert one == pytest.approx(other, rel=0.005)


def test_the_order_of_regions_makes_no_difference() -> None:
    """Two limits with the same load and mean piece: each follows how unlike the works of the other one are."""

    def times(*regions: str) -> list[float]:
        return [
            row.response_time
            for row in zos.System(
                lpars=[zos.Lpar("SYSA", processors=zos.Processors(5))],
                regions=[zos.ImsRegions(name, lpar="SYSA", regions=3) for name in regions],
                work=[
                    zos.Work("short", rate=500.0, steps=[zos.Step("MPP1", cpu=2e-4)]),
                    zos.Work("long", rate=500.0, steps=[zos.Step("MPP1", cpu=3.8e-3)]),
                    zos.Work("even", rate=1000.0, steps=[zos.Step("MPP2", cpu=2e-3)]),
                ],
            )
            .solve()
            .work
        ]

    assert times("MPP1", "MPP2") == pytest.approx(times("MPP2", "MPP1"), rel=1e-9)
