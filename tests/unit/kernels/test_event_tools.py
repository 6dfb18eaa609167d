"""What the event simulations stand on: heaps, intervals of batches, batches that are joined, loops that are compiled."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from math import inf, isnan

import numpy as np
import pytest
from qnsolve.numerics.series import Array
from qnsolve.simulation.compiling import real_cells, whole_cells
from qnsolve.simulation.counted_batches import Counts
from qnsolve.simulation.heaps import cancel, meld, schedule, without_root
from qnsolve.simulation.precision import CHECKED, MOST_BATCHES, Batched, estimate


def test_events_come_in_their_order() -> None:
    """Events that are planned, planned anew and cancelled at random: the first is always the soonest."""
    rng, number = np.random.default_rng(1), 40
    heap, place, time = whole_cells([0] * number), whole_cells([-1] * number), real_cells([0.0] * number)
    known: dict[int, float] = {}
    size = 0
    for _ in range(4000):
        event = int(rng.integers(number))
        if rng.random() < 0.3:
            size = cancel(heap, place, time, size, event)
            known.pop(event, None)
        else:
            known[event] = float(rng.integers(1000)) / 7
            size = schedule(heap, place, time, size, event, known[event])
        assert size == len(known)
        if known:
            assert time[heap[0]] == min(known.values())
        assert {event for event in range(number) if place[event] >= 0} == known.keys()


def test_units_leave_in_the_order_of_their_keys() -> None:
    """A pairing heap gives back what was put in, the smallest first, whatever is put in between."""
    rng, number = np.random.default_rng(2), 500
    key = real_cells(rng.random(number))
    child, sibling = whole_cells([-1] * number), whole_cells([-1] * number)
    inside: set[int] = set()
    root, last = -1, -1.0
    for unit in range(number):
        root = unit if root < 0 else meld(key, child, sibling, root, unit)
        inside.add(unit)
        if rng.random() < 0.4:
            assert key[root] == min(key[i] for i in inside)
            inside.remove(int(root))
            root = without_root(key, child, sibling, root)
    while root >= 0:
        assert key[root] >= last
        last = key[root]
        inside.remove(int(root))
        root = without_root(key, child, sibling, root)
    assert not inside


def test_intervals_hold_what_they_should() -> None:
    """Independent batches: 95 % of the intervals hold the mean, and no fewer where successive batches are correlated."""
    rng, ones = np.random.default_rng(3), np.ones(60)
    for correlation, least in ((0.0, 0.93), (0.7, 0.9)):
        inside = 0
        for _ in range(600):
            noise = rng.standard_normal(80)
            for i in range(1, 80):
                noise[i] += correlation * noise[i - 1]
            found = estimate(10 + noise[20:], ones)
            inside += abs(found.value - 10) <= found.half
        assert inside / 600 >= least
        assert inside / 600 <= 0.99


def test_a_ratio_without_error_and_one_without_batches() -> None:
    """Batches of one ratio have no error; too few of them, or none, say nothing."""
    below = np.arange(1.0, 61)
    exact = estimate(3 * below, below)
    assert (exact.value, exact.half, exact.drift, exact.relative) == (3.0, 0.0, 0.0, 0.0)
    rng = np.random.default_rng(4)
    assert estimate(rng.random(10), np.ones(10)).half == inf
    assert isnan(estimate(np.zeros(0), np.zeros(0)).value)
    assert estimate(np.zeros(60), below).relative == 0.0


def test_a_drift_is_seen() -> None:
    """What grows from batch to batch has drifted by many errors; noise has not."""
    noise, ones = np.random.default_rng(5).standard_normal(60), np.ones(60)
    assert abs(estimate(50 + noise, ones).drift) < 2.5
    assert estimate(50 + noise + np.linspace(0, 10, 60), ones).drift > 4


@dataclass(frozen=True, eq=False)
class Ticks(Counts):
    """Time, and twice the time."""

    time: Array
    double: Array


class Steady:
    """A run that finishes a job every second until it ends."""

    def __init__(self, end: int) -> None:
        self.finished, self.end = 0, end

    def until(self, finished: int) -> bool:
        """One second a job."""
        self.finished = min(finished, self.end)
        return self.finished == finished

    def totals(self) -> Ticks:
        """Since it began."""
        return Ticks(np.array(float(self.finished)), 2.0 * np.array([self.finished, 1.0]))


def test_batches_are_joined_and_the_first_quarter_is_the_warm_up() -> None:
    """Never more than the most batches, all as long; what is kept is an even number of them and three quarters of the run."""
    batched = Batched(Steady(100_000), 10)
    seen = []
    for _ in range(200):
        assert batched.further()
        assert batched.number <= MOST_BATCHES
        assert batched.finished == batched.run.finished
        kept = batched.kept()
        assert len(kept.time) % 2 == 0
        assert (kept.time == batched.size).all()
        assert (kept.double == [2.0 * batched.size, 0.0]).all()
        assert batched.warm_time() + kept.time.sum() == batched.finished
        if batched.number in CHECKED:
            assert len(kept.time) == 0.75 * batched.number
            assert len(batched.pairs().time) == len(kept.time) / 2
            assert batched.pairs().time.sum() == kept.time.sum()
            seen.append(batched.finished)
    assert seen == [640, 800, 1280, 1600, 2560, 3200, 5120, 6400]


def test_a_run_that_ends() -> None:
    """No further batch once the run finishes no more jobs."""
    batched = Batched(Steady(25), 10)
    assert [batched.further() for _ in range(3)] == [True, True, False]


FALLBACK = """
from numba.core.dispatcher import Dispatcher
{how}
from qnsolve.simulation.compiling import COMPILES, real_cells, whole_cells
from qnsolve.simulation.heaps import meld
assert COMPILES
print(meld(real_cells([2.0, 1.0]), whole_cells([-1, -1]), whole_cells([-1, -1]), 0, 1), meld._cache.cache_path)
"""


@pytest.mark.parametrize(
    ("how", "kept"),
    [("", True), ("def fail(self): raise RuntimeError('no locator')\nDispatcher.enable_caching = fail", False)],
)
def test_loops_are_compiled_where_nothing_can_be_kept(how: str, kept: bool) -> None:
    """Without a folder for machine code the loops are compiled each time; with one they are kept."""
    done = subprocess.run(
        [sys.executable, "-c", FALLBACK.format(how=how)], capture_output=True, text=True, check=True, timeout=120
    )
    root, path = done.stdout.split(maxsplit=1)
    assert root == "1"
    assert (path.strip() != "None") is kept
