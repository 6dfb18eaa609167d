"""Others on the processors whose number is limited: regions that are full, and few users, beside lines of many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve import zos

from tests.oracles.system_chains import Chain, State

MOST = 60  # tasks of open work in a chain


def _system(engines: float, limits: dict[str, int], *works: zos.Work) -> zos.System:
    regions = [zos.CicsRegion(name, lpar="L", mxt=mxt) for name, mxt in limits.items()]
    return zos.System(lpars=[zos.Lpar("L", processors=zos.Processors(engines))], regions=regions, work=list(works))


def _chain(inside: int, cpu: float, delay: float, rate: float, piece: float) -> tuple[float, float]:
    """Visits a second to each of two regions with so many tasks inside, and response time [s] of open work of a third one.

    All three TCBs share one CP.
    """

    def moves(state: State) -> Iterator[tuple[float, State]]:
        first, second, there = state
        share = (first > 0) + (second > 0) + (there > 0)
        if first < inside:
            yield (inside - first) / delay, (first + 1, second, there)
        if second < inside:
            yield (inside - second) / delay, (first, second + 1, there)
        if there < MOST:
            yield rate, (first, second, there + 1)
        if first:
            yield 1 / cpu / share, (first - 1, second, there)
        if second:
            yield 1 / cpu / share, (first, second - 1, there)
        if there:
            yield 1 / piece / share, (first, second, there - 1)

    chain = Chain((0, 0, 0), moves)
    passed = chain.mean(lambda state: (inside - state[0]) / delay)
    return passed, chain.mean(lambda state: state[2]) / rate


@pytest.mark.parametrize(
    ("cpu", "delay", "rate", "piece", "near"),
    [(0.0031, 0.0794, 76.0, 0.004, 0.015), (0.0058, 0.04, 10.0, 0.004, 0.015), (0.0062, 0.05, 40.0, 0.0012, 0.03)],
)
def test_open_work_beside_two_full_regions(cpu: float, delay: float, rate: float, piece: float, near: float) -> None:
    """Once 6 to 31 % too fast: the ten tasks of a region were taken as if there were any number of them."""
    passed, response = _chain(10, cpu, delay, rate, piece)
    steps = [zos.Step([name], qr_cpu=cpu, delay=delay) for name in ("R0", "R1")]
    full = [zos.Work(f"full {i}", users=1500, think_time=1.2, steps=[step]) for i, step in enumerate(steps)]
    beside = zos.Work("open", rate=rate, regions="S", qr_cpu=piece)
    found = _system(1, {"R0": 10, "R1": 10, "S": 2000}, *full, beside).solve()
    assert found["full 0"].etr == pytest.approx(passed, rel=0.008)
    assert found["full 1"].etr == pytest.approx(passed, rel=0.008)
    assert found["open"].response_time == pytest.approx(response, rel=near)


def test_open_work_beside_few_users() -> None:
    """Twenty users at two TCBs, whom no limit keeps out: the same chain; 9 % too fast once."""
    passed, response = _chain(10, 0.0031, 0.0794, 76.0, 0.004)
    users = [zos.Work(f"users {i}", users=10, think_time=0.0794, regions=f"R{i}", qr_cpu=0.0031) for i in (0, 1)]
    beside = zos.Work("open", rate=76.0, regions="S", qr_cpu=0.004)
    found = _system(1, {"R0": 2000, "R1": 2000, "S": 2000}, *users, beside).solve()
    assert found["users 0"].etr == pytest.approx(passed, rel=0.003)
    assert found["open"].response_time == pytest.approx(response, rel=0.02)


@pytest.mark.parametrize(("open_cpu", "response"), [(0.0, 11.43e-3), (0.0022, 21.07e-3)])
def test_three_full_regions_keep_two_processors_full(open_cpu: float, response: float) -> None:
    """Simulated: 106.1 transactions of each a second, and 11.43 or 21.07 ms (1 %); 10 and 16 % less once."""
    cpu = 0.0058
    steps = [zos.Step([f"R{i}"], qr_cpu=cpu - open_cpu, open_cpu=open_cpu, delay=0.04) for i in range(3)]
    full = [zos.Work(f"full {i}", users=400, think_time=1.2, steps=[step]) for i, step in enumerate(steps)]
    beside = zos.Work("open", rate=38.0, regions="S", qr_cpu=0.004)
    found = _system(2, {"R0": 10, "R1": 10, "R2": 10, "S": 2000}, *full, beside).solve()
    for work in full:
        assert found[work.name].etr == pytest.approx(106.1, rel=0.005)
    assert found["open"].response_time == pytest.approx(response, rel=0.04)


def test_regions_that_the_processors_fill_now_and_then() -> None:
    """349 users of eight regions on three CPs: 124.9 ms simulated, and next to as much without limits; 133.5 ms once."""
    names = [f"R{i}" for i in range(8)]
    step = zos.Step(names, shares=[1.0] * 8, qr_cpu=1.3485e-3, open_cpu=7.3035e-3, delay=0.067156)
    limits = {name: 2000 if name in ("R2", "R3") else 10 for name in names}
    work = zos.Work("users", users=349, think_time=0.90914, steps=[step])
    assert _system(3, limits, work).solve()["users"].response_time == pytest.approx(0.1249, rel=0.025)


def test_users_of_several_full_regions_on_one_processor() -> None:
    """451 and 254 ms simulated; 417 and 236 ms once, with the CP idle half as often as it is."""
    first = zos.Step(["R3", "R0"], shares=[1.0, 1.0], qr_cpu=3.1003e-3, delay=0.100847)
    second = zos.Step([f"R{i}" for i in range(4)], shares=[1.0] * 4, qr_cpu=3.0907e-3, open_cpu=0.9063e-3, delay=0.060537)
    works = [
        zos.Work("first", users=117, think_time=1.025122, steps=[first]),
        zos.Work("second", users=315, think_time=1.478647, steps=[second]),
    ]
    found = _system(1, {"R0": 10, "R1": 2000, "R2": 10, "R3": 10}, *works).solve()
    assert found["first"].response_time == pytest.approx(0.4514, rel=0.05)
    assert found["second"].response_time == pytest.approx(0.2537, rel=0.05)
    assert found["first"].etr == pytest.approx(79.24, rel=0.01)


def test_open_pieces_that_one_line_makes() -> None:
    """Three CPs 94 % busy, mostly by what one QR TCB of five lets go on: 190 ms simulated (1 %), 272 once."""
    names = [f"R{i}" for i in range(5)]
    first = zos.Step(
        ["R3", "R1", "R2", "R0", "R4"], shares=[0.8215, 0.6432, 1.0255, 0.812, 2.154], qr_cpu=0.592e-3, delay=0.040547
    )
    second = zos.Step(["R4", "R0", "R1"], shares=[2.154, 0.812, 0.6432], qr_cpu=1.76838e-3, delay=0.04661)
    third = zos.Step(["R2"], qr_cpu=2.55613e-3, open_cpu=20.0298e-3, delay=0.066982)
    works = [
        zos.Work("short", rate=137.219, steps=[first]),
        zos.Work("elsewhere", rate=211.856, steps=[second]),
        zos.Work("long", rate=104.284, steps=[third]),
    ]
    found = _system(3, dict.fromkeys(names, 2000), *works).solve()
    assert found["long"].response_time == pytest.approx(0.1904, rel=0.05)
    assert found["short"].response_time == pytest.approx(0.0493, rel=0.06)
    assert found["elsewhere"].response_time == pytest.approx(0.0703, rel=0.15)
