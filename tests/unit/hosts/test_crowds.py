"""Crowds before limits: ends at which numbers of tasks are steps of a chain, and loads that are nothing."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.birth_death import LEAST, UserSource, crowd, crowd_at_most
from qnsolve.zos.hosts.kind_chain import _cut


@pytest.mark.parametrize("unlike", [0.93, 1.0, 1.4])
def test_more_users_than_a_limit_lets_through(unlike: float) -> None:
    """Half a million users before 2,000 places, however alike their times: all places are taken."""
    sources = [UserSource(200e3, 0.7, 3.3, 1.3, (0,)), UserSource(324e3, 0.3, 13.0, 0.2, (1,))]
    speed = np.minimum(np.arange(2001.0) * 6.0, 11e3)
    found = crowd(0.0, sources, speed, 2000, unlike)
    assert found.rate == pytest.approx(11e3)
    assert 2000 < float(found.chance @ found.number) < 524e3


def test_a_limit_that_lets_nothing_through_has_waits_whose_cubes_are_numbers() -> None:
    """Its speed is told from none, and no square or cube of its waits overflows."""
    found, _ = crowd_at_most(0.0, [UserSource(50.0, 1.0, 1.0, 1.0, (0,))], np.zeros(6), 5)
    assert found.outside == pytest.approx(45.0)
    assert np.isfinite(found.wait**3)
    assert found.wait == pytest.approx(45 / LEAST)


def test_pieces_of_next_to_no_load_are_no_kind() -> None:
    """They are lost beside the others in a sum, and part nothing."""
    sizes, loads = np.array([0.001, 0.002, 0.5]), np.array([1.0, 2.0, 1e-25])
    assert _cut(sizes, loads) == _cut(sizes[:2], loads[:2])
