"""Work that comes in groups to many QR TCBs: more of them are then at work on the CPs at once."""

from __future__ import annotations

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
