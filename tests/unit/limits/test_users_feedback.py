"""How the waits of users for limits answer to each other: against chains solved again, and what it saves."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.limits import each_limit
from qnsolve.zos.equilibrium.limits.limits import Limits
from qnsolve.zos.equilibrium.users.users_feedback import _line, _used
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.point.solved import solved_point


def _system(places: tuple[int, ...], tor: int = 0) -> zos.System:
    """Regions on one LPAR that two works of users keep full; the second work comes to all but the last."""
    regions = [zos.CicsRegion(f"AOR{i}", lpar="L", mxt=mxt) for i, mxt in enumerate(places)]
    names = [region.name for region in regions]
    first = [zos.Step(["TOR0", "TOR1"], qr_cpu=1e-4)] if tor else []
    works = [
        zos.Work("one", users=900, think_time=4.0, steps=[*first, zos.Step(names, qr_cpu=5e-4, delay=0.3)]),
        zos.Work("two", users=700, think_time=9.0, steps=[*first, zos.Step(names[:-1], qr_cpu=3e-4, delay=0.2)]),
    ]
    regions += [zos.CicsRegion(f"TOR{i}", lpar="L", mxt=tor) for i in range(2) if tor]
    return zos.System(lpars=[zos.Lpar("L", processors=8)], regions=regions, work=works)


def _solved(system: zos.System, monkeypatch: pytest.MonkeyPatch) -> tuple[Working, Limits]:
    """The operating point, and its limits."""
    seen: list[Limits] = []
    plain = Limits.solve

    def noted(limits: Limits, near: float) -> None:
        seen.append(limits)
        plain(limits, near)

    monkeypatch.setattr(Limits, "solve", noted)
    work = solved_point(system).work
    return work, seen[-1]


@pytest.mark.parametrize("tor", [0, 60, 18])
def test_slopes_are_those_of_chains_solved_again(tor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One wait is changed; the chain of each limit is solved with that. Full limits, and TORs above them."""
    work, limits = _solved(_system((12, 15, 14), tor), monkeypatch)
    feedback = limits.feedback
    gates = [region for region in limits.gates if limits.pool[region] in feedback.seen]
    pools = [limits.pool[region] for region in gates]
    _, found, each = feedback._means(work.pool_wait, pools)
    slopes = feedback._slopes(pools, each, found)

    def again(region: int) -> float:
        limits.take_shares()
        before = work.pool_wait.copy()
        limits._gate(region, limits.shared.of(region))
        wait = float(work.pool_wait[limits.pool[region], limits.tasks[region]] @ work.flow[limits.tasks[region]])
        work.pool_wait = before
        work.settle_rates()
        return wait / float(work.flow[limits.tasks[region]].sum())

    start = np.array([again(region) for region in gates])
    for place, region in enumerate(gates):
        before = work.pool_wait.copy()
        step = 1e-3 * max(found[place], 1e-3)
        work.pool_wait[pools[place], limits.tasks[region]] += step * each[place, limits.tasks[region]]
        work.settle_rates()
        seen = (np.array([again(other) for other in gates]) - start) / step
        work.pool_wait = before
        work.settle_rates()
        assert slopes[:, place] == pytest.approx(seen, rel=0.1, abs=0.05)


def test_equal_full_regions_have_equal_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their users may wait for the one or the other: nothing but the two being equal says how long for each."""
    work, limits = _solved(_system((12, 12, 40)), monkeypatch)
    first, second = (work.pool_wait[limits.pool[region]].max() for region in (0, 1))
    assert first > 9.0
    assert first == pytest.approx(second, rel=1e-3)


def test_places_of_a_full_region_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little's law: users come as often as the places of the narrowest region let them."""
    work, limits = _solved(_system((12, 15, 40)), monkeypatch)
    tasks = limits.tasks[0]
    assert float(work.flow[tasks] @ work.holds()[tasks]) == pytest.approx(12.0, rel=1e-4)


def test_few_passes_over_full_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions that share their users make room for each other: pass by pass it takes some twenty a round."""
    passes = [0]
    plain = Limits._pass

    def counted(limits: Limits, follow: bool, still: float) -> None:
        passes[0] += 1
        plain(limits, follow, still)

    monkeypatch.setattr(Limits, "_pass", counted)
    work = solved_point(_system((12, 14, 13, 16, 15, 30))).work
    assert work.settled
    assert passes[0] <= 3 * work.rounds
    assert work.rounds <= 5


def test_use_of_servers_at_a_wait() -> None:
    """The inverse of the wait of an M/M/c, and its slope."""
    servers, used = np.array([1.0, 12.0, 300.0]), np.array([0.5, 0.9, 0.9999])
    found, slope = _used(np.log(_line(used, servers)), servers)
    assert found == pytest.approx(used)
    further, _ = _used(np.log(_line(used, servers)) + 1e-4, servers)
    assert slope == pytest.approx((further - found) / 1e-4, rel=1e-2)
    assert _line(np.array([0.5]), np.array([1.0])) == pytest.approx(1.0)  # M/M/1: exact


def test_weights_of_a_limit_with_nothing_inside_are_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of tasks on the CPs and elsewhere: of all inside, of all but regions below, and of all but lines."""
    work, limits = _solved(_system((12, 15, 14)), monkeypatch)
    folds, plain = [0], each_limit.folded

    def counted(one: np.ndarray, other: np.ndarray, size: int) -> np.ndarray:
        folds[0] += 1
        return plain(one, other, size)

    monkeypatch.setattr(each_limit, "folded", counted)
    limits._gate(limits.gates[0], {})
    assert work.settled
    assert folds[0] == 1
