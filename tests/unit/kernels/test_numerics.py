"""Numerics at their edges: chains of one state, quantiles of nothing, iterations that do not settle."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.numerics import fixed_point as fixed
from qnsolve.numerics.markov_chain import TooManyStatesError, explore, stationary
from qnsolve.numerics.passage_times import gamma_quantile
from qnsolve.numerics.series import convolved, geometric, scaled


def test_a_chain_longer_than_allowed_is_given_up() -> None:
    """Exploring stops at the number of states that it may take, and says which it was."""
    with pytest.raises(TooManyStatesError, match="5"):
        explore(0, lambda n: [(1.0, n + 1)], 5)


def test_a_chain_dearer_than_allowed_is_given_up() -> None:
    """A ring of states is solved where the work allows it, each state being as likely, and refused where it does not."""
    states = np.arange(6)
    ring = 6, states, (states + 1) % 6, np.ones(6)
    np.testing.assert_allclose(stationary(*ring), 1 / 6, rtol=1e-14)
    with pytest.raises(TooManyStatesError):
        stationary(*ring, work=1.0)


def test_a_constant_time_is_its_own_quantile() -> None:
    """Without variation every quantile is the mean."""
    assert gamma_quantile(2.5, 0.0, 0.01) == gamma_quantile(2.5, 0.0, 0.99) == 2.5


def test_a_quantile_below_the_smallest_number() -> None:
    """P(T ≤ t) = t^k/Γ(1 + k) for small t: with k = 0.001 it is 0.001 at 1e-3000, which is 0 as a number."""
    assert gamma_quantile(1.0, 1000.0, 0.001) == pytest.approx(0.0, abs=1e-300)


def test_weights_that_are_all_zero_stay_zero() -> None:
    """Scaling divides by the largest weight where there is one."""
    nothing = np.zeros(3)
    assert scaled(nothing) == 0
    np.testing.assert_array_equal(nothing, np.zeros(3))


@pytest.mark.parametrize("rough", [True, False])
def test_an_iteration_without_a_fixed_point_is_reported(rough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Doubling has none above 0: not converged, with the relative change of the last step, rough or damped."""
    monkeypatch.setattr(fixed, "STEPS", 50)
    found = fixed.fixed_point(lambda x, _: 2 * x, np.array([[1e-60]]), 1e-9, rough=rough)
    assert not found.converged[0]
    assert found.residual[0] > 0.1


def test_numbers_in_equal_ratios() -> None:
    """Those of numpy, over all sizes that are asked for."""
    g = np.random.default_rng(5)
    for _ in range(200):
        first, last, count = 10 ** g.uniform(-12, 3), 10 ** g.uniform(-12, 8), int(g.integers(2, 500))
        np.testing.assert_allclose(geometric(first, last, count), np.geomspace(first, last, count), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 128, 129, 700])
def test_products_of_series_by_blocks(size: int) -> None:
    """As numpy has them, term by term, however small."""
    random = np.random.default_rng(size)
    rows, terms = random.random((3, size)) * 10.0 ** random.uniform(-150, 0, (3, size)), random.random(size)
    each = np.array([np.convolve(row, terms)[:size] for row in rows])
    assert convolved(rows, terms) == pytest.approx(each, rel=1e-12, abs=0.0)
