"""zIIPs that overflow while users have a short think time: solved, near the chain of few users and near simulation of many."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium import settled_point
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.chains.overflow_chain import Feed, overflow
from qnsolve.zos.point.solved import solved_point

from tests.oracles import system_chains


def system(cps: int, ziips: zos.Ziips, users: int, think_time: float, share: float, rate: float = 0.0) -> zos.System:
    """Users of a millisecond of CPU, `share` of it for zIIPs; beside them work with a rate, all of it."""
    work = [zos.Work("u", users=users, think_time=think_time, regions="R", jvm_cpu=0.001, ziip_share=share)]
    if rate:
        work.append(zos.Work("o", rate=rate, regions="R2", open_cpu=0.001, ziip_share=1.0))
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000) for name in ("R", "R2")]
    return zos.System([zos.Lpar("L", processors=cps, ziips=ziips)], regions, work)


SMT = zos.Ziips(2, threads=2, max_capacity_factor=1.3)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("cps", "ziips", "users", "think_time", "share", "rate"),
    [
        (8, zos.Ziips(1), 64, 0.01, 0.9, 500),
        (8, SMT, 56, 0.0, 1.0, 4000),
        (11, zos.Ziips(2), 3, 0.0, 0.5, 1000),
        (7, zos.Ziips(4), 3, 0.0, 1.0, 500),
        (4, SMT, 58, 0.0, 0.54, 0),
        (4, zos.Ziips(1, threads=2, max_capacity_factor=1.1), 133, 0.0, 1.0, 400),
        (3, SMT, 2000, 0.0, 0.5, 1000),
        (1, SMT, 148, 0.136, 0.996, 0),
        (6, zos.Ziips(4), 23, 0.01, 0.786, 0),
    ],
)
def test_short_think_times(cps: int, ziips: zos.Ziips, users: int, think_time: float, share: float, rate: float) -> None:
    """Solved without a warning; no engine does more than it can."""
    found = system(cps, ziips, users, think_time, share, rate).solve()
    most = cps + float(ziips.speeds()[-1])
    assert 0.0 < found["u"].etr < most / 0.001
    assert found["L"].cpu_percent <= 100 * (1 + 1e-6)
    assert 0.0 <= found["L"].appl_iip <= 100 * float(ziips.speeds()[-1]) * (1 + 1e-6)


@pytest.mark.parametrize("users", [3, 8])
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
@pytest.mark.parametrize(("cps", "cores"), [(3, 2), (8, 1)])
def test_a_few_users_against_their_chain(users: int, share: float, cps: int, cores: int) -> None:
    """Think times near 0: rates within 2 percent of the chain that distinguishes phases, 5 where all work is for zIIPs.

    More users than there are CPs and zIIPs: their own CPU feeds the zIIPs nearly as a stream, which is not known there.
    """
    ziips = zos.Ziips(cores)
    think_time = 1e-6  # a thousandth of the CPU
    chain = system_chains.overflow(
        lambda s: (users - sum(s)) / think_time, (0.001 * (1 - share), 0.001 * share), ziips.speeds(), cps, users
    )
    rate = chain.mean(lambda s: float(min(s[0] + s[2], cps) + min(s[1], cores))) / 0.001
    found = system(cps, ziips, users, think_time, share).solve()["u"].etr
    crowded = cps + cores < users
    assert found == pytest.approx(rate, rel=0.11 if crowded else 0.05 if share == 1 else 0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "think_time"), [(0.45, 0.05), (0.5, 0.0), (0.55, 0.05)])
def test_full_cps_against_simulation(share: float, think_time: float) -> None:
    """Three CPs and three zIIPs, 500 users: rate and response time within 2 percent of 30,000 simulated transactions."""
    rows = zos.verify(system(3, zos.Ziips(3), 500, think_time, share), jobs=30_000).rows()
    for row in rows:
        if row["name"] == "u":
            assert row["solved"] == pytest.approx(row["simulated"], rel=0.02)
    assert rows[0]["name"] == "u"


def test_chances_are_no_larger_than_one_at_any_load() -> None:
    """The kernel from 1 percent to far overload, users who are never away among them: finite, and all work goes somewhere."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        servers, speeds = float(rng.integers(1, 13)), np.arange(1.0, rng.integers(2, 9))
        total = servers + speeds[-1]
        visits, direct = total * 10 ** rng.uniform(-2, 0.5, 2) * rng.integers(0, 2, 2)
        users = float(np.ceil(10 ** rng.uniform(0, 3.4)))
        load = servers * rng.uniform(0, 1.2) if visits else 0.0
        if visits + direct == 0:
            continue
        queue, last = rng.uniform(0, 0.9) * min(load, 1.0), rng.uniform(0, 0.5) * load
        feed = Feed(
            queues=[(queue, 1)], pieces=load - queue, last=last, engines=servers, back=rng.uniform(0.5, 2.0),
            flow=visits * rng.uniform(0.5, 2.0), visits=visits, direct=direct, users=users,
            closed=rng.choice([0.0, 0.5, 1.0]), here=users * rng.uniform(0.1, 1.0),
        )  # fmt: skip
        found = overflow(feed, speeds, min(visits + direct, servers) * rng.uniform(0, 1))
        assert found.chance.min() >= 0
        assert found.chance.sum() == pytest.approx(1)
        assert 0 <= found.share <= 1
        assert 1 <= found.longer < np.inf


def test_cpus_that_overflow_alone_fills_are_told_before_any_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """What work with rates asks for does not change by waits: no host is solved, as it was for a fifth of a second."""

    def solved(*_: object) -> None:
        pytest.fail("a host was solved")

    monkeypatch.setattr(settled_point, "host_times", solved)
    work = [
        zos.Work("j", rate=1500, regions="R", jvm_cpu=0.001, ziip_share=1.0),
        zos.Work("o", rate=900, regions="R", open_cpu=0.001),
    ]
    site = zos.System([zos.Lpar("L", processors=1, ziips=zos.Ziips(1))], [zos.CicsRegion("R", lpar="L")], work)
    with pytest.raises(FullPoolError) as caught:
        solved_point(site)
    assert caught.value.name == "L CPs"
    assert caught.value.load >= 1.4  # 900 of its own, and the 500 and more that the zIIP cannot do
