"""Stations with priorities that feed each other, several classes a level, and levels taken together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.priorities import priority_levels as levels
from qnsolve.methods.priorities import two_level_priority as two
from qnsolve.numerics.markov_chain import TooManyStatesError

from tests.support.zoo import ranked

BOTH = ("preemptive", "nonpreemptive")


def _near(model: qn.Network, rel: float) -> qn.Solution:
    """The answer of `priority`, held to the Markov chain's response times."""
    found, exact = qn.solve(model, "priority"), qn.solve(model, "markov")
    for a, b in zip(found.classes, exact.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=rel)
    return found


@pytest.mark.parametrize("second", BOTH)
@pytest.mark.parametrize("first", BOTH)
def test_two_stations_with_priorities_are_near_the_chain(first: str, second: str) -> None:
    """Each level comes back the sooner the more of the other are where it is not: within 10 %."""
    model = qn.Network(
        [qn.Queue("cpu", discipline=first), qn.Queue("disk", discipline=second)],
        [ranked("high", 4, 3.0, 1, cpu=0.5, disk=0.4), ranked("low", 4, 2.0, 2, cpu=0.4, disk=0.6)],
    )
    _near(model, 0.1)


def test_stations_of_one_level_beside_one_of_two() -> None:
    """A class that is alone at its station waits for nobody of the other level there."""
    model = qn.Network(
        [qn.Queue("cpu", discipline="preemptive"), qn.Queue("disk", discipline="preemptive")],
        [ranked("high", 3, 3.0, 1, cpu=0.5), ranked("low", 4, 2.0, 2, cpu=0.4, disk=0.6)],
    )
    _near(model, 0.1)


@pytest.mark.parametrize("discipline", BOTH)
def test_classes_of_one_level_share_it(discipline: str) -> None:
    """Three classes on two levels: those of one level arrive as one stream with their own shares."""
    model = qn.Network(
        [qn.Queue("cpu", discipline=discipline)],
        [ranked("a", 3, 2.0, 1, cpu=0.3), ranked("b", 2, 3.0, 1, cpu=0.3), ranked("c", 3, 1.0, 2, cpu=0.3)],
    )
    _near(model, 0.03)


@pytest.mark.parametrize("discipline", BOTH)
def test_an_open_class_on_the_level_of_a_closed_one(discipline: str) -> None:
    """An open and a closed class of one level above another one: within 10 % of the chain with its tail cut."""
    model = qn.Network(
        [qn.Queue("cpu", discipline=discipline)],
        [
            ranked("closed", 3, 6.0, 1, cpu=0.3),
            qn.OpenClass("open", arrival_rate=0.4, demands={"cpu": 0.3}, priority=1),
            ranked("low", 2, 4.0, 2, cpu=0.3),
        ],
    )
    _near(model, 0.1)


@pytest.mark.parametrize("discipline", BOTH)
def test_two_open_classes_of_one_level_and_time_are_one(discipline: str) -> None:
    """Split in two, an open class leaves the closed one and each of its jobs as they were."""
    closed = ranked("closed", 4, 6.0, 2, cpu=0.5)

    def solved(*rates: float) -> qn.Solution:
        opened = [qn.OpenClass(f"open{r}", arrival_rate=x, demands={"cpu": 0.3}, priority=1) for r, x in enumerate(rates)]
        return qn.solve(qn.Network([qn.Queue("cpu", discipline=discipline)], [closed, *opened]), "priority")

    whole, split = solved(0.6), solved(0.2, 0.4)
    assert split["closed"].throughput == pytest.approx(whole["closed"].throughput, rel=1e-6)
    for name in ("open0", "open1"):
        assert split[name].response_time == pytest.approx(whole["open0"].response_time, rel=1e-6)


def test_three_levels_of_many_states_are_taken_by_their_number() -> None:
    """Beyond the phases kept apart, higher levels count by their number: equal times have M/M/m's jobs in all."""
    classes = [ranked(name, 40, 12.0, rank, cpu=0.1) for rank, name in enumerate("abc", 1)]
    model = qn.Network([qn.Queue("cpu", discipline="preemptive")], classes)
    found, everyone = qn.solve(model, "priority"), qn.solve(model.replace("cpu", discipline="ps"))
    assert found["cpu"].queue_length == pytest.approx(everyone["cpu"].queue_length, rel=1e-3)


@pytest.mark.parametrize("preempts", [True, False])
def test_an_endless_level_is_cut_where_it_is_faint(preempts: bool) -> None:
    """Two open levels of one server, Poisson and exponential: Cobham's formulas, though 64 states are too few."""
    rate, time = np.array([0.45, 0.45]), 1.0
    found = levels.stays([levels.Group(np.array([x]), time) for x in rate], 1, preempts)
    before, after = 1 - rate[0], 1 - rate.sum()
    high = time / before if preempts else time + rate.sum() / before
    low = time / (before * after) if preempts else time + rate.sum() / (before * after)
    assert found == pytest.approx([high, low], rel=1e-6)


def test_three_open_levels_without_preemption() -> None:
    """Levels above and below each other taken as one: Cobham's waits of three levels of equal times, within 2 %."""
    rates, time = np.array([0.15, 0.1, 0.05]), 1.0
    found = levels.stays([levels.Group(np.array([x]), time) for x in rates], 1, False)
    left = 1 - np.concatenate(([0.0], rates.cumsum()))
    cobham = [time + rates.sum() * time / (a * b) for a, b in pairwise(left)]
    assert found == pytest.approx(cobham, rel=0.02)


def test_an_open_level_that_gets_too_little_grows_without_end() -> None:
    """Where the levels above leave it less than it demands, its stay is a million service times."""
    groups = [levels.Group(np.array([x]), 1.0) for x in (0.6, 0.5, 0.1)]
    found = levels.stays(groups, 1, True)
    assert found[0] == pytest.approx(1 / 0.4, rel=1e-6)
    assert found[1:] == [1e6, 1e6]


def test_a_chain_of_levels_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a station with priorities is bounded; the error names levels and states, the repair the populations."""
    model = qn.Network(
        [qn.Queue("cpu", discipline="nonpreemptive")], [ranked("high", 4, 3.0, 1, cpu=0.5), ranked("low", 4, 2.0, 2, cpu=0.4)]
    )
    assert qn.solve(model, "priority")["low"].throughput > 0
    monkeypatch.setattr(two, "WORK", 10.0)
    low = two.Level(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    with pytest.raises(TooManyStatesError, match="3 levels of 3 states"):
        two.preemptive(two.Phases.of(low), low, 1)
    with pytest.raises(qn.NoMethodError, match="populations"):
        qn.solve(model, "priority")


def test_weights_of_many_levels_stay_within_range() -> None:
    """A lower level that crowds the station: 500 jobs, whose chances span more than a number holds, sum to 1."""
    crowd = two.Level(np.append(np.full(500, 100.0), 0.0), np.append(0.0, np.ones(500)))
    alone = two.Level(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    p = two.preemptive(two.Phases.of(alone), crowd, 1)
    assert p.sum() == pytest.approx(1, rel=1e-12)
    assert p.sum(axis=1) == pytest.approx([0.5, 0.5], rel=1e-9)
    assert p[:, -1].sum() > 0.97
