"""The table of docs/systems.md: systems of a site's range beside their references by simulation, and two sets more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import system_accuracy, system_references
from benchmarks.families.random_systems import random_system

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
    Most(6, (0.015, 0.08, 0.34), (0.0013, 0.07), 0.02),
    Most(7, (0.016, 0.09, 0.45), (0.0015, 0.07), 0.025),
    Most(9, (0.020, 0.13, 0.27), (0.0022, 0.19), 0.04),
)


@pytest.mark.parametrize("most", SETS, ids=lambda most: f"salt {most.salt}")
def test_systems_beside_their_references(most: Most) -> None:
    """All are answered; errors of the worst work of each, without the half width of its reference; stated errors hold."""
    systems = [system_accuracy.checked(one, HOUR) for one in system_references.load(most.salt).values()]
    assert [one.reason for one in systems if one.reason] == [], "all are stable: none is refused, none fails"
    response, rate = np.array([one.response for one in systems]), np.array([one.throughput for one in systems])
    beyond = np.mean([bool(work.beyond) for one in systems for work in one.works])
    found = {
        "response, mean": (response.mean(), most.response[0]),
        "response, 95th percentile": (np.quantile(response, 0.95), most.response[1]),
        "response, largest": (response.max(), most.response[2]),
        "throughput, mean": (rate.mean(), most.rate[0]),
        "throughput, largest": (rate.max(), most.rate[1]),
        "response times farther off than stated": (beyond, most.beyond),
    }
    assert {what: pair for what, pair in found.items() if not pair[0] <= pair[1]} == {}, "found, and what it may be"


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
