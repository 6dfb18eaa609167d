"""Bursts at devices, logs, coupling facilities, zIIPs, JVM threads and work of several importances, against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import grouped_arrivals
from benchmarks.families.burst_systems import KINDS
from benchmarks.system_accuracy import checked

pytestmark = pytest.mark.slow
UNSEEN = 3  # the salt that nothing was tuned on
MEAN = {"logs and devices": 10.0, "coupling": 19.0, "zIIPs": 11.0, "JVM threads": 15.0, "importance": 27.0}  # percent


def test_errors_on_systems_that_were_not_tuned_on() -> None:
    """In the mean of each kind, of the worst work, without half widths of the references."""
    found = [checked(one) for one in grouped_arrivals.references(UNSEEN)]
    assert len(found) == len(KINDS) * grouped_arrivals.EACH
    assert all(one.works for one in found)
    for kind in KINDS:
        errors = [100 * one.response for one in found if one.reference.drawn.family == kind]
        assert np.mean(errors) < MEAN[kind], kind


def test_a_reference_is_simulated_again() -> None:
    """Another run agrees with what is stored."""
    stored = next(iter(grouped_arrivals.references(UNSEEN)))
    again = grouped_arrivals.simulated(stored.drawn, 2.0, seed=7)
    for work, truth in stored.works.items():
        new = again.works[work]
        assert abs(new.response - truth.response) < 3 * (new.response_half**2 + truth.response_half**2) ** 0.5, work
