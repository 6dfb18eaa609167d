"""Kinds of work with unlike holding times behind one limit: against closed forms and chains of every task."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from qnsolve.methods.limits.unlike import composition_chain, unlike_works
from qnsolve.methods.limits.unlike.unlike_works import LimitWaits, unlike_waits
from qnsolve.numerics.level_chain import probabilities
from qnsolve.numerics.markov_chain import explore, stationary
from qnsolve.stations import mmc

State = tuple[int, int, int]


def _open(capacity: int, rates: list[float], means: list[float], **more: np.ndarray) -> LimitWaits:
    none = np.zeros(len(rates))
    return unlike_waits(capacity, none, np.array(rates), none, np.array(means), **more)


def _users(capacity: int, users: list[float], away: list[float], means: list[float], **more: np.ndarray) -> LimitWaits:
    return unlike_waits(capacity, np.array(users), np.zeros(len(users)), np.array(away), np.array(means), **more)


def _chain(capacity: int, share: float, means: tuple[float, float], top: int, come: object) -> tuple[float, float]:
    """Mean wait and throughput with hyperexponential holding times; states: inside by phase, waiting. `come(n)`: arrivals."""

    def moves(state: State) -> list[tuple[float, State]]:
        one, two, wait = state
        n = sum(state)
        out: list[tuple[float, State]] = []
        if n < top:
            rate = come(n)  # type: ignore[operator]
            if n < capacity:
                out += [(rate * share, (one + 1, two, 0)), (rate * (1 - share), (one, two + 1, 0))]
            else:
                out.append((rate, (one, two, wait + 1)))
        for k, number in enumerate((one, two)):
            if number:
                left = [one - (k == 0), two - (k == 1)]
                rate = number / means[k]
                if wait:
                    out.append((rate * share, (left[0] + 1, left[1], wait - 1)))
                    out.append((rate * (1 - share), (left[0], left[1] + 1, wait - 1)))
                else:
                    out.append((rate, (left[0], left[1], 0)))
        return out

    states, origin, target, rate = explore((0, 0, 0), moves, 100_000)
    p = stationary(len(states), origin, target, rate)
    array = np.array(states)
    passed = float(p @ (array[:, 0] / means[0] + array[:, 1] / means[1]))
    return float(p @ array[:, 2]) / passed, passed


@pytest.mark.parametrize(("servers", "load"), [(1, 0.9), (4, 0.85), (40, 0.97), (500, 0.98), (2000, 0.995)])
def test_one_exponential_kind(servers: int, load: float) -> None:
    """Open tasks with one exponential holding time wait as in M/M/c, at any number of places."""
    found = _open(servers, [servers * load / 0.3], [0.3])
    assert found.wait[0] == pytest.approx(mmc(servers * load / 0.3, 0.3, servers).waiting_time, rel=1e-10)
    assert found.held == pytest.approx(servers * load)
    lengths = found.lengths()
    assert np.arange(len(lengths)) @ lengths == pytest.approx(found.wait[0] * found.throughput[0], rel=1e-6)


@pytest.mark.parametrize("places", [1, 3, 6])
def test_two_open_kinds(places: int) -> None:
    """Two open kinds with exponential holding times of their own: M/H2/c, from a chain cut at 800 tasks."""
    rates, means = np.array([40.0, 2.0]) * places, np.array([0.01, 0.2])
    share, total = rates[0] / rates.sum(), rates.sum()
    wait, _ = _chain(places, share, (means[0], means[1]), 800, lambda n: total)
    found = _open(places, rates.tolist(), means.tolist())
    assert found.wait == pytest.approx([wait, wait], rel=1e-8)
    assert found.throughput == pytest.approx(rates)


@pytest.mark.parametrize(("places", "users"), [(2, 9), (4, 60), (5, 200)])
def test_users_of_one_kind(places: int, users: int) -> None:
    """Users of one kind with a hyperexponential holding time: the chain of a finite source, also where levels are left out."""
    share, means, away = 0.9, (0.02, 0.5), users * 0.068 / places * 0.95
    moments = [share * means[0] ** n + (1 - share) * means[1] ** n for n in (1, 2, 3)]
    wait, passed = _chain(places, share, means, users, lambda n: (users - n) / away)
    found = _users(places, [users], [away], [moments[0]], second=np.array([moments[1]]), third=np.array([moments[2]]))
    near = 1e-8 if users - places <= composition_chain.FINE else 0.003
    assert found.wait[0] == pytest.approx(wait, rel=near)
    assert found.throughput[0] == pytest.approx(passed, rel=near)


def test_steadier_times() -> None:
    """Erlang times of two phases at one place: M/E2/1, that waits 3/4 of M/M/1."""
    found = _open(1, [0.8], [1.0], second=np.array([0.75]), third=np.array([0.5]))
    assert found.wait[0] == pytest.approx(0.75 * 4.0, rel=1e-9)


def test_tasks_that_share_servers() -> None:
    """A limit of 8 on tasks that use 3 servers and nothing else waits, with the time inside, as M/M/3."""
    speed = np.minimum(1.0, 3 / np.maximum(1, np.arange(9)))
    found = _open(8, [2.7], [1.0], speed=speed)
    assert found.wait[0] + found.holding[0] == pytest.approx(mmc(2.7, 1.0, 3).response_time, rel=1e-10)


CASES = [
    (40, [0.0, 0.0], [1300.0, 75.0], [1.0, 1.0], [0.01, 0.33]),
    (24, [400.0, 150.0], [0.0, 0.0], [1.0, 5.0], [0.02, 0.4]),
    (20, [300.0, 0.0], [0.0, 12.0], [1.0, 1.0], [0.02, 0.8]),
]


@pytest.mark.parametrize(("places", "users", "rates", "away", "means"), CASES)
def test_the_grid_beside_every_state(
    places: int, users: list[float], rates: list[float], away: list[float], means: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large limits are solved on a grid: 1 % of the response time from the chain with every number inside."""
    arrays = [np.array(v) for v in (users, rates, away, means)]
    every = unlike_waits(places, *arrays)
    monkeypatch.setattr(composition_chain, "EXACT", 0)
    monkeypatch.setattr(composition_chain, "SMALL", 0)
    grid = unlike_waits(places, *arrays)
    assert grid.wait != pytest.approx(every.wait, rel=1e-12)
    assert grid.wait + means == pytest.approx(every.wait + means, rel=0.01)
    assert grid.throughput == pytest.approx(every.throughput, rel=0.01)


def test_full_for_good() -> None:
    """Far more users than places: all places are taken, and all kinds wait for the rest of the cycle."""
    users, away, means = np.array([8000.0, 1000.0]), np.array([1.0, 2.0]), np.array([0.3, 5.0])
    found = _users(2000, users.tolist(), away.tolist(), means.tolist())
    assert found.held == pytest.approx(2000, rel=1e-12)
    assert found.full == 1
    assert found.wait[0] == found.wait[1] > 0
    lengths = _users(4, [60.0], [0.2], [0.1]).lengths()
    assert np.arange(len(lengths)) @ lengths == pytest.approx(60 - 4 - 40 * 0.2, rel=1e-6)


def test_nobody_waits() -> None:
    """As many places as users: no wait, and each cycle is think time and holding time."""
    found = _users(30, [10.0, 20.0], [1.0, 2.0], [0.5, 0.7])
    np.testing.assert_array_equal(found.wait, 0)
    np.testing.assert_allclose(found.throughput, [10 / 1.5, 20 / 2.7])
    np.testing.assert_array_equal(found.lengths(), [1.0])


def test_kinds_that_never_come() -> None:
    """A kind without users, rate or holding time takes no place; it waits as any other where there are others."""
    empty = unlike_waits(3, np.zeros(2), np.array([0.0, 5.0]), np.zeros(2), np.array([1.0, 0.0]))
    np.testing.assert_array_equal(empty.wait, 0)
    with_it, without = _open(3, [2.5, 0.0], [1.0, 9.0]), _open(3, [2.5], [1.0])
    assert with_it.wait == pytest.approx([without.wait[0]] * 2)
    assert with_it.throughput.tolist() == [2.5, 0.0]


def test_open_kinds_need_all_places() -> None:
    """From the places on, open kinds wait for ever and leave nothing to users."""
    found = unlike_waits(2, np.array([0.0, 50.0]), np.array([2.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 0.1]))
    assert np.isinf(found.wait).all()
    assert found.throughput.tolist() == [2.0, 0.0]


def test_users_that_are_never_away() -> None:
    """Users with no time away keep all places taken."""
    found = _users(3, [10.0, 10.0], [0.0, 0.0], [0.1, 0.3])
    assert found.held == pytest.approx(3)
    assert found.throughput @ (found.wait + np.array([0.1, 0.3])) == pytest.approx(20)


@pytest.mark.parametrize("seed", range(40))
def test_laws_over_the_range(seed: int) -> None:
    """Any mix of open kinds and users has an answer: Little's law, places, and the same one in any order of the kinds."""
    rng = np.random.default_rng(seed)
    kinds, places = int(rng.integers(1, 6)), int(np.exp(rng.uniform(0, np.log(400))))
    means = np.exp(rng.uniform(np.log(1e-3), np.log(1.0), kinds))
    closed = rng.random(kinds) < 0.6
    load = rng.uniform(0.2, 1.3) * places * rng.dirichlet(np.ones(kinds))
    away = np.exp(rng.uniform(0, np.log(100), kinds)) * means
    users = np.where(closed, np.maximum(1, np.round(load / means * (away + means))), 0.0)
    rates = np.where(closed, 0.0, load / means)
    if (rates @ means) > 0.97 * places:
        rates *= 0.97 * places / (rates @ means)
    second = means**2 * np.exp(rng.uniform(np.log(0.5), np.log(4), kinds))
    third = second**2 / means * rng.uniform(1.0, 3.0, kinds)
    found = unlike_waits(places, users, rates, away, means, second, third)
    assert np.isfinite(found.wait).all()
    assert (found.wait >= 0).all()
    assert found.throughput @ means <= places * (1 + 1e-9)
    cycle = away + means + found.wait
    np.testing.assert_allclose(found.throughput, np.where(closed, users / cycle, rates), rtol=1e-12)
    turn = rng.permutation(kinds)
    again = unlike_waits(places, *(v[turn] for v in (users, rates, away, means, second, third)))
    np.testing.assert_allclose(again.wait + means[turn], (found.wait + means)[turn], rtol=1e-6)


def test_levels_without_end() -> None:
    """M/M/1 as levels that are alike: probabilities and mean number are geometric."""
    one = np.ones(1)
    states, tail = probabilities([0.8 * one] * 2, [one] * 2, [np.zeros((1, 1))] * 3, endless=True)
    np.testing.assert_allclose([p[0] for p in states], [0.2, 0.16], rtol=1e-12)
    assert tail is not None
    assert tail.phases.sum() == pytest.approx(0.64)
    assert tail.mean == pytest.approx(0.16 * 0.8 / 0.2**2)


def test_begun_where_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """From where a limit that is nearly the same was found, the answer is the same, from fewer chains."""
    chains = 0
    module = sys.modules[unlike_waits.__module__]
    composition = module.composition

    def counted(*given: object) -> object:
        nonlocal chains
        chains += 1
        return composition(*given)

    monkeypatch.setattr(module, "composition", counted)
    users, away = np.array([40.0, 30.0, 0.0]), np.array([0.1, 0.3, 0.0])
    rates, means = np.array([0.0, 0.0, 20.0]), np.array([0.004, 0.05, 0.02])
    cold = unlike_waits(6, users, rates, away, means)
    first, chains = chains, 0
    assert cold.search is not None
    near = unlike_waits(6, users, 1.001 * rates, away, means, begin=cold.search)
    assert chains < first / 2
    again = unlike_waits(6, users, 1.001 * rates, away, means)
    np.testing.assert_allclose(near.wait, again.wait, rtol=1e-3)


@pytest.mark.parametrize("away", [45.75, 45.9, 46.1])
def test_waits_at_the_least_number_of_floats(away: float) -> None:
    """Where the chance that a task waits is about 1e-323, its product with a time is 0: nobody waits."""
    users, rates = np.array([460.0, 0.0]), np.array([0.0, 20.0])
    found = unlike_waits(400, users, rates, np.array([away, 1.0]), np.array([0.05, 1.0]))
    assert found.wait.max() < 1e-12


def test_begun_where_nobody_waited() -> None:
    """Waits of 1e-16 s say nothing of who waits longer: where users fill the places later, the search is from anew.

    Begun there, users seemed not to wait at all, however long all others do: the least wait had no end.
    """
    users, means = np.array([53.8, 0.0]), np.array([0.008, 0.239])
    empty = unlike_waits(150, users, np.array([0.0, 96.75]), np.array([1.3e-4, 1.0]), means)
    assert empty.wait.max() < 1e-12
    users, means, away = np.array([148.1, 0.0]), np.array([0.0254, 1.137]), np.array([1e-4, 1.0])
    cold = unlike_waits(150, users, np.array([0.0, 96.75]), away, means)
    begun = unlike_waits(150, users, np.array([0.0, 96.75]), away, means, begin=empty.search)
    assert begun.held <= 150 * (1 + 1e-6)
    np.testing.assert_allclose(begun.wait, cold.wait, rtol=0.01)


def test_a_kind_that_hardly_ever_comes() -> None:
    """The longest times are those of next to no user: they are no phase of the chain of their own (once no answer)."""
    mix, mean = np.array([0.7, 0.3, 1e-20]), np.array([0.04, 0.07, 0.11])
    found, alone = unlike_works._two_kinds(mix, mean), unlike_works._two_kinds(mix[:2], mean[:2])
    assert found is not None
    assert alone is not None
    assert found.leave == pytest.approx(alone.leave)
    assert found.first == pytest.approx(0.7)
    assert unlike_works._two_kinds(np.array([1.0, 1e-20]), mean[:2]) is None


def test_shares_of_the_line_are_asked_for_once_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a chain on a grid: to find its levels, for its moves up and down, and at the levels themselves, or for all."""
    asked = [0]
    plain = composition_chain.WaitingLine.at

    def counted(line: composition_chain.WaitingLine, waiting: np.ndarray) -> np.ndarray:
        asked[0] += 1
        return plain(line, waiting)

    monkeypatch.setattr(composition_chain.WaitingLine, "at", counted)
    chains = [0]
    composed = unlike_works.composition

    def composition(*asked_for: object) -> composition_chain.LimitState:
        chains[0] += 1
        return composed(*asked_for)  # type: ignore[arg-type]

    monkeypatch.setattr(unlike_works, "composition", composition)
    _users(60, [400.0, 150.0], [1.0, 5.0], [0.1, 1.5])
    assert chains[0] > 0
    assert asked[0] <= 4 * chains[0]


def test_shares_of_a_line_fill_it() -> None:
    """N/(gap·t + j) of each kind add up to 1 at the rate t at which a line of j is filled; an open kind has no users."""
    users, gap = np.array([500.0, 40.0, 0.0]), np.array([3.0, 0.2, 0.01])
    waiting, free = np.array([[0.0], [30.0], [420.0]]), np.array([[480.0, 470.0], [39.0, 5.0], [0.0, 0.0]])
    found = composition_chain._shares(users, gap, waiting, free[:, None])
    there = np.where(users > 0, 1.0, 0.0)[:, None, None]
    rate = np.where(there > 0, free[:, None], 1.0) / found / gap[:, None, None] - there * waiting / gap[:, None, None]
    assert found.sum(axis=0) == pytest.approx(1.0)
    assert (rate > 0).all()
    assert np.ptp(rate, axis=0) == pytest.approx(0.0, abs=1e-9 * float(rate.max()))


@pytest.mark.parametrize("power", [1.0, 0.5, 0.2])
def test_users_who_come_by_a_power_of_those_elsewhere(power: float) -> None:
    """One kind of users: a birth-death chain whose rates are by that power of those elsewhere, over their mean there."""
    users, away, capacity = 9.0, 2.0, 2
    found = _users(capacity, [users], [away], [1.0], power=np.array([power]))
    rest = float(found.throughput[0]) * away
    number = np.arange(users + 1)
    come = rest * ((users - number) / rest) ** power / away
    chance = np.append(1.0, np.cumprod(come[:-1] / np.minimum(number[1:], capacity)))
    chance /= chance.sum()
    wait = float(chance @ np.maximum(number - capacity, 0.0)) / float(chance @ come)
    assert found.wait[0] == pytest.approx(wait, rel=0.01)


def test_users_who_all_come_in_proportion() -> None:
    """Powers of 1 are as none."""
    plain, same = (
        _users(3, [5.0, 9.0], [1.0, 4.0], [0.2, 2.0], **more) for more in (dict[str, np.ndarray](), {"power": np.ones(2)})
    )
    assert same.wait == pytest.approx(plain.wait, rel=1e-12)


def test_the_fewer_come_less_the_longer_they_wait() -> None:
    """A line elsewhere lets out as many as before: the number here goes up and down by more."""
    waits = [
        _users(3, [5.0, 9.0], [1.0, 4.0], [0.2, 2.0], power=np.array(its)).wait for its in ([1, 1], [0.6, 0.9], [0.3, 0.8])
    ]
    assert (np.diff(waits, axis=0)[:, 0] > 0).all()
