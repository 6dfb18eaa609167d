"""Waits at limits that users fill: between too short and too long, however steeply fewer come."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.brackets import Brackets

from benchmarks import system_references


@pytest.mark.parametrize("slope", [0.2, 2.0, 10.0, 50.0])
def test_a_steep_line(slope: float) -> None:
    """Each per cent that a line is tried longer makes it shorter by up to fifty."""
    line, tried = Brackets(1), np.array([1e-3])
    for _ in range(40):
        tried = line.next(tried, 5.0 * (5.0 / tried) ** slope)
    assert tried[0] == pytest.approx(5.0, rel=1e-3)


def test_lines_that_move_each_other() -> None:
    """Users who wait at one of two do not come to the other: both are found."""
    users, speed, tried = np.array([[300.0, 50.0], [40.0, 500.0]]), np.array([8.0, 20.0]), np.array([0.1, 0.1])
    lines = Brackets(2)
    for _ in range(60):
        rate = users.sum(axis=1) / (1.0 + tried.sum())
        here = users / users.sum(axis=1)[:, None] * rate[:, None]
        tried = lines.next(tried, tried * (here.sum(axis=0) / speed))
    rate = users.sum(axis=1) / (1.0 + tried.sum())
    come = (users / users.sum(axis=1)[:, None] * rate[:, None]).sum(axis=0) / speed
    assert come.max() == pytest.approx(1.0, rel=1e-3)


def test_users_that_fill_two_tors_and_their_aor() -> None:
    """Once R was 28 times that of the simulation, as works of the same line were bracketed each for itself."""
    reference = system_references.load(8)["TRANCLASS under TOR 7"]
    answer = zos.solve(reference.drawn.system)
    for name, truth in reference.works.items():
        assert answer[name].response_time == pytest.approx(truth.response, rel=0.04)
        assert answer[name].etr == pytest.approx(truth.throughput, rel=0.02)


def test_a_class_beside_one_that_is_never_free() -> None:
    """The rounds ended 6 % below the simulation while the waits for the two classes still moved each other."""
    reference = system_references.load(5)["TRANCLASS 1"]
    answer = zos.solve(reference.drawn.system)
    for name, truth in reference.works.items():
        assert answer[name].response_time == pytest.approx(truth.response, rel=0.04)
