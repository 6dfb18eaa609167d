"""Transactions that begin at the ticks of a clock, against the chain from tick to tick, simulation, and what is plain."""

from dataclasses import replace
from math import exp, lgamma, log

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.hosts.chains.clocked import beyond_ticks, in_ticks, mates_before
from qnsolve.zos.simulate.simulated_system import simulate_system

MS = 0.001


def _system(cps: float, work: zos.Work) -> zos.System:
    return zos.System(lpars=[zos.Lpar("L", processors=cps)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)], work=[work])


def _poisson(mean: float, top: int) -> Array:
    return np.array([exp(n * log(mean) - mean - lgamma(n + 1)) for n in range(top)])


def _chain(mates: float, busy: float, most: int = 300) -> float:
    """Tasks before one at its tick, at one server: those left, a Markov chain from tick to tick, and half its mates."""
    come, go = _poisson(mates, most), _poisson(mates / busy, 3 * most)
    moves = np.zeros((most, most))
    for n in range(most):
        there = np.concatenate((np.zeros(n), come))  # after the arrivals
        left = np.convolve(there, go[::-1])[len(go) - 1 :]  # at 0, 1, … tasks, but for what goes beyond
        row = left[:most]
        row[0] = 1 - row[1:].sum()
        moves[n, : len(row)] = row
    chance = np.full(most, 1 / most)
    for _ in range(4000):
        chance = chance @ moves
    return float(chance @ np.arange(most)) + mates / 2


@pytest.mark.parametrize(("busy", "mates"), [(0.3, 1.0), (0.3, 6.0), (0.6, 1.0), (0.6, 4.0), (0.8, 2.0), (0.8, 10.0)])
def test_one_server_from_tick_to_tick(busy: float, mates: float) -> None:
    """Exponential pieces on a QR TCB: within 4 % where few come at a tick, within 2 % where several do."""
    work = zos.Work("W", rate=busy / MS, tick=mates * MS / busy, regions="R", qr_cpu=MS)
    exact = (1 + _chain(mates, busy)) * MS
    assert _system(4, work).solve()["W"].response_time == pytest.approx(exact, rel=0.04 if mates < 2 else 0.02)


def test_ticks_without_end_are_an_mm1_queue() -> None:
    """The shorter the tick the nearer it is to work that comes one by one."""
    found = _system(4, zos.Work("W", rate=700, tick=1e-7, regions="R", qr_cpu=MS)).solve()["W"].response_time
    assert found == pytest.approx(MS / 0.3, rel=1e-3)


def test_users_who_all_think_one_tick() -> None:
    """5 users, all at each tick of 50 ms: answers lie within it, and one waits for half of the other 4."""
    found = _system(8, zos.Work("W", users=5, think_time=0.05, tick=0.05, regions="R", qr_cpu=MS)).solve()["W"]
    assert found.etr == pytest.approx(100, rel=1e-3)
    assert found.response_time == pytest.approx(3 * MS, rel=0.03)


@pytest.mark.parametrize(
    ("cps", "work"),
    [
        (8, {"rate": 12_800, "tick": 0.0025, "open_cpu": 0.0005}),
        (2, {"rate": 1200, "tick": 0.005, "open_cpu": MS}),
        (8, {"rate": 1600, "tick": 0.01, "qr_cpu": 0.0003, "open_cpu": 0.002}),
        (8, {"users": 1000, "think_time": 0.625, "tick": 0.005, "qr_cpu": 0.00045}),
        (8, {"users": 20, "think_time": 0.02, "tick": 0.008, "qr_cpu": 0.0005}),
        (4, {"rate": 500, "tick": 0.01, "qr_cpu": MS, "qr_dispatches": 4}),
    ],
)
def test_beside_simulation(cps: float, work: dict[str, float]) -> None:
    """TCBs, several CPs, one after the other, users, and dispatches in order of arrival."""
    system = _system(cps, zos.Work("W", regions="R", **work))  # type: ignore[arg-type]
    simulated = simulate_system(compiled(system), precision=0.01)
    found = system.solve()["W"]
    assert simulated.stopped == "precise"
    assert found.response_time == pytest.approx(simulated.response(0).value, rel=0.06)
    assert found.etr == pytest.approx(simulated.throughput(0).value, rel=0.02)


def test_a_full_tcb_leaves_half_a_tick() -> None:
    """Users that keep it full: R = N/X - Z, and half a tick that their answers do not add to it, with queues and without."""
    system = _system(8, zos.Work("W", users=1000, think_time=0.3, tick=0.005, regions="R", qr_cpu=0.0005))
    goal = 1000 * 0.0005 - 0.3 + 0.0025
    for found in (system.solve()["W"], system.bounds()["W"]):
        assert found.response_time == pytest.approx(goal, rel=1e-3)


def test_users_in_step() -> None:
    """Groups of 10 at ticks that leave them room: one waits for half the others, simulated too; else for half a tick."""
    work = {"users": 200, "think_time": 1.0, "tick": 0.05, "burst": 10, "regions": "R"}
    roomy, tight = (_system(8, zos.Work("W", qr_cpu=cpu, **work)) for cpu in (MS, 0.02))  # type: ignore[arg-type]
    assert roomy.solve()["W"].response_time == pytest.approx(5.5 * MS, rel=0.01)
    assert simulate_system(compiled(roomy), precision=0.01).response(0).value == pytest.approx(5.5 * MS, rel=0.02)
    few = replace(tight, work=(tight.work[0].changed(think_time=50.0),))  # hardly any queue beside that
    assert few.solve()["W"].response_time == pytest.approx((0.05 + 0.02) / 2, rel=0.02)


def test_bounds_have_no_ticks() -> None:
    """Without queues nobody waits for those of the same tick."""
    system = _system(8, zos.Work("W", rate=1000, tick=0.01, regions="R", qr_cpu=0.0005))
    assert system.bounds()["W"].response_time == pytest.approx(0.0005)
    assert system.solve()["W"].response_time > 0.002


def test_whole_ticks_of_an_exponential_time() -> None:
    """Their mean, against a sum, and back again; without a tick the time itself."""
    tick, response = np.array([0.005, 0.005, 0.0]), np.array([0.002, 0.1, 0.002])
    exact = [0.005 * sum(exp(-0.005 * k / r) for k in range(1, 2000)) for r in (0.002, 0.1)]
    assert in_ticks(response, tick) == pytest.approx([*exact, 0.002])
    assert beyond_ticks(in_ticks(response, tick), tick) == pytest.approx(response)


def test_mates_before_several_servers() -> None:
    """Against the sum over who is before whom."""
    chance = _poisson(7.0, 60)
    exact = sum(p * sum(max(j - 3 + 1, 0) for j in range(n + 1)) / (n + 1) for n, p in enumerate(chance))
    assert mates_before(7.0, 3.0) == pytest.approx(exact)
    assert mates_before(7.0, 1.0) == 3.5


def test_the_file_has_it() -> None:
    """Read as written."""
    system = _system(2, zos.Work("W", rate=10, tick=0.005, regions="R", qr_cpu=MS))
    assert qn.loads(qn.dumps(system)) == system
