"""Chains of two counts that hang together, held against balances and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid
from qnsolve.zos.hosts.lines.two_counts import two_count_moves, two_counts


def test_steps_of_one_task_are_exact() -> None:
    """The balance of each state, a task that is served becoming one more of the phase."""
    draw = np.random.default_rng(7)
    arrive, serve, up, down = draw.uniform(0.5, 2.0, (4, 6, 7))
    arrive[-1], serve[0], down[:, 0], up[:, -1] = 0.0, 0.0, 0.0, 0.0
    serve[:, -1] = 0.0  # no room for one more
    chance = two_counts(np.arange(6.0), np.arange(7.0), arrive, serve, 0.7, up, down)
    flow = np.zeros((6, 7))
    for rate, (n, y) in ((arrive, (1, 0)), (0.3 * serve, (-1, 0)), (0.7 * serve, (-1, 1)), (up, (0, 1)), (down, (0, -1))):
        moved = chance * rate
        flow -= moved
        rows, columns = (slice(max(k, 0), size + min(k, 0)) for k, size in ((n, 6), (y, 7)))
        back = tuple(slice(max(-k, 0), size + min(-k, 0)) for k, size in ((n, 6), (y, 7)))
        flow[rows, columns] += moved[back]
    assert np.abs(flow).max() < 1e-12
    assert chance.sum() == pytest.approx(1.0)


def test_wide_steps_keep_drift_and_variance() -> None:
    """Of all moves out of a state that is not at an edge, central ones, where the second count does nothing to the first."""
    levels, phases = grid(5, 200.0, 1.3), grid(5, 200.0, 1.25)
    shape = len(levels), len(phases)
    arrive, serve, up, down = np.full(shape, 1.1), np.full(shape, 1.2), np.full(shape, 0.4), np.full(shape, 1.5)
    moves = two_count_moves(levels, phases, arrive, serve, 0.8, up, down, careful=False)
    checked = 0
    for n in range(2, shape[0] - 2):
        for y in range(2, shape[1] - 2):
            there = [(rate[n, y], n + a, y + b) for (a, b), rate in moves.items() if rate[n, y] != 0]
            if any(not (0 <= i < shape[0] and 0 <= j < shape[1]) for _, i, j in there):
                continue
            step = np.array([(levels[i] - levels[n], phases[j] - phases[y]) for _, i, j in there])
            rate = np.array([r for r, _, _ in there])
            assert rate @ step == pytest.approx([1.1 - 1.2, 0.4 - 1.5 + 0.8 * 1.2])
            assert rate @ step**2 == pytest.approx([1.1 + 1.2, 0.4 + 1.5 + 0.8 * 1.2])
            checked += 1
    assert checked > 100


@pytest.mark.parametrize("load", [0.6, 0.95])
def test_a_tandem_has_the_product_form(load: float) -> None:
    """A server and, after it, as many as come: a geometric and a Poisson number, on grids that widen."""
    levels, phases = grid(15, 40 / (1 - load), 1.16), grid(15, 60.0, 1.16)
    n, y = levels[:, None], phases[None, :]
    shape = len(levels), len(phases)
    arrive, serve = np.full(shape, load), np.broadcast_to(np.minimum(n, 1.0), shape).copy()
    arrive[-1] = 0.0
    chance = two_counts(levels, phases, arrive, serve, 1.0, np.zeros(shape), np.broadcast_to(y / 4.0, shape).copy())
    assert float(levels @ chance.sum(axis=1)) == pytest.approx(load / (1 - load), rel=0.01)
    assert float(phases @ chance.sum(axis=0)) == pytest.approx(4.0 * load, rel=0.01)


def _two_lines(levels: Array, phases: Array, use: float) -> float:
    """Tasks at two QR TCBs on three CPs, each task with a piece on an open TCB after it."""
    n, y = levels[:, None], phases[None, :]
    at_work, slow = 2 * n / (n + 1), np.maximum(1.0, (2 * n / (n + 1) + y) / 3)
    shape = len(levels), len(phases)
    arrive = np.full(shape, 3 * use / 2.083)
    arrive[-1] = 0.0
    down = np.broadcast_to(y / slow / 1.083, shape)
    return float(levels @ two_counts(levels, phases, arrive, at_work / slow, 1.0, np.zeros(shape), down).sum(axis=1))


@pytest.mark.parametrize("use", [0.8, 0.9, 0.955])
def test_pieces_that_lines_send_are_averaged_out_on_wide_steps(use: float) -> None:
    """As on steps of one: as many heaps of pieces as steps are wide would leave the processors idle between them."""
    fine = _two_lines(np.arange(401.0), np.arange(41.0), use)
    assert _two_lines(grid(15, 400.0, 1.16), grid(26, 300.0, 1.16), use) == pytest.approx(fine, rel=0.05)
