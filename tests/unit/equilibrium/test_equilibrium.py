"""The equilibrium of chains, held against exact chains, closed forms and long simulations."""

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.bursts.groups_at_limits import LONGEST, beyond, chances
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point.solved import SolvedPoint, solved_point


def _solved(regions: list[zos.CicsRegion | zos.ImsRegions], work: list[zos.Work], engines: float = 4) -> SolvedPoint:
    lpars = [zos.Lpar("P", processors=engines)]
    return solved_point(zos.System(lpars=lpars, regions=regions, work=work, devices=[zos.Device("DB2")]))


def test_a_qr_tcb_beside_open_tcbs() -> None:
    """One CP, 55 % open, 25 % QR: 10.10 ms by the exact chain, where a constant slowdown says 3.0."""
    regions = [zos.CicsRegion("RB", lpar="P"), zos.CicsRegion("RA", lpar="P")]
    work = [zos.Work("b", rate=220, regions="RB", open_cpu=0.0025), zos.Work("q", rate=1250 / 3, regions="RA", qr_cpu=0.0006)]
    found = _solved(regions, work, 1)
    assert found.work.response[1] == pytest.approx(0.0101, rel=0.01)


@pytest.mark.parametrize(("factor", "truth"), [(1.0, 0.0189), (1.12, 0.0250), (1.15, 0.0273), (1.2, 0.0427)])
def test_four_regions_up_to_96_percent_busy(factor: float, truth: float) -> None:
    """4 AORs on 5 CPs; the truth is a simulation of 25,000 transactions."""
    regions = [zos.CicsRegion(f"A{i}", lpar="P") for i in range(4)]
    names = [region.name for region in regions]
    work = [zos.Work("w", rate=1000 * factor, regions=names, qr_cpu=0.0022, open_cpu=0.0018, delay=0.010)]
    assert _solved(regions, work, 5).work.response[0] == pytest.approx(truth, rel=0.06)


@pytest.mark.parametrize("rate", [200, 280, 340])
def test_a_limit_of_as_many_as_there_are_cps_is_an_mmc(rate: float) -> None:
    """THREADLIMIT 4 and 4 dependent regions on 4 CPs: M/M/4."""
    load, blocked = rate * 0.01, 1.0
    for n in range(1, 5):
        blocked = load * blocked / (n + load * blocked)
    delayed = blocked / (1 - load / 4 * (1 - blocked))
    truth = 0.01 * (1 + delayed / (4 - load))
    threads = _solved([zos.CicsRegion("A", lpar="P", thread_limit=4)], [zos.Work("w", rate=rate, regions="A", jvm_cpu=0.01)])
    regions = _solved([zos.ImsRegions("A", lpar="P", regions=4)], [zos.Work("w", rate=rate, regions="A", cpu=0.01)])
    assert threads.work.response[0] == pytest.approx(truth, rel=0.02)
    assert regions.work.response[0] == pytest.approx(truth, rel=0.02)


def test_one_kind_of_work_on_a_qr_tcb_is_an_mm1() -> None:
    """Nothing else on the CPs."""
    found = _solved([zos.CicsRegion("A", lpar="P")], [zos.Work("w", rate=700, regions="A", qr_cpu=0.001)])
    assert found.work.response[0] == pytest.approx(0.001 / 0.3, rel=0.005)


def test_groups_at_one_server() -> None:
    """M[X]/M/1: (b + 1)/2 times as many there as without groups."""
    for groups, single, burst, mean in ((0.5 / 10, 0.0, 10.0, 5.5), (0.0, 0.5, 1.0, 1.0)):
        found = chances(np.full(LONGEST, groups), np.full(LONGEST, single), beyond(burst), np.ones(1))
        assert found is not None
        assert np.arange(len(found)) @ found == pytest.approx(mean, rel=1e-6)
    work = [zos.Work("w", rate=500, regions="A", open_cpu=0.001, burst=10)]
    assert _solved([zos.CicsRegion("A", lpar="P")], work, 1).work.response[0] == pytest.approx(0.011, rel=0.01)


def test_a_full_tor_over_a_full_aor() -> None:
    """Both at their MXT; the truth is a simulation, known to 1 %."""
    regions = [zos.CicsRegion("TOR", lpar="P", mxt=12), zos.CicsRegion("AOR", lpar="P", mxt=10)]
    steps = [zos.Step("TOR", qr_cpu=0.0001), zos.Step("AOR", qr_cpu=0.0004, devices={"DB2": 0.06})]
    found = _solved(regions, [zos.Work("W", users=200, think_time=1.0, steps=steps)]).work
    assert found.response[0] == pytest.approx(0.2113, rel=0.05)
    assert found.rate[0] * (1 + found.response[0]) == pytest.approx(200)


def test_users_of_any_number_are_answered() -> None:
    """From ten to a million behind one MXT: the users' law holds, and no more tasks are inside than it lets in."""
    for users in (10, 1000, 1_000_000):
        regions = [zos.CicsRegion("A", lpar="P", mxt=50)]
        work = [zos.Work("w", users=users, think_time=1.0, regions="A", qr_cpu=0.0005, devices={"DB2": 0.05})]
        found = _solved(regions, work).work
        assert found.rate * (1.0 + found.response) == pytest.approx(users)
        assert float(found.flow @ found.holds()) <= 50 * 1.02


def test_open_work_beyond_a_center_is_refused() -> None:
    """The name of the center and its load."""
    with pytest.raises(FullPoolError, match="A QR TCB"):
        _solved([zos.CicsRegion("A", lpar="P")], [zos.Work("w", rate=1100, regions="A", qr_cpu=0.001)])
