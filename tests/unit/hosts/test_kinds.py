"""A server that serves pieces of unlike kinds, against Pollaczek and Khinchin."""

import numpy as np
import pytest
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.kinds import KindRates, passed_of_kinds, plane_of_kinds
from qnsolve.zos.hosts.chains.plane import grid

SHARES, MEANS = (0.9, 0.1), (0.2, 4.0)


def _kinds(levels: Array, alike: bool) -> list[KindRates]:
    found = []
    for share, mean in zip(SHARES, MEANS, strict=True):
        arrive, serve, none = np.ones((len(levels), 1)), np.full((len(levels), 1), 1 / mean), np.zeros((len(levels), 1))
        serve[0], arrive[-1] = 0.0, float(alike)
        found.append(KindRates(share, arrive, serve, 0.0, none, none))
    return found


@pytest.mark.parametrize("levels", [np.arange(4.0), grid(60, 400.0)])
def test_two_kinds_of_pieces_alone(levels: Array) -> None:
    """Levels without end exactly, on a grid that widens to 1 %."""
    alike = len(levels) == 4
    found = plane_of_kinds(levels, np.zeros(1), _kinds(levels, alike), alike)
    assert found is not None
    busy = float(np.dot(SHARES, MEANS))
    expected = busy + float(np.dot(SHARES, np.square(MEANS))) / (1 - busy)
    assert float(found[0] @ found[1].sum(axis=(1, 2))) == pytest.approx(expected, rel=1e-9 if alike else 0.01)


def _few_tasks(count: int, away: float) -> float:
    """Pieces a second of so many tasks: the equations of balance of their number and the kind in service solved at once."""
    rates = np.zeros((2 * count + 1, 2 * count + 1))  # none there, then a number and a kind
    for n in range(count):
        for k, share in enumerate(SHARES):
            after = 2 * n + 1 + k
            if n == 0:
                rates[0, after] = count / away * share
                rates[after, 0] = 1 / MEANS[k]
            else:
                rates[after - 2, after] = (count - n) / away
                for other, its in enumerate(SHARES):
                    rates[after, 2 * n - 1 + other] = its / MEANS[k]
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[0] = 1.0
    chance = np.linalg.solve(balance, np.append(1.0, np.zeros(2 * count)))
    number = np.append(0.0, np.repeat(np.arange(1.0, count + 1), 2))
    return float(count - chance @ number) / away


@pytest.mark.parametrize("away", [0.05, 1.0, 30.0])
def test_few_tasks_that_come_back_to_one_server(away: float) -> None:
    """As many pieces end as the whole chain says, whatever other numbers of tasks are asked for."""
    count = np.array([1.0, 2.0, 5.0, 40.0])
    found = passed_of_kinds(count, away, np.array(SHARES), np.array(MEANS))
    np.testing.assert_allclose(found, [_few_tasks(int(n), away) for n in count], rtol=1e-9)


def test_many_tasks_that_come_back_to_one_server() -> None:
    """From very many the pieces come at a rate: the line is that of Pollaczek and Khinchin."""
    busy, away = float(np.dot(SHARES, MEANS)), 1e6
    line = busy + float(np.dot(SHARES, np.square(MEANS))) / (1 - busy)
    found = passed_of_kinds(np.array([away + line]), away, np.array(SHARES), np.array(MEANS))
    assert float(found[0]) == pytest.approx(1.0, rel=1e-5)
    assert away + line - float(found[0]) * away == pytest.approx(line, rel=0.01)
