"""A limit by how many tasks of each kind are inside: against queues that are known, and chains of other states."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.limited.inside_counts import limit_of_two_kinds
from qnsolve.zos.hosts.limited.kinds_inside import KindsInside, kinds_inside

COUNT = np.arange(1.0, 9.0)


def test_one_kind_at_one_server_is_that_queue() -> None:
    """However few of those in line are let in: M/M/1."""
    asked = KindsInside(8, np.array([0.8]), np.array([[1.0]]), np.ones((1, 8)))
    found = kinds_inside(asked)
    assert found is not None
    crowd, inside = found
    assert float(crowd.wait + inside[0] / 0.8) == pytest.approx(1 / (1 - 0.8), rel=1e-9)
    assert float(inside[0]) == pytest.approx(sum(0.8**n for n in range(1, 9)), rel=1e-9)


def test_kinds_that_wait_for_nothing_inside_are_unlike_servers() -> None:
    """M/H2/c, as the chain of two kinds has it."""
    come, times = np.array([3.0, 0.5]), np.array([[1.0, 6.0]])
    found = kinds_inside(KindsInside(8, come, times, COUNT[None, :]))
    each = [np.arange(9.0)[:, None] / 1.0 * np.ones(9), np.ones((9, 1)) * np.arange(9.0) / 6.0]
    other = limit_of_two_kinds(3.5, 3 / 3.5, each[0], each[1], np.ones(9))
    assert found is not None
    assert other is not None
    assert found[0].wait == pytest.approx(other.wait, rel=1e-8)
    assert found[0].full == pytest.approx(other.full, rel=1e-8)


def test_kinds_all_alike_are_one() -> None:
    """Two kinds that go to the same places for as long, at a TCB and elsewhere."""
    speeds = np.array([np.ones(8), COUNT])
    one = kinds_inside(KindsInside(8, np.array([0.7]), np.array([[1.0], [4.0]]), speeds))
    two = kinds_inside(KindsInside(8, np.array([0.2, 0.5]), np.array([[1.0, 1.0], [4.0, 4.0]]), speeds))
    assert one is not None
    assert two is not None
    assert two[0].wait == pytest.approx(one[0].wait, rel=1e-9)
    assert two[1] == pytest.approx(one[1] * np.array([0.2, 0.5]) / 0.7, rel=1e-9)


def test_more_than_is_passed_has_no_end() -> None:
    """With all places taken one server ends one task a second."""
    asked = KindsInside(8, np.array([0.7, 0.4]), np.array([[1.0, 1.0]]), np.ones((1, 8)))
    assert kinds_inside(asked) is None
    assert asked.use_of([0]) == pytest.approx(1.0)
    slower = KindsInside(8, np.array([0.5, 0.4]), np.array([[1.0, 1.0]]), np.ones((1, 8)))
    assert kinds_inside(slower) is not None
    assert kinds_inside(slower.as_fast_as(0.85)) is None
