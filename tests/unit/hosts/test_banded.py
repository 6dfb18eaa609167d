"""Chains solved as one band matrix, and on the points of their grids where chances are."""

import numpy as np
import pytest
from qnsolve.numerics import band_matrix
from qnsolve.numerics.band_matrix import inverse, times_inverse
from qnsolve.zos.hosts.chains.at_limits import slots
from qnsolve.zos.hosts.chains.banded import anchored, likely_state, stationary, stationary_among, times
from qnsolve.zos.hosts.chains.endless import eliminated_levels
from qnsolve.zos.hosts.chains.plane import by_places, grid, neighbours, plane, plane_moves
from qnsolve.zos.hosts.chains.windows import KeptWindows, edge_share, likely_states, windowed


def test_a_birth_death_chain() -> None:
    """M/M/1/9: geometric; the time from each state until an end of rate 0.1 against its linear equations."""
    up, down = np.append(np.full(9, 0.7), 0.0), np.append(0.0, np.full(9, 1.0))
    for at in (0, 4, 9):
        found = stationary({(1,): up, (-1,): down}, (at,))
        assert found is not None
        assert found / found.sum() == pytest.approx(0.7 ** np.arange(10) / (0.7 ** np.arange(10)).sum(), rel=1e-12)
    ends = np.full(10, 0.1)
    ends[3] = 0.5
    matrix = np.diag(up + down + ends) - np.diag(up[:-1], 1) - np.diag(down[1:], -1)
    assert times({(1,): up, (-1,): down}, ends) == pytest.approx(np.linalg.solve(matrix, np.ones(10)), rel=1e-12)


def test_a_chain_in_two_parts_has_no_chances() -> None:
    """A state that nothing leaves and nothing leads to, beside others: no single balance."""
    none = np.zeros(4)
    assert stationary({(1,): none, (-1,): none}, (0,)) is None


def test_the_states_along_a_corner() -> None:
    """60 users of two lines abreast, as many as there can be in either: found where all are in them, and as in all states."""
    at = np.arange(61.0)
    first, second = np.broadcast_to(at[:, None], (61, 61)), np.broadcast_to(at, (61, 61))
    left = np.maximum(60 - first - second, 0.0)
    moves = {(1, 0): 5 * left, (-1, 0): 0.9 * (first > 0), (0, 1): 5 * left, (0, -1): 1.1 * (second > 0)}
    moves[1, 0][-1], moves[0, 1][:, -1] = 0.0, 0.0
    likely = likely_state(moves, 2)
    whole = stationary(moves, likely)
    assert whole is not None
    few = np.append(np.arange(0, 60, 3), 60)
    some = likely_states(np.arange(61), np.arange(61), few, few, whole[np.ix_(few, few)])
    assert some is not None
    found = stationary_among(moves, likely, some)
    assert found is not None
    assert edge_share(at, at, some, found) < 1e-9
    assert found / found.sum() == pytest.approx(whole / whole.sum(), rel=1e-7, abs=1e-12)
    assert stationary_among(moves, likely, np.ones((61, 61), dtype=bool)) is None
    assert likely_states(np.arange(61), np.arange(61), few, few, np.ones((len(few), len(few)))) is None


@pytest.mark.parametrize(("load", "others"), [(0.2, 5.0), (0.9, 40.0), (0.5, 900.0)])
def test_the_points_that_are_left_out_do_not_count(load: float, others: float) -> None:
    """A server beside others that come and go, on wide grids: as all points at once, both numbers moving together or apart."""
    levels, phases = grid(12, 3000, 1.16), grid(20, 1e5, 1.16)
    shape = (len(levels), len(phases))
    arrive, serve = np.full(shape, load), np.minimum(levels, 1.0)[:, None] * np.ones(shape)
    up, down = np.full(shape, others), np.broadcast_to(phases, shape)
    found = plane(levels, phases, arrive, serve, 0.3, up, down)
    for careful, both in ((False, True), (False, False), (True, False)):
        rise, fall, joint, ups, downs, less = plane_moves(levels, phases, arrive, serve, 0.3, up, down, careful, None, both)
        whole = eliminated_levels(neighbours(ups, downs), rise, fall, downs_with=joint)
        if both:
            guess = np.unravel_index(int(found.chance.argmax()), shape)
            whole = stationary(by_places(rise, fall, joint, ups, downs, less), (int(guess[0]), int(guess[1])))
            assert whole is not None
        whole /= whole.sum()
        if -whole[whole < 0].sum() < 1e-3:
            break
    whole = np.maximum(whole, 0.0)
    assert found.chance == pytest.approx(whole / whole.sum(), abs=1e-9)
    assert found.mean_level == pytest.approx(float(levels @ whole.sum(axis=1)) / float(whole.sum()), rel=1e-7)
    assert (found.chance == 0).sum() > 0.3 * found.chance.size


def test_a_window_grows_to_where_the_chances_are() -> None:
    """What every third point says is wrong: all of it at the lower end."""
    levels, phases = np.arange(60.0), np.arange(40.0)
    true = np.outer(np.exp(-(((levels - 30) / 4) ** 2)), np.exp(-(((phases - 25) / 3) ** 2)))
    asked = []

    def solve(rows: np.ndarray, columns: np.ndarray, likely: tuple[int, ...] | None) -> np.ndarray:
        asked.append((len(rows), len(columns)))
        chance = np.zeros((len(rows), len(columns)))
        if likely is None:
            chance[0, 0] = 1.0
            return chance
        chance = true[np.ix_(rows, columns)] + 1e-30
        return chance / chance.sum()

    found = windowed(levels, phases, solve)
    assert found == pytest.approx(true / true.sum(), abs=1e-8)
    assert asked[0] == (21, 14)
    assert asked[1][0] < 10


def test_a_guess_that_is_far_off_is_made_good() -> None:
    """A long queue at a server that is nearly always full: geometric from the other end, whichever state is guessed."""
    up, down = np.append(np.full(59, 1.5), 0.0), np.append(0.0, np.full(59, 1.0))
    moves = {(1,): up, (-1,): down}
    true = 1.5 ** np.arange(-59.0, 1.0)
    assert likely_state(moves) == (59,)
    for guess in (0, 30, 59):
        found = anchored(moves, (guess,))
        assert found is not None
        assert found / found.sum() == pytest.approx(true / true.sum(), rel=1e-9)


def test_rates_within_the_last_level_come_besides() -> None:
    """Two levels of three places: as all states in one vector."""
    g = np.random.default_rng(3)
    (up, down), last = g.random((2, 2, 3)), g.random((3, 3))
    up[1], down[0] = 0.0, 0.0
    found = stationary({(1, 0): up, (-1, 0): down}, (1, 0), last)
    assert found is not None
    whole = np.diag(up[0], 3) + np.diag(down[1], -3)
    whole[3:, 3:] += last * (1 - np.eye(3))
    balance = whole.T - np.diag(whole.sum(axis=1))
    assert balance @ found.ravel() == pytest.approx(np.zeros(6), abs=1e-12)


def test_windows_of_the_round_before() -> None:
    """The second time no coarse grid is looked at, and the chances are the same."""
    levels, phases = np.arange(60.0), np.arange(40.0)
    true = np.outer(np.exp(-(((levels - 30) / 4) ** 2)), np.exp(-(((phases - 25) / 3) ** 2)))
    asked: list[tuple[int, int]] = []

    def solve(rows: np.ndarray, columns: np.ndarray, likely: tuple[int, ...] | None) -> np.ndarray:
        asked.append((len(rows), len(columns)))
        return np.asarray(true[np.ix_(rows, columns)])

    kept = KeptWindows(np.zeros(1))
    first, count = windowed(levels, phases, solve, windows=kept), len(asked)
    second = windowed(levels, phases, solve, windows=kept)
    assert first is not None
    assert second is not None
    assert (first == second).all()
    assert count == 2
    assert asked[2:] == asked[1:2]


def test_no_inverse() -> None:
    """A matrix that has none is refused, by both."""
    with pytest.raises(np.linalg.LinAlgError):
        inverse(np.ones((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        times_inverse(np.ones((1, 2)), np.ones((2, 2)))


@pytest.mark.parametrize(("away", "share"), [(0.1, 0.5), (60.0, 0.4)])
def test_places_that_are_left(away: float, share: float) -> None:
    """The pieces of the region are binomial, its tasks elsewhere Poisson: the sum of both, number by number."""
    size, pieces = 120, np.array([0.0, 3.0, 180.0])
    there = np.arange(size + 1)
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, 400.0)))))
    poisson = np.exp(there * np.log(away) - away - logs[: size + 1])
    for n, found in zip(pieces.astype(int).tolist(), slots(size, pieces, share, away), strict=True):
        own = [np.exp(logs[n] - logs[j] - logs[n - j]) * share**j * (1 - share) ** (n - j) if j <= n else 0.0 for j in there]
        taken = np.convolve(own, poisson)[: size + 1]
        assert found[::-1][:-1] == pytest.approx(taken[:-1], abs=1e-14)
        assert found.sum() == pytest.approx(1.0)


def test_what_was_in_memory_before_is_no_part_of_a_band_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room for exchanges of rows is not cleared: what it holds is not read."""
    random, shape = np.random.default_rng(11), (12, 7)
    moves = {step: random.uniform(0.1, 9.0, shape) for step in ((1, 0), (-1, 0), (0, 1), (0, -1))}
    moves[1, 0][-1], moves[-1, 0][0], moves[0, 1][:, -1], moves[0, -1][:, 0] = 0, 0, 0, 0
    found = stationary(moves, (6, 3))
    monkeypatch.setattr(band_matrix._room, "numbers", np.full(10_000, np.nan))
    again = stationary(moves, (6, 3))
    assert found is not None
    assert again is not None
    assert (found == again).all()
