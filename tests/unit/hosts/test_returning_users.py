"""Waits of unlike users before a limit that is always full, against a product form and a simulation of the same."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.zos.hosts.limited.returning_users import ReturningUsers

# Places, users, time in a place and away [s], the waits by 6 million exponential times each, to 0.1 %, and how exact they are.
SIMULATED = [
    (24, [48, 600, 190], [0.0716, 0.0716, 1.456], [0.55, 40.0, 8.6], [2.4692, 2.6145, 2.5733], 0.004),
    (30, [10, 600, 190], [0.0716, 0.0716, 1.456], [0.05, 10.0, 8.6], [0.66937, 0.95593, 0.94638], 0.042),  # swings about half
    (58, [207, 8483, 76], [0.0098, 0.00077, 0.0024], [0.1089, 0.1885, 0.0022], [0.0130824, 0.0131169, 0.0129411], 0.004),
    (45, [9, 275, 1700], [0.049, 1.225, 0.095], [1e-4, 3.7, 1e3], [2.60021, 2.62160, 2.65062], 0.004),
]


def _rates(users: list[int], hold: list[float], away: list[float], waits: list[float]) -> list[np.ndarray]:
    """Of each kind, how long it holds a place, and is away."""
    n, s, z, w = (np.array(its, dtype=float) for its in (users, hold, away, waits))
    return [n / (s + z + w), s, z]


@pytest.mark.parametrize("case", SIMULATED)
def test_kinds_that_hold_places_for_unlike_times(
    case: tuple[int, list[int], list[float], list[float], list[float], float],
) -> None:
    """Differences between the kinds of 2 to 30 % of the wait."""
    _, users, hold, away, waits, error = case
    rates, *times = _rates(users, hold, away, waits)
    mean = float(rates @ waits) / float(rates.sum())
    found = ReturningUsers(rates, *times, mean)
    assert found.swing < 0.6
    np.testing.assert_allclose(found.waits_over_mean(), np.array(waits) / mean, atol=error)


@pytest.mark.parametrize(("users", "away"), [((40, 60), (0.1, 20.0)), ((12, 70), (0.05, 3.0)), ((100, 100), (0.5, 8.0))])
def test_kinds_all_alike_are_a_product_form(users: tuple[int, int], away: tuple[float, float]) -> None:
    """Of equal times in a place each finds one fewer of its own, as exact mean value analysis has it."""
    classes = [qn.ClosedClass(f"c{k}", population=users[k], think_time=away[k], demands={"limit": 1.0}) for k in range(2)]
    exact = qn.solve(qn.Network([qn.Queue("limit", servers=8)], classes), method="exact")
    waits = np.array([its.response_time - 1 for its in exact.classes])
    rates = np.array([its.throughput for its in exact.classes])
    mean = float(rates @ waits) / float(rates.sum())
    found = ReturningUsers(rates, np.ones(2), np.array(away), mean).waits_over_mean()
    np.testing.assert_allclose(found, waits / mean, atol=5e-4)


def test_what_lengthens_the_line_is_what_counts() -> None:
    """Where one kind brings all the work the others let it move on, however long they hold their places."""
    given = np.array([50.0, 5.0]), np.full(2, 0.4), np.array([0.2, 30.0])
    alike, unlike = ReturningUsers(*given, 5.0), ReturningUsers(*given, 5.0, np.array([0.01, 1.0]))
    assert unlike.waits_over_mean()[0] < alike.waits_over_mean()[0] < 1


def test_a_short_line_swings() -> None:
    """With work that comes at rates it is now and then none, as an M/M/1 in heavy traffic."""
    users = np.array([0.95]), np.ones(1), np.array([1e5])
    assert ReturningUsers(*users, 19.0).swing > 0.6
