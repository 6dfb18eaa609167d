"""Plane chains and what surrounds them, held against closed forms."""

from itertools import product
from math import comb, factorial, prod

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.at_limits import slots
from qnsolve.zos.hosts.chains.birth_death import UserSource, crowd
from qnsolve.zos.hosts.chains.plane import grid, moves, plane
from qnsolve.zos.hosts.others.company import TaskQueue, company


@pytest.mark.parametrize("load", [0.3, 0.8, 0.95])
def test_one_server_is_an_mm1(load: float) -> None:
    """Levels alone: the geometric distribution, on a grid that widens within 1 % of its mean."""
    levels = grid(12, 40 / (1 - load), 1.16)
    arrive, serve = np.full((len(levels), 1), load), np.where(levels[:, None] > 0, 1.0, 0.0)
    arrive[-1] = 0.0
    none = np.zeros_like(arrive)
    found = plane(levels, np.zeros(1), arrive, serve, 0.0, none, none)
    assert found.chance.sum() == pytest.approx(1)
    assert found.mean_level == pytest.approx(load / (1 - load), rel=0.01)


def test_two_servers_in_series_are_independent() -> None:
    """An M/M/1 whose jobs go on to another one: both geometric, exactly on unit steps."""
    steps = np.arange(60.0)
    shape = (60, 60)
    arrive = np.full(shape, 0.5)
    arrive[-1] = 0.0
    serve = np.where(np.arange(60)[:, None] > 0, 1.0, 0.0) * np.ones(shape)
    serve[:, -1] = 0.0  # no room beyond the grid
    down = np.where(np.arange(60)[None, :] > 0, 0.8, 0.0) * np.ones(shape)
    found = plane(steps, steps, arrive, serve, 1.0, np.zeros(shape), down)
    product = np.outer(0.5 * 0.5 ** np.arange(60), 0.375 * 0.625 ** np.arange(60))
    assert np.abs(found.chance - product).max() < 1e-9


def test_moves_keep_drift_and_variance() -> None:
    """Whatever the steps of the grid."""
    points = np.array([0.0, 1.0, 3.0, 7.0, 12.0, 20.0])
    drift, variance = np.full(6, -0.2), np.full(6, 1.4)
    rise, fall = moves(points, drift, variance, False)
    wide = np.diff(points)
    assert rise[1:-1] * wide[1:] - fall[1:-1] * wide[:-1] == pytest.approx(drift[1:-1])
    assert rise[1:-1] * wide[1:] ** 2 + fall[1:-1] * wide[:-1] ** 2 == pytest.approx(variance[1:-1])
    careful = moves(points, drift * 5, variance, True)
    assert all((part >= 0).all() for part in careful)


def test_company_of_queues_and_pieces() -> None:
    """G(y - 1)/G(y) of the product form, counted out."""
    found = company([(0.4, 1), (0.9, 2)], 0.5, 3.0, 40)
    tail = [0.9**n / 2 ** max(n - 1, 0) for n in range(41)]  # 1, 0.9, 0.9²/2, 0.9³/4, ...
    poisson = np.cumprod(np.append(1.0, 0.5 / np.arange(1, 41)))
    weight = np.convolve(np.convolve(0.4 ** np.arange(41), tail)[:41], poisson)[:41]
    assert found.leave[1:] == pytest.approx(weight[:-1] / weight[1:], rel=1e-9)
    assert found.slow(0.0)[0] == 1  # nobody there


def test_company_of_queues_that_fill_together() -> None:
    """Two queues to which tasks come in groups, one to which they come one by one, and pieces: all states counted out."""
    queues = [TaskQueue(0.5, 1, 3.0, 2.0), TaskQueue(0.3, 1, 2.0, 1.5), TaskQueue(0.4, 1)]
    found = company(queues, 0.5, 3.0, 12)
    steps = [2.0 / 5.0, 1.5 * 0.3 / 0.7 / (2 + 1.5 * 0.3 / 0.7)]  # mean over mean and evenness of a negative binomial number
    terms = [[comb(n + even - 1, n) * step**n for n in range(13)] for even, step in zip((3, 2), steps, strict=True)]
    terms += [[0.4**n for n in range(13)], [0.5**n / factorial(n) for n in range(13)]]
    for y in (1, 4, 9, 12):
        states = [state for state in product(range(y + 1), repeat=4) if sum(state) == y]
        weight = np.array([prod(its[n] for its, n in zip(terms, state, strict=True)) for state in states])
        ready = np.array([sum(n > 0 for n in state[:3]) + state[3] for state in states])
        assert found.ready[y] == pytest.approx(weight @ ready / weight.sum(), rel=1e-9)
        assert found.few[y] == pytest.approx([weight[ready == j].sum() / weight.sum() for j in range(3)], rel=1e-9, abs=1e-12)
        assert found.leave[y] == pytest.approx(found.ready[y] / 1.7, rel=1e-9)


@pytest.mark.parametrize("load", [500.0, 1500.0, 1990.0])
def test_company_of_thousands_of_servers(load: float) -> None:
    """Far from their number they are as many pieces: a Poisson number, its weights within the range of floats."""
    found = company([(load, 2000)], 0.0, 8.0, 300)
    assert found.leave == pytest.approx(np.arange(301) / load, rel=1e-9)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (4, 0.85), (40, 0.9)])
def test_a_stream_before_a_limit_is_an_mmc(servers: int, load: float) -> None:
    """Wait and chance of a full limit by Erlang's C."""
    found = crowd(servers * load, [], np.minimum(np.arange(servers + 1.0), servers), servers)
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = servers * load * blocked / (n + servers * load * blocked)
    delayed = blocked / (1 - load * (1 - blocked))
    assert found.full == pytest.approx(delayed, rel=1e-6)
    assert found.wait == pytest.approx(delayed / (servers * (1 - load)), rel=1e-6)


def test_a_crowd_of_any_size_waits_by_the_users_law() -> None:
    """N = X·(Z + R), with X what the limit lets through, for ten thousand and for ten million users."""
    for users in (1e4, 1e7):
        speed = np.minimum(np.arange(51.0), 50) / 0.1
        found = crowd(0.0, [UserSource(users, 1.0, 1.0)], speed, 50)
        rate = float(found.chance @ found.coming)
        assert rate == pytest.approx(500, rel=1e-6)
        assert found.wait == pytest.approx(users / rate - 1.0 - 0.1, rel=1e-6)


def test_places_left_at_a_limit() -> None:
    """All pieces are the region's own, none off the CPs: what is left is the limit less those there."""
    found = slots(4, np.array([0.0, 1.0, 2.5, 6.0]), 1.0, 0.0)
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
    assert found[1] == pytest.approx([0, 0, 0, 1, 0], abs=1e-9)
    assert found[2] == pytest.approx([0, 0.5, 0.5, 0, 0], abs=1e-9)
    assert found[3][0] == pytest.approx(1)
