"""QR TCBs of work with rates beside users on the same CPs: users have their equal share however long a line beside them is."""

from __future__ import annotations

import pytest
from qnsolve import zos
from qnsolve.errors import SaturatedError


def _system(cps: int, batch: dict[str, float], step: dict[str, float], rate: float, regions: int = 1) -> zos.System:
    homes = [f"BTCH{i}" for i in range(regions)]
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(cps))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=500) for name in (*homes, "AOR")],
        work=[
            zos.Work("batch", **batch, steps=[zos.Step(homes, **step)]),
            zos.Work("pay", rate=rate, steps=[zos.Step("AOR", qr_cpu=2e-3)]),
        ],
    )


@pytest.mark.parametrize(
    ("cps", "batch", "step", "regions", "most"),
    [
        (1, {"users": 8, "think_time": 0.02}, {"open_cpu": 0.01}, 1, 71.4),
        (1, {"users": 1, "think_time": 0.0}, {"qr_cpu": 3e-3}, 1, 250.0),
        (2, {"users": 10, "think_time": 0.0}, {"qr_cpu": 0.01}, 2, 357.0),
    ],
)
def test_more_than_its_share(cps: int, batch: dict[str, float], step: dict[str, float], regions: int, most: float) -> None:
    """Simulated: pay never ends more than so often a second. It was once answered at any rate that leaves the CPs idle."""
    assert _system(cps, batch, step, 0.9 * most, regions).solve()["pay"].etr == pytest.approx(0.9 * most)
    for above in (1.04, 1.5):
        with pytest.raises(SaturatedError, match=r"AOR QR TCB.*users too"):
            _system(cps, batch, step, above * most, regions).solve()


def test_one_user_who_never_thinks() -> None:
    """Simulated: 29.3 ± 1.2 and 26.3 ± 0.3 ms; one task that is always there beside open pieces of another region."""
    regions = ("A", "B", "C")
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(1))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=500) for name in regions],
        work=[
            zos.Work("one", users=1, think_time=0.0, steps=[zos.Step("A", qr_cpu=3e-3)]),
            zos.Work("many", users=1000, think_time=1000 / 90, steps=[zos.Step("B", qr_cpu=1e-3, open_cpu=4e-3)]),
            zos.Work("rates", rate=90, steps=[zos.Step("C", qr_cpu=2e-3)]),
        ],
    ).solve()
    assert found["rates"].response_time == pytest.approx(29.3e-3, rel=0.08)
    assert found["many"].response_time == pytest.approx(26.3e-3, rel=0.06)


@pytest.mark.parametrize("qr_cpu", [0.0, 1e-6, 1e-4])
def test_a_short_piece_before_open_ones(qr_cpu: float) -> None:
    """Simulated: 10.9 ± 0.2 ms with any; a QR TCB of next to no CPU before the open pieces once made it 7."""
    steps = {"A1": {"open_cpu": 5e-3 - qr_cpu}, "A2": {"qr_cpu": 2e-3}, "A3": {"qr_cpu": 3e-3}}
    if qr_cpu:
        steps["A1"]["qr_cpu"] = qr_cpu
    rates = zip(steps, (160, 180, 200), strict=True)
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=500) for name in steps],
        work=[zos.Work(f"of {name}", rate=rate, steps=[zos.Step(name, **steps[name])]) for name, rate in rates],
    ).solve()
    assert found["of A2"].response_time == pytest.approx(10.9e-3, rel=0.05)
    assert found["of A1"].response_time == pytest.approx(10.65e-3, rel=0.07)


@pytest.mark.parametrize(("jobs", "most", "beyond"), [(5, 2346, (1.04, 1.5)), (15, 1090, (1.04,)), (40, 463, (1.04, 1.5))])
def test_more_than_its_share_behind_mxt(jobs: int, most: float, beyond: tuple[float, ...]) -> None:
    """Simulated: three AORs beside jobs never end more; once the answer was a response time of weeks."""

    def orders(rate: float) -> zos.System:
        regions = [zos.CicsRegion(f"AOR{i}", lpar="L", mxt=120) for i in range(3)]
        step = zos.Step([region.name for region in regions], qr_cpu=0.6e-3, open_cpu=0.2e-3, delay=5e-3)
        return zos.System(
            lpars=[zos.Lpar("L", processors=zos.Processors(4))],
            regions=[*regions, zos.CicsRegion("JOBS", lpar="L", mxt=500)],
            work=[
                zos.Work("orders", rate=rate, steps=[step]),
                zos.Work("batch", users=jobs, think_time=1e-3, steps=[zos.Step("JOBS", open_cpu=5e-3)]),
            ],
        )

    assert orders(0.95 * most).solve()["orders"].response_time < 0.1
    for above in beyond:
        with pytest.raises(SaturatedError, match=r"AOR\d QR TCB.*users too"):
            orders(above * most).solve()
