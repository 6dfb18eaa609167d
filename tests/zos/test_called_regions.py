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


def test_a_tor_in_order_of_arrival_with_long_and_short_visits() -> None:
    """14.4 and 4.74 ms by simulation, once 20.7 and 9.2: what a TOR calls goes on, whether its own piece was long or short."""
    slow, quick = (zos.Step("TOR", qr_cpu=cpu, qr_dispatches=1) for cpu in (8.007e-5, 3.208e-5))
    ends = [
        zos.Step("AOR", qr_cpu=qr, open_cpu=open_, devices={"DB2": db2}, qr_dispatches=1)
        for qr, open_, db2 in ((2.402e-4, 3.665e-4, 0.01035), (1.16e-4, 8.208e-5, 0.00185))
    ]
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(1))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in ("TOR", "AOR")],
        work=[
            zos.Work("slow", users=288, think_time=0.4092, steps=[slow, ends[0]]),
            zos.Work("quick", users=255, think_time=0.1312, steps=[quick, ends[1]]),
        ],
        devices=[zos.Device("DB2")],
    ).solve()
    assert found["slow"].response_time == pytest.approx(0.01438, rel=0.03)
    assert found["quick"].response_time == pytest.approx(0.00474, rel=0.09)


@pytest.mark.parametrize(("rate", "qr", "open_"), [(29000, 17.45, 80.60), (31500, 25.08, 96.75), (33000, 34.54, 110.74)])
def test_two_qr_tcbs_beside_open_work_of_another_region(rate: float, qr: float, open_: float) -> None:
    """By simulation of 20 million tasks; at 31500 a second a grid that became too coarse once said 16.3 for 25.1."""
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in ("AOR1", "AOR2", "AOR3")],
        work=[
            zos.Work("qr", rate=rate, regions=["AOR1", "AOR2"], qr_cpu=6.841e-6),
            zos.Work("open", rate=rate, regions="AOR3", open_cpu=4.143e-5),
        ],
    ).solve()
    assert found["qr"].response_time == pytest.approx(1e-6 * qr, rel=0.01)
    assert found["open"].response_time == pytest.approx(1e-6 * open_, rel=0.01)


@pytest.mark.parametrize("most", [2000, 28])
@pytest.mark.parametrize("load", [{"rate": 31583.0}, {"users": 1076, "think_time": 0.03394}])
def test_open_work_that_a_tor_calls_is_as_open_work_after_its_piece(load: dict[str, float], most: int) -> None:
    """The CPs do not see in which region it is, nor limits that are never full; once 7 and 10 % longer."""
    first, then = {"qr_cpu": 6.841e-6}, {"open_cpu": 4.143e-5, "devices": {"DB2": 3.984e-6}}
    tors = ["TOR1", "TOR2"]
    found = []
    for steps in ([zos.Step(tors, **first, **then)], [zos.Step(tors, **first), zos.Step("AOR", **then)]):
        system = zos.System(
            lpars=[zos.Lpar("L", processors=zos.Processors(2))],
            regions=[zos.CicsRegion(name, lpar="L", mxt=most) for name in (*tors, "AOR")],
            work=[zos.Work("work", steps=steps, **load)],
            devices=[zos.Device("DB2")],
        )
        found.append(system.solve()["work"].response_time)
    assert found[1] == pytest.approx(found[0], rel=1e-4 if most == 2000 else 0.02)
    if "rate" in load:
        assert found[0] == pytest.approx(118.67e-6, rel=0.01)  # by simulation of 20 million tasks
