"""Groups that come at once, units that hold a server without a CP, and short pieces beside long ones."""

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.chains import holders
from qnsolve.zos.hosts.chains.holders import Ready
from qnsolve.zos.hosts.chains.jumps import Burst, Jump, JumpChain, jumps, spread
from qnsolve.zos.hosts.chains.plane import grid, neighbours, plane
from qnsolve.zos.hosts.others.company import company
from qnsolve.zos.point.solved import solved_point


@pytest.mark.parametrize(("size", "use"), [(13.0, 0.73), (3.5, 0.9), (10.0, 0.3), (200.0, 0.5)])
def test_groups_at_one_server(size: float, use: float) -> None:
    """M[X]/M/1, on grids with steps longer and shorter than a group."""
    levels, phases = grid(30, 30 * size / (1 - use), 1.16), np.array([0.0, 1.0])
    shape = (len(levels), 2)
    burst = Burst(0, size, np.ones(1))
    serve = np.ones(shape)
    serve[0] = 0.0
    up, down = np.ones(shape) * [1, 0], np.ones(shape) * [0, 1]
    found = plane(levels, phases, np.zeros(shape), serve, 0.0, up, down, jumps(burst, np.full(shape, use), 1.0, 0.0, 1.0))
    exact = use * (burst.mates(1.0) + 2) / 2 / (1 - use)
    assert found.mean_level == pytest.approx(exact, rel=0.02)
    assert found.chance[0].sum() == pytest.approx(1 - use, rel=0.01)


def test_jumps_are_eliminated_along_levels_and_phases_alike() -> None:
    """Both are the balance of all states at once."""
    random, levels, phases = np.random.default_rng(5), np.array([0.0, 1, 2, 3, 5, 8]), np.array([0.0, 1, 2, 4, 7])
    shape = (len(levels), len(phases))
    rise, fall, joint, ups, downs = random.uniform(0.5, 2.0, (5, *shape))
    rise[-1], fall[0], joint[0], joint[:, -1], ups[:, -1], downs[:, 0] = 0, 0, 0, 0, 0, 0
    sizes = [(1.0, 0.0), (2.0, 1.5), (3.3, 0.0), (0.0, 2.0), (4.0, 6.0)]
    found = spread(levels, phases, [Jump(*size, random.uniform(0.1, 0.5, shape)) for size in sizes])
    moves = np.zeros((*shape, *shape))
    for n, y in np.ndindex(shape):
        for to, rate in (((1, 0), rise), ((-1, 0), fall), ((-1, 1), joint), ((0, 1), ups), ((0, -1), downs)):
            if rate[n, y]:
                moves[n, y, n + to[0], y + to[1]] += rate[n, y]
        above = found.above(n, 1)[y]
        moves[n, y, n : n + len(above)] += above
    balance = moves.reshape(rise.size, rise.size).T.copy()
    balance -= np.diag(balance.sum(axis=0))
    balance[0] = 1.0
    exact = np.linalg.solve(balance, np.eye(1, rise.size)[0]).reshape(shape)
    by_levels = JumpChain(neighbours(ups, downs), rise, fall, found, downs_with=joint).chance()
    along = JumpChain(neighbours(rise.T, fall.T), ups.T, downs.T, found.turned(), ups_with=joint.T).chance().T
    for chance in (by_levels, along):
        assert chance / chance.sum() == pytest.approx(exact, rel=1e-9)


def test_units_off_the_cps() -> None:
    """Machine repair: three units on one CP, as long off it as on it; nobody else is there."""
    found = Ready(company([], 0.0, 1.0, 10), np.zeros(1), 1.0, 1.0, 3.0)
    rate, longer, _ = found.at(np.array([0.0, 3.0]))
    ways = np.array([1 / 6, 1 / 2, 1.0, 1.0])  # of 0, 1, 2, 3 ready
    assert rate[:, 0] == pytest.approx([0.0, 1 - ways[0] / ways.sum()])
    assert longer[:, 0] == pytest.approx([1.0, (ways @ [1, 1, 2, 3]) / ways.sum()])


@pytest.mark.parametrize("most", [40.0, 900.0])
def test_weights_of_units_are_summed_in_blocks(most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many numbers of ready units are summed together: of wide ranges each float has its own."""
    others, phases = company([(0.6, 1), (0.5, 20)], 1.2, 4.0, 60), np.arange(40.0)
    found = Ready(others, phases, 0.001, 0.004, most)
    units = np.unique(np.round(np.linspace(0.0, most, 41)))
    summed = found.at(units)
    with np.errstate(divide="ignore"):
        away = np.maximum(units[:, None] - found.number, -1.0)
        ways = np.where(away >= 0, away * np.log(0.004) - found.factorial[np.maximum(away, 0).astype(int)], -np.inf)
    chance = np.exp(found.logs + ways[:, :, None] - (found.logs + ways[:, :, None]).max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    assert summed[0] == pytest.approx((chance * found.number[:, None] / found.time).sum(axis=1), rel=1e-10)
    assert summed[1] == pytest.approx((chance * found.slow).sum(axis=1), rel=1e-10)
    monkeypatch.setattr(holders, "RANGE", 20.0)
    for whole, blocks in zip(summed, found.at(units), strict=True):
        assert blocks == pytest.approx(whole, rel=1e-10)


def test_short_pieces_on_tcbs_beside_long_ones() -> None:
    """The truth is a simulation, known to 1 %."""
    regions = [zos.CicsRegion(name, lpar="P") for name in ("Q0", "Q1", "OPEN")]
    work = [
        zos.Work("first", rate=1484, regions="Q0", qr_cpu=0.00013),
        zos.Work("second", rate=2622, regions="Q1", qr_cpu=9.13e-05),
        zos.Work("third", rate=273.4, regions="OPEN", open_cpu=0.001107),
    ]
    found = solved_point(zos.System(lpars=[zos.Lpar("P", processors=1)], regions=regions, work=work)).work.response
    assert found == pytest.approx([0.000917, 0.001013, 0.003385], rel=0.06)


def test_short_pieces_of_a_lower_importance_in_the_line_of_a_tcb() -> None:
    """One CP half busy above: short pieces wait at their QR TCB beside long ones on open TCBs; simulated to 1.3 %."""
    regions = [zos.CicsRegion("H", lpar="P", importance=1), zos.CicsRegion("L", lpar="P", importance=2)]
    work = [
        zos.Work("high", rate=500, regions="H", open_cpu=0.001),
        zos.Work("long", rate=350, regions="L", open_cpu=0.001),
        zos.Work("short", rate=500, regions="L", qr_cpu=0.00007),
    ]
    found = solved_point(zos.System(lpars=[zos.Lpar("P", processors=1)], regions=regions, work=work)).work.response
    assert found == pytest.approx([0.002, 0.01671, 0.01631], rel=0.12)


def test_a_lower_importance_beside_long_higher_work() -> None:
    """One CP, M/M/1 with two preemptive priorities: 1/(mu (1 - rho)) and that of the lower class."""
    regions = [zos.CicsRegion("H", lpar="P", importance=1), zos.CicsRegion("L", lpar="P", importance=2)]
    work = [zos.Work("high", rate=50, regions="H", open_cpu=0.01), zos.Work("low", rate=30, regions="L", open_cpu=0.01)]
    found = solved_point(zos.System(lpars=[zos.Lpar("P", processors=1)], regions=regions, work=work)).work.response
    assert found == pytest.approx([0.01 / 0.5, 0.01 / (0.5 * 0.2)], rel=0.03)
