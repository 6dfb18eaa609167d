"""References of mainframe systems: stored figures are of the systems that are drawn, and a sample of them is found again."""

from __future__ import annotations

import math

import pytest

from benchmarks import system_references
from benchmarks.families import all_systems

pytestmark = pytest.mark.slow
SECONDS = 10.0
SAMPLE = ["small 1", "users 1", "bursts 1", "fixed CPU 1", "TOR open limits 0", "zIIP 0", "coupling 1", "logs and devices 0"]


@pytest.mark.parametrize("salt", [0, 1])
def test_the_stored_references_are_of_the_systems_that_are_drawn(salt: int) -> None:
    """At least 200 systems a salt, all families; each is drawn again with the digest that is stored (`load` refuses others)."""
    stored = system_references.load(salt)
    assert len(stored) >= 200
    assert {one.drawn.family for one in stored.values()} == set(all_systems.FAMILIES)
    assert all(one.worst <= system_references.KEPT for one in stored.values())


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_the_references_is_found_again(name: str) -> None:
    """Another seed, the same figures: both intervals together hold the difference, with half as much again for their ends."""
    known = system_references.load(0)[name]
    again = system_references.simulated(known.drawn, SECONDS, seed=101)
    for work, truth in known.works.items():
        other = again.works[work]
        assert abs(other.response - truth.response) <= 1.5 * math.hypot(other.response_half, truth.response_half)
        assert abs(other.throughput - truth.throughput) <= 1.5 * math.hypot(other.throughput_half, truth.throughput_half)
