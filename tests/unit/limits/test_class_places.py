"""A place of a class that is always full, among others of its region: beside the chain of all its states, and in its limits."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.equilibrium.limits.below.class_places import place_lost


def _chain(come: np.ndarray, size: int, hold: float, other: float) -> tuple[float, float]:
    """Waits of the one and of the others: states by the others there, and those that have to end until it is inside."""
    top = len(come) - 1
    states = [(n, 0) for n in range(top + 1)] + [(n, j) for n in range(size, top + 1) for j in range(1, n - size + 2)]
    place = {state: k for k, state in enumerate(states)}
    flow = np.zeros((len(states), len(states)))

    def move(start: tuple[int, int], end: tuple[int, int], rate: float) -> None:
        if end in place and rate > 0:
            flow[place[start], place[end]] += rate
            flow[place[start], place[start]] -= rate

    for n, j in states:
        move((n, j), (n + 1, j), float(come[n]) if n < top else 0.0)
        if j == 0:
            move((n, 0), (n - 1, 0), min(n, size - 1) / other)
            move((n, 0), (n, n - size + 1), 1 / hold if n >= size else 0.0)
        else:
            move((n, j), (n - 1, j - 1), size / other)
    balance = flow.T.copy()
    balance[0] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[0])
    number, waits = np.array([n for n, _ in states]), np.array([j > 0 for _, j in states])
    turns = float(chance[~waits].sum()) / hold
    line = float(chance @ np.where(waits, np.maximum(number - size, 0), np.maximum(number - size + 1, 0)))
    passed = float(chance[number < top] @ come[number[number < top]])
    return float(chance[waits].sum()) / turns, line / passed


@pytest.mark.parametrize(("size", "hold"), [(3, 1.0), (5, 0.05), (5, 4.0)])
@pytest.mark.parametrize(("users", "far"), [(np.inf, 1e-6), (40, 0.05)])
def test_beside_the_chain_of_all_states(size: int, hold: float, users: float, far: float) -> None:
    """Exact where others come at a rate; while it waits they come as by the number that it found."""
    come = np.maximum(0.6 * size * (1 - np.arange(81) / users), 0.0)
    found, (own, others) = place_lost(come, size, hold, 1.0), _chain(come, size, hold, 1.0)
    assert found.own == pytest.approx(own, rel=far)
    assert found.others == pytest.approx(others, rel=max(far, 1e-3))


def test_as_the_arrival_theorem_has_it() -> None:
    """Of times alike it finds what is there without it (M. Reiser and S. Lavenberg 1980)."""
    number = np.arange(120)
    chance = np.cumprod(np.append(1.0, 3.0 / np.minimum(number[1:], 5)))
    seen = float(chance @ np.maximum(number + 1 - 5, 0)) / float(chance.sum()) / 5
    assert place_lost(np.full(120, 3.0), 5, 1.0, 1.0).own == pytest.approx(seen, rel=1e-9)


def test_a_short_one_waits_as_long_as_others_have_all_places() -> None:
    """It takes as many turns as it can while there is a place, and none else."""
    number = np.arange(120)
    chance = np.cumprod(np.append(1.0, 3.0 / np.minimum(number[1:], 5)))
    full = float(chance[5:].sum() / chance.sum())
    assert place_lost(np.full(120, 3.0), 5, 1e-6, 1.0).own == pytest.approx(1e-6 * full / (1 - full), rel=1e-4)


def test_between_whole_numbers_of_places() -> None:
    """As much nearer to either as the number is."""
    come = np.full(80, 3.0)
    ends = [place_lost(come, n, 0.5, 1.0).own for n in (5, 6)]
    assert place_lost(come, 5.25, 0.5, 1.0).own == pytest.approx(0.75 * ends[0] + 0.25 * ends[1])
