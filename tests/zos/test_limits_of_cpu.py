"""Limits that work on the CPs fills, against Markov chains of the whole system."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.limited.limited_parts import inside_limit
from qnsolve.zos.hosts.limited.limited_work import variation_of_ends

from tests.oracles.system_chains import of_rates, one_limit


def two_limits(
    rate: tuple[float, float], size: tuple[int, int], engines: int, cpu: tuple[float, float], top: int
) -> list[float]:
    """Tasks in and before two limits whose work is CPU alone [count]."""
    rates: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    for a in range(top + 1):
        for b in range(top + 1):
            to = rates.setdefault((a, b), {})
            ready = min(a, size[0]), min(b, size[1])
            share = min(1.0, engines / max(sum(ready), 1))
            if a < top:
                to[a + 1, b] = rate[0]
            if b < top:
                to[a, b + 1] = rate[1]
            if a:
                to[a - 1, b] = ready[0] * share / cpu[0]
            if b:
                to[a, b - 1] = ready[1] * share / cpu[1]
    chain = of_rates(rates)
    return [chain.mean(lambda state: state[0]), chain.mean(lambda state: state[1])]


def system(engines: int, regions: dict[str, int], works: list[zos.Work]) -> zos.System:
    """One LPAR."""
    parts = [zos.ImsRegions(name, lpar="L", regions=size) for name, size in regions.items()]
    devices = [zos.Device("DB2")] if any(step.devices for work in works for step in work.steps) else []
    return zos.System(lpars=[zos.Lpar("L", processors=engines)], regions=parts, work=works, devices=devices)


@pytest.mark.parametrize(("rate", "cpu", "away"), [(1200.0, 0.002, 0.002), (900.0, 0.0025, 0.005), (1400.0, 0.002, 0.0)])
def test_one_limit(rate: float, cpu: float, away: float) -> None:
    """CPU that all share and a time away: within 1 % of the chain of both."""
    work = zos.Work("W", rate=rate, regions="R", cpu=cpu, **({"devices": {"DB2": away}} if away else {}))
    found = system(3, {"R": 8}, [work]).solve()["W"].response_time
    assert found == pytest.approx(one_limit(rate, 8, 3, cpu, max(away, 1e-9), 120) / rate, rel=0.01)


def test_two_limits() -> None:
    """Two limits share the CPs: the numbers at both are those of their chain."""
    works = [zos.Work("A", rate=500.0, regions="RA", cpu=0.002), zos.Work("B", rate=300.0, regions="RB", cpu=0.003)]
    answer = system(3, {"RA": 3, "RB": 2}, works).solve()
    found = [answer["A"].response_time * 500, answer["B"].response_time * 300]
    assert found == pytest.approx(two_limits((500.0, 300.0), (3, 2), 3, (0.002, 0.003), 40), rel=0.02)


def test_variation_of_ends() -> None:
    """One place: that of a time in two exponential parts; where the CPs are full: as of a Poisson stream."""
    one, other = 0.002, 0.003
    rate = np.array([1 / other, 0.0])
    assert variation_of_ends(rate, np.array([other, one]) / (one + other)) == pytest.approx((one**2 + other**2) / 0.005**2)


@pytest.mark.parametrize("users", [2000, 10_000, 100_000])
def test_many_users_before_a_region_of_cpu(users: int) -> None:
    """However many wait before a TOR whose regions below are full, too: the CPs pass what they can, simulated 1245.8 ± 0.6."""
    below = [f"A{i}" for i in range(2)]
    regions = [zos.CicsRegion("T", lpar="L", mxt=60), *(zos.CicsRegion(name, lpar="L", mxt=20) for name in below)]
    steps = [zos.Step("T", qr_cpu=1e-4), zos.Step(below, qr_cpu=0.001, open_cpu=0.002, delay=0.02)]
    work = zos.Work("W", users=users, think_time=1.0, steps=steps)
    found = zos.System(lpars=[zos.Lpar("L", processors=4)], regions=regions, work=[work]).solve()["W"]
    assert found.etr == pytest.approx(1245.8, rel=0.012)
    assert found.response_time == pytest.approx(users / found.etr - 1.0, rel=1e-6)


def test_less_than_one_cp() -> None:
    """A limit beside CPU that comes now and then: as many leave as without it, though 150 of its units are told apart."""
    lpar = zos.Lpar("L", processors=0.84, fixed_cpu=0.008)
    regions = [zos.ImsRegions("R", lpar="L", regions=2)]
    work = [zos.Work("W", rate=2000.0, regions="R", cpu=0.0001, devices={"D": 0.0005})]
    found = zos.System(lpars=[lpar], regions=regions, work=work, devices=[zos.Device("D")]).solve()["W"].response_time
    assert found == pytest.approx(one_limit(2000.0, 2, 1, 0.0001 / 0.832, 0.0005, 200) / 2000.0, rel=0.03)


def always_full(size: int, engines: int, qr: float, cpu: float, away: float) -> float:
    """Tasks a second that leave a limit whose places are always taken: QR TCB, CPU of its own, and a time away."""
    rates: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    for at_tcb in range(size + 1):
        for on_cps in range(size - at_tcb + 1):
            to = rates.setdefault((at_tcb, on_cps), {})
            share = min(1.0, engines / max(min(at_tcb, 1) + on_cps, 1))
            if at_tcb:
                to[at_tcb - 1, on_cps + 1] = share / qr
            if on_cps:
                to[at_tcb, on_cps - 1] = on_cps * share / cpu
            if at_tcb + on_cps < size:
                to[at_tcb + 1, on_cps] = (size - at_tcb - on_cps) / away
    return of_rates(rates).mean(lambda state: min(1.0, engines / (1 + state[1])) / qr if state[0] else 0.0)


@pytest.mark.parametrize(
    ("size", "engines", "qr", "cpu", "away"),
    [
        (12, 2, 0.0004, 0.0016, 0.007),
        (24, 2, 0.0004, 0.0016, 0.007),
        (24, 3, 0.0004, 0.0016, 0.007),
        (40, 2, 0.0003, 0.0007, 0.03),
    ],
)
def test_a_tcb_among_pieces_inside_a_full_limit(size: int, engines: int, qr: float, cpu: float, away: float) -> None:
    """Its line is not on the CPs, and makes nobody there more: what leaves within 0.6 %, 1 to 15 % too much once."""
    crowd = np.maximum(np.arange(size + 1.0) / engines, 1.0)
    table, at_tcb = inside_limit(size, cpu, {0: qr}, away, size / (qr + cpu + away), crowd)
    weight = table[-1] * np.cumprod(crowd)
    chance, ready = weight / weight.sum(), np.arange(size + 1)
    passed = float(chance @ np.minimum(ready, engines)) / (qr + cpu)
    assert passed == pytest.approx(always_full(size, engines, qr, cpu, away), rel=0.006)
    waiting = float(at_tcb[0][-1] @ np.cumprod(crowd)) / float(weight.sum())
    assert size == pytest.approx(waiting + float(chance @ ready) + passed * away, abs=1.5)  # one of those there is ready


@pytest.mark.parametrize(("servers", "load"), [(4, 0.7), (4, 0.9), (10, 0.85)])
def test_what_is_seen_of_dependent_regions_that_have_a_cp_each(servers: int, load: float) -> None:
    """Time at the limit, tasks that wait, and how many 95 % of the time: those of an M/M/c, whatever else its line is like."""
    region = zos.ImsRegions("R", lpar="L", regions=servers)
    work = zos.Work("W", rate=load * servers / 0.01, regions="R", cpu=0.01)
    found = zos.System(lpars=[zos.Lpar("L", processors=servers)], regions=[region], work=[work]).solve()["R"]
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = servers * load * blocked / (n + servers * load * blocked)
    delayed = blocked / (1 - load * (1 - blocked))
    assert found.at_limit_percent == pytest.approx(100 * delayed, rel=0.01)
    assert found.fraction_delayed == pytest.approx(delayed, rel=0.01)
    waiting = next(w for w in range(1000) if delayed * load ** (w + 1) <= 0.05)
    assert found.waiting_95 == pytest.approx(waiting, abs=1 + 0.05 * waiting)


def test_what_users_see_of_a_limit_on_fewer_cps() -> None:
    """Fifteen users before eight regions on three CPs: half full, nobody is told that it always is."""
    region = zos.ImsRegions("R", lpar="L", regions=8)
    work = zos.Work("W", users=15, think_time=0.04, regions="R", cpu=0.01)
    found = zos.System(lpars=[zos.Lpar("L", processors=3)], regions=[region], work=[work]).solve()["R"]
    weight = np.cumprod([1.0] + [(15 - n) / 0.04 / (min(n + 1, 3) / 0.01) for n in range(15)])
    chance = weight / weight.sum()
    come = chance * np.arange(15, -1, -1)
    assert found.at_limit_percent == pytest.approx(100 * chance[8:].sum(), rel=0.01)
    assert found.fraction_delayed == pytest.approx(come[8:].sum() / come.sum(), rel=0.01)
    assert found.waiting == pytest.approx(float(chance[8:] @ np.arange(8)), rel=0.01)


def test_a_limit_whose_tcb_is_busy_as_its_cps_are() -> None:
    """An MXT of 10 beside a region without a limit, 3 CPs 90 % busy; simulated to 0.9 %.

    Its QR TCB is in use for a quarter of the time alone, for two thirds as its pieces share the CPs: as servers that need no
    TCB its tasks took 51.9 ms, the others 45.0.
    """
    regions = [zos.CicsRegion("A", lpar="P", mxt=2000), zos.CicsRegion("B", lpar="P", mxt=10)]
    work = [
        zos.Work("inside", rate=92, steps=[zos.Step("B", qr_cpu=0.0027, open_cpu=0.015)]),
        zos.Work("other", rate=110, steps=[zos.Step("A", qr_cpu=0.002, open_cpu=0.0075)]),
    ]
    found = zos.System(lpars=[zos.Lpar("P", processors=3)], regions=regions, work=work).solve()
    assert 1e3 * found["inside"].response_time == pytest.approx(59.88, rel=0.03)
    assert 1e3 * found["other"].response_time == pytest.approx(31.63, rel=0.05)
