"""When the rounds of hosts, limits and users end: settled, coming nearer, or leading nowhere, by their effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from qnsolve.zos.equilibrium.settled_point import _Changes
from qnsolve.zos.equilibrium.working import EFFORT
from qnsolve.zos.point.solved import solved_point

from benchmarks.families.random_systems import random_system


@dataclass
class _Rounds:
    """What ends rounds looks at."""

    rounds: int = 0
    effort: float = 0.0
    full: dict[int, float] = field(default_factory=dict)


def _ended(changes: Sequence[float], effort: float, calm: bool = True) -> tuple[int, bool]:
    """The round in which it ended, each of so much effort, and whether as settled; one more than there are where in none."""
    seen = _Changes()
    work: Any = _Rounds()
    for change in changes:
        work.rounds, work.effort = work.rounds + 1, work.effort + effort
        seen.see(work, change, change)
        if seen.settled(work, calm):
            return work.rounds, True
        if seen.enough(work):
            return work.rounds, False
    return len(changes) + 1, False


def test_cheap_rounds_go_on_to_a_ten_thousandth() -> None:
    """However they come nearer."""
    assert _ended([1.0, 0.05, 1.5e-2, 4e-3, 9.5e-4, 3e-4, 9e-5], 1.0) == (7, True)


def test_what_is_left_is_told_by_two_changes() -> None:
    """A fiftieth of the one before it: next to nothing comes after it."""
    assert _ended([1.0, 0.05, 9e-4, 1.0], 1.0) == (3, True)


def test_dear_rounds_that_come_nearer_fast_end_at_a_thousandth() -> None:
    """Those that come nearer slowly have more left than the last change: they go on."""
    assert _ended([1.0, 9e-4], 40.0) == (2, True)
    assert _ended([1.0, 1.5e-3, 9e-4, 5.5e-4, 9e-5], 40.0) == (5, True)


@pytest.mark.parametrize(("effort", "most"), [(EFFORT / 100, 61), (EFFORT / 20, 13), (EFFORT / 2, 3), (EFFORT, 3)])
def test_rounds_that_lead_nowhere_end_by_their_effort(effort: float, most: int) -> None:
    """At a part of what others have, but not in the first ones, which find times a thousand times as long, or as short."""
    assert _ended([1.0] * 100, effort) == (most, False)


def test_rounds_that_come_nearer_have_all_their_effort() -> None:
    """Each changes two thirds of what the one before it did."""
    changes = [0.7**n for n in range(40)]
    assert _ended(changes, EFFORT / 12) == (13, False)
    assert _ended([1.0] * 40, EFFORT / 12)[0] < 13


def test_limits_that_trade_places_end_after_three_still_rounds() -> None:
    """Response times stay, and waits at limits do not."""
    assert _ended([1.0, 1e-6, 1e-6, 1e-6], 1.0, calm=False) == (4, True)


def test_chains_without_bursts_count_as_effort() -> None:
    """Beside each host with bursts stands the same without them: half of the time once went without being counted."""
    point = solved_point(random_system(2280))
    assert point.work.effort > 60 * point.work.rounds
