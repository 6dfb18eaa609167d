"""Open work before limits whose tasks are on the CPs and elsewhere, and of unlike kinds: against chains of all states."""

from __future__ import annotations

import pytest
from qnsolve import zos

from tests.oracles.system_chains import State, of_rates, one_limit

A, B = 0, 1  # kinds of work


def of_two_kinds(rate: tuple[float, float], cpu: tuple[float, float], away: float, size: int, top: int) -> float:
    """Tasks in and before a limit [count]: kinds that share one CP, B away for a while, those in line of either by chance."""
    share, stream = rate[A] / sum(rate), sum(rate)
    rates: dict[State, dict[State, float]] = {}
    for n in range(top + 1):
        inside = min(n, size)
        for a in range(inside + 1):
            for b in range(inside - a + 1):
                to = rates.setdefault((n, a, b), {})

                def go(state: State, rate: float, to: dict[State, float] = to) -> None:
                    to[state] = to.get(state, 0.0) + rate

                if n < size:
                    go((n + 1, a + 1, b), rate[A])
                    go((n + 1, a, b + 1), rate[B])
                elif n < top:
                    go((n + 1, a, b), stream)
                each = 1 / max(a + b, 1)
                if b:
                    go((n, a, b - 1), b * each / cpu[B])
                for ends, left in ((a * each / cpu[A], a - 1), ((inside - a - b) / away, a)):
                    if ends and n > size:  # the next takes the place
                        go((n - 1, left + 1, b), ends * share)
                        go((n - 1, left, b + 1), ends * (1 - share))
                    elif ends:
                        go((n - 1, left, b), ends)
    return of_rates(rates).mean(lambda state: state[0])


@pytest.mark.parametrize(("rate", "cpu", "away", "size"), [(1054.0, 1 / 1690, 0.00916, 12), (903.0, 1 / 1200, 0.0193, 23)])
def test_a_limit_that_delays_fill_while_its_tcb_is_as_it_was(rate: float, cpu: float, away: float, size: int) -> None:
    """Within 0.3 % of the chain of both counts; 3 and 2 % too much once, as if the TCB were as full as the limit at once."""
    work = zos.Work("W", rate=rate, regions="R", qr_cpu=cpu, delay=away)
    found = zos.System([zos.Lpar("L", processors=1)], [zos.CicsRegion("R", lpar="L", mxt=size)], [work]).solve()
    there = found["W"].response_time * rate
    assert there == pytest.approx(one_limit(rate, size, 1, cpu, away, 15 * size), rel=0.003)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_kinds_of_which_one_is_off_the_cps_when_a_limit_is_full(share: float) -> None:
    """Within 2 % of the chain of both kinds: a limit is full of tasks that are away, and leaves its CP to the others."""
    rate, cpu, away, size = (900 * share, 900 * (1 - share)), (0.0007, 0.0008), 0.006 / (1.3 - share), 6
    works = [
        zos.Work("A", rate=rate[A], regions="R", cpu=cpu[A]),
        zos.Work("B", rate=rate[B], regions="R", cpu=cpu[B], delay=away),
    ]
    found = zos.System([zos.Lpar("L", processors=1)], [zos.ImsRegions("R", lpar="L", regions=size)], works).solve()
    there = sum(found[name].response_time * each for name, each in zip("AB", rate, strict=True))
    assert there == pytest.approx(of_two_kinds(rate, cpu, away, size, 70), rel=0.02)


def test_short_work_beside_long_work_in_few_regions() -> None:
    """Simulated 113.6 ± 1.1, 681.1 ± 1.7 and 144.3 ± 1.1 µs; the first was 49 % too long once."""
    works = [
        zos.Work("W0", rate=29040, regions="MPP", cpu=3.319e-5),
        zos.Work("W1", rate=4831, regions="MPP", cpu=8.638e-5, delay=4.952e-4),
        zos.Work("W2", rate=42120, regions="MPP", cpu=4.843e-5, delay=9.793e-6),
    ]
    found = zos.System([zos.Lpar("L", processors=4)], [zos.ImsRegions("MPP", lpar="L", regions=9)], works).solve()
    times = [1e6 * found[f"W{i}"].response_time for i in range(3)]
    assert times == pytest.approx([113.6, 681.1, 144.3], rel=0.08)


@pytest.mark.parametrize(("mxt", "servers"), [(15, 1), (20, 1), (40, 1), (30, 4)])
def test_a_line_at_a_device_behind_a_limit(mxt: int, servers: int) -> None:
    """Who waits before the limit would wait at the device: the response is that without a limit (once -46 %)."""
    found = []
    for size in (mxt, 2000):
        system = zos.System(
            lpars=[zos.Lpar("L", processors=zos.Processors(2))],
            regions=[zos.CicsRegion("A", lpar="L", mxt=size)],
            work=[zos.Work("p", rate=85.0 * servers, steps=[zos.Step("A", qr_cpu=1e-4, devices={"DB2": 0.01})])],
            devices=[zos.Device("DB2", servers=servers)],
        )
        found.append(system.solve()["p"].response_time)
    assert found[0] == pytest.approx(found[1], rel=0.01)


@pytest.mark.parametrize("mxt", [50, 100, 200])
def test_unlike_pieces_at_a_device_behind_limits(mxt: int) -> None:
    """M/G/1 in order of arrival: 956 and 1146 ms of wait and service, whatever the limits let in (once 221 ms)."""
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=mxt) for name in ("A", "B")],
        work=[
            zos.Work("short", rate=45, steps=[zos.Step("A", qr_cpu=1e-3, devices={"DB2": 0.01})]),
            zos.Work("long", rate=2.25, steps=[zos.Step("B", qr_cpu=1e-3, devices={"DB2": 0.2})]),
        ],
        devices=[zos.Device("DB2", servers=1)],
    ).solve()
    wait = (45 * 0.01**2 + 2.25 * 0.2**2) / (1 - 0.9)
    assert found["short"].response_time == pytest.approx(wait + 0.011, rel=0.02)
    assert found["long"].response_time == pytest.approx(wait + 0.201, rel=0.02)
