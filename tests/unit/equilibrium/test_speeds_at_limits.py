"""Speeds of what is inside limits, against exact chains and the simulations that are stored."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from qnsolve.zos.equilibrium.bursts.groups_at_limits import LONGEST, beyond, chances, inside_limit, speeds_by_little
from qnsolve.zos.equilibrium.limits.full_limits import by_places
from qnsolve.zos.equilibrium.limits.inside.own_stations import shortened
from qnsolve.zos.hosts.chains.at_limits import FEW, speeds
from qnsolve.zos.hosts.chains.birth_death import UserSource, crowd

from benchmarks import system_references

SPEED = np.array([1.0, 1.8, 2.4, 2.8, 3.0])


def exact(groups: float, single: float, size: int, speed: np.ndarray, top: int = 400) -> np.ndarray:
    """Chances of 0 … top - 1 tasks where groups of one size and single tasks come: the equations of balance solved at once."""
    rates = np.zeros((top, top))
    for n in range(top):
        rates[n, min(n + size, top - 1)] += groups
        rates[n, min(n + 1, top - 1)] += single
        if n:
            rates[n, n - 1] += speed[min(n, len(speed)) - 1]
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[0] = 1.0
    found: np.ndarray = np.linalg.solve(balance, np.append(1.0, np.zeros(top - 1)))
    return found


@pytest.mark.parametrize(("groups", "single", "size"), [(0.5, 0.4, 4), (0.0, 2.5, 1), (0.3, 0.0, 7)])
def test_tasks_inside_a_limit_where_groups_come(groups: float, single: float, size: int) -> None:
    """No tail is summed for them: beside the whole chain, and at other speeds in the same ratio."""
    for ratio in (1.0, 1.6):
        chance = exact(groups, single, size, ratio * SPEED)
        inside = float(chance @ np.minimum(np.arange(len(chance)), len(SPEED)))
        assert inside_limit(groups, single, beyond(size), np.array([ratio]), SPEED)[0] == pytest.approx(inside, rel=1e-8)


def test_speeds_by_little() -> None:
    """Those at which as many are inside as the times inside say, with groups and one by one."""
    for groups, burst, inside in ((0.5, 3.5, 3.1), (0.5, 3.5, 4.9), (2.0, 1.0, 0.4)):
        speed = speeds_by_little(groups, 0.2, beyond(burst), SPEED, inside)
        chance = chances(np.full(LONGEST, groups), np.full(LONGEST, 0.2), beyond(burst), speed)
        assert chance is not None
        assert float(chance @ np.minimum(np.arange(len(chance)), len(SPEED))) == pytest.approx(inside, rel=1e-4)
        assert np.ptp(speed / SPEED) < 1e-12


def test_waits_inside_a_limit_are_shorter_in_one_ratio() -> None:
    """A long and a short task wait as much less, their mean is the share that is asked, and none is faster than alone."""
    time, alone, flow = np.array([1.0, 0.3]), np.array([0.8, 0.1]), np.array([1.0, 4.0])
    found = shortened(time, alone, flow, 0.8)
    assert float(flow @ found) == pytest.approx(0.8 * float(flow @ time))
    assert (found - alone)[0] == pytest.approx((found - alone)[1])
    np.testing.assert_allclose(shortened(time, alone, flow, 0.1), alone)
    np.testing.assert_array_equal(shortened(alone, alone, flow, 0.5), alone)


@pytest.mark.parametrize(
    ("salt", "name", "off"),
    [
        (2, "MXT open 2", 0.05),  # +19 % once: work out of a full limit is no open work to the CPs
        (6, "MXT of CPU 6", 0.1),  # -16 % once: faster than the CPs are; by the mean or by chance, its speeds are 5 or 8 % off
        (5, "bursts at limits 1", 0.22),  # -45 % once: fewer inside than their times say
        (7, "bursts at limits 0", 0.26),  # +87 % once, and its rounds did not end
    ],
)
def test_open_work_at_limits_beside_simulation(salt: int, name: str, off: float) -> None:
    """All response times within so much of the simulation that is stored."""
    reference = system_references.load(salt)[name]
    answer = reference.drawn.system.solve()
    for work, truth in reference.works.items():
        assert answer[work].response_time == pytest.approx(truth.response, rel=off), work


@pytest.mark.parametrize("users", [300, 3000, 100_000])
@pytest.mark.parametrize("unlike", [0.7, 1.0, 1.6])
def test_users_before_a_limit_that_is_always_full(users: int, unlike: float) -> None:
    """Inside, before it, and elsewhere for as long as they think they are all: however even the times inside are.

    With even ones a fifth of 3000 users was nowhere once, and answers were at the capacity of the CPs.
    """
    found = crowd(0.0, [UserSource(users, 1.0, 0.05)], np.append(0.0, 1000 * SPEED), len(SPEED), unlike)
    assert found.rate == pytest.approx(3000, rel=1e-3)
    assert found.outside + len(SPEED) + found.rate * 0.05 == pytest.approx(users, rel=2e-3)


def test_a_line_beside_work_with_a_rate_that_is_shorter_than_by_chance() -> None:
    """Steps of less than one task: the numbers go as far as the line, near which 13,000 wait (an IndexError once)."""
    speed = np.append(0.0, np.linspace(13.16, 65.77, 250))
    sources = [UserSource(6000, 0.0345, 30.0, 0.936, (0,)), UserSource(7200, 0.0415, 3.0, 0.457, (5,))]
    steady, plain = (crowd(20.4, sources, speed, 250, unlike, 1.03, True) for unlike in (0.778, 1.0))
    assert steady.wait == pytest.approx(plain.wait, rel=0.02)


def test_speeds_of_a_region_among_others() -> None:
    """Tasks come at a rate to CPs that are all free: n of a region leave n times as fast, however many it is of the rest."""
    levels, others, rate = np.arange(9.0), np.arange(40.0), np.ones((9, 40))
    serve, share, load = 50.0, 0.3, 2.0
    chance = np.outer(0.02**levels / [1.0, *np.cumprod(levels[1:])], load**others / [1.0, *np.cumprod(others[1:])])
    mine = share * np.broadcast_to(others, chance.shape)
    come = (0.02 + share * load) * serve
    found = speeds(levels, others, mine, chance / chance.sum(), come * rate, 0 * rate)
    assert found is not None
    np.testing.assert_allclose(found[:4] / np.arange(1.0, 5.0), serve, rtol=1e-6)
    assert np.isnan(found[6])  # too seldom


def test_speeds_where_groups_come() -> None:
    """A TCB that serves one by one, to which groups of three come and single tasks: always as fast, whatever crosses."""
    rate, serve = 0.2, 1.5
    groups, single = np.full((60, 1), rate), np.full((60, 1), 0.4)
    chance = exact(rate, 0.4, 3, np.array([serve]), 60)[:, None]
    found = speeds(np.arange(60.0), np.zeros(1), np.zeros((60, 1)), chance, single, 0 * single, [(3.0, groups)])
    assert found is not None
    np.testing.assert_allclose(found[:10], serve, rtol=1e-6)


def test_speeds_where_the_grid_is_wide() -> None:
    """Tasks that end one at a time on either of two steps: between the points of a wide grid no others end than at them."""
    levels, others = np.array([*range(40), *range(40, 60, 2), *range(60, 101, 5)], dtype=float), np.arange(8.0)
    width = np.gradient(levels)
    chance = np.outer(0.98**levels * width, 0.4**others)
    leave = 20.0 * np.broadcast_to(others, chance.shape)  # of the second step, independent of how many are at the first
    mean = float((0.4**others) @ others) / float((0.4**others).sum())
    found = speeds(levels, others, np.broadcast_to(others, chance.shape), chance / chance.sum(), leave + 1.0, leave)
    assert found is not None
    seen = found[45:90]
    assert np.isfinite(seen).all()
    assert np.ptp(seen) < 0.1 * 20 * mean
    assert float(seen.mean()) == pytest.approx(20 * mean, rel=0.1)


@pytest.mark.parametrize("waiting", [0.0, 0.4, 20.0])
def test_waits_for_a_full_limit_of_tasks_out_of_full_classes(waiting: float) -> None:
    """As many are inside as there are places, however long users wait before the classes: that line makes no task fewer."""
    holds, waits, goal = np.array([0.003, 0.09]), np.array([0.001, 0.0012]), 11.0
    classes = {0: (4.0, 0.0), 1: (11.0, 0.02)}
    form = SimpleNamespace(users=np.array([2500, 600]), work=np.array([0, 1]), visits=np.ones(2), rate=np.zeros(2))
    work: Any = SimpleNamespace(form=form, pool_wait=np.zeros((1, 2)), cycle=np.array([1.0, 3.0]) + waiting)
    found = by_places(work, 0, np.array([0, 1]), holds, waits, 1.0, goal, classes)
    inside = [places * holds[k] / (idle + holds[k] + found[k]) for k, (places, idle) in classes.items()]
    assert sum(inside) == pytest.approx(goal, rel=1e-6)
    assert found[1] / found[0] == pytest.approx(1.2)


def test_speeds_are_read_no_further_than_limits_have_places() -> None:
    """A line on a grid that goes on to 67 million: the speeds of few tasks are those of a grid that ends where they do."""
    levels = np.append(np.arange(40.0), 67_174_400.0)
    chance = np.append(0.9 * 0.5 ** np.arange(1.0, 41.0), 0.1)[:, None]
    come, leave = np.full((41, 1), 2.0), np.append(0.0, np.full(40, 4.0))[:, None]
    found = speeds(levels, np.zeros(1), np.zeros((41, 1)), chance, come, leave)
    near = speeds(levels[:-1], np.zeros(1), np.zeros((40, 1)), chance[:-1], come[:-1], leave[:-1])
    assert found is not None
    assert near is not None
    assert len(found) < 100_000
    assert found[: FEW - 4] == pytest.approx(near[: FEW - 4])
