"""Chains without a last level, and chains of three numbers, held against closed forms."""

from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.cube import Others, Pieces, cube
from qnsolve.zos.hosts.chains.endless import eliminated_levels, endless, endless_band
from qnsolve.zos.hosts.chains.jumps import Burst, jumps, spread
from qnsolve.zos.hosts.chains.plane import endless_plane, neighbours, plane, plane_moves
from qnsolve.zos.hosts.others.company import company
from qnsolve.zos.point.solved import solved_point
from scipy import sparse
from scipy.sparse.linalg import spsolve


@pytest.mark.parametrize("load", [0.3, 0.8, 0.999])
def test_an_mm1_without_end(load: float) -> None:
    """1 - rho of nobody there, rho (1 - rho) of one, and all beyond, at their mean."""
    rise, fall, none = np.full((4, 1), load), np.ones((4, 1)), np.zeros((4, 1))
    fall[0] = 0.0
    solved = endless(np.zeros((4, 1, 1)), rise, fall, none)
    assert solved is not None
    chance, mean = solved[0][:, 0] / solved[0].sum(), solved[1]
    assert chance == pytest.approx([1 - load, (1 - load) * load, load**2])
    assert mean == pytest.approx(2 + load / (1 - load))
    assert float(chance @ [0, 1, mean]) == pytest.approx(load / (1 - load))


@pytest.mark.parametrize("servers", [1, 3])
def test_an_mmc_without_end(servers: int) -> None:
    """Erlang's C."""
    load = 0.9 * servers
    levels = np.arange(servers + 3.0)[:, None]
    none = np.zeros_like(levels)
    serve = np.minimum(levels, servers)
    found = endless_plane(np.zeros(1), np.full_like(levels, load), serve, 0.0, none, none)
    assert found is not None
    beyond = load**servers / factorial(servers) / 0.1
    delayed = beyond / (sum(load**n / factorial(n) for n in range(servers)) + beyond)
    assert found.mean_level == pytest.approx(load + delayed * 0.9 / 0.1)


def _beside_pieces(count: int, coming: float) -> tuple[Array, ...]:
    """Rates of one TCB, 2.4 ms, on 3 processors beside pieces of 8.1 ms, of which 100 a second come from elsewhere."""
    n, y = np.arange(count)[:, None], np.arange(60.0)[None, :]
    units, shape = np.minimum(n, 1), (count, 60)
    longer = np.maximum(1, (units + y) / 3)
    return np.full(shape, coming), units / longer / 0.0024, np.full(shape, 100.0), y / longer / 0.0081


def test_a_chain_without_end_is_a_long_one() -> None:
    """The same mean and chances as of 1500 levels, phases and all."""
    phases = np.arange(60.0)
    for coming, follow in ((150.0, 0.0), (120.0, 1.0)):
        arrive, serve, up, down = _beside_pieces(1500, coming)
        arrive[-1] = 0.0
        long = plane(np.arange(1500.0), phases, arrive, serve, follow, up, down)
        arrive, serve, up, down = _beside_pieces(4, coming)
        short = endless_plane(phases, arrive, serve, follow, up, down)
        assert short is not None
        assert short.mean_level == pytest.approx(long.mean_level, rel=1e-6)
        assert short.chance[:2] == pytest.approx(long.chance[:2], rel=1e-6, abs=1e-12)
        assert short.chance.sum(axis=0) == pytest.approx(long.chance.sum(axis=0), rel=1e-6, abs=1e-12)


def test_one_band_matrix_is_the_elimination_of_all_levels() -> None:
    """Twelve servers beside others: the same chances, and the same mean beyond, from any guess."""
    phases, count = np.arange(20.0), 15
    n, y = np.arange(float(count))[:, None], phases[None, :]
    units, shape = np.minimum(n, 12.0), (count, 20)
    longer = np.maximum(1.0, (units + y) / 8)
    its = np.full(shape, 5.0), units / longer, 0.3, np.full(shape, 2.0), y / longer
    rise, fall, joint, ups, downs, _ = plane_moves(n[:, 0], phases, *its, True, None)
    true = endless(neighbours(ups, downs), rise, fall, joint)
    moves = {(1, 0): rise, (-1, 0): fall, (-1, 1): joint, (0, 1): ups, (0, -1): downs}
    assert true is not None
    for guess in ((0, 0), (5, 2), (14, 19)):
        found = endless_band(neighbours(ups[-1:], downs[-1:])[0], moves, guess)
        assert found is not None
        assert found[0] / found[0].sum() == pytest.approx(true[0] / true[0].sum(), abs=1e-13)
        assert found[1] == pytest.approx(true[1], rel=1e-10)


def test_blocks_eliminated_are_the_balance_solved() -> None:
    """Any rates within blocks, up, and down with one more: against the whole matrix."""
    g = np.random.default_rng(4)
    here, (rise, fall, joint) = g.random((3, 4, 4)), g.random((3, 3, 4))
    rise[-1], fall[0], joint[0], joint[:, -1] = 0.0, 0.0, 0.0, 0.0
    whole = np.zeros((12, 12))
    for n, y in product(range(3), range(4)):
        at = 4 * n + y
        whole[at, 4 * n : 4 * n + 4] += here[n, y] * (np.arange(4) != y)
        if n < 2:
            whole[at, at + 4] += rise[n, y]
        if n > 0:
            whole[at, at - 4] += fall[n, y]
            whole[at, at - 3] += joint[n, y]
    whole -= np.diag(whole.sum(axis=1))
    exact = np.linalg.lstsq(np.vstack((whole.T, np.ones(12))), np.eye(1, 13, 12)[0], rcond=None)[0]
    found = eliminated_levels(here, rise, fall, downs_with=joint)
    assert (found / found.sum()).ravel() == pytest.approx(exact)


@pytest.mark.parametrize("alike", [True, False])
def test_three_queues_in_product_form(alike: bool) -> None:
    """An M/M/1, an M/M/1 and an M/M/inf on processors for all, tasks of both going on: the chances are the product."""
    count = 3 if alike else 26
    levels, others, pieces = np.arange(float(count)), np.arange(20.0), np.arange(15.0)
    shape = (count, 20, 15)
    n, y, z = levels[:, None, None], others[None, :, None], pieces[None, None, :]
    room = z < 14
    arrive = np.full(shape, 0.4)
    if not alike:
        arrive[-1] = 0.0
    come = np.where(y < 19, 0.3, 0.0) * np.ones(shape)
    serve, ends = (n > 0) * room * np.ones(shape), (y > 0) * room * np.ones(shape)
    solved = cube(
        levels, arrive, serve, 1.0, Others(others, come, ends, 1.0),
        Pieces(pieces, room * np.full(shape, 0.3), z * np.ones(shape)), alike,
    )  # fmt: skip
    assert solved is not None
    first = 0.6 * 0.4 ** np.arange(count) if not alike else np.array([0.6, 0.4])
    second = 0.7 * 0.3 ** np.arange(20)
    third = np.array([np.exp(-1.0) / factorial(k) for k in range(15)])
    assert solved[1] == pytest.approx(first[:, None, None] * second[:, None] * third, abs=1e-9)
    assert float(solved[0] @ solved[1].sum(axis=(1, 2))) == pytest.approx(0.4 / 0.6, rel=1e-6)


def test_groups_beside_a_line_by_the_whole_balance() -> None:
    """Groups come to another line and as pieces at once; one processor for all: against the balance of all states."""
    count, tops, burst = 40, (14, 12), Burst(0, 3.0, np.ones(1))
    levels, others, pieces = np.arange(float(count)), np.arange(tops[0] + 1.0), np.arange(tops[1] + 1.0)
    shape = count, tops[0] + 1, tops[1] + 1
    n, y, z = np.ones(shape) * levels[:, None, None], np.ones(shape) * others[:, None], np.ones(shape) * pieces
    share = 1 / np.maximum((n > 0) + (y > 0) + z, 1.0)
    arrive, serve, ends, done = 0.2 * (n < count - 1), (n > 0) * share, 2 * (y > 0) * share, z * share
    groups = spread(others, pieces, jumps(burst, np.full(shape[1:], 0.12), 0.7, 0.3, 1.0, wide=True))
    none = np.zeros(shape)
    solved = cube(levels, arrive, serve, 0.0, Others(others, none, ends, 0.5), Pieces(pieces, none, done), False, groups)
    assert solved is not None
    place = np.arange(n.size).reshape(shape)
    moves: list[tuple[np.ndarray, np.ndarray]] = []  # how often, and to which state

    def put(rate: np.ndarray, to: tuple[np.ndarray, ...]) -> None:
        moves.append((rate.ravel(), place[tuple(its.astype(int) for its in to)].ravel()))

    put(arrive, (np.minimum(n + 1, count - 1), y, z))
    put(serve, (np.maximum(n - 1, 0), y, z))
    for more, part in ((0, 0.5), (1, 0.5)):
        put(part * ends * (z < tops[1]), (n, np.maximum(y - 1, 0), np.minimum(z + more, tops[1])))
    put(0.5 * ends * (z == tops[1]), (n, np.maximum(y - 1, 0), z))
    put(done, (n, y, np.maximum(z - 1, 0)))
    for own in range(4):
        chance = comb(3, own) * 0.7**own * 0.3 ** (3 - own)
        put(np.full(shape, 0.04 * chance), (n, np.minimum(y + own, tops[0]), np.minimum(z + 3 - own, tops[1])))
    often, end = (np.concatenate(part) for part in zip(*moves, strict=True))
    rates = sparse.csr_matrix((often, (end, np.tile(place.ravel(), len(moves)))), shape=(n.size, n.size))
    balance = (rates - sparse.diags(np.asarray(rates.sum(axis=0)).ravel())).tocsc()
    exact = np.append(1.0, spsolve(balance[1:, 1:], -balance[1:, [0]].toarray().ravel())).reshape(shape)
    exact /= exact.sum()
    for axis, grid in enumerate((levels, others, pieces)):
        rest = tuple(k for k in range(3) if k != axis)
        assert float(solved[1].sum(axis=rest) @ grid) == pytest.approx(float(exact.sum(axis=rest) @ grid), rel=0.01)


def test_servers_at_work_by_enumeration() -> None:
    """All ways in which n tasks are at three queues of one, two and one servers, by their weights."""
    queues, top = [(0.5, 1), (1.2, 2), (0.9, 1)], 9
    weight, busy = np.zeros((2, top + 1))
    for at in product(range(top + 1), repeat=3):
        if sum(at) <= top:
            each = 1.0
            for number, (load, size) in zip(at, queues, strict=True):
                each *= np.prod([load / min(i, size) for i in range(1, number + 1)])
            weight[sum(at)] += each
            busy[sum(at)] += each * sum(min(number, size) for number, (_, size) in zip(at, queues, strict=True))
    assert company(queues, 0.0, 1.0, top).ready == pytest.approx(busy / weight)


def test_two_tcbs_beside_open_work() -> None:
    """Tasks at two QR TCBs and in open work on two CPs; the truth is a simulation, known to 1 %."""
    regions = [zos.CicsRegion(name, lpar="P") for name in ("A", "B", "C")]
    work = [
        zos.Work("first", rate=117.8, regions="A", qr_cpu=0.001917),
        zos.Work("second", rate=127.9, regions="B", qr_cpu=0.002738),
        zos.Work("open", rate=166.4, regions="C", open_cpu=0.006488),
    ]
    found = solved_point(zos.System(lpars=[zos.Lpar("P", processors=2)], regions=regions, work=work)).work
    assert found.response * found.rate == pytest.approx([1.25, 3.07, 2.60], rel=0.05)
