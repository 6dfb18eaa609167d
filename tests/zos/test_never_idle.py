"""Regions whose QR TCBs users keep at work all the time, beside other regions on the same CPs."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.lines import beyond_share
from qnsolve.zos.point.solved import solved_point
from scipy.stats import poisson


def _system(cps: float, **works: tuple[str, dict[str, float], dict[str, float]]) -> zos.System:
    """Works by name: region, load, and times of the step."""
    regions = dict.fromkeys(region for region, _, _ in works.values())
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(cps))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in regions],
        work=[zos.Work(name, steps=[zos.Step(region, **times)], **load) for name, (region, load, times) in works.items()],
    )


@pytest.mark.parametrize(("cps", "qr", "open_"), [(1, 1e-3, 1e-3), (2, 1e-3, 4e-3), (5, 1e-3, 6e-3), (4, 1e-3, 1e-3)])
def test_a_line_that_is_never_idle_alone(cps: int, qr: float, open_: float) -> None:
    """Pieces out of it are, weighted by its speed, a Poisson number: X = 1/(QR CPU · E max(1, (1 + N)/CPs))."""
    system = _system(cps, a=("AOR1", {"users": 1800, "think_time": 0.1}, {"qr_cpu": qr, "open_cpu": open_}))
    number = np.arange(200)
    slow = float(poisson.pmf(number, open_ / qr) @ np.maximum(1.0, (1 + number) / cps))
    assert system.solve()["a"].etr == pytest.approx(1 / (qr * slow), rel=0.005)


def test_others_beside_one() -> None:
    """Simulated: 402 ± 2.5 and 257 ± 6 µs, 46.6 ± 0.8 ms; the others were once told 364 and 150 µs."""
    found = _system(
        2,
        short=("AOR1", {"users": 200, "think_time": 0.05}, {"qr_cpu": 2e-5, "open_cpu": 7e-5, "delay": 5e-5}),
        long=("AOR2", {"users": 1500, "think_time": 0.12}, {"qr_cpu": 4e-5, "open_cpu": 5e-5, "delay": 5e-5}),
        many=("AOR3", {"users": 1500, "think_time": 0.04}, {"qr_cpu": 7e-6, "open_cpu": 1.5e-5, "delay": 2e-5}),
    ).solve()
    assert found["short"].response_time == pytest.approx(402e-6, rel=0.04)
    assert found["many"].response_time == pytest.approx(257e-6, rel=0.06)
    assert found["long"].response_time == pytest.approx(46.6e-3, rel=0.02)


def test_two_of_them_beside_a_third() -> None:
    """Simulated: 22.7 ± 0.5, 15.9 ± 0.2, 14.4 ± 1.0 and 5.44 ± 0.05 ms; a line that is nearly full beside two that are."""
    found = _system(
        2,
        first=("AOR1", {"users": 143, "think_time": 0.0785}, {"qr_cpu": 3.8e-4}),
        second=("AOR2", {"users": 47, "think_time": 0.0154}, {"qr_cpu": 3.6e-4}),
        third=("AOR3", {"users": 1120, "think_time": 1.03}, {"qr_cpu": 4.5e-4}),
        open=("AOR4", {"rate": 206.5}, {"open_cpu": 2.15e-3}),
    ).solve()
    assert found["first"].response_time == pytest.approx(22.7e-3, rel=0.03)
    assert found["second"].response_time == pytest.approx(15.94e-3, rel=0.03)
    assert found["third"].response_time == pytest.approx(14.4e-3, rel=0.08)
    assert found["open"].response_time == pytest.approx(5.44e-3, rel=0.02)


def test_equal_lines_are_solved_beside_all_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates and users at six equal TCBs, nearly full: what is left to one of them is left to each."""
    asked = [0]
    speed = beyond_share._speed_of_each

    def counted(host: Host, free: float, full: list[int]) -> float:
        asked[0] += 1
        assert len(full) == 6
        return speed(host, free, full)

    monkeypatch.setattr(beyond_share, "_speed_of_each", counted)
    regions = [f"AOR{i}" for i in range(6)]
    system = zos.System(
        lpars=[zos.Lpar("L", processors=5)],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in regions],
        work=[
            zos.Work("stream", rate=2400.0, steps=[zos.Step(regions, qr_cpu=1e-3, delay=0.01)]),
            zos.Work("users", users=1500, think_time=0.4, steps=[zos.Step(regions, qr_cpu=1e-3, open_cpu=1e-4)]),
        ],
    )
    point = solved_point(system)
    assert 0 < asked[0] <= point.work.rounds
