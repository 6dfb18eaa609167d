"""How far a round goes: to where the changes end, on either side."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.equilibrium.relaxed_steps import SecantSteps, StepLength


def _rounds(slope: float) -> int:
    """Rounds until a number that begins at 1 is 0; its change is that many times its distance from there."""
    at, length, done = 1.0, StepLength(), 0
    while abs(at) > 1e-9:
        at -= length.next(np.array([-slope * at])) * slope * at
        done += 1
    return done


@pytest.mark.parametrize("slope", [1.0, 3.0, 20.0])
def test_a_change_that_is_even(slope: float) -> None:
    """However far a full step goes beyond the end, a secant finds it."""
    assert _rounds(slope) <= 5


def test_a_change_that_grows_on_the_way_is_followed() -> None:
    """Where it is larger after a step than before, its end lies further on: no step is shortened for that."""
    length = StepLength()
    first = length.next(np.array([0.1, 0.0]))
    again = length.next(np.array([0.15, 0.01]))
    assert first == 1.0
    assert again * np.hypot(0.15, 0.01) >= 0.1
    assert length.next(np.array([0.2, 0.0])) == 1.0


def test_a_change_that_turns_round_is_halved_at_least() -> None:
    """The end lies between."""
    length = StepLength()
    length.next(np.array([0.4]))
    assert length.next(np.array([-0.8])) * 0.8 <= 0.2


@pytest.mark.parametrize("slope", [0.2, 2.0, 10.0, 50.0])
def test_secant_steps_on_a_steep_line(slope: float) -> None:
    """Each per cent that a line is tried longer makes it shorter by up to fifty."""
    steps, tried, goal = SecantSteps(), np.log(np.array([1e-3])), np.log(5.0)
    for _ in range(12):
        tried = steps.next(tried, goal + slope * (goal - tried), np.ones(1))
    assert tried[0] == pytest.approx(goal, rel=1e-6)


def test_secant_steps_where_numbers_change_each_other() -> None:
    """As many points as there are directions tell where all changes end; one secant goes back and forth."""
    rng = np.random.default_rng(7)
    turn, goal = np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=4)
    slopes = turn @ np.diag([-0.9, 0.6, 0.95, -3.0]) @ turn.T
    steps, at = SecantSteps(), goal + rng.normal(size=4)
    for _ in range(16):
        at = steps.next(at, goal + slopes @ (at - goal), np.ones(4))
    assert at == pytest.approx(goal, abs=1e-8)
