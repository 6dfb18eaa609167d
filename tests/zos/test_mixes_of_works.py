"""Works that change each other's mix: users of several kinds at several limits, beside short work, and inside one limit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve import zos

from tests.oracles.system_chains import Chain, State


def _system(engines: float, regions: list[zos.CicsRegion], *works: zos.Work) -> zos.System:
    return zos.System(lpars=[zos.Lpar("L", processors=zos.Processors(engines))], regions=regions, work=list(works))


@pytest.mark.parametrize("beside", [zos.Work("short", rate=53.0, regions="R", qr_cpu=1e-6), None])
def test_short_work_of_the_region_leaves_users_as_they_are(beside: zos.Work | None) -> None:
    """Thirteen users on three CPs, by their chain. Beside 1 µs pieces on their QR TCB they once took 4.5 % longer."""
    users, think, cpu, engines = 13, 0.117, 0.0247, 3

    def moves(state: State) -> Iterator[tuple[float, State]]:
        (there,) = state
        if there < users:
            yield (users - there) / think, (there + 1,)
        if there:
            yield min(there, engines) / cpu, (there - 1,)

    there = Chain((0,), moves).mean(lambda state: state[0])
    work = zos.Work("users", users=users, think_time=think, regions="R", qr_cpu=1e-6, open_cpu=cpu)
    found = _system(engines, [zos.CicsRegion("R", lpar="L", mxt=2000)], *([work] if beside is None else [work, beside])).solve()
    assert found["users"].response_time == pytest.approx(there * think / (users - there), rel=0.005)


def test_the_cps_stretch_all_tasks_alike_behind_limits_that_hardly_fill() -> None:
    """122.3 and 153.9 ms, simulated; 150.9 and 141.5 once, as the CPs made time off them longer, too."""
    names, shares = [f"R{i}" for i in range(6)], [0.5955, 0.758, 1.0804, 0.9517, 1.5237, 1.1588]
    works = [
        zos.Work(
            "short", rate=40.23, steps=[zos.Step(names, shares=shares, qr_cpu=0.922e-3, open_cpu=8.962e-3, delay=0.09162)]
        ),
        zos.Work("long", rate=62.49, steps=[zos.Step(names, shares=shares, qr_cpu=2.727e-3, open_cpu=32.95e-3, delay=0.04481)]),
    ]
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000 if name in ("R0", "R4") else 10) for name in names]
    found = _system(3, regions, *works).solve()
    assert found["short"].response_time == pytest.approx(0.1223, rel=0.03)
    assert found["long"].response_time == pytest.approx(0.1539, rel=0.05)


@pytest.mark.parametrize(
    ("places", "shares", "works", "rates"),
    [
        (
            [10, 10, 16, 12, 15, 10],
            [1.0] * 6,
            [(96, 0.02, 0.95e-3, 0.655e-3, 0.02644), (71, 0.03256, 0.537e-3, 0.0, 0.0402)],
            [1128.4, 645.1],
        ),
        (
            [27, 28, 47, 39, 27],
            [0.8988, 0.8933, 1.0712, 1.2409, 0.6114],
            [
                (14, 0.02, 0.583e-3, 0.0, 0.04754),
                (108, 0.02, 0.605e-3, 0.459e-3, 0.26905),
                (76, 0.02, 0.587e-3, 0.521e-3, 0.1601),
            ],
            [110.06, 308.7, 315.7],
        ),
        (
            [10] * 4,
            [1.0] * 4,
            [(12, 0.02, 1.07e-3, 5.224e-3, 0.38836), (364, 1.659, 2.603e-3, 14.897e-3, 0.08753)],
            [27.18, 202.96],
        ),
    ],
)
def test_kinds_of_users_at_the_same_limits(
    places: list[int], shares: list[float], works: list[tuple[int, float, float, float, float]], rates: list[float]
) -> None:
    """Simulated to 1 %: all who wait elsewhere are one number. As if others stayed as they are up to 3 % more passed."""
    names = [f"R{i}" for i in range(len(places))]
    of = [
        zos.Work(f"W{k}", users=n, think_time=z, steps=[zos.Step(names, shares=shares, qr_cpu=qr, open_cpu=open_, delay=delay)])
        for k, (n, z, qr, open_, delay) in enumerate(works)
    ]
    regions = [zos.CicsRegion(name, lpar="L", mxt=size) for name, size in zip(names, places, strict=True)]
    found = _system(6 if len(places) == 4 else 4, regions, *of).solve()
    for k, rate in enumerate(rates):
        assert found[f"W{k}"].etr == pytest.approx(rate, rel=0.01)


def test_a_class_that_users_fill_with_work_on_the_cps() -> None:
    """45.79 and 47.27/s, simulated, 111.2 ms of the first: once 5 % longer, as the limit of all its tasks told of the CPs."""
    region = zos.CicsRegion("R", lpar="L", mxt=2000, tranclasses={"LONG": 4, "ONE": 1})
    long = zos.Step("R", shares=[2.0039], qr_cpu=3.3205e-3, open_cpu=46.139e-3, delay=0.024969, tranclass="LONG")
    one = zos.Step("R", shares=[2.0039], qr_cpu=0.408e-3, delay=0.020139, tranclass="ONE")
    works = [
        zos.Work("long", users=13, think_time=0.172634, steps=[long]),
        zos.Work("one", users=105, think_time=1.93925, steps=[one]),
    ]
    found = _system(3, [region], *works).solve()
    assert found["long"].etr == pytest.approx(45.79, rel=0.012)
    assert found["long"].response_time == pytest.approx(0.1112, rel=0.03)
    assert found["one"].etr == pytest.approx(47.27, rel=0.012)


def test_classes_of_open_work_in_a_region_that_their_places_nearly_fill() -> None:
    """73.6 and 370 ms, simulated; 96.7 of the first once, as if any number of the second came to the places of the region."""
    mxt = {"R0": 10, "R1": 10, "R2": 2000, "R3": 13}
    classes = {"R0": {"B": 7}, "R1": {"B": 9}, "R2": {"A": 3, "B": 9}, "R3": {"A": 4, "B": 11}}
    regions = [zos.CicsRegion(name, lpar="L", mxt=size, tranclasses=classes[name]) for name, size in mxt.items()]
    a = zos.Step(["R3", "R2"], shares=[0.842, 0.6207], qr_cpu=1.3896e-3, open_cpu=7.2371e-3, delay=0.032352, tranclass="A")
    b = zos.Step(
        [*mxt], shares=[0.4858, 0.6714, 0.6207, 0.842], qr_cpu=0.34158e-3, open_cpu=1.68647e-3, delay=0.356506, tranclass="B"
    )
    found = _system(1, regions, zos.Work("A", rate=73.586, steps=[a]), zos.Work("B", rate=55.502, steps=[b])).solve()
    assert found["A"].response_time == pytest.approx(0.0736, rel=0.08)
    assert found["B"].response_time == pytest.approx(0.3701, rel=0.02)


def test_classes_of_several_regions_beside_other_work() -> None:
    """130.3/s, simulated: the closed network of all classes, also where the first rounds are far from it; once 135.5."""
    names = [f"R{i}" for i in range(8)]
    first = {"R4": 4, "R0": 3, "R7": 5, "R1": 3, "R6": 3, "R2": 3, "R5": 3}
    regions = [
        zos.CicsRegion(
            name,
            lpar="L",
            mxt={"R1": 23, "R7": 46}.get(name, 2000),
            tranclasses=({"A": first[name]} if name in first else {}) | ({"B": 35} if name in ("R3", "R7") else {}),
        )
        for name in names
    ]
    a = zos.Step([*first], qr_cpu=2.9526e-3, open_cpu=0.26326e-3, delay=0.133505, tranclass="A")
    b = zos.Step(["R3", "R7"], qr_cpu=0.33759e-3, open_cpu=0.10198e-3, delay=0.070723, tranclass="B")
    c = zos.Step(names, qr_cpu=1.1983e-3, open_cpu=0.35787e-3, delay=0.208031)
    works = [
        zos.Work("A", users=38, think_time=0.02, steps=[a]),
        zos.Work("B", rate=670.223, steps=[b]),
        zos.Work("C", rate=356.266, steps=[c]),
    ]
    found = _system(2, regions, *works).solve()
    assert found["A"].etr == pytest.approx(130.31, rel=0.006)
