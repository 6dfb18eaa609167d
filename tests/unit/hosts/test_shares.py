"""Who shares the only CP with tasks that spin, and numbers of tasks of which some come in bursts."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.jumps import Jump, spread
from qnsolve.zos.hosts.chains.plane import grid
from qnsolve.zos.hosts.importance.own_engines import weights_with_groups
from qnsolve.zos.hosts.load import Coming, Load, Shares
from qnsolve.zos.hosts.spins import as_cpu


def test_without_spins_all_share_as_one() -> None:
    """A host that holds nothing of its requests: squares of spins are not known, and are not asked for."""
    one, coming = np.ones(1), Coming(np.zeros(1), np.ones((1, 1)), True, np.inf)
    load = Load(1.0, [], 0.3 * one, 0 * one, one, one, np.zeros(1, dtype=int), np.zeros(1, dtype=int), one, 0 * one, coming)
    assert as_cpu(load).shares is None


def test_as_many_as_spins_and_cpu_over_cpu() -> None:
    """A piece of 1 ms that spins for 2 ms is as three; beside others that do not, those that are there count."""
    parts = [(np.array([100.0]), np.array([1e-3]), np.array([2e-3])), (np.array([200.0]), np.array([1e-3]), np.zeros(1))]
    found = Shares.of(parts, 1.0, np.array([0.5, 1.5]))
    assert found.of_some([0]) == pytest.approx(3)
    assert found.of_some([1]) == 1
    here = 0.3 * (1 + 1 / 3), 0.2 * (1 + 1)  # half of the CP is in use: one more piece at any time
    assert found.of_some([0, 1]) == pytest.approx((3 * here[0] + here[1]) / sum(here))
    assert found.longer([0, 1]) == pytest.approx(1.5 * 11 / (9 * 0.5 + 2 * 1.5))


@pytest.mark.parametrize(("points", "close"), [(np.arange(400.0), 1e-8), (grid(20, 400, 1.1), 0.01)])
def test_a_line_of_bursts(points: np.ndarray, close: float) -> None:
    """M[X]/M/1, bursts of 4: half of the others of its burst are before a task."""
    use, burst = 0.4, 4
    groups = [Jump(burst, 0.0, np.full((len(points), 1), use / burst))]
    chance = weights_with_groups(points, np.zeros(len(points)), np.ones(len(points)), spread(points, np.zeros(1), groups))
    assert float(chance @ points / chance.sum()) == pytest.approx(use * (1 + (burst - 1) / 2) / (1 - use), rel=close)
