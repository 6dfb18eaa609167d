"""What users find at servers that all share, against the chain of how many of each work are there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from qnsolve.zos.equilibrium.users.seen_by_users import ServersOfUsers

from tests.oracles.system_chains import Chain, State

THINK, CPU = (0.05, 0.4), (0.02, 0.1)  # of two works of users [s]


@pytest.mark.parametrize(("servers", "users"), [(1, (3, 4)), (2, (1, 12)), (4, (6, 9))])
def test_of_two_works(servers: int, users: tuple[int, int]) -> None:
    """Ratios of the times of both works, and their mean."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        there = sum(state)
        for k in range(2):
            step = [0, 0]
            step[k] = 1
            if state[k] < users[k]:
                yield (users[k] - state[k]) / THINK[k], (state[0] + step[0], state[1] + step[1])
            if state[k]:
                yield state[k] / CPU[k] * min(1.0, servers / there), (state[0] - step[0], state[1] - step[1])

    chain = Chain((0, 0), moves)
    number = np.array([chain.mean(lambda state, k=k: float(state[k])) for k in range(2)])
    rate = (np.array(users) - number) / THINK
    load, spent = rate * CPU, number / rate
    slow = spent / CPU
    found = ServersOfUsers(servers, np.array(users, dtype=float), load, spent, np.array(THINK), rate).seen()
    np.testing.assert_allclose(found, slow / (float(load @ slow) / float(load.sum())), rtol=1e-9)


def test_too_many_are_taken_as_all_alike() -> None:
    """A thousand that are there are not counted."""
    found = ServersOfUsers(1.0, np.array([2000.0]), np.ones(1), np.ones(1), np.ones(1), np.array([1000.0])).seen()
    assert found.tolist() == [1.0]


def test_work_with_a_rate_alone() -> None:
    """Finds all there is."""
    found = ServersOfUsers(1.0, np.zeros(2), np.array([0.2, 0.3]), np.ones(2), np.zeros(2), np.ones(2)).seen()
    assert found.tolist() == [1.0, 1.0]
