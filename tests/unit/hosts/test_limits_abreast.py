"""Limits side by side over the same stations, against all states of small systems and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.limited import limits_abreast
from qnsolve.zos.hosts.limited.limits_abreast import Abreast, one_of_abreast
from qnsolve.zos.hosts.limited.product_form import line

USERS, THINK = 14, 2.0


def coming(number: Array) -> Array:
    """Tasks of a few users."""
    return np.asarray(np.maximum(USERS - number, 0.0) / THINK)


def every_state(sizes: tuple[int, int], served: float, away: float) -> tuple[list[float], list[float]]:
    """Tasks before each of two limits, and inside: all share one server below, then are away for a while."""
    every = [(n, y) for n in range(USERS + 1) for y in range(USERS + 1 - n)]
    states = [
        (n, y, a, b) for n, y in every for a in range(min(n, sizes[0]) + 1) for b in range(min(y, sizes[1]) + 1)
    ]  # fmt: skip
    place = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for state, i in place.items():
        for k in (0, 1):
            there, at, size = state[k], state[2 + k], sizes[k]

            def to(more: int, ready: int, k: int = k, state: tuple[int, ...] = state) -> int:
                new = list(state)
                new[k], new[2 + k] = new[k] + more, new[2 + k] + ready
                return place[tuple(new)]  # type: ignore[index]

            if state[0] + state[1] < USERS:
                rates[i, to(1, int(there < size))] += (USERS - state[0] - state[1]) / THINK / 2
            if at:
                rates[i, to(0, -1)] += served * at / (state[2] + state[3])
            if away and min(there, size) > at:
                rates[i, to(-1, int(there > size))] += (min(there, size) - at) / away
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[-1])
    inside = [sum(chance[i] * min(s[k], sizes[k]) for s, i in place.items()) for k in (0, 1)]
    before = [sum(chance[i] * max(s[k] - sizes[k], 0) for s, i in place.items()) for k in (0, 1)]
    return before, inside


def solved(sizes: tuple[int, int], speed: Array) -> tuple[list[float], list[float]]:
    """The same by the chain of each limit."""
    before, inside = [], []
    for own, others in (sizes, sizes[::-1]):
        found = one_of_abreast(Abreast(own, 1.0, 0.5), Abreast(others, 1.0, 0.5), speed, coming, USERS, (99.0, 99.0))
        before.append(float(found.chance @ np.maximum(found.levels - own, 0.0)))
        inside.append(float(found.chance @ np.minimum(found.levels, own)))
    return before, inside


@pytest.mark.parametrize("away", [0.4, 1.0])
def test_tasks_of_two_limits_that_meet_at_a_server(away: float) -> None:
    """A small limit and a larger one: as in all states within 3 %, though what is inside does not settle at once."""
    sizes, served = (2, 4), 2.5
    at_server, gone = served ** -np.arange(7.0), np.cumprod(np.append(1.0, away / np.arange(1.0, 7)))
    whole = np.convolve(at_server, gone)[:7]
    found = solved(sizes, np.append(0.0, whole[:-1] / whole[1:]))
    states = every_state(sizes, served, away)
    assert found[1] == pytest.approx(states[1], rel=0.03)
    assert np.add(*found) == pytest.approx(np.add(*states), rel=0.03)


def test_one_server_below_is_exact() -> None:
    """All that is inside shares it: the numbers at both limits are all that there is to know."""
    sizes, served = (2, 3), 2.0
    states = [(n, y) for n in range(USERS + 1) for y in range(USERS + 1 - n)]
    place = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (n, y), i in place.items():
        a, b = min(n, sizes[0]), min(y, sizes[1])
        if n + y < USERS:
            rates[i, place[n + 1, y]] = rates[i, place[n, y + 1]] = (USERS - n - y) / THINK / 2
        if n:
            rates[i, place[n - 1, y]] = served * a / (a + b)
        if y:
            rates[i, place[n, y - 1]] = served * b / (a + b)
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[-1])
    lines = [sum(chance[i] * max(s[k] - sizes[k], 0) for s, i in place.items()) for k in (0, 1)]
    found, _ = solved(sizes, np.append(0.0, np.full(5, served)))
    assert found == pytest.approx(lines, rel=1e-6)


def test_tasks_that_do_not_meet_are_two_lines() -> None:
    """Nothing but times elsewhere: each limit is an M/M/c of its own, and its speeds are those of its tasks."""
    count = np.arange(10.0)
    own, others = Abreast(4, 1.0, 0.6), Abreast(5, 1.0, 0.4)
    found = one_of_abreast(own, others, count, lambda number: np.full(len(number), 5.0), np.inf, (200.0, 200.0))
    assert float(found.chance @ np.maximum(found.levels - 4, 0.0)) == pytest.approx(line(3.0, 4), rel=2e-3)
    assert found.speeds == pytest.approx(count[:5], abs=1e-9)
    assert found.load == 0


def test_a_limit_that_cannot_hold_its_work_says_so() -> None:
    """Five of six tasks a second come to one that ends four at most."""
    own, others = Abreast(4, 1.0, 5 / 6), Abreast(9, 1.0, 1 / 6)
    found = one_of_abreast(own, others, np.arange(14.0), lambda number: np.full(len(number), 6.0), np.inf, (50.0, 50.0))
    assert found.load == pytest.approx(5 / 4, rel=1e-3)


def test_two_limits_have_one_chain_and_equal_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is as in a chain of its own, to rounding."""
    chains = [0]
    plain = limits_abreast.plane

    def counted(*asked: object, **more: object) -> object:
        chains[0] += 1
        return plain(*asked, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(limits_abreast, "plane", counted)
    two, speed = [Abreast(4, 1.0, 0.6), Abreast(3, 1.2, 0.4)], np.minimum(np.arange(8.0), 4.0)
    found = limits_abreast.limits_abreast(two, speed, coming, USERS, 99.0, {})
    once = chains[0]
    for its, (own, others) in zip(found, (two, two[::-1]), strict=True):
        alone = one_of_abreast(own, others, speed, coming, USERS, (99.0, 99.0))
        assert its.chance == pytest.approx(alone.chance, abs=1e-9)
        assert its.speeds == pytest.approx(alone.speeds, rel=1e-9)
        assert its.inside == pytest.approx(alone.inside, abs=1e-9)
        assert its.coming == pytest.approx(alone.coming, rel=1e-9)
    assert chains[0] == 3 * once
    three = limits_abreast.limits_abreast([Abreast(2, 1.0, 1 / 3)] * 3, np.arange(7.0), coming, USERS, 99.0, {})
    assert three[0] is three[1] is three[2]
