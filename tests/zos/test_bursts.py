"""Work that comes in groups to many QR TCBs: more of them are then at work on the CPs at once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from qnsolve import zos


@pytest.mark.parametrize(
    ("regions", "engines", "burst", "rate", "qr", "open_", "simulated", "within"),
    [
        (12, 6, 8, 2400.0, 0.002, 0.0, 9.244e-3, 0.035),
        (12, 6, 8, 1800.0, 0.002, 0.0, 5.150e-3, 0.035),
        (6, 3, 4, 1275.0, 0.002, 0.0, 12.646e-3, 0.04),
        (20, 8, 5, 3400.0, 0.0014, 0.0006, 6.289e-3, 0.04),
    ],
)
def test_equal_regions_beside_simulation(
    regions: int, engines: int, burst: int, rate: float, qr: float, open_: float, simulated: float, within: float
) -> None:
    """A burst is spread over the regions; the response time by `verify`, known to 1.7 %. Once 12 to 19 % less."""
    names = [f"R{i}" for i in range(regions)]
    step = zos.Step(names, qr_cpu=qr, open_cpu=open_)
    system = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(engines))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in names],
        work=[zos.Work("w", rate=rate, burst=burst, steps=[step])],
    )
    assert system.solve().work[0].response_time == pytest.approx(simulated, rel=within)


@pytest.mark.parametrize(
    ("mxt", "rate", "burst", "qr", "simulated", "within"),
    [
        (20, 110, 100, 1e-3, 0.491, 0.1),
        (50, 275, 75, 1e-3, 0.191, 0.2),
        (20, 110, 30, 1e-4, 0.165, 0.04),
        (20, 110, 30, 1e-3, 0.174, 0.1),
    ],
)
def test_more_than_a_limit_lets_in(mxt: int, rate: float, burst: int, qr: float, simulated: float, within: float) -> None:
    """Simulated to 3 %: of a burst only those wait for each other at the QR TCB who find places (once +356 %)."""
    system = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.CicsRegion("AOR", lpar="L", mxt=mxt)],
        work=[zos.Work("pay", rate=rate, burst=burst, steps=[zos.Step("AOR", qr_cpu=qr, delay=0.09)])],
    )
    assert system.solve()["pay"].response_time == pytest.approx(simulated, rel=within)


def test_even_and_odd_bursts_of_open_work() -> None:
    """One QR TCB beside bursts of open work: each size makes it wait somewhat longer (16 once twice as long as 15 and 17)."""
    found = []
    for burst in range(14, 21):
        system = zos.System(
            lpars=[zos.Lpar("L", processors=zos.Processors(2))],
            regions=[zos.CicsRegion("WEB", lpar="L", mxt=2000), zos.CicsRegion("AOR", lpar="L", mxt=2000)],
            work=[
                zos.Work("browse", rate=400, burst=burst, steps=[zos.Step("WEB", open_cpu=3e-3)]),
                zos.Work("pay", rate=400, steps=[zos.Step("AOR", qr_cpu=1e-3)]),
            ],
        )
        found.append(system.solve()["pay"].response_time)
    grows = [later / sooner for sooner, later in pairwise(found)]
    assert all(1.05 < each < 1.18 for each in grows)
