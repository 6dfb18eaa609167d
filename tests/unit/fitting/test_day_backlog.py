"""Overload of a day: by hand, by conservation, beside a simulation."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.fitting.days.backlog import backlog, episodes
from qnsolve.measure import table

from tests.support.days import one_cpu, starts


def test_backlog_derived_by_hand() -> None:
    """120 a second for an hour where 100 can be done: 72,000 wait, and 40 a second are worked off after it."""
    found = qn.day(one_cpu(), table({"orders.rate": [50.0, 120, 60, 60]}, start=starts(4, 3600), length=3600))
    assert found.backlog == pytest.approx([0, 72_000, 0, 0])
    assert found.delay == pytest.approx([0, 720 / 2, 720 / 2 * 1800 / 3600, 0])
    assert found.worked_off[2] == pytest.approx(1800)
    assert found.missed.tolist() == [False, True, False, False]
    assert found.response[2, 0] == pytest.approx(180 + 1 / (100 - 60))
    said = found.sentences()
    assert said[0] == "Does not hold: at 2026-03-02 01:00 cpu is asked for 120 % of capacity"
    assert any("7.2e+04 jobs wait at the end of 2026-03-02 01:00" in each and "worked off at 02:30" in each for each in said)


def test_the_verdict_names_the_worst_interval() -> None:
    """The one with the longest response, over its target, and how many do not hold; a late one may follow the overload."""
    rows = table({"orders.rate": [50.0, 120.0, 100.0, 60.0]}, start=starts(4, 3600), length=3600)
    found = qn.day(one_cpu(), rows, targets={"orders": 0.5})
    worst = int(np.argmax(found.response[:, 0]))
    assert worst == 2
    assert found.response[2, 0] > 720
    said = found.sentences()[0]
    assert said.startswith("Does not hold: at 2026-03-02 01:00 cpu is asked for 120 % of capacity; 3 of 4 intervals")
    assert said.endswith(f"; the worst is 2026-03-02 02:00: orders takes {found.response[2, 0]:.4g} s")
    rows = table({"orders.rate": [101.0, 99.9]}, start=starts(2, 900), length=900)
    assert "do not hold" not in qn.day(one_cpu(), rows).sentences()[0]
    assert "the worst is 2026-03-02 00:15: orders takes" in qn.day(one_cpu(), rows).sentences()[0]


def test_backlog_ends_at_a_gap() -> None:
    """Nothing is known of hours that were not measured; what is worked off on another day has its date."""
    start = np.array(["2026-03-02T09:00", "2026-03-02T11:00", "2026-03-03T09:00"], dtype="datetime64[ms]")
    rows = table({"orders.rate": [50.0, 120.0, 60.0]}, start=start, length=[3600.0, 3600.0, 3600.0])
    found = qn.day(one_cpu(), rows)
    assert found.backlog == pytest.approx([0, 72_000, 0])
    assert found.delay == pytest.approx([0, 360, 0])
    assert found.response[2, 0] == pytest.approx(1 / 40)
    said = " ".join(found.sentences())
    assert "not worked off when the intervals break off" in said
    assert any("2 gaps" in note and "7.2e+04 jobs at most" in note and "not carried over" in note for note in found.notes)
    near = np.array(["2026-03-02T22:00", "2026-03-02T23:20"], dtype="datetime64[ms]")
    carried = qn.day(one_cpu(), table({"orders.rate": [120.0, 20.0]}, start=near, length=3600))
    assert carried.delay[1] > 0
    assert any("worked off at 23:35" in each for each in carried.sentences())
    late = np.array(["2026-03-02T23:00", "2026-03-03T00:00"], dtype="datetime64[ms]")
    other = qn.day(one_cpu(), table({"orders.rate": [120.0, 20.0]}, start=late, length=3600))
    assert any("worked off at 2026-03-03 00:15" in each for each in other.sentences())
    assert not other.notes


def test_backlog_is_carried_over_several_intervals() -> None:
    """Conservation: what comes is what is served and what is left, however intervals are cut."""
    offered, length = np.array([0.5, 1.3, 1.1, 0.9, 0.4, 1.2]), np.array([900.0, 900, 450, 900, 1800, 900])
    found = backlog(offered, length)
    assert found.left == pytest.approx([0, 270, 315, 225, 0, 180])
    halves = backlog(np.repeat(offered, 2), np.repeat(length / 2, 2))
    assert halves.left[1::2] == pytest.approx(found.left)
    assert halves.delay.reshape(-1, 2).mean(axis=1) == pytest.approx(found.delay)
    assert episodes(found.left, offered) == [(1, 4), (5, 5)]


def test_more_work_is_never_a_smaller_backlog() -> None:
    """Monotony in every interval."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        offered, length = rng.uniform(0, 2, 20), rng.uniform(60, 900, 20)
        more = offered.copy()
        more[rng.integers(20)] += rng.uniform(0, 1)
        before, after = backlog(offered, length), backlog(more, length)
        assert (after.left >= before.left - 1e-9).all()
        assert (after.delay >= before.delay - 1e-9).all()


def _simulated(rates: list[float], length: float, demand: float, seed: int) -> tuple[list[float], list[float]]:
    """Jobs at the end, and mean response of what came in each interval: one server, Poisson arrivals, in order of arrival."""
    rng = np.random.default_rng(seed)
    arrivals = np.concatenate(
        [length * i + np.sort(rng.uniform(0, length, rng.poisson(rate * length))) for i, rate in enumerate(rates)]
    )
    free, ends = 0.0, np.empty(len(arrivals))
    for i, (at, service) in enumerate(zip(arrivals.tolist(), rng.exponential(demand, len(arrivals)).tolist(), strict=True)):
        free = max(free, at) + service
        ends[i] = free
    left = [float(((arrivals <= length * (i + 1)) & (ends > length * (i + 1))).sum()) for i in range(len(rates))]
    which = np.minimum((arrivals // length).astype(int), len(rates) - 1)
    return left, (np.bincount(which, ends - arrivals) / np.bincount(which)).tolist()


def test_overload_agrees_with_a_simulated_transient() -> None:
    """Backlog and responses of overloaded intervals beside the mean of 30 runs of an event loop."""
    rates, length, demand = [5.0, 8.0, 12.0, 11.0, 8.0, 5.0], 900.0, 0.1
    runs = [_simulated(rates, length, demand, seed) for seed in range(30)]
    left, response = (np.mean([run[k] for run in runs], axis=0) for k in (0, 1))
    found = qn.day(one_cpu(demand), table({"orders.rate": rates}, start=starts(6), length=length))
    overloaded = [2, 3, 4]
    assert found.backlog[overloaded] == pytest.approx(left[overloaded], rel=0.06)
    assert found.response[overloaded, 0] == pytest.approx(response[overloaded], rel=0.06)
    assert found.response[[0, 1], 0] == pytest.approx(response[[0, 1]], rel=0.1)
