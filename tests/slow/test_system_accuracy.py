"""The table of docs/systems.md: systems of a site's range, salt 6, beside their references by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import system_accuracy, system_references
from benchmarks.families.random_systems import random_system
from benchmarks.system_accuracy import Checked

pytestmark = pytest.mark.slow
HOUR = 3600.0  # seconds that a system may take here: tests do not depend on the clock
R_MEAN, R_95, R_MOST = 0.015, 0.08, 0.24
X_MEAN, X_MOST = 0.0013, 0.07
BEYOND = 0.02  # share of the response times that are farther off than stated


@pytest.fixture(scope="module")
def found() -> list[Checked]:
    """Each system solved, and set beside its reference."""
    return [system_accuracy.checked(one, HOUR) for one in system_references.load(6).values()]


def test_every_system_is_answered(found: list[Checked]) -> None:
    """All are stable: none is refused, none fails."""
    assert [one.reason for one in found if one.reason] == []


def test_response_times_and_rates(found: list[Checked]) -> None:
    """Errors of the worst work of each system, without the half width of its reference."""
    response, rate = np.array([one.response for one in found]), np.array([one.throughput for one in found])
    assert response.mean() <= R_MEAN
    assert np.quantile(response, 0.95) <= R_95
    assert response.max() <= R_MOST
    assert rate.mean() <= X_MEAN
    assert rate.max() <= X_MOST


def test_stated_errors_hold(found: list[Checked]) -> None:
    """Nearly all response times are within the error that the answer states."""
    beyond = [work.beyond for one in found for work in one.works]
    assert np.mean([bool(b) for b in beyond]) <= BEYOND


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_random_systems_are_answered_or_refused_with_a_center(start: int) -> None:
    """Any kind of part with any figures: an answer that keeps the laws, or a full center by name; no warning."""
    for seed in range(start, start + 30):
        system = random_system(seed)
        try:
            result = system.solve()
        except qn.SaturatedError as error:
            named = error.station
            if not named:
                pytest.fail(f"{seed}: no center is named")
            continue
        for work in result.work:
            assert 0 < work.etr < np.inf, seed
            assert 0 < work.response_time < np.inf, seed
