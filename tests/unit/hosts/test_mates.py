"""Unlike tasks of bursts at a server that they share, pieces that have it alone, and short visits of lower importance."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.bursts.mates import among
from qnsolve.zos.hosts.chains.jumps import Burst, jumps
from qnsolve.zos.hosts.importance.one_task import OneTask
from qnsolve.zos.point.solved import solved_point


@pytest.mark.parametrize(("size", "own"), [(14.62, 0.0738), (40.0, 0.02), (7.5, 0.9)])
def test_no_size_of_a_group_is_lost(size: float, own: float) -> None:
    """All that come to the levels and to the phases, rare numbers too."""
    found = jumps(Burst(0, size, np.ones(1)), np.ones((1, 1)), own, 1 - own, 1.7)
    assert sum(jump.levels * jump.rate[0, 0] for jump in found) == pytest.approx(own)
    assert sum(jump.phases * jump.rate[0, 0] for jump in found) == pytest.approx((1 - own) / 1.7)
    assert max(jump.phases for jump in found) <= size + 1


def _shared(piece: Array, rate: Array, mates: Array) -> Array:
    return among(piece, np.zeros(len(piece)), np.zeros(len(piece)), rate, mates)


def test_unlike_tasks_share_a_server_in_proportion() -> None:
    """Poisson arrivals: p/(1 - rho) for all lengths."""
    piece, rate = np.array([0.2, 1.0, 3.0]), np.array([1.0, 0.3, 0.1])
    assert _shared(piece, rate, np.zeros((3, 3))) == pytest.approx(piece / (1 - 0.8))


def test_a_burst_of_one_kind() -> None:
    """M[X]/M/1: one half of the others of its burst more."""
    found = _shared(np.ones(1), np.full(1, 0.6), np.full((1, 1), 3.0))
    assert found == pytest.approx([(1 + 3 / 2) / 0.4])


def test_bursts_of_one_kind_beside_single_tasks_of_another() -> None:
    """Long ones that come three at a time and short ones: the chain of both numbers."""
    piece, burst, rate = np.array([1.0, 0.3]), 3, np.array([0.36, 0.8])
    most = (60, 40)
    size = most[0] * most[1]
    rates = np.zeros((size, size))
    for a in range(most[0]):
        for b in range(most[1]):
            here, all_ = a * most[1] + b, max(a + b, 1)
            moves = [(a + burst, b, rate[0] / burst), (a, b + 1, rate[1])]
            moves += [(a - 1, b, a / all_ / piece[0]), (a, b - 1, b / all_ / piece[1])]
            for x, y, speed in moves:
                if 0 <= x < most[0] and 0 <= y < most[1]:
                    rates[here, x * most[1] + y] += speed
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(1, size, size - 1)[0]).reshape(most)
    number = np.array([chance.sum(axis=1) @ np.arange(most[0]), chance.sum(axis=0) @ np.arange(most[1])])
    mates = np.array([[burst - 1.0, 0.0], [0.0, 0.0]])
    assert _shared(piece, rate, mates) == pytest.approx(number / rate, rel=2e-3)


def test_a_spin_that_has_the_server_alone() -> None:
    """The number is that of M/G/1: of a piece with spins along it all is to come at any time, and of one spin what is left."""
    piece, spin, square, rate = 1.0, 0.6, 0.5, 0.4
    found = among(np.full(1, piece), np.full(1, spin), np.full(1, square), np.full(1, rate), np.zeros((1, 1)))
    service = piece + spin
    left = rate * (service**2 + square / 2) / (1 - rate * service)
    assert found == pytest.approx([(left - rate * square / 2) / (rate * service)])


@pytest.mark.parametrize(("users", "think_time"), [(3, 0.001), (5, 0.004), (20, 0.02)])
def test_users_of_a_tcb_that_requests_hold(users: int, think_time: float) -> None:
    """A request as long as the piece on the QR TCB, many CPs: the chain of the tasks there, and of requests."""
    piece = spin = 0.0005
    work = zos.Work("w", users=users, think_time=think_time, regions="R", qr_cpu=piece, cf_requests={"S": 1})
    facility = zos.CouplingFacility("CF", processors=50, structures=[zos.Structure("S", service_time=spin, threshold=1.0)])
    regions = [zos.CicsRegion("R", lpar="P")]
    system = zos.System([zos.Lpar("P", processors=8)], regions, [work], coupling_facilities=[facility])
    size = 2 * (users + 1)
    rates = np.zeros((size, size))  # tasks there, and whether a request is under way
    for n in range(users + 1):
        if n < users:
            rates[2 * n, 2 * n + 2] = rates[2 * n + 1, 2 * n + 3] = (users - n) / think_time
        if n:
            rates[2 * n, 2 * n + 1] = rates[2 * n, 2 * n - 2] = 1 / piece
            rates[2 * n + 1, 2 * n] = 1 / spin
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1.0
    balance[1] = np.eye(1, size, 1)[0]  # none is under way where no task is there
    chance = np.linalg.solve(balance, np.eye(1, size, size - 1)[0])
    number = float(chance @ np.repeat(np.arange(users + 1.0), 2))
    exact = number * think_time / (users - number)
    assert solved_point(system).work.response[0] == pytest.approx(exact, rel=0.03)


def test_the_time_left_of_one_among_others() -> None:
    """M/M/1 shared, nobody of higher importance: its CPU over 1 - rho, weighted with what it finds."""
    use, levels, none = 0.5, np.arange(60.0), np.zeros(1)
    each = 1 / (levels + 1)[:, None]
    one = OneTask(levels, none, np.append(np.full(59, use), 0.0), each, each, none, none)
    for size in (0.2, 1.0, 4.0):
        times = one.time_left(size)
        assert times[:, 0] @ (use**levels * (1 - use)) == pytest.approx(size / (1 - use), rel=1e-6)


def test_all_visits_of_one_among_others() -> None:
    """M/M/1 shared: visits at once are one long one; after long pauses each finds what any visit does."""
    use, levels, none = 0.5, np.arange(60.0), np.zeros(1)
    each, gone = 1 / (levels + 1)[:, None], 1 / np.maximum(levels, 1.0)[:, None]
    one = OneTask(levels, none, np.append(np.full(59, use), 0.0), each, gone, none, none)
    chance = (use**levels * (1 - use))[:, None]
    for pause in (1e-4, 1e4):
        first, later = one.rounds(chance, 0.3, 5.0, pause)
        assert (first, later) == pytest.approx((0.3 / (1 - use), 4 * 0.3 / (1 - use)), rel=1e-3)


@pytest.mark.parametrize("use", [0.3, 1.2])
def test_a_visit_on_the_states_that_matter(use: float) -> None:
    """Beside higher work that keeps its engine at work, or more than that: nothing is lost where others never are."""
    levels, phases = np.arange(200.0), np.arange(120.0)
    left = np.where(phases == 0, 1.0, 1e-7)  # of the engine
    each, gone = left / (levels + 1)[:, None], left / np.maximum(levels, 1.0)[:, None]
    up, down = np.full(120, use), np.minimum(phases, 1.0)
    whole = OneTask(levels, phases, np.append(np.full(199, 0.1), 0.0), each, gone, up, down)
    busy = slice(60, 120) if use > 1 else slice(0, 60)
    some = whole.within(slice(0, 120), busy)
    for size in (0.5, 3.0):
        its, wide = some.time_left(size), whole.time_left(size)[:120, busy]
        middle = its.shape[1] // 4 if use < 1 else -its.shape[1] // 4
        assert its[:8, middle] == pytest.approx(wide[:8, middle], rel=1e-5)
