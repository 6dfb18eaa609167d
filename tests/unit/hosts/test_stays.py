"""How long unlike tasks stay at shared lines beside free pieces: closed forms, exact chains, and simulated figures."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.banded import stays
from qnsolve.zos.hosts.lines.stays import LineRates, stretches
from qnsolve.zos.hosts.lines.two_counts import two_counts
from scipy.sparse import coo_matrix, csc_matrix, diags
from scipy.sparse.linalg import spsolve

from benchmarks.free_pieces import WORKS, drawn, stored

SHORT, LONG = 1e-3, 8e-3


def test_numbers_until_an_end() -> None:
    """Against the linear equations of a chain of two numbers."""
    draw = np.random.default_rng(3)
    up, down, other, back, ends, start = draw.uniform(0.2, 2.0, (6, 4, 5))
    up[-1] = down[0] = other[:, -1] = back[:, 0] = 0.0
    matrix, shape = np.zeros((20, 20)), (4, 5)
    moves = {(1, 0): up, (-1, 0): down, (0, 1): other, (0, -1): back}
    for (n, y), rate in moves.items():
        for i, j in np.ndindex(shape):
            if rate[i, j] > 0:
                matrix[i * 5 + j, (i + n) * 5 + j + y] += rate[i, j]
    matrix -= np.diag(matrix.sum(axis=1) + ends.ravel())
    found = stays(moves, ends, start)
    assert found.ravel() == pytest.approx(np.linalg.solve(-matrix.T, start.ravel()), rel=1e-10)


@pytest.mark.parametrize("load", [0.3, 0.9])
def test_alone_a_stay_is_as_its_work(load: float) -> None:
    """A server that its tasks share, pieces that do not slow it: 1/(1 - load) of the work, however long it is."""
    levels, phases = np.arange(400.0), np.arange(6.0)
    shape = len(levels), len(phases)
    arrive, up = np.full(shape, load), np.full(shape, 0.7)
    serve, down = np.broadcast_to(np.minimum(levels, 1.0)[:, None], shape).copy(), np.broadcast_to(phases / 2, shape).copy()
    arrive[-1], up[:, -1] = 0.0, 0.0
    chance = two_counts(levels, phases, arrive, serve, 0.0, up, down)
    rates, beside = LineRates(arrive, serve, 0.0, up, down), LineRates(arrive, np.ones(shape), 0.0, up, down)
    found = stretches(levels, phases, chance, rates, beside, 1.0, np.array([0.1, 1.0, 7.0]))
    assert found == pytest.approx(np.full(3, 1 / (1 - load)), rel=1e-6)


@pytest.mark.parametrize("piece", [2e-3, 0.01, 0.05])
def test_short_tasks_wait_longer_beside_pieces_that_last(piece: float) -> None:
    """Two kinds of tasks on one TCB of two CPs, pieces from elsewhere 75 % of a CP: the times of each as in the exact chain."""
    rates, pieces = np.array([300.0, 25.0]), 0.75 / piece
    exact = _exact(rates, piece, pieces)
    levels, phases = np.arange(80.0), np.arange(25.0)
    work = rates * [SHORT, LONG]
    length = float(work @ [SHORT, LONG]) / float(work.sum())  # of tasks that fluctuate as much
    mean = float(work.sum() / rates.sum())
    first = _rates(levels, phases, float(work.sum()) / length, length, piece, pieces)
    beside = _rates(levels + 1, phases, float(rates.sum()), mean, piece, pieces)
    chance = two_counts(levels, phases, first.arrive, first.serve, 0.0, first.up, first.down)
    found = stretches(levels, phases, chance, first, beside, mean, np.array([SHORT, LONG]))
    assert exact[0] > 1.005 * exact[1]
    assert found[0] / found[1] == pytest.approx(exact[0] / exact[1], rel=0.05)
    assert found == pytest.approx(exact, rel=0.03)


def _share(own: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """Of a CP for each unit of work on two CPs."""
    return np.minimum(1.0, 2 / np.maximum(np.minimum(own, 1.0) + pieces, 1.0))


def _rates(levels: np.ndarray, phases: np.ndarray, rate: float, length: float, piece: float, pieces: float) -> LineRates:
    shape = len(levels), len(phases)
    share = _share(levels[:, None], phases[None, :])
    arrive, up = np.full(shape, rate), np.full(shape, pieces)
    arrive[-1], up[:, -1] = 0.0, 0.0
    return LineRates(arrive, np.minimum(levels, 1.0)[:, None] * share / length, 0.0, up, phases[None, :] * share / piece)


def _exact(rates: np.ndarray, piece: float, pieces: float) -> np.ndarray:
    """Stretch of short and long tasks: all balances of short ones, long ones and pieces."""
    shape = (45, 16, 19)
    short, long, free = np.indices(shape)
    own = short + long
    share = _share(own, free) / np.maximum(own, 1)
    down = free * _share(own, free) / piece
    number, rows, columns, values = np.arange(own.size).reshape(shape), [], [], []
    for rate, to in (
        (np.full(shape, rates[0]), (1, 0, 0)), (np.full(shape, rates[1]), (0, 1, 0)), (np.full(shape, pieces), (0, 0, 1)),
        (share * short / SHORT, (-1, 0, 0)), (share * long / LONG, (0, -1, 0)), (down, (0, 0, -1)),
    ):  # fmt: skip
        there = short + to[0], long + to[1], free + to[2]
        some = (rate > 0) & np.all([(x >= 0) & (x < size) for x, size in zip(there, shape, strict=True)], axis=0)
        rows.append(number[some])
        columns.append(number[tuple(x[some] for x in there)])
        values.append(rate[some])
    moves = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))).tocsc()
    balance = csc_matrix(moves.T - diags(np.asarray(moves.sum(axis=1)).ravel()))
    chance = np.append(1.0, spsolve(balance[1:, 1:], -balance[1:, 0].toarray().ravel())).reshape(shape)
    chance /= chance.sum()
    return np.array([(chance * short).sum(), (chance * long).sum()]) / (rates * [SHORT, LONG])


def test_works_of_unlike_work_on_the_same_tcbs() -> None:
    """Four AORs on two CPs 94 % busy, one work of 7.6 times the CPU on the QR TCB; simulated to 2 %."""
    system = drawn("long", 15, 3)
    assert system is not None
    answer = system.solve()
    for name, (truth, half) in zip(WORKS, stored()["long/15/3"], strict=True):
        assert answer[name].response_time == pytest.approx(truth, rel=half + 0.01)
