"""Chains solved as one band matrix, and on the points of their grids where chances are."""

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.banded import stationary, times
from qnsolve.zos.hosts.chains.endless import eliminated_levels
from qnsolve.zos.hosts.chains.plane import grid, neighbours, plane, plane_moves
from qnsolve.zos.hosts.chains.windows import windowed


def test_a_birth_death_chain() -> None:
    """M/M/1/9: geometric; the time from each state until an end of rate 0.1 against its linear equations."""
    up, down = np.append(np.full(9, 0.7), 0.0), np.append(0.0, np.full(9, 1.0))
    for at in (0, 4, 9):
        found = stationary({(1,): up, (-1,): down}, (at,))
        assert found is not None
        assert found / found.sum() == pytest.approx(0.7 ** np.arange(10) / (0.7 ** np.arange(10)).sum(), rel=1e-12)
    ends = np.full(10, 0.1)
    ends[3] = 0.5
    matrix = np.diag(up + down + ends) - np.diag(up[:-1], 1) - np.diag(down[1:], -1)
    assert times({(1,): up, (-1,): down}, ends) == pytest.approx(np.linalg.solve(matrix, np.ones(10)), rel=1e-12)


def test_a_chain_in_two_parts_has_no_chances() -> None:
    """A state that nothing leaves and nothing leads to, beside others: no single balance."""
    none = np.zeros(4)
    assert stationary({(1,): none, (-1,): none}, (0,)) is None


@pytest.mark.parametrize(("load", "others"), [(0.2, 5.0), (0.9, 40.0), (0.5, 900.0)])
def test_the_points_that_are_left_out_do_not_count(load: float, others: float) -> None:
    """A server beside others that come and go, on wide grids: as all points at once, by elimination of the levels."""
    levels, phases = grid(12, 3000, 1.16), grid(20, 1e5, 1.16)
    shape = (len(levels), len(phases))
    arrive, serve = np.full(shape, load), np.minimum(levels, 1.0)[:, None] * np.ones(shape)
    up, down = np.full(shape, others), np.broadcast_to(phases, shape)
    found = plane(levels, phases, arrive, serve, 0.3, up, down)
    for careful in (False, True):
        rise, fall, joint, ups, downs = plane_moves(levels, phases, arrive, serve, 0.3, up, down, careful, None)
        whole = eliminated_levels(neighbours(ups, downs), rise, fall, downs_with=joint)
        whole /= whole.sum()
        if whole.min() > -1e-3:
            break
    whole = np.maximum(whole, 0.0)
    assert found.chance == pytest.approx(whole / whole.sum(), abs=1e-9)
    assert found.mean_level == pytest.approx(float(levels @ whole.sum(axis=1)) / float(whole.sum()), rel=1e-7)
    assert (found.chance == 0).sum() > 0.3 * found.chance.size


def test_a_window_grows_to_where_the_chances_are() -> None:
    """What every third point says is wrong: all of it at the lower end."""
    levels, phases = np.arange(60.0), np.arange(40.0)
    true = np.outer(np.exp(-(((levels - 30) / 4) ** 2)), np.exp(-(((phases - 25) / 3) ** 2)))
    asked = []

    def solve(rows: np.ndarray, columns: np.ndarray, likely: tuple[int, ...] | None) -> np.ndarray:
        asked.append((len(rows), len(columns)))
        chance = np.zeros((len(rows), len(columns)))
        if likely is None:
            chance[0, 0] = 1.0
            return chance
        chance = true[np.ix_(rows, columns)] + 1e-30
        return chance / chance.sum()

    found = windowed(levels, phases, solve)
    assert found == pytest.approx(true / true.sum(), abs=1e-8)
    assert asked[0] == (21, 14)
    assert asked[1][0] < 10
