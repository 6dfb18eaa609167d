"""The table of docs/systems.md: systems of a site's range beside their references by simulation, two sets of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import system_accuracy, system_references
from benchmarks.families.random_systems import random_system
from benchmarks.system_accuracy import Checked

pytestmark = pytest.mark.slow
HOUR = 3600.0  # seconds that a system may take here: tests do not depend on the clock


@dataclass(frozen=True)
class Most:
    """Errors of a set: of response times mean, 95th percentile and largest, of throughputs mean and largest, [ratio].

    `beyond` is the share of the response times that are farther off than stated.
    """

    salt: int
    response: tuple[float, float, float]
    rate: tuple[float, float]
    beyond: float


SETS = (
    Most(6, (0.015, 0.08, 0.24), (0.0013, 0.07), 0.02),
    Most(7, (0.021, 0.11, 0.90), (0.0018, 0.07), 0.035),
)


@pytest.fixture(scope="module", params=SETS, ids=lambda most: f"salt {most.salt}")
def found(request: pytest.FixtureRequest) -> tuple[Most, list[Checked]]:
    """Each system solved, and set beside its reference."""
    most: Most = request.param
    return most, [system_accuracy.checked(one, HOUR) for one in system_references.load(most.salt).values()]


def test_every_system_is_answered(found: tuple[Most, list[Checked]]) -> None:
    """All are stable: none is refused, none fails."""
    assert [one.reason for one in found[1] if one.reason] == []


def test_response_times_and_rates(found: tuple[Most, list[Checked]]) -> None:
    """Errors of the worst work of each system, without the half width of its reference."""
    most, systems = found
    response, rate = np.array([one.response for one in systems]), np.array([one.throughput for one in systems])
    assert response.mean() <= most.response[0]
    assert np.quantile(response, 0.95) <= most.response[1]
    assert response.max() <= most.response[2]
    assert rate.mean() <= most.rate[0]
    assert rate.max() <= most.rate[1]


def test_stated_errors_hold(found: tuple[Most, list[Checked]]) -> None:
    """Nearly all response times are within the error that the answer states."""
    most, systems = found
    beyond = [work.beyond for one in systems for work in one.works]
    assert np.mean([bool(b) for b in beyond]) <= most.beyond


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
