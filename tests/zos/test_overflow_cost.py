"""What zIIP overflow costs: identities, limits, a chain written down by hand, and simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest
import qnsolve as qn
from qnsolve import zos

from tests.oracles import system_chains

MS = 0.001


def two_kinds(ziips: zos.Ziips, **of_servlets: float) -> zos.System:
    """Servlets and longer programs on one zIIP: 0.6 and 0.5 ms that are not eligible, 0.4 and 2 ms that are."""
    driven = of_servlets or {"rate": 500.0}
    regions = [zos.CicsRegion("R", lpar="L", thread_limit=100), zos.CicsRegion("S", lpar="L", mxt=300)]
    work = [
        zos.Work("servlets", regions="R", jvm_cpu=1 * MS, ziip_share=0.4, **driven),
        zos.Work("programs", rate=200.0, regions="S", open_cpu=2.5 * MS, ziip_share=0.8),
    ]
    return zos.System([zos.Lpar("L", processors=3, ziips=ziips)], regions, work)


def not_eligible(result: zos.SystemResult) -> float:
    """CPU on CPs that is not eligible [s a second], as RMF's CP less IIPCP."""
    return (result["L"].appl_percent - result["L"].appl_iipcp) / 100


@pytest.mark.parametrize("cost", [0.1 * MS, 1 * MS])
@pytest.mark.parametrize("driven", [{"rate": 500.0}, {"users": 20, "think_time": 0.03}])
def test_not_eligible_cpu_is_base_and_the_share_that_overflows(cost: float, driven: dict[str, float]) -> None:
    """Not eligible CPU = base + p·cost for each task, p = IIPCP/(IIP + IIPCP), whatever its eligible time."""
    result = two_kinds(zos.Ziips(1, overflow_cpu=cost), **driven).solve()
    lpar, rates = result["L"], [result[name].etr for name in ("servlets", "programs")]
    share = lpar.appl_iipcp / (lpar.appl_iip + lpar.appl_iipcp)
    base = rates[0] * 0.6 * MS + rates[1] * 0.5 * MS
    assert 0.2 < share < 0.8
    assert not_eligible(result) == pytest.approx(base + share * cost * sum(rates), rel=1e-6)
    eligible = rates[0] * 0.4 * MS + rates[1] * 2 * MS
    assert (lpar.appl_iip + lpar.appl_iipcp) / 100 == pytest.approx(eligible, rel=1e-6)


def test_bounds_have_it_for_what_the_ziips_cannot_do() -> None:
    """2000 servlets of 0.4 ms and 200 programs of 2 ms on one zIIP, cost 1 ms: 0.2 of an engine does not fit."""
    lpar = two_kinds(zos.Ziips(1, overflow_cpu=1 * MS), rate=2000.0).bounds()["L"]
    share = 1 - 1 / (2000 * 0.4 * MS + 200 * 2 * MS)
    assert lpar.appl_iipcp == pytest.approx(20.0, rel=1e-9)
    own = 2000 * 0.6 * MS + 200 * 0.5 * MS
    assert (lpar.appl_percent - lpar.appl_iipcp) / 100 == pytest.approx(own + share * 2200 * MS, rel=1e-9)


def test_headroom_ends_where_the_cps_are_full_of_it() -> None:
    """A cost of 1 ms leaves two thirds of the headroom; at that factor the CPs are full."""
    dear = two_kinds(zos.Ziips(1, overflow_cpu=1 * MS))
    factor = zos.headroom(dear).factor
    assert factor < 0.8 * (3 + 1) / (500 * 1 * MS + 200 * 2.5 * MS)  # all engines full, without a cost
    assert zos.scale(dear, 0.999 * factor).solve()["L"].cpu_percent == pytest.approx(99.8, abs=0.2)


def test_it_goes_with_the_task_and_not_with_its_rounds() -> None:
    """Pieces of four rounds cost together what one costs, for the share of them that overflows."""
    found = []
    for rounds in (1, 4):
        work = zos.Work("w", rate=400.0, regions="R", qr_cpu=0.2 * MS, open_cpu=2 * MS, ziip_share=0.9, qr_dispatches=rounds)
        lpar = zos.Lpar("L", processors=4, ziips=zos.Ziips(1, overflow_cpu=0.5 * MS))
        result = zos.System([lpar], [zos.CicsRegion("R", lpar="L")], [work]).solve()
        share = result["L"].appl_iipcp / (result["L"].appl_iip + result["L"].appl_iipcp)
        found.append((not_eligible(result) / 400 - 0.4 * MS) / share)
    assert found == pytest.approx([0.5 * MS, 0.5 * MS], rel=1e-6)


def test_none_where_nothing_overflows() -> None:
    """Zero as before; without effect on zIIPs without overflow, on more threads than users, on work without eligible CPU."""
    plain, costly = zos.Ziips(3, overflow=False), zos.Ziips(3, overflow=False, overflow_cpu=1.0)
    assert two_kinds(plain).solve().work == two_kinds(costly).solve().work
    few = {"users": 3, "think_time": 0.01}
    none = [
        replace(two_kinds(zos.Ziips(4, overflow_cpu=cost), **few), work=two_kinds(zos.Ziips(4), **few).work[:1]).solve()
        for cost in (0.0, 1 * MS)
    ]
    assert none[0]["servlets"].response_time == pytest.approx(none[1]["servlets"].response_time, rel=1e-9)
    assert none[1]["L"].appl_iipcp == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("cps", "users", "cost"), [(3, 6, 0.3), (8, 8, 1.0), (2, 5, 0.1)])
def test_users_against_their_chain(cps: int, users: int, cost: float) -> None:
    """CPs busy and rate of a few users of one zIIP, as near the chain of their states as without the cost."""
    think = 3.0
    chain = system_chains.overflow(lambda s: (users - sum(s)) / think, (0.5, 0.5), zos.Ziips(1).speeds(), cps, users, cost)
    work = zos.Work("w", users=users, think_time=think, regions="R", open_cpu=1.0, ziip_share=0.5)
    ziips = zos.Ziips(1, overflow_cpu=cost)
    result = zos.System([zos.Lpar("L", processors=cps, ziips=ziips)], [zos.CicsRegion("R", lpar="L")], [work]).solve()
    assert result["w"].etr == pytest.approx((users - chain.mean(sum)) / think, rel=0.01)
    assert result["L"].cpu_percent == pytest.approx(100 * chain.mean(lambda s: min(s[0] + s[2], cps)) / cps, rel=0.02)


def test_solution_agrees_with_simulation() -> None:
    """Each figure of two kinds of work that overflow at a cost, beside 60,000 simulated transactions."""
    rows = zos.verify(two_kinds(zos.Ziips(1, overflow_cpu=0.5 * MS)), jobs=60_000, seed=3).rows()
    for row in rows:
        assert row["solved"] == pytest.approx(row["simulated"], rel=0.03), row


def test_the_system_file_has_it() -> None:
    """Written, read, changed by its name, and refused below 0 in one line."""
    system = two_kinds(zos.Ziips(1, overflow_cpu=124e-6))
    again = qn.loads(qn.dumps(system))
    assert again == system
    with pytest.raises(qn.ModelError, match="ziips: overflow_cpu"):
        zos.Ziips(1, overflow_cpu=-1e-6)
