"""A QR TCB of short transactions beside a region whose bursts go on as open pieces: on few CPs, and on several."""

from __future__ import annotations

import pytest
from qnsolve import zos


@pytest.mark.parametrize(
    ("engines", "rates", "burst", "batch", "truth"),
    [
        (2, (1840.0, 8851.0), 17.86, (0.1171, 0.4467), (8.06, 0.442)),  # the short ones 80 % too short
        (3, (2400.0, 8851.0), 17.86, (0.1171, 0.4467), (4.32, 0.1066)),  # 46 % too short
        (2, (1840.0, 8851.0), 5.0, (0.1171, 0.4467), (2.63, 0.253)),  # 50 % too short
        (2, (1840.0, 8851.0), 10.0, (0.3, 0.25), (6.68, 0.0756)),  # 22 % too short
        (1, (700.0, 6000.0), 2.0, (0.1171, 0.4467), (2.03, 0.240)),
        (1, (700.0, 6000.0), 10.0, (0.1171, 0.4467), (7.34, 1.10)),  # 83 % too short
    ],
)
def test_short_transactions_beside_bursts(
    engines: int, rates: tuple[float, float], burst: float, batch: tuple[float, float], truth: tuple[float, float]
) -> None:
    """While a burst is there its open pieces have most of the CPs, and the line at the other TCB grows [ms]."""
    batch_step = zos.Step("A", qr_cpu=batch[0] / 1e3, open_cpu=batch[1] / 1e3)
    work = [
        zos.Work("batch", rate=rates[0], burst=burst, steps=[batch_step]),
        zos.Work("short", rate=rates[1], steps=[zos.Step("B", qr_cpu=3.22e-5)]),
    ]
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000) for name in "AB"]
    answer = zos.solve(zos.System(lpars=[zos.Lpar("L", processors=engines)], regions=regions, work=work))
    found = tuple(1e3 * answer[name].response_time for name in ("batch", "short"))
    assert found == pytest.approx(truth, rel=0.12)
