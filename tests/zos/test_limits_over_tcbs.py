"""Limits whose tasks wait at their QR TCB, or on CPs that work of higher importance comes to first, beside simulation."""

from __future__ import annotations

import pytest
from qnsolve import zos

SIMULATED = 3e-2  # of a response time; simulated to 1.4 % at most


@pytest.mark.parametrize(
    ("users", "short", "long"),
    [
        (200, (9586.0, 0.000867), (983.6, 0.001354)),
        (300, (13997.0, 0.001414), (986.6, 0.001656)),
        (400, (15807.0, 0.005325), (948.0, 0.005348)),
        (700, (16452.0, 0.02253), (813.8, 0.02255)),
    ],
)
def test_tasks_that_are_dispatched_often_wait_once(
    users: int, short: tuple[float, float], long: tuple[float, float]
) -> None:  # fmt: skip
    """A limit that users do not fill, and fill; where tasks waited as often as they come to the TCB it was up to 27 % off."""
    works = [
        zos.Work(
            "short", users=users, think_time=0.02,
            steps=[zos.Step("AOR", qr_cpu=4e-5, open_cpu=1e-5, qr_dispatches=4, devices={"DB2": 0.0005})],
        ),
        zos.Work(
            "long", users=100, think_time=0.1,
            steps=[zos.Step("AOR", qr_cpu=0.0002, open_cpu=2e-5, qr_dispatches=1, devices={"DB2": 0.001})],
        ),
    ]  # fmt: skip
    region = zos.CicsRegion("AOR", lpar="L", mxt=25)
    answer = zos.System(lpars=[_lpar(1)], regions=[region], work=works, devices=[zos.Device("DB2")]).solve()
    for work, (throughput, response) in {"short": short, "long": long}.items():
        assert answer[work].etr == pytest.approx(throughput, rel=0.01), work
        assert answer[work].response_time == pytest.approx(response, rel=SIMULATED), work


@pytest.mark.parametrize(("users", "throughput", "response"), [(120, 2487.7, 0.02824), (300, 2480.1, 0.10096)])
def test_full_region_of_lower_importance(users: int, throughput: float, response: float) -> None:
    """Its tasks have the CPs that others leave: as among all alike it passed 10 % more."""
    works = [
        zos.Work("payments", rate=1100, steps=[zos.Step("HIGH", open_cpu=0.0011)]),
        zos.Work(
            "reports", users=users, think_time=0.02,
            steps=[zos.Step("LOW", qr_cpu=8e-5, open_cpu=0.0002, devices={"DB2": 0.002})],
        ),
    ]  # fmt: skip
    regions = [zos.CicsRegion("HIGH", lpar="L"), zos.CicsRegion("LOW", lpar="L", mxt=12, importance=2)]
    answer = zos.System(lpars=[_lpar(2)], regions=regions, work=works, devices=[zos.Device("DB2")]).solve()
    assert answer["payments"].response_time == pytest.approx(0.001744, rel=SIMULATED)
    assert answer["reports"].etr == pytest.approx(throughput, rel=0.015)
    assert answer["reports"].response_time == pytest.approx(response, rel=SIMULATED)


def _lpar(engines: float) -> zos.Lpar:
    return zos.Lpar("L", processors=zos.Processors(engines))


def test_full_region_beside_others_on_the_cps() -> None:
    """Its open pieces are those of its tasks that are not at its TCB, whatever others have there: waits were 42 % too short."""
    works = [
        zos.Work(
            "short", users=903, think_time=0.05214,
            steps=[zos.Step(["R1", "R2"], shares=[0.373, 0.627], qr_cpu=6.922e-5, open_cpu=1.726e-5)],
        ),
        zos.Work(
            "open", users=606, think_time=0.1953,
            steps=[zos.Step(["R0", "R1", "R2"], shares=[0.4, 0.224, 0.376], open_cpu=0.0001592)],
        ),
    ]  # fmt: skip
    regions = [zos.CicsRegion(name, lpar="L", mxt=10) for name in ("R0", "R1", "R2")]
    answer = zos.System(lpars=[_lpar(2)], regions=regions, work=works).solve()
    assert answer["short"].etr == pytest.approx(16104, rel=0.01)
    assert answer["short"].response_time == pytest.approx(0.003932, rel=0.1)
    assert answer["open"].response_time == pytest.approx(0.002258, rel=0.1)
