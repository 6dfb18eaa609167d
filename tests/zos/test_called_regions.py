"""Regions that others call on the same CPs: what they are asked for comes out of the line of those, not of itself."""

from __future__ import annotations

import pytest
from qnsolve import zos


def _site(aors: int, factor: float) -> zos.System:
    """One TOR before equal AORs on six CPs that are nearly full; payments, and an API with JVM work on zIIPs."""
    names = [f"AOR{n}" for n in range(aors)]
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=400), *(zos.CicsRegion(name, lpar="L", mxt=120) for name in names)]
    front = zos.Step("TOR", qr_cpu=0.00015)
    asks = {"log_bytes": {"LOG": 6144.0}, "devices": {"Db2": 0.012}}
    online = zos.Step(names, qr_cpu=0.0008, open_cpu=0.0011, change_modes=4, **asks)
    java = zos.Step(names, jvm_cpu=0.003, ziip_share=0.9)
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(6), ziips=zos.Ziips(2), fixed_cpu=0.4)],
        regions=regions,
        work=[
            zos.Work("payments", rate=900 * factor, steps=[front, online]),
            zos.Work("api", rate=150 * factor, steps=[front, java]),
        ],
        loggers=[zos.Logger("LOG", seconds_per_mib=(0.002, 0.004))],
        devices=[zos.Device("Db2")],
    )


def test_eight_aors_behind_one_tor() -> None:
    """22.7 ± 0.4 and 9.1 ± 0.4 ms by simulation, once 57.7 and 43.6: while the TOR is held up, the AORs get nothing to do."""
    found = _site(8, 2.6975).solve()
    assert found["payments"].response_time == pytest.approx(0.0227, rel=0.07)
    assert found["api"].response_time == pytest.approx(0.0091, rel=0.12)


def test_more_aors_do_not_make_a_site_far_slower() -> None:
    """Each AOR in two: shorter lines at their QR TCBs, more of them at work beside that of the TOR."""
    four, eight = (_site(aors, 2.6975).solve() for aors in (4, 8))
    assert eight["payments"].response_time < 1.05 * four["payments"].response_time
    assert eight["api"].response_time < 2.2 * four["api"].response_time  # 5.0 and 9.1 ms by simulation
